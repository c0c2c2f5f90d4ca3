/* Polynomial chaos: which basis fits best, from small ones to large ones.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Degrees go up for each q-norm until they bring nothing. A basis that grows over the limit goes on with the parameters
 * that have the largest total shares in the best expansion so far. */
#include "analysis/pce_int.h"

#include "base/alloc.h"
#include "base/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STALE_DEGREES 3   /* degrees without a better error before the next q-norm is tried */
#define HOPELESS      0.5 /* above this error nothing has been found yet: higher degrees are tried all the same */

static const double q_norms[] = {0.75, 1.0, 0.5};
#define Q_NORM_COUNT (sizeof q_norms / sizeof *q_norms)

static void release_expansion(struct ts_pce_expansion *expansion) {
  ts_pce_basis_release(&expansion->basis);
  ts_pce_choice_release(&expansion->choice);
}

void ts_pce_search_init(struct ts_pce_search *search, struct ts_pce_data *data, size_t degree) {
  size_t n = data->point_count, k = data->parameter_count;
  *search = (struct ts_pce_search){.data = data};
  search->basis_limit = ts_smaller_size(TS_PCE_MAX_BASIS, TS_PCE_MAX_CELLS / n);
  size_t affordable = TS_PCE_MAX_CELLS / n / k;
  search->degree_limit = ts_smaller_size(degree, affordable ? affordable : 1);
  search->capped = search->degree_limit < degree;
  ts_pce_data_tabulate(data, search->degree_limit);
  search->focus = ts_memdup(data->axes, k * sizeof *search->focus);
  search->errors = ts_calloc(n, sizeof *search->errors);
  size_t room = ts_smaller_size(ts_smaller_size(TS_PCE_MAX_CHOSEN, search->basis_limit), n - n / 4) + 1;
  ts_pce_fit_init(&search->fit, data, room);
  search->matrix = (struct ts_pce_matrix){.point_count = n};
  search->matrix.columns = ts_calloc(search->basis_limit * n, sizeof *search->matrix.columns);
  search->best.choice.loo = INFINITY;
}

void ts_pce_search_release(struct ts_pce_search *search) {
  ts_pce_fit_release(&search->fit);
  free(search->matrix.columns);
  free(search->focus);
  free(search->errors);
  release_expansion(&search->best);
}

/* Whether this truncation gave a better expansion. Takes the basis. */
static bool try_basis(struct ts_pce_search *search, struct ts_pce_basis *basis, size_t degree, double q) {
  struct ts_pce_expansion next = {.basis = *basis, .degree = degree, .q = q};
  struct ts_pce_matrix *matrix = &search->matrix;
  matrix->count = basis->count;
  for (size_t t = 0; t < basis->count; t++) {
    ts_pce_basis_column(basis, t, search->data, matrix->columns + t * matrix->point_count);
  }
  ts_pce_lars(matrix, search->data, &search->fit, &next.choice);
  bool better = next.choice.loo < search->best.choice.loo;
  if (better) {
    release_expansion(&search->best);
    search->best = next;
  } else {
    release_expansion(&next);
  }
  return better;
}

/* The coefficients of the best expansion, which is left in the fit. */
static void refit(struct ts_pce_search *search) {
  const struct ts_pce_expansion *best = &search->best;
  ts_pce_fit_reset(&search->fit, search->data);
  for (size_t i = 0; i < best->choice.count; i++) {
    ts_pce_basis_column(&best->basis, best->choice.terms[i], search->data, search->matrix.columns);
    if (!ts_pce_fit_add(&search->fit, search->matrix.columns)) TS_BUG("a chosen term is collinear");
  }
}

/* Total share of each parameter in the best expansion. */
static void find_shares(struct ts_pce_search *search, double *totals) {
  const struct ts_pce_expansion *best = &search->best;
  ts_auto_free double *coefficients = ts_calloc(search->fit.capacity, sizeof *coefficients);
  refit(search);
  ts_pce_fit_coefficients(&search->fit, coefficients);
  for (size_t t = 0; t < best->choice.count; t++) {
    const struct ts_pce_term *term = &best->basis.terms[best->choice.terms[t]];
    for (size_t f = 0; f < term->factor_count; f++) {
      totals[best->basis.factors[term->first + f].parameter] += coefficients[t + 1] * coefficients[t + 1];
    }
  }
}

/* Leaves out the parameter with the least share of those that take part; false if there are no two of them. */
static bool drop_least(struct ts_pce_search *search, const double *totals) {
  size_t least = TS_NONE, left = 0;
  for (size_t j = 0; j < search->data->parameter_count; j++) {
    if (search->focus[j].degree_limit == 0) continue;
    left++;
    if (least == TS_NONE || totals[j] < totals[least]) least = j;
  }
  if (left < 2) return false;
  search->focus[least].degree_limit = 0;
  return true;
}

/* A basis of this degree within the limit, with as many parameters as that allows; false if there is none. */
static bool make_basis(struct ts_pce_search *search, struct ts_pce_basis *basis, size_t degree, double q) {
  size_t k = search->data->parameter_count;
  if (ts_pce_basis_init(basis, search->focus, k, degree, q, search->basis_limit)) return true;
  ts_auto_free double *totals = ts_calloc(k, sizeof *totals);
  search->capped = true;
  find_shares(search, totals);
  for (size_t j = 0; j < k; j++) {
    if (totals[j] <= 0) search->focus[j].degree_limit = 0;
  }
  do {
    if (ts_pce_basis_init(basis, search->focus, k, degree, q, search->basis_limit)) return true;
  } while (drop_least(search, totals));
  return false;
}

static void try_degrees(struct ts_pce_search *search, double q) {
  size_t stale = 0, last_count = 0;
  memcpy(search->focus, search->data->axes, search->data->parameter_count * sizeof *search->focus);
  for (size_t degree = 1; degree <= search->degree_limit && search->best.choice.loo >= TS_PCE_EXACT; degree++) {
    struct ts_pce_basis basis;
    if (!make_basis(search, &basis, degree, q)) return;
    if (basis.count == last_count) { /* the levels allow no more, or this degree lets nothing new in */
      ts_pce_basis_release(&basis);
      continue;
    }
    last_count = basis.count;
    stale = try_basis(search, &basis, degree, q) ? 0 : stale + 1;
    if (stale >= STALE_DEGREES && search->best.choice.loo < HOPELESS) return;
  }
}

void ts_pce_search_run(struct ts_pce_search *search, uint64_t seed) {
  for (size_t i = 0; i < Q_NORM_COUNT; i++) try_degrees(search, q_norms[i]);
  search->cross_validation =
      ts_pce_cross_validate(search->data, &search->best.basis, seed, &search->matrix, search->errors);
  refit(search);
}
