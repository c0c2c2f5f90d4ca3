/* Run records: begin, continue, end, find.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A run that was interrupted is continued under its own id, with what its work order says; its finished products are
 * found in the store by key, so that continuing needs no other state. */
#include "order/order.h"

#include "base/alloc.h"
#include "base/const.h"
#include "base/file.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static void absolute_path(const struct ts_project *project, char absolute[PATH_MAX]) {
  if (!realpath(project->study.path, absolute)) snprintf(absolute, PATH_MAX, "%s", project->study.path);
}

static bool is_same(const char *a, const char *b) { return a && b && strcmp(a, b) == 0; }

/* Whether a run is one of the project's file, although that lies elsewhere now: it has the same text, or its old place
 * is empty and it has the same name. */
static bool was_moved(const struct ts_project *project, const struct ts_run_row *row) {
  char text[65];
  ts_auto(json_decrefp) json_t *object = json_loads(row->settings_json, 0, NULL);
  ts_order_file_digest(project, text);
  if (is_same(ts_order_row_text(object, "file"), text)) return true;
  return !ts_file_exists(row->file) && is_same(ts_order_row_text(object, "name"), project->study.name) &&
         strcmp(ts_path_name(row->file), ts_path_name(project->study.path)) == 0;
}

bool ts_run_is_near(const struct ts_project *project, const struct ts_run_row *row, bool same_file) {
  char file[PATH_MAX];
  absolute_path(project, file);
  if (same_file) return strcmp(row->file, file) == 0 || was_moved(project, row);
  ts_auto_free char *own = ts_path_folder(file);
  ts_auto_free char *other = ts_path_folder(row->file);
  return strcmp(own, other) == 0;
}

/* The last unfinished run of the command for the file that is not under way: the one at its place, or else one of a
 * file that was moved. */
static const struct ts_run_row *find_last(const struct ts_project *project, const char *command,
                                          const struct ts_run_row *rows, size_t count) {
  char file[PATH_MAX];
  absolute_path(project, file);
  for (int moved = 0; moved < 2; moved++) {
    for (size_t i = 0; i < count; i++) {
      if (strcmp(rows[i].command, command) != 0 || strcmp(rows[i].state, "done") == 0) continue;
      const bool is_it = moved ? was_moved(project, &rows[i]) : strcmp(rows[i].file, file) == 0;
      if (is_it && ts_lent_claim(project->lent, rows[i].id)) return &rows[i];
    }
  }
  return NULL;
}

/* The run to continue: the named one, or the last unfinished one of the same file and command. */
static const struct ts_run_row *find_unfinished(struct ts_project *project, const char *command, struct ts_error *err) {
  struct ts_run_row *rows = NULL;
  size_t count = 0;
  const char *asked = project->request->resume_id;
  if (!ts_store_run_list(project->store, &project->arena, &rows, &count, err)) return NULL;
  const struct ts_run_row *found = asked ? NULL : find_last(project, command, rows, count);
  for (size_t i = 0; asked && i < count; i++)
    if (strcmp(rows[i].id, asked) == 0) found = &rows[i];
  if (found && asked && !ts_lent_claim(project->lent, asked)) {
    ts_fail(err, TS_ERR_USAGE, "run %s is under way in this process", asked);
    ts_error_help(err, "wait for it, or stop it first");
    return NULL;
  }
  if (found) return found;
  if (asked)
    ts_fail(err, TS_ERR_NO_SUCH_RUN, "there is no run '%s' in the store", asked);
  else
    ts_fail(err, TS_ERR_NO_SUCH_RUN, "there is no unfinished %s of '%s'", command, project->study.path);
  ts_error_help(err, "see the runs with: tessera status");
  return NULL;
}

