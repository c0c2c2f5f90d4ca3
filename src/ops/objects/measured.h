/* What is measured at an object that may lie in several tiles: the columns, and the means of them.
 * SPDX-License-Identifier: Apache-2.0
 *
 * All features of kernels/features.h but those that depend on the edges of a whole plane, so that an object has the
 * same numbers to the bit wherever tiles cut it. */
#ifndef TS_OPS_OBJECTS_MEASURED_H
#define TS_OPS_OBJECTS_MEASURED_H

#include "kernels/features.h"
#include "tessera_op.h"

#define TS_MEASURED_LIST_OF_FORM(F) TS_FEATURE_LIST_OF_BOX(F), TS_FEATURE_LIST_OF_FORM(F)
#define TS_MEASURED_LIST_OF_CHANNELS(F)                                                                                \
  TS_FEATURE_LIST_OF_COUNTS(F, "red"), TS_FEATURE_LIST_OF_COUNTS(F, "green"), TS_FEATURE_LIST_OF_COUNTS(F, "blue")

enum {
  TS_MEASURED_ID, /* 1, 2, ... in the order of the objects' first pixels */
  TS_MEASURED_X,  /* the middle */
  TS_MEASURED_Y,
  TS_MEASURED_PLACE, /* how many of these there are */
  TS_MEASURED_COLUMNS = TS_MEASURED_PLACE + 5 + 6 + 3 * 14
};
extern const char *const ts_measured_names[TS_MEASURED_COLUMNS];

/* The columns of a row of kernels/features.h; the id stays as it is. */
void ts_measured_row(const double *features, double *row);
/* Makes the output "summary" of an operation: how many objects, and the means of what has one. */
int ts_measured_summary(struct ts_op_call *call, size_t port, const double *rows, size_t count);

/* The columns of "summary", for descriptors. */
#define TS_MEASURED_SUMMARY_NAME(name)           TS_OP_COLUMN("summary", (name))
#define TS_MEASURED_SUMMARY_COLUMN(column, name) TS_MEASURED_SUMMARY_NAME(name)
#define TS_MEASURED_SUMMARY_LIST                                                                                       \
  TS_MEASURED_SUMMARY_NAME("count"), TS_MEASURED_SUMMARY_NAME("area"),                                                 \
      TS_FEATURE_LIST_OF_FORM(TS_MEASURED_SUMMARY_COLUMN), TS_MEASURED_LIST_OF_CHANNELS(TS_MEASURED_SUMMARY_COLUMN)
enum { TS_MEASURED_SUMMARY_COLUMNS = 1 + 1 + 6 + 3 * 14 };
extern const struct ts_op_column *const ts_measured_summary_columns[TS_MEASURED_SUMMARY_COLUMNS];
extern const struct ts_op_column *const ts_measured_summary_counts[1];

#endif
