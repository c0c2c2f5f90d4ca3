/* Run records: begin, continue, end, find.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A run that was interrupted is continued under its own id; its finished products are found in the store by key, so
 * that continuing needs no other state. */
#include "study/study_int.h"

#include "base/alloc.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static void absolute_path(const struct session *s, char absolute[PATH_MAX]) {
  if (!realpath(s->study.path, absolute)) snprintf(absolute, PATH_MAX, "%s", s->study.path);
}

/* The run to continue: the named one, or the last unfinished one of the same file and command. */
static const struct ts_run_row *find_unfinished(struct session *s, const char *command, struct ts_error *err) {
  struct ts_run_row *rows = NULL;
  size_t count = 0;
  char file[PATH_MAX];
  const char *asked = s->request->resume_id;
  absolute_path(s, file);
  if (!ts_store_run_list(s->store, &s->arena, &rows, &count, err)) return NULL;
  for (size_t i = 0; i < count; i++) {
    bool mine = strcmp(rows[i].file, file) == 0 && strcmp(rows[i].command, command) == 0;
    if (asked ? strcmp(rows[i].id, asked) == 0 : mine && strcmp(rows[i].state, "done") != 0) return &rows[i];
  }
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
  if (!row) {
    ts_session_fault(s, &err);
    return false;
  }
  memcpy(s->resumed_id, row->id, sizeof s->resumed_id);
  s->resumed_settings = row->settings_json;
  s->resumed = *s->request;
  ts_settings_restore(&s->arena, row->settings_json, &s->resumed);
  s->request = &s->resumed;
  return true;
}

bool ts_run_open(struct session *s, const char *command, char id[9]) {
  struct ts_error err = {0};
  bool ok;
  if (s->resumed_id[0]) {
    memcpy(id, s->resumed_id, sizeof s->resumed_id);
    ts_session_warn_changed(s, s->resumed_settings, id);
    ok = ts_store_run_update(s->store, id, "running", "", &err);
  } else {
    char file[PATH_MAX];
    absolute_path(s, file);
    ts_auto(json_decrefp) json_t *items = ts_session_items(s);
    ts_auto_free char *settings = ts_settings_write(s->request, items);
    ok = ts_store_run_begin(s->store, command, file, settings, id, &err);
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
