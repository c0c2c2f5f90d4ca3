/* Tests of what the report says of analyses: numbers as in the object, methods stated, doubts named, phases told.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/report.h"

#include "report/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "made_up_analyses.h"

static const char *const names[] = {"G1", "T1", "T2", "minSize", "RC", "G2", "WC", "maxSize"};

static json_t *result_of(json_t *analyses) {
  return json_pack("{s:s,s:s,s:{s:s,s:i},s:o}", "schema", "tessera.study/2", "answer", "An answer.", "method", "name",
                   "vbd", "runs", 1152, "analyses", analyses);
}

static json_t *result_with(const struct made_up_analysis *analysis, size_t count) {
  json_t *analyses = json_array();
  made_up_add(analyses, analysis, names, count, 1, "compare.table:diff");
  return result_of(analyses);
}

static void render(json_t *result, struct ts_str *html) {
  struct ts_error err = {0};
  ts_str_clear(html);
  assert_true(ts_report_write(result, NULL, 0, html, &err));
  /* What is embedded is not what is shown. */
  char *data = strstr(html->data, "<script");
  assert_non_null(data);
  *data = '\0';
}

static size_t occurrences(const char *text, const char *part) {
  size_t count = 0;
  for (const char *p = text; (p = strstr(p, part)); p += strlen(part)) count++;
  return count;
}

static void expect(const struct ts_str *html, const char *part) {
  if (!strstr(ts_str_get(html), part)) fail_msg("'%s' is missing", part);
}

static void expect_none(const struct ts_str *html, const char *part) {
  if (strstr(ts_str_get(html), part)) fail_msg("'%s' is there", part);
}

/* Every number of every row stands in the table, in the order of the columns, rows by rank. */
static void tables_have_the_numbers_of_the_object(void **state) {
  (void)state;
  json_t *result = result_with(&made_up_vbd, 8);
  struct ts_str html = {0};
  render(result, &html);
  const json_t *indices = json_object_get(json_array_get(json_object_get(result, "analyses"), 0), "indices");
  const char *at = strstr(ts_str_get(&html), "aria-label=\"Indices by parameter\"");
  assert_non_null(at);
  for (size_t i = 0; i < json_array_size(indices); i++) {
    const json_t *row = json_array_get(indices, i);
    struct ts_str expected = {0};
    ts_str_addf(&expected, "<tr><th scope=\"row\">%s</th>", json_string_value(json_object_get(row, "name")));
    static const char *const keys[] = {"S1", "S1_lo", "S1_hi", "ST", "ST_lo", "ST_hi"};
    for (size_t k = 0; k < COUNT_OF(keys); k++) {
      char number[TS_NUMBER_SIZE];
      ts_format_number(json_number_value(json_object_get(row, keys[k])), 3, number);
      ts_str_addf(&expected, "<td class=\"r\">%s</td>", number);
    }
    const char *found = strstr(at, ts_str_get(&expected));
    if (!found) fail_msg("no row %s", ts_str_get(&expected));
    at = found;
    ts_str_release(&expected);
  }
  ts_str_release(&html);
  json_decref(result);
}

static void every_chart_states_method_runs_and_interval(void **state) {
  (void)state;
  json_t *result = result_with(&made_up_vbd, 8);
  struct ts_str html = {0};
  render(result, &html);
  /* bars, pairs, convergence; each drawn twice */
  assert_int_equal(occurrences(ts_str_get(&html), "role=\"img\""), 6);
  const char *statement =
      "Variance-based indices (Sobol&#39;; S1 by Saltelli 2010, ST by Jansen), 64 base samples, 1152 runs; "
      "95\xc2\xa0% intervals";
  size_t captions = 0;
  for (const char *p = ts_str_get(&html); (p = strstr(p, "<figcaption>")); p++) {
    const char *end = strstr(p, "</figcaption>"), *found = strstr(p, statement);
    assert_true(found && found < end);
    captions++;
  }
  assert_int_equal(captions, 3);
  expect(&html,
         "The order of G1 and T1 is not settled; about 320 more runs (20 more base samples) would likely settle it.");
  expect(&html, "<li>G1 and T1: not settled, their intervals overlap; about 320 more runs");
  expect(&html, "Parameters are independent of each other");
  ts_str_release(&html);
  json_decref(result);
}

/* The gap of 0.165 of G1 is beyond its intervals, that of 0.025 of maxSize is not. */
static void interaction_is_named(void **state) {
  (void)state;
  json_t *result = result_with(&made_up_vbd, 8);
  struct ts_str html = {0};
  render(result, &html);
  expect(&html, "<dt>Interaction</dt><dd>G1 (0.17 of 0.55), T1 (0.092 of 0.31), T2 (0.063 of 0.21): this part of ST");
  ts_str_release(&html);
  json_decref(result);
}

