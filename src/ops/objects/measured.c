/* The columns of measured objects.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ops/objects/measured.h"

#include "ops/objects/objects_int.h"

#include <math.h>

#define NAME(column, name) name
const char *const ts_measured_names[TS_MEASURED_COLUMNS] = {"id", "x", "y", TS_MEASURED_LIST_OF_FORM(NAME),
                                                            TS_MEASURED_LIST_OF_CHANNELS(NAME)};

/* Where each column is in a row of features. */
#define FORM_PLACE(column, name)  TS_FEATURE_##column
#define RED_PLACE(column, name)   (TS_FEATURES_SHAPE + TS_FEATURE_##column)
#define GREEN_PLACE(column, name) (TS_FEATURES_SHAPE + TS_FEATURES_CHANNEL + TS_FEATURE_##column)
#define BLUE_PLACE(column, name)  (TS_FEATURES_SHAPE + 2 * TS_FEATURES_CHANNEL + TS_FEATURE_##column)
static const int places[] = {TS_FEATURE_LABEL,
                             TS_FEATURE_CENTROID_X,
                             TS_FEATURE_CENTROID_Y,
                             TS_MEASURED_LIST_OF_FORM(FORM_PLACE),
                             TS_FEATURE_LIST_OF_COUNTS(RED_PLACE, ""),
                             TS_FEATURE_LIST_OF_COUNTS(GREEN_PLACE, ""),
                             TS_FEATURE_LIST_OF_COUNTS(BLUE_PLACE, "")};
_Static_assert(OBJECTS_COUNT(places) == TS_MEASURED_COLUMNS, "a place for every column");
_Static_assert(sizeof((const char *[]){TS_MEASURED_LIST_OF_FORM(NAME), TS_MEASURED_LIST_OF_CHANNELS(NAME)}) ==
                   (TS_MEASURED_COLUMNS - TS_MEASURED_PLACE) * sizeof(const char *),
               "a name for every column");

void ts_measured_row(const double *features, double *row) {
  for (size_t i = TS_MEASURED_X; i < TS_MEASURED_COLUMNS; i++) row[i] = features[places[i]];
}

/* ---- Means. Places have none. ---- */

const struct ts_op_column *const ts_measured_summary_columns[TS_MEASURED_SUMMARY_COLUMNS] = {TS_MEASURED_SUMMARY_LIST};
const struct ts_op_column *const ts_measured_summary_counts[1] = {TS_MEASURED_SUMMARY_NAME("count")};

static bool has_a_mean(int place) { return place == TS_FEATURE_AREA || place >= TS_FEATURE_MAJOR_AXIS; }

/* One pass over the rows, which are far larger than a cache; the sum of each column in the order of the objects. */
int ts_measured_summary(struct ts_op_call *call, size_t port, const double *rows, size_t count) {
  const char *names[TS_MEASURED_SUMMARY_COLUMNS];
  double sums[TS_MEASURED_COLUMNS] = {0};
  for (size_t i = 0; i < TS_MEASURED_SUMMARY_COLUMNS; i++) names[i] = ts_measured_summary_columns[i]->name;
  double *cells = call->host->output_table(call, port, 1, TS_MEASURED_SUMMARY_COLUMNS, names);
  if (!cells) return -1;
  for (size_t r = 0; r < count; r++)
    for (size_t c = TS_MEASURED_PLACE; c < TS_MEASURED_COLUMNS; c++) sums[c] += rows[r * TS_MEASURED_COLUMNS + c];
  *cells++ = (double)count;
  for (size_t c = TS_MEASURED_PLACE; c < TS_MEASURED_COLUMNS; c++)
    if (has_a_mean(places[c])) *cells++ = count > 0 ? sums[c] / (double)count : NAN; /* 0 would pull means down */
  return 0;
}
