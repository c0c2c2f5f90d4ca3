/* Parameters on their own, as space files use them: grids, defaults, and what is refused.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "workflow/workflow.h"

#include <stdlib.h>
#include <string.h>

struct parsed {
  struct ts_arena arena;
  struct ts_faults faults;
  struct ts_parameter parameter;
  bool ok;
};

static void parse(struct parsed *parsed, const char *text) {
  memset(parsed, 0, sizeof *parsed);
  struct ts_json_doc doc = {0};
  struct ts_error err = {0};
  if (!ts_json_doc_parse(&doc, "space.json", text, strlen(text), &err)) fail_msg("%s", err.text);
  parsed->ok = ts_parameter_parse(&doc, doc.root, "", "x", &parsed->arena, &parsed->parameter, &parsed->faults);
  assert_int_equal(parsed->ok, parsed->faults.count == 0);
  ts_json_doc_close(&doc);
}

static void release(struct parsed *parsed) {
  ts_faults_release(&parsed->faults);
  ts_arena_release(&parsed->arena);
}

static void assert_levels(const char *text, const double *levels, size_t count) {
  struct parsed parsed;
  parse(&parsed, text);
  assert_true(parsed.ok);
  assert_int_equal(parsed.parameter.level_count, count);
  for (size_t i = 0; i < count; i++) {
    double number = -1;
    assert_true(ts_value_number(&parsed.parameter.levels[i], &number));
    if (number != levels[i]) fail_msg("%s: level %zu is %.17g, not %.17g", text, i, number, levels[i]);
  }
  release(&parsed);
}

/* The expected doubles are what the compiler makes of the decimal texts. */
static void test_grids(void **state) {
  (void)state;
  assert_levels("{\"type\":\"integer\",\"grid\":{\"from\":-4,\"to\":5,\"step\":3}}", (double[]){-4, -1, 2, 5}, 4);
  assert_levels("{\"type\":\"integer\",\"grid\":{\"from\":0,\"to\":5,\"step\":2}}", (double[]){0, 2, 4}, 3);
  assert_levels("{\"type\":\"real\",\"grid\":{\"from\":0,\"to\":1,\"step\":0.1}}",
                (double[]){0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0}, 11);
  assert_levels("{\"type\":\"real\",\"grid\":{\"from\":0.05,\"to\":0.35,\"step\":0.1}}",
                (double[]){0.05, 0.15, 0.25, 0.35}, 4);
  assert_levels("{\"type\":\"real\",\"grid\":{\"from\":2.5,\"to\":2.5,\"step\":1}}", (double[]){2.5}, 1);
  assert_levels("{\"type\":\"real\",\"grid\":{\"from\":1e-9,\"to\":3e-9,\"step\":1e-9}}",
                (double[]){1e-9, 1e-9 + 1e-9, 1e-9 + 2 * 1e-9}, 3);
  assert_levels("{\"type\":\"real\",\"grid\":[3, 1, 2.5]}", (double[]){3, 1, 2.5}, 3);
  /* as far apart as integers can be */
  assert_levels("{\"type\":\"integer\",\"grid\":{\"from\":-9223372036854775808,\"to\":9223372036854775807,"
                "\"step\":9223372036854775807}}",
                (double[]){-9223372036854775808.0, -1.0, 9223372036854775806.0}, 3);
}

static void test_defaults_of_space_files(void **state) {
  (void)state;
  struct parsed parsed;
  parse(&parsed, "{\"name\":\"x\",\"type\":\"real\",\"range\":[-1,1],\"help\":\"h\"}");
  assert_true(parsed.ok);
  assert_true(parsed.parameter.default_value.as.real == -1);
  assert_true(parsed.parameter.has_range && !parsed.parameter.has_domain);
  assert_string_equal(parsed.parameter.name, "x");
  assert_string_equal(parsed.parameter.help, "h");
  release(&parsed);
  parse(&parsed, "{\"type\":\"string\",\"grid\":[\"b\",\"a\"]}");
  assert_string_equal(parsed.parameter.default_value.as.string, "b");
  release(&parsed);
  parse(&parsed, "{\"type\":\"integer\",\"domain\":[9223372036854775807,9223372036854775807]}");
  assert_true(parsed.ok);
  assert_true(parsed.parameter.default_value.as.integer == INT64_MAX);
  release(&parsed);
}

static void assert_refused(const char *text, enum ts_error_code code) {
  struct parsed parsed;
  parse(&parsed, text);
  assert_false(parsed.ok);
  assert_int_equal(parsed.faults.count, 1);
  if (parsed.faults.items[0].code != code) {
    fail_msg("%s: T%d '%s', not T%d", text, ts_error_number(parsed.faults.items[0].code), parsed.faults.items[0].text,
             ts_error_number(code));
  }
  assert_true(parsed.faults.items[0].help[0] != '\0');
  release(&parsed);
}

static void test_refused(void **state) {
  (void)state;
  assert_refused("[]", TS_ERR_WRONG_TYPE);
  assert_refused("{\"grid\":[1]}", TS_ERR_MISSING_KEY);
  assert_refused("{\"type\":\"list\"}", TS_ERR_BAD_VALUE);
  assert_refused("{\"type\":\"real\",\"grid\":3}", TS_ERR_WRONG_TYPE);
  assert_refused("{\"type\":\"real\",\"grid\":{\"from\":1,\"to\":2}}", TS_ERR_MISSING_KEY);
  assert_refused("{\"type\":\"real\",\"grid\":{\"from\":1,\"to\":2,\"step\":-1}}", TS_ERR_BAD_VALUE);
  assert_refused("{\"type\":\"real\",\"grid\":{\"from\":0,\"to\":1e300,\"step\":1e-300}}", TS_ERR_BAD_VALUE);
  assert_refused("{\"type\":\"integer\",\"grid\":{\"from\":0,\"to\":100000,\"step\":1}}", TS_ERR_BAD_VALUE);
  assert_refused(
      "{\"type\":\"integer\",\"grid\":{\"from\":-9223372036854775808,\"to\":9223372036854775807,\"step\":1}}",
      TS_ERR_BAD_VALUE);
  assert_refused("{\"type\":\"string\",\"grid\":{\"from\":0,\"to\":1,\"step\":1}}", TS_ERR_WRONG_TYPE);
  assert_refused("{\"type\":\"string\",\"domain\":[0,1]}", TS_ERR_UNKNOWN_KEY);
  assert_refused("{\"type\":\"boolean\",\"range\":[0,1]}", TS_ERR_UNKNOWN_KEY);
  assert_refused("{\"type\":\"string\",\"choices\":[]}", TS_ERR_EMPTY_RANGE);
  assert_refused("{\"type\":\"string\",\"choices\":[\"a\",1]}", TS_ERR_WRONG_TYPE);
  assert_refused("{\"type\":\"real\",\"range\":[1,2,3]}", TS_ERR_WRONG_TYPE);
  assert_refused("{\"type\":\"real\",\"range\":[2,1]}", TS_ERR_EMPTY_RANGE);
  assert_refused("{\"type\":\"real\",\"domain\":[0,1],\"range\":[0,2]}", TS_ERR_GRID_OUTSIDE_DOMAIN);
  assert_refused("{\"type\":\"real\",\"help\":1}", TS_ERR_WRONG_TYPE);
  assert_refused("{\"type\":\"real\",\"steps\":1}", TS_ERR_UNKNOWN_KEY);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_grids),
      cmocka_unit_test(test_defaults_of_space_files),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
