/* Measures the CPU time of one batch of every tuner at 200 measured runs and 20,000 candidates of 8 parameters.
 * SPDX-License-Identifier: Apache-2.0
 *
 * usage: bench_tuning. The 200 runs are recorded ones; the time is the longest of the batches of 20 further runs, begin
 * (GEIST's graph) apart. The default tuner is measured twice: it also models which runs fail where some did. Exits with
 * 1 if a tuner takes longer than the limit. */
#include "base/alloc.h"
#include "base/clock.h"
#include "base/random.h"
#include "tune/tune.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define ROWS          20000
#define COLUMNS       8
#define LEVELS        64
#define WIDTH         320 /* values of the second column */
#define RECORDED      200
#define LIMIT_MS      250
#define AUTO_LIMIT_MS 50 /* of the default tuner */
#define BATCHES       64
#define FAILING       52 /* the third column fails from here: a fifth of the values */

static struct ts_parameter parameters[COLUMNS];
static const struct ts_parameter *list[COLUMNS];
static double rows[ROWS * COLUMNS], recorded[RECORDED * COLUMNS], outputs[RECORDED];

static double output_at(const double *numbers) {
  double sum = 1;
  for (size_t c = 0; c < COLUMNS; c++) sum += (numbers[c] - 20) * (numbers[c] - 30) * (double)(c + 1) / 100;
  return sum;
}

/* Distinct rows: the first two columns count them. */
static void make_rows(void) {
  static const char *const names[COLUMNS] = {"a", "b", "c", "d", "e", "f", "g", "h"};
  struct ts_random random;
  ts_random_init(&random, 1, 0);
  for (size_t c = 0; c < COLUMNS; c++) {
    parameters[c] = (struct ts_parameter){.name = names[c], .help = "", .type = TS_VALUE_INTEGER, .has_range = true};
    parameters[c].range_high = c < 2 ? ROWS : LEVELS - 1;
    list[c] = &parameters[c];
  }
  for (size_t r = 0; r < ROWS; r++) {
    for (size_t c = 0; c < COLUMNS; c++) rows[r * COLUMNS + c] = (double)ts_random_below(&random, LEVELS);
    size_t first = r / WIDTH, second = r % WIDTH;
    rows[r * COLUMNS] = (double)first;
    rows[r * COLUMNS + 1] = (double)second;
  }
  for (size_t r = 0; r < RECORDED; r++) {
    for (size_t c = 0; c < COLUMNS; c++) recorded[r * COLUMNS + c] = (double)ts_random_below(&random, LEVELS);
    recorded[r * COLUMNS] += 100; /* not among the candidates */
    outputs[r] = output_at(&recorded[r * COLUMNS]);
  }
}

/* CPU milliseconds of the longest batch, and of the beginning. */
static bool run(const struct ts_tuner *tuner, const struct ts_tune_problem *problem, double *begin_ms,
                double *batch_ms) {
  struct ts_error err = {0};
  uint64_t start = ts_clock_thread_cpu_ns();
  struct ts_tune *tune = ts_tune_create(tuner, problem, NULL, &err);
  *begin_ms = (double)(ts_clock_thread_cpu_ns() - start) / 1e6;
  double times[BATCHES];
  size_t first = 0, count = tune != NULL, batches = 0;
  while (count > 0 && batches < BATCHES) {
    start = ts_clock_thread_cpu_ns();
    if (!ts_tune_next(tune, &first, &count, &err)) break;
    times[batches++] = (double)(ts_clock_thread_cpu_ns() - start) / 1e6;
    for (size_t t = first; t < first + count; t++) {
      double output = output_at(&ts_tune_history(tune)->numbers[t * COLUMNS]);
      ts_tune_report(tune, t, &output, 1);
    }
  }
  if (tune) ts_tune_destroy(tune);
  if (err.text[0]) fprintf(stderr, "bench_tuning: %s: %s\n", tuner->name, err.text);
  if (batches == 0) return false;
  for (size_t i = 0; i < batches; i++) *batch_ms = times[i] > *batch_ms ? times[i] : *batch_ms;
  return true;
}

static bool report(const struct ts_tuner *tuner, const char *title, const struct ts_tune_problem *problem) {
  double begin_ms = 0, batch_ms = 0;
  int limit_ms = tuner == ts_tuners[0] ? AUTO_LIMIT_MS : LIMIT_MS;
  bool fine = run(tuner, problem, &begin_ms, &batch_ms) && batch_ms <= limit_ms;
  printf("%-12s begin %7.1f ms CPU, batch %6.1f ms CPU (limit %d)%s%s\n", tuner->name, begin_ms, batch_ms, limit_ms,
         title, fine ? "" : "  too much");
  return fine;
}

int main(void) {
  make_rows();
  const struct ts_space space = {.parameters = list, .count = COLUMNS};
  const struct ts_tune_goal goal = {.name = "y"};
  const struct ts_tune_problem problem = {.space = &space,
                                          .goals = &goal,
                                          .goal_count = 1,
                                          .pool = {ROWS, rows, NULL},
                                          .history = {RECORDED, recorded, NULL},
                                          .history_outputs = outputs,
                                          .budget = 20,
                                          .seed = 1};
  bool ok = true;
  printf("%d candidates, %d parameters, %d measured runs\n", ROWS, COLUMNS, RECORDED);
  for (size_t i = 0; ts_tuners[i]; i++) {
    if (!(ts_tuners[i]->flags & TS_TUNER_COMPONENTS)) ok = report(ts_tuners[i], "", &problem) && ok;
  }
  for (size_t r = 0; r < RECORDED; r++) outputs[r] = recorded[r * COLUMNS + 2] >= FAILING ? NAN : outputs[r];
  ok = report(ts_tuners[0], ", where some failed", &problem) && ok;
  return ok ? 0 : 1;
}
