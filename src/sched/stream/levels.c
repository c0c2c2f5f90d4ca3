/* A problem with what every algorithm needs: levels of the tasks, the static order of tasks and edges, reachability.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Levels are those of the graph with all its edges and never change; the static order is topological with edges as
 * nodes, also where times are 0, because ties go by rank. */
#include "sched/stream/stream_int.h"

#include "base/alloc.h"
#include "base/order.h"

#include <math.h>
#include <string.h>

/* A topological order, by Kahn's algorithm; the rank proper needs the bottom levels first. */
static void order_any(const struct ts_task_graph *graph, uint32_t *order) {
  size_t n = graph->task_count, head = 0, tail = 0;
  ts_auto_free uint32_t *waiting = ts_calloc(n, sizeof *waiting);
  for (size_t t = 0; t < n; t++) {
    waiting[t] = graph->in_first[t + 1] - graph->in_first[t];
    if (waiting[t] == 0) order[tail++] = (uint32_t)t;
  }
  while (head < tail) {
    uint32_t t = order[head++];
    for (uint32_t i = graph->out_first[t]; i < graph->out_first[t + 1]; i++) {
      uint32_t to = graph->edges[graph->out_edges[i]].to;
      if (--waiting[to] == 0) order[tail++] = to;
    }
  }
}

/* Longest paths from each task to the end: with transfers, and without. */
static void find_levels(struct stream_model *s, const uint32_t *order) {
  const struct ts_task_graph *g = s->graph;
  ts_auto_free double *bare = ts_calloc(s->task_count, sizeof *bare);
  for (size_t i = s->task_count; i-- > 0;) {
    uint32_t t = order[i];
    double longest = 0, longest_bare = 0;
    for (uint32_t k = g->out_first[t]; k < g->out_first[t + 1]; k++) {
      const struct ts_task_edge *edge = &g->edges[g->out_edges[k]];
      double path = edge->time + s->bottom[edge->to];
      if (path > longest) longest = path;
      if (bare[edge->to] > longest_bare) longest_bare = bare[edge->to];
    }
    s->bottom[t] = s->time[t] + longest;
    bare[t] = s->time[t] + longest_bare;
    if (bare[t] > s->least_latency) s->least_latency = bare[t];
  }
  for (size_t i = 0; i < s->task_count; i++) {
    uint32_t t = order[i];
    for (uint32_t k = g->out_first[t]; k < g->out_first[t + 1]; k++) {
      const struct ts_task_edge *edge = &g->edges[g->out_edges[k]];
      double path = s->top[t] + s->time[t] + edge->time;
      if (path > s->top[edge->to]) s->top[edge->to] = path;
    }
  }
}

/* Whether a ready task goes before another: larger bottom level, then the smaller number. */
static bool goes_first(const struct stream_model *s, uint32_t a, uint32_t b) {
  return s->bottom[a] != s->bottom[b] ? s->bottom[a] > s->bottom[b] : a < b;
}

static void heap_push(const struct stream_model *s, uint32_t *heap, size_t *count, uint32_t task) {
  size_t i = (*count)++;
  while (i > 0 && goes_first(s, task, heap[(i - 1) / 2])) {
    heap[i] = heap[(i - 1) / 2];
    i = (i - 1) / 2;
  }
  heap[i] = task;
}

static uint32_t heap_pop(const struct stream_model *s, uint32_t *heap, size_t *count) {
  uint32_t top = heap[0], moved = heap[--*count];
  size_t i = 0;
  for (size_t child = 1; child < *count; child = 2 * i + 1) {
    if (child + 1 < *count && goes_first(s, heap[child + 1], heap[child])) child++;
    if (!goes_first(s, heap[child], moved)) break;
    heap[i] = heap[child];
    i = child;
  }
  heap[i] = moved;
  return top;
}

static void find_ranks(struct stream_model *s) {
  const struct ts_task_graph *g = s->graph;
  size_t ready = 0;
  ts_auto_free uint32_t *waiting = ts_calloc(s->task_count, sizeof *waiting),
                        *heap = ts_calloc(s->task_count, sizeof *heap);
  for (size_t t = 0; t < s->task_count; t++) {
    waiting[t] = g->in_first[t + 1] - g->in_first[t];
    if (waiting[t] == 0) heap_push(s, heap, &ready, (uint32_t)t);
  }
  for (uint32_t rank = 0; ready > 0; rank++) {
    uint32_t t = heap_pop(s, heap, &ready);
    s->rank[t] = rank;
    for (uint32_t i = g->out_first[t]; i < g->out_first[t + 1]; i++) {
      uint32_t to = g->edges[g->out_edges[i]].to;
      if (--waiting[to] == 0) heap_push(s, heap, &ready, to);
    }
  }
}

/* What a task or edge is sorted by: decreasing level; then task i at 2 rank(i), its edges at 2 rank(i) + 1. */
struct place {
  double level;
  uint32_t first, second;
  struct stream_item item;
};

