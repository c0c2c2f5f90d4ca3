/* The reuse tree: members in depth-first order, subtrees as intervals; arrays only.
 * SPDX-License-Identifier: Apache-2.0 */
#include "plan/bucket_int.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

#define FINEST_WEIGHT (1 << 20) /* of the costliest task: costs that differ by a millionth of it are distinguished */

/* Costs in whole units. Equal costs are 1 each; otherwise the costliest task has FINEST_WEIGHT units. */
static void set_weights(struct ts_reuse_tree *tree) {
  const struct ts_bucket_input *input = tree->input;
  double most = 0, least = INFINITY;
  for (size_t t = 0; input->costs && t < input->task_count; t++) {
    most = fmax(most, input->costs[t]);
    least = fmin(least, input->costs[t]);
  }
  bool equal = !input->costs || !(most > 0) || most <= least;
  tree->member_weight = 0;
  for (size_t t = 0; t < input->task_count; t++) {
    int64_t weight = equal ? 1 : (int64_t)llround(fmax(input->costs[t], 0) / most * FINEST_WEIGHT);
    if (weight == 0 && input->costs[t] > 0) weight = 1;
    tree->weights[t] = weight;
    tree->member_weight += weight;
  }
}

/* How many distinct keys each task has. */
static void count_distinct(const struct ts_bucket_input *input, size_t *distinct) {
  ts_auto_free bool *met = ts_calloc(input->key_count + 1, sizeof *met);
  for (size_t m = 0; m < input->member_count; m++) {
    for (size_t t = 0; t < input->task_count; t++) {
      uint32_t key = input->keys[m * input->task_count + t];
      if (!met[key]) distinct[t]++;
      met[key] = true;
    }
  }
}

/* Tasks in ascending order of their distinct keys: near the root those that most members share. */
static void order_tasks(const size_t *distinct, size_t task_count, size_t *tasks) {
  for (size_t t = 0; t < task_count; t++) {
    size_t at = t;
    for (; at > 0 && distinct[tasks[at - 1]] > distinct[t]; at--) tasks[at] = tasks[at - 1];
    tasks[at] = t;
  }
}

/* Paths through the tree for keys of a graph, by member; the caller owns the result. */
static uint32_t *graph_nodes(struct ts_reuse_tree *tree) {
  const struct ts_bucket_input *input = tree->input;
  size_t count = input->member_count * input->task_count;
  uint32_t *nodes = ts_malloc((count + 1) * sizeof *nodes);
  ts_auto_free size_t *distinct = ts_calloc(2 * input->task_count + 1, sizeof *distinct);
  size_t *tasks = distinct + input->task_count;
  count_distinct(input, distinct);
  order_tasks(distinct, input->task_count, tasks);
  for (size_t m = 0; m < input->member_count; m++) {
    const uint32_t *row = input->keys + m * input->task_count;
    for (size_t d = 0; d < input->task_count; d++) nodes[m * input->task_count + d] = row[tasks[d]];
  }
  tree->node_count = ts_chain_keys(nodes, input->member_count, input->task_count, nodes);
  return nodes;
}

/* Depth-first order without sorting: each node gets as many places as it has members, from those of its parent. */
static void set_order(struct ts_reuse_tree *tree, const uint32_t *nodes) {
  size_t tasks = tree->input->task_count;
  size_t members = tree->input->member_count;
  ts_auto_free uint32_t *sizes = ts_calloc(tree->node_count + 1, sizeof *sizes);
  ts_auto_free uint32_t *cursors = ts_malloc((tree->node_count + 1) * sizeof *cursors);
  for (size_t i = 0; i < members * tasks; i++) sizes[nodes[i]]++;
  cursors[tree->node_count] = 0; /* the root */
  for (size_t d = 0; d < tasks; d++) {
    for (size_t m = 0; m < members; m++) {
      uint32_t node = nodes[m * tasks + d];
      if (sizes[node] == 0) continue; /* has its places */
      uint32_t *parent = &cursors[d == 0 ? tree->node_count : nodes[m * tasks + d - 1]];
      cursors[node] = *parent;
      *parent += sizes[node];
      sizes[node] = 0;
      tree->level_nodes[d]++;
    }
  }
  for (size_t m = 0; m < members; m++) {
    uint32_t *leaf = &cursors[tasks == 0 ? tree->node_count : nodes[m * tasks + tasks - 1]];
    tree->order[(*leaf)++] = (uint32_t)m;
  }
}

static uint32_t *rows_by_rank(const struct ts_reuse_tree *tree, const uint32_t *rows) {
  size_t tasks = tree->input->task_count;
  uint32_t *ranked = ts_malloc((tree->input->member_count * tasks + 1) * sizeof *ranked);
  for (size_t r = 0; r < tree->input->member_count; r++)
    memcpy(ranked + r * tasks, rows + tree->order[r] * tasks, tasks * sizeof *ranked);
  return ranked;
}

void ts_reuse_tree_init(struct ts_reuse_tree *tree, const struct ts_bucket_input *input) {
  *tree = (struct ts_reuse_tree){.input = input, .node_count = input->key_count};
  tree->order = ts_malloc((input->member_count + 1) * sizeof *tree->order);
  tree->level_nodes = ts_calloc(input->task_count + 1, sizeof *tree->level_nodes);
  tree->weights = ts_calloc(input->task_count + 1, sizeof *tree->weights);
  set_weights(tree);
  ts_auto_free uint32_t *nodes = input->chain ? NULL : graph_nodes(tree);
  set_order(tree, nodes ? nodes : input->keys);
  tree->keys = rows_by_rank(tree, input->keys);
  tree->nodes = nodes ? rows_by_rank(tree, nodes) : tree->keys;
}

void ts_reuse_tree_release(struct ts_reuse_tree *tree) {
  if (tree->nodes != tree->keys) free(tree->nodes);
  free(tree->keys);
  free(tree->order);
  free(tree->level_nodes);
  free(tree->weights);
  *tree = (struct ts_reuse_tree){0};
}

size_t ts_tree_interval_end(const struct ts_reuse_tree *tree, const uint32_t *ranks, size_t count, size_t first,
                            size_t depth) {
  uint32_t node = ts_tree_node(tree, ranks[first], depth);
  size_t end = first + 1;
  while (end < count && ts_tree_node(tree, ranks[end], depth) == node) end++;
  return end;
}
