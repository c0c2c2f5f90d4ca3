/* Reads a study file: which workflow, which data, which method, which outputs; all faults at once, each with its place.
 * SPDX-License-Identifier: Apache-2.0 */
#include "study/study_int.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"

#include <stdio.h>
#include <string.h>

/* Longer than the fields of an error: what is cut is cut there, where no character is left in halves. */
#define TEXT_BYTES 600

/* Limits that no sensible study meets; far beyond them a slip of the hand would ask for all memory. */
#define TRAJECTORIES_MAX 10000
#define LEVELS_MAX       1000000
#define RESAMPLES_MAX    1000000

struct reader {
  struct session *s;
  char pointer[192]; /* of the object being read */
};

static void complain(struct reader *r, const char *name, enum ts_error_code code, enum ts_json_part part,
                     const char *text, const char *help) {
  ts_auto(ts_str_release) struct ts_str pointer = {0};
  ts_str_add(&pointer, r->pointer);
  if (name) ts_json_pointer_add(&pointer, name);
  struct ts_error *fault = ts_faults_add(&r->s->faults);
  ts_fail(fault, code, "%s", text);
  if (help && help[0]) ts_error_help(fault, "%s", help);
  ts_json_place(fault, &r->s->doc, ts_str_get(&pointer), part);
}

static void wrong_type(struct reader *r, const char *name, const char *needed, const json_t *value) {
  char text[TEXT_BYTES];
  char help[TEXT_BYTES];
  snprintf(text, sizeof text, "'%s' must be %s, but is %s", name, needed, ts_json_kind(value));
  snprintf(help, sizeof help, "write %s", needed);
  complain(r, name, TS_ERR_WRONG_TYPE, TS_JSON_VALUE, text, help);
}

/* Reports every key that is not in the list, with the nearest one that is. */
static void check_keys(struct reader *r, const json_t *object, const char *const *known, size_t known_count) {
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)object, key, value) {
    bool found = strcmp(key, "help") == 0 || strcmp(key, "comment") == 0;
    for (size_t i = 0; i < known_count && !found; i++) found = strcmp(key, known[i]) == 0;
    if (found) continue;
    char text[TEXT_BYTES];
    char help[TEXT_BYTES] = "remove it, or call it \"comment\"";
    snprintf(text, sizeof text, "unknown key '%s'", key);
    const char *near = ts_nearest_word(key, known, known_count);
    if (near) snprintf(help, sizeof help, "did you mean '%s'?", near);
    complain(r, key, TS_ERR_UNKNOWN_KEY, TS_JSON_KEY, text, help);
  }
}

static const char *read_string(struct reader *r, const json_t *object, const char *name, const char *otherwise) {
  const json_t *value = json_object_get(object, name);
  if (!value) return otherwise;
  if (!json_is_string(value)) {
    wrong_type(r, name, "a string", value);
    return otherwise;
  }
  return ts_arena_strdup(&r->s->arena, json_string_value(value));
}

/* A whole number from `lowest` to `highest`. */
static int64_t read_integer(struct reader *r, const json_t *object, const char *name, int64_t lowest, int64_t highest,
                            int64_t otherwise) {
  const json_t *value = json_object_get(object, name);
  if (!value) return otherwise;
  if (!json_is_integer(value)) {
    wrong_type(r, name, "a whole number", value);
    return otherwise;
  }
  int64_t number = json_integer_value(value);
  if (number >= lowest && number <= highest) return number;
  char text[TEXT_BYTES];
  char help[TEXT_BYTES];
  snprintf(text, sizeof text, "'%s' is %lld", name, (long long)number);
  snprintf(help, sizeof help, "it must be at %s %lld", number < lowest ? "least" : "most",
           (long long)(number < lowest ? lowest : highest));
  complain(r, name, TS_ERR_BAD_VALUE, TS_JSON_VALUE, text, help);
  return otherwise;
}

