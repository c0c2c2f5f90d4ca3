/* Tests of report/chart.c, svg.c and the binning of timelines: the mathematics of the charts.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/chart/chart.h"

#include "base/random.h"
#include "report/chart/svg.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void check_axis(double low, double high, size_t max_ticks) {
  struct ts_axis axis;
  ts_axis_fit(&axis, low, high, max_ticks);
  assert_true(axis.low <= low + 1e-9 * axis.step && axis.high >= high - 1e-9 * axis.step);
  assert_true(axis.low > low - axis.step && axis.high < high + axis.step);
  assert_in_range(axis.tick_count, 2, max_ticks);
  double power = pow(10, floor(log10(axis.step) + 1e-9)), lead = axis.step / power;
  assert_true(fabs(lead - 1) < 1e-9 || fabs(lead - 2) < 1e-9 || fabs(lead - 5) < 1e-9);
  for (size_t i = 0; i < axis.tick_count; i++) {
    double steps = ts_axis_tick(&axis, i) / axis.step;
    assert_true(fabs(steps - round(steps)) < 1e-9);
    double shifted = ts_axis_tick(&axis, i) * pow(10, axis.decimals);
    assert_true(fabs(shifted - round(shifted)) < 1e-6 * fmax(1, fabs(shifted)));
  }
  ts_axis_fit_tight(&axis, low, high, max_ticks);
  assert_true(axis.low == low && axis.high == high);
  assert_in_range(axis.tick_count, low > 0 ? 0 : 1, max_ticks);
  if (axis.tick_count == 0) return;
  assert_true(ts_axis_tick(&axis, 0) >= low - 1e-9 * axis.step);
  assert_true(ts_axis_tick(&axis, axis.tick_count - 1) <= high + 1e-9 * axis.step);
}

static void axes_have_nice_ticks(void **state) {
  (void)state;
  struct ts_random random;
  ts_random_init(&random, 17, 0);
  for (int i = 0; i < 2000; i++) {
    double size = pow(10, 14 * ts_random_unit(&random) - 6), low = i % 3 ? 0 : (ts_random_unit(&random) - 0.5) * size;
    size_t least = low < 0 ? 3 : 2; /* one on either side of zero, and zero */
    check_axis(low, low + size, least + (size_t)ts_random_below(&random, 9));
  }
  struct ts_axis axis;
  ts_axis_fit(&axis, 0, 0.47, 6);
  assert_true(axis.step == 0.1 && axis.tick_count == 6 && axis.decimals == 1 && axis.high == 0.5);
  ts_axis_fit_tight(&axis, 0, 102400, 2);
  assert_true(axis.step == 100000 && axis.tick_count == 2 && axis.decimals == 0);
  ts_axis_fit(&axis, 3, 3, 5); /* nothing to span */
  assert_true(axis.high > axis.low && axis.tick_count >= 2);
}

static void axes_map_linearly(void **state) {
  (void)state;
  struct ts_axis axis = {.low = 10, .high = 20};
  assert_true(ts_axis_map(&axis, 10, 100, 300) == 100);
  assert_true(ts_axis_map(&axis, 20, 100, 300) == 300);
  assert_true(ts_axis_map(&axis, 12.5, 300, 100) == 250);
}

static void text_is_fitted_by_whole_characters(void **state) {
  (void)state;
  char *text = ts_text_fit("short", 13, 100);
  assert_string_equal(text, "short");
  free(text);
  const char *umlauts = "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc";
  for (double room = 0; room < 120; room += 3) {
    text = ts_text_fit(umlauts, 13, room);
    size_t length = strlen(text);
    assert_true(ts_text_width(text, 13) <= room || length == 0);
    if (length > 0 && strcmp(text, umlauts) != 0) {
      assert_string_equal(text + length - 3, "\xe2\x80\xa6");
      assert_int_equal((length - 3) % 2, 0);
    }
    free(text);
  }
  assert_true(ts_text_width("mmm", 10) > ts_text_width("iii", 10));
  assert_true(ts_text_width("abc", 20) == 2 * ts_text_width("abc", 10));
}

/* 60 points in a heap: whatever is placed must not touch anything; the first label always finds a place. */
static void labels_never_collide(void **state) {
  (void)state;
  struct ts_random random;
  ts_random_init(&random, 5, 0);
  struct ts_box frame = {0, 0, 300, 200}, markers[60];
  struct ts_label labels[60];
  for (size_t i = 0; i < 60; i++) {
    double x = 20 + 150 * ts_random_unit(&random), y = 20 + 90 * ts_random_unit(&random);
    labels[i] = (struct ts_label){.text = i % 2 ? "minSize" : "T1", .x = x, .y = y, .radius = 5};
    markers[i] = (struct ts_box){x - 5, y - 5, 10, 10};
  }
  ts_labels_place(labels, 60, markers, 60, &frame, 13);
  size_t placed = 0;
  for (size_t i = 0; i < 60; i++) {
    if (!labels[i].placed) continue;
    placed++;
    const struct ts_box *box = &labels[i].box;
    assert_true(box->x >= 0 && box->y >= 0 && box->x + box->width <= 300 && box->y + box->height <= 200);
    for (size_t k = 0; k < 60; k++) {
      assert_false(ts_box_overlaps(box, &markers[k]));
      if (k != i && labels[k].placed) assert_false(ts_box_overlaps(box, &labels[k].box));
    }
  }
  assert_true(placed > 3 && placed < 60);
  struct ts_label alone = {.text = "G1", .x = 100, .y = 100, .radius = 5};
  ts_labels_place(&alone, 1, NULL, 0, &frame, 13);
  assert_true(alone.placed && alone.box.x > 105);
  alone.x = 299; /* no room on the right */
  ts_labels_place(&alone, 1, NULL, 0, &frame, 13);
  assert_true(alone.placed && alone.box.x + alone.box.width <= 299);
}

