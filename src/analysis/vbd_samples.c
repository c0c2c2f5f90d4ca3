/* The base samples of a Saltelli design: which are there, their standardised outputs, and the order of their rows.
 * SPDX-License-Identifier: Apache-2.0 */
#include "analysis/vbd_int.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>

#define LANES 8 /* of partial sums: shortens the chain of additions and its rounding error */

static const size_t segment_shares[TS_VBD_SEGMENTS] = {8, 4, 2, 1};

static bool has_a_and_b(const struct ts_vbd *vbd, size_t sample) {
  const double *block = vbd->outputs + sample * vbd->block_rows;
  return isfinite(block[0]) && isfinite(block[vbd->block_rows - 1]);
}

static bool is_complete(const struct ts_vbd *vbd, size_t sample) {
  const double *block = vbd->outputs + sample * vbd->block_rows;
  for (size_t i = 0; i < vbd->block_rows; i++) {
    if (!isfinite(block[i])) return false;
  }
  return true;
}

static void sort_out(struct ts_vbd *vbd) {
  vbd->good = ts_malloc(vbd->sample_count * sizeof *vbd->good);
  vbd->order = ts_malloc(vbd->sample_count * sizeof *vbd->order);
  ts_auto_free uint32_t *incomplete = ts_malloc(vbd->sample_count * sizeof *incomplete);
  size_t sample = 0, place = 0;
  for (size_t s = 0; s < TS_VBD_SEGMENTS; s++) {
    size_t incomplete_count = 0;
    for (; sample < vbd->sample_count / segment_shares[s]; sample++) {
      if (!has_a_and_b(vbd, sample)) continue;
      vbd->good[vbd->good_count++] = (uint32_t)sample;
      if (is_complete(vbd, sample)) {
        vbd->order[place++] = (uint32_t)sample;
      } else {
        incomplete[incomplete_count++] = (uint32_t)sample;
      }
    }
    vbd->complete_end[s] = place;
    for (size_t i = 0; i < incomplete_count; i++) vbd->order[place++] = incomplete[i];
    vbd->segment_end[s] = place;
  }
}

/* A power of two that brings the outputs near 1: their squares can then neither overflow nor vanish. */
static double find_factor(const struct ts_vbd *vbd) {
  double largest = 0;
  for (size_t g = 0; g < vbd->good_count; g++) {
    const double *block = vbd->outputs + vbd->good[g] * vbd->block_rows;
    for (size_t i = 0; i < vbd->block_rows; i++) {
      double size = fabs(block[i]);
      if (size > largest && isfinite(size)) largest = size;
    }
  }
  int exponent = 0;
  frexp(largest, &exponent);
  return ldexp(1, exponent < -1000 ? 1000 : -exponent);
}

/* Mean over the rows of good base samples of (y factor - shift), or of its square. */
static double mean_of(const struct ts_vbd *vbd, double shift, bool squared) {
  double sums[LANES] = {0};
  size_t count = 0;
  for (size_t g = 0; g < vbd->good_count; g++) {
    const double *block = vbd->outputs + vbd->good[g] * vbd->block_rows;
    for (size_t i = 0; i < vbd->block_rows; i++) {
      if (!isfinite(block[i])) continue;
      double value = block[i] * vbd->factor - shift;
      sums[count++ % LANES] += squared ? value * value : value;
    }
  }
  double sum = 0;
  for (size_t i = 0; i < LANES; i++) sum += sums[i];
  return count ? sum / (double)count : 0;
}

/* The estimators divide by the variance over A and B alone. */
static bool is_constant(const struct ts_vbd *vbd) {
  if (vbd->good_count == 0) return true;
  double first = vbd->outputs[vbd->good[0] * vbd->block_rows];
  for (size_t g = 0; g < vbd->good_count; g++) {
    const double *block = vbd->outputs + vbd->good[g] * vbd->block_rows;
    if (block[0] != first || block[vbd->block_rows - 1] != first) return false;
  }
  return true;
}

static size_t estimator_columns(enum ts_vbd_estimator estimator) {
  switch (estimator) {
  case TS_S1_SALTELLI:
  case TS_S1_JANSEN: return 1;
  case TS_S1_JANON: return 3;
  case TS_S1_MARTINEZ: return 5;
  }
  return 1;
}

