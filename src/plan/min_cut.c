/* The least cut of a complete graph in two: maximum-adjacency phases, with everything contracted that cannot be cut.
 * SPDX-License-Identifier: Apache-2.0
 *
 * M. Stoer, F. Wagner, "A simple min-cut algorithm", J. ACM 44 (1997), doi:10.1145/263867.263872. Besides the last two
 * vertices of a phase, a pair is contracted when its attachment reaches the best cut known: no lesser cut separates it
 * (H. Nagamochi, T. Ibaraki, SIAM J. Discrete Math. 5 (1992), doi:10.1137/0405004). Few phases remain. */
#include "plan/min_cut_int.h"

#include "base/alloc.h"

#include <string.h>

struct graph {
  int64_t *edges; /* owned: size * size */
  size_t size;
  size_t *leader;    /* owned, with the two other lists: contraction of this phase, as a forest */
  int64_t *attached; /* owned: to the vertices that were picked in this phase */
  size_t *waiting;   /* those not picked yet */
  size_t *vertex_of; /* per original vertex, where it is now */
  size_t original_count;
  int64_t best;
  bool *side; /* borrowed: one side of the best cut */
};

static size_t leader_of(struct graph *g, size_t v) {
  while (g->leader[v] != v) v = g->leader[v] = g->leader[g->leader[v]];
  return v;
}

static void join(struct graph *g, size_t a, size_t b) {
  a = leader_of(g, a);
  b = leader_of(g, b);
  if (a < b) g->leader[b] = a;
  if (b < a) g->leader[a] = b;
}

/* Cuts single vertices off; the first of the best ones wins. */
static void try_single_vertices(struct graph *g) {
  for (size_t v = 0; v < g->size && g->size > 1; v++) {
    int64_t cut = 0;
    for (size_t u = 0; u < g->size; u++) cut += u == v ? 0 : g->edges[v * g->size + u];
    if (cut >= g->best) continue;
    g->best = cut;
    for (size_t i = 0; i < g->original_count; i++) g->side[i] = g->vertex_of[i] == v;
  }
}

/* The next to pick: the most attached, the lowest number among equals. Takes it out of the list. */
static size_t pick(struct graph *g, size_t count) {
  size_t at = 0;
  for (size_t i = 1; i < count; i++) {
    int64_t more = g->attached[g->waiting[i]] - g->attached[g->waiting[at]];
    if (more > 0 || (more == 0 && g->waiting[i] < g->waiting[at])) at = i;
  }
  size_t picked = g->waiting[at];
  g->waiting[at] = g->waiting[count - 1];
  return picked;
}

static void phase(struct graph *g) {
  size_t last = 0, before = 0;
  for (size_t v = 0; v < g->size; v++) {
    g->leader[v] = g->waiting[v] = v;
    g->attached[v] = 0;
  }
  for (size_t left = g->size; left > 0; left--) {
    before = last;
    last = pick(g, left);
    const int64_t *edges = g->edges + last * g->size;
    for (size_t i = 0; i + 1 < left; i++) {
      size_t y = g->waiting[i];
      int64_t attached = g->attached[y];
      g->attached[y] += edges[y];
      if (attached < g->best && g->attached[y] >= g->best) join(g, last, y); /* once: when it gets there */
    }
  }
  join(g, before, last);
}

static void contract(struct graph *g) {
  size_t count = 0;
  size_t *number = ts_calloc(g->size, sizeof *number);
  for (size_t v = 0; v < g->size; v++) number[v] = leader_of(g, v) == v ? count++ : 0;
  for (size_t v = 0; v < g->size; v++) number[v] = number[leader_of(g, v)]; /* a leader keeps its own */
  int64_t *edges = ts_calloc(count * count, sizeof *edges);
  for (size_t v = 0; v < g->size && count > 1; v++) {
    int64_t *row = edges + number[v] * count;
    for (size_t u = 0; u < g->size; u++) row[number[u]] += g->edges[v * g->size + u];
  }
  for (size_t i = 0; i < g->original_count; i++) g->vertex_of[i] = number[g->vertex_of[i]];
  free(g->edges);
  free(number);
  g->edges = edges;
  g->size = count;
}

int64_t ts_min_cut(const int64_t *weights, size_t stride, const uint32_t *vertices, size_t count, bool *side) {
  struct graph g = {.size = count, .original_count = count, .best = INT64_MAX, .side = side};
  g.edges = ts_malloc(count * count * sizeof *g.edges);
  g.leader = ts_calloc(3 * count, sizeof *g.leader);
  g.vertex_of = g.leader + count;
  g.waiting = g.vertex_of + count;
  g.attached = ts_calloc(count, sizeof *g.attached);
  memset(side, 0, count * sizeof *side);
  for (size_t v = 0; v < count; v++) {
    g.vertex_of[v] = v;
    for (size_t u = 0; u < count; u++) g.edges[v * count + u] = weights[vertices[v] * stride + vertices[u]];
  }
  try_single_vertices(&g);
  while (g.size > 1 && g.best > 0) { /* weights are not negative: nothing is less than 0 */
    phase(&g);
    contract(&g);
    try_single_vertices(&g);
  }
  free(g.edges);
  free(g.leader);
  free(g.attached);
  return g.best;
}
