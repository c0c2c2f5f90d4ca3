/* Shared by the merging algorithms: the reuse tree, integer weights, the depth-first peak.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_PLAN_BUCKET_INT_H
#define TS_PLAN_BUCKET_INT_H

#include "plan/bucket.h"

/* The reuse tree of the members. A row of nodes is a path from the root to a leaf: equal nodes at depth d mean equal
 * tasks in the first d + 1 levels. For chain keys the nodes are the keys; for keys of a graph the tasks that are shared
 * most come first. Members are held in depth-first order ("rank"), so that every subtree is an interval of ranks. */
struct ts_reuse_tree {
  const struct ts_bucket_input *input; /* borrowed */
  uint32_t *order;                     /* owned: rank -> member */
  uint32_t *keys;                      /* owned: rows of task keys by rank */
  uint32_t *nodes;                     /* keys for a chain; owned otherwise: rows of tree nodes by rank */
  size_t node_count;
  size_t *level_nodes; /* owned: nodes at each depth */
  int64_t *weights;    /* owned: per task, costs in whole units, so that sums are exact */
  int64_t member_weight;
};
void ts_reuse_tree_init(struct ts_reuse_tree *tree, const struct ts_bucket_input *input);
void ts_reuse_tree_release(struct ts_reuse_tree *tree);

static inline const uint32_t *ts_tree_keys(const struct ts_reuse_tree *tree, size_t rank) {
  return tree->keys + rank * tree->input->task_count;
}
static inline uint32_t ts_tree_node(const struct ts_reuse_tree *tree, size_t rank, size_t depth) {
  return tree->nodes[rank * tree->input->task_count + depth];
}
/* End of the interval of ranks[first..count) that has the same node at this depth as the first one. */
size_t ts_tree_interval_end(const struct ts_reuse_tree *tree, const uint32_t *ranks, size_t count, size_t first,
                            size_t depth);

/* Peak of running members one after another, each task in order; ranks NULL: all. */
struct ts_peak {
  uint32_t *done; /* owned: per key, in which call it was made */
  size_t *last_use;
  uint32_t call;
};
void ts_peak_init(struct ts_peak *peak, const struct ts_reuse_tree *tree);
void ts_peak_release(struct ts_peak *peak);
uint64_t ts_peak_of(struct ts_peak *peak, const struct ts_reuse_tree *tree, const uint32_t *ranks, size_t count);

/* ---- buckets while they are being balanced (trtma) ---- */
struct bin {
  uint32_t *ranks; /* owned, ascending */
  size_t count, capacity;
  int64_t cost;
};

struct balance {
  const struct ts_reuse_tree *tree;        /* borrowed */
  const struct ts_bucket_options *options; /* borrowed */
  struct bin *bins;                        /* owned */
  size_t bin_count;
  uint32_t *in_a, *in_b, *in_s; /* owned, per key: members of two bins and of a part that have it; zero between uses */
  uint32_t *scratch;            /* owned: room for all ranks */
  bool prefer_less_work;        /* among moves to the same greater cost; otherwise the smaller difference */
  int64_t steps_left;           /* bound on the search, counted so that results do not depend on the machine */
  struct ts_peak peak;
};

/* A part of bin a, the interval [first, end) of its ranks, and its worth. */
struct part {
  size_t first, end;
  int64_t loss; /* cost that leaves its bin */
  int64_t gain; /* cost that the other bin gets */
};

void ts_balance_init(struct balance *b, const struct ts_reuse_tree *tree, const struct ts_bucket_options *options,
                     const uint32_t *bucket_of, size_t bucket_count);
void ts_balance_release(struct balance *b);
void ts_balance_run(struct balance *b);
void ts_balance_store(const struct balance *b, uint32_t *bucket_of);
int64_t ts_balance_max(const struct balance *b);
int64_t ts_balance_sum(const struct balance *b);

void ts_bin_count_keys(struct balance *b, const struct bin *bin, uint32_t *counts, int sign);
int64_t ts_bin_cost(struct balance *b, const struct bin *bin);
/* Every subtree of bin a that is worth less than `cap` to bin b, deepest first. in_a and in_b must be filled. */
typedef void ts_part_visitor(void *user, const struct part *part);
void ts_bin_parts(struct balance *b, const struct bin *a, int64_t cap, ts_part_visitor *visit, void *user);
/* Takes the part out of one bin and puts it into the other; costs are not touched. */
void ts_bin_move(struct balance *b, struct bin *from, struct bin *to, size_t first, size_t end);
bool ts_bin_fits(struct balance *b, const struct bin *bin);
/* Exchanges parts of the two bins so that the greater of their costs falls. */
bool ts_balance_swap(struct balance *b, struct bin *big, struct bin *other);

bool ts_trtma_merge(const struct ts_reuse_tree *tree, const struct ts_bucket_options *options, uint32_t *bucket_of,
                    struct ts_error *err);

extern const struct ts_merger ts_merger_naive, ts_merger_sca, ts_merger_rtma, ts_merger_trtma, ts_merger_lineage;

#endif
