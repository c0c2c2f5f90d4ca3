/* Checks, empties and records the folder of a run.
 * SPDX-License-Identifier: Apache-2.0 */
#include "work/files/run_folder.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/version.h"
#include "order/order.h"
#include "project/data/check_data.h"
#include "project/units.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RECORD_BYTES_MAX ((size_t)1 << 30)

/* ---- run.json ---- */

/* Files and what is known about them; a new reference. */
static json_t *inputs_of(const struct ts_project *project, const struct ts_value *values) {
  json_t *items = ts_order_items(project);
  for (size_t i = 0; i < project->dataset.item_count; i++) {
    const struct ts_item *item = &project->dataset.items[i];
    json_t *object = json_array_get(items, i);
    json_object_set_new(object, "level",
                        json_integer(item->given.has_level ? item->given.level : project->study.level));
    json_object_del(object, "mpp");
    if (item->pixel_size.x_um > 0)
      json_object_set_new(object, "pixel_um", json_pack("[f, f]", item->pixel_size.x_um, item->pixel_size.y_um));
    json_t *pixels = ts_units_in_pixels(project, item, values);
    if (pixels) json_object_set_new(object, "params_px", pixels);
  }
  return items;
}

static json_t *values_of(const struct ts_run_folder *folder) {
  const struct ts_workflow *w = folder->project->workflow;
  json_t *values = json_object();
  for (size_t p = 0; p < w->parameter_count; p++)
    json_object_set_new(values, w->parameters[p].name, ts_value_to_json(&folder->values[p]));
  return values;
}

/* A path that is not UTF-8 cannot be in JSON; such a file is not removed by a later run. */
static json_t *list_of(const char *const *paths, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++)
    if (ts_utf8_valid(paths[i], strlen(paths[i]))) json_array_append_new(list, json_string(paths[i]));
  return list;
}

static json_t *record_of(const struct ts_run_folder *folder, const char *state, const char *const *paths,
                         size_t count) {
  const struct ts_project *project = folder->project;
  ts_auto(json_decrefp) json_t *order = ts_order_write(project, folder->plan, folder->values, 1);
  const json_t *options = json_object_get(order, "options"), *grid = json_object_get(order, "grid");
  json_t *record = json_pack("{s:s, s:s, s:s, s:s, s:O, s:O}", "schema", TS_RUN_FOLDER_SCHEMA, "run", folder->run,
                             "state", state, "workflow", project->workflow->name, "name",
                             json_object_get(options, "name"), "file", json_object_get(options, "file"));
  json_object_set_new(record, "params", values_of(folder));
  json_object_set_new(record, "inputs", inputs_of(project, folder->values));
  json_object_set(record, "tile", json_object_get(grid, "tile"));
  json_object_set(record, "halo", json_object_get(grid, "halo"));
  if (project->request->command && ts_utf8_valid(project->request->command, strlen(project->request->command)))
    json_object_set_new(record, "command", json_string(project->request->command));
  json_object_set_new(
      record, "versions",
      json_pack("{s:s, s:O}", "tessera", TS_VERSION, "operations", json_object_get(order, "operations")));
  json_object_set_new(record, "files", list_of(paths, count));
  return record;
}

static bool write_record(const struct ts_run_folder *folder, const char *state, const char *const *paths, size_t count,
                         struct ts_error *err) {
  ts_auto(json_decrefp) json_t *record = record_of(folder, state, paths, count);
  ts_auto_free char *text = ts_json_dump(record, false, true);
  ts_auto_free char *path = ts_path_join(folder->place, TS_RUN_FOLDER_FILE);
  ts_auto(ts_str_release) struct ts_str line = {0};
  ts_str_addf(&line, "%s\n", text);
  return ts_file_write_atomic(path, line.data, line.length, err);
}

