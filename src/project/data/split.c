/* Which items are held out, by a column of the manifest or by values of a group, and the part of the dataset they are.
 * SPDX-License-Identifier: Apache-2.0 */
#include "project/data/split.h"
#include "project/study_reader.h"

#include "base/alloc.h"
#include "base/const.h"
#include "base/str.h"
#include "csv/csv.h"

#include <string.h>

const char *const ts_split_names[2] = {"train", "test"};

/* ---- Cells. ---- */

bool ts_split_read(const char *cell, bool *is_held_out, struct ts_error *err) {
  cell += strspn(cell, " \t");
  *is_held_out = strcmp(cell, ts_split_names[1]) == 0;
  if (*is_held_out || cell[0] == '\0' || strcmp(cell, ts_split_names[0]) == 0) return true;
  const char *near = ts_nearest_word(cell, ts_split_names, 2);
  ts_fail(err, TS_ERR_BAD_VALUE, "'%s' is not a split", cell);
  if (near) return ts_error_help(err, "did you mean '%s'? An empty cell means 'train'", near);
  return ts_error_help(err, "a split is 'train' or 'test'; an empty cell means 'train'");
}

/* ---- hold_out. ---- */

#define HOLD_OUT "/data/hold_out"

/* A fault at a value of a group (SIZE_MAX: at the group) in "hold_out". */
static void report(const struct ts_project *project, const char *group, size_t value, struct ts_error *err,
                   struct ts_issues *issues) {
  ts_auto(ts_str_release) struct ts_str pointer = {0};
  ts_str_add(&pointer, HOLD_OUT);
  if (group) ts_json_pointer_add(&pointer, group);
  if (value != SIZE_MAX) ts_json_pointer_add_index(&pointer, value);
  ts_json_place(err, &project->doc, ts_str_get(&pointer), value == SIZE_MAX && group ? TS_JSON_KEY : TS_JSON_VALUE);
  ts_issues_fault(issues, err);
}

static size_t group_of(const struct study_file *study, const char *name) {
  size_t g = 0;
  while (g < study->group_count && strcmp(study->groups[g], name) != 0) g++;
  return g < study->group_count ? g : TS_NONE;
}

static void report_undeclared(const struct study_reader *r, const char *name) {
  const struct study_file *study = &r->project->study;
  const char *near = ts_nearest_word(name, study->groups, study->group_count);
  struct ts_error err = {0};
  ts_fail(&err, TS_ERR_BAD_VALUE, "'hold_out' names '%s', which is not a declared group", name);
  if (near)
    ts_error_help(&err, "did you mean '%s'?", near);
  else
    ts_error_help(&err, "declare it, if it is a column of the manifest: \"groups\": [\"%s\"]", name);
  report(r->project, name, SIZE_MAX, &err, r->issues);
}

void ts_hold_out_read(struct study_reader *r, const json_t *data) {
  struct study_file *study = &r->project->study;
  struct study_reader inner;
  const json_t *object;
  const char *name;
  json_t *values;
  if (!ts_study_enter(r, data, "hold_out", &inner, &object)) return;
  study->hold_out = ts_arena_array(&r->project->arena, json_object_size(object) + 1, sizeof *study->hold_out);
  json_object_foreach(ts_without_const(object), name, values) {
    struct study_hold_out *entry = &study->hold_out[study->hold_out_count];
    *entry = (struct study_hold_out){.group = group_of(study, name)};
    if (entry->group == TS_NONE) {
      report_undeclared(r, name);
      continue;
    }
    entry->values = ts_study_read_strings(&inner, object, name, &entry->value_count);
    study->hold_out_count++;
  }
}

/* Marks the items that have a value; false if none has. */
static bool mark(const struct ts_project *project, const struct item_facts *facts, size_t group, const char *value,
                 bool *held_out) {
  bool any = false;
  for (size_t i = 0; i < facts->item_count; i++) {
    if (strcmp(facts->groups[i * project->study.group_count + group], value) != 0) continue;
    held_out[i] = any = true;
  }
  return any;
}

static void report_absent(struct ts_project *project, const struct item_facts *facts, size_t group, const char *value,
                          size_t index, struct ts_issues *issues) {
  const size_t stride = project->study.group_count;
  const char **names = ts_arena_array(&project->arena, facts->item_count + 1, sizeof *names);
  for (size_t i = 0; i < facts->item_count; i++) names[i] = facts->groups[i * stride + group];
  const char *near = ts_nearest_word(value, names, facts->item_count);
  struct ts_error err = {0};
  ts_fail(&err, TS_ERR_BAD_VALUE, "no item has the %s '%s'", project->study.groups[group], value);
  if (near)
    ts_error_help(&err, "did you mean '%s'?", near);
  else
    ts_error_help(&err, "values are cells of the column '%s' of the manifest", project->study.groups[group]);
  report(project, project->study.groups[group], index, &err, issues);
}