static int compare_places(const void *left, const void *right) {
  const struct place *a = left, *b = right;
  if (a->level != b->level) return a->level > b->level ? -1 : 1;
  if (a->first != b->first) return a->first < b->first ? -1 : 1;
  return a->second < b->second ? -1 : a->second > b->second;
}

static void find_order(struct stream_model *s) {
  size_t count = s->task_count + s->edge_count, tasks = 0;
  ts_auto_free struct place *places = ts_calloc(count, sizeof *places);
  for (size_t t = 0; t < s->task_count; t++)
    places[t] = (struct place){s->bottom[t], 2 * s->rank[t], 0, {.index = (uint32_t)t}};
  for (size_t e = 0; e < s->edge_count; e++) {
    const struct ts_task_edge *edge = &s->graph->edges[e];
    places[s->task_count + e] = (struct place){edge->time + s->bottom[edge->to],
                                               2 * s->rank[edge->from] + 1,
                                               s->rank[edge->to],
                                               {(uint32_t)e, true, edge->from, edge->to, edge->time}};
  }
  qsort(places, count, sizeof *places, compare_places);
  for (size_t i = 0; i < count; i++) {
    s->order[i] = places[i].item;
    if (!places[i].item.is_edge) s->task_order[tasks++] = places[i].item.index;
  }
}

static void find_reach(struct stream_model *s) {
  s->reach_words = (s->task_count + 63) / 64;
  s->reaches = ts_calloc(s->task_count * s->reach_words + 1, sizeof *s->reaches);
  for (size_t i = s->task_count; i-- > 0;) {
    uint32_t t = s->task_order[i];
    uint64_t *row = s->reaches + t * s->reach_words;
    for (uint32_t k = s->graph->out_first[t]; k < s->graph->out_first[t + 1]; k++) {
      uint32_t to = s->graph->edges[s->graph->out_edges[k]].to;
      const uint64_t *other = s->reaches + to * s->reach_words;
      for (size_t w = 0; w < s->reach_words; w++) row[w] |= other[w];
      row[to / 64] |= UINT64_C(1) << (to % 64);
    }
  }
}

bool ts_stream_is_ordered(const struct stream_model *s, uint32_t a, uint32_t b) {
  return (s->reaches[a * s->reach_words + b / 64] >> (b % 64) & 1) ||
         (s->reaches[b * s->reach_words + a / 64] >> (a % 64) & 1);
}

void ts_stream_model_init(struct stream_model *s, const struct ts_stream_problem *problem, double wanted) {
  const struct ts_task_graph *graph = problem->graph;
  size_t n = graph->task_count;
  *s = (struct stream_model){.problem = problem,
                             .graph = graph,
                             .task_count = n,
                             .edge_count = graph->edge_count,
                             .processors = problem->processors,
                             .ports = problem->ports,
                             .wanted = wanted,
                             .may_duplicate = !problem->no_duplication,
                             .is_literal = problem->literal};
  s->time = ts_calloc(n, sizeof *s->time);
  s->is_fixed = ts_calloc(n, sizeof *s->is_fixed);
  s->top = ts_calloc(n, sizeof *s->top);
  s->bottom = ts_calloc(n, sizeof *s->bottom);
  s->rank = ts_calloc(n, sizeof *s->rank);
  s->order = ts_calloc(n + s->edge_count, sizeof *s->order);
  s->task_order = ts_calloc(n, sizeof *s->task_order);
  for (size_t t = 0; t < n; t++) {
    s->time[t] = graph->tasks[t].time;
    s->is_fixed[t] = problem->no_replication || !graph->tasks[t].replicable;
    s->total_time += s->time[t];
  }
  order_any(graph, s->task_order);
  find_levels(s, s->task_order);
  find_ranks(s);
  find_order(s);
  find_reach(s);
}

bool ts_stream_is_stopped(const struct stream_model *s) {
  return s->problem->is_stopped && s->problem->is_stopped(s->problem->user);
}

void ts_stream_model_release(struct stream_model *s) {
  free(s->time);
  free(s->is_fixed);
  free(s->top);
  free(s->bottom);
  free(s->rank);
  free(s->order);
  free(s->task_order);
  free(s->reaches);
  *s = (struct stream_model){0};
}

double ts_stream_most_throughput(const struct ts_stream_problem *problem) {
  const struct ts_task_graph *graph = problem->graph;
  double total = 0, largest_fixed = 0;
  for (size_t t = 0; t < graph->task_count; t++) {
    total += graph->tasks[t].time;
    bool is_fixed = problem->no_replication || !graph->tasks[t].replicable;
    if (is_fixed && graph->tasks[t].time > largest_fixed) largest_fixed = graph->tasks[t].time;
  }
  double most = total > 0 ? (double)problem->processors / total : INFINITY;
  return largest_fixed > 0 && 1 / largest_fixed < most ? 1 / largest_fixed : most;
}

double ts_stream_least_latency(const struct ts_stream_problem *problem) {
  ts_auto(ts_stream_model_release) struct stream_model s;
  ts_stream_model_init(&s, problem, 0);
  return s.least_latency;
}

bool ts_stream_meets(double throughput, double wanted) { return throughput >= wanted * (1 - STREAM_EPSILON); }
