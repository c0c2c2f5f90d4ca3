/* Units of parameters: spellings, conversion to pixels by closed forms, and what may be bound to what.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "workflow/workflow.h"

#include "operations.h"

#include <math.h>

static void spellings_have_one_meaning(void **state) {
  (void)state;
  static const char *const lengths[] = {"um", "\xc2\xb5m", "\xce\xbcm"}; /* micro sign, Greek letter */
  static const char *const areas[] = {"um2", "um\xc2\xb2", "\xc2\xb5m\xc2\xb2", "\xce\xbcm\xc2\xb2", "\xc2\xb5m2"};
  static const char *const wrong[] = {"", "m", "mm", "UM", "um3", "um ", "px", "\xc2\xb5"};
  enum ts_unit unit = TS_UNIT_NONE;
  for (size_t i = 0; i < COUNT_OF(lengths); i++) assert_true(ts_unit_parse(lengths[i], &unit) && unit == TS_UNIT_UM);
  for (size_t i = 0; i < COUNT_OF(areas); i++) assert_true(ts_unit_parse(areas[i], &unit) && unit == TS_UNIT_UM2);
  for (size_t i = 0; i < COUNT_OF(wrong); i++) assert_false(ts_unit_parse(wrong[i], &unit));
  assert_string_equal(ts_unit_name(TS_UNIT_UM), "um");
  assert_string_equal(ts_unit_name(TS_UNIT_UM2), "um2");
}

/* Quotients that are exact in binary, so that equality is the right question. */
static void lengths_and_areas_become_pixels(void **state) {
  (void)state;
  const struct ts_pixel_size square = {0.25, 0.25}, oblong = {0.5, 0.125}; /* geometric mean 0.25 */
  assert_true(ts_unit_to_pixels(TS_UNIT_UM, 3, &square) == 12);
  assert_true(ts_unit_to_pixels(TS_UNIT_UM, 3, &oblong) == 12);
  assert_true(ts_unit_to_pixels(TS_UNIT_UM2, 3, &square) == 48);
  assert_true(ts_unit_to_pixels(TS_UNIT_UM2, 3, &oblong) == 48);
  /* 0.1 * 0.1 is not the square of an edge in doubles: square pixels are divided by the edge itself. */
  assert_true(ts_unit_to_pixels(TS_UNIT_UM, 0.7, &(struct ts_pixel_size){0.1, 0.1}) == 0.7 / 0.1);
}

static void operations_get_their_own_type(void **state) {
  (void)state;
  static const struct {
    double um, pixels;
  } rounded[] = {{0.6, 1}, {0.5, 1}, {0.49, 0}, {1.5, 2}, {2.5, 3}, {-0.5, -1}, {-2.5, -3}, {-0.49, 0}};
  const struct ts_pixel_size one = {1, 1}, quarter = {0.25, 0.25};
  for (size_t i = 0; i < COUNT_OF(rounded); i++) {
    const struct ts_value value = ts_value_real(rounded[i].um);
    const struct ts_value got = ts_unit_value(TS_UNIT_UM, &value, &one, INTEGER("n", 1, -1));
    assert_int_equal(got.type, TS_VALUE_INTEGER);
    assert_int_equal(got.as.integer, rounded[i].pixels);
  }
  const struct ts_value whole = ts_value_integer(3), large = ts_value_real(1e300);
  const struct ts_value real = ts_unit_value(TS_UNIT_UM2, &whole, &(struct ts_pixel_size){0.3, 0.7}, REAL("r", 1, -1));
  assert_int_equal(real.type, TS_VALUE_REAL);
  assert_true(real.as.real == 3 / (0.3 * 0.7));
  assert_true(ts_unit_value(TS_UNIT_UM, &large, &quarter, INTEGER("n", 1, -1)).as.integer == INT64_MAX);
}

/* The operation's own form of a value comes after the conversion: 5 neighbours count as 4. */
static void five_is_four(struct ts_op_value *value) {
  if (value->integer == 5) value->integer = 4;
}
static void pixels_are_canonical(void **state) {
  (void)state;
  const struct ts_op_parameter parameter = {.struct_bytes = sizeof parameter,
                                            .name = "n",
                                            .type = TS_OP_INTEGER,
                                            .low = 1,
                                            .high = -1,
                                            .canonical = five_is_four};
  const struct ts_value five_um = ts_value_real(5), quarter_um = ts_value_real(1.25);
  const struct ts_pixel_size half = {0.5, 0.5}, quarter = {0.25, 0.25};
  assert_int_equal(ts_unit_value(TS_UNIT_UM, &five_um, &half, &parameter).as.integer, 10);
  assert_int_equal(ts_unit_value(TS_UNIT_UM, &quarter_um, &quarter, &parameter).as.integer, 4);
}

