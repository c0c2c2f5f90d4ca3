/* Latin hypercube samples: in every column each of n equal strata holds exactly one point.
 * SPDX-License-Identifier: Apache-2.0
 *
 * M. D. McKay, R. J. Beckman, W. J. Conover 1979, doi:10.2307/1268522. Columns are independent, so a sample of 2k
 * columns is two independent samples of k. A sample cannot be extended: with another n the strata are others. Where
 * more points than n are needed (constraints refuse some), whole samples of n points follow each other. */
#include "design/sequence_int.h"

#include "base/alloc.h"
#include "base/random.h"

#define LHS_STREAM (UINT64_C(0x4c4853) << 32)
/* Improving looks at all pairs of points. */
#define MAX_IMPROVED 10000

/* A point of stratum `place` of `count`. Rounding at the ends of a stratum could move it to the next one. */
static double inside(size_t place, size_t count, double offset) {
  double unit = ((double)place + offset) / (double)count;
  return (size_t)(unit * (double)count) == place ? unit : ((double)place + 0.5) / (double)count;
}

/* Rows from .. to-1 of sample number `block`, which has `size` rows. */
static void fill_block(size_t dimensions, uint64_t block, size_t size, size_t from, size_t to, uint64_t seed,
                       size_t *places, double *out) {
  for (size_t column = 0; column < dimensions; column++) {
    struct ts_random random;
    ts_random_init(&random, seed, LHS_STREAM + block * dimensions + column);
    for (size_t i = 0; i < size; i++) places[i] = i;
    ts_random_shuffle(&random, places, size);
    random.position += from;
    for (size_t i = from; i < to; i++) {
      out[(i - from) * dimensions + column] = inside(places[i], size, ts_random_unit(&random));
    }
  }
}

bool ts_lhs_fill(size_t dimensions, size_t first, size_t count, const struct ts_sample_options *options, double *out,
                 struct ts_error *err) {
  (void)err;
  size_t size = options->count ? options->count : count;
  ts_auto_free size_t *places = ts_calloc(size + 1, sizeof *places);
  for (size_t done = 0; done < count;) {
    size_t block = (first + done) / size, from = (first + done) % size;
    size_t rows = size - from < count - done ? size - from : count - done;
    fill_block(dimensions, block, size, from, from + rows, options->seed, places, out + done * dimensions);
    done += rows;
  }
  return true;
}

static bool check(size_t count, const struct ts_sample_options *options, struct ts_error *err) {
  if (options->improve == 0) return true;
  if (options->correlation) {
    ts_fail(err, TS_ERR_BAD_VALUE, "a Latin hypercube is either improved or given correlations, not both");
    return ts_error_help(err, "leave out one of the two: moving points apart changes their correlations");
  }
  if (count > MAX_IMPROVED) {
    ts_fail(err, TS_ERR_BAD_VALUE, "'%zu' points are too many to improve, the limit is %d", count, MAX_IMPROVED);
    return ts_error_help(err, "leave out the improvement: that many points fill the space anyway");
  }
  return true;
}

static bool draw(struct ts_points *points, const struct ts_space *space, const struct ts_sample_options *options,
                 struct ts_error *err) {
  size_t count = options->count ? options->count : 1000;
  if (!check(count, options, err)) return false;
  return ts_source_draw(points, space, "lhs", count, options, err);
}

const struct ts_sampler ts_sampler_lhs = {
    .name = "lhs",
    .title = "Latin hypercube sample",
    .help =
        "each parameter's range is covered evenly, one point per stratum; cannot be extended: other counts are other "
        "samples; reads count, seed, improve (rounds of moving the closest points apart), correlation",
    .draw = draw,
};
