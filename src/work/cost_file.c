/* Costs of tasks from a file: {"segment.split": 0.4, ...}, in seconds.
 * SPDX-License-Identifier: Apache-2.0 */
#include "work/bucketing.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

static bool find_task(const struct ts_workflow *w, const char *name, size_t *task) {
  struct ts_str text = {0};
  bool found = false;
  for (*task = 0; *task < w->task_count && !found; *task += !found) {
    ts_str_clear(&text);
    ts_str_addf(&text, "%s.%s", w->stages[w->tasks[*task].stage].name, w->tasks[*task].name);
    found = strcmp(ts_str_get(&text), name) == 0;
  }
  ts_str_release(&text);
  return found;
}

static bool read_one(const struct ts_json_doc *doc, const struct ts_workflow *w, const char *name, const json_t *value,
                     double *costs, struct ts_error *err) {
  size_t task = 0;
  struct ts_str pointer = {0};
  ts_json_pointer_add(&pointer, name);
  if (!find_task(w, name, &task)) {
    ts_fail(err, TS_ERR_UNKNOWN_KEY, "the workflow has no task '%s'", name);
    ts_error_help(err, "name tasks as 'stage.task'; 'tessera plan' lists them");
    ts_json_place(err, doc, ts_str_get(&pointer), TS_JSON_KEY);
  } else if (!json_is_number(value) || !(json_number_value(value) >= 0)) {
    ts_fail(err, TS_ERR_WRONG_TYPE, "the cost of '%s' is %s", name,
            json_is_number(value) ? "negative" : ts_json_kind(value));
    ts_error_help(err, "a cost is a number of seconds, 0 or more");
    ts_json_place(err, doc, ts_str_get(&pointer), TS_JSON_VALUE);
  } else {
    costs[task] = json_number_value(value);
  }
  ts_str_release(&pointer);
  return err->code == TS_ERR_OK;
}

static bool read_all(const struct ts_json_doc *doc, const struct ts_plan *plan, double *costs, struct ts_error *err) {
  const struct ts_workflow *w = plan->workflow;
  const char *name = NULL;
  json_t *value = NULL;
  if (!json_is_object(doc->root)) {
    ts_fail(err, TS_ERR_WRONG_TYPE, "a file of costs must be an object, this is %s", ts_json_kind(doc->root));
    ts_error_help(err, "write {\"stage.task\": seconds, ...}");
    ts_error_place(err, doc->file, 1, 1, "");
    return false;
  }
  json_object_foreach(doc->root, name, value) {
    if (!read_one(doc, w, name, value, costs, err)) return false;
  }
  for (size_t t = 0; t < w->task_count; t++) {
    if (!plan->active[t] || !isnan(costs[t])) continue;
    ts_fail(err, TS_ERR_MISSING_KEY, "the file of costs does not name '%s.%s'", w->stages[w->tasks[t].stage].name,
            w->tasks[t].name);
    ts_error_help(err, "give every task a cost in seconds; 'tessera bench' measures them");
    ts_error_place(err, doc->file, 0, 0, "");
    return false;
  }
  return true;
}

const double *ts_cost_file_read(struct ts_work *work, const struct ts_plan *plan, const char *file,
                                struct ts_issues *issues) {
  struct ts_json_doc doc;
  struct ts_error err = {0};
  double *costs = ts_arena_array(&work->arena, plan->workflow->task_count + 1, sizeof *costs);
  for (size_t t = 0; t < plan->workflow->task_count; t++) costs[t] = NAN;
  bool ok = ts_json_doc_open(&doc, file, &err);
  if (ok) {
    ok = read_all(&doc, plan, costs, &err);
    ts_json_doc_close(&doc);
  }
  for (size_t t = 0; t < plan->workflow->task_count; t++) costs[t] = isnan(costs[t]) ? 0 : costs[t];
  if (!ok) ts_issues_fault(issues, &err);
  return ok ? costs : NULL;
}
