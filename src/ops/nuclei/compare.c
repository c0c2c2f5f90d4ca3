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

#define COMPARE_COLUMN(column) TS_OP_COLUMN("table", (column))
/* Pixels and objects; then the terms of the scores. */
static const struct ts_op_column *const compare_columns[] = {
    COMPARE_COLUMN("diff"),        COMPARE_COLUMN("reference_px"),  COMPARE_COLUMN("dice"),
    COMPARE_COLUMN("jaccard"),     COMPARE_COLUMN("found"),         COMPARE_COLUMN("reference"),
    COMPARE_COLUMN("matched"),     COMPARE_COLUMN("precision"),     COMPARE_COLUMN("recall"),
    COMPARE_COLUMN("f1"),          COMPARE_COLUMN("aji"),           COMPARE_COLUMN("pq"),
    COMPARE_COLUMN("found_px"),    COMPARE_COLUMN("both_px"),       COMPARE_COLUMN("iou_sum"),
    COMPARE_COLUMN("aji_both_px"), COMPARE_COLUMN("aji_joined_px"), COMPARE_COLUMN("pixel_precision"),
    COMPARE_COLUMN("pixel_recall")};

/* All other counts are terms of ratios. */
static const struct ts_op_column *const compare_counts[] = {COMPARE_COLUMN("diff")};
static const struct ts_op_column *const compare_objects[] = {
    COMPARE_COLUMN("found"),       COMPARE_COLUMN("reference"),    COMPARE_COLUMN("matched"),
    COMPARE_COLUMN("precision"),   COMPARE_COLUMN("recall"),       COMPARE_COLUMN("f1"),
    COMPARE_COLUMN("aji"),         COMPARE_COLUMN("pq"),           COMPARE_COLUMN("iou_sum"),
    COMPARE_COLUMN("aji_both_px"), COMPARE_COLUMN("aji_joined_px")};

#define COMPARE_TERMS(...)                                                                                             \
  (const struct ts_op_term *const[]){__VA_ARGS__}, NUCLEI_COUNT(((const struct ts_op_term *const[]){__VA_ARGS__}))
/* PQ is the sum of IoU over matched + unmatched / 2; with found = matched + false ones and reference = matched + missed
 * ones that is twice the sum over found + reference. */
static const struct ts_op_ratio *const compare_ratios[] = {
    TS_OP_RATIO(COMPARE_COLUMN("dice"), COMPARE_TERMS(TS_OP_TERM("both_px", 2)),
                COMPARE_TERMS(TS_OP_TERM("found_px", 1), TS_OP_TERM("reference_px", 1))),
    TS_OP_RATIO(COMPARE_COLUMN("jaccard"), COMPARE_TERMS(TS_OP_TERM("both_px", 1)),
                COMPARE_TERMS(TS_OP_TERM("found_px", 1), TS_OP_TERM("reference_px", 1), TS_OP_TERM("both_px", -1))),
    TS_OP_RATIO(COMPARE_COLUMN("pixel_precision"), COMPARE_TERMS(TS_OP_TERM("both_px", 1)),
                COMPARE_TERMS(TS_OP_TERM("found_px", 1))),
    TS_OP_RATIO(COMPARE_COLUMN("pixel_recall"), COMPARE_TERMS(TS_OP_TERM("both_px", 1)),
                COMPARE_TERMS(TS_OP_TERM("reference_px", 1))),
    TS_OP_RATIO(COMPARE_COLUMN("precision"), COMPARE_TERMS(TS_OP_TERM("matched", 1)),
                COMPARE_TERMS(TS_OP_TERM("found", 1))),
    TS_OP_RATIO(COMPARE_COLUMN("recall"), COMPARE_TERMS(TS_OP_TERM("matched", 1)),
                COMPARE_TERMS(TS_OP_TERM("reference", 1))),
    TS_OP_RATIO(COMPARE_COLUMN("f1"), COMPARE_TERMS(TS_OP_TERM("matched", 2)),
                COMPARE_TERMS(TS_OP_TERM("found", 1), TS_OP_TERM("reference", 1))),
    TS_OP_RATIO(COMPARE_COLUMN("aji"), COMPARE_TERMS(TS_OP_TERM("aji_both_px", 1)),
                COMPARE_TERMS(TS_OP_TERM("aji_joined_px", 1))),
    TS_OP_RATIO(COMPARE_COLUMN("pq"), COMPARE_TERMS(TS_OP_TERM("iou_sum", 2)),
                COMPARE_TERMS(TS_OP_TERM("found", 1), TS_OP_TERM("reference", 1)))};

static int run_compare(struct ts_op_call *call) {
  struct ts_compare_plane found = plane_of(call->inputs[0]);
  struct ts_compare_plane reference = plane_of(call->inputs[1]);
  struct ts_comparison c;
  struct ts_error err = {0};
  struct ts_kernel_threads threads = ts_nuclei_threads(call);
  if (!ts_compare(&found, &reference, &c, &threads, &err)) return ts_nuclei_done(call, false, &err);
  const double row[] = {(double)c.differing_px,
                        (double)c.reference_px,
                        c.dice,
                        c.jaccard,
                        (double)c.found_objects,
                        (double)c.reference_objects,
                        (double)c.matched_objects,
                        c.precision,
                        c.recall,
                        c.f1,
                        c.aggregated_jaccard,
                        c.panoptic_quality,
                        (double)c.found_px,
                        (double)c.both_px,
                        c.iou_sum,
                        (double)c.aji_both_px,
                        (double)c.aji_joined_px,
                        c.pixel_precision,
                        c.pixel_recall};
  const char *names[NUCLEI_COUNT(compare_columns)];
  _Static_assert(sizeof row / sizeof *row == NUCLEI_COUNT(names), "a value for every column");
  for (size_t i = 0; i < NUCLEI_COUNT(names); i++) names[i] = compare_columns[i]->name;
  double *cells = call->host->output_table(call, 0, 1, NUCLEI_COUNT(names), names);
  if (!cells) return -1;
  memcpy(cells, row, sizeof row);
  return 0;
}

const struct ts_op_descriptor ts_nuclei_op_compare = {
    NUCLEI_OPERATION_OF("compare", 2),
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
