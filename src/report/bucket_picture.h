/* A picture of buckets: the reuse tree of a stage as an icicle, column by column as workers would run it.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A panel for each way to merge, one below the other. Columns are the distinct runs of the stage, bucket after bucket;
 * a row is a task; a box is one computation, as wide as the runs it serves. Its colour says whether it serves one run
 * or several, whether another bucket has computed it too, and the bars below say what each bucket costs. Boxes too thin
 * to tell apart are drawn together, so the size of the file does not grow with the number of runs. */
#ifndef TS_REPORT_BUCKET_PICTURE_H
#define TS_REPORT_BUCKET_PICTURE_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TS_BUCKET_PICTURE_PX 1240.0

struct ts_bucket_panel {
  const char *name;     /* borrowed: "rtma, chain keys" */
  const char *refused;  /* borrowed: why there are no buckets; NULL: there are */
  size_t bucket_count;  /* each with at least one column */
  const size_t *sizes;  /* borrowed: columns of each bucket, from left to right */
  const double *costs;  /* borrowed: of each bucket */
  const uint32_t *keys; /* borrowed: column after column, one for each task, below key_count; equal: the same task */
  size_t key_count;
  double imbalance, makespan, lower_bound; /* of the stage */
};

struct ts_bucket_picture {
  const char *title;        /* borrowed: of the whole picture */
  const char *subtitle;     /* borrowed */
  const char *const *tasks; /* borrowed: names, in the order of the keys */
  size_t task_count;
  bool seconds;                         /* costs are; otherwise tasks */
  size_t workers;                       /* of the makespans */
  const struct ts_bucket_panel *panels; /* borrowed */
  size_t panel_count;
};

/* Appends a whole SVG document. */
void ts_draw_buckets(struct ts_str *out, const struct ts_bucket_picture *picture);

#endif
