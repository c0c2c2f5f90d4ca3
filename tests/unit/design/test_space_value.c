/* Values at unit coordinates under distributions and weights, the way back, and constraints of spaces.
 * SPDX-License-Identifier: Apache-2.0 */
#include "design/points.h"

#include "base/file.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static bool read_text(struct ts_space *space, const char *text, struct ts_faults *faults) {
  char path[] = P_tmpdir "/tessera-space-XXXXXX";
  int descriptor = mkstemp(path);
  assert_true(descriptor >= 0);
  close(descriptor);
  struct ts_error err = {0};
  assert_true(ts_file_write(path, text, strlen(text), &err));
  bool ok = ts_space_read(space, path, faults);
  unlink(path);
  return ok;
}

static void must_read(struct ts_space *space, const char *text) {
  struct ts_faults faults = {0};
  if (!read_text(space, text, &faults)) fail_msg("%s", faults.items[0].text);
  ts_faults_release(&faults);
}

static double real_at(const struct ts_space *space, size_t column, double unit) {
  struct ts_value value = ts_space_value(space->parameters[column], unit, NULL);
  assert_int_equal(value.type, TS_VALUE_REAL);
  return value.as.real;
}

/* Quantiles as in tables: 1.959963984540054 is the 97.5 % point of the standard normal distribution. */
static void distributions_reach_the_values(void **state) {
  (void)state;
  struct ts_space space;
  must_read(&space,
            "{\"parameters\":["
            "{\"name\":\"n\",\"type\":\"real\",\"distribution\":{\"normal\":{\"mean\":10,\"sd\":2}}},"
            "{\"name\":\"l\",\"type\":\"real\",\"distribution\":{\"lognormal\":{\"mean\":1,\"sd\":0.5}}},"
            "{\"name\":\"t\",\"type\":\"real\",\"distribution\":{\"triangular\":{\"low\":0,\"mode\":1,\"high\":2}}},"
            "{\"name\":\"g\",\"type\":\"real\",\"range\":[1,10000],\"distribution\":\"log-uniform\"}]}");
  assert_true(fabs(real_at(&space, 0, 0.975) - (10 + 2 * 1.959963984540054)) < 1e-14);
  assert_true(fabs(real_at(&space, 1, 0.025) / exp(1 - 0.5 * 1.959963984540054) - 1) < 2e-15);
  assert_true(fabs(real_at(&space, 2, 0.125) - 0.5) < 1e-15);
  assert_true(fabs(real_at(&space, 3, 0.25) - 10) < 1e-14);
  for (size_t c = 0; c < space.count; c++) {
    assert_true(ts_space_value_count(space.parameters[c]) == SIZE_MAX);
    for (int i = 0; i <= 1000; i++) {
      double unit = i / 1000.0;
      struct ts_value value = ts_space_value(space.parameters[c], unit, NULL);
      assert_true(isfinite(value.as.real));
      assert_true(fabs(ts_space_unit(space.parameters[c], &value) - unit) < 1e-13);
      assert_true(fabs(ts_space_unit_of_number(space.parameters[c], value.as.real) - unit) < 1e-13);
    }
  }
  ts_space_release(&space);
}

/* The integers of a distribution are its rounded values: shares are differences of the error function of libm. */
static void integers_are_rounded(void **state) {
  (void)state;
  struct ts_space space;
  must_read(&space, "{\"parameters\":[{\"name\":\"n\",\"type\":\"integer\",\"range\":[4,13],"
                    "\"distribution\":{\"normal\":{\"mean\":10,\"sd\":2}}}]}");
  enum { STEPS = 100000 };
  size_t counts[20] = {0};
  for (int i = 0; i < STEPS; i++) {
    int64_t value = ts_space_value(space.parameters[0], (i + 0.5) / STEPS, NULL).as.integer;
    assert_in_range(value, 4, 13);
    counts[value]++;
  }
  double whole = (erf(3.5 / 2 / sqrt(2)) - erf(-6.5 / 2 / sqrt(2))) / 2;
  double sum = 0;
  for (int value = 4; value <= 13; value++) {
    double share = (erf((value + 0.5 - 10) / 2 / sqrt(2)) - erf((value - 0.5 - 10) / 2 / sqrt(2))) / 2 / whole;
    assert_true(fabs((double)counts[value] - share * STEPS) < 2);
    struct ts_value integer = ts_value_integer(value);
    double unit = ts_space_unit(space.parameters[0], &integer);
    assert_true(fabs(unit - (sum + share / 2)) < 1e-13); /* the middle of the share */
    assert_int_equal(ts_space_value(space.parameters[0], unit, NULL).as.integer, value);
    sum += share;
  }
  assert_int_equal(ts_space_value_count(space.parameters[0]), 10);
  ts_space_release(&space);
}

