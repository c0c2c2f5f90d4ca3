/* Tests of design/space_problem.c and space_json.c: problems of SALib as spaces, and spaces in one form and back.
 * SPDX-License-Identifier: Apache-2.0 */
#include "design/design.h"

#include "base/alloc.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bool read_text(struct ts_space *space, const char *text, struct ts_faults *faults) {
  struct ts_json_doc doc = {0};
  struct ts_error err = {0};
  assert_true(ts_json_doc_parse(&doc, "space.json", text, strlen(text), &err));
  bool ok = ts_space_read_object(space, &doc, doc.root, "", faults);
  ts_json_doc_close(&doc);
  return ok;
}

static double value_at(const struct ts_space *space, size_t column, double unit) {
  struct ts_value value = ts_space_value(space->parameters[column], unit, NULL);
  double number = NAN;
  assert_true(ts_value_number(&value, &number));
  return number;
}

/* Medians and quartiles by their formulas: 0.6744897501960817 is the upper quartile of the standard normal. */
static void bounds_mean_what_they_mean_in_salib(void **state) {
  (void)state;
  struct ts_space space;
  struct ts_faults faults = {0};
  assert_true(read_text(
      &space,
      "{\"num_vars\": 6, \"names\": [\"u\", \"l\", \"n\", \"e\", \"c\", \"t\"],\n"
      "\"dists\": [\"unif\", \"logunif\", \"norm\", \"lognorm\", \"truncnorm\", \"triang\"],\n"
      "\"bounds\": [[-1, 3], [0.01, 100], [5, 2], [1, 0.5], [2, 8, 5, 1], [2, 6, 0.25]],\n"
      "\"groups\": [\"a\", \"b\", \"a\", \"c\", \"c\", \"c\"], \"outputs\": [\"Y\"], \"sample_scaled\": true}",
      &faults));
  assert_int_equal(space.count, 6);
  assert_string_equal(space.parameters[2]->group, "a");
  const double quartile = 0.6744897501960817;
  const double expected[6][2] = {{1, 2},
                                 {1, 10},
                                 {5, 5 + 2 * quartile},
                                 {exp(1), exp(1 + 0.5 * quartile)},
                                 {5, 5.6734}, /* between +-3 standard deviations: a little nearer than the quartile */
                                 {6 - sqrt(0.5 * 4 * 3), 6 - sqrt(0.25 * 4 * 3)}};
  for (size_t i = 0; i < 6; i++) {
    double tolerance = i == 4 ? 0.01 : 1e-12;
    assert_true(fabs(value_at(&space, i, 0.5) - expected[i][0]) < tolerance * 10);
    assert_true(fabs(value_at(&space, i, 0.75) - expected[i][1]) < tolerance * 10);
  }
  ts_space_release(&space);
  ts_faults_release(&faults);
}

static void refuses(const char *text, enum ts_error_code code, int line, const char *said) {
  struct ts_space space;
  struct ts_faults faults = {0};
  assert_false(read_text(&space, text, &faults));
  assert_int_equal(faults.count, 1);
  assert_int_equal(faults.items[0].code, code);
  assert_int_equal(faults.items[0].where.line, line);
  assert_non_null(strstr(faults.items[0].text, said));
  assert_true(faults.items[0].help[0]);
  ts_faults_release(&faults);
}

static void names_the_place_of_a_fault(void **state) {
  (void)state;
  refuses("{\"names\": [\"a\"],\n\"bounds\": [[0, 1]],\n\"dists\": [\"beta\"]}", TS_ERR_BAD_VALUE, 3, "'beta'");
  refuses("{\"names\": [\"a\", 5],\n\"bounds\": [[0, 1], [0, 1]]}", TS_ERR_WRONG_TYPE, 1, "a parameter");
  refuses("{\"names\": [\"a\"],\n\"bounds\": [[0, 1, 2]]}", TS_ERR_WRONG_TYPE, 2, "'a' (unif) must be 2 numbers");
  refuses("{\"names\": [\"a\"],\n\"bounds\": [[0, \"1\"]]}", TS_ERR_WRONG_TYPE, 2, "'a' (unif) must be 2 numbers");
  refuses("{\"names\": [\"a\"],\n\"bounds\": [\n5]}", TS_ERR_WRONG_TYPE, 3, "must be 2 numbers");
  refuses("{\"names\": [],\n\"bounds\": []}", TS_ERR_BAD_VALUE, 1, "names no parameter");
  refuses("{\"names\": [\"a\"],\n\"bounds\": [[0, 1]],\n\"groups\": 3}", TS_ERR_WRONG_TYPE, 3, "'groups'");
  refuses("{\"names\": [\"a\"],\n\"bounds\": [[1, 2, 7]],\n\"dists\": [\"triang\"]}", TS_ERR_BAD_VALUE, 2, "'mode'");
  refuses("{\"names\": [\"a\"],\n\"bounds\": [[-1e308, 1e308, 0.5]],\n\"dists\": [\"triang\"]}", TS_ERR_BAD_VALUE, 2,
          "'a' has neither");
  refuses("{\"names\": [\"a\"],\n\"bounds\": [[0, 1]],\n\"dists\": [\"logunif\"]}", TS_ERR_BAD_VALUE, 2, "log-uniform");
  refuses("{\"num_vars\": 1, \"names\": [\"a\"]}", TS_ERR_MISSING_KEY, 1, "'bounds'");
}

