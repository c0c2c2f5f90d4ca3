/* From the tables of runs to the numbers that a study analyses: every way over tiles and files, for stages per tile,
 * file and dataset, against a computation over all rows; shared nodes, failed and empty units, missing cells and
 * columns.
 * SPDX-License-Identifier: Apache-2.0
 * test-needs: study
 * test-label: one-thread */
#include "unit/base/testing.h"

#include "base/alloc.h"
#include "base/random.h"
#include "support/study_case.h"

#include <math.h>

enum { MOST_ROWS = 4, TILES = 8, FILES = 3, SETS = 3, CASES = 60, MOST_OUTPUTS = 80 };

/* Tiles of 4 px: 6 of the first image (the right ones are 2 px wide, the lower ones 2 px high), 1 and 1 of the
 * others. */
static const struct toy_image images[FILES] = {{"one", 10, 6}, {"two", 3, 4}, {"three", 4, 1}};
static const size_t tiles_of[FILES] = {6, 1, 1}, first_tile[FILES] = {0, 6, 7};

/* Sets 0 and 2 are equal, so that they share every node. */
static const double set_values[SETS] = {0.25, 0.75, 0.25};
static const size_t twin_of[SETS] = {0, 1, 0};

struct unit {
  bool failed;
  size_t rows;
  double cells[MOST_ROWS][PROBE_COLUMNS];
  double px;
};

/* What one stage made: per distinct set, its units file by file. */
struct made {
  struct unit units[2][TILES];
  size_t count; /* of units */
};

struct number {
  double value, numerator, denominator, px;
  bool failed;
  size_t n;
};

/* ---- The oracle: one list of rows per file. ---- */

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static double median(double *numbers, size_t count) {
  if (count == 0) return NAN;
  qsort(numbers, count, sizeof *numbers, compare);
  return count % 2 ? numbers[(count - 1) / 2] : (numbers[count / 2 - 1] + numbers[count / 2]) / 2;
}

/* The sides of the ratio share as study_case.h defines it; false if a term is missing. */
static bool sides(const double *row, double *numerator, double *denominator) {
  *numerator = 2 * row[PROBE_BOTH];
  *denominator = row[PROBE_FOUND] + row[PROBE_BOTH] - row[PROBE_OTHER] / 2;
  return !isnan(*numerator + *denominator);
}

static void pool(const struct unit *units, size_t count, struct number *result, double *lowest) {
  result->numerator = result->denominator = 0;
  for (size_t u = 0; u < count; u++) {
    double all = 0, low = INFINITY;
    for (size_t r = 0; r < units[u].rows; r++) {
      double n, d;
      if (!sides(units[u].cells[r], &n, &d)) continue;
      result->numerator += n;
      result->denominator += d;
      all += d;
      if (units[u].cells[r][PROBE_SHARE] < low) low = units[u].cells[r][PROBE_SHARE];
    }
    if (all != 0 || !isinf(low)) result->n++;
    if (low < *lowest) *lowest = low;
  }
}

static double mean_of_means(const struct unit *units, size_t count) {
  double sum = 0, weights = 0;
  for (size_t u = 0; u < count; u++) {
    double own = 0, cells = 0;
    for (size_t r = 0; r < units[u].rows; r++) {
      if (isnan(units[u].cells[r][PROBE_SHARE])) continue;
      own += units[u].cells[r][PROBE_SHARE];
      cells++;
    }
    if (cells == 0) continue;
    sum += units[u].px * own / cells;
    weights += units[u].px;
  }
  return weights > 0 ? sum / weights : NAN;
}

