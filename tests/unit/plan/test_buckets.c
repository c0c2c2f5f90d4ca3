/* Every merging algorithm on drawn inputs: a partition, costs as recounted, close to the best grouping where that is
 * known.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/random.h"
#include "plan/bucket.h"
#include "support/bucket_oracle.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CASES       10000
#define SMALL_CASES 600

struct drawn {
  struct ts_bucket_input input;
  uint32_t *keys;
  double costs[8];
  uint64_t bytes[8];
  bool reads[64];
};

static void drawn_release(struct drawn *d) { free(d->keys); }

/* Keys of a graph of tasks: a task reads some of those before it, and its key is (own value, keys it reads). */
static void draw_graph(struct drawn *d, struct ts_random *random, uint32_t *identities) {
  size_t n = d->input.member_count, tasks = d->input.task_count;
  for (size_t t = 0; t < tasks; t++) {
    for (size_t u = 0; u < t; u++) d->reads[t * tasks + u] = ts_random_below(random, 3) == 0;
  }
  uint32_t count = 0;
  for (size_t t = 0; t < tasks; t++) {
    for (size_t m = 0; m < n; m++) {
      uint32_t *key = &d->keys[m * tasks + t];
      *key = UINT32_MAX;
      for (size_t k = 0; k < m && *key == UINT32_MAX; k++) {
        bool equal = identities[m * tasks + t] == identities[k * tasks + t];
        for (size_t u = 0; u < t; u++)
          equal = equal && (!d->reads[t * tasks + u] || d->keys[m * tasks + u] == d->keys[k * tasks + u]);
        if (equal) *key = d->keys[k * tasks + t];
      }
      if (*key == UINT32_MAX) *key = count++;
    }
  }
  d->input.key_count = count;
  d->input.reads = d->reads;
}

static void draw(struct drawn *d, uint64_t seed, size_t most_members, bool with_costs) {
  struct ts_random random;
  ts_random_init(&random, 17, seed);
  *d = (struct drawn){0};
  size_t n = d->input.member_count = ts_random_below(&random, most_members + 1);
  size_t tasks = d->input.task_count = 1 + ts_random_below(&random, 7);
  uint64_t values = 1 + ts_random_below(&random, 5);
  d->keys = ts_calloc(2 * n * tasks + 1, sizeof *d->keys);
  uint32_t *identities = d->keys + n * tasks;
  for (size_t i = 0; i < n * tasks; i++) identities[i] = (uint32_t)ts_random_below(&random, values);
  d->input.keys = d->keys;
  d->input.chain = ts_random_below(&random, 2) == 0;
  if (d->input.chain)
    d->input.key_count = ts_chain_keys(identities, n, tasks, d->keys);
  else
    draw_graph(d, &random, identities);
  for (size_t t = 0; t < tasks; t++) {
    d->costs[t] = 0.05 + ts_random_unit(&random);
    d->bytes[t] = 1 + ts_random_below(&random, 100);
  }
  if (with_costs) d->input.costs = d->costs;
  d->input.bytes = d->bytes;
}

/* Products alive at once, by keeping a list of them: a product goes when no task that is still to run reads it. */
static uint64_t recount_peak(const struct ts_bucket_input *input, const struct ts_bucket *bucket) {
  size_t tasks = input->task_count, cells = bucket->member_count * tasks;
  bool *fresh = ts_calloc(2 * cells + 1, sizeof *fresh), *alive = fresh + cells;
  uint64_t most = 0;
#define KEY(cell) input->keys[bucket->members[(cell) / tasks] * tasks + (cell) % tasks]
  for (size_t c = 0; c < cells; c++) {
    fresh[c] = true;
    for (size_t k = 0; k < c && fresh[c]; k++) fresh[c] = KEY(k) != KEY(c);
  }
  for (size_t c = 0; c < cells; c++) {
    if (!fresh[c]) continue;
    alive[c] = true;
    uint64_t now = 0;
    for (size_t k = 0; k <= c; k++) now += alive[k] ? input->bytes[k % tasks] : 0;
    most = now > most ? now : most;
    for (size_t k = 0; k <= c; k++) { /* who reads k later? */
      bool read = false;
      for (size_t later = c + 1; alive[k] && later < cells && !read; later++) {
        size_t t = later % tasks, u = k % tasks;
        bool reads = input->reads ? input->reads[t * tasks + u] : u + 1 == t;
        read = fresh[later] && u < t && reads && KEY(later - t + u) == KEY(k);
      }
      alive[k] = alive[k] && read;
    }
  }
#undef KEY
  free(fresh);
  return most;
}

