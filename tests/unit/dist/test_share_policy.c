/* The policy of sharing alone: no coordinator, no store, no worker. Numbers by hand, and drawn plans by a recount.
 * SPDX-License-Identifier: Apache-2.0
 * test-label: one-thread */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/random.h"
#include "dist/share_policy.h"
#include "support/toy_case.h"

#include <stdlib.h>
#include <string.h>

#define CASES 200

static void few_windows_are_split_and_of_many_the_last(void **state) {
  (void)state;
  const struct ts_plan tiles = {.coarsest = TS_PER_TILE}, files = {.coarsest = TS_PER_FILE};
  assert_int_equal(ts_share_split_count(&tiles, 5, 2, false), 5); /* fewer than three per worker */
  assert_int_equal(ts_share_split_count(&tiles, 6, 2, false), 1); /* half as many as there are workers */
  assert_int_equal(ts_share_split_count(&tiles, 400, 7, false), 4);
  assert_int_equal(ts_share_split_count(&files, 5, 2, false), 5);
  assert_int_equal(ts_share_split_count(&files, 6, 2, false), 0); /* files are split only if all are */
  assert_int_equal(ts_share_split_count(&tiles, 5, 1, false), 0);
  assert_int_equal(ts_share_split_count(&tiles, 5, 2, true), 0); /* nothing passes products on */
  assert_int_equal(ts_share_run_shares(2, 2), 3);
  assert_int_equal(ts_share_run_shares(5, 2), 2);
  assert_int_equal(ts_share_run_shares(6, 2), 0);
  assert_int_equal(ts_share_run_shares(0, 2), 1);
}

static void buckets_shrink_as_the_ready_tasks_do(void **state) {
  (void)state;
  assert_int_equal(ts_share_bucket_size(1, 2), 1);
  assert_int_equal(ts_share_bucket_size(40, 2), 11);
  assert_int_equal(ts_share_bucket_size(100000, 2), 64);
  assert_true(ts_share_has_room(5, 2));
  assert_false(ts_share_has_room(6, 2));
}

static void first_runs_are_far_from_each_other(void **state) {
  (void)state;
  const struct ts_plan many = {.set_count = 100}, few = {.set_count = 2};
  size_t places[8];
  assert_int_equal(ts_share_first_runs(&many, 4, 1, places), 4);
  for (size_t i = 0; i < 4; i++) assert_int_equal(places[i], 25 * i);
  assert_int_equal(ts_share_first_runs(&many, 4, 3, places), 2); /* the workers are shared between windows */
  assert_int_equal(places[1], 50);
  assert_int_equal(ts_share_first_runs(&few, 4, 1, places), 2);
}

static void the_front_is_the_cheap_beginning(void **state) {
  (void)state;
  struct ts_task_count counts[] = {{.distinct = 1}, {.distinct = 10}, {.distinct = 100}, {.distinct = 100}};
  struct ts_workflow workflow = {.task_count = 4};
  struct ts_plan plan = {.workflow = &workflow, .counts = counts, .coarsest = TS_PER_TILE};
  bool front[4];
  ts_share_front(&plan, (const double[]){1, 0.1, 1, 0.001}, front); /* 1 + 1 of 102.1 are less than 2 %: 2.042 */
  assert_true(front[0] && front[1]);
  assert_true(!front[2] && !front[3]);                          /* the last is cheap, but not of the beginning */
  ts_share_front(&plan, (const double[]){1, 0.2, 1, 0}, front); /* 1 of 103, then 3 */
  assert_true(front[0] && !front[1]);
  plan.coarsest = TS_PER_FILE;
  ts_share_front(&plan, (const double[]){1, 1, 1, 1}, front);
  assert_true(front[0] && front[1] && front[2] && front[3]);
}

/* ---- The rest, of drawn plans. ---- */

struct drawn {
  struct toy_case toy;
  struct ts_plan *plan;
  uint32_t *keys;
  bool *front;
  double *costs;
  struct ts_share_rest rest;
};

/* Contents of a window that nobody computed: few different ones, and nothing left of some runs. */
static void draw(struct drawn *d, struct ts_registry *registry, uint64_t seed) {
  const struct toy_settings settings = {
      .stages = 3, .tasks = 3, .sets = 24, .digits = 4, .collapse = true, .one_scope = true};
  struct ts_random random;
  ts_random_init(&random, seed, 31);
  *d = (struct drawn){0};
  toy_case_draw(&d->toy, registry, &settings, seed);
  d->plan = toy_case_plan(&d->toy);
  const size_t tasks = d->plan->workflow->task_count, sets = d->plan->set_count;
  d->keys = ts_calloc(sets * tasks + 1, sizeof *d->keys);
  d->front = ts_calloc(tasks + 1, sizeof *d->front);
  d->costs = ts_calloc(tasks + 1, sizeof *d->costs);
  for (size_t t = 0; t < tasks; t++) d->costs[t] = 1e-3 * (double)(1 + ts_random_below(&random, 100));
  const size_t front = (size_t)ts_random_below(&random, tasks);
  for (size_t t = 0; t < front; t++) d->front[t] = true;
  for (size_t s = 0; s < sets; s++) {
    const bool is_done = ts_random_below(&random, 6) == 0;
    for (size_t t = 0; t < tasks; t++)
      d->keys[s * tasks + t] = is_done || d->front[t] || !d->plan->active[t]
                                   ? TS_NO_NODE
                                   : (uint32_t)(t * 100 + ts_random_below(&random, 3));
  }
  d->rest = (struct ts_share_rest){.plan = d->plan,
                                   .window = (uint32_t)(seed % 7),
                                   .keys = d->keys,
                                   .is_front = d->front,
                                   .costs = d->costs,
                                   .workers = 2 + (size_t)seed % 3,
                                   .windows = 1 + (size_t)seed % 2};
}

