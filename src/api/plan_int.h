/* Shared by the files of `plan`: the comparison of all ways to merge, and its picture.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_API_PLAN_INT_H
#define TS_API_PLAN_INT_H

#include "study/course.h"
#include "study/sets.h"
#include "work/bucketing.h"

/* plan_picture.c: the buckets of the most expensive stage, a panel for each way to merge. */
struct plan_picture;
/* NULL: the request asks for none, or, with a fault, there is nothing that could be drawn. */
struct plan_picture *ts_plan_picture_create(const struct ts_project *project, const struct ts_plan *plan,
                                            const struct ts_plan_bucket_options *options, struct ts_issues *issues);
void ts_plan_picture_destroy(struct plan_picture *picture);
void ts_plan_picture_add(struct plan_picture *picture, const struct ts_plan_bucket_options *options,
                         const struct ts_buckets *buckets, const struct ts_stage_forecast *forecasts);
/* A way to merge that could not be done. */
void ts_plan_picture_refuse(struct plan_picture *picture, const char *name, const char *why);
bool ts_plan_picture_write(const struct plan_picture *picture, struct ts_work *work, struct ts_issues *issues);

/* plan_json.c: what the reply says of a plan, of which the forecast says what is left to execute; planning_s: CPU
 * seconds of making it. */
void ts_plan_describe(struct ts_work *work, const struct ts_plan *plan, const struct ts_bucketing *grouping,
                      const struct ts_run_forecast *f, double planning_s, json_t *object);
/* plan_compare.c: adds `workers`, `cost` (its unit) and `compare`, one object for each way to merge; plan_s: CPU
 * seconds of the plan. picture may be NULL. */
bool ts_plan_compare(const struct ts_bucketing *grouping, const struct ts_project *project, const struct ts_plan *plan,
                     const struct parameter_sets *sets, double plan_s, struct plan_picture *picture, json_t *object,
                     struct ts_issues *issues);

#endif
