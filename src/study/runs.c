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

static void add_strings(json_t *object, const char *name, const char *const *items, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) json_array_append_new(list, json_string(items[i]));
  if (count > 0) json_object_set(object, name, list);
  json_decref(list);
}

/* What the user asked for beside the file: a run is continued with the same. */
static char *settings_json(const struct ts_request *r) {
  json_t *object = json_object();
  json_object_set_new(object, "command", json_string(r->command ? r->command : ""));
  const struct {
    const char *name, *text;
  } texts[] = {{"design", r->design}, {"merge", r->merge},   {"only_stage", r->only_stage},
               {"output", r->output}, {"method", r->method}, {"until", r->until},
               {"keep", r->keep},     {"keys", r->keys},     {"cost", r->cost}};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    if (texts[i].text) json_object_set_new(object, texts[i].name, json_string(texts[i].text));
  }
  if (r->has_seed) json_object_set_new(object, "seed", json_integer((json_int_t)r->seed));
  if (r->trajectories) json_object_set_new(object, "trajectories", json_integer((json_int_t)r->trajectories));
  if (r->count) json_object_set_new(object, "count", json_integer((json_int_t)r->count));
  if (r->workers) json_object_set_new(object, "workers", json_integer((json_int_t)r->workers));
  if (r->max_bucket_size) json_object_set_new(object, "max_bucket_size", json_integer((json_int_t)r->max_bucket_size));
  if (r->max_buckets) json_object_set_new(object, "max_buckets", json_integer((json_int_t)r->max_buckets));
  if (r->max_runs) json_object_set_new(object, "max_runs", json_integer((json_int_t)r->max_runs));
  if (r->second_order) json_object_set_new(object, "second_order", json_true());
  if (r->has_tile) json_object_set_new(object, "tile", json_integer(r->tile_px));
  add_strings(object, "data", r->data, r->data_count);
  json_t *parameters = json_object();
  for (size_t i = 0; i < r->parameter_count; i++)
    json_object_set_new(parameters, r->parameters[i].name, json_string(r->parameters[i].value));
  json_object_set_new(object, "parameters", parameters);
  char *text = ts_json_dump(object, true, false);
  json_decref(object);
  return text;
}

static void restore_text(struct session *s, const json_t *settings, const char *name, const char **field) {
  const json_t *value = json_object_get(settings, name);
  if (json_is_string(value) && !*field) *field = ts_arena_strdup(&s->arena, json_string_value(value));
}

static void restore_count(const json_t *settings, const char *name, size_t *field) {
  if (*field == 0) *field = (size_t)json_integer_value(json_object_get(settings, name));
}

static void restore_lists(struct session *s, const json_t *settings, struct ts_request *r) {
  const json_t *data = json_object_get(settings, "data");
  if (json_array_size(data) > 0 && r->data_count == 0) {
    const char **items = ts_arena_array(&s->arena, json_array_size(data), sizeof *items);
    for (size_t i = 0; i < json_array_size(data); i++)
      items[i] = ts_arena_strdup(&s->arena, json_string_value(json_array_get(data, i)));
    r->data = items;
    r->data_count = json_array_size(data);
  }
  json_t *parameters = json_object_get(settings, "parameters");
  if (json_object_size(parameters) == 0 || r->parameter_count > 0) return;
  struct ts_parameter_setting *list = ts_arena_array(&s->arena, json_object_size(parameters), sizeof *list);
  const char *name;
  json_t *value;
  json_object_foreach(parameters, name, value) {
    list[r->parameter_count].name = ts_arena_strdup(&s->arena, name);
    list[r->parameter_count++].value = ts_arena_strdup(&s->arena, json_string_value(value));
  }
  r->parameters = list;
}

/* What the interrupted command was asked for, unless this call says otherwise. */
static void restore_settings(struct session *s, const char *settings_json_text) {
  json_t *settings = json_loads(settings_json_text, 0, NULL);
  struct ts_request *r = &s->resumed;
  *r = *s->request;
  restore_text(s, settings, "design", &r->design);
  restore_text(s, settings, "merge", &r->merge);
  restore_text(s, settings, "only_stage", &r->only_stage);
  restore_text(s, settings, "output", &r->output);
  restore_text(s, settings, "method", &r->method);
  restore_text(s, settings, "until", &r->until);
  restore_text(s, settings, "keep", &r->keep);
  restore_text(s, settings, "keys", &r->keys);
  restore_text(s, settings, "cost", &r->cost);
  const json_t *seed = json_object_get(settings, "seed"), *tile = json_object_get(settings, "tile");
  if (seed && !r->has_seed) {
    r->has_seed = true;
    r->seed = (uint64_t)json_integer_value(seed);
  }
  if (tile && !r->has_tile) {
    r->has_tile = true;
    r->tile_px = json_integer_value(tile);
  }
  restore_count(settings, "trajectories", &r->trajectories);
  restore_count(settings, "count", &r->count);
  restore_count(settings, "max_runs", &r->max_runs);
  restore_count(settings, "workers", &r->workers);
  restore_count(settings, "max_bucket_size", &r->max_bucket_size);
  restore_count(settings, "max_buckets", &r->max_buckets);
  if (json_is_true(json_object_get(settings, "second_order"))) r->second_order = true;
  restore_lists(s, settings, r);
  json_decref(settings);
  s->request = r;
}

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
  restore_settings(s, row->settings_json);
  return true;
}

bool ts_run_open(struct session *s, const char *command, char id[9]) {
  struct ts_error err = {0};
  bool ok;
  if (s->resumed_id[0]) {
    memcpy(id, s->resumed_id, sizeof s->resumed_id);
    ok = ts_store_run_update(s->store, id, "running", "", &err);
  } else {
    char file[PATH_MAX];
    absolute_path(s, file);
    char *settings = settings_json(s->request);
    ok = ts_store_run_begin(s->store, command, file, settings, id, &err);
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
