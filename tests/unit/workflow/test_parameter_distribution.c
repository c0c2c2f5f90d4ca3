/* Distributions and weights of parameters: what is read, and every fault with its place.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "workflow/workflow.h"

#include <math.h>
#include <stdio.h>
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
  if (!parsed->ok && parsed->faults.count > 0 && !parsed->faults.items[0].text[0]) fail_msg("a fault without text");
  ts_json_doc_close(&doc);
}

static void release(struct parsed *parsed) {
  ts_faults_release(&parsed->faults);
  ts_arena_release(&parsed->arena);
}

static struct ts_parameter *must_parse(struct parsed *parsed, const char *text) {
  parse(parsed, text);
  if (!parsed->ok) fail_msg("%s: %s", text, parsed->faults.items[0].text);
  return &parsed->parameter;
}

static void test_distributions(void **state) {
  (void)state;
  struct parsed parsed;
  struct ts_parameter *p =
      must_parse(&parsed, "{\"type\":\"real\",\"distribution\":{\"normal\":{\"mean\":3,\"sd\":2}}}");
  assert_int_equal(p->distribution.kind, TS_NORMAL);
  assert_true(p->distribution.mean == 3 && p->distribution.sd == 2 && p->has_range);
  assert_true(fabs(p->range_low - (3 - 2 * 8.292361075813595)) < 1e-14);
  assert_true(p->default_value.as.real == 3); /* the median */
  release(&parsed);
  p = must_parse(&parsed, "{\"type\":\"real\",\"range\":[1,2],\"distribution\":{\"lognormal\":{\"mean\":0,\"sd\":1}}}");
  assert_int_equal(p->distribution.kind, TS_LOGNORMAL);
  assert_true(p->range_low == 1 && p->range_high == 2 && p->distribution.from == 1 && p->distribution.to == 2);
  release(&parsed);
  p = must_parse(&parsed,
                 "{\"type\":\"integer\",\"distribution\":{\"triangular\":{\"low\":0,\"mode\":2.5,\"high\":5}}}");
  assert_true(p->range_low == 0 && p->range_high == 5);
  assert_true(p->distribution.from == -0.5 && p->distribution.to == 5.5 && p->distribution.mode == 2.5);
  release(&parsed);
  p = must_parse(&parsed, "{\"type\":\"real\",\"range\":[1,100],\"distribution\":\"log-uniform\"}");
  assert_int_equal(p->distribution.kind, TS_LOG_UNIFORM);
  assert_true(fabs(p->default_value.as.real - 10) < 1e-14);
  release(&parsed);
  p = must_parse(&parsed, "{\"type\":\"real\",\"range\":[1,100],\"distribution\":\"uniform\"}");
  assert_int_equal(p->distribution.kind, TS_UNIFORM);
  release(&parsed);
  p = must_parse(&parsed, "{\"type\":\"integer\",\"distribution\":{\"normal\":{\"mean\":10,\"sd\":0.5}}}");
  assert_true(p->range_low == 6 && p->range_high == 14); /* 10 -+ 4.146 */
  assert_int_equal(p->default_value.as.integer, 10);
  release(&parsed);
}

static void test_weights(void **state) {
  (void)state;
  struct parsed parsed;
  struct ts_parameter *p =
      must_parse(&parsed, "{\"type\":\"string\",\"grid\":[\"a\",\"b\",\"c\"],\"weights\":[1,0,3],\"group\":\"words\"}");
  assert_true(p->shares[0] == 0.25 && p->shares[1] == 0.25 && p->shares[2] == 1);
  assert_string_equal(p->group, "words");
  release(&parsed);
  p = must_parse(&parsed,
                 "{\"type\":\"integer\",\"grid\":{\"from\":0,\"to\":2,\"step\":1},\"weights\":[1e308,1e308,0]}");
  assert_true(p->shares[0] == 0.5 && p->shares[1] == 1 && p->shares[2] == 1);
  release(&parsed);
  p = must_parse(&parsed, "{\"type\":\"boolean\",\"grid\":[false,true]}");
  assert_null(p->shares);
  assert_null(p->group);
  release(&parsed);
}

