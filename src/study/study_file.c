/* Reads a study file: which workflow, which data, which method, which outputs; all faults at once, each with its place.
 * SPDX-License-Identifier: Apache-2.0 */
#include "study/study_reader.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"

#include <stdio.h>
#include <string.h>

static void read_data(struct study_reader *r, const json_t *root) {
  static const char *const keys[] = {"files", "manifest", "tile", "halo", "level"};
  struct study_file *f = &r->s->study;
  struct study_reader inner;
  const json_t *data;
  if (!ts_study_enter(r, root, "data", &inner, &data)) return;
  ts_study_check_keys(&inner, data, keys, sizeof keys / sizeof *keys);
  f->data_files = ts_study_read_strings(&inner, data, "files", &f->data_file_count);
  f->manifest = ts_study_read_string(&inner, data, "manifest", NULL);
  f->tile_px = ts_study_read_integer(&inner, data, "tile", 0, INT64_MAX, 0);
  f->halo_px = ts_study_read_integer(&inner, data, "halo", 0, INT64_MAX, 0);
  f->level = (int32_t)ts_study_read_integer(&inner, data, "level", 0, INT32_MAX, 0);
  if (!f->manifest && !json_object_get(data, "files"))
    ts_study_complain(&inner, NULL, TS_ERR_MISSING_KEY, TS_JSON_VALUE, "'data' names no files",
                      "add \"files\": [\"slide.png\"] or \"manifest\": \"data.csv\"");
}

static bool split_output(struct study_reader *r, struct study_output *output, const char *text) {
  const char *colon = strrchr(text, ':');
  if (!colon || colon == text || !colon[1]) return false;
  output->name = ts_arena_strdup(&r->s->arena, text);
  output->product = ts_arena_strndup(&r->s->arena, text, (size_t)(colon - text));
  output->column = ts_arena_strdup(&r->s->arena, colon + 1);
  return true;
}

static void read_output(struct study_reader *r, const json_t *item, size_t index) {
  static const char *const keys[] = {"output", "over_tiles", "label"};
  struct study_file *f = &r->s->study;
  struct study_reader inner = *r;
  snprintf(inner.pointer, sizeof inner.pointer, "%.100s/outputs/%zu", r->pointer, index);
  struct study_output output = {.label = "", .pointer = ts_arena_strdup(&r->s->arena, inner.pointer)};
  const char *text = json_string_value(item);
  if (json_is_object(item)) {
    ts_study_check_keys(&inner, item, keys, sizeof keys / sizeof *keys);
    text = ts_study_read_string(&inner, item, "output", NULL);
    output.label = ts_study_read_string(&inner, item, "label", "");
    const char *over = ts_study_read_string(&inner, item, "over_tiles", "mean");
    output.over_tiles = strcmp(over, "sum") == 0 ? OVER_TILES_SUM : OVER_TILES_MEAN;
    if (strcmp(over, "sum") != 0 && strcmp(over, "mean") != 0)
      ts_study_complain(&inner, "over_tiles", TS_ERR_BAD_VALUE, TS_JSON_VALUE,
                        "'over_tiles' must be \"sum\" or \"mean\"",
                        "write \"mean\" for numbers per tile that do not add up");
  }
  if (!text || !split_output(r, &output, text)) {
    ts_study_complain(&inner, NULL, TS_ERR_BAD_VALUE, TS_JSON_VALUE, "an output is written STAGE.PORT:COLUMN",
                      "for example \"compare.table:diff\"");
    return;
  }
  f->outputs[f->output_count++] = output;
}

static void read_outputs(struct study_reader *r, const json_t *root) {
  const json_t *list = json_object_get(root, "outputs");
  if (!list) {
    ts_study_complain(r, NULL, TS_ERR_MISSING_KEY, TS_JSON_VALUE, "the study has no 'outputs'",
                      "say what to analyse, for example \"outputs\": [\"compare.table:diff\"]");
    return;
  }
  if (!json_is_array(list) || json_array_size(list) == 0) {
    ts_study_wrong_type(r, "outputs", "a list with at least one output", list);
    return;
  }
  r->s->study.outputs = ts_arena_array(&r->s->arena, json_array_size(list), sizeof *r->s->study.outputs);
  for (size_t i = 0; i < json_array_size(list); i++) read_output(r, json_array_get(list, i), i);
}

static void read_reference(struct study_reader *r, const json_t *root) {
  static const char *const keys[] = {"files"};
  struct study_file *f = &r->s->study;
  const json_t *reference = json_object_get(root, "reference");
  struct study_reader inner;
  if (!reference) return;
  if (json_is_string(reference)) {
    f->reference_is_default = strcmp(json_string_value(reference), "default") == 0;
    if (!f->reference_is_default)
      ts_study_complain(r, "reference", TS_ERR_BAD_VALUE, TS_JSON_VALUE,
                        "'reference' must be \"default\" or name files",
                        "write \"default\" or {\"files\": [\"truth.png\"]}");
    return;
  }
  if (!ts_study_enter(r, root, "reference", &inner, &reference)) return;
  ts_study_check_keys(&inner, reference, keys, 1);
  f->reference_files = ts_study_read_strings(&inner, reference, "files", &f->reference_file_count);
}

