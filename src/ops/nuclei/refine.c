/* nuclei.refine: grows candidates to their full extent.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ops/nuclei/nuclei_int.h"

#include "kernels/nuclei.h"

static const struct ts_op_port *const refine_in[] = {
    NUCLEI_PLANE_PORT("diff", "image/gray8", "contrast above the background"),
    NUCLEI_PLANE_PORT("bw", "mask", "candidates"), NUCLEI_PLANE_PORT("rbc", "mask", "red blood cells")};
static const struct ts_op_port *const refine_out[] = {
    NUCLEI_PLANE_PORT("open", "mask", "nuclei, touching ones still joined")};
static const struct ts_op_parameter *const refine_parameters[] = {
    NUCLEI_INTEGER("G2", 0, 255, "contrast down to which a candidate grows")};

static int run_refine(struct ts_op_call *call) {
  const struct ts_op_view *diff = call->inputs[0];
  struct ts_error err = {0};
  struct ts_kernel_threads threads = ts_nuclei_threads(call);
  if (!ts_nuclei_same_size(call, 3)) return -1;
  uint8_t *out = ts_nuclei_plane(call, 0, 1);
  if (!out) return -1;
  bool ok = ts_nuclei_refine(diff->data, call->inputs[1]->data, call->inputs[2]->data, diff->width, diff->height,
                             (int)call->parameters[0]->integer, out, &threads, &err);
  return ts_nuclei_done(call, ok, &err);
}

const struct ts_op_descriptor ts_nuclei_op_refine = {
    NUCLEI_OPERATION("refine"),
    .scratch_per_input_byte = 0.3,
    .help = "grows candidates to their full extent, without red blood cells",
    NUCLEI_PORTS(refine_in, refine_out),
    NUCLEI_PARAMETERS(refine_parameters),
    .reach = TS_OP_REACH_TILE,
    .run = run_refine};