/* `at` is the text that stands at the place of the fault. */
static void assert_refused(const char *text, enum ts_error_code code, const char *at, const char *part) {
  struct parsed parsed;
  parse(&parsed, text);
  if (parsed.ok) fail_msg("accepted: %s", text);
  assert_int_equal(parsed.faults.count, 1);
  const struct ts_error *err = &parsed.faults.items[0];
  if (err->code != code || !strstr(err->text, part))
    fail_msg("%s: T%d %s", text, ts_error_number(err->code), err->text);
  assert_true(err->help[0] != '\0');
  assert_int_equal(err->where.line, 1);
  const char *place = text + err->where.column - 1;
  if (strncmp(place, at, strlen(at)) != 0) fail_msg("'%s' is at '%s', not at '%s'", err->text, place, at);
  release(&parsed);
}

static void test_refused_numbers(void **state) {
  (void)state;
  assert_refused("{\"type\":\"real\",\"distribution\":{\"normal\":{\"mean\":1,\"sd\":0}}}", TS_ERR_BAD_VALUE, "0}",
                 "'sd' of parameter 'x' must be above 0");
  assert_refused("{\"type\":\"real\",\"distribution\":{\"lognormal\":{\"mean\":1,\"sd\":-2}}}", TS_ERR_BAD_VALUE, "-2",
                 "above 0");
  assert_refused("{\"type\":\"real\",\"distribution\":{\"normal\":{\"mean\":1}}}", TS_ERR_MISSING_KEY, "{\"mean\"",
                 "'sd'");
  assert_refused("{\"type\":\"real\",\"distribution\":{\"normal\":{\"mean\":1,\"sd\":\"2\"}}}", TS_ERR_WRONG_TYPE,
                 "\"2\"", "must be a number");
  assert_refused("{\"type\":\"real\",\"distribution\":{\"normal\":{\"mean\":1,\"sd\":2,\"skew\":1}}}",
                 TS_ERR_UNKNOWN_KEY, "\"skew\"", "no key 'skew'");
  assert_refused("{\"type\":\"real\",\"distribution\":{\"triangular\":{\"low\":1,\"mode\":9,\"high\":3}}}",
                 TS_ERR_BAD_VALUE, "9", "'mode' of parameter 'x' must lie between");
  assert_refused("{\"type\":\"real\",\"distribution\":{\"triangular\":{\"low\":3,\"mode\":3,\"high\":3}}}",
                 TS_ERR_BAD_VALUE, "3}", "above 'low'");
  assert_refused("{\"type\":\"integer\",\"distribution\":{\"triangular\":{\"low\":0.5,\"mode\":2,\"high\":3}}}",
                 TS_ERR_BAD_VALUE, "0.5", "'low' of parameter 'x' must be an integer");
}

static void test_refused_forms(void **state) {
  (void)state;
  assert_refused("{\"type\":\"real\",\"range\":[0,1],\"distribution\":\"gauss\"}", TS_ERR_BAD_VALUE, "\"gauss\"",
                 "no distribution 'gauss'");
  assert_refused("{\"type\":\"real\",\"range\":[0,1],\"distribution\":{\"norml\":{\"mean\":0,\"sd\":1}}}",
                 TS_ERR_BAD_VALUE, "\"norml\"", "no distribution 'norml'");
  assert_refused("{\"type\":\"real\",\"range\":[0,1],\"distribution\":\"normal\"}", TS_ERR_WRONG_TYPE, "\"normal\"",
                 "needs numbers");
  assert_refused("{\"type\":\"real\",\"range\":[0,1],\"distribution\":{\"normal\":3}}", TS_ERR_WRONG_TYPE, "3",
                 "needs an object");
  assert_refused("{\"type\":\"real\",\"range\":[0,1],\"distribution\":{\"uniform\":{}}}", TS_ERR_WRONG_TYPE, "{}",
                 "takes no numbers");
  assert_refused("{\"type\":\"real\",\"range\":[0,1],\"distribution\":7}", TS_ERR_WRONG_TYPE, "7", "must be one word");
  assert_refused("{\"type\":\"real\",\"range\":[0,1],\"distribution\":{}}", TS_ERR_WRONG_TYPE, "{}",
                 "must be one word");
  assert_refused("{\"type\":\"string\",\"grid\":[\"a\",\"b\"],\"distribution\":\"uniform\"}", TS_ERR_UNKNOWN_KEY,
                 "\"distribution\"", "cannot have the key 'distribution'");
}

