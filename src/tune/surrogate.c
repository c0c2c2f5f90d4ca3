/* The surrogate of tuning, through xgboost's C interface.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The library is loaded with the first model: linked, it and what it needs would cost every command memory and time. */
#include "tune/surrogate.h"

#include "base/alloc.h"
#include "base/str.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <xgboost/c_api.h>

#define LIBRARY "libxgboost.so.0"

/* The functions that are used; written once, by load. */
static struct {
  __typeof__(&XGBGetLastError) XGBGetLastError;
  __typeof__(&XGDMatrixCreateFromMat) XGDMatrixCreateFromMat;
  __typeof__(&XGDMatrixFree) XGDMatrixFree;
  __typeof__(&XGDMatrixSetFloatInfo) XGDMatrixSetFloatInfo;
  __typeof__(&XGBoosterCreate) XGBoosterCreate;
  __typeof__(&XGBoosterFree) XGBoosterFree;
  __typeof__(&XGBoosterSetParam) XGBoosterSetParam;
  __typeof__(&XGBoosterUpdateOneIter) XGBoosterUpdateOneIter;
  __typeof__(&XGBoosterPredict) XGBoosterPredict;
} xgb;
static bool is_loaded;
static char load_fault[256];
static pthread_once_t load_once = PTHREAD_ONCE_INIT;

static bool find(void *library, const char *name, void *place) {
  void *found = dlsym(library, name);
  memcpy(place, &found, sizeof found);
  return found != NULL;
}

/* Never closed: its threads and models outlive any one user. */
static void load(void) {
  void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
  is_loaded = library && find(library, "XGBGetLastError", &xgb.XGBGetLastError) &&
              find(library, "XGDMatrixCreateFromMat", &xgb.XGDMatrixCreateFromMat) &&
              find(library, "XGDMatrixFree", &xgb.XGDMatrixFree) &&
              find(library, "XGDMatrixSetFloatInfo", &xgb.XGDMatrixSetFloatInfo) &&
              find(library, "XGBoosterCreate", &xgb.XGBoosterCreate) &&
              find(library, "XGBoosterFree", &xgb.XGBoosterFree) &&
              find(library, "XGBoosterSetParam", &xgb.XGBoosterSetParam) &&
              find(library, "XGBoosterUpdateOneIter", &xgb.XGBoosterUpdateOneIter) &&
              find(library, "XGBoosterPredict", &xgb.XGBoosterPredict);
  const char *fault = is_loaded ? NULL : dlerror();
  if (!is_loaded) snprintf(load_fault, sizeof load_fault, "%s", fault ? fault : "a function is missing");
}

static bool has_library(struct ts_error *err) {
  pthread_once(&load_once, load);
  if (is_loaded) return true;
  ts_fail(err, TS_ERR_SYSTEM, "the library xgboost cannot be loaded: %s", load_fault);
  ts_error_help(err, "install it (Debian: libxgboost0), or use a tuner without boosted trees, such as auto or tpe");
  return false;
}

struct ts_matrix {
  DMatrixHandle handle; /* owned */
  size_t rows;
};

struct ts_surrogate {
  BoosterHandle handle; /* owned */
};

static bool fail(struct ts_error *err, const char *action) {
  return ts_fail(err, TS_ERR_SYSTEM, "xgboost cannot %s: %s", action, xgb.XGBGetLastError());
}

struct ts_matrix *ts_matrix_create(const double *features, size_t rows, size_t columns, struct ts_error *err) {
  if (!has_library(err)) return NULL;
  ts_auto_free float *floats = ts_calloc(rows * columns + 1, sizeof *floats);
  for (size_t i = 0; i < rows * columns; i++) floats[i] = (float)features[i];
  struct ts_matrix *matrix = ts_calloc(1, sizeof *matrix);
  matrix->rows = rows;
  if (xgb.XGDMatrixCreateFromMat(floats, rows, columns, NAN, &matrix->handle) == 0) return matrix;
  fail(err, "take the rows");
  free(matrix);
  return NULL;
}

