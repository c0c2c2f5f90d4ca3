/* From a schedule of a stream to its picture.
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/schedule_int.h"

#include "base/alloc.h"
#include "base/file.h"
#include "report/schedule_picture.h"

#include <math.h>

struct drawing {
  const struct scheduling *job;
  struct ts_arena arena; /* owns everything below */
  struct ts_schedule_panel panels[2];
  size_t *channels, *first_lane; /* by cluster: channels in use, and the lane of its tasks in the second panel */
};

static const char *transfer_name(struct drawing *d, const struct ts_stream_transfer *x) {
  const struct ts_task_edge *edge = &d->job->graph.edges[x->edge];
  return ts_arena_printf(&d->arena, "%s \xe2\x86\x92 %s", d->job->graph.tasks[edge->from].id,
                         d->job->graph.tasks[edge->to].id);
}

static const char *cluster_name(struct drawing *d, size_t c) {
  size_t replicas = d->job->schedule.clusters[c].replicas;
  if (replicas == 1) return ts_arena_printf(&d->arena, "cluster %zu", c);
  return ts_arena_printf(&d->arena, "cluster %zu, %zu replicas", c, replicas);
}

static size_t copy_count(const struct ts_stream_schedule *schedule) {
  size_t count = 0;
  for (size_t c = 0; c < schedule->cluster_count; c++) count += schedule->clusters[c].copy_count;
  return count;
}

/* How one item passes: a lane per cluster, and thin bars for what it sends. */
static void draw_item(struct drawing *d) {
  const struct ts_stream_schedule *schedule = &d->job->schedule;
  const char **lanes = ts_arena_array(&d->arena, schedule->cluster_count + 1, sizeof *lanes);
  struct ts_schedule_bar *bars =
      ts_arena_array(&d->arena, copy_count(schedule) + schedule->transfer_count + 1, sizeof *bars);
  size_t count = 0;
  for (size_t i = 0; i < schedule->transfer_count; i++) {
    const struct ts_stream_transfer *x = &schedule->transfers[i];
    bars[count++] = (struct ts_schedule_bar){.name = transfer_name(d, x),
                                             .lane = x->to_cluster,
                                             .cluster = x->from_cluster,
                                             .start = x->start,
                                             .end = x->finish,
                                             .is_transfer = true,
                                             .is_critical = x->is_critical};
  }
  for (size_t c = 0; c < schedule->cluster_count; c++) {
    lanes[c] = cluster_name(d, c);
    for (size_t i = 0; i < schedule->clusters[c].copy_count; i++) {
      const struct ts_stream_copy *copy = &schedule->clusters[c].copies[i];
      bars[count++] = (struct ts_schedule_bar){.name = d->job->graph.tasks[copy->task].id,
                                               .lane = c,
                                               .cluster = c,
                                               .start = copy->start,
                                               .end = copy->finish};
    }
  }
  d->panels[0] = (struct ts_schedule_panel){
      .title = "One item from its arrival to its result (thin: arriving transfers; underlined: on the longest path)",
      .lanes = lanes,
      .lane_count = schedule->cluster_count,
      .bars = bars,
      .bar_count = count,
      .axis = d->job->graph.is_seconds ? "seconds" : "time"};
}

/* The lanes of the second panel: the tasks of each cluster, then its channels. */
static size_t list_lanes(struct drawing *d, const char ***lanes) {
  const struct ts_stream_schedule *schedule = &d->job->schedule;
  size_t total = 0;
  d->channels = ts_arena_array(&d->arena, schedule->cluster_count + 1, sizeof *d->channels);
  d->first_lane = ts_arena_array(&d->arena, schedule->cluster_count + 1, sizeof *d->first_lane);
  for (size_t i = 0; i < schedule->transfer_count; i++) {
    const struct ts_stream_transfer *x = &schedule->transfers[i];
    if (x->slot < 0) continue;
    if (x->from_channel >= d->channels[x->from_cluster]) d->channels[x->from_cluster] = x->from_channel + 1;
    if (x->to_channel >= d->channels[x->to_cluster]) d->channels[x->to_cluster] = x->to_channel + 1;
  }
  for (size_t c = 0; c < schedule->cluster_count; c++) {
    d->first_lane[c] = total;
    total += 1 + d->channels[c];
  }
  *lanes = ts_arena_array(&d->arena, total + 1, sizeof **lanes);
  for (size_t c = 0; c < schedule->cluster_count; c++) {
    (*lanes)[d->first_lane[c]] = cluster_name(d, c);
    for (size_t k = 0; k < d->channels[c]; k++)
      (*lanes)[d->first_lane[c] + 1 + k] = ts_arena_printf(&d->arena, "port %zu", k);
  }
  return total;
}

