/* Sobol' sequences: Joe-Kuo direction numbers, Gray code order, any point at once, scrambled by default.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Point i is the sum without carry of the direction numbers at the bits of the Gray code of i, so a point follows from
 * the one before by one addition. Points have 53 binary digits, as many as a double between 0 and 1 can hold.
 * I. A. Antonov and V. M. Saleev 1979, doi:10.1016/0041-5553(79)90085-5. */
#include "design/sequence_int.h"

#include "base/alloc.h"

/* How many direction numbers the points below `end` need. */
static size_t bits_below(uint64_t end) {
  size_t bits = 0;
  while (bits < 64 && end > UINT64_C(1) << bits) bits++;
  return bits;
}

static bool check(size_t dimensions, size_t first, size_t count, size_t skip, struct ts_error *err) {
  if (dimensions > TS_JOE_KUO_DIMENSIONS) {
    ts_fail(err, TS_ERR_BAD_VALUE, "a Sobol' sequence of '%zu' dimensions is too much: there are %zu", dimensions,
            TS_JOE_KUO_DIMENSIONS);
    return ts_error_help(err,
                         "use 'mc' or 'lhs' for that many parameters; a Saltelli design needs two dimensions for each");
  }
  return ts_sequence_check_points("Sobol'", first, count, skip, err);
}

bool ts_sobol_fill(size_t dimensions, size_t first, size_t count, const struct ts_sample_options *options, double *out,
                   struct ts_error *err) {
  if (!check(dimensions, first, count, options->skip, err)) return false;
  uint64_t start = options->skip + first;
  size_t bits = bits_below(start + count);
  ts_auto_free uint64_t *directions = ts_calloc(bits * dimensions + 1, sizeof *directions);
  ts_auto_free uint64_t *digits = ts_calloc(dimensions + 1, sizeof *digits);
  ts_joe_kuo_directions(dimensions, bits, directions);
  uint64_t gray = start ^ start >> 1;
  for (size_t bit = 0; bit < bits; bit++) {
    if (!(gray >> bit & 1)) continue;
    for (size_t i = 0; i < dimensions; i++) digits[i] ^= directions[bit * dimensions + i];
  }
  ts_auto(ts_scrambler_release) struct ts_scrambler scrambler;
  ts_scrambler_init(&scrambler, options->scramble, dimensions, options->seed);
  for (size_t row = 0; row < count; row++) {
    ts_scrambler_row(&scrambler, digits, out + row * dimensions);
    if (row + 1 == count) break;
    const uint64_t *step = directions + (size_t)__builtin_ctzll(start + row + 1) * dimensions;
    for (size_t i = 0; i < dimensions; i++) digits[i] ^= step[i];
  }
  return true;
}

static bool draw(struct ts_points *points, const struct ts_space *space, const struct ts_sample_options *options,
                 struct ts_error *err) {
  size_t count = options->count ? options->count : 1024;
  if (!ts_source_draw(points, space, "sobol-sequence", count, options, err)) return false;
  if (count & (count - 1)) {
    ts_points_add_note(points,
                       "%zu is not a power of two: a Sobol' sequence is balanced at powers of two only, other "
                       "numbers lose much of its accuracy",
                       count);
  }
  if (options->scramble == TS_SCRAMBLE_NONE && options->skip == 0) {
    ts_points_add_note(points, "the first point of the unscrambled sequence is the corner of all lower ends");
  }
  return true;
}

const struct ts_sampler ts_sampler_sobol_sequence = {
    .name = "sobol-sequence",
    .title = "Sobol' sequence (Joe-Kuo directions, scrambled)",
    .help = "evenly spread points, best in powers of two; more points keep the earlier ones; reads count, seed, skip, "
            "scramble (owen, shift, none)",
    .draw = draw,
};
