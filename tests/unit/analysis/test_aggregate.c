/* The numbers of slides and runs against a brute-force computation over all cells: random tables, tiles, files, missing
 * cells, empty tables; and closed forms that tell sum from mean, tiles from files, pooled from averaged.
 * SPDX-License-Identifier: Apache-2.0
 * test-label: one-thread */
#include "unit/base/testing.h"

#include "analysis/aggregate.h"
#include "base/alloc.h"
#include "base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 4, MOST_ROWS = 5, MOST_TILES = 4, MOST_FILES = 4 };

/* Column 0 is the value; numerator 2 a, denominator a + b - c / 2, of columns 1 to 3. */
static const size_t above[] = {1}, below[] = {1, 2, 3};
static const double above_factors[] = {2}, below_factors[] = {1, 1, -0.5};

struct table {
  double cells[MOST_ROWS * COLUMNS];
  size_t rows;
  double px;
  bool failed;
};

struct slide {
  struct table tiles[MOST_TILES];
  size_t count;
};

static struct ts_portion portion_of(enum ts_over over, const struct table *table) {
  if (table->failed) return ts_portion_absent();
  const struct ts_column_view view = {.cells = table->cells,
                                      .rows = table->rows,
                                      .columns = COLUMNS,
                                      .numerator = {above, above_factors, 1},
                                      .denominator = {below, below_factors, 3}};
  return ts_portion_of(over, &view);
}

static struct ts_total total_of(enum ts_over over, const struct slide *slide) {
  struct ts_portion portions[2 * MOST_TILES];
  double px[MOST_TILES];
  for (size_t t = 0; t < slide->count; t++) {
    portions[2 * t] = portion_of(over, &slide->tiles[t]);
    portions[2 * t + 1] = (struct ts_portion){.sum = 1e9, .weight = 7}; /* of another output: must not matter */
    px[t] = slide->tiles[t].px;
  }
  const struct ts_portions all = {portions, 2, slide->count, px};
  struct ts_total total = ts_total_of_tiles(over, &all);
  for (size_t t = 0; t < slide->count; t++) ts_portion_release(over, &portions[2 * t]);
  return total;
}

/* ---- Brute force: everything from the list of all cells. ---- */

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static double naive_median(double *numbers, size_t count) {
  if (count == 0) return NAN;
  qsort(numbers, count, sizeof *numbers, compare);
  return (numbers[(count - 1) / 2] + numbers[count / 2]) / 2;
}

static double naive_pool(const struct slide *slides, size_t count, double *numerator, double *denominator) {
  double n = 0, d = 0, lowest = INFINITY;
  for (size_t f = 0; f < count; f++) {
    for (size_t t = 0; t < slides[f].count; t++) {
      for (size_t r = 0; r < slides[f].tiles[t].rows; r++) {
        const double *row = slides[f].tiles[t].cells + r * COLUMNS;
        if (isnan(row[1]) || isnan(row[2]) || isnan(row[3])) continue;
        n += 2 * row[1];
        d += row[1] + row[2] - row[3] / 2;
        if (!isnan(row[0]) && row[0] < lowest) lowest = row[0];
      }
    }
  }
  *numerator = n;
  *denominator = d;
  if (d != 0) return n / d;
  return isinf(lowest) ? NAN : lowest;
}

static double naive_weighted(const struct slide *slide) {
  double sum = 0, weights = 0, all = 0;
  for (size_t t = 0; t < slide->count; t++) all += slide->tiles[t].px;
  for (size_t t = 0; t < slide->count; t++) {
    double own = 0, count = 0;
    for (size_t r = 0; r < slide->tiles[t].rows; r++) {
      double cell = slide->tiles[t].cells[r * COLUMNS];
      own += isnan(cell) ? 0 : cell;
      count += isnan(cell) ? 0 : 1;
    }
    double weight = all > 0 ? slide->tiles[t].px : 1;
    sum += count > 0 ? weight * own / count : 0;
    weights += count > 0 ? weight : 0;
  }
  return weights > 0 ? sum / weights : NAN;
}

