/* Estimates the throughput and the latency of a mapping under the k-port model, in one pass over the static order.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Throughput: in the steady state all transfers of one cycle are ready at once; they are placed in the static order.
 * Clusters that are connected by transfers form a component, which can repeat its cycle when its busiest channel is
 * done. Latency: the longest path through copies and transfers, where copies of one cluster, and transfers that share a
 * channel or a link, follow each other in the static order. */
#include "sched/stream/stream_int.h"

#include "base/alloc.h"

#include <math.h>

void ts_estimate_init(struct estimate *e, const struct stream_model *s) {
  size_t n = s->task_count + 1;
  *e = (struct estimate){0};
  ts_channels_init(&e->channels, n, s->ports);
  e->cluster_end = ts_calloc(n, sizeof *e->cluster_end);
  e->remote_tail = ts_calloc(n, sizeof *e->remote_tail);
  e->component = ts_calloc(n, sizeof *e->component);
  e->span = ts_calloc(n, sizeof *e->span);
  e->parallel = ts_calloc(n, sizeof *e->parallel);
}

void ts_estimate_release(struct estimate *e) {
  ts_channels_release(&e->channels);
  free(e->transfers);
  free(e->copy_finish);
  free(e->tail);
  free(e->arrival);
  free(e->cluster_end);
  free(e->remote_tail);
  free(e->component);
  free(e->span);
  free(e->parallel);
  *e = (struct estimate){0};
}

bool ts_latency_less(double a, double b) { return a < b * (1 - STREAM_SAME); }
bool ts_latency_same(double a, double b) { return !ts_latency_less(a, b) && !ts_latency_less(b, a); }

void ts_estimate_reserve(struct estimate *e, size_t copies) {
  if (copies <= e->copy_capacity) return;
  e->copy_capacity = 2 * copies;
  e->copy_finish = ts_realloc_array(e->copy_finish, e->copy_capacity, sizeof *e->copy_finish);
  e->tail = ts_realloc_array(e->tail, e->copy_capacity, sizeof *e->tail);
  e->arrival = ts_realloc_array(e->arrival, e->copy_capacity, sizeof *e->arrival);
}

static struct transfer *add_transfer(struct estimate *e) {
  e->transfers = ts_grow(e->transfers, e->transfer_count, &e->transfer_capacity, sizeof *e->transfers);
  return &e->transfers[e->transfer_count++];
}

/* Places the transfer in the periodic schedule and behind those before it in the order of priority. */
static void place(struct estimate *e, struct transfer *transfer, double length, double ready) {
  struct slot slot = ts_channels_place(&e->channels, transfer->from, transfer->to, 0, length);
  struct channel *from = &e->channels.channels[slot.from_channel], *to = &e->channels.channels[slot.to_channel];
  struct link *link = &e->channels.links[slot.link];
  transfer->slot = slot.start;
  transfer->from_channel = slot.from_channel;
  transfer->to_channel = slot.to_channel;
  transfer->link = slot.link;
  double start = ready > from->free_at ? ready : from->free_at;
  if (to->free_at > start) start = to->free_at;
  if (link->free_at > start) start = link->free_at;
  transfer->start = start;
  transfer->finish = from->free_at = to->free_at = link->free_at = start + length;
}

/* The transfers of one edge: one to each cluster that has the consumer but not the producer. False: too late. */
static bool pass_edge(struct estimate *e, const struct stream_model *s, const struct mapping *m, uint32_t index,
                      double limit) {
  const struct ts_task_edge *edge = &s->graph->edges[index];
  uint32_t home_at = UINT32_MAX;
  for (uint32_t i = m->first[edge->to]; i < m->first[edge->to + 1]; i++) {
    uint32_t c = m->where[i];
    if (ts_mapping_find(m, edge->from, c) != UINT32_MAX) continue;
    if (home_at == UINT32_MAX) home_at = ts_mapping_find(m, edge->from, m->home[edge->from]);
    struct transfer *transfer = add_transfer(e);
    *transfer = (struct transfer){.edge = index,
                                  .from = m->home[edge->from],
                                  .to = c,
                                  .from_channel = -1,
                                  .to_channel = -1,
                                  .link = -1,
                                  .slot = -1,
                                  .start = e->copy_finish[home_at],
                                  .finish = e->copy_finish[home_at]};
    if (edge->time > 0) place(e, transfer, edge->time, e->copy_finish[home_at]);
    if (transfer->finish > e->arrival[i]) e->arrival[i] = transfer->finish;
    if (limit < INFINITY && transfer->finish + e->tail[i] > limit) return false;
  }
  return true;
}

