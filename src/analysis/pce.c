/* Sparse polynomial chaos: Sobol' indices from the coefficients of an expansion fitted to a few hundred runs.
 * SPDX-License-Identifier: Apache-2.0
 *
 * For each truncation of the basis (degree, q-norm) least-angle regression proposes a sparse expansion; the one with
 * the least corrected leave-one-out error is kept. */
#include "analysis/pce_int.h"

#include "base/alloc.h"
#include "base/str.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_DEGREE    15
#define DEFAULT_RESAMPLES 500
#define LARGE_MISS        0.05 /* to note */
#define LARGE_CORRELATION 0.2  /* between parameters, beyond what chance explains; to note */
#define CHANCE            4.0  /* standard deviations of a correlation of independent numbers */
#define MAX_CORRELATED    256  /* parameters among which correlations are looked for */

/* The part of a bootstrap that all resamples share. */
struct bootstrap {
  const struct ts_pce_data *data;     /* borrowed */
  const struct ts_pce_fit *fit;       /* borrowed; of the chosen terms */
  const struct ts_pce_shares *shares; /* borrowed */
  const double *coefficients;         /* borrowed */
  const double *errors;               /* borrowed; of the points, mean 0 */
  double *samples;                    /* owned; resample by resample */
  size_t statistic_count;
  uint64_t seed;
};

/* The fit is linear in the outputs: new errors around the fitted values change the coefficients by their own fit. */
static void resample(void *argument, size_t index) {
  const struct bootstrap *work = argument;
  size_t n = work->data->point_count, count = work->fit->count;
  ts_auto_free uint32_t *draws = ts_calloc(n, sizeof *draws);
  ts_auto_free double *errors = ts_calloc(n, sizeof *errors);
  ts_auto_free double *coefficients = ts_calloc(count, sizeof *coefficients);
  ts_bootstrap_draw(work->seed, index, n, n, draws);
  for (size_t i = 0; i < n; i++) errors[i] = work->data->roots[i] * work->errors[draws[i]];
  memcpy(coefficients, work->coefficients, count * sizeof *coefficients);
  for (size_t c = 0; c < count; c++) {
    double part = ts_pce_dot(work->fit->q + c * n, errors, n);
    const double *inverse = work->fit->inverse + c * (c + 1) / 2;
    for (size_t i = 0; i <= c; i++) coefficients[i] += inverse[i] * part;
  }
  ts_pce_shares_sum(work->shares, coefficients, work->samples + index * work->statistic_count);
}

static void move_to_zero(const struct ts_pce_data *data, double *errors) {
  double sum = 0, weights = 0;
  for (size_t i = 0; i < data->point_count; i++) {
    double weight = data->roots[i] * data->roots[i];
    sum += weight * errors[i];
    weights += weight;
  }
  for (size_t i = 0; i < data->point_count; i++) errors[i] -= sum / weights;
}

/* The unexplained share of the variance belongs to an unknown parameter: it may be missing from an index, or be wrongly
 * in it. */
static void widen(struct ts_index *index, double share) {
  index->low = fmax(index->low - share, 0);
  index->high = fmin(index->high + share, 1);
}

static void find_intervals(struct bootstrap *work, const struct ts_analysis_options *options, double missed,
                           struct ts_pool *pool, struct ts_indices *indices, struct ts_index *statistics) {
  size_t resamples = options->resamples ? options->resamples : DEFAULT_RESAMPLES;
  work->samples = ts_calloc(resamples * work->statistic_count, sizeof *work->samples);
  if (pool) {
    ts_pool_for(pool, resamples, resample, work);
  } else {
    for (size_t i = 0; i < resamples; i++) resample(work, i);
  }
  ts_interval_of(work->samples, resamples, work->statistic_count, indices->confidence, options->interval, statistics);
  for (size_t i = 0; i < work->statistic_count; i++) widen(&statistics[i], missed);
  indices->resamples = resamples;
  free(work->samples);
}

/* Whether the expansion is better than the mean of the outputs: otherwise it says nothing. */
static bool predicts(const struct ts_pce_search *search) {
  return search->best.choice.count > 0 && search->cross_validation < 1;
}

static double missed_share(const struct ts_pce_search *search) {
  return fmax(search->best.choice.loo, search->cross_validation);
}

