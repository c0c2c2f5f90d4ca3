/* STH: meets the throughput with any number of processors, by clustering, duplicating and replicating (Algorithm 1).
 * SPDX-License-Identifier: Apache-2.0 */
#include "sched/stream/stream_int.h"

#include "base/alloc.h"

#include <math.h>

/* Of the transfers of the busiest channel, the longest are tried, this many at most: graphs of 50 tasks rarely have
 * more, and one of 200 tasks with one port would take minutes. */
#define MOST_TRANSFERS 12

enum change { CHANGE_CLUSTER, CHANGE_DUPLICATE, CHANGE_REPLICATE };

/* The best candidate of one step so far; its mapping is search->best. */
struct choice {
  bool is_set;
  double latency, weight, processors;
  enum change change;
};

/* Processors that a change may need: those of the fractional replicas while their number is not limited yet. */
static bool has_room(const struct search *search, const struct mapping *m, bool is_limited) {
  const struct stream_model *s = &search->model;
  double needed = is_limited ? ts_mapping_processors(m, s) : ts_mapping_need_of_all(m, s);
  return needed <= (double)s->processors * (1 + STREAM_EPSILON);
}

static void swap_mappings(struct mapping *a, struct mapping *b) {
  struct mapping keep = *a;
  *a = *b;
  *b = keep;
}

/* Least latency; then the larger weight, fewer processors, clustering before duplicating before replicating. */
static bool is_better(const struct choice *now, const struct choice *best) {
  if (!best->is_set) return true;
  if (!ts_latency_same(now->latency, best->latency)) return now->latency < best->latency;
  if (now->weight != best->weight) return now->weight > best->weight;
  if (now->processors != best->processors) return now->processors < best->processors;
  return now->change < best->change;
}

/* Takes search->candidate if it is the best so far. */
static void consider(struct search *search, struct choice *best, struct choice now) {
  now.is_set = true;
  if (!is_better(&now, best)) return;
  *best = now;
  swap_mappings(&search->candidate, &search->best);
}

static void adopt(struct search *search) {
  swap_mappings(&search->now, &search->best);
  ts_estimate_run(&search->estimate, &search->model, &search->now);
}

/* Whether the candidate is worth its place: an estimate, unless it is later than the best one or its throughput less
 * than `least`. Merging needs no more processors than there were. */
static bool is_admissible(struct search *search, bool is_duplicate, bool is_limited, double least,
                          const struct choice *best) {
  const struct stream_model *s = &search->model;
  if (!ts_mapping_is_allowed(&search->candidate, s)) return false;
  if (is_duplicate && !has_room(search, &search->candidate, is_limited)) return false;
  double limit = best->is_set ? best->latency : INFINITY;
  return ts_estimate_within(&search->trial, s, &search->candidate, limit, is_duplicate ? least : STREAM_UNASKED);
}

/* Clusters the ends of a transfer, or duplicates its producer. */
static void try_change(struct search *search, const struct transfer *x, bool is_duplicate, bool is_limited,
                       double least, struct choice *best) {
  const struct stream_model *s = &search->model;
  if ((is_duplicate && !s->may_duplicate) || ts_stream_is_stopped(s)) return;
  const struct tried *known = ts_search_recall(search, x, is_duplicate);
  if (known && known->is_out) return;
  ts_search_change(search, x, is_duplicate);
  if (!known) {
    bool is_out = !is_admissible(search, is_duplicate, is_limited, least, best);
    ts_search_note(search, x, is_duplicate, is_out);
    if (is_out) return;
    known = &search->tried[search->tried_count - 1];
  }
  consider(search, best,
           (struct choice){.latency = known->latency,
                           .processors = known->processors,
                           .weight = s->graph->edges[x->edge].time,
                           .change = is_duplicate ? CHANGE_DUPLICATE : CHANGE_CLUSTER});
}

/* Raises the replicas of a cluster of the candidate; false if it has a task that must not be replicated. */
static bool raise_replicas(struct search *search, uint32_t cluster, double need) {
  struct mapping *m = &search->candidate;
  if (ts_mapping_replicas(m, &search->model, cluster) >= need) return true;
  if (m->is_fixed[cluster]) return false;
  m->forced[cluster] = need;
  return true;
}

/* First loop: transfers that are too slow by themselves, the longest first. Those that nothing helps are left. */
static const struct transfer *find_slow(const struct search *search, const bool *is_hopeless) {
  const struct stream_model *s = &search->model;
  const struct transfer *found = NULL;
  for (size_t i = 0; i < search->estimate.transfer_count; i++) {
    const struct transfer *x = &search->estimate.transfers[i];
    double time = s->graph->edges[x->edge].time;
    double parallel = fmin(ts_mapping_replicas(&search->now, s, x->from), ts_mapping_replicas(&search->now, s, x->to));
    if (is_hopeless[x->edge] || ts_stream_meets(parallel, s->wanted * time)) continue;
    if (!found || time > s->graph->edges[found->edge].time) found = x;
  }
  return found;
}

static void replicate_ends(struct search *search, const struct transfer *x, struct choice *best) {
  const struct stream_model *s = &search->model;
  double need = ts_stream_ceil(s->wanted * s->graph->edges[x->edge].time);
  ts_mapping_copy(&search->candidate, &search->now, s);
  if (!raise_replicas(search, x->from, need) || !raise_replicas(search, x->to, need)) return;
  if (!has_room(search, &search->candidate, false)) return;
  consider(search, best,
           (struct choice){.latency = search->estimate.latency, /* replicas do not change it */
                           .processors = ts_mapping_processors(&search->candidate, s),
                           .weight = s->graph->edges[x->edge].time,
                           .change = CHANGE_REPLICATE});
}