void ts_vbd_init(struct ts_vbd *vbd, const struct ts_runs *runs, enum ts_vbd_estimator estimator) {
  size_t groups = runs->group_of ? runs->group_count : runs->parameter_count;
  bool second = runs->layout == TS_LAYOUT_SALTELLI_2;
  *vbd = (struct ts_vbd){.outputs = runs->outputs, .group_count = groups, .estimator = estimator};
  vbd->block_rows = (second ? 2 : 1) * groups + 2;
  vbd->sample_count = runs->row_count / vbd->block_rows;
  vbd->pair_count = second ? groups * (groups - 1) / 2 : 0;
  /* The product of first order comes first, for pairs; the estimator's own columns follow unless they are just that. */
  vbd->group_columns = estimator_columns(estimator) + (estimator != TS_S1_SALTELLI && second) + 1;
  vbd->shared_columns = 3 + groups * vbd->group_columns + vbd->pair_count;
  sort_out(vbd);
  bool all_complete = vbd->complete_end[TS_VBD_SEGMENTS - 1] == vbd->good_count;
  for (size_t s = 0; s < TS_VBD_SEGMENTS; s++) all_complete &= vbd->complete_end[s] == vbd->segment_end[s];
  vbd->apart_columns = all_complete ? 0 : groups * (3 + vbd->group_columns) + 6 * vbd->pair_count;
  vbd->constant = is_constant(vbd);
  vbd->factor = find_factor(vbd);
  vbd->mean = mean_of(vbd, 0, false);
  double variance = mean_of(vbd, vbd->mean, true);
  vbd->inverse_deviation = variance > 0 ? 1 / sqrt(variance) : 1;
}

void ts_vbd_release(struct ts_vbd *vbd) {
  free(vbd->good);
  free(vbd->order);
  *vbd = (struct ts_vbd){0};
}

size_t ts_vbd_usable(const struct ts_vbd *vbd, size_t group) {
  size_t count = 0;
  for (size_t g = 0; g < vbd->good_count; g++) {
    count += isfinite(vbd->outputs[vbd->good[g] * vbd->block_rows + 1 + group]) != 0;
  }
  return count;
}

void ts_vbd_block(const struct ts_vbd *vbd, size_t sample, double *block) {
  const double *outputs = vbd->outputs + sample * vbd->block_rows;
  for (size_t i = 0; i < vbd->block_rows; i++) {
    block[i] = (outputs[i] * vbd->factor - vbd->mean) * vbd->inverse_deviation;
  }
}

/* One row of a block against what it must be: every column from `base`, those of `group` from `other`. Coordinates that
 * are not known (NaN) fit everything. Returns the first column that does not fit, or TS_NONE. */
static size_t misfit(const struct ts_runs *runs, const double *row, const double *base, const double *other,
                     size_t group) {
  for (size_t c = 0; c < runs->parameter_count; c++) {
    size_t column_group = runs->group_of ? runs->group_of[c] : c;
    double wanted = column_group == group ? other[c] : base[c];
    if (row[c] != wanted && !isnan(row[c]) && !isnan(wanted)) return c;
  }
  return TS_NONE;
}

bool ts_vbd_check_rows(const struct ts_runs *runs, size_t group_count, size_t block_rows, struct ts_error *err) {
  const double *table = runs->unit ? runs->unit : runs->values;
  if (!table) return true;
  size_t k = runs->parameter_count;
  for (size_t row = 0; row < runs->row_count; row++) {
    size_t place = row % block_rows;
    if (place == 0 || place == block_rows - 1) continue;
    const double *a = table + (row - place) * k, *b = a + (block_rows - 1) * k;
    bool is_ab = place <= group_count;
    size_t group = is_ab ? place - 1 : place - 1 - group_count;
    size_t wrong = misfit(runs, table + row * k, is_ab ? a : b, is_ab ? b : a, group);
    if (wrong == TS_NONE) continue;
    ts_fail(err, TS_ERR_BAD_VALUE,
            "row %zu should be row %s_%zu of base sample %zu of a Saltelli design, but its '%s' does not fit", row + 1,
            is_ab ? "AB" : "BA", group + 1, row / block_rows + 1, runs->names[wrong]);
    return ts_error_help(
        err,
        "keep the rows in the order of the design (A, AB_1.., %sB per base sample); failed runs stay in "
        "as rows without output",
        block_rows > group_count + 2 ? "BA_1.., " : "");
  }
  return true;
}