static void test_refused_ranges(void **state) {
  (void)state;
  const char *const sd_1 = "\"distribution\":{\"normal\":{\"mean\":0,\"sd\":1}}}";
  char text[256];
  snprintf(text, sizeof text, "{\"type\":\"real\",\"range\":[60,70],%s", sd_1);
  assert_refused(text, TS_ERR_EMPTY_RANGE, "[60,70]", "no probability in its range");
  snprintf(text, sizeof text, "{\"type\":\"real\",\"grid\":[1,2],%s", sd_1);
  assert_refused(text, TS_ERR_BAD_VALUE, "{\"normal\"", "there is a grid");
  snprintf(text, sizeof text, "{\"type\":\"real\",\"domain\":[-5,5],%s", sd_1);
  assert_refused(text, TS_ERR_GRID_OUTSIDE_DOMAIN, "{\"normal\"", "reaches -8.29");
  assert_refused("{\"type\":\"real\",\"distribution\":\"log-uniform\"}", TS_ERR_MISSING_KEY, "\"log-uniform\"",
                 "needs the key 'range'");
  assert_refused("{\"type\":\"real\",\"distribution\":\"uniform\"}", TS_ERR_MISSING_KEY, "\"uniform\"",
                 "needs the key 'range'");
  assert_refused("{\"type\":\"real\",\"range\":[0,1],\"distribution\":\"log-uniform\"}", TS_ERR_BAD_VALUE, "[0,1]",
                 "needs a range above 0");
  assert_refused("{\"type\":\"real\",\"range\":[0,4],\"distribution\":{\"triangular\":"
                 "{\"low\":1,\"mode\":2,\"high\":5}}}",
                 TS_ERR_BAD_VALUE, "[0,4]", "ends before its range");
  assert_refused("{\"type\":\"real\",\"distribution\":{\"lognormal\":{\"mean\":700,\"sd\":9}}}", TS_ERR_BAD_VALUE,
                 "{\"lognormal\"", "too large");
  assert_refused("{\"type\":\"real\",\"distribution\":{\"lognormal\":{\"mean\":-700,\"sd\":9}}}", TS_ERR_BAD_VALUE,
                 "{\"lognormal\"", "too small");
  assert_refused("{\"type\":\"integer\",\"distribution\":{\"normal\":{\"mean\":1e18,\"sd\":9}}}", TS_ERR_BAD_VALUE,
                 "{\"normal\"", "too large");
  assert_refused("{\"type\":\"integer\",\"distribution\":{\"normal\":{\"mean\":5,\"sd\":0.01}}}", TS_ERR_EMPTY_RANGE,
                 "{\"normal\"", "too narrow");
  assert_refused("{\"type\":\"integer\",\"range\":[1,9223372036854775807],\"distribution\":\"log-uniform\"}",
                 TS_ERR_BAD_VALUE, "[1,", "too large");
}

static void test_refused_weights(void **state) {
  (void)state;
  assert_refused("{\"type\":\"real\",\"grid\":[1,2,3],\"weights\":[1,2]}", TS_ERR_BAD_VALUE, "[1,2]}",
                 "3 grid values, but 2 weights");
  assert_refused("{\"type\":\"real\",\"grid\":[1,2],\"weights\":[1,-2]}", TS_ERR_BAD_VALUE, "-2", "is negative");
  assert_refused("{\"type\":\"real\",\"grid\":[1,2],\"weights\":[0,0]}", TS_ERR_BAD_VALUE, "[0,0]", "are 0");
  assert_refused("{\"type\":\"real\",\"grid\":[1,2],\"weights\":[1,\"2\"]}", TS_ERR_WRONG_TYPE, "\"2\"",
                 "must be a number");
  assert_refused("{\"type\":\"real\",\"grid\":[1,2],\"weights\":5}", TS_ERR_WRONG_TYPE, "5", "must be a list");
  assert_refused("{\"type\":\"real\",\"range\":[1,2],\"weights\":[1,2]}", TS_ERR_UNKNOWN_KEY, "\"weights\"",
                 "no 'grid'");
  assert_refused("{\"type\":\"real\",\"range\":[1,2],\"group\":\"a b\"}", TS_ERR_BAD_NAME, "\"a b\"", "a group");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_distributions),   cmocka_unit_test(test_weights),
      cmocka_unit_test(test_refused_numbers), cmocka_unit_test(test_refused_forms),
      cmocka_unit_test(test_refused_ranges),  cmocka_unit_test(test_refused_weights),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
