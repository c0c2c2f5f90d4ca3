/* A worker process: opens the project that the study's process describes, and takes buckets until there are none.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/api_int.h"
#include "order/order.h"
#include "work/engine.h"
#include "work/planning.h"
#include "work/workers.h"

#include "base/alloc.h"
#include "base/log.h"
#include "dist/dist.h"
#include "op/watch.h"

#include <stdlib.h>
#include <string.h>

struct worker {
  struct ts_issues issues;
  struct ts_project project;
  struct ts_work work;
  struct ts_request request;
  struct ts_dist_link *link; /* owned */
  struct ts_json_doc doc;    /* the description */
  struct ts_order order;
  struct ts_arena arena;
  struct ts_plan *plan; /* owned */
};

static bool bad_description(struct ts_error *err) {
  ts_fail(err, TS_ERR_WORKER, "the study's process sent a message that this program does not understand");
  return ts_error_help(err, "the program was replaced while it ran: start the study again");
}

static const char *text_of(const json_t *object, const char *name) {
  const char *text = json_string_value(json_object_get(object, name));
  return text ? text : "";
}

static json_int_t number_of(const json_t *object, const char *name) {
  return json_integer_value(json_object_get(object, name));
}

/* What the order says, with the share of the machine that this process has. */
static void make_request(struct worker *w, const struct ts_request *given) {
  const json_t *d = w->doc.root;
  w->request = (struct ts_request){.threads = (size_t)number_of(d, "threads"),
                                   .memory_bytes = (uint64_t)number_of(d, "memory_bytes"),
                                   .scratch_bytes = (uint64_t)number_of(d, "scratch_bytes"),
                                   .data_roots = given->data_roots,
                                   .data_root_count = given->data_root_count,
                                   .operations = given->operations,
                                   .operations_count = given->operations_count,
                                   .stop = given->stop,
                                   .watch = given->watch};
  ts_order_restore(&w->arena, &w->order, &w->request);
  w->request.workers = 0; /* this is one of them */
  ts_log_set_level((enum ts_log_level)number_of(d, "log_level"));
}

static bool take_order(struct worker *w, struct ts_error *err) {
  w->order.root = json_incref(json_object_get(w->doc.root, "order"));
  w->order.locations = json_incref(json_object_get(w->doc.root, "locations"));
  return ts_order_check(w->order.root, "the study", err);
}

static bool open_project(struct worker *w, const struct ts_request *given, struct ts_error *err) {
  const char *text = ts_dist_description(w->link);
  if (!ts_json_doc_parse(&w->doc, "description", text, strlen(text), err)) return bad_description(err);
  if (!take_order(w, err)) return false;
  make_request(w, given);
  struct ts_store *store = w->work.store;
  ts_project_init(&w->project, &w->request);
  const bool possible = ts_work_init(&w->work, &w->project, &w->issues);
  w->work.store = w->project.store = store;
  w->project.order = &w->order;
  w->project.order_reader = &ts_order_reader;
  const json_t *options = json_object_get(w->order.root, "options");
  const bool is_study = strcmp(text_of(options, "command"), "study") == 0;
  if (!possible || !ts_project_read(&w->project, &w->issues) ||
      !ts_project_open_dataset(&w->project, is_study, &w->issues))
    return false;
  w->plan = ts_planning_of_order(&w->work, &w->issues);
  return w->plan != NULL;
}

static bool work(struct worker *w, struct ts_error *err) {
  const json_t *d = w->doc.root;
  struct ts_dist_worker dist = {
      .link = w->link, .store = w->work.store, .plan = w->plan, .dataset = &w->project.dataset};
  dist.run = ts_engine_options(&w->work);
  dist.run.run_id = text_of(d, "run");
  dist.run.keep_all = json_is_true(json_object_get(d, "keep_all"));
  if (ts_merge_needs_buckets(w->plan->options.merge)) ts_workers_bucket_options(&dist.run);
  dist.run.memo = ts_engine_memo(&w->work, w->plan, &dist.run);
  bool watching = false;
  bool ok = ts_engine_watch(&w->work, text_of(d, "resume"), true, &watching, err) && ts_dist_work(&dist, err);
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
  if (err.code == TS_ERR_OK) w.link = ts_dist_connect(request->connect, request->watch, &err);
  if (w.link)
    w.work.store = ts_store_open(&(struct ts_store_options){.backend = "remote", .path = ts_dist_store(w.link)}, &err);
  bool ok = w.work.store && open_project(&w, request, &err) && work(&w, &err);
  if (err.code != TS_ERR_OK) ts_issues_fault(&w.issues, &err);
  if (w.link && !ok) ts_dist_give_up(w.link, &w.issues.faults);
  int code = ts_reply_finish(object, 0, reply, w.project.store, &w.issues);
  ts_plan_destroy(w.plan);
  ts_work_release(&w.work);
  ts_project_release(&w.project);
  ts_order_release(&w.order);
  ts_json_doc_close(&w.doc);
  ts_arena_release(&w.arena);
  ts_dist_disconnect(w.link);
  return code;
}
