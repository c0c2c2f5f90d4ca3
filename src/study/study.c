/* Runs a study that is ready: one phase after the other, and what they found as files.
 * SPDX-License-Identifier: Apache-2.0 */
#include "project/check_data.h"
#include "study/study_result.h"

#include "base/alloc.h"
#include "base/file.h"

#include <string.h>

/* Runs and analyses a phase, again with more runs as long as they are wanted and allowed. */
static bool run_phase(struct session *s, struct study_result *r, struct study_phase *phase) {
  const char *end = NULL;
  do {
    if (!ts_study_run_round(s, r, phase) || !ts_study_analyse(s, r, phase)) return false;
  } while (ts_until_wants_more(s, r, phase) && ts_study_grow(s, r, phase, &end));
  if (end) r->until.reason = ts_arena_printf(&s->arena, "%s; %s", r->until.reason, end);
  return ts_session_ok(s);
}

bool ts_study_run(struct session *s, struct study_result *r) {
  bool ok = run_phase(s, r, &r->phases[0]);
  while (ok && !r->sets.is_given && r->phase_count < s->study.phase_count)
    ok = ts_study_begin_phase(s, r) && run_phase(s, r, &r->phases[r->phase_count - 1]);
  if (r->progress) ts_progress_end(r->progress);
  return ts_study_sum_up(s, r, ok);
}

static bool write_file(struct session *s, const char *path, const struct ts_str *text) {
  struct ts_error err = {0};
  if (ts_file_write_atomic(path, ts_str_get(text), text->length, &err)) return true;
  ts_session_fault(s, &err);
  return false;
}

bool ts_study_write_results(struct session *s, struct study_result *r) {
  struct ts_error err = {0};
  if (!ts_folder_create(r->folder, &err)) {
    ts_session_fault(s, &err);
    return false;
  }
  ts_auto(ts_str_release) struct ts_str csv = {0};
  ts_study_results_csv(s, r, &csv);
  if (!write_file(s, r->results_path, &csv)) return false;
  ts_str_clear(&csv);
  ts_study_by_file_csv(s, r, &csv);
  return write_file(s, r->by_file_path, &csv);
}

bool ts_study_write_report(struct session *s, struct study_result *r, const json_t *object) {
  struct ts_str html = {0};
  struct ts_error err = {0};
  bool ok = ts_study_report(object, r->folder, &html, &err);
  if (!ok) ts_session_fault(s, &err);
  ok = ok && write_file(s, r->report_path, &html);
  ts_str_release(&html);
  if (ok) {
    char *text = ts_json_dump(object, false, true);
    struct ts_str json = {.data = text, .length = strlen(text)};
    ok = write_file(s, r->json_path, &json);
    free(text);
  }
  return ok;
}

void ts_study_name_files(struct session *s, struct study_result *r) {
  r->folder = ts_session_study_folder(s);
  r->report_path = ts_arena_printf(&s->arena, "%s/report.html", r->folder);
  r->results_path = ts_arena_printf(&s->arena, "%s/results.csv", r->folder);
  r->by_file_path = ts_arena_printf(&s->arena, "%s/results-by-file.csv", r->folder);
  r->json_path = ts_arena_printf(&s->arena, "%s/result.json", r->folder);
}
