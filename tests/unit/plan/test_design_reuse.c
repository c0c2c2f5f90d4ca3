/* The reuse that designs imply: closed forms for a chain of seven tasks, on designs written down by hand.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/random.h"
#include "plan/bucket.h"

#include <math.h>
#include <stdlib.h>

#define TASKS 7

/* Which task of the chain reads parameter p, given how many parameters tasks 1..t read. */
static size_t reader_of(const size_t *read_by, size_t p) {
  size_t t = 0;
  while (p >= read_by[t]) t++;
  return t;
}

/* Rows of parameter values as numbers of values -> distinct tasks of the chain. A task's identity is its values, mixed
 * one after another: each pair gets a number of its own, as prefix keys do. */
static size_t chain_tasks(const uint32_t *values, size_t rows, const size_t *read_by) {
  size_t parameters = read_by[TASKS - 1];
  uint32_t *keys = ts_calloc(rows * parameters, sizeof *keys);
  uint32_t *chain = ts_calloc(rows * TASKS, sizeof *chain);
  ts_chain_keys(values, rows, parameters, keys); /* a chain of parameters: the last one of a task stands for it */
  for (size_t r = 0; r < rows; r++) {
    for (size_t p = 0; p < parameters; p++) chain[r * TASKS + reader_of(read_by, p)] = keys[r * parameters + p];
  }
  struct ts_bucket_input input = {.member_count = rows, .task_count = TASKS, .keys = chain, .chain = true};
  input.key_count = ts_chain_keys(chain, rows, TASKS, chain);
  input.keys = chain;
  size_t tasks = ts_bucket_distinct(&input, NULL);
  free(chain);
  free(keys);
  return tasks;
}

/* 75 of 112 tasks per trajectory: 33.04 %. */
static void morris_trajectories_reuse_a_third(void **state) {
  (void)state;
  static const size_t read_by[TASKS] = {5, 6, 8, 10, 11, 13, 15};
  struct ts_random random;
  ts_random_init(&random, 3, 0);
  for (size_t trajectories = 1; trajectories <= 30; trajectories += 29) {
    uint32_t *values = ts_calloc(trajectories * 16 * 15, sizeof *values);
    for (size_t r = 0; r < trajectories; r++) {
      size_t order[15];
      for (size_t p = 0; p < 15; p++) order[p] = p;
      ts_random_shuffle(&random, order, 15);
      for (size_t step = 0; step < 16; step++) {
        for (size_t i = 0; i < 15; i++)
          values[(r * 16 + step) * 15 + order[i]] = (uint32_t)(2 * r + (i < step)); /* moved already, or not */
      }
    }
    assert_int_equal(chain_tasks(values, trajectories * 16, read_by), trajectories * 75);
    free(values);
  }
  assert_true(fabs(100 * (1 - 75.0 / 112) - 33.04) < 0.005);
}

/* 45 of 70 tasks per base sample of A, AB_1..AB_8, B: 35.71 %. */
static void base_samples_reuse_more_than_a_third(void **state) {
  (void)state;
  static const size_t read_by[TASKS] = {1, 2, 3, 5, 6, 7, 8};
  const size_t samples = 40;
  uint32_t *values = ts_calloc(samples * 10 * 8, sizeof *values);
  for (size_t r = 0; r < samples * 10; r++) {
    for (size_t p = 0; p < 8; p++) {
      bool from_b = r % 10 == 9 || r % 10 == p + 1;
      values[r * 8 + p] = (uint32_t)(2 * (r / 10) + from_b);
    }
  }
  assert_int_equal(chain_tasks(values, samples * 10, read_by), samples * 45);
  assert_true(fabs(100 * (1 - 45.0 / 70) - 35.71) < 0.005);
  free(values);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(morris_trajectories_reuse_a_third),
      cmocka_unit_test(base_samples_reuse_more_than_a_third),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
