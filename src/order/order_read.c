/* Opens a project from a work order, in place of the files of a project.
 * SPDX-License-Identifier: Apache-2.0 */
#include "order/order.h"

#include "base/alloc.h"
#include "project/data/resolution.h"
#include "project/data/split.h"
#include "project/data/tissue.h"

#include <string.h>

void ts_order_release(struct ts_order *order) {
  json_decref(order->root);
  json_decref(order->rounds);
  json_decref(order->locations);
  json_decref(order->row);
  *order = (struct ts_order){0};
}

bool ts_order_fail_format(const char *whose, const char *found, const char *wanted, struct ts_error *err) {
  ts_fail(err, TS_ERR_STORE_FORMAT, "the work order of %s has the format '%s', but this program reads '%s'", whose,
          found ? found : "", wanted);
  ts_error_help(err, "use the program that began the run, or start a new run");
  return false;
}

bool ts_order_check(const json_t *root, const char *whose, struct ts_error *err) {
  static const struct {
    const char *name;
    json_type type;
  } members[] = {{"workflow", JSON_STRING}, {"operations", JSON_ARRAY}, {"items", JSON_ARRAY},
                 {"grid", JSON_OBJECT},     {"space", JSON_OBJECT},     {"sets", JSON_ARRAY},
                 {"wanted", JSON_ARRAY},    {"options", JSON_OBJECT},   {"settings", JSON_OBJECT}};
  const char *schema = json_string_value(json_object_get(root, "schema"));
  if (!schema || strcmp(schema, TS_ORDER_SCHEMA) != 0) return ts_order_fail_format(whose, schema, TS_ORDER_SCHEMA, err);
  for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
    const json_t *member = json_object_get(root, members[i].name);
    if (member && json_typeof(member) == members[i].type) continue;
    ts_fail(err, TS_ERR_STORE_FORMAT, "the work order of %s has no proper '%s'", whose, members[i].name);
    ts_error_help(err, "start a new run; if that happens often, check the store with: tessera store verify");
    return false;
  }
  return true;
}

/* Programs that kept no orders wrote all members into the row, under the same names. */
void ts_order_restore(struct ts_arena *arena, const struct ts_order *order, struct ts_request *request) {
  const json_t *places = order->root ? json_object_get(order->row, "places") : order->row;
  ts_order_fields_restore(arena, places, TS_PART_PLACES, request);
  if (!order->root) {
    ts_order_fields_restore(arena, order->row, TS_PART_OPTIONS, request);
    ts_order_fields_restore(arena, order->row, TS_PART_SETTINGS, request);
    return;
  }
  ts_order_fields_restore(arena, json_object_get(order->root, "options"), TS_PART_OPTIONS, request);
  ts_order_fields_restore(arena, json_object_get(order->root, "settings"), TS_PART_SETTINGS, request);
}

const json_t *ts_order_begun_items(const struct ts_order *order) {
  return json_object_get(order->root ? order->root : order->row, "items");
}

static const json_t *begun_grid(const struct ts_order *order) {
  return json_object_get(order->root ? order->root : order->row, "grid");
}

/* ---- study and workflow ---- */
static bool load_operations(struct ts_project *project, struct ts_issues *issues) {
  const json_t *list = json_object_get(project->order->root, "operations");
  struct ts_order_finder *finder = ts_order_finder_create(project, project->order, issues);
  project->registry = ts_project_registry();
  for (size_t i = 0; i < json_array_size(list); i++) ts_order_find_operation(finder, json_array_get(list, i));
  ts_order_finder_destroy(finder);
  ts_registry_complete(project->registry);
  return ts_issues_ok(issues);
}

static bool parse(struct ts_json_doc *doc, const char *file, const json_t *text, struct ts_issues *issues) {
  struct ts_error err = {0};
  if (ts_json_doc_parse(doc, file, json_string_value(text), json_string_length(text), &err)) return true;
  return ts_issues_fault(issues, &err);
}

/* The halo is settled with the dataset. */
static void read_grid(struct ts_project *project) {
  const json_t *grid = json_object_get(project->order->root, "grid");
  project->study.tile_px = json_integer_value(json_object_get(grid, "tile"));
  project->study.level = (int32_t)json_integer_value(json_object_get(grid, "level"));
}

static bool read_project(struct ts_project *project, struct ts_issues *issues) {
  const json_t *root = project->order->root, *options = json_object_get(root, "options");
  const json_t *study = json_object_get(options, "study"), *workflow = json_object_get(root, "workflow");
  const char *name = json_string_value(json_object_get(options, "name"));
  const char *file = json_string_value(json_object_get(options, "file"));
  if (project->order->file) file = project->order->file;
  if (!file) file = study ? "study.json" : "workflow.json";
  project->study.is_bare_workflow = !study;
  if (!parse(&project->doc, file, study ? study : workflow, issues)) return false;
  if (study && !parse(&project->workflow_doc, "workflow.json", workflow, issues)) return false;
  if (!ts_study_file_parse(project, issues) || !load_operations(project, issues)) return false;
  if (name) project->study.name = ts_arena_strdup(&project->arena, name);
  read_grid(project);
  project->workflow =
      ts_workflow_parse(study ? &project->workflow_doc : &project->doc, project->registry, &issues->faults);
  if (project->workflow) ts_study_outputs_resolve(project, issues);
  return project->workflow && ts_issues_ok(issues);
}

