/* PRH: merges clusters until there are enough processors (Algorithm 2).
 * SPDX-License-Identifier: Apache-2.0
 *
 * Every pair is a candidate of every step, so most candidates are only bounded: in the order of a bound of their
 * latency, until no better one can follow. Most are not even that: a merge that leaves the longest path as it is has no
 * smaller bound than the mapping has now, and once there are enough such pairs, later ones are out. */
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
  bool is_heavy;  /* the ports of the merged cluster could not carry its transfers */
  double bound;   /* of the latency after the merge */
  double wastage; /* of the merged cluster; only where that decides */
};

struct reduction {
  struct search *search;
  struct pair *pairs; /* owned: candidates of the step */
  size_t count, capacity;
  struct pair *ranked; /* owned: the first ones of a group, by their bounds */
  size_t ranked_count, ranked_capacity;
  bool *on_path;   /* owned, cluster_count rows: a longest path has a transfer between two clusters */
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

/* Whether a pair is looked at before another one of its group. */
static bool goes_first(const struct pair *x, const struct pair *y) {
  if (x->bound != y->bound) return x->bound < y->bound;
  return x->a != y->a ? x->a < y->a : x->b < y->b;
}

/* The time of tasks that two clusters both have; 0 without duplicates. */
static double shared_time(const struct search *search, uint32_t a, uint32_t b) {
  const struct stream_model *s = &search->model;
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
  const struct stream_model *s = &search->model;
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
  double need = fmax(search->model.wanted * time, fmax(m->forced[a], m->forced[b]));
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
    double time = search->model.graph->edges[x->edge].time;
    r->between[x->from * clusters + x->to] += time;
    r->between[x->to * clusters + x->from] += time;
    r->traffic[x->from] += time;
    r->traffic[x->to] += time;
  }
}

/* Whether the channels of the merged cluster would be busy longer than its replicas allow, however they are used. */
static bool is_heavy(const struct reduction *r, uint32_t a, uint32_t b) {
  const struct stream_model *s = &r->search->model;
  const struct mapping *m = &r->search->now;
  double time = m->time[a] + m->time[b] - shared_time(r->search, a, b);
  double replicas = ts_stream_ceil(fmax(s->wanted * time, fmax(m->forced[a], m->forced[b])));
  double traffic = r->traffic[a] + r->traffic[b] - 2 * r->between[a * (size_t)m->cluster_count + b];
  return s->wanted * traffic > (double)s->ports * replicas * (1 + STREAM_EPSILON);
}

/* Whether a pair is considered in this step. */
static bool is_drawn(const struct reduction *r, uint32_t a, uint32_t b) {
  size_t clusters = r->search->now.cluster_count;
  if (r->search->model.is_literal || clusters <= MOST_CLUSTERS_FREE || r->between[a * clusters + b] > 0) return true;
  uint64_t hash = ((uint64_t)a << 40 ^ (uint64_t)b << 20 ^ r->step) * UINT64_C(0x9E3779B97F4A7C15);
  return (hash >> 33) % clusters < SAMPLED_PARTNERS;
}

/* Lists the pairs whose merge saves processors, or all, without their bounds. */
static void list_pairs(struct reduction *r, bool all) {
  const struct search *search = r->search;
  const struct mapping *m = &search->now;
  r->count = 0;
  for (uint32_t a = 0; a < m->cluster_count; a++) {
    for (uint32_t b = a + 1; b < m->cluster_count; b++) {
      if (!is_drawn(r, a, b) || (!all && !saves(search, a, b)) || !may_merge(search, a, b)) continue;
      r->pairs = ts_grow(r->pairs, r->count, &r->capacity, sizeof *r->pairs);
      r->pairs[r->count++] = (struct pair){a, b, is_heavy(r, a, b), 0, 0};
    }
  }
}

/* Adds a pair where it belongs; of more than `most`, the last one is dropped. */
static void rank_pair(struct reduction *r, struct pair pair, size_t most) {
  if (r->ranked_count == most && !goes_first(&pair, &r->ranked[most - 1])) return;
  if (r->ranked_count < most) {
    r->ranked = ts_grow(r->ranked, r->ranked_count, &r->ranked_capacity, sizeof *r->ranked);
    r->ranked_count++;
  }
  size_t at = r->ranked_count - 1;
  for (; at > 0 && goes_first(&pair, &r->ranked[at - 1]); at--) r->ranked[at] = r->ranked[at - 1];
  r->ranked[at] = pair;
}

/* Ranks the pairs of one group, heavy or not, by their bounds: as many as can be estimated. */
static void rank_group(struct reduction *r, bool is_heavy, size_t most) {
  struct search *search = r->search;
  const struct stream_model *s = &search->model;
  const struct mapping *m = &search->now;
  size_t clusters = m->cluster_count;
  double bound = ts_estimate_bound(&search->trial, s, m);
  memset(r->on_path, 0, clusters * clusters * sizeof *r->on_path);
  ts_estimate_bound_path(&search->trial, s, m, bound, r->on_path);
  r->ranked_count = 0;
  for (size_t i = 0; i < r->count && !ts_stream_is_stopped(s); i++) {
    struct pair pair = r->pairs[i];
    if (pair.is_heavy != is_heavy) continue;
    pair.bound = bound; /* it may be larger */
    if (r->ranked_count == most && !r->on_path[pair.a * clusters + pair.b] && !goes_first(&pair, &r->ranked[most - 1]))
      continue;
    pair.bound = ts_estimate_bound_merged(&search->trial, s, m, pair.a, pair.b);
    rank_pair(r, pair, most);
  }
}

