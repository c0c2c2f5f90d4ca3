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
  e->replicas = ts_calloc(n, sizeof *e->replicas);
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
  free(e->replicas);
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

/* When the transfer of one item ends: behind what it carries, and behind those before it in the order of priority. */
static inline void chain(struct estimate *e, struct transfer *x, double ready, double length) {
  struct channel *from = &e->channels.channels[x->from_channel], *to = &e->channels.channels[x->to_channel];
  double start = ready > from->free_at ? ready : from->free_at;
  if (to->free_at > start) start = to->free_at;
  if (x->link >= 0) {
    struct link *link = &e->channels.links[x->link];
    if (link->free_at > start) start = link->free_at;
    link->free_at = start + length;
  }
  x->start = start;
  x->finish = from->free_at = to->free_at = start + length;
}

static inline double span_of(const struct estimate *e, int32_t channel) {
  return e->channels.channels[channel].last_end - e->channels.channels[channel].first_start;
}

/* Places the transfer in the periodic schedule. False: a cycle of its channels is then too long for the rate. */
static bool place(struct estimate *e, struct transfer *x, double length) {
  struct slot slot = ts_channels_place(&e->channels, x->from, x->to, 0, length);
  x->slot = slot.start;
  x->from_channel = slot.from_channel;
  x->to_channel = slot.to_channel;
  x->link = slot.link;
  if (e->least_rate <= 0) return true;
  double from = span_of(e, x->from_channel), to = span_of(e, x->to_channel);
  double parallel = e->replicas[x->from] < e->replicas[x->to] ? e->replicas[x->from] : e->replicas[x->to];
  return parallel / (from > to ? from : to) >= e->least_rate;
}

/* With one port the channels are known before the slots: the latency comes first, and slots only where it is right. */
static bool place_all(struct estimate *e, const struct stream_model *s) {
  for (size_t i = 0; i < e->transfer_count; i++) {
    struct transfer *x = &e->transfers[i];
    if (x->from_channel >= 0 && !place(e, x, s->graph->edges[x->edge].time)) return false;
  }
  return true;
}

/* The transfers of one edge: one to each cluster that has the consumer but not the producer. False: too late, or too
 * slow. */
static bool pass_edge(struct estimate *e, const struct stream_model *s, const struct mapping *m,
                      const struct stream_item *edge) {
  uint32_t home_at = UINT32_MAX;
  for (uint32_t i = m->first[edge->to]; i < m->first[edge->to + 1]; i++) {
    uint32_t c = m->where[i];
    if (ts_mapping_find(m, edge->from, c) != UINT32_MAX) continue;
    if (home_at == UINT32_MAX) home_at = ts_mapping_find(m, edge->from, m->home[edge->from]);
    double ready = e->copy_finish[home_at];
    struct transfer *x = add_transfer(e);
    *x = (struct transfer){.edge = edge->index,
                           .from = m->home[edge->from],
                           .to = c,
                           .from_channel = -1,
                           .to_channel = -1,
                           .link = -1,
                           .slot = -1,
                           .start = ready,
                           .finish = ready};
    if (edge->time > 0) {
      if (s->ports == 1) {
        x->from_channel = (int32_t)x->from;
        x->to_channel = (int32_t)x->to;
      } else if (!place(e, x, edge->time)) {
        return false;
      }
      chain(e, x, ready, edge->time);
    }
    if (x->finish > e->arrival[i]) e->arrival[i] = x->finish;
    if (x->finish + e->tail[i] > e->latest) return false;
  }
  return true;
}

