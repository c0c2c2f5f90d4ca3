/* Lists the runs of a store, or one of them with its tasks.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/api_int.h"
#include "data/failure.h"
#include "order/order.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"

#include <stdio.h>
#include <string.h>

static json_t *field_of(const json_t *result, const char *name) {
  json_t *value = json_object_get(result, name);
  return value ? json_incref(value) : json_null();
}

static json_t *run_json(const struct ts_run_row *row) {
  char started[32];
  char finished[32] = "";
  json_auto_t *result = row->result_json[0] ? json_loads(row->result_json, 0, NULL) : NULL;
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
  json_auto_t *by_name = json_object();
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
    if (strcmp(rows[i].outcome, "failed") == 0) count_code(entry, rows[i].message);
  }
  return list;
}

/* What the run does, as it was described when it began. */
static void add_order(struct ts_past *past, const struct ts_run_row *row, json_t *detail, struct ts_issues *issues) {
  ts_auto(ts_order_release) struct ts_order order;
  struct ts_error err = {0};
  if (!ts_order_load(past->store, row, &order, &err)) ts_issues_warn(issues, "%s", err.text);
  if (order.root) json_object_set(detail, "order", order.root);
  if (order.root) json_object_set_new(detail, "fingerprint", json_string(ts_order_row_text(order.row, "fingerprint")));
  if (order.rounds) json_object_set(detail, "rounds", order.rounds);
}

static void add_detail(struct ts_past *past, json_t *object, struct ts_issues *issues) {
  struct ts_run_row row;
  struct ts_task_row *rows = NULL;
  size_t count = 0;
  struct ts_error err = {0};
  if (!ts_past_find(past, NULL, &row, issues)) return;
  if (!ts_store_task_list(past->store, row.id, &past->arena, &rows, &count, &err)) {
    ts_issues_fault(issues, &err);
    return;
  }
  json_object_set_new(object, "runs", json_pack("[o]", run_json(&row)));
  json_t *detail = json_pack("{s:o}", "by_task", detail_json(rows, count));
  add_order(past, &row, detail, issues);
  json_object_set_new(object, "detail", detail);
}

int ts_status(const struct ts_request *request, char **reply) { return ts_status_of(request, NULL, reply); }

int ts_status_of(const struct ts_request *request, struct ts_store *store, char **reply) {
  struct ts_issues issues = {0};
  struct ts_past past = {.request = request, .store = store, .has_lent_store = store != NULL};
  json_t *object = ts_reply_new("tessera.status/1");
  struct ts_run_row *rows = NULL;
  size_t count = 0;
  struct ts_error err = {0};
  json_t *runs = json_array();
  json_object_set_new(object, "runs", runs);
  if (store || ts_past_open(&past, request, &issues)) {
    if (request->run)
      add_detail(&past, object, &issues);
    else if (!ts_store_run_list(past.store, &past.arena, &rows, &count, &err))
      ts_issues_fault(&issues, &err);
    for (size_t i = 0; i < count; i++) json_array_append_new(runs, run_json(&rows[i]));
  }
  return ts_past_finish(&past, object, 0, reply, &issues);
}
