/* PRH: merges clusters until there are enough processors (Algorithm 2).
 * SPDX-License-Identifier: Apache-2.0
 *
 * Every pair is a candidate of every step, so most candidates are only bounded: in the order of a bound of their
 * latency, until no better one can follow. */
#include "sched/stream/stream_int.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

/* Of the pairs of one step, this many are estimated at most, those with the least bounds; without one that keeps the
 * throughput among the first MOST_FAILURES, none is expected. On the 45 synthetic graphs of the specification (10 to 49
 * tasks, 585 cases) the mean latency was 0.1 % lower than without the limits, and MOS took a fifth of the time; a graph
 * of 200 tasks would take minutes. */
#define MOST_ESTIMATES 24
#define MOST_FAILURES  40
/* With more clusters than this, of the pairs without an edge between them only a sample is considered, about
 * SAMPLED_PARTNERS for each cluster: the best of so many is hardly worse than the best of all. */
#define MOST_CLUSTERS_FREE 64
#define SAMPLED_PARTNERS   16

struct pair {
  uint32_t a, b;
  bool is_heavy; /* the ports of the merged cluster could not carry its transfers */
  double bound;  /* of the latency after the merge */
};

struct reduction {
  struct search *search;
  struct pair *pairs; /* owned */
  size_t count, capacity;
  double *between; /* owned, cluster_count rows: time of the transfers between two clusters, per item */
  double *traffic; /* owned, by cluster: time of all its transfers */
  size_t step;
};

/* What decides between two merges. */
struct merit {
  bool is_set, is_connected, is_ordered;
  double latency, wastage;
  uint32_t a, b;
};

static int compare_pairs(const void *left, const void *right) {
  const struct pair *x = left, *y = right;
  if (x->is_heavy != y->is_heavy) return x->is_heavy ? 1 : -1;
  if (x->bound != y->bound) return x->bound < y->bound ? -1 : 1;
  if (x->a != y->a) return x->a < y->a ? -1 : 1;
  return x->b < y->b ? -1 : x->b > y->b;
}

/* The time of tasks that two clusters both have; 0 without duplicates. */
static double shared_time(const struct search *search, uint32_t a, uint32_t b) {
  const struct stream_model *s = search->s;
  const struct mapping *m = &search->now;
  double sum = 0;
  if (ts_mapping_copies(m, s) == s->task_count) return 0;
  for (uint32_t t = 0; t < s->task_count; t++) {
    if (m->first[t + 1] - m->first[t] > 1 && ts_mapping_find(m, t, a) != UINT32_MAX &&
        ts_mapping_find(m, t, b) != UINT32_MAX)
      sum += s->time[t];
  }
  return sum;
}

/* Whether two clusters need fewer processors as one. Copies that then have no reader are not looked for. */
static bool saves(const struct search *search, uint32_t a, uint32_t b) {
  const struct stream_model *s = search->s;
  const struct mapping *m = &search->now;
  double time = m->time[a] + m->time[b] - shared_time(search, a, b);
  double need = fmax(s->wanted * time, fmax(m->forced[a], m->forced[b]));
  return ts_stream_ceil(need) < ts_mapping_replicas(m, s, a) + ts_mapping_replicas(m, s, b);
}

/* Whether the merged cluster may be run: a task that must not be replicated limits its time. */
static bool may_merge(const struct search *search, uint32_t a, uint32_t b) {
  const struct mapping *m = &search->now;
  if (!m->is_fixed[a] && !m->is_fixed[b]) return true;
  double time = m->time[a] + m->time[b] - shared_time(search, a, b);
  double need = fmax(search->s->wanted * time, fmax(m->forced[a], m->forced[b]));
  return need <= 1 + STREAM_EPSILON;
}

/* Adds up the transfers of the mapping by cluster and by pair. */
static void measure_traffic(struct reduction *r) {
  const struct search *search = r->search;
  const struct estimate *e = &search->estimate;
  size_t clusters = search->now.cluster_count;
  memset(r->between, 0, clusters * clusters * sizeof *r->between);
  memset(r->traffic, 0, clusters * sizeof *r->traffic);
  for (size_t i = 0; i < e->transfer_count; i++) {
    const struct transfer *x = &e->transfers[i];
    double time = search->s->graph->edges[x->edge].time;
    r->between[x->from * clusters + x->to] += time;
    r->between[x->to * clusters + x->from] += time;
    r->traffic[x->from] += time;
    r->traffic[x->to] += time;
  }
}

