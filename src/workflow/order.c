/* The order of stages and tasks: every one after those it needs, otherwise as written; cycles are reported.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"
#include "workflow/workflow_int.h"

#include <stdlib.h>
#include <string.h>

struct sorter {
  size_t count;
  const struct ts_edge *edges; /* borrowed */
  size_t edge_count;
  size_t *waiting; /* owned: per node, how many edges lead to it from nodes that are not done */
  bool *done;      /* owned */
};

static void finish_node(struct sorter *sorter, size_t node) {
  sorter->done[node] = true;
  for (size_t i = 0; i < sorter->edge_count; i++) {
    if (sorter->edges[i].from == node) sorter->waiting[sorter->edges[i].to]--;
  }
}

static size_t first_open(const struct sorter *sorter, bool ready) {
  for (size_t i = 0; i < sorter->count; i++) {
    if (!sorter->done[i] && (!ready || sorter->waiting[i] == 0)) return i;
  }
  return TS_NONE;
}

/* A node that waits has an edge from an open node. */
static const struct ts_edge *open_edge_to(const struct sorter *sorter, size_t node) {
  for (size_t i = 0; i < sorter->edge_count; i++) {
    if (sorter->edges[i].to == node && !sorter->done[sorter->edges[i].from]) return &sorter->edges[i];
  }
  TS_BUG("node %zu waits for nothing", node);
}

/* Walks backwards from an open node until one repeats; fills nodes[] in the direction of the data. */
static size_t find_cycle(const struct sorter *sorter, size_t *nodes) {
  ts_auto_free size_t *step_of = ts_calloc(sorter->count, sizeof *step_of); /* step + 1; 0: not seen */
  ts_auto_free size_t *walk = ts_calloc(sorter->count, sizeof *walk);
  size_t node = first_open(sorter, false);
  size_t length = 0;
  while (step_of[node] == 0) {
    walk[length] = node;
    step_of[node] = ++length;
    node = open_edge_to(sorter, node)->from;
  }
  size_t start = step_of[node] - 1;
  size_t count = length - start;
  size_t first = 0; /* position of the node that is written first */
  for (size_t i = 0; i < count; i++) {
    if (walk[start + i] < walk[start + first]) first = i;
  }
  for (size_t i = 0; i < count; i++) nodes[i] = walk[start + (first + count - i) % count];
  return count;
}

static void report_cycle(struct sorter *sorter, size_t *nodes, size_t *order, size_t *placed,
                         void (*report)(void *user, const size_t *nodes, size_t node_count, const char *pointer),
                         void *user) {
  size_t count = find_cycle(sorter, nodes);
  report(user, nodes, count, open_edge_to(sorter, nodes[0])->pointer);
  /* Counting the whole cycle as done lets the search go on to others. */
  for (size_t i = 0; i < count; i++) {
    order[(*placed)++] = nodes[i];
    finish_node(sorter, nodes[i]);
  }
}

void ts_sort_graph(size_t count, const struct ts_edge *edges, size_t edge_count, size_t *order,
                   void (*report)(void *user, const size_t *nodes, size_t node_count, const char *pointer),
                   void *user) {
  struct sorter sorter = {.count = count, .edges = edges, .edge_count = edge_count};
  sorter.waiting = ts_calloc(count + 1, sizeof *sorter.waiting);
  sorter.done = ts_calloc(count + 1, sizeof *sorter.done);
  ts_auto_free size_t *nodes = ts_calloc(count + 1, sizeof *nodes);
  for (size_t i = 0; i < edge_count; i++) sorter.waiting[edges[i].to]++;
  for (size_t placed = 0; placed < count;) {
    size_t node = first_open(&sorter, true);
    if (node == TS_NONE) {
      report_cycle(&sorter, nodes, order, &placed, report, user);
    } else {
      order[placed++] = node;
      finish_node(&sorter, node);
    }
  }
  free(sorter.waiting);
  free(sorter.done);
}

/* The names of the nodes, for a report: either the tasks of a stage, or inputs followed by stages. */
struct naming {
  struct ts_builder *builder;         /* borrowed */
  const struct ts_stage_draft *stage; /* borrowed; NULL: inputs and stages */
};

