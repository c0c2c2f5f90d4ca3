/* Shared by the public calls: their replies, and calls that other calls make.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_API_API_INT_H
#define TS_API_API_INT_H

#include "project/session.h"

/* ---- reply.c ---- */
json_t *ts_reply_new(const char *schema);
/* Adds faults and warnings, gives the text and the exit code: of the first fault, or `exit_code`. Steals the object. */
int ts_reply_finish(struct session *s, json_t *object, int exit_code, char **reply);
json_t *ts_reply_values(const struct ts_value *values, const struct ts_workflow *workflow);

/* ---- study.c, run.c: a recorded run again ---- */
/* As ts_study and ts_run_workflow, with the order in place of the files of the project. */
int ts_study_of(const struct ts_request *request, const struct ts_order *order, char **reply);
int ts_run_of(const struct ts_request *request, const struct ts_order *order, char **reply);

/* init.c: demos this program carries; a new reference. */
json_t *ts_demo_list(void);

/* log.c: whether a task row is meant by "segment.split", "split", "segment/9c1e" or the first digits of its key. */
bool ts_task_row_fits(const struct ts_task_row *row, const char *asked);

#endif
