/* Run records: begin, continue, end, find.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A run that was interrupted is continued under its own id, with what its work order says; its finished products are
 * found in the store by key, so that continuing needs no other state. */
#include "order/order.h"

#include "base/alloc.h"
#include "base/file.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static void absolute_path(const struct session *s, char absolute[PATH_MAX]) {
  if (!realpath(s->study.path, absolute)) snprintf(absolute, PATH_MAX, "%s", s->study.path);
}

static bool is_same(const char *a, const char *b) { return a && b && strcmp(a, b) == 0; }

/* Whether a run is one of the session's file, although that lies elsewhere now: it has the same text, or its old place
 * is empty and it has the same name. */
static bool was_moved(const struct session *s, const struct ts_run_row *row) {
  char text[65];
  ts_auto(json_decrefp) json_t *object = json_loads(row->settings_json, 0, NULL);
  ts_order_file_digest(s, text);
  if (is_same(ts_order_row_text(object, "file"), text)) return true;
  return !ts_file_exists(row->file) && is_same(ts_order_row_text(object, "name"), s->study.name) &&
         strcmp(ts_path_name(row->file), ts_path_name(s->study.path)) == 0;
}

/* The last unfinished run of the command for the file: the one at its place, or else one of a file that was moved. */
static const struct ts_run_row *find_last(const struct session *s, const char *command, const struct ts_run_row *rows,
                                          size_t count) {
  char file[PATH_MAX];
  absolute_path(s, file);
  for (int moved = 0; moved < 2; moved++) {
    for (size_t i = 0; i < count; i++) {
      if (strcmp(rows[i].command, command) != 0 || strcmp(rows[i].state, "done") == 0) continue;
      if (moved ? was_moved(s, &rows[i]) : strcmp(rows[i].file, file) == 0) return &rows[i];
    }
  }
  return NULL;
}

/* The run to continue: the named one, or the last unfinished one of the same file and command. */
static const struct ts_run_row *find_unfinished(struct session *s, const char *command, struct ts_error *err) {
  struct ts_run_row *rows = NULL;
  size_t count = 0;
  const char *asked = s->request->resume_id;
  if (!ts_store_run_list(s->store, &s->arena, &rows, &count, err)) return NULL;
  const struct ts_run_row *found = asked ? NULL : find_last(s, command, rows, count);
  for (size_t i = 0; asked && i < count; i++)
    if (strcmp(rows[i].id, asked) == 0) found = &rows[i];
  if (found) return found;
  if (asked)
    ts_fail(err, TS_ERR_NO_SUCH_RUN, "there is no run '%s' in the store", asked);
  else
    ts_fail(err, TS_ERR_NO_SUCH_RUN, "there is no unfinished %s of '%s'", command, s->study.path);
  ts_error_help(err, "see the runs with: tessera status");
  return NULL;
}

bool ts_run_resume(struct session *s, const char *command) {
  struct ts_error err = {0};
  if (!s->request->resume) return true;
  const struct ts_run_row *row = find_unfinished(s, command, &err);
  s->begun = ts_arena_alloc(&s->arena, sizeof *s->begun);
  s->order_reader = &ts_order_reader;
  if (!row || !ts_order_load(s->store, row, s->begun, &err)) {
    ts_session_fault(s, &err);
    return false;
  }
  s->resumed = *s->request;
  ts_order_restore(&s->arena, s->begun, &s->resumed);
  memcpy(s->resumed_id, row->id, sizeof s->resumed_id);
  s->request = &s->resumed;
  return true;
}

void ts_run_release(struct session *s) {
  if (s->begun) ts_order_release(s->begun);
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
static void warn_changed(struct session *s, const char *run) {
  ts_auto(json_decrefp) json_t *now = ts_order_items(s);
  const json_t *then = ts_order_begun_items(s->begun);
  size_t changed = 0;
  for (size_t i = 0; i < s->dataset.item_count; i++) {
    const struct ts_item *item = &s->dataset.items[i];
    const json_t *was = inputs_of(then, i, item->name), *is = json_object_get(json_array_get(now, i), "inputs");
    for (size_t k = 0; k < s->workflow->input_count; k++) {
      if (!has_changed(was, is, s->workflow->inputs[k].name) || changed++ >= CHANGED_NAMED) continue;
      ts_session_warn(s, "'%s' has changed since run %s began; everything that depends on it is computed again",
                      item->sources[k].path, run);
    }
  }
  if (changed > CHANGED_NAMED)
    ts_session_warn(s, "%zu more files have changed since run %s began", changed - CHANGED_NAMED, run);
}

/* ---- the record ---- */

bool ts_run_open(struct session *s, const char *command, const struct ts_plan *plan, const struct ts_value *values,
                 char id[9]) {
  struct ts_error err = {0};
  bool ok;
  if (s->resumed_id[0]) {
    memcpy(id, s->resumed_id, sizeof s->resumed_id);
    warn_changed(s, id);
    ok = ts_store_run_update(s->store, id, "running", "", &err);
  } else {
    char file[PATH_MAX];
    absolute_path(s, file);
    ts_auto_free char *row = ts_order_keep(s, plan, values, &err);
    ok = row && ts_store_run_begin(s->store, command, file, row, id, &err);
  }
  if (!ok) ts_session_fault(s, &err);
  return ok;
}

void ts_run_close(struct session *s, const char *id, const char *state, const json_t *result) {
  struct ts_error err = {0};
  char *text = result ? ts_json_dump(result, false, false) : ts_strdup("");
  if (!ts_store_flush(s->store, &err) || !ts_store_run_update(s->store, id, state, text, &err))
    ts_session_fault(s, &err);
  free(text);
}

bool ts_run_find(struct session *s, const char *command, struct ts_run_row *row) {
  struct ts_run_row *rows = NULL;
  size_t count = 0;
  struct ts_error err = {0};
  if (!ts_store_run_list(s->store, &s->arena, &rows, &count, &err)) {
    ts_session_fault(s, &err);
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    size_t length = s->request->run ? strlen(s->request->run) : 0;
    if (s->request->run && (length < 3 || strncmp(rows[i].id, s->request->run, length) != 0)) continue;
    if (!s->request->run && command && strcmp(rows[i].command, command) != 0) continue;
    *row = rows[i];
    return true;
  }
  if (s->request->run)
    ts_fail(&err, TS_ERR_NO_SUCH_RUN, "there is no run '%s' in the store", s->request->run);
  else
    ts_fail(&err, TS_ERR_NO_SUCH_RUN, "the store has no %s yet", command ? command : "run");
  ts_error_help(&err, "see the runs with: tessera status");
  ts_session_fault(s, &err);
  return false;
}
