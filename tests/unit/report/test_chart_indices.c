/* Tests of the charts of indices: texts that are spread and broken, bars below zero, heat maps, lines and strips.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/chart/chart.h"

#include "base/random.h"
#include "report/chart/svg.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static size_t occurrences(const char *text, const char *part) {
  size_t count = 0;
  for (const char *p = text; (p = strstr(p, part)); p += strlen(part)) count++;
  return count;
}

/* The value of an attribute of the n-th element that begins with `open`. */
static double attribute_of(const char *svg, const char *open, size_t n, const char *name) {
  const char *p = svg;
  for (size_t i = 0; (p = strstr(p, open)) && i < n; i++) p += strlen(open);
  assert_non_null(p);
  const char *end = strchr(p, '>'), *at = strstr(p, name);
  if (!at || at > end) fail_msg("no %s in element %zu", name, n);
  return strtod(at + strlen(name), NULL);
}

/* Whatever is drawn for a width stays within it, has no number that SVG does not know, and is closed. */
static void check_drawing(const char *svg, double width) {
  assert_null(strstr(svg, "nan"));
  assert_null(strstr(svg, "inf"));
  assert_int_equal(occurrences(svg, "<svg "), 1);
  assert_true(strlen(svg) > 7 && strcmp(svg + strlen(svg) - 7, "</svg>\n") == 0);
  assert_int_equal(occurrences(svg, "<title>"),
                   occurrences(svg, "</title></rect>") + occurrences(svg, "</title></circle>"));
  for (size_t i = 0; i < occurrences(svg, "<text "); i++) {
    double x = attribute_of(svg, "<text ", i, "x=\"");
    assert_true(x >= 0 && x <= width);
  }
}

static void spread_texts_keep_apart(void **state) {
  (void)state;
  struct ts_random random;
  ts_random_init(&random, 11, 0);
  for (int trial = 0; trial < 500; trial++) {
    double y[6], before[6];
    size_t count = 1 + (size_t)ts_random_below(&random, 6);
    for (size_t i = 0; i < count; i++) y[i] = before[i] = 20 + 100 * ts_random_unit(&random);
    ts_spread(y, count, 16, 10, 130);
    for (size_t i = 0; i < count; i++) {
      assert_true(y[i] >= 18 - 1e-9 && y[i] <= 122 + 1e-9);
      for (size_t k = 0; k < count; k++) {
        if (k == i) continue;
        assert_true(fabs(y[i] - y[k]) >= 16 - 1e-9);
        if (before[i] < before[k]) assert_true(y[i] < y[k]);
      }
    }
  }
  double apart[] = {30, 90, 60};
  ts_spread(apart, 3, 16, 0, 200);
  assert_true(apart[0] == 30 && apart[1] == 90 && apart[2] == 60); /* nothing moves without need */
}

static void text_breaks_where_words_end(void **state) {
  (void)state;
  const char *text = "minimal size of a nucleus";
  assert_int_equal(ts_text_break(text, 13, 1000), strlen(text));
  size_t length = ts_text_break(text, 13, 140);
  assert_true(length < strlen(text) && text[length - 1] == ' ');
  const char *umlauts = "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6";
  for (double room = 0; room < 60; room += 3) {
    length = ts_text_break(umlauts, 13, room);
    assert_true(length >= 2 && length % 2 == 0); /* whole characters, at least one */
  }
}

static void pairs_show_both_and_the_gap(void **state) {
  (void)state;
  const struct ts_pair_bar items[] = {{"G1", {0.38, 0.33, 0.43}, {0.55, 0.49, 0.61}},
                                      {"T1", {-0.02, -0.06, 0.02}, {0.01, NAN, NAN}},
                                      {"lost", {NAN, NAN, NAN}, {NAN, NAN, NAN}}};
  struct ts_pair_bars bars = {items, 3, "share"};
  struct ts_str out = {0};
  ts_draw_pairs(&out, &(struct ts_chart){"A chart.", &bars, ts_draw_pairs}, "full", 900);
  const char *svg = ts_str_get(&out);
  check_drawing(svg, 900);
  assert_non_null(strstr(svg, ">S1 0.38<"));
  assert_non_null(strstr(svg, ">ST 0.55<"));
  assert_non_null(strstr(svg, ">S1 \xe2\x88\x92"
                              "0.02<"));
  assert_int_equal(occurrences(svg, " unknown<"), 2);
  /* The parts of the first row: S1, ST up to S1, the gap. Their lengths are as 0.38 : 0.38 : 0.17. */
  double s1 = attribute_of(svg, "<rect ", 0, "width=\""), st = attribute_of(svg, "<rect ", 1, "width=\"");
  double gap = attribute_of(svg, "<rect ", 2, "width=\"");
  assert_true(fabs(s1 - st) < 0.11 && fabs(gap / s1 - 0.17 / 0.38) < 0.002);
  ts_str_release(&out);
}

