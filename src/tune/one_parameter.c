/* The one-parameter tuner: samples, curve, minimum, and what to do where the curve does not apply.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Runs are wanted in steps. When the runs of a step are there, `decide` says what they mean: more runs, or a result. */
#include "tune/one_parameter.h"

#include "base/alloc.h"
#include "base/order.h"
#include "tune/one_parameter_int.h"

#include <math.h>

#define SAMPLES         5 /* uniform over the range: better than geometric or mixed places on simulated curves */
#define ALL_OF          8 /* a range of at most so many values is measured whole */
#define USUAL_REPEATS   3
#define NOISE_LIMIT     0.05 /* above: TS_ONE_PARAMETER_RUNS runs of each value */
#define LEAST_R_SQUARED 0.90
#define MOST_LEFT_OUT   0.10 /* relative error of samples that the fit has not seen */
#define SEARCH_VALUES   6
#define MOST_SHRINKS    3                  /* then the range ends at a value that was measured */
#define MOST_EXTENSIONS 3                  /* each doubles the range */
#define SETTLED         0.03               /* of the range: a smaller move of the minimum is not worth a run */
#define WIDEST          ((int64_t)1 << 52) /* values that a double counts exactly */
/* The standard deviation of the median of five runs is this share of that of one (normal distribution). */
#define MEDIAN_OF_FIVE 0.535

enum step { STEP_SAMPLES, STEP_BETWEEN, STEP_SEARCH, STEP_VERIFY, STEP_REFINE, STEP_DONE };

struct ts_one_parameter {
  struct ts_one_parameter_options options;
  struct ts_random random;
  enum step step;
  struct ts_sample_list list;
  struct ts_sample_runs *running; /* borrowed from the list; NULL: nothing is asked for */
  bool discards;                  /* the next run only fills caches */
  size_t shrinks, extensions, searched;
  int64_t minimum; /* of the curve */
  struct ts_one_parameter_result result;
  struct ts_one_parameter_sample samples[TS_DOUBLE_EXPONENTIAL_SAMPLES]; /* of the result */
};

static bool check_options(const struct ts_one_parameter_options *options, struct ts_error *err) {
  int64_t low = options->may_extend ? options->least : options->low;
  int64_t high = options->may_extend ? options->greatest : options->high;
  if (options->low > options->high || low > options->low || high < options->high) {
    return ts_fail(err, TS_ERR_BAD_VALUE, "the range from %lld to %lld is empty or reaches beyond its limits",
                   (long long)options->low, (long long)options->high);
  }
  if (low < -WIDEST || high > WIDEST) {
    return ts_fail(err, TS_ERR_BAD_VALUE, "the range from %lld to %lld is too wide", (long long)low, (long long)high);
  }
  if (options->default_value < options->low || options->default_value > options->high) {
    return ts_fail(err, TS_ERR_BAD_VALUE, "the default %lld is not in the range from %lld to %lld",
                   (long long)options->default_value, (long long)options->low, (long long)options->high);
  }
  if (options->repeats > TS_ONE_PARAMETER_RUNS || !(options->noise >= 0) || !isfinite(options->noise)) {
    return ts_fail(err, TS_ERR_BAD_VALUE, "at most %d runs of a value, and a noise that is not negative",
                   TS_ONE_PARAMETER_RUNS);
  }
  return true;
}

/* Wants uniform samples of the range, all of a small one. Values that were measured already serve again. */
static void place_samples(struct ts_one_parameter *tuner) {
  int64_t low = tuner->result.low, width = tuner->result.high - low;
  if (width < ALL_OF) {
    for (int64_t i = 0; i <= width; i++) ts_sample_list_add(&tuner->list, low + i);
    return;
  }
  for (int64_t i = 0; i < SAMPLES; i++) {
    ts_sample_list_add(&tuner->list, low + (2 * i * width + SAMPLES - 1) / (2 * (int64_t)(SAMPLES - 1)));
  }
}