/* Whether the channels of the merged cluster would be busy longer than its replicas allow, however they are used. */
static bool is_heavy(const struct reduction *r, uint32_t a, uint32_t b) {
  const struct stream_model *s = r->search->s;
  const struct mapping *m = &r->search->now;
  double time = m->time[a] + m->time[b] - shared_time(r->search, a, b);
  double replicas = ts_stream_ceil(fmax(s->wanted * time, fmax(m->forced[a], m->forced[b])));
  double traffic = r->traffic[a] + r->traffic[b] - 2 * r->between[a * (size_t)m->cluster_count + b];
  return s->wanted * traffic > (double)s->ports * replicas * (1 + STREAM_EPSILON);
}

/* Whether a pair is considered in this step. */
static bool is_drawn(const struct reduction *r, uint32_t a, uint32_t b) {
  size_t clusters = r->search->now.cluster_count;
  if (r->search->s->is_literal || clusters <= MOST_CLUSTERS_FREE || r->between[a * clusters + b] > 0) return true;
  uint64_t hash = ((uint64_t)a << 40 ^ (uint64_t)b << 20 ^ r->step) * UINT64_C(0x9E3779B97F4A7C15);
  return (hash >> 33) % clusters < SAMPLED_PARTNERS;
}

/* Lists the pairs whose merge saves processors, or all: those that are not heavy first, then by their bounds. */
static void list_pairs(struct reduction *r, bool all) {
  struct search *search = r->search;
  const struct stream_model *s = search->s;
  const struct mapping *m = &search->now;
  r->count = 0;
  for (uint32_t a = 0; a < m->cluster_count; a++) {
    for (uint32_t b = a + 1; b < m->cluster_count; b++) {
      if (!is_drawn(r, a, b) || (!all && !saves(search, a, b)) || !may_merge(search, a, b)) continue;
      r->pairs = ts_grow(r->pairs, r->count, &r->capacity, sizeof *r->pairs);
      r->pairs[r->count++] =
          (struct pair){a, b, is_heavy(r, a, b), ts_estimate_bound_merged(&search->trial, s, m, a, b)};
    }
  }
  if (r->count > 1) qsort(r->pairs, r->count, sizeof *r->pairs, compare_pairs);
}

static bool are_connected(const struct search *search, uint32_t a, uint32_t b) {
  const struct stream_model *s = search->s;
  for (size_t e = 0; e < s->edge_count; e++) {
    const struct ts_task_edge *edge = &s->graph->edges[e];
    const struct mapping *m = &search->now;
    if (ts_mapping_find(m, edge->from, a) != UINT32_MAX && ts_mapping_find(m, edge->to, b) != UINT32_MAX) return true;
    if (ts_mapping_find(m, edge->from, b) != UINT32_MAX && ts_mapping_find(m, edge->to, a) != UINT32_MAX) return true;
  }
  return false;
}

/* Whether no task of one could run at the same time as one of the other. */
static bool are_ordered(const struct search *search, uint32_t a, uint32_t b) {
  const struct stream_model *s = search->s;
  const struct mapping *m = &search->now;
  for (uint32_t t = 0; t < s->task_count; t++) {
    if (ts_mapping_find(m, t, a) == UINT32_MAX) continue;
    for (uint32_t u = 0; u < s->task_count; u++) {
      if (u != t && ts_mapping_find(m, u, b) != UINT32_MAX && !ts_stream_is_ordered(s, t, u)) return false;
    }
  }
  return true;
}

static double wastage_of(const struct search *search, uint32_t cluster) {
  const struct mapping *m = &search->candidate;
  return ts_mapping_replicas(m, search->s, cluster) - ts_mapping_need(m, search->s, cluster);
}

static bool is_better(const struct merit *now, const struct merit *best) {
  if (!best->is_set) return true;
  if (!ts_latency_same(now->latency, best->latency)) return now->latency < best->latency;
  if (now->is_connected != best->is_connected) return now->is_connected;
  if (now->is_ordered != best->is_ordered) return now->is_ordered;
  if (now->wastage != best->wastage) return now->wastage > best->wastage;
  return now->a != best->a ? now->a < best->a : now->b < best->b;
}

