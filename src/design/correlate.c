/* Correlated inputs: reorders the columns of a sample so that it has the rank correlations that are wanted.
 * SPDX-License-Identifier: Apache-2.0
 *
 * R. L. Iman and W. J. Conover, "A distribution-free approach to inducing rank correlation among input variables",
 * 1982, doi:10.1080/03610918208812265. A matrix of normal scores is given exactly the wanted correlations; the values
 * of each column are then put into the order of its scores. Every column keeps its values: strata stay filled,
 * distributions stay what they are. Scores of correlation 2 sin(pi r / 6) have ranks of correlation r (K. Pearson
 * 1907), so the scores are given that correlation. */
#include "design/sequence_int.h"

#include "base/alloc.h"
#include "base/exact_normal.h"
#include "base/random.h"
#include "base/str.h"

#include <math.h>

#define PI 3.14159265358979323846
/* Pivots below this are rounding errors of 0. */
#define SMALLEST_PIVOT 1e-10

/* 2 sin(pi r / 6) by its series, the same on every machine; the argument is at most pi / 6. */
static double normal_correlation(double rank_correlation) {
  double x = PI * rank_correlation / 6, term = x, sum = x;
  for (int i = 1; i < 12; i++) {
    term *= -x * x / (2 * i * (2 * i + 1));
    sum += term;
  }
  return 2 * sum;
}

/* Replaces the lower triangle of a symmetric matrix by its Cholesky factor; false if it is not positive definite. */
static bool factorise(double *matrix, size_t size) {
  for (size_t row = 0; row < size; row++) {
    for (size_t column = 0; column <= row; column++) {
      double sum = matrix[row * size + column];
      for (size_t i = 0; i < column; i++) sum -= matrix[row * size + i] * matrix[column * size + i];
      if (row > column) {
        matrix[row * size + column] = sum / matrix[column * size + column];
      } else if (sum > SMALLEST_PIVOT) {
        matrix[row * size + row] = sqrt(sum);
      } else {
        return false;
      }
    }
  }
  return true;
}

static bool check_entries(const double *wanted, size_t size, struct ts_error *err) {
  for (size_t row = 0; row < size; row++) {
    for (size_t column = 0; column < size; column++) {
      double entry = wanted[row * size + column];
      bool right = row == column ? entry == 1 : fabs(entry) < 1 && fabs(entry - wanted[column * size + row]) <= 1e-12;
      if (right) continue;
      ts_fail(err, TS_ERR_BAD_VALUE, "entry '%s' in row %zu, column %zu does not belong in a matrix of correlations",
              TS_SIGNIFICANT(entry, 6), row + 1, column + 1);
      return ts_error_help(err, "the diagonal is 1, all others lie between -1 and 1, and both triangles are the same");
    }
  }
  return true;
}

/* The factor of the correlations that the scores must have; two errors, as only the first is the user's own
 * contradiction. */
static bool factorise_wanted(const double *wanted, size_t size, double *factor, struct ts_error *err) {
  if (!check_entries(wanted, size, err)) return false;
  for (size_t i = 0; i < size * size; i++) factor[i] = wanted[i];
  if (!factorise(factor, size)) {
    ts_fail(err, TS_ERR_BAD_VALUE,
            "the wanted correlations contradict each other (the matrix is not positive definite)");
    return ts_error_help(
        err, "two parameters that both follow a third must follow each other too: weaken some correlations");
  }
  for (size_t i = 0; i < size * size; i++) factor[i] = i / size == i % size ? 1 : normal_correlation(wanted[i]);
  if (!factorise(factor, size)) {
    ts_fail(err, TS_ERR_BAD_VALUE, "the wanted correlations are so strong that no sample of normal scores has them");
    return ts_error_help(err, "weaken the strongest correlations by a few per cent");
  }
  return true;
}

