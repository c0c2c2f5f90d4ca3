/* Sources of points, scrambling and the improvement of samples, for the samplers of single points.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_DESIGN_SEQUENCE_INT_H
#define TS_DESIGN_SEQUENCE_INT_H

#include "design/points.h"

/* Cells of one sample (2 GiB of coordinates): a mistyped number must not take all memory. */
#define TS_MAX_CELLS ((size_t)1 << 28)

/* joe_kuo.c: the direction numbers of Joe and Kuo. */
#define TS_JOE_KUO_DIMENSIONS ((size_t)21201)
/* The first `bits` (at most 64) direction numbers of dimensions 0 .. dimensions-1: number `bit` of a dimension at
 * directions[bit * dimensions + dimension]. The first binary digit is the lowest bit. */
void ts_joe_kuo_directions(size_t dimensions, size_t bits, uint64_t *directions);

/* scramble.c: randomises binary digits, the first in the lowest bit. */
struct ts_scrambler {
  enum ts_scramble kind;
  size_t dimensions;
  uint64_t *table; /* owned; Owen: 256 entries per dimension, shift: one, none: NULL */
};
/* TS_SCRAMBLE_DEFAULT counts as Owen. */
void ts_scrambler_init(struct ts_scrambler *scrambler, enum ts_scramble kind, size_t dimensions, uint64_t seed);
void ts_scrambler_release(struct ts_scrambler *scrambler);
/* One row: digits of every dimension to coordinates in [0, 1). */
void ts_scrambler_row(const struct ts_scrambler *scrambler, const uint64_t *digits, double *unit);

/* How many points a sequence has: further ones would need more binary digits than a double holds. */
#define TS_SEQUENCE_POINTS (UINT64_C(1) << 53)
/* BAD_VALUE if the points first .. first+count-1 behind `skip` others are not all in the sequence. */
bool ts_sequence_check_points(const char *name, size_t first, size_t count, size_t skip, struct ts_error *err);

/* The sources: points first .. first+count-1, row by row. Sequences leave out options->skip points before. */
bool ts_mc_fill(size_t dimensions, size_t first, size_t count, const struct ts_sample_options *options, double *out,
                struct ts_error *err);
/* One Latin hypercube of options->count points (0: count) after another. */
bool ts_lhs_fill(size_t dimensions, size_t first, size_t count, const struct ts_sample_options *options, double *out,
                 struct ts_error *err);
bool ts_halton_fill(size_t dimensions, size_t first, size_t count, const struct ts_sample_options *options, double *out,
                    struct ts_error *err);
bool ts_sobol_fill(size_t dimensions, size_t first, size_t count, const struct ts_sample_options *options, double *out,
                   struct ts_error *err);

/* maximin.c: swaps coordinates within columns so that the closest two points move apart; each round tries `rows` swaps.
 * The smallest distance never shrinks, every column keeps its values. */
void ts_maximin_improve(double *unit, size_t rows, size_t columns, size_t rounds, uint64_t seed, uint64_t stream);

/* correlate.c: reorders each column so that the rank correlations come close to those wanted.
 * R. L. Iman and W. J. Conover, 1982, doi:10.1080/03610918208812265. */
bool ts_correlate(double *unit, size_t rows, size_t columns, const double *wanted, uint64_t seed, uint64_t stream,
                  struct ts_error *err);

/* source.c: checks the space and allocates `rows` rows of coordinates, every row for itself. */
bool ts_points_init(struct ts_points *points, const struct ts_space *space, size_t rows, struct ts_error *err);
/* The first `count` points of a source that the constraints allow; correlated or improved as the options say. */
bool ts_source_draw(struct ts_points *points, const struct ts_space *space, const char *source, size_t count,
                    const struct ts_sample_options *options, struct ts_error *err);
/* points.c: adds a sentence to the note. */
void ts_points_add_note(struct ts_points *points, const char *format, ...) TS_PRINTF(2, 3);

#endif
