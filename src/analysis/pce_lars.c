/* Polynomial chaos: least-angle regression chooses terms, the leave-one-out error how many.
 * SPDX-License-Identifier: Apache-2.0
 *
 * All chosen columns keep the same correlation C with what is left of the output, all others a smaller one. The fit
 * moves along the direction d that lowers C at rate 1 for every chosen column, until another column has the same
 * correlation and joins. With the chosen columns X = Q R and the signs s of their correlations, d = Q z where R' z = s:
 * a new column adds one entry to z and leaves the others alone. So a step costs one product of all candidates with the
 * new column of Q. Correlations are those of centred columns of length 1; lengths are divided out where they occur, no
 * column is copied. */
#include "analysis/pce_int.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SMALL           1e-12
#define PATIENCE        30 /* steps without a better error before the search ends, at least */
#define PATIENCE_SHARE  10 /* and this part of the steps there could be */
#define MAX_REORDERINGS 4

enum candidate_state { OPEN, CHOSEN, BARRED };

struct search {
  const struct ts_pce_matrix *matrix; /* borrowed */
  struct ts_pce_fit *fit;             /* borrowed */
  unsigned char *state;               /* owned; enum candidate_state, per candidate */
  double *lengths;                    /* owned; of the centred columns */
  double *correlations;               /* owned; with what is left */
  double *slopes;                     /* owned; how fast they fall along the direction */
  double *z;                          /* owned; per column of the fit; 0 for the constant */
  double largest;                     /* C */
  double least;                       /* rounding errors of correlations */
  size_t *order;                      /* owned; chosen terms */
  size_t chosen, collinear;
};

static const double *column_of(const struct ts_pce_matrix *matrix, size_t index) {
  return matrix->columns + index * matrix->point_count;
}

static void search_init(struct search *search, const struct ts_pce_matrix *matrix, struct ts_pce_fit *fit) {
  size_t count = matrix->count, n = matrix->point_count;
  *search = (struct search){.matrix = matrix, .fit = fit};
  search->state = ts_calloc(count, sizeof *search->state);
  search->lengths = ts_calloc(count, sizeof *search->lengths);
  search->correlations = ts_calloc(count, sizeof *search->correlations);
  search->slopes = ts_calloc(count, sizeof *search->slopes);
  search->z = ts_calloc(fit->capacity, sizeof *search->z);
  search->order = ts_calloc(fit->capacity, sizeof *search->order);
  for (size_t j = 0; j < count; j++) {
    const double *column = column_of(matrix, j);
    double square = ts_pce_dot(column, column, n), mean = ts_pce_dot(column, fit->q, n);
    double centred = square - mean * mean;
    if (!(centred > SMALL * square)) {
      search->state[j] = BARRED;
      continue;
    }
    search->lengths[j] = sqrt(centred);
    search->correlations[j] = ts_pce_dot(column, fit->residuals, n) / search->lengths[j];
  }
}

static void search_release(struct search *search) {
  free(search->state);
  free(search->lengths);
  free(search->correlations);
  free(search->slopes);
  free(search->z);
  free(search->order);
}

static size_t most_correlated(const struct search *search) {
  size_t best = TS_NONE;
  for (size_t j = 0; j < search->matrix->count; j++) {
    if (search->state[j] != OPEN) continue;
    if (best == TS_NONE || fabs(search->correlations[j]) > fabs(search->correlations[best])) best = j;
  }
  return best;
}

/* Where top - c falls at rate 1 - a. A column that neither has nor gains a distance is a copy of a chosen one: it joins
 * at once, to be refused. */
static double time_to_join(double distance, double rate, double least) {
  if (rate > SMALL) return fmax(distance / rate, 0);
  return distance <= least ? 0 : INFINITY;
}

/* How far along the direction candidate j has the same correlation as the chosen ones. */
static double distance_to(const struct search *search, size_t j) {
  double c = search->correlations[j], a = search->slopes[j], top = search->largest;
  return fmin(time_to_join(top - c, 1 - a, search->least), time_to_join(top + c, 1 + a, search->least));
}

/* Moves to the place where the next candidate joins; TS_NONE when the chosen ones explain all they can. */
static size_t walk_on(struct search *search) {
  size_t next = TS_NONE;
  double step = search->largest;
  for (size_t j = 0; j < search->matrix->count; j++) {
    if (search->state[j] != OPEN) continue;
    double distance = distance_to(search, j);
    if (distance < step) {
      step = distance;
      next = j;
    }
  }
  for (size_t j = 0; j < search->matrix->count; j++) search->correlations[j] -= step * search->slopes[j];
  search->largest -= step;
  return next;
}

/* Takes a candidate in and turns the direction; false if it brings nothing new. */
static bool take(struct search *search, size_t j) {
  struct ts_pce_fit *fit = search->fit;
  size_t n = fit->point_count, last = fit->count;
  if (!ts_pce_fit_add(fit, column_of(search->matrix, j))) {
    search->state[j] = BARRED;
    search->collinear++;
    return false;
  }
  search->state[j] = CHOSEN;
  search->order[search->chosen++] = j;
  const double *parts = fit->r + last * (last + 1) / 2;
  double wanted = copysign(search->lengths[j], search->correlations[j]);
  search->z[last] = (wanted - ts_pce_dot(parts, search->z, last)) / parts[last];
  const double *q = fit->q + last * n;
  for (size_t i = 0; i < search->matrix->count; i++) {
    if (search->state[i] != OPEN) continue;
    search->slopes[i] += search->z[last] * ts_pce_dot(column_of(search->matrix, i), q, n) / search->lengths[i];
  }
  return true;
}