bool ts_run_resume(struct ts_resumed *resumed, struct ts_project *project, const char *command,
                   struct ts_issues *issues) {
  struct ts_error err = {0};
  if (!project->request->resume) return true;
  const struct ts_run_row *row = find_unfinished(project, command, &err);
  if (!row || !ts_order_load(project->store, row, &resumed->order, &err)) return ts_issues_fault(issues, &err);
  resumed->request = *project->request;
  ts_order_restore(&project->arena, &resumed->order, &resumed->request);
  memcpy(resumed->id, row->id, sizeof resumed->id);
  project->request = &resumed->request;
  project->begun = &resumed->order;
  project->order_reader = &ts_order_reader;
  return true;
}

/* ---- what a run was begun with ---- */

#define CHANGED_NAMED 5 /* files; further ones are only counted */

static bool has_changed(const json_t *then, const json_t *now, const char *input) {
  const char *was = json_string_value(json_object_get(json_object_get(then, input), "digest"));
  const char *is = json_string_value(json_object_get(json_object_get(now, input), "digest"));
  return was && is && strcmp(was, is) != 0;
}

static bool has_name(const json_t *item, const char *name) {
  const char *other = json_string_value(json_object_get(item, "name"));
  return other && strcmp(other, name) == 0;
}

/* Of the item with this name, which is mostly the one with the same number. Items that were added or left out since
 * are not reported. */
static const json_t *inputs_of(const json_t *items, size_t number, const char *name) {
  const json_t *item = json_array_get(items, number);
  for (size_t i = 0; i < json_array_size(items) && !has_name(item, name); i++) item = json_array_get(items, i);
  return has_name(item, name) ? json_object_get(item, "inputs") : NULL;
}

/* Files that have other content than when the run that is continued began. */
static void warn_changed(const struct ts_project *project, const char *run, struct ts_issues *issues) {
  ts_auto(json_decrefp) json_t *now = ts_order_items(project);
  const json_t *then = ts_order_begun_items(project->begun);
  size_t changed = 0;
  const struct ts_dataset *all = ts_project_all(project);
  for (size_t i = 0; i < all->item_count; i++) {
    const struct ts_item *item = &all->items[i];
    const json_t *was = inputs_of(then, i, item->name), *is = json_object_get(json_array_get(now, i), "inputs");
    for (size_t k = 0; k < project->workflow->input_count; k++) {
      if (!has_changed(was, is, project->workflow->inputs[k].name) || changed++ >= CHANGED_NAMED) continue;
      ts_issues_warn(issues, "'%s' has changed since run %s began; everything that depends on it is computed again",
                     item->sources[k].path, run);
    }
  }
  if (changed > CHANGED_NAMED)
    ts_issues_warn(issues, "%zu more files have changed since run %s began", changed - CHANGED_NAMED, run);
}

/* ---- the record ---- */

void ts_recorded_release(struct ts_recorded *run) {
  json_decref(run->row);
  *run = (struct ts_recorded){0};
}

static bool write_row(const struct ts_project *project, const struct ts_recorded *run, struct ts_error *err) {
  ts_auto_free char *text = ts_json_dump(run->row, true, false);
  return ts_store_run_settings(project->store, run->id, text, err);
}

/* Whether two orders ask for the same work. Settings change no result. */
static bool is_same_work(const json_t *one, const json_t *other) {
  ts_auto(json_decrefp) json_t *a = json_copy(ts_without_const(one));
  ts_auto(json_decrefp) json_t *b = json_copy(ts_without_const(other));
  json_object_del(a, "settings");
  json_object_del(b, "settings");
  return json_equal(a, b);
}

/* Study and workflow may have been edited since the run began: then the order that it has describes another one. */
static bool renew_order(const struct ts_project *project, const struct ts_resumed *resumed, const struct ts_plan *plan,
                        const struct ts_value *values, size_t set_count, struct ts_recorded *run,
                        struct ts_error *err) {
  ts_auto(json_decrefp) json_t *now = ts_order_write(project, plan, values, set_count);
  const bool is_same = resumed->order.root && is_same_work(now, resumed->order.root);
  run->row = is_same ? json_incref(resumed->order.row) : ts_order_keep(project, plan, values, set_count, err);
  if (!run->row) return false;
  if (is_same && json_is_array(json_object_get(run->row, "rounds"))) return true;
  json_object_set_new(run->row, "rounds", json_array());
  return write_row(project, run, err);
}

