/* nuclei.stain: how a slide is coloured, as a table; nuclei.normalise_slide takes it for all tiles of the slide.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ops/nuclei/nuclei_int.h"

#include "kernels/nuclei.h"

static const struct ts_op_port *const image_in[] = {NUCLEI_IMAGE_PORT("a slide, or a sample of it")};
static const struct ts_op_port *const stain_out[] = {
    TS_OP_PORT(.name = "colours", .type = "table", .help = "one row: their mean and spread")};

#define STAIN_COLUMN(name) TS_OP_COLUMN("colours", (name))
static const struct ts_op_column *const stain_columns[NUCLEI_STAIN_COLUMNS] = {NUCLEI_STAIN_LIST(STAIN_COLUMN)};

static int run_stain(struct ts_op_call *call) {
  const struct ts_op_view *image = call->inputs[0];
  struct ts_error err = {0};
  struct ts_nuclei_stain stain;
  struct ts_kernel_threads threads = ts_nuclei_threads(call);
  if (!ts_nuclei_measure_stain(image->data, image->width, image->height, &stain, &threads, &err))
    return ts_nuclei_done(call, false, &err);
  const char *names[NUCLEI_STAIN_COLUMNS];
  for (size_t i = 0; i < NUCLEI_STAIN_COLUMNS; i++) names[i] = stain_columns[i]->name;
  double *cells = call->host->output_table(call, 0, 1, NUCLEI_STAIN_COLUMNS, names);
  if (!cells) return -1;
  cells[0] = (double)stain.count;
  for (int i = 0; i < 3; i++) cells[1 + i] = stain.mean[i];
  for (int i = 0; i < 3; i++) cells[4 + i] = stain.std[i];
  return 0;
}

const struct ts_op_descriptor ts_nuclei_op_stain = {NUCLEI_OPERATION("stain"),
                                                    .scratch_per_input_byte = 0.05,
                                                    .help = "measures the colours of the tissue of a slide",
                                                    NUCLEI_PORTS(image_in, stain_out),
                                                    .reach = TS_OP_REACH_TILE,
                                                    .run = run_stain,
                                                    .columns = stain_columns,
                                                    .column_count = NUCLEI_STAIN_COLUMNS};
