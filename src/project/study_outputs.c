/* Finds the columns that a study names: how each becomes one number, and whether it depends on the tiles.
 * SPDX-License-Identifier: Apache-2.0 */
#include "project/data/halo.h"
#include "project/units.h"

#include "base/alloc.h"

#include <stdio.h>
#include <string.h>

#define CUT_OBJECTS "objects cut at tile edges"

enum ts_over ts_column_over_tiles(const struct ts_op *op, size_t port, const char *column) {
  if (ts_op_find_ratio(op, port, column)) return TS_OVER_POOL;
  return ts_op_is_count(op, port, column) ? TS_OVER_SUM : TS_OVER_MEAN;
}

enum ts_over ts_column_over_files(const struct ts_op *op, size_t port, const char *column) {
  return ts_op_is_count(op, port, column) ? TS_OVER_SUM : TS_OVER_MEAN;
}

/* ---- Faults. ---- */

/* At a key of the output if it is an object, at the output otherwise. */
static void place(const struct ts_project *project, const struct study_output *output, const char *key,
                  struct ts_error *err, struct ts_issues *issues) {
  ts_auto(ts_str_release) struct ts_str pointer = {0};
  ts_str_add(&pointer, output->pointer);
  if (output->is_object) ts_str_addf(&pointer, "/%s", key);
  ts_json_place(err, &project->doc, ts_str_get(&pointer), TS_JSON_VALUE);
  ts_issues_fault(issues, err);
}

#define COLUMNS_NAMED 10 /* as many as fit into a help text */

/* The first columns that a port declares. */
static void add_column_names(struct ts_str *text, const struct ts_op *op, size_t port) {
  size_t count = 0;
  for (size_t i = 0; i < op->descriptor->column_count; i++) {
    const struct ts_op_column *column = op->descriptor->columns[i];
    if (strcmp(column->output, op->descriptor->outputs[port]->name) != 0 || count++ >= COLUMNS_NAMED) continue;
    ts_str_addf(text, "%s%s", text->length ? ", " : "", column->name);
  }
  if (count > COLUMNS_NAMED) ts_str_addf(text, " and %zu more", count - COLUMNS_NAMED);
}

void ts_study_no_column(const struct ts_project *project, const struct study_output *output, const char *column,
                        struct ts_issues *issues) {
  const struct ts_op *op = project->workflow->tasks[output->source.index].op;
  const char *near = ts_op_nearest_column(op, output->source.port, column);
  ts_auto(ts_str_release) struct ts_str names = {0};
  add_column_names(&names, op, output->source.port);
  struct ts_error err = {0};
  bool own = strcmp(column, output->column) == 0;
  ts_fail(&err, TS_ERR_BAD_VALUE, "'%s' has no column '%s'%s", output->product, column,
          own ? "" : ", which its operation declares as a term of a ratio");
  if (near)
    ts_error_help(&err, "did you mean '%s'?", near);
  else if (names.length)
    ts_error_help(&err, "its columns are %s", ts_str_get(&names));
  else
    ts_error_help(&err, "see its columns with: tessera run -o DIR, then look into the CSV files");
  place(project, output, "output", &err, issues);
}

static bool is_table(const struct ts_project *project, const struct study_output *output, const struct ts_op *op,
                     struct ts_issues *issues) {
  const char *type = op->descriptor->outputs[output->source.port]->type;
  struct ts_error err = {0};
  if (strcmp(type, "table") == 0) return true;
  ts_fail(&err, TS_ERR_PORT_TYPE, "output '%s' must name a table, but '%s' is of type %s", output->name,
          output->product, type);
  ts_error_help(&err, "name a table and a column, such as compare.table:diff");
  ts_json_place(&err, &project->doc, output->pointer, TS_JSON_VALUE);
  return ts_issues_fault(issues, &err);
}

/* The ratios of a port, for help texts. */
static void add_ratio_names(struct ts_str *text, const struct ts_op *op, size_t port) {
  for (size_t i = 0; i < op->descriptor->ratio_count; i++) {
    const struct ts_op_column *column = op->descriptor->ratios[i]->column;
    if (strcmp(column->output, op->descriptor->outputs[port]->name) == 0)
      ts_str_addf(text, "%s%s", text->length ? ", " : "", column->name);
  }
}

