/* Exchanging two subtrees between two buckets, for when no single move lowers the greater cost.
 * SPDX-License-Identifier: Apache-2.0 */
#include "plan/bucket_int.h"

#include "base/alloc.h"

#include <string.h>

#define MOST_PARTS 128 /* kept of each bucket: one for each (loss, gain), the first found */
#define MOST_TRIED 24  /* pairs weighed exactly */
#define REACH      8   /* parts that cost the other bucket up to this many whole members more than the difference */

struct parts {
  struct part items[MOST_PARTS];
  size_t count;
};

struct pair {
  const struct part *a, *b;
  int64_t greater, sum; /* at least: tasks that the two parts share are not yet counted */
};

struct pairs {
  struct pair items[MOST_TRIED]; /* best first */
  size_t count;
};

static void keep_part(void *user, const struct part *part) {
  struct parts *parts = user;
  if (parts->count == MOST_PARTS) return;
  for (size_t i = 0; i < parts->count; i++) {
    if (parts->items[i].loss == part->loss && parts->items[i].gain == part->gain) return;
  }
  parts->items[parts->count++] = *part;
}

static bool is_better(const struct pair *x, const struct pair *y) {
  return x->greater != y->greater ? x->greater < y->greater : x->sum < y->sum;
}

static void keep_pair(struct pairs *pairs, const struct pair *pair) {
  if (pairs->count == MOST_TRIED && !is_better(pair, &pairs->items[MOST_TRIED - 1])) return;
  size_t at = pairs->count < MOST_TRIED ? pairs->count++ : MOST_TRIED - 1;
  for (; at > 0 && is_better(pair, &pairs->items[at - 1]); at--) pairs->items[at] = pairs->items[at - 1];
  pairs->items[at] = *pair;
}

static void list_pairs(const struct parts *of_a, const struct parts *of_b, int64_t cost_a, int64_t cost_b,
                       struct pairs *pairs) {
  for (size_t i = 0; i < of_a->count; i++) {
    for (size_t k = 0; k < of_b->count; k++) {
      const struct part *a = &of_a->items[i], *b = &of_b->items[k];
      int64_t new_a = cost_a - a->loss + b->gain, new_b = cost_b - b->loss + a->gain;
      struct pair pair = {a, b, new_a > new_b ? new_a : new_b, new_a + new_b};
      if (pair.greater < cost_a) keep_pair(pairs, &pair);
    }
  }
}

/* Adds (sign 1) or takes (-1) the keys of a part to the counts of a bin; returns the change of its cost. */
static int64_t shift(struct balance *b, const struct bin *bin, const struct part *part, uint32_t *counts, int sign) {
  size_t tasks = b->tree->input->task_count;
  int64_t change = 0;
  for (size_t i = part->first; i < part->end; i++) {
    const uint32_t *keys = ts_tree_keys(b->tree, bin->ranks[i]);
    for (size_t t = 0; t < tasks; t++) {
      if (sign > 0) change += counts[keys[t]]++ == 0 ? b->tree->weights[t] : 0;
      if (sign < 0) change -= --counts[keys[t]] == 0 ? b->tree->weights[t] : 0;
    }
  }
  b->steps_left -= (int64_t)((part->end - part->first) * tasks);
  return change;
}

/* The exact costs after the exchange; the counts are as before afterwards. */
static void weigh_pair(struct balance *b, const struct bin *big, const struct bin *other, const struct pair *pair,
                       int64_t costs[2]) {
  costs[0] = big->cost + shift(b, big, pair->a, b->in_a, -1) + shift(b, other, pair->b, b->in_a, 1);
  costs[1] = other->cost + shift(b, other, pair->b, b->in_b, -1) + shift(b, big, pair->a, b->in_b, 1);
  shift(b, other, pair->b, b->in_a, -1);
  shift(b, big, pair->a, b->in_a, 1);
  shift(b, big, pair->a, b->in_b, -1);
  shift(b, other, pair->b, b->in_b, 1);
}

static size_t position(const struct bin *bin, uint32_t rank) {
  size_t low = 0, high = bin->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (bin->ranks[middle] < rank)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Moves the ranks that a part had, wherever they are now: after the first move they need not be neighbours. */
static void move_ranks(struct balance *b, struct bin *from, struct bin *to, const uint32_t *ranks, size_t count) {
  for (size_t i = 0; i < count;) {
    size_t first = position(from, ranks[i]), end = first;
    while (i < count && end < from->count && from->ranks[end] == ranks[i]) {
      end++;
      i++;
    }
    ts_bin_move(b, from, to, first, end);
  }
}

static bool exchange(struct balance *b, struct bin *big, struct bin *other, const struct pair *pair) {
  size_t count_a = pair->a->end - pair->a->first, count_b = pair->b->end - pair->b->first;
  ts_auto_free uint32_t *ranks_a = ts_memdup(big->ranks + pair->a->first, count_a * sizeof *ranks_a);
  ts_auto_free uint32_t *ranks_b = ts_memdup(other->ranks + pair->b->first, count_b * sizeof *ranks_b);
  move_ranks(b, big, other, ranks_a, count_a);
  move_ranks(b, other, big, ranks_b, count_b);
  bool fits = ts_bin_fits(b, big) && ts_bin_fits(b, other);
  if (!fits) {
    move_ranks(b, other, big, ranks_a, count_a);
    move_ranks(b, big, other, ranks_b, count_b);
  }
  return fits;
}

static bool try_pairs(struct balance *b, struct bin *big, struct bin *other, const struct pairs *pairs) {
  struct pair best = {.greater = big->cost};
  int64_t best_costs[2] = {0};
  for (size_t i = 0; i < pairs->count; i++) {
    struct pair pair = pairs->items[i];
    int64_t costs[2];
    weigh_pair(b, big, other, &pair, costs);
    pair.greater = costs[0] > costs[1] ? costs[0] : costs[1];
    pair.sum = costs[0] + costs[1];
    if (pair.greater >= big->cost || (best.a && !is_better(&pair, &best))) continue;
    best = pair;
    memcpy(best_costs, costs, sizeof costs);
  }
  ts_bin_count_keys(b, big, b->in_a, -1);
  ts_bin_count_keys(b, other, b->in_b, -1);
  if (!best.a || !exchange(b, big, other, &best)) return false;
  big->cost = best_costs[0];
  other->cost = best_costs[1];
  return true;
}

/* Lets ts_bin_parts look at the bins the other way round. */
static void turn(struct balance *b) {
  uint32_t *counts = b->in_a;
  b->in_a = b->in_b;
  b->in_b = counts;
}

bool ts_balance_swap(struct balance *b, struct bin *big, struct bin *other) {
  ts_auto_free struct parts *of = ts_calloc(2, sizeof *of);
  struct pairs pairs = {.count = 0};
  int64_t cap = big->cost - other->cost + REACH * b->tree->member_weight;
  ts_bin_count_keys(b, big, b->in_a, 1);
  ts_bin_count_keys(b, other, b->in_b, 1);
  ts_bin_parts(b, big, cap, keep_part, &of[0]);
  turn(b);
  ts_bin_parts(b, other, cap, keep_part, &of[1]);
  turn(b);
  list_pairs(&of[0], &of[1], big->cost, other->cost, &pairs);
  return try_pairs(b, big, other, &pairs);
}