struct ts_one_parameter *ts_one_parameter_create(const struct ts_one_parameter_options *options, struct ts_error *err) {
  if (!check_options(options, err)) return NULL;
  struct ts_one_parameter *tuner = ts_calloc(1, sizeof *tuner);
  tuner->options = *options;
  tuner->discards = !options->is_warm;
  tuner->list.repeats = options->repeats ? options->repeats : USUAL_REPEATS;
  tuner->list.fixed = options->repeats != 0;
  tuner->result.low = options->low;
  tuner->result.high = options->high;
  ts_random_init(&tuner->random, options->seed, 0);
  place_samples(tuner);
  return tuner;
}

void ts_one_parameter_destroy(struct ts_one_parameter *tuner) { free(tuner); }

static void finish(struct ts_one_parameter *tuner, enum ts_one_parameter_outcome outcome, int64_t value) {
  struct ts_one_parameter_result *result = &tuner->result;
  tuner->step = STEP_DONE;
  result->outcome = outcome;
  result->value = value;
  const struct ts_sample_runs *sample = ts_sample_list_find(&tuner->list, value);
  result->seconds = sample && !sample->failed ? ts_sample_seconds(sample) : NAN;
  result->sample_count = tuner->list.count;
  result->samples = tuner->samples;
  for (size_t i = 0; i < tuner->list.count; i++) {
    const struct ts_sample_runs *item = &tuner->list.items[i];
    tuner->samples[i] = (struct ts_one_parameter_sample){item->value, ts_sample_seconds(item), item->count};
  }
}

/* The default: nothing is known to be better than any other value. */
static void finish_with_default(struct ts_one_parameter *tuner, enum ts_one_parameter_outcome outcome) {
  struct ts_one_parameter_result *result = &tuner->result;
  struct ts_sample_view view;
  ts_sample_view_make(&view, &tuner->list, result->low, result->high);
  int64_t value = tuner->options.default_value;
  bool fails = value < result->low || value > result->high;
  result->first = result->low;
  result->last = result->high;
  finish(tuner, outcome, fails && view.count > 0 ? view.x[view.best] : value);
}

/* The fastest sample, or the smallest of those that are as good. */
static int64_t preferred(const struct ts_one_parameter *tuner, const struct ts_sample_view *view) {
  double limit = TS_NEIGHBOURHOOD * view->seconds[view->best];
  for (size_t i = 0; tuner->options.prefer_small && i < view->best; i++) {
    if (view->x[i] >= tuner->result.first && view->seconds[i] <= limit) return view->x[i];
  }
  return view->x[view->best];
}

static void finish_with_samples(struct ts_one_parameter *tuner, enum ts_one_parameter_outcome outcome,
                                const struct ts_sample_view *view) {
  ts_sample_view_neighbourhood(view, &tuner->result.first, &tuner->result.last);
  finish(tuner, outcome, preferred(tuner, view));
}

/* Ends the range below values that failed; false if none of it is left. */
static bool shrink(struct ts_one_parameter *tuner) {
  struct ts_one_parameter_result *result = &tuner->result;
  struct ts_sample_view view;
  ts_sample_view_make(&view, &tuner->list, result->low, result->high);
  result->shrunk = true;
  if (view.count == 0) return false;
  int64_t failed = result->high + 1, works = view.x[0];
  for (size_t i = tuner->list.count; i-- > 0;) {
    const struct ts_sample_runs *sample = &tuner->list.items[i];
    if (!sample->failed || sample->value > result->high) continue;
    if (sample->value > view.x[0])
      failed = sample->value;
    else if (sample->value >= result->low)
      result->low = view.x[0];
  }
  if (failed > result->high) return true;
  for (size_t i = 0; i < view.count && view.x[i] < failed; i++) works = view.x[i];
  /* Halfway to the greatest value that works: one below the failure would most likely fail too. */
  result->high = tuner->shrinks++ < MOST_SHRINKS ? works + (failed - works) / 2 : works;
  return true;
}

