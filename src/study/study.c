/* The whole walk: file, data, design, plan, run, indices, report; phases and rounds where a study has several.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Start reading at ts_study: each step takes the result of the one before it. */
#include "study/check_data.h"
#include "study/order.h"
#include "study/study_result.h"

#include "base/alloc.h"
#include "base/clock.h"
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

/* One phase after the other; false if there is nothing to report (a fault, or the user paused). */
static bool run_phases(struct session *s, struct study_result *r) {
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

/* Results that other programs read: the design with its outputs, and the result object. */
static bool write_results(struct session *s, struct study_result *r) {
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

static bool write_report(struct session *s, struct study_result *r, const json_t *object) {
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

static void name_files(struct session *s, struct study_result *r) {
  r->folder = ts_session_study_folder(s);
  r->report_path = ts_arena_printf(&s->arena, "%s/report.html", r->folder);
  r->results_path = ts_arena_printf(&s->arena, "%s/results.csv", r->folder);
  r->by_file_path = ts_arena_printf(&s->arena, "%s/results-by-file.csv", r->folder);
  r->json_path = ts_arena_printf(&s->arena, "%s/result.json", r->folder);
}

static bool open_all(struct session *s) {
  if (!ts_session_read(s)) return false;
  if (s->study.is_bare_workflow) {
    struct ts_error *fault = ts_faults_add(&s->faults);
    ts_fail(fault, TS_ERR_MISSING_KEY, "'%s' is a workflow, not a study", s->study.path);
    ts_error_help(fault, "write a study.json that names it, its data, a method and outputs; or use: tessera run %s",
                  s->study.path);
    return false;
  }
  /* Also without reuse: the run itself is recorded. */
  return ts_session_open_store(s, false, false) && ts_run_resume(s, "study") && ts_session_open_dataset(s, true);
}

static int exit_code(const struct study_result *r) {
  if (strcmp(r->state, "paused") == 0) return 130;
  if (strcmp(r->state, "failed") == 0) return 1;
  return r->until.is_used && !r->until.is_met ? 4 : 0;
}

int ts_study(const struct ts_request *request, char **reply) { return ts_study_of(request, NULL, reply); }

int ts_study_of(const struct ts_request *request, const struct ts_order *order, char **reply) {
  struct session s;
  struct study_result r = {.state = "failed", .started_unix_ns = ts_clock_unix_ns(), .start_ns = ts_clock_ns()};
  json_t *object = NULL;
  ts_session_init(&s, request);
  s.order = order;
  /* A refused request leaves no run behind. */
  bool ready = open_all(&s) && ts_study_begin_phase(&s, &r) && ts_study_plan_round(&s, &r, &r.phases[0]) &&
               ts_check_output_folder(&s, ts_session_study_folder(&s)) && ts_session_open_trace(&s) &&
               ts_run_open(&s, "study", r.plan, r.sets.values, r.run_id);
  if (ready) {
    ts_session_warn_tiling(&s);
    name_files(&s, &r);
    /* The results are in the reply and in the store even if files cannot be written. */
    bool complete = run_phases(&s, &r);
    bool written = complete && write_results(&s, &r) && ts_study_draw(&s, &r);
    object = ts_study_object(&s, &r, complete);
    written = written && write_report(&s, &r, object);
    ts_run_close(&s, r.run_id, ts_session_ok(&s) ? r.state : "failed", object);
    if (complete && !written) json_object_set_new(object, "report", json_string(""));
  }
  if (!object) object = ts_reply_new("tessera.study/2");
  int code = ts_reply_finish(&s, object, exit_code(&r), reply);
  ts_study_result_release(&r);
  ts_session_release(&s);
  return code;
}
