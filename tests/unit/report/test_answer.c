/* Tests of report/answer.c and result.c: what is said about indices, as a sentence and as JSON; sentences by hand.
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
  struct ts_findings findings;
  ts_findings_of_morris(&findings, indices, count);
  ts_answer(&findings, "the area", &out);
  assert_string_equal(ts_str_get(&out), expected);
  ts_str_release(&out);
  ts_findings_release(&findings);
}

static void names_what_decides(void **state) {
  (void)state;
  const struct ts_morris_index indices[] = {index_of("a", 0, 0),    index_of("G2", 5, 0.5), index_of("b", 0.1, 0.05),
                                            index_of("T1", 3, 0.5), index_of("G1", 8, 0.5), index_of("c", 0.2, 0.13)};
  answer_is(indices, 6,
            "G1, G2 and T1 decide the area (98" PERCENT
            " of the summed mu*); 2 other parameters are each below 5" PERCENT
            " of the largest (upper ends of mu* at most 0.33); 1 other parameter has no measurable effect (mu* = 0).");
}

static void tells_smaller_effects_apart(void **state) {
  (void)state;
  const struct ts_morris_index indices[] = {index_of("a", 10, 1), index_of("b", 1, 0.2), index_of("c", 0.01, 0.001)};
  answer_is(indices, 3,
            "a alone decides the area (91" PERCENT
            " of the summed mu*); b has a smaller effect (mu* at most 1); 1 other parameter is below 5" PERCENT
            " of the largest (upper ends of mu* at most 0.011).");
}

/* A study of the demo with 200 trajectories: RC was measured precisely, so an effect is there. */
static void what_was_measured_is_not_called_nothing(void **state) {
  (void)state;
  struct ts_morris_index indices[] = {index_of("G2", 70143, 4700), index_of("G1", 43924, 2200), index_of("RC", 2536, 0),
                                      index_of("R", 0, 0)};
  indices[2].mu_star_low = 2282;
  indices[2].mu_star_high = 2803;
  answer_is(indices, 4,
            "G2 and G1 decide the area (98" PERCENT " of the summed mu*); 1 other parameter is below 5" PERCENT
            " of the largest (upper ends of mu* at most 2803); 1 other parameter has no measurable effect (mu* = 0).");
}

/* An interacting parameter with a mu* of 13 191 stands above the small ones, whatever these reach. */
static void numbers_are_those_of_the_parameters_they_are_said_of(void **state) {
  (void)state;
  struct ts_morris_index indices[] = {index_of("G1", 300000, 9000), index_of("WC", 13191, 5000),
                                      index_of("FH", 9000, 5644), index_of("R", 0, 0)};
  answer_is(indices, 4,
            "G1 alone decides the area (93" PERCENT
            " of the summed mu*); WC has a smaller effect (mu* at most 13\xc2\xa0"
            "191); 1 other parameter is below 5" PERCENT " of the largest (upper ends of mu* at most 14\xc2\xa0"
            "644); 1 other parameter has no measurable effect (mu* = 0).");
}

/* Seen, but in so few trajectories that a resample can miss it. */
static void an_interval_from_zero_to_much_is_not_clear(void **state) {
  (void)state;
  const struct ts_morris_index indices[] = {index_of("a", 10, 1), index_of("b", 3, 3), index_of("c", 0.1, 0.1)};
  answer_is(indices, 3,
            "a alone decides the area (76" PERCENT
            " of the summed mu*); the effect of b is not clear (intervals reach down to 0; upper ends of mu* at most "
            "6); 1 other parameter has no measurable effect (intervals reach down to 0; upper ends of mu* at most "
            "0.2).");
  answer_is(indices + 1, 1,
            "No parameter is seen to decide the area; the effect of b is not clear (intervals reach down to 0; upper "
            "ends of mu* at most 6).");
}

static void says_what_is_not_settled(void **state) {
  (void)state;
  const struct ts_morris_index indices[] = {index_of("a", 10, 1), index_of("b", 9.5, 1), index_of("c", 5, 0.1),
                                            index_of("d", 4.95, 0.1)};
  answer_is(indices, 3,
            "a, b and c decide the area (100" PERCENT " of the summed mu*); the order of a and b is not settled.");
  answer_is(indices, 4,
            "a, b, c and d decide the area (100" PERCENT
            " of the summed mu*); the order of a and b is not settled; that of c and d is not settled.");
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
                               mixed[] = {index_of("a", 2.5, 0.5), unknown("b")},
                               half[] = {index_of("a", 0, 0), unknown("b")};
  answer_is(NULL, 0, "No parameter was varied.");
  answer_is(none, 2, "None of 2 parameters has a measurable effect on the area (mu* = 0).");
  answer_is(none, 1, "a has no measurable effect on the area (mu* = 0).");
  answer_is(one, 1, "a changes the area (mu* = 2.5).");
  answer_is(failed, 2, "Nothing can be said about the area: too few runs succeeded, or it never changes.");
  answer_is(mixed, 2,
            "a alone decides the area (100" PERCENT
            " of the summed mu*); 1 parameter could not be judged, because too many runs failed.");
  answer_is(half, 2,
            "None of 1 parameter that could be judged has a measurable effect on the area (mu* = 0); 1 parameter could "
            "not be judged, because too many runs failed.");
}