static struct number number_of_file(enum ts_over over, const struct unit *units, size_t count) {
  struct number result = {.numerator = NAN, .denominator = NAN, .value = NAN};
  double cells[TILES * MOST_ROWS], sum = 0, lowest = INFINITY;
  size_t known = 0, with_value = 0;
  for (size_t u = 0; u < count; u++) {
    result.failed = result.failed || units[u].failed;
    result.px += units[u].px;
    size_t before = known;
    for (size_t r = 0; r < units[u].rows; r++)
      if (!isnan(units[u].cells[r][PROBE_SHARE])) sum += cells[known++] = units[u].cells[r][PROBE_SHARE];
    with_value += known > before || (over == TS_OVER_SUM && units[u].rows == 0);
  }
  if (result.failed) return result;
  result.n = with_value;
  if (over == TS_OVER_POOL) {
    result.n = 0;
    pool(units, count, &result, &lowest);
    result.value = result.denominator != 0 ? result.numerator / result.denominator : isinf(lowest) ? NAN : lowest;
  }
  if (over == TS_OVER_SUM) result.value = with_value > 0 ? sum : NAN;
  if (over == TS_OVER_MEAN) result.value = known > 0 ? sum / (double)known : NAN;
  if (over == TS_OVER_MEDIAN) result.value = median(cells, known);
  if (over == TS_OVER_WEIGHTED) result.value = mean_of_means(units, count);
  return result;
}

static double over_known_files(enum ts_over over, const struct number *files) {
  double known[FILES], sum = 0, weighted = 0, weights = 0;
  size_t n = 0;
  for (size_t f = 0; f < FILES; f++) {
    if (isnan(files[f].value)) continue;
    sum += known[n++] = files[f].value;
    weighted += files[f].px * files[f].value;
    weights += files[f].px;
  }
  if (over == TS_OVER_SUM) return n > 0 ? sum : NAN;
  if (over == TS_OVER_MEAN) return n > 0 ? sum / (double)n : NAN;
  if (over == TS_OVER_MEDIAN) return median(known, n);
  return weights > 0 ? weighted / weights : NAN;
}

static struct number number_of_run(const struct study_output *output, const struct made *made, size_t set,
                                   const struct number files[FILES]) {
  const struct unit *units = made->units[twin_of[set]];
  if (made->count == 1) return number_of_file(output->over_tiles, units, 1); /* of the dataset: there are no files */
  struct number result = {.value = NAN};
  for (size_t f = 0; f < FILES; f++) {
    result.failed = result.failed || files[f].failed;
    result.n += isnan(files[f].value) ? 0 : 1;
  }
  if (result.failed) return result;
  result.value = output->over_files == TS_OVER_POOL ? number_of_file(TS_OVER_POOL, units, made->count).value
                                                    : over_known_files(output->over_files, files);
  return result;
}

/* ---- What the engine would deliver. ---- */

static double core_px(const struct toy_image *image, size_t tile) {
  double px = 0;
  for (int64_t y = 0; y < image->height; y++)
    for (int64_t x = 0; x < image->width; x++) px += (size_t)(y / 4 * ((image->width + 3) / 4) + x / 4) == tile;
  return px;
}

static double unit_px(size_t count, size_t unit) {
  if (count == FILES) return (double)(images[unit].width * images[unit].height);
  size_t file = unit < 6 ? 0 : unit - 5;
  return count == 1 ? 1 : core_px(&images[file], unit - first_tile[file]);
}

/* Small whole numbers: sums are exact in any order, denominators often vanish. */
static void draw(struct ts_random *random, struct made *made, bool with_failures) {
  for (size_t i = 0; i < 2 * made->count; i++) {
    struct unit *unit = &made->units[i / made->count][i % made->count];
    bool zeros = ts_random_below(random, 3) == 0;
    *unit = (struct unit){.failed = with_failures && ts_random_below(random, 8) == 0,
                          .rows = ts_random_below(random, MOST_ROWS + 1),
                          .px = unit_px(made->count, i % made->count)};
    for (size_t k = 0; k < unit->rows * PROBE_COLUMNS; k++) {
      double cell = (double)ts_random_below(random, 7);
      if (zeros && k % PROBE_COLUMNS != PROBE_SHARE) cell = 0;
      unit->cells[k / PROBE_COLUMNS][k % PROBE_COLUMNS] = ts_random_below(random, 7) == 0 ? NAN : cell;
    }
  }
}

static struct ts_data *table_of(const struct unit *unit) {
  struct ts_error err = {0};
  struct ts_data *table = ts_data_create_table(unit->rows, PROBE_COLUMNS, probe_columns, &err);
  assert_non_null(table);
  if (unit->rows > 0) memcpy(ts_data_writable(table), unit->cells, unit->rows * sizeof *unit->cells);
  return table;
}

static void deliver(struct collector *collector, uint32_t node, size_t index, const struct unit *unit) {
  struct ts_data *table = table_of(unit);
  assert_true(ts_collector_product(collector, node, 0, index, table));
  ts_data_unref(table);
}

