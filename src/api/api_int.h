/* Shared by the public calls: their replies, and calls that other calls make.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_API_API_INT_H
#define TS_API_API_INT_H

#include "api/calls.h"
#include "api/lent.h"
#include "project/project.h"
#include "study/study_result.h"
#include "work/failures.h"
#include "work/progress.h"

/* ---- reply.c: new references ---- */
json_t *ts_reply_warnings(const struct ts_issues *issues);
json_t *ts_reply_values(const struct ts_value *values, const struct ts_workflow *workflow);

/* ---- past.c: calls that look at what a store has ---- */
struct ts_past {
  const struct ts_request *request; /* borrowed */
  struct ts_arena arena;            /* owns what is read from the store */
  struct ts_store *store;           /* owned unless it is lent; NULL if it could not be opened */
  bool has_lent_store;
};
bool ts_past_open(struct ts_past *past, const struct ts_request *request, struct ts_issues *issues);
/* The row of the requested run (request->run), or the last one of the command (NULL: of any). */
bool ts_past_find(struct ts_past *past, const char *command, struct ts_run_row *row, struct ts_issues *issues);
/* Ends the call with its reply. */
int ts_past_finish(struct ts_past *past, json_t *object, int exit_code, char **reply, struct ts_issues *issues);

/* ---- counts_json.c: reuse, time and failures of a run; new references ---- */
json_t *ts_counts_reuse(const struct ts_project *project, const struct ts_plan *plan,
                        const struct ts_run_result *result);
json_t *ts_counts_by_task(const struct ts_project *project, const struct ts_plan *plan,
                          const struct ts_run_result *result, const struct progress *progress);
json_t *ts_counts_reference(const struct ts_project *project, const struct ts_plan *plan,
                            const struct ts_run_result *result);
/* Where the CPU time of the process went: tasks, reading, the engine. */
json_t *ts_counts_profile(const struct ts_project *project, const struct ts_run_result *result,
                          const struct progress *progress);
json_t *ts_counts_timeline(const struct progress *progress);
/* Failed tasks one by one, and by kind: equal ones counted. */
json_t *ts_counts_failed(const struct progress *progress);
json_t *ts_counts_failures(const struct progress *progress);

/* ---- study/study_json.c ---- */
/* Completes the new object of a reply; with incomplete results (paused, failed) it has the counts
 * only. */
void ts_study_object(const struct ts_work *work, struct study_result *r, bool complete, json_t *object);
/* study/analyses_json.c: one object per phase, method, output and scope; a new reference. */
json_t *ts_study_analyses_json(const struct ts_project *project, const struct study_result *r);
json_t *ts_study_analysis_json(const struct ts_project *project, const struct study_result *r, size_t phase,
                               const struct ts_phase_analysis *analysis);
/* study/groups_json.c: one object per phase, method, output and value of a group; and whether leaving a value out
 * changes what comes first. New references. */
json_t *ts_study_groups_json(const struct ts_project *project, const struct study_result *r);
json_t *ts_study_stability_json(const struct ts_project *project, const struct study_result *r);
/* study/best_json.c: adds what a study with a goal found; nothing without one. */
void ts_study_best_json(struct study_result *r, json_t *object);
/* study/held_out_json.c: a new reference; NULL: the study holds nothing out. */
json_t *ts_study_held_out_json(const struct ts_project *project, const struct study_result *r);
/* study/phases_json.c: new references. */
json_t *ts_study_phases_json(const struct ts_project *project, const struct study_result *r);
json_t *ts_study_until_json(const struct ts_project *project, const struct ts_verdict *verdict);
/* A remark about an output: "objects cut at tile edges"; a new reference. */
json_t *ts_study_output_notes(const struct ts_project *project, size_t output);
/* How the output goes over tiles and files, by name; "" where it has none of them: what a run costs, and tables of
 * stages that do not run per tile, or not per file. */
const char *ts_study_over_tiles(const struct ts_project *project, const struct study_output *output);
const char *ts_study_over_files(const struct ts_project *project, const struct study_output *output);

/* init/init.c: demos this program carries; a new reference. */
json_t *ts_demo_list(void);

/* ---- explain/task_names.c ---- */
/* Whether a task row is meant by "segment.split", "split", "segment/9c1e" or the first digits of its key. */
bool ts_task_row_fits(const struct ts_task_row *row, const char *asked);
/* The tasks of a stage by name, each once; none if the rows have no such stage. In the arena. */
const char **ts_task_names_of_stage(const struct ts_task_row *rows, size_t count, const char *stage,
                                    struct ts_arena *arena, size_t *name_count);
/* Fails because none of the rows is of a task that was asked for, with the nearest name or those that there are. */
bool ts_task_fail_unknown(const struct ts_task_row *rows, size_t count, const char *run, const char *asked,
                          struct ts_error *err);

#endif
