/* Saltelli designs for variance-based indices: blocks A and B, and rows that take columns from both.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A. Saltelli et al., "Variance based sensitivity analysis of model output. Design and estimator for the total
 * sensitivity index", 2010, doi:10.1016/j.cpc.2009.09.018. A and B are the two halves of the coordinates of ONE source
 * of 2k dimensions. The first and second half of the points of a k-dimensional sequence would not do: they lie in step,
 * so that B is a function of A and the indices do not converge for any n. A Latin hypercube of 2k dimensions is two
 * independent ones of k, since its columns are drawn independently. */
#include "design/blocks_int.h"

#include "base/random.h"
#include "base/str.h"

#include <string.h>

#define COLUMN_STREAM (UINT64_C(0x53616c74) << 32)

static const char *const bases[] = {"sobol-sequence", "halton", "lhs", "mc"};

static bool refuse_halves(const char *base, struct ts_error *err) {
  ts_fail(err, TS_ERR_BAD_VALUE,
          "'%s' would take A and B from two halves of one sequence, and the indices of that design never converge",
          base);
  return ts_error_help(
      err, "use base 'sobol-sequence' or 'halton': one sequence of twice the dimensions. Halves of a Halton "
           "sequence are wrong by 0.64 in S1 of Sobol's g-function at n = 1000, and no larger n helps; the "
           "2k-dimensional one is wrong by 0.014");
}

const char *ts_base_find(const char *name, struct ts_error *err) {
  if (!name || strcmp(name, "sobol") == 0) return bases[0];
  size_t count = sizeof bases / sizeof *bases;
  for (size_t i = 0; i < count; i++) {
    if (strcmp(name, bases[i]) == 0) return bases[i];
  }
  if (strstr(name, "halves")) {
    refuse_halves(name, err);
    return NULL;
  }
  ts_fail(err, TS_ERR_BAD_VALUE, "'%s' is not a source of base samples", name);
  const char *near = ts_nearest_word(name, bases, count);
  if (near) ts_error_help(err, "did you mean '%s'?", near);
  ts_error_help(err, "use 'sobol-sequence', 'halton', 'lhs' or 'mc'");
  return NULL;
}

static bool allocate(struct ts_points *points, size_t count, bool second_order, struct ts_error *err) {
  size_t k = points->column_count;
  if (count > TS_MAX_CELLS / (2 * k)) {
    ts_fail(err, TS_ERR_BAD_VALUE, "'%zu' base samples are too many", count);
    return ts_error_help(err, "ask for at most %zu", TS_MAX_CELLS / (2 * k));
  }
  points->layout = second_order ? TS_LAYOUT_SALTELLI_2 : TS_LAYOUT_SALTELLI;
  points->block_rows = (second_order ? 2 : 1) * points->group_count + 2;
  points->row_count = count * points->block_rows;
  points->a = ts_arena_array(&points->arena, count * k + 1, sizeof *points->a);
  points->b = ts_arena_array(&points->arena, count * k + 1, sizeof *points->b);
  return true;
}

static bool allows_sample(const struct ts_points *points, const struct ts_space *space, size_t sample, double *row) {
  for (size_t i = 0; i < points->block_rows; i++) {
    ts_points_row(points, sample * points->block_rows + i, row);
    if (!ts_space_allows(space, row)) return false;
  }
  return true;
}

static bool is_scrambled(const char *source, enum ts_scramble scramble) {
  if (strcmp(source, "sobol-sequence") == 0) return scramble != TS_SCRAMBLE_NONE;
  return strcmp(source, "halton") == 0 && (scramble == TS_SCRAMBLE_OWEN || scramble == TS_SCRAMBLE_SHIFT);
}

/* Which coordinates of the source become A, then B. Some pairs of coordinates of a sequence are badly spread over the
 * first thousands of points, however the digits are scrambled, and the indices that meet such a pair are worse than
 * with independent points, which no interval can show. So a scrambled sequence deals its coordinates at random too: no
 * parameter is the unlucky one for every seed. A plain sequence is left as it is. */
