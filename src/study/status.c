/* Reports on the past: runs of a store, messages of their tasks, and the report of a past study.
 * SPDX-License-Identifier: Apache-2.0 */
#include "study/check_data.h"
#include "study/order.h"
#include "study/study_result.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "data/failure.h"

#include <stdio.h>
#include <string.h>

static json_t *field_of(const json_t *result, const char *name) {
  json_t *value = json_object_get(result, name);
  return value ? json_incref(value) : json_null();
}

static json_t *run_json(const struct ts_run_row *row) {
  char started[32];
  char finished[32] = "";
  json_t *result = row->result_json[0] ? json_loads(row->result_json, 0, NULL) : NULL;
  if (row->finished_unix_ns) ts_clock_print_utc(row->finished_unix_ns, finished);
  json_t *object =
      json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "id", row->id, "command", row->command, "file", row->file, "state",
                row->state, "started", ts_clock_print_utc(row->started_unix_ns, started), "finished", finished);
  const json_t *reuse = json_object_get(result, "reuse");
  json_object_set_new(object, "wall_s", field_of(result, "wall_s"));
  json_object_set_new(object, "answer", field_of(result, "answer"));
  json_object_set_new(object, "requested", field_of(reuse, "requested"));
  json_object_set_new(object, "executed", field_of(reuse, "executed"));
  json_object_set_new(object, "report", field_of(result, "report"));
  json_decref(result);
  return object;
}

/* "codes": {"T504": 3}, of the tasks that failed. */
static void count_code(json_t *entry, const char *message) {
  char name[16];
  ts_auto(ts_failure_release) struct ts_failure failure;
  ts_failure_unpack(message, &failure);
  snprintf(name, sizeof name, "T%03d", ts_error_number(failure.error.code));
  json_t *codes = json_object_get(entry, "codes");
  if (!codes) json_object_set_new(entry, "codes", codes = json_object());
  json_object_set_new(codes, name, json_integer(json_integer_value(json_object_get(codes, name)) + 1));
}

/* Counts of a run's tasks by outcome, in the order in which they first appear. */
static json_t *detail_json(const struct ts_task_row *rows, size_t count) {
  json_t *list = json_array();
  json_t *by_name = json_object();
  for (size_t i = 0; i < count; i++) {
    char name[160];
    ts_join_names(rows[i].stage, rows[i].name, name, sizeof name);
    json_t *entry = json_object_get(by_name, name);
    if (!entry) {
      entry = json_pack("{s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:f}", "stage", rows[i].stage, "task", rows[i].name,
                        "executed", 0, "cutoff", 0, "store", 0, "failed", 0, "skipped", 0, "seconds", 0.0);
      json_object_set_new(by_name, name, entry);
      json_array_append(list, entry);
    }
    json_t *outcome = json_object_get(entry, rows[i].outcome);
    if (outcome) json_integer_set(outcome, json_integer_value(outcome) + 1);
    json_t *seconds = json_object_get(entry, "seconds");
    json_real_set(seconds, json_real_value(seconds) + rows[i].seconds);
    if (rows[i].message[0]) count_code(entry, rows[i].message);
  }
  json_decref(by_name);
  return list;
}

/* What the run does, as it was described when it began. */
static void add_order(struct session *s, const struct ts_run_row *row, json_t *detail) {
  struct ts_order order;
  struct ts_error err = {0};
  if (!ts_order_load(s->store, row, &order, &err)) ts_session_warn(s, "%s", err.text);
  if (order.root) json_object_set(detail, "order", order.root);
  if (order.root) json_object_set_new(detail, "fingerprint", json_string(ts_order_row_text(order.row, "fingerprint")));
  ts_order_release(&order);
}