/* The record of an earlier run; NULL: there is none that this program understands. A new reference. */
static json_t *read_record(const char *folder) {
  ts_auto_free char *path = ts_path_join(folder, TS_RUN_FOLDER_FILE);
  ts_auto(ts_str_release) struct ts_str text = {0};
  struct ts_error ignored = {0};
  if (!ts_file_read(path, RECORD_BYTES_MAX, &text, &ignored)) return NULL;
  json_t *record = json_loadb(ts_str_get(&text), text.length, 0, NULL);
  const char *schema = json_string_value(json_object_get(record, "schema"));
  if (schema && strcmp(schema, TS_RUN_FOLDER_SCHEMA) == 0) return record;
  json_decref(record);
  return NULL;
}

/* ---- What a killed run was writing ---- */

/* A run that is killed while it writes a file leaves that under a temporary name. Whether the folder has anything
 * else; if asked to, removes them. */
static bool visit_temporaries(const char *folder, bool removes) {
  DIR *directory = opendir(folder);
  if (!directory) return true;
  bool has_others = false;
  const struct dirent *entry;
  while ((entry = readdir(directory))) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    if (!ts_name_is_temporary(entry->d_name))
      has_others = true;
    else if (removes)
      unlinkat(dirfd(directory), entry->d_name, 0);
  }
  closedir(directory);
  return has_others;
}

/* ---- May it be used? ---- */

/* Names and digests of all files, in an order of their own. */
static void add_data(const json_t *inputs, struct ts_str *out) {
  for (size_t i = 0; i < json_array_size(inputs); i++) {
    const json_t *item = json_array_get(inputs, i);
    const char *name = json_string_value(json_object_get(item, "name"));
    ts_str_addf(out, "%s:", name ? name : "");
    const char *input;
    json_t *file;
    json_object_foreach(json_object_get(item, "inputs"), input, file) {
      const char *digest = json_string_value(json_object_get(file, "digest"));
      ts_str_addf(out, " %s=%s", input, digest ? digest : "");
    }
    ts_str_add_char(out, '\n');
  }
}

static bool has_same_data(const struct ts_project *project, const json_t *record) {
  ts_auto(json_decrefp) json_t *items = ts_order_items(project);
  ts_auto(ts_str_release) struct ts_str now = {0}, then = {0};
  add_data(items, &now);
  add_data(json_object_get(record, "inputs"), &then);
  return strcmp(ts_str_get(&now), ts_str_get(&then)) == 0;
}

static bool refuse(const char *folder, struct ts_issues *issues, const char *format, ...) TS_PRINTF(3, 4);
static bool refuse(const char *folder, struct ts_issues *issues, const char *format, ...) {
  struct ts_error *fault = ts_faults_add(&issues->faults);
  va_list args;
  va_start(args, format);
  ts_vfail(fault, TS_ERR_OUTPUT_FOLDER, format, args);
  va_end(args);
  ts_error_help(fault, "name a folder that is new or empty");
  ts_error_place(fault, folder, 0, 0, NULL);
  return false;
}

/* A folder that the user named: nothing in it is overwritten that is not a result of the same thing. */
static bool check_content(const struct ts_project *project, const char *folder, struct ts_issues *issues) {
  if (!ts_folder_exists(folder) || !visit_temporaries(folder, false)) return true;
  ts_auto(json_decrefp) json_t *record = read_record(folder);
  if (!record)
    return refuse(folder, issues, "results cannot be written to '%s': it has files, but no %s of a run", folder,
                  TS_RUN_FOLDER_FILE);
  const char *file = json_string_value(json_object_get(record, "file"));
  const char *name = json_string_value(json_object_get(record, "name"));
  if (!file || strcmp(file, ts_path_name(project->study.path)) != 0 || !name || strcmp(name, project->study.name) != 0)
    return refuse(folder, issues, "results cannot be written to '%s': it has those of '%s' in '%s'", folder,
                  name ? name : "", file ? file : "");
  if (!has_same_data(project, record))
    return refuse(folder, issues, "results cannot be written to '%s': it has those of other data", folder);
  return true;
}

bool ts_run_folder_check(const struct ts_project *project, struct ts_arena *arena, struct ts_issues *issues) {
  const char *folder = ts_output_run_folder(project, NULL, arena);
  return ts_check_output_folder(project->request, folder, issues) &&
         (!project->request->output || check_content(project, folder, issues));
}