static const char **read_strings(struct reader *r, const json_t *object, const char *name, size_t *count) {
  const json_t *value = json_object_get(object, name);
  *count = 0;
  if (!value) return NULL;
  if (!json_is_array(value)) {
    wrong_type(r, name, "a list of strings", value);
    return NULL;
  }
  const char **items = ts_arena_array(&r->s->arena, json_array_size(value) + 1, sizeof *items);
  for (size_t i = 0; i < json_array_size(value); i++) {
    const json_t *item = json_array_get(value, i);
    if (json_is_string(item))
      items[(*count)++] = ts_arena_strdup(&r->s->arena, json_string_value(item));
    else
      wrong_type(r, name, "a list of strings", item);
  }
  return items;
}

/* Steps into an object; false if it is missing or no object. */
static bool enter(struct reader *r, const json_t *object, const char *name, struct reader *inner,
                  const json_t **value) {
  *value = json_object_get(object, name);
  if (!*value) return false;
  if (!json_is_object(*value)) {
    wrong_type(r, name, "an object", *value);
    return false;
  }
  *inner = *r;
  snprintf(inner->pointer, sizeof inner->pointer, "%.100s/%.80s", r->pointer, name);
  return true;
}

static void read_data(struct reader *r, const json_t *root) {
  static const char *const keys[] = {"files", "manifest", "tile", "halo", "level"};
  struct study_file *f = &r->s->study;
  struct reader inner;
  const json_t *data;
  if (!enter(r, root, "data", &inner, &data)) return;
  check_keys(&inner, data, keys, sizeof keys / sizeof *keys);
  f->data_files = read_strings(&inner, data, "files", &f->data_file_count);
  f->manifest = read_string(&inner, data, "manifest", NULL);
  f->tile_px = read_integer(&inner, data, "tile", 0, INT64_MAX, 0);
  f->halo_px = read_integer(&inner, data, "halo", 0, INT64_MAX, 0);
  f->level = (int32_t)read_integer(&inner, data, "level", 0, INT32_MAX, 0);
  if (!f->manifest && !json_object_get(data, "files"))
    complain(&inner, NULL, TS_ERR_MISSING_KEY, TS_JSON_VALUE, "'data' names no files",
             "add \"files\": [\"slide.png\"] or \"manifest\": \"data.csv\"");
}

static void read_method(struct reader *r, const json_t *root) {
  static const char *const keys[] = {"name", "trajectories", "levels", "seed", "resamples", "confidence"};
  struct study_file *f = &r->s->study;
  struct reader inner;
  const json_t *method;
  if (!enter(r, root, "method", &inner, &method)) return;
  check_keys(&inner, method, keys, sizeof keys / sizeof *keys);
  f->method = read_string(&inner, method, "name", "morris");
  if (strcmp(f->method, "morris") != 0) {
    char text[TEXT_BYTES];
    snprintf(text, sizeof text, "unknown method '%s'", f->method);
    complain(&inner, "name", TS_ERR_BAD_VALUE, TS_JSON_VALUE, text, "this version knows: morris");
  }
  f->trajectories = (size_t)read_integer(&inner, method, "trajectories", 2, TRAJECTORIES_MAX, 10);
  f->levels = (size_t)read_integer(&inner, method, "levels", 2, LEVELS_MAX, 4);
  if (f->levels % 2 != 0)
    complain(&inner, "levels", TS_ERR_BAD_VALUE, TS_JSON_VALUE, "'levels' is odd",
             "a Morris design needs an even number");
  f->seed = (uint64_t)read_integer(&inner, method, "seed", 0, INT64_MAX, 1);
  f->resamples = (size_t)read_integer(&inner, method, "resamples", 100, RESAMPLES_MAX, 1000);
  const json_t *confidence = json_object_get(method, "confidence");
  f->confidence = confidence ? json_number_value(confidence) : 0.95;
  if (!(f->confidence > 0 && f->confidence < 1))
    complain(&inner, "confidence", TS_ERR_BAD_VALUE, TS_JSON_VALUE, "'confidence' is no share between 0 and 1",
             "0.95 is usual");
}

