/* Splits windows between workers: how many, what goes first, what is the front, and the rest by its contents.
 * SPDX-License-Identifier: Apache-2.0 */
#include "dist/share_policy.h"

#include "base/alloc.h"
#include "base/map.h"
#include "plan/bucket.h"

#include <stdlib.h>

/* Measured by `bench/constants share_policy.c` (the demo, and 60 sets on one tile of 2048 x 2048; 2 workers: see
 * docs/performance.md, "Constants"). Costs are measured while a study runs, so that repeated tasks differ between two
 * runs of one program: 126 to 317 of about 2,450 in the demo, 22 to 46 of about 220 on the tile. "None": no difference
 * beyond that in CPU time, memory or repeated tasks. */
/* Fewer windows are split. 1: demo, a quarter of the repeated tasks and 18 % less CPU, but whole windows at the end;
 * 6: none. */
#define WINDOWS_PER_WORKER 3
#define BUCKETS_OPEN       3  /* per worker, being done or waiting: more tasks become ready meanwhile. 1, 6: none */
#define SHARES             2  /* per worker, of the ready tasks: the last ones are small. 1, 4: none */
#define MOST_IN_BUCKET     64 /* 32, 128: none */
/* Per worker, of the rest after the front. 2: 19 % less memory in the demo; on the tile half of the repeated tasks, but
 * 11 buckets instead of 16; 10: 10 to 20 % less memory. No difference in CPU. */
#define REST_BUCKETS 5
/* Is enough: workers wait while buckets are made, and take them on demand. Demo: 0.05, 114 repeated tasks instead of
 * 194; 0.2, 336. No difference in CPU seen. */
#define REST_IMBALANCE 0.1
/* The last buckets, one per worker, are split once more, those at the very end into more parts: no worker waits
 * long. */
#define LATE_PARTS 2 /* 1, 4: none */
#define LAST_PARTS 5 /* 2: none; 10: demo, 6 % more memory */
/* Of all work, at most, is done task by task: passing products on costs more than it saves. 0.01: none; 0.04: demo, 58
 * buckets instead of 36, the same CPU. */
#define FRONT_SHARE 0.02

size_t ts_share_run_shares(size_t windows, size_t workers) {
  const size_t enough = WINDOWS_PER_WORKER * workers;
  if (windows >= enough) return 0;
  return windows ? (enough + windows - 1) / windows : 1;
}

size_t ts_share_split_count(const struct ts_plan *plan, size_t windows, size_t workers, bool no_store) {
  const bool few = windows < WINDOWS_PER_WORKER * workers;
  const bool no_sharing = workers == 1 || (!few && !ts_scope_is_tile(plan->coarsest));
  if (no_sharing || no_store) return 0;
  return few ? windows : (workers + 1) / 2;
}

size_t ts_share_first_runs(const struct ts_plan *plan, size_t workers, size_t windows, size_t *places) {
  const size_t runs = plan->set_count, here = (workers + windows - 1) / windows;
  size_t count = 0;
  for (; count < here && count < runs; count++) places[count] = runs * count / here;
  return count;
}

bool ts_share_has_room(size_t open_buckets, size_t workers) { return open_buckets < BUCKETS_OPEN * workers; }

size_t ts_share_bucket_size(size_t ready, size_t workers) {
  const size_t size = ready / (SHARES * workers) + 1;
  return size > MOST_IN_BUCKET ? MOST_IN_BUCKET : size;
}

void ts_share_front(const struct ts_plan *plan, const double *costs, bool *is_front) {
  const bool whole = !ts_scope_is_tile(plan->coarsest);
  double all = 0, front = 0;
  for (size_t t = 0; t < plan->workflow->task_count; t++) all += (double)plan->counts[t].distinct * costs[t];
  for (size_t t = 0; t < plan->workflow->task_count; t++) {
    front += (double)plan->counts[t].distinct * costs[t];
    is_front[t] = whole || front <= FRONT_SHARE * all;
  }
}

