/* Reading JSON objects against the keys they may have, so that every complaint has a place and a proposal.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/reader.h"

#include "base/alloc.h"
#include "base/const.h"

#include <stdlib.h>
#include <string.h>

#define NAMES_IN_LISTS 10

struct ts_error *ts_reader_fault(const struct ts_reader *reader, enum ts_error_code code, const char *pointer,
                                 enum ts_json_part part, const char *format, ...) {
  struct ts_error *err = ts_faults_add(reader->faults);
  va_list args;
  va_start(args, format);
  ts_vfail(err, code, format, args);
  va_end(args);
  ts_json_place(err, reader->doc, pointer, part);
  return err;
}

static const char *keep_pointer(const struct ts_reader *reader, struct ts_str *text) {
  const char *kept = ts_arena_strdup(reader->arena, ts_str_get(text));
  ts_str_release(text);
  return kept;
}

const char *ts_reader_child(const struct ts_reader *reader, const char *pointer, const char *name) {
  struct ts_str text = {0};
  ts_str_add(&text, pointer);
  ts_json_pointer_add(&text, name);
  return keep_pointer(reader, &text);
}

const char *ts_reader_item(const struct ts_reader *reader, const char *pointer, size_t index) {
  struct ts_str text = {0};
  ts_str_add(&text, pointer);
  ts_json_pointer_add_index(&text, index);
  return keep_pointer(reader, &text);
}

static bool has_kind(const json_t *value, enum ts_want want) {
  switch (want) {
  case TS_WANT_STRING: return json_is_string(value);
  case TS_WANT_OBJECT: return json_is_object(value);
  case TS_WANT_LIST: return json_is_array(value);
  case TS_WANT_BOOLEAN: return json_is_boolean(value);
  case TS_WANT_INTEGER: return json_is_integer(value);
  case TS_WANT_NUMBER: return json_is_number(value);
  case TS_WANT_ANY: break;
  }
  return true;
}

static const char *kind_name(enum ts_want want) {
  switch (want) {
  case TS_WANT_STRING: return "a string";
  case TS_WANT_OBJECT: return "an object";
  case TS_WANT_LIST: return "a list";
  case TS_WANT_BOOLEAN: return "true or false";
  case TS_WANT_INTEGER: return "a whole number";
  case TS_WANT_NUMBER: return "a number";
  case TS_WANT_ANY: break;
  }
  return "a value";
}

void ts_reader_wrong_type(const struct ts_reader *reader, const json_t *value, const char *pointer, const char *label,
                          const char *needed, const char *example) {
  struct ts_error *err = ts_reader_fault(reader, TS_ERR_WRONG_TYPE, pointer, TS_JSON_VALUE,
                                         "%s must be %s, but it is %s", label, needed, ts_json_kind(value));
  if (example)
    ts_error_help(err, "write it as in %s", example);
  else
    ts_error_help(err, "write %s", needed);
}

bool ts_reader_want(const struct ts_reader *reader, const json_t *value, const char *pointer, const char *label,
                    enum ts_want want, const char *example) {
  if (has_kind(value, want)) return true;
  ts_reader_wrong_type(reader, value, pointer, label, kind_name(want), example);
  return false;
}

static struct ts_field *find_field(struct ts_field *fields, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++) {
    if (strcmp(fields[i].name, name) == 0) return &fields[i];
  }
  return NULL;
}

/* What an object calls otherwise than other programs, and people, do. */
static const char *const other_words[][2] = {
    {"min", "range"},  {"max", "range"},   {"minimum", "range"}, {"low", "range"},    {"maximum", "range"},
    {"high", "range"}, {"lower", "range"}, {"upper", "range"},   {"bounds", "range"}, {"dist", "distribution"}};

/* The field that is meant by such a word, if the object may have it. */
static struct ts_field *find_meant(struct ts_field *fields, size_t count, const char *key) {
  for (size_t i = 0; i < sizeof other_words / sizeof *other_words; i++) {
    struct ts_field *field = strcmp(other_words[i][0], key) == 0 ? find_field(fields, count, other_words[i][1]) : NULL;
    if (field && field->example) return field;
  }
  return NULL;
}

/* A misspelt key excuses the missing one that it means. */
static void report_unknown_key(const struct ts_reader *reader, const json_t *object, const char *pointer,
                               const char *what, const char *key, struct ts_field *fields, size_t count) {
  ts_auto(ts_names_release) struct ts_names names = {0};
  for (size_t i = 0; i < count; i++) {
    if (!json_object_get(object, fields[i].name)) ts_names_add(&names, fields[i].name);
  }
  ts_names_add(&names, "help");
  ts_names_add(&names, "comment");
  struct ts_error *err = ts_reader_fault(reader, TS_ERR_UNKNOWN_KEY, ts_reader_child(reader, pointer, key), TS_JSON_KEY,
                                         "%s has no key '%s'", what, key);
  struct ts_field *meant = find_meant(fields, count, key);
  if (meant) {
    meant->faulty = true;
    ts_error_help(err, "write \"%s\": %s instead", meant->name, meant->example);
    return;
  }
  const char *nearest = ts_names_suggest(&names, err, key, "keys that can be added here", "");
  meant = nearest ? find_field(fields, count, nearest) : NULL;
  if (meant) meant->faulty = true;
}

