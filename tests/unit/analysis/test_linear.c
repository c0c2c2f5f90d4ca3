/* Tests of analysis/linear.c: factors of rows in blocks, least squares, dependent columns.
 * SPDX-License-Identifier: Apache-2.0 */
#include "samples.h"

#include "analysis/linear.h"

static void fill(double *table, size_t count, uint64_t seed) {
  struct ts_random random;
  ts_random_init(&random, seed, 0);
  for (size_t i = 0; i < count; i++) table[i] = ts_random_unit(&random) - 0.5;
}

/* R'R = A'A, whatever the blocks. */
static void blocks_do_not_matter(void **state) {
  (void)state;
  double table[50 * 4], copy[50 * 4];
  fill(table, 200, 1);
  for (size_t block = 1; block <= 50; block += 7) {
    struct ts_triangle triangle;
    ts_triangle_init(&triangle, 4);
    memcpy(copy, table, sizeof copy);
    for (size_t done = 0; done < 50; done += block) {
      ts_triangle_add(&triangle, copy + done * 4, done + block > 50 ? 50 - done : block);
    }
    for (size_t a = 0; a < 4; a++) {
      for (size_t b = 0; b < 4; b++) {
        double wanted = 0, found = 0;
        for (size_t i = 0; i < 50; i++) wanted += table[i * 4 + a] * table[i * 4 + b];
        for (size_t i = 0; i < 4; i++) found += triangle.r[i * 4 + a] * triangle.r[i * 4 + b];
        close_to(found, wanted, 1e-13);
        if (b < a) assert_true(triangle.r[a * 4 + b] == 0);
      }
    }
    ts_triangle_release(&triangle);
  }
}

/* The least squares of a small dense table; returns the rank. */
static size_t solve(const double *table, size_t rows, size_t columns, const double *right, double *solution,
                    double *residual_squares) {
  double copy[30 * 7];
  assert_true(rows * (columns + 1) <= sizeof copy / sizeof *copy);
  for (size_t i = 0; i < rows; i++) {
    memcpy(copy + i * (columns + 1), table + i * columns, columns * sizeof *copy);
    copy[i * (columns + 1) + columns] = right[i];
  }
  struct ts_triangle triangle;
  struct ts_least_squares fit;
  ts_triangle_init(&triangle, columns + 1);
  ts_triangle_add(&triangle, copy, rows);
  ts_least_squares_init(&fit, &triangle);
  memcpy(solution, fit.coefficients, columns * sizeof *solution);
  *residual_squares = fit.residual_squares;
  size_t rank = fit.rank;
  ts_least_squares_release(&fit);
  ts_triangle_release(&triangle);
  return rank;
}

/* The line through (0, 1), (1, 3), (2, 4): intercept 7/6, slope 3/2, residual squares 1/6. */
static void a_line_by_hand(void **state) {
  (void)state;
  const double table[] = {1, 0, 1, 1, 1, 2}, right[] = {1, 3, 4};
  double solution[2], rest;
  assert_int_equal(solve(table, 3, 2, right, solution, &rest), 2);
  close_to(solution[0], 7. / 6, 1e-14);
  close_to(solution[1], 1.5, 1e-14);
  close_to(rest, 1. / 6, 1e-14);
}

/* The Hilbert matrix of order 6 has a condition of 1.5e7: normal equations would lose fourteen digits. */
static void ill_conditioned_columns_keep_their_digits(void **state) {
  (void)state;
  double table[36], right[6] = {0}, solution[6], rest;
  for (size_t i = 0; i < 6; i++) {
    for (size_t j = 0; j < 6; j++) {
      table[i * 6 + j] = 1. / (double)(i + j + 1);
      right[i] += table[i * 6 + j] * (double)(j + 1);
    }
  }
  assert_int_equal(solve(table, 6, 6, right, solution, &rest), 6);
  for (size_t j = 0; j < 6; j++) close_to(solution[j], (double)(j + 1), 1e-7);
}

/* Columns: a, b, a + b, 0, c. The third depends on the first two; the zero one on nothing; c is not touched. */
static void dependent_columns_are_marked(void **state) {
  (void)state;
  double table[30 * 6], plain[30 * 3], right[30], solution[3], rest;
  fill(table, 180, 5);
  for (size_t i = 0; i < 30; i++) {
    double *row = table + i * 6;
    row[2] = row[0] + row[1];
    row[3] = 0;
    memcpy(plain + i * 3, (double[]){row[0], row[1], row[4]}, 3 * sizeof(double));
    right[i] = row[5];
  }
  solve(plain, 30, 3, right, solution, &rest);
  struct ts_triangle triangle;
  struct ts_least_squares fit;
  ts_triangle_init(&triangle, 6);
  ts_triangle_add(&triangle, table, 30);
  ts_least_squares_init(&fit, &triangle);
  const bool left_out[] = {false, false, true, true, false}, entangled[] = {true, true, true, true, false};
  assert_memory_equal(fit.left_out, left_out, sizeof left_out);
  assert_memory_equal(fit.entangled, entangled, sizeof entangled);
  assert_int_equal(fit.rank, 3);
  close_to(fit.coefficients[4], solution[2], 1e-13);
  close_to(fit.residual_squares, rest, 1e-13);
  assert_true(isnan(fit.coefficients[2]) && isnan(fit.inverse[3]));
  ts_least_squares_release(&fit);
  ts_triangle_release(&triangle);
}

/* X'X = [2 1; 1 2] has the inverse [2 -1; -1 2] / 3. */
static void the_inverse_has_its_diagonal(void **state) {
  (void)state;
  double table[] = {1, 0, 5, 0, 1, 5, 1, 1, 1};
  struct ts_triangle triangle;
  struct ts_least_squares fit;
  ts_triangle_init(&triangle, 3);
  ts_triangle_add(&triangle, table, 3);
  ts_least_squares_init(&fit, &triangle);
  close_to(fit.inverse[0], 2. / 3, 1e-14);
  close_to(fit.inverse[1], 2. / 3, 1e-14);
  ts_least_squares_release(&fit);
  ts_triangle_release(&triangle);
}

static void cholesky_stops_where_it_must(void **state) {
  (void)state;
  double good[] = {4, 2, 0, 5}, singular[] = {1, 1, 2, 9, 1, 2, 9, 9, 5};
  assert_int_equal(ts_cholesky(good, 2), 2);
  const double factor[] = {2, 1, 0, 2};
  for (size_t i = 0; i < 4; i++) close_to(good[i], factor[i], 1e-15);
  assert_int_equal(ts_cholesky(singular, 3), 1);
  assert_true(singular[4] == 0 && singular[5] == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_do_not_matter),
      cmocka_unit_test(a_line_by_hand),
      cmocka_unit_test(ill_conditioned_columns_keep_their_digits),
      cmocka_unit_test(dependent_columns_are_marked),
      cmocka_unit_test(the_inverse_has_its_diagonal),
      cmocka_unit_test(cholesky_stops_where_it_must),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
