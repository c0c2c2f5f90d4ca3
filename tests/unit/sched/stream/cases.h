/* Small graphs for the tests of stream scheduling.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_TESTS_SCHED_STREAM_CASES_H
#define TS_TESTS_SCHED_STREAM_CASES_H

#include "base/random.h"
#include "graph/task_graph.h"

#include <stdio.h>

struct case_edge {
  unsigned from, to;
  double time;
};

/* Tasks are named 1 to task_count. */
static inline void make_graph(struct ts_task_graph *graph, const double *times, size_t task_count,
                              const struct case_edge *edges, size_t edge_count) {
  struct ts_error err = {0};
  *graph = (struct ts_task_graph){0};
  for (size_t t = 0; t < task_count; t++) {
    char id[24];
    snprintf(id, sizeof id, "%zu", t + 1);
    if (!ts_task_graph_add_task(graph, id, times[t], &err)) fail_msg("%s", err.text);
  }
  for (size_t e = 0; e < edge_count; e++) {
    if (!ts_task_graph_add_edge(graph, edges[e].from - 1, edges[e].to - 1, edges[e].time, &err))
      fail_msg("%s", err.text);
  }
  if (!ts_task_graph_finish(graph, &err)) fail_msg("%s", err.text);
}

static inline void make_random(struct ts_task_graph *graph, size_t task_count, double ccr, uint64_t seed) {
  struct ts_random random;
  double times[64];
  struct case_edge edges[2048];
  size_t count = 0;
  ts_random_init(&random, seed, 0);
  for (size_t t = 0; t < task_count; t++) times[t] = 1 + (double)ts_random_below(&random, 59);
  for (unsigned j = 2; j <= task_count; j++) {
    for (unsigned i = 1; i < j; i++) {
      if (ts_random_unit(&random) < 0.35) edges[count++] = (struct case_edge){i, j, ts_random_unit(&random) * 60 * ccr};
    }
  }
  make_graph(graph, times, task_count, edges, count);
}

/* Figure 2 of the paper, its Figure 1 (reconstructed) and Figure 3 (made consistent). */
static const double ten[] = {10, 10, 10, 10, 10, 10, 10};
static const struct case_edge fig2_edges[] = {{1, 2, 8}, {1, 3, 5}, {2, 4, 9}, {3, 4, 9}};
static const struct case_edge fig1_edges[] = {{1, 2, 8}, {1, 3, 8}, {2, 5, 8}, {2, 7, 8}, {3, 4, 8},
                                              {3, 6, 8}, {4, 7, 8}, {5, 7, 8}, {6, 7, 8}};
#define FIG2(graph) make_graph(graph, ten, 4, fig2_edges, sizeof fig2_edges / sizeof *fig2_edges)
#define FIG1(graph) make_graph(graph, ten, 7, fig1_edges, sizeof fig1_edges / sizeof *fig1_edges)

#endif
