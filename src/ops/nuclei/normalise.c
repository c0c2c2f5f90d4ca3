/* nuclei.normalise, nuclei.normalise_slide: bring the colours of the tissue to those of a target slide.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ops/nuclei/nuclei_int.h"

#include "kernels/nuclei.h"

#include <math.h>
#include <string.h>

static const struct ts_op_port *const image_in[] = {NUCLEI_IMAGE_PORT("stained tissue")};
static const struct ts_op_port *const slide_in[] = {
    NUCLEI_IMAGE_PORT("stained tissue"),
    TS_OP_PORT(.name = "colours", .type = "table", .help = "those of the whole slide, as nuclei.stain measures them")};
static const struct ts_op_port *const image_out[] = {NUCLEI_IMAGE_PORT("the same with the colours of the target")};

/* stain: NULL for that of the tile. */
static int normalise(struct ts_op_call *call, const struct ts_nuclei_stain *stain) {
  const struct ts_op_view *image = call->inputs[0];
  struct ts_error err = {0};
  struct ts_kernel_threads threads = ts_nuclei_threads(call);
  uint8_t *out = ts_nuclei_plane(call, 0, 3);
  if (!out) return -1;
  bool ok = ts_nuclei_normalise(image->data, image->width, image->height, &ts_nuclei_default_target, stain, out,
                                &threads, &err);
  return ts_nuclei_done(call, ok, &err);
}

static int run_normalise(struct ts_op_call *call) { return normalise(call, NULL); }

#define STAIN_NAME(name) name
static const char *const stain_names[NUCLEI_STAIN_COLUMNS] = {NUCLEI_STAIN_LIST(STAIN_NAME)};

/* Numbers that nuclei.stain can have written. */
static bool read_stain(const struct ts_op_view *view, struct ts_nuclei_stain *stain) {
  bool ok = view->rows == 1 && view->columns == NUCLEI_STAIN_COLUMNS;
  for (size_t i = 0; ok && i < NUCLEI_STAIN_COLUMNS; i++)
    ok = strcmp(view->names[i], stain_names[i]) == 0 && isfinite(view->cells[i]);
  if (!ok || view->cells[0] < 0 || view->cells[0] > (double)INT64_MAX / 2) return false;
  stain->count = (int64_t)view->cells[0];
  for (int i = 0; i < 3; i++) stain->mean[i] = view->cells[1 + i];
  for (int i = 0; i < 3; i++) stain->std[i] = view->cells[4 + i];
  return true;
}

static int run_normalise_slide(struct ts_op_call *call) {
  struct ts_nuclei_stain stain;
  if (!read_stain(call->inputs[1], &stain))
    return call->host->fail(call, "its input 'colours' is not a table of slide colours");
  return normalise(call, &stain);
}

const struct ts_op_descriptor ts_nuclei_op_normalise = {
    NUCLEI_OPERATION("normalise"),
    .scratch_per_input_byte = 0.05,
    .help = "brings the colours of the tissue in a tile to those of a target slide",
    NUCLEI_PORTS(image_in, image_out),
    .reach = TS_OP_REACH_TILE,
    .run = run_normalise};

const struct ts_op_descriptor ts_nuclei_op_normalise_slide = {
    NUCLEI_OPERATION("normalise_slide"),
    .scratch_per_input_byte = 0.05,
    .help = "brings the colours of a slide to those of a target slide, equally in all its tiles",
    NUCLEI_PORTS(slide_in, image_out),
    .reach = TS_OP_REACH_PIXEL,
    .run = run_normalise_slide};
