/* One parameter set over the data: every output of the workflow as files.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/api_int.h"
#include "order/order.h"
#include "project/check_data.h"
#include "study/sets.h"
#include "work/engine.h"
#include "work/planning.h"
#include "work/progress.h"
#include "work/quality.h"
#include "work/workers.h"
#include "work/write_products.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"

#include <stdlib.h>
#include <string.h>

struct run_state {
  char id[9];
  const char *state;
  struct parameter_sets sets;
  struct ts_plan *plan;
  const char **names; /* of the products; in the session's arena */
  struct progress *progress;
  struct engine_run engine;
  json_t *outputs;
  struct quality *quality; /* owned */
};

/* Products come in the order in which tasks finish; the reply lists them in a stable one. */
static int compare_strings(const void *a, const void *b) {
  return strcmp(json_string_value(*(json_t *const *)a), json_string_value(*(json_t *const *)b));
}

static json_t *sorted(json_t *list) {
  size_t count = json_array_size(list);
  json_t **items = ts_calloc(count + 1, sizeof(json_t *));
  for (size_t i = 0; i < count; i++) items[i] = json_array_get(list, i);
  qsort(items, count, sizeof(json_t *), compare_strings);
  json_t *result = json_array();
  for (size_t i = 0; i < count; i++) json_array_append(result, items[i]);
  free(items);
  return result;
}

/* Requests that cannot be met are refused here, before a run is recorded. */
static bool make_plan(struct session *s, struct run_state *r) {
  size_t total = 0;
  for (size_t i = 0; i < s->workflow->stage_count; i++) total += s->workflow->stages[i].output_count;
  r->names = ts_arena_array(&s->arena, total + 1, sizeof *r->names);
  size_t count = 0;
  struct ts_source *wanted = ts_session_all_products(s, r->sets.values, r->names, &count);
  if (ts_session_ok(s)) ts_warn_about_files(s, wanted, count);
  if (ts_session_ok(s)) r->plan = ts_session_plan(s, r->sets.values, r->sets.count, wanted, count, false);
  return r->plan && ts_workers_check(s, r->plan);
}

static bool execute(struct session *s, struct run_state *r) {
  ts_auto_free char *start = ts_path_absolute("");
  r->quality = ts_quality_create(s, r->plan);
  struct product_writer writer = {.s = s,
                                  .plan = r->plan,
                                  .names = r->names,
                                  .folder = ts_session_run_folder(s),
                                  .start = start,
                                  .outputs = r->outputs,
                                  .quality = r->quality};
  r->progress = ts_progress_create(s, r->plan, r->id, ts_session_threads(s));
  r->engine = (struct engine_run){.s = s,
                                  .plan = r->plan,
                                  .values = r->sets.values,
                                  .run_id = r->id,
                                  .command = "run",
                                  .progress = r->progress,
                                  .user = &writer,
                                  .on_product = ts_write_product};
  ts_write_products_remove_skipped(&writer);
  ts_progress_begin(r->progress);
  bool ok = ts_engine_run(&r->engine);
  ts_write_products_end(&writer);
  ts_progress_end(r->progress);
  r->state = r->engine.result.stopped ? "paused" : ts_progress_any_failed(r->progress) ? "failed" : "done";
  return ok;
}

static void describe(struct session *s, struct run_state *r, json_t *object) {
  const struct ts_run_result *result = &r->engine.result;
  json_object_set_new(object, "run", json_string(r->id));
  json_object_set_new(object, "state", json_string(r->state));
  json_object_set_new(object, "name", json_string(s->study.name));
  json_object_set_new(object, "file", json_string(s->study.path));
  json_object_set_new(object, "params", ts_reply_values(r->sets.values, s->workflow));
  json_object_set_new(object, "outputs", sorted(r->outputs));
  json_object_set_new(object, "skipped", json_incref(s->skipped));
  ts_quality_json(r->quality, object);
  json_object_set_new(object, "reuse", ts_counts_reuse(s, r->plan, result));
  json_object_set_new(object, "reference", ts_counts_reference(s, r->plan, result));
  json_object_set_new(object, "by_task", ts_counts_by_task(s, r->plan, result, r->progress));
  json_object_set_new(object, "profile", ts_counts_profile(s, result, r->progress));
  json_object_set_new(object, "failed", ts_progress_failed(r->progress));
  json_object_set_new(object, "threads", json_integer((json_int_t)result->threads));
  if (result->workers > 0) {
    json_object_set_new(object, "workers", json_integer((json_int_t)result->workers));
    json_object_set_new(object, "buckets", json_integer((json_int_t)result->buckets));
  }
  json_object_set_new(object, "peak_bytes", json_integer((json_int_t)result->peak_bytes));
  json_object_set_new(object, "wall_s", json_real(result->wall_s));
  json_object_set_new(object, "cpu_s", json_real(result->cpu_total_s));
}

static int exit_code(const struct run_state *r) {
  if (strcmp(r->state, "paused") == 0) return 130;
  return strcmp(r->state, "failed") == 0 ? 1 : 0;
}

int ts_run_workflow(const struct ts_request *request, char **reply) { return ts_run_of(request, NULL, reply); }

int ts_run_of(const struct ts_request *request, const struct ts_order *order, char **reply) {
  struct session s;
  struct run_state r = {.state = "failed", .outputs = json_array()};
  ts_session_init(&s, request);
  s.order = order;
  s.order_reader = &ts_order_reader;
  json_t *object = ts_reply_new("tessera.run/2");
  bool ready = ts_session_read(&s) && ts_session_open_store(&s, false, false) && ts_run_resume(&s, "run") &&
               ts_session_open_dataset(&s, false) && ts_sets_single(&s, &r.sets);
  ready = ready && make_plan(&s, &r) && ts_check_output_folder(&s, ts_session_run_folder(&s)) &&
          ts_session_open_trace(&s) && ts_run_open(&s, "run", r.plan, r.sets.values, r.id);
  if (ready) {
    ts_session_warn_tiling(&s);
    execute(&s, &r);
    describe(&s, &r, object);
    ts_run_close(&s, r.id, ts_session_ok(&s) ? r.state : "failed", object);
  }
  int code = ts_reply_finish(&s, object, exit_code(&r), reply);
  ts_run_result_release(&r.engine.result);
  ts_progress_destroy(r.progress);
  ts_plan_destroy(r.plan);
  ts_sets_release(&r.sets);
  json_decref(r.outputs);
  ts_quality_destroy(r.quality);
  ts_work_release(&s);
  ts_run_release(&s);
  ts_session_release(&s);
  return code;
}