/* In an order of its own; now and then a product comes twice, and the later one counts. */
static void deliver_all(struct collector *collector, const struct ts_plan *plan, const struct study_output *output,
                        const struct made *made, struct ts_random *random) {
  static const struct unit decoy = {.rows = 1, .cells = {{9, 9, 9, 9, 9, 9}}};
  for (size_t set = 0; set < 2; set++) {
    uint32_t node = plan->products[set * plan->wanted_count + output->wanted].node;
    for (size_t i = made->count; i-- > 0;) {
      if (made->units[set][i].failed) continue;
      if (ts_random_below(random, 5) == 0) deliver(collector, node, i, &decoy);
      deliver(collector, node, i, &made->units[set][i]);
    }
  }
}

/* ---- The study: all ways over tiles and files, for every scope. ---- */

static const char *all_outputs(struct ts_arena *arena) {
  static const char *const stages[] = {"tile", "file", "all"};
  const char *text = "[";
  for (size_t s = 0; s < COUNT_OF(stages); s++)
    for (size_t t = 0; t < TS_OVER_COUNT; t++)
      for (size_t f = t == TS_OVER_POOL ? 0 : 1; f < TS_OVER_COUNT; f++)
        text = ts_arena_printf(arena,
                               "%s%s{\"output\": \"%s.table:share\", \"over_tiles\": \"%s\", \"over_files\": \"%s\"}",
                               text, text[1] ? ", " : "", stages[s], ts_over_names[t], ts_over_names[f]);
  return ts_arena_printf(arena, "%s]", text);
}

struct subject {
  struct study_case c;
  struct ts_arena arena;
  struct ts_plan *plan;
};

static void subject_init(struct subject *subject, const char *outputs) {
  *subject = (struct subject){0};
  struct study_case *c = &subject->c;
  if (!study_case_init(c, probe_workflow, NULL, outputs ? outputs : all_outputs(&subject->arena)))
    fail_msg("%s", study_case_faults(c));
  study_case_images(c, images, FILES, 4);
  assert_int_equal(c->project.dataset.tile_count, TILES);
  size_t width = c->project.workflow->parameter_count, a = 0;
  assert_true(ts_workflow_find_parameter(c->project.workflow, "A", &a));
  struct parameter_sets sets = {.count = SETS, .values = ts_calloc(SETS * width, sizeof *sets.values)};
  for (size_t i = 0; i < SETS * width; i++) sets.values[i] = c->project.workflow->parameters[i % width].default_value;
  for (size_t set = 0; set < SETS; set++) sets.values[set * width + a] = ts_value_real(set_values[set]);
  subject->plan = study_case_plan(c, &sets);
  free(sets.values);
}

static void subject_release(struct subject *subject) {
  ts_plan_destroy(subject->plan);
  study_case_release(&subject->c);
  ts_arena_release(&subject->arena);
}

static void assert_same(const char *name, double found, double wanted) {
  if (isnan(wanted) ? isnan(found) : fabs(found - wanted) <= 1e-12 * fmax(1, fabs(wanted))) return;
  fail_msg("%s: %.17g, not %.17g", name, found, wanted);
}

static void check_files(const struct collector *collector, size_t index, const struct study_output *output,
                        const struct made *made, size_t set, struct number files[FILES]) {
  const struct unit *units = made->units[twin_of[set]];
  for (size_t f = 0; f < FILES; f++) {
    const struct ts_total total = ts_collector_file_total(collector, set, index, f);
    if (made->count == 1) {
      assert_true(total.failed && isnan(total.value)); /* the dataset's number is that of no file */
      continue;
    }
    files[f] = made->count == TILES ? number_of_file(output->over_tiles, units + first_tile[f], tiles_of[f])
                                    : number_of_file(output->over_tiles, units + f, 1);
    assert_int_equal(total.failed, files[f].failed);
    assert_same("value of a file", total.value, files[f].value);
    assert_same("numerator", total.numerator, files[f].numerator);
    assert_same("denominator", total.denominator, files[f].denominator);
    assert_same("pixels", total.px, files[f].px);
    if (!total.failed) assert_int_equal(total.n, files[f].n);
  }
}

