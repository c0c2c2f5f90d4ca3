/* Tests of report/answer_indices.c: the sentence about indices of methods other than Morris; sentences written by hand.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/result.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g"};

/* Answers for indices of the rank column with intervals of +- reach, by the method of that name. */
static void answer_is(const char *method_name, const double *values, size_t count, double reach, const char *expected) {
  struct ts_error err = {0};
  const struct ts_method *method = ts_method_find(method_name, &err);
  struct ts_runs runs = {.names = names, .parameter_count = count, .group_count = count};
  struct ts_analysis_options options = {0};
  struct ts_indices indices;
  ts_indices_init(&indices, method, &runs, &options);
  size_t column = ts_indices_column(&indices, method->rank_by);
  for (size_t i = 0; i < count; i++) {
    indices.cells[i * indices.column_count + column] =
        (struct ts_index){values[i], values[i] - reach, values[i] + reach};
    indices.usable[i] = isnan(values[i]) ? 0 : 10;
  }
  struct ts_str out = {0};
  ts_answer_indices(&indices, "the area", &out);
  assert_string_equal(ts_str_get(&out), expected);
  ts_str_release(&out);
  ts_indices_release(&indices);
}

static void the_largest_come_first(void **state) {
  (void)state;
  const double values[] = {0.02, 0.7, 0.25};
  answer_is("vbd", values, 3, 0.01,
            "b (ST 0.7) and c (ST 0.25) have the largest influence on the area; 1 other parameter has less (ST up to "
            "0.03).");
  answer_is("vbd", values + 1, 1, 0.01, "a (ST 0.7) has the largest influence on the area.");
}

static void open_orders_are_told(void **state) {
  (void)state;
  const double values[] = {0.5, 0.45, 0.2};
  answer_is("vbd", values, 3, 0.05,
            "a (ST 0.5), b (ST 0.45) and c (ST 0.2) have the largest influence on the area; the order is not settled: "
            "a, b.");
}

static void size_counts_not_sign(void **state) {
  (void)state;
  const double values[] = {0.3, -0.9};
  answer_is("correlation", values, 2, 0.01,
            "b (prcc \xe2\x88\x92"
            "0.9) and a (prcc 0.3) have the largest influence on the area.");
}

static void many_names_are_cut(void **state) {
  (void)state;
  const double values[] = {0.9, 0.8, 0.7, 0.6, 0.5, 0.4, NAN};
  answer_is("vbd", values, 7, 0.01,
            "a (ST 0.9), b (ST 0.8), c (ST 0.7), d (ST 0.6) and 2 more have the largest influence on the area.");
}

static void nothing_is_an_answer_too(void **state) {
  (void)state;
  const double zeros[] = {0, 0}, unknown[] = {NAN, NAN};
  answer_is("vbd", zeros, 2, 0, "None of 2 parameters has an influence on the area (ST = 0 for all).");
  answer_is("vbd", unknown, 2, 0, "Nothing can be said about the area: too few runs succeeded, or it never changes.");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_largest_come_first),   cmocka_unit_test(open_orders_are_told),
      cmocka_unit_test(size_counts_not_sign),     cmocka_unit_test(many_names_are_cut),
      cmocka_unit_test(nothing_is_an_answer_too),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
