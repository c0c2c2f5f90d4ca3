/* Task graphs: tasks with a time, edges with the time of a transfer; what a stream of items flows through.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A reader adds tasks and edges and then calls ts_task_graph_finish, which refuses cycles and makes the lists by task.
 * A finished graph is read-only. */
#ifndef TS_GRAPH_TASK_GRAPH_H
#define TS_GRAPH_TASK_GRAPH_H

#include "base/arena.h"
#include "base/error.h"
#include "base/map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Scheduling compares pairs of clusters: larger graphs would take hours. Readers refuse them early. */
#define TS_TASK_GRAPH_MAX_TASKS 5000
#define TS_TASK_GRAPH_MAX_EDGES 200000

struct ts_task_edge {
  uint32_t from, to; /* task numbers */
  double time;       /* of one item's transfer over an idle link; >= 0, finite */
  double bytes;      /* what the file says is moved; negative: the file gives a time */
};

struct ts_graph_task {
  const char *id;   /* in the arena; unique */
  double time;      /* for one item; >= 0, finite */
  bool replicable;  /* replicas may handle different items */
  bool is_number;   /* the id is a whole number in the file, and in replies */
  int line, column; /* where the file names it; 0: the reader finds it another way */
};

struct ts_task_graph {
  struct ts_arena arena;       /* owns the texts */
  const char *name;            /* in the arena */
  bool is_seconds;             /* times are seconds; otherwise the file does not say */
  struct ts_graph_task *tasks; /* owned */
  size_t task_count, task_capacity;
  struct ts_task_edge *edges; /* owned */
  size_t edge_count, edge_capacity;
  struct ts_map by_id; /* owned; id -> task number */
  struct ts_map pairs; /* owned; (from, to) -> edge number */
  size_t circle_task;  /* a task of the circle that ts_task_graph_finish reports */
  /* Filled in by ts_task_graph_finish: edges of task t are in_edges[in_first[t]] up to in_first[t + 1], ascending. */
  uint32_t *in_first, *in_edges;   /* owned */
  uint32_t *out_first, *out_edges; /* owned */
};

/* A zeroed struct is an empty graph. */
void ts_task_graph_release(struct ts_task_graph *graph);
/* Errors: DUPLICATE_NAME, BAD_VALUE (a time that is negative or not finite, or too many tasks). The place is the
 * caller's. */
bool ts_task_graph_add_task(struct ts_task_graph *graph, const char *id, double time, struct ts_error *err);
/* SIZE_MAX: there is no such task. */
size_t ts_task_graph_find(const struct ts_task_graph *graph, const char *id);
/* Errors: DUPLICATE_NAME (there is such an edge), CYCLE (from and to are the same), BAD_VALUE. */
bool ts_task_graph_add_edge(struct ts_task_graph *graph, size_t from, size_t to, double time, struct ts_error *err);
/* Finds or adds the edge and adds bytes to what it moves. */
bool ts_task_graph_add_bytes(struct ts_task_graph *graph, size_t from, size_t to, double bytes, struct ts_error *err);
/* Bytes become times at this bandwidth; edges with a time keep it. */
void ts_task_graph_set_bandwidth(struct ts_task_graph *graph, double bytes_per_second);
/* Ends the building. Errors: MISSING_KEY (no task), CYCLE with the tasks of one circle. */
bool ts_task_graph_finish(struct ts_task_graph *graph, struct ts_error *err);

#endif
