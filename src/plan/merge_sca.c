/* SCA: the graph of members, weighted by their common tasks, is cut in two until a part fits into a bucket.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The larger part of each cut goes on, and when it fits, everything starts again with the members that are left. Parts
 * that share nothing at all with each other are cut apart without a search: no cut is less than zero. */
#include "plan/min_cut_int.h"

#include "base/alloc.h"

#include <string.h>

/* A limit, not tuned: planning grows with the fourth power of the members. */
#define MOST_MEMBERS 2000

/* The weight that two members have in common; all pairs, once. */
static int64_t *shared_weights(const struct ts_reuse_tree *tree) {
  const struct ts_bucket_input *input = tree->input;
  size_t n = input->member_count;
  int64_t *weights = ts_calloc(n * n, sizeof *weights);
  for (size_t a = 0; a < n; a++) {
    for (size_t b = 0; b < a; b++) {
      const uint32_t *x = input->keys + a * input->task_count, *y = input->keys + b * input->task_count;
      int64_t shared = 0;
      for (size_t t = 0; t < input->task_count; t++) shared += x[t] == y[t] ? tree->weights[t] : 0;
      weights[a * n + b] = weights[b * n + a] = shared;
    }
  }
  return weights;
}

/* Keeps the side with more members; the first ones of `part` are it. */
static size_t keep_larger_side(uint32_t *part, size_t count, const bool *side) {
  size_t on_side = 0;
  for (size_t i = 0; i < count; i++) on_side += side[i];
  bool keep = 2 * on_side > count;
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    if (side[i] == keep) part[kept++] = part[i];
  }
  return kept;
}

struct component {
  uint32_t number, size;
};

static int compare_components(const void *a, const void *b) {
  const struct component *x = a, *y = b;
  if (x->size != y->size) return x->size < y->size ? -1 : 1;
  return x->number < y->number ? 1 : -1;
}

/* Numbers the connected components of a part, in the order of their first members; returns how many there are. */
static size_t number_components(const int64_t *weights, size_t stride, const uint32_t *part, size_t count,
                                uint32_t *component_of, uint32_t *queue) {
  size_t components = 0;
  memset(component_of, 0xff, count * sizeof *component_of);
  for (size_t first = 0; first < count; first++) {
    if (component_of[first] != UINT32_MAX) continue;
    size_t head = 0, tail = 0;
    queue[tail++] = (uint32_t)first;
    component_of[first] = (uint32_t)components;
    while (head < tail) {
      const int64_t *row = weights + part[queue[head++]] * stride;
      for (size_t i = first + 1; i < count; i++) {
        if (component_of[i] != UINT32_MAX || row[part[i]] == 0) continue;
        component_of[i] = (uint32_t)components;
        queue[tail++] = (uint32_t)i;
      }
    }
    components++;
  }
  return components;
}

/* Cuts off whole components, the smallest first, until one is left or the rest fits. */
static size_t cut_components(const int64_t *weights, size_t stride, uint32_t *part, size_t count, size_t most) {
  ts_auto_free uint32_t *component_of = ts_malloc(2 * count * sizeof *component_of);
  size_t components = number_components(weights, stride, part, count, component_of, component_of + count);
  ts_auto_free struct component *list = ts_calloc(components, sizeof *list);
  ts_auto_free bool *gone = ts_calloc(components, sizeof *gone);
  for (size_t i = 0; i < count; i++)
    list[component_of[i]] = (struct component){component_of[i], list[component_of[i]].size + 1};
  qsort(list, components, sizeof *list, compare_components);
  size_t left = count, kept = 0;
  for (size_t i = 0; i + 1 < components && left > most; i++) {
    gone[list[i].number] = true;
    left -= list[i].size;
  }
  for (size_t i = 0; i < count; i++) {
    if (!gone[component_of[i]]) part[kept++] = part[i];
  }
  return kept;
}

static bool merge(const struct ts_reuse_tree *tree, const struct ts_bucket_options *options, uint32_t *bucket_of,
                  struct ts_error *err) {
  size_t n = tree->input->member_count;
  if (n > MOST_MEMBERS) {
    ts_fail(err, TS_ERR_USAGE, "merging by 'sca' takes at most %d distinct stages, there are %zu", MOST_MEMBERS, n);
    return ts_error_help(err, "its time grows with the fourth power of their number; use --merge rtma or trtma");
  }
  ts_auto_free int64_t *weights = shared_weights(tree);
  ts_auto_free uint32_t *rest = ts_malloc(2 * n * sizeof *rest);
  uint32_t *part = rest + n;
  ts_auto_free bool *side = ts_calloc(n, sizeof *side);
  size_t left = n;
  for (size_t i = 0; i < n; i++) rest[i] = (uint32_t)i;
  for (uint32_t bucket = 0; left > 0; bucket++) {
    size_t count = left;
    memcpy(part, rest, left * sizeof *part);
    count = cut_components(weights, n, part, count, options->max_bucket_size);
    while (count > options->max_bucket_size) {
      ts_min_cut(weights, n, part, count, side);
      count = keep_larger_side(part, count, side);
    }
    size_t kept = 0;
    for (size_t i = 0, p = 0; i < left; i++) { /* both are in ascending order */
      if (p < count && part[p] == rest[i])
        bucket_of[part[p++]] = bucket;
      else
        rest[kept++] = rest[i];
    }
    left = kept;
  }
  return true;
}

const struct ts_merger ts_merger_sca = {.name = "sca",
                                        .help = "least cuts of the graph of shared tasks, up to 2,000 distinct stages",
                                        .needs_size = true,
                                        .merge = merge};
