/* pixels.gray: colours to grey values.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ops/pixels/pixels_int.h"

#include "kernels/pixels.h"

static const struct ts_op_port *const gray_in[] = {PIXELS_PORT("image", "image/rgb8", "colours")};
static const struct ts_op_port *const gray_out[] = {PIXELS_PORT("gray", "image/gray8", "their luma")};

static int run_gray(struct ts_op_call *call) {
  const struct ts_op_view *image = call->inputs[0];
  struct ts_kernel_threads threads = ts_pixels_threads(call);
  uint8_t *out = ts_pixels_plane(call);
  if (!out) return -1;
  ts_pixels_gray(image->data, image->width, image->height, out, &threads);
  return 0;
}

const struct ts_op_descriptor ts_pixels_op_gray = {
    PIXELS_OPERATION("gray"),        .scratch_per_input_byte = 0.01, .help = "turns colours into grey values (luma)",
    PIXELS_PORTS(gray_in, gray_out), .reach = TS_OP_REACH_PIXEL,     .run = run_gray};
