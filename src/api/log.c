/* The messages of the tasks of a run.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/api_int.h"
#include "data/failure.h"
#include "order/order.h"

#include "base/alloc.h"

#include <string.h>

json_t *ts_task_row_json(const struct ts_task_row *row) {
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
  ts_failure_add_json(task, &failure.error, ts_str_get(&failure.log));
  if (failure.remark.length > 0) json_object_set_new(task, "remark", json_string(ts_str_get(&failure.remark)));
  if (failure.params) json_object_set(task, "params", failure.params);
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

static void fail_no_task(struct ts_past *past, const struct ts_task_row *rows, size_t count, const char *run,
                         struct ts_issues *issues) {
  struct ts_error err = {0};
  if (is_reading(past->request->task)) {
    ts_fail(&err, TS_ERR_NO_SUCH_RUN, "'%s' did not fail in run %s", past->request->task, run);
    ts_error_help(&err, "tasks of the workflow are recorded one by one, but of reading files only the failures");
  } else {
    ts_task_fail_unknown(rows, count, run, past->request->task, &err);
  }
  ts_issues_fault(issues, &err);
}

static bool is_asked(const struct ts_task_row *row, const char *asked) {
  if (!asked) return row->message[0] != '\0';
  return ts_task_row_fits(row, asked) || strcmp(row->stage, asked) == 0;
}

/* Without a task: those with a message. With one: all of that name, stage or key. Failed ones come first. */
static void add_log(struct ts_past *past, const struct ts_run_row *run, json_t *list, struct ts_issues *issues) {
  struct ts_task_row *rows = NULL;
  size_t count = 0;
  struct ts_error err = {0};
  if (!ts_store_task_list(past->store, run->id, &past->arena, &rows, &count, &err)) {
    ts_issues_fault(issues, &err);
    return;
  }
  add_unread(run, past->request->task, list);
  for (int pass = 0; pass < 2; pass++) {
    for (size_t i = 0; i < count; i++) {
      bool failed = strcmp(rows[i].outcome, "failed") == 0;
      if (is_asked(&rows[i], past->request->task) && failed == (pass == 0))
        json_array_append_new(list, ts_task_row_json(&rows[i]));
    }
  }
  if (past->request->task && json_array_size(list) == 0) fail_no_task(past, rows, count, run->id, issues);
}

/* "log segment.split" names a task of the last run: what is not made of the digits of an id is no run. */
static struct ts_request settle_operands(const struct ts_request *request) {
  struct ts_request settled = *request;
  if (!settled.run || settled.task || settled.run[strspn(settled.run, "0123456789abcdef")] == '\0') return settled;
  settled.task = settled.run;
  settled.run = NULL;
  return settled;
}

int ts_log_run(const struct ts_request *given, char **reply) {
  const struct ts_request settled = settle_operands(given), *request = &settled;
  struct ts_issues issues = {0};
  struct ts_past past;
  struct ts_run_row row;
  json_t *object = ts_reply_new("tessera.log/1");
  json_t *tasks = json_array();
  if (ts_past_open(&past, request, &issues) && ts_past_find(&past, NULL, &row, &issues)) {
    json_object_set_new(object, "run", json_string(row.id));
    add_log(&past, &row, tasks, &issues);
  }
  json_object_set_new(object, "tasks", tasks);
  return ts_past_finish(&past, object, 0, reply, &issues);
}