static bool split_output(struct reader *r, struct study_output *output, const char *text) {
  const char *colon = strrchr(text, ':');
  if (!colon || colon == text || !colon[1]) return false;
  output->name = ts_arena_strdup(&r->s->arena, text);
  output->product = ts_arena_strndup(&r->s->arena, text, (size_t)(colon - text));
  output->column = ts_arena_strdup(&r->s->arena, colon + 1);
  return true;
}

static void read_output(struct reader *r, const json_t *item, size_t index) {
  static const char *const keys[] = {"output", "over_tiles", "label"};
  struct study_file *f = &r->s->study;
  struct reader inner = *r;
  snprintf(inner.pointer, sizeof inner.pointer, "%.100s/outputs/%zu", r->pointer, index);
  struct study_output output = {.label = "", .pointer = ts_arena_strdup(&r->s->arena, inner.pointer)};
  const char *text = json_string_value(item);
  if (json_is_object(item)) {
    check_keys(&inner, item, keys, sizeof keys / sizeof *keys);
    text = read_string(&inner, item, "output", NULL);
    output.label = read_string(&inner, item, "label", "");
    const char *over = read_string(&inner, item, "over_tiles", "mean");
    output.over_tiles = strcmp(over, "sum") == 0 ? OVER_TILES_SUM : OVER_TILES_MEAN;
    if (strcmp(over, "sum") != 0 && strcmp(over, "mean") != 0)
      complain(&inner, "over_tiles", TS_ERR_BAD_VALUE, TS_JSON_VALUE, "'over_tiles' must be \"sum\" or \"mean\"",
               "write \"mean\" for numbers per tile that do not add up");
  }
  if (!text || !split_output(r, &output, text)) {
    complain(&inner, NULL, TS_ERR_BAD_VALUE, TS_JSON_VALUE, "an output is written STAGE.PORT:COLUMN",
             "for example \"compare.table:diff\"");
    return;
  }
  f->outputs[f->output_count++] = output;
}

static void read_outputs(struct reader *r, const json_t *root) {
  const json_t *list = json_object_get(root, "outputs");
  if (!list) {
    complain(r, NULL, TS_ERR_MISSING_KEY, TS_JSON_VALUE, "the study has no 'outputs'",
             "say what to analyse, for example \"outputs\": [\"compare.table:diff\"]");
    return;
  }
  if (!json_is_array(list) || json_array_size(list) == 0) {
    wrong_type(r, "outputs", "a list with at least one output", list);
    return;
  }
  r->s->study.outputs = ts_arena_array(&r->s->arena, json_array_size(list), sizeof *r->s->study.outputs);
  for (size_t i = 0; i < json_array_size(list); i++) read_output(r, json_array_get(list, i), i);
}

static void read_reference(struct reader *r, const json_t *root) {
  static const char *const keys[] = {"files"};
  struct study_file *f = &r->s->study;
  const json_t *reference = json_object_get(root, "reference");
  struct reader inner;
  if (!reference) return;
  if (json_is_string(reference)) {
    f->reference_is_default = strcmp(json_string_value(reference), "default") == 0;
    if (!f->reference_is_default)
      complain(r, "reference", TS_ERR_BAD_VALUE, TS_JSON_VALUE, "'reference' must be \"default\" or name files",
               "write \"default\" or {\"files\": [\"truth.png\"]}");
    return;
  }
  if (!enter(r, root, "reference", &inner, &reference)) return;
  check_keys(&inner, reference, keys, 1);
  f->reference_files = read_strings(&inner, reference, "files", &f->reference_file_count);
}

