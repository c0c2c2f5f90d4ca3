/* Tests of analysis/rank.c: classes, order, and what is unsettled.
 * SPDX-License-Identifier: Apache-2.0 */
#include "analysis/rank.h"

#include "analysis/analysis.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct ts_morris_index index_of(double mu_star, double low, double high, double sigma) {
  return (struct ts_morris_index){.name = "x",
                                  .mu = mu_star,
                                  .mu_star = mu_star,
                                  .sigma = sigma,
                                  .mu_star_low = low,
                                  .mu_star_high = high,
                                  .effect_count = 10};
}

static void classifies(void **state) {
  (void)state;
  struct ts_morris_index small = index_of(0.02, 0.01, 0.049, 0.01), reaching = index_of(0.02, 0.0, 0.05, 0.005);
  struct ts_morris_index linear = index_of(1, 0.9, 1.1, 0.49), bent = index_of(1, 0.9, 1.1, 0.5);
  assert_int_equal(ts_morris_classify(&small, 1, 0), TS_EFFECT_NEGLIGIBLE);
  assert_int_equal(ts_morris_classify(&reaching, 1, 0), TS_EFFECT_LINEAR);
  assert_int_equal(ts_morris_classify(&reaching, 1, 0.1), TS_EFFECT_NEGLIGIBLE);
  assert_int_equal(ts_morris_classify(&linear, 1, 0), TS_EFFECT_LINEAR);
  assert_int_equal(ts_morris_classify(&bent, 1, 0), TS_EFFECT_INTERACTING);
  assert_string_equal(ts_effect_class_name(TS_EFFECT_NEGLIGIBLE), "negligible");
  assert_string_equal(ts_effect_class_name(TS_EFFECT_LINEAR), "influential");
  assert_string_equal(ts_effect_class_name(TS_EFFECT_INTERACTING), "interacting");
}

static void the_unknown_is_not_negligible(void **state) {
  (void)state;
  struct ts_morris_index unknown = index_of(NAN, NAN, NAN, NAN), single = index_of(0, NAN, NAN, NAN);
  single.effect_count = 1;
  assert_int_not_equal(ts_morris_classify(&unknown, 1, 0), TS_EFFECT_NEGLIGIBLE);
  assert_int_not_equal(ts_morris_classify(&single, 1, 0), TS_EFFECT_NEGLIGIBLE);
}

static void without_any_effect_all_are_negligible(void **state) {
  (void)state;
  struct ts_morris_index none[] = {index_of(0, 0, 0, 0), index_of(0, 0, 0, 0)};
  size_t order[2];
  bool unsettled[2];
  assert_true(ts_morris_largest(none, 2) == 0);
  assert_int_equal(ts_morris_classify(&none[0], 0, 0), TS_EFFECT_NEGLIGIBLE);
  ts_morris_rank(none, 2, order, unsettled);
  assert_int_equal(order[0], 0);
  assert_false(unsettled[0]); /* equal, not unsettled */
}

static void ranks_by_size_and_keeps_ties_in_order(void **state) {
  (void)state;
  struct ts_morris_index indices[] = {index_of(0.2, 0.15, 0.25, 0), index_of(NAN, NAN, NAN, NAN),
                                      index_of(0.5, 0.4, 0.6, 0),   index_of(0.2, 0.1, 0.3, 0),
                                      index_of(0.45, 0.3, 0.55, 0), index_of(0.05, 0.01, 0.09, 0)};
  size_t order[6];
  bool unsettled[6];
  ts_morris_rank(indices, 6, order, unsettled);
  const size_t expected[] = {2, 4, 0, 3, 5, 1};
  const bool expected_unsettled[] = {true, false, true, false, true, false};
  for (size_t i = 0; i < 6; i++) {
    assert_int_equal(order[i], expected[i]);
    assert_int_equal(unsettled[i], expected_unsettled[i]);
  }
  assert_true(ts_morris_largest(indices, 6) == 0.5);
}

/* Two columns, four names; "first" is the one that ranks. */
static const struct ts_method table_method = {.name = "table", .columns = {"second", "first"}, .rank_by = "first"};
static const struct ts_method signed_method = {
    .name = "signed", .columns = {"second", "first"}, .rank_by = "first", .rank_by_size = true};

static struct ts_indices table_of(const struct ts_method *method, struct ts_index *cells, size_t *usable) {
  return (struct ts_indices){.method = method, .name_count = 4, .column_count = 2, .cells = cells, .usable = usable};
}

static void check_order(const struct ts_indices *indices, const char *column, const size_t *expected,
                        const bool *expected_unsettled) {
  size_t order[4];
  bool unsettled[4];
  ts_rank(indices, column, order, unsettled);
  for (size_t i = 0; i < 4; i++) {
    assert_int_equal(order[i], expected[i]);
    assert_int_equal(unsettled[i], expected_unsettled[i]);
  }
}

