/* Tunes several integer parameters for the least time, one at a time, each with the one-parameter tuner.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Measures the defaults; ranks the parameters by what three values of each do to the time, the others at their
 * defaults; tunes them in that order, the others still at their defaults; measures all recommended values together. If
 * the time gained differs by more than 5 % from the product of what each gained alone, the parameters act on each
 * other, and each is tuned once more among the values of the others. The result is the fastest set that was measured,
 * so it is never slower than the defaults. Runs nothing itself: create, then as long as `next` gives a set run it once
 * and `give` its seconds, then read the result. The same seeds and seconds give the same sets. */
#ifndef TS_TUNE_ONE_PARAMETER_SEVERAL_H
#define TS_TUNE_ONE_PARAMETER_SEVERAL_H

#include "tune/one_parameter.h"

struct ts_several_options {
  const struct ts_one_parameter_options *parameters; /* borrowed during `create`; is_warm is ignored */
  size_t count;
  bool in_order; /* tunes in the order given, without the runs of a ranking */
  bool is_warm;  /* the first run counts; otherwise it fills caches, and its time is discarded */
};

struct ts_several_result {
  const int64_t *values; /* the fastest set that was measured; borrowed from the tuner, as the next two */
  const size_t *order;   /* the parameters as they were tuned, the most sensitive first */
  const double
      *sensitivity;       /* per parameter: (greatest - least) / least time of three values; infinity: one failed, NaN:
                              * not ranked */
  double seconds;         /* of the values; NaN if every run failed */
  double default_seconds; /* infinity if the defaults fail */
  double predicted_gain;  /* product of the gains of the first sweep; 1: nothing is gained */
  double measured_gain;   /* default / seconds of all recommended values together; 0 if they fail */
  bool swept_again;
  size_t runs; /* that were asked for, the discarded one included */
};

struct ts_several;
/* NULL and an error if there is no parameter, or the options of one make no sense. */
struct ts_several *ts_several_create(const struct ts_several_options *options, struct ts_error *err);
void ts_several_destroy(struct ts_several *several); /* NULL is allowed */
/* The set to run next, a value per parameter; false when the result is there. Asks again until it is given a time. */
bool ts_several_next(struct ts_several *several, int64_t *values);
/* The seconds of the run that was asked for; a number that is not finite or not above 0 says that it failed. */
void ts_several_give(struct ts_several *several, double seconds);
/* Once `next` has said false; valid as long as the tuner. */
const struct ts_several_result *ts_several_result(const struct ts_several *several);

/* Screens sizes of chunks, which have a width and a height. */
#define TS_CHUNK_SIDE 3
struct ts_chunk_size {
  int64_t width, height;
};
/* The sizes to measure, the most promising first, out of widths x heights; at most `count` of them, returns how many.
 * `seconds` are the times of a design of three widths by three heights (row by row, one height per row; not finite or
 * not above 0: failed). The logarithm of the time is a parabola of the logarithm of each side, added up: good enough to
 * choose what to measure, not to recommend without measuring. 0 if fewer than all nine were measured. */
size_t ts_chunk_screen(const int64_t design_widths[TS_CHUNK_SIDE], const int64_t design_heights[TS_CHUNK_SIDE],
                       const double seconds[TS_CHUNK_SIDE * TS_CHUNK_SIDE], const int64_t *widths, size_t width_count,
                       const int64_t *heights, size_t height_count, struct ts_chunk_size *chosen, size_t count);

#endif