void ts_matrix_destroy(struct ts_matrix *matrix) {
  if (!matrix) return;
  xgb.XGDMatrixFree(matrix->handle);
  free(matrix);
}

size_t ts_matrix_rows(const struct ts_matrix *matrix) { return matrix->rows; }

static bool set_targets(struct ts_matrix *matrix, const double *targets, struct ts_error *err) {
  ts_auto_free float *floats = ts_calloc(matrix->rows, sizeof *floats);
  for (size_t i = 0; i < matrix->rows; i++) floats[i] = (float)targets[i];
  return xgb.XGDMatrixSetFloatInfo(matrix->handle, "label", floats, matrix->rows) == 0 || fail(err, "take the targets");
}

static bool set_parameters(BoosterHandle booster, const struct ts_surrogate_settings *settings, struct ts_error *err) {
  char depth[16], eta[TS_SIGNIFICANT_BYTES];
  snprintf(depth, sizeof depth, "%d", settings->depth > 0 ? settings->depth : 10);
  ts_format_significant(settings->eta > 0 ? settings->eta : 0.3, 9, eta);
  const char *const parameters[][2] = {
      {"objective", "reg:squarederror"},
      {"tree_method", "exact"},
      {"base_score", "0.5"},
      {"nthread", "1"},
      {"seed", "0"},
      {"verbosity", "0"},
      {"max_depth", depth},
      {"eta", eta},
      {"lambda", settings->no_l2 ? "0" : "1"},
  };
  for (size_t i = 0; i < sizeof parameters / sizeof parameters[0]; i++) {
    if (xgb.XGBoosterSetParam(booster, parameters[i][0], parameters[i][1]) != 0) return fail(err, "take a parameter");
  }
  return true;
}

static bool boost(BoosterHandle booster, const struct ts_matrix *matrix, int rounds, struct ts_error *err) {
  for (int round = 0; round < rounds; round++) {
    if (xgb.XGBoosterUpdateOneIter(booster, round, matrix->handle) != 0) return fail(err, "train");
  }
  return true;
}

struct ts_surrogate *ts_surrogate_train(const struct ts_surrogate_settings *settings, const double *features,
                                        size_t rows, size_t columns, const double *targets, struct ts_error *err) {
  const struct ts_surrogate_settings defaults = {0};
  if (!settings) settings = &defaults;
  struct ts_matrix *matrix = ts_matrix_create(features, rows, columns, err);
  if (!matrix) return NULL;
  struct ts_surrogate *surrogate = ts_calloc(1, sizeof *surrogate);
  bool made = xgb.XGBoosterCreate(&matrix->handle, 1, &surrogate->handle) == 0 || fail(err, "begin a model");
  made = made && set_targets(matrix, targets, err) && set_parameters(surrogate->handle, settings, err) &&
         boost(surrogate->handle, matrix, settings->rounds > 0 ? settings->rounds : 200, err);
  ts_matrix_destroy(matrix);
  if (made) return surrogate;
  ts_surrogate_destroy(surrogate);
  return NULL;
}

void ts_surrogate_destroy(struct ts_surrogate *surrogate) {
  if (!surrogate) return;
  xgb.XGBoosterFree(surrogate->handle);
  free(surrogate);
}

bool ts_surrogate_predict(const struct ts_surrogate *surrogate, const struct ts_matrix *matrix, double *predictions,
                          struct ts_error *err) {
  bst_ulong count = 0;
  const float *floats = NULL;
  if (xgb.XGBoosterPredict(surrogate->handle, matrix->handle, 0, 0, 0, &count, &floats) != 0)
    return fail(err, "predict");
  if (count != matrix->rows) TS_BUG("%zu predictions of %zu rows", (size_t)count, matrix->rows);
  for (size_t i = 0; i < matrix->rows; i++) predictions[i] = (double)floats[i];
  return true;
}
