/* Values: making, comparing, printing and reading them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/value.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const type_names[] = {
    [TS_VALUE_INTEGER] = "integer", [TS_VALUE_REAL] = "real", [TS_VALUE_BOOLEAN] = "boolean",
    [TS_VALUE_STRING] = "string",   [TS_VALUE_LIST] = "list",
};
#define TYPE_COUNT (sizeof type_names / sizeof type_names[0])

const char *ts_value_type_name(enum ts_value_type type) {
  if ((size_t)type >= TYPE_COUNT) TS_BUG("no such value type: %d", (int)type);
  return type_names[type];
}

bool ts_value_type_parse(const char *name, enum ts_value_type *type) {
  if (strcmp(name, "enum") == 0) name = "string";
  for (size_t i = 0; i < TYPE_COUNT; i++) {
    if (strcmp(name, type_names[i]) == 0) {
      *type = (enum ts_value_type)i;
      return true;
    }
  }
  return false;
}

struct ts_value ts_value_integer(int64_t value) {
  return (struct ts_value){.type = TS_VALUE_INTEGER, .as.integer = value};
}

struct ts_value ts_value_real(double value) {
  return (struct ts_value){.type = TS_VALUE_REAL, .as.real = value == 0 ? 0.0 : value};
}

struct ts_value ts_value_boolean(bool value) {
  return (struct ts_value){.type = TS_VALUE_BOOLEAN, .as.boolean = value};
}

struct ts_value ts_value_string(const char *text) {
  return (struct ts_value){.type = TS_VALUE_STRING, .as.string = text};
}

bool ts_value_equal(const struct ts_value *a, const struct ts_value *b) { return ts_value_compare(a, b) == 0; }

/* NaN, which no checked value is, comes last, so that the order stays total. */
static int compare_reals(double a, double b) {
  if (isnan(a) || isnan(b)) return (isnan(a) != 0) - (isnan(b) != 0);
  return (a > b) - (a < b);
}

static int compare_lists(const struct ts_value_list *a, const struct ts_value_list *b) {
  for (size_t i = 0; i < a->count && i < b->count; i++) {
    int order = ts_value_compare(&a->items[i], &b->items[i]);
    if (order) return order;
  }
  return (a->count > b->count) - (a->count < b->count);
}

int ts_value_compare(const struct ts_value *a, const struct ts_value *b) {
  if (a->type != b->type) return a->type < b->type ? -1 : 1;
  switch (a->type) {
  case TS_VALUE_INTEGER: return (a->as.integer > b->as.integer) - (a->as.integer < b->as.integer);
  case TS_VALUE_REAL: return compare_reals(a->as.real, b->as.real);
  case TS_VALUE_BOOLEAN: return (int)a->as.boolean - (int)b->as.boolean;
  case TS_VALUE_STRING: return strcmp(a->as.string, b->as.string);
  case TS_VALUE_LIST: return compare_lists(a->as.list, b->as.list);
  }
  TS_BUG("no such value type: %d", (int)a->type);
}

void ts_value_add_bytes(const struct ts_value *value, struct ts_str *bytes) {
  ts_str_add_char(bytes, (char)value->type);
  switch (value->type) {
  case TS_VALUE_INTEGER: ts_str_add_bytes(bytes, &value->as.integer, sizeof value->as.integer); break;
  case TS_VALUE_REAL: ts_str_add_bytes(bytes, &value->as.real, sizeof value->as.real); break;
  case TS_VALUE_BOOLEAN: ts_str_add_char(bytes, value->as.boolean ? 1 : 0); break;
  case TS_VALUE_STRING: ts_str_add_bytes(bytes, value->as.string, strlen(value->as.string) + 1); break;
  case TS_VALUE_LIST:
    ts_str_add_bytes(bytes, &value->as.list->count, sizeof value->as.list->count);
    for (size_t i = 0; i < value->as.list->count; i++) ts_value_add_bytes(&value->as.list->items[i], bytes);
    break;
  }
}

