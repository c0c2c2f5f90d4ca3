/* TRTMA: subtrees of the first level that has enough of them, folded into the wanted number of buckets, balanced.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Costs are counted anew whenever buckets are joined, because tasks that they share are done once. With costs in
 * seconds the same steps balance time. With a memory limit a bucket is split until its depth-first peak fits, and
 * joined only with buckets that leave it within the limit; there may be more buckets than asked for then. */
#include "plan/bucket_int.h"

#include "base/alloc.h"

#include <string.h>

/* Up to this many members times buckets, every level is a start, not only the first one with enough nodes.
 * 40000: 2.7 times the CPU time of a plan of 1000 sets in 40 buckets; 10000: half of that of 458 sets; both times the
 * same makespan (`bench/constants merge merge+`). */
#define SMALL_CASE 20000

size_t ts_fold_line(size_t count, size_t max_buckets, uint32_t *target) {
  size_t left = count;
  if (max_buckets < count) /* down to the wanted number times a power of two: later folds then join pairs only */
    for (left = max_buckets; 2 * left < count;) left *= 2;
  for (size_t i = 0; i < count; i++) target[i] = (uint32_t)(i < left ? i : 2 * left - 1 - i);
  return left;
}

static int compare_bins(const void *a, const void *b) {
  const struct bin *x = a, *y = b;
  if (x->cost != y->cost) return x->cost > y->cost ? -1 : 1;
  uint32_t first_x = x->count ? x->ranks[0] : 0, first_y = y->count ? y->ranks[0] : 0;
  return first_x < first_y ? -1 : first_x > first_y;
}

/* Joins them if the result fits. */
static bool join(struct balance *b, struct bin *into, struct bin *from) {
  if (b->options->memory_limit_bytes > 0) {
    struct bin both = {.count = into->count + from->count};
    both.ranks = ts_malloc((both.count + 1) * sizeof *both.ranks);
    for (size_t i = 0, k = 0; i + k < both.count;) {
      bool first = k == from->count || (i < into->count && into->ranks[i] < from->ranks[k]);
      size_t at = i + k;
      both.ranks[at] = first ? into->ranks[i++] : from->ranks[k++];
    }
    bool fits = ts_bin_fits(b, &both);
    free(both.ranks);
    if (!fits) return false;
  }
  ts_bin_move(b, from, into, 0, from->count);
  into->cost = ts_bin_cost(b, into);
  free(from->ranks);
  *from = (struct bin){0};
  return true;
}

static void fold(struct balance *b, size_t max_buckets) {
  ts_auto_free uint32_t *target = ts_malloc(b->bin_count * sizeof *target);
  bool joined = true;
  while (b->bin_count > max_buckets && joined) {
    qsort(b->bins, b->bin_count, sizeof *b->bins, compare_bins);
    size_t left = ts_fold_line(b->bin_count, max_buckets, target);
    size_t kept = left;
    joined = false;
    for (size_t i = left; i < b->bin_count; i++) {
      if (join(b, &b->bins[target[i]], &b->bins[i]))
        joined = true;
      else
        b->bins[kept++] = b->bins[i];
    }
    for (size_t i = kept; i < b->bin_count; i++) b->bins[i] = (struct bin){0};
    b->bin_count = kept;
  }
}

/* Splits a group that needs too much memory at its first branching, until the parts fit. Returns the next number. */
static bool number_group(struct balance *b, size_t first, size_t end, size_t depth, uint32_t *bucket_of,
                         uint32_t *count, struct ts_error *err) {
  const struct ts_reuse_tree *tree = b->tree;
  struct bin group = {.ranks = b->scratch, .count = end - first};
  for (size_t i = first; i < end; i++) b->scratch[i - first] = (uint32_t)i;
  bool fits = ts_bin_fits(b, &group);
  if (!fits && end - first == 1) {
    ts_fail(err, TS_ERR_NO_MEMORY, "one run of the stage alone keeps more than %llu bytes of products at once",
            (unsigned long long)b->options->memory_limit_bytes);
    return ts_error_help(err, "allow more memory per bucket, or use smaller tiles");
  }
  if (fits) {
    for (size_t i = first; i < end; i++) bucket_of[tree->order[i]] = *count;
    ++*count;
    return true;
  }
  while (depth < tree->input->task_count && ts_tree_node(tree, first, depth) == ts_tree_node(tree, end - 1, depth))
    depth++;
  bool ok = true;
  for (size_t i = first; ok && i < end;) {
    size_t next = i + 1;
    while (depth < tree->input->task_count && next < end &&
           ts_tree_node(tree, next, depth) == ts_tree_node(tree, i, depth))
      next++;
    ok = number_group(b, i, next, depth, bucket_of, count, err);
    i = next;
  }
  return ok;
}

