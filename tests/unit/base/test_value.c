/* Values: canonical forms, order, printing, reading from JSON and text, and refusal of everything else.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/base/testing.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/json.h"
#include "base/random.h"
#include "base/value.h"

#include <math.h>

static struct ts_arena arena;

static int release_arena(void **state) {
  (void)state;
  ts_arena_release(&arena);
  return 0;
}

static bool from_json_text(const char *text, enum ts_value_type type, struct ts_value *value, struct ts_error *err) {
  json_t *json = json_loads(text, JSON_DECODE_ANY, NULL);
  assert_non_null(json);
  bool ok = ts_value_from_json(json, type, &arena, value, err);
  json_decref(json);
  return ok;
}

static void assert_prints(const struct ts_value *value, const char *expected) {
  struct ts_str text = {0};
  ts_value_print(value, &text);
  assert_string_equal(ts_str_get(&text), expected);
  ts_str_release(&text);
}

static void types_have_names(void **state) {
  (void)state;
  static const char *const names[] = {"integer", "real", "boolean", "string", "list"};
  enum ts_value_type type;
  for (size_t i = 0; i < COUNT_OF(names); i++) {
    assert_string_equal(ts_value_type_name((enum ts_value_type)i), names[i]);
    assert_true(ts_value_type_parse(names[i], &type));
    assert_int_equal(type, i);
  }
  assert_true(ts_value_type_parse("enum", &type));
  assert_int_equal(type, TS_VALUE_STRING);
  assert_false(ts_value_type_parse("float", &type));
  assert_false(ts_value_type_parse("", &type));
}

static void minus_zero_is_zero(void **state) {
  (void)state;
  assert_false(signbit(ts_value_real(-0.0).as.real));
  struct ts_value value;
  assert_true(from_json_text("-0.0", TS_VALUE_REAL, &value, NULL));
  assert_false(signbit(value.as.real));
  assert_true(ts_value_from_text("-0", TS_VALUE_REAL, &arena, &value, NULL));
  assert_false(signbit(value.as.real));
}

static struct ts_value list_of(const char *text) {
  struct ts_value value;
  assert_true(ts_value_from_text(text, TS_VALUE_LIST, &arena, &value, NULL));
  return value;
}

static int sign(int number) { return (number > 0) - (number < 0); }

static void values_have_an_order(void **state) {
  (void)state;
  struct ts_value ordered[] = {
      ts_value_integer(INT64_MIN),
      ts_value_integer(-1),
      ts_value_integer(4),
      ts_value_integer(INT64_MAX),
      ts_value_real(-1e300),
      ts_value_real(0),
      ts_value_real(0.5),
      ts_value_real(4),
      ts_value_real((double)NAN),
      ts_value_boolean(false),
      ts_value_boolean(true),
      ts_value_string(""),
      ts_value_string("Z"),
      ts_value_string("a"),
      ts_value_string("ab"),
      ts_value_string("\xC3\xA9"),
      list_of("[]"),
      list_of("[1]"),
      list_of("[1,2]"),
      list_of("[2]"),
      list_of("[2.0]"),
      list_of("[[1]]"),
  };
  for (size_t i = 0; i < COUNT_OF(ordered); i++) {
    for (size_t j = 0; j < COUNT_OF(ordered); j++) {
      assert_int_equal(sign(ts_value_compare(&ordered[i], &ordered[j])), sign((int)i - (int)j));
      assert_true(ts_value_equal(&ordered[i], &ordered[j]) == (i == j));
    }
  }
  char text[] = "ab";
  struct ts_value copy = ts_value_string(text);
  assert_true(ts_value_equal(&copy, &ordered[14]));
}

static void numbers_are_had(void **state) {
  (void)state;
  struct ts_value values[] = {ts_value_integer(-3), ts_value_real(2.5), ts_value_boolean(true),
                              ts_value_boolean(false)};
  double expected[] = {-3, 2.5, 1, 0};
  double number;
  for (size_t i = 0; i < 4; i++) {
    assert_true(ts_value_number(&values[i], &number));
    assert_true(number >= expected[i] && number <= expected[i]);
  }
  struct ts_value text = ts_value_string("4");
  struct ts_value list = list_of("[4]");
  assert_false(ts_value_number(&text, &number));
  assert_false(ts_value_number(&list, &number));
}

static void values_are_printed(void **state) {
  (void)state;
  struct ts_value values[] = {ts_value_integer(4),     ts_value_integer(INT64_MIN),
                              ts_value_real(5),        ts_value_real(5.11905),
                              ts_value_boolean(true),  ts_value_boolean(false),
                              ts_value_string("fast"), list_of("[0.5,1.5]"),
                              list_of("[]"),           list_of("[1, 5.0, \"a\\\"b\", true, [2]]")};
  static const char *const texts[] = {
      "4",  "-9223372036854775808",       "5", "5.11905", "true", "false", "fast", "[0.5,1.5]",
      "[]", "[1,5.0,\"a\\\"b\",true,[2]]"};
  for (size_t i = 0; i < COUNT_OF(values); i++) {
    assert_prints(&values[i], texts[i]);
    struct ts_value back;
    assert_true(ts_value_from_text(texts[i], values[i].type, &arena, &back, NULL));
    assert_true(ts_value_equal(&values[i], &back));
    json_t *json = ts_value_to_json(&values[i]);
    assert_true(ts_value_from_json(json, values[i].type, &arena, &back, NULL));
    assert_true(ts_value_equal(&values[i], &back));
    json_decref(json);
  }
}

static void json_of_the_right_type_is_read(void **state) {
  (void)state;
  struct ts_value value;
  assert_true(from_json_text("-7", TS_VALUE_INTEGER, &value, NULL));
  assert_true(value.type == TS_VALUE_INTEGER && value.as.integer == -7);
  assert_true(from_json_text("7", TS_VALUE_REAL, &value, NULL)); /* an integer is a fine real */
  assert_true(value.type == TS_VALUE_REAL);
  assert_prints(&value, "7");
  assert_true(from_json_text("true", TS_VALUE_BOOLEAN, &value, NULL));
  assert_true(value.as.boolean);
  assert_true(from_json_text("\"K\\u00f6ln\"", TS_VALUE_STRING, &value, NULL));
  assert_string_equal(value.as.string, "K\xC3\xB6ln");
  assert_true(from_json_text("[1,2.5,\"x\",[false]]", TS_VALUE_LIST, &value, NULL));
  assert_int_equal(value.as.list->count, 4);
  assert_int_equal(value.as.list->items[0].type, TS_VALUE_INTEGER);
  assert_int_equal(value.as.list->items[1].type, TS_VALUE_REAL);
  assert_int_equal(value.as.list->items[3].as.list->items[0].type, TS_VALUE_BOOLEAN);
}

