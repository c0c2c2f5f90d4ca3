/* What the operations on pixels share: output and threads.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ops/pixels/pixels_int.h"

uint8_t *ts_pixels_plane(struct ts_op_call *call) {
  const struct ts_op_view *in = call->inputs[0];
  return call->host->output_pixels(call, 0, in->width, in->height, 1, TS_OP_U8);
}

static void run_parallel(void *user, size_t count, void (*body)(void *argument, size_t index), void *argument) {
  struct ts_op_call *call = user;
  call->host->parallel_for(call, count, body, argument);
}

struct ts_kernel_threads ts_pixels_threads(struct ts_op_call *call) {
  return (struct ts_kernel_threads){.count = call->host->thread_count(call), .run = run_parallel, .user = call};
}