/* Full-merge: a bucket for every node of a level; below the last level, for every member. */
static bool full_merge(const struct ts_reuse_tree *tree, const struct ts_bucket_options *options, size_t level,
                       uint32_t *bucket_of, uint32_t *count, struct ts_error *err) {
  size_t members = tree->input->member_count;
  struct balance b = {.tree = tree, .options = options};
  b.scratch = ts_malloc(members * sizeof *b.scratch);
  ts_peak_init(&b.peak, tree);
  *count = 0;
  bool ok = true;
  for (size_t first = 0; ok && first < members;) {
    size_t end = first + 1;
    while (level < tree->input->task_count && end < members &&
           ts_tree_node(tree, end, level) == ts_tree_node(tree, first, level))
      end++;
    ok = number_group(&b, first, end, level, bucket_of, count, err);
    first = end;
  }
  ts_peak_release(&b.peak);
  free(b.scratch);
  return ok;
}

struct outcome {
  size_t excess; /* buckets above the wanted number, for lack of memory */
  int64_t greatest, sum;
};

static bool is_better(const struct outcome *x, const struct outcome *y) {
  if (x->excess != y->excess) return x->excess < y->excess;
  if (x->greatest != y->greatest) return x->greatest < y->greatest;
  return x->sum < y->sum;
}

struct start {
  size_t level; /* of the full-merge */
  bool pad;     /* with empty buckets, to be filled by the balance */
  bool prefer_less_work;
};

/* A full run from one start; keeps the result if it is better than the one before. */
static bool run_from(const struct ts_reuse_tree *tree, const struct ts_bucket_options *options,
                     const struct start *start, uint32_t *bucket_of, struct outcome *best, struct ts_error *err) {
  ts_auto_free uint32_t *trial = ts_malloc(tree->input->member_count * sizeof *trial);
  uint32_t count = 0;
  bool ok = full_merge(tree, options, start->level, trial, &count, err);
  if (ok) {
    ts_auto(ts_balance_release) struct balance b;
    if (start->pad && count < options->max_buckets) count = (uint32_t)options->max_buckets;
    ts_balance_init(&b, tree, options, trial, count);
    b.prefer_less_work = start->prefer_less_work;
    fold(&b, options->max_buckets);
    ts_balance_run(&b);
    size_t excess = b.bin_count > options->max_buckets ? b.bin_count - options->max_buckets : 0;
    struct outcome outcome = {excess, ts_balance_max(&b), ts_balance_sum(&b)};
    if (is_better(&outcome, best)) {
      *best = outcome;
      ts_balance_store(&b, bucket_of);
    }
  }
  return ok;
}

bool ts_trtma_merge(const struct ts_reuse_tree *tree, const struct ts_bucket_options *options, uint32_t *bucket_of,
                    struct ts_error *err) {
  size_t members = tree->input->member_count, levels = tree->input->task_count;
  struct ts_bucket_options effective = *options;
  if (effective.max_buckets >= members) effective.max_buckets = members; /* one bucket per member */
  struct start start = {.prefer_less_work = true};
  while (start.level < levels && tree->level_nodes[start.level] < effective.max_buckets) start.level++;
  struct outcome best = {SIZE_MAX, INT64_MAX, INT64_MAX};
  bool small = members * effective.max_buckets <= SMALL_CASE && effective.max_buckets < members;
  bool ok = run_from(tree, &effective, &start, bucket_of, &best, err);
  start.pad = true;
  for (size_t other = 0; ok && small && other <= 2 * levels + 1; other++) {
    start.level = other / 2;
    if (start.level > 0 && start.level < levels && tree->level_nodes[start.level] == tree->level_nodes[start.level - 1])
      continue; /* the same groups */
    start.prefer_less_work = other % 2 == 0;
    ok = run_from(tree, &effective, &start, bucket_of, &best, err);
  }
  return ok;
}

const struct ts_merger ts_merger_trtma = {.name = "trtma",
                                          .help = "--max-buckets buckets of the same cost from the reuse tree",
                                          .needs_count = true,
                                          .merge = ts_trtma_merge};