/* ---- other methods ---- */

static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g"};

/* Indices of the rank column with intervals of +- reach (NaN: none), by the method of that name. */
static void method_answer_is(const char *method_name, const double *values, size_t count, double reach, double inert,
                             const char *expected) {
  struct ts_error err = {0};
  const struct ts_method *method = ts_method_find(method_name, &err);
  struct ts_runs runs = {.names = names, .parameter_count = count, .group_count = count};
  struct ts_analysis_options options = {0};
  struct ts_indices indices;
  ts_indices_init(&indices, method, &runs, &options);
  size_t column = ts_indices_column(&indices, method->rank_by);
  for (size_t i = 0; i < count; i++) {
    indices.cells[i * indices.column_count + column] =
        (struct ts_index){values[i], values[i] - reach, values[i] + reach};
    indices.usable[i] = isnan(values[i]) ? 0 : 10;
  }
  indices.facts[0].name = method->inert_fact ? method->inert_fact : "R2";
  indices.facts[0].value = inert;
  indices.fact_count = 1;
  struct ts_str out = {0};
  struct ts_findings findings;
  ts_findings_of_indices(&findings, &indices);
  ts_answer(&findings, "the area", &out);
  assert_string_equal(ts_str_get(&out), expected);
  ts_str_release(&out);
  ts_findings_release(&findings);
  ts_indices_release(&indices);
}

static void total_indices(void **state) {
  (void)state;
  const double values[] = {0.02, 0.7, 0.25, 0.1, 0.0005}, open[] = {0.5, 0.45, 0.2};
  const double many[] = {0.9, 0.8, 0.7, 0.6, 0.5, 0.4, NAN}, zeros[] = {0, 0}, unknowns[] = {NAN, NAN};
  method_answer_is("vbd", values, 5, 0.0004, 0,
                   "b (ST 0.7) and c (ST 0.25) have the largest influence on the area; d has a smaller effect (ST at "
                   "most 0.1); 2 other parameters are each below 5" PERCENT
                   " of the largest (upper ends of ST at most 0.021).");
  method_answer_is("vbd", values + 1, 1, 0.01, 0, "a changes the area (ST = 0.7).");
  method_answer_is("vbd", open, 3, 0.05, 0,
                   "a (ST 0.5), b (ST 0.45) and c (ST 0.2) have the largest influence on the area; the order of a and "
                   "b is not settled.");
  method_answer_is("vbd", many, 7, 0.01, 0,
                   "a (ST 0.9), b (ST 0.8), c (ST 0.7), d (ST 0.6) and 2 more have the largest influence on the area; "
                   "1 parameter could not be judged, because too many runs failed.");
  method_answer_is("vbd", zeros, 2, 0, 0, "None of 2 parameters has a measurable effect on the area (ST = 0).");
  method_answer_is("vbd", unknowns, 2, 0, 0,
                   "Nothing can be said about the area: too few runs succeeded, or it never changes.");
  method_answer_is("fast", values, 3, NAN, 0,
                   "b (ST 0.7) and c (ST 0.25) have the largest influence on the area; a has a smaller effect (ST at "
                   "most 0.02); without intervals it cannot be said whether their order is settled.");
}

static void first_order_indices_are_effects_alone(void **state) {
  (void)state;
  const double values[] = {0.5, 0.02, -0.01}, small[] = {0.01, -0.02};
  method_answer_is("given-data", values, 3, 0.04, 0,
                   "a (S1 0.5) has the largest influence on the area; 2 other parameters have no measurable effect of "
                   "their own (intervals reach down to 0; upper ends of S1 at most 0.06).");
  method_answer_is("rbd-fast", small, 2, 0.03, 0,
                   "No parameter is seen to decide the area; the effect of a is not clear (intervals reach down to 0; "
                   "upper ends of S1 at most 0.04); 1 other parameter has no measurable effect of its own (intervals "
                   "reach down to 0; upper ends of S1 at most 0.01).");
}

