/* Reads a study file: which workflow, which data, which method, which outputs; all faults at once, each with its place.
 * SPDX-License-Identifier: Apache-2.0 */
#include "project/data/split.h"
#include "project/study_reader.h"

#include "project/data/tissue.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"

#include <stdio.h>
#include <string.h>

/* Columns that results have beside those of the groups. */
static bool is_column_of_results(const char *name) {
  return strcmp(name, "set") == 0 || strcmp(name, "file") == 0 || strcmp(name, "tiles") == 0;
}

static void check_group(struct study_reader *list, size_t index) {
  const char *const *groups = list->project->study.groups;
  char place[24], text[TEXT_BYTES];
  size_t first = 0;
  while (strcmp(groups[first], groups[index]) != 0) first++;
  snprintf(place, sizeof place, "%zu", index);
  if (first < index) {
    snprintf(text, sizeof text, "the group '%.100s' is named twice", groups[index]);
    ts_study_complain(list, place, TS_ERR_DUPLICATE_NAME, TS_JSON_VALUE, text, "name every group once");
  } else if (!groups[index][0] || ts_is_reserved_column(groups[index]) || is_column_of_results(groups[index])) {
    snprintf(text, sizeof text, "'%.100s' cannot be the name of a group", groups[index]);
    ts_study_complain(list, place, TS_ERR_BAD_NAME, TS_JSON_VALUE, text,
                      "'mpp', 'level', 'tissue', 'split', 'set', 'file' and 'tiles' have a meaning of their own");
  }
}

static void read_groups(struct study_reader *r, const json_t *data) {
  struct study_file *f = &r->project->study;
  struct study_reader list = *r;
  snprintf(list.pointer, sizeof list.pointer, "%.100s/groups", r->pointer);
  f->groups = ts_study_read_strings(r, data, "groups", &f->group_count);
  for (size_t g = 0; g < f->group_count; g++) check_group(&list, g);
  if (f->group_count > 0 && !f->manifest)
    ts_study_complain(r, "groups", TS_ERR_MISSING_KEY, TS_JSON_VALUE,
                      "groups are columns of a manifest, but the study has none",
                      "add \"manifest\": \"data.csv\", a CSV file with a column per input and per group");
}

static void read_tissue(struct study_reader *r, const json_t *data) {
  struct study_file *f = &r->project->study;
  f->tissue = ts_study_read_string(r, data, "tissue", NULL);
  if (!f->tissue || ts_tissue_is_choice(f->tissue)) return;
  ts_study_complain(r, "tissue", TS_ERR_BAD_VALUE, TS_JSON_VALUE, "'tissue' is neither \"auto\" nor \"on\" nor \"off\"",
                    "\"auto\" leaves out tiles without tissue of large RGB images that have no truth; a manifest may "
                    "name a mask for each image, in a column 'tissue'");
}

static void read_data(struct study_reader *r, const json_t *root) {
  static const char *const keys[] = {"files", "manifest", "groups", "hold_out", "tile", "halo", "level", "tissue"};
  struct study_file *f = &r->project->study;
  struct study_reader inner;
  const json_t *data;
  if (!ts_study_enter(r, root, "data", &inner, &data)) return;
  ts_study_check_keys(&inner, data, keys, sizeof keys / sizeof *keys);
  f->data_files = ts_study_read_strings(&inner, data, "files", &f->data_file_count);
  f->manifest = ts_study_read_string(&inner, data, "manifest", NULL);
  read_groups(&inner, data);
  ts_hold_out_read(&inner, data);
  f->tile_px = ts_study_read_integer(&inner, data, "tile", 0, INT64_MAX, 0);
  f->has_halo = json_object_get(data, "halo") != NULL;
  f->halo_px = ts_study_read_integer(&inner, data, "halo", 0, INT64_MAX, 0);
  f->level = (int32_t)ts_study_read_integer(&inner, data, "level", 0, INT32_MAX, 0);
  read_tissue(&inner, data);
  if (!f->manifest && !json_object_get(data, "files") && r->project->request->data_count == 0 && !r->project->order)
    ts_study_complain(&inner, NULL, TS_ERR_MISSING_KEY, TS_JSON_VALUE, "'data' names no files",
                      "add \"files\": [\"slide.png\"] or \"manifest\": \"data.csv\"");
}

