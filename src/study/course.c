/* Sets up the strategy of a study: the space it varies, the outputs it sees, faults with their places in the file.
 * SPDX-License-Identifier: Apache-2.0 */
#include "study/course.h"
#include "model/model.h"
#include "order/order.h"
#include "project/data/check_data.h"
#include "study/study_result.h"

#include "base/alloc.h"

#include <string.h>

/* ---- Faults and notes of the strategy. ---- */

static void pass_note(void *user, const char *text) {
  const struct study_course *course = user;
  ts_issues_warn_once(course->issues, "%s", text);
}

static void pass_analysed(void *user, size_t done, size_t total) {
  const struct study_course *course = user;
  ts_phase_begin(course->project->phases, TS_PHASE_ANALYSIS, total);
  ts_phase_set(course->project->phases, done, total);
}

/* A strategy knows the JSON pointer of what it complains about; line and column are added here. */
static void pass_fault(const struct study_course *course, const struct ts_error *err) {
  struct ts_error placed = *err;
  placed.where = (struct ts_place){0};
  if (err->where.path[0]) ts_json_place(&placed, &course->project->doc, err->where.path, TS_JSON_VALUE);
  ts_issues_fault(course->issues, &placed);
}

static bool begin(struct study_course *course, const struct ts_strategy_options *options) {
  struct ts_faults faults = {0};
  course->loop = ts_loop_begin(&course->problem, options, &faults);
  for (size_t i = 0; i < faults.count; i++) pass_fault(course, &faults.items[i]);
  ts_faults_release(&faults);
  return course->loop != NULL;
}

/* ---- The space. ---- */

/* Designs whose sets belong together vary every parameter by itself. */
static bool accepts_correlation(const struct ts_project *project, const struct ts_strategy *strategy,
                                struct ts_error *err) {
  if (strategy->takes_correlation) return true;
  ts_fail(err, TS_ERR_BAD_VALUE, "the study has correlated parameters, but %s draws each independently",
          strategy->name);
  ts_error_help(err, "use the method lhs or mc, or remove \"correlations\"");
  ts_json_place(err, &project->doc, "/correlations", TS_JSON_KEY);
  return false;
}

/* The parameters of the workflow that are varied, and after them the settings of the engine. With these, the workflow's
 * own are varied only where the study names them. */
static bool list_parameters(const struct ts_project *project, const char *const *only, size_t only_count,
                            struct ts_space *space, struct ts_error *err) {
  const struct study_file *study = &project->study;
  if (study->engine_count == 0) return ts_space_of_workflow(space, project->workflow, only, only_count, err);
  if (only_count > 0 && !ts_space_of_workflow(space, project->workflow, only, only_count, err)) return false;
  const struct ts_parameter **all = ts_arena_array(&space->arena, space->count + study->engine_count, sizeof *all);
  for (size_t i = 0; i < space->count; i++) all[i] = space->parameters[i];
  for (size_t i = 0; i < study->engine_count; i++) all[space->count++] = &study->engine[i];
  space->parameters = all;
  space->workflow = project->workflow;
  return true;
}

/* Parameters, their names and correlations go to the course. */
static bool open_space(struct study_course *course, const struct ts_strategy *first, const char *const *only,
                       size_t only_count) {
  const struct ts_project *project = course->project;
  struct space_file file = {0};
  struct ts_error err = {0};
  bool ok = list_parameters(project, only, only_count, &file.space, &err);
  if (!ok && only_count > 0 && only == project->study.varied)
    ts_json_place(&err, &project->doc, "/parameters", TS_JSON_VALUE);
  if (ok) ts_space_file_name(&file);
  if (ok && !project->study.is_bare_workflow)
    ok = ts_space_correlations_read(&project->doc, project->doc.root, "", &file, course->issues) &&
         (!file.correlation || accepts_correlation(project, first, &err));
  course->space = file.space;
  course->arena = file.arena;
  course->columns = file.names;
  course->column_count = file.space.count;
  course->problem.correlation = file.correlation;
  if (err.code != TS_ERR_OK) ts_issues_fault(course->issues, &err);
  return ok;
}

static bool open_given(struct study_course *course) {
  const struct ts_project *project = course->project;
  const char *path = ts_request_path(project->request, &course->arena, project->request->design);
  if (!ts_design_read_csv(&course->given, project->workflow, path, &course->issues->faults)) return false;
  ts_warn_about_design(project->workflow, &course->given, path, course->issues);
  course->options = (struct ts_strategy_options){.strategy = &ts_strategy_given, .given = &course->given};
  course->columns = course->given.names;
  course->column_count = course->given.column_count;
  return true;
}

/* The sets that a recorded run asked for: another strategy could ask for others, if an operation is not exact. */
static bool open_recorded(struct study_course *course) {
  const struct ts_project *project = course->project;
  const struct ts_workflow *w = project->workflow;
  struct ts_design *given = &course->given;
  struct ts_error err = {0};
  given->values = ts_order_sets(project, &given->arena, &given->row_count, &err);
  if (!given->values) return ts_issues_fault(course->issues, &err);
  given->column_count = w->parameter_count;
  given->names = ts_arena_array(&given->arena, w->parameter_count + 1, sizeof *given->names);
  for (size_t p = 0; p < w->parameter_count; p++) given->names[p] = w->parameters[p].name;
  course->options = (struct ts_strategy_options){.strategy = &ts_strategy_given, .given = given};
  course->columns = given->names;
  course->column_count = given->column_count;
  return true;
}

