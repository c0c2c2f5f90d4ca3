/* Tests of design/space.c: which parameters are varied, and the value at a unit coordinate.
 * SPDX-License-Identifier: Apache-2.0 */
#include "design/design.h"

#include "base/file.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct ts_value tens[4];

static struct ts_parameter grid_parameter(const char *name, size_t count) {
  for (size_t i = 0; i < 4; i++) tens[i] = ts_value_integer(210 + 10 * (int64_t)i);
  return (struct ts_parameter){.name = name,
                               .help = "",
                               .type = TS_VALUE_INTEGER,
                               .levels = tens,
                               .level_count = count,
                               .default_value = tens[0]};
}

static struct ts_parameter range_parameter(const char *name, enum ts_value_type type, double low, double high) {
  return (struct ts_parameter){.name = name,
                               .help = "",
                               .type = type,
                               .has_range = true,
                               .range_low = low,
                               .range_high = high,
                               .default_value = ts_value_real(low)};
}

static int64_t level_at(const struct ts_parameter *parameter, double unit) {
  int64_t level;
  struct ts_value value = ts_space_value(parameter, unit, &level);
  assert_int_equal(value.as.integer, 210 + 10 * level);
  return level;
}

/* Spec 1: level min(floor(u L), L-1), never rounded. */
static void grid_levels_are_equal_shares(void **state) {
  (void)state;
  struct ts_parameter parameter = grid_parameter("B", 4);
  assert_int_equal(level_at(&parameter, 0), 0);
  assert_int_equal(level_at(&parameter, 0.2499), 0);
  assert_int_equal(level_at(&parameter, 0.25), 1);
  assert_int_equal(level_at(&parameter, 0.49), 1); /* rounding u (L-1) would give 1 from 1/6 on, and 2 from 1/2 on */
  assert_int_equal(level_at(&parameter, 0.5), 2);
  assert_int_equal(level_at(&parameter, 0.7499), 2);
  assert_int_equal(level_at(&parameter, 0.75), 3);
  assert_int_equal(level_at(&parameter, 1), 3);
  assert_int_equal(level_at(&parameter, -0.1), 0);
  assert_int_equal(level_at(&parameter, 1.5), 3);
}

static void integer_ranges_are_equal_shares(void **state) {
  (void)state;
  struct ts_parameter parameter = range_parameter("n", TS_VALUE_INTEGER, -2, 2);
  size_t counts[5] = {0};
  for (int i = 0; i < 1000; i++) {
    int64_t level = 7;
    struct ts_value value = ts_space_value(&parameter, i / 1000.0, &level);
    assert_int_equal(level, -1);
    assert_int_equal(value.type, TS_VALUE_INTEGER);
    assert_in_range(value.as.integer + 2, 0, 4);
    counts[value.as.integer + 2]++;
  }
  for (size_t i = 0; i < 5; i++) assert_int_equal(counts[i], 200);
  assert_int_equal(ts_space_value(&parameter, 1, NULL).as.integer, 2);
}

static void real_ranges_meet_both_ends(void **state) {
  (void)state;
  struct ts_parameter parameter = range_parameter("x", TS_VALUE_REAL, -0.1, 0.3);
  assert_true(ts_space_value(&parameter, 0, NULL).as.real == -0.1);
  assert_true(ts_space_value(&parameter, 1, NULL).as.real == 0.3);
  assert_true(fabs(ts_space_value(&parameter, 0.25, NULL).as.real) < 1e-16);
  assert_true(ts_space_value(&parameter, 2, NULL).as.real == 0.3);
}

static void counts_values(void **state) {
  (void)state;
  struct ts_parameter grid = grid_parameter("B", 4), integers = range_parameter("n", TS_VALUE_INTEGER, 3, 9);
  struct ts_parameter reals = range_parameter("x", TS_VALUE_REAL, 0, 1), fixed = {.name = "f"};
  assert_int_equal(ts_space_value_count(&grid), 4);
  assert_int_equal(ts_space_value_count(&integers), 7);
  assert_true(ts_space_value_count(&reals) == SIZE_MAX);
  assert_int_equal(ts_space_value_count(&fixed), 0);
}

static void takes_the_varied_parameters(void **state) {
  (void)state;
  struct ts_parameter parameters[] = {
      grid_parameter("B", 4), {.name = "fixed"}, range_parameter("x", TS_VALUE_REAL, 0, 1)};
  struct ts_workflow workflow = {.name = "w", .parameters = parameters, .parameter_count = 3};
  struct ts_space space;
  struct ts_error err = {0};
  assert_true(ts_space_of_workflow(&space, &workflow, NULL, 0, &err));
  assert_int_equal(space.count, 2);
  assert_string_equal(space.parameters[0]->name, "B");
  assert_string_equal(space.parameters[1]->name, "x");
  ts_space_release(&space);
  const char *only[] = {"x"};
  assert_true(ts_space_of_workflow(&space, &workflow, only, 1, &err));
  assert_int_equal(space.count, 1);
  assert_string_equal(space.parameters[0]->name, "x");
  ts_space_release(&space);
}