static bool are_connected(const struct search *search, uint32_t a, uint32_t b) {
  const struct stream_model *s = &search->model;
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
  const struct stream_model *s = &search->model;
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
  return ts_mapping_replicas(m, &search->model, cluster) - ts_mapping_need(m, &search->model, cluster);
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

/* Whether the merge is certain to miss the throughput: without duplicates all transfers of the clusters stay. */
static bool is_certainly_slow(const struct reduction *r, const struct pair *pair) {
  return pair->is_heavy && ts_mapping_copies(&r->search->now, &r->search->model) == r->search->model.task_count;
}

static void take_if_better(const struct search *search, const struct pair *pair, struct merit *best) {
  if (best->is_set && ts_latency_less(best->latency, search->trial.latency)) return;
  struct merit now = merit_of(search, pair);
  if (is_better(&now, best)) *best = now;
}

/* Estimates a merge and takes it if it is the best so far: of those that keep the throughput, or of the others, which
 * count only until one keeps it. */
static void try_pair(struct reduction *r, const struct pair *pair, struct merit *keeping, struct merit *slow) {
  struct search *search = r->search;
  const struct stream_model *s = &search->model;
  bool is_slow = is_certainly_slow(r, pair);
  if (keeping->is_set && is_slow) return;
  ts_mapping_merge(&search->candidate, &search->now, s, pair->a, pair->b);
  if (keeping->is_set || is_slow) {
    struct merit *best = is_slow ? slow : keeping;
    double limit = best->is_set ? best->latency : INFINITY, least = is_slow ? STREAM_UNASKED : ts_stream_least(s);
    if (ts_estimate_within(&search->trial, s, &search->candidate, limit, least)) take_if_better(search, pair, best);
    return;
  }
  /* With one port the latency is known before a throughput is found to be too low. */
  double least = s->ports == 1 || s->wanted <= 0 ? ts_stream_least(s) : 0;
  bool is_met = ts_estimate_within(&search->trial, s, &search->candidate, INFINITY, least) &&
                (s->wanted <= 0 || ts_estimate_meets(&search->trial, s));
  take_if_better(search, pair, is_met ? keeping : slow);
}

/* Tries the pairs of a group in their order, until enough were estimated. False: that is so. */
static bool try_group(struct reduction *r, size_t *estimates, struct merit *keeping, struct merit *slow) {
  const struct stream_model *s = &r->search->model;
  for (size_t i = 0; i < r->ranked_count && !ts_stream_is_stopped(s); i++) {
    if (*estimates >= ts_search_most(r->search, keeping->is_set ? MOST_ESTIMATES : MOST_FAILURES)) return false;
    if (keeping->is_set && ts_latency_less(keeping->latency, r->ranked[i].bound)) break; /* as are all behind it */
    ++*estimates;
    try_pair(r, &r->ranked[i], keeping, slow);
  }
  return true;
}

/* The pair of least latency among those that keep the throughput, or of all if none does. */
static struct merit choose(struct reduction *r) {
  struct merit keeping = {0}, slow = {0};
  size_t estimates = 0, most = ts_search_most(r->search, MOST_FAILURES);
  rank_group(r, false, most);
  if (try_group(r, &estimates, &keeping, &slow)) {
    rank_group(r, true, most);
    try_group(r, &estimates, &keeping, &slow);
  }
  return keeping.is_set ? keeping : slow;
}

/* Without a pair that saves a processor: the pair with the largest wastage, so that later merges can save one. */
static struct merit choose_wasteful(struct reduction *r) {
  struct search *search = r->search;
  const struct stream_model *s = &search->model;
  struct merit best = {0};
  double largest = -INFINITY;
  list_pairs(r, true);
  for (size_t i = 0; i < r->count; i++) {
    struct pair *pair = &r->pairs[i];
    ts_mapping_merge(&search->candidate, &search->now, s, pair->a, pair->b);
    pair->wastage = wastage_of(search, pair->a);
    if (pair->wastage > largest) largest = pair->wastage;
  }
  for (size_t i = 0; i < r->count; i++) {
    const struct pair *pair = &r->pairs[i];
    if (pair->wastage < largest || ts_stream_is_stopped(s)) continue;
    ts_mapping_merge(&search->candidate, &search->now, s, pair->a, pair->b);
    double limit = best.is_set ? best.latency : INFINITY;
    if (!ts_estimate_within(&search->trial, s, &search->candidate, limit, STREAM_UNASKED)) continue;
    double latency = search->trial.latency;
    if (best.is_set && !ts_latency_less(latency, best.latency)) continue; /* the earlier pair stays */
    best = (struct merit){.is_set = true, .latency = latency, .a = pair->a, .b = pair->b};
  }
  return best;
}

bool ts_stream_prh(struct search *search) {
  const struct stream_model *s = &search->model;
  size_t clusters = search->now.cluster_count;
  struct reduction r = {.search = search};
  bool ok = true;
  r.between = ts_calloc(clusters * clusters + 1, sizeof *r.between);
  r.traffic = ts_calloc(clusters + 1, sizeof *r.traffic);
  r.on_path = ts_calloc(clusters * clusters + 1, sizeof *r.on_path);
  for (; ok && ts_mapping_processors(&search->now, s) > (double)s->processors; r.step++) {
    measure_traffic(&r);
    list_pairs(&r, false);
    struct merit best = r.count > 0 ? choose(&r) : choose_wasteful(&r);
    ok = best.is_set;
    if (!ok) break;
    ts_mapping_merge(&search->candidate, &search->now, s, best.a, best.b);
    ts_mapping_copy(&search->now, &search->candidate, s);
    ts_estimate_run(&search->estimate, s, &search->now);
  }
  free(r.pairs);
  free(r.between);
  free(r.ranked);
  free(r.on_path);
  free(r.traffic);
  return ok;
}
