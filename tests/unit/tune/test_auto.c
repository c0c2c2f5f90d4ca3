/* The tuner `auto`: finds optima of known functions, spreads batches, avoids failures, and saves cost where it can.
 * SPDX-License-Identifier: Apache-2.0
 *
 * `test_tune auto costs 40` prints the charged seconds of Hartmann-6 and Ackley-8 in stages, for `make soak`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/str.h"
#include "tune/tune.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_COLUMNS 8
#define STAGES       3

#define BATCH_RUNS    60
#define BATCH_SEEDS   5
#define BATCH_SHARE   0.9 /* of what trials in turn gain over random ones */
#define FAILING_RUNS  40
#define FAILING_SEEDS 4
#define FAILING_MOST  10 /* of 40; some three of the first six fail by chance */

/* Hartmann-6, minimum -3.32237 (J. K. Hartman, Naval Res. Logist. Q. 20 (1973)). */
static double hartmann(const double *x) {
  static const double a[4][6] = {
      {10, 3, 17, 3.5, 1.7, 8}, {.05, 10, 17, .1, 8, 14}, {3, 3.5, 1.7, 10, 17, 8}, {17, 8, .05, 10, .1, 14}};
  static const double p[4][6] = {{.1312, .1696, .5569, .0124, .8283, .5886},
                                 {.2329, .4135, .8307, .3736, .1004, .9991},
                                 {.2348, .1451, .3522, .2883, .3047, .6650},
                                 {.4047, .8828, .8732, .5743, .1091, .0381}};
  static const double c[4] = {1, 1.2, 3, 3.2};
  double sum = 0;
  for (size_t i = 0; i < 4; i++) {
    double exponent = 0;
    for (size_t j = 0; j < 6; j++) exponent += a[i][j] * pow(x[j] - p[i][j], 2);
    sum -= c[i] * exp(-exponent);
  }
  return sum;
}

/* Ackley in eight columns over [-4, 6], minimum 0 off the middle. */
static double ackley(const double *unit) {
  double squares = 0, waves = 0;
  for (size_t i = 0; i < 8; i++) {
    double x = 10 * (unit[i] - 0.4);
    squares += x * x / 8;
    waves += cos(2 * M_PI * x) / 8;
  }
  return 20 - 20 * exp(-0.2 * sqrt(squares)) + exp(1) - exp(waves);
}

/* A function in stages: a trial costs those stages whose parameters, or earlier ones, no trial had before. */
struct world {
  double (*function)(const double *unit);
  size_t columns;
  size_t ends[STAGES]; /* columns of a stage and of all before it */
  double costs[STAGES];
  double *seen; /* owned; trials so far */
  size_t count;
  struct ts_parameter parameters[MOST_COLUMNS];
  const struct ts_parameter *list[MOST_COLUMNS];
  struct ts_space space;
};

static const struct ts_tune_goal goal = {.name = "y"};

static double cost_of(void *user, const double *unit) {
  const struct world *world = user;
  size_t shared = 0;
  for (size_t i = 0; i < world->count; i++) {
    size_t s = 0;
    while (s < STAGES && memcmp(&world->seen[i * world->columns], unit, world->ends[s] * sizeof *unit) == 0) s++;
    if (s > shared) shared = s;
  }
  double cost = 1e-3;
  for (size_t s = shared; s < STAGES; s++) cost += world->costs[s];
  return cost;
}

static void world_init(struct world *world, bool is_ackley, bool is_reversed) {
  *world = (struct world){.function = hartmann, .columns = 6, .ends = {2, 4, 6}, .costs = {10, 3, 1}};
  if (is_ackley) {
    world->function = ackley;
    world->columns = 8;
    memcpy(world->ends, (const size_t[]){3, 6, 8}, sizeof world->ends);
  }
  if (is_reversed) memcpy(world->costs, (const double[]){1, 3, 10}, sizeof world->costs);
  for (size_t c = 0; c < world->columns; c++) {
    world->parameters[c] = (struct ts_parameter){
        .name = "x", .help = "", .type = TS_VALUE_REAL, .has_range = true, .range_low = 0, .range_high = 1};
    world->list[c] = &world->parameters[c];
  }
  world->space = (struct ts_space){.parameters = world->list, .count = world->columns};
}

