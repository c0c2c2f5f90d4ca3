/* The order of graphs against a plain definition, on many small random ones, with and without cycles.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "workflow/workflow_int.h"

#include <stdlib.h>
#include <string.h>

#define MAX_NODES 7
#define MAX_EDGES 16

static uint64_t random_state = 20240607;

/* xorshift64: the same graphs on every machine. */
static size_t draw(size_t below) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return (size_t)(random_state % below);
}

struct graph {
  size_t count;
  struct ts_edge edges[MAX_EDGES];
  size_t edge_count;
  bool reaches[MAX_NODES][MAX_NODES];
  size_t cycles; /* reported */
};

static bool has_edge(const struct graph *graph, size_t from, size_t to) {
  for (size_t i = 0; i < graph->edge_count; i++) {
    if (graph->edges[i].from == from && graph->edges[i].to == to) return true;
  }
  return false;
}

static void close_paths(struct graph *graph) {
  for (size_t i = 0; i < graph->edge_count; i++) graph->reaches[graph->edges[i].from][graph->edges[i].to] = true;
  for (size_t k = 0; k < graph->count; k++) {
    for (size_t i = 0; i < graph->count; i++) {
      for (size_t j = 0; j < graph->count; j++) {
        if (graph->reaches[i][k] && graph->reaches[k][j]) graph->reaches[i][j] = true;
      }
    }
  }
}

static bool is_cyclic(const struct graph *graph) {
  for (size_t i = 0; i < graph->count; i++) {
    if (graph->reaches[i][i]) return true;
  }
  return false;
}

/* Every step of a reported cycle is an edge, no node stands twice, the lowest one leads. */
static void check_cycle(void *user, const size_t *nodes, size_t node_count, const char *pointer) {
  struct graph *graph = user;
  graph->cycles++;
  assert_true(node_count > 0);
  assert_string_equal(pointer, "edge");
  for (size_t i = 0; i < node_count; i++) {
    assert_true(has_edge(graph, nodes[i], nodes[(i + 1) % node_count]));
    assert_true(i == 0 || nodes[0] < nodes[i]);
    for (size_t j = 0; j < i; j++) assert_true(nodes[i] != nodes[j]);
  }
}

/* The smallest order, position by position, among those in which edges lead forward. */
static void check_order(const struct graph *graph, const size_t *order) {
  bool done[MAX_NODES] = {false};
  for (size_t position = 0; position < graph->count; position++) {
    size_t wanted = graph->count;
    for (size_t node = 0; node < graph->count && wanted == graph->count; node++) {
      bool ready = !done[node];
      for (size_t from = 0; from < graph->count; from++) {
        if (has_edge(graph, from, node) && !done[from]) ready = false;
      }
      if (ready) wanted = node;
    }
    assert_int_equal(order[position], wanted);
    done[wanted] = true;
  }
}

static void test_random_graphs(void **state) {
  (void)state;
  size_t cyclic = 0;
  for (int round = 0; round < 20000; round++) {
    struct graph graph = {.count = 1 + draw(MAX_NODES)};
    graph.edge_count = draw(MAX_EDGES);
    for (size_t i = 0; i < graph.edge_count; i++) {
      graph.edges[i] = (struct ts_edge){draw(graph.count), draw(graph.count), "edge"};
      /* without this nearly all would be cyclic */
      if (round % 2 == 0 && graph.edges[i].from == graph.edges[i].to)
        graph.edges[i--] = graph.edges[--graph.edge_count];
    }
    close_paths(&graph);
    size_t order[MAX_NODES];
    ts_sort_graph(graph.count, graph.edges, graph.edge_count, order, check_cycle, &graph);
    assert_int_equal(graph.cycles > 0, is_cyclic(&graph));
    if (graph.cycles == 0) check_order(&graph, order);
    cyclic += graph.cycles > 0;
  }
  assert_true(cyclic > 1000 && cyclic < 19000);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_graphs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