static bool has_failures(const struct ts_one_parameter *tuner) {
  for (size_t i = 0; i < tuner->list.count; i++) {
    const struct ts_sample_runs *sample = &tuner->list.items[i];
    if (sample->failed && sample->value >= tuner->result.low && sample->value <= tuner->result.high) return true;
  }
  return false;
}

/* Whether noise leaves anything to tune; wants more runs if that may help. */
static bool is_noisy(struct ts_one_parameter *tuner) {
  struct ts_one_parameter_result *result = &tuner->result;
  double assumed = tuner->options.noise > 0 ? tuner->options.noise : TS_ONE_PARAMETER_NOISE;
  result->noise = ts_sample_list_noise(&tuner->list, assumed);
  if (result->noise <= NOISE_LIMIT) return false;
  if (tuner->list.repeats < TS_ONE_PARAMETER_RUNS) {
    ts_sample_list_repeat(&tuner->list, TS_ONE_PARAMETER_RUNS);
    return true;
  }
  if (result->noise * MEDIAN_OF_FIVE <= NOISE_LIMIT) return false;
  finish_with_default(tuner, TS_ONE_PARAMETER_TOO_NOISY);
  return true;
}

static void fit(struct ts_one_parameter *tuner, const struct ts_sample_view *view) {
  struct ts_one_parameter_result *result = &tuner->result;
  ts_double_exponential_fit(&result->curve, result->low, result->high, view->x, view->seconds, view->count);
  result->left_out_error =
      ts_double_exponential_left_out_error(result->low, result->high, view->x, view->seconds, view->count);
  result->has_curve = true;
  tuner->minimum = ts_double_exponential_minimum(&result->curve);
}

/* Whether the times still fall towards the end that is the minimum. */
static bool slopes_at_end(const struct ts_one_parameter *tuner, const struct ts_sample_view *view) {
  size_t end = tuner->minimum == tuner->result.low ? 0 : view->count - 1;
  size_t before = end == 0 ? 1 : end - 1;
  if (tuner->minimum != tuner->result.low && tuner->minimum != tuner->result.high) return false;
  return view->seconds[before] > (1 + 2 * tuner->result.noise) * view->seconds[end];
}

/* Doubles the range beyond the end that is the minimum, as far as it may go. */
static bool extend(struct ts_one_parameter *tuner) {
  const struct ts_one_parameter_options *options = &tuner->options;
  struct ts_one_parameter_result *result = &tuner->result;
  int64_t width = result->high - result->low;
  if (!options->may_extend || result->shrunk || tuner->extensions == MOST_EXTENSIONS) return false;
  if (tuner->minimum == result->low) {
    if (result->low == options->least) return false;
    result->low = ts_larger(options->least, result->low - width);
  } else {
    if (result->high == options->greatest) return false;
    result->high = ts_smaller(options->greatest, result->high + width);
  }
  result->extended = true;
  tuner->extensions++;
  place_samples(tuner);
  return true;
}

/* Wants the next value of the search, or ends it. */
static void search(struct ts_one_parameter *tuner, const struct ts_sample_view *view) {
  int64_t value = 0;
  tuner->step = STEP_SEARCH;
  if (tuner->searched < SEARCH_VALUES && ts_sample_view_search(view, tuner->searched == 0, &value) &&
      !ts_sample_list_find(&tuner->list, value) && ts_sample_list_add(&tuner->list, value)) {
    tuner->searched++;
    return;
  }
  finish_with_samples(tuner, TS_ONE_PARAMETER_SEARCHED, view);
}

static void look_between(struct ts_one_parameter *tuner, const struct ts_sample_view *view) {
  tuner->step = STEP_BETWEEN;
  for (size_t i = 0; i + 1 < view->count; i++) {
    ts_sample_list_add(&tuner->list, view->x[i] + (view->x[i + 1] - view->x[i]) / 2);
  }
}