static double naive_tiles(enum ts_over over, const struct slide *slide) {
  double cells[MOST_TILES * MOST_ROWS], sum = 0, ignored;
  size_t count = 0, empty = 0;
  for (size_t t = 0; t < slide->count; t++) {
    empty += slide->tiles[t].rows == 0;
    for (size_t r = 0; r < slide->tiles[t].rows; r++) {
      double cell = slide->tiles[t].cells[r * COLUMNS];
      if (isnan(cell)) continue;
      cells[count++] = cell;
      sum += cell;
    }
  }
  if (over == TS_OVER_POOL) return naive_pool(slide, 1, &ignored, &ignored);
  if (over == TS_OVER_SUM) return count > 0 || empty > 0 ? sum : NAN;
  if (over == TS_OVER_MEAN) return count > 0 ? sum / (double)count : NAN;
  if (over == TS_OVER_MEDIAN) return naive_median(cells, count);
  return naive_weighted(slide);
}

static double slide_px(const struct slide *slide) {
  double px = 0;
  for (size_t t = 0; t < slide->count; t++) px += slide->tiles[t].px;
  return px;
}

static double naive_files(enum ts_over over, const struct slide *slides, const double *values, size_t count) {
  double known[MOST_FILES], sum = 0, weighted = 0, weights = 0, all = 0, ignored;
  size_t n = 0;
  for (size_t f = 0; f < count; f++) all += slide_px(&slides[f]);
  for (size_t f = 0; f < count; f++) {
    if (isnan(values[f])) continue;
    double weight = all > 0 ? slide_px(&slides[f]) : 1;
    known[n++] = values[f];
    sum += values[f];
    weighted += weight * values[f];
    weights += weight;
  }
  if (n == 0) return NAN;
  if (over == TS_OVER_POOL) return naive_pool(slides, count, &ignored, &ignored);
  if (over == TS_OVER_SUM) return sum;
  if (over == TS_OVER_MEAN) return sum / (double)n;
  if (over == TS_OVER_MEDIAN) return naive_median(known, n);
  return weights > 0 ? weighted / weights : NAN;
}

/* ---- Random data. ---- */

static uint64_t below_n(struct ts_random *random, uint64_t n) { return ts_random_below(random, n); }

/* Whole numbers, so that sums are exact whatever their order; often 0, so that denominators vanish. */
static void draw_table(struct ts_random *random, struct table *table) {
  *table = (struct table){.rows = below_n(random, MOST_ROWS + 1), .px = (double)below_n(random, 3) * 100};
  bool zeros = below_n(random, 3) == 0;
  for (size_t i = 0; i < table->rows * COLUMNS; i++) {
    table->cells[i] = zeros && i % COLUMNS != 0 ? 0 : (double)below_n(random, 9);
    if (below_n(random, 8) == 0) table->cells[i] = NAN;
  }
}

static size_t draw_slides(struct ts_random *random, struct slide slides[MOST_FILES]) {
  size_t count = 1 + below_n(random, MOST_FILES);
  bool blank = below_n(random, 6) == 0;
  for (size_t f = 0; f < count; f++) {
    slides[f].count = 1 + below_n(random, MOST_TILES);
    for (size_t t = 0; t < slides[f].count; t++) {
      draw_table(random, &slides[f].tiles[t]);
      if (blank) slides[f].tiles[t].px = 0;
    }
  }
  return count;
}

static void assert_same(double found, double wanted) {
  if (isnan(wanted) ? isnan(found) : fabs(found - wanted) <= 1e-12 * fmax(1, fabs(wanted))) return;
  fail_msg("%.17g, not %.17g", found, wanted);
}

static size_t naive_known(const double *values, size_t count) {
  size_t known = 0;
  for (size_t i = 0; i < count; i++) known += isnan(values[i]) ? 0 : 1;
  return known;
}

static void check_case(struct ts_random *random) {
  struct slide slides[MOST_FILES];
  size_t count = draw_slides(random, slides);
  for (int tiles = 0; tiles < TS_OVER_COUNT; tiles++) {
    struct ts_total totals[MOST_FILES];
    double values[MOST_FILES];
    for (size_t f = 0; f < count; f++) {
      totals[f] = total_of((enum ts_over)tiles, &slides[f]);
      values[f] = naive_tiles((enum ts_over)tiles, &slides[f]);
      assert_false(totals[f].failed);
      assert_same(totals[f].value, values[f]);
      double numerator = NAN, denominator = NAN;
      if (tiles == TS_OVER_POOL) naive_pool(&slides[f], 1, &numerator, &denominator);
      assert_same(totals[f].numerator, numerator);
      assert_same(totals[f].denominator, denominator);
    }
    for (int files = tiles == TS_OVER_POOL ? 0 : 1; files < TS_OVER_COUNT; files++) {
      struct ts_total run = ts_total_of_files((enum ts_over)files, totals, count);
      assert_same(run.value, naive_files((enum ts_over)files, slides, values, count));
      assert_int_equal(run.n, naive_known(values, count));
      assert_false(run.failed);
    }
  }
}