/* Both have the same values at the same coordinates, and the same text. */
static void assert_same(const struct ts_space *a, const struct ts_space *b) {
  assert_int_equal(a->count, b->count);
  assert_int_equal(a->constraint_count, b->constraint_count);
  for (size_t i = 0; i < a->count; i++) {
    assert_string_equal(a->parameters[i]->name, b->parameters[i]->name);
    assert_int_equal(a->parameters[i]->type, b->parameters[i]->type);
    for (int step = 0; step <= 32; step++) {
      double unit = step / 32.0;
      struct ts_value x = ts_space_value(a->parameters[i], unit, NULL),
                      y = ts_space_value(b->parameters[i], unit, NULL);
      assert_true(ts_value_equal(&x, &y));
    }
  }
}

static void comes_back_from_its_one_form(void **state) {
  (void)state;
  struct ts_space space, again;
  struct ts_faults faults = {0};
  assert_true(
      read_text(&space,
                "{\"parameters\": [{\"name\": \"k\", \"type\": \"integer\", \"range\": [3, 7], \"group\": \"g\"},\n"
                "{\"name\": \"w\", \"type\": \"real\", \"grid\": [0.5, 1, 2], \"weights\": [3, 0, 1]},\n"
                "{\"name\": \"s\", \"type\": \"string\", \"grid\": [\"fast\", \"a,b\"]},\n"
                "{\"name\": \"b\", \"type\": \"boolean\", \"grid\": [false, true]},\n"
                "{\"name\": \"l\", \"type\": \"real\", \"range\": [1, 9], \"distribution\": \"log-uniform\"},\n"
                "{\"name\": \"n\", \"type\": \"integer\", \"distribution\": {\"normal\": {\"mean\": 50, \"sd\": 9}}},\n"
                "{\"name\": \"c\", \"type\": \"integer\", \"range\": [1, 6],\n"
                "\"distribution\": {\"normal\": {\"mean\": 3, \"sd\": 2}}},\n"
                "{\"name\": \"e\", \"type\": \"real\", \"distribution\": {\"lognormal\": {\"mean\": 0, \"sd\": 1}}},\n"
                "{\"name\": \"t\", \"type\": \"integer\",\n"
                "\"distribution\": {\"triangular\": {\"low\": 1, \"mode\": 2, \"high\": 8}}},\n"
                "{\"name\": \"d\", \"type\": \"real\", \"range\": [2, 5],\n"
                "\"distribution\": {\"triangular\": {\"low\": 1, \"mode\": 2, \"high\": 8}}}],\n"
                "\"constraints\": [\"k<n\", \"l <= 8.5\"]}",
                &faults));
  json_t *json = ts_space_to_json(&space);
  ts_auto_free char *text = ts_json_dump(json, true, false);
  json_decref(json);
  assert_true(read_text(&again, text, &faults));
  assert_same(&space, &again);
  json = ts_space_to_json(&again);
  ts_auto_free char *second = ts_json_dump(json, true, false);
  json_decref(json);
  assert_string_equal(text, second);
  assert_non_null(strstr(text, "\"constraints\":[\"k < n\",\"l <= 8.5\"]"));
  ts_space_release(&space);
  ts_space_release(&again);
  ts_faults_release(&faults);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bounds_mean_what_they_mean_in_salib),
      cmocka_unit_test(names_the_place_of_a_fault),
      cmocka_unit_test(comes_back_from_its_one_form),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
