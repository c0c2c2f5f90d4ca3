/* The samples of the one-parameter tuner: which runs are wanted, and what those that were made say.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_TUNE_ONE_PARAMETER_INT_H
#define TS_TUNE_ONE_PARAMETER_INT_H

#include "base/random.h"
#include "tune/one_parameter.h"

#define TS_ONE_PARAMETER_RUNS 5 /* most runs of a value */

struct ts_sample_runs {
  int64_t value;
  double seconds[TS_ONE_PARAMETER_RUNS];
  size_t count, wanted;
  bool failed;
};

/* By value, each value once. */
struct ts_sample_list {
  struct ts_sample_runs items[TS_DOUBLE_EXPONENTIAL_SAMPLES];
  size_t count;
  size_t repeats; /* wanted of a value */
  bool fixed;     /* also of one that takes long */
};

/* Wants the value measured, unless it is there; false if there is no room. */
bool ts_sample_list_add(struct ts_sample_list *list, int64_t value);
/* The sample of that value; NULL: there is none. */
const struct ts_sample_runs *ts_sample_list_find(const struct ts_sample_list *list, int64_t value);
/* One of those that lack runs, at random; NULL: none does. */
struct ts_sample_runs *ts_sample_list_draw(struct ts_sample_list *list, struct ts_random *random);
/* Adds a run; after a failure, values above it are not worth a run if one below it works. */
void ts_sample_list_give(struct ts_sample_list *list, struct ts_sample_runs *sample, double seconds);
/* Raises the runs of each value that is quick enough. */
void ts_sample_list_repeat(struct ts_sample_list *list, size_t repeats);
double ts_sample_seconds(const struct ts_sample_runs *sample); /* median; infinity if it failed */
/* Relative standard deviation of a run by the repeats of all samples; `otherwise` if there are none. */
double ts_sample_list_noise(const struct ts_sample_list *list, double otherwise);

/* The samples between two values that did not fail, by value. */
struct ts_sample_view {
  size_t count, best; /* `best`: the index of the fastest, the first of equals */
  int64_t x[TS_DOUBLE_EXPONENTIAL_SAMPLES];
  double seconds[TS_DOUBLE_EXPONENTIAL_SAMPLES];
};
void ts_sample_view_make(struct ts_sample_view *view, const struct ts_sample_list *list, int64_t low, int64_t high);
/* Greatest / least time - 1. */
double ts_sample_view_spread(const struct ts_sample_view *view);
/* Whether a sample is slower than one on each side by more than `share` of their times. */
bool ts_sample_view_has_hump(const struct ts_sample_view *view, double share);
/* The samples around the best, without a gap, that are within 2 % of it. */
void ts_sample_view_neighbourhood(const struct ts_sample_view *view, int64_t *first, int64_t *last);
/* The next value of a search between the neighbours of the best sample: the vertex of the parabola through the three
 * (`with_parabola`), otherwise the golden section of the wider gap. False: nothing is left between them. */
bool ts_sample_view_search(const struct ts_sample_view *view, bool with_parabola, int64_t *value);

#endif
