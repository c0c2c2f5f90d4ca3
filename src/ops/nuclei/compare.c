/* nuclei.compare: scores against a reference, as a table.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ops/nuclei/nuclei_int.h"

#include "kernels/compare.h"

#include <string.h>

static const struct ts_op_port *const compare_in[] = {
    TS_OP_PORT(.name = "mask", .type = "mask|labels", .help = "what was found"),
    TS_OP_PORT(.name = "reference", .type = "mask|labels", .help = "what should have been found")};
static const struct ts_op_port *const compare_out[] = {
    TS_OP_PORT(.name = "table", .type = "table", .help = "one row of scores")};

static struct ts_compare_plane plane_of(const struct ts_op_view *view) {
  struct ts_compare_plane plane = {.width = view->width, .height = view->height};
  if (view->element == TS_OP_U32)
    plane.labels = view->data;
  else
    plane.mask = view->data;
  return plane;
}

#define COMPARE_NAME(column)           TS_OP_COLUMN("table", (column))
#define COMPARE_COLUMN(column, member) COMPARE_NAME(column)
#define COMPARE_TERM(column, times)    TS_OP_TERM((column), (times))
#define COMPARE_TERMS(...)                                                                                             \
  (const struct ts_op_term *const[]){__VA_ARGS__}, NUCLEI_COUNT(((const struct ts_op_term *const[]){__VA_ARGS__}))
#define COMPARE_RATIO(column, ...) TS_OP_RATIO(COMPARE_NAME(column), __VA_ARGS__)
static const struct ts_op_column *const compare_columns[] = {TS_COMPARE_LIST(COMPARE_COLUMN)};
static const struct ts_op_column *const compare_counts[] = {TS_COMPARE_LIST_OF_COUNTS(COMPARE_NAME)};
static const struct ts_op_column *const compare_objects[] = {TS_COMPARE_LIST_OF_OBJECTS(COMPARE_NAME)};
static const struct ts_op_ratio *const compare_ratios[] = {
    TS_COMPARE_LIST_OF_RATIOS(COMPARE_RATIO, COMPARE_TERMS, COMPARE_TERM)};

static int run_compare(struct ts_op_call *call) {
  struct ts_compare_plane found = plane_of(call->inputs[0]);
  struct ts_compare_plane reference = plane_of(call->inputs[1]);
  struct ts_comparison c;
  struct ts_error err = {0};
  struct ts_kernel_threads threads = ts_nuclei_threads(call);
  if (!ts_compare(&found, &reference, &c, &threads, &err)) return ts_nuclei_done(call, false, &err);
#define COMPARE_VALUE(column, member) (double)c.member
  const double row[] = {TS_COMPARE_LIST(COMPARE_VALUE)};
  const char *names[NUCLEI_COUNT(compare_columns)];
  _Static_assert(sizeof row / sizeof *row == NUCLEI_COUNT(names), "a value for every column");
  for (size_t i = 0; i < NUCLEI_COUNT(names); i++) names[i] = compare_columns[i]->name;
  double *cells = call->host->output_table(call, 0, 1, NUCLEI_COUNT(names), names);
  if (!cells) return -1;
  memcpy(cells, row, sizeof row);
  return 0;
}

const struct ts_op_descriptor ts_nuclei_op_compare = {
    NUCLEI_OPERATION_OF("compare", 3),
    .scratch_per_input_byte = 0.5,
    .help = "compares nuclei with a reference: pixels, objects at IoU 0.5, aggregated Jaccard, panoptic quality",
    .inputs = compare_in,
    .input_count = NUCLEI_COUNT(compare_in),
    .outputs = compare_out,
    .output_count = NUCLEI_COUNT(compare_out),
    .reach = TS_OP_REACH_TILE,
    .run = run_compare,
    .columns = compare_columns,
    .column_count = NUCLEI_COUNT(compare_columns),
    .ratios = compare_ratios,
    .ratio_count = NUCLEI_COUNT(compare_ratios),
    .counts = compare_counts,
    .counts_count = NUCLEI_COUNT(compare_counts),
    .objects = compare_objects,
    .objects_count = NUCLEI_COUNT(compare_objects)};