static void check_limits(const struct ts_merger *merger, const struct ts_bucket_input *input,
                         const struct ts_bucket_options *options, const struct ts_buckets *buckets) {
  if (input->member_count == 0) assert_int_equal(buckets->count, 0);
  for (size_t b = 0; merger->needs_size && b < buckets->count; b++)
    assert_true(buckets->items[b].member_count <= options->max_bucket_size);
  if (merger->needs_count) assert_true(buckets->count <= options->max_buckets);
  if (merger->needs_count && options->max_buckets >= input->member_count)
    assert_int_equal(buckets->count, input->member_count);
  if (strcmp(merger->name, "rtma") == 0 && input->member_count <= options->max_bucket_size)
    assert_true(buckets->count <= 1);
  double bound = ts_bucket_lower_bound(input, 1, buckets->count);
  assert_true(ts_buckets_makespan(buckets->items, buckets->count, 1, buckets->count) >= bound * (1 - 1e-12));
}

static void every_algorithm_returns_a_partition_with_true_costs(void **state) {
  (void)state;
  size_t merger_count = 0;
  const struct ts_merger *const *mergers = ts_merger_list(&merger_count);
  for (uint64_t seed = 0; seed < CASES; seed++) {
    struct drawn d;
    draw(&d, seed, seed % 100 == 0 ? 60 : 12, seed % 2 == 0);
    const struct ts_bucket_options options = {.max_bucket_size = 1 + seed % 7, .max_buckets = 1 + seed / 7 % 9};
    for (size_t i = 0; i < merger_count; i++) {
      struct ts_buckets buckets;
      struct ts_error err = {0};
      if (!ts_buckets_make(&buckets, mergers[i], &d.input, &options, &err)) fail_msg("%s", err.text);
      bucket_check(&d.input, &buckets);
      check_limits(mergers[i], &d.input, &options, &buckets);
      for (size_t b = 0; seed % 20 == 0 && b < buckets.count; b++)
        assert_int_equal(buckets.items[b].peak_bytes, recount_peak(&d.input, &buckets.items[b]));
      ts_buckets_release(&buckets);
    }
    drawn_release(&d);
  }
}

static void balanced_buckets_are_close_to_the_best_grouping(void **state) {
  (void)state;
  double sum = 0, worst = 0;
  size_t cases = 0, exact = 0;
  for (uint64_t seed = 0; cases < SMALL_CASES; seed++) {
    struct drawn d;
    draw(&d, seed + CASES, 9, true);
    size_t buckets_wanted = 2 + seed % 3;
    if (d.input.member_count > buckets_wanted) {
      const struct ts_bucket_options options = {.max_buckets = buckets_wanted};
      struct ts_buckets buckets;
      assert_true(ts_buckets_make(&buckets, ts_merger_find("trtma"), &d.input, &options, NULL));
      double found = ts_buckets_makespan(buckets.items, buckets.count, 1, buckets.count);
      double best = bucket_optimum(&d.input, buckets_wanted);
      assert_true(found >= best * (1 - 1e-9));
      assert_true(best >= ts_bucket_lower_bound(&d.input, 1, buckets_wanted) * (1 - 1e-9));
      sum += found / best - 1;
      worst = fmax(worst, found / best - 1);
      exact += found <= best * (1 + 1e-9);
      cases++;
      ts_buckets_release(&buckets);
    }
    drawn_release(&d);
  }
  printf("%zu small cases: on average %.2f %% above the optimum, at worst %.1f %%, %zu are optimal\n", cases,
         100 * sum / (double)cases, 100 * worst, exact);
  assert_true(sum / (double)cases <= 0.05);
}

static void memory_limit_is_kept(void **state) {
  (void)state;
  size_t refused = 0, split = 0;
  for (uint64_t seed = 0; seed < 1000; seed++) {
    struct drawn d;
    struct ts_buckets free_of_limit, buckets;
    struct ts_error err = {0};
    draw(&d, seed + 2 * CASES, 20, true);
    struct ts_bucket_options options = {.max_buckets = 1 + seed % 4};
    assert_true(ts_buckets_make(&free_of_limit, ts_merger_find("trtma"), &d.input, &options, NULL));
    uint64_t peak = 0;
    for (size_t b = 0; b < free_of_limit.count; b++)
      peak = free_of_limit.items[b].peak_bytes > peak ? free_of_limit.items[b].peak_bytes : peak;
    options.memory_limit_bytes = peak > 20 ? peak - 20 : 1;
    if (ts_buckets_make(&buckets, ts_merger_find("trtma"), &d.input, &options, &err)) {
      bucket_check(&d.input, &buckets);
      for (size_t b = 0; b < buckets.count; b++) assert_true(buckets.items[b].peak_bytes <= options.memory_limit_bytes);
      split += buckets.count > 0;
      ts_buckets_release(&buckets);
    } else {
      assert_int_equal(err.code, TS_ERR_NO_MEMORY);
      refused++;
    }
    ts_buckets_release(&free_of_limit);
    drawn_release(&d);
  }
  printf("memory limit: %zu kept, %zu refused because one member needs more\n", split, refused);
  assert_true(split > 50 && refused > 50);
}

