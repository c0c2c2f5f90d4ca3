/* Calls that depend on the state of the process: an operation that changes it fails, the others are computed again.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Guarded are plugins and commands, and operations of the program that read files, whose names may be relative. The
 * others of the program depend on their inputs and parameters alone, never change the state, and pay nothing. */
#include "op/op_int.h"
#include "op/state_int.h"

#include "base/alloc.h"

/* Calls of an operation that cannot have changed the state itself: then another thread changed it. */
#define MOST_CALLS 3

static bool is_guarded(const struct ts_call_state *state) {
  if (state->context->shares_process) return false;
  if (state->op->origin != TS_OP_BUILT_IN) return true;
  for (size_t i = 0; i < state->op->descriptor->input_count; i++)
    if (state->inputs[i] && ts_data_type(state->inputs[i])->kind == TS_DATA_FILE) return true;
  return false;
}

static bool blame(const struct ts_call_state *state, const struct ts_value *parameters, const char *what) {
  const struct ts_op_descriptor *descriptor = state->op->descriptor;
  ts_auto(ts_str_release) struct ts_str with = {0};
  for (size_t i = 0; i < descriptor->parameter_count; i++) {
    ts_str_addf(&with, "%s%s=", i == 0 ? " with " : ", ", descriptor->parameters[i]->name);
    ts_value_print(&parameters[i], &with);
  }
  ts_error_clear(state->err);
  if (state->op->origin == TS_OP_PLUGIN) {
    ts_fail(state->err, TS_ERR_OPERATION_DISTURBS, "operation '%s'%.200s changed %s", descriptor->name,
            ts_str_get(&with), what);
    return ts_error_help(state->err, "an operation leaves current folder, environment and locale as they are; fix '%s'",
                         state->op->source);
  }
  ts_fail(state->err, TS_ERR_OPERATION_DISTURBS, "another thread changed %s while operation '%s'%.200s ran", what,
          descriptor->name, ts_str_get(&with));
  return ts_error_help(state->err, "a plugin has a thread of its own that does this: leave the plugin out, or fix it");
}

/* Undoes a call that does not count: its outputs, error, execution and log. */
static void forget(struct ts_call_state *state, size_t log_length) {
  struct ts_str *log = state->context->log;
  ts_call_drop_outputs(state);
  ts_error_clear(state->err);
  atomic_fetch_sub_explicit(&state->op->executions, 1, memory_order_relaxed);
  if (log && log->length > log_length) {
    log->length = log_length;
    log->data[log_length] = '\0';
  }
}

bool ts_call_guarded(struct ts_call_state *fresh, const struct ts_value *parameters) {
  if (!is_guarded(fresh)) return ts_call_once(fresh, parameters);
  const size_t log_length = fresh->context->log ? fresh->context->log->length : 0;
  for (int number = 1;; number++) {
    struct ts_shared_call shared;
    struct ts_state_change change;
    ts_shared_enter(&shared, number > 1);
    struct ts_call_state state = *fresh;
    state.generation = shared.generation;
    const bool ok = ts_call_once(&state, parameters);
    const enum ts_shared_verdict verdict = ts_shared_leave(&shared, &change);
    if (verdict == TS_SHARED_CALM || !state.was_called || state.err->code == TS_ERR_CANCELLED) return ok;
    if (verdict == TS_SHARED_CULPRIT && (state.op->origin == TS_OP_PLUGIN || number == MOST_CALLS)) {
      ts_call_drop_outputs(&state);
      return blame(&state, parameters, change.text);
    }
    forget(&state, log_length);
  }
}