/* Normal scores in random order, column by column independent. */
static void draw_scores(double *scores, size_t rows, size_t columns, uint64_t seed, uint64_t stream) {
  ts_auto_free double *quantiles = ts_calloc(rows + 1, sizeof *quantiles);
  ts_auto_free size_t *order = ts_calloc(rows + 1, sizeof *order);
  for (size_t i = 0; i < rows; i++) quantiles[i] = ts_normal_quantile((double)(i + 1) / (double)(rows + 1));
  struct ts_random random;
  ts_random_init(&random, seed, stream);
  for (size_t column = 0; column < columns; column++) {
    for (size_t i = 0; i < rows; i++) order[i] = i;
    ts_random_shuffle(&random, order, rows);
    for (size_t i = 0; i < rows; i++) scores[i * columns + column] = quantiles[order[i]];
  }
}

/* The factor of the correlations that the scores have by accident. */
static bool factorise_scores(const double *scores, size_t rows, size_t columns, double *factor) {
  for (size_t a = 0; a < columns; a++) {
    for (size_t b = 0; b <= a; b++) {
      double sum = 0;
      for (size_t i = 0; i < rows; i++) sum += scores[i * columns + a] * scores[i * columns + b];
      factor[a * columns + b] = sum;
    }
  }
  double scale = factor[0]; /* the sum of squares is that of every column */
  for (size_t i = 0; i < columns * columns; i++) factor[i] /= scale;
  return factorise(factor, columns);
}

/* One row of scores: takes the accidental correlations away, then brings the wanted ones in. */
static void transform(double *row, size_t columns, const double *accidental, const double *wanted) {
  for (size_t i = 0; i < columns; i++) {
    for (size_t j = 0; j < i; j++) row[i] -= accidental[i * columns + j] * row[j];
    row[i] /= accidental[i * columns + i];
  }
  for (size_t i = columns; i-- > 0;) {
    double sum = 0;
    for (size_t j = 0; j <= i; j++) sum += wanted[i * columns + j] * row[j];
    row[i] = sum;
  }
}

struct ranked {
  double value;
  size_t row;
};

static int by_value(const void *a, const void *b) {
  const struct ranked *left = a, *right = b;
  if (left->value != right->value) return left->value < right->value ? -1 : 1;
  return left->row < right->row ? -1 : left->row > right->row;
}

/* Puts the values of a column into the order of its scores. */
static void reorder(double *unit, const double *scores, size_t rows, size_t columns, size_t column,
                    struct ranked *values, struct ranked *order) {
  for (size_t i = 0; i < rows; i++) {
    values[i] = (struct ranked){.value = unit[i * columns + column], .row = i};
    order[i] = (struct ranked){.value = scores[i * columns + column], .row = i};
  }
  qsort(values, rows, sizeof *values, by_value);
  qsort(order, rows, sizeof *order, by_value);
  for (size_t i = 0; i < rows; i++) unit[order[i].row * columns + column] = values[i].value;
}

bool ts_correlate(double *unit, size_t rows, size_t columns, const double *wanted, uint64_t seed, uint64_t stream,
                  struct ts_error *err) {
  ts_auto_free double *goal = ts_calloc(columns * columns + 1, sizeof *goal);
  ts_auto_free double *accidental = ts_calloc(columns * columns + 1, sizeof *accidental);
  ts_auto_free double *scores = ts_calloc(rows * columns + 1, sizeof *scores);
  if (!factorise_wanted(wanted, columns, goal, err)) return false;
  draw_scores(scores, rows, columns, seed, stream);
  if (rows <= columns || !factorise_scores(scores, rows, columns, accidental)) {
    ts_fail(err, TS_ERR_BAD_VALUE, "'%zu' points are too few to correlate %zu parameters", rows, columns);
    return ts_error_help(err, "use at least ten times as many points as parameters");
  }
  ts_auto_free struct ranked *values = ts_calloc(rows + 1, sizeof *values);
  ts_auto_free struct ranked *order = ts_calloc(rows + 1, sizeof *order);
  for (size_t row = 0; row < rows; row++) transform(scores + row * columns, columns, accidental, goal);
  for (size_t i = 0; i < columns; i++) reorder(unit, scores, rows, columns, i, values, order);
  return true;
}