static void refuses(struct ts_parameter *parameters, size_t count, const char *only, enum ts_error_code code,
                    const char *part, const char *help_part) {
  struct ts_workflow workflow = {.name = "w", .parameters = parameters, .parameter_count = count};
  struct ts_space space;
  struct ts_error err = {0};
  assert_false(ts_space_of_workflow(&space, &workflow, only ? &only : NULL, only ? 1 : 0, &err));
  assert_int_equal(err.code, code);
  assert_non_null(strstr(err.text, part));
  assert_non_null(strstr(err.help, help_part));
}

static void refuses_what_cannot_be_varied(void **state) {
  (void)state;
  struct ts_parameter fixed = {.name = "fixed"}, single = grid_parameter("B", 1), good = grid_parameter("minSize", 4);
  struct ts_parameter one_integer = range_parameter("n", TS_VALUE_INTEGER, 3, 3);
  refuses(&fixed, 1, NULL, TS_ERR_BAD_VALUE, "no parameter of workflow 'w'", "grid");
  refuses(&single, 1, NULL, TS_ERR_BAD_VALUE, "'B' has only one value", "at least two");
  refuses(&one_integer, 1, NULL, TS_ERR_BAD_VALUE, "'n' has only one value", "at least two");
  refuses(&good, 1, "minsize", TS_ERR_UNKNOWN_PARAMETER, "no parameter 'minsize'", "did you mean 'minSize'");
  refuses(&fixed, 1, "fixed", TS_ERR_BAD_VALUE, "neither a grid nor a range", "leave it out");
}

/* Writes a space file, reads it, and removes it. */
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

static void reads_a_space_file(void **state) {
  (void)state;
  struct ts_space space;
  struct ts_faults faults = {0};
  assert_true(read_text(&space,
                        "{\"parameters\":[{\"name\":\"x1\",\"type\":\"real\",\"range\":[-1,3]},\n"
                        "{\"name\":\"RC\",\"type\":\"integer\",\"grid\":[4,8]}]}",
                        &faults));
  assert_int_equal(space.count, 2);
  assert_string_equal(space.parameters[0]->name, "x1");
  assert_true(space.parameters[0]->has_range);
  assert_true(space.parameters[0]->range_low == -1 && space.parameters[0]->range_high == 3);
  assert_int_equal(space.parameters[1]->level_count, 2);
  assert_int_equal(space.parameters[1]->levels[1].as.integer, 8);
  ts_space_release(&space);
  ts_faults_release(&faults);
}

static void names_every_fault_of_a_space_file(void **state) {
  (void)state;
  struct ts_space space;
  struct ts_faults faults = {0};
  assert_false(read_text(&space,
                         "{\"parameters\":[\n"
                         "{\"type\":\"real\",\"range\":[0,1]},\n"
                         "{\"name\":\"a\",\"type\":\"real\",\"range\":[0,1]},\n"
                         "{\"name\":\"a\",\"type\":\"real\",\"range\":[0,1]},\n"
                         "5,\n"
                         "{\"name\":\"b\",\"type\":\"integer\",\"grid\":[4]}]}",
                         &faults));
  static const struct {
    enum ts_error_code code;
    int line, column;
  } expected[] = {
      {TS_ERR_MISSING_KEY, 2, 1}, {TS_ERR_DUPLICATE_NAME, 4, 9}, {TS_ERR_WRONG_TYPE, 5, 1}, {TS_ERR_BAD_VALUE, 6, 1}};
  ts_faults_sort(&faults);
  assert_int_equal(faults.count, 4);
  for (size_t i = 0; i < 4; i++) {
    assert_int_equal(faults.items[i].code, expected[i].code);
    assert_int_equal(faults.items[i].where.line, expected[i].line);
    assert_int_equal(faults.items[i].where.column, expected[i].column);
    assert_true(faults.items[i].help[0]);
  }
  ts_faults_release(&faults);
}

static void wants_a_list_of_parameters(void **state) {
  (void)state;
  const char *texts[] = {"{}", "{\"parameters\":[]}", "{\"parameters\":{\"a\":1}}", "[1"};
  for (size_t i = 0; i < 4; i++) {
    struct ts_space space;
    struct ts_faults faults = {0};
    assert_false(read_text(&space, texts[i], &faults));
    assert_int_equal(faults.count, 1);
    assert_true(faults.items[0].where.line >= 1);
    ts_faults_release(&faults);
  }
  struct ts_space space;
  struct ts_faults faults = {0};
  assert_false(ts_space_read(&space, "/nowhere/space.json", &faults));
  assert_int_equal(faults.items[0].code, TS_ERR_FILE_NOT_FOUND);
  ts_faults_release(&faults);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(grid_levels_are_equal_shares), cmocka_unit_test(integer_ranges_are_equal_shares),
      cmocka_unit_test(real_ranges_meet_both_ends),   cmocka_unit_test(counts_values),
      cmocka_unit_test(takes_the_varied_parameters),  cmocka_unit_test(refuses_what_cannot_be_varied),
      cmocka_unit_test(reads_a_space_file),           cmocka_unit_test(names_every_fault_of_a_space_file),
      cmocka_unit_test(wants_a_list_of_parameters),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
