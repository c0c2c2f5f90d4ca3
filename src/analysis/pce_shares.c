/* Polynomial chaos: coefficients to Sobol' indices of parameters, groups and pairs.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The terms are orthonormal, so the variance of the expansion is the sum of its squared coefficients (without the
 * constant). S1 of a name: terms of its members alone. ST: terms with any of its members. S2 of two names: terms with
 * members of both and of no other. */
#include "analysis/pce_int.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>

static bool has_member(const struct ts_pce_shares *shares, size_t first, size_t name, size_t count) {
  for (size_t i = first; i < count; i++) {
    if (shares->members[i] == name) return true;
  }
  return false;
}

/* Keeps members of a term in increasing order; terms have few. */
static void insert_member(struct ts_pce_shares *shares, size_t first, size_t name, size_t *count) {
  if (has_member(shares, first, name, *count)) return;
  size_t at = (*count)++;
  while (at > first && shares->members[at - 1] > name) {
    shares->members[at] = shares->members[at - 1];
    at--;
  }
  shares->members[at] = name;
}

static void find_members(struct ts_pce_shares *shares, const struct ts_pce_basis *basis, const size_t *terms,
                         const size_t *group_of) {
  size_t room = 0, count = 0;
  for (size_t t = 0; t < shares->term_count; t++) room += basis->terms[terms[t]].factor_count;
  shares->starts = ts_calloc(shares->term_count + 1, sizeof *shares->starts);
  shares->members = ts_calloc(room ? room : 1, sizeof *shares->members);
  for (size_t t = 0; t < shares->term_count; t++) {
    const struct ts_pce_term *term = &basis->terms[terms[t]];
    shares->starts[t] = count;
    for (size_t f = 0; f < term->factor_count; f++) {
      size_t parameter = basis->factors[term->first + f].parameter;
      insert_member(shares, shares->starts[t], group_of ? group_of[parameter] : parameter, &count);
    }
  }
  shares->starts[shares->term_count] = count;
}

static int compare_pairs(const void *x, const void *y) {
  const struct ts_pair_index *a = x, *b = y;
  if (a->a != b->a) return a->a < b->a ? -1 : 1;
  return (a->b > b->b) - (a->b < b->b);
}

static bool is_pair(const struct ts_pce_shares *shares, size_t term) {
  return shares->starts[term + 1] - shares->starts[term] == 2;
}

static struct ts_pair_index pair_of(const struct ts_pce_shares *shares, size_t term) {
  const size_t *members = shares->members + shares->starts[term];
  return (struct ts_pair_index){.a = members[0], .b = members[1]};
}

/* All pairs of few names, or those that have a term; sorted, each once. */
static void list_pairs(struct ts_pce_shares *shares) {
  size_t names = shares->name_count, count = 0;
  bool all = names <= TS_PCE_ALL_PAIRS;
  size_t room = all ? names * (names - 1) / 2 : shares->term_count;
  shares->pairs = ts_calloc(room ? room : 1, sizeof *shares->pairs);
  if (all) {
    for (size_t a = 0; a < names; a++) {
      for (size_t b = a + 1; b < names; b++) shares->pairs[count++] = (struct ts_pair_index){.a = a, .b = b};
    }
    shares->pair_count = count;
    return;
  }
  for (size_t t = 0; t < shares->term_count; t++) {
    if (is_pair(shares, t)) shares->pairs[count++] = pair_of(shares, t);
  }
  qsort(shares->pairs, count, sizeof *shares->pairs, compare_pairs);
  for (size_t i = 0; i < count; i++) {
    if (i > 0 && compare_pairs(&shares->pairs[i], &shares->pairs[shares->pair_count - 1]) == 0) continue;
    shares->pairs[shares->pair_count++] = shares->pairs[i];
  }
}

void ts_pce_shares_init(struct ts_pce_shares *shares, const struct ts_pce_basis *basis, const size_t *terms,
                        size_t term_count, const size_t *group_of, size_t name_count) {
  *shares = (struct ts_pce_shares){.name_count = name_count, .term_count = term_count};
  find_members(shares, basis, terms, group_of);
  list_pairs(shares);
  shares->pair_of_term = ts_calloc(term_count ? term_count : 1, sizeof *shares->pair_of_term);
  for (size_t t = 0; t < term_count; t++) {
    shares->pair_of_term[t] = TS_NONE;
    if (!is_pair(shares, t)) continue;
    struct ts_pair_index wanted = pair_of(shares, t);
    const struct ts_pair_index *found =
        bsearch(&wanted, shares->pairs, shares->pair_count, sizeof wanted, compare_pairs);
    if (found) shares->pair_of_term[t] = (size_t)(found - shares->pairs);
  }
}

void ts_pce_shares_release(struct ts_pce_shares *shares) {
  free(shares->starts);
  free(shares->members);
  free(shares->pair_of_term);
  free(shares->pairs);
  *shares = (struct ts_pce_shares){0};
}

void ts_pce_shares_sum(const struct ts_pce_shares *shares, const double *coefficients, double *out) {
  size_t names = shares->name_count, count = 2 * names + shares->pair_count;
  double variance = 0;
  for (size_t i = 0; i < count; i++) out[i] = 0;
  for (size_t t = 0; t < shares->term_count; t++) {
    double square = coefficients[t + 1] * coefficients[t + 1];
    size_t first = shares->starts[t], end = shares->starts[t + 1];
    variance += square;
    for (size_t m = first; m < end; m++) out[2 * shares->members[m] + 1] += square;
    if (end - first == 1) out[2 * shares->members[first]] += square;
    if (shares->pair_of_term[t] != TS_NONE) out[2 * names + shares->pair_of_term[t]] += square;
  }
  for (size_t i = 0; i < count; i++) out[i] = variance > 0 ? out[i] / variance : NAN;
}
