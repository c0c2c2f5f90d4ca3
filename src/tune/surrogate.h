/* The surrogate of tuning: gradient boosted regression trees by xgboost, on one thread, deterministic.
 * SPDX-License-Identifier: Apache-2.0
 *
 * T. Chen and C. Guestrin, "XGBoost: a scalable tree boosting system", KDD 2016, doi:10.1145/2939672.2939785. Squared
 * error, exact splits, no subsampling: the same rows give the same trees. xgboost computes in floats. */
#ifndef TS_TUNE_SURROGATE_H
#define TS_TUNE_SURROGATE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* 0: the default in brackets. */
struct ts_surrogate_settings {
  int depth;  /* [10] */
  int rounds; /* trees [200] */
  double eta; /* learning rate [0.3] */
  bool no_l2; /* lambda 0 instead of 1 */
};

/* Rows of features, kept in xgboost's form so that several models can predict them. */
struct ts_matrix;
struct ts_matrix *ts_matrix_create(const double *features, size_t rows, size_t columns, struct ts_error *err);
void ts_matrix_destroy(struct ts_matrix *matrix);
size_t ts_matrix_rows(const struct ts_matrix *matrix);

struct ts_surrogate;
/* At least one row. NULL and an error if xgboost fails. */
struct ts_surrogate *ts_surrogate_train(const struct ts_surrogate_settings *settings, const double *features,
                                        size_t rows, size_t columns, const double *targets, struct ts_error *err);
void ts_surrogate_destroy(struct ts_surrogate *surrogate);
/* One prediction per row of the matrix. */
bool ts_surrogate_predict(const struct ts_surrogate *surrogate, const struct ts_matrix *matrix, double *predictions,
                          struct ts_error *err);

#endif
