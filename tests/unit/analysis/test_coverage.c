/* Tests that the 95 % intervals of variance-based indices hold the true index about 95 times in 100.
 * SPDX-License-Identifier: Apache-2.0
 * test-label: long
 * test-timeout: 400
 *
 * Ishigami and Sobol-G, 400 seeds, every S1 and ST on its own; A and B from independent numbers, Latin hypercubes and
 * scrambled Sobol' points. Arguments (for looking closer): base samples, seeds, resamples. */
#include "analysis/method.h"

#include "base/alloc.h"
#include "support/vbd_oracle.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static size_t base_samples = 512, seeds = 400, resamples = 250;

static const char *const names[] = {"x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8"};

struct function {
  const char *name;
  double (*call)(const double *);
  size_t k;
  const double *s1, *st;
};

static const struct function functions[] = {
    {"Ishigami", oracle_ishigami, 3, oracle_ishigami_s1, oracle_ishigami_st},
    {"Sobol-G", oracle_sobol_g, 8, oracle_sobol_g_s1, oracle_sobol_g_st},
};

/* k real parameters on 0..1. */
static void make_space(struct ts_space *space, size_t k) {
  *space = (struct ts_space){.count = k};
  space->parameters = ts_arena_array(&space->arena, k, sizeof *space->parameters);
  for (size_t i = 0; i < k; i++) {
    struct ts_parameter *parameter = ts_arena_alloc(&space->arena, sizeof *parameter);
    parameter->name = names[i];
    parameter->type = TS_VALUE_REAL;
    parameter->has_range = true;
    parameter->range_high = 1;
    space->parameters[i] = parameter;
  }
}

/* Outputs of one design, owned by the caller. */
static double *run_design(const struct function *function, const struct ts_space *space, const char *base,
                          uint64_t seed) {
  struct ts_points points = {0};
  struct ts_error err = {0};
  struct ts_sample_options options = {.count = base_samples, .seed = seed, .base = base};
  const struct ts_sampler *sampler = ts_sampler_find("saltelli", &err);
  if (!sampler || !sampler->draw(&points, space, &options, &err)) {
    print_error("%s\n", err.text);
    fail();
  }
  assert_int_equal(points.row_count, base_samples * (function->k + 2));
  double *outputs = ts_calloc(points.row_count, sizeof *outputs), unit[ORACLE_MAX_K];
  for (size_t row = 0; row < points.row_count; row++) {
    ts_points_row(&points, row, unit);
    outputs[row] = function->call(unit);
  }
  ts_points_release(&points);
  return outputs;
}

static void count_hits(const struct function *function, const double *outputs, uint64_t seed, enum ts_interval kind,
                       size_t *hits) {
  struct ts_runs runs = {.names = names,
                         .parameter_count = function->k,
                         .group_count = function->k,
                         .row_count = base_samples * (function->k + 2),
                         .layout = TS_LAYOUT_SALTELLI,
                         .outputs = outputs};
  struct ts_analysis_options options = {.resamples = resamples, .seed = seed, .interval = kind};
  struct ts_indices indices;
  struct ts_error err = {0};
  assert_true(ts_analyse(ts_method_find("vbd", &err), &runs, &options, NULL, &indices, &err));
  for (size_t c = 0; c < 2 * function->k; c++) {
    double truth = c % 2 ? function->st[c / 2] : function->s1[c / 2];
    hits[c] += indices.cells[c].low <= truth && truth <= indices.cells[c].high;
  }
  ts_indices_release(&indices);
}

/* Counts per interval kind (percentile, normal) and index; prints the share of hits in percent. */
static bool check_cover(const struct function *function, const char *base, double low, double high) {
  size_t hits[2][2 * ORACLE_MAX_K] = {0};
  struct ts_space space;
  make_space(&space, function->k);
  for (size_t s = 0; s < seeds; s++) {
    double *outputs = run_design(function, &space, base, s + 1);
    count_hits(function, outputs, s, TS_INTERVAL_PERCENTILE, hits[0]);
    count_hits(function, outputs, s, TS_INTERVAL_NORMAL, hits[1]);
    free(outputs);
  }
  ts_arena_release(&space.arena);
  bool ok = true;
  for (size_t kind = 0; kind < 2; kind++) {
    printf("%-8s %-14s %-10s S1/ST ", function->name, base, kind ? "normal" : "percentile");
    for (size_t c = 0; c < 2 * function->k; c++) {
      double share = 100 * (double)hits[kind][c] / (double)seeds;
      printf("%.1f%c", share, c % 2 ? ' ' : '/');
      ok = ok && share >= low && share <= high;
    }
    printf("\n");
  }
  return ok;
}

static void check_base(const char *base, double low, double high) {
  bool ok = true;
  for (size_t f = 0; f < sizeof functions / sizeof *functions; f++) ok &= check_cover(&functions[f], base, low, high);
  assert_true(ok);
}

static void monte_carlo(void **state) {
  (void)state;
  check_base("mc", 90, 99);
}

static void latin_hypercube(void **state) {
  (void)state;
  check_base("lhs", 90, 99);
}

/* The points of a sequence are better than independent ones, which the bootstrap cannot see: the intervals are too
 * wide. */
static void scrambled_sequence(void **state) {
  (void)state;
  check_base("sobol-sequence", 90, 100);
}

int main(int argc, char **argv) {
  if (argc > 1) base_samples = (size_t)strtoul(argv[1], NULL, 10);
  if (argc > 2) seeds = (size_t)strtoul(argv[2], NULL, 10);
  if (argc > 3) resamples = (size_t)strtoul(argv[3], NULL, 10);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(monte_carlo),
      cmocka_unit_test(latin_hypercube),
      cmocka_unit_test(scrambled_sequence),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
