/* A worker process: opens the session that the study's process describes, and takes buckets until there are none.
 * SPDX-License-Identifier: Apache-2.0 */
#include "study/engine.h"
#include "study/workers.h"

#include "base/alloc.h"
#include "base/log.h"
#include "dist/dist.h"
#include "op/watch.h"

#include <stdlib.h>
#include <string.h>

struct worker {
  struct session s;
  struct ts_request request;
  struct ts_dist_link *link; /* owned */
  struct ts_store *store;    /* owned by the session once it is open */
  struct ts_json_doc doc;    /* the description */
  struct ts_arena arena;
  struct ts_plan *plan;  /* owned */
  struct ts_value *sets; /* borrowed from the arena */
};

static bool bad_description(struct ts_error *err) {
  ts_fail(err, TS_ERR_WORKER, "the study's process sent a message that this program does not understand");
  ts_error_help(err, "the program was replaced while it ran: start the study again");
  return false;
}

static const char *text_of(const json_t *object, const char *name) {
  const char *text = json_string_value(json_object_get(object, name));
  return text ? text : "";
}

static json_int_t number_of(const json_t *object, const char *name) {
  return json_integer_value(json_object_get(object, name));
}

static bool is_true(const json_t *object, const char *name) { return json_is_true(json_object_get(object, name)); }

static void make_request(struct worker *w, const struct ts_request *given) {
  const json_t *d = w->doc.root, *data = json_object_get(d, "data");
  const char **files = ts_arena_array(&w->arena, json_array_size(data) + 1, sizeof *files);
  for (size_t i = 0; i < json_array_size(data); i++) files[i] = json_string_value(json_array_get(data, i));
  w->request = (struct ts_request){.folder = text_of(d, "folder"),
                                   .file = text_of(d, "file"),
                                   .data = files,
                                   .data_count = json_array_size(data),
                                   .has_tile = json_object_get(d, "tile") != NULL,
                                   .tile_px = number_of(d, "tile"),
                                   .threads = (size_t)number_of(d, "threads"),
                                   .memory_bytes = (uint64_t)number_of(d, "memory_bytes"),
                                   .scratch_bytes = (uint64_t)number_of(d, "scratch_bytes"),
                                   .no_reuse = !is_true(d, "use_store"),
                                   .no_cutoff = is_true(d, "no_cutoff"),
                                   .no_parts = is_true(d, "no_parts"),
                                   .stop = given->stop};
  ts_log_set_level((enum ts_log_level)number_of(d, "log_level"));
}

static bool read_sets(struct worker *w, const json_t *plan, struct ts_error *err) {
  const struct ts_workflow *workflow = w->s.workflow;
  const json_t *values = json_object_get(plan, "values");
  size_t count = (size_t)number_of(plan, "sets") * workflow->parameter_count;
  if (json_array_size(values) != count) return bad_description(err);
  w->sets = ts_arena_array(&w->arena, count + 1, sizeof *w->sets);
  for (size_t i = 0; i < count; i++) {
    if (!ts_value_from_json(json_array_get(values, i), workflow->parameters[i % workflow->parameter_count].type,
                            &w->arena, &w->sets[i], err))
      return false;
  }
  return true;
}

static bool make_plan(struct worker *w, struct ts_error *err) {
  const json_t *d = json_object_get(w->doc.root, "plan"), *wanted = json_object_get(d, "wanted");
  struct ts_source *sources = ts_arena_array(&w->arena, json_array_size(wanted) + 1, sizeof *sources);
  for (size_t i = 0; i < json_array_size(wanted); i++) {
    const json_t *pair = json_array_get(wanted, i);
    sources[i] = (struct ts_source){.kind = TS_SOURCE_TASK,
                                    .index = (size_t)json_integer_value(json_array_get(pair, 0)),
                                    .port = (size_t)json_integer_value(json_array_get(pair, 1))};
    if (sources[i].index >= w->s.workflow->task_count) return bad_description(err);
  }
  struct ts_plan_options options = {.raw_values = is_true(d, "raw_values"),
                                    .chain = is_true(d, "chain"),
                                    .crop_halo = w->s.study.halo_px > 0,
                                    .only_stage = number_of(d, "stage") < 0 ? TS_NONE : (size_t)number_of(d, "stage"),
                                    .supplied = w->s.supplied,
                                    .wanted = sources,
                                    .wanted_count = json_array_size(wanted)};
  if (!ts_merge_parse(text_of(d, "merge"), &options.merge)) return bad_description(err);
  if (!read_sets(w, d, err)) return false;
  w->plan = ts_plan_create(w->s.workflow, w->sets, (size_t)number_of(d, "sets"), &options, false, err);
  return w->plan != NULL;
}

static bool open_session(struct worker *w, const struct ts_request *given, struct ts_error *err) {
  const char *text = ts_dist_description(w->link);
  if (!ts_json_doc_parse(&w->doc, "description", text, strlen(text), err)) return bad_description(err);
  make_request(w, given);
  ts_session_release(&w->s); /* so far it only had a place for faults */
  ts_session_init(&w->s, &w->request);
  w->s.store = w->store;
  if (!ts_session_read(&w->s) || !ts_session_open_dataset(&w->s, is_true(w->doc.root, "is_study"))) return false;
  return make_plan(w, err);
}

static bool work(struct worker *w, struct ts_error *err) {
  const json_t *d = w->doc.root;
  struct ts_dist_worker dist = {.link = w->link, .store = w->store, .plan = w->plan, .dataset = &w->s.dataset};
  dist.run = ts_engine_options(&w->s);
  dist.run.run_id = text_of(d, "run");
  dist.run.no_cutoff = is_true(d, "no_cutoff");
  dist.run.keep_all = is_true(d, "keep_all");
  dist.run.stages_only = is_true(d, "stages_only");
  dist.run.memo = ts_engine_memo(&w->s, w->plan, &dist.run);
  const struct ts_watch_options watch = {.resume = "",
                                         .limit_s = json_number_value(json_object_get(d, "task_limit_s")),
                                         .user = w->store,
                                         .progress = ts_engine_count_kept};
  bool watching = false;
  bool ok = ts_watch_start(&watch, &watching, err) && ts_dist_work(&dist, err);
  if (watching) ts_watch_stop();
  return ok;
}

int ts_work(const struct ts_request *request, char **reply) {
  struct worker w = {0};
  struct ts_error err = {0};
  json_t *object = ts_reply_new("tessera.worker/1");
  if (!request->connect) {
    ts_fail(&err, TS_ERR_USAGE, "a worker is started by 'run' or 'study'");
    ts_error_help(&err, "use: tessera study --workers N");
  }
  ts_session_init(&w.s, request);
  if (err.code == TS_ERR_OK) w.link = ts_dist_connect(request->connect, &err);
  if (w.link)
    w.store = ts_store_open(&(struct ts_store_options){.backend = "remote", .path = ts_dist_store(w.link)}, &err);
  bool ok = w.store && open_session(&w, request, &err) && work(&w, &err);
  if (err.code != TS_ERR_OK) ts_session_fault(&w.s, &err);
  if (w.link && !ok) ts_dist_give_up(w.link, &w.s.faults);
  int code = ts_reply_finish(&w.s, object, 0, reply);
  ts_plan_destroy(w.plan);
  if (w.s.store != w.store) ts_store_close(w.store);
  ts_session_release(&w.s);
  ts_json_doc_close(&w.doc);
  ts_arena_release(&w.arena);
  ts_dist_disconnect(w.link);
  return code;
}
