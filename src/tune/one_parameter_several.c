/* Several parameters, one at a time: defaults, ranking, a sweep, all together, and a second sweep if they interact.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A set is measured by runs of its own (defaults, all together), once (ranking), or by the one-parameter tuner of the
 * parameter whose turn it is. Whatever was measured is remembered if it is the fastest so far. */
#include "tune/one_parameter_several.h"

#include "base/alloc.h"
#include "base/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RANKED       3    /* values of each parameter that rank it: both ends and the middle */
#define REPEATS      3    /* runs of the defaults and of all values together */
#define LONG_SECONDS 60   /* a run that takes longer is not repeated */
#define INTERACTION  0.05 /* of the measured gain: a larger difference from the predicted one is worth another sweep */

enum step { STEP_DEFAULTS, STEP_RANK, STEP_SWEEP, STEP_TOGETHER, STEP_SWEEP_AGAIN, STEP_DONE };

struct ts_several {
  struct ts_one_parameter_options *parameters; /* owned */
  size_t count;
  bool in_order, discards;
  enum step step;
  size_t at;                      /* place in the order; in STEP_RANK the value, counted over all parameters */
  struct ts_one_parameter *tuner; /* owned; of the parameter whose turn it is; NULL: none */
  double runs[REPEATS];           /* of the set that is measured now */
  size_t run_count;
  bool is_waiting;                 /* a set was asked for */
  int64_t *current, *tuned, *best; /* owned; the set to run, the recommended values, the fastest set */
  double *ranking;                 /* owned; RANKED times per parameter */
  double *sensitivity;             /* owned */
  size_t *order;                   /* owned */
  struct ts_several_result result;
};

struct ts_several *ts_several_create(const struct ts_several_options *options, struct ts_error *err) {
  if (options->count == 0) {
    ts_fail(err, TS_ERR_BAD_VALUE, "there is no parameter to tune");
    return NULL;
  }
  for (size_t i = 0; i < options->count; i++) { /* each is checked by the tuner that it will have */
    struct ts_one_parameter *tuner = ts_one_parameter_create(&options->parameters[i], err);
    if (!tuner) return NULL;
    ts_one_parameter_destroy(tuner);
  }
  struct ts_several *several = ts_calloc(1, sizeof *several);
  size_t count = several->count = options->count;
  several->in_order = options->in_order;
  several->discards = !options->is_warm;
  several->parameters = ts_calloc(count, sizeof *several->parameters);
  several->current = ts_calloc(count, sizeof *several->current);
  several->tuned = ts_calloc(count, sizeof *several->tuned);
  several->best = ts_calloc(count, sizeof *several->best);
  several->ranking = ts_calloc(RANKED * count, sizeof *several->ranking);
  several->sensitivity = ts_calloc(count, sizeof *several->sensitivity);
  several->order = ts_calloc(count, sizeof *several->order);
  for (size_t i = 0; i < count; i++) {
    several->parameters[i] = options->parameters[i];
    several->parameters[i].is_warm = true;
    several->current[i] = several->tuned[i] = several->best[i] = options->parameters[i].default_value;
    several->order[i] = i;
    several->sensitivity[i] = NAN;
  }
  several->result = (struct ts_several_result){
      .seconds = INFINITY, .default_seconds = INFINITY, .predicted_gain = 1, .measured_gain = 1};
  return several;
}

void ts_several_destroy(struct ts_several *several) {
  if (!several) return;
  ts_one_parameter_destroy(several->tuner);
  free(several->parameters);
  free(several->current);
  free(several->tuned);
  free(several->best);
  free(several->ranking);
  free(several->sensitivity);
  free(several->order);
  free(several);
}

static void set_defaults(struct ts_several *several) {
  for (size_t i = 0; i < several->count; i++) several->current[i] = several->parameters[i].default_value;
}

/* Keeps the set that is current if it is the fastest. */
static void remember(struct ts_several *several, double seconds) {
  if (!(seconds < several->result.seconds)) return;
  several->result.seconds = seconds;
  memcpy(several->best, several->current, several->count * sizeof *several->best);
}

/* ---- Ranking. ---- */

static void place_ranked(struct ts_several *several) {
  const struct ts_one_parameter_options *parameter = &several->parameters[several->at / RANKED];
  const int64_t values[RANKED] = {parameter->low, parameter->low + (parameter->high - parameter->low) / 2,
                                  parameter->high};
  set_defaults(several);
  several->current[several->at / RANKED] = values[several->at % RANKED];
}

static double sensitivity_of(const double seconds[RANKED]) {
  double least = INFINITY, greatest = 0;
  for (size_t i = 0; i < RANKED; i++) {
    least = fmin(least, seconds[i]);
    greatest = fmax(greatest, seconds[i]);
  }
  return isfinite(greatest) ? (greatest - least) / least : INFINITY;
}

/* The most sensitive first; equals in the order given. */
static void rank(struct ts_several *several) {
  for (size_t i = 0; i < several->count; i++) {
    several->sensitivity[i] = sensitivity_of(&several->ranking[RANKED * i]);
    size_t place = i;
    for (; place > 0 && several->sensitivity[several->order[place - 1]] < several->sensitivity[i]; place--)
      several->order[place] = several->order[place - 1];
    several->order[place] = i;
  }
}

/* ---- Steps. ---- */

