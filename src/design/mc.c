/* Monte Carlo points: every coordinate independent and uniform.
 * SPDX-License-Identifier: Apache-2.0 */
#include "design/sequence_int.h"

#include "base/random.h"

#define MC_STREAM (UINT64_C(0x4d43) << 32)

bool ts_mc_fill(size_t dimensions, size_t first, size_t count, const struct ts_sample_options *options, double *out,
                struct ts_error *err) {
  (void)err;
  /* Coordinate j of point i is draw i * dimensions + j, so any part of the stream can be had alone. */
  struct ts_random random;
  ts_random_init(&random, options->seed, MC_STREAM);
  random.position = (uint64_t)first * dimensions;
  for (size_t i = 0; i < count * dimensions; i++) out[i] = ts_random_unit(&random);
  return true;
}

static bool draw(struct ts_points *points, const struct ts_space *space, const struct ts_sample_options *options,
                 struct ts_error *err) {
  return ts_source_draw(points, space, "mc", options->count ? options->count : 1000, options, err);
}

const struct ts_sampler ts_sampler_mc = {
    .name = "mc",
    .title = "Monte Carlo sample",
    .help = "independent uniform points; more points keep the earlier ones (not with correlated inputs); reads count, "
            "seed, correlation",
    .draw = draw,
};