/* The interval of c contains 0 and reaches farther than that of a, which does not. */
static void correlations(void **state) {
  (void)state;
  const double values[] = {0.16, -0.18, 0.03, -0.01};
  method_answer_is(
      "correlation", values, 4, 0.12, 0,
      "b (prcc \xe2\x88\x92"
      "0.18) and a (prcc 0.16) have the largest influence on the area; 2 other parameters have no "
      "measurable effect (intervals contain 0; upper ends of |prcc| at most 0.15); the order of b and a is "
      "not settled.");
  method_answer_is("regression", values, 4, 0.17, 0,
                   "b (src \xe2\x88\x92"
                   "0.18) has the largest influence on the area; the effect of a is not clear (intervals contain 0; "
                   "upper ends of |src| at most 0.33); 2 other parameters have no measurable effect (intervals contain "
                   "0; upper ends of |src| at most 0.2).");
}

/* An inert input stands at 0.11, not at 0. */
static void distances_count_from_the_level_of_an_inert_input(void **state) {
  (void)state;
  const double values[] = {0.6, 0.12, 0.18, 0.13};
  method_answer_is(
      "pawn", values, 4, 0.03, 0.11,
      "a (median 0.6) has the largest influence on the area; c has a smaller effect (median at most 0.18); "
      "2 other parameters have no measurable effect (intervals reach down to 0.11, the level of an inert "
      "input; upper ends of median at most 0.16).");
  method_answer_is(
      "delta", values, 4, 0.005, 0.118,
      "a (delta 0.6) has the largest influence on the area; c has a smaller effect (delta at most 0.18); 1 "
      "other parameter is below 5" PERCENT
      " of the largest, counted from the level of an inert input (upper ends of delta at most 0.14); 1 "
      "other parameter has no measurable effect (intervals reach down to 0.118, the level of an inert "
      "input; upper ends of delta at most 0.13).");
}

static void what_was_compared_with_what(void **state) {
  (void)state;
  static const char *const cases[][2] = {{NULL, "the Dice overlap"},
                                         {"", "the Dice overlap"},
                                         {"truth", "the Dice overlap against the truth"},
                                         {"default", "the Dice overlap against the run at default parameters"},
                                         {"files", "the Dice overlap against the reference files"},
                                         {"run 71cb3e20", "the Dice overlap against run 71cb3e20"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct ts_str out = {0};
    ts_answer_add_what("the Dice overlap", cases[i][0], &out);
    assert_string_equal(ts_str_get(&out), cases[i][1]);
    ts_str_release(&out);
  }
}

static void indices_become_json(void **state) {
  (void)state;
  const struct ts_morris_index indices[] = {index_of("b", 9.5, 1), index_of("a", 10, 1), unknown("c")};
  json_t *output = ts_result_morris_output("compare.table:diff", "sum", indices, 3);
  json_t *expected = json_loads(
      "{\"name\":\"compare.table:diff\",\"over_tiles\":\"sum\",\"indices\":["
      "{\"name\":\"b\",\"mu\":9.5,\"mu_star\":9.5,\"sigma\":0.0,\"lo\":8.5,\"hi\":10.5,\"n\":10,\"class\":"
      "\"influential\",\"finding\":\"deciding\","
      "\"mu_lo\":9.5,\"mu_hi\":9.5,\"mu_star_lo\":8.5,\"mu_star_hi\":10.5,\"sigma_lo\":0.0,\"sigma_hi\":0.0},"
      "{\"name\":\"a\",\"mu\":10.0,\"mu_star\":10.0,\"sigma\":0.0,\"lo\":9.0,\"hi\":11.0,\"n\":10,"
      "\"class\":\"influential\",\"finding\":\"deciding\",\"mu_lo\":10.0,\"mu_hi\":10.0,\"mu_star_lo\":9.0,\"mu_star_"
      "hi\":11.0,\"sigma_lo\":0.0,"
      "\"sigma_hi\":0.0},"
      "{\"name\":\"c\",\"mu\":null,\"mu_star\":null,\"sigma\":0.0,\"lo\":null,\"hi\":null,\"n\":0,\"class\":"
      "\"unknown\",\"finding\":\"unknown\","
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
      cmocka_unit_test(names_what_decides),
      cmocka_unit_test(tells_smaller_effects_apart),
      cmocka_unit_test(what_was_measured_is_not_called_nothing),
      cmocka_unit_test(numbers_are_those_of_the_parameters_they_are_said_of),
      cmocka_unit_test(an_interval_from_zero_to_much_is_not_clear),
      cmocka_unit_test(says_what_is_not_settled),
      cmocka_unit_test(shortens_long_lists),
      cmocka_unit_test(handles_the_ends),
      cmocka_unit_test(total_indices),
      cmocka_unit_test(first_order_indices_are_effects_alone),
      cmocka_unit_test(correlations),
      cmocka_unit_test(distances_count_from_the_level_of_an_inert_input),
      cmocka_unit_test(what_was_compared_with_what),
      cmocka_unit_test(indices_become_json),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
