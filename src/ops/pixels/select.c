/* pixels.select: components by area and extent.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ops/pixels/pixels_int.h"

#include "base/error.h"
#include "kernels/pixels.h"

#define AREA_MAX   2147483647.0
#define EXTENT_MAX 1000000.0

static const struct ts_op_port *const select_in[] = {PIXELS_PORT("mask", "mask", "any objects")};
static const struct ts_op_port *const select_out[] = {PIXELS_PORT("mask", "mask", "those of the right size")};
static const struct ts_op_parameter *const select_parameters[] = {
    PIXELS_INTEGER("minArea", 0, AREA_MAX, "smallest area of an object, in pixels"),
    PIXELS_INTEGER("maxArea", 0, AREA_MAX, "largest area of an object, in pixels"),
    PIXELS_INTEGER("extent", 1, EXTENT_MAX, "largest width and height of an object, in pixels")};

static int run_select(struct ts_op_call *call) {
  const struct ts_op_view *mask = call->inputs[0];
  struct ts_error err = {0};
  struct ts_kernel_threads threads = ts_pixels_threads(call);
  uint8_t *out = ts_pixels_plane(call);
  if (!out) return -1;
  const struct ts_pixels_sizes sizes = {.min_area = call->parameters[0]->integer,
                                        .max_area = call->parameters[1]->integer,
                                        .extent = call->parameters[2]->integer};
  const bool ok = ts_pixels_select(mask->data, mask->width, mask->height, &sizes, out, &threads, &err);
  return ok ? 0 : call->host->fail(call, "%s", err.text);
}

const struct ts_op_descriptor ts_pixels_op_select = {PIXELS_OPERATION("select"),
                                                     .scratch_per_input_byte = 1.0,
                                                     .help = "keeps the objects within a range of areas and an extent",
                                                     PIXELS_PORTS(select_in, select_out),
                                                     PIXELS_PARAMETERS(select_parameters),
                                                     .reach = TS_OP_REACH_COMPONENT,
                                                     .radius_parameter = "extent",
                                                     .run = run_select};
