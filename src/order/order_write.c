/* Writes the work order of a plan, and where this machine has its files.
 * SPDX-License-Identifier: Apache-2.0 */
#include "order/order.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/machine/machine.h"
#include "project/data/resolution.h"
#include "project/data/split.h"
#include "project/data/tissue.h"

#include <stdlib.h>
#include <string.h>

static const char *const origins[] = {
    [TS_OP_BUILT_IN] = "built-in", [TS_OP_PLUGIN] = "plugin", [TS_OP_COMMAND] = "command"};

/* A name that people read: bytes that are not UTF-8 become '_'. */
static json_t *text_of(const char *name) {
  ts_auto_free char *text = ts_strdup(name);
  for (char *c = text; !ts_utf8_valid(text, strlen(text)) && *c; c++)
    if (*c & 0x80) *c = '_';
  return json_string(text);
}

static json_t *hex_of(const struct ts_sha256 *digest) {
  char hex[65];
  ts_hex_encode(digest->bytes, sizeof digest->bytes, hex);
  return json_string(hex);
}

/* ---- operations ---- */
static bool is_used(const struct ts_workflow *w, const struct ts_op *op) {
  size_t t = 0;
  while (t < w->task_count && w->tasks[t].op != op) t++;
  return t < w->task_count;
}

/* Those of the workflow's tasks, in the order of their names. */
static json_t *operations_of(const struct ts_project *project) {
  json_t *list = json_array();
  for (size_t i = 0; i < ts_registry_count(project->registry); i++) {
    const struct ts_op *op = ts_registry_at(project->registry, i);
    if (!is_used(project->workflow, op)) continue;
    json_t *object = json_pack("{s:s, s:I, s:o, s:s, s:s}", "name", op->descriptor->name, "version",
                               (json_int_t)op->descriptor->version, "digest", hex_of(&op->implementation), "numeric",
                               op->numeric, "origin", origins[op->origin]);
    if (op->origin != TS_OP_BUILT_IN) json_object_set_new(object, "file", text_of(ts_path_name(op->source)));
    json_array_append_new(list, object);
  }
  return list;
}

/* ---- data ---- */
/* Relative to the folder of the study where it lies below it, otherwise its last part: no path of a machine. */
static char *name_of(const struct ts_project *project, const char *path) {
  ts_auto_free char *file = ts_path_absolute(path);
  ts_auto_free char *folder = ts_path_absolute(project->study.folder);
  size_t length = strlen(folder);
  if (length > 2 && strcmp(folder + length - 2, "/.") == 0) length -= 2;
  const bool is_below = strncmp(file, folder, length) == 0 && file[length] == '/' && !strstr(file + length, "/../");
  return ts_strdup(is_below ? file + length + 1 : ts_path_name(path));
}

static json_t *item_of(const struct ts_project *project, const struct ts_item *item) {
  json_t *inputs = json_object();
  for (size_t k = 0; k < project->workflow->input_count; k++) {
    const struct ts_item_source *source = &item->sources[k];
    if (!source->path) continue;
    ts_auto_free char *name = name_of(project, source->path);
    json_object_set_new(inputs, project->workflow->inputs[k].name,
                        json_pack("{s:o, s:o, s:I}", "name", text_of(name), "digest", hex_of(&source->digest), "bytes",
                                  (json_int_t)ts_source_file_bytes(source->file)));
  }
  json_t *object = json_pack("{s:s, s:o}", "name", item->name, "inputs", inputs);
  if (item->groups) json_object_set_new(object, "groups", ts_project_groups_json(project, item));
  ts_resolution_write(&item->given, object);
  ts_tissue_write(&item->tissue, object);
  ts_split_write(project, item, object);
  return object;
}

json_t *ts_order_items(const struct ts_project *project) {
  json_t *list = json_array();
  const struct ts_dataset *all = ts_project_all(project);
  for (size_t i = 0; i < all->item_count; i++) json_array_append_new(list, item_of(project, &all->items[i]));
  return list;
}

/* A project that is not run yet has no halo but a given one: its runs may have other tiles and values. */
static json_t *grid_of(const struct ts_project *project, const struct ts_plan *plan) {
  const int64_t tile = project->request->has_tile ? project->request->tile_px : project->study.tile_px;
  json_t *grid = json_pack("{s:I, s:I}", "tile", (json_int_t)tile, "level", (json_int_t)project->study.level);
  if (plan || project->halo.is_given) json_object_set_new(grid, "halo", json_integer((json_int_t)project->halo.px));
  return grid;
}