static void check_output(const struct collector *collector, size_t index, const struct study_output *output,
                         const struct made *made) {
  for (size_t set = 0; set < SETS; set++) {
    struct number files[FILES];
    check_files(collector, index, output, made, set, files);
    const struct ts_total total = ts_collector_total(collector, set, index);
    const struct number run = number_of_run(output, made, set, files);
    assert_int_equal(total.failed, run.failed);
    assert_same("value of a run", total.value, run.value);
    if (!total.failed) assert_int_equal(total.n, run.n);
    for (size_t u = 0; u < made->count; u++) {
      struct unit alone = made->units[twin_of[set]][u];
      alone.px = 1; /* alone it has any weight */
      assert_same("value of a tile", ts_collector_tile_total(collector, set, index, u).value,
                  number_of_file(output->over_tiles, &alone, 1).value);
    }
  }
}

static struct made *made_by(struct made made[3], const struct study_output *output) {
  return &made[output->product[0] == 't' ? 0 : output->product[0] == 'f' ? 1 : 2];
}

static void numbers_are_those_of_all_rows(void **state) {
  (void)state;
  struct subject subject;
  struct ts_random random;
  subject_init(&subject, NULL);
  ts_random_init(&random, 2024, 11);
  const struct study_file *study = &subject.c.project.study;
  assert_int_equal(study->output_count, 3 * (5 + 4 * 4));
  for (size_t i = 0; i < CASES; i++) {
    struct made made[3] = {{.count = TILES}, {.count = FILES}, {.count = 1}};
    bool seen[3] = {false};
    struct collector *collector = ts_collector_create(&subject.c.project, subject.plan);
    for (size_t m = 0; m < 3; m++) draw(&random, &made[m], i % 2 == 1);
    for (size_t o = 0; o < study->output_count; o++) {
      struct made *own = made_by(made, &study->outputs[o]);
      if (!seen[own - made]) deliver_all(collector, subject.plan, &study->outputs[o], own, &random);
      seen[own - made] = true;
    }
    for (size_t o = 0; o < study->output_count; o++)
      check_output(collector, o, &study->outputs[o], made_by(made, &study->outputs[o]));
    ts_collector_destroy(collector);
  }
  subject_release(&subject);
}

/* Tiles of unequal rows and pixels, files of unequal tiles: no way gives the number of another. Closed forms. */
static void ways_differ(void **state) {
  (void)state;
  static const struct {
    const char *tiles, *files;
    double wanted;
  } ways[] = {
      {"sum", "sum", 30 + 100 + 7},   {"sum", "mean", (30 + 100 + 7) / 3.0},
      {"mean", "sum", 2.5 + 100 + 7}, {"mean", "mean", (2.5 + 100 + 7) / 3},
      {"mean", "median", 7},          {"weighted", "mean", (128 / 60.0 + 100 + 7) / 3},
      {"median", "sum", 2 + 100 + 7}, {"mean", "weighted", (2.5 * 60 + 100 * 12 + 7 * 4) / 76},
  };
  /* Six tiles of the first file: (1, 3), (2, 2, 2, 2), (1), (4), (1), (6, 6, 0); pixels 16, 16, 8, 8, 8, 4. */
  static const double cells[TILES][MOST_ROWS] = {{1, 3}, {2, 2, 2, 2}, {1}, {4}, {1}, {6, 6, 0}, {100}, {7}};
  static const size_t rows[TILES] = {2, 4, 1, 1, 1, 3, 1, 1};
  for (size_t w = 0; w < COUNT_OF(ways); w++) {
    struct subject subject;
    char outputs[200];
    snprintf(outputs, sizeof outputs,
             "[{\"output\": \"tile.table:share\", \"over_tiles\": \"%s\", \"over_files\": \"%s\"}]", ways[w].tiles,
             ways[w].files);
    subject_init(&subject, outputs);
    struct collector *collector = ts_collector_create(&subject.c.project, subject.plan);
    for (size_t t = 0; t < TILES; t++) {
      struct unit unit = {.rows = rows[t]};
      for (size_t r = 0; r < rows[t]; r++) unit.cells[r][PROBE_SHARE] = cells[t][r];
      deliver(collector, subject.plan->products[0].node, t, &unit);
    }
    char name[64];
    snprintf(name, sizeof name, "%s over tiles, %s over files", ways[w].tiles, ways[w].files);
    assert_same(name, ts_collector_total(collector, 0, 0).value, ways[w].wanted);
    ts_collector_destroy(collector);
    subject_release(&subject);
  }
}

