/* What went wrong in the tasks of a run, and what their commands remarked: equal failures and remarks are counted.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_WORK_FAILURES_H
#define TS_WORK_FAILURES_H

#include "project/project.h"
#include "run/run.h"

/* A task that failed, or a file that could not be read. */
struct ts_failed_task {
  const char *task, *key, *file; /* borrowed */
  struct ts_error error;
  const char *log;          /* borrowed: what the operation wrote */
  const json_t *parameters; /* borrowed: {NAME: VALUE} of the workflow, those that the task has; may be empty */
  bool has_tile;
  int64_t tile_x, tile_y;
};

/* Tasks of one name that failed with the same error. */
struct ts_failure_kind {
  struct ts_failed_task first; /* in the order of the plan and the data, whichever thread was faster */
  uint32_t node;               /* of the first */
  size_t unit;
  enum ts_scope scope;
  size_t count; /* of failed calls, the first among them */
  size_t units; /* of tiles, files or datasets in which they were made */
};

/* What commands of one task wrote to their error output although they did not fail. */
struct ts_remark {
  const char *task, *text; /* borrowed: text is what the first of them said */
  size_t count;            /* of calls that said something */
};

/* The values of a task's parameters by the names that the user knows, which are those of the workflow and not of the
 * operation: {NAME: VALUE}, a new reference. */
json_t *ts_node_parameters(const struct ts_plan *plan, const struct ts_node *node);

struct ts_failures;
struct ts_failures *ts_failures_create(void);
void ts_failures_destroy(struct ts_failures *failures);
/* Takes a failed event, or one with a remark; others are passed over. `name` is the task's, `key` its key in text. */
void ts_failures_event(struct ts_failures *failures, const struct ts_project *project, const struct ts_plan *plan,
                       const struct ts_task_event *event, const char *name, const char *key);

/* The first failed tasks, one by one; all results are borrowed. */
const struct ts_failed_task *ts_failures_list(const struct ts_failures *failures, size_t *count);
/* The same by kind, in the order in which they were first met. Beyond FAILURE_KINDS_MAX of them the last kind counts
 * whatever comes. */
#define FAILURE_KINDS_MAX 50
const struct ts_failure_kind *ts_failures_kinds(const struct ts_failures *failures, size_t *count);
const struct ts_remark *ts_failures_remarks(const struct ts_failures *failures, size_t *count);

#endif