static bool split_output(struct study_reader *r, struct study_output *output, const char *text) {
  const char *colon = strrchr(text, ':');
  if (!colon || colon == text || !colon[1]) return false;
  output->name = ts_arena_strdup(&r->project->arena, text);
  output->product = ts_arena_strndup(&r->project->arena, text, (size_t)(colon - text));
  output->column = ts_arena_strdup(&r->project->arena, colon + 1);
  return true;
}

/* TS_OVER_COUNT if the file has none, or an unknown one. */
static enum ts_over read_over(struct study_reader *r, const json_t *item, const char *key) {
  size_t before = r->issues->faults.count;
  if (!json_object_get(item, key)) return TS_OVER_COUNT;
  size_t word = ts_study_read_word(r, item, key, ts_over_names);
  return r->issues->faults.count == before ? (enum ts_over)word : TS_OVER_COUNT;
}

/* NULL if the file does not say. */
static const char *read_better(struct study_reader *r, const json_t *item) {
  static const char *const words[] = {"lower", "higher", NULL};
  return json_object_get(item, "better") ? words[ts_study_read_word(r, item, "better", words)] : NULL;
}

static void read_output(struct study_reader *r, const json_t *item, size_t index) {
  static const char *const keys[] = {"output", "over_tiles", "over_files", "label", "better"};
  struct study_file *f = &r->project->study;
  struct study_reader inner = *r;
  inner.what = "an output";
  snprintf(inner.pointer, sizeof inner.pointer, "%.100s/outputs/%zu", r->pointer, index);
  struct study_output output = {.label = "",
                                .over_tiles = TS_OVER_COUNT,
                                .over_files = TS_OVER_COUNT,
                                .pointer = ts_arena_strdup(&r->project->arena, inner.pointer),
                                .is_object = json_is_object(item)};
  const char *text = json_string_value(item);
  if (json_is_object(item)) {
    ts_study_check_keys(&inner, item, keys, sizeof keys / sizeof *keys);
    text = ts_study_read_string(&inner, item, "output", NULL);
    output.label = ts_study_read_string(&inner, item, "label", "");
    output.over_tiles = read_over(&inner, item, "over_tiles");
    output.over_files = read_over(&inner, item, "over_files");
    output.better = read_better(&inner, item);
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
                      "name the columns to analyse, for example \"outputs\": [\"compare.table:diff\"]");
    return;
  }
  if (json_array_size(list) == 0) {
    const bool is_list = json_is_array(list);
    ts_study_complain(r, "outputs", is_list ? TS_ERR_MISSING_KEY : TS_ERR_WRONG_TYPE, TS_JSON_VALUE,
                      is_list ? "'outputs' is empty: there is nothing to analyse"
                              : "'outputs' must be a list of outputs",
                      "name the columns to analyse, for example \"outputs\": [\"compare.table:diff\"]");
    return;
  }
  r->project->study.outputs =
      ts_arena_array(&r->project->arena, json_array_size(list), sizeof *r->project->study.outputs);
  for (size_t i = 0; i < json_array_size(list); i++) read_output(r, json_array_get(list, i), i);
}