static bool open_sets(struct study_course *course) {
  const struct ts_project *project = course->project;
  const struct study_file *study = &project->study;
  if (project->order && project->order->rounds) return open_recorded(course);
  if (project->request->design) return open_given(course);
  return open_space(course, study->methods[0].strategy, study->varied, study->varied_count);
}

/* ---- The problem. ---- */

/* Every output over all files, then over the subsets where there are several files. */
static void list_series(struct study_course *course) {
  const struct ts_project *project = course->project;
  ts_subsets_list(&course->subsets, project, &course->arena);
  const size_t outputs = project->study.output_count, subsets = course->subsets.count;
  const char **names = ts_arena_array(&course->arena, outputs + 1, sizeof *names);
  struct ts_series *series = ts_arena_array(&course->arena, outputs * (subsets + 1) + 1, sizeof *series);
  size_t count = 0;
  for (size_t o = 0; o < outputs; o++) {
    names[o] = project->study.outputs[o].name;
    series[count++] = (struct ts_series){o, TS_NONE};
    const bool has_several = ts_study_file_count(project, o) > 1;
    for (size_t i = 0; has_several && i < subsets; i++) series[count++] = (struct ts_series){o, i};
  }
  course->problem.outputs = names;
  course->problem.output_count = outputs;
  course->problem.series = series;
  course->problem.series_count = count;
}

static void describe(struct study_course *course) {
  struct ts_strategy_problem *problem = &course->problem;
  problem->space = &course->space;
  problem->seed = ts_study_seed(course->project);
  problem->resamples = course->project->study.resamples;
  problem->confidence = course->project->study.confidence;
  problem->note = pass_note;
  problem->analysed = pass_analysed;
  problem->user = course;
  list_series(course);
}

bool ts_course_open(struct study_course *course, const struct ts_project *project, struct ts_issues *issues) {
  const struct study_file *study = &project->study;
  *course = (struct study_course){.project = project, .issues = issues, .options = ts_study_strategy(study)};
  if (!open_sets(course)) return false;
  describe(course);
  ts_subsets_warn(project, issues);
  course->problem.max_sets = study->max_runs;
  course->problem.max_sets_place = project->request->max_runs ? NULL : "/method/max_runs";
  ts_history_init(&course->history, course->column_count, course->problem.series_count);
  return begin(course, &course->options);
}

bool ts_course_count_sets(const struct ts_project *project, const struct ts_strategy_options *phase,
                          const char *const *only, size_t only_count, size_t *count, struct ts_issues *issues) {
  struct study_course course = {.project = project, .issues = issues};
  struct ts_strategy_batch batch = {0};
  bool ok = open_space(&course, phase->strategy, only, only_count);
  if (ok) describe(&course);
  ok = ok && begin(&course, phase) && ts_course_ask(&course, &batch);
  *count = batch.count;
  ts_strategy_batch_release(&batch);
  ts_course_release(&course);
  return ok;
}

bool ts_course_is_given(const struct study_course *course) { return course->options.given != NULL; }

/* ---- Asking. ---- */

/* Threads for the analyses: they are not kept while sets are run. */
static bool open_pool(struct study_course *course) {
  struct ts_error err = {0};
  course->problem.pool = ts_pool_create(course->project->request->threads, &err);
  if (!course->problem.pool) ts_issues_fault(course->issues, &err);
  return course->problem.pool != NULL;
}

static void close_pool(struct study_course *course) {
  ts_pool_destroy(course->problem.pool);
  course->problem.pool = NULL;
}

bool ts_course_ask(struct study_course *course, struct ts_strategy_batch *batch) {
  struct ts_error err = {0};
  const char *reason = NULL;
  const bool analyses = course->history.count > 0 && !ts_course_is_given(course);
  if (analyses && !open_pool(course)) return false;
  const bool ok = ts_loop_next(course->loop, &course->history, batch, &reason, &err);
  if (analyses) close_pool(course);
  if (!ok) pass_fault(course, &err);
  return ok;
}

bool ts_course_finish(struct study_course *course, struct ts_strategy_result *result) {
  ts_phase_begin(course->project->phases, TS_PHASE_ANALYSIS, 0);
  if (!open_pool(course)) return false;
  ts_loop_finish(course->loop, &course->history, result);
  close_pool(course);
  return true;
}

const struct ts_parameter *ts_course_parameter(const struct study_course *course, size_t column) {
  size_t index = 0;
  if (!ts_course_is_given(course)) return course->space.parameters[column];
  ts_workflow_find_parameter(course->project->workflow, course->columns[column], &index);
  return &course->project->workflow->parameters[index];
}

struct ts_design ts_course_design(const struct study_course *course) {
  return (struct ts_design){.row_count = course->history.count,
                            .column_count = course->column_count,
                            .names = course->columns,
                            .values = course->history.points};
}

void ts_course_release(struct study_course *course) {
  ts_loop_destroy(course->loop);
  ts_history_release(&course->history);
  ts_design_release(&course->given);
  ts_space_release(&course->space);
  ts_arena_release(&course->arena);
}
