/* Reading a study file: values of the right kind, complaints with their place, unknown keys with the nearest known one.
 * SPDX-License-Identifier: Apache-2.0 */
#include "study/study_reader.h"

#include "base/alloc.h"
#include "base/str.h"

#include <stdio.h>
#include <string.h>

void ts_study_complain(struct study_reader *r, const char *name, enum ts_error_code code, enum ts_json_part part,
                       const char *text, const char *help) {
  ts_auto(ts_str_release) struct ts_str pointer = {0};
  ts_str_add(&pointer, r->pointer);
  if (name) ts_json_pointer_add(&pointer, name);
  struct ts_error *fault = ts_faults_add(&r->s->faults);
  ts_fail(fault, code, "%s", text);
  if (help && help[0]) ts_error_help(fault, "%s", help);
  ts_json_place(fault, &r->s->doc, ts_str_get(&pointer), part);
}

void ts_study_wrong_type(struct study_reader *r, const char *name, const char *needed, const json_t *value) {
  char text[TEXT_BYTES];
  char help[TEXT_BYTES];
  snprintf(text, sizeof text, "'%s' must be %s, but is %s", name, needed, ts_json_kind(value));
  snprintf(help, sizeof help, "write %s", needed);
  ts_study_complain(r, name, TS_ERR_WRONG_TYPE, TS_JSON_VALUE, text, help);
}

static void complain_unknown(struct study_reader *r, const char *key, const char *const *known, size_t known_count) {
  char text[TEXT_BYTES];
  char help[TEXT_BYTES] = "remove it, or call it \"comment\"";
  snprintf(text, sizeof text, "unknown key '%s'", key);
  const char *near = ts_nearest_word(key, known, known_count);
  if (near) snprintf(help, sizeof help, "did you mean '%s'?", near);
  ts_study_complain(r, key, TS_ERR_UNKNOWN_KEY, TS_JSON_KEY, text, help);
}

/* Reports keys that are not in the list, with the nearest one that is. */
void ts_study_check_keys(struct study_reader *r, const json_t *object, const char *const *known, size_t known_count) {
  const char *key;
  json_t *value;
  size_t unknown = 0;
  json_object_foreach((json_t *)object, key, value) {
    bool found = strcmp(key, "help") == 0 || strcmp(key, "comment") == 0;
    for (size_t i = 0; i < known_count && !found; i++) found = strcmp(key, known[i]) == 0;
    if (!found && ++unknown <= TS_JSON_UNKNOWN_MAX) complain_unknown(r, key, known, known_count);
  }
  if (unknown <= TS_JSON_UNKNOWN_MAX) return;
  char text[TEXT_BYTES];
  snprintf(text, sizeof text, "%zu more keys are unknown", unknown - TS_JSON_UNKNOWN_MAX);
  ts_study_complain(r, NULL, TS_ERR_UNKNOWN_KEY, TS_JSON_VALUE, text, "check that this is the right file");
}

const char *ts_study_read_string(struct study_reader *r, const json_t *object, const char *name,
                                 const char *otherwise) {
  const json_t *value = json_object_get(object, name);
  if (!value) return otherwise;
  if (!json_is_string(value)) {
    ts_study_wrong_type(r, name, "a string", value);
    return otherwise;
  }
  return ts_arena_strdup(&r->s->arena, json_string_value(value));
}

/* A whole number from `lowest` to `highest`. */
int64_t ts_study_read_integer(struct study_reader *r, const json_t *object, const char *name, int64_t lowest,
                              int64_t highest, int64_t otherwise) {
  const json_t *value = json_object_get(object, name);
  if (!value) return otherwise;
  if (!json_is_integer(value)) {
    ts_study_wrong_type(r, name, "a whole number", value);
    return otherwise;
  }
  int64_t number = json_integer_value(value);
  if (number >= lowest && number <= highest) return number;
  char text[TEXT_BYTES];
  char help[TEXT_BYTES];
  snprintf(text, sizeof text, "'%s' is %lld", name, (long long)number);
  snprintf(help, sizeof help, "it must be at %s %lld", number < lowest ? "least" : "most",
           (long long)(number < lowest ? lowest : highest));
  ts_study_complain(r, name, TS_ERR_BAD_VALUE, TS_JSON_VALUE, text, help);
  return otherwise;
}

const char **ts_study_read_strings(struct study_reader *r, const json_t *object, const char *name, size_t *count) {
  const json_t *value = json_object_get(object, name);
  *count = 0;
  if (!value) return NULL;
  if (!json_is_array(value)) {
    ts_study_wrong_type(r, name, "a list of strings", value);
    return NULL;
  }
  const char **items = ts_arena_array(&r->s->arena, json_array_size(value) + 1, sizeof *items);
  for (size_t i = 0; i < json_array_size(value); i++) {
    const json_t *item = json_array_get(value, i);
    if (json_is_string(item))
      items[(*count)++] = ts_arena_strdup(&r->s->arena, json_string_value(item));
    else
      ts_study_wrong_type(r, name, "a list of strings", item);
  }
  return items;
}

/* Steps into an object; false if it is missing or no object. */
bool ts_study_enter(struct study_reader *r, const json_t *object, const char *name, struct study_reader *inner,
                    const json_t **value) {
  *value = json_object_get(object, name);
  if (!*value) return false;
  if (!json_is_object(*value)) {
    ts_study_wrong_type(r, name, "an object", *value);
    return false;
  }
  *inner = *r;
  snprintf(inner->pointer, sizeof inner->pointer, "%.100s/%.80s", r->pointer, name);
  return true;
}

double ts_study_read_share(struct study_reader *r, const json_t *object, const char *name, double above, double below,
                           double otherwise) {
  const json_t *value = json_object_get(object, name);
  char text[TEXT_BYTES], help[TEXT_BYTES];
  if (!value) return otherwise;
  if (json_is_number(value) && json_number_value(value) > above && json_number_value(value) < below)
    return json_number_value(value);
  snprintf(text, sizeof text, "'%s' is not a number between %s and %s", name, TS_SIGNIFICANT(above, 6),
           TS_SIGNIFICANT(below, 6));
  snprintf(help, sizeof help, "%s is usual", TS_SIGNIFICANT(otherwise, 6));
  ts_study_complain(r, name, TS_ERR_BAD_VALUE, TS_JSON_VALUE, text, help);
  return otherwise;
}

bool ts_study_read_boolean(struct study_reader *r, const json_t *object, const char *name) {
  const json_t *value = json_object_get(object, name);
  if (value && !json_is_boolean(value)) ts_study_wrong_type(r, name, "true or false", value);
  return json_is_true(value);
}

size_t ts_study_read_word(struct study_reader *r, const json_t *object, const char *name, const char *const *words) {
  const char *word = ts_study_read_string(r, object, name, NULL);
  size_t count = 0;
  for (; words[count]; count++) {
    if (word && strcmp(word, words[count]) == 0) return count;
  }
  if (!word) return 0;
  char text[TEXT_BYTES], help[TEXT_BYTES];
  struct ts_str list = {0};
  const char *near = ts_nearest_word(word, words, count);
  for (size_t i = 0; i < count; i++) ts_str_addf(&list, "%s%s", i ? ", " : "", words[i]);
  snprintf(text, sizeof text, "'%s' cannot be '%s'", name, word);
  snprintf(help, sizeof help, near ? "did you mean '%s'?" : "use one of: %s", near ? near : ts_str_get(&list));
  ts_str_release(&list);
  ts_study_complain(r, name, TS_ERR_BAD_VALUE, TS_JSON_VALUE, text, help);
  return 0;
}