static void sizes_are_known_by_both_edges(void **state) {
  (void)state;
  assert_true(ts_pixel_size_is_known(&(struct ts_pixel_size){0.5, 0.25}));
  assert_false(ts_pixel_size_is_known(&(struct ts_pixel_size){0.5, 0}));
  assert_false(ts_pixel_size_is_known(&(struct ts_pixel_size){0}));
}

/* ---- In a workflow: test.options has parameters of every type. ---- */

static struct ts_workflow *read(const char *parameters, const char *bound, struct ts_faults *faults) {
  struct ts_registry *registry = create_test_registry();
  struct ts_str text = {0};
  ts_str_addf(&text,
              "{\"tessera\":1,\"name\":\"w\",\"inputs\":{\"t\":{\"type\":\"table\"}},\"parameters\":{%s},\"stages\":["
              "{\"name\":\"s\",\"per\":\"file\",\"in\":{\"t\":\"t\"},\"out\":{\"o\":\"a.table\"},\"tasks\":["
              "{\"name\":\"a\",\"op\":\"test.options\",\"in\":{\"first\":\"t\"},\"params\":{\"mode\":{\"value\":"
              "\"fast\"},\"level\":{\"value\":\"rough\"},\"verbose\":%s,\"gain\":%s,\"offset\":{\"value\":1.5}}}]}]}",
              parameters, strcmp(bound, "verbose") == 0 ? "\"x\"" : "{\"value\":true}",
              strcmp(bound, "gain") == 0 ? "\"x\"" : "{\"value\":1.5}");
  struct ts_json_doc doc = {0};
  struct ts_error err = {0};
  if (!ts_json_doc_parse(&doc, "w.json", ts_str_get(&text), text.length, &err)) fail_msg("%s", err.text);
  struct ts_workflow *workflow = ts_workflow_parse(&doc, registry, faults);
  ts_json_doc_close(&doc);
  ts_str_release(&text);
  ts_registry_destroy(registry);
  return workflow;
}

/* The domain of the operation, 0.5 to 2, is one of pixels: 40 micrometres lie outside, and may be right in a file. */
static void domains_of_operations_are_in_pixels(void **state) {
  (void)state;
  ts_auto(ts_faults_release) struct ts_faults faults = {0};
  struct ts_workflow *workflow = read("\"x\":{\"type\":\"integer\",\"unit\":\"um\",\"default\":40}", "gain", &faults);
  assert_non_null(workflow);
  assert_false(workflow->parameters[0].has_domain);
  assert_int_equal(workflow->parameters[0].unit, TS_UNIT_UM);
  size_t gain = 3;
  assert_int_equal(workflow->tasks[0].parameters[gain].unit, TS_UNIT_UM);
  assert_int_equal(workflow->tasks[0].parameters[gain + 1].unit, TS_UNIT_NONE);
  ts_workflow_destroy(workflow);
}

static void only_numbers_have_pixels(void **state) {
  (void)state;
  ts_auto(ts_faults_release) struct ts_faults faults = {0};
  assert_null(read("\"x\":{\"type\":\"real\",\"unit\":\"um\",\"default\":40}", "verbose", &faults));
  assert_int_equal(faults.count, 1);
  assert_string_equal(faults.items[0].text,
                      "'verbose' of operation 'test.options' is of type boolean, but parameter 'x' is of type real");
  assert_string_equal(faults.items[0].help, "a unit is for numbers: give this operation a parameter of its own");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spellings_have_one_meaning),    cmocka_unit_test(lengths_and_areas_become_pixels),
      cmocka_unit_test(operations_get_their_own_type), cmocka_unit_test(pixels_are_canonical),
      cmocka_unit_test(sizes_are_known_by_both_edges), cmocka_unit_test(domains_of_operations_are_in_pixels),
      cmocka_unit_test(only_numbers_have_pixels),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
