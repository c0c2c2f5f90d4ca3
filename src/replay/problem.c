/* The problem that recorded tables pose: their space, their rows as the pool, components with theirs.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"
#include "base/order.h"
#include "replay/replay_int.h"
#include "tune/components.h"

#include <math.h>
#include <string.h>

/* A parameter of which nearly every row has a value of its own is likely something that was measured. */
#define SUSPICIOUS_SHARE 0.9
#define SUSPICIOUS_ROWS  20

static size_t column_of(const struct recorded *table, const char *name) {
  for (size_t c = 0; c < table->column_count; c++) {
    if (strcmp(table->names[c], name) == 0) return c;
  }
  return TS_NONE;
}

/* Copies a column to `to`; returns how many numbers that were. */
static size_t copy_column(const struct recorded *table, const char *name, double *to) {
  size_t column = column_of(table, name);
  if (column == TS_NONE) return 0;
  for (size_t r = 0; r < table->row_count; r++) to[r] = table->numbers[r * table->column_count + column];
  return table->row_count;
}

static size_t sort_distinct(double *numbers, size_t count) {
  qsort(numbers, count, sizeof *numbers, ts_compare_doubles);
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    if (kept == 0 || numbers[i] != numbers[kept - 1]) numbers[kept++] = numbers[i];
  }
  return kept;
}

static void warn_suspicious(struct replaying *job, const char *name, double *scratch) {
  size_t rows = copy_column(&job->workflow, name, scratch);
  size_t distinct = sort_distinct(scratch, rows);
  if (rows >= SUSPICIOUS_ROWS && (double)distinct > SUSPICIOUS_SHARE * (double)rows)
    ts_issues_warn(job->issues, "'%s' has %zu values in %zu rows: if it was measured, leave it out with --ignore %s",
                   name, distinct, rows, name);
}

/* One parameter per column; its grid is every value that any of the tables has. */
static void make_space(struct replaying *job) {
  struct ts_arena *arena = &job->arena;
  size_t columns = job->workflow.column_count, most = job->workflow.row_count;
  for (size_t j = 0; j < job->component_count; j++) most += job->components[j].row_count;
  job->parameters = ts_arena_array(arena, columns, sizeof *job->parameters);
  const struct ts_parameter **list = ts_arena_array(arena, columns, sizeof *list);
  ts_auto_free double *numbers = ts_calloc(most, sizeof *numbers);
  for (size_t c = 0; c < columns; c++) {
    const char *name = job->workflow.names[c];
    warn_suspicious(job, name, numbers);
    size_t count = copy_column(&job->workflow, name, numbers);
    for (size_t j = 0; j < job->component_count; j++) count += copy_column(&job->components[j], name, numbers + count);
    count = sort_distinct(numbers, count);
    struct ts_value *levels = ts_arena_array(arena, count, sizeof *levels);
    for (size_t i = 0; i < count; i++) levels[i] = ts_value_real(numbers[i]);
    job->parameters[c] =
        (struct ts_parameter){.name = name, .help = "", .type = TS_VALUE_REAL, .levels = levels, .level_count = count};
    list[c] = &job->parameters[c];
  }
  job->space = (struct ts_space){.parameters = list, .count = columns};
}

/* The middle of the share of a number among the sorted levels, which all numbers of the tables are among. */
static double unit_of(const struct ts_parameter *parameter, double number) {
  size_t low = 0, high = parameter->level_count - 1;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (parameter->levels[middle].as.real < number) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return ((double)low + 0.5) / (double)parameter->level_count;
}

static struct ts_tune_points points_of(struct replaying *job, const struct recorded *table, const size_t *columns) {
  size_t count = table->row_count * table->column_count;
  double *unit = ts_arena_array(&job->arena, count + 1, sizeof *unit);
  for (size_t i = 0; i < count; i++)
    unit[i] = unit_of(&job->parameters[columns[i % table->column_count]], table->numbers[i]);
  return (struct ts_tune_points){.count = table->row_count, .numbers = table->numbers, .unit = unit};
}

static size_t *columns_of(struct replaying *job, const struct recorded *table) {
  size_t *columns = ts_arena_array(&job->arena, table->column_count + 1, sizeof *columns);
  for (size_t c = 0; c < table->column_count; c++) columns[c] = column_of(&job->workflow, table->names[c]);
  return columns;
}

/* Tuners minimise. */
static double *signed_outputs(struct replaying *job, const struct recorded *table) {
  double *outputs = ts_arena_array(&job->arena, table->row_count + 1, sizeof *outputs);
  for (size_t r = 0; r < table->row_count; r++)
    outputs[r] = job->yard.maximise ? -table->outputs[r] : table->outputs[r];
  return outputs;
}

static void add_components(struct replaying *job) {
  struct ts_tune_component *components = ts_arena_array(&job->arena, job->component_count + 1, sizeof *components);
  for (size_t j = 0; j < job->component_count; j++) {
    const struct recorded *table = &job->components[j];
    struct ts_tune_component *component = &components[j];
    *component = (struct ts_tune_component){.name = job->component_names[j], .column_count = table->column_count};
    size_t *columns = columns_of(job, table);
    component->columns = columns;
    component->pool = points_of(job, table, columns);
    if (!job->request->history) continue;
    component->history = component->pool;
    component->history_outputs = signed_outputs(job, table);
  }
  job->problem.components = components;
  job->problem.component_count = job->component_count;
  job->problem.charges_components = !job->request->history;
}

/* The rows that can be run, best first; equal ones in the order of the table. */
static void rank_rows(struct replaying *job) {
  const struct recorded *table = &job->workflow;
  job->yard.outputs = table->outputs;
  job->yard.row_count = table->row_count;
  ts_auto_free struct ts_ranked *ranked = ts_calloc(table->row_count + 1, sizeof *ranked);
  for (size_t r = 0; r < table->row_count; r++) {
    if (isnan(table->outputs[r])) continue;
    ranked[job->yard.pool++] = (struct ts_ranked){job->yard.maximise ? -table->outputs[r] : table->outputs[r], r};
  }
  qsort(ranked, job->yard.pool, sizeof *ranked, ts_compare_ranked);
  job->yard.by_output = ts_arena_array(&job->arena, job->yard.pool + 1, sizeof *job->yard.by_output);
  for (size_t i = 0; i < job->yard.pool; i++) job->yard.by_output[i] = ranked[i].index;
  job->yard.best = table->outputs[job->yard.by_output[0]];
}

static enum ts_combine combine_of(const char *word) {
  if (word && strcmp(word, "sum") == 0) return TS_COMBINE_SUM;
  return word && strcmp(word, "min") == 0 ? TS_COMBINE_MIN : TS_COMBINE_MAX;
}

bool ts_replaying_prepare(struct replaying *job) {
  const struct ts_request *request = job->request;
  struct ts_error err = {0};
  make_space(job);
  rank_rows(job);
  job->goal = (struct ts_tune_goal){
      .name = job->objective, .negated = job->yard.maximise, .combine = combine_of(request->combine)};
  job->problem = (struct ts_tune_problem){.space = &job->space, .goals = &job->goal, .goal_count = 1};
  job->problem.pool = points_of(job, &job->workflow, columns_of(job, &job->workflow));
  job->problem.budget = request->budget > 0 ? request->budget : 50;
  add_components(job);
  if (!request->history || job->component_count == 0) return true;
  job->component_outputs = ts_components_predict_pool(&job->problem, &err);
  job->problem.component_outputs = job->component_outputs;
  if (!job->component_outputs) ts_issues_fault(job->issues, &err);
  return job->component_outputs != NULL;
}