static void report_missing_key(const struct ts_reader *reader, const char *pointer, const char *what,
                               const struct ts_field *field) {
  struct ts_error *err =
      ts_reader_fault(reader, TS_ERR_MISSING_KEY, pointer, TS_JSON_VALUE, "%s needs the key '%s'", what, field->name);
  if (field->example)
    ts_error_help(err, "add it, as in \"%s\": %s", field->name, field->example);
  else
    ts_error_help(err, "add it; its value is %s", kind_name(field->want));
}

static void read_field(const struct ts_reader *reader, const json_t *object, const char *pointer, const char *what,
                       struct ts_field *field) {
  const json_t *value = json_object_get(object, field->name);
  if (!value) {
    if (!field->required || field->faulty) return;
    field->faulty = true;
    report_missing_key(reader, pointer, what, field);
    return;
  }
  const char *label = ts_arena_printf(reader->arena, "'%s'", field->name);
  const char *example =
      field->example ? ts_arena_printf(reader->arena, "\"%s\": %s", field->name, field->example) : NULL;
  if (ts_reader_want(reader, value, ts_reader_child(reader, pointer, field->name), label, field->want, example)) {
    field->value = value;
  } else {
    field->faulty = true;
  }
}

bool ts_reader_fields(const struct ts_reader *reader, const json_t *object, const char *pointer, const char *what,
                      struct ts_field *fields, size_t count) {
  size_t before = reader->faults->count, unknown = 0;
  const char *key;
  json_t *value;
  json_object_foreach(ts_without_const(object), key, value) {
    if (strcmp(key, "help") == 0 || strcmp(key, "comment") == 0) {
      struct ts_field remark = {.name = key, .want = TS_WANT_STRING, .example = "\"what this is for\""};
      read_field(reader, object, pointer, what, &remark);
    } else if (!find_field(fields, count, key) && ++unknown <= TS_JSON_UNKNOWN_MAX) {
      report_unknown_key(reader, object, pointer, what, key, fields, count);
    }
  }
  if (unknown > TS_JSON_UNKNOWN_MAX) {
    struct ts_error *err = ts_reader_fault(reader, TS_ERR_UNKNOWN_KEY, pointer, TS_JSON_VALUE,
                                           "%s has %zu more unknown keys", what, unknown - TS_JSON_UNKNOWN_MAX);
    ts_error_help(err, "check that this is the right file");
  }
  for (size_t i = 0; i < count; i++) read_field(reader, object, pointer, what, &fields[i]);
  return reader->faults->count == before;
}

const json_t *ts_reader_get(const json_t *object, const char *name, enum ts_want want) {
  const json_t *value = json_object_get(object, name);
  return value && has_kind(value, want) ? value : NULL;
}

const char *ts_reader_string(const struct ts_reader *reader, const json_t *object, const char *name) {
  const json_t *value = ts_reader_get(object, name, TS_WANT_STRING);
  return value ? ts_arena_strdup(reader->arena, json_string_value(value)) : NULL;
}

const char *ts_reader_help(const struct ts_reader *reader, const json_t *object) {
  const char *text = ts_reader_string(reader, object, "help");
  return text ? text : "";
}

void ts_names_add(struct ts_names *names, const char *name) {
  names->items = ts_grow(names->items, names->count, &names->capacity, sizeof *names->items);
  names->items[names->count++] = name;
}

void ts_names_release(struct ts_names *names) {
  free(names->items);
  memset(names, 0, sizeof *names);
}

void ts_names_print(const struct ts_names *names, struct ts_str *out) {
  size_t shown = names->count <= NAMES_IN_LISTS ? names->count : NAMES_IN_LISTS - 1;
  for (size_t i = 0; i < shown; i++) {
    const char *before = i == 0 ? "" : i + 1 == names->count ? " and " : ", ";
    ts_str_addf(out, "%s'%s'", before, names->items[i]);
  }
  if (shown < names->count) ts_str_addf(out, " and %zu more", names->count - shown);
}

const char *ts_names_suggest(const struct ts_names *names, struct ts_error *err, const char *word, const char *label,
                             const char *none) {
  const char *nearest = ts_nearest_word(word, names->items, names->count);
  if (nearest) {
    ts_error_help(err, "did you mean '%s'?", nearest);
  } else if (names->count == 0) {
    ts_error_help(err, "%s", none);
  } else {
    ts_auto(ts_str_release) struct ts_str list = {0};
    ts_names_print(names, &list);
    ts_error_help(err, "%s: %s", label, ts_str_get(&list));
  }
  return nearest;
}
