/* Warnings about values outside the space that designs draw from, and about runs that write very many files.
 * SPDX-License-Identifier: Apache-2.0 */
#include "project/data/check_data.h"

#include "base/alloc.h"
#include "design/read_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SLACK        1e-9  /* of the width: rounding may add this much to an end or a grid value */
#define MANY_FILES   10000 /* a folder of more is slow to list, and no user opens them one by one */
#define TILE_STEP    256   /* tile sizes that are proposed are multiples of this, as image files are tiled */
#define LARGEST_TILE ((int64_t)1 << 20)

/* The least and the largest value that designs draw; false if there are none or they are not numbers. */
static bool find_ends(const struct ts_parameter *p, double *low, double *high) {
  *low = p->range_low;
  *high = p->range_high;
  if (p->level_count == 0) return p->has_range;
  *low = INFINITY;
  *high = -INFINITY;
  for (size_t i = 0; i < p->level_count; i++) {
    double level;
    if (!ts_value_number(&p->levels[i], &level)) return false;
    *low = fmin(*low, level);
    *high = fmax(*high, level);
  }
  return true;
}

/* Most grids have equal steps: the level that the number then is. Designs may have millions of cells. */
static bool is_level_by_step(const struct ts_parameter *p, double number) {
  double first, last, level;
  if (p->level_count < 2 || !ts_value_number(&p->levels[0], &first) ||
      !ts_value_number(&p->levels[p->level_count - 1], &last))
    return false;
  double index = rint((number - first) / (last - first) * (double)(p->level_count - 1));
  if (!(index >= 0 && index < (double)p->level_count)) return false;
  return ts_value_number(&p->levels[(size_t)index], &level) && level == number;
}

enum fit { FIT_IN, FIT_OFF_GRID, FIT_OUTSIDE };

/* Whether designs of the space can have the number (words: their place in the grid). */
static enum fit fit_of(const struct ts_parameter *p, double number) {
  double low, high;
  if (is_level_by_step(p, number)) return FIT_IN;
  if (!find_ends(p, &low, &high)) /* words are counted by their place in the grid */
    return p->level_count == 0 || (number >= 0 && number < (double)p->level_count) ? FIT_IN : FIT_OUTSIDE;
  double slack = SLACK * (high - low);
  if (!(number >= low - slack && number <= high + slack)) return FIT_OUTSIDE;
  for (size_t i = 0; i < p->level_count; i++) {
    double level;
    if (ts_value_number(&p->levels[i], &level) && fabs(level - number) <= slack) return FIT_IN;
  }
  return p->level_count > 0 ? FIT_OFF_GRID : FIT_IN;
}

/* "its grid is 2 to 40". */
static void describe_space(const struct ts_parameter *p, struct ts_str *text) {
  double low, high;
  if (!find_ends(p, &low, &high)) {
    ts_str_add(text, "it is not in its grid");
    return;
  }
  ts_str_addf(text, "its %s is ", p->level_count > 0 ? "grid" : "range");
  ts_str_add_double(text, low);
  ts_str_add(text, " to ");
  ts_str_add_double(text, high);
}

/* A default between two grid values is near values that are tried; beyond the ends no run of a study is near it. */
void ts_warn_about_defaults(const struct ts_workflow *w, struct ts_issues *issues) {
  for (size_t i = 0; i < w->parameter_count; i++) {
    const struct ts_parameter *p = &w->parameters[i];
    if (fit_of(p, ts_space_number(p, &p->default_value)) != FIT_OUTSIDE) continue;
    ts_auto(ts_str_release) struct ts_str text = {0}, space = {0};
    ts_value_print(&p->default_value, &text);
    describe_space(p, &space);
    ts_issues_warn(issues, "the default of '%s', %s, is not among the values that a study tries: %s", p->name,
                   ts_str_get(&text), ts_str_get(&space));
  }
}

void ts_misfits_row(struct design_misfits *misfits, const struct ts_parameter *const *parameters, const double *row,
                    size_t count) {
  bool fits = true;
  for (size_t i = 0; i < count && fits; i++) {
    if (fit_of(parameters[i], row[i]) == FIT_IN) continue;
    fits = false;
    if (misfits->count == 0) {
      misfits->row = misfits->row_count;
      misfits->parameter = parameters[i];
      misfits->column = i;
      misfits->number = row[i];
    }
  }
  misfits->count += fits ? 0 : 1;
  misfits->row_count++;
}

void ts_misfits_warn(const struct design_misfits *misfits, const char *path, struct ts_issues *issues) {
  if (misfits->count == 0) return;
  const struct ts_parameter *p = misfits->parameter;
  bool off_grid = fit_of(p, misfits->number) == FIT_OFF_GRID;
  double ignored;
  ts_auto(ts_str_release) struct ts_str value = {0}, space = {0}, place = {0};
  ts_str_addf(&value, "'%s'", p->name);
  if (find_ends(p, &ignored, &ignored)) {
    ts_str_add(&value, " = ");
    ts_str_add_double(&value, misfits->number);
  }
  if (misfits->line > 0)
    ts_str_addf(&place, "line %d, column %d", misfits->line, misfits->line_column);
  else
    ts_str_addf(&place, "row %zu", misfits->row + 1);
  if (off_grid)
    ts_str_add(&space, "it is between the values of its grid");
  else
    describe_space(p, &space);
  ts_issues_warn(issues, "%zu of %zu rows of '%s' have values that the space does not have; the first is %s in %s: %s",
                 misfits->count, misfits->row_count, path, ts_str_get(&value), ts_str_get(&place), ts_str_get(&space));
}

