/* SCA: the graph of members, weighted by what two of them share, is cut in two until a part fits into a bucket.
 * SPDX-License-Identifier: Apache-2.0 */
#include "plan/min_cut_int.h"

#include "base/alloc.h"

#include <string.h>

#define MOST_MEMBERS 2000

/* What two members have in common; all pairs, once. */
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

static bool merge(const struct ts_reuse_tree *tree, const struct ts_bucket_options *options, uint32_t *bucket_of,
                  struct ts_error *err) {
  size_t n = tree->input->member_count;
  if (n > MOST_MEMBERS) {
    ts_fail(err, TS_ERR_USAGE, "merging by 'sca' takes at most %d distinct stages, there are %zu", MOST_MEMBERS, n);
    ts_error_help(err, "its time grows with the fourth power of their number; use --merge rtma or trtma");
    return false;
  }
  int64_t *weights = shared_weights(tree);
  uint32_t *rest = ts_malloc(2 * n * sizeof *rest);
  uint32_t *part = rest + n;
  bool *side = ts_calloc(n, sizeof *side);
  size_t left = n;
  for (size_t i = 0; i < n; i++) rest[i] = (uint32_t)i;
  for (uint32_t bucket = 0; left > 0; bucket++) {
    size_t count = left;
    memcpy(part, rest, left * sizeof *part);
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
  free(side);
  free(rest);
  free(weights);
  return true;
}

const struct ts_merger ts_merger_sca = {.name = "sca",
                                        .help = "least cuts of the graph of shared tasks, up to 2,000 distinct stages",
                                        .needs_size = true,
                                        .merge = merge};
