/* pixels.smooth: means over squares.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ops/pixels/pixels_int.h"

#include "base/error.h"
#include "kernels/pixels.h"

static const struct ts_op_port *const smooth_in[] = {PIXELS_PORT("gray", "image/gray8", "grey values")};
static const struct ts_op_port *const smooth_out[] = {PIXELS_PORT("gray", "image/gray8", "their means")};
static const struct ts_op_parameter *const smooth_parameters[] = {PIXELS_INTEGER(
    "radius", 0, TS_PIXELS_RADIUS_MAX, "the mean is over this many pixels in each direction, in pixels; 0: unchanged")};

static int run_smooth(struct ts_op_call *call) {
  const struct ts_op_view *gray = call->inputs[0];
  struct ts_error err = {0};
  struct ts_kernel_threads threads = ts_pixels_threads(call);
  uint8_t *out = ts_pixels_plane(call);
  if (!out) return -1;
  const int radius = (int)call->parameters[0]->integer;
  const bool ok = ts_pixels_smooth(gray->data, gray->width, gray->height, radius, out, &threads, &err);
  return ok ? 0 : call->host->fail(call, "%s", err.text);
}

const struct ts_op_descriptor ts_pixels_op_smooth = {PIXELS_OPERATION("smooth"),
                                                     .scratch_per_input_byte = 0.1,
                                                     .help = "smooths grey values: the mean over a square",
                                                     PIXELS_PORTS(smooth_in, smooth_out),
                                                     PIXELS_PARAMETERS(smooth_parameters),
                                                     .reach = TS_OP_REACH_RADIUS,
                                                     .radius_parameter = "radius",
                                                     .run = run_smooth};
