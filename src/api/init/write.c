/* Writes a project for data that is there: a workflow, a manifest and a study whose choices are explained in it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/init/init_int.h"

#include "base/alloc.h"
#include "base/const.h"
#include "base/file.h"
#include "csv/csv.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Images up to this size are not cut: no object is, and one of three channels takes 12 MB. */
#define WHOLE_IMAGE_PX 2048

static const char *const written[] = {"workflow.json", "data.csv", "study.json"};
#define WRITTEN (sizeof written / sizeof *written)

/* ---- the choices ---- */

static int64_t largest_side(const struct init_data *data) {
  int64_t most = 0;
  for (size_t i = 0; i < data->pair_count; i++) {
    if (data->pairs[i].width > most) most = data->pairs[i].width;
    if (data->pairs[i].height > most) most = data->pairs[i].height;
  }
  return most;
}

static json_t *comment(const char *format, ...) TS_PRINTF(1, 2);
static json_t *comment(const char *format, ...) {
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return json_string(text);
}

/* An object that begins with a comment and goes on with the members of another one. */
static json_t *commented(json_t *text, json_t *object) {
  json_t *whole = json_object();
  json_object_set_new(whole, "comment", text);
  json_object_update(whole, object);
  return whole;
}

static json_t *data_part(const struct init_data *data, const json_t *given) {
  const int64_t largest = largest_side(data);
  json_t *part = json_pack("{s:s}", "manifest", "data.csv");
  if (largest <= WHOLE_IMAGE_PX) {
    json_object_set_new(part, "tile", json_integer(0));
    json_t *whole = commented(
        comment("data.csv names the images%s. The largest side has %lld pixels: images are not cut into tiles (0).",
                data->has_truth ? " and their truths" : "", (long long)largest),
        part);
    json_decref(part);
    return whole;
  }
  json_object_update(part, ts_without_const(given));
  json_t *whole = commented(
      comment("data.csv names the images%s. The largest side has %lld pixels: images are cut into tiles, which are "
              "computed with a margin (halo) around them.",
              data->has_truth ? " and their truths" : "", (long long)largest),
      part);
  json_decref(part);
  return whole;
}

/* The first output is the goal where there is a truth; against the run at the defaults, nothing is better than that. */
static json_t *outputs_part(const struct init_data *data, const json_t *given) {
  json_t *list = json_array();
  size_t index;
  json_t *output;
  json_array_foreach(ts_without_const(given), index, output) {
    json_t *copy = json_deep_copy(output);
    if (index == 0 && data->has_truth) json_object_set_new(copy, "better", json_string("higher"));
    json_t *text = index > 0         ? comment("A further number, analysed beside the goal.")
                   : data->has_truth ? comment("The goal: how well the result agrees with the truth; 1 is perfect.")
                                     : comment("There is no truth: how far the result moves away from that of the "
                                               "default parameters, for which it is 1. Name truths in a column of "
                                               "data.csv, called '%s', for a goal.",
                                               data->truth_column ? data->truth_column : "reference");
    json_array_append_new(list, commented(text, copy));
    json_decref(copy);
  }
  return list;
}

static json_t *study_of(const struct init_data *data) {
  const struct ts_embedded_file *file = ts_built_in_file(data->built_in->study);
  json_t *given = json_loadb((const char *)file->data, file->size, 0, NULL), *study = json_object();
  if (!given) TS_BUG("'%s' is not JSON", data->built_in->study);
  const char *key;
  json_t *value;
  json_object_foreach(given, key, value) {
    if (strcmp(key, "data") == 0)
      json_object_set_new(study, key, data_part(data, value));
    else if (strcmp(key, "outputs") == 0)
      json_object_set_new(study, key, outputs_part(data, value));
    else if (strcmp(key, "method") == 0)
      json_object_set_new(
          study, key,
          commented(comment("A screening: each trajectory changes one parameter after the other. 10 are "
                            "enough to see which matter; 'tessera help methods' has the others."),
                    value));
    else
      json_object_set(study, key, value);
    if (strcmp(key, "tessera") == 0)
      json_object_set_new(study, "comment",
                          comment("Written by 'tessera init --data'. Keys called comment are for readers alone; "
                                  "'tessera help study' explains the others."));
  }
  json_decref(given);
  return study;
}

/* ---- the files ---- */

/* Its text as it is, with a comment behind the brace that it begins with. */
static bool write_workflow(const struct init_data *data, const char *folder, json_t *files, struct ts_error *err) {
  const struct ts_embedded_file *file = ts_built_in_file(data->built_in->workflow);
  ts_auto(ts_str_release) struct ts_str text = {0};
  const char *rest = (const char *)file->data + 1;
  ts_str_addf(&text,
              "{\n  \"comment\": \"The built-in workflow '%s', %s. Change it as you like: 'tessera check' says what "
              "is wrong, 'tessera help workflow' what can be written.\",%s",
              data->built_in->name, data->built_in->use, rest);
  return ts_init_write(folder, written[0], ts_str_get(&text), text.length, files, err);
}

