/* Tests of report/bucket_picture.c: what is drawn for given buckets, and how large a drawing gets.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/bucket_picture.h"

#include "base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SHARED "#0072B2"
#define SINGLE "#AEB6C2"
#define AGAIN  "#D55E00"
#define MET    "#D6E8F5"

static const char *const tasks[] = {"first", "sec<ond", "third"};

static char *draw(const struct ts_bucket_panel *panels, size_t count) {
  struct ts_str out = {0};
  const struct ts_bucket_picture picture = {.title = "a \"title\"",
                                            .subtitle = "",
                                            .tasks = tasks,
                                            .task_count = 3,
                                            .workers = 2,
                                            .panels = panels,
                                            .panel_count = count};
  ts_draw_buckets(&out, &picture);
  return ts_str_detach(&out);
}

/* Rectangles of all paths of one colour. */
static size_t boxes_of(const char *svg, const char *colour) {
  char start[64];
  size_t count = 0;
  snprintf(start, sizeof start, "<path fill=\"%s\" d=\"", colour);
  for (const char *path = strstr(svg, start); path; path = strstr(path + 1, start)) {
    const char *data = path + strlen(start);
    for (; *data != '"'; data++) count += *data == 'M';
  }
  return count;
}

/* Two buckets of two runs each. The third run has its first task in common with the first bucket. */
static void boxes_are_computations(void **state) {
  (void)state;
  static const uint32_t keys[] = {0, 1, 2, 0, 1, 3, 0, 4, 5, 6, 7, 8};
  static const size_t sizes[] = {2, 2};
  static const double costs[] = {4, 6};
  const struct ts_bucket_panel panel = {.name = "naive, chain keys",
                                        .bucket_count = 2,
                                        .sizes = sizes,
                                        .costs = costs,
                                        .keys = keys,
                                        .key_count = 9,
                                        .imbalance = 1 / 3.0,
                                        .makespan = 6,
                                        .lower_bound = 4.5};
  char *svg = draw(&panel, 1);
  assert_int_equal(boxes_of(svg, SHARED), 2);
  assert_int_equal(boxes_of(svg, AGAIN), 1);
  assert_int_equal(boxes_of(svg, SINGLE), 7);
  assert_int_equal(boxes_of(svg, MET), 0);
  assert_int_equal(boxes_of(svg, "#009E73"), 1); /* the bars of the two buckets */
  assert_int_equal(boxes_of(svg, "#CC79A7"), 1);
  assert_non_null(strstr(svg, ">3, 1 again</text>"));
  assert_non_null(strstr(svg, "2 buckets; 10 of 12 tasks computed"));
  assert_non_null(strstr(svg, ", 1 of them again; imbalance 33"));
  assert_non_null(strstr(svg, "2 workers: 6 task lengths, at least 4.5</text>"));
  assert_non_null(strstr(svg, "sec&lt;ond"));
  assert_non_null(strstr(svg, "a &quot;title&quot;"));
  assert_int_equal(strncmp(svg, "<?xml", 5), 0);
  char *again = draw(&panel, 1);
  assert_string_equal(svg, again);
  free(svg);
  free(again);
}

/* Keys of a graph: the bucket has the third task of the first run already when the third run comes. */
static void what_a_bucket_has_is_not_done_again(void **state) {
  (void)state;
  static const uint32_t keys[] = {0, 2, 5, 0, 3, 6, 1, 4, 5};
  static const size_t size = 3;
  static const double cost = 7;
  const struct ts_bucket_panel panel = {
      .name = "lineage, dag keys", .bucket_count = 1, .sizes = &size, .costs = &cost, .keys = keys, .key_count = 7};
  char *svg = draw(&panel, 1);
  assert_int_equal(boxes_of(svg, MET), 1);
  assert_int_equal(boxes_of(svg, AGAIN), 0);
  assert_non_null(strstr(svg, "1 bucket; 7 of 9 tasks computed"));
  free(svg);
}

static void a_refusal_has_its_reason(void **state) {
  (void)state;
  const struct ts_bucket_panel panel = {.name = "sca", .refused = "too many & too slow"};
  char *svg = draw(&panel, 1);
  assert_non_null(strstr(svg, "too many &amp; too slow"));
  free(svg);
}

/* 200,000 runs, each in a bucket of its own or all in one: a drawing of some kilobytes. */
static void many_runs_stay_small(void **state) {
  (void)state;
  const size_t runs = 200000;
  uint32_t *keys = ts_calloc(runs * 3, sizeof *keys);
  size_t *sizes = ts_calloc(runs, sizeof *sizes);
  double *costs = ts_calloc(runs, sizeof *costs);
  for (size_t r = 0; r < runs; r++) {
    for (size_t t = 0; t < 3; t++) keys[r * 3 + t] = (uint32_t)(t * runs + (t == 2 ? r : r * (t + 1) / 7));
    sizes[r] = 1;
    costs[r] = (double)(r % 5);
  }
  struct ts_bucket_panel panels[2] = {{.name = "alone", .sizes = sizes, .costs = costs, .bucket_count = runs},
                                      {.name = "together", .sizes = &runs, .costs = costs, .bucket_count = 1}};
  for (size_t i = 0; i < 2; i++) {
    panels[i].keys = keys;
    panels[i].key_count = 3 * runs;
  }
  char *svg = draw(panels, 2);
  assert_in_range(strlen(svg), 2000, 40000);
  free(svg);
  free(keys);
  free(sizes);
  free(costs);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(boxes_are_computations),
      cmocka_unit_test(what_a_bucket_has_is_not_done_again),
      cmocka_unit_test(a_refusal_has_its_reason),
      cmocka_unit_test(many_runs_stay_small),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
