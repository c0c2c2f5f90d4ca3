/* nuclei.normalise: brings the colours of the tissue to those of a target slide.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ops/nuclei/nuclei_int.h"

#include "kernels/nuclei.h"

static const struct ts_op_port *const image_in[] = {NUCLEI_IMAGE_PORT("stained tissue")};
static const struct ts_op_port *const image_out[] = {NUCLEI_IMAGE_PORT("the same with the colours of the target")};

static int run_normalise(struct ts_op_call *call) {
  const struct ts_op_view *image = call->inputs[0];
  struct ts_error err = {0};
  struct ts_kernel_threads threads = ts_nuclei_threads(call);
  uint8_t *out = ts_nuclei_plane(call, 0, 3);
  if (!out) return -1;
  bool ok =
      ts_nuclei_normalise(image->data, image->width, image->height, &ts_nuclei_default_target, out, &threads, &err);
  return ts_nuclei_done(call, ok, &err);
}

const struct ts_op_descriptor ts_nuclei_op_normalise = {
    NUCLEI_OPERATION("normalise"),
    .scratch_per_input_byte = 0.05,
    .help = "brings the colours of the tissue to those of a target slide",
    NUCLEI_PORTS(image_in, image_out),
    .reach = TS_OP_REACH_TILE,
    .run = run_normalise};