static void ranks_follow_the_order_of_the_object(void **state) {
  (void)state;
  json_t *result = result_with(&made_up_vbd, 3);
  json_t *analysis = json_array_get(json_object_get(result, "analyses"), 0);
  json_object_set_new(analysis, "order", json_pack("[s,s,s]", "T2", "G1", "T1"));
  struct ts_str html = {0};
  render(result, &html);
  const char *table = strstr(ts_str_get(&html), "aria-label=\"Indices by parameter\"");
  assert_non_null(table);
  const char *first = strstr(table, ">T2</th>"), *second = strstr(table, ">G1</th>"),
             *third = strstr(table, ">T1</th>");
  assert_true(first && second && third && first < second && second < third);
  ts_str_release(&html);
  json_decref(result);
}

static void slides_are_summed_up(void **state) {
  (void)state;
  struct made_up_analysis vbd = made_up_vbd;
  vbd.slides = 4; /* shifted by -0.06, -0.04, -0.02, 0 */
  json_t *result = result_with(&vbd, 8);
  struct ts_str html = {0};
  render(result, &html);
  expect(&html, "2 From slide to slide");
  expect(&html, "G1 comes first on 4 of 4 slides.");
  expect(&html,
         "<tr><th scope=\"row\">G1</th><td class=\"r\">0.55</td><td class=\"r\">0.52</td><td class=\"r\">0.58</td>"
         "<td class=\"r\">0.49</td><td class=\"r\">0.52</td><td class=\"r\">0.55</td><td class=\"r\">4</td></tr>");
  assert_int_equal(occurrences(ts_str_get(&html), "<title>G1, slides/patient-3/"), 2); /* wide and narrow */
  ts_str_release(&html);
  json_decref(result);
}

static void phases_are_told(void **state) {
  (void)state;
  json_t *analyses = json_array();
  struct made_up_analysis morris = made_up_morris;
  morris.lost = 12;
  morris.notes = true;
  made_up_add(analyses, &morris, names, 8, 1, "compare.table:diff");
  made_up_add(analyses, &made_up_vbd, names, 3, 2, "compare.table:diff");
  json_t *result = result_of(analyses);
  json_object_set_new(result, "phases", made_up_phases(names, 3, 8));
  struct ts_str html = {0};
  render(result, &html);
  static const char *const parts[] = {
      "3 of 3</b><span>kept parameters explain 5 % or more",
      "first-order and total indices of 3 parameters",
      "2 Screening, then variance",
      "Screening kept 3 of 8 parameters for the phase &#39;variance&#39;. A parameter went on if: mu* interval reaches "
      "10 % of the largest "
      "mu*.",
      "6199 tasks of the phase &#39;variance&#39; were not computed",
      "<td class=\"r\">8</td><td class=\"r\">160</td><td class=\"r\">131</td><td class=\"r\">400</td><td "
      "class=\"r\">1200</td>",
      "<td class=\"r\">3</td><td class=\"r\">1152</td><td class=\"r\">1017</td><td class=\"r\">5321</td><td "
      "class=\"r\">6199</td>",
      "<th scope=\"row\">G1</th><td>went on</td><td>mu* 0.55 (0.52 to 0.58) reaches 0.055</td>",
      "<th scope=\"row\">maxSize</th><td>dropped</td><td>mu* 0.02",
      "Scatter plot of 8 parameters",
      "12 of 160 runs gave no usable value",
      "<th scope=\"row\">T1</th><td class=\"r\">9</td><td class=\"r\">10</td>",
      "<li>the number of differing pixels (sum over tiles): 12 of 160 runs (7.5 %) gave no usable output</li>"};
  const char *at = ts_str_get(&html);
  for (size_t i = 0; i < COUNT_OF(parts); i++) {
    const char *found = strstr(at, parts[i]);
    if (!found) fail_msg("'%s' is missing, or not in its place", parts[i]);
    at = found;
  }
  /* A warning with the same words is not said twice. */
  json_object_set_new(result, "warnings", json_pack("[s]", "diff: 12 of 160 runs (7.5 %) gave no usable output"));
  render(result, &html);
  assert_int_equal(occurrences(ts_str_get(&html), "(7.5 %)"), 1);
  ts_str_release(&html);
  json_decref(result);
}

/* Captions say what an output was compared with, where the result says it. */
static void comparisons_are_named(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"truth", "the number of differing pixels against the truth (sum over tiles)"},
      {"default", "the number of differing pixels against the run at default parameters (sum over tiles)"},
      {"files", "the number of differing pixels against the reference files (sum over tiles)"},
      {NULL, "the number of differing pixels (sum over tiles)"}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    json_t *result = result_with(&made_up_morris, 8);
    json_t *output = json_pack("{s:s,s:s*}", "name", "compare.table:diff", "against", cases[i][0]);
    json_object_set_new(result, "outputs", json_pack("[o]", output));
    struct ts_str html = {0}, caption = {0};
    render(result, &html);
    ts_str_addf(&caption, "<figcaption>Ranked influence on %s: mu*, the mean size", cases[i][1]);
    expect(&html, ts_str_get(&caption));
    expect_none(&html, "\xce\xbc");
    ts_str_release(&html);
    ts_str_release(&caption);
    json_decref(result);
  }
}