static void speed_up_transfers(struct search *search) {
  const struct stream_model *s = &search->model;
  ts_auto_free bool *is_hopeless = ts_calloc(s->edge_count + 1, sizeof *is_hopeless);
  const struct transfer *x;
  while (!ts_stream_is_stopped(s) && (x = find_slow(search, is_hopeless)) != NULL) {
    struct choice best = {0};
    uint32_t edge = x->edge;
    search->tried_count = 0;
    try_change(search, x, false, false, STREAM_UNASKED, &best);
    try_change(search, x, true, false, STREAM_UNASKED, &best);
    replicate_ends(search, x, &best);
    if (best.is_set)
      adopt(search);
    else
      is_hopeless[edge] = true;
  }
}

/* The component with the least rate; its busiest channel, the first one of the first cluster on ties. */
static int32_t find_bottleneck(const struct search *search, uint32_t *component) {
  const struct estimate *e = &search->estimate;
  int32_t found = -1;
  *component = UINT32_MAX;
  for (uint32_t c = 0; c < search->now.cluster_count; c++) {
    if (e->span[c] <= 0) continue;
    if (*component == UINT32_MAX || e->parallel[c] / e->span[c] < e->parallel[*component] / e->span[*component])
      *component = c;
  }
  for (uint32_t c = 0; c < search->now.cluster_count; c++) {
    if (e->component[c] != *component) continue;
    for (int32_t i = e->channels.processors[c].first_channel; i >= 0; i = e->channels.channels[i].next) {
      const struct channel *now = &e->channels.channels[i], *best = found < 0 ? NULL : &e->channels.channels[found];
      if (!best || now->last_end - now->first_start > best->last_end - best->first_start) found = i;
    }
  }
  return found;
}

/* The time that a transfer of the channel needs at least to be tried. */
static double find_threshold(const struct search *search, int32_t channel) {
  const struct estimate *e = &search->estimate;
  double longest[MOST_TRANSFERS];
  const size_t allowed = ts_search_most(search, MOST_TRANSFERS);
  const size_t most = allowed < MOST_TRANSFERS ? allowed : MOST_TRANSFERS;
  size_t count = 0;
  if (search->model.is_literal || most == 0) return 0;
  for (size_t i = 0; i < e->transfer_count; i++) {
    const struct transfer *x = &e->transfers[i];
    double time = search->model.graph->edges[x->edge].time;
    if (x->from_channel != channel && x->to_channel != channel) continue;
    if (count == most && time <= longest[count - 1]) continue;
    size_t at = count < most ? count++ : count - 1;
    for (; at > 0 && longest[at - 1] < time; at--) longest[at] = longest[at - 1];
    longest[at] = time;
  }
  return count < most ? 0 : longest[count - 1];
}

/* All clusters of the component get as many replicas as its longest cycle needs. */
static bool replicate_component(struct search *search, uint32_t component, bool is_limited) {
  const struct estimate *e = &search->estimate;
  double need = ts_stream_ceil(search->model.wanted * e->span[component]);
  ts_mapping_copy(&search->candidate, &search->now, &search->model);
  for (size_t i = 0; i < e->transfer_count; i++) {
    const struct transfer *x = &e->transfers[i];
    if (x->from_channel < 0 || e->component[x->from] != component) continue;
    if (!raise_replicas(search, x->from, need) || !raise_replicas(search, x->to, need)) return false;
  }
  return has_room(search, &search->candidate, is_limited);
}

/* One step of the second loop; false if nothing can be done. */
static bool widen_bottleneck(struct search *search, bool is_limited, bool may_duplicate) {
  const struct stream_model *s = &search->model;
  const struct estimate *e = &search->estimate;
  struct choice best = {0};
  uint32_t component;
  int32_t channel = find_bottleneck(search, &component);
  if (channel < 0) return false;
  double threshold = find_threshold(search, channel);
  search->tried_count = 0;
  for (size_t i = 0; i < e->transfer_count; i++) {
    const struct transfer *x = &e->transfers[i];
    if (x->from_channel != channel && x->to_channel != channel) continue;
    if (s->graph->edges[x->edge].time < threshold) continue;
    try_change(search, x, false, is_limited, e->throughput, &best);
    if (may_duplicate) try_change(search, x, true, is_limited, e->throughput, &best);
  }
  if (replicate_component(search, component, is_limited)) {
    double latency = e->latency, processors = ts_mapping_processors(&search->candidate, s);
    bool is_lower = !best.is_set || ts_latency_less(latency, best.latency);
    if (is_lower || (ts_latency_same(latency, best.latency) && processors < best.processors)) {
      best.is_set = true;
      swap_mappings(&search->candidate, &search->best);
    }
  }
  if (!best.is_set) return false;
  adopt(search);
  return ts_mapping_is_allowed(&search->now, s);
}

/* Merging ends by itself; duplicates, which come and go, need a limit of their own. */
static bool widen(struct search *search, bool is_limited) {
  size_t most_duplicating = 4 * (search->model.task_count + search->model.edge_count);
  for (size_t step = 0; !ts_estimate_meets(&search->estimate, &search->model); step++) {
    if (ts_stream_is_stopped(&search->model)) return false;
    if (!widen_bottleneck(search, is_limited, step < most_duplicating)) return false;
  }
  return true;
}

bool ts_stream_sth(struct search *search) {
  const struct stream_model *s = &search->model;
  ts_estimate_run(&search->estimate, s, &search->now);
  if (!ts_mapping_is_allowed(&search->now, s)) return false;
  if (ts_estimate_meets(&search->estimate, s)) return true;
  speed_up_transfers(search);
  return widen(search, false);
}

bool ts_stream_repair(struct search *search) { return widen(search, true); }