static void json_of_another_type_is_refused(void **state) {
  (void)state;
  static const char *const samples[] = {"1", "1.5", "true", "\"x\"", "[1]", "null", "{}"};
  static const char accepted[][COUNT_OF(samples) + 1] = {"1000000", "1100000", "0010000", "0001000", "0000100"};
  for (int type = TS_VALUE_INTEGER; type <= TS_VALUE_LIST; type++) {
    for (size_t i = 0; i < COUNT_OF(samples); i++) {
      struct ts_value value;
      struct ts_error err = {0};
      bool ok = from_json_text(samples[i], (enum ts_value_type)type, &value, &err);
      assert_true(ok == (accepted[type][i] == '1'));
      if (!ok) assert_error(&err, TS_ERR_BAD_VALUE);
    }
  }
  struct ts_value value;
  struct ts_error err = {0};
  assert_false(from_json_text("4.0", TS_VALUE_INTEGER, &value, &err)); /* integer 4 and real 4 differ */
  assert_string_equal(err.text, "expected an integer, found a real number");
  ts_error_clear(&err);
  assert_false(from_json_text("[1,null]", TS_VALUE_LIST, &value, &err));
  assert_error(&err, TS_ERR_BAD_VALUE);
  ts_error_clear(&err);
  assert_false(from_json_text("[[{}]]", TS_VALUE_LIST, &value, &err));
  assert_error(&err, TS_ERR_BAD_VALUE);
  ts_error_clear(&err);
  assert_false(ts_value_from_json(NULL, TS_VALUE_REAL, &arena, &value, &err));
  assert_error(&err, TS_ERR_BAD_VALUE);
}

static void json_strings_with_nul_are_refused(void **state) {
  (void)state;
  json_t *json = json_stringn("a\0b", 3);
  struct ts_value value;
  struct ts_error err = {0};
  assert_false(ts_value_from_json(json, TS_VALUE_STRING, &arena, &value, &err));
  assert_error(&err, TS_ERR_BAD_VALUE);
  json_decref(json);
}

