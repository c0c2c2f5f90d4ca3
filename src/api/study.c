/* The whole walk: file, data, design, plan, run, indices, report; phases and rounds where a study has several.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Start reading at ts_study: each step takes the result of the one before it. */
#include "api/api_int.h"
#include "order/order.h"
#include "project/check_data.h"
#include "study/study_result.h"
#include "work/progress.h"

#include "base/clock.h"

#include <string.h>

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
  s.order_reader = &ts_order_reader;
  /* A refused request leaves no run behind. */
  bool ready = open_all(&s) && ts_study_begin_phase(&s, &r) && ts_study_plan_round(&s, &r, &r.phases[0]) &&
               ts_check_output_folder(&s, ts_session_study_folder(&s)) && ts_session_open_trace(&s) &&
               ts_run_open(&s, "study", r.plan, r.sets.values, r.run_id);
  if (ready) {
    ts_session_warn_tiling(&s);
    ts_study_name_files(&s, &r);
    /* The results are in the reply and in the store even if files cannot be written. */
    bool complete = ts_study_run(&s, &r);
    bool written = complete && ts_study_write_results(&s, &r) && ts_study_draw(&s, &r);
    object = ts_study_object(&s, &r, complete, ts_reply_new("tessera.study/2"));
    written = written && ts_study_write_report(&s, &r, object);
    ts_run_close(&s, r.run_id, ts_session_ok(&s) ? r.state : "failed", object);
    if (complete && !written) json_object_set_new(object, "report", json_string(""));
  }
  if (!object) object = ts_reply_new("tessera.study/2");
  int code = ts_reply_finish(&s, object, exit_code(&r), reply);
  ts_study_result_release(&r);
  ts_work_release(&s);
  ts_run_release(&s);
  ts_session_release(&s);
  return code;
}