void ts_hold_out_apply(struct ts_project *project, struct item_facts *facts, struct ts_issues *issues) {
  const struct study_file *study = &project->study;
  struct ts_error err = {0};
  if (study->hold_out_count == 0) return;
  if (!facts->groups) {
    ts_issues_warn(issues, "nothing is held out: files of the command line have no groups");
    return;
  }
  if (facts->held_out) {
    ts_fail(&err, TS_ERR_DATA_COLUMNS, "both the column 'split' of the manifest and the study say what is held out");
    ts_error_help(&err, "remove \"hold_out\" from the study, or the column from the manifest");
    report(project, NULL, SIZE_MAX, &err, issues);
    return;
  }
  bool *held_out = ts_arena_array(&project->arena, facts->item_count + 1, sizeof *held_out);
  for (size_t g = 0; g < study->hold_out_count; g++) {
    const struct study_hold_out *entry = &study->hold_out[g];
    for (size_t v = 0; v < entry->value_count; v++)
      if (!mark(project, facts, entry->group, entry->values[v], held_out))
        report_absent(project, facts, entry->group, entry->values[v], v, issues);
  }
  facts->held_out = held_out;
}

/* ---- Parts of the dataset. ---- */

/* The held-out items with their tiles, or the others; in the arena. */
static struct ts_dataset part_of(const struct ts_dataset *all, bool is_held_out, struct ts_arena *arena) {
  struct ts_item *items = ts_arena_array(arena, all->item_count + 1, sizeof *items);
  struct ts_tile *tiles = ts_arena_array(arena, all->tile_count + 1, sizeof *tiles);
  size_t *tile_items = ts_arena_array(arena, all->tile_count + 1, sizeof *tile_items);
  struct ts_dataset part = {.items = items, .tiles = tiles, .tile_items = tile_items};
  for (size_t i = 0; i < all->item_count; i++) {
    const struct ts_item *item = &all->items[i];
    if (item->is_held_out != is_held_out) continue;
    items[part.item_count] = *item;
    items[part.item_count].first_tile = part.tile_count;
    for (size_t t = 0; t < item->tile_count; t++) {
      tiles[part.tile_count] = all->tiles[item->first_tile + t];
      tile_items[part.tile_count++] = part.item_count;
    }
    part.item_count++;
  }
  return part;
}

/* Where everything is held out: at the first cell of the column, or at the study's "hold_out". */
static bool nothing_left(const struct ts_project *project, const struct item_facts *facts, struct ts_issues *issues) {
  struct ts_error err = {0};
  ts_fail(&err, TS_ERR_NO_TILES, "all items are held out: nothing is left to study");
  if (project->study.hold_out_count > 0) {
    ts_error_help(&err, "name fewer values in \"hold_out\"");
    report(project, NULL, SIZE_MAX, &err, issues);
    return false;
  }
  int line = facts->lines ? facts->lines[0] : 0, column = 1;
  ts_error_help(&err, "give at least one item the split 'train', or use: tessera run");
  if (facts->lines) ts_csv_locate(facts->manifest, line, facts->split_column, &line, &column);
  if (facts->lines) ts_error_place(&err, facts->manifest, line, column, NULL);
  return ts_issues_fault(issues, &err);
}

bool ts_split_settle(struct ts_project *project, const struct item_facts *facts, struct ts_issues *issues) {
  project->has_split = facts->held_out != NULL;
  if (!project->has_split || !project->is_study) return true;
  const struct ts_dataset all = project->dataset;
  const struct ts_dataset held_out = part_of(&all, true, &project->arena);
  if (held_out.item_count == 0) return true;
  if (held_out.item_count == all.item_count) return project->order || nothing_left(project, facts, issues);
  project->all = all;
  project->held_out = held_out;
  project->dataset = part_of(&all, false, &project->arena);
  return true;
}

const struct ts_dataset *ts_project_all(const struct ts_project *project) {
  return project->held_out.item_count > 0 ? &project->all : &project->dataset;
}

/* ---- JSON. ---- */

void ts_split_write(const struct ts_project *project, const struct ts_item *item, json_t *object) {
  if (project->has_split)
    json_object_set_new(object, TS_SPLIT_COLUMN, json_string(ts_split_names[item->is_held_out ? 1 : 0]));
}

const bool *ts_split_restore(const json_t *items, struct ts_arena *arena, struct ts_error *err) {
  bool *held_out = ts_arena_array(arena, json_array_size(items) + 1, sizeof *held_out);
  bool is_any = false;
  for (size_t i = 0; i < json_array_size(items); i++) {
    const json_t *split = json_object_get(json_array_get(items, i), TS_SPLIT_COLUMN);
    const char *word = json_string_value(split);
    if (!split) continue;
    is_any = true;
    held_out[i] = word && strcmp(word, ts_split_names[1]) == 0;
    if (held_out[i] || (word && strcmp(word, ts_split_names[0]) == 0)) continue;
    const char *name = json_string_value(json_object_get(json_array_get(items, i), "name"));
    ts_fail(err, TS_ERR_STORE_FORMAT, "the work order gives '%s' no proper '" TS_SPLIT_COLUMN "'", name ? name : "");
    ts_error_help(err, "start a new run; if that happens often, check the store with: tessera store verify");
    return NULL;
  }
  return is_any ? held_out : NULL;
}
