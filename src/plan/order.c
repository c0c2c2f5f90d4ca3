/* The order of execution: depth first along the reuse tree, so that few intermediate products are alive at once.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Runs are sorted by the nodes they use, the most widely shared task first: runs that share much are next to each
 * other and a shared product can be freed soon after its last user. */
#include "plan/plan_int.h"

#include "base/alloc.h"

#include <stdlib.h>

struct column {
  size_t task;
  size_t distinct;
};

struct sorter {
  const uint32_t *task_nodes;
  size_t task_count;
  const struct column *columns;
};

static int compare_columns(const void *a, const void *b) {
  const struct column *x = a;
  const struct column *y = b;
  if (x->distinct != y->distinct) return x->distinct < y->distinct ? -1 : 1;
  return x->task < y->task ? -1 : x->task > y->task;
}

static int compare_runs(const void *a, const void *b, void *user) {
  const struct sorter *s = user;
  uint32_t x = *(const uint32_t *)a;
  uint32_t y = *(const uint32_t *)b;
  for (size_t i = 0; i < s->task_count; i++) {
    uint32_t u = s->task_nodes[x * s->task_count + s->columns[i].task];
    uint32_t v = s->task_nodes[y * s->task_count + s->columns[i].task];
    if (u != v) return u < v ? -1 : 1;
  }
  return x < y ? -1 : x > y;
}

/* Helper nodes (sources, crops, gathers) are as urgent as the first task that needs them. */
static void spread_to_inputs(struct ts_plan *plan) {
  for (size_t n = plan->node_count; n-- > 0;) {
    const struct ts_node *node = &plan->nodes[n];
    for (size_t i = 0; i < node->input_count; i++) {
      uint32_t input = node->inputs[i].node;
      if (input == TS_NO_NODE) continue;
      if (node->first_set < plan->nodes[input].first_set) plan->nodes[input].first_set = node->first_set;
      if (!node->reference_only && plan->nodes[input].kind != TS_NODE_TASK) plan->nodes[input].reference_only = false;
    }
  }
}

void ts_plan_order(struct builder *b) {
  struct ts_plan *plan = b->plan;
  size_t task_count = plan->workflow->task_count;
  struct column *columns = ts_arena_array(&b->scratch, task_count + 1, sizeof *columns);
  for (size_t t = 0; t < task_count; t++) columns[t] = (struct column){t, plan->counts[t].distinct};
  qsort(columns, task_count, sizeof *columns, compare_columns);
  uint32_t *order = ts_arena_array(&plan->arena, plan->set_count + 1, sizeof *order);
  for (size_t s = 0; s < plan->set_count; s++) order[s] = (uint32_t)s;
  struct sorter sorter = {b->task_nodes, task_count, columns};
  qsort_r(order, plan->set_count, sizeof *order, compare_runs, &sorter);
  plan->set_order = order;
  for (size_t rank = 0; rank < plan->set_count; rank++) {
    for (size_t t = 0; t < task_count; t++) {
      uint32_t node = b->task_nodes[order[rank] * task_count + t];
      if (node != TS_NO_NODE && plan->nodes[node].first_set > rank) plan->nodes[node].first_set = (uint32_t)rank;
    }
  }
  /* Nodes of the reference run alone come first: others compare with it. */
  for (size_t n = 0; n < plan->node_count; n++) {
    if (plan->nodes[n].kind == TS_NODE_TASK && plan->nodes[n].reference_only) plan->nodes[n].first_set = 0;
  }
  spread_to_inputs(plan);
}
