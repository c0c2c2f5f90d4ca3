/* Writing JSON: layout, order, escapes, reals that stay reals.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/base/testing.h"

#include "base/alloc.h"
#include "base/json.h"
#include "base/random.h"

#include <math.h>

static void assert_dump(json_t *json, bool sorted, bool indent, const char *expected) {
  assert_non_null(json);
  ts_auto_free char *text = ts_json_dump(json, sorted, indent);
  assert_string_equal(text, expected);
}

static void layout_and_order(void **state) {
  (void)state;
  json_t *json = json_loads("{\"b\":[1,[],{}],\"a\":{\"z\":null,\"\\u00e9\":false,\"Z\":true}}", 0, NULL);
  assert_dump(json, false, false, "{\"b\":[1,[],{}],\"a\":{\"z\":null,\"\xC3\xA9\":false,\"Z\":true}}");
  assert_dump(json, true, false, "{\"a\":{\"Z\":true,\"z\":null,\"\xC3\xA9\":false},\"b\":[1,[],{}]}");
  assert_dump(json, true, true,
              "{\n  \"a\": {\n    \"Z\": true,\n    \"z\": null,\n    \"\xC3\xA9\": false\n  },\n"
              "  \"b\": [\n    1,\n    [],\n    {}\n  ]\n}");
  json_decref(json);
}

static void numbers_become_values(void **state) {
  (void)state;
  json_t *list = json_array();
  const double reals[] = {0.25, 3, NAN, INFINITY, -INFINITY, -0.5};
  for (size_t i = 0; i < COUNT_OF(reals); i++) json_array_append_new(list, ts_json_real(reals[i]));
  json_array_append_new(list, ts_json_count(0));
  json_array_append_new(list, ts_json_count(UINT64_C(9007199254740993))); /* 2^53 + 1: no double has it */
  assert_dump(list, false, false, "[0.25,3.0,null,null,null,-0.5,0,9007199254740993]");
  json_decref(list);
}

static void strings_are_escaped(void **state) {
  (void)state;
  json_t *json = json_string("\"\\/\b\f\n\r\t\x01\x1F\x7F<\xE2\x82\xAC\xF0\x9F\x98\x80");
  assert_dump(json, false, false, "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\x7F<\xE2\x82\xAC\xF0\x9F\x98\x80\"");
  ts_auto_free char *html = ts_json_dump_html(json);
  assert_string_equal(html, "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\x7F\\u003c\xE2\x82\xAC\xF0\x9F\x98\x80\"");
  json_decref(json);
  json = json_stringn("a\0b", 3);
  assert_dump(json, false, false, "\"a\\u0000b\"");
  json_decref(json);
}

static void no_tag_survives_in_html(void **state) {
  (void)state;
  json_t *json = json_object();
  json_object_set_new(json, "</script>", json_string("<!-- <script>"));
  ts_auto_free char *html = ts_json_dump_html(json);
  assert_null(strchr(html, '<'));
  json_t *back = json_loads(html, 0, NULL);
  assert_true(json_equal(json, back));
  json_decref(back);
  json_decref(json);
}

static void numbers_are_exact(void **state) {
  (void)state;
  static const struct {
    double value;
    const char *text;
  } reals[] = {{0.1, "0.1"},
               {5, "5.0"},
               {-0.0, "-0.0"},
               {1e-7, "1e-07"},
               {1e22, "1e+22"},
               {100000, "100000.0"},
               {1.0 / 3, "0.3333333333333333"}};
  for (size_t i = 0; i < COUNT_OF(reals); i++) {
    json_t *json = json_real(reals[i].value);
    assert_dump(json, false, false, reals[i].text);
    json_decref(json);
  }
  json_t *json = json_integer(INT64_MIN);
  assert_dump(json, false, false, "-9223372036854775808");
  json_decref(json);
  struct ts_random random;
  ts_random_init(&random, 9, 0);
  for (int i = 0; i < 5000; i++) {
    uint64_t bits = ts_random_u64(&random);
    double value;
    memcpy(&value, &bits, sizeof value);
    if (i % 2) value = trunc((double)ts_random_below(&random, 1u << 20));
    if (!isfinite(value)) continue;
    json = json_real(value);
    ts_auto_free char *text = ts_json_dump(json, false, false);
    json_t *back = json_loads(text, JSON_DECODE_ANY, NULL);
    assert_true(json_is_real(back));
    double read = json_real_value(back);
    assert_memory_equal(&read, &value, sizeof value);
    json_decref(back);
    json_decref(json);
  }
}

static void many_keys_are_sorted(void **state) {
  (void)state;
  json_t *json = json_object();
  char key[16];
  for (int i = 0; i < 500; i++) {
    snprintf(key, sizeof key, "%03d", i * 77 % 500);
    json_object_set_new(json, key, json_integer(i));
  }
  ts_auto_free char *text = ts_json_dump(json, true, true);
  const char *place = text;
  for (int i = 0; i < 500; i++) {
    snprintf(key, sizeof key, "\"%03d\"", i);
    place = strstr(place, key);
    assert_non_null(place);
  }
  json_decref(json);
}

static void dump_nothing(void) { free(ts_json_dump(NULL, false, false)); }

static void dump_nothing_in_a_program(void) {
  ts_memory_exit_when_exhausted();
  dump_nothing();
}

/* What jansson had no memory for is reported as that, not as a mistake of the program. */
static void no_value_means_no_memory(void **state) {
  (void)state;
  char folder[64], path[80], words[400] = "";
  assert_true(aborts(dump_nothing));
  snprintf(path, sizeof path, "%s/words", scratch_create(folder));
  const int status = end_of(dump_nothing_in_a_program, path);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), ts_error_exit_code(TS_ERR_NO_MEMORY));
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  assert_true(fread(words, 1, sizeof words - 1, file) > 0);
  fclose(file);
  assert_non_null(strstr(words, "error[T511]: out of memory (a JSON value)\nhelp: "));
  assert_null(strstr(words, "internal error"));
  scratch_remove(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(layout_and_order),         cmocka_unit_test(numbers_become_values),
      cmocka_unit_test(strings_are_escaped),      cmocka_unit_test(no_tag_survives_in_html),
      cmocka_unit_test(numbers_are_exact),        cmocka_unit_test(many_keys_are_sorted),
      cmocka_unit_test(no_value_means_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
