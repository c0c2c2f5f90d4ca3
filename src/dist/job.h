/* A job: one bucket for a worker, and its text in the queue.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_DIST_JOB_H
#define TS_DIST_JOB_H

#include "run/run.h"

/* part.wanted is owned; release with ts_job_release. */
struct ts_job {
  struct ts_run_part part;
  struct ts_run_demand *demands; /* owned: the array of part.wanted; NULL: all of the window */
};
void ts_job_release(struct ts_job *job);

/* Appends the text: "all", or "list" and demands such as "12", "12-15", "12:1" (port), "12@7" (unit, if it is not that
 * of the demand before); "keep" and "before N" in front. */
void ts_job_print(const struct ts_run_part *part, struct ts_str *out);
/* False if it is not such a text, or names nodes or units that the plan and dataset do not have. */
bool ts_job_parse(const char *text, uint32_t window, const struct ts_plan *plan, const struct ts_dataset *dataset,
                  struct ts_job *job);

#endif
