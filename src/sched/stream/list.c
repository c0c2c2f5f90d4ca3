/* The list schedule: one item after the other, each task where it is done first; transfers see contention.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sched/stream/stream_int.h"

#include "base/alloc.h"

#include <math.h>

struct list {
  const struct stream_model *s;
  struct channels channels;
  uint32_t *processor;                  /* owned, by task */
  double *finish;                       /* owned, by task */
  double *processor_end;                /* owned, by processor */
  uint32_t used;                        /* processors with a task */
  uint32_t *inputs;                     /* owned: edges into a task, by the finish of the producer */
  struct ts_stream_transfer *transfers; /* owned by the schedule that is made */
  size_t transfer_count;
};

static void list_init(struct list *l, const struct stream_model *s) {
  size_t most = s->processors < s->task_count ? s->processors : s->task_count;
  *l = (struct list){.s = s};
  ts_channels_init(&l->channels, most + 1, s->ports);
  l->processor = ts_calloc(s->task_count, sizeof *l->processor);
  l->finish = ts_calloc(s->task_count, sizeof *l->finish);
  l->processor_end = ts_calloc(most + 1, sizeof *l->processor_end);
  l->inputs = ts_calloc(s->edge_count + 1, sizeof *l->inputs);
  l->transfers = ts_calloc(s->edge_count + 1, sizeof *l->transfers);
}

static void list_release(struct list *l) {
  ts_channels_release(&l->channels);
  free(l->processor);
  free(l->finish);
  free(l->processor_end);
  free(l->inputs);
}

/* The edges into a task in the order in which their producers finish; ties by rank. */
static size_t sort_inputs(struct list *l, uint32_t task) {
  const struct ts_task_graph *g = l->s->graph;
  size_t count = 0;
  for (uint32_t k = g->in_first[task]; k < g->in_first[task + 1]; k++) {
    uint32_t edge = g->in_edges[k], from = g->edges[edge].from;
    size_t at = count++;
    for (; at > 0; at--) {
      uint32_t other = g->edges[l->inputs[at - 1]].from;
      if (l->finish[other] < l->finish[from]) break;
      if (l->finish[other] == l->finish[from] && l->s->rank[other] < l->s->rank[from]) break;
      l->inputs[at] = l->inputs[at - 1];
    }
    l->inputs[at] = edge;
  }
  return count;
}

/* Brings the inputs to a processor; returns when the last one has arrived, or that one is later than `limit`. */
static double bring_inputs(struct list *l, size_t count, uint32_t processor, bool is_final, double limit) {
  double latest = 0;
  for (size_t i = 0; i < count && latest <= limit; i++) {
    const struct ts_task_edge *edge = &l->s->graph->edges[l->inputs[i]];
    double arrival = l->finish[edge->from];
    if (l->processor[edge->from] != processor) {
      struct ts_stream_transfer x = {.edge = l->inputs[i],
                                     .from_cluster = l->processor[edge->from],
                                     .to_cluster = processor,
                                     .slot = -1,
                                     .start = arrival};
      if (edge->time > 0) {
        struct slot slot = ts_channels_place(&l->channels, x.from_cluster, processor, arrival, edge->time);
        x.start = slot.start;
        x.from_channel = l->channels.channels[slot.from_channel].number;
        x.to_channel = l->channels.channels[slot.to_channel].number;
      }
      x.finish = arrival = x.start + edge->time;
      if (is_final) l->transfers[l->transfer_count++] = x;
    }
    if (arrival > latest) latest = arrival;
  }
  return latest;
}

/* When the inputs are there at the earliest, without contention. */
static double earliest_inputs(const struct list *l, size_t count, uint32_t processor) {
  double latest = 0;
  for (size_t i = 0; i < count; i++) {
    const struct ts_task_edge *edge = &l->s->graph->edges[l->inputs[i]];
    double arrival = l->finish[edge->from] + (l->processor[edge->from] != processor ? edge->time : 0);
    if (arrival > latest) latest = arrival;
  }
  return latest;
}

/* When the task would be done on a processor; any time from `limit` on if that is later. */
static double try_processor(struct list *l, uint32_t task, size_t input_count, uint32_t processor, double limit) {
  double least = fmax(earliest_inputs(l, input_count, processor), l->processor_end[processor]) + l->s->time[task];
  if (least >= limit) return least;
  ts_channels_begin_trial(&l->channels);
  double ready = bring_inputs(l, input_count, processor, false, limit);
  ts_channels_end_trial(&l->channels);
  return fmax(ready, l->processor_end[processor]) + l->s->time[task];
}

static void place_task(struct list *l, uint32_t task) {
  size_t count = sort_inputs(l, task);
  uint32_t best = 0, candidates = l->used < l->s->processors ? l->used + 1 : l->used;
  double earliest = INFINITY;
  for (uint32_t p = 0; p < candidates && (p == 0 || !ts_stream_is_stopped(l->s)); p++) {
    double finish = try_processor(l, task, count, p, earliest);
    if (finish >= earliest) continue;
    earliest = finish;
    best = p;
  }
  double ready = bring_inputs(l, count, best, true, INFINITY);
  l->processor[task] = best;
  l->finish[task] = fmax(ready, l->processor_end[best]) + l->s->time[task];
  l->processor_end[best] = l->finish[task];
  if (best == l->used) l->used++;
}

static void make_clusters(const struct list *l, struct ts_stream_schedule *out) {
  const struct stream_model *s = l->s;
  out->cluster_count = l->used;
  out->clusters = ts_calloc(l->used + 1, sizeof *out->clusters);
  for (uint32_t c = 0; c < l->used; c++) {
    out->clusters[c].copies = ts_calloc(s->task_count, sizeof *out->clusters[c].copies);
    out->clusters[c].replicas = 1;
  }
  for (size_t k = 0; k < s->task_count; k++) {
    uint32_t t = s->task_order[k];
    struct ts_stream_cluster *cluster = &out->clusters[l->processor[t]];
    cluster->copies[cluster->copy_count++] =
        (struct ts_stream_copy){.task = t, .is_home = true, .start = l->finish[t] - s->time[t], .finish = l->finish[t]};
    cluster->time += s->time[t];
  }
}

void ts_stream_list_schedule(const struct stream_model *s, struct ts_stream_schedule *out) {
  ts_auto(list_release) struct list l;
  list_init(&l, s);
  for (size_t k = 0; k < s->task_count; k++) place_task(&l, s->task_order[k]);
  *out = (struct ts_stream_schedule){.is_found = true, .candidate = "list", .processors = l.used};
  for (size_t t = 0; t < s->task_count; t++) out->latency = fmax(out->latency, l.finish[t]);
  out->throughput = out->latency > 0 ? 1 / out->latency : INFINITY;
  out->is_feasible = ts_stream_meets(out->throughput, s->wanted);
  out->transfers = l.transfers;
  out->transfer_count = l.transfer_count;
  make_clusters(&l, out);
}