/* ---- data ---- */
static const char **groups_of(struct ts_project *project, const json_t *items) {
  const size_t count = project->study.group_count;
  const char **values = ts_arena_array(&project->arena, json_array_size(items) * count + 1, sizeof *values);
  for (size_t i = 0; i < json_array_size(items) * count; i++) {
    const json_t *groups = json_object_get(json_array_get(items, i / count), "groups");
    const char *value = json_string_value(json_object_get(groups, project->study.groups[i % count]));
    values[i] = value ? ts_arena_strdup(&project->arena, value) : "";
  }
  return values;
}

/* NULL: no item gives one. A fault for each that is not as ts_resolution_write writes it. */
static const struct ts_given_resolution *resolutions_of(struct ts_project *project, const json_t *items,
                                                        struct ts_issues *issues) {
  struct ts_given_resolution *given = ts_arena_array(&project->arena, json_array_size(items) + 1, sizeof *given);
  bool is_any = false;
  for (size_t i = 0; i < json_array_size(items); i++) {
    struct ts_error err = {0};
    if (!ts_resolution_restore(json_array_get(items, i), &given[i], &err)) ts_issues_fault(issues, &err);
    is_any = is_any || given[i].mpp_um > 0 || given[i].has_level;
  }
  return is_any ? given : NULL;
}

/* Which tiles were kept; a fault for each item that does not say it as ts_tissue_write does. */
static const struct ts_given_tissue *tissue_of(struct ts_project *project, const json_t *items,
                                               struct ts_issues *issues) {
  struct ts_given_tissue *given = ts_arena_array(&project->arena, json_array_size(items) + 1, sizeof *given);
  for (size_t i = 0; i < json_array_size(items); i++) {
    struct ts_error err = {0};
    if (!ts_tissue_restore(&project->arena, json_array_get(items, i), &given[i].kept, &err))
      ts_issues_fault(issues, &err);
  }
  return given;
}

static bool list_files(struct ts_project *project, const struct ts_order *order, struct paths *files,
                       struct item_facts *facts, struct ts_issues *issues) {
  if (!order->root) return false; /* begun by a program that kept none */
  const json_t *items = json_object_get(order->root, "items");
  const size_t count = json_array_size(items), inputs = project->workflow->input_count;
  struct ts_order_finder *finder = ts_order_finder_create(project, order, issues);
  struct ts_item_source *opened = ts_arena_array(&project->arena, count * inputs + 1, sizeof *opened);
  const char **names = ts_arena_array(&project->arena, count + 1, sizeof *names);
  const size_t before = issues->faults.count;
  for (size_t i = 0; i < count; i++) {
    const json_t *item = json_array_get(items, i);
    const char *name = json_string_value(json_object_get(item, "name"));
    names[i] = ts_arena_strdup(&project->arena, name ? name : "");
    for (size_t k = 0; k < inputs; k++) {
      const json_t *wanted = json_object_get(json_object_get(item, "inputs"), project->workflow->inputs[k].name);
      if (!wanted || !ts_order_find_data(finder, wanted, &opened[i * inputs + k])) continue;
      ts_paths_add(project, &files[k], opened[i * inputs + k].path);
    }
  }
  ts_order_finder_destroy(finder);
  const struct ts_given_resolution *given = resolutions_of(project, items, issues);
  const struct ts_given_tissue *tissue = tissue_of(project, items, issues);
  struct ts_error err = {0};
  const bool *held_out = ts_split_restore(items, &project->arena, &err);
  if (err.code != TS_ERR_OK) ts_issues_fault(issues, &err);
  if (issues->faults.count > before) return false;
  project->opened = opened;
  project->item_names = names;
  *facts = (struct item_facts){.groups = project->study.group_count > 0 ? groups_of(project, items) : NULL,
                               .given = given,
                               .tissue = tissue,
                               .held_out = held_out};
  return true;
}

const struct ts_order_reader ts_order_reader = {
    .read = read_project, .list_files = list_files, .items = ts_order_begun_items, .grid = begun_grid};

/* ---- products ---- */
struct ts_source *ts_order_wanted(const struct ts_project *project, struct ts_arena *arena, size_t *count,
                                  struct ts_error *err) {
  const json_t *list = json_object_get(project->order->root, "wanted");
  *count = json_array_size(list);
  struct ts_source *wanted = ts_arena_array(arena, *count + 1, sizeof *wanted);
  for (size_t i = 0; i < *count; i++) {
    const char *name = json_string_value(json_array_get(list, i));
    if (!ts_workflow_find_output(project->workflow, name ? name : "", &wanted[i], err)) return NULL;
  }
  return wanted;
}
