/* Variance-based indices of a Saltelli design: S1, ST, S2, with intervals, convergence and a split-half check.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Base samples are resampled whole: the rows of one share runs. A resample counts each base sample a number of times;
 * sums of a batch of resamples are made together (vbd_int.h). Batches are independent and numbered, so threads change
 * nothing. Sums are kept apart for four segments of the base samples. Prefixes and halves are sums of segments: their
 * bootstrap values come from the same draws, which then hold a random number of base samples of the part, about its
 * size. */
#include "analysis/vbd_int.h"

#include "base/alloc.h"
#include "base/str.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_RESAMPLES 1000
#define MANY_SAMPLES      65536 /* from here on the default is less: intervals are short, resamples long */
#define MANY_RESAMPLES    200
#define BATCH             32          /* weightings whose sums are made together */
#define FEW_SAMPLES       ((size_t)8) /* parts of fewer base samples are not shown or compared */

/* Parts of the base samples, as ranges of segments: the prefixes of the convergence, then the second half. */
enum part { PART_EIGHTH, PART_QUARTER, PART_HALF, PART_ALL, PART_SECOND_HALF, PART_COUNT };
static const size_t part_first[PART_COUNT] = {0, 0, 0, 0, TS_VBD_SEGMENTS - 1};
static const size_t part_end[PART_COUNT] = {1, 2, 3, TS_VBD_SEGMENTS, TS_VBD_SEGMENTS};

/* Weighting 0 counts every base sample once: its values are the indices. The others are the resamples. */
struct work {
  struct ts_vbd vbd;
  uint64_t seed;
  size_t weightings;
  size_t cell_count;         /* S1 and ST of every group */
  double *cells[PART_COUNT]; /* owned; weighting by weighting */
  double *pairs;             /* owned; weighting by weighting; of all base samples */
};

/* A byte holds the counts: that one base sample is drawn 256 times has a chance below 1e-500. */
static void count_draws(const struct work *work, size_t weighting, uint32_t *draws, uint8_t *counts) {
  const struct ts_vbd *vbd = &work->vbd;
  if (weighting == 0) {
    memset(counts, 1, vbd->sample_count);
    return;
  }
  memset(counts, 0, vbd->sample_count);
  ts_bootstrap_draw(work->seed, weighting - 1, vbd->good_count, vbd->good_count, draws);
  for (size_t i = 0; i < vbd->good_count; i++) {
    uint8_t *count = &counts[vbd->good[draws[i]]];
    *count = (uint8_t)(*count + (*count < UINT8_MAX));
  }
}

/* Indices of every part from the sums of the segments. */
static void estimate(const struct work *work, size_t weighting, const double *segments, double *sums) {
  const struct ts_vbd *vbd = &work->vbd;
  size_t columns = vbd->shared_columns + vbd->apart_columns;
  for (size_t part = 0; part < PART_COUNT; part++) {
    memset(sums, 0, columns * sizeof *sums);
    for (size_t s = part_first[part]; s < part_end[part]; s++) {
      for (size_t c = 0; c < columns; c++) sums[c] += segments[s * columns + c];
    }
    ts_vbd_cells(vbd, sums, work->cells[part] + weighting * work->cell_count);
    if (part == PART_ALL && vbd->pair_count) ts_vbd_pairs(vbd, sums, work->pairs + weighting * vbd->pair_count);
  }
}

static void run_batch(void *argument, size_t batch) {
  struct work *work = argument;
  const struct ts_vbd *vbd = &work->vbd;
  size_t first = batch * BATCH, count = work->weightings - first < BATCH ? work->weightings - first : BATCH;
  size_t columns = vbd->shared_columns + vbd->apart_columns;
  ts_auto_free uint8_t *counts = ts_malloc(count * vbd->sample_count);
  ts_auto_free uint32_t *draws = ts_malloc(vbd->sample_count * sizeof *draws);
  ts_auto_free double *segments = ts_calloc(count * TS_VBD_SEGMENTS * columns, sizeof *segments);
  ts_auto_free double *sums = ts_calloc(columns, sizeof *sums);
  for (size_t i = 0; i < count; i++) count_draws(work, first + i, draws, counts + i * vbd->sample_count);
  ts_vbd_sums(vbd, counts, count, segments);
  for (size_t i = 0; i < count; i++) estimate(work, first + i, segments + i * TS_VBD_SEGMENTS * columns, sums);
}

static void work_run(struct work *work, struct ts_pool *pool) {
  size_t batches = (work->weightings + BATCH - 1) / BATCH;
  for (size_t p = 0; p < PART_COUNT; p++) {
    work->cells[p] = ts_calloc(work->weightings * work->cell_count, sizeof(double));
  }
  if (work->vbd.pair_count) work->pairs = ts_calloc(work->weightings * work->vbd.pair_count, sizeof(double));
  if (pool) {
    ts_pool_for(pool, batches, run_batch, work);
  } else {
    for (size_t i = 0; i < batches; i++) run_batch(work, i);
  }
}