static void boxes_that_touch_do_not_overlap(void **state) {
  (void)state;
  struct ts_box a = {0, 0, 10, 10}, beside = {10, 0, 10, 10}, inside = {2, 2, 1, 1}, below = {0, 9.5, 10, 10};
  assert_false(ts_box_overlaps(&a, &beside));
  assert_true(ts_box_overlaps(&a, &inside));
  assert_true(ts_box_overlaps(&inside, &a));
  assert_true(ts_box_overlaps(&a, &below));
}

static void bins_take_what_fills_most_of_them(void **state) {
  (void)state;
  const struct ts_look groups[] = {{"a", "#000000", 0}, {"b", "#000000", 0}};
  const struct ts_span spans[] = {{0, 0, 1, 0},   {0, 1, 1.4, 0},  {0, 1.4, 2, 1}, {0, 2.2, 2.6, 1}, /* 40 % of bin 2 */
                                  {1, 3.5, 4, 0}, {1, 0.9, 1.7, 1}};
  struct ts_timeline timeline = {
      .spans = spans, .span_count = 6, .worker_count = 2, .groups = groups, .group_count = 2, .end = 4};
  size_t cells[8];
  ts_timeline_bins(&timeline, 4, cells);
  const size_t expected[] = {0, 1, 2, 2, 2, 1, 2, 0};
  for (size_t i = 0; i < 8; i++) assert_int_equal(cells[i], expected[i]);
}

/* 20 000 tasks cost no more than 2000. */
static void timelines_stay_small(void **state) {
  (void)state;
  const struct ts_look groups[] = {{"a", "#0072B2", 0}, {"b", "#E69F00", 0}};
  struct ts_span *spans = calloc(20000, sizeof *spans);
  for (size_t i = 0; i < 20000; i++) {
    spans[i] = (struct ts_span){i % 64, (double)(i / 64), (double)(i / 64) + 0.9, (i * 7 + i / 64) % 2};
  }
  struct ts_timeline timeline = {.spans = spans,
                                 .span_count = 20000,
                                 .worker_count = 64,
                                 .groups = groups,
                                 .group_count = 2,
                                 .end = 20000.0 / 64 + 1};
  struct ts_str out = {0};
  ts_draw_timeline(&out, &(struct ts_chart){"A timeline.", &timeline, ts_draw_timeline}, "full", 900);
  assert_true(out.length < 120000);
  ts_str_release(&out);
  free(spans);
}

static int hex(char c) { return c >= 'a' ? c - 'a' + 10 : c >= 'A' ? c - 'A' + 10 : c - '0'; }

static double light(const char *colour) {
  double sum = 0, weights[] = {0.2126, 0.7152, 0.0722};
  for (size_t i = 0; i < 3; i++) {
    double c = (hex(colour[1 + 2 * i]) * 16 + hex(colour[2 + 2 * i])) / 255.0;
    sum += weights[i] * (c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
  }
  return sum + 0.05;
}

static void readable(const char *colour) {
  double a = light(colour), b = light(ts_colour_text_on(colour));
  assert_true((a > b ? a / b : b / a) >= 4.5);
}

/* WCAG wants 4.5 : 1 for text. */
static void text_on_colours_is_readable(void **state) {
  (void)state;
  for (size_t i = 0; i <= TS_COLOUR_COUNT + 2; i++) readable(ts_colour_get(i));
  double before = 0;
  for (int i = 0; i <= 100; i++) {
    char colour[8];
    ts_colour_scale(i / 100.0, colour);
    readable(colour);
    assert_true(light(colour) >= before); /* a scale that gets lighter all the way reads in grey too */
    before = light(colour);
  }
  char low[8], high[8], ends[8];
  assert_string_equal(ts_colour_scale(-3, ends), ts_colour_scale(0, low));
  assert_string_equal(ts_colour_scale(7, ends), ts_colour_scale(1, high));
}

static void svg_numbers_are_short(void **state) {
  (void)state;
  struct ts_str out = {0};
  ts_svg_number(&out, 12.3456);
  ts_str_add_char(&out, ' ');
  ts_svg_number(&out, -0.01);
  ts_str_add_char(&out, ' ');
  ts_svg_number(&out, 300);
  assert_string_equal(ts_str_get(&out), "12.3 0 300");
  ts_str_clear(&out);
  ts_svg_text(&out, 1, 2, TS_ANCHOR_END, "#fff", "<a> & \"b\"");
  assert_string_equal(ts_str_get(&out),
                      "<text x=\"1\" y=\"2\" text-anchor=\"end\" fill=\"#fff\">&lt;a&gt; &amp; &quot;b&quot;</text>\n");
  ts_str_release(&out);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(axes_have_nice_ticks),
      cmocka_unit_test(axes_map_linearly),
      cmocka_unit_test(text_is_fitted_by_whole_characters),
      cmocka_unit_test(labels_never_collide),
      cmocka_unit_test(boxes_that_touch_do_not_overlap),
      cmocka_unit_test(bins_take_what_fills_most_of_them),
      cmocka_unit_test(timelines_stay_small),
      cmocka_unit_test(text_on_colours_is_readable),
      cmocka_unit_test(svg_numbers_are_short),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