static void weights_are_shares(void **state) {
  (void)state;
  struct ts_space space;
  must_read(&space, "{\"parameters\":[{\"name\":\"m\",\"type\":\"string\",\"grid\":[\"a\",\"b\",\"c\",\"d\"],"
                    "\"weights\":[1,0,2,1]}]}");
  const struct ts_parameter *p = space.parameters[0];
  const double units[] = {-1, 0, 0.2499, 0.25, 0.5, 0.7499, 0.75, 1, 2};
  const int64_t levels[] = {0, 0, 0, 2, 2, 2, 3, 3, 3};
  for (size_t i = 0; i < 9; i++) {
    int64_t level;
    struct ts_value value = ts_space_value(p, units[i], &level);
    assert_int_equal(level, levels[i]);
    assert_int_equal(value.as.string[0], 'a' + levels[i]);
  }
  assert_int_equal(ts_space_value_count(p), 3);
  assert_true(ts_space_unit(p, &p->levels[0]) == 0.125 && ts_space_unit(p, &p->levels[2]) == 0.5);
  assert_true(isnan(ts_space_unit(p, &p->levels[1]))); /* never drawn */
  assert_true(ts_space_unit_of_number(p, 3) == 0.875 && isnan(ts_space_unit_of_number(p, 4)));
  assert_true(ts_space_number(p, &p->levels[3]) == 3);
  struct ts_value unknown = ts_value_string("e");
  assert_true(isnan(ts_space_unit(p, &unknown)) && isnan(ts_space_number(p, &unknown)));
  ts_space_release(&space);
}

static void one_weight_is_no_choice(void **state) {
  (void)state;
  struct ts_space space;
  struct ts_faults faults = {0};
  assert_false(read_text(
      &space, "{\"parameters\":[{\"name\":\"m\",\"type\":\"real\",\"grid\":[1,2],\"weights\":[1,0]}]}", &faults));
  assert_int_equal(faults.items[0].code, TS_ERR_BAD_VALUE);
  assert_non_null(strstr(faults.items[0].text, "only one value"));
  ts_faults_release(&faults);
}

static void units_of_uniform_values(void **state) {
  (void)state;
  struct ts_space space;
  must_read(&space, "{\"parameters\":[{\"name\":\"x\",\"type\":\"real\",\"range\":[-1,3]},"
                    "{\"name\":\"n\",\"type\":\"integer\",\"range\":[1,4]},"
                    "{\"name\":\"g\",\"type\":\"integer\",\"grid\":[10,30,20,50]},"
                    "{\"name\":\"b\",\"type\":\"boolean\",\"grid\":[false,true]}]}");
  struct ts_value x = ts_value_real(0), n = ts_value_integer(2), g = ts_value_integer(20), b = ts_value_boolean(true);
  assert_true(ts_space_unit(space.parameters[0], &x) == 0.25);
  assert_true(ts_space_unit(space.parameters[1], &n) == 0.375);
  assert_true(ts_space_unit(space.parameters[2], &g) == 0.625);
  assert_true(ts_space_unit(space.parameters[3], &b) == 0.75);
  assert_true(ts_space_unit_of_number(space.parameters[2], 30) == 0.375);
  assert_true(ts_space_unit_of_number(space.parameters[3], 1) == 0.75);
  x = ts_value_real(3.5);
  g = ts_value_integer(25);
  assert_true(isnan(ts_space_unit(space.parameters[0], &x)));
  assert_true(isnan(ts_space_unit(space.parameters[2], &g)));
  assert_true(isnan(ts_space_unit_of_number(space.parameters[1], 2.5)));
  assert_true(isnan(ts_space_unit_of_number(space.parameters[0], NAN)));
  ts_space_release(&space);
}