/* ---- the rest ---- */
/* The rows of runs that are not finished, over the tasks that are left; equal rows once. */
struct members {
  const struct ts_share_rest *of; /* borrowed */
  uint32_t *keys;                 /* owned: per member, per task that is left */
  uint32_t *member;               /* owned: per run; TS_NO_NODE: nothing is left of it */
  size_t *tasks;                  /* owned: of the workflow */
  double *costs;                  /* owned */
  size_t count, task_count, key_count;
};

static void members_release(struct members *rest) {
  free(rest->keys);
  free(rest->member);
  free(rest->tasks);
  free(rest->costs);
}

/* Keys from 0 on; a task that a run does not need any more gets a key of its own kind. */
static void number_keys(struct members *rest) {
  ts_auto(ts_map_release) struct ts_map known = {0};
  for (size_t i = 0; i < rest->count * rest->task_count; i++) {
    const uint32_t identity[2] = {(uint32_t)(i % rest->task_count), rest->keys[i]};
    bool inserted = false;
    union ts_map_value *slot = ts_map_insert(&known, identity, sizeof identity, &inserted);
    if (inserted) slot->number = ts_map_count(&known) - 1;
    rest->keys[i] = (uint32_t)slot->number;
  }
  rest->key_count = ts_map_count(&known);
}

static void members_init(struct members *rest, const struct ts_share_rest *of) {
  const struct ts_plan *plan = of->plan;
  const size_t task_count = plan->workflow->task_count;
  ts_auto(ts_map_release) struct ts_map rows = {0};
  *rest = (struct members){.of = of,
                           .keys = ts_calloc(plan->set_count * task_count + 1, sizeof *rest->keys),
                           .member = ts_calloc(plan->set_count + 1, sizeof *rest->member),
                           .tasks = ts_calloc(task_count + 1, sizeof *rest->tasks),
                           .costs = ts_calloc(task_count + 1, sizeof *rest->costs)};
  for (size_t t = 0; t < task_count; t++) {
    if (of->is_front[t] || !plan->active[t]) continue;
    rest->costs[rest->task_count] = of->costs[t];
    rest->tasks[rest->task_count++] = t;
  }
  for (size_t r = 0; r < plan->set_count; r++) {
    const uint32_t *row = of->keys + r * task_count;
    uint32_t *keys = rest->keys + rest->count * rest->task_count;
    bool any = false, inserted = false;
    for (size_t t = 0; t < task_count; t++) any = any || row[t] != TS_NO_NODE;
    for (size_t i = 0; i < rest->task_count; i++) keys[i] = row[rest->tasks[i]];
    rest->member[r] = TS_NO_NODE;
    if (!any) continue;
    union ts_map_value *slot = ts_map_insert(&rows, keys, rest->task_count * sizeof *keys, &inserted);
    if (inserted) slot->number = rest->count++;
    rest->member[r] = (uint32_t)slot->number;
  }
  number_keys(rest);
}

static struct ts_share_bucket *add_bucket(struct ts_share_buckets *buckets, size_t most) {
  buckets->items = ts_grow(buckets->items, buckets->count, &buckets->capacity, sizeof *buckets->items);
  struct ts_share_bucket *bucket = &buckets->items[buckets->count++];
  *bucket = (struct ts_share_bucket){.demands = ts_arena_array(&buckets->arena, most, sizeof *bucket->demands)};
  return bucket;
}

/* The products of the marked members, each once where that is cheap to know; NULL: only counts them. */
static size_t list_products(const struct members *rest, const bool *in, struct ts_run_demand *demands) {
  const struct ts_plan *plan = rest->of->plan;
  ts_auto_free bool *met = ts_calloc(plan->node_count + 1, sizeof *met);
  size_t count = 0;
  for (size_t i = 0; i < plan->set_count * plan->wanted_count; i++) {
    uint32_t member = rest->member[i / plan->wanted_count];
    const struct ts_node_input *product = &plan->products[i];
    if (member == TS_NO_NODE || !in[member] || product->node == TS_NO_NODE || met[product->node]) continue;
    met[product->node] = plan->wanted_count == 1;
    if (demands) demands[count] = (struct ts_run_demand){product->node, product->port, rest->of->window};
    count++;
  }
  return count;
}

