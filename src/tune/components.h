/* Models of the components of a workflow, each from runs of that component alone.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_TUNE_COMPONENTS_H
#define TS_TUNE_COMPONENTS_H

#include "tune/tuner.h"

struct ts_component_models;

/* One surrogate per component from its recorded runs and its trials in `history` (may be NULL); a component without
 * parameters is the mean of its runs. Only the first goal is modelled. A component of which no run succeeded counts 0.
 * NULL and an error if xgboost fails. */
struct ts_component_models *ts_component_models_create(const struct ts_tune_problem *problem,
                                                       const struct ts_tune_history *history, struct ts_error *err);
void ts_component_models_destroy(struct ts_component_models *models);
/* Output of every component at `count` points (numbers, as wide as the space), point by point, as measured (not
 * negated), at least 0. */
bool ts_component_models_predict(const struct ts_component_models *models, const struct ts_tune_problem *problem,
                                 const double *numbers, size_t count, double *outputs, struct ts_error *err);
/* The same for the pool of a problem from the recorded runs alone: for problem->component_outputs. Owned result; NULL
 * and an error if xgboost fails. */
double *ts_components_predict_pool(const struct ts_tune_problem *problem, struct ts_error *err);
/* The outputs of the components of one point combined to a score that is minimised. */
double ts_combine_outputs(const struct ts_tune_goal *goal, const double *outputs, size_t count);

/* Whether the components of the problem have recorded runs, or can be run; false with an error if a tuner that needs
 * them cannot have either. */
bool ts_components_known(const struct ts_tune_problem *problem, const char *tuner, bool *recorded,
                         struct ts_error *err);
/* Adds `units` random runs of every component that has parameters, and one of each other. */
void ts_batch_add_component_runs(struct ts_tune_batch *batch, const struct ts_tune_problem *problem, size_t units);

#endif