static void read_reference(struct study_reader *r, const json_t *root) {
  static const char *const keys[] = {"files"};
  struct study_file *f = &r->project->study;
  const json_t *reference = json_object_get(root, "reference");
  struct study_reader inner;
  if (!reference) return;
  if (json_is_string(reference)) {
    const char *word = json_string_value(reference);
    f->reference = strcmp(word, "default") == 0 ? REFERENCE_DEFAULT : REFERENCE_TRUTH;
    if (strcmp(word, "default") != 0 && strcmp(word, "truth") != 0)
      ts_study_complain(r, "reference", TS_ERR_BAD_VALUE, TS_JSON_VALUE,
                        "'reference' must be \"truth\", \"default\" or name files",
                        "write \"truth\", \"default\" or {\"files\": [\"truth.png\"]}");
    return;
  }
  if (!ts_study_enter(r, root, "reference", &inner, &reference)) return;
  ts_study_check_keys(&inner, reference, keys, 1);
  f->reference = REFERENCE_FILES;
  if (!json_object_get(reference, "files"))
    ts_study_complain(&inner, NULL, TS_ERR_MISSING_KEY, TS_JSON_VALUE, "'reference' names no files",
                      "write {\"files\": [\"truth.png\"]}, one file per item");
  f->reference_files = ts_study_read_strings(&inner, reference, "files", &f->reference_file_count);
}

static void read_task_limit(struct study_reader *r, const json_t *root) {
  const json_t *limit = json_object_get(root, "task_limit_s");
  if (!limit) return;
  if (!json_is_number(limit))
    ts_study_wrong_type(r, "task_limit_s", "a number of seconds", limit);
  else if (!(json_number_value(limit) >= 0.001 && json_number_value(limit) <= 1e9))
    ts_study_complain(r, "task_limit_s", TS_ERR_BAD_VALUE, TS_JSON_VALUE,
                      "'task_limit_s' is not a possible number of seconds",
                      "it must lie between 0.001 and 1e9; leave it out for no limit");
  else
    r->project->study.task_limit_s = json_number_value(limit);
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

static void set_defaults(struct ts_project *project) {
  struct study_file *f = &project->study;
  char *folder = ts_path_folder(project->doc.file);
  char *stem = ts_path_safe_stem(project->doc.file);
  f->path = project->doc.file;
  f->folder = ts_arena_strdup(&project->arena, folder);
  f->name = ts_arena_strdup(&project->arena, stem);
  free(folder);
  free(stem);
  ts_study_method_default(project);
  f->question = "Which parameters matter?";
}

/* The name becomes that of a folder. */
static void read_name(struct study_reader *r, const json_t *root) {
  struct ts_error err = {0};
  const char *name = ts_study_read_string(r, root, "name", NULL);
  if (!name) return;
  r->project->study.name = name;
  if (!ts_name_check(name, "a study", &err)) ts_study_complain(r, "name", err.code, TS_JSON_VALUE, err.text, err.help);
}

bool ts_study_file_parse(struct ts_project *project, struct ts_issues *issues) {
  static const char *const keys[] = {"tessera", "name",      "question",   "workflow",     "data",         "method",
                                     "outputs", "reference", "parameters", "task_limit_s", "correlations", "engine"};
  struct study_reader r = {.project = project, .issues = issues};
  const json_t *root = project->doc.root;
  set_defaults(project);
  if (project->study.is_bare_workflow) {
    const json_t *name = json_object_get(root, "name");
    if (json_is_string(name)) project->study.name = ts_arena_strdup(&project->arena, json_string_value(name));
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
  project->study.question = ts_study_read_string(&r, root, "question", project->study.question);
  const char *workflow = ts_study_read_string(&r, root, "workflow", NULL);
  if (!workflow) {
    ts_study_complain(&r, NULL, TS_ERR_MISSING_KEY, TS_JSON_VALUE, "the study names no 'workflow'",
                      "add \"workflow\": \"workflow.json\"");
  } else {
    project->study.workflow = ts_path_below(&project->arena, project->study.folder, workflow);
  }
  if (!json_object_get(root, "data") && project->request->data_count == 0 && !project->order)
    ts_study_complain(&r, NULL, TS_ERR_MISSING_KEY, TS_JSON_VALUE, "the study names no 'data'",
                      "add \"data\": {\"files\": [\"slide.png\"]}");
  read_data(&r, root);
  ts_study_method_read(&r, root);
  read_outputs(&r, root);
  read_reference(&r, root);
  read_task_limit(&r, root);
  ts_study_engine_read(&r, root);
  project->study.varied = ts_study_read_strings(&r, root, "parameters", &project->study.varied_count);
  return ts_issues_ok(issues);
}
