/* Builds task graphs and refuses those with a circle.
 * SPDX-License-Identifier: Apache-2.0 */
#include "graph/task_graph.h"

#include "base/alloc.h"
#include "base/str.h"

#include <math.h>

#define CIRCLE_NAMED_MAX 8 /* tasks of a circle that the message names */

void ts_task_graph_release(struct ts_task_graph *graph) {
  ts_arena_release(&graph->arena);
  ts_map_release(&graph->by_id);
  ts_map_release(&graph->pairs);
  free(graph->tasks);
  free(graph->edges);
  free(graph->in_first);
  free(graph->in_edges);
  free(graph->out_first);
  free(graph->out_edges);
  *graph = (struct ts_task_graph){0};
}

static bool is_time(double time) { return isfinite(time) && time >= 0; }

bool ts_task_graph_add_task(struct ts_task_graph *graph, const char *id, double time, struct ts_error *err) {
  bool inserted = false;
  if (!is_time(time)) {
    ts_fail(err, TS_ERR_BAD_VALUE, "the time of task '%s' is not a number of at least 0", id);
    return ts_error_help(err, "write how long the task takes for one item");
  }
  if (graph->task_count == TS_TASK_GRAPH_MAX_TASKS) {
    ts_fail(err, TS_ERR_BAD_VALUE, "the graph has more than %d tasks", TS_TASK_GRAPH_MAX_TASKS);
    return ts_error_help(err, "combine tasks that always run together, or schedule a part of the graph");
  }
  union ts_map_value *value = ts_map_insert_name(&graph->by_id, id, &inserted);
  if (!inserted) {
    ts_fail(err, TS_ERR_DUPLICATE_NAME, "two tasks are named '%s'", id);
    return ts_error_help(err, "give every task an id of its own");
  }
  value->number = graph->task_count;
  graph->tasks = ts_grow(graph->tasks, graph->task_count, &graph->task_capacity, sizeof *graph->tasks);
  graph->tasks[graph->task_count++] =
      (struct ts_graph_task){.id = ts_arena_strdup(&graph->arena, id), .time = time, .replicable = true};
  return true;
}

size_t ts_task_graph_find(const struct ts_task_graph *graph, const char *id) {
  const union ts_map_value *value = ts_map_find_name(&graph->by_id, id);
  return value ? (size_t)value->number : SIZE_MAX;
}

static const char *id_of(const struct ts_task_graph *graph, size_t task) { return graph->tasks[task].id; }

/* The edge from -> to; a new one has neither a time nor bytes. NULL with an error. */
static struct ts_task_edge *find_or_add(struct ts_task_graph *graph, size_t from, size_t to, bool *inserted,
                                        struct ts_error *err) {
  const uint32_t pair[2] = {(uint32_t)from, (uint32_t)to};
  if (from == to) {
    ts_fail(err, TS_ERR_CYCLE, "task '%s' depends on itself", id_of(graph, from));
    ts_error_help(err, "remove this edge");
    return NULL;
  }
  union ts_map_value *value = ts_map_insert(&graph->pairs, pair, sizeof pair, inserted);
  if (!*inserted) return &graph->edges[value->number];
  if (graph->edge_count == TS_TASK_GRAPH_MAX_EDGES) {
    ts_fail(err, TS_ERR_BAD_VALUE, "the graph has more than %d edges", TS_TASK_GRAPH_MAX_EDGES);
    ts_error_help(err, "combine tasks that always run together, or schedule a part of the graph");
    return NULL;
  }
  value->number = graph->edge_count;
  graph->edges = ts_grow(graph->edges, graph->edge_count, &graph->edge_capacity, sizeof *graph->edges);
  graph->edges[graph->edge_count] = (struct ts_task_edge){.from = pair[0], .to = pair[1], .bytes = -1};
  return &graph->edges[graph->edge_count++];
}

bool ts_task_graph_add_edge(struct ts_task_graph *graph, size_t from, size_t to, double time, struct ts_error *err) {
  bool inserted = false;
  if (!is_time(time)) {
    ts_fail(err, TS_ERR_BAD_VALUE, "the time of edge '%s' -> '%s' is not a number of at least 0", id_of(graph, from),
            id_of(graph, to));
    return ts_error_help(err, "write how long the transfer of one item takes");
  }
  struct ts_task_edge *edge = find_or_add(graph, from, to, &inserted, err);
  if (!edge) return false;
  if (!inserted) {
    ts_fail(err, TS_ERR_DUPLICATE_NAME, "there are two edges '%s' -> '%s'", id_of(graph, from), id_of(graph, to));
    return ts_error_help(err, "join them into one edge with the sum of their times");
  }
  edge->time = time;
  return true;
}

