/* How time grows, and the memory, of grouping up to 1,000,000 stages of seven tasks, from a Morris design of 15
 * parameters.
 * SPDX-License-Identifier: Apache-2.0
 * test-label: long */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/random.h"
#include "plan/bucket.h"
#include "support/growth.h"

#include <stdio.h>
#include <sys/resource.h>

#define PARAMETERS 15
#define TASKS      7
#define LEVELS     20
#define FEW        10000

/* How many of the parameters each task of the segmentation reads. */
static const size_t reads[TASKS] = {5, 1, 2, 2, 1, 2, 2};

/* Walks of 16 rows; from one row to the next one parameter moves by half the range. A row: what each task reads. */
static uint32_t *draw_rows(size_t count) {
  uint32_t *rows = ts_calloc(count * TASKS, sizeof *rows);
  uint32_t values[PARAMETERS];
  size_t order[PARAMETERS];
  struct ts_random random;
  ts_random_init(&random, 1, 2);
  for (size_t r = 0; r < count; r++) {
    size_t step = r % (PARAMETERS + 1);
    for (size_t p = 0; step == 0 && p < PARAMETERS; p++) {
      values[p] = (uint32_t)ts_random_below(&random, LEVELS);
      order[p] = p;
    }
    if (step == 0) ts_random_shuffle(&random, order, PARAMETERS);
    if (step > 0) values[order[step - 1]] = (values[order[step - 1]] + LEVELS / 2) % LEVELS;
    for (size_t t = 0, p = 0; t < TASKS; t++) {
      for (size_t i = 0; i < reads[t]; i++) rows[r * TASKS + t] = rows[r * TASKS + t] * LEVELS + values[p++];
    }
  }
  return rows;
}

/* Keys of the graph of the segmentation: its second, third and fourth task do not read the first one. The chain of
 * (2, 3, 4) and then that of (1, 4, 5), 6, 7. */
static size_t graph_keys(const uint32_t *rows, size_t count, uint32_t *keys) {
  uint32_t *chain = ts_malloc(count * TASKS * sizeof *chain);
  for (size_t r = 0; r < count; r++) {
    for (size_t i = 0; i < 3; i++) chain[r * 3 + i] = rows[r * TASKS + 1 + i];
  }
  size_t used = ts_chain_keys(chain, count, 3, chain);
  for (size_t r = 0; r < count; r++) {
    for (size_t i = 0; i < 3; i++) keys[r * TASKS + 1 + i] = chain[r * 3 + i];
  }
  for (size_t r = 0; r < count; r++) {
    chain[r * 5] = rows[r * TASKS];
    chain[r * 5 + 1] = keys[r * TASKS + 3];
    for (size_t i = 2; i < 5; i++) chain[r * 5 + i] = rows[r * TASKS + 2 + i];
  }
  size_t more = ts_chain_keys(chain, count, 5, chain);
  for (size_t r = 0; r < count; r++) {
    keys[r * TASKS] = (uint32_t)used + chain[r * 5];
    for (size_t i = 2; i < 5; i++) keys[r * TASKS + 2 + i] = (uint32_t)used + chain[r * 5 + i];
  }
  free(chain);
  return used + more;
}

static double measure(const char *merger, bool dag, const uint32_t *rows, size_t count, double *reuse) {
  const struct ts_bucket_options options = {.max_bucket_size = 10, .max_buckets = 96};
  struct ts_buckets buckets;
  uint64_t start_ns = ts_clock_process_cpu_ns();
  uint32_t *keys = ts_malloc(count * TASKS * sizeof *keys);
  struct ts_bucket_input input = {.member_count = count, .task_count = TASKS, .keys = keys, .chain = !dag};
  input.key_count = dag ? graph_keys(rows, count, keys) : ts_chain_keys(rows, count, TASKS, keys);
  assert_true(ts_buckets_make(&buckets, ts_merger_find(merger), &input, &options, NULL));
  double seconds = (double)(ts_clock_process_cpu_ns() - start_ns) / 1e9;
  size_t executed = 0;
  for (size_t b = 0; b < buckets.count; b++) executed += buckets.items[b].tasks;
  *reuse = 1 - (double)executed / (double)(count * TASKS);
  printf("%zu stages, %s, %s: %.0f ms CPU, %zu buckets, reuse %.2f %% of %.2f %%, imbalance %.2f %%\n", count, merger,
         dag ? "dag" : "chain", 1000 * seconds, buckets.count, 100 * *reuse,
         100 * (1 - (double)ts_bucket_distinct(&input, NULL) / (double)(count * TASKS)),
         100 * ts_buckets_imbalance(buckets.items, buckets.count));
  ts_buckets_release(&buckets);
  free(keys);
  return seconds;
}

struct grouping {
  const char *merger;
  bool dag;
  const uint32_t *rows;
};

static double cost_of_grouping(void *user, size_t items) {
  const struct grouping *grouping = user;
  double reuse = 0;
  double seconds = measure(grouping->merger, grouping->dag, grouping->rows, items, &reuse);
  assert_true(reuse > 0.3);
  return seconds;
}

/* Three times, for they are sorted, and the larger size does not fit into the nearest caches; docs/performance.md has
 * the figures. */
static void stages_cost_the_same_among_many(void **state) {
  (void)state;
  uint32_t *rows = draw_rows(GROWTH_TIMES * FEW);
  for (int kind = 0; kind < 4; kind++) {
    struct grouping grouping = {kind < 2 ? "rtma" : "trtma", kind % 2 == 1, rows};
    growth_check(grouping.merger, cost_of_grouping, &grouping, FEW, 3);
  }
  free(rows);
}

static void a_million_stages_take_one_and_a_half_gigabytes(void **state) {
  (void)state;
  uint32_t *rows = draw_rows(1000000);
  for (int kind = 0; kind < 4; kind++)
    cost_of_grouping(&(struct grouping){kind < 2 ? "rtma" : "trtma", kind % 2 == 1, rows}, 1000000);
  free(rows);
  struct rusage usage;
  assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
  printf("most memory: %ld MB\n", usage.ru_maxrss / 1000);
  assert_true(usage.ru_maxrss <= 1500000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stages_cost_the_same_among_many),
      cmocka_unit_test(a_million_stages_take_one_and_a_half_gigabytes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