/* Line and column of the first misfit, by reading the file once more. */
static void locate(struct design_misfits *misfits, const char *path, const char *const *names,
                   const struct ts_parameter *const *parameters, size_t count) {
  struct ts_table_reader table = {0};
  struct ts_error err = {0};
  if (!ts_table_reader_open(&table, path, &err)) return;
  ts_table_reader_skip_empty_lines(&table);
  ts_auto_free double *numbers = ts_calloc(table.column_count + 1, sizeof *numbers);
  bool has_row = ts_table_reader_choose(&table, names, count, &err);
  for (size_t i = 0; i < count && has_row; i++) ts_table_reader_set_parameter(&table, i, parameters[i]);
  for (size_t i = 0; i <= misfits->row && has_row; i++) {
    if (!ts_table_reader_next(&table, numbers, &has_row, &err)) has_row = false;
  }
  if (has_row) {
    ts_fail(&err, TS_ERR_OUTSIDE_DOMAIN, "found"); /* places are those of errors */
    ts_table_reader_place(&table, misfits->column, &err);
    misfits->line = err.where.line;
    misfits->line_column = err.where.column;
  }
  ts_table_reader_close(&table);
}

void ts_warn_about_design(const struct ts_workflow *w, const struct ts_design *design, const char *path,
                          struct ts_issues *issues) {
  size_t count = design->column_count;
  struct design_misfits misfits = {0};
  ts_auto_free const struct ts_parameter **parameters = ts_calloc(count + 1, sizeof *parameters);
  ts_auto_free double *row = ts_calloc(count + 1, sizeof *row);
  for (size_t c = 0; c < count; c++) {
    size_t index = 0;
    ts_workflow_find_parameter(w, design->names[c], &index);
    parameters[c] = &w->parameters[index];
  }
  for (size_t r = 0; r < design->row_count; r++) {
    for (size_t c = 0; c < count; c++) row[c] = ts_space_number(parameters[c], &design->values[r * count + c]);
    ts_misfits_row(&misfits, parameters, row, count);
  }
  if (misfits.count > 0) locate(&misfits, path, design->names, parameters, count);
  ts_misfits_warn(&misfits, path, issues);
}

/* Tiles of all images if they were cut into tiles of this size. */
static double tiles_of_size(const struct ts_project *project, int64_t tile_px) {
  const struct ts_dataset *d = &project->dataset;
  double count = 0;
  for (size_t i = 0; i < d->item_count; i++) {
    const struct ts_region *whole = &d->items[i].grid.whole;
    double width = (double)whole->width, height = (double)whole->height;
    count += fmax(1, ceil(width / (double)tile_px)) * fmax(1, ceil(height / (double)tile_px));
  }
  return count;
}

/* Files that a unit of a product adds where each has its own. */
static double files_of(const struct ts_project *project, const char *type) {
  const bool has_outlines = strcmp(type, "mask") == 0 || strcmp(type, "labels") == 0;
  return project->request->per_tile && project->request->overlays && has_outlines ? 2 : 1;
}

/* Whether the tiles of an image become one file. */
static bool is_joined(const struct ts_project *project, const char *type) {
  return !project->request->per_tile && strcmp(type, "bytes") != 0 && strcmp(type, "file") != 0;
}

void ts_warn_about_files(const struct ts_project *project, const struct ts_source *wanted, size_t count,
                         struct ts_issues *issues) {
  const struct ts_workflow *w = project->workflow;
  double per_tile = 0, others = 0;
  for (size_t i = 0; i < count; i++) {
    if (wanted[i].kind != TS_SOURCE_TASK) continue;
    enum ts_scope scope = w->stages[w->tasks[wanted[i].index].stage].scope;
    const char *type = w->tasks[wanted[i].index].op->descriptor->outputs[wanted[i].port]->type;
    if (ts_scope_is_tile(scope) && is_joined(project, type))
      others += (double)project->dataset.item_count;
    else if (ts_scope_is_tile(scope))
      per_tile += files_of(project, type);
    else
      others += files_of(project, type) * (double)ts_dataset_units(&project->dataset, scope);
  }
  double all = per_tile * (double)project->dataset.tile_count + others;
  if (all <= MANY_FILES) return;
  int64_t tile_px = TILE_STEP;
  while (tile_px < LARGEST_TILE && per_tile * tiles_of_size(project, tile_px) + others > MANY_FILES)
    tile_px += TILE_STEP;
  double better = per_tile * tiles_of_size(project, tile_px) + others;
  char number[32], tiles[32], fewer[32], advice[80] = "";
  if (better <= MANY_FILES)
    snprintf(advice, sizeof advice, "; with --tile %lld they are %s", (long long)tile_px,
             ts_format_count((uint64_t)better, fewer));
  ts_issues_warn(issues, "a run writes %s files here, for %s tiles%s", ts_format_count((uint64_t)all, number),
                 ts_format_count(project->dataset.tile_count, tiles), advice);
}
