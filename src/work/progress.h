/* Counts while a plan runs, and what remains of it: costs of calls, a timeline, failures.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_WORK_PROGRESS_H
#define TS_WORK_PROGRESS_H

#include "run/run.h"
#include "work/work.h"

/* progress.c: counts for the display and the profile, writes task rows and the trace. */
struct progress;
/* The cost of calls of one kind, including those of the reference run and failed ones. */
struct call_cost {
  uint64_t calls;
  double cpu_s, wall_s;
  double px; /* of the tiles they worked on; 0: not known */
};
/* `run_id` is borrowed; "" if nothing is recorded. */
struct progress *ts_progress_create(struct ts_work *work, const struct ts_project *project, const struct ts_plan *plan,
                                    const char *run_id, size_t threads);
/* The next task row of the run gets this number, those after it the numbers that follow: a run that is continued must
 * not replace the rows that it has. 0 without this call. */
void ts_progress_number_tasks(struct progress *progress, uint64_t first);
/* The tasks of a further plan of the same run belong to the whole from now on; its project may have tiles of its
 * own. */
void ts_progress_add(struct progress *progress, const struct ts_project *project, const struct ts_plan *plan);
/* A plan that was added begins; its first run is number `first_set` of the study. */
void ts_progress_continue(struct progress *progress, const struct ts_project *project, const struct ts_plan *plan,
                          size_t first_set);
/* A stage will settle `more` tasks than the plan has; fewer if negative. */
void ts_progress_expect(struct progress *progress, size_t stage, int64_t more);
void ts_progress_begin(struct progress *progress);
/* A task begins; from several threads at once. */
void ts_progress_start(struct progress *progress, uint32_t node);
void ts_progress_task(struct progress *progress, const struct ts_task_event *event);
void ts_progress_end(struct progress *progress, struct ts_issues *issues);
void ts_progress_destroy(struct progress *progress);
/* Executed tasks: the first of them, those of one kind that follow each other closely as one bar. */
struct ts_bar {
  size_t worker;
  double start_s, end_s; /* since the run began, to a tenth of a millisecond */
  const char *task;      /* borrowed */
};
const struct ts_bar *ts_progress_timeline(const struct progress *progress, size_t *count); /* borrowed */
struct ts_failures;
const struct ts_failures *ts_progress_failures(const struct progress *progress); /* borrowed; work/failures.h */
bool ts_progress_any_failed(const struct progress *progress);
const struct call_cost *ts_progress_task_cost(const struct progress *progress, size_t task); /* borrowed */
const struct call_cost *ts_progress_node_cost(const struct progress *progress, enum ts_node_kind kind);

#endif
