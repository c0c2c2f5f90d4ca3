/* Tunes one integer parameter, such as the number of tiles in memory, for the least time, with a handful of runs.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Measures five values over the range, fits a curve with one minimum (tune/double_exponential.h), measures its minimum
 * and keeps the better of that and the best sample. Runs nothing itself: create, then as long as `next` gives a value
 * run it once and `give` its seconds, then read the result. The same seed and seconds give the same values.
 *
 * Where the curve does not apply:
 *   the times differ by at most twice the noise      the default stays, every value is as good
 *   the curve does not describe the samples          golden section around the best sample
 *   the minimum is at an end, and the times slope    the range is extended if it may be
 *   the times rise and fall again                    four more samples between; the best of all
 *   a value fails (memory, timeout)                  the range ends below it
 *   the noise is above 5 %                           five runs of each value; if that does not help, no tuning
 */
#ifndef TS_TUNE_ONE_PARAMETER_H
#define TS_TUNE_ONE_PARAMETER_H

#include "base/error.h"
#include "tune/double_exponential.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ts_one_parameter_options {
  int64_t low, high;       /* the range; the caller caps it by memory */
  int64_t default_value;   /* within the range */
  bool may_extend;         /* beyond the range, to the next two */
  int64_t least, greatest; /* at most `low`, at least `high` */
  size_t repeats;          /* runs of each value; 0: one if it takes more than 60 s, otherwise 3 */
  double noise;      /* relative standard deviation of a run, where repeats do not show it; 0: TS_ONE_PARAMETER_NOISE */
  bool is_warm;      /* the first run counts; otherwise it fills caches, and its time is discarded */
  bool refine;       /* fits once more with the measured minimum, and measures a minimum that moved */
  bool prefer_small; /* of values that are as good (within 2 %) the smallest that was measured: memory is scarce */
  uint64_t seed;     /* of the order of runs */
};
#define TS_ONE_PARAMETER_NOISE 0.01

enum ts_one_parameter_outcome {
  TS_ONE_PARAMETER_FITTED,         /* the minimum of the curve, or a sample that was faster */
  TS_ONE_PARAMETER_ALL_MEASURED,   /* a small range: the best of all its values */
  TS_ONE_PARAMETER_INSENSITIVE,    /* the default */
  TS_ONE_PARAMETER_SEARCHED,       /* the curve does not describe the times: the best that a search measured */
  TS_ONE_PARAMETER_SEVERAL_MINIMA, /* the best of nine samples; there may be a better one */
  TS_ONE_PARAMETER_TOO_NOISY,      /* refused: the default */
  TS_ONE_PARAMETER_ALL_FAILED      /* no value of the range could be measured: the default */
};

struct ts_one_parameter_sample {
  int64_t value;
  double seconds; /* median of its runs; infinity if it failed */
  size_t runs;
};

struct ts_one_parameter_result {
  enum ts_one_parameter_outcome outcome;
  int64_t value;       /* the recommended one */
  double seconds;      /* its measured time; NaN if it was not measured */
  int64_t first, last; /* values within 2 % of the best, as the curve predicts or the samples say */
  int64_t low, high;   /* the range after all, without values that fail */
  double noise;        /* relative standard deviation of a run */
  size_t runs;         /* that were asked for, the discarded one included */
  bool shrunk;         /* values failed */
  bool extended;
  bool at_end;    /* the minimum of the curve is an end of the range, and the times slope there */
  bool has_curve; /* a curve was fitted, accepted or not; the next two belong to it */
  double left_out_error;
  struct ts_double_exponential curve;
  const struct ts_one_parameter_sample *samples; /* all that were measured, by value; borrowed from the tuner */
  size_t sample_count;
};

struct ts_one_parameter;
/* NULL and an error for a range that is empty or too wide, or a default outside it. */
struct ts_one_parameter *ts_one_parameter_create(const struct ts_one_parameter_options *options, struct ts_error *err);
void ts_one_parameter_destroy(struct ts_one_parameter *tuner); /* NULL is allowed */
/* The value to run next; false when the result is there. Asks for the same value again until it is given a time. */
bool ts_one_parameter_next(struct ts_one_parameter *tuner, int64_t *value);
/* The seconds of the run that was asked for; a number that is not finite or not above 0 says that it failed. */
void ts_one_parameter_give(struct ts_one_parameter *tuner, double seconds);
/* Once `next` has said false; valid as long as the tuner. */
const struct ts_one_parameter_result *ts_one_parameter_result(const struct ts_one_parameter *tuner);

/* Whether a result of earlier may be used again for the same code, machine and data: the times of its runs, the latest
 * last, are as predicted. It may not once each of the last three differs by more than 10 % from the prediction, or
 * failed; one or two are a busy machine. */
bool ts_one_parameter_holds(double predicted, const double *observed, size_t count);

#endif
