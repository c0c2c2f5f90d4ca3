/* nuclei.red_cells: finds red blood cells, and tiles that hold no tissue.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ops/nuclei/nuclei_int.h"

#include "kernels/nuclei.h"

static const struct ts_op_port *const image_in[] = {NUCLEI_IMAGE_PORT("stained tissue")};
static const struct ts_op_port *const red_cells_out[] = {
    NUCLEI_PLANE_PORT("rbc", "mask", "red blood cells; everything, where the tile is background")};
static const struct ts_op_parameter *const red_cells_parameters[] = {
    NUCLEI_INTEGER("B", 0, 255, "blue above which a pixel may be background"),
    NUCLEI_INTEGER("G", 0, 255, "green above which a pixel may be background"),
    NUCLEI_INTEGER("R", 0, 255, "red above which a pixel may be background"),
    TS_OP_PARAMETER(.name = "T1", .type = TS_OP_REAL, .low = 0, .high = 1000,
                    .help = "red to green ratio that starts a red blood cell"),
    TS_OP_PARAMETER(.name = "T2", .type = TS_OP_REAL, .low = 0, .high = 1000,
                    .help = "red to green ratio that continues one")};

static int run_red_cells(struct ts_op_call *call) {
  const struct ts_op_view *image = call->inputs[0];
  const struct ts_op_value *const *p = call->parameters;
  struct ts_nuclei_red_cells_params params = {(int)p[0]->integer, (int)p[1]->integer, (int)p[2]->integer, p[3]->real,
                                              p[4]->real};
  enum ts_nuclei_status status;
  struct ts_error err = {0};
  struct ts_kernel_threads threads = ts_nuclei_threads(call);
  uint8_t *out = ts_nuclei_plane(call, 0, 1);
  if (!out) return -1;
  return ts_nuclei_done(
      call, ts_nuclei_red_cells(image->data, image->width, image->height, &params, out, &status, &threads, &err), &err);
}

const struct ts_op_descriptor ts_nuclei_op_red_cells = {NUCLEI_OPERATION("red_cells"),
                                                        .scratch_per_input_byte = 0.3,
                                                        .help = "finds red blood cells, and tiles that hold no tissue",
                                                        NUCLEI_PORTS(image_in, red_cells_out),
                                                        NUCLEI_PARAMETERS(red_cells_parameters),
                                                        .reach = TS_OP_REACH_TILE,
                                                        .run = run_red_cells};
