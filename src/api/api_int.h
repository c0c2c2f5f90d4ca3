/* Shared by the public calls: their replies, and calls that other calls make.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_API_API_INT_H
#define TS_API_API_INT_H

#include "project/project.h"

/* ---- reply.c ---- */
json_t *ts_reply_new(const char *schema);
/* Adds faults and warnings, gives the text and the exit code: of the first fault, or `exit_code`. Steals the object and
 * releases the issues. `store`: the one that was used, whose damage is a warning; NULL: none. */
int ts_reply_finish(json_t *object, int exit_code, char **reply, const struct ts_store *store,
                    struct ts_issues *issues);
/* A new reference. */
json_t *ts_reply_warnings(const struct ts_issues *issues);
json_t *ts_reply_values(const struct ts_value *values, const struct ts_workflow *workflow);

/* ---- past.c: calls that look at what a store has ---- */
struct ts_past {
  const struct ts_request *request; /* borrowed */
  struct ts_arena arena;            /* owns what is read from the store */
  struct ts_store *store;           /* owned; NULL if it could not be opened */
};
bool ts_past_open(struct ts_past *past, const struct ts_request *request, struct ts_issues *issues);
/* The row of the requested run (request->run), or the last one of the command (NULL: of any). */
bool ts_past_find(struct ts_past *past, const char *command, struct ts_run_row *row, struct ts_issues *issues);
/* Ends the call with its reply. */
int ts_past_finish(struct ts_past *past, json_t *object, int exit_code, char **reply, struct ts_issues *issues);

/* ---- study.c, run.c: a recorded run again ---- */
/* As ts_study and ts_run_workflow, with the order in place of the files of the project. */
int ts_study_of(const struct ts_request *request, const struct ts_order *order, char **reply);
int ts_run_of(const struct ts_request *request, const struct ts_order *order, char **reply);

/* init.c: demos this program carries; a new reference. */
json_t *ts_demo_list(void);

/* log.c: whether a task row is meant by "segment.split", "split", "segment/9c1e" or the first digits of its key. */
bool ts_task_row_fits(const struct ts_task_row *row, const char *asked);

#endif