static bool pass_task(struct estimate *e, const struct stream_model *s, const struct mapping *m, uint32_t t,
                      double limit) {
  for (uint32_t i = m->first[t]; i < m->first[t + 1]; i++) {
    uint32_t c = m->where[i];
    double start = e->cluster_end[c] > e->arrival[i] ? e->cluster_end[c] : e->arrival[i];
    e->copy_finish[i] = e->cluster_end[c] = start + s->time[t];
    if (e->copy_finish[i] > e->latency) e->latency = e->copy_finish[i];
    if (limit < INFINITY && start + e->tail[i] > limit) return false;
  }
  return true;
}

static uint32_t find_root(uint32_t *component, uint32_t c) {
  while (component[c] != c) {
    component[c] = component[component[c]];
    c = component[c];
  }
  return c;
}

/* The slowest component: fewest parallel transfers per longest cycle of a channel. */
static void find_transfer_rate(struct estimate *e, const struct stream_model *s, const struct mapping *m) {
  for (uint32_t c = 0; c < m->cluster_count; c++) {
    e->component[c] = c;
    e->span[c] = 0;
    e->parallel[c] = INFINITY;
  }
  for (size_t i = 0; i < e->transfer_count; i++) {
    const struct transfer *x = &e->transfers[i];
    if (x->link < 0) continue;
    uint32_t a = find_root(e->component, x->from), b = find_root(e->component, x->to);
    e->component[a > b ? a : b] = a > b ? b : a;
  }
  for (uint32_t c = 0; c < m->cluster_count; c++) e->component[c] = find_root(e->component, c);
  for (size_t i = 0; i < e->transfer_count; i++) {
    const struct transfer *x = &e->transfers[i];
    if (x->link < 0) continue;
    double from = ts_mapping_replicas(m, s, x->from), to = ts_mapping_replicas(m, s, x->to);
    double *parallel = &e->parallel[e->component[x->from]];
    *parallel = fmin(*parallel, fmin(from, to));
  }
  for (size_t i = 0; i < e->channels.channel_count; i++) {
    const struct channel *channel = &e->channels.channels[i];
    double *span = &e->span[e->component[channel->processor]];
    *span = fmax(*span, channel->last_end - channel->first_start);
  }
  e->transfer_rate = INFINITY;
  for (uint32_t c = 0; c < m->cluster_count; c++) {
    if (e->span[c] > 0) e->transfer_rate = fmin(e->transfer_rate, e->parallel[c] / e->span[c]);
  }
}

bool ts_estimate_run(struct estimate *e, const struct stream_model *s, const struct mapping *m, double latency_limit) {
  uint32_t copies = ts_mapping_copies(m, s);
  double limit = latency_limit < INFINITY ? latency_limit * (1 + STREAM_SAME) : INFINITY;
  ts_estimate_reserve(e, copies);
  ts_channels_clear(&e->channels);
  e->transfer_count = 0;
  e->latency = 0;
  for (uint32_t c = 0; c < m->cluster_count; c++) e->cluster_end[c] = 0;
  for (uint32_t i = 0; i < copies; i++) e->arrival[i] = 0;
  for (size_t k = 0; k < s->task_count + s->edge_count; k++) {
    uint32_t index = s->order[k].index;
    if (!(s->order[k].is_edge ? pass_edge(e, s, m, index, limit) : pass_task(e, s, m, index, limit))) return false;
  }
  e->processors = 0;
  e->throughput = INFINITY;
  for (uint32_t c = 0; c < m->cluster_count; c++) {
    double replicas = ts_mapping_replicas(m, s, c);
    e->processors += replicas;
    if (m->time[c] > 0) e->throughput = fmin(e->throughput, replicas / m->time[c]);
  }
  find_transfer_rate(e, s, m);
  e->throughput = fmin(e->throughput, e->transfer_rate);
  return true;
}

bool ts_estimate_within(struct estimate *e, const struct stream_model *s, const struct mapping *m,
                        double latency_limit) {
  if (latency_limit < INFINITY && ts_estimate_bound(e, s, m) > latency_limit * (1 + STREAM_SAME)) return false;
  return ts_estimate_run(e, s, m, latency_limit);
}

bool ts_estimate_meets(const struct estimate *e, const struct stream_model *s) {
  return ts_stream_meets(e->throughput, s->wanted);
}
