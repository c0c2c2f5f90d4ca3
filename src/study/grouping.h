/* The buckets of a plan, for `plan`: how stages would be grouped for workers that do not share memory.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_STUDY_GROUPING_H
#define TS_STUDY_GROUPING_H

#include "plan/bucket.h"
#include "study/study_int.h"

struct ts_grouping {
  bool wanted; /* false: tasks are shared by threads, there are no buckets */
  struct ts_plan_bucket_options options;
  struct ts_buckets buckets;
  const struct ts_stage_forecast *forecasts; /* borrowed from the buckets */
};

/* How the request wants stages grouped for its workers. */
bool ts_grouping_options(struct ts_plan_bucket_options *options, struct session *s, const struct ts_plan *plan);
/* Reads the costs and groups, if the request asks for buckets. */
bool ts_grouping_init(struct ts_grouping *grouping, struct session *s, const struct ts_plan *plan);
void ts_grouping_release(struct ts_grouping *grouping);
/* Adds `buckets`, and with buckets `grouping`; with --compare also `compare`. */
bool ts_grouping_reply(const struct ts_grouping *grouping, struct session *s, const struct ts_plan *plan,
                       json_t *object);
/* Seconds per task of the workflow from a file {"segment.split": 0.4, ...}, in the session's arena; NULL: a fault. */
const double *ts_session_read_costs(struct session *s, const struct ts_plan *plan, const char *file);

#endif
