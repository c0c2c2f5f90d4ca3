/* Bins of the balance: members as sorted ranks, costs by counting keys, subtrees and the worth of moving them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "plan/bucket_int.h"

#include "base/alloc.h"

#include <string.h>

/* Steps that the search may take at least, and more per task of a member. Half of STEPS: 5 % less CPU time of a
 * plan of 458 sets, the same tasks and makespan (balance.c). */
#define STEPS          4000000
#define STEPS_PER_TASK 20

void ts_bin_count_keys(struct balance *b, const struct bin *bin, uint32_t *counts, int sign) {
  size_t tasks = b->tree->input->task_count;
  for (size_t i = 0; i < bin->count; i++) {
    const uint32_t *keys = ts_tree_keys(b->tree, bin->ranks[i]);
    for (size_t t = 0; t < tasks; t++) counts[keys[t]] += (uint32_t)sign;
  }
  b->steps_left -= (int64_t)(bin->count * tasks);
}

int64_t ts_bin_cost(struct balance *b, const struct bin *bin) {
  size_t tasks = b->tree->input->task_count;
  int64_t cost = 0;
  for (size_t i = 0; i < bin->count; i++) {
    const uint32_t *keys = ts_tree_keys(b->tree, bin->ranks[i]);
    for (size_t t = 0; t < tasks; t++) cost += b->in_s[keys[t]]++ == 0 ? b->tree->weights[t] : 0;
  }
  for (size_t i = 0; i < bin->count; i++) {
    const uint32_t *keys = ts_tree_keys(b->tree, bin->ranks[i]);
    for (size_t t = 0; t < tasks; t++) b->in_s[keys[t]] = 0;
  }
  return cost;
}

/* Counts the keys of ranks[first..end); gives up as soon as the gain reaches the cap. */
static bool weigh(struct balance *b, const uint32_t *ranks, struct part *part, int64_t cap) {
  size_t tasks = b->tree->input->task_count;
  size_t seen = part->first;
  part->loss = part->gain = 0;
  for (; seen < part->end && part->gain < cap; seen++) {
    const uint32_t *keys = ts_tree_keys(b->tree, ranks[seen]);
    for (size_t t = 0; t < tasks; t++) {
      uint32_t count = ++b->in_s[keys[t]];
      if (count == 1 && b->in_b[keys[t]] == 0) part->gain += b->tree->weights[t];
      if (count == b->in_a[keys[t]]) part->loss += b->tree->weights[t];
    }
  }
  b->steps_left -= (int64_t)((seen - part->first) * tasks);
  bool whole = seen == part->end && part->gain < cap;
  for (size_t i = part->first; i < seen; i++) {
    const uint32_t *keys = ts_tree_keys(b->tree, ranks[i]);
    for (size_t t = 0; t < tasks; t++) b->in_s[keys[t]] = 0;
  }
  return whole;
}

/* Single-child pruning: an interval whose deeper nodes are all the same was met one level below. Siblings with the same
 * cost and number of leaves may still differ in the tasks that the other bin shares with them, so each is weighed. */
void ts_bin_parts(struct balance *b, const struct bin *a, int64_t cap, ts_part_visitor *visit, void *user) {
  size_t tasks = b->tree->input->task_count;
  for (size_t depth = tasks; depth-- > 0;) {
    for (size_t first = 0; first < a->count;) {
      struct part part = {.first = first, .end = ts_tree_interval_end(b->tree, a->ranks, a->count, first, depth)};
      first = part.end;
      bool met = depth + 1 < tasks && ts_tree_node(b->tree, a->ranks[part.first], depth + 1) ==
                                          ts_tree_node(b->tree, a->ranks[part.end - 1], depth + 1);
      if (!met && weigh(b, a->ranks, &part, cap) && part.loss > 0) visit(user, &part);
    }
  }
}

static void reserve(struct bin *bin, size_t count) {
  if (count <= bin->capacity) return;
  bin->capacity = count + count / 2;
  bin->ranks = ts_realloc_array(bin->ranks, bin->capacity, sizeof *bin->ranks);
}

void ts_bin_move(struct balance *b, struct bin *from, struct bin *to, size_t first, size_t end) {
  size_t moved = end - first;
  memcpy(b->scratch, from->ranks + first, moved * sizeof *b->scratch);
  memmove(from->ranks + first, from->ranks + end, (from->count - end) * sizeof *from->ranks);
  from->count -= moved;
  reserve(to, to->count + moved);
  size_t at = to->count + moved, left = to->count;
  to->count = at;
  while (moved > 0) { /* from the end, so that nothing is overwritten before it was moved */
    bool take = left == 0 || b->scratch[moved - 1] > to->ranks[left - 1];
    to->ranks[--at] = take ? b->scratch[--moved] : to->ranks[--left];
  }
}

bool ts_bin_fits(struct balance *b, const struct bin *bin) {
  uint64_t limit = b->options->memory_limit_bytes;
  return limit == 0 || ts_peak_of(&b->peak, b->tree, bin->ranks, bin->count) <= limit;
}

void ts_balance_init(struct balance *b, const struct ts_reuse_tree *tree, const struct ts_bucket_options *options,
                     const uint32_t *bucket_of, size_t bucket_count) {
  const struct ts_bucket_input *input = tree->input;
  *b = (struct balance){.tree = tree, .options = options, .bin_count = bucket_count};
  b->bins = ts_calloc(bucket_count + 1, sizeof *b->bins);
  b->in_a = ts_calloc(3 * (input->key_count + 1), sizeof *b->in_a);
  b->in_b = b->in_a + input->key_count + 1;
  b->in_s = b->in_b + input->key_count + 1;
  b->scratch = ts_malloc((input->member_count + 1) * sizeof *b->scratch);
  b->steps_left = STEPS + STEPS_PER_TASK * (int64_t)(input->member_count * input->task_count);
  ts_peak_init(&b->peak, tree);
  for (size_t m = 0; m < input->member_count; m++) b->bins[bucket_of[m]].count++;
  for (size_t i = 0; i < bucket_count; i++) {
    size_t count = b->bins[i].count;
    b->bins[i].count = 0;
    reserve(&b->bins[i], count);
  }
  for (size_t r = 0; r < input->member_count; r++) {
    struct bin *bin = &b->bins[bucket_of[tree->order[r]]];
    bin->ranks[bin->count++] = (uint32_t)r;
  }
  for (size_t i = 0; i < bucket_count; i++) b->bins[i].cost = ts_bin_cost(b, &b->bins[i]);
}

void ts_balance_release(struct balance *b) {
  for (size_t i = 0; i < b->bin_count; i++) free(b->bins[i].ranks);
  free(b->bins);
  free(b->in_a);
  free(b->scratch);
  ts_peak_release(&b->peak);
}

void ts_balance_store(const struct balance *b, uint32_t *bucket_of) {
  for (size_t i = 0; i < b->bin_count; i++) {
    for (size_t k = 0; k < b->bins[i].count; k++) bucket_of[b->tree->order[b->bins[i].ranks[k]]] = (uint32_t)i;
  }
}

int64_t ts_balance_max(const struct balance *b) {
  int64_t most = 0;
  for (size_t i = 0; i < b->bin_count; i++) most = b->bins[i].cost > most ? b->bins[i].cost : most;
  return most;
}

int64_t ts_balance_sum(const struct balance *b) {
  int64_t sum = 0;
  for (size_t i = 0; i < b->bin_count; i++) sum += b->bins[i].cost;
  return sum;
}