static void refuse_pool(const struct ts_project *project, const struct study_output *output, const struct ts_op *op,
                        const char *key, struct ts_issues *issues) {
  struct ts_error err = {0};
  ts_auto(ts_str_release) struct ts_str ratios = {0};
  add_ratio_names(&ratios, op, output->source.port);
  ts_fail(&err, TS_ERR_BAD_RATIO, "'%s' cannot be pooled: operation '%s' does not declare '%s' as a ratio",
          output->name, op->descriptor->name, output->column);
  if (ratios.length)
    ts_error_help(&err, "use \"sum\", \"mean\", \"median\" or \"weighted\"; its ratios are %s", ts_str_get(&ratios));
  else
    ts_error_help(&err, "use \"sum\", \"mean\", \"median\" or \"weighted\", or let the operation declare the ratio");
  place(project, output, key, &err, issues);
}

/* ---- Outputs of a study. ---- */

static void settle_overs(struct ts_project *project, struct study_output *output, const struct ts_op *op,
                         struct ts_issues *issues) {
  size_t port = output->source.port;
  output->ratio = ts_op_find_ratio(op, port, output->column);
  if (output->over_tiles == TS_OVER_COUNT) output->over_tiles = ts_column_over_tiles(op, port, output->column);
  if (output->over_files == TS_OVER_COUNT) output->over_files = ts_column_over_files(op, port, output->column);
  if (output->over_tiles == TS_OVER_POOL && !output->ratio) {
    refuse_pool(project, output, op, "over_tiles", issues);
  } else if (output->over_files == TS_OVER_POOL && !output->ratio) {
    refuse_pool(project, output, op, "over_files", issues);
  } else if (output->over_files == TS_OVER_POOL && output->over_tiles != TS_OVER_POOL) {
    struct ts_error err = {0};
    ts_fail(&err, TS_ERR_BAD_RATIO, "'%s' is pooled over files, but not over tiles", output->name);
    ts_error_help(&err, "write \"over_tiles\": \"pool\", or another \"over_files\"");
    place(project, output, "over_files", &err, issues);
  }
}

#define COST_PRODUCT "run"

/* "run:seconds": what a run cost; less is better unless the file says otherwise. */
static void resolve_cost(struct ts_project *project, struct study_output *output, struct ts_issues *issues) {
  static const char *const names[] = {[COST_SECONDS - 1] = "seconds",
                                      [COST_CPU_SECONDS - 1] = "cpu_seconds",
                                      [COST_CORE_HOURS - 1] = "core_hours",
                                      [COST_PEAK_BYTES - 1] = "peak_bytes"};
  const size_t count = sizeof names / sizeof *names;
  struct ts_error err = {0};
  size_t i = 0;
  while (i < count && strcmp(names[i], output->column) != 0) i++;
  if (i == count) {
    const char *near = ts_nearest_word(output->column, names, count);
    ts_fail(&err, TS_ERR_BAD_VALUE, "a run has no '%s' that could be measured", output->column);
    ts_error_help(&err, near ? "did you mean '%s'?" : "use run:seconds, run:cpu_seconds, run:core_hours or %s",
                  near ? near : "run:peak_bytes");
    place(project, output, "output", &err, issues);
  } else if (output->over_tiles != TS_OVER_COUNT || output->over_files != TS_OVER_COUNT) {
    ts_fail(&err, TS_ERR_BAD_VALUE, "'%s' is measured for the whole run", output->name);
    ts_error_help(&err, "remove \"over_tiles\" and \"over_files\"");
    place(project, output, output->over_tiles != TS_OVER_COUNT ? "over_tiles" : "over_files", &err, issues);
  }
  output->cost = (enum study_cost)(i < count ? i + 1 : COST_SECONDS);
  output->source = (struct ts_source){.kind = TS_SOURCE_NONE, .index = TS_NONE};
  output->over_tiles = output->over_files = TS_OVER_SUM;
  if (!output->better) output->better = "lower";
}

/* The table per tile with the column of the output, which its stage gives away, made by the task whose pieces the
 * output's task joins. */
static void find_in_tiles(const struct ts_project *project, struct study_output *output) {
  const struct ts_workflow *w = project->workflow;
  const size_t joined = ts_task_joins(w, output->source.index);
  if (joined == TS_NONE || !ts_scope_is_tile(w->stages[w->tasks[joined].stage].scope)) return;
  const struct ts_op *op = w->tasks[joined].op;
  const struct ts_stage *stage = &w->stages[w->tasks[joined].stage];
  for (size_t i = 0; i < stage->output_count; i++) {
    const struct ts_source *source = &stage->outputs[i].source;
    if (source->index != joined || !ts_op_declares_columns(op, source->port) ||
        !ts_op_has_column(op, source->port, output->column))
      continue;
    output->tiles.source = *source;
    output->tiles.ratio = ts_op_find_ratio(op, source->port, output->column);
    output->tiles.over = ts_column_over_tiles(op, source->port, output->column);
    return;
  }
}