static void add_detail(struct session *s, json_t *object) {
  struct ts_run_row row;
  struct ts_task_row *rows = NULL;
  size_t count = 0;
  struct ts_error err = {0};
  if (!ts_run_find(s, NULL, &row)) return;
  if (!ts_store_task_list(s->store, row.id, &s->arena, &rows, &count, &err)) {
    ts_session_fault(s, &err);
    return;
  }
  json_object_set_new(object, "runs", json_pack("[o]", run_json(&row)));
  json_t *detail = json_pack("{s:o}", "by_task", detail_json(rows, count));
  add_order(s, &row, detail);
  json_object_set_new(object, "detail", detail);
}

int ts_status(const struct ts_request *request, char **reply) {
  struct session s;
  ts_session_init(&s, request);
  json_t *object = ts_reply_new("tessera.status/1");
  struct ts_run_row *rows = NULL;
  size_t count = 0;
  struct ts_error err = {0};
  json_t *runs = json_array();
  json_object_set_new(object, "runs", runs);
  if (ts_session_open_store(&s, true, true)) {
    if (request->run)
      add_detail(&s, object);
    else if (!ts_store_run_list(s.store, &s.arena, &rows, &count, &err))
      ts_session_fault(&s, &err);
    for (size_t i = 0; i < count; i++) json_array_append_new(runs, run_json(&rows[i]));
  }
  int code = ts_reply_finish(&s, object, 0, reply);
  ts_session_release(&s);
  return code;
}

/* "segment.split" or "split" by name, "segment/9c1e" or "9c1e…" by the first digits of the key. */
bool ts_task_row_fits(const struct ts_task_row *row, const char *asked) {
  char name[160];
  char key[TS_KEY_TEXT_SIZE];
  ts_key_print(&row->key, key);
  ts_join_names(row->stage, row->name, name, sizeof name);
  if (strcmp(asked, name) == 0 || strcmp(asked, row->name) == 0) return true;
  const char *slash = strchr(asked, '/');
  size_t stage_length = slash ? (size_t)(slash - asked) : 0;
  if (slash && (strncmp(asked, row->stage, stage_length) != 0 || row->stage[stage_length] != '\0') &&
      (strncmp(asked, name, stage_length) != 0 || name[stage_length] != '\0'))
    return false;
  const char *digits = slash ? slash + 1 : asked;
  if (strncmp(digits, "k1:", 3) == 0) digits += 3;
  return strlen(digits) >= 4 && strncmp(digits, key + 3, strlen(digits)) == 0;
}

static json_t *task_json(const struct ts_task_row *row) {
  char key[TS_KEY_TEXT_SIZE];
  char name[160];
  ts_key_print(&row->key, key);
  ts_join_names(row->stage, row->name, name, sizeof name);
  json_t *task =
      json_pack("{s:s, s:s, s:I, s:I, s:s, s:f, s:s}", "task", name, "key", key, "set", (json_int_t)row->set, "unit",
                (json_int_t)row->unit, "outcome", row->outcome, "seconds", row->seconds, "message", "");
  if (!row->message[0]) return task;
  ts_auto(ts_failure_release) struct ts_failure failure;
  ts_failure_unpack(row->message, &failure);
  ts_reply_add_failure(task, &failure.error, ts_str_get(&failure.log));
  return task;
}

static bool is_reading(const char *name) { return strncmp(name, "read.", 5) == 0; }

/* Reading a file is not a task of the workflow and leaves no row; failed reads are in the result of the run. */
static void add_unread(const struct ts_run_row *run, const char *asked, json_t *list) {
  ts_auto(json_decrefp) json_t *result = run->result_json[0] ? json_loads(run->result_json, 0, NULL) : NULL;
  size_t i;
  json_t *entry;
  json_array_foreach(json_object_get(result, "failed"), i, entry) {
    const char *name = json_string_value(json_object_get(entry, "task"));
    if (!name || !is_reading(name) || (asked && strcmp(asked, name) != 0)) continue;
    json_object_set_new(entry, "outcome", json_string("failed"));
    json_array_append(list, entry);
  }
}

