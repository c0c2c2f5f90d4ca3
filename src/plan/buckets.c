/* From a grouping to buckets with their tasks, costs and peaks; bounds and predictions.
 * SPDX-License-Identifier: Apache-2.0 */
#include "plan/bucket_int.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

void ts_buckets_release(struct ts_buckets *buckets) {
  ts_arena_release(&buckets->arena);
  *buckets = (struct ts_buckets){0};
}

static double task_cost(const struct ts_bucket_input *input, size_t task) {
  return input->costs ? input->costs[task] : 1;
}

/* Sorts the members into their buckets, each in the order of the tree; empty numbers are left out. */
static uint32_t *gather_members(struct ts_buckets *buckets, const struct ts_reuse_tree *tree,
                                const uint32_t *bucket_of) {
  size_t members = tree->input->member_count;
  size_t numbers = 0;
  for (size_t m = 0; m < members; m++) numbers = bucket_of[m] >= numbers ? bucket_of[m] + 1u : numbers;
  ts_auto_free size_t *cursors = ts_calloc(2 * numbers + 1, sizeof *cursors);
  size_t *sizes = cursors + numbers;
  for (size_t m = 0; m < members; m++) sizes[bucket_of[m]]++;
  for (size_t n = 0; n < numbers; n++) buckets->count += sizes[n] > 0;
  buckets->items = ts_arena_array(&buckets->arena, buckets->count + 1, sizeof *buckets->items);
  uint32_t *ranks = ts_arena_array(&buckets->arena, members + 1, sizeof *ranks);
  size_t start = 0, used = 0;
  for (size_t n = 0; n < numbers; n++) {
    cursors[n] = start;
    if (sizes[n] > 0) buckets->items[used++] = (struct ts_bucket){.members = ranks + start, .member_count = sizes[n]};
    start += sizes[n];
  }
  for (size_t r = 0; r < members; r++) ranks[cursors[bucket_of[tree->order[r]]]++] = (uint32_t)r;
  return ranks;
}

static void count_tasks(struct ts_buckets *buckets, const struct ts_reuse_tree *tree) {
  const struct ts_bucket_input *input = tree->input;
  ts_auto_free uint32_t *met = ts_calloc(input->key_count + 1, sizeof *met);
  ts_auto_free size_t *tasks = ts_calloc(input->task_count + 1, sizeof *tasks);
  for (size_t b = 0; b < buckets->count; b++) {
    struct ts_bucket *bucket = &buckets->items[b];
    memset(tasks, 0, input->task_count * sizeof *tasks);
    for (size_t i = 0; i < bucket->member_count; i++) {
      const uint32_t *keys = ts_tree_keys(tree, bucket->members[i]);
      for (size_t t = 0; t < input->task_count; t++) {
        if (met[keys[t]] == b + 1) continue;
        met[keys[t]] = (uint32_t)(b + 1);
        tasks[t]++;
      }
    }
    for (size_t t = 0; t < input->task_count; t++) {
      bucket->tasks += tasks[t];
      bucket->cost += (double)tasks[t] * task_cost(input, t);
      buckets->executed[t] += tasks[t];
    }
  }
}

static void describe(struct ts_buckets *buckets, const struct ts_reuse_tree *tree, const uint32_t *bucket_of) {
  *buckets = (struct ts_buckets){0};
  buckets->executed = ts_arena_array(&buckets->arena, tree->input->task_count + 1, sizeof *buckets->executed);
  uint32_t *ranks = gather_members(buckets, tree, bucket_of);
  count_tasks(buckets, tree);
  struct ts_peak peak;
  ts_peak_init(&peak, tree);
  for (size_t b = 0; b < buckets->count; b++)
    buckets->items[b].peak_bytes = ts_peak_of(&peak, tree, buckets->items[b].members, buckets->items[b].member_count);
  ts_peak_release(&peak);
  for (size_t i = 0; i < tree->input->member_count; i++) ranks[i] = tree->order[ranks[i]];
}

