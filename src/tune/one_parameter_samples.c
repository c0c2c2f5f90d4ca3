/* Samples of the one-parameter tuner: order of runs, medians, noise, and where to look next.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tune/one_parameter_int.h"

#include "base/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LONG_SECONDS 60 /* a run that takes longer is not repeated */
/* Of a normal distribution: the median distance from the median times this is the standard deviation. */
#define DEVIATION_OF_MEDIAN 1.4826
#define GOLDEN              0.3819660112501051 /* (3 - sqrt 5) / 2 */

static double median_of(double *values, size_t count) {
  qsort(values, count, sizeof *values, ts_compare_doubles);
  return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

bool ts_sample_list_add(struct ts_sample_list *list, int64_t value) {
  size_t place = 0;
  while (place < list->count && list->items[place].value < value) place++;
  if (place < list->count && list->items[place].value == value) return true;
  if (list->count == TS_DOUBLE_EXPONENTIAL_SAMPLES) return false;
  memmove(list->items + place + 1, list->items + place, (list->count - place) * sizeof *list->items);
  list->items[place] = (struct ts_sample_runs){.value = value, .wanted = list->repeats};
  list->count++;
  return true;
}

const struct ts_sample_runs *ts_sample_list_find(const struct ts_sample_list *list, int64_t value) {
  for (size_t i = 0; i < list->count; i++) {
    if (list->items[i].value == value) return &list->items[i];
  }
  return NULL;
}

static bool lacks_runs(const struct ts_sample_runs *sample) {
  return !sample->failed && sample->count < sample->wanted;
}

struct ts_sample_runs *ts_sample_list_draw(struct ts_sample_list *list, struct ts_random *random) {
  size_t lacking = 0;
  for (size_t i = 0; i < list->count; i++) lacking += lacks_runs(&list->items[i]);
  if (lacking == 0) return NULL;
  size_t chosen = (size_t)ts_random_below(random, lacking);
  for (size_t i = 0;; i++) {
    if (lacks_runs(&list->items[i]) && chosen-- == 0) return &list->items[i];
  }
}

static bool has_success_below(const struct ts_sample_list *list, int64_t value) {
  for (size_t i = 0; i < list->count && list->items[i].value < value; i++) {
    if (list->items[i].count > 0 && !list->items[i].failed) return true;
  }
  return false;
}

/* Takes no further runs above a value that failed; those that were not run at all are forgotten. */
static void drop_above(struct ts_sample_list *list, int64_t value) {
  size_t kept = 0;
  for (size_t i = 0; i < list->count; i++) {
    struct ts_sample_runs *sample = &list->items[i];
    if (sample->value > value && sample->count == 0 && !sample->failed) continue;
    if (sample->value > value) sample->wanted = sample->count;
    list->items[kept++] = *sample;
  }
  list->count = kept;
}

void ts_sample_list_give(struct ts_sample_list *list, struct ts_sample_runs *sample, double seconds) {
  if (!(seconds > 0) || !isfinite(seconds)) {
    sample->failed = true;
    if (has_success_below(list, sample->value)) drop_above(list, sample->value);
    return;
  }
  sample->seconds[sample->count++] = seconds;
  if (seconds > LONG_SECONDS && !list->fixed) sample->wanted = sample->count;
}

void ts_sample_list_repeat(struct ts_sample_list *list, size_t repeats) {
  for (size_t i = 0; i < list->count; i++) {
    if (list->items[i].wanted == list->repeats) list->items[i].wanted = repeats;
  }
  list->repeats = repeats;
}

double ts_sample_seconds(const struct ts_sample_runs *sample) {
  if (sample->failed || sample->count == 0) return INFINITY;
  double sorted[TS_ONE_PARAMETER_RUNS];
  memcpy(sorted, sample->seconds, sample->count * sizeof *sorted);
  return median_of(sorted, sample->count);
}

/* The median of the distances of runs from the median of their value. The run that is this median itself says nothing
 * and is left out. Of three runs of a normal distribution the other two lie 0.69 standard deviations away in the
 * median, of five the other four 0.68 (simulated), nearly as runs do from the true median: 0.6745. */
double ts_sample_list_noise(const struct ts_sample_list *list, double otherwise) {
  double distances[TS_DOUBLE_EXPONENTIAL_SAMPLES * TS_ONE_PARAMETER_RUNS];
  size_t count = 0;
  for (size_t i = 0; i < list->count; i++) {
    const struct ts_sample_runs *sample = &list->items[i];
    if (sample->failed || sample->count < 2) continue;
    double middle = ts_sample_seconds(sample);
    bool left_out = false;
    for (size_t run = 0; run < sample->count; run++) {
      bool is_middle = !left_out && sample->seconds[run] == middle;
      left_out |= is_middle;
      if (!is_middle) distances[count++] = fabs(sample->seconds[run] / middle - 1);
    }
  }
  return count > 0 ? DEVIATION_OF_MEDIAN * median_of(distances, count) : otherwise;
}

void ts_sample_view_make(struct ts_sample_view *view, const struct ts_sample_list *list, int64_t low, int64_t high) {
  view->count = view->best = 0;
  for (size_t i = 0; i < list->count; i++) {
    const struct ts_sample_runs *sample = &list->items[i];
    if (sample->value < low || sample->value > high || sample->failed || sample->count == 0) continue;
    view->x[view->count] = sample->value;
    view->seconds[view->count] = ts_sample_seconds(sample);
    if (view->seconds[view->count] < view->seconds[view->best]) view->best = view->count;
    view->count++;
  }
}

double ts_sample_view_spread(const struct ts_sample_view *view) {
  double greatest = 0;
  for (size_t i = 0; i < view->count; i++) greatest = fmax(greatest, view->seconds[i]);
  return greatest / view->seconds[view->best] - 1;
}

bool ts_sample_view_has_hump(const struct ts_sample_view *view, double share) {
  for (size_t i = 1; i + 1 < view->count; i++) {
    double before = INFINITY, after = INFINITY;
    for (size_t j = 0; j < i; j++) before = fmin(before, view->seconds[j]);
    for (size_t j = i + 1; j < view->count; j++) after = fmin(after, view->seconds[j]);
    if (view->seconds[i] > (1 + share) * fmax(before, after)) return true;
  }
  return false;
}

void ts_sample_view_neighbourhood(const struct ts_sample_view *view, int64_t *first, int64_t *last) {
  double limit = TS_NEIGHBOURHOOD * view->seconds[view->best];
  size_t left = view->best, right = view->best;
  while (left > 0 && view->seconds[left - 1] <= limit) left--;
  while (right + 1 < view->count && view->seconds[right + 1] <= limit) right++;
  *first = view->x[left];
  *last = view->x[right];
}

#define DEVIATION  0.10 /* of the predicted time */
#define DEVIATIONS 3    /* runs in a row */

bool ts_one_parameter_holds(double predicted, const double *observed, size_t count) {
  if (count < DEVIATIONS) return true;
  for (size_t i = count - DEVIATIONS; i < count; i++) {
    if (observed[i] > 0 && fabs(observed[i] - predicted) <= DEVIATION * predicted) return true;
  }
  return false;
}

/* The vertex relative to the middle one of three points; 0 if they do not curve upwards. */
static double vertex(double left, double right, double rise_left, double rise_right) {
  double curvature = rise_left * right + rise_right * left;
  return curvature > 0 ? (rise_left * right * right - rise_right * left * left) / (2 * curvature) : 0;
}

bool ts_sample_view_search(const struct ts_sample_view *view, bool with_parabola, int64_t *value) {
  size_t best = view->best;
  int64_t centre = view->x[best];
  int64_t left = best > 0 ? centre - view->x[best - 1] : 0;
  int64_t right = best + 1 < view->count ? view->x[best + 1] - centre : 0;
  if (left <= 1 && right <= 1) return false;
  if (with_parabola && left > 0 && right > 0) {
    double least = view->seconds[best];
    double step = vertex((double)left, (double)right, view->seconds[best - 1] - least, view->seconds[best + 1] - least);
    int64_t to = (int64_t)floor(step + 0.5);
    if (to != 0 && to > -left && to < right) {
      *value = centre + to;
      return true;
    }
  }
  int64_t gap = ts_larger(left, right), step = ts_larger(1, (int64_t)floor(GOLDEN * (double)gap + 0.5));
  *value = right >= left ? centre + step : centre - step;
  return true;
}