static void end(struct ts_several *several) {
  struct ts_several_result *result = &several->result;
  several->step = STEP_DONE;
  if (isinf(result->seconds)) result->seconds = NAN;
  result->values = several->best;
  result->order = several->order;
  result->sensitivity = several->sensitivity;
}

/* The tuner of the next parameter in order. In the second sweep the values of the others stay as they were tuned. */
static void begin_parameter(struct ts_several *several) {
  size_t parameter = several->order[several->at];
  struct ts_one_parameter_options options = several->parameters[parameter];
  struct ts_error err = {0};
  if (several->step == STEP_SWEEP_AGAIN) {
    options.default_value = ts_larger(options.low, ts_smaller(options.high, several->tuned[parameter]));
    memcpy(several->current, several->tuned, several->count * sizeof *several->current);
  } else {
    set_defaults(several);
  }
  several->tuner = ts_one_parameter_create(&options, &err);
  if (!several->tuner) TS_BUG("%s", err.text);
}

static void end_parameter(struct ts_several *several) {
  const struct ts_one_parameter_result *found = ts_one_parameter_result(several->tuner);
  struct ts_several_result *result = &several->result;
  size_t parameter = several->order[several->at];
  if (several->step == STEP_SWEEP && isfinite(found->seconds) && isfinite(result->default_seconds) &&
      found->value != several->parameters[parameter].default_value)
    result->predicted_gain *= result->default_seconds / found->seconds;
  several->tuned[parameter] = several->current[parameter] = found->value;
  if (isfinite(found->seconds)) remember(several, found->seconds);
  ts_one_parameter_destroy(several->tuner);
  several->tuner = NULL;
  several->at++;
}

static void begin_sweep(struct ts_several *several, enum step step) {
  several->step = step;
  several->at = 0;
  begin_parameter(several);
}

/* All recommended values together gained what they gained one by one, or they act on each other. */
static void compare_gains(struct ts_several *several, double seconds) {
  struct ts_several_result *result = &several->result;
  result->measured_gain = isfinite(result->default_seconds) ? result->default_seconds / seconds : 1;
  bool differs = !(fabs(result->predicted_gain - result->measured_gain) <= INTERACTION * result->measured_gain);
  if (!differs || several->count == 1) {
    end(several);
    return;
  }
  result->swept_again = true;
  if (!isfinite(seconds)) memcpy(several->tuned, several->best, several->count * sizeof *several->tuned);
  begin_sweep(several, STEP_SWEEP_AGAIN);
}

/* The median of the runs of the current set is there. */
static void decide(struct ts_several *several, double seconds) {
  /* One run of a set, for the ranking, is not a measurement: the luckiest of many would win. */
  if (isfinite(seconds) && several->step != STEP_RANK) remember(several, seconds);
  if (several->step == STEP_TOGETHER) {
    compare_gains(several, seconds);
    return;
  }
  if (several->step == STEP_DEFAULTS) {
    several->result.default_seconds = seconds;
    several->step = STEP_RANK;
    several->at = 0;
  } else {
    several->ranking[several->at++] = seconds;
  }
  bool is_ranked = several->in_order || several->at == RANKED * several->count;
  if (is_ranked && !several->in_order) rank(several);
  if (is_ranked)
    begin_sweep(several, STEP_SWEEP);
  else
    place_ranked(several);
}

/* The values of the sweep are there. */
static void end_sweep(struct ts_several *several) {
  if (several->step == STEP_SWEEP_AGAIN) {
    end(several);
    return;
  }
  several->step = STEP_TOGETHER;
  memcpy(several->current, several->tuned, several->count * sizeof *several->current);
}

bool ts_several_next(struct ts_several *several, int64_t *values) {
  while (several->tuner && !ts_one_parameter_next(several->tuner, &several->current[several->order[several->at]])) {
    end_parameter(several);
    if (several->at < several->count)
      begin_parameter(several);
    else
      end_sweep(several);
  }
  if (several->step == STEP_DONE) return false;
  memcpy(values, several->current, several->count * sizeof *values);
  several->is_waiting = true;
  return true;
}

/* Whether the current set needs no further run. */
static bool is_measured(const struct ts_several *several, double seconds) {
  return several->step == STEP_RANK || isinf(seconds) || seconds > LONG_SECONDS || several->run_count == REPEATS;
}

void ts_several_give(struct ts_several *several, double seconds) {
  if (!several->is_waiting) TS_BUG("a time without a run");
  bool works = seconds > 0 && isfinite(seconds);
  several->is_waiting = false;
  several->result.runs++;
  if (several->discards && works) {
    several->discards = false;
    return;
  }
  if (several->tuner) {
    ts_one_parameter_give(several->tuner, seconds);
    return;
  }
  several->runs[several->run_count++] = works ? seconds : INFINITY;
  if (!is_measured(several, works ? seconds : INFINITY)) return;
  qsort(several->runs, several->run_count, sizeof *several->runs, ts_compare_doubles);
  double median = works ? several->runs[several->run_count / 2] : INFINITY; /* one failure is a failure */
  several->run_count = 0;
  decide(several, median);
}

const struct ts_several_result *ts_several_result(const struct ts_several *several) {
  if (several->step != STEP_DONE) TS_BUG("a result before all runs");
  return &several->result;
}
