/* Values of parts of a call, kept from call to call: the host's service for operations that work part by part.
 * SPDX-License-Identifier: Apache-2.0 */
#include "op/op_int.h"

#include <string.h>

static struct ts_call_state *state_of(const struct ts_op_call *call) { return call->private_data; }

/* Operations of one plugin have the same implementation, so the name counts, too. */
void ts_parts_begin(struct ts_call_state *state, struct ts_memo *memo) {
  state->memo = memo;
  if (!memo) return;
  const char *name = state->op->descriptor->name;
  struct ts_xxh128 implementation = ts_xxh128_of(&state->op->implementation, sizeof state->op->implementation, 0);
  state->parts_of = ts_xxh128_of(name, strlen(name), implementation.low);
  /* Values remembered while the state of the process was changed are not recalled. */
  state->parts_of.high ^= implementation.high ^ state->generation;
}

static struct ts_xxh128 key_of(const struct ts_call_state *state, const void *key, size_t key_bytes) {
  struct ts_xxh128 digest = ts_xxh128_of(key, key_bytes, state->parts_of.low);
  digest.high ^= state->parts_of.high;
  return digest;
}

size_t ts_parts_recall(struct ts_op_call *call, const void *key, size_t key_bytes, void *value, size_t value_bytes) {
  struct ts_call_state *state = state_of(call);
  if (!state->memo) return TS_OP_NOT_KNOWN;
  struct ts_xxh128 digest = key_of(state, key, key_bytes);
  size_t size = ts_memo_get(state->memo, &digest, value, value_bytes);
  if (size == TS_MEMO_UNKNOWN) return TS_OP_NOT_KNOWN;
  if (!atomic_load_explicit(&state->has_recalled, memory_order_relaxed))
    atomic_store_explicit(&state->has_recalled, true, memory_order_relaxed);
  return size;
}

void ts_parts_remember(struct ts_op_call *call, const void *key, size_t key_bytes, const void *value,
                       size_t value_bytes) {
  struct ts_call_state *state = state_of(call);
  if (!state->memo) return;
  struct ts_xxh128 digest = key_of(state, key, key_bytes);
  ts_memo_put(state->memo, &digest, value, value_bytes);
}

int ts_parts_input_digest(struct ts_op_call *call, size_t port, uint8_t digest[16]) {
  const struct ts_call_state *state = state_of(call);
  if (!state->memo || port >= state->op->descriptor->input_count || !state->inputs[port]) return 0;
  struct ts_xxh128 known = {0};
  if (state->context->input_digests) known = state->context->input_digests[port];
  if (known.low == 0 && known.high == 0) known = ts_data_run_digest(state->inputs[port]);
  memcpy(digest, &known, sizeof known);
  return 1;
}
