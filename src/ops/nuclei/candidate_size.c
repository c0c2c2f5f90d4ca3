/* nuclei.candidate_size: keeps candidates within an area range.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ops/nuclei/nuclei_int.h"

#include "kernels/nuclei.h"

static const struct ts_op_port *const bw_in[] = {NUCLEI_PLANE_PORT("bw", "mask", "candidate nuclei")};
static const struct ts_op_port *const bw_out[] = {NUCLEI_PLANE_PORT("bw", "mask", "candidates of the right size")};
static const struct ts_op_parameter *const candidate_size_parameters[] = {
    NUCLEI_INTEGER("minSize", 0, NUCLEI_SIZE_MAX, "smallest area of a candidate, in pixels"),
    NUCLEI_INTEGER("maxSize", 0, NUCLEI_SIZE_MAX, "area from which a candidate is too large, in pixels")};

static int run_candidate_size(struct ts_op_call *call) {
  const struct ts_op_view *bw = call->inputs[0];
  struct ts_error err = {0};
  struct ts_kernel_threads threads = ts_nuclei_threads(call);
  uint8_t *out = ts_nuclei_plane(call, 0, 1);
  if (!out) return -1;
  bool ok = ts_nuclei_candidate_size(bw->data, bw->width, bw->height, call->parameters[0]->integer,
                                     call->parameters[1]->integer, out, &threads, &err);
  return ts_nuclei_done(call, ok, &err);
}

const struct ts_op_descriptor ts_nuclei_op_candidate_size = {NUCLEI_OPERATION("candidate_size"),
                                                             .scratch_per_input_byte = 1.0,
                                                             .help = "keeps candidates within an area range",
                                                             NUCLEI_PORTS(bw_in, bw_out),
                                                             NUCLEI_PARAMETERS(candidate_size_parameters),
                                                             .reach = TS_OP_REACH_COMPONENT,
                                                             .run = run_candidate_size};
