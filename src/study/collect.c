/* Collects the numbers a study analyses from the tables that the runs make.
 * SPDX-License-Identifier: Apache-2.0
 *
 * One value per output, node and unit; runs that share a node share its values. Missing cells (NaN) are left out of means and
 * sums; a unit whose task failed makes the whole run's value NaN, because a sum without a tile cannot be compared. */
#include "study/study_int.h"

#include "base/alloc.h"
#include "base/map.h"

#include <math.h>

struct collector {
  const struct session *s;
  const struct ts_plan *plan;
  struct ts_map slots; /* node -> index of its values */
  double **values;     /* owned: per slot, units x outputs */
  size_t count, capacity;
  size_t missing_output; /* SIZE_MAX: none */
};

struct collector *ts_collector_create(const struct session *s, const struct ts_plan *plan) {
  struct collector *c = ts_calloc(1, sizeof *c);
  c->s = s;
  c->plan = plan;
  c->missing_output = SIZE_MAX;
  return c;
}

void ts_collector_destroy(struct collector *c) {
  for (size_t i = 0; i < c->count; i++) free(c->values[i]);
  free(c->values);
  ts_map_release(&c->slots);
  free(c);
}

static size_t units_of(const struct collector *c, uint32_t node) {
  return ts_session_units(c->s, c->plan->nodes[node].scope);
}

static double *values_of(struct collector *c, uint32_t node) {
  bool inserted = false;
  union ts_map_value *slot = ts_map_insert(&c->slots, &node, sizeof node, &inserted);
  if (!inserted) return c->values[slot->number];
  slot->number = c->count;
  c->values = ts_grow(c->values, c->count, &c->capacity, sizeof *c->values);
  size_t cells = units_of(c, node) * c->s->study.output_count;
  double *values = ts_calloc(cells + 1, sizeof *values);
  for (size_t i = 0; i < cells; i++) values[i] = NAN;
  c->values[c->count++] = values;
  return values;
}

static double column_value(const struct ts_data *table, size_t column, enum over_tiles over) {
  size_t rows = ts_data_rows(table);
  const double *cells = ts_data_cells(table);
  double sum = 0;
  size_t count = 0;
  for (size_t r = 0; r < rows; r++) {
    double cell = cells[r * ts_data_columns(table) + column];
    if (!isnan(cell)) {
      sum += cell;
      count++;
    }
  }
  if (over == OVER_TILES_SUM) return sum;
  return count ? sum / (double)count : NAN;
}

void ts_collector_product(struct collector *c, uint32_t node, uint32_t port, size_t unit, struct ts_data *data) {
  double *values = values_of(c, node);
  for (size_t o = 0; o < c->s->study.output_count; o++) {
    const struct study_output *output = &c->s->study.outputs[o];
    size_t column = 0;
    if (output->source.index != c->plan->nodes[node].task || output->source.port != port) continue;
    if (ts_data_find_column(data, output->column, &column))
      values[unit * c->s->study.output_count + o] = column_value(data, column, output->over_tiles);
    else
      c->missing_output = o;
  }
}

double ts_collector_tile_value(const struct collector *c, size_t set, size_t output, size_t unit) {
  uint32_t node = c->plan->products[set * c->plan->wanted_count + c->s->study.outputs[output].wanted].node;
  const union ts_map_value *slot = ts_map_find(&c->slots, &node, sizeof node);
  return slot ? c->values[slot->number][unit * c->s->study.output_count + output] : NAN;
}

bool ts_collector_is_per_tile(const struct collector *c, size_t output) {
  size_t stage = c->s->workflow->tasks[c->s->study.outputs[output].source.index].stage;
  return c->s->workflow->stages[stage].scope == TS_PER_TILE;
}

double ts_collector_value(const struct collector *c, size_t set, size_t output) {
  size_t stage = c->s->workflow->tasks[c->s->study.outputs[output].source.index].stage;
  size_t units = ts_session_units(c->s, c->s->workflow->stages[stage].scope);
  double sum = 0;
  for (size_t u = 0; u < units; u++) sum += ts_collector_tile_value(c, set, output, u);
  return c->s->study.outputs[output].over_tiles == OVER_TILES_SUM ? sum : sum / (double)units;
}

double ts_collector_file_value(const struct collector *c, size_t set, size_t output, size_t file) {
  size_t stage = c->s->workflow->tasks[c->s->study.outputs[output].source.index].stage;
  enum ts_scope scope = c->s->workflow->stages[stage].scope;
  if (scope == TS_PER_FILE) return ts_collector_tile_value(c, set, output, file);
  if (scope != TS_PER_TILE) return NAN;
  const struct ts_item *item = &c->s->dataset.items[file];
  double sum = 0;
  for (size_t t = 0; t < item->tile_count; t++) sum += ts_collector_tile_value(c, set, output, item->first_tile + t);
  return c->s->study.outputs[output].over_tiles == OVER_TILES_SUM ? sum : sum / (double)item->tile_count;
}

const char *ts_collector_missing_column(const struct collector *c, size_t *output) {
  if (c->missing_output == SIZE_MAX) return NULL;
  *output = c->missing_output;
  return c->s->study.outputs[c->missing_output].column;
}
