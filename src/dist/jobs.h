/* From a plan to the jobs that workers take: whole pieces of the dataset, buckets of stages, or runs in equal shares.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_DIST_JOBS_H
#define TS_DIST_JOBS_H

#include "dist/dist.h"
#include "queue/queue.h"

struct ts_jobs {
  struct ts_bucket_row *rows; /* owned array; bodies owned */
  size_t count, capacity;
};
void ts_jobs_release(struct ts_jobs *jobs);
/* Appends a job. */
void ts_jobs_add(struct ts_jobs *jobs, const struct ts_run_part *part, uint32_t phase);

/* One job per window, the largest first. */
void ts_jobs_of_windows(struct ts_jobs *jobs, const struct ts_plan *plan, const struct ts_dataset *dataset);
/* The runs of every window in `shares` equal shares, for workers that have no store to pass products on. */
void ts_jobs_of_runs(struct ts_jobs *jobs, const struct ts_plan *plan, const struct ts_dataset *dataset, size_t shares);
/* Buckets of stages, a phase per stage. repeated: per task of the workflow, executions beyond the first that come of
 * it. Nothing that `execution` itself made saves a bucket its work; see ts_run_part. */
bool ts_jobs_of_buckets(struct ts_jobs *jobs, const struct ts_plan *plan, const struct ts_dataset *dataset,
                        const struct ts_plan_bucket_options *options, uint64_t execution, uint64_t *repeated,
                        struct ts_error *err);

#endif