static void choose_path(struct search *search, struct ts_pce_choice *choice) {
  size_t steps = search->fit->capacity - 1;
  size_t patience = steps / PATIENCE_SHARE > PATIENCE ? steps / PATIENCE_SHARE : PATIENCE;
  size_t next = most_correlated(search);
  if (next == TS_NONE) return;
  search->largest = fabs(search->correlations[next]);
  search->least = SMALL * search->largest;
  while (next != TS_NONE && search->largest > search->least) {
    if (take(search, next)) {
      double loo = ts_pce_fit_loo(search->fit, true);
      if (loo < choice->loo) {
        choice->loo = loo;
        choice->count = search->chosen;
      }
      if (choice->loo < TS_PCE_EXACT || search->chosen == steps || search->chosen > choice->count + patience) break;
    }
    next = walk_on(search);
  }
}

struct ranked {
  size_t term;
  double weight;
};

static int compare_ranked(const void *a, const void *b) {
  const struct ranked *x = a, *y = b;
  if (x->weight != y->weight) return x->weight > y->weight ? -1 : 1;
  return (x->term > y->term) - (x->term < y->term);
}

/* Puts the terms in order of coefficient over standard error in the fit of all of them. */
static void rank_terms(const struct ts_pce_fit *fit, struct ts_pce_choice *choice) {
  ts_auto_free double *coefficients = ts_calloc(fit->count, sizeof *coefficients);
  ts_auto_free double *squares = ts_calloc(fit->count, sizeof *squares);
  ts_auto_free struct ranked *ranked = ts_calloc(choice->count, sizeof *ranked);
  ts_pce_fit_coefficients(fit, coefficients);
  for (size_t c = 0; c < fit->count; c++) {
    const double *column = fit->inverse + c * (c + 1) / 2;
    for (size_t i = 0; i <= c; i++) squares[i] += column[i] * column[i];
  }
  for (size_t i = 0; i < choice->count; i++) {
    ranked[i] = (struct ranked){choice->terms[i], fabs(coefficients[i + 1]) / sqrt(squares[i + 1])};
  }
  qsort(ranked, choice->count, sizeof *ranked, compare_ranked);
  for (size_t i = 0; i < choice->count; i++) choice->terms[i] = ranked[i].term;
}

/* Fits the first `count` terms of the choice one after the other; the number with the least error, and that error. */
static size_t fit_prefixes(const struct ts_pce_matrix *matrix, const struct ts_pce_data *data, struct ts_pce_fit *fit,
                           const struct ts_pce_choice *choice, double *least) {
  size_t best = 0;
  ts_pce_fit_reset(fit, data);
  *least = ts_pce_fit_loo(fit, true);
  for (size_t i = 0; i < choice->count && *least >= TS_PCE_EXACT; i++) {
    if (!ts_pce_fit_add(fit, column_of(matrix, choice->terms[i]))) break;
    double loo = ts_pce_fit_loo(fit, true);
    if (loo < *least) {
      *least = loo;
      best = i + 1;
    }
  }
  return best;
}

static void drop_accidents(const struct ts_pce_matrix *matrix, const struct ts_pce_data *data, struct ts_pce_fit *fit,
                           struct ts_pce_choice *choice) {
  for (int round = 0; round < MAX_REORDERINGS && choice->count > 1; round++) {
    ts_pce_fit_reset(fit, data);
    for (size_t i = 0; i < choice->count; i++) {
      if (!ts_pce_fit_add(fit, column_of(matrix, choice->terms[i]))) return;
    }
    rank_terms(fit, choice);
    double loo;
    size_t count = fit_prefixes(matrix, data, fit, choice, &loo);
    bool better = loo < choice->loo || loo < TS_PCE_EXACT;
    if (!better || count == choice->count) return;
    choice->count = count;
    choice->loo = loo;
  }
}

void ts_pce_lars(const struct ts_pce_matrix *matrix, const struct ts_pce_data *data, struct ts_pce_fit *fit,
                 struct ts_pce_choice *choice) {
  *choice = (struct ts_pce_choice){0};
  ts_pce_fit_reset(fit, data);
  choice->loo = ts_pce_fit_loo(fit, true);
  struct search search;
  search_init(&search, matrix, fit);
  choose_path(&search, choice);
  choice->collinear = search.collinear;
  choice->terms = ts_calloc(search.chosen ? search.chosen : 1, sizeof *choice->terms);
  memcpy(choice->terms, search.order, choice->count * sizeof *choice->terms);
  search_release(&search);
  drop_accidents(matrix, data, fit, choice);
}

void ts_pce_choice_release(struct ts_pce_choice *choice) {
  free(choice->terms);
  *choice = (struct ts_pce_choice){0};
}