static void text_is_read(void **state) {
  (void)state;
  static const struct {
    enum ts_value_type type;
    const char *text;
  } bad[] = {
      {TS_VALUE_INTEGER, "4.0"}, {TS_VALUE_INTEGER, ""},     {TS_VALUE_INTEGER, "9223372036854775808"},
      {TS_VALUE_REAL, "nan"},    {TS_VALUE_REAL, "inf"},     {TS_VALUE_REAL, "1e999"},
      {TS_VALUE_REAL, "1,5"},    {TS_VALUE_BOOLEAN, "yes"},  {TS_VALUE_BOOLEAN, "True"},
      {TS_VALUE_BOOLEAN, ""},    {TS_VALUE_STRING, "\xFF"},  {TS_VALUE_LIST, "1,2"},
      {TS_VALUE_LIST, "[1,"},    {TS_VALUE_LIST, "{}"},      {TS_VALUE_LIST, "[null]"},
      {TS_VALUE_LIST, ""},       {TS_VALUE_LIST, "[1e999]"}, {TS_VALUE_LIST, "5"},
  };
  for (size_t i = 0; i < COUNT_OF(bad); i++) {
    struct ts_value value;
    struct ts_error err = {0};
    if (ts_value_from_text(bad[i].text, bad[i].type, &arena, &value, &err)) fail_msg("'%s' was accepted", bad[i].text);
    assert_error(&err, TS_ERR_BAD_VALUE);
  }
  struct ts_value value;
  assert_true(ts_value_from_text("1e-3", TS_VALUE_REAL, &arena, &value, NULL));
  assert_prints(&value, "0.001");
  assert_true(ts_value_from_text("", TS_VALUE_STRING, &arena, &value, NULL));
  assert_string_equal(value.as.string, "");
}

/* Whatever the bytes: no crash, false if and only if the error is set, and what is accepted survives a round trip. */
static void random_text_is_survived(void **state) {
  (void)state;
  static const char alphabet[] = "0123456789-+.eE[]\",truefalsn \\u\x01\xC3\xA9\xFF";
  struct ts_random random;
  ts_random_init(&random, 6, 0);
  size_t accepted = 0;
  for (int i = 0; i < 20000; i++) {
    char text[24];
    size_t length = (size_t)ts_random_below(&random, sizeof text);
    for (size_t k = 0; k < length; k++) {
      text[k] =
          i % 2 ? alphabet[ts_random_below(&random, sizeof alphabet - 1)] : (char)(1 + ts_random_below(&random, 255));
    }
    text[length] = '\0';
    enum ts_value_type type = (enum ts_value_type)ts_random_below(&random, 5);
    struct ts_value value;
    struct ts_error err = {0};
    bool ok = ts_value_from_text(text, type, &arena, &value, &err);
    assert_true(ok == (err.code == TS_ERR_OK));
    if (!ok) continue;
    accepted++;
    struct ts_str printed = {0};
    struct ts_value back;
    ts_value_print(&value, &printed);
    assert_true(ts_value_from_text(ts_str_get(&printed), type, &arena, &back, &err));
    assert_true(ts_value_equal(&value, &back));
    ts_str_release(&printed);
  }
  assert_true(accepted > 500);
}

/* Bytes of all pairs of some values: equal for equal ones only, and none begins another. */
static void bytes_tell_values_apart(void **state) {
  (void)state;
  const struct ts_value some[] = {ts_value_integer(1), ts_value_string("a"), ts_value_string("")};
  const struct ts_value_list lists[] = {{0, some}, {1, some}, {2, some}, {3, some}, {2, some + 1}};
  struct ts_value values[16] = {ts_value_integer(0),    ts_value_integer(1), ts_value_integer(256),
                                ts_value_real(0),       ts_value_real(1),    ts_value_boolean(false),
                                ts_value_boolean(true), ts_value_string(""), ts_value_string("a"),
                                ts_value_string("ab"),  ts_value_string("b")};
  size_t count = 11;
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    values[count++] = (struct ts_value){.type = TS_VALUE_LIST, .as.list = &lists[i]};
  for (size_t i = 0; i < count; i++) {
    for (size_t j = 0; j < count; j++) {
      ts_auto(ts_str_release) struct ts_str a = {0}, b = {0};
      ts_value_add_bytes(&values[i], &a);
      ts_value_add_bytes(&values[j], &b);
      bool begins = a.length <= b.length && memcmp(a.data, b.data, a.length) == 0;
      assert_int_equal(begins, ts_value_equal(&values[i], &values[j]));
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(types_have_names),
      cmocka_unit_test(minus_zero_is_zero),
      cmocka_unit_test(values_have_an_order),
      cmocka_unit_test(numbers_are_had),
      cmocka_unit_test(values_are_printed),
      cmocka_unit_test(json_of_the_right_type_is_read),
      cmocka_unit_test(json_of_another_type_is_refused),
      cmocka_unit_test(json_strings_with_nul_are_refused),
      cmocka_unit_test(text_is_read),
      cmocka_unit_test(bytes_tell_values_apart),
      cmocka_unit_test(random_text_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, release_arena);
}
