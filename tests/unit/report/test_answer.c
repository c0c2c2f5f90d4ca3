/* Tests of report/answer.c and result.c: what is said about indices, as a sentence and as JSON.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/result.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PERCENT "\xc2\xa0%"

static struct ts_morris_index index_of(const char *name, double mu_star, double reach) {
  return (struct ts_morris_index){.name = name,
                                  .mu = mu_star,
                                  .mu_star = mu_star,
                                  .sigma = 0,
                                  .mu_star_low = mu_star - reach,
                                  .mu_star_high = mu_star + reach,
                                  .mu_low = mu_star,
                                  .mu_high = mu_star,
                                  .sigma_low = 0,
                                  .sigma_high = 0,
                                  .effect_count = 10};
}

static struct ts_morris_index unknown(const char *name) {
  struct ts_morris_index index = index_of(name, NAN, 0);
  index.effect_count = 0;
  return index;
}

static void answer_is(const struct ts_morris_index *indices, size_t count, const char *expected) {
  struct ts_str out = {0};
  ts_answer_morris(indices, count, "the area", &out);
  assert_string_equal(ts_str_get(&out), expected);
  ts_str_release(&out);
}

static void names_what_decides(void **state) {
  (void)state;
  const struct ts_morris_index indices[] = {index_of("a", 0, 0),    index_of("G2", 5, 0.5), index_of("b", 0.1, 0.05),
                                            index_of("T1", 3, 0.5), index_of("G1", 8, 0.5), index_of("c", 0.2, 0.13)};
  answer_is(indices, 6,
            "G1, G2 and T1 decide the area (98" PERCENT
            " of the summed mu*); 3 other parameters have no measurable effect "
            "(mu* < 0.33).");
}

static void tells_smaller_effects_apart(void **state) {
  (void)state;
  const struct ts_morris_index indices[] = {index_of("a", 10, 1), index_of("b", 1, 0.2), index_of("c", 0.01, 0.001)};
  answer_is(indices, 3,
            "a alone decides the area (91" PERCENT
            " of the summed mu*); b has a smaller effect; 1 other parameter has no "
            "measurable effect (mu* < 0.011).");
}

static void says_what_is_not_settled(void **state) {
  (void)state;
  const struct ts_morris_index indices[] = {index_of("a", 10, 1), index_of("b", 9.5, 1), index_of("c", 5, 0.1),
                                            index_of("d", 4.95, 0.1)};
  answer_is(indices, 3,
            "a, b and c decide the area (100" PERCENT " of the summed mu*); the order of a and b is not settled.");
  answer_is(indices, 4,
            "a, b, c and d decide the area (100" PERCENT
            " of the summed mu*); the order of a, b, c and d is not settled.");
}

static void shortens_long_lists(void **state) {
  (void)state;
  struct ts_morris_index indices[7];
  static const char *const names[] = {"p1", "p2", "p3", "p4", "p5", "p6", "p7"};
  for (size_t i = 0; i < 7; i++) indices[i] = index_of(names[i], 20 - (double)i, 0.1);
  answer_is(indices, 7, "p1, p2, p3, p4 and 3 more decide the area (100" PERCENT " of the summed mu*).");
}

static void handles_the_ends(void **state) {
  (void)state;
  const struct ts_morris_index none[] = {index_of("a", 0, 0), index_of("b", 0, 0)}, one[] = {index_of("a", 2.5, 0.5)};
  const struct ts_morris_index failed[] = {unknown("a"), unknown("b")},
                               mixed[] = {index_of("a", 2.5, 0.5), unknown("b")};
  answer_is(NULL, 0, "No parameter was varied.");
  answer_is(none, 2, "None of 2 parameters has an effect on the area (mu* = 0 for all).");
  answer_is(none, 1, "a has no effect on the area (mu* = 0).");
  answer_is(one, 1, "a changes the area (mu* = 2.5).");
  answer_is(failed, 2, "Nothing can be said about the area: no run succeeded next to another one.");
  answer_is(mixed, 2,
            "a alone decides the area (100" PERCENT
            " of the summed mu*); 1 parameter could not be judged, because too many runs failed.");
  const struct ts_morris_index zeros[] = {index_of("a", 3, 0.1), index_of("b", 0, 0)};
  answer_is(zeros, 2,
            "a alone decides the area (100" PERCENT
            " of the summed mu*); 1 other parameter has no measurable effect (mu* = 0).");
}

static void indices_become_json(void **state) {
  (void)state;
  const struct ts_morris_index indices[] = {index_of("b", 9.5, 1), index_of("a", 10, 1), unknown("c")};
  json_t *output = ts_result_morris_output("compare.table:diff", "sum", indices, 3);
  json_t *expected = json_loads(
      "{\"name\":\"compare.table:diff\",\"over_tiles\":\"sum\",\"indices\":["
      "{\"name\":\"b\",\"mu\":9.5,\"mu_star\":9.5,\"sigma\":0.0,\"lo\":8.5,\"hi\":10.5,\"n\":10,\"class\":"
      "\"influential\","
      "\"mu_lo\":9.5,\"mu_hi\":9.5,\"mu_star_lo\":8.5,\"mu_star_hi\":10.5,\"sigma_lo\":0.0,\"sigma_hi\":0.0},"
      "{\"name\":\"a\",\"mu\":10.0,\"mu_star\":10.0,\"sigma\":0.0,\"lo\":9.0,\"hi\":11.0,\"n\":10,"
      "\"class\":\"influential\",\"mu_lo\":10.0,\"mu_hi\":10.0,\"mu_star_lo\":9.0,\"mu_star_hi\":11.0,\"sigma_lo\":0.0,"
      "\"sigma_hi\":0.0},"
      "{\"name\":\"c\",\"mu\":null,\"mu_star\":null,\"sigma\":0.0,\"lo\":null,\"hi\":null,\"n\":0,\"class\":"
      "\"unknown\","
      "\"mu_lo\":null,\"mu_hi\":null,\"mu_star_lo\":null,\"mu_star_hi\":null,\"sigma_lo\":0.0,\"sigma_hi\":0.0}],"
      "\"unsettled\":[[\"a\",\"b\"],[\"b\",\"c\"]]}",
      0, NULL);
  assert_non_null(expected);
  assert_true(json_equal(output, expected));
  json_decref(output);
  json_decref(expected);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_what_decides),       cmocka_unit_test(tells_smaller_effects_apart),
      cmocka_unit_test(says_what_is_not_settled), cmocka_unit_test(shortens_long_lists),
      cmocka_unit_test(handles_the_ends),         cmocka_unit_test(indices_become_json),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