static bool go_on(const struct ts_project *project, const struct ts_resumed *resumed, const struct ts_plan *plan,
                  const struct ts_value *values, size_t set_count, struct ts_recorded *run, struct ts_issues *issues,
                  struct ts_error *err) {
  memcpy(run->id, resumed->id, sizeof resumed->id);
  warn_changed(project, run->id, issues);
  return ts_store_task_end(project->store, run->id, &run->next_task, err) &&
         ts_store_run_update(project->store, run->id, "running", "", err) &&
         renew_order(project, resumed, plan, values, set_count, run, err);
}

static bool begin(const struct ts_project *project, const struct ts_plan *plan, const struct ts_value *values,
                  size_t set_count, struct ts_recorded *run, struct ts_error *err) {
  char file[PATH_MAX];
  absolute_path(project, file);
  run->row = ts_order_keep(project, plan, values, set_count, err);
  if (!run->row) return false;
  ts_auto_free char *row = ts_json_dump(run->row, true, false);
  return ts_store_run_begin(project->store, project->is_study ? "study" : "run", file, row, run->id, err) &&
         ts_lent_claim(project->lent, run->id);
}

bool ts_run_open(const struct ts_project *project, const struct ts_resumed *resumed, const struct ts_plan *plan,
                 const struct ts_value *values, size_t set_count, struct ts_recorded *run, struct ts_issues *issues) {
  struct ts_error err = {0};
  run->set_count = set_count;
  const bool ok = resumed->id[0] ? go_on(project, resumed, plan, values, set_count, run, issues, &err)
                                 : begin(project, plan, values, set_count, run, &err);
  if (!ok) ts_issues_fault(issues, &err);
  return ok;
}

bool ts_run_add_round(const struct ts_project *project, struct ts_recorded *run, const struct ts_value *values,
                      size_t set_count, struct ts_issues *issues) {
  struct ts_error err = {0};
  bool changed = false;
  if (!ts_order_keep_round(project, run->row, run->round_count, values, run->set_count, set_count, &changed, &err) ||
      (changed && !write_row(project, run, &err)))
    return ts_issues_fault(issues, &err);
  if (set_count > run->set_count) run->round_count++;
  run->set_count = set_count;
  return true;
}

void ts_run_close(struct ts_store *store, const char *id, const char *state, const json_t *result,
                  struct ts_issues *issues) {
  struct ts_error err = {0};
  ts_auto_free char *text = result ? ts_json_dump(result, false, false) : ts_strdup("");
  if (!ts_store_flush(store, &err) || !ts_store_run_update(store, id, state, text, &err)) ts_issues_fault(issues, &err);
}

bool ts_run_find(struct ts_store *store, const char *asked, const char *command, struct ts_arena *arena,
                 struct ts_run_row *row, struct ts_issues *issues) {
  struct ts_run_row *rows = NULL;
  size_t count = 0;
  struct ts_error err = {0};
  if (!ts_store_run_list(store, arena, &rows, &count, &err)) return ts_issues_fault(issues, &err);
  for (size_t i = 0; i < count; i++) {
    size_t length = asked ? strlen(asked) : 0;
    if (asked && (length < 3 || strncmp(rows[i].id, asked, length) != 0)) continue;
    if (!asked && command && strcmp(rows[i].command, command) != 0) continue;
    *row = rows[i];
    return true;
  }
  if (asked)
    ts_fail(&err, TS_ERR_NO_SUCH_RUN, "there is no run '%s' in the store", asked);
  else
    ts_fail(&err, TS_ERR_NO_SUCH_RUN, "the store has no %s yet", command ? command : "run");
  ts_error_help(&err, "see the runs with: tessera status");
  return ts_issues_fault(issues, &err);
}