static void work_release(struct work *work) {
  for (size_t p = 0; p < PART_COUNT; p++) free(work->cells[p]);
  free(work->pairs);
  ts_vbd_release(&work->vbd);
}

/* Values of weighting 0, intervals from the others. */
static void fill(const double *values, size_t weightings, size_t count, double confidence, enum ts_interval kind,
                 struct ts_index *indices) {
  for (size_t i = 0; i < count; i++) indices[i] = (struct ts_index){values[i], NAN, NAN};
  if (weightings > 1) ts_interval_of(values + count, weightings - 1, count, confidence, kind, indices);
}

/* A single base sample gives the same in every resample: that is not an interval. */
static void forget_interval(struct ts_index *index, size_t usable) {
  if (usable < 2) index->low = index->high = NAN;
}

static void show_cells(const struct work *work, const struct ts_analysis_options *options, struct ts_indices *indices) {
  fill(work->cells[PART_ALL], work->weightings, work->cell_count, indices->confidence, options->interval,
       indices->cells);
  for (size_t j = 0; j < indices->name_count; j++) {
    indices->usable[j] = ts_vbd_usable(&work->vbd, j);
    for (size_t c = 0; c < indices->column_count; c++) {
      forget_interval(&indices->cells[j * indices->column_count + c], indices->usable[j]);
    }
  }
}

static void show_pairs(const struct work *work, const struct ts_analysis_options *options, struct ts_indices *indices) {
  size_t count = work->vbd.pair_count, at = 0;
  if (count == 0) return;
  ts_auto_free struct ts_index *values = ts_calloc(count, sizeof *values);
  fill(work->pairs, work->weightings, count, indices->confidence, options->interval, values);
  indices->pairs = ts_arena_array(&indices->arena, count, sizeof *indices->pairs);
  indices->pair_count = count;
  for (size_t a = 0; a < indices->name_count; a++) {
    for (size_t b = a + 1; b < indices->name_count; b++, at++) {
      forget_interval(&values[at], work->vbd.good_count);
      indices->pairs[at] = (struct ts_pair_index){.a = a, .b = b, .index = values[at]};
    }
  }
}

static void show_convergence(const struct work *work, const struct ts_analysis_options *options,
                             struct ts_indices *indices) {
  indices->convergence = ts_arena_array(&indices->arena, PART_ALL + 1, sizeof *indices->convergence);
  for (size_t p = PART_EIGHTH; p <= PART_ALL; p++) {
    size_t n = work->vbd.sample_count >> (PART_ALL - p);
    if (n < FEW_SAMPLES && p != PART_ALL) continue;
    struct ts_convergence *step = &indices->convergence[indices->convergence_count++];
    step->n = n;
    step->cells = ts_arena_array(&indices->arena, work->cell_count, sizeof *step->cells);
    fill(work->cells[p], work->weightings, work->cell_count, indices->confidence, options->interval, step->cells);
  }
  struct ts_index *all = indices->convergence[indices->convergence_count - 1].cells;
  memcpy(all, indices->cells, work->cell_count * sizeof *all);
}

/* Two halves of a design that has settled agree. Their intervals are made wider for the number of indices compared, so
 * that chance alone seldom separates any two of them. */
static void compare_halves(const struct work *work, struct ts_indices *indices) {
  size_t count = work->cell_count, worst = 0, parted = 0;
  if (work->weightings < 2 || work->vbd.good_count < 2 * FEW_SAMPLES) return;
  ts_auto_free struct ts_index *halves = ts_calloc(2 * count, sizeof *halves);
  double level = 1 - (1 - indices->confidence) / (double)count, widest = 0;
  fill(work->cells[PART_HALF], work->weightings, count, level, TS_INTERVAL_NORMAL, halves);
  fill(work->cells[PART_SECOND_HALF], work->weightings, count, level, TS_INTERVAL_NORMAL, halves + count);
  for (size_t i = 0; i < count; i++) {
    const struct ts_index *first = &halves[i], *second = &halves[count + i];
    if (!(first->low > second->high || second->low > first->high)) continue;
    parted++;
    if (fabs(first->value - second->value) <= widest) continue;
    widest = fabs(first->value - second->value);
    worst = i;
  }
  if (parted == 0) return;
  ts_indices_note(
      indices,
      "the two halves of the base samples disagree beyond their intervals in %zu of %zu indices, most in %s "
      "of '%s' (%s and %s): the indices have not settled, or the rows are not in the order of the design",
      parted, count, indices->method->columns[worst % 2], indices->names[worst / 2],
      TS_SIGNIFICANT(halves[worst].value, 3), TS_SIGNIFICANT(halves[count + worst].value, 3));
}

static void note_losses(const struct work *work, struct ts_indices *indices) {
  size_t n = work->vbd.sample_count, worst = 0, many = 0;
  for (size_t j = 0; j < indices->name_count; j++) {
    if ((double)(n - indices->usable[j]) > TS_LOSS_TO_NOTE * (double)n) many++;
    if (indices->usable[j] < indices->usable[worst]) worst = j;
  }
  if (many == 0) return;
  ts_indices_note(
      indices,
      "failed runs cost more than %s %% of the base samples for %zu of %zu parameters; worst is '%s', which "
      "rests on %zu of %zu",
      TS_SIGNIFICANT(100 * TS_LOSS_TO_NOTE, 6), many, indices->name_count, indices->names[worst],
      indices->usable[worst], n);
}

