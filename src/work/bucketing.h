/* The buckets of a plan, for the command `plan`: how stages would be grouped for workers that do not share memory.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_WORK_BUCKETING_H
#define TS_WORK_BUCKETING_H

#include "plan/bucket.h"
#include "work/costs.h"

struct ts_bucketing {
  bool wanted;   /* false: tasks are shared by threads, there are no buckets */
  bool forecast; /* the request asks for a prediction, and the way to merge has no buckets */
  struct ts_task_costs costs;
  struct ts_plan_bucket_options options;
  struct ts_buckets buckets;
  const struct ts_stage_forecast *forecasts; /* borrowed from the buckets */
};

/* How stages are grouped for the workers of a request. */
bool ts_bucketing_options(struct ts_plan_bucket_options *options, struct ts_work *work, const struct ts_plan *plan,
                          struct ts_issues *issues);
/* Reads the costs, and groups if the request asks for buckets. */
bool ts_bucketing_init(struct ts_bucketing *grouping, struct ts_work *work, const struct ts_plan *plan,
                       struct ts_issues *issues);
void ts_bucketing_release(struct ts_bucketing *grouping);
/* Adds `buckets`, and with buckets `grouping`. */
void ts_bucketing_reply(const struct ts_bucketing *grouping, struct ts_work *work, const struct ts_plan *plan,
                        json_t *object);

/* Over all stages, one after another. */
struct ts_bucketing_totals {
  double imbalance; /* the greatest of a stage */
  double makespan, lower_bound;
  size_t buckets; /* per tile, file or dataset */
};
struct ts_bucketing_totals ts_bucketing_add_up(const struct ts_plan *plan, const struct ts_stage_forecast *forecasts,
                                               size_t workers);
/* The keys that the request names for this way to merge, or the default ones. */
bool ts_bucketing_wants_dag(const struct ts_request *request, const struct ts_merger *merger);
/* Sets merger, keys and the number of buckets; the limits must be set. */
void ts_bucketing_choose(struct ts_plan_bucket_options *options, const struct ts_request *request,
                         const struct ts_merger *merger);

/* A forecast per stage for a plan without buckets, every instance by itself. Owned result. */
struct ts_stage_forecast *ts_plan_forecast_alone(const struct ts_plan *plan,
                                                 const struct ts_plan_bucket_options *options);
/* cost_file.c: seconds per task of the workflow from a file {"segment.split": 0.4, ...}, in the arena of the work;
 * NULL: a fault. */
const double *ts_cost_file_read(struct ts_work *work, const struct ts_plan *plan, const char *file,
                                struct ts_issues *issues);

#endif