static const char *name_of(const struct naming *naming, size_t node) {
  const struct ts_builder *builder = naming->builder;
  const char *name = naming->stage                 ? naming->stage->tasks[node].name
                     : node < builder->input_count ? builder->inputs[node].input.name
                                                   : builder->stages[node - builder->input_count].name;
  return name ? name : "?";
}

static void report_circle(void *user, const size_t *nodes, size_t node_count, const char *pointer) {
  const struct naming *naming = user;
  ts_auto(ts_str_release) struct ts_str circle = {0};
  for (size_t i = 0; i < node_count; i++) ts_str_addf(&circle, "%s -> ", name_of(naming, nodes[i]));
  ts_str_add(&circle, name_of(naming, nodes[0]));
  const char *kind = naming->stage ? "task" : "stage";
  struct ts_error *err;
  if (node_count == 1) {
    err = ts_reader_fault(&naming->builder->reader, TS_ERR_CYCLE, pointer, TS_JSON_VALUE,
                          "this %s waits for itself: %s", kind, ts_str_get(&circle));
  } else {
    err = ts_reader_fault(&naming->builder->reader, TS_ERR_CYCLE, pointer, TS_JSON_VALUE,
                          "these %ss wait for each other: %s", kind, ts_str_get(&circle));
  }
  ts_error_help(err, node_count == 1 ? "connect it to something else"
                                     : "connect one of them to something outside this circle");
}

static void order_tasks(struct ts_builder *builder, struct ts_stage_draft *stage, size_t first) {
  size_t link_count = 0;
  for (size_t i = 0; i < stage->task_count; i++) link_count += stage->tasks[i].in.count;
  struct ts_edge *edges = ts_arena_array(&builder->scratch, link_count, sizeof *edges);
  size_t edge_count = 0;
  for (size_t i = 0; i < stage->task_count; i++) {
    for (size_t j = 0; j < stage->tasks[i].in.count; j++) {
      const struct ts_link *link = &stage->tasks[i].in.items[j];
      if (link->kind == TS_LINK_TASK) edges[edge_count++] = (struct ts_edge){link->index, i, link->pointer};
    }
  }
  size_t *order = ts_arena_array(&builder->scratch, stage->task_count, sizeof *order);
  struct naming naming = {builder, stage};
  ts_sort_graph(stage->task_count, edges, edge_count, order, report_circle, &naming);
  for (size_t i = 0; i < stage->task_count; i++) stage->tasks[order[i]].place = first + i;
}

/* Inputs take part because of "default_run": such an input waits for a stage. */
static size_t collect_stage_edges(struct ts_builder *builder, struct ts_edge *edges) {
  size_t count = 0;
  for (size_t i = 0; i < builder->input_count; i++) {
    const struct ts_link *link = &builder->inputs[i].default_link;
    if (link->kind != TS_LINK_STAGE) continue;
    if (edges) edges[count] = (struct ts_edge){builder->input_count + link->index, i, link->pointer};
    count++;
  }
  for (size_t i = 0; i < builder->stage_count; i++) {
    for (size_t j = 0; j < builder->stages[i].in.count; j++) {
      const struct ts_link *link = &builder->stages[i].in.items[j];
      if (link->kind == TS_LINK_BROKEN) continue;
      size_t from = link->kind == TS_LINK_INPUT ? link->index : builder->input_count + link->index;
      if (edges) edges[count] = (struct ts_edge){from, builder->input_count + i, link->pointer};
      count++;
    }
  }
  return count;
}

void ts_order(struct ts_builder *builder) {
  struct ts_edge *edges = ts_arena_array(&builder->scratch, collect_stage_edges(builder, NULL), sizeof *edges);
  size_t edge_count = collect_stage_edges(builder, edges);
  size_t node_count = builder->input_count + builder->stage_count;
  size_t *order = ts_arena_array(&builder->scratch, node_count, sizeof *order);
  struct naming naming = {builder, NULL};
  ts_sort_graph(node_count, edges, edge_count, order, report_circle, &naming);
  size_t place = 0;
  size_t first_task = 0;
  for (size_t i = 0; i < node_count; i++) {
    if (order[i] < builder->input_count) continue;
    struct ts_stage_draft *stage = &builder->stages[order[i] - builder->input_count];
    stage->place = place++;
    order_tasks(builder, stage, first_task);
    first_task += stage->task_count;
  }
}