/* Indices of the chosen expansion; the fit holds its terms. */
static void fill_indices(const struct ts_pce_search *search, const struct ts_runs *runs,
                         const struct ts_analysis_options *options, struct ts_pool *pool, struct ts_indices *indices) {
  const struct ts_pce_fit *fit = &search->fit;
  const struct ts_pce_choice *choice = &search->best.choice;
  ts_auto(ts_pce_shares_release) struct ts_pce_shares shares;
  ts_pce_shares_init(&shares, &search->best.basis, choice->terms, choice->count, runs->group_of, indices->name_count);
  size_t cells = 2 * indices->name_count, count = cells + shares.pair_count;
  ts_auto_free double *coefficients = ts_calloc(fit->count, sizeof *coefficients);
  ts_auto_free double *values = ts_calloc(count, sizeof *values);
  ts_auto_free double *errors = ts_calloc(fit->point_count, sizeof *errors);
  ts_auto_free struct ts_index *statistics = ts_calloc(count, sizeof *statistics);
  ts_pce_fit_coefficients(fit, coefficients);
  ts_pce_shares_sum(&shares, coefficients, values);
  for (size_t i = 0; i < count; i++) statistics[i] = (struct ts_index){values[i], NAN, NAN};
  if (options->resamples != TS_NO_RESAMPLES) {
    memcpy(errors, search->errors, fit->point_count * sizeof *errors);
    move_to_zero(search->data, errors);
    struct bootstrap work = {.data = search->data,
                             .fit = fit,
                             .shares = &shares,
                             .coefficients = coefficients,
                             .errors = errors,
                             .statistic_count = count,
                             .seed = options->seed};
    find_intervals(&work, options, missed_share(search), pool, indices, statistics);
  }
  memcpy(indices->cells, statistics, cells * sizeof *statistics);
  indices->pairs = ts_arena_array(&indices->arena, shares.pair_count ? shares.pair_count : 1, sizeof *indices->pairs);
  indices->pair_count = shares.pair_count;
  for (size_t p = 0; p < shares.pair_count; p++) {
    indices->pairs[p] = shares.pairs[p];
    indices->pairs[p].index = statistics[cells + p];
  }
}

static void add_fact(struct ts_indices *indices, const char *name, double value) {
  indices->facts[indices->fact_count].name = name;
  indices->facts[indices->fact_count++].value = value;
}

static void add_facts(struct ts_indices *indices, const struct ts_pce_search *search) {
  const struct ts_pce_expansion *expansion = &search->best;
  add_fact(indices, "LOO error", expansion->choice.loo);
  add_fact(indices, "terms", (double)expansion->choice.count);
  add_fact(indices, "degree", (double)expansion->degree);
  add_fact(indices, "q-norm", expansion->q);
  add_fact(indices, "candidates", (double)expansion->basis.count);
  add_fact(indices, "CV error", search->cross_validation);
}

/* A name none of whose parameters varies: nothing is known about it. */
static void note_still_parameters(const struct ts_pce_data *data, const struct ts_runs *runs,
                                  struct ts_indices *indices) {
  for (size_t name = 0; name < indices->name_count; name++) {
    bool moves = false;
    for (size_t j = 0; j < data->parameter_count; j++) {
      bool member = (runs->group_of ? runs->group_of[j] : j) == name;
      moves = moves || (member && data->axes[j].degree_limit > 0);
    }
    if (moves) continue;
    indices->cells[2 * name] = indices->cells[2 * name + 1] = (struct ts_index){NAN, NAN, NAN};
    ts_indices_note(indices, "'%s' has one value in all runs: nothing is known about it", indices->names[name]);
  }
}

static double correlation_of(const struct ts_pce_data *data, size_t a, size_t b) {
  const double *x = data->coordinates + a * data->point_count, *y = data->coordinates + b * data->point_count;
  double w = 0, sx = 0, sy = 0, sxx = 0, syy = 0, sxy = 0;
  for (size_t i = 0; i < data->point_count; i++) {
    double weight = data->roots[i] * data->roots[i], u = x[i] - 0.5, v = y[i] - 0.5;
    w += weight;
    sx += weight * u;
    sy += weight * v;
    sxx += weight * u * u;
    syy += weight * v * v;
    sxy += weight * u * v;
  }
  double spread = (sxx - sx * sx / w) * (syy - sy * sy / w);
  return spread > 0 ? (sxy - sx * sy / w) / sqrt(spread) : 0;
}

/* Terms of dependent parameters are not orthogonal: the worst pair is named. */
static void note_correlation(const struct ts_pce_data *data, const struct ts_runs *runs, struct ts_indices *indices) {
  size_t worst_a = 0, worst_b = 0;
  double worst = 0;
  for (size_t a = 0; data->parameter_count <= MAX_CORRELATED && a < data->parameter_count; a++) {
    for (size_t b = a + 1; b < data->parameter_count; b++) {
      double correlation = correlation_of(data, a, b);
      if (fabs(correlation) <= fabs(worst)) continue;
      worst = correlation;
      worst_a = a;
      worst_b = b;
    }
  }
  if (fabs(worst) < LARGE_CORRELATION + CHANCE / sqrt((double)data->point_count)) return;
  ts_indices_note(indices,
                  "'%s' and '%s' are correlated in the runs (%s): the indices hold for independent parameters, and "
                  "what the two share is given to either",
                  runs->names[worst_a], runs->names[worst_b], TS_DECIMALS(worst, 2));
}

