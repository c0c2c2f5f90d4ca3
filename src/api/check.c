/* Checks files without running anything.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/api_int.h"
#include "project/check_data.h"
#include "study/sets.h"
#include "work/planning.h"

#include "api/embedded.h"
#include "base/alloc.h"

#include <string.h>

static size_t varied_count(const struct ts_workflow *w) {
  size_t count = 0;
  for (size_t p = 0; p < w->parameter_count; p++)
    count += w->parameters[p].levels || w->parameters[p].has_range ? 1 : 0;
  return count;
}

static void add_summary(struct session *s, json_t *object) {
  const struct ts_workflow *w = s->workflow;
  json_t *summary =
      json_pack("{s:I, s:I, s:I, s:I}", "stages", (json_int_t)w->stage_count, "tasks", (json_int_t)w->task_count,
                "parameters", (json_int_t)w->parameter_count, "varied", (json_int_t)varied_count(w));
  if (s->dataset.item_count > 0) {
    json_object_set_new(summary, "files", json_integer((json_int_t)s->dataset.item_count));
    json_object_set_new(summary, "tiles", json_integer((json_int_t)s->dataset.tile_count));
  }
  if (!s->study.is_bare_workflow) {
    struct parameter_sets sets;
    if (ts_sets_of_study(s, &sets)) json_object_set_new(summary, "runs", json_integer((json_int_t)sets.count));
    ts_sets_release(&sets);
  }
  json_object_set_new(object, "summary", summary);
}

/* Where results would go, without leaving anything there. */
static void check_outputs(struct session *s) {
  if (!s->study.is_bare_workflow && !ts_check_output_folder(s, ts_session_study_folder(s))) return;
  ts_check_output_folder(s, ts_session_run_folder(s));
}

static void warn(struct session *s) {
  size_t count = 0;
  ts_warn_about_defaults(s);
  if (s->dataset.tile_count == 0) return;
  struct ts_source *wanted = ts_session_all_products(s, NULL, NULL, &count);
  ts_warn_about_files(s, wanted, count);
  ts_session_warn_tiling(s);
}

int ts_check(const struct ts_request *request, char **reply) {
  struct session s;
  ts_session_init(&s, request);
  json_t *object = ts_reply_new("tessera.check/1");
  bool read = ts_session_read(&s);
  /* The data of a study is looked at even if another part of it is wrong: all faults at once. */
  if (s.workflow && (!s.study.is_bare_workflow || request->data_count > 0))
    ts_session_open_dataset(&s, !s.study.is_bare_workflow);
  if (read) check_outputs(&s);
  json_object_set_new(object, "file", json_string(s.study.path ? s.study.path : request->file ? request->file : ""));
  json_object_set_new(object, "kind", json_string(s.study.is_bare_workflow ? "workflow" : "study"));
  if (read && s.workflow) add_summary(&s, object);
  if (read && ts_session_ok(&s)) warn(&s);
  json_object_set_new(object, "ok", json_boolean(ts_session_ok(&s)));
  int code = ts_reply_finish(&s, object, 0, reply);
  ts_session_release(&s);
  return code;
}