static void constraints_of_a_space_file(void **state) {
  (void)state;
  struct ts_space space;
  must_read(&space, "{\"parameters\":[{\"name\":\"low\",\"type\":\"real\",\"range\":[0,10]},"
                    "{\"name\":\"high\",\"type\":\"real\",\"range\":[0,10]}],"
                    "\"constraints\":[\"low < high\",\"high <= 9\"]}");
  assert_int_equal(space.constraint_count, 2);
  assert_true(ts_space_allows(&space, (double[]){0.2, 0.3}));
  assert_false(ts_space_allows(&space, (double[]){0.3, 0.2}));
  assert_false(ts_space_allows(&space, (double[]){0.3, 0.3}));
  assert_false(ts_space_allows(&space, (double[]){0.3, 0.95}));
  ts_space_release(&space);
}

static void faults_of_constraints(void **state) {
  (void)state;
  const char *head = "{\"parameters\":[{\"name\":\"low\",\"type\":\"real\",\"range\":[0,1]},"
                     "{\"name\":\"high\",\"type\":\"real\",\"range\":[5,6]}],\n\"constraints\":";
  static const struct {
    const char *list;
    enum ts_error_code code;
    int column;
  } faults_of[] = {{"[\"low < hgih\"]", TS_ERR_UNKNOWN_PARAMETER, 16},
                   {"[\"low > high\"]", TS_ERR_CONSTRAINT, 16},
                   {"[\"low\"]", TS_ERR_BAD_VALUE, 16},
                   {"\"low < high\"", TS_ERR_WRONG_TYPE, 15},
                   {"[\"low < high\",3]", TS_ERR_WRONG_TYPE, 29}};
  for (size_t i = 0; i < sizeof faults_of / sizeof *faults_of; i++) {
    char text[400];
    snprintf(text, sizeof text, "%s%s}", head, faults_of[i].list);
    struct ts_space space;
    struct ts_faults faults = {0};
    assert_false(read_text(&space, text, &faults));
    assert_int_equal(faults.count, 1);
    assert_int_equal(faults.items[0].code, faults_of[i].code);
    assert_int_equal(faults.items[0].where.line, 2);
    assert_int_equal(faults.items[0].where.column, faults_of[i].column);
    ts_faults_release(&faults);
  }
}

/* What is not varied counts with its default. */
static void constraints_of_a_workflow(void **state) {
  (void)state;
  struct ts_parameter parameters[] = {
      {.name = "minSize", .type = TS_VALUE_REAL, .has_range = true, .range_high = 10},
      {.name = "maxSize", .type = TS_VALUE_REAL, .default_value = ts_value_real(5)},
      {.name = "other", .type = TS_VALUE_REAL, .default_value = ts_value_real(1)},
      {.name = "x", .type = TS_VALUE_REAL, .has_range = true, .range_high = 1, .default_value = ts_value_real(0.75)}};
  struct ts_constraint constraints[] = {
      {.text = "minSize < maxSize", .left = 0, .right = 1, .comparison = TS_LESS},
      {.text = "other < maxSize", .left = 2, .right = 1, .comparison = TS_LESS},
      {.text = "0.5 < x", .left = TS_NONE, .left_number = 0.5, .right = 3, .comparison = TS_LESS}};
  struct ts_workflow workflow = {
      .name = "w", .parameters = parameters, .parameter_count = 4, .constraints = constraints, .constraint_count = 3};
  struct ts_space space;
  struct ts_error err = {0};
  assert_true(ts_space_of_workflow(&space, &workflow, NULL, 0, &err));
  assert_true(ts_space_allows(&space, (double[]){0.49, 0.6}));
  assert_false(ts_space_allows(&space, (double[]){0.51, 0.6}));
  assert_false(ts_space_allows(&space, (double[]){0.49, 0.4}));
  ts_space_release(&space);
  const char *only = "minSize";
  assert_true(ts_space_of_workflow(&space, &workflow, &only, 1, &err)); /* x stays at 0.75 */
  assert_true(ts_space_allows(&space, (double[]){0.49}));
  assert_false(ts_space_allows(&space, (double[]){0.5}));
  ts_space_release(&space);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(distributions_reach_the_values),
      cmocka_unit_test(integers_are_rounded),
      cmocka_unit_test(weights_are_shares),
      cmocka_unit_test(one_weight_is_no_choice),
      cmocka_unit_test(units_of_uniform_values),
      cmocka_unit_test(constraints_of_a_space_file),
      cmocka_unit_test(faults_of_constraints),
      cmocka_unit_test(constraints_of_a_workflow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
