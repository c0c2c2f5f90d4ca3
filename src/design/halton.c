/* Halton sequences: digits of the index in prime bases, mirrored at the point; optionally with permuted digits.
 * SPDX-License-Identifier: Apache-2.0
 *
 * J. H. Halton 1960, doi:10.1007/BF01386213. Digits are added from the first on, each weighed with the weight before
 * divided by the base: the order of rounding that the reference values have.
 * Owen scrambling permutes the digits at random, with a permutation of its own for every dimension and place (A. B.
 * Owen, "A randomized Halton algorithm in R", 2017, arXiv:1706.02808); the shift adds a random digit modulo the base.
 * Both run over as many places as a double can distinguish, for every index, so more points keep the earlier ones. */
#include "design/sequence_int.h"

#include "base/alloc.h"
#include "base/random.h"

#include <string.h>

#define HALTON_STREAM  (UINT64_C(0x48616c) << 40)
#define MAX_DIMENSIONS ((size_t)10000)
#define MAX_PLACES     64
#define BELOW_ONE      0x1.fffffffffffffp-1
/* Unscrambled, the first points of two large bases lie on a line. */
#define PLAIN_DIMENSIONS 20

struct column {
  uint32_t base;
  size_t places;               /* digits that make a difference to a double */
  size_t used;                 /* places that count: those of the index, all if scrambled */
  double weights[MAX_PLACES];  /* 1 / base^(place+1) */
  uint32_t digits[MAX_PLACES]; /* of the index, lowest first */
  uint32_t *permuted;          /* borrowed scratch; by place and digit; NULL: not scrambled */
};

/* Primes one after another; each is tested against those before it. */
static uint32_t next_prime(const uint32_t *primes, size_t count) {
  uint32_t candidate = count == 0 ? 2 : count == 1 ? 3 : primes[count - 1] + 2;
  for (size_t i = 1; i < count && primes[i] * primes[i] <= candidate; i++) {
    if (candidate % primes[i] == 0) {
      candidate += 2;
      i = 0;
    }
  }
  return candidate;
}

static void column_init(struct column *column, uint32_t base, uint64_t index) {
  *column = (struct column){.base = base};
  double weight = 1;
  uint64_t reach = 1;
  while (reach < TS_SEQUENCE_POINTS) {
    weight /= base;
    column->weights[column->places++] = weight;
    reach *= base;
  }
  for (; index > 0; index /= base) column->digits[column->used++] = (uint32_t)(index % base);
}

static void permute(struct column *column, enum ts_scramble kind, uint64_t seed, size_t dimension, uint32_t *scratch) {
  struct ts_random random;
  ts_random_init(&random, seed, HALTON_STREAM + dimension);
  for (size_t place = 0; place < column->places; place++) {
    uint32_t *row = scratch + place * column->base;
    uint32_t shift = kind == TS_SCRAMBLE_SHIFT ? (uint32_t)ts_random_below(&random, column->base) : 0;
    for (uint32_t digit = 0; digit < column->base; digit++) row[digit] = (digit + shift) % column->base;
    for (uint32_t i = column->base; kind == TS_SCRAMBLE_OWEN && i > 1; i--) {
      uint32_t j = (uint32_t)ts_random_below(&random, i), kept = row[i - 1];
      row[i - 1] = row[j];
      row[j] = kept;
    }
  }
  column->permuted = scratch;
  column->used = column->places;
}

static double value(const struct column *column) {
  double unit = 0;
  for (size_t place = 0; place < column->used; place++) {
    uint32_t digit = column->digits[place];
    if (column->permuted) digit = column->permuted[place * column->base + digit];
    unit += column->weights[place] * digit;
  }
  return unit < 1 ? unit : BELOW_ONE;
}

static void advance(struct column *column) {
  size_t place = 0;
  while (++column->digits[place] == column->base) column->digits[place++] = 0;
  if (place >= column->used) column->used = place + 1;
}

static bool check(size_t dimensions, size_t first, size_t count, size_t skip, struct ts_error *err) {
  if (dimensions > MAX_DIMENSIONS) {
    ts_fail(err, TS_ERR_BAD_VALUE, "a Halton sequence of '%zu' dimensions is too much: the limit is %zu", dimensions,
            MAX_DIMENSIONS);
    return ts_error_help(err, "use 'sobol-sequence' or 'lhs' for that many parameters");
  }
  return ts_sequence_check_points("Halton", first, count, skip, err);
}

bool ts_halton_fill(size_t dimensions, size_t first, size_t count, const struct ts_sample_options *options, double *out,
                    struct ts_error *err) {
  if (!check(dimensions, first, count, options->skip, err)) return false;
  bool scrambled = options->scramble == TS_SCRAMBLE_OWEN || options->scramble == TS_SCRAMBLE_SHIFT;
  ts_auto_free uint32_t *primes = ts_calloc(dimensions + 1, sizeof *primes);
  for (size_t i = 0; i < dimensions; i++) primes[i] = next_prime(primes, i);
  ts_auto_free uint32_t *scratch = NULL;
  for (size_t i = 0; i < dimensions; i++) {
    struct column column;
    column_init(&column, primes[i], options->skip + first);
    if (scrambled) {
      scratch = ts_realloc_array(scratch, column.places * column.base, sizeof *scratch);
      permute(&column, options->scramble, options->seed, i, scratch);
    }
    for (size_t row = 0; row < count; row++) {
      out[row * dimensions + i] = value(&column);
      advance(&column);
    }
  }
  return true;
}

static bool draw(struct ts_points *points, const struct ts_space *space, const struct ts_sample_options *options,
                 struct ts_error *err) {
  size_t count = options->count ? options->count : 1000;
  if (!ts_source_draw(points, space, "halton", count, options, err)) return false;
  bool plain = options->scramble == TS_SCRAMBLE_DEFAULT || options->scramble == TS_SCRAMBLE_NONE;
  if (plain && points->column_count > PLAIN_DIMENSIONS) {
    ts_points_add_note(points,
                       "an unscrambled Halton sequence of %zu dimensions leaves large gaps: use scrambling, or "
                       "'sobol-sequence'",
                       points->column_count);
  }
  return true;
}

const struct ts_sampler ts_sampler_halton = {
    .name = "halton",
    .title = "Halton sequence",
    .help =
        "evenly spread points for any count, for up to some 20 parameters, for more with scrambling; more points keep "
        "the earlier ones; reads count, skip, scramble (none, owen, shift), seed",
    .draw = draw,
};
