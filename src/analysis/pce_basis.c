/* Polynomial chaos: which products of polynomials are candidates, and their values at the points.
 * SPDX-License-Identifier: Apache-2.0 */
#include "analysis/pce_int.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NORM_TOLERANCE 1e-9 /* degrees that reach the limit exactly belong to the set */

/* The state of the walk through all products. */
struct walk {
  struct ts_pce_basis *basis;
  const struct ts_pce_axis *axes;
  size_t parameter_count, limit;
  const double *powers; /* d^q */
  size_t degree;
  struct ts_pce_factor *factors; /* of the product under way; one per degree at most */
};

static bool add_term(const struct walk *walk, size_t factor_count) {
  struct ts_pce_basis *basis = walk->basis;
  if (basis->count == walk->limit) return false;
  basis->terms = ts_grow(basis->terms, basis->count, &basis->capacity, sizeof *basis->terms);
  struct ts_pce_term *term = &basis->terms[basis->count++];
  *term = (struct ts_pce_term){.first = basis->factor_count, .factor_count = factor_count};
  for (size_t i = 0; i < factor_count; i++) {
    basis->factors = ts_grow(basis->factors, basis->factor_count, &basis->factor_capacity, sizeof *basis->factors);
    basis->factors[basis->factor_count++] = walk->factors[i];
    term->degree += walk->factors[i].degree;
  }
  return true;
}

/* Adds every product that continues the one under way with parameters from `first` on. The depth is at most the degree,
 * for each factor costs at least 1. NOLINTNEXTLINE(misc-no-recursion) */
static bool extend(const struct walk *walk, size_t first, size_t factor_count, double left) {
  for (size_t j = first; left + NORM_TOLERANCE >= 1 && j < walk->parameter_count; j++) {
    size_t limit = walk->axes[j].degree_limit < walk->degree ? walk->axes[j].degree_limit : walk->degree;
    for (size_t d = 1; d <= limit && walk->powers[d] <= left + NORM_TOLERANCE; d++) {
      walk->factors[factor_count] = (struct ts_pce_factor){.parameter = (uint32_t)j, .degree = (uint32_t)d};
      if (!add_term(walk, factor_count + 1)) return false;
      if (!extend(walk, j + 1, factor_count + 1, left - walk->powers[d])) return false;
    }
  }
  return true;
}

static int compare_terms(const void *a, const void *b) {
  const struct ts_pce_term *x = a, *y = b;
  if (x->degree != y->degree) return x->degree < y->degree ? -1 : 1;
  return (x->first > y->first) - (x->first < y->first); /* the walk goes by parameter */
}

bool ts_pce_basis_init(struct ts_pce_basis *basis, const struct ts_pce_axis *axes, size_t parameter_count,
                       size_t degree, double q, size_t limit) {
  *basis = (struct ts_pce_basis){0};
  ts_auto_free double *powers = ts_calloc(degree + 1, sizeof *powers);
  for (size_t d = 0; d <= degree; d++) powers[d] = pow((double)d, q);
  ts_auto_free struct ts_pce_factor *factors = ts_calloc(degree + 1, sizeof *factors);
  struct walk walk = {.basis = basis,
                      .axes = axes,
                      .parameter_count = parameter_count,
                      .limit = limit,
                      .powers = powers,
                      .degree = degree,
                      .factors = factors};
  if (!extend(&walk, 0, 0, powers[degree])) {
    ts_pce_basis_release(basis);
    return false;
  }
  if (basis->count > 0) qsort(basis->terms, basis->count, sizeof *basis->terms, compare_terms);
  return true;
}

void ts_pce_basis_release(struct ts_pce_basis *basis) {
  free(basis->terms);
  free(basis->factors);
  *basis = (struct ts_pce_basis){0};
}

void ts_pce_basis_column(const struct ts_pce_basis *basis, size_t term, const struct ts_pce_data *data,
                         double *column) {
  size_t n = data->point_count;
  const struct ts_pce_term *what = &basis->terms[term];
  memcpy(column, data->roots, n * sizeof *column);
  for (size_t f = 0; f < what->factor_count; f++) {
    struct ts_pce_factor factor = basis->factors[what->first + f];
    const double *values = data->tables + (factor.parameter * (data->degree + 1) + factor.degree) * n;
    for (size_t i = 0; i < n; i++) column[i] *= values[i];
  }
}