static void test_brute_force(void **state) {
  (void)state;
  struct ts_random random;
  ts_random_init(&random, 20240, 7);
  for (int i = 0; i < 20000; i++) check_case(&random);
}

/* ---- Closed forms. ---- */

static struct slide slide_of(size_t tiles, const double *values, size_t rows, double px) {
  struct slide slide = {.count = tiles};
  for (size_t t = 0; t < tiles; t++) {
    slide.tiles[t].rows = rows;
    slide.tiles[t].px = px * (double)(t + 1);
    for (size_t r = 0; r < rows; r++) slide.tiles[t].cells[r * COLUMNS] = values[t * rows + r];
  }
  return slide;
}

/* Tiles of 2 and 1 rows, of 1 and 2 areas. */
static void test_closed_forms(void **state) {
  (void)state;
  const double values[] = {1, 3, 8, 8};
  struct slide slide = slide_of(2, values, 2, 100);
  slide.tiles[1].rows = 1;
  assert_same(total_of(TS_OVER_SUM, &slide).value, 12);
  assert_same(total_of(TS_OVER_MEAN, &slide).value, 4);            /* of rows; of tiles it would be 5 */
  assert_same(total_of(TS_OVER_MEDIAN, &slide).value, 3);          /* of rows; of tiles it would be 5 */
  assert_same(total_of(TS_OVER_WEIGHTED, &slide).value, 18.0 / 3); /* (1 * 2 + 2 * 8) / 3 */
  const struct ts_total files[] = {{.value = 4, .px = 300}, {.value = 10, .px = 100}, {.value = NAN, .px = 1e6}};
  assert_same(ts_total_of_files(TS_OVER_SUM, files, 3).value, 14);
  assert_same(ts_total_of_files(TS_OVER_MEAN, files, 3).value, 7);
  assert_same(ts_total_of_files(TS_OVER_MEDIAN, files, 3).value, 7);
  assert_same(ts_total_of_files(TS_OVER_WEIGHTED, files, 3).value, 5.5);
  assert_int_equal(ts_total_of_files(TS_OVER_MEAN, files, 3).n, 2);
}

static void set_row(struct table *table, double value, double a, double b, double c) {
  const double row[] = {value, a, b, c};
  memcpy(table->cells, row, sizeof row);
  table->rows = 1;
}

/* A full tile with Dice 0.5 and a blank one with Dice 1: the slide has 0.5, not 0.75. */
static void test_blank_tile(void **state) {
  (void)state;
  struct slide slide = {.count = 2};
  set_row(&slide.tiles[0], 0.5, 25, 75, 0);
  set_row(&slide.tiles[1], 1, 0, 0, 0);
  struct ts_total total = total_of(TS_OVER_POOL, &slide);
  assert_same(total.value, 0.5);
  assert_same(total.numerator, 50);
  assert_same(total.denominator, 100);
  assert_int_equal(total.n, 2);
}

/* Where nothing was counted, the operation's own word is the value: 1 of two empty masks, 0 if a tile says so. */
static void test_vanishing_denominator(void **state) {
  (void)state;
  struct slide slide = {.count = 2};
  set_row(&slide.tiles[0], 1, 0, 0, 0);
  set_row(&slide.tiles[1], 1, 0, 0, 0);
  assert_same(total_of(TS_OVER_POOL, &slide).value, 1);
  set_row(&slide.tiles[1], 0, 0, 0, 0);
  assert_same(total_of(TS_OVER_POOL, &slide).value, 0);
  set_row(&slide.tiles[0], NAN, 0, 0, 0);
  set_row(&slide.tiles[1], NAN, 0, 0, 0);
  struct ts_total total = total_of(TS_OVER_POOL, &slide);
  assert_same(total.value, NAN);
  assert_false(total.failed);
  assert_int_equal(total.n, 0);
}