static void bars_reach_below_zero_only_where_told(void **state) {
  (void)state;
  const struct ts_look look = {"", "#0072B2", TS_SHAPE_SQUARE};
  const struct ts_bar items[] = {{"a", 0.5, NAN, NAN, &look}, {"b", -0.25, -0.3, -0.2, &look}};
  struct ts_bars bars = {.items = items, .count = 2, .axis_title = "prcc", .has_sign = true};
  struct ts_str out = {0};
  ts_draw_bars(&out, &(struct ts_chart){"A chart.", &bars, ts_draw_bars}, "half", 438);
  check_drawing(ts_str_get(&out), 438);
  double right = attribute_of(ts_str_get(&out), "<rect ", 0, "x=\""),
         left = attribute_of(ts_str_get(&out), "<rect ", 1, "x=\"");
  double wide = attribute_of(ts_str_get(&out), "<rect ", 0, "width=\""),
         narrow = attribute_of(ts_str_get(&out), "<rect ", 1, "width=\"");
  assert_true(fabs(left + narrow - right) < 0.2); /* both begin at zero */
  assert_true(fabs(wide / narrow - 2) < 0.01);
  ts_str_release(&out);
}

static void heat_maps_are_symmetric_and_say_their_values(void **state) {
  (void)state;
  const char *const names[] = {"G1", "T<1>",
                               "a parameter with a name that is far too long to stand beside a row of cells"};
  struct ts_estimate cells[9] = {{0}};
  for (size_t i = 0; i < 9; i++) cells[i] = (struct ts_estimate){NAN, NAN, NAN};
  cells[1] = cells[3] = (struct ts_estimate){0.125, 0.1, 0.15};
  cells[2] = cells[6] = (struct ts_estimate){-0.01, -0.03, 0.01};
  struct ts_heat heat = {names, cells, 3, 0.125};
  struct ts_str out = {0};
  ts_draw_heat(&out, &(struct ts_chart){"A chart.", &heat, ts_draw_heat}, "half", 438);
  const char *svg = ts_str_get(&out);
  check_drawing(svg, 438);
  assert_false(ts_heat_has_names(&heat, 438));
  assert_int_equal(occurrences(svg, "<title>"), 6); /* all but the diagonal */
  assert_non_null(strstr(svg, "<title>G1 with T&lt;1&gt;: 0.125 (0.1 to 0.15)</title>"));
  assert_non_null(strstr(svg, "<title>T&lt;1&gt; with G1: 0.125 (0.1 to 0.15)</title>"));
  assert_int_equal(occurrences(svg, ": unknown</title>"), 2);
  char brightest[8];
  ts_colour_scale(1, brightest);
  assert_int_equal(occurrences(svg, brightest) >= 2, 1);
  ts_str_release(&out);
  heat.count = 2;
  assert_true(ts_heat_has_names(&heat, 340));
}

static void lines_survive_gaps_and_single_places(void **state) {
  (void)state;
  const struct ts_look look = {"", "#0072B2", TS_SHAPE_CIRCLE};
  const double places[] = {8, 16, 32, 64};
  const struct ts_estimate cells[] = {{0.4, 0.2, 0.6}, {NAN, NAN, NAN}, {0.5, 0.45, 0.55}, {0.52, 0.5, 0.54}};
  const struct ts_estimate zeros[4] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  const struct ts_line items[] = {{"G1", &look, cells}, {"T1", &look, zeros}, {"T2", &look, zeros}};
  struct ts_lines lines = {places, 4, items, 3, "base samples", "ST"};
  struct ts_str out = {0};
  ts_draw_lines(&out, &(struct ts_chart){"A chart.", &lines, ts_draw_lines}, "half", 438);
  check_drawing(ts_str_get(&out), 438);
  assert_int_equal(occurrences(ts_str_get(&out), "<circle "), 3 + 4 + 4);
  assert_int_equal(occurrences(ts_str_get(&out), "fill-opacity=\"0.15\""),
                   1); /* places 3 and 4; the first stands alone */
  ts_str_clear(&out);
  lines.place_count = 1;
  ts_draw_lines(&out, &(struct ts_chart){"A chart.", &lines, ts_draw_lines}, "half", 340);
  check_drawing(ts_str_get(&out), 340);
  assert_int_equal(occurrences(ts_str_get(&out), "<circle "), 3);
  assert_null(strstr(ts_str_get(&out), "<path"));
  ts_str_release(&out);
}