static void read_task_limit(struct reader *r, const json_t *root) {
  const json_t *limit = json_object_get(root, "task_limit_s");
  if (!limit) return;
  if (!json_is_number(limit))
    wrong_type(r, "task_limit_s", "a number of seconds", limit);
  else if (!(json_number_value(limit) >= 0.001 && json_number_value(limit) <= 1e9))
    complain(r, "task_limit_s", TS_ERR_BAD_VALUE, TS_JSON_VALUE, "'task_limit_s' is no possible number of seconds",
             "it must lie between 0.001 and 1e9; leave it out for no limit");
  else
    r->s->study.task_limit_s = json_number_value(limit);
}

static void check_number(struct reader *r, const json_t *root) {
  const json_t *number = json_object_get(root, "tessera");
  if (!number)
    complain(r, NULL, TS_ERR_MISSING_KEY, TS_JSON_VALUE, "'tessera' is missing", "begin the file with \"tessera\": 1");
  else if (!json_is_integer(number))
    wrong_type(r, "tessera", "the number 1", number);
  else if (json_integer_value(number) != 1)
    complain(r, "tessera", TS_ERR_FORMAT_VERSION, TS_JSON_VALUE, "this program reads files of number 1 only",
             "use the tessera that wrote it, or set \"tessera\": 1");
}

static void set_defaults(struct session *s) {
  struct study_file *f = &s->study;
  char *folder = ts_path_folder(s->doc.file);
  char *stem = ts_path_stem(s->doc.file);
  f->path = s->doc.file;
  f->folder = ts_arena_strdup(&s->arena, folder);
  f->name = ts_arena_strdup(&s->arena, stem);
  free(folder);
  free(stem);
  f->method = "morris";
  f->trajectories = 10;
  f->levels = 4;
  f->seed = 1;
  f->resamples = 1000;
  f->confidence = 0.95;
  f->question = "Which parameters matter?";
}

bool ts_study_file_parse(struct session *s) {
  static const char *const keys[] = {"tessera", "name",    "question",  "workflow",   "data",
                                     "method",  "outputs", "reference", "parameters", "task_limit_s"};
  struct reader r = {.s = s};
  const json_t *root = s->doc.root;
  set_defaults(s);
  if (s->study.is_bare_workflow) {
    const json_t *name = json_object_get(root, "name");
    if (json_is_string(name)) s->study.name = ts_arena_strdup(&s->arena, json_string_value(name));
    return true;
  }
  if (!json_is_object(root)) {
    complain(&r, NULL, TS_ERR_WRONG_TYPE, TS_JSON_VALUE, "a study file holds one object",
             "begin it with { \"tessera\": 1,");
    return false;
  }
  check_number(&r, root);
  check_keys(&r, root, keys, sizeof keys / sizeof *keys);
  s->study.name = read_string(&r, root, "name", s->study.name);
  s->study.question = read_string(&r, root, "question", s->study.question);
  const char *workflow = read_string(&r, root, "workflow", NULL);
  if (!workflow) {
    complain(&r, NULL, TS_ERR_MISSING_KEY, TS_JSON_VALUE, "the study names no 'workflow'",
             "add \"workflow\": \"workflow.json\"");
  } else {
    char *path = strcmp(s->study.folder, ".") == 0 ? ts_strdup(workflow) : ts_path_join(s->study.folder, workflow);
    s->study.workflow = ts_arena_strdup(&s->arena, path);
    free(path);
  }
  if (!json_object_get(root, "data") && s->request->data_count == 0)
    complain(&r, NULL, TS_ERR_MISSING_KEY, TS_JSON_VALUE, "the study names no 'data'",
             "add \"data\": {\"files\": [\"slide.png\"]}");
  read_data(&r, root);
  read_method(&r, root);
  read_outputs(&r, root);
  read_reference(&r, root);
  read_task_limit(&r, root);
  s->study.varied = read_strings(&r, root, "parameters", &s->study.varied_count);
  return ts_session_ok(s);
}