static void note_fit(const struct ts_pce_search *search, const struct ts_pce_data *data, size_t usable,
                     struct ts_indices *indices) {
  const struct ts_pce_choice *choice = &search->best.choice;
  double missed = missed_share(search);
  if (!predicts(search)) {
    ts_indices_note(indices,
                    "no polynomial predicts held-out runs better than their mean does: too few runs, noise, or "
                    "an output that jumps; no index is known");
  } else if (missed > LARGE_MISS) {
    ts_indices_note(indices,
                    "the expansion misses %.0f %% of the variance of held-out runs: the intervals are widened by that "
                    "share; add runs, or use 'vbd' if the output jumps or is noisy",
                    100 * fmin(missed, 1));
  }
  if (data->run_count < usable) {
    ts_indices_note(indices,
                    "the expansion was fitted to %zu of %zu runs, drawn at random: more would not change it much",
                    data->run_count, usable);
  }
  if (search->capped && missed > LARGE_MISS) {
    ts_indices_note(indices,
                    "at most %zu candidate terms are tried at once, to bound time and memory: above that only the "
                    "parameters with the largest shares took part",
                    search->basis_limit);
  }
  if (choice->collinear > 0) {
    ts_indices_note(
        indices,
        "%zu candidate terms cannot be distinguished from chosen ones in these runs: the design has too few "
        "distinct levels, or parameters depend on each other",
        choice->collinear);
  }
}

static bool is_constant(const struct ts_pce_fit *fit, const struct ts_pce_data *data) {
  double squares = ts_pce_dot(data->outputs, data->outputs, data->point_count);
  return !(fit->total > 1e-28 * squares);
}

static bool check_runs(const struct ts_runs *runs, const struct ts_analysis_options *options, size_t usable,
                       struct ts_error *err) {
  if (usable < TS_PCE_MIN_RUNS) {
    ts_fail(err, TS_ERR_BAD_VALUE, "%zu usable runs are too few for a polynomial expansion", usable);
    return ts_error_help(err, "give at least %d, better ten per parameter (here %zu)", TS_PCE_MIN_RUNS,
                         10 * runs->parameter_count);
  }
  if (runs->parameter_count > TS_PCE_MAX_BASIS) {
    ts_fail(err, TS_ERR_BAD_VALUE, "%zu parameters are too many for a polynomial expansion", runs->parameter_count);
    return ts_error_help(err, "screen them with 'morris' first; at most %d can be expanded", TS_PCE_MAX_BASIS);
  }
  if (options->degree > TS_PCE_MAX_DEGREE) {
    ts_fail(err, TS_ERR_BAD_VALUE, "a degree of %zu is more than a polynomial expansion can use", options->degree);
    return ts_error_help(err, "give at most %d, or none: the leave-one-out error chooses", TS_PCE_MAX_DEGREE);
  }
  return true;
}

static bool analyse(const struct ts_runs *runs, const struct ts_analysis_options *options, struct ts_pool *pool,
                    struct ts_indices *indices, struct ts_error *err) {
  if (!ts_indices_check_outputs(indices, runs, err)) return false;
  size_t usable = runs->row_count - indices->lost_count;
  if (!check_runs(runs, options, usable, err)) return false;
  struct ts_pce_data data;
  if (!ts_pce_data_init(&data, runs, options->seed, err)) return false;
  for (size_t i = 0; i < indices->name_count; i++) indices->usable[i] = data.run_count;
  ts_auto(ts_pce_search_release) struct ts_pce_search search;
  ts_pce_search_init(&search, &data, options->degree ? options->degree : DEFAULT_DEGREE);
  if (!is_constant(&search.fit, &data)) {
    ts_pce_search_run(&search, options->seed);
    if (predicts(&search)) fill_indices(&search, runs, options, pool, indices);
    add_facts(indices, &search);
    note_fit(&search, &data, usable, indices);
    note_correlation(&data, runs, indices);
  }
  note_still_parameters(&data, runs, indices);
  ts_pce_data_release(&data);
  return true;
}

const struct ts_method ts_method_pce = {
    .name = "pce",
    .alias = "chaos",
    .title = "Sparse polynomial chaos (Sobol' indices from an expansion chosen by least-angle regression)",
    .assumes =
        "the parameters are independent and the output is a smooth function of their unit coordinates (levels: any "
        "function) with few interactions that matter; the LOO error tells how far that holds",
    .interval = "bootstrap of the errors of cross-validation (terms chosen again in each of 5 folds) around the chosen "
                "expansion, widened on both sides by the share of the variance it misses; it covers errors of the "
                "coefficients, the choice of terms and what is left unexplained, not dependent parameters",
    .columns = {"S1", "ST"},
    .rank_by = "ST",
    .needs = TS_NEEDS_UNIT | TS_NEEDS_VALUES,
    .analyse = analyse,
};
