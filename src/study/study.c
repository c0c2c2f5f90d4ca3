/* The whole walk: file, data, design, plan, run, indices, report.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Start reading at ts_study: each step takes what the one before it made. */
#include "study/engine.h"
#include "study/study_result.h"

#include "analysis/analysis.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/pool.h"

#include <math.h>
#include <string.h>

static void collect(void *user, uint32_t node, uint32_t port, size_t unit, struct ts_data *data) {
  ts_collector_product(user, node, port, unit, data);
}

static bool check_columns(struct session *s, const struct collector *collector) {
  size_t output = 0;
  const char *column = ts_collector_missing_column(collector, &output);
  if (!column) return true;
  struct ts_error *fault = ts_faults_add(&s->faults);
  ts_fail(fault, TS_ERR_BAD_VALUE, "'%s' has no column '%s'", s->study.outputs[output].product, column);
  ts_error_help(fault, "see its columns with: tessera run -o DIR, then look into the CSV files");
  ts_json_place(fault, &s->doc, s->study.outputs[output].pointer, TS_JSON_VALUE);
  return false;
}

/* Indices of every output; a given design has none. */
static bool analyse(struct session *s, struct study_result *r) {
  if (r->sets.is_given) return true;
  size_t k = r->sets.design.column_count;
  struct ts_error err = {0};
  r->indices = ts_calloc(s->study.output_count * k + 1, sizeof *r->indices);
  for (size_t o = 0; o < s->study.output_count; o++) {
    struct ts_morris_input input = {.names = r->sets.design.names,
                                    .parameter_count = k,
                                    .row_count = r->sets.count,
                                    .unit = r->sets.design.unit,
                                    .outputs = r->outputs + o * r->sets.count,
                                    .levels = s->study.levels,
                                    .resamples = s->study.resamples,
                                    .confidence = s->study.confidence,
                                    .seed = s->request->has_seed ? s->request->seed : s->study.seed};
    if (!ts_analysis_morris(&input, NULL, r->indices + o * k, &err)) {
      ts_session_fault(s, &err);
      return false;
    }
  }
  return true;
}

static void gather_outputs(struct session *s, struct study_result *r) {
  r->outputs = ts_calloc(s->study.output_count * r->sets.count + 1, sizeof *r->outputs);
  size_t lost = 0;
  for (size_t o = 0; o < s->study.output_count; o++) {
    for (size_t i = 0; i < r->sets.count; i++) {
      double value = ts_collector_value(r->collector, i, o);
      r->outputs[o * r->sets.count + i] = value;
      lost += o == 0 && isnan(value) ? 1 : 0;
    }
  }
  if (lost * 20 > r->sets.count)
    ts_session_warn(s, "%zu of %zu runs gave no value; the effects that touch them are left out", lost, r->sets.count);
}

/* Runs the plan and collects; false if there is nothing to report (a fault, or the user paused). */
static bool run_plan(struct session *s, struct study_result *r) {
  size_t wanted_count = 0;
  struct ts_source *wanted = ts_session_study_products(s, &wanted_count);
  r->plan = ts_session_plan(s, &r->sets, wanted, wanted_count, false);
  if (!r->plan) return false;
  r->collector = ts_collector_create(s, r->plan);
  size_t threads = s->request->threads ? s->request->threads : ts_cpu_count();
  r->progress = ts_progress_create(s, r->plan, r->run_id, threads);
  r->engine = (struct engine_run){.s = s,
                                  .plan = r->plan,
                                  .run_id = r->run_id,
                                  .command = "study",
                                  .progress = r->progress,
                                  .user = r->collector,
                                  .on_product = collect};
  ts_progress_begin(r->progress);
  bool ok = ts_engine_run(&r->engine);
  ts_progress_end(r->progress);
  r->state = r->engine.result.stopped ? "paused" : ts_progress_any_failed(r->progress) ? "failed" : "done";
  return ok && !r->engine.result.stopped && check_columns(s, r->collector);
}

static const char *output_folder(struct session *s) {
  if (s->request->output) return ts_session_path(s, s->request->output);
  return ts_session_path(s, ts_arena_printf(&s->arena, "out/%s", s->study.name));
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
  struct ts_str csv = {0};
  ts_study_results_csv(s, r, &csv);
  bool ok = write_file(s, r->results_path, &csv);
  ts_str_release(&csv);
  return ok;
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
  r->folder = output_folder(s);
  r->report_path = ts_arena_printf(&s->arena, "%s/report.html", r->folder);
  r->results_path = ts_arena_printf(&s->arena, "%s/results.csv", r->folder);
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
  return ts_session_open_store(s, false, false) && ts_run_resume(s, "study") &&
         ts_session_open_dataset(s, !s->study.reference_is_default);
}

static int exit_code(const struct study_result *r) {
  if (strcmp(r->state, "paused") == 0) return 130;
  return strcmp(r->state, "failed") == 0 ? 1 : 0;
}

static void release(struct study_result *r) {
  ts_run_result_release(&r->engine.result);
  ts_progress_destroy(r->progress);
  if (r->collector) ts_collector_destroy(r->collector);
  ts_plan_destroy(r->plan);
  ts_sets_release(&r->sets);
  ts_study_pictures_release(r);
  free(r->outputs);
  free(r->indices);
}

int ts_study(const struct ts_request *request, char **reply) {
  struct session s;
  struct study_result r = {.state = "failed", .started_unix_ns = ts_clock_unix_ns(), .start_ns = ts_clock_ns()};
  json_t *object = NULL;
  ts_session_init(&s, request);
  bool ready =
      open_all(&s) && ts_sets_of_study(&s, &r.sets) && ts_session_open_trace(&s) && ts_run_open(&s, "study", r.run_id);
  if (ready) {
    name_files(&s, &r);
    bool complete = run_plan(&s, &r);
    if (complete) {
      gather_outputs(&s, &r);
      complete = analyse(&s, &r) && write_results(&s, &r) && ts_study_draw(&s, &r);
    }
    object = ts_study_object(&s, &r, complete);
    if (complete) write_report(&s, &r, object);
    ts_run_close(&s, r.run_id, ts_session_ok(&s) ? r.state : "failed", object);
  }
  if (!object) object = ts_reply_new("tessera.study/1");
  int code = ts_reply_finish(&s, object, exit_code(&r), reply);
  release(&r);
  ts_session_release(&s);
  return code;
}
