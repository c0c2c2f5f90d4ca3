/* The walk backwards, from what is wanted to all that it needs: over any graph, and over the nodes of a plan.
 * SPDX-License-Identifier: Apache-2.0 */
#include "plan/plan.h"

void ts_walk_back(const struct ts_walk *walk, size_t vertex) {
  if (walk->met && walk->met[vertex]) return;
  if (walk->enter && !walk->enter(walk->user, vertex)) return;
  if (walk->met) walk->met[vertex] = true;
  size_t first = 0, count = 0;
  for (size_t i = 0; walk->input(walk->graph, vertex, i, &first, &count); i++) {
    for (size_t v = first; v < first + count; v++) ts_walk_back(walk, v);
  }
  if (walk->leave) walk->leave(walk->user, vertex);
}

static bool node_input(const void *graph, size_t vertex, size_t input, size_t *first, size_t *count) {
  const struct ts_node *node = &((const struct ts_plan *)graph)->nodes[vertex];
  if (input == node->input_count) return false;
  *first = node->inputs[input].node;
  *count = node->inputs[input].node == TS_NO_NODE ? 0 : 1;
  return true;
}

void ts_plan_walk(const struct ts_plan *plan, uint32_t node, bool *met, ts_walk_enter *enter, void *user) {
  struct ts_walk walk = {.input = node_input, .graph = plan, .enter = enter, .user = user};
  walk.met = met;
  if (node != TS_NO_NODE) ts_walk_back(&walk, node);
}