static void drawn_release(struct drawn *d) {
  free(d->keys);
  free(d->front);
  free(d->costs);
  ts_plan_destroy(d->plan);
  toy_case_release(&d->toy);
}

static bool has_product(const struct ts_share_bucket *bucket, struct ts_node_input product, uint32_t window) {
  for (size_t i = 0; i < bucket->count; i++) {
    const struct ts_run_demand *demand = &bucket->demands[i];
    assert_int_equal(demand->unit, window);
    if (demand->node == product.node && demand->port == product.port) return true;
  }
  return false;
}

static bool is_left(const struct drawn *d, size_t set) {
  const size_t tasks = d->plan->workflow->task_count;
  for (size_t t = 0; t < tasks; t++) {
    if (d->keys[set * tasks + t] != TS_NO_NODE) return true;
  }
  return false;
}

/* Whether a bucket has all products of a set. */
static bool has_set(const struct drawn *d, const struct ts_share_bucket *bucket, size_t set) {
  for (size_t w = 0; w < d->plan->wanted_count; w++) {
    const struct ts_node_input product = d->plan->products[set * d->plan->wanted_count + w];
    if (product.node != TS_NO_NODE && !has_product(bucket, product, d->rest.window)) return false;
  }
  return true;
}

/* Nothing is demanded but products of sets of which something is left. */
static void check_demands(const struct drawn *d, const struct ts_share_bucket *bucket) {
  for (size_t i = 0; i < bucket->count; i++) {
    bool found = false;
    for (size_t p = 0; p < d->plan->set_count * d->plan->wanted_count && !found; p++)
      found = is_left(d, p / d->plan->wanted_count) && d->plan->products[p].node == bucket->demands[i].node &&
              d->plan->products[p].port == bucket->demands[i].port;
    if (!found) fail_msg("a bucket has a product that nobody is waiting for");
  }
}

static void every_run_that_is_left_is_in_a_bucket(void **state) {
  size_t split = 0, equal_rows = 0;
  for (uint64_t seed = 0; seed < CASES; seed++) {
    struct drawn d;
    struct ts_share_buckets buckets = {0}, again = {0};
    struct ts_error err = {0};
    draw(&d, *state, seed);
    const size_t row = d.plan->workflow->task_count;
    assert_true(ts_share_split_rest(&d.rest, &buckets, &err));
    assert_true(ts_share_split_rest(&d.rest, &again, &err));
    assert_int_equal(buckets.count, again.count);
    for (size_t b = 0; b < buckets.count; b++) check_demands(&d, &buckets.items[b]);
    for (size_t s = 0; s < d.plan->set_count; s++) {
      size_t home = 0;
      if (!is_left(&d, s)) continue;
      while (home < buckets.count && !has_set(&d, &buckets.items[home], s)) home++;
      if (home == buckets.count) fail_msg("seed %d: set %zu is in no bucket", (int)seed, s);
      for (size_t o = 0; o < s; o++) { /* equal contents stay together */
        if (memcmp(d.keys + s * row, d.keys + o * row, row * sizeof *d.keys) != 0) continue;
        bool together = false;
        for (size_t b = 0; b < buckets.count; b++)
          together = together || (has_set(&d, &buckets.items[b], s) && has_set(&d, &buckets.items[b], o));
        if (!together) fail_msg("seed %d: sets %zu and %zu are apart", (int)seed, s, o);
        equal_rows++;
      }
    }
    split += buckets.count > 1;
    ts_share_buckets_release(&buckets);
    ts_share_buckets_release(&again);
    drawn_release(&d);
  }
  assert_true(split > CASES / 4 && equal_rows > CASES / 4);
}

static void nothing_left_makes_no_bucket(void **state) {
  struct drawn d;
  struct ts_share_buckets buckets = {0};
  struct ts_error err = {0};
  draw(&d, *state, 3);
  for (size_t i = 0; i < d.plan->set_count * d.plan->workflow->task_count; i++) d.keys[i] = TS_NO_NODE;
  assert_true(ts_share_split_rest(&d.rest, &buckets, &err));
  assert_int_equal(buckets.count, 0);
  ts_share_buckets_release(&buckets);
  drawn_release(&d);
}

static void the_reference_run_has_its_own_products(void **state) {
  (void)state;
  struct ts_node nodes[] = {{0}, {.reference_only = true}, {.reference_only = true}};
  struct ts_node_input products[] = {{.node = 0, .port = 0}, {.node = 2, .port = 1}, {.node = TS_NO_NODE}};
  struct ts_plan plan = {
      .nodes = nodes, .node_count = 3, .reference_products = products, .wanted_count = 3, .coarsest = TS_PER_TILE};
  struct ts_run_demand demands[3];
  assert_int_equal(ts_share_reference(&plan, 9, demands), 1);
  assert_int_equal(demands[0].node, 2);
  assert_int_equal(demands[0].port, 1);
  assert_int_equal(demands[0].unit, 9);
  plan.coarsest = TS_PER_FILE; /* there the front is all there is */
  assert_int_equal(ts_share_reference(&plan, 9, demands), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(few_windows_are_split_and_of_many_the_last),
      cmocka_unit_test(buckets_shrink_as_the_ready_tasks_do),
      cmocka_unit_test(first_runs_are_far_from_each_other),
      cmocka_unit_test(the_front_is_the_cheap_beginning),
      cmocka_unit_test(every_run_that_is_left_is_in_a_bucket),
      cmocka_unit_test(nothing_left_makes_no_bucket),
      cmocka_unit_test(the_reference_run_has_its_own_products),
  };
  return cmocka_run_group_tests(tests, toy_set_up, toy_tear_down);
}