/* All equal: everything is done once per bucket. All different: nothing can be shared. */
static void equal_and_different_members(void **state) {
  (void)state;
  size_t merger_count = 0;
  const struct ts_merger *const *mergers = ts_merger_list(&merger_count);
  uint32_t equal[30] = {0}, different[30];
  for (uint32_t i = 0; i < 30; i++) {
    equal[i] = i % 3;
    different[i] = i;
  }
  const struct ts_bucket_options options = {.max_bucket_size = 4, .max_buckets = 3};
  for (size_t i = 0; i < merger_count; i++) {
    struct ts_buckets buckets;
    struct ts_bucket_input input = {.member_count = 10, .task_count = 3, .keys = equal, .key_count = 3, .chain = true};
    assert_true(ts_buckets_make(&buckets, mergers[i], &input, &options, NULL));
    bucket_check(&input, &buckets);
    for (size_t b = 0; b < buckets.count; b++) assert_int_equal(buckets.items[b].tasks, 3);
    ts_buckets_release(&buckets);
    input.keys = different;
    input.key_count = 30;
    assert_true(ts_buckets_make(&buckets, mergers[i], &input, &options, NULL));
    bucket_check(&input, &buckets);
    size_t executed = 0;
    for (size_t b = 0; b < buckets.count; b++) executed += buckets.items[b].tasks;
    assert_int_equal(executed, 30);
    ts_buckets_release(&buckets);
  }
}

static void too_many_for_smart_cuts_are_refused(void **state) {
  (void)state;
  uint32_t *keys = ts_calloc(2001, sizeof *keys);
  struct ts_bucket_input input = {.member_count = 2001, .task_count = 1, .keys = keys, .key_count = 1, .chain = true};
  const struct ts_bucket_options options = {.max_bucket_size = 7};
  struct ts_buckets buckets;
  struct ts_error err = {0};
  assert_false(ts_buckets_make(&buckets, ts_merger_find("sca"), &input, &options, &err));
  assert_int_equal(err.code, TS_ERR_USAGE);
  assert_non_null(strstr(err.text, "at most 2000 distinct stages, there are 2001"));
  free(keys);
}

static void missing_limits_are_asked_for(void **state) {
  (void)state;
  struct ts_bucket_input input = {0};
  const struct ts_bucket_options none = {0};
  struct ts_buckets buckets;
  struct ts_error err = {0};
  assert_false(ts_buckets_make(&buckets, ts_merger_find("rtma"), &input, &none, &err));
  assert_non_null(strstr(err.help, "--max-bucket-size"));
  err = (struct ts_error){0};
  assert_false(ts_buckets_make(&buckets, ts_merger_find("trtma"), &input, &none, &err));
  assert_non_null(strstr(err.help, "--max-buckets"));
  assert_null(ts_merger_find("none"));
}

/* Costs 5, 4, 3, 3, 3 on two workers: 5+3, 4+3+3, though 9 would be possible; twice the buckets: 18. */
static void makespan_gives_the_costliest_first(void **state) {
  (void)state;
  struct ts_bucket items[] = {{.cost = 3}, {.cost = 5}, {.cost = 3}, {.cost = 4}, {.cost = 3}};
  assert_true(ts_buckets_makespan(items, 5, 1, 2) == 10);
  assert_true(ts_buckets_makespan(items, 5, 1, 1) == 18);
  assert_true(ts_buckets_makespan(items, 5, 1, 9) == 5);
  assert_true(ts_buckets_makespan(items, 5, 2, 2) == 18);
  assert_true(ts_buckets_makespan(items, 0, 1, 2) == 0);
  assert_true(fabs(ts_buckets_imbalance(items, 5) - 0.4) < 1e-12);
}

static void tiles_are_split_only_when_there_are_few(void **state) {
  (void)state;
  assert_int_equal(ts_lineage_bucket_count(16, 2), 1);
  assert_int_equal(ts_lineage_bucket_count(6, 2), 1);
  assert_int_equal(ts_lineage_bucket_count(5, 2), 2);
  assert_int_equal(ts_lineage_bucket_count(1, 2), 6);
  assert_int_equal(ts_lineage_bucket_count(1, 1), 1);
  assert_int_equal(ts_lineage_bucket_count(0, 4), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_algorithm_returns_a_partition_with_true_costs),
      cmocka_unit_test(balanced_buckets_are_close_to_the_best_grouping),
      cmocka_unit_test(memory_limit_is_kept),
      cmocka_unit_test(equal_and_different_members),
      cmocka_unit_test(too_many_for_smart_cuts_are_refused),
      cmocka_unit_test(missing_limits_are_asked_for),
      cmocka_unit_test(makespan_gives_the_costliest_first),
      cmocka_unit_test(tiles_are_split_only_when_there_are_few),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
