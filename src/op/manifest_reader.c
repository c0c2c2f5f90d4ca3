/* Reading the JSON of a command manifest: every complaint names line and column, and a near word if there is one.
 * SPDX-License-Identifier: Apache-2.0 */
#include "op/op_int.h"

#include "base/alloc.h"

#include <string.h>

static bool is_kind(const json_t *value, enum ts_manifest_kind kind) {
  switch (kind) {
  case TS_MANIFEST_STRING: return json_is_string(value);
  case TS_MANIFEST_INTEGER: return json_is_integer(value);
  case TS_MANIFEST_NUMBER: return json_is_number(value);
  case TS_MANIFEST_BOOLEAN: return json_is_boolean(value);
  case TS_MANIFEST_ARRAY: return json_is_array(value);
  case TS_MANIFEST_OBJECT: return json_is_object(value);
  }
  return false;
}

static const char *kind_name(enum ts_manifest_kind kind) {
  static const char *const names[] = {"a string", "an integer", "a number", "a boolean", "a list", "an object"};
  return names[kind];
}

struct ts_error *ts_manifest_fault(const struct ts_manifest_reader *reader, enum ts_error_code code,
                                   const char *pointer, enum ts_json_part part, const char *format, ...) {
  struct ts_error *err = ts_faults_add(reader->faults);
  va_list args;
  va_start(args, format);
  ts_vfail(err, code, format, args);
  va_end(args);
  ts_json_place(err, reader->doc, pointer, part);
  return err;
}

const char *ts_manifest_pointer(const struct ts_manifest_reader *reader, const char *pointer, const char *name) {
  ts_auto(ts_str_release) struct ts_str text = {0};
  ts_str_add(&text, pointer);
  ts_json_pointer_add(&text, name);
  return ts_arena_strdup(reader->arena, ts_str_get(&text));
}

static const struct ts_manifest_key *find_key(const struct ts_manifest_key *keys, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(keys[i].name, name) == 0) return &keys[i];
  return NULL;
}

static void complain_unknown(const struct ts_manifest_reader *reader, const char *name, const char *pointer,
                             const struct ts_manifest_key *keys, size_t count) {
  const char **names = ts_calloc(count, sizeof(*names));
  for (size_t i = 0; i < count; i++) names[i] = keys[i].name;
  const char *nearest = ts_nearest_word(name, names, count);
  struct ts_error *err = ts_manifest_fault(reader, TS_ERR_UNKNOWN_KEY, ts_manifest_pointer(reader, pointer, name),
                                           TS_JSON_KEY, "unknown key '%s'", name);
  if (nearest)
    ts_error_help(err, "did you mean '%s'?", nearest);
  else
    ts_error_help(err, "remove it; keys are listed in docs/how-to-add-an-operation.md");
  free(names);
}

static void check_present(const struct ts_manifest_reader *reader, const json_t *object, const char *pointer,
                          const struct ts_manifest_key *key) {
  const json_t *value = json_object_get(object, key->name);
  if (!value) {
    if (!key->required) return;
    struct ts_error *err =
        ts_manifest_fault(reader, TS_ERR_MISSING_KEY, pointer, TS_JSON_VALUE, "key '%s' is missing", key->name);
    ts_error_help(err, "add \"%s\": %s", key->name, kind_name(key->kind));
  } else if (!is_kind(value, key->kind)) {
    struct ts_error *err =
        ts_manifest_fault(reader, TS_ERR_WRONG_TYPE, ts_manifest_pointer(reader, pointer, key->name), TS_JSON_VALUE,
                          "'%s' must be %s, not %s", key->name, kind_name(key->kind), ts_json_kind(value));
    ts_error_help(err, "write %s", kind_name(key->kind));
  }
}

bool ts_manifest_check_keys(const struct ts_manifest_reader *reader, const json_t *object, const char *pointer,
                            const struct ts_manifest_key *keys, size_t count) {
  if (!json_is_object(object)) {
    struct ts_error *err = ts_manifest_fault(reader, TS_ERR_WRONG_TYPE, pointer, TS_JSON_VALUE,
                                             "an object is expected here, not %s", ts_json_kind(object));
    ts_error_help(err, "write {...}");
    return false;
  }
  size_t unknown = 0;
  void *at = json_object_iter((json_t *)object);
  for (; at; at = json_object_iter_next((json_t *)object, at)) {
    const char *name = json_object_iter_key(at);
    if (!find_key(keys, count, name) && ++unknown <= TS_JSON_UNKNOWN_MAX)
      complain_unknown(reader, name, pointer, keys, count);
  }
  if (unknown > TS_JSON_UNKNOWN_MAX) {
    struct ts_error *err = ts_manifest_fault(reader, TS_ERR_UNKNOWN_KEY, pointer, TS_JSON_VALUE,
                                             "%zu more keys are unknown", unknown - TS_JSON_UNKNOWN_MAX);
    ts_error_help(err, "check that this is the right file");
  }
  for (size_t i = 0; i < count; i++) check_present(reader, object, pointer, &keys[i]);
  return true;
}

const json_t *ts_manifest_get(const json_t *object, const char *name, enum ts_manifest_kind kind) {
  const json_t *value = json_object_get(object, name);
  return value && is_kind(value, kind) ? value : NULL;
}

const char *ts_manifest_string(const struct ts_manifest_reader *reader, const json_t *object, const char *name) {
  const json_t *value = ts_manifest_get(object, name, TS_MANIFEST_STRING);
  return value ? ts_arena_strdup(reader->arena, json_string_value(value)) : NULL;
}