static void ranks_any_column_of_any_method(void **state) {
  (void)state;
  struct ts_index cells[] = {{0.9, 0.8, 1},   {0.2, 0.1, 0.3},    {0.1, 0, 0.2},   {0.7, 0.6, 0.8},
                             {NAN, NAN, NAN}, {-0.05, -0.1, 0.0}, {0.5, 0.4, 0.6}, {0.25, 0.2, 0.3}};
  size_t usable[] = {100, 100, 100, 100};
  struct ts_indices indices = table_of(&table_method, cells, usable);
  check_order(&indices, NULL, (size_t[]){1, 3, 0, 2}, (bool[]){false, true, false, false});
  check_order(&indices, "first", (size_t[]){1, 3, 0, 2}, (bool[]){false, true, false, false});
  check_order(&indices, "second", (size_t[]){0, 3, 1, 2}, (bool[]){false, false, true, false});
}

/* -0.8 ranks before 0.5; an interval around zero reaches from zero to its farther end. */
static void correlations_rank_by_size(void **state) {
  (void)state;
  struct ts_index cells[] = {{0, 0, 0}, {0.5, 0.35, 0.6}, {0, 0, 0}, {-0.8, -0.9, -0.7},
                             {0, 0, 0}, {0.1, -0.4, 0.3}, {0, 0, 0}, {-0.05, -0.1, 0.02}};
  size_t usable[] = {100, 100, 100, 100};
  struct ts_indices indices = table_of(&signed_method, cells, usable);
  check_order(&indices, NULL, (size_t[]){1, 0, 2, 3}, (bool[]){false, true, true, false});
  indices.method = &table_method;
  check_order(&indices, NULL, (size_t[]){0, 2, 3, 1}, (bool[]){false, true, false, false});
}

static void check_open(const struct ts_indices *indices, const struct ts_open_rank *wanted, size_t count) {
  struct ts_open_rank open[4];
  assert_int_equal(ts_rank_open(indices, open), count);
  for (size_t i = 0; i < count; i++) {
    assert_int_equal(open[i].rank, wanted[i].rank);
    assert_int_equal(open[i].a, wanted[i].a);
    assert_int_equal(open[i].b, wanted[i].b);
    assert_int_equal(open[i].more, wanted[i].more);
  }
}

/* Gap 1/4, reach 1/4 + 1/4: four times as many. Gap 1/64: 32 times the width, 1024 times as many. */
static void tells_how_many_more_blocks_settle_ranks(void **state) {
  (void)state;
  struct ts_index cells[] = {{0, 0, 0},      {1, 0.75, 1.25},  {0, 0, 0},
                             {0.75, 0.5, 1}, {0, 0, 0},        {0.734375, 0.484375, 0.984375},
                             {0, 0, 0},      {0.1, 0.05, 0.15}};
  size_t usable[] = {64, 60, 64, 64};
  struct ts_indices indices = table_of(&table_method, cells, usable);
  /* The second needs more than 100 times the blocks that there are. */
  check_open(&indices, (struct ts_open_rank[]){{0, 0, 1, 3 * 60}, {1, 1, 2, 0}}, 2);
  cells[5] = cells[3]; /* no gap */
  check_open(&indices, (struct ts_open_rank[]){{0, 0, 1, 3 * 60}, {1, 1, 2, 0}}, 2);
  cells[1] = (struct ts_index){0.75, 0.5, 1}; /* the same, in the order of the names */
  cells[3] = (struct ts_index){1, 0.75, 1.25};
  cells[5] = (struct ts_index){0, -0.125, 0.125}; /* gap 1/8, reach 3/16: 9/4 times as many */
  cells[7] = (struct ts_index){0.125, 0.0625, 0.1875};
  check_open(&indices, (struct ts_open_rank[]){{0, 1, 0, 3 * 60}, {2, 3, 2, 80}}, 2);
}

static void equal_zeros_and_unknowns(void **state) {
  (void)state;
  struct ts_index cells[] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {NAN, NAN, NAN},
                             {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {1, 1, 1}};
  size_t usable[] = {10, 0, 10, 10};
  struct ts_indices indices = table_of(&table_method, cells, usable);
  check_order(&indices, NULL, (size_t[]){3, 0, 2, 1}, (bool[]){false, false, true, false});
  check_open(&indices, (struct ts_open_rank[]){{2, 2, 1, 0}}, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(classifies),
      cmocka_unit_test(the_unknown_is_not_negligible),
      cmocka_unit_test(without_any_effect_all_are_negligible),
      cmocka_unit_test(ranks_by_size_and_keeps_ties_in_order),
      cmocka_unit_test(ranks_any_column_of_any_method),
      cmocka_unit_test(correlations_rank_by_size),
      cmocka_unit_test(tells_how_many_more_blocks_settle_ranks),
      cmocka_unit_test(equal_zeros_and_unknowns),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