static bool check_shape(const struct ts_runs *runs, size_t groups, size_t block_rows, struct ts_error *err) {
  bool second = runs->layout == TS_LAYOUT_SALTELLI_2;
  const char *what = runs->group_of ? "groups" : "parameters";
  size_t rest = runs->row_count % block_rows;
  if (rest == 0) return true;
  if (runs->row_count < block_rows) {
    ts_fail(err, TS_ERR_BAD_VALUE, "%zu rows are fewer than the %zu of one base sample of %zu %s%s", runs->row_count,
            block_rows, groups, what, second ? " with second order" : "");
  } else {
    ts_fail(err, TS_ERR_BAD_VALUE, "%zu rows are %zu base samples of %zu (%zu %s%s) and %zu rows over", runs->row_count,
            runs->row_count / block_rows, block_rows, groups, what, second ? ", second order" : "", rest);
  }
  return ts_error_help(
      err,
      "give every row of the design (n times %zu), failed runs too, as rows without output; with%s second "
      "order there would be %zu per base sample",
      block_rows, second ? "out" : "", (second ? 1 : 2) * groups + 2);
}

static void add_fact(struct ts_indices *indices, const char *name, double value) {
  indices->facts[indices->fact_count].name = name;
  indices->facts[indices->fact_count++].value = value;
}

static void show_facts(const struct work *work, struct ts_indices *indices) {
  double sum = 0;
  for (size_t j = 0; j < indices->name_count; j++) sum += indices->cells[j * indices->column_count].value;
  add_fact(indices, "base samples", (double)work->vbd.sample_count);
  if (!isnan(sum)) add_fact(indices, "sum of S1", sum);
}

/* Whether some runs do differ, so that no note has said yet why there are no indices. */
static bool outputs_differ(const struct ts_runs *runs) {
  double first = NAN;
  for (size_t i = 0; i < runs->row_count; i++) {
    if (!isfinite(runs->outputs[i])) continue;
    if (isnan(first)) first = runs->outputs[i];
    if (runs->outputs[i] != first) return true;
  }
  return false;
}

static void show(const struct work *work, const struct ts_runs *runs, const struct ts_analysis_options *options,
                 struct ts_indices *indices) {
  show_cells(work, options, indices);
  show_pairs(work, options, indices);
  if (options->convergence) show_convergence(work, options, indices);
  note_losses(work, indices);
  if (work->vbd.constant && work->vbd.good_count > 0 && outputs_differ(runs)) {
    ts_indices_note(indices, "the output is the same in every row of A and B: there is no variance to share out");
  }
  compare_halves(work, indices);
  show_facts(work, indices);
}

static size_t resamples_of(const struct ts_analysis_options *options, const struct ts_vbd *vbd) {
  if (vbd->constant || options->resamples == TS_NO_RESAMPLES) return 0;
  if (options->resamples > 0) return options->resamples;
  return vbd->sample_count < MANY_SAMPLES ? DEFAULT_RESAMPLES : MANY_RESAMPLES;
}

static bool analyse(const struct ts_runs *runs, const struct ts_analysis_options *options, struct ts_pool *pool,
                    struct ts_indices *indices, struct ts_error *err) {
  size_t groups = indices->name_count;
  size_t block_rows = (runs->layout == TS_LAYOUT_SALTELLI_2 ? 2 : 1) * groups + 2;
  if (!check_shape(runs, groups, block_rows, err) || !ts_vbd_check_rows(runs, groups, block_rows, err) ||
      !ts_indices_check_outputs(indices, runs, err)) {
    return false;
  }
  ts_auto(work_release) struct work work = {.seed = options->seed, .cell_count = 2 * groups};
  ts_vbd_init(&work.vbd, runs, options->estimator);
  indices->resamples = resamples_of(options, &work.vbd);
  work.weightings = 1 + indices->resamples;
  work_run(&work, pool);
  show(&work, runs, options, indices);
  return true;
}

static const enum ts_layout layouts[] = {TS_LAYOUT_SALTELLI, TS_LAYOUT_SALTELLI_2};

const struct ts_method ts_method_vbd = {
    .name = "vbd",
    .alias = "sobol",
    .title = "Variance-based indices (Sobol'; S1 by Saltelli 2010, ST by Jansen)",
    .assumes =
        "the parameters are independent and the rows are those of a Saltelli design; shares of variance then say "
        "how much of the output's spread each parameter explains, alone (S1) and with all its interactions (ST)",
    .interval =
        "bootstrap over whole base samples, percentiles (or the index plus and minus z standard deviations); it "
        "covers the sampling error of the indices, and is wider than need be for Sobol' and Halton designs",
    .columns = {"S1", "ST"},
    .rank_by = "ST",
    .zero_is_exact = true,
    .layouts = layouts,
    .layout_count = 2,
    .analyse = analyse,
};