static void strips_have_a_dot_per_slide(void **state) {
  (void)state;
  const char *const slides[] = {"a.tif", "b & c.tif", "d.tif"};
  const double first[] = {0.1, 0.2, NAN}, second[] = {-0.1, 0, 0.05};
  const struct ts_strip items[] = {{.name = "G1", .pooled = {0.15, 0.1, 0.2}, .dots = first},
                                   {.name = "T1", .pooled = {NAN, NAN, NAN}, .dots = second}};
  struct ts_strips strips = {.items = items, .count = 2, .slides = slides, .slide_count = 3, .axis_title = "ST"};
  struct ts_str out = {0};
  ts_draw_strips(&out, &(struct ts_chart){"A chart.", &strips, ts_draw_strips}, "full", 900);
  check_drawing(ts_str_get(&out), 900);
  assert_int_equal(occurrences(ts_str_get(&out), "<circle "), 5);
  assert_int_equal(occurrences(ts_str_get(&out), "<path "), 1);
  assert_non_null(strstr(ts_str_get(&out), "<title>G1, b &amp; c.tif: 0.2</title>"));
  /* 0.1, 0.2 and the pooled 0.15 between them. */
  double a = attribute_of(ts_str_get(&out), "<circle ", 0, "cx=\""),
         b = attribute_of(ts_str_get(&out), "<circle ", 1, "cx=\"");
  double pooled = attribute_of(ts_str_get(&out), "<path ", 0, "d=\"M");
  assert_true(fabs((a + b) / 2 - pooled) < 0.11);
  ts_str_release(&out);
}

static void groups_are_squares_between_slides_and_all_together(void **state) {
  (void)state;
  const char *const slides[] = {"a.tif", "b.tif"}, *const groups[] = {"site north", "site <south>"};
  const double dots[] = {0.1, 0.2}, squares[] = {0.1, NAN};
  const struct ts_strip items[] = {{.name = "G1", .pooled = {0.15, 0.1, 0.2}, .dots = dots, .squares = squares}};
  struct ts_strips strips = {.items = items,
                             .count = 1,
                             .slides = slides,
                             .slide_count = 2,
                             .groups = groups,
                             .group_count = 2,
                             .axis_title = "ST"};
  struct ts_str out = {0};
  ts_draw_strips(&out, &(struct ts_chart){"A chart.", &strips, ts_draw_strips}, "full", 900);
  const char *svg = ts_str_get(&out);
  check_drawing(svg, 900);
  assert_int_equal(occurrences(svg, "<circle "), 2);
  assert_non_null(strstr(svg, "<title>G1, site north: 0.1</title>"));
  assert_null(strstr(svg, "south")); /* it has no value */
  /* The square of 0.1 lies below the dot of 0.1 and above the mark of all together. */
  const char *square = strstr(svg, "<rect");
  assert_non_null(square);
  const double x = attribute_of(square, "<rect", 0, "x=\""), width = attribute_of(square, "<rect", 0, "width=\"");
  assert_true(fabs(x + width / 2 - attribute_of(svg, "<circle ", 0, "cx=\"")) < 0.11);
  const double y = attribute_of(square, "<rect", 0, "y=\"");
  assert_true(y > attribute_of(svg, "<circle ", 0, "cy=\""));
  ts_str_release(&out);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spread_texts_keep_apart),
      cmocka_unit_test(text_breaks_where_words_end),
      cmocka_unit_test(pairs_show_both_and_the_gap),
      cmocka_unit_test(bars_reach_below_zero_only_where_told),
      cmocka_unit_test(heat_maps_are_symmetric_and_say_their_values),
      cmocka_unit_test(lines_survive_gaps_and_single_places),
      cmocka_unit_test(strips_have_a_dot_per_slide),
      cmocka_unit_test(groups_are_squares_between_slides_and_all_together),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