/* One period: what a processor computes for one item, and the slots of its channels. */
static void draw_period(struct drawing *d) {
  const struct ts_stream_schedule *schedule = &d->job->schedule;
  const char **lanes;
  size_t lane_count = list_lanes(d, &lanes), count = 0;
  struct ts_schedule_bar *bars =
      ts_arena_array(&d->arena, copy_count(schedule) + 2 * schedule->transfer_count + 1, sizeof *bars);
  for (size_t c = 0; c < schedule->cluster_count; c++) {
    double at = 0;
    for (size_t i = 0; i < schedule->clusters[c].copy_count; i++) {
      const struct ts_graph_task *task = &d->job->graph.tasks[schedule->clusters[c].copies[i].task];
      bars[count++] = (struct ts_schedule_bar){
          .name = task->id, .lane = d->first_lane[c], .cluster = c, .start = at, .end = at + task->time};
      at += task->time;
    }
  }
  for (size_t i = 0; i < schedule->transfer_count; i++) {
    const struct ts_stream_transfer *x = &schedule->transfers[i];
    if (x->slot < 0) continue;
    struct ts_schedule_bar bar = {.name = transfer_name(d, x),
                                  .lane = d->first_lane[x->from_cluster] + 1 + x->from_channel,
                                  .cluster = x->from_cluster,
                                  .start = x->slot,
                                  .end = x->slot + d->job->graph.edges[x->edge].time,
                                  .is_transfer = true};
    bars[count++] = bar;
    bar.lane = d->first_lane[x->to_cluster] + 1 + x->to_channel;
    bars[count++] = bar;
  }
  d->panels[1] = (struct ts_schedule_panel){
      .title = "One period of each processor: its tasks, and the transfers on its ports (of other items; replicas take "
               "turns)",
      .lanes = lanes,
      .lane_count = lane_count,
      .bars = bars,
      .bar_count = count,
      .axis = d->job->graph.is_seconds ? "seconds" : "time"};
}

/* Tasks by the length of the longest chain before them, and in the order of the file. */
static struct ts_schedule_node *place_nodes(struct drawing *d) {
  const struct ts_task_graph *g = &d->job->graph;
  const struct ts_stream_schedule *schedule = &d->job->schedule;
  struct ts_schedule_node *nodes = ts_arena_array(&d->arena, g->task_count, sizeof *nodes);
  size_t *rows = ts_arena_array(&d->arena, g->task_count + 1, sizeof *rows);
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t e = 0; e < g->edge_count; e++) {
      size_t after = nodes[g->edges[e].from].layer + 1;
      if (nodes[g->edges[e].to].layer >= after) continue;
      nodes[g->edges[e].to].layer = after;
      changed = true;
    }
  }
  for (size_t c = 0; c < schedule->cluster_count; c++) {
    for (size_t i = 0; i < schedule->clusters[c].copy_count; i++) {
      const struct ts_stream_copy *copy = &schedule->clusters[c].copies[i];
      if (copy->is_home)
        nodes[copy->task].cluster = c;
      else
        nodes[copy->task].duplicates++;
    }
  }
  for (size_t t = 0; t < g->task_count; t++) {
    nodes[t].name = g->tasks[t].id;
    nodes[t].row = rows[nodes[t].layer]++;
  }
  return nodes;
}

static struct ts_schedule_edge *list_edges(struct drawing *d) {
  const struct ts_task_graph *g = &d->job->graph;
  struct ts_schedule_edge *edges = ts_arena_array(&d->arena, g->edge_count + 1, sizeof *edges);
  for (size_t e = 0; e < g->edge_count; e++)
    edges[e] = (struct ts_schedule_edge){.from = g->edges[e].from, .to = g->edges[e].to};
  for (size_t i = 0; i < d->job->schedule.transfer_count; i++) edges[d->job->schedule.transfers[i].edge].is_cut = true;
  return edges;
}

bool ts_scheduling_draw(const struct scheduling *job, const char *path, struct ts_error *err) {
  struct drawing d = {.job = job};
  ts_auto(ts_str_release) struct ts_str svg = {0};
  const struct ts_stream_schedule *schedule = &job->schedule;
  draw_item(&d);
  if (schedule->is_pipelined) draw_period(&d);
  struct ts_schedule_picture picture = {
      .title = ts_arena_printf(&d.arena, "Schedule of \xe2\x80\x98%s\xe2\x80\x99",
                               *job->graph.name ? job->graph.name : "the graph"),
      .subtitle = ts_arena_printf(&d.arena, "%s: latency %s, throughput %s, %zu of %zu processors, %zu ports each.",
                                  job->algorithm->title, TS_SIGNIFICANT(schedule->latency, 6),
                                  TS_SIGNIFICANT(schedule->throughput, 4), schedule->processors,
                                  job->problem.processors, job->problem.ports),
      .panels = d.panels,
      .panel_count = schedule->is_pipelined ? 2 : 1,
      .nodes = place_nodes(&d),
      .node_count = job->graph.task_count,
      .edges = list_edges(&d),
      .edge_count = job->graph.edge_count};
  ts_draw_schedule(&svg, &picture);
  bool ok = ts_file_write_atomic(path, ts_str_get(&svg), svg.length, err);
  ts_arena_release(&d.arena);
  return ok;
}
