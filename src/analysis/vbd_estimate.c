/* Variance-based indices as functions of sums over base samples.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A. Saltelli et al., "Variance based sensitivity analysis of model output", 2010, doi:10.1016/j.cpc.2009.09.018 (S1:
 * table 2 b; ST: Jansen, table 2 f). A. Saltelli, 2002, doi:10.1016/S0010-4655(02)00280-1 (S2). M. J. W. Jansen, 1999,
 * doi:10.1016/S0010-4655(98)00154-4. A. Janon et al., 2014, doi:10.1051/ps/2013040. J.-M. Martinez, 2011 (correlation
 * of the outputs of B and AB_j). AB_j is A with column j from B: it shares column j with B, all others with A. */
#include "analysis/vbd_int.h"

#include <math.h>
#include <string.h>

#define MOST_COLUMNS 8           /* of a group */
#define COMMON       ((size_t)3) /* count, A+B, A²+B² */

/* A variance (mean square less square of the mean) below this share of the mean square is noise. */
#define NOISE 1e-13

static size_t add_common(double a, double b, double *line) {
  line[0] = 1;
  line[1] = a + b;
  line[2] = a * a + b * b;
  return COMMON;
}

/* The columns of one group: [first-order product], the estimator's own, ST's. */
static void add_group(const struct ts_vbd *vbd, double a, double b, double ab, double *line) {
  size_t at = 0;
  if (vbd->estimator == TS_S1_SALTELLI || vbd->pair_count) line[at++] = b * (ab - a);
  switch (vbd->estimator) {
  case TS_S1_SALTELLI: break;
  case TS_S1_JANSEN: line[at++] = (b - ab) * (b - ab); break;
  case TS_S1_JANON:
    line[at++] = b * ab;
    line[at++] = b + ab;
    line[at++] = b * b + ab * ab;
    break;
  case TS_S1_MARTINEZ:
    line[at++] = b * ab;
    line[at++] = b;
    line[at++] = ab;
    line[at++] = b * b;
    line[at++] = ab * ab;
    break;
  }
  line[at] = (a - ab) * (a - ab);
}

void ts_vbd_shared(const struct ts_vbd *vbd, const double *block, double *line) {
  size_t groups = vbd->group_count;
  double a = block[0], b = block[vbd->block_rows - 1];
  const double *ab = block + 1, *ba = ab + groups;
  line += add_common(a, b, line);
  for (size_t j = 0; j < groups; j++, line += vbd->group_columns) add_group(vbd, a, b, ab[j], line);
  if (!vbd->pair_count) return;
  for (size_t j = 0; j < groups; j++) {
    for (size_t k = j + 1; k < groups; k++) *line++ = ba[j] * ab[k] - a * b;
  }
}

static void add_pair(double a, double b, double ab_j, double ab_k, double ba_j, double *line) {
  line += add_common(a, b, line);
  line[0] = ba_j * ab_k - a * b;
  line[1] = b * (ab_j - a);
  line[2] = b * (ab_k - a);
}

/* The line is zero before. */
void ts_vbd_apart(const struct ts_vbd *vbd, const double *block, double *line) {
  size_t groups = vbd->group_count;
  double a = block[0], b = block[vbd->block_rows - 1];
  const double *ab = block + 1, *ba = ab + groups;
  for (size_t j = 0; j < groups; j++, line += COMMON + vbd->group_columns) {
    if (isfinite(ab[j])) add_group(vbd, a, b, ab[j], line + add_common(a, b, line));
  }
  if (!vbd->pair_count) return;
  for (size_t j = 0; j < groups; j++) {
    for (size_t k = j + 1; k < groups; k++, line += 2 * COMMON) {
      if (isfinite(ab[j]) && isfinite(ab[k]) && isfinite(ba[j])) add_pair(a, b, ab[j], ab[k], ba[j], line);
    }
  }
}

/* NaN if there is none. */
static double variance_of(double mean_square, double mean) {
  double variance = mean_square - mean * mean;
  return variance > NOISE * mean_square ? variance : NAN;
}

static double variance_of_a_and_b(const struct ts_vbd *vbd, const double common[COMMON]) {
  double count = 2 * common[0];
  return count > 0 && !vbd->constant ? variance_of(common[2] / count, common[1] / count) : NAN;
}

static double janon(const double *sums, double n) {
  double mean = sums[1] / (2 * n);
  return (sums[0] / n - mean * mean) / variance_of(sums[2] / (2 * n), mean);
}

static double martinez(const double *sums, double n) {
  double mean_b = sums[1] / n, mean_ab = sums[2] / n;
  double product = variance_of(sums[3] / n, mean_b) * variance_of(sums[4] / n, mean_ab);
  return (sums[0] / n - mean_b * mean_ab) / sqrt(product);
}

static double first_order(const struct ts_vbd *vbd, const double *sums, double n, double variance) {
  if (vbd->estimator != TS_S1_SALTELLI && vbd->pair_count) sums++;
  switch (vbd->estimator) {
  case TS_S1_SALTELLI: return sums[0] / n / variance;
  case TS_S1_JANSEN: return 1 - sums[0] / n / (2 * variance);
  case TS_S1_JANON: return janon(sums, n);
  case TS_S1_MARTINEZ: return martinez(sums, n);
  }
  return NAN;
}

/* Adds the sums kept apart, from column `apart` on, if there are incomplete base samples. */
static void add_apart(const struct ts_vbd *vbd, const double *sums, size_t apart, size_t count, double *total) {
  for (size_t i = 0; vbd->apart_columns && i < count; i++) total[i] += sums[apart + i];
}

void ts_vbd_cells(const struct ts_vbd *vbd, const double *sums, double *cells) {
  size_t width = vbd->group_columns;
  for (size_t j = 0; j < vbd->group_count; j++) {
    size_t apart = vbd->shared_columns + j * (COMMON + width);
    double common[COMMON] = {sums[0], sums[1], sums[2]}, own[MOST_COLUMNS] = {0};
    memcpy(own, sums + COMMON + j * width, width * sizeof *own);
    add_apart(vbd, sums, apart, COMMON, common);
    add_apart(vbd, sums, apart + COMMON, width, own);
    double variance = variance_of_a_and_b(vbd, common), n = common[0];
    cells[2 * j] = first_order(vbd, own, n, variance);
    cells[2 * j + 1] = own[width - 1] / n / (2 * variance);
    if (isnan(variance)) cells[2 * j] = NAN; /* Janon and Martinez divide by another one */
  }
}

/* S1 of the two is taken from the same base samples and by the product that belongs to S2, whichever estimator shows
 * S1: for a parameter without effect all three terms then cancel to the last bit. */
void ts_vbd_pairs(const struct ts_vbd *vbd, const double *sums, double *pairs) {
  size_t groups = vbd->group_count, width = vbd->group_columns;
  const double *shared = sums + COMMON + groups * width;
  size_t apart = vbd->shared_columns + groups * (COMMON + width);
  for (size_t j = 0; j < groups; j++) {
    for (size_t k = j + 1; k < groups; k++, shared++, pairs++, apart += 2 * COMMON) {
      double terms[3] = {shared[0], sums[COMMON + j * width], sums[COMMON + k * width]};
      double common[COMMON] = {sums[0], sums[1], sums[2]};
      add_apart(vbd, sums, apart, COMMON, common);
      add_apart(vbd, sums, apart + COMMON, 3, terms);
      double variance = variance_of_a_and_b(vbd, common), n = common[0];
      *pairs = terms[0] / n / variance - terms[1] / n / variance - terms[2] / n / variance;
    }
  }
}
