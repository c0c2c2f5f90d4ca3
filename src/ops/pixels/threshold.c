/* pixels.threshold: dark pixels.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ops/pixels/pixels_int.h"

#include "kernels/pixels.h"

static const struct ts_op_port *const threshold_in[] = {PIXELS_PORT("gray", "image/gray8", "grey values")};
static const struct ts_op_port *const threshold_out[] = {PIXELS_PORT("mask", "mask", "the dark ones")};
static const struct ts_op_parameter *const threshold_parameters[] = {
    PIXELS_INTEGER("below", 0, 256, "grey values less than this are foreground")};

static int run_threshold(struct ts_op_call *call) {
  const struct ts_op_view *gray = call->inputs[0];
  struct ts_kernel_threads threads = ts_pixels_threads(call);
  uint8_t *out = ts_pixels_plane(call);
  if (!out) return -1;
  ts_pixels_threshold(gray->data, gray->width, gray->height, (int)call->parameters[0]->integer, out, &threads);
  return 0;
}

const struct ts_op_descriptor ts_pixels_op_threshold = {PIXELS_OPERATION("threshold"),
                                                        .scratch_per_input_byte = 0.01,
                                                        .help = "marks the pixels that are darker than a value",
                                                        PIXELS_PORTS(threshold_in, threshold_out),
                                                        PIXELS_PARAMETERS(threshold_parameters),
                                                        .reach = TS_OP_REACH_PIXEL,
                                                        .run = run_threshold};