/* ---- products ---- */
static json_t *product_name(const struct ts_workflow *w, const struct ts_source *source) {
  for (size_t i = 0; i < w->stage_count; i++) {
    for (size_t o = 0; o < w->stages[i].output_count; o++) {
      const struct ts_stage_output *output = &w->stages[i].outputs[o];
      if (output->source.index != source->index || output->source.port != source->port) continue;
      ts_auto(ts_str_release) struct ts_str name = {0};
      ts_str_addf(&name, "%s.%s", w->stages[i].name, output->name);
      return json_string(ts_str_get(&name));
    }
  }
  TS_BUG("a product that no stage gives away is wanted: task %zu, port %zu", source->index, source->port);
}

static json_t *wanted_of(const struct ts_plan *plan) {
  json_t *list = json_array();
  for (size_t i = 0; plan && i < plan->options.wanted_count; i++)
    json_array_append_new(list, product_name(plan->workflow, &plan->options.wanted[i]));
  return list;
}

/* ---- the whole ---- */
static json_t *options_of(const struct ts_project *project) {
  json_t *options = json_pack("{s:s, s:o, s:o}", "command", project->is_study ? "study" : "run", "name",
                              text_of(project->study.name), "file", text_of(ts_path_name(project->study.path)));
  if (!project->study.is_bare_workflow)
    json_object_set_new(options, "study", json_stringn(project->doc.text, project->doc.length));
  ts_order_fields_write(project->request, TS_PART_OPTIONS, options);
  return options;
}

json_t *ts_order_write(const struct ts_project *project, const struct ts_plan *plan, const struct ts_value *values,
                       size_t set_count) {
  const struct ts_json_doc *workflow = project->study.is_bare_workflow ? &project->doc : &project->workflow_doc;
  json_t *root = json_object(), *settings = json_object();
  ts_order_fields_write(project->request, TS_PART_SETTINGS, settings);
  json_object_set_new(root, "schema", json_string(TS_ORDER_SCHEMA));
  json_object_set_new(root, "workflow", json_stringn(workflow->text, workflow->length));
  json_object_set_new(root, "operations", operations_of(project));
  json_object_set_new(root, "items", ts_order_items(project));
  json_object_set_new(root, "grid", grid_of(project, plan));
  ts_order_sets_write(root, project->workflow, values, set_count);
  json_object_set_new(root, "wanted", wanted_of(plan));
  json_object_set_new(root, "options", options_of(project));
  json_object_set_new(root, "settings", settings);
  return root;
}

char *ts_order_text(const json_t *root, struct ts_sha256 *fingerprint) {
  char *text = ts_json_dump(root, true, false);
  ts_sha256_of(text, strlen(text), fingerprint);
  return text;
}

/* ---- locations ---- */
static void add_location(json_t *paths, const struct ts_sha256 *digest, const char *path) {
  char hex[65];
  ts_auto_free char *place = ts_path_absolute(path);
  ts_hex_encode(digest->bytes, sizeof digest->bytes, hex);
  json_t *list = json_object_get(paths, hex);
  if (!list) json_object_set_new(paths, hex, list = json_array());
  ts_auto(ts_str_release) struct ts_str digits = {0};
  if (!ts_utf8_valid(place, strlen(place))) ts_str_add(&digits, "hex:");
  for (const char *c = place; digits.length > 0 && *c; c++) ts_str_addf(&digits, "%02x", (unsigned)(unsigned char)*c);
  json_array_append_new(list, json_string(digits.length > 0 ? ts_str_get(&digits) : place));
}

json_t *ts_order_locations(const struct ts_project *project, bool with_copies) {
  json_t *paths = json_object();
  const struct ts_dataset *all = ts_project_all(project);
  for (size_t i = 0; i < all->item_count; i++) {
    const struct ts_item_source *sources = all->items[i].sources;
    for (size_t k = 0; k < project->workflow->input_count; k++)
      if (sources[k].path) add_location(paths, &sources[k].digest, sources[k].path);
  }
  for (size_t i = 0; i < ts_registry_count(project->registry); i++) {
    const struct ts_op *op = ts_registry_at(project->registry, i);
    if (op->origin == TS_OP_BUILT_IN || !is_used(project->workflow, op)) continue;
    add_location(paths, &op->implementation, op->source);
    if (with_copies && op->image[0]) add_location(paths, &op->implementation, op->image);
  }
  return json_pack("{s:o}", ts_machine_id(), paths);
}