bool ts_task_graph_add_bytes(struct ts_task_graph *graph, size_t from, size_t to, double bytes, struct ts_error *err) {
  bool inserted = false;
  if (!is_time(bytes)) {
    ts_fail(err, TS_ERR_BAD_VALUE, "the size of '%s' -> '%s' is not a number of at least 0", id_of(graph, from),
            id_of(graph, to));
    return ts_error_help(err, "write how many bytes one item has");
  }
  struct ts_task_edge *edge = find_or_add(graph, from, to, &inserted, err);
  if (!edge) return false;
  edge->bytes = (edge->bytes < 0 ? 0 : edge->bytes) + bytes;
  return true;
}

void ts_task_graph_set_bandwidth(struct ts_task_graph *graph, double bytes_per_second) {
  for (size_t e = 0; e < graph->edge_count; e++) {
    struct ts_task_edge *edge = &graph->edges[e];
    if (edge->bytes >= 0) edge->time = edge->bytes / bytes_per_second;
  }
}

/* Lists the edges of each task, ascending by number. */
static void list_edges(const struct ts_task_graph *graph, bool outgoing, uint32_t **first, uint32_t **list) {
  size_t n = graph->task_count;
  *first = ts_calloc(n + 2, sizeof **first);
  *list = ts_calloc(graph->edge_count + 1, sizeof **list);
  for (size_t e = 0; e < graph->edge_count; e++) (*first)[(outgoing ? graph->edges[e].from : graph->edges[e].to) + 2]++;
  for (size_t t = 2; t < n + 2; t++) (*first)[t] += (*first)[t - 1];
  for (size_t e = 0; e < graph->edge_count; e++) {
    uint32_t end = outgoing ? graph->edges[e].from : graph->edges[e].to;
    (*list)[(*first)[end + 1]++] = (uint32_t)e;
  }
}

/* Follows incoming edges among the tasks that are left until one is met again: that one is on a circle. */
static bool report_circle(struct ts_task_graph *graph, const uint32_t *waiting, size_t start, struct ts_error *err) {
  size_t n = graph->task_count;
  ts_auto_free uint32_t *next = ts_calloc(n, sizeof *next); /* towards the producer */
  ts_auto_free bool *seen = ts_calloc(n, sizeof *seen);
  size_t t = start;
  while (!seen[t]) {
    seen[t] = true;
    uint32_t i = graph->in_first[t];
    while (waiting[graph->edges[graph->in_edges[i]].from] == 0) i++;
    next[t] = graph->edges[graph->in_edges[i]].from;
    t = next[t];
  }
  size_t *circle = ts_calloc(n + 1, sizeof *circle), length = 0;
  for (size_t u = t; length == 0 || u != t; u = next[u]) circle[length++] = u;
  ts_auto(ts_str_release) struct ts_str text = {0};
  ts_str_addf(&text, "'%s'", id_of(graph, t));
  for (size_t i = length; i-- > 0;) {
    if (length > CIRCLE_NAMED_MAX && i == length - CIRCLE_NAMED_MAX / 2) {
      ts_str_addf(&text, " -> (%zu more)", length - CIRCLE_NAMED_MAX);
      i = CIRCLE_NAMED_MAX / 2;
    }
    ts_str_addf(&text, " -> '%s'", id_of(graph, circle[i]));
  }
  ts_fail(err, TS_ERR_CYCLE, "tasks depend on each other in a circle: %s", ts_str_get(&text));
  ts_error_help(err, "remove one of these edges");
  graph->circle_task = t;
  free(circle);
  return false;
}

/* Kahn's algorithm: whatever cannot be removed leads to a circle. */
static bool check_acyclic(struct ts_task_graph *graph, struct ts_error *err) {
  size_t n = graph->task_count, head = 0, tail = 0;
  ts_auto_free uint32_t *waiting = ts_calloc(n, sizeof *waiting), *queue = ts_calloc(n, sizeof *queue);
  for (size_t t = 0; t < n; t++) {
    waiting[t] = graph->in_first[t + 1] - graph->in_first[t];
    if (waiting[t] == 0) queue[tail++] = (uint32_t)t;
  }
  while (head < tail) {
    uint32_t t = queue[head++];
    for (uint32_t i = graph->out_first[t]; i < graph->out_first[t + 1]; i++) {
      uint32_t to = graph->edges[graph->out_edges[i]].to;
      if (--waiting[to] == 0) queue[tail++] = to;
    }
  }
  bool ok = tail == n;
  for (size_t t = 0; !ok && t < n; t++) {
    if (waiting[t] == 0) continue;
    report_circle(graph, waiting, t, err);
    break;
  }
  return ok;
}

bool ts_task_graph_finish(struct ts_task_graph *graph, struct ts_error *err) {
  if (!graph->name) graph->name = ts_arena_strdup(&graph->arena, "");
  if (graph->task_count == 0) {
    ts_fail(err, TS_ERR_MISSING_KEY, "the graph has no tasks");
    return ts_error_help(err, "add at least one task with a time");
  }
  list_edges(graph, false, &graph->in_first, &graph->in_edges);
  list_edges(graph, true, &graph->out_first, &graph->out_edges);
  return check_acyclic(graph, err);
}
