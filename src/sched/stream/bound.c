/* A lower bound of the latency of a mapping: the longest path without contention, backwards through the static order.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sched/stream/stream_int.h"

static void clear(struct estimate *e, const struct stream_model *s, const struct mapping *m) {
  ts_estimate_reserve(e, ts_mapping_copies(m, s));
  for (uint32_t c = 0; c < m->cluster_count; c++) e->cluster_end[c] = 0;
  for (uint32_t t = 0; t < s->task_count; t++) e->remote_tail[t] = 0;
}

double ts_estimate_bound(struct estimate *e, const struct stream_model *s, const struct mapping *m) {
  double longest = 0;
  clear(e, s, m);
  for (size_t k = s->task_count + s->edge_count; k-- > 0;) {
    uint32_t index = s->order[k].index;
    if (s->order[k].is_edge) {
      const struct ts_task_edge *edge = &s->graph->edges[index];
      for (uint32_t i = m->first[edge->to]; i < m->first[edge->to + 1]; i++) {
        double path = edge->time + e->tail[i];
        if (path > e->remote_tail[edge->from] && ts_mapping_find(m, edge->from, m->where[i]) == UINT32_MAX)
          e->remote_tail[edge->from] = path;
      }
      continue;
    }
    for (uint32_t i = m->first[index]; i < m->first[index + 1]; i++) {
      uint32_t c = m->where[i];
      double after = e->cluster_end[c];
      if (c == m->home[index] && e->remote_tail[index] > after) after = e->remote_tail[index];
      e->tail[i] = e->cluster_end[c] = s->time[index] + after;
      if (e->tail[i] > longest) longest = e->tail[i];
    }
  }
  return longest;
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

double ts_estimate_bound_merged(struct estimate *e, const struct stream_model *s, const struct mapping *m, uint32_t a,
                                uint32_t b) {
  double longest = 0;
  clear(e, s, m);
  for (size_t k = s->task_count + s->edge_count; k-- > 0;) {
    uint32_t index = s->order[k].index;
    if (!s->order[k].is_edge) {
      double path = pass_copies(e, s, m, index, a, b);
      if (path > longest) longest = path;
      continue;
    }
    const struct ts_task_edge *edge = &s->graph->edges[index];
    for (uint32_t i = m->first[edge->to]; i < m->first[edge->to + 1]; i++) {
      double path = edge->time + e->tail[i];
      if (path > e->remote_tail[edge->from] && !has_copy(m, edge->from, merged(m->where[i], a, b), a, b))
        e->remote_tail[edge->from] = path;
    }
  }
  return longest;
}
