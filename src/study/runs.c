/* Run records: begin, continue, end, find.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A run that was interrupted is continued under its own id; what it had finished is found in the store by key, so that
 * continuing needs no other state. */
#include "study/study_int.h"

#include "base/alloc.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The settings that change what a run computes; a run is continued only with the same ones. */
static char *settings_json(const struct session *s) {
  const struct ts_request *r = s->request;
  json_t *object = json_object();
  json_object_set_new(object, "command", json_string(r->command ? r->command : ""));
  if (r->design) json_object_set_new(object, "design", json_string(r->design));
  if (r->has_seed) json_object_set_new(object, "seed", json_integer((json_int_t)r->seed));
  if (r->trajectories) json_object_set_new(object, "trajectories", json_integer((json_int_t)r->trajectories));
  for (size_t i = 0; i < r->parameter_count; i++)
    json_object_set_new(object, r->parameters[i].name, json_string(r->parameters[i].value));
  char *text = ts_json_dump(object, true, false);
  json_decref(object);
  return text;
}

static bool is_unfinished(const struct ts_run_row *row) {
  return strcmp(row->state, "done") != 0 && strcmp(row->state, "failed") != 0;
}

/* The run to continue: the named one, or the last unfinished one of the same file and command. */
static bool find_unfinished(struct session *s, const char *command, const char *file, char id[9],
                            struct ts_error *err) {
  struct ts_run_row *rows = NULL;
  size_t count = 0;
  const char *asked = s->request->resume_id;
  if (!ts_store_run_list(s->store, &s->arena, &rows, &count, err)) return false;
  for (size_t i = 0; i < count; i++) {
    bool fits =
        asked ? strcmp(rows[i].id, asked) == 0
              : is_unfinished(&rows[i]) && strcmp(rows[i].file, file) == 0 && strcmp(rows[i].command, command) == 0;
    if (!fits) continue;
    memcpy(id, rows[i].id, 9);
    return true;
  }
  if (asked)
    ts_fail(err, TS_ERR_NO_SUCH_RUN, "there is no run '%s' in the store", asked);
  else
    ts_fail(err, TS_ERR_NO_SUCH_RUN, "there is no unfinished %s of '%s'", command, s->study.path);
  ts_error_help(err, "see the runs with: tessera status");
  return false;
}

bool ts_run_open(struct session *s, const char *command, char id[9]) {
  struct ts_error err = {0};
  char absolute[PATH_MAX];
  if (!realpath(s->study.path, absolute)) snprintf(absolute, sizeof absolute, "%s", s->study.path);
  bool ok;
  if (s->request->resume) {
    ok = find_unfinished(s, command, absolute, id, &err) && ts_store_run_update(s->store, id, "running", "", &err);
  } else {
    char *settings = settings_json(s);
    ok = ts_store_run_begin(s->store, command, absolute, settings, id, &err);
    free(settings);
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
