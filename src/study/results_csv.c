/* The tables of results that other programs read: one row per run, per run and file, per run and value of a group.
 * SPDX-License-Identifier: Apache-2.0
 *
 * results.csv:         set, parameters, outputs (phase)
 * results-by-file.csv: set, file, groups, tiles, outputs, and of pooled ones OUTPUT:numerator, OUTPUT:denominator
 * results-by-group.csv: set, group, value, files, outputs
 * Runs are numbered from 0; after them come the defaults, "default", where the study has a goal. A value that is not
 * known is an empty cell. */
#include "study/study_result.h"

#include "base/alloc.h"
#include "csv/csv.h"

#include <math.h>

static void add_count(struct ts_str *csv, size_t count, bool first) {
  char text[24];
  snprintf(text, sizeof text, "%zu", count);
  ts_csv_add_cell(csv, text, first);
}

static void add_number(struct ts_str *csv, double value) {
  ts_auto(ts_str_release) struct ts_str cell = {0};
  if (!isnan(value)) ts_str_add_double(&cell, value);
  ts_csv_add_cell(csv, ts_str_get(&cell), false);
}

/* Which phase a run belongs to, from 1. */
static size_t phase_of(const struct study_result *r, size_t set) {
  size_t p = r->found.phase_count;
  while (p > 1 && set < r->found.phases[p - 1]->first) p--;
  return p;
}

/* ---- One row per run. ---- */

static void add_csv_head(const struct ts_project *project, const struct study_result *r, struct ts_str *csv) {
  ts_csv_add_cell(csv, "set", true);
  for (size_t c = 0; c < r->course.column_count; c++) ts_csv_add_cell(csv, r->course.columns[c], false);
  for (size_t o = 0; o < project->study.output_count; o++) ts_csv_add_cell(csv, project->study.outputs[o].name, false);
  if (r->found.phase_count > 1) ts_csv_add_cell(csv, "phase", false);
  ts_str_add_char(csv, '\n');
}

/* The number of a set, or what the defaults are called. */
static void add_set(const struct study_result *r, size_t set, struct ts_str *csv) {
  if (set == r->best.defaults)
    ts_csv_add_cell(csv, TS_DEFAULT_SET, true);
  else
    add_count(csv, set, true);
}

/* Settings of the engine are no parameters of the set: they are known of the strategy's sets alone. */
static const struct ts_value *value_of(const struct study_result *r, size_t set, size_t column) {
  const size_t columns = r->course.column_count;
  return set == r->best.defaults ? &ts_course_parameter(&r->course, column)->default_value
                                 : &r->course.history.points[set * columns + column];
}

static void add_row(const struct ts_project *project, const struct study_result *r, size_t set, struct ts_str *csv) {
  ts_auto(ts_str_release) struct ts_str cell = {0};
  add_set(r, set, csv);
  for (size_t c = 0; c < r->course.column_count; c++) {
    ts_str_clear(&cell);
    ts_value_print(value_of(r, set, c), &cell);
    ts_csv_add_cell(csv, ts_str_get(&cell), false);
  }
  for (size_t o = 0; o < project->study.output_count; o++) add_number(csv, ts_study_value(r, set, o));
  if (r->found.phase_count > 1 && set != r->best.defaults) add_count(csv, phase_of(r, set), false);
  if (r->found.phase_count > 1 && set == r->best.defaults) ts_csv_add_cell(csv, "", false);
  ts_str_add_char(csv, '\n');
}

/* The sets of the tables: those of the strategy, and the defaults where they were run. */
static size_t row_count(const struct study_result *r) {
  return ts_study_set_count(r) + (r->best.defaults == TS_NONE ? 0 : 1);
}

static size_t set_of_row(const struct study_result *r, size_t row) {
  return row < ts_study_set_count(r) ? row : r->best.defaults;
}

void ts_study_results_csv(const struct ts_project *project, const struct study_result *r, struct ts_str *csv) {
  add_csv_head(project, r, csv);
  for (size_t i = 0; i < row_count(r); i++) add_row(project, r, set_of_row(r, i), csv);
}

/* ---- One row per run and file. ---- */

