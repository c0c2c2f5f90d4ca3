/* Collects the numbers that a study analyses from the tables that its runs make.
 * SPDX-License-Identifier: Apache-2.0
 *
 * One portion per output, node and unit; runs that share a node share its portions. An output that is joined from tiles
 * also has portions of the table that these make. aggregate.h says how they become
 * the number of a file and of a run. A unit whose task failed makes the whole run's value NaN, because a sum without
 * a tile cannot be compared. */
#include "work/collect.h"

#include "base/alloc.h"
#include "base/map.h"

#include <math.h>

struct slot {
  size_t units, task; /* of the node */
};

struct collector {
  const struct ts_project *project;
  const struct ts_plan *plan;
  struct ts_map slots;          /* node -> index of its portions */
  struct ts_portion **portions; /* owned: per slot, units x outputs */
  struct slot *about;           /* owned: per slot */
  size_t count, capacity, about_capacity;
  double *px;                 /* owned: core pixels of each tile */
  size_t missing_output;      /* SIZE_MAX: none */
  const char *missing_column; /* borrowed from the study or its operation */
};

double *ts_collector_tile_px(const struct ts_project *project) {
  double *px = ts_calloc(project->dataset.tile_count + 1, sizeof *px);
  for (size_t t = 0; t < project->dataset.tile_count; t++)
    px[t] = (double)project->dataset.tiles[t].core.width * (double)project->dataset.tiles[t].core.height;
  return px;
}

/* Where the terms of one side of a ratio are in the table; the column that it lacks, or NULL. */
static const char *find_terms(const struct ts_data *table, const struct ts_op_term *const *terms, size_t count,
                              size_t *columns, double *factors) {
  for (size_t i = 0; i < count; i++) {
    if (!ts_data_find_column(table, terms[i]->column, &columns[i])) return terms[i]->column;
    factors[i] = terms[i]->factor;
  }
  return NULL;
}

bool ts_table_portion(const struct ts_data *table, const char *column, enum ts_over over,
                      const struct ts_op_ratio *ratio, struct ts_portion *portion, const char **missing) {
  struct ts_column_view view = {
      .cells = ts_data_cells(table), .rows = ts_data_rows(table), .columns = ts_data_columns(table)};
  *missing = ts_data_find_column(table, column, &view.column) ? NULL : column;
  if (*missing || over != TS_OVER_POOL) {
    if (!*missing) *portion = ts_portion_of(over, &view);
    return !*missing;
  }
  const size_t above = ratio->numerator_count, below = ratio->denominator_count;
  ts_auto_free size_t *columns = ts_calloc(above + below, sizeof *columns);
  ts_auto_free double *factors = ts_calloc(above + below, sizeof *factors);
  view.numerator = (struct ts_terms){columns, factors, above};
  view.denominator = (struct ts_terms){columns + above, factors + above, below};
  *missing = find_terms(table, ratio->numerator, above, columns, factors);
  if (!*missing) *missing = find_terms(table, ratio->denominator, below, columns + above, factors + above);
  if (!*missing) *portion = ts_portion_of(over, &view);
  return !*missing;
}

struct collector *ts_collector_create(const struct ts_project *project, const struct ts_plan *plan) {
  struct collector *c = ts_calloc(1, sizeof *c);
  c->project = project;
  c->plan = plan;
  c->missing_output = SIZE_MAX;
  c->px = ts_collector_tile_px(project);
  return c;
}

void ts_collector_destroy(struct collector *c) {
  size_t outputs = c->project->study.output_count;
  for (size_t i = 0; i < c->count; i++) {
    for (size_t p = 0; p < c->about[i].units * outputs; p++) {
      const struct study_output *output = &c->project->study.outputs[p % outputs];
      ts_portion_release(output->source.index == c->about[i].task ? output->over_tiles : output->tiles.over,
                         &c->portions[i][p]);
    }
    free(c->portions[i]);
  }
  free(c->portions);
  free(c->about);
  free(c->px);
  ts_map_release(&c->slots);
  free(c);
}

static struct ts_portion *portions_of(struct collector *c, uint32_t node) {
  bool inserted = false;
  union ts_map_value *slot = ts_map_insert(&c->slots, &node, sizeof node, &inserted);
  if (!inserted) return c->portions[slot->number];
  slot->number = c->count;
  c->portions = ts_grow(c->portions, c->count, &c->capacity, sizeof *c->portions);
  c->about = ts_grow(c->about, c->count, &c->about_capacity, sizeof *c->about);
  size_t units = ts_dataset_units(&c->project->dataset, c->plan->nodes[node].scope),
         cells = units * c->project->study.output_count;
  struct ts_portion *portions = ts_calloc(cells + 1, sizeof *portions);
  for (size_t i = 0; i < cells; i++) portions[i] = ts_portion_absent();
  c->about[c->count] = (struct slot){units, c->plan->nodes[node].task};
  c->portions[c->count++] = portions;
  return portions;
}