/* The absolute path of a file, whose own name is kept where it is a link; NULL: its folder cannot be read. Owned. */
static char *real_path(const char *path) {
  ts_auto_free char *folder = ts_path_folder(path);
  ts_auto_free char *real = realpath(folder, NULL);
  return real ? ts_path_join(real, ts_path_name(path)) : NULL;
}

/* The path as the manifest has it: relative to the folder of the project if it was named so. Owned. */
static char *path_from(const char *folder, const char *path) {
  if (path[0] == '/') return ts_strdup(path);
  ts_auto_free char *from = realpath(folder, NULL);
  ts_auto_free char *to = real_path(path);
  if (!from || !to) return ts_path_absolute(path);
  const size_t length = strlen(from);
  if (strncmp(from, to, length) == 0 && to[length] == '/') return ts_strdup(to + length + 1);
  size_t same = 0;
  for (size_t i = 0; from[i] == to[i] && from[i]; i++)
    if (from[i] == '/') same = i + 1;
  ts_auto(ts_str_release) struct ts_str text = {0};
  if (from[same]) ts_str_add(&text, "../");
  for (const char *c = from + same; *c; c++)
    if (*c == '/') ts_str_add(&text, "../");
  ts_str_add(&text, to + same);
  return ts_str_detach(&text);
}

static void add_cell(struct ts_str *text, const char *folder, const char *path, bool first) {
  ts_auto_free char *cell = path_from(folder, path);
  ts_csv_add_cell(text, cell, first);
}

static bool write_manifest(const struct init_data *data, const char *folder, json_t *files, struct ts_error *err) {
  ts_auto(ts_str_release) struct ts_str text = {0};
  ts_str_add(&text, data->image_column);
  if (data->has_truth) ts_str_addf(&text, ",%s", data->truth_column);
  ts_str_add_char(&text, '\n');
  for (size_t i = 0; i < data->pair_count; i++) {
    add_cell(&text, folder, data->pairs[i].image, true);
    if (data->has_truth) add_cell(&text, folder, data->pairs[i].truth, false);
    ts_str_add_char(&text, '\n');
  }
  return ts_init_write(folder, written[1], ts_str_get(&text), text.length, files, err);
}

static bool write_study(const json_t *study, const char *folder, json_t *files, struct ts_error *err) {
  ts_auto_free char *text = ts_json_dump(study, false, true);
  ts_auto(ts_str_release) struct ts_str line = {0};
  ts_str_addf(&line, "%s\n", text);
  return ts_init_write(folder, written[2], ts_str_get(&line), line.length, files, err);
}

static bool check_free(const char *folder, struct ts_error *err) {
  for (size_t i = 0; i < WRITTEN; i++) {
    ts_auto_free char *path = ts_path_join(folder, written[i]);
    if (!ts_file_exists(path)) continue;
    ts_fail(err, TS_ERR_USAGE, "'%s' exists already", path);
    return ts_error_help(err, "name a new folder: tessera init NEW --data ...; or move the file away");
  }
  return true;
}

/* ---- the reply ---- */

static void describe(const struct init_data *data, const json_t *study, json_t *object) {
  json_t *images = json_array(), *left_out = json_array();
  for (size_t i = 0; i < data->pair_count; i++) {
    json_t *image = json_pack("{s:s}", "image", data->pairs[i].image);
    if (data->has_truth) json_object_set_new(image, "truth", json_string(data->pairs[i].truth));
    json_array_append_new(images, image);
  }
  for (size_t i = 0; i < data->left_out_count; i++)
    json_array_append_new(left_out,
                          json_pack("{s:s, s:s}", "file", data->left_out[i].file, "reason", data->left_out[i].reason));
  const json_t *part = json_object_get(study, "data"), *goal = json_array_get(json_object_get(study, "outputs"), 0);
  json_object_set_new(object, "workflow",
                      json_pack("{s:s, s:s}", "name", data->built_in->name, "use", data->built_in->use));
  json_object_set_new(object, "images", images);
  json_object_set_new(object, "left_out", left_out);
  json_object_set(object, "tile", json_object_get(part, "tile"));
  json_object_set(object, "halo", json_object_get(part, "halo"));
  json_object_set(object, "method", json_object_get(study, "method"));
  json_object_set(object, "goal", ts_without_const(goal));
  json_object_set_new(object, "against", json_string(data->has_truth ? "truth" : "default"));
}

bool ts_init_data(const struct ts_request *request, const char *folder, json_t *files, json_t *object,
                  struct ts_issues *issues) {
  struct init_data data = {0};
  struct ts_error err = {0};
  bool ok = check_free(folder, &err) || ts_issues_fault(issues, &err);
  ok = ok && ts_init_look(request, &data, issues);
  if (ok) {
    json_t *study = study_of(&data);
    ok = (ts_folder_create(folder, &err) && write_workflow(&data, folder, files, &err) &&
          write_manifest(&data, folder, files, &err) && write_study(study, folder, files, &err)) ||
         ts_issues_fault(issues, &err);
    if (ok) describe(&data, study, object);
    json_decref(study);
  }
  ts_init_data_release(&data);
  return ok;
}
