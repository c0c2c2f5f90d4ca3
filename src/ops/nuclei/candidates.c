/* nuclei.candidates: marks what stands out from the background.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ops/nuclei/nuclei_int.h"

#include "kernels/nuclei.h"

static const struct ts_op_port *const candidates_in[] = {NUCLEI_PLANE_PORT("rc", "image/gray8", "inverted red channel"),
                                                         NUCLEI_PLANE_PORT("recon", "image/gray8", "its background")};
static const struct ts_op_port *const candidates_out[] = {
    NUCLEI_PLANE_PORT("diff", "image/gray8", "contrast above the background"),
    NUCLEI_PLANE_PORT("bw", "mask", "candidate nuclei")};
static const struct ts_op_parameter *const candidates_parameters[] = {
    NUCLEI_CONNECTIVITY("FH", "neighbours when holes are filled"),
    NUCLEI_INTEGER("G1", 0, 255, "contrast that starts a candidate nucleus")};

static int run_candidates(struct ts_op_call *call) {
  const struct ts_op_view *rc = call->inputs[0];
  struct ts_error err = {0};
  struct ts_kernel_threads threads = ts_nuclei_threads(call);
  if (!ts_nuclei_same_size(call, 2)) return -1;
  uint8_t *diff = ts_nuclei_plane(call, 0, 1);
  uint8_t *bw = ts_nuclei_plane(call, 1, 1);
  if (!diff || !bw) return -1;
  bool ok =
      ts_nuclei_candidates(rc->data, call->inputs[1]->data, rc->width, rc->height, (int)call->parameters[0]->integer,
                           (int)call->parameters[1]->integer, diff, bw, &threads, &err);
  return ts_nuclei_done(call, ok, &err);
}

const struct ts_op_descriptor ts_nuclei_op_candidates = {
    NUCLEI_OPERATION("candidates"),
    .scratch_per_input_byte = 1.0,
    .help = "marks what stands out from the background as candidate nuclei",
    NUCLEI_PORTS(candidates_in, candidates_out),
    NUCLEI_PARAMETERS(candidates_parameters),
    .reach = TS_OP_REACH_TILE,
    .run = run_candidates};
