/* Runs by worker processes: the description that the study's process sends them, and how they read it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_WORK_WORKERS_H
#define TS_WORK_WORKERS_H

#include "work/engine.h"

/* Threads of all processes that work on a plan. */
size_t ts_workers_threads(const struct ts_request *request);
/* Whether workers can do a plan as the request asks; without workers they need not. */
bool ts_workers_check(struct ts_work *work, const struct ts_plan *plan, struct ts_issues *issues);
/* Options of a run by the algorithms that make buckets: the same in the study's process and in workers. */
void ts_workers_bucket_options(struct ts_run_options *options);
/* The plan by worker processes instead of the threads of this one. Options are those of a run by threads. */
bool ts_workers_run(struct engine_run *run, const struct ts_run_options *options, struct ts_error *err);

#endif