/* Empty tables: sums are 0, means and medians missing; nothing fails. */
static void test_empty_tables(void **state) {
  (void)state;
  const struct slide slide = {.count = 3};
  assert_same(total_of(TS_OVER_SUM, &slide).value, 0);
  assert_int_equal(total_of(TS_OVER_SUM, &slide).n, 3);
  const enum ts_over others[] = {TS_OVER_POOL, TS_OVER_MEAN, TS_OVER_MEDIAN, TS_OVER_WEIGHTED};
  for (size_t i = 0; i < 4; i++) {
    struct ts_total total = total_of(others[i], &slide);
    assert_same(total.value, NAN);
    assert_false(total.failed);
    assert_int_equal(total.n, 0);
    const struct ts_total files[] = {total, {.value = 6, .numerator = 12, .denominator = 2}};
    struct ts_total none = {.value = NAN, .numerator = 0, .denominator = 0};
    const struct ts_total pooled[] = {none, files[1]};
    assert_same(ts_total_of_files(others[i], others[i] == TS_OVER_POOL ? pooled : files, 2).value, 6);
  }
}

/* A task that failed makes the file's and the run's number unknown, whatever the way. */
static void test_failed_unit(void **state) {
  (void)state;
  const double values[] = {1, 2, 3};
  for (int over = 0; over < TS_OVER_COUNT; over++) {
    struct slide slide = slide_of(3, values, 1, 10);
    slide.tiles[1].failed = true;
    struct ts_total total = total_of((enum ts_over)over, &slide);
    assert_true(total.failed);
    assert_same(total.value, NAN);
    const struct ts_total files[] = {{.value = 1}, total};
    assert_true(ts_total_of_files((enum ts_over)over, files, 2).failed);
    assert_same(ts_total_of_files((enum ts_over)over, files, 2).value, NAN);
  }
}

static void assert_spread(enum ts_over over, const struct ts_total *files, size_t count,
                          const struct ts_files_resampling *how, double low, double high) {
  const struct ts_files_spread spread = ts_files_spread_of(over, files, count, how);
  assert_same(spread.low, low);
  assert_same(spread.high, high);
}

/* Few files have few resamples, whose shares are known: of two files each comes alone in a quarter of all; of three
 * files 0, 0, 1 a resample is all 1 in 1/27 (3.7 %) and all 0 in 8/27. So 2.5 % from either end are the extremes; with
 * 80 % between the ends, the upper one is the mean with two of three, which 7/27 reach and 1/27 exceed. */
static void test_spread(void **state) {
  (void)state;
  const struct ts_files_resampling usual = {.seed = 5}, narrow = {.seed = 5, .confidence = 0.8, .resamples = 4000},
                                   none = {.resamples = (size_t)-1};
  const struct ts_total two[] = {{.value = 0.25, .numerator = 1, .denominator = 4},
                                 {.value = 0.75, .numerator = 75, .denominator = 100}};
  const struct ts_total three[] = {{.value = 0}, {.value = 0}, {.value = 1}};
  assert_spread(TS_OVER_MEAN, two, 2, &usual, 0.25, 0.75);
  assert_spread(TS_OVER_POOL, two, 2, &usual, 0.25, 0.75);
  assert_spread(TS_OVER_MEAN, three, 3, &usual, 0, 1);
  assert_spread(TS_OVER_MEAN, three, 3, &narrow, 0, 2.0 / 3);
  assert_spread(TS_OVER_MEDIAN, three, 3, &narrow, 0, 1); /* in 7/27 two or three of three are 1 */
  assert_spread(TS_OVER_MEAN, two, 1, &usual, NAN, NAN);
  assert_spread(TS_OVER_SUM, two, 2, &usual, NAN, NAN);
  assert_spread(TS_OVER_MEAN, two, 2, &none, NAN, NAN);
  const struct ts_total missing[] = {two[0], {.value = NAN}, two[1]}, failed[] = {two[0], two[1], {.failed = true}};
  assert_spread(TS_OVER_MEAN, missing, 3, &usual, 0.25, 0.75);
  assert_spread(TS_OVER_MEAN, failed, 3, &usual, NAN, NAN);
}

static void test_names(void **state) {
  (void)state;
  const char *const wanted[] = {"pool", "sum", "mean", "median", "weighted"};
  for (int i = 0; i < TS_OVER_COUNT; i++) assert_string_equal(ts_over_names[i], wanted[i]);
  assert_null(ts_over_names[TS_OVER_COUNT]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_brute_force),  cmocka_unit_test(test_closed_forms),
      cmocka_unit_test(test_blank_tile),   cmocka_unit_test(test_vanishing_denominator),
      cmocka_unit_test(test_empty_tables), cmocka_unit_test(test_failed_unit),
      cmocka_unit_test(test_spread),       cmocka_unit_test(test_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