static bool pass_task(struct estimate *e, const struct stream_model *s, const struct mapping *m, uint32_t t) {
  for (uint32_t i = m->first[t]; i < m->first[t + 1]; i++) {
    uint32_t c = m->where[i];
    double start = e->cluster_end[c] > e->arrival[i] ? e->cluster_end[c] : e->arrival[i];
    e->copy_finish[i] = e->cluster_end[c] = start + s->time[t];
    if (e->copy_finish[i] > e->latency) e->latency = e->copy_finish[i];
    if (start + e->tail[i] > e->latest) return false;
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
static void find_transfer_rate(struct estimate *e, const struct mapping *m) {
  for (uint32_t c = 0; c < m->cluster_count; c++) {
    e->component[c] = c;
    e->span[c] = 0;
    e->parallel[c] = INFINITY;
  }
  for (size_t i = 0; i < e->transfer_count; i++) {
    const struct transfer *x = &e->transfers[i];
    if (x->from_channel < 0) continue;
    uint32_t a = find_root(e->component, x->from), b = find_root(e->component, x->to);
    e->component[a > b ? a : b] = a > b ? b : a;
  }
  for (uint32_t c = 0; c < m->cluster_count; c++) e->component[c] = find_root(e->component, c);
  for (size_t i = 0; i < e->transfer_count; i++) {
    const struct transfer *x = &e->transfers[i];
    if (x->from_channel < 0) continue;
    double *parallel = &e->parallel[e->component[x->from]];
    *parallel = fmin(*parallel, fmin(e->replicas[x->from], e->replicas[x->to]));
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

static void count_replicas(struct estimate *e, const struct stream_model *s, const struct mapping *m) {
  e->processors = 0;
  for (uint32_t c = 0; c < m->cluster_count; c++) {
    e->replicas[c] = ts_mapping_replicas(m, s, c);
    e->processors += e->replicas[c];
  }
}

static void find_throughput(struct estimate *e, const struct mapping *m) {
  e->throughput = INFINITY;
  for (uint32_t c = 0; c < m->cluster_count; c++) {
    if (m->time[c] > 0) e->throughput = fmin(e->throughput, e->replicas[c] / m->time[c]);
  }
  find_transfer_rate(e, m);
  e->throughput = fmin(e->throughput, e->transfer_rate);
}

static void begin(struct estimate *e, const struct stream_model *s, const struct mapping *m) {
  uint32_t copies = ts_mapping_copies(m, s);
  ts_estimate_reserve(e, copies);
  ts_channels_clear(&e->channels, m->cluster_count);
  e->transfer_count = 0;
  e->latency = 0;
  for (uint32_t c = 0; c < m->cluster_count; c++) e->cluster_end[c] = 0;
  for (uint32_t i = 0; i < copies; i++) e->arrival[i] = 0;
  count_replicas(e, s, m);
}

/* One pass; false as soon as the limits are known to be missed. Needs `tail`. */
static bool pass(struct estimate *e, const struct stream_model *s, const struct mapping *m, bool is_asked) {
  begin(e, s, m);
  for (size_t k = 0; k < s->task_count + s->edge_count; k++) {
    const struct stream_item *item = &s->order[k];
    if (!(item->is_edge ? pass_edge(e, s, m, item) : pass_task(e, s, m, item->index))) return false;
  }
  if (!is_asked) return true;
  if (s->ports == 1 && !place_all(e, s)) return false;
  find_throughput(e, m);
  return e->throughput >= e->least_rate;
}

/* Without a bound: a copy is followed by nothing. */
static void shorten_tails(struct estimate *e, const struct stream_model *s, const struct mapping *m) {
  ts_estimate_reserve(e, ts_mapping_copies(m, s));
  for (uint32_t t = 0; t < s->task_count; t++) {
    for (uint32_t i = m->first[t]; i < m->first[t + 1]; i++) e->tail[i] = s->time[t];
  }
}

void ts_estimate_run(struct estimate *e, const struct stream_model *s, const struct mapping *m) {
  e->latest = INFINITY;
  e->least_rate = 0;
  shorten_tails(e, s, m);
  pass(e, s, m, true);
}

/* With one port a pass costs no more than its bound. */
bool ts_estimate_within(struct estimate *e, const struct stream_model *s, const struct mapping *m, double latency_limit,
                        double least) {
  e->latest = latency_limit * (1 + STREAM_SAME);
  e->least_rate = least > 0 ? least * (1 - STREAM_EPSILON) : 0;
  if (s->ports == 1 || latency_limit == INFINITY)
    shorten_tails(e, s, m);
  else if (ts_estimate_bound(e, s, m) > e->latest)
    return false;
  return pass(e, s, m, least != STREAM_UNASKED);
}

double ts_stream_least(const struct stream_model *s) { return s->wanted > 0 ? s->wanted : STREAM_UNASKED; }

void ts_estimate_count_again(struct estimate *e, const struct stream_model *s, const struct mapping *m) {
  count_replicas(e, s, m);
  find_throughput(e, m);
}

bool ts_estimate_meets(const struct estimate *e, const struct stream_model *s) {
  return ts_stream_meets(e->throughput, s->wanted);
}
