/* Values of parameters: domains, choices, types, canonical forms.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/op/helpers.h"

#include <math.h>

static void neighbours(struct ts_op_value *value) { value->integer = value->integer == 8 ? 8 : 4; }
static void change_type(struct ts_op_value *value) { *value = (struct ts_op_value){.type = TS_OP_STRING}; }
static void lower_case(struct ts_op_value *value) {
  if (strcmp(value->string, "FAST") == 0) value->string = "fast";
}

static const char *const words[] = {"fast", "FAST", "careful", NULL};
static const struct ts_op_parameter level = {
    sizeof(struct ts_op_parameter), "G1", TS_OP_INTEGER, 0, 255, NULL, "", NULL};
static const struct ts_op_parameter ring = {
    sizeof(struct ts_op_parameter), "RC", TS_OP_INTEGER, 4, 8, NULL, "", neighbours};
static const struct ts_op_parameter size = {sizeof(struct ts_op_parameter), "size", TS_OP_REAL, 0.5, 2, NULL, "", NULL};
static const struct ts_op_parameter free_real = {
    sizeof(struct ts_op_parameter), "free", TS_OP_REAL, 1, 0, NULL, "", NULL};
static const struct ts_op_parameter flag = {
    sizeof(struct ts_op_parameter), "flag", TS_OP_BOOLEAN, 0, 0, NULL, "", NULL};
static const struct ts_op_parameter mode = {
    sizeof(struct ts_op_parameter), "mode", TS_OP_STRING, 0, 0, words, "", lower_case};
static const struct ts_op_parameter any = {sizeof(struct ts_op_parameter), "any", TS_OP_STRING, 0, 0, NULL, "", NULL};

static void expect(const struct ts_op_parameter *parameter, struct ts_value value, enum ts_error_code code,
                   const char *text, const char *help) {
  struct ts_error err = {0};
  bool good = ts_op_check_value(parameter, &value, &err);
  assert_int_equal(good, code == TS_ERR_OK);
  if (code == TS_ERR_OK) {
    assert_no_error(&err);
    return;
  }
  assert_error(&err, code, text);
  assert_contains(err.help, help);
}

static void test_domains(void **state) {
  (void)state;
  expect(&level, ts_value_integer(0), TS_ERR_OK, "", "");
  expect(&level, ts_value_integer(255), TS_ERR_OK, "", "");
  expect(&level, ts_value_integer(256), TS_ERR_OUTSIDE_DOMAIN, "'G1' is 256, outside its domain [0, 255]",
         "from 0 to 255");
  expect(&level, ts_value_integer(-1), TS_ERR_OUTSIDE_DOMAIN, "'G1' is -1", "");
  expect(&size, ts_value_real(0.5), TS_ERR_OK, "", "");
  expect(&size, ts_value_real(2), TS_ERR_OK, "", "");
  expect(&size, ts_value_real(2.0000001), TS_ERR_OUTSIDE_DOMAIN, "[0.5, 2]", "from 0.5 to 2");
  expect(&free_real, ts_value_real(-1e300), TS_ERR_OK, "", "");
  expect(&flag, ts_value_boolean(true), TS_ERR_OK, "", "");
}

static void test_types(void **state) {
  (void)state;
  expect(&level, ts_value_real(4), TS_ERR_BAD_VALUE, "'G1' takes type integer, not real", "type integer");
  expect(&level, ts_value_string("4"), TS_ERR_BAD_VALUE, "integer, not string", "");
  expect(&flag, ts_value_integer(1), TS_ERR_BAD_VALUE, "boolean, not integer", "");
  expect(&any, ts_value_boolean(true), TS_ERR_BAD_VALUE, "string, not boolean", "");
  /* A whole number is a real too, but not the other way round. */
  expect(&size, ts_value_integer(1), TS_ERR_OK, "", "");
  expect(&size, ts_value_integer(3), TS_ERR_OUTSIDE_DOMAIN, "'size' is 3", "");
  expect(&free_real, ts_value_real((double)NAN), TS_ERR_BAD_VALUE, "finite", "");
  expect(&free_real, ts_value_real((double)INFINITY), TS_ERR_BAD_VALUE, "finite", "");
}