/* Name, groups and tiles of a file. */
static void add_file_head(const struct ts_project *project, struct ts_str *csv) {
  ts_csv_add_cell(csv, "file", false);
  for (size_t g = 0; g < project->study.group_count; g++) ts_csv_add_cell(csv, project->study.groups[g], false);
  ts_csv_add_cell(csv, "tiles", false);
}

static void add_file(const struct ts_project *project, size_t file, struct ts_str *csv) {
  const struct ts_item *item = &project->dataset.items[file];
  ts_csv_add_cell(csv, item->name, false);
  /* Files of the command line have no groups. */
  for (size_t g = 0; g < project->study.group_count; g++)
    ts_csv_add_cell(csv, item->groups ? item->groups[g] : "", false);
  add_count(csv, item->tile_count, false);
}

/* Outputs of the whole dataset have no value of a file. */
static bool is_by_file(const struct ts_project *project, size_t output) {
  return ts_study_file_count(project, output) > 0;
}

static bool is_pooled(const struct ts_project *project, size_t output) {
  return is_by_file(project, output) && project->study.outputs[output].over_tiles == TS_OVER_POOL;
}

static void add_by_file_head(const struct ts_project *project, struct ts_str *csv) {
  ts_auto(ts_str_release) struct ts_str name = {0};
  ts_csv_add_cell(csv, "set", true);
  add_file_head(project, csv);
  for (size_t o = 0; o < project->study.output_count; o++)
    if (is_by_file(project, o)) ts_csv_add_cell(csv, project->study.outputs[o].name, false);
  for (size_t o = 0; o < project->study.output_count; o++) {
    static const char *const sides[] = {"numerator", "denominator"};
    for (size_t i = 0; is_pooled(project, o) && i < 2; i++) {
      ts_str_clear(&name);
      ts_str_addf(&name, "%s:%s", project->study.outputs[o].name, sides[i]);
      ts_csv_add_cell(csv, ts_str_get(&name), false);
    }
  }
  ts_str_add_char(csv, '\n');
}

static void add_by_file_row(const struct ts_project *project, const struct study_result *r, size_t set, size_t file,
                            struct ts_str *csv) {
  add_set(r, set, csv);
  add_file(project, file, csv);
  for (size_t o = 0; o < project->study.output_count; o++)
    if (is_by_file(project, o)) add_number(csv, ts_study_file_value(r, set, o, file));
  for (size_t o = 0; o < project->study.output_count; o++) {
    if (!is_pooled(project, o)) continue;
    const struct ts_total total = ts_study_file_total(r, set, o, file);
    add_number(csv, total.numerator);
    add_number(csv, total.denominator);
  }
  ts_str_add_char(csv, '\n');
}

void ts_study_by_file_csv(const struct ts_project *project, const struct study_result *r, struct ts_str *csv) {
  add_by_file_head(project, csv);
  for (size_t i = 0; i < row_count(r); i++)
    for (size_t f = 0; f < project->dataset.item_count; f++) add_by_file_row(project, r, set_of_row(r, i), f, csv);
}

/* ---- One row per run and value of a group. ---- */

void ts_study_by_group_csv(const struct ts_project *project, const struct study_result *r, struct ts_str *csv) {
  static const char *const names[] = {"group", "value", "files"};
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  size_t count = 0;
  const struct ts_group_files *values = ts_project_group_files(project, &arena, &count);
  ts_csv_add_cell(csv, "set", true);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) ts_csv_add_cell(csv, names[i], false);
  for (size_t o = 0; o < project->study.output_count; o++)
    if (is_by_file(project, o)) ts_csv_add_cell(csv, project->study.outputs[o].name, false);
  ts_str_add_char(csv, '\n');
  for (size_t i = 0; i < row_count(r) * count; i++) {
    const struct ts_group_files *value = &values[i % count];
    const size_t set = set_of_row(r, i / count);
    const struct study_subset subset = {.kind = SUBSET_GROUP, .files = value->files, .count = value->count};
    add_set(r, set, csv);
    ts_csv_add_cell(csv, value->group, false);
    ts_csv_add_cell(csv, value->value, false);
    add_count(csv, value->count, false);
    for (size_t o = 0; o < project->study.output_count; o++)
      if (is_by_file(project, o)) add_number(csv, ts_study_subset_value(r, set, o, &subset));
    ts_str_add_char(csv, '\n');
  }
}