/* A curve of a Fourier method shows no spread: nothing is said to overlap. */
static void without_intervals_nothing_overlaps(void **state) {
  (void)state;
  struct made_up_analysis fast = made_up_vbd;
  fast.method = "fast";
  fast.intervals = false;
  json_t *result = result_with(&fast, 8);
  struct ts_str html = {0};
  render(result, &html);
  expect_none(&html, "overlap");
  expect_none(&html, "not settled");
  ts_str_release(&html);
  json_decref(result);
}

static void goals_are_told(void **state) {
  (void)state;
  json_t *result = result_with(&made_up_vbd, 3);
  struct ts_str html = {0};
  json_object_set_new(result, "until",
                      json_pack("{s:s,s:b,s:i,s:i}", "text", "ci(ST) < 0.05", "met", 1, "rounds", 3, "blocks", 64));
  render(result, &html);
  expect(&html, "until ci(ST) &lt; 0.05. This was met after 3 rounds with 64 base samples (1152 runs).");
  json_object_set_new(result, "until",
                      json_pack("{s:s,s:b,s:s}", "text", "ci(ST) < 0.05", "met", 0, "reason", "no runs are left"));
  render(result, &html);
  expect(&html, "This was not met (1152 runs): no runs are left.");
  json_object_del(result, "until");
  render(result, &html);
  expect_none(&html, "The goal");
  ts_str_release(&html);
  json_decref(result);
}

static void other_methods_show_all_their_columns(void **state) {
  (void)state;
  struct made_up_analysis analysis = {.method = "correlation",
                                      .title = "Correlation",
                                      .columns = {"pearson", "prcc"},
                                      .rank_by = "prcc",
                                      .runs = 200,
                                      .has_sign = true,
                                      .facts = true};
  json_t *result = result_with(&analysis, 8);
  struct ts_str html = {0};
  render(result, &html);
  expect(&html, "Bar chart of prcc of 8 parameters");
  expect(&html, "Correlation, 200 runs; no intervals.");
  expect(&html, "<th scope=\"col\" class=\"r\">pearson</th><th scope=\"col\" class=\"r\">prcc</th><th scope=\"col\" "
                "class=\"r\">Usable</th>");
  expect(&html, "<tr><th scope=\"row\">T1</th><td class=\"r\">\xe2\x88\x92"
                "0.306</td>");
  expect(&html, "LOO error 0.0123, R2 0.987");
  ts_str_release(&html);
  json_decref(result);
}

/* Fields of the wrong type are as good as missing; whatever comes, the page is whole. */
static void survives_nonsense(void **state) {
  (void)state;
  static const char *const keys[] = {"phase", "method",  "title",       "output", "file",      "runs",      "blocks",
                                     "lost",  "columns", "rank_by",     "facts",  "notes",     "indices",   "order",
                                     "pairs", "assumes", "convergence", "label",  "unsettled", "resamples", "interval"};
  json_t *nonsense[] = {json_null(),
                        json_integer(-3),
                        json_string("<>"),
                        json_pack("[i,s,[],n]", 1, "x"),
                        json_pack("[{s:[]},{s:i},{s:s}]", "indices", "name", 4, "name", "G1"),
                        json_pack("[{s:i,s:[{s:s}]},{s:i,s:i}]", "n", 0, "indices", "name", "G1", "n", 7, "indices", 3),
                        json_pack("{s:[[]],s:i}", "levels", "a", 2)};
  for (size_t k = 0; k < COUNT_OF(keys) + 3; k++) {
    for (size_t n = 0; n < COUNT_OF(nonsense); n++) {
      static const char *const outer[] = {"analyses", "phases", "until"};
      json_t *result = result_with(&made_up_vbd, 3);
      json_t *analysis = json_array_get(json_object_get(result, "analyses"), 0);
      json_t *object = k < COUNT_OF(keys) ? analysis : result;
      json_object_set(object, k < COUNT_OF(keys) ? keys[k] : outer[k - COUNT_OF(keys)], nonsense[n]);
      struct ts_str html = {0};
      render(result, &html);
      assert_null(strstr(ts_str_get(&html), "\"nan"));
      ts_str_release(&html);
      json_decref(result);
    }
  }
  for (size_t n = 0; n < COUNT_OF(nonsense); n++) json_decref(nonsense[n]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tables_have_the_numbers_of_the_object),
      cmocka_unit_test(every_chart_states_method_runs_and_interval),
      cmocka_unit_test(interaction_is_named),
      cmocka_unit_test(ranks_follow_the_order_of_the_object),
      cmocka_unit_test(slides_are_summed_up),
      cmocka_unit_test(phases_are_told),
      cmocka_unit_test(goals_are_told),
      cmocka_unit_test(comparisons_are_named),
      cmocka_unit_test(without_intervals_nothing_overlaps),
      cmocka_unit_test(other_methods_show_all_their_columns),
      cmocka_unit_test(survives_nonsense),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