bool ts_value_number(const struct ts_value *value, double *number) {
  switch (value->type) {
  case TS_VALUE_INTEGER: *number = (double)value->as.integer; return true;
  case TS_VALUE_REAL: *number = value->as.real; return true;
  case TS_VALUE_BOOLEAN: *number = value->as.boolean ? 1 : 0; return true;
  case TS_VALUE_STRING:
  case TS_VALUE_LIST: break;
  }
  return false;
}

/* Lists are printed as JSON, so that they read back with the types of their items ("5.0" and "5" differ there). */
static void print_list(const struct ts_value *value, struct ts_str *out) {
  json_auto_t *json = ts_value_to_json(value);
  ts_auto_free char *text = ts_json_dump(json, false, false);
  ts_str_add(out, text);
}

void ts_value_print(const struct ts_value *value, struct ts_str *out) {
  switch (value->type) {
  case TS_VALUE_INTEGER: ts_str_addf(out, "%lld", (long long)value->as.integer); return;
  case TS_VALUE_REAL: ts_str_add_double(out, value->as.real); return;
  case TS_VALUE_BOOLEAN: ts_str_add(out, value->as.boolean ? "true" : "false"); return;
  case TS_VALUE_STRING: ts_str_add(out, value->as.string); return;
  case TS_VALUE_LIST: print_list(value, out); return;
  }
}

static json_t *list_to_json(const struct ts_value_list *list) {
  json_t *array = json_array();
  for (size_t i = 0; i < list->count; i++) {
    if (json_array_append_new(array, ts_value_to_json(&list->items[i])) != 0) TS_BUG("list item %zu not kept", i);
  }
  return array;
}

json_t *ts_value_to_json(const struct ts_value *value) {
  json_t *json = NULL;
  switch (value->type) {
  case TS_VALUE_INTEGER: json = json_integer(value->as.integer); break;
  case TS_VALUE_REAL: json = isfinite(value->as.real) ? json_real(value->as.real) : json_null(); break;
  case TS_VALUE_BOOLEAN: json = json_boolean(value->as.boolean); break;
  case TS_VALUE_STRING: json = json_string(value->as.string); break;
  case TS_VALUE_LIST: json = list_to_json(value->as.list); break;
  }
  if (!json) TS_BUG("a %s value has no JSON form", ts_value_type_name(value->type));
  return json;
}

static bool wrong_kind(const json_t *json, enum ts_value_type type, struct ts_error *err) {
  ts_fail(err, TS_ERR_BAD_VALUE, "expected %s %s, found %s", type == TS_VALUE_INTEGER ? "an" : "a",
          ts_value_type_name(type), ts_json_kind(json));
  return type == TS_VALUE_INTEGER && json_is_real(json) ? ts_error_help(err, "write it without a decimal point")
                                                        : ts_error_help(err, "give a value of this type");
}

static bool type_of_json(const json_t *json, enum ts_value_type *type) {
  switch (json_typeof(json)) {
  case JSON_INTEGER: *type = TS_VALUE_INTEGER; return true;
  case JSON_REAL: *type = TS_VALUE_REAL; return true;
  case JSON_TRUE:
  case JSON_FALSE: *type = TS_VALUE_BOOLEAN; return true;
  case JSON_STRING: *type = TS_VALUE_STRING; return true;
  case JSON_ARRAY: *type = TS_VALUE_LIST; return true;
  case JSON_OBJECT:
  case JSON_NULL: break;
  }
  return false;
}

static bool list_from_json(const json_t *json, struct ts_arena *arena, struct ts_value *value, struct ts_error *err) {
  size_t count = json_array_size(json);
  struct ts_value *items = ts_arena_array(arena, count, sizeof *items);
  for (size_t i = 0; i < count; i++) {
    const json_t *item = json_array_get(json, i);
    enum ts_value_type type;
    if (!type_of_json(item, &type)) {
      ts_fail(err, TS_ERR_BAD_VALUE, "list item %zu is %s", i, ts_json_kind(item));
      return ts_error_help(err, "list items are numbers, strings, booleans or lists");
    }
    if (!ts_value_from_json(item, type, arena, &items[i], err)) return false;
  }
  struct ts_value_list *list = ts_arena_alloc(arena, sizeof *list);
  *list = (struct ts_value_list){.count = count, .items = items};
  *value = (struct ts_value){.type = TS_VALUE_LIST, .as.list = list};
  return true;
}

