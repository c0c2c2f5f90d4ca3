/* The balance of trtma: subtrees move out of the costliest bucket as long as that lowers the greatest cost.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each round takes the costliest bucket and looks, bottom up, for the subtree whose move to another bucket leaves the
 * least greater cost of the two, then the least difference (or, if asked for, the least work). When no single move
 * helps, two subtrees are exchanged (balance_swap.c). A round that does not lower the cost of the costliest bucket is
 * never applied. */
#include "plan/bucket_int.h"

#include "base/alloc.h"

/* The constants of the balance were measured by `bench/constants merge merge+` (458 and 1000 sets, 40 buckets): half
 * and twice of each gave the same tasks and makespan, and no difference in CPU time, except where a comment says
 * otherwise. */
/* Up to this many members times buckets every other bucket is tried in every round. */
#define SMALL_CASE 50000
/* Above it, the search goes beyond the cheapest bucket only while the costs differ by more than this share. */
#define GOOD_ENOUGH 200

struct move {
  struct part part;
  struct bin *to;
  int64_t greater, second; /* of the two costs afterwards; decides between equal ones, the more the better */
};

struct search {
  struct balance *b;
  struct bin *from, *to;
  struct move best; /* to NULL: none */
};

static struct bin copy_of(const struct bin *bin) {
  struct bin copy = {.count = bin->count, .capacity = bin->count};
  if (bin->count > 0) copy.ranks = ts_memdup(bin->ranks, bin->count * sizeof *bin->ranks);
  return copy;
}

/* Whether the other bin, with the part, stays within the memory limit. */
static bool stays_within_limit(struct search *s, const struct part *part) {
  if (s->b->options->memory_limit_bytes == 0) return true;
  struct bin with = copy_of(s->to), rest = copy_of(s->from);
  ts_bin_move(s->b, &rest, &with, part->first, part->end);
  bool fits = ts_bin_fits(s->b, &with) && ts_bin_fits(s->b, &rest);
  free(with.ranks);
  free(rest.ranks);
  return fits;
}

static void consider(void *user, const struct part *part) {
  struct search *s = user;
  int64_t from = s->from->cost - part->loss, to = s->to->cost + part->gain;
  int64_t greater = from > to ? from : to, lesser = from > to ? to : from;
  int64_t second = s->b->prefer_less_work ? -lesser : lesser;
  if (greater >= s->from->cost) return; /* a false improvement */
  if (s->best.to && (greater > s->best.greater || (greater == s->best.greater && second <= s->best.second))) return;
  if (stays_within_limit(s, part)) s->best = (struct move){*part, s->to, greater, second};
}

/* in_a is filled with the keys of s->from. */
static void search_pair(struct search *s, struct bin *to) {
  s->to = to;
  ts_bin_count_keys(s->b, to, s->b->in_b, 1);
  ts_bin_parts(s->b, s->from, s->from->cost - to->cost, consider, s);
  ts_bin_count_keys(s->b, to, s->b->in_b, -1);
}

/* Cost of the tasks that the bin has in common with the one counted in in_a. */
static int64_t shared_cost(struct balance *b, const struct bin *bin) {
  size_t tasks = b->tree->input->task_count;
  int64_t shared = 0;
  for (size_t i = 0; i < bin->count; i++) {
    const uint32_t *keys = ts_tree_keys(b->tree, bin->ranks[i]);
    for (size_t t = 0; t < tasks; t++)
      shared += b->in_a[keys[t]] > 0 && b->in_s[keys[t]]++ == 0 ? b->tree->weights[t] : 0;
  }
  for (size_t i = 0; i < bin->count; i++) {
    const uint32_t *keys = ts_tree_keys(b->tree, bin->ranks[i]);
    for (size_t t = 0; t < tasks; t++) b->in_s[keys[t]] = 0;
  }
  b->steps_left -= (int64_t)(bin->count * tasks);
  return shared;
}

struct candidate {
  size_t bin;
  int64_t shared, cost;
};

