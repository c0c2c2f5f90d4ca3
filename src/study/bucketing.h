/* The buckets of a plan, for the command `plan`: how stages would be grouped for workers that do not share memory.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_STUDY_BUCKETING_H
#define TS_STUDY_BUCKETING_H

#include "plan/bucket.h"
#include "study/costs.h"

struct ts_bucketing {
  bool wanted;   /* false: tasks are shared by threads, there are no buckets */
  bool forecast; /* the request asks for a prediction, and the way to merge has no buckets */
  struct ts_task_costs costs;
  struct ts_plan_bucket_options options;
  struct ts_buckets buckets;
  const struct ts_stage_forecast *forecasts; /* borrowed from the buckets */
};

/* How stages are grouped for the workers of a request. */
bool ts_bucketing_options(struct ts_plan_bucket_options *options, struct session *s, const struct ts_plan *plan);
/* Reads the costs, and groups if the request asks for buckets. */
bool ts_bucketing_init(struct ts_bucketing *grouping, struct session *s, const struct ts_plan *plan);
void ts_bucketing_release(struct ts_bucketing *grouping);
/* Adds `buckets`, and with buckets `grouping`. */
void ts_bucketing_reply(const struct ts_bucketing *grouping, struct session *s, const struct ts_plan *plan,
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
bool ts_bucketing_wants_dag(const struct session *s, const struct ts_merger *merger);
/* Sets merger, keys and the number of buckets; the limits must be set. */
void ts_bucketing_choose(struct ts_plan_bucket_options *options, const struct session *s,
                         const struct ts_merger *merger);

/* plan_picture.c: the buckets of the most expensive stage, a panel for each way to merge. */
struct plan_picture;
/* NULL: the request asks for none, or, with a fault, there is nothing that could be drawn. */
struct plan_picture *ts_plan_picture_create(struct session *s, const struct ts_plan *plan,
                                            const struct ts_plan_bucket_options *options);
void ts_plan_picture_destroy(struct plan_picture *picture);
void ts_plan_picture_add(struct plan_picture *picture, const struct ts_plan_bucket_options *options,
                         const struct ts_buckets *buckets, const struct ts_stage_forecast *forecasts);
/* A way to merge that could not be done. */
void ts_plan_picture_refuse(struct plan_picture *picture, const char *name, const char *why);
bool ts_plan_picture_write(const struct plan_picture *picture, struct session *s);

/* plan_compare.c: a forecast per stage for a plan without buckets, every instance by itself. Owned result. */
struct ts_stage_forecast *ts_plan_forecast_alone(const struct ts_plan *plan,
                                                 const struct ts_plan_bucket_options *options);
/* plan_compare.c: adds `workers`, `cost` (its unit) and `compare`, one object for each way to merge; plan_s: CPU
 * seconds of the plan. picture may be NULL. */
bool ts_plan_compare(const struct ts_bucketing *grouping, struct session *s, const struct ts_plan *plan,
                     const struct parameter_sets *sets, double plan_s, struct plan_picture *picture, json_t *object);
/* Seconds per task of the workflow from a file {"segment.split": 0.4, ...}, in the session's arena; NULL: a fault. */
const double *ts_session_read_costs(struct session *s, const struct ts_plan *plan, const char *file);

#endif