static void test_choices(void **state) {
  (void)state;
  expect(&mode, ts_value_string("careful"), TS_ERR_OK, "", "");
  expect(&mode, ts_value_string("carefull"), TS_ERR_OUTSIDE_DOMAIN,
         "'mode' is 'carefull', not one of 'fast', 'FAST', 'careful'", "did you mean 'careful'");
  expect(&mode, ts_value_string("quite different"), TS_ERR_OUTSIDE_DOMAIN, "not one of", "choose one");
  expect(&any, ts_value_string(""), TS_ERR_OK, "", "");
}

/* The specification of the nuclei workflow: anything but 8 acts as 4. */
static void test_canonical(void **state) {
  (void)state;
  for (int64_t given = 4; given <= 8; given++) {
    struct ts_value value = ts_value_integer(given), canonical = ts_op_canonical(&ring, &value);
    assert_int_equal(canonical.type, TS_VALUE_INTEGER);
    assert_int_equal(canonical.as.integer, given == 8 ? 8 : 4);
  }
  struct ts_value whole = ts_value_integer(1), real = ts_op_canonical(&size, &whole);
  assert_int_equal(real.type, TS_VALUE_REAL);
  assert_true(real.as.real == 1.0);
  struct ts_value negative = {.type = TS_VALUE_REAL, .as.real = -0.0}, zero = ts_op_canonical(&free_real, &negative);
  assert_false(signbit(zero.as.real));
  struct ts_value loud = ts_value_string("FAST"), quiet = ts_op_canonical(&mode, &loud);
  assert_string_equal(quiet.as.string, "fast");
}

/* A hook that turns the value into something else altogether cannot change the type of a key's field. */
static void test_hook_cannot_change_type(void **state) {
  (void)state;
  struct ts_op_parameter odd = {sizeof odd, "odd", TS_OP_INTEGER, 0, 9, NULL, "", change_type};
  struct ts_value five = ts_value_integer(5), result = ts_op_canonical(&odd, &five);
  assert_int_equal(result.type, TS_VALUE_INTEGER);
  struct ts_op_parameter text = {sizeof text, "text", TS_OP_STRING, 0, 0, NULL, "", change_type};
  struct ts_value word = ts_value_string("word");
  assert_string_equal(ts_op_canonical(&text, &word).as.string, "word");
  struct ts_value wrong = ts_value_string("x");
  assert_int_equal(ts_op_canonical(&level, &wrong).type, TS_VALUE_STRING);
}

static void test_names(void **state) {
  (void)state;
  static const char *const good[] = {"a.b", "nuclei.final_size", "a.b.c", "A1.b-2"};
  static const char *const bad[] = {"", "a", "a.", ".a", "a..b", "1a.b", "a.1", "a b.c", "a/b.c", "\xc3\xa4.b"};
  for (size_t i = 0; i < COUNT(good); i++) assert_true(ts_op_name_allowed(good[i]));
  for (size_t i = 0; i < COUNT(bad); i++) assert_false(ts_op_name_allowed(bad[i]));
  static const char *const good_class[] = {"exact", "nondeterministic", "tolerance:cuda-sm90", "tolerance:1e-6"};
  static const char *const bad_class[] = {"", "Exact", "tolerance", "tolerance:", "tolerance:a b"};
  for (size_t i = 0; i < COUNT(good_class); i++) assert_true(ts_op_numeric_allowed(good_class[i]));
  for (size_t i = 0; i < COUNT(bad_class); i++) assert_false(ts_op_numeric_allowed(bad_class[i]));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_domains),   cmocka_unit_test(test_types), cmocka_unit_test(test_choices),
      cmocka_unit_test(test_canonical), cmocka_unit_test(test_names), cmocka_unit_test(test_hook_cannot_change_type),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