/* All products of the runs of one bucket. */
static void add_runs(const struct members *rest, const struct ts_bucket *bucket, struct ts_share_buckets *buckets) {
  ts_auto_free bool *in = ts_calloc(rest->count + 1, sizeof *in);
  for (size_t i = 0; i < bucket->member_count; i++) in[bucket->members[i]] = true;
  struct ts_share_bucket *made = add_bucket(buckets, list_products(rest, in, NULL));
  made->count = list_products(rest, in, made->demands);
}

/* Puts members of the rest, given by their numbers, into buckets. */
static bool bucket_members(const struct members *rest, const uint32_t *members, size_t count, size_t max_buckets,
                           struct ts_buckets *buckets, struct ts_error *err) {
  ts_auto_free uint32_t *keys = ts_malloc((count * rest->task_count + 1) * sizeof *keys);
  for (size_t i = 0; i < count * rest->task_count; i++)
    keys[i] = rest->keys[(size_t)members[i / rest->task_count] * rest->task_count + i % rest->task_count];
  const struct ts_bucket_input input = {.member_count = count,
                                        .task_count = rest->task_count,
                                        .keys = keys,
                                        .key_count = rest->key_count,
                                        .costs = rest->costs};
  const struct ts_bucket_options options = {
      .max_buckets = max_buckets, .enough_imbalance = REST_IMBALANCE, .no_swaps = true};
  bool ok = ts_buckets_make(buckets, ts_merger_find("trtma"), &input, &options, err);
  for (size_t b = 0; ok && b < buckets->count; b++) {
    struct ts_bucket *bucket = &buckets->items[b];
    uint32_t *numbers = ts_arena_array(&buckets->arena, bucket->member_count, sizeof *numbers);
    for (size_t i = 0; i < bucket->member_count; i++) numbers[i] = members[bucket->members[i]];
    bucket->members = numbers;
  }
  return ok;
}

static bool add_in_parts(const struct members *rest, const struct ts_bucket *bucket, size_t part_count,
                         struct ts_share_buckets *buckets, struct ts_error *err) {
  struct ts_buckets parts = {0};
  if (!bucket_members(rest, bucket->members, bucket->member_count, part_count, &parts, err)) return false;
  for (size_t b = 0; b < parts.count; b++) add_runs(rest, &parts.items[b], buckets);
  ts_buckets_release(&parts);
  return true;
}

static bool add_rest(const struct members *rest, struct ts_share_buckets *buckets, struct ts_error *err) {
  const size_t workers = rest->of->workers, windows = rest->of->windows;
  ts_auto(ts_buckets_release) struct ts_buckets whole = {0};
  ts_auto_free uint32_t *all = ts_malloc(rest->count * sizeof *all);
  for (size_t i = 0; i < rest->count; i++) all[i] = (uint32_t)i;
  bool ok = bucket_members(rest, all, rest->count, (REST_BUCKETS * workers + windows - 1) / windows, &whole, err);
  for (size_t b = 0; ok && b < whole.count; b++) {
    const size_t left = whole.count - b;
    if (left > workers)
      add_runs(rest, &whole.items[b], buckets);
    else
      ok = add_in_parts(rest, &whole.items[b], 2 * left > workers ? LATE_PARTS : LAST_PARTS, buckets, err);
  }
  return ok;
}

bool ts_share_split_rest(const struct ts_share_rest *rest, struct ts_share_buckets *buckets, struct ts_error *err) {
  ts_auto(members_release) struct members members;
  members_init(&members, rest);
  return members.count == 0 || add_rest(&members, buckets, err);
}

void ts_share_buckets_release(struct ts_share_buckets *buckets) {
  ts_arena_release(&buckets->arena);
  free(buckets->items);
  *buckets = (struct ts_share_buckets){0};
}

size_t ts_share_reference(const struct ts_plan *plan, uint32_t window, struct ts_run_demand *demands) {
  size_t count = 0;
  for (size_t i = 0; ts_scope_is_tile(plan->coarsest) && i < plan->wanted_count; i++) {
    const struct ts_node_input *product = &plan->reference_products[i];
    if (product->node == TS_NO_NODE || !plan->nodes[product->node].reference_only) continue;
    demands[count++] = (struct ts_run_demand){product->node, product->port, window};
  }
  return count;
}
