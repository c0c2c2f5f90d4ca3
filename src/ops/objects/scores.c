/* The columns of scores.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ops/objects/scores.h"

#include "ops/objects/objects_int.h"

#include <string.h>

#define SCORE_NAME(column)           TS_OP_COLUMN("table", (column))
#define SCORE_COLUMN(column, member) SCORE_NAME(column)
#define SCORE_TERM(column, times)    TS_OP_TERM((column), (times))
#define SCORE_TERMS(...)                                                                                               \
  (const struct ts_op_term *const[]){__VA_ARGS__}, OBJECTS_COUNT(((const struct ts_op_term *const[]){__VA_ARGS__}))
#define SCORE_RATIO(column, ...)    TS_OP_RATIO(SCORE_NAME(column), __VA_ARGS__)
#define SCORE_VALUE(column, member) (double)c.member

const struct ts_op_column *const ts_scores_columns[TS_SCORES_COLUMNS] = {TS_COMPARE_LIST(SCORE_COLUMN)};
const struct ts_op_column *const ts_scores_counts[TS_SCORES_COUNTS] = {TS_COMPARE_LIST_OF_COUNTS(SCORE_NAME)};
const struct ts_op_column *const ts_scores_objects[TS_SCORES_OBJECTS] = {TS_COMPARE_LIST_OF_OBJECTS(SCORE_NAME)};
const struct ts_op_ratio *const ts_scores_ratios[TS_SCORES_RATIOS] = {
    TS_COMPARE_LIST_OF_RATIOS(SCORE_RATIO, SCORE_TERMS, SCORE_TERM)};

int ts_scores_write(struct ts_op_call *call, size_t port, const struct ts_tally *tally) {
  struct ts_comparison c;
  ts_comparison_score(tally, &c);
  const double row[] = {TS_COMPARE_LIST(SCORE_VALUE)};
  const char *names[TS_SCORES_COLUMNS];
  _Static_assert(OBJECTS_COUNT(row) == TS_SCORES_COLUMNS, "a value for every column");
  for (size_t i = 0; i < TS_SCORES_COLUMNS; i++) names[i] = ts_scores_columns[i]->name;
  double *cells = call->host->output_table(call, port, 1, TS_SCORES_COLUMNS, names);
  if (!cells) return -1;
  memcpy(cells, row, sizeof row);
  return 0;
}
