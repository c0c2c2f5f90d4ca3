/* Workflow inputs as written: what a dataset must supply.
 * SPDX-License-Identifier: Apache-2.0 */
#include "workflow/workflow_int.h"

#include "base/alloc.h"
#include "base/const.h"

#include <string.h>

enum { TYPE, OPTIONAL, DEFAULT_RUN, FIELD_COUNT };

static void report_unknown_type(struct ts_reader *reader, const char *pointer, const char *word) {
  ts_auto(ts_names_release) struct ts_names names = {0};
  size_t count;
  const struct ts_type *const *types = ts_type_list(&count);
  for (size_t i = 0; i < count; i++) ts_names_add(&names, types[i]->name);
  struct ts_error *err =
      ts_reader_fault(reader, TS_ERR_BAD_VALUE, pointer, TS_JSON_VALUE, "inputs have no type '%s'", word);
  ts_names_suggest(&names, err, word, "types of inputs", "");
}

/* Columns of a manifest that say something else about a file than which one it is. */
static const char *const reserved_columns[] = {"mpp", "level", "tissue", "split"};

bool ts_is_reserved_column(const char *name) {
  for (size_t i = 0; i < sizeof reserved_columns / sizeof *reserved_columns; i++) {
    if (strcmp(reserved_columns[i], name) == 0) return true;
  }
  return false;
}

static void check_name(struct ts_reader *reader, const char *name, const char *pointer) {
  if (!ts_reader_name(reader, name, pointer, TS_JSON_KEY, "an input") || !ts_is_reserved_column(name)) return;
  struct ts_error *err =
      ts_reader_fault(reader, TS_ERR_BAD_NAME, pointer, TS_JSON_KEY, "'%s' cannot be the name of an input", name);
  ts_error_help(err, "columns 'mpp', 'level', 'tissue' and 'split' of a manifest have a meaning of their own");
}

/* Every alternative of "mask|labels" must be a type. A single one becomes *type. */
static bool check_type(struct ts_reader *reader, const char *declaration, const char *pointer,
                       const struct ts_type **type) {
  *type = ts_type_find(declaration);
  if (*type) return true;
  for (const char *word = declaration;;) {
    size_t length = strcspn(word, "|");
    const char *name = ts_arena_strndup(reader->arena, word, length);
    if (!ts_type_find(name)) {
      report_unknown_type(reader, pointer, name);
      return false;
    }
    if (word[length] == '\0') return true;
    word += length + 1;
  }
}

static void read_input(struct ts_reader *reader, const json_t *object, struct ts_input_draft *draft) {
  struct ts_field fields[FIELD_COUNT] = {
      [TYPE] = {"type", TS_WANT_STRING, true, "\"image/rgb8\"", NULL, false},
      [OPTIONAL] = {"optional", TS_WANT_BOOLEAN, false, "true", NULL, false},
      [DEFAULT_RUN] = {"default_run", TS_WANT_STRING, false, "\"segment.mask\"", NULL, false},
  };
  const char *what = ts_arena_printf(reader->arena, "input '%s'", draft->input.name);
  ts_reader_fields(reader, object, draft->pointer, what, fields, FIELD_COUNT);
  draft->input.help = ts_reader_help(reader, object);
  draft->input.optional = json_is_true(fields[OPTIONAL].value);
  const char *declaration = json_string_value(fields[TYPE].value);
  const char *pointer = ts_reader_child(reader, draft->pointer, "type");
  if (declaration && check_type(reader, declaration, pointer, &draft->input.type)) {
    draft->input.declaration = ts_arena_strdup(reader->arena, declaration);
  }
  if (fields[DEFAULT_RUN].value) {
    draft->default_run = ts_arena_strdup(reader->arena, json_string_value(fields[DEFAULT_RUN].value));
    draft->default_link = (struct ts_link){.name = draft->input.name,
                                           .text = draft->default_run,
                                           .pointer = ts_reader_child(reader, draft->pointer, "default_run")};
  }
}

struct ts_input_draft *ts_read_inputs(struct ts_reader *reader, struct ts_arena *scratch, const json_t *object,
                                      const char *pointer) {
  struct ts_input_draft *drafts = ts_arena_array(scratch, json_object_size(object), sizeof *drafts);
  struct ts_input_draft *draft = drafts;
  const char *key;
  json_t *value;
  json_object_foreach(ts_without_const(object), key, value) {
    draft->pointer = ts_reader_child(reader, pointer, key);
    draft->input.name = ts_arena_strdup(reader->arena, key);
    draft->input.help = "";
    check_name(reader, key, draft->pointer);
    const char *label = ts_arena_printf(reader->arena, "input '%s'", key);
    if (ts_reader_want(reader, value, draft->pointer, label, TS_WANT_OBJECT, "{\"type\": \"image/rgb8\"}")) {
      read_input(reader, value, draft);
    }
    draft++;
  }
  return drafts;
}
