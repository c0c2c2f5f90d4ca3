/* Coefficients of a regression and correlations from one triangular factor; memory does not grow with the rows.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The partial correlation of x_j and y equals b_j / sqrt(b_j^2 + RSS v_j) with the regression coefficient b_j, the
 * residual sum of squares RSS and v_j = (X'X)^-1_jj: one regression gives them all. */
#include "analysis/correlation_table.h"

#include "analysis/ranks.h"
#include "base/alloc.h"
#include "base/str.h"

#include <math.h>
#include <stdlib.h>

#define BLOCK_ROWS 256
#define EXHAUSTED  1e-12 /* share of the output's deviation: a smaller rest is rounding */
#define INFLATED   0.1   /* unexplained share below which an input is said to follow the others (inflation above 10) */

void ts_relations_release(struct ts_relations *relations) {
  free(relations->simple);
  free(relations->partial);
  free(relations->standardised);
  free(relations->unexplained);
  free(relations->left_out);
  free(relations->entangled);
  *relations = (struct ts_relations){0};
}

static double column_product(const struct ts_triangle *triangle, size_t a, size_t b) {
  double sum = 0;
  for (size_t i = 0; i < triangle->order; i++) {
    sum += triangle->r[i * triangle->order + a] * triangle->r[i * triangle->order + b];
  }
  return sum;
}

/* The coefficients of the regression for input j, which is column c of the fit. */
static void read_coefficient(struct ts_relations *relations, size_t j, const struct ts_least_squares *fit, size_t c,
                             double x_squares, double y_squares) {
  relations->left_out[j] = fit->left_out[c];
  relations->entangled[j] = fit->entangled[c];
  if (fit->entangled[c]) return;
  double b = fit->coefficients[c], v = fit->inverse[c];
  relations->unexplained[j] = 1 / (v * x_squares);
  if (!(y_squares > 0)) return;
  relations->standardised[j] = b * sqrt(x_squares / y_squares);
  double rest = fit->residual_squares + b * b / v; /* of the output, once the other inputs are taken out */
  if (rest <= EXHAUSTED * EXHAUSTED * y_squares) {
    relations->exhausted = true;
  } else {
    relations->partial[j] = b / sqrt(b * b + fit->residual_squares * v);
  }
}

void ts_relations_init(struct ts_relations *relations, const struct ts_triangle *triangle) {
  size_t k = triangle->order - 1, used = 0;
  *relations = (struct ts_relations){.count = k, .r2 = NAN};
  relations->simple = ts_calloc(k + 1, sizeof *relations->simple);
  relations->partial = ts_calloc(k + 1, sizeof *relations->partial);
  relations->standardised = ts_calloc(k + 1, sizeof *relations->standardised);
  relations->unexplained = ts_calloc(k + 1, sizeof *relations->unexplained);
  relations->left_out = ts_calloc(k + 1, sizeof *relations->left_out);
  relations->entangled = ts_calloc(k + 1, sizeof *relations->entangled);
  ts_auto_free size_t *columns = ts_calloc(k + 1, sizeof *columns);
  ts_auto_free double *squares = ts_calloc(k + 1, sizeof *squares);
  double y_squares = column_product(triangle, k, k);
  for (size_t j = 0; j < k; j++) {
    squares[j] = column_product(triangle, j, j);
    relations->simple[j] = relations->partial[j] = relations->standardised[j] = NAN;
    relations->left_out[j] = !(squares[j] > 0);
    if (relations->left_out[j]) continue;
    columns[used++] = j;
    if (y_squares > 0) relations->simple[j] = column_product(triangle, j, k) / sqrt(squares[j] * y_squares);
  }
  columns[used] = k;
  ts_auto(ts_triangle_release) struct ts_triangle part;
  ts_triangle_select(&part, triangle, columns, used + 1);
  ts_auto(ts_least_squares_release) struct ts_least_squares fit;
  ts_least_squares_init(&fit, &part);
  for (size_t c = 0; c < used; c++) {
    read_coefficient(relations, columns[c], &fit, c, squares[columns[c]], y_squares);
  }
  if (y_squares > 0) relations->r2 = 1 - fit.residual_squares / y_squares;
}