/* Best value and charged seconds after each trial. */
struct trace {
  double *best, *seconds; /* owned */
  size_t count;
};

static void trace_release(struct trace *trace) {
  free(trace->best);
  free(trace->seconds);
}

static struct trace run(struct world *world, uint64_t seed, double budget, bool knows_cost, size_t batch) {
  struct ts_tune_problem problem = {.space = &world->space, .goals = &goal, .goal_count = 1, .seed = seed};
  problem.budget_kind = TS_BUDGET_SECONDS;
  problem.budget = budget;
  if (knows_cost) problem.cost = cost_of;
  problem.user = world;
  struct ts_tune_options options = {.batch = batch};
  struct ts_error err = {0};
  struct ts_tune *tune = ts_tune_create(ts_tuner_find("auto", &err), &problem, &options, &err);
  assert_non_null(tune);
  struct trace trace = {0};
  size_t first, count;
  while (ts_tune_next(tune, &first, &count, &err) && count > 0) {
    const struct ts_tune_history *history = ts_tune_history(tune);
    trace.best = ts_realloc_array(trace.best, history->count, sizeof *trace.best);
    trace.seconds = ts_realloc_array(trace.seconds, history->count, sizeof *trace.seconds);
    world->seen = ts_realloc_array(world->seen, history->count * world->columns, sizeof *world->seen);
    for (size_t t = first; t < first + count; t++) {
      const double *unit = &history->unit[t * world->columns];
      double output = world->function(unit), cost = cost_of(world, unit);
      memcpy(&world->seen[world->count++ * world->columns], unit, world->columns * sizeof *unit);
      ts_tune_report(tune, t, &output, cost);
      trace.best[t] = t > 0 ? fmin(trace.best[t - 1], output) : output;
      trace.seconds[t] = cost + (t > 0 ? trace.seconds[t - 1] : 0);
    }
    trace.count = history->count;
  }
  ts_tune_destroy(tune);
  free(world->seen);
  world->seen = NULL;
  world->count = 0;
  return trace;
}

static double seconds_until(const struct trace *trace, double value) {
  size_t t = 0;
  while (t + 1 < trace->count && trace->best[t] > value) t++;
  return trace->seconds[t];
}

/* Charged seconds with knowledge of the costs over those without it, summed over the seeds: until 99 % of the way from
 * the first trial to the final value, which is the worse of the two, so that both reach it. */
static double cost_ratio(bool is_ackley, bool is_reversed, size_t seeds, double runs) {
  double with = 0, without = 0;
  for (uint64_t seed = 1; seed <= seeds; seed++) {
    struct world world;
    world_init(&world, is_ackley, is_reversed);
    struct trace blind = run(&world, seed, 14 * runs, false, 0), knowing = run(&world, seed, 14 * runs, true, 0);
    double final = fmax(blind.best[blind.count - 1], knowing.best[knowing.count - 1]);
    double wanted = blind.best[0] - 0.99 * (blind.best[0] - final);
    with += seconds_until(&knowing, wanted);
    without += seconds_until(&blind, wanted);
    trace_release(&blind);
    trace_release(&knowing);
  }
  return with / without;
}

/* The limits are for 40 seeds and 40 full runs; the short form leaves room for the chance of few seeds. */
static void costs_are_saved(void **state) {
  (void)state;
  double ratio = cost_ratio(false, false, 8, 15);
  if (ratio > 0.75) fail_msg("ratio %g", ratio);
}

static int print_costs(size_t seeds) {
  int failed = 0;
  for (int i = 0; i < 4; i++) {
    bool is_ackley = i >= 2, is_reversed = i % 2;
    double ratio = cost_ratio(is_ackley, is_reversed, seeds, 40), limit = is_reversed ? 1.05 : 0.6;
    printf("%s, stages of %s s: %.3f of the seconds (at most %.2f)\n", is_ackley ? "ackley-8" : "hartmann-6",
           is_reversed ? "1, 3, 10" : "10, 3, 1", ratio, limit);
    fflush(stdout);
    failed += ratio > limit;
  }
  return failed > 0;
}