static bool set_portion(struct collector *c, const struct study_output *output, const struct ts_data *data,
                        enum ts_over over, const struct ts_op_ratio *ratio, struct ts_portion *portion) {
  ts_portion_release(over, portion); /* a product may come twice */
  if (ts_table_portion(data, output->column, over, ratio, portion, &c->missing_column)) return true;
  c->missing_output = (size_t)(output - c->project->study.outputs);
  return false;
}

static bool is_from(const struct collector *c, const struct ts_source *source, uint32_t node, uint32_t port) {
  return source->index == c->plan->nodes[node].task && source->port == port;
}

bool ts_collector_product(struct collector *c, uint32_t node, uint32_t port, size_t unit, struct ts_data *data) {
  struct ts_portion *portions = portions_of(c, node) + unit * c->project->study.output_count;
  bool ok = true;
  for (size_t o = 0; o < c->project->study.output_count; o++) {
    const struct study_output *output = &c->project->study.outputs[o];
    if (output->cost == COST_NONE && is_from(c, &output->source, node, port))
      ok = set_portion(c, output, data, output->over_tiles, output->ratio, &portions[o]) && ok;
    else if (output->tiles.source.kind == TS_SOURCE_TASK && is_from(c, &output->tiles.source, node, port))
      ok = set_portion(c, output, data, output->tiles.over, output->tiles.ratio, &portions[o]) && ok;
  }
  return ok;
}

static enum ts_scope scope_of(const struct collector *c, size_t output) {
  size_t stage = c->project->workflow->tasks[c->project->study.outputs[output].source.index].stage;
  return c->project->workflow->stages[stage].scope;
}

bool ts_collector_is_per_tile(const struct collector *c, size_t output) {
  return ts_scope_is_tile(scope_of(c, output)) || c->project->study.outputs[output].tiles.source.kind == TS_SOURCE_TASK;
}

/* Some units of a set, one after another. */
struct some_units {
  size_t set, output, first, count;
  const double *px;
};

static struct ts_total total_of_product(const struct collector *c, size_t wanted, enum ts_over over,
                                        const struct some_units *some) {
  uint32_t node = c->plan->products[some->set * c->plan->wanted_count + wanted].node;
  const union ts_map_value *slot = ts_map_find(&c->slots, &node, sizeof node);
  if (!slot)
    return (struct ts_total){.value = NAN, .numerator = NAN, .denominator = NAN, .lowest = NAN, .failed = true};
  size_t outputs = c->project->study.output_count;
  const struct ts_portions portions = {c->portions[slot->number] + some->first * outputs + some->output, outputs,
                                       some->count, some->px};
  return ts_total_of_tiles(over, &portions);
}

static struct ts_total total_of(const struct collector *c, size_t set, size_t output, size_t first, size_t count,
                                const double *px) {
  const struct study_output *o = &c->project->study.outputs[output];
  return total_of_product(c, o->wanted, o->over_tiles, &(struct some_units){set, output, first, count, px});
}

struct ts_total ts_collector_tile_total(const struct collector *c, size_t set, size_t output, size_t unit) {
  const struct study_output *o = &c->project->study.outputs[output];
  const bool joined = o->tiles.source.kind == TS_SOURCE_TASK;
  return total_of_product(c, joined ? o->tiles.wanted : o->wanted, joined ? o->tiles.over : o->over_tiles,
                          &(struct some_units){set, output, unit, 1, NULL});
}

struct ts_total ts_collector_file_total(const struct collector *c, size_t set, size_t output, size_t file) {
  const struct ts_item *item = &c->project->dataset.items[file];
  enum ts_scope scope = scope_of(c, output);
  size_t first = 0, count = 0;
  ts_dataset_units_in_item(&c->project->dataset, scope, file, &first, &count);
  if (ts_scope_is_tile(scope)) return total_of(c, set, output, first, count, c->px + first);
  if (!ts_scope_is_in_item(scope))
    return (struct ts_total){.value = NAN, .numerator = NAN, .denominator = NAN, .lowest = NAN, .failed = true};
  struct ts_total total = total_of(c, set, output, first, count, NULL);
  for (size_t t = 0; t < item->tile_count; t++) total.px += c->px[item->first_tile + t];
  return total;
}

struct ts_total ts_collector_some_total(const struct collector *c, size_t set, size_t output, const size_t *files,
                                        size_t count) {
  ts_auto_free struct ts_total *totals = ts_calloc(count + 1, sizeof *totals);
  for (size_t i = 0; i < count; i++) totals[i] = ts_collector_file_total(c, set, output, files ? files[i] : i);
  return ts_total_of_files(c->project->study.outputs[output].over_files, totals, count);
}

struct ts_total ts_collector_total(const struct collector *c, size_t set, size_t output) {
  if (!ts_scope_is_in_item(scope_of(c, output))) return total_of(c, set, output, 0, 1, NULL);
  return ts_collector_some_total(c, set, output, NULL, c->project->dataset.item_count);
}

const char *ts_collector_missing_column(const struct collector *c, size_t *output) {
  if (c->missing_output == SIZE_MAX) return NULL;
  *output = c->missing_output;
  return c->missing_column;
}