static void use_curve(struct ts_one_parameter *tuner, const struct ts_sample_view *view) {
  struct ts_one_parameter_result *result = &tuner->result;
  fit(tuner, view);
  if (result->curve.r_squared < LEAST_R_SQUARED || result->left_out_error > MOST_LEFT_OUT) {
    search(tuner, view);
    return;
  }
  result->at_end = slopes_at_end(tuner, view);
  if (result->at_end && extend(tuner)) return;
  tuner->step = STEP_VERIFY;
  ts_sample_list_add(&tuner->list, tuner->minimum);
}

static void decide_samples(struct ts_one_parameter *tuner) {
  struct ts_one_parameter_result *result = &tuner->result;
  if (has_failures(tuner)) {
    if (shrink(tuner))
      place_samples(tuner);
    else
      finish_with_default(tuner, TS_ONE_PARAMETER_ALL_FAILED);
    return;
  }
  if (is_noisy(tuner)) return;
  struct ts_sample_view view;
  ts_sample_view_make(&view, &tuner->list, result->low, result->high);
  if (ts_sample_view_spread(&view) <= 2 * result->noise)
    finish_with_default(tuner, TS_ONE_PARAMETER_INSENSITIVE);
  else if (result->high - result->low < ALL_OF)
    finish_with_samples(tuner, TS_ONE_PARAMETER_ALL_MEASURED, &view);
  else if (ts_sample_view_has_hump(&view, 2 * result->noise))
    look_between(tuner, &view);
  else
    use_curve(tuner, &view);
}

/* The better of the minimum of the curve and the samples; with `refine` after another fit. */
static void decide_verified(struct ts_one_parameter *tuner) {
  struct ts_one_parameter_result *result = &tuner->result;
  const struct ts_sample_runs *sample = ts_sample_list_find(&tuner->list, tuner->minimum);
  struct ts_sample_view view;
  ts_sample_view_make(&view, &tuner->list, result->low, result->high);
  if (tuner->step == STEP_VERIFY && tuner->options.refine && sample && !sample->failed) {
    int64_t before = tuner->minimum;
    fit(tuner, &view);
    if (fabs((double)(tuner->minimum - before)) >= SETTLED * (double)(result->high - result->low)) {
      tuner->step = STEP_REFINE;
      ts_sample_list_add(&tuner->list, tuner->minimum);
      return;
    }
  }
  result->shrunk |= sample && sample->failed;
  ts_double_exponential_neighbourhood(&result->curve, tuner->minimum, &result->first, &result->last);
  finish(tuner, TS_ONE_PARAMETER_FITTED, preferred(tuner, &view));
}

static void decide(struct ts_one_parameter *tuner) {
  struct ts_sample_view view;
  ts_sample_view_make(&view, &tuner->list, tuner->result.low, tuner->result.high);
  switch (tuner->step) {
  case STEP_SAMPLES: decide_samples(tuner); break;
  case STEP_BETWEEN: finish_with_samples(tuner, TS_ONE_PARAMETER_SEVERAL_MINIMA, &view); break;
  case STEP_SEARCH: search(tuner, &view); break;
  case STEP_VERIFY:
  case STEP_REFINE: decide_verified(tuner); break;
  case STEP_DONE: break;
  }
}

bool ts_one_parameter_next(struct ts_one_parameter *tuner, int64_t *value) {
  while (!tuner->running && tuner->step != STEP_DONE) {
    tuner->running = ts_sample_list_draw(&tuner->list, &tuner->random);
    if (!tuner->running) decide(tuner);
  }
  if (!tuner->running) return false;
  *value = tuner->running->value;
  return true;
}

void ts_one_parameter_give(struct ts_one_parameter *tuner, double seconds) {
  if (!tuner->running) TS_BUG("a time without a run");
  bool works = seconds > 0 && isfinite(seconds);
  tuner->result.runs++;
  if (tuner->discards && works)
    tuner->discards = false;
  else
    ts_sample_list_give(&tuner->list, tuner->running, seconds);
  tuner->running = NULL;
}

const struct ts_one_parameter_result *ts_one_parameter_result(const struct ts_one_parameter *tuner) {
  if (tuner->step != STEP_DONE) TS_BUG("a result before all runs");
  return &tuner->result;
}
