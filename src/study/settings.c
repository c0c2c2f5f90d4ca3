/* The request of a run, apart from its file: written with the run, restored when it is continued.
 * SPDX-License-Identifier: Apache-2.0 */
#include "study/study_int.h"

#include <stddef.h>
#include <stdlib.h>

enum kind { TEXT, COUNT, NUMBER, FLAG };

/* A member of the request, and of the object that is written if the user gave it. */
struct setting {
  const char *name;
  enum kind kind;
  size_t at;
  size_t given; /* NUMBER: where the request says whether there is one */
};

#define MEMBER(name) offsetof(struct ts_request, name)
#define TEXT_OF(name)                                                                                                  \
  { #name, TEXT, MEMBER(name), 0 }
#define COUNT_OF(name)                                                                                                 \
  { #name, COUNT, MEMBER(name), 0 }
#define FLAG_OF(name)                                                                                                  \
  { #name, FLAG, MEMBER(name), 0 }

static const struct setting settings[] = {
    TEXT_OF(design),
    TEXT_OF(merge),
    TEXT_OF(only_stage),
    TEXT_OF(output),
    TEXT_OF(method),
    TEXT_OF(until),
    TEXT_OF(keep),
    TEXT_OF(keys),
    TEXT_OF(cost),
    COUNT_OF(trajectories),
    COUNT_OF(count),
    COUNT_OF(workers),
    COUNT_OF(lease_s),
    COUNT_OF(max_bucket_size),
    COUNT_OF(max_buckets),
    COUNT_OF(max_bucket_bytes),
    COUNT_OF(max_runs),
    COUNT_OF(scratch_bytes),
    FLAG_OF(second_order),
    FLAG_OF(no_cutoff),
    FLAG_OF(no_parts),
    FLAG_OF(overlays),
    {"seed", NUMBER, MEMBER(seed), MEMBER(has_seed)},
    {"tile", NUMBER, MEMBER(tile_px), MEMBER(has_tile)},
};
#define SETTING_COUNT (sizeof settings / sizeof *settings)

_Static_assert(sizeof(size_t) == sizeof(uint64_t), "counts and bytes are read and written alike");

union field {
  void *any;
  const char **text;
  uint64_t *number;
  bool *flag;
};

static union field field_of(struct ts_request *r, size_t at) { return (union field){.any = (char *)r + at}; }

static bool is_given(struct ts_request *r, const struct setting *setting) {
  union field field = field_of(r, setting->at);
  switch (setting->kind) {
  case TEXT: return *field.text != NULL;
  case COUNT: return *field.number != 0;
  case FLAG: return *field.flag;
  case NUMBER: return *field_of(r, setting->given).flag;
  }
  TS_BUG("no such kind of setting: %d", (int)setting->kind);
}

static json_t *value_of(struct ts_request *r, const struct setting *setting) {
  union field field = field_of(r, setting->at);
  if (setting->kind == TEXT) return json_string(*field.text);
  return setting->kind == FLAG ? json_true() : json_integer((json_int_t)*field.number);
}

static void add_lists(json_t *object, const struct ts_request *r) {
  json_t *data = json_array(), *parameters = json_object();
  for (size_t i = 0; i < r->data_count; i++) json_array_append_new(data, json_string(r->data[i]));
  if (r->data_count > 0) json_object_set(object, "data", data);
  json_decref(data);
  for (size_t i = 0; i < r->parameter_count; i++)
    json_object_set_new(parameters, r->parameters[i].name, json_string(r->parameters[i].value));
  json_object_set_new(object, "parameters", parameters);
}

char *ts_settings_write(const struct ts_request *request, json_t *items) {
  struct ts_request r = *request;
  json_t *object = json_object();
  json_object_set_new(object, "command", json_string(r.command ? r.command : ""));
  for (size_t i = 0; i < SETTING_COUNT; i++)
    if (is_given(&r, &settings[i])) json_object_set_new(object, settings[i].name, value_of(&r, &settings[i]));
  add_lists(object, &r);
  if (items) json_object_set(object, "items", items);
  char *text = ts_json_dump(object, true, false);
  json_decref(object);
  return text;
}

static void restore(struct ts_arena *arena, struct ts_request *r, const struct setting *setting, const json_t *value) {
  union field field = field_of(r, setting->at);
  if (setting->kind == TEXT && json_is_string(value)) *field.text = ts_arena_strdup(arena, json_string_value(value));
  if (setting->kind == FLAG) *field.flag = json_is_true(value);
  if (setting->kind == COUNT || setting->kind == NUMBER) *field.number = (uint64_t)json_integer_value(value);
  if (setting->kind == NUMBER) *field_of(r, setting->given).flag = true;
}

static void restore_data(struct ts_arena *arena, struct ts_request *r, const json_t *data) {
  if (json_array_size(data) == 0 || r->data_count > 0) return;
  const char **items = ts_arena_array(arena, json_array_size(data), sizeof *items);
  for (size_t i = 0; i < json_array_size(data); i++) {
    const char *item = json_string_value(json_array_get(data, i));
    if (item) items[r->data_count++] = ts_arena_strdup(arena, item);
  }
  r->data = items;
}

static void restore_parameters(struct ts_arena *arena, struct ts_request *r, json_t *parameters) {
  if (json_object_size(parameters) == 0 || r->parameter_count > 0) return;
  struct ts_parameter_setting *list = ts_arena_array(arena, json_object_size(parameters), sizeof *list);
  const char *name;
  json_t *value;
  json_object_foreach(parameters, name, value) {
    if (!json_is_string(value)) continue;
    list[r->parameter_count].name = ts_arena_strdup(arena, name);
    list[r->parameter_count++].value = ts_arena_strdup(arena, json_string_value(value));
  }
  r->parameters = list;
}

void ts_settings_restore(struct ts_arena *arena, const char *text, struct ts_request *r) {
  json_t *object = json_loads(text, 0, NULL);
  for (size_t i = 0; i < SETTING_COUNT; i++) {
    const json_t *value = json_object_get(object, settings[i].name);
    if (value && !is_given(r, &settings[i])) restore(arena, r, &settings[i], value);
  }
  restore_data(arena, r, json_object_get(object, "data"));
  restore_parameters(arena, r, json_object_get(object, "parameters"));
  json_decref(object);
}