/* Of a merge that is the candidate and was estimated. GC may have moved the merged cluster; its number is at most a. */
static struct merit merit_of(const struct search *search, const struct pair *pair) {
  uint32_t merged = pair->a < search->candidate.cluster_count ? pair->a : search->candidate.cluster_count - 1;
  return (struct merit){.is_set = true,
                        .is_connected = are_connected(search, pair->a, pair->b),
                        .is_ordered = are_ordered(search, pair->a, pair->b),
                        .latency = search->trial.latency,
                        .wastage = wastage_of(search, merged),
                        .a = pair->a,
                        .b = pair->b};
}

/* The pair of least latency among those that keep the throughput, or of all if none does. */
static struct merit choose(struct reduction *r) {
  struct search *search = r->search;
  const struct stream_model *s = search->s;
  struct merit keeping = {0}, any = {0};
  size_t estimates = 0, most = s->is_literal ? SIZE_MAX : MOST_ESTIMATES;
  size_t most_failures = s->is_literal ? SIZE_MAX : MOST_FAILURES;
  for (size_t i = 0; i < r->count; i++) {
    const struct pair *pair = &r->pairs[i];
    double limit = keeping.is_set ? keeping.latency : INFINITY;
    if (estimates >= (keeping.is_set ? most : most_failures)) break;
    if (keeping.is_set && ts_latency_less(limit, pair->bound)) continue;
    ts_mapping_merge(&search->candidate, &search->now, s, pair->a, pair->b);
    estimates++;
    if (!ts_estimate_within(&search->trial, s, &search->candidate, limit)) continue;
    struct merit *best = ts_estimate_meets(&search->trial, s) ? &keeping : &any;
    if (best->is_set && ts_latency_less(best->latency, search->trial.latency)) continue;
    struct merit now = merit_of(search, pair);
    if (is_better(&now, best)) *best = now;
  }
  return keeping.is_set ? keeping : any;
}

/* Without a pair that saves a processor: the pair with the largest wastage, so that later merges can save one. */
static struct merit choose_wasteful(struct reduction *r) {
  struct search *search = r->search;
  const struct stream_model *s = search->s;
  struct merit best = {0};
  list_pairs(r, true);
  for (size_t i = 0; i < r->count; i++) {
    const struct pair *pair = &r->pairs[i];
    ts_mapping_merge(&search->candidate, &search->now, s, pair->a, pair->b);
    struct merit now = {.is_set = true, .wastage = wastage_of(search, pair->a), .a = pair->a, .b = pair->b};
    if (best.is_set && now.wastage < best.wastage) continue;
    ts_estimate_run(&search->trial, s, &search->candidate, INFINITY);
    now.latency = search->trial.latency;
    bool is_earlier = now.a != best.a ? now.a < best.a : now.b < best.b;
    if (!best.is_set || now.wastage > best.wastage || ts_latency_less(now.latency, best.latency) ||
        (ts_latency_same(now.latency, best.latency) && is_earlier))
      best = now;
  }
  return best;
}

bool ts_stream_prh(struct search *search) {
  const struct stream_model *s = search->s;
  size_t clusters = search->now.cluster_count;
  struct reduction r = {.search = search};
  bool ok = true;
  r.between = ts_calloc(clusters * clusters + 1, sizeof *r.between);
  r.traffic = ts_calloc(clusters + 1, sizeof *r.traffic);
  for (; ok && ts_mapping_processors(&search->now, s) > (double)s->processors; r.step++) {
    measure_traffic(&r);
    list_pairs(&r, false);
    struct merit best = r.count > 0 ? choose(&r) : choose_wasteful(&r);
    ok = best.is_set;
    if (!ok) break;
    ts_mapping_merge(&search->candidate, &search->now, s, best.a, best.b);
    ts_mapping_copy(&search->now, &search->candidate, s);
    ts_estimate_run(&search->estimate, s, &search->now, INFINITY);
  }
  free(r.pairs);
  free(r.between);
  free(r.traffic);
  return ok;
}
