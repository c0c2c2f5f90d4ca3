/* A lower bound of the latency of a mapping: the longest path without contention, backwards through the static order.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sched/stream/stream_int.h"

static void clear(struct estimate *e, const struct stream_model *s, const struct mapping *m) {
  ts_estimate_reserve(e, ts_mapping_copies(m, s));
  for (uint32_t c = 0; c < m->cluster_count; c++) e->cluster_end[c] = 0;
  for (uint32_t t = 0; t < s->task_count; t++) e->remote_tail[t] = 0;
}

/* The number of a cluster after the merge of b into a. */
static inline uint32_t merged(uint32_t cluster, uint32_t a, uint32_t b) { return cluster == b ? a : cluster; }

static bool has_copy(const struct mapping *m, uint32_t task, uint32_t cluster, uint32_t a, uint32_t b) {
  for (uint32_t i = m->first[task]; i < m->first[task + 1]; i++) {
    if (merged(m->where[i], a, b) == cluster) return true;
  }
  return false;
}

/* Of two copies that the merge makes one, the first has the path; the second gets it for the transfers to it. */
static double pass_copies(struct estimate *e, const struct stream_model *s, const struct mapping *m, uint32_t t,
                          uint32_t a, uint32_t b) {
  double longest = 0, common = -1;
  uint32_t home = merged(m->home[t], a, b);
  for (uint32_t i = m->first[t]; i < m->first[t + 1]; i++) {
    uint32_t c = merged(m->where[i], a, b);
    double after = e->cluster_end[c];
    if (c == home && e->remote_tail[t] > after) after = e->remote_tail[t];
    if (c == a && common >= 0) {
      e->tail[i] = common;
      continue;
    }
    e->tail[i] = e->cluster_end[c] = s->time[t] + after;
    if (c == a) common = e->tail[i];
    if (e->tail[i] > longest) longest = e->tail[i];
  }
  return longest;
}

/* Without duplicates, which is most of the time: the copy of task t is number t. */
static double bound_single(struct estimate *e, const struct stream_model *s, const struct mapping *m, uint32_t a,
                           uint32_t b) {
  double longest = 0;
  for (size_t k = s->task_count + s->edge_count; k-- > 0;) {
    const struct stream_item *item = &s->order[k];
    if (item->is_edge) {
      double path = item->time + e->tail[item->to];
      bool is_remote = merged(m->where[item->from], a, b) != merged(m->where[item->to], a, b);
      if (is_remote && path > e->remote_tail[item->from]) e->remote_tail[item->from] = path;
      continue;
    }
    uint32_t t = item->index, c = merged(m->where[t], a, b);
    double after = e->cluster_end[c] > e->remote_tail[t] ? e->cluster_end[c] : e->remote_tail[t];
    e->tail[t] = e->cluster_end[c] = s->time[t] + after;
    if (e->tail[t] > longest) longest = e->tail[t];
  }
  return longest;
}

double ts_estimate_bound_merged(struct estimate *e, const struct stream_model *s, const struct mapping *m, uint32_t a,
                                uint32_t b) {
  double longest = 0;
  clear(e, s, m);
  if (ts_mapping_copies(m, s) == s->task_count) return bound_single(e, s, m, a, b);
  for (size_t k = s->task_count + s->edge_count; k-- > 0;) {
    const struct stream_item *item = &s->order[k];
    if (!item->is_edge) {
      double path = pass_copies(e, s, m, item->index, a, b);
      if (path > longest) longest = path;
      continue;
    }
    for (uint32_t i = m->first[item->to]; i < m->first[item->to + 1]; i++) {
      double path = item->time + e->tail[i];
      if (path > e->remote_tail[item->from] && !has_copy(m, item->from, merged(m->where[i], a, b), a, b))
        e->remote_tail[item->from] = path;
    }
  }
  return longest;
}

double ts_estimate_bound(struct estimate *e, const struct stream_model *s, const struct mapping *m) {
  return ts_estimate_bound_merged(e, s, m, UINT32_MAX, UINT32_MAX);
}

/* Where the longest path from a copy goes on behind a transfer; UINT32_MAX: in the cluster, or nowhere. */
static uint32_t next_remote(const struct estimate *e, const struct stream_model *s, const struct mapping *m,
                            uint32_t task, uint32_t copy, uint32_t *next_copy) {
  const struct ts_task_graph *g = s->graph;
  if (m->where[copy] != m->home[task]) return UINT32_MAX;
  for (uint32_t k = g->out_first[task]; k < g->out_first[task + 1]; k++) {
    const struct ts_task_edge *edge = &g->edges[g->out_edges[k]];
    for (uint32_t i = m->first[edge->to]; i < m->first[edge->to + 1]; i++) {
      double path = s->time[task] + (edge->time + e->tail[i]);
      if (path != e->tail[copy] || ts_mapping_find(m, task, m->where[i]) != UINT32_MAX) continue;
      *next_copy = i;
      return edge->to;
    }
  }
  return UINT32_MAX;
}

static uint32_t find_longest(const struct estimate *e, const struct mapping *m, uint32_t task, double longest) {
  for (uint32_t i = m->first[task]; i < m->first[task + 1]; i++) {
    if (e->tail[i] == longest) return i;
  }
  return UINT32_MAX;
}

void ts_estimate_bound_path(const struct estimate *e, const struct stream_model *s, const struct mapping *m,
                            double longest, bool *is_between) {
  uint32_t cluster = UINT32_MAX, next = UINT32_MAX, copy = UINT32_MAX;
  bool has_begun = false;
  for (size_t k = 0; k < s->task_count; k++) {
    uint32_t t = s->task_order[k];
    if (next != UINT32_MAX && t != next) continue;
    if (next == UINT32_MAX) copy = has_begun ? ts_mapping_find(m, t, cluster) : find_longest(e, m, t, longest);
    if (copy == UINT32_MAX) continue;
    has_begun = true;
    cluster = m->where[copy];
    next = next_remote(e, s, m, t, copy, &copy);
    if (next == UINT32_MAX) continue;
    for (uint32_t i = m->first[t]; i < m->first[t + 1]; i++) {
      is_between[m->where[i] * (size_t)m->cluster_count + m->where[copy]] = true;
      is_between[m->where[copy] * (size_t)m->cluster_count + m->where[i]] = true;
    }
  }
}
