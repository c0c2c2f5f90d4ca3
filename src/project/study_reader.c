/* Reading a study file: values of the right kind, complaints with their place, unknown keys with the nearest known one.
 * SPDX-License-Identifier: Apache-2.0 */
#include "project/study_reader.h"

#include "base/reader.h"
#include "base/str.h"

#include <stdio.h>
#include <string.h>

static const char *pointer_to(const struct study_reader *r, const struct ts_reader *reader, const char *name) {
  return name ? ts_reader_child(reader, r->pointer, name) : r->pointer;
}

static struct ts_reader reader_of(const struct study_reader *r) {
  return (struct ts_reader){.doc = &r->project->doc, .arena = &r->project->arena, .faults = &r->issues->faults};
}

void ts_study_complain(struct study_reader *r, const char *name, enum ts_error_code code, enum ts_json_part part,
                       const char *text, const char *help) {
  struct ts_reader reader = reader_of(r);
  struct ts_error *fault = ts_reader_fault(&reader, code, pointer_to(r, &reader, name), part, "%s", text);
  if (help && help[0]) ts_error_help(fault, "%s", help);
}

void ts_study_wrong_type(struct study_reader *r, const char *name, const char *needed, const json_t *value) {
  struct ts_reader reader = reader_of(r);
  const char *label = ts_arena_printf(&r->project->arena, "'%s'", name);
  ts_reader_wrong_type(&reader, value, pointer_to(r, &reader, name), label, needed, NULL);
}

void ts_study_check_keys(struct study_reader *r, const json_t *object, const char *const *known, size_t known_count) {
  struct ts_reader reader = reader_of(r);
  struct ts_field *fields = ts_arena_array(&r->project->arena, known_count, sizeof *fields);
  for (size_t i = 0; i < known_count; i++) fields[i] = (struct ts_field){.name = known[i]};
  ts_reader_fields(&reader, object, r->pointer, r->what ? r->what : "a study", fields, known_count);
}

const char *ts_study_read_string(struct study_reader *r, const json_t *object, const char *name,
                                 const char *otherwise) {
  const json_t *value = json_object_get(object, name);
  if (!value) return otherwise;
  if (!json_is_string(value)) {
    ts_study_wrong_type(r, name, "a string", value);
    return otherwise;
  }
  return ts_arena_strdup(&r->project->arena, json_string_value(value));
}

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
  const char **items = ts_arena_array(&r->project->arena, json_array_size(value) + 1, sizeof *items);
  for (size_t i = 0; i < json_array_size(value); i++) {
    const json_t *item = json_array_get(value, i);
    if (json_is_string(item))
      items[(*count)++] = ts_arena_strdup(&r->project->arena, json_string_value(item));
    else
      ts_study_wrong_type(r, name, "a list of strings", item);
  }
  return items;
}

/* How an object is written that many take for a word; NULL: it is not one of these. */
static const char *example_of(const char *name) {
  if (strcmp(name, "method") == 0) return "\"method\": {\"name\": \"morris\"}";
  return strcmp(name, "data") == 0 ? "\"data\": {\"files\": [\"slide.png\"]}" : NULL;
}

bool ts_study_enter(struct study_reader *r, const json_t *object, const char *name, struct study_reader *inner,
                    const json_t **value) {
  *value = json_object_get(object, name);
  if (!*value) return false;
  if (!json_is_object(*value)) {
    struct ts_reader reader = reader_of(r);
    const char *label = ts_arena_printf(&r->project->arena, "'%s'", name);
    ts_reader_wrong_type(&reader, *value, pointer_to(r, &reader, name), label, "an object", example_of(name));
    return false;
  }
  *inner = *r;
  inner->what = ts_arena_printf(&r->project->arena, "'%s'", name);
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