static void fail_no_task(struct session *s, const char *run) {
  struct ts_error err = {0};
  if (is_reading(s->request->task)) {
    ts_fail(&err, TS_ERR_NO_SUCH_RUN, "'%s' did not fail in run %s", s->request->task, run);
    ts_error_help(&err, "tasks of the workflow are recorded one by one, but of reading files only the failures");
  } else {
    ts_fail(&err, TS_ERR_NO_SUCH_RUN, "run %s has no task '%s'", run, s->request->task);
    ts_error_help(&err, "see its tasks with: tessera status %s", run);
  }
  ts_session_fault(s, &err);
}

/* Without a task: those with a message. With one: all of that name or key. Failed ones come first. */
static void add_log(struct session *s, const struct ts_run_row *run, json_t *list) {
  struct ts_task_row *rows = NULL;
  size_t count = 0;
  struct ts_error err = {0};
  if (!ts_store_task_list(s->store, run->id, &s->arena, &rows, &count, &err)) {
    ts_session_fault(s, &err);
    return;
  }
  add_unread(run, s->request->task, list);
  for (int pass = 0; pass < 2; pass++) {
    for (size_t i = 0; i < count; i++) {
      bool failed = strcmp(rows[i].outcome, "failed") == 0;
      bool asked = s->request->task ? ts_task_row_fits(&rows[i], s->request->task) : rows[i].message[0] != '\0';
      if (asked && failed == (pass == 0)) json_array_append_new(list, task_json(&rows[i]));
    }
  }
  if (s->request->task && json_array_size(list) == 0) fail_no_task(s, run->id);
}

int ts_log_run(const struct ts_request *request, char **reply) {
  struct session s;
  struct ts_run_row row;
  ts_session_init(&s, request);
  json_t *object = ts_reply_new("tessera.log/1");
  json_t *tasks = json_array();
  if (ts_session_open_store(&s, true, true) && ts_run_find(&s, NULL, &row)) {
    json_object_set_new(object, "run", json_string(row.id));
    add_log(&s, &row, tasks);
  }
  json_object_set_new(object, "tasks", tasks);
  int code = ts_reply_finish(&s, object, 0, reply);
  ts_session_release(&s);
  return code;
}

static void render_report(struct session *s, const struct ts_run_row *row, json_t *object) {
  struct ts_error err = {0};
  struct ts_str html = {0};
  json_t *result = row->result_json[0] ? json_loads(row->result_json, 0, NULL) : NULL;
  const char *path = s->request->output ? ts_session_path(s, s->request->output)
                                        : ts_session_path(s, ts_arena_printf(&s->arena, "report-%s.html", row->id));
  if (strcmp(row->command, "study") != 0) {
    ts_fail(&err, TS_ERR_NO_SUCH_RUN, "run %s is not a study: there is nothing to report", row->id);
    ts_error_help(&err, "see which runs are studies with: tessera status");
  } else if (!result || !json_object_get(result, "answer")) {
    ts_fail(&err, TS_ERR_NO_SUCH_RUN, "run %s has no result yet: it is %s", row->id, row->state);
    ts_error_help(&err, "continue it with: tessera %s --resume %s", row->command, row->id);
  } else if (ts_check_output_file(s, path)) {
    const char *first = json_string_value(json_object_get(result, "report")); /* its pictures lie beside it */
    char *folder = ts_path_folder(first ? first : "");
    if (ts_study_report(result, folder, &html, &err)) ts_file_write_atomic(path, ts_str_get(&html), html.length, &err);
    free(folder);
  }
  json_object_set_new(object, "run", json_string(row->id));
  json_object_set_new(object, "report", json_string(path));
  if (err.code != TS_ERR_OK) ts_session_fault(s, &err);
  json_decref(result);
  ts_str_release(&html);
}

int ts_report(const struct ts_request *request, char **reply) {
  struct session s;
  struct ts_run_row row;
  ts_session_init(&s, request);
  json_t *object = ts_reply_new("tessera.report/1");
  if (ts_session_open_store(&s, true, true) && ts_run_find(&s, "study", &row)) render_report(&s, &row, object);
  int code = ts_reply_finish(&s, object, 0, reply);
  ts_session_release(&s);
  return code;
}
