/* Runs a study that is ready: one round after the other as its strategy asks for them, and the results as files.
 * SPDX-License-Identifier: Apache-2.0 */
#include "project/data/check_data.h"
#include "study/study_result.h"

#include "base/alloc.h"
#include "base/file.h"

#include <string.h>

/* What the strategy asks for next is recorded before it is run. */
static bool plan_next(struct ts_work *work, struct study_result *r, bool *done, struct ts_issues *issues) {
  return ts_study_plan_round(work, r, done, issues) &&
         ts_run_add_round(work->project, &r->run, r->sets.values, r->sets.count, issues);
}

static void end_tasks(struct study_result *r, struct ts_issues *issues) {
  if (r->progress && !r->tasks_ended) ts_progress_end(r->progress, issues);
  r->tasks_ended = true;
}

/* Whether it is known, without asking the strategy, that no tasks follow those of the last batch: its analysis is then
 * the first phase after the tasks. */
static bool is_last_batch(const struct ts_project *project, const struct study_result *r) {
  const size_t phase = r->rounds[r->round_count - 1].phase;
  return phase + 1 == project->study.phase_count && !r->course.options.until.text &&
         ts_study_goal(&project->study) == TS_NONE && project->held_out.item_count == 0;
}

bool ts_study_run(struct ts_work *work, struct study_result *r, struct ts_issues *issues) {
  bool ok = true, done = false;
  while (ok && !done) {
    ok = ts_study_run_round(work, r, issues);
    if (ok && is_last_batch(work->project, r)) end_tasks(r, issues);
    ok = ok && plan_next(work, r, &done, issues);
  }
  ok = ok && ts_best_run(work, r, issues) && ts_held_out_run(work, r, issues);
  end_tasks(r, issues);
  ok = ts_course_finish(&r->course, &r->found) && ok;
  return ts_study_sum_up(work, r, ok, issues);
}

static bool write_file(const char *path, const struct ts_str *text, struct ts_issues *issues) {
  struct ts_error err = {0};
  if (ts_file_write_atomic(path, ts_str_get(text), text->length, &err)) return true;
  return ts_issues_fault(issues, &err);
}

bool ts_study_write_results(const struct ts_project *project, struct study_result *r, struct ts_issues *issues) {
  struct ts_error err = {0};
  ts_phase_begin(project->phases, TS_PHASE_TABLES, 0);
  if (!ts_folder_create(r->folder, &err)) return ts_issues_fault(issues, &err);
  ts_auto(ts_str_release) struct ts_str csv = {0};
  ts_study_results_csv(project, r, &csv);
  if (!write_file(r->results_path, &csv, issues)) return false;
  ts_str_clear(&csv);
  ts_study_by_file_csv(project, r, &csv);
  if (!write_file(r->by_file_path, &csv, issues)) return false;
  if (!r->by_group_path) return true;
  ts_str_clear(&csv);
  ts_study_by_group_csv(project, r, &csv);
  return write_file(r->by_group_path, &csv, issues);
}

bool ts_study_write_report(const struct ts_project *project, struct study_result *r, const json_t *object,
                           struct ts_issues *issues) {
  ts_phase_begin(project->phases, TS_PHASE_REPORT, 0);
  struct ts_str html = {0};
  struct ts_error err = {0};
  bool ok = ts_study_report(object, r->folder, &html, &err);
  if (!ok) ts_issues_fault(issues, &err);
  ok = ok && write_file(r->report_path, &html, issues);
  ts_str_release(&html);
  if (ok) {
    char *text = ts_json_dump(object, false, true);
    struct ts_str json = {.data = text, .length = strlen(text)};
    ok = write_file(r->json_path, &json, issues);
    free(text);
  }
  return ok;
}

void ts_study_name_files(struct ts_work *work, struct study_result *r) {
  r->folder = ts_output_study_folder(work->project, &work->arena);
  r->report_path = ts_arena_printf(&work->arena, "%s/report.html", r->folder);
  r->results_path = ts_arena_printf(&work->arena, "%s/results.csv", r->folder);
  r->by_file_path = ts_arena_printf(&work->arena, "%s/results-by-file.csv", r->folder);
  if (work->project->dataset.items[0].groups)
    r->by_group_path = ts_arena_printf(&work->arena, "%s/results-by-group.csv", r->folder);
  r->json_path = ts_arena_printf(&work->arena, "%s/result.json", r->folder);
}
