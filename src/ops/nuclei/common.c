/* What the nuclei operations share: outputs, failures, threads, checks.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ops/nuclei/nuclei_int.h"

uint8_t *ts_nuclei_plane(struct ts_op_call *call, size_t port, int32_t channels) {
  const struct ts_op_view *first = call->inputs[0];
  return call->host->output_pixels(call, port, first->width, first->height, channels, TS_OP_U8);
}

int ts_nuclei_done(struct ts_op_call *call, bool ok, const struct ts_error *err) {
  return ok ? 0 : call->host->fail(call, "%s", err->text);
}

static void run_parallel(void *user, size_t count, void (*body)(void *argument, size_t index), void *argument) {
  struct ts_op_call *call = user;
  call->host->parallel_for(call, count, body, argument);
}

struct ts_kernel_threads ts_nuclei_threads(struct ts_op_call *call) {
  return (struct ts_kernel_threads){.count = call->host->thread_count(call), .run = run_parallel, .user = call};
}

bool ts_nuclei_same_size(struct ts_op_call *call, size_t input_count) {
  for (size_t i = 1; i < input_count; i++) {
    if (call->inputs[i]->width != call->inputs[0]->width || call->inputs[i]->height != call->inputs[0]->height) {
      call->host->fail(call, "its inputs differ in size: %lld x %lld and %lld x %lld",
                       (long long)call->inputs[0]->width, (long long)call->inputs[0]->height,
                       (long long)call->inputs[i]->width, (long long)call->inputs[i]->height);
      return false;
    }
  }
  return true;
}

void ts_nuclei_canonical_connectivity(struct ts_op_value *value) { value->integer = value->integer == 8 ? 8 : 4; }