static const size_t *deal_columns(struct ts_arena *arena, size_t count, const char *source,
                                  const struct ts_sample_options *options) {
  size_t *columns = ts_arena_array(arena, count, sizeof *columns);
  for (size_t i = 0; i < count; i++) columns[i] = i;
  if (is_scrambled(source, options->scramble)) {
    struct ts_random random;
    ts_random_init(&random, options->seed, COLUMN_STREAM);
    ts_random_shuffle(&random, columns, count);
  }
  return columns;
}

static bool fill(struct ts_points *points, const struct ts_space *space, struct ts_stream *stream,
                 const size_t *columns, size_t *refused, struct ts_error *err) {
  size_t k = points->column_count, count = points->row_count / points->block_rows, refused_here = 0;
  double *row = ts_arena_array(&points->arena, k, sizeof *row);
  for (size_t sample = 0; sample < count;) {
    const double *point = ts_stream_next(stream, err);
    if (!point) return false;
    for (size_t c = 0; c < k; c++) {
      points->a[sample * k + c] = point[columns[c]];
      points->b[sample * k + c] = point[columns[k + c]];
    }
    if (space->constraint_count == 0 || allows_sample(points, space, sample, row)) {
      sample++;
      refused_here = 0;
      continue;
    }
    ++*refused;
    if (++refused_here >= TS_MAX_REFUSED) return ts_blocks_fail_constraint("base sample", TS_MAX_REFUSED, err);
  }
  return true;
}

static void add_notes(struct ts_points *points, const char *source, size_t refused) {
  size_t count = points->row_count / points->block_rows;
  if (refused > 0) {
    ts_points_add_note(
        points,
        "%zu base samples were replaced because a row of theirs violates a constraint: the inputs are then "
        "dependent, and S1 and ST no longer split the variance",
        refused);
  }
  if (strcmp(source, "sobol-sequence") == 0 && (count & (count - 1)) != 0) {
    size_t better = 1;
    while (better < count) better *= 2;
    ts_points_add_note(points,
                       "a Sobol' sequence is balanced for powers of two: %zu base samples would be better than %zu",
                       better, count);
  }
  if (strcmp(source, "lhs") == 0) {
    ts_points_add_note(points,
                       "a Latin hypercube of another size has other points: runs cannot be added to this design; "
                       "take base 'sobol-sequence' to double n later");
  }
}

static bool draw(struct ts_points *points, const struct ts_space *space, const struct ts_sample_options *options,
                 struct ts_error *err) {
  *points = (struct ts_points){0};
  const char *source = ts_base_find(options->base, err);
  if (!source || !ts_blocks_start(points, space, options, err)) return false;
  size_t count = options->count ? options->count : 1024, refused = 0;
  if (!allocate(points, count, options->second_order, err)) {
    ts_points_release(points);
    return false;
  }
  struct ts_stream stream;
  ts_stream_init(&stream, source, 2 * space->count, count, options);
  const size_t *columns = deal_columns(&points->arena, 2 * space->count, source, options);
  bool ok = fill(points, space, &stream, columns, &refused, err);
  ts_stream_release(&stream);
  if (ok) {
    add_notes(points, source, refused);
  } else {
    ts_points_release(points);
  }
  return ok;
}

/* As SALib.sample.sobol does unless it is asked not to: with the rows of pairs, in the same order. */
static bool draw_pairs(struct ts_points *points, const struct ts_space *space, const struct ts_sample_options *options,
                       struct ts_error *err) {
  struct ts_sample_options own = *options;
  own.second_order = true;
  return draw(points, space, &own, err);
}

const struct ts_sampler ts_sampler_sobol = {
    .name = "sobol",
    .title = "Saltelli design with pairs, for variance-based indices",
    .help = "takes n (2k + 2) runs for S1, ST and S2, in the order of rows of SALib's sobol: 'saltelli' with second "
            "order; reads base (sobol-sequence, halton, lhs, mc), groups, scramble, skip",
    .draw = draw_pairs,
};

const struct ts_sampler ts_sampler_saltelli = {
    .name = "saltelli",
    .title = "Saltelli design for variance-based indices",
    .help = "takes n (k + 2) runs for S1 and ST, n (2k + 2) with second order; reads base (sobol-sequence, halton, "
            "lhs, mc), "
            "second order, groups, scramble, skip",
    .draw = draw,
};
