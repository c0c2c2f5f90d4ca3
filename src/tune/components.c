/* Models of the components of a workflow: the low fidelity from which a tuner starts.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tune/components.h"

#include "base/alloc.h"
#include "base/random.h"
#include "tune/surrogate.h"

#include <math.h>
#include <string.h>

struct model {
  struct ts_surrogate *surrogate; /* owned; NULL: the constant counts */
  double constant;
};

struct ts_component_models {
  size_t count;
  struct model *models; /* owned */
};

/* Rows of one component: recorded runs, then trials. */
struct rows {
  size_t count;
  double *features; /* owned */
  double *targets;  /* owned; as measured */
};

static void add_row(struct rows *rows, size_t columns, const double *numbers, const size_t *from, double target) {
  if (!isfinite(target)) return;
  for (size_t c = 0; c < columns; c++) rows->features[rows->count * columns + c] = numbers[from ? from[c] : c];
  rows->targets[rows->count++] = target;
}

static void gather(struct rows *rows, const struct ts_tune_problem *problem, size_t index,
                   const struct ts_tune_history *history) {
  const struct ts_tune_component *component = &problem->components[index];
  size_t columns = component->column_count, trials = history ? history->count : 0;
  double sign = problem->goals[0].negated ? -1 : 1;
  rows->features = ts_calloc((component->history.count + trials) * columns + 1, sizeof *rows->features);
  rows->targets = ts_calloc(component->history.count + trials + 1, sizeof *rows->targets);
  for (size_t r = 0; r < component->history.count; r++)
    add_row(rows, columns, &component->history.numbers[r * columns], NULL,
            sign * component->history_outputs[r * problem->goal_count]);
  for (size_t t = 0; t < trials; t++) {
    if (history->components[t] != index) continue;
    add_row(rows, columns, &history->numbers[t * history->column_count], component->columns,
            sign * history->outputs[t * history->goal_count]);
  }
}

static bool train(struct model *model, const struct rows *rows, size_t columns, struct ts_error *err) {
  for (size_t r = 0; r < rows->count; r++) model->constant += rows->targets[r] / (double)rows->count;
  if (columns == 0 || rows->count == 0) return true;
  model->surrogate = ts_surrogate_train(NULL, rows->features, rows->count, columns, rows->targets, err);
  return model->surrogate != NULL;
}

struct ts_component_models *ts_component_models_create(const struct ts_tune_problem *problem,
                                                       const struct ts_tune_history *history, struct ts_error *err) {
  struct ts_component_models *models = ts_calloc(1, sizeof *models);
  models->count = problem->component_count;
  models->models = ts_calloc(models->count + 1, sizeof *models->models);
  bool made = true;
  for (size_t j = 0; j < models->count && made; j++) {
    struct rows rows = {0};
    gather(&rows, problem, j, history);
    made = train(&models->models[j], &rows, problem->components[j].column_count, err);
    free(rows.features);
    free(rows.targets);
  }
  if (made) return models;
  ts_component_models_destroy(models);
  return NULL;
}

void ts_component_models_destroy(struct ts_component_models *models) {
  if (!models) return;
  for (size_t j = 0; j < models->count; j++) ts_surrogate_destroy(models->models[j].surrogate);
  free(models->models);
  free(models);
}

/* One component at all points: `column` is where its outputs go, `stride` apart. */
static bool predict_one(const struct model *model, const struct ts_tune_component *component, const double *numbers,
                        size_t width, size_t count, double *outputs, size_t stride, struct ts_error *err) {
  for (size_t i = 0; i < count; i++) outputs[i * stride] = fmax(0, model->constant);
  if (!model->surrogate) return true;
  size_t columns = component->column_count;
  ts_auto_free double *features = ts_calloc(count * columns + 1, sizeof *features);
  ts_auto_free double *predicted = ts_calloc(count + 1, sizeof *predicted);
  for (size_t i = 0; i < count; i++) {
    for (size_t c = 0; c < columns; c++) features[i * columns + c] = numbers[i * width + component->columns[c]];
  }
  struct ts_matrix *matrix = ts_matrix_create(features, count, columns, err);
  bool made = matrix && ts_surrogate_predict(model->surrogate, matrix, predicted, err);
  ts_matrix_destroy(matrix);
  for (size_t i = 0; made && i < count; i++) outputs[i * stride] = fmax(0, predicted[i]);
  return made;
}

