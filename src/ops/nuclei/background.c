/* nuclei.background: estimates the background of the inverted red channel.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ops/nuclei/nuclei_int.h"

#include "base/block.h"
#include "kernels/nuclei.h"

static const struct ts_op_port *const image_in[] = {NUCLEI_IMAGE_PORT("stained tissue")};
static const struct ts_op_port *const background_out[] = {
    NUCLEI_PLANE_PORT("rc", "image/gray8", "inverted red channel"),
    NUCLEI_PLANE_PORT("recon", "image/gray8", "its background")};
static const struct ts_op_parameter *const background_parameters[] = {
    NUCLEI_CONNECTIVITY("RC", "neighbours in the reconstruction of the background")};

static int run_background(struct ts_op_call *call) {
  const struct ts_op_view *image = call->inputs[0];
  struct ts_error err = {0};
  struct ts_kernel_threads threads = ts_nuclei_threads(call);
  uint8_t *rc = ts_nuclei_plane(call, 0, 1);
  uint8_t *recon = ts_nuclei_plane(call, 1, 1);
  uint8_t *opened = ts_block_take((size_t)image->width * (size_t)image->height + 1);
  if (!rc || !recon || !opened) {
    ts_block_give(opened);
    return call->host->fail(call, "not enough memory for the background of the tile");
  }
  bool ok = ts_nuclei_background(image->data, image->width, image->height, (int)call->parameters[0]->integer, rc,
                                 opened, recon, &threads, &err);
  ts_block_give(opened);
  return ts_nuclei_done(call, ok, &err);
}

const struct ts_op_descriptor ts_nuclei_op_background = {NUCLEI_OPERATION("background"),
                                                         .scratch_per_input_byte = 1.1,
                                                         .help = "estimates the background of the inverted red channel",
                                                         NUCLEI_PORTS(image_in, background_out),
                                                         NUCLEI_PARAMETERS(background_parameters),
                                                         .reach = TS_OP_REACH_TILE,
                                                         .run = run_background};
