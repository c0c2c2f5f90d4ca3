/* nuclei.final_size: keeps nuclei within an area range and fills their holes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ops/nuclei/nuclei_int.h"

#include "kernels/nuclei.h"

static const struct ts_op_port *const final_in[] = {NUCLEI_PLANE_PORT("split", "mask", "separated nuclei")};
static const struct ts_op_port *const final_out[] = {NUCLEI_PLANE_PORT("mask", "mask", "nuclei")};
static const struct ts_op_parameter *const final_parameters[] = {
    NUCLEI_INTEGER("minSizeSeg", 0, NUCLEI_SIZE_MAX, "smallest area of a nucleus, in pixels"),
    NUCLEI_INTEGER("maxSizeSeg", 0, NUCLEI_SIZE_MAX, "area from which a nucleus is too large, in pixels"),
    NUCLEI_CONNECTIVITY("FH", "neighbours when holes are filled")};

static int run_final_size(struct ts_op_call *call) {
  const struct ts_op_view *split = call->inputs[0];
  const struct ts_op_value *const *p = call->parameters;
  struct ts_error err = {0};
  struct ts_kernel_threads threads = ts_nuclei_threads(call);
  uint8_t *out = ts_nuclei_plane(call, 0, 1);
  if (!out) return -1;
  bool ok = ts_nuclei_final_size(split->data, split->width, split->height, p[0]->integer, p[1]->integer,
                                 (int)p[2]->integer, out, &threads, &err);
  return ts_nuclei_done(call, ok, &err);
}

const struct ts_op_descriptor ts_nuclei_op_final_size = {NUCLEI_OPERATION("final_size"),
                                                         .scratch_per_input_byte = 0.5,
                                                         .help =
                                                             "keeps nuclei within an area range and fills their holes",
                                                         NUCLEI_PORTS(final_in, final_out),
                                                         NUCLEI_PARAMETERS(final_parameters),
                                                         .reach = TS_OP_REACH_TILE,
                                                         .run = run_final_size};