static void read_task_limit(struct study_reader *r, const json_t *root) {
  const json_t *limit = json_object_get(root, "task_limit_s");
  if (!limit) return;
  if (!json_is_number(limit))
    ts_study_wrong_type(r, "task_limit_s", "a number of seconds", limit);
  else if (!(json_number_value(limit) >= 0.001 && json_number_value(limit) <= 1e9))
    ts_study_complain(r, "task_limit_s", TS_ERR_BAD_VALUE, TS_JSON_VALUE,
                      "'task_limit_s' is no possible number of seconds",
                      "it must lie between 0.001 and 1e9; leave it out for no limit");
  else
    r->s->study.task_limit_s = json_number_value(limit);
}

static void check_number(struct study_reader *r, const json_t *root) {
  const json_t *number = json_object_get(root, "tessera");
  if (!number)
    ts_study_complain(r, NULL, TS_ERR_MISSING_KEY, TS_JSON_VALUE, "'tessera' is missing",
                      "begin the file with \"tessera\": 1");
  else if (!json_is_integer(number))
    ts_study_wrong_type(r, "tessera", "the number 1", number);
  else if (json_integer_value(number) != 1)
    ts_study_complain(r, "tessera", TS_ERR_FORMAT_VERSION, TS_JSON_VALUE, "this program reads files of number 1 only",
                      "use the tessera that wrote it, or set \"tessera\": 1");
}

static void set_defaults(struct session *s) {
  struct study_file *f = &s->study;
  char *folder = ts_path_folder(s->doc.file);
  char *stem = ts_path_safe_stem(s->doc.file);
  f->path = s->doc.file;
  f->folder = ts_arena_strdup(&s->arena, folder);
  f->name = ts_arena_strdup(&s->arena, stem);
  free(folder);
  free(stem);
  ts_study_method_default(s);
  f->question = "Which parameters matter?";
}

/* The name becomes that of a folder. */
static void read_name(struct study_reader *r, const json_t *root) {
  struct ts_error err = {0};
  const char *name = ts_study_read_string(r, root, "name", NULL);
  if (!name) return;
  r->s->study.name = name;
  if (!ts_name_check(name, "a study", &err)) ts_study_complain(r, "name", err.code, TS_JSON_VALUE, err.text, err.help);
}

bool ts_study_file_parse(struct session *s) {
  static const char *const keys[] = {"tessera", "name",      "question",   "workflow",     "data",        "method",
                                     "outputs", "reference", "parameters", "task_limit_s", "correlations"};
  struct study_reader r = {.s = s};
  const json_t *root = s->doc.root;
  set_defaults(s);
  if (s->study.is_bare_workflow) {
    const json_t *name = json_object_get(root, "name");
    if (json_is_string(name)) s->study.name = ts_arena_strdup(&s->arena, json_string_value(name));
    return true;
  }
  if (!json_is_object(root)) {
    ts_study_complain(&r, NULL, TS_ERR_WRONG_TYPE, TS_JSON_VALUE, "a study file holds one object",
                      "begin it with { \"tessera\": 1,");
    return false;
  }
  check_number(&r, root);
  ts_study_check_keys(&r, root, keys, sizeof keys / sizeof *keys);
  read_name(&r, root);
  s->study.question = ts_study_read_string(&r, root, "question", s->study.question);
  const char *workflow = ts_study_read_string(&r, root, "workflow", NULL);
  if (!workflow) {
    ts_study_complain(&r, NULL, TS_ERR_MISSING_KEY, TS_JSON_VALUE, "the study names no 'workflow'",
                      "add \"workflow\": \"workflow.json\"");
  } else {
    char *path = strcmp(s->study.folder, ".") == 0 ? ts_strdup(workflow) : ts_path_join(s->study.folder, workflow);
    s->study.workflow = ts_arena_strdup(&s->arena, path);
    free(path);
  }
  if (!json_object_get(root, "data") && s->request->data_count == 0)
    ts_study_complain(&r, NULL, TS_ERR_MISSING_KEY, TS_JSON_VALUE, "the study names no 'data'",
                      "add \"data\": {\"files\": [\"slide.png\"]}");
  read_data(&r, root);
  ts_study_method_read(&r, root);
  read_outputs(&r, root);
  read_reference(&r, root);
  read_task_limit(&r, root);
  s->study.varied = ts_study_read_strings(&r, root, "parameters", &s->study.varied_count);
  return ts_session_ok(s);
}
