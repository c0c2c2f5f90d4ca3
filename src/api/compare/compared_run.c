/* Opens a recorded run for comparing.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/compare/compared_run.h"

#include "base/alloc.h"
#include "base/file.h"

#include <string.h>

void ts_compared_run_release(struct ts_compared_run *run) {
  if (run->is_open) ts_project_release(&run->project);
  ts_order_release(&run->order);
  json_decref(run->result);
  ts_arena_release(&run->arena);
  *run = (struct ts_compared_run){0};
}

static bool fail_kind(const struct ts_run_row *row, struct ts_issues *issues) {
  struct ts_error err = {0};
  ts_fail(&err, TS_ERR_USAGE, "%s is a %s of many parameter sets, and runs are compared", row->id, row->command);
  ts_error_help(&err, "make a run of one of its sets with: tessera run --of %s --set N (results.csv has the sets)",
                row->id);
  return ts_issues_fault(issues, &err);
}

static bool fail_unfinished(const struct ts_run_row *row, struct ts_issues *issues) {
  struct ts_error err = {0};
  const bool is_running = strcmp(row->state, "running") == 0;
  ts_fail(&err, TS_ERR_USAGE, "run %s is not finished: it is %s", row->id, row->state);
  if (is_running)
    ts_error_help(&err, "wait until it ends");
  else
    ts_error_help(&err, "finish it with: tessera run --resume %s", row->id);
  return ts_issues_fault(issues, &err);
}

static const char *folder_of(struct ts_compared_run *run) {
  const json_t *outputs = json_object_get(run->result, "outputs");
  for (size_t i = 0; i < json_array_size(outputs); i++) {
    const char *path = json_string_value(json_array_get(outputs, i));
    if (!path || strcmp(ts_path_name(path), "run.json") != 0) continue;
    ts_auto_free char *folder = ts_path_folder(path);
    return ts_arena_strdup(&run->arena, folder);
  }
  return "";
}

bool ts_compared_run_find(struct ts_compared_run *run, struct ts_store *store, const char *id,
                          struct ts_issues *issues) {
  struct ts_error err = {0};
  if (!ts_run_find(store, id, NULL, &run->arena, &run->row, issues)) return false;
  const struct ts_run_row *row = &run->row;
  if (strcmp(row->command, "run") != 0) return fail_kind(row, issues);
  if (strcmp(row->state, "done") != 0 && strcmp(row->state, "failed") != 0) return fail_unfinished(row, issues);
  run->result = row->result_json[0] ? json_loads(row->result_json, 0, NULL) : NULL;
  if (!run->result) return fail_unfinished(row, issues);
  run->folder = folder_of(run);
  if (!ts_store_task_list(store, row->id, &run->arena, &run->rows, &run->row_count, &err) ||
      !ts_order_load(store, row, &run->order, &err))
    return ts_issues_fault(issues, &err);
  return true;
}

/* Data is searched beside the file of the run, or beside the file of that name in the project that was named: one that
 * was moved. */
static const char *file_of(struct ts_compared_run *run, const struct ts_request *asked) {
  const char *here = ts_request_path(asked, &run->arena, ts_path_name(run->row.file));
  return !ts_file_exists(run->row.file) && ts_file_exists(here) ? here : run->row.file;
}

static bool open_project(struct ts_compared_run *run, struct ts_store *store, const struct ts_request *asked,
                         struct ts_issues *issues) {
  run->request = (struct ts_request){.folder = asked->folder,
                                     .data_roots = asked->data_roots,
                                     .data_root_count = asked->data_root_count,
                                     .operations = asked->operations,
                                     .operations_count = asked->operations_count};
  ts_order_restore(&run->arena, &run->order, &run->request);
  run->request.workers = 0;
  run->order.file = file_of(run, asked);
  run->project.order = &run->order;
  run->project.order_reader = &ts_order_reader;
  run->project.store = store;
  return ts_project_read(&run->project, issues) && ts_project_open_dataset(&run->project, false, issues);
}

bool ts_compared_run_open(struct ts_compared_run *run, struct ts_store *store, const struct ts_request *asked,
                          struct ts_error *why) {
  struct ts_issues issues = {0};
  if (!run->order.root) return ts_fail(why, TS_ERR_STORE_FORMAT, "an earlier version kept no work order of it");
  ts_project_init(&run->project, &run->request);
  run->is_open = open_project(run, store, asked, &issues);
  if (!run->is_open) {
    if (issues.faults.count > 0) *why = issues.faults.items[0];
    ts_project_release(&run->project);
  }
  ts_issues_release(&issues);
  return run->is_open;
}

size_t ts_compared_run_item(const struct ts_compared_run *run, const char *name) {
  const struct ts_dataset *dataset = &run->project.dataset;
  for (size_t i = 0; i < dataset->item_count; i++)
    if (strcmp(dataset->items[i].name, name) == 0) return i;
  return TS_NONE;
}