/* ---- Emptying ---- */

/* "FILE" or "IMAGE/FILE", the only forms that a run writes: whatever the record says, nothing elsewhere is removed. */
static bool is_plain(const char *path) {
  const char *slash = strchr(path, '/');
  if (slash && (strchr(slash + 1, '/') || !slash[1])) return false;
  return path[0] && path[0] != '.' && path[0] != '/' && (!slash || slash[1] != '.');
}

static void remove_file(const char *folder, const char *path) {
  struct stat status;
  ts_auto_free char *file = ts_path_join(folder, path);
  ts_auto_free char *inner = ts_path_folder(file);
  if (lstat(inner, &status) != 0) return;
  if (strchr(path, '/') && !S_ISDIR(status.st_mode)) return; /* a link could lead elsewhere */
  if (lstat(file, &status) == 0 && !S_ISDIR(status.st_mode)) unlink(file);
}

/* The folder of an image, unless a link could lead elsewhere; removed once it is empty. */
static void clean_inner(const char *folder, const char *path) {
  struct stat status;
  ts_auto_free char *file = ts_path_join(folder, path);
  ts_auto_free char *inner = ts_path_folder(file);
  if (lstat(inner, &status) != 0 || !S_ISDIR(status.st_mode)) return;
  visit_temporaries(inner, true);
  rmdir(inner);
}

/* Whether two paths lie in the same folder. */
static bool are_neighbours(const char *a, const char *b) {
  const char *slash_a = strrchr(a, '/'), *slash_b = strrchr(b, '/');
  return slash_a && slash_b && slash_a - a == slash_b - b && strncmp(a, b, (size_t)(slash_a - a)) == 0;
}

static void empty(const char *folder) {
  ts_auto(json_decrefp) json_t *record = read_record(folder);
  const json_t *files = json_object_get(record, "files");
  const char *last = ""; /* the last file of a folder; those of one follow each other */
  for (size_t i = 0; i < json_array_size(files); i++) {
    const char *path = json_string_value(json_array_get(files, i));
    if (!path || !is_plain(path)) continue;
    remove_file(folder, path);
    if (strchr(last, '/') && !are_neighbours(last, path)) clean_inner(folder, last);
    last = path;
  }
  if (strchr(last, '/')) clean_inner(folder, last);
  visit_temporaries(folder, true);
}

bool ts_run_folder_begin(const struct ts_run_folder *folder, const char *const *planned, size_t count,
                         struct ts_error *err) {
  if (!ts_folder_create(folder->place, err)) return false;
  empty(folder->place);
  return write_record(folder, "running", planned, count, err);
}

/* ---- The link ---- */

/* Of the folder out/NAME-run.RUN: out/NAME-run, relative, replaced in one step. */
static void link_newest(const struct ts_run_folder *folder, struct ts_issues *issues) {
  struct stat status;
  const char *name = ts_path_name(folder->place);
  ts_auto_free char *parent = ts_path_folder(folder->place);
  ts_auto_free char *link = ts_strndup(folder->place, strlen(folder->place) - strlen(folder->run) - 1);
  if (lstat(link, &status) == 0 && !S_ISLNK(status.st_mode)) {
    ts_issues_warn(issues, "'%s' is not a link, so it was left as it is; the new results are in '%s'", link,
                   folder->path);
    return;
  }
  ts_auto_free char *temporary = ts_path_temporary(parent);
  if (symlink(name, temporary) == 0 && rename(temporary, link) == 0) return;
  ts_issues_warn(issues, "the link '%s' to '%s' could not be made: %s", link, name, strerrordesc_np(errno));
  unlink(temporary);
}

bool ts_run_folder_end(const struct ts_run_folder *folder, const char *state, const char *const *written, size_t count,
                       struct ts_issues *issues, struct ts_error *err) {
  if (!write_record(folder, state, written, count, err)) return false;
  if (!folder->project->request->output) link_newest(folder, issues);
  return true;
}