bool ts_component_models_predict(const struct ts_component_models *models, const struct ts_tune_problem *problem,
                                 const double *numbers, size_t count, double *outputs, struct ts_error *err) {
  for (size_t j = 0; j < models->count; j++) {
    if (!predict_one(&models->models[j], &problem->components[j], numbers, problem->space->count, count, outputs + j,
                     models->count, err))
      return false;
  }
  return true;
}

double *ts_components_predict_pool(const struct ts_tune_problem *problem, struct ts_error *err) {
  double *outputs = ts_calloc(problem->pool.count * problem->component_count + 1, sizeof *outputs);
  struct ts_component_models *models = ts_component_models_create(problem, NULL, err);
  bool made =
      models && ts_component_models_predict(models, problem, problem->pool.numbers, problem->pool.count, outputs, err);
  ts_component_models_destroy(models);
  if (made) return outputs;
  free(outputs);
  return NULL;
}

double ts_combine_outputs(const struct ts_tune_goal *goal, const double *outputs, size_t count) {
  double combined = outputs[0];
  for (size_t j = 1; j < count; j++) {
    switch (goal->combine) {
    case TS_COMBINE_MAX: combined = fmax(combined, outputs[j]); break;
    case TS_COMBINE_SUM: combined += outputs[j]; break;
    case TS_COMBINE_MIN: combined = fmin(combined, outputs[j]); break;
    }
  }
  return goal->negated ? -combined : combined;
}

bool ts_components_known(const struct ts_tune_problem *problem, const char *tuner, bool *recorded,
                         struct ts_error *err) {
  *recorded = true;
  for (size_t j = 0; j < problem->component_count; j++) {
    if (problem->components[j].history.count == 0) *recorded = false;
  }
  if (*recorded || problem->charges_components) return true;
  return ts_fail(err, TS_ERR_BAD_VALUE, "tuner '%s' needs recorded runs of every component, or runs of them", tuner);
}

/* Rows of the component's pool in random order, or random points; a point that is drawn twice is drawn again. */
static void add_runs(struct ts_tune_batch *batch, const struct ts_tune_problem *problem, size_t index, size_t count,
                     struct ts_random *random) {
  size_t pool = problem->components[index].pool.count, columns = problem->space->count, added = 0;
  ts_auto_free size_t *order = ts_calloc(pool + 1, sizeof *order);
  for (size_t r = 0; r < pool; r++) order[r] = r;
  ts_random_shuffle(random, order, pool);
  for (size_t r = 0; r < pool && added < count; r++)
    added += ts_batch_add_component_row(batch, index, order[r]) == TS_ADDED;
  ts_auto_free double *unit = ts_calloc(columns, sizeof *unit);
  for (size_t tries = 0; pool == 0 && added < count && tries < 100 * count; tries++) {
    for (size_t c = 0; c < columns; c++) unit[c] = ts_random_unit(random);
    added += ts_batch_add_component_unit(batch, index, unit) == TS_ADDED;
  }
}

void ts_batch_add_component_runs(struct ts_tune_batch *batch, const struct ts_tune_problem *problem, size_t units) {
  struct ts_random random;
  ts_random_init(&random, problem->seed, TS_STREAM_COMPONENTS);
  for (size_t j = 0; j < problem->component_count && units > 0; j++) {
    bool is_constant = problem->components[j].column_count == 0;
    if (is_constant) {
      ts_batch_add_component_row(batch, j, 0);
    } else {
      add_runs(batch, problem, j, units, &random);
    }
  }
}