static bool string_from_json(const json_t *json, struct ts_arena *arena, struct ts_value *value, struct ts_error *err) {
  const char *text = json_string_value(json);
  if (strlen(text) != json_string_length(json)) {
    ts_fail(err, TS_ERR_BAD_VALUE, "the string '%s' contains a NUL character", text);
    return ts_error_help(err, "remove the character");
  }
  *value = ts_value_string(ts_arena_strdup(arena, text));
  return true;
}

static bool real_from_json(const json_t *json, struct ts_value *value, struct ts_error *err) {
  double number = json_number_value(json);
  if (!isfinite(number)) {
    ts_fail(err, TS_ERR_BAD_VALUE, "a real must be a finite number");
    return ts_error_help(err, "give a finite number");
  }
  *value = ts_value_real(number);
  return true;
}

bool ts_value_from_json(const json_t *json, enum ts_value_type type, struct ts_arena *arena, struct ts_value *value,
                        struct ts_error *err) {
  switch (type) {
  case TS_VALUE_INTEGER:
    if (!json_is_integer(json)) break;
    *value = ts_value_integer(json_integer_value(json));
    return true;
  case TS_VALUE_REAL:
    if (!json_is_number(json)) break;
    return real_from_json(json, value, err);
  case TS_VALUE_BOOLEAN:
    if (!json_is_boolean(json)) break;
    *value = ts_value_boolean(json_is_true(json));
    return true;
  case TS_VALUE_STRING:
    if (!json_is_string(json)) break;
    return string_from_json(json, arena, value, err);
  case TS_VALUE_LIST:
    if (!json_is_array(json)) break;
    return list_from_json(json, arena, value, err);
  }
  return wrong_kind(json, type, err);
}

static bool bad_text(const char *text, const char *wanted, const char *help, struct ts_error *err) {
  ts_fail(err, TS_ERR_BAD_VALUE, "'%s' is not %s", text, wanted);
  return ts_error_help(err, "%s", help);
}

static bool list_from_text(const char *text, struct ts_arena *arena, struct ts_value *value, struct ts_error *err) {
  json_auto_t *json = json_loads(text, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
  return json_is_array(json) ? list_from_json(json, arena, value, err)
                             : bad_text(text, "a list", "write a list as in [0.5, 1.5] or [\"a\", \"b\"]", err);
}

bool ts_value_from_text(const char *text, enum ts_value_type type, struct ts_arena *arena, struct ts_value *value,
                        struct ts_error *err) {
  int64_t integer;
  double real;
  switch (type) {
  case TS_VALUE_INTEGER:
    if (!ts_parse_int64(text, &integer))
      return bad_text(text, "an integer", "write whole numbers such as 42 or -3", err);
    *value = ts_value_integer(integer);
    return true;
  case TS_VALUE_REAL:
    if (!ts_parse_double(text, &real)) return bad_text(text, "a number", "write numbers such as 0.5 or 1e-3", err);
    *value = ts_value_real(real);
    return true;
  case TS_VALUE_BOOLEAN:
    *value = ts_value_boolean(strcmp(text, "true") == 0);
    if (value->as.boolean || strcmp(text, "false") == 0) return true;
    return bad_text(text, "a boolean", "write true or false", err);
  case TS_VALUE_STRING:
    if (!ts_utf8_valid(text, strlen(text))) {
      ts_fail(err, TS_ERR_BAD_VALUE, "the text is not valid UTF-8");
      return ts_error_help(err, "save or type the text in UTF-8");
    }
    *value = ts_value_string(ts_arena_strdup(arena, text));
    return true;
  case TS_VALUE_LIST: return list_from_text(text, arena, value, err);
  }
  TS_BUG("no such value type: %d", (int)type);
}
