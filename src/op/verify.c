/* Checks of calls on request (TESSERA_VERIFY): changed inputs, recalled parts and variants that make a difference.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Only on request: hashing takes longer than many operations. */
#include "op/op_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool ts_call_is_verifying(void) {
  static atomic_int known; /* 0: not asked yet, 1: no, 2: yes */
  int answer = atomic_load_explicit(&known, memory_order_relaxed);
  if (answer == 0) {
    const char *value = getenv("TESSERA_VERIFY");
    answer = value && value[0] != '\0' && strcmp(value, "0") != 0 ? 2 : 1;
    atomic_store_explicit(&known, answer, memory_order_relaxed);
  }
  return answer == 2;
}

static void digest_inputs(const struct ts_call_state *state, struct ts_xxh128 *digests) {
  for (size_t i = 0; i < state->op->descriptor->input_count; i++) {
    if (state->inputs[i]) digests[i] = ts_data_run_digest(state->inputs[i]);
  }
}

static bool check_inputs_unchanged(const struct ts_call_state *state, const struct ts_xxh128 *digests) {
  for (size_t i = 0; i < state->op->descriptor->input_count; i++) {
    if (!state->inputs[i]) continue;
    const struct ts_xxh128 now = ts_data_run_digest(state->inputs[i]);
    if (now.low == digests[i].low && now.high == digests[i].high) continue;
    ts_error_clear(state->err);
    return ts_call_break_contract(state, "changed its input '%s'", state->op->descriptor->inputs[i]->name);
  }
  return true;
}

static bool check_same_outputs(const struct ts_call_state *state, struct ts_data *const *others, const char *way) {
  for (size_t i = 0; i < state->op->descriptor->output_count; i++) {
    const struct ts_xxh128 one = ts_data_run_digest(state->outputs[i]), other = ts_data_run_digest(others[i]);
    if (one.low == other.low && one.high == other.high) continue;
    return ts_call_break_contract(state, "made a different output '%s' %s", state->op->descriptor->outputs[i]->name,
                                  way);
  }
  return true;
}

/* The same call in another way, without recalled parts, must make the same outputs. It is a check and does not count as
 * an execution. */
static bool check_again(struct ts_call_state *state, const struct ts_op_call *call, const struct ts_op_context *context,
                        const char *way) {
  struct ts_data *outputs[TS_OP_MAX_PORTS] = {0};
  struct ts_call_state again = {.op = state->op,
                                .inputs = state->inputs,
                                .outputs = outputs,
                                .context = context,
                                .err = state->err,
                                .place = state->place};
  struct ts_op_call second = *call;
  second.private_data = &again;
  bool ok = ts_call_conclude(&again, ts_call_run(state->op, &second)) && check_same_outputs(state, outputs, way);
  atomic_fetch_sub_explicit(&state->op->executions, 1, memory_order_relaxed);
  for (size_t i = 0; i < state->op->descriptor->output_count; i++) ts_data_unref(outputs[i]);
  return ok;
}

/* A variant against the operation's own run. */
static bool check_variant(struct ts_call_state *state, const struct ts_op_call *call) {
  struct ts_op_context own = *state->context;
  char way[80];
  snprintf(way, sizeof way, "on '%.40s' than on '%s'", own.variant->device, TS_OP_OWN_DEVICE);
  own.variant = NULL;
  return check_again(state, call, &own, way);
}

bool ts_call_run_verified(struct ts_call_state *state, struct ts_op_call *call) {
  struct ts_xxh128 digests[TS_OP_MAX_PORTS] = {{0}};
  digest_inputs(state, digests);
  int status = ts_call_run(state->op, call);
  if (!check_inputs_unchanged(state, digests) || !ts_call_conclude(state, status)) return false;
  if (strcmp(state->op->numeric, "exact") != 0) return true; /* others may differ from call to call */
  if (atomic_load_explicit(&state->has_recalled, memory_order_relaxed) &&
      !check_again(state, call, state->context, "with recalled parts than without"))
    return false;
  return !state->context->variant || check_variant(state, call);
}