static void free_spaces_are_refined(void **state) {
  (void)state;
  struct world world;
  world_init(&world, false, false);
  struct trace trace = run(&world, 1, 14 * 50, false, 0);
  if (trace.best[trace.count - 1] > -2.9)
    fail_msg("hartmann-6 after %zu: %g", trace.count, trace.best[trace.count - 1]);
  trace_release(&trace);
}

/* The least of hartmann-6 that a tuner measures in as many runs, all of which it makes. */
static double least_in_batches(const char *tuner, size_t batch, size_t runs, uint64_t seed) {
  struct world world;
  world_init(&world, false, false);
  struct ts_tune_problem problem = {.space = &world.space, .goals = &goal, .goal_count = 1, .seed = seed};
  problem.budget = (double)runs;
  struct ts_tune_options options = {.batch = batch};
  struct ts_error err = {0};
  struct ts_tune *tune = ts_tune_create(ts_tuner_find(tuner, &err), &problem, &options, &err);
  assert_non_null(tune);
  double least = INFINITY;
  size_t first, count;
  while (ts_tune_next(tune, &first, &count, &err) && count > 0) {
    for (size_t t = first; t < first + count; t++) {
      double output = hartmann(&ts_tune_history(tune)->unit[t * world.columns]);
      ts_tune_report(tune, t, &output, 1);
      least = fmin(least, output);
    }
  }
  assert_int_equal(ts_tune_history(tune)->count, runs);
  ts_tune_destroy(tune);
  return least;
}

/* Batches of five keep most of what one trial after the other gains over random search: a batch whose trials did not
 * know of each other would waste four of five. */
static void batches_work(void **state) {
  (void)state;
  double in_batches = 0, in_turn = 0, random = 0;
  for (uint64_t seed = 1; seed <= BATCH_SEEDS; seed++) {
    in_batches += least_in_batches("auto", 5, BATCH_RUNS, seed) / BATCH_SEEDS;
    in_turn += least_in_batches("auto", 1, BATCH_RUNS, seed) / BATCH_SEEDS;
    random += least_in_batches("rs", 5, BATCH_RUNS, seed) / BATCH_SEEDS;
  }
  if (!(random - in_batches >= BATCH_SHARE * (random - in_turn)))
    fail_msg("random %g, in batches of five %g, in turn %g", random, in_batches, in_turn);
  if (!(in_turn < random - 0.5)) fail_msg("random %g, in turn %g", random, in_turn);
}

/* Half of the space fails, and the optimum lies on the border of that half: random trials would lose half of the runs,
 * and so would a search that goes where the output falls. */
static void failures_are_avoided(void **state) {
  (void)state;
  for (uint64_t seed = 7; seed < 7 + FAILING_SEEDS; seed++) {
    struct world world;
    world_init(&world, false, false);
    struct ts_tune_problem problem = {
        .space = &world.space, .goals = &goal, .goal_count = 1, .seed = seed, .budget = FAILING_RUNS};
    struct ts_error err = {0};
    struct ts_tune *tune = ts_tune_create(ts_tuner_find("auto", &err), &problem, NULL, &err);
    assert_non_null(tune);
    size_t first, count, failed = 0;
    while (ts_tune_next(tune, &first, &count, &err) && count > 0) {
      for (size_t t = first; t < first + count; t++) {
        const double *unit = &ts_tune_history(tune)->unit[t * world.columns];
        double output = unit[0] > 0.5 ? NAN : 1 + pow(unit[0] - 0.5, 2) + pow(unit[1] - 0.3, 2);
        failed += isnan(output);
        ts_tune_report(tune, t, &output, 1);
      }
    }
    struct ts_tune_result result;
    ts_tune_result(tune, &result);
    assert_true(ts_tune_history(tune)->outputs[result.recommended] < 1.01);
    if (failed > FAILING_MOST) fail_msg("seed %d: %zu of %d trials failed", (int)seed, failed, FAILING_RUNS);
    ts_tune_destroy(tune);
  }
}

int main(int count, char **words) {
  double seeds = 40;
  if (count > 2 && strcmp(words[count - 2], "costs") == 0 && ts_parse_double(words[count - 1], &seeds))
    return print_costs((size_t)seeds);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(costs_are_saved),
      cmocka_unit_test(free_spaces_are_refined),
      cmocka_unit_test(batches_work),
      cmocka_unit_test(failures_are_avoided),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