/* A tile without rows: sums count 0 for it, means are those of the others; only a tile that failed costs the number. */
static void an_empty_table_is_not_a_failure(void **state) {
  (void)state;
  struct subject subject;
  subject_init(&subject, "[{\"output\": \"tile.table:cells\"}, {\"output\": \"tile.table:size\"}]");
  struct collector *collector = ts_collector_create(&subject.c.project, subject.plan);
  uint32_t node = subject.plan->products[0].node;
  for (size_t t = 0; t < TILES; t++) {
    struct unit unit = {.rows = t % 2, .cells = {{[PROBE_SIZE] = 3 * (double)t, [PROBE_CELLS] = 2}}};
    deliver(collector, node, t, &unit);
  }
  /* Odd tiles have a row: 1, 3 and 5 of the first file, 7 is the third file, the second file has none. */
  assert_same("cells", ts_collector_total(collector, 0, 0).value, 4 * 2);
  assert_same("cells of an empty file", ts_collector_file_total(collector, 0, 0, 1).value, 0);
  assert_int_equal(ts_collector_total(collector, 0, 0).n, FILES);
  assert_same("size", ts_collector_total(collector, 0, 1).value, (3 * (1 + 3 + 5) / 3.0 + 3 * 7) / 2);
  assert_int_equal(ts_collector_total(collector, 0, 1).n, FILES - 1);
  assert_false(ts_collector_total(collector, 0, 1).failed);
  assert_same("size of an empty file", ts_collector_file_total(collector, 0, 1, 1).value, NAN);
  assert_false(ts_collector_file_total(collector, 0, 1, 1).failed);
  assert_true(ts_collector_total(collector, 1, 0).failed); /* of which no table came */
  ts_collector_destroy(collector);
  subject_release(&subject);
}

static void a_missing_column_is_named(void **state) {
  (void)state;
  struct subject subject;
  struct ts_error err = {0};
  subject_init(&subject, "[\"tile.table:size\", \"tile.table:share\", \"tile.free:depth\"]");
  struct collector *collector = ts_collector_create(&subject.c.project, subject.plan);
  size_t output = 99;
  assert_null(ts_collector_missing_column(collector, &output));
  assert_int_equal(output, 99);
  const char *const lacking[] = {"size", "share", "both", "other"}; /* no "found", which the ratio needs */
  struct ts_data *table = ts_data_create_table(1, COUNT_OF(lacking), lacking, &err);
  memset(ts_data_writable(table), 0, COUNT_OF(lacking) * sizeof(double));
  assert_false(ts_collector_product(collector, subject.plan->products[0].node, 0, 0, table));
  assert_string_equal(ts_collector_missing_column(collector, &output), "found");
  assert_int_equal(output, 1);
  assert_false(ts_collector_product(collector, subject.plan->products[1].node, 0, 0, table));
  assert_string_equal(ts_collector_missing_column(collector, &output), "depth");
  assert_int_equal(output, 2);
  ts_data_unref(table);
  ts_collector_destroy(collector);
  subject_release(&subject);
}

static void scopes_are_those_of_the_stages(void **state) {
  (void)state;
  struct subject subject;
  subject_init(&subject, "[\"tile.table:size\", \"file.table:size\", \"all.table:size\"]");
  struct collector *collector = ts_collector_create(&subject.c.project, subject.plan);
  assert_true(ts_collector_is_per_tile(collector, 0));
  assert_false(ts_collector_is_per_tile(collector, 1));
  assert_false(ts_collector_is_per_tile(collector, 2));
  ts_auto_free double *px = ts_collector_tile_px(&subject.c.project);
  for (size_t t = 0; t < TILES; t++) assert_same("core pixels", px[t], unit_px(TILES, t));
  ts_collector_destroy(collector);
  subject_release(&subject);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_are_those_of_all_rows),   cmocka_unit_test(ways_differ),
      cmocka_unit_test(an_empty_table_is_not_a_failure), cmocka_unit_test(a_missing_column_is_named),
      cmocka_unit_test(scopes_are_those_of_the_stages),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