static void resolve(struct ts_project *project, struct study_output *output, struct ts_issues *issues) {
  struct ts_error err = {0};
  if (strcmp(output->product, COST_PRODUCT) == 0) {
    resolve_cost(project, output, issues);
    return;
  }
  if (!ts_workflow_find_output(project->workflow, output->product, &output->source, &err)) {
    ts_json_place(&err, &project->doc, output->pointer, TS_JSON_VALUE);
    ts_issues_fault(issues, &err);
    return;
  }
  const struct ts_op *op = project->workflow->tasks[output->source.index].op;
  size_t port = output->source.port;
  if (!is_table(project, output, op, issues)) return;
  if (ts_op_declares_columns(op, port) && !ts_op_has_column(op, port, output->column))
    ts_study_no_column(project, output, output->column, issues);
  else
    settle_overs(project, output, op, issues);
  find_in_tiles(project, output);
}

static bool is_same_source(const struct ts_source *a, const struct ts_source *b) {
  return a->kind == b->kind && a->index == b->index && a->port == b->port;
}

/* The number of a product that was numbered before, for an output itself or for its tiles; otherwise the next. */
static size_t number_of(const struct study_file *f, const struct ts_source *source, size_t own_count,
                        size_t tiles_count, size_t *count) {
  for (size_t o = 0; o < own_count; o++)
    if (f->outputs[o].cost == COST_NONE && is_same_source(&f->outputs[o].source, source)) return f->outputs[o].wanted;
  for (size_t o = 0; o < tiles_count; o++)
    if (is_same_source(&f->outputs[o].tiles.source, source)) return f->outputs[o].tiles.wanted;
  return (*count)++;
}

/* Outputs of one product share its number; tables of tiles come after the products of outputs. */
static void number_products(struct study_file *f) {
  size_t count = 0;
  f->is_measured = f->engine_count > 0;
  for (size_t o = 0; o < f->output_count; o++) {
    struct study_output *output = &f->outputs[o];
    f->is_measured = f->is_measured || output->cost != COST_NONE;
    if (output->cost == COST_NONE) output->wanted = number_of(f, &output->source, o, 0, &count);
  }
  for (size_t o = 0; o < f->output_count; o++) {
    struct study_output *output = &f->outputs[o];
    if (output->tiles.source.kind == TS_SOURCE_TASK)
      output->tiles.wanted = number_of(f, &output->tiles.source, f->output_count, o, &count);
  }
}

void ts_study_outputs_resolve(struct ts_project *project, struct ts_issues *issues) {
  for (size_t i = 0; i < project->study.output_count; i++) resolve(project, &project->study.outputs[i], issues);
  number_products(&project->study);
}

/* ---- What depends on the tiles. ---- */

/* Whether images are cut; tiles without tissue were, too. */
static bool has_several_tiles(const struct ts_project *project) {
  for (size_t i = 0; i < project->dataset.item_count; i++)
    if (ts_grid_count(&project->dataset.items[i].grid) > 1) return true;
  return false;
}

static bool is_per_tile(const struct ts_project *project, size_t task) {
  return ts_scope_is_tile(project->workflow->stages[project->workflow->tasks[task].stage].scope);
}

const char *ts_study_outputs_cut_objects(const struct ts_project *project, const struct ts_source *source,
                                         const char *column) {
  if (source->kind != TS_SOURCE_TASK) return NULL;
  const struct ts_op *op = project->workflow->tasks[source->index].op;
  bool cut =
      has_several_tiles(project) && is_per_tile(project, source->index) && ts_op_of_objects(op, source->port, column);
  return cut ? CUT_OBJECTS : NULL;
}

static void warn_means(const struct ts_project *project, struct ts_issues *issues) {
  for (size_t i = 0; i < project->study.output_count; i++) {
    const struct study_output *output = &project->study.outputs[i];
    if (!output->ratio || output->over_tiles == TS_OVER_POOL || !is_per_tile(project, output->source.index)) continue;
    ts_issues_warn_once(issues,
                        "'%s' is a ratio, but the study takes the %s over tiles, in which an empty tile counts as much "
                        "as a full one; leave out \"over_tiles\" to pool it",
                        output->name, ts_over_names[output->over_tiles]);
  }
}

void ts_study_outputs_warn_tiling(const struct ts_project *project, struct ts_issues *issues) {
  ts_units_warn_resolutions(project, issues);
  if (!has_several_tiles(project)) return;
  ts_project_halo_warn(project, issues);
  warn_means(project, issues);
}
