/* What handles use of the public calls: replies, and calls with an order or a store in place of what a request names.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_API_LENT_H
#define TS_API_LENT_H

#include "project/project.h"
#include "work/work.h"

/* ---- reply.c ---- */
json_t *ts_reply_new(const char *schema);
/* Adds faults and warnings, gives the text and the exit code: of the first fault, or `exit_code`. Steals the object and
 * releases the issues. `store`: the one that was used, whose damage is a warning; NULL: none. */
int ts_reply_finish(json_t *object, int exit_code, char **reply, const struct ts_store *store,
                    struct ts_issues *issues);

/* ---- study.c, run.c ---- */
/* As ts_study and ts_run_workflow, with the order in place of the files of the project and the lent store in place of
 * that of the request; NULL: those of the request. */
int ts_study_of(const struct ts_request *request, const struct ts_order *order, const struct ts_lent_store *lent,
                char **reply);
int ts_run_of(const struct ts_request *request, const struct ts_order *order, const struct ts_lent_store *lent,
              char **reply);

/* ---- status.c ---- */
/* As ts_status, with a store that is open; NULL: that of the request. */
int ts_status_of(const struct ts_request *request, struct ts_store *store, char **reply);

/* ---- check.c ---- */
/* Reads the project and all that it names, and gives the object the members of the reply of a check. The project has
 * its request, and the store that remembers digests if there is one. Release work and project in either case. */
void ts_check_project(struct ts_work *work, struct ts_project *project, json_t *object, struct ts_issues *issues);

/* ---- log.c ---- */
/* A row of a task as replies have it; a new reference. */
json_t *ts_task_row_json(const struct ts_task_row *row);

#endif