/* Means accurate to the last digits: a second sum takes up what the first one lost. */
static void find_means(const struct ts_given *given, double *means) {
  size_t k = given->parameter_count;
  double n = (double)given->count;
  for (int pass = 0; pass < 2; pass++) {
    ts_auto_free double *sums = ts_calloc(k + 1, sizeof *sums);
    for (size_t i = 0; i < given->count; i++) {
      const double *row = given->values + given->rows[i] * k;
      for (size_t j = 0; j < k; j++) sums[j] += row[j] - means[j];
      sums[k] += given->outputs[i] - means[k];
    }
    for (size_t j = 0; j <= k; j++) means[j] += sums[j] / n;
  }
}

void ts_relations_of_values(struct ts_relations *relations, const struct ts_given *given) {
  size_t k = given->parameter_count, order = k + 1, filled = 0;
  ts_auto_free double *means = ts_calloc(order, sizeof *means);
  ts_auto_free double *block = ts_calloc(BLOCK_ROWS * order, sizeof *block);
  find_means(given, means);
  ts_auto(ts_triangle_release) struct ts_triangle triangle;
  ts_triangle_init(&triangle, order);
  for (size_t i = 0; i < given->count; i++) {
    const double *row = given->values + given->rows[i] * k;
    double *to = block + filled++ * order;
    for (size_t j = 0; j < k; j++) to[j] = given->constant[j] ? 0 : row[j] - means[j];
    to[k] = given->output_constant ? 0 : given->outputs[i] - means[k];
    if (filled < BLOCK_ROWS && i + 1 < given->count) continue;
    ts_triangle_add(&triangle, block, filled);
    filled = 0;
  }
  ts_relations_init(relations, &triangle);
}

static uint32_t *twice_ranks_of(const double *column, size_t count) {
  ts_auto_free uint32_t *order = ts_malloc((count + 1) * sizeof *order);
  uint32_t *ranks = ts_malloc((count + 1) * sizeof *ranks);
  ts_sort_order(column, count, order);
  ts_twice_ranks(column, order, count, ranks);
  return ranks;
}

void ts_relations_of_ranks(struct ts_relations *relations, const struct ts_given *given) {
  size_t k = given->parameter_count, n = given->count, order = k + 1, filled = 0;
  uint32_t **ranks = ts_calloc(order, sizeof *ranks);
  ts_auto_free double *column = ts_malloc((n + 1) * sizeof *column);
  for (size_t j = 0; j < k; j++) {
    ts_given_column(given, j, column);
    ranks[j] = twice_ranks_of(column, n);
  }
  ranks[k] = twice_ranks_of(given->outputs, n);
  ts_auto_free double *block = ts_calloc(BLOCK_ROWS * order, sizeof *block);
  struct ts_triangle triangle;
  ts_triangle_init(&triangle, order);
  for (size_t i = 0; i < n; i++) {
    double *to = block + filled++ * order;
    for (size_t j = 0; j < order; j++)
      to[j] = ((double)ranks[j][i] - (double)(n + 1)) / 2; /* the mean is (n + 1) / 2 */
    if (filled < BLOCK_ROWS && i + 1 < n) continue;
    ts_triangle_add(&triangle, block, filled);
    filled = 0;
  }
  ts_relations_init(relations, &triangle);
  ts_triangle_release(&triangle);
  for (size_t j = 0; j < order; j++) free(ranks[j]);
  free(ranks);
}

void ts_relations_note(const struct ts_relations *relations, struct ts_indices *indices) {
  ts_auto(ts_str_release) struct ts_str entangled = {0};
  for (size_t j = 0; j < relations->count; j++) {
    if (relations->entangled[j]) {
      ts_str_addf(&entangled, "%s'%s'", entangled.length ? ", " : "", indices->names[j]);
    } else if (!relations->left_out[j] && relations->unexplained[j] < INFLATED) {
      ts_indices_note(indices,
                      "'%s' follows the other inputs to %s %%: its partial and regression coefficients are uncertain",
                      indices->names[j], TS_SIGNIFICANT(100 * (1 - relations->unexplained[j]), 4));
    }
  }
  if (entangled.length) {
    ts_indices_note(indices,
                    "the inputs %s are tied to each other exactly: their partial and regression coefficients cannot be "
                    "distinguished",
                    ts_str_get(&entangled));
  }
  if (relations->exhausted) {
    ts_indices_note(indices, "the output is an exact linear function of fewer inputs: the partial correlation of the "
                             "others does not exist");
  }
}
