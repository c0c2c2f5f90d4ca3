/* Measures CPU time and peak memory of Saltelli sampling and of the variance-based analysis at n = 65,536, k = 15.
 * SPDX-License-Identifier: Apache-2.0
 *
 * usage: bench_sensitivity [THREADS]; 1 thread unless told. Every measurement runs in a process of its own, so that
 * peaks do not mix; memory counts the outputs, and for sampling the blocks A and B. Exits with 1 if a limit is
 * missed. */
#include "analysis/method.h"

#include "base/alloc.h"
#include "base/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define N         65536
#define K         15
#define RESAMPLES 100
#define LIMIT_MB  200

static const char *const names[K] = {"x1", "x2",  "x3",  "x4",  "x5",  "x6",  "x7", "x8",
                                     "x9", "x10", "x11", "x12", "x13", "x14", "x15"};

struct measurement {
  const char *title;
  double limit_s;
  void (*body)(size_t threads);
};

static void stop_on(bool ok, const struct ts_error *err) {
  if (ok) return;
  fprintf(stderr, "bench_sensitivity: %s\n", err->text);
  exit(2);
}

/* k real parameters on 0..1. */
static void make_space(struct ts_space *space) {
  *space = (struct ts_space){.count = K};
  space->parameters = ts_arena_array(&space->arena, K, sizeof *space->parameters);
  for (size_t i = 0; i < K; i++) {
    struct ts_parameter *parameter = ts_arena_alloc(&space->arena, sizeof *parameter);
    parameter->name = ts_arena_strdup(&space->arena, names[i]);
    parameter->type = TS_VALUE_REAL;
    parameter->has_range = true;
    parameter->range_high = 1;
    space->parameters[i] = parameter;
  }
}

/* Draws the design and puts every row together once, as a writer would. */
static void sample(size_t threads) {
  (void)threads;
  struct ts_space space;
  struct ts_points points = {0};
  struct ts_error err = {0};
  make_space(&space);
  struct ts_sample_options options = {.count = N, .seed = 1};
  const struct ts_sampler *sampler = ts_sampler_find("saltelli", &err);
  stop_on(sampler && sampler->draw(&points, &space, &options, &err), &err);
  double unit[K], sum = 0;
  for (size_t row = 0; row < points.row_count; row++) {
    ts_points_row(&points, row, unit);
    sum += unit[row % K];
  }
  if (points.row_count != (size_t)N * (K + 2) || !(sum > 0)) {
    fprintf(stderr, "bench_sensitivity: unexpected design\n");
    exit(2);
  }
  ts_points_release(&points);
  ts_space_release(&space);
}

static void analyse(size_t threads, enum ts_layout layout) {
  size_t block = (layout == TS_LAYOUT_SALTELLI_2 ? 2 : 1) * K + 2;
  double *outputs = ts_malloc(N * block * sizeof *outputs);
  struct ts_random random;
  ts_random_init(&random, 1, 1);
  for (size_t i = 0; i < N * block; i++) outputs[i] = (double)i * 1e-9 + ts_random_unit(&random);
  struct ts_error err = {0};
  struct ts_pool *pool = threads > 1 ? ts_pool_create(threads, &err) : NULL;
  struct ts_runs runs = {.names = names,
                         .parameter_count = K,
                         .group_count = K,
                         .row_count = N * block,
                         .layout = layout,
                         .outputs = outputs};
  struct ts_analysis_options options = {.resamples = RESAMPLES, .seed = 1};
  const struct ts_method *method = ts_method_find("vbd", &err);
  struct ts_indices indices;
  stop_on(method && ts_analyse(method, &runs, &options, pool, &indices, &err), &err);
  ts_indices_release(&indices);
  ts_pool_destroy(pool);
  free(outputs);
}

static void analyse_first(size_t threads) { analyse(threads, TS_LAYOUT_SALTELLI); }

static void analyse_second(size_t threads) { analyse(threads, TS_LAYOUT_SALTELLI_2); }

/* Runs the body in a child and prints what it took; false if that was more than the limits. */
static bool measure(const struct measurement *measurement, size_t threads) {
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    measurement->body(threads);
    _exit(0);
  }
  int status = 1;
  struct rusage usage;
  if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0) {
    printf("%-36s failed\n", measurement->title);
    return false;
  }
  double seconds = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                   1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  double megabytes = (double)usage.ru_maxrss / 1000;
  bool ok = seconds <= measurement->limit_s && megabytes <= LIMIT_MB;
  printf("%-36s %6.3f s CPU (limit %.2f)  %4.0f MB (limit %d)%s\n", measurement->title, seconds, measurement->limit_s,
         megabytes, LIMIT_MB, ok ? "" : "  too much");
  return ok;
}

int main(int argc, char **argv) {
  size_t threads = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 1;
  static const struct measurement measurements[] = {
      {"Saltelli sampling", 0.12, sample},
      {"analysis S1 ST, 100 resamples", 0.6, analyse_first},
      {"analysis S1 ST S2, 100 resamples", 4, analyse_second},
  };
  printf("n = %d, k = %d, %zu thread%s\n", N, K, threads, threads == 1 ? "" : "s");
  bool ok = true;
  for (size_t i = 0; i < sizeof measurements / sizeof *measurements; i++) ok &= measure(&measurements[i], threads);
  return ok ? 0 : 1;
}
