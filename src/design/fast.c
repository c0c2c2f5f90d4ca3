/* Search curves for FAST: one curve of n rows per parameter, on which that parameter has the high frequency.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A. Saltelli, S. Tarantola and K. P.-S. Chan, "A quantitative model-independent method for global sensitivity analysis
 * of model output", 1999, doi:10.1080/00401706.1999.10485594. Row i of a curve has coordinates
 * 1/2 + asin(sin(2 pi w i / n + phase)) / pi. That is a triangle wave, so it is computed without sines: the same bits
 * on every machine. */
#include "design/blocks_int.h"

#include "base/alloc.h"
#include "base/random.h"

#include <math.h>

/* Keeps the streams of designs apart from those of other users of the same seed. */
#define FAST_STREAM (UINT64_C(0x46415354) << 32)

/* frequencies[0] is that of the parameter of interest, the rest those of the others in their order. */
static void find_frequencies(size_t rows, size_t harmonics, size_t k, size_t *frequencies) {
  frequencies[0] = (rows - 1) / (2 * harmonics);
  size_t largest = frequencies[0] / (2 * harmonics), others = k - 1;
  for (size_t j = 0; j < others; j++) {
    if (largest < others) {
      frequencies[j + 1] = j % largest + 1;
    } else if (j + 1 == others && others > 1) {
      frequencies[j + 1] = largest;
    } else {
      double step = others > 1 ? (double)(largest - 1) / (double)(others - 1) : 0;
      frequencies[j + 1] = (size_t)floor((double)j * step + 1);
    }
  }
}

/* 1/2 + asin(sin(2 pi t)) / pi for t in [0, 2). */
static double triangle(double turns) {
  double part = turns - floor(turns);
  if (part < 0.25) return 0.5 + 2 * part;
  return part < 0.75 ? 1.5 - 2 * part : 2 * part - 1.5;
}

static bool check_rows(size_t rows, size_t harmonics, struct ts_error *err) {
  /* Divided, so that a huge number of harmonics does not overflow. */
  if (rows > 0 && harmonics <= (rows - 1) / 4 / harmonics) return true;
  ts_fail(err, TS_ERR_BAD_VALUE, "a FAST curve of '%zu' rows is too short for %zu harmonics", rows, harmonics);
  return ts_error_help(err, "use more than 4 M^2 rows per parameter: 65 for M = 4; some hundreds are usual");
}

static bool allows_all(const struct ts_points *points, const struct ts_space *space, struct ts_error *err) {
  if (space->constraint_count == 0) return true;
  for (size_t row = 0; row < points->row_count; row++) {
    if (ts_space_allows(space, points->a + row * points->column_count)) continue;
    ts_fail(err, TS_ERR_CONSTRAINT, "row %zu of the FAST design violates a constraint", row + 1);
    return ts_error_help(
        err, "a search curve cannot leave out points: use a saltelli design, or narrow the ranges until the "
             "constraints always hold");
  }
  return true;
}

static void fill(struct ts_points *points, uint64_t seed, const size_t *frequencies) {
  size_t k = points->column_count, rows = points->block_rows;
  for (size_t curve = 0; curve < k; curve++) {
    struct ts_random random;
    ts_random_init(&random, seed, FAST_STREAM + curve);
    double phase = ts_random_unit(&random);
    for (size_t row = 0; row < rows; row++) {
      for (size_t i = 0; i < k; i++) {
        size_t frequency = i == curve ? frequencies[0] : frequencies[i < curve ? i + 1 : i];
        /* Whole turns are taken off before rounding can see them; frequency < rows. */
        double turns = (double)(frequency * row % rows) / (double)rows;
        points->a[(curve * rows + row) * k + i] = triangle(turns + phase);
      }
    }
  }
}

static bool draw(struct ts_points *points, const struct ts_space *space, const struct ts_sample_options *options,
                 struct ts_error *err) {
  *points = (struct ts_points){0};
  size_t harmonics = options->harmonics ? options->harmonics : 4, rows = options->count ? options->count : 257;
  if (!check_rows(rows, harmonics, err) || !ts_blocks_refuse_groups(options, "a FAST design", err)) return false;
  if (!ts_blocks_start(points, space, options, err)) return false;
  points->layout = TS_LAYOUT_FAST;
  bool ok = ts_blocks_allocate(points, space->count, rows, err);
  if (ok) {
    size_t *frequencies = ts_arena_array(&points->arena, space->count, sizeof *frequencies);
    find_frequencies(rows, harmonics, space->count, frequencies);
    fill(points, options->seed, frequencies);
    ok = allows_all(points, space, err);
  }
  if (!ok) ts_points_release(points);
  return ok;
}

const struct ts_sampler ts_sampler_fast = {
    .name = "fast",
    .title = "search curves for FAST (extended)",
    .help = "takes n k runs for S1 and ST by Fourier analysis, n above 4 M^2; reads harmonics (M)",
    .draw = draw,
};