static int compare_shared(const void *a, const void *b) {
  const struct candidate *x = a, *y = b;
  if (x->shared != y->shared) return x->shared > y->shared ? -1 : 1;
  if (x->cost != y->cost) return x->cost < y->cost ? -1 : 1;
  return x->bin < y->bin ? -1 : x->bin > y->bin;
}

static int compare_cost(const void *a, const void *b) {
  const struct candidate *x = a, *y = b;
  if (x->cost != y->cost) return x->cost < y->cost ? -1 : 1;
  return x->bin < y->bin ? -1 : x->bin > y->bin;
}

/* All bins but the big one, most shared first (by_sharing; in_a is filled) or cheapest first. Returns how many. */
static size_t list_others(struct balance *b, const struct bin *big, bool by_sharing, struct candidate *list) {
  size_t count = 0;
  b->steps_left -= (int64_t)b->bin_count;
  for (size_t i = 0; i < b->bin_count; i++) {
    struct bin *bin = &b->bins[i];
    if (bin != big) list[count++] = (struct candidate){i, by_sharing ? shared_cost(b, bin) : 0, bin->cost};
  }
  qsort(list, count, sizeof *list, by_sharing ? compare_shared : compare_cost);
  return count;
}

static struct bin *costliest(struct balance *b) {
  struct bin *found = &b->bins[0];
  for (size_t i = 1; i < b->bin_count; i++) {
    if (b->bins[i].cost > found->cost) found = &b->bins[i];
  }
  return found;
}

/* The last of the cheapest. */
static struct bin *cheapest(struct balance *b) {
  struct bin *found = &b->bins[0];
  for (size_t i = 1; i < b->bin_count; i++) {
    if (b->bins[i].cost <= found->cost) found = &b->bins[i];
  }
  return found;
}

static bool is_small(const struct balance *b) { return b->tree->input->member_count * b->bin_count <= SMALL_CASE; }

static bool is_good_enough(const struct balance *b, const struct bin *big, const struct bin *small) {
  return !is_small(b) && big->cost - small->cost <= big->cost / GOOD_ENOUGH;
}

/* A part of the largest bucket goes to the cheapest, else to the others, those that share most with the largest
 * first. */
static bool move_part(struct balance *b, struct bin *big, struct bin *small, struct candidate *list) {
  struct search s = {.b = b, .from = big};
  bool exhaustive = is_small(b);
  ts_bin_count_keys(b, big, b->in_a, 1);
  if (!exhaustive) search_pair(&s, small);
  if (!s.best.to && !is_good_enough(b, big, small)) {
    size_t count = list_others(b, big, true, list);
    for (size_t i = 0; i < count && (exhaustive || !s.best.to) && b->steps_left > 0; i++)
      search_pair(&s, &b->bins[list[i].bin]);
  }
  ts_bin_count_keys(b, big, b->in_a, -1);
  if (!s.best.to) return false;
  big->cost -= s.best.part.loss;
  s.best.to->cost += s.best.part.gain;
  ts_bin_move(b, big, s.best.to, s.best.part.first, s.best.part.end);
  return true;
}

static bool swap_parts(struct balance *b, struct bin *big, const struct bin *small, struct candidate *list) {
  if (b->options->no_swaps || is_good_enough(b, big, small)) return false;
  size_t count = list_others(b, big, false, list);
  for (size_t i = 0; i < count && b->steps_left > 0; i++) {
    if (ts_balance_swap(b, big, &b->bins[list[i].bin])) return true;
  }
  return false;
}

void ts_balance_run(struct balance *b) {
  if (b->bin_count < 2) return;
  ts_auto_free struct candidate *list = ts_calloc(b->bin_count, sizeof *list);
  while (b->steps_left > 0) {
    struct bin *big = costliest(b), *small = cheapest(b);
    b->steps_left -= (int64_t)b->bin_count;
    if ((double)(big->cost - small->cost) <= b->options->enough_imbalance * (double)big->cost) break;
    if (big == small || (!move_part(b, big, small, list) && !swap_parts(b, big, small, list))) break;
  }
}