static bool check_options(const struct ts_merger *merger, const struct ts_bucket_options *options,
                          struct ts_error *err) {
  if (merger->needs_size && options->max_bucket_size == 0) {
    ts_fail(err, TS_ERR_USAGE, "merging by '%s' needs a bucket size", merger->name);
    return ts_error_help(err, "say how many members a bucket may have: --max-bucket-size 10");
  }
  if (merger->needs_count && options->max_buckets == 0) {
    ts_fail(err, TS_ERR_USAGE, "merging by '%s' needs a number of buckets", merger->name);
    return ts_error_help(err, "say how many buckets there may be, such as three per worker: --max-buckets 24");
  }
  return true;
}

bool ts_buckets_make(struct ts_buckets *buckets, const struct ts_merger *merger, const struct ts_bucket_input *input,
                     const struct ts_bucket_options *options, struct ts_error *err) {
  *buckets = (struct ts_buckets){0};
  if (!check_options(merger, options, err)) return false;
  ts_auto(ts_reuse_tree_release) struct ts_reuse_tree tree;
  ts_reuse_tree_init(&tree, input);
  ts_auto_free uint32_t *bucket_of = ts_calloc(input->member_count + 1, sizeof *bucket_of);
  bool ok = input->member_count == 0 || merger->merge(&tree, options, bucket_of, err);
  if (ok) describe(buckets, &tree, bucket_of);
  return ok;
}

size_t ts_bucket_distinct(const struct ts_bucket_input *input, double *cost) {
  ts_auto_free size_t *tasks = ts_calloc(input->task_count + 1, sizeof *tasks);
  ts_auto_free bool *met = ts_calloc(input->key_count + 1, sizeof *met);
  for (size_t i = 0; i < input->member_count * input->task_count; i++) {
    if (!met[input->keys[i]]) tasks[i % input->task_count]++;
    met[input->keys[i]] = true;
  }
  size_t sum = 0;
  double total = 0;
  for (size_t t = 0; t < input->task_count; t++) {
    sum += tasks[t];
    total += (double)tasks[t] * task_cost(input, t);
  }
  if (cost) *cost = total;
  return sum;
}

double ts_buckets_imbalance(const struct ts_bucket *items, size_t count) {
  double most = 0, least = INFINITY;
  for (size_t b = 0; b < count; b++) {
    most = fmax(most, items[b].cost);
    least = fmin(least, items[b].cost);
  }
  return count > 1 && most > 0 ? (most - least) / most : 0;
}

static int compare_costs(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x > y ? -1 : x < y;
}

/* Lets the worker at the top of the heap, the one that is free first, sink to its place. */
static void sink(double *heap, size_t count) {
  size_t at = 0;
  for (;;) {
    size_t child = 2 * at + 1;
    if (child >= count) return;
    if (child + 1 < count && heap[child + 1] < heap[child]) child++;
    if (heap[at] <= heap[child]) return;
    double free_at = heap[at];
    heap[at] = heap[child];
    heap[child] = free_at;
    at = child;
  }
}

double ts_buckets_makespan(const struct ts_bucket *items, size_t count, size_t units, size_t workers) {
  if (workers == 0) workers = 1;
  ts_auto_free double *costs = ts_calloc(count + workers + 1, sizeof *costs);
  double *heap = costs + count;
  for (size_t b = 0; b < count; b++) costs[b] = items[b].cost;
  qsort(costs, count, sizeof *costs, compare_costs);
  for (size_t b = 0; b < count; b++) {
    for (size_t u = 0; u < units; u++) {
      heap[0] += costs[b];
      sink(heap, workers);
    }
  }
  double last = 0;
  for (size_t w = 0; w < workers; w++) last = fmax(last, heap[w]);
  return last;
}

double ts_bucket_lower_bound(const struct ts_bucket_input *input, size_t units, size_t workers) {
  double total = 0, member = 0;
  ts_bucket_distinct(input, &total);
  for (size_t t = 0; t < input->task_count; t++) member += task_cost(input, t);
  if (input->member_count == 0 || units == 0) return 0;
  return fmax(total * (double)units / (double)(workers ? workers : 1), member);
}

size_t ts_lineage_bucket_count(size_t units, size_t workers) {
  if (units == 0 || workers <= 1 || units >= 3 * workers) return 1;
  return (3 * workers + units - 1) / units;
}
