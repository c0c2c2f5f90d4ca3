/* Mappings of tasks to clusters, and the changes that the algorithms try: merge, duplicate, move a copy.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sched/stream/stream_int.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

/* More copies than tasks by this factor are rare; `where` grows beyond it. */
#define COPIES_AT_FIRST 2

void ts_mapping_release(struct mapping *m) {
  free(m->home);
  free(m->first);
  free(m->where);
  free(m->time);
  free(m->forced);
  free(m->is_fixed);
  *m = (struct mapping){0};
}

static void reserve_copies(struct mapping *m, size_t count) {
  if (count <= m->copy_capacity) return;
  m->copy_capacity = 2 * count;
  m->where = ts_realloc_array(m->where, m->copy_capacity, sizeof *m->where);
}

static void reserve(struct mapping *m, const struct stream_model *s) {
  if (m->home) return;
  size_t n = s->task_count;
  m->home = ts_calloc(n, sizeof *m->home);
  m->first = ts_calloc(n + 1, sizeof *m->first);
  m->time = ts_calloc(n + 1, sizeof *m->time);
  m->forced = ts_calloc(n + 1, sizeof *m->forced);
  m->is_fixed = ts_calloc(n + 1, sizeof *m->is_fixed);
  reserve_copies(m, COPIES_AT_FIRST * n);
}

double ts_stream_ceil(double value) {
  double whole = ceil(value - STREAM_EPSILON);
  return whole > 1 ? whole : 1;
}

uint32_t ts_mapping_copies(const struct mapping *m, const struct stream_model *s) { return m->first[s->task_count]; }

uint32_t ts_mapping_find(const struct mapping *m, uint32_t task, uint32_t cluster) {
  for (uint32_t i = m->first[task]; i < m->first[task + 1]; i++) {
    if (m->where[i] == cluster) return i;
  }
  return UINT32_MAX;
}

double ts_mapping_need(const struct mapping *m, const struct stream_model *s, uint32_t cluster) {
  double need = s->wanted * m->time[cluster];
  return need > m->forced[cluster] ? need : m->forced[cluster];
}

double ts_mapping_replicas(const struct mapping *m, const struct stream_model *s, uint32_t cluster) {
  return ts_stream_ceil(ts_mapping_need(m, s, cluster));
}

double ts_mapping_processors(const struct mapping *m, const struct stream_model *s) {
  double sum = 0;
  for (uint32_t c = 0; c < m->cluster_count; c++) sum += ts_mapping_replicas(m, s, c);
  return sum;
}

double ts_mapping_need_of_all(const struct mapping *m, const struct stream_model *s) {
  double sum = 0;
  for (uint32_t c = 0; c < m->cluster_count; c++) sum += ts_mapping_need(m, s, c);
  return sum;
}

bool ts_mapping_is_allowed(const struct mapping *m, const struct stream_model *s) {
  for (uint32_t c = 0; c < m->cluster_count; c++) {
    if (m->is_fixed[c] && ts_mapping_need(m, s, c) > 1 + STREAM_EPSILON) return false;
  }
  return true;
}

uint64_t ts_mapping_hash(const struct mapping *m, const struct stream_model *s) {
  uint64_t hash = m->cluster_count;
  for (uint32_t t = 0; t < s->task_count; t++) {
    hash = (hash ^ (m->home[t] + 1)) * UINT64_C(0x9E3779B97F4A7C15);
    for (uint32_t i = m->first[t]; i < m->first[t + 1]; i++)
      hash = (hash ^ (hash >> 29) ^ (m->where[i] + 7)) * UINT64_C(0xBF58476D1CE4E5B9);
  }
  for (uint32_t c = 0; c < m->cluster_count; c++)
    hash = (hash ^ (hash >> 32) ^ (uint64_t)m->forced[c]) * UINT64_C(0x94D049BB133111EB);
  return hash ^ hash >> 31;
}

/* Sums the times of clusters. */
static void sum_clusters(struct mapping *m, const struct stream_model *s) {
  for (uint32_t c = 0; c < m->cluster_count; c++) {
    m->time[c] = 0;
    m->is_fixed[c] = false;
  }
  for (uint32_t t = 0; t < s->task_count; t++) {
    for (uint32_t i = m->first[t]; i < m->first[t + 1]; i++) {
      m->time[m->where[i]] += s->time[t];
      if (s->is_fixed[t]) m->is_fixed[m->where[i]] = true;
    }
  }
}

void ts_mapping_assign(struct mapping *m, const struct stream_model *s, const uint32_t *cluster_of,
                       uint32_t cluster_count) {
  reserve(m, s);
  m->cluster_count = cluster_count;
  for (uint32_t t = 0; t < s->task_count; t++) {
    m->home[t] = m->where[t] = cluster_of[t];
    m->first[t] = t;
  }
  m->first[s->task_count] = (uint32_t)s->task_count;
  memset(m->forced, 0, cluster_count * sizeof *m->forced);
  sum_clusters(m, s);
}

void ts_mapping_init(struct mapping *m, const struct stream_model *s) {
  ts_auto_free uint32_t *own = ts_calloc(s->task_count, sizeof *own);
  for (uint32_t t = 0; t < s->task_count; t++) own[t] = t;
  ts_mapping_assign(m, s, own, (uint32_t)s->task_count);
}

void ts_mapping_copy(struct mapping *to, const struct mapping *from, const struct stream_model *s) {
  size_t n = s->task_count, clusters = from->cluster_count;
  reserve(to, s);
  reserve_copies(to, from->first[n]);
  to->cluster_count = from->cluster_count;
  memcpy(to->home, from->home, n * sizeof *to->home);
  memcpy(to->first, from->first, (n + 1) * sizeof *to->first);
  memcpy(to->where, from->where, from->first[n] * sizeof *to->where);
  memcpy(to->time, from->time, clusters * sizeof *to->time);
  memcpy(to->forced, from->forced, clusters * sizeof *to->forced);
  memcpy(to->is_fixed, from->is_fixed, clusters * sizeof *to->is_fixed);
}

/* Marks a removed copy until the lists are closed up. */
#define REMOVED UINT32_MAX

/* Removes marked copies and empty clusters; the others keep their order. */
static void close_up(struct mapping *m, const struct stream_model *s) {
  uint32_t kept = 0, clusters = 0, n = (uint32_t)s->task_count;
  ts_auto_free uint32_t *number = ts_calloc(m->cluster_count + 1, sizeof *number);
  for (uint32_t t = 0; t < n; t++) {
    uint32_t begin = m->first[t];
    m->first[t] = kept;
    for (uint32_t i = begin; i < m->first[t + 1]; i++) {
      if (m->where[i] == REMOVED) continue;
      number[m->where[i]] = 1;
      m->where[kept++] = m->where[i];
    }
  }
  m->first[n] = kept;
  for (uint32_t c = 0; c < m->cluster_count; c++) {
    if (!number[c]) continue;
    m->forced[clusters] = m->forced[c];
    number[c] = clusters++;
  }
  for (uint32_t i = 0; i < kept; i++) m->where[i] = number[m->where[i]];
  for (uint32_t t = 0; t < n; t++) m->home[t] = number[m->home[t]];
  m->cluster_count = clusters;
  sum_clusters(m, s);
}

/* Whether a successor of the task is in the cluster; *is_remote: whether some cluster has a successor but not it. */
static bool is_read(const struct mapping *m, const struct stream_model *s, uint32_t task, uint32_t cluster,
                    bool *is_remote) {
  const struct ts_task_graph *g = s->graph;
  bool found = false;
  *is_remote = false;
  for (uint32_t k = g->out_first[task]; k < g->out_first[task + 1]; k++) {
    uint32_t next = g->edges[g->out_edges[k]].to;
    for (uint32_t i = m->first[next]; i < m->first[next + 1]; i++) {
      if (m->where[i] == REMOVED) continue;
      if (m->where[i] == cluster) found = true;
      if (ts_mapping_find(m, task, m->where[i]) == UINT32_MAX) *is_remote = true;
    }
  }
  return found;
}

/* Only tasks with several copies, consumers first: a copy stays if its cluster has a reader, or if it is the home and
 * some cluster has a reader without a copy. */
void ts_mapping_drop_unread(struct mapping *m, const struct stream_model *s) {
  bool changed = false;
  for (size_t k = s->task_count; k-- > 0;) {
    uint32_t t = s->task_order[k], left = m->first[t + 1] - m->first[t];
    if (left < 2) continue;
    bool is_remote = false;
    uint32_t home_at = UINT32_MAX;
    for (uint32_t i = m->first[t]; i < m->first[t + 1]; i++) {
      uint32_t cluster = m->where[i];
      bool is_home = cluster == m->home[t];
      if (is_home) home_at = i;
      if (is_read(m, s, t, cluster, &is_remote) || (is_home && is_remote)) continue;
      m->where[i] = REMOVED;
      left--;
      changed = true;
    }
    if (left == 0) {
      m->where[home_at] = m->home[t];
    } else if (m->where[home_at] == REMOVED) {
      uint32_t i = m->first[t];
      while (m->where[i] == REMOVED) i++;
      m->home[t] = m->where[i];
    }
  }
  if (changed) close_up(m, s);
}

/* The number of a cluster after `high` was merged into `low`. */
static uint32_t renumber(uint32_t cluster, uint32_t low, uint32_t high) {
  return cluster == high ? low : cluster > high ? cluster - 1 : cluster;
}

/* Adds a cluster to the sorted list where[begin] to where[end] unless it is there; returns the new end. */
static uint32_t add_sorted(uint32_t *where, uint32_t begin, uint32_t end, uint32_t cluster) {
  uint32_t at = end;
  while (at > begin && where[at - 1] > cluster) at--;
  if (at > begin && where[at - 1] == cluster) return end;
  memmove(where + at + 1, where + at, (end - at) * sizeof *where);
  where[at] = cluster;
  return end + 1;
}

void ts_mapping_merge(struct mapping *to, const struct mapping *from, const struct stream_model *s, uint32_t a,
                      uint32_t b) {
  uint32_t low = a < b ? a : b, high = a < b ? b : a, kept = 0, n = (uint32_t)s->task_count;
  ts_mapping_copy(to, from, s);
  for (uint32_t t = 0; t < n; t++) {
    uint32_t begin = kept;
    for (uint32_t i = from->first[t]; i < from->first[t + 1]; i++)
      kept = add_sorted(to->where, begin, kept, renumber(from->where[i], low, high));
    to->first[t] = begin;
    to->home[t] = renumber(from->home[t], low, high);
  }
  to->first[n] = kept;
  if (to->forced[high] > to->forced[low]) to->forced[low] = to->forced[high];
  to->cluster_count--;
  memmove(to->forced + high, to->forced + high + 1, (to->cluster_count - high) * sizeof *to->forced);
  sum_clusters(to, s);
  if (kept > n) ts_mapping_drop_unread(to, s);
}

/* Adds a copy, keeping the list of the task sorted. A cluster that does not exist yet comes to exist. */
static void add_copy(struct mapping *m, const struct stream_model *s, uint32_t task, uint32_t cluster) {
  uint32_t n = (uint32_t)s->task_count, total = m->first[n], at = m->first[task];
  reserve_copies(m, total + 1);
  while (at < m->first[task + 1] && m->where[at] < cluster) at++;
  memmove(m->where + at + 1, m->where + at, (total - at) * sizeof *m->where);
  m->where[at] = cluster;
  for (uint32_t t = task + 1; t <= n; t++) m->first[t]++;
  if (cluster == m->cluster_count) {
    m->cluster_count++;
    m->time[cluster] = m->forced[cluster] = 0;
    m->is_fixed[cluster] = false;
  }
  m->time[cluster] += s->time[task];
  if (s->is_fixed[task]) m->is_fixed[cluster] = true;
}

/* A copy of a task needs its inputs: those that would come too slowly are computed again, too. */
static void add_with_ancestors(struct mapping *m, const struct stream_model *s, uint32_t task, uint32_t cluster) {
  const struct ts_task_graph *g = s->graph;
  uint32_t *work = ts_calloc(s->task_count + 1, sizeof *work), count = 0;
  work[count++] = task;
  add_copy(m, s, task, cluster);
  while (count > 0) {
    uint32_t t = work[--count];
    for (uint32_t k = g->in_first[t]; k < g->in_first[t + 1]; k++) {
      const struct ts_task_edge *edge = &g->edges[g->in_edges[k]];
      if (ts_mapping_find(m, edge->from, cluster) != UINT32_MAX) continue;
      double sender = ts_mapping_replicas(m, s, m->home[edge->from]);
      double receiver = ts_mapping_replicas(m, s, cluster);
      if ((sender < receiver ? sender : receiver) >= s->wanted * edge->time * (1 - STREAM_EPSILON)) continue;
      add_copy(m, s, edge->from, cluster);
      work[count++] = edge->from;
    }
  }
  free(work);
}

void ts_mapping_duplicate(struct mapping *to, const struct mapping *from, const struct stream_model *s, uint32_t edge,
                          uint32_t cluster) {
  ts_mapping_copy(to, from, s);
  add_with_ancestors(to, s, s->graph->edges[edge].from, cluster);
  ts_mapping_drop_unread(to, s);
}

void ts_mapping_move(struct mapping *to, const struct mapping *from, const struct stream_model *s, uint32_t task,
                     uint32_t from_cluster, uint32_t to_cluster) {
  ts_mapping_copy(to, from, s);
  if (ts_mapping_find(to, task, to_cluster) == UINT32_MAX) add_copy(to, s, task, to_cluster);
  to->where[ts_mapping_find(to, task, from_cluster)] = REMOVED;
  if (to->home[task] == from_cluster) to->home[task] = to_cluster;
  close_up(to, s);
  if (ts_mapping_copies(to, s) > s->task_count) ts_mapping_drop_unread(to, s);
}

/* Puts the copy of a task from one cluster into another, and its list in order. */
static void relabel(struct mapping *m, uint32_t task, uint32_t from, uint32_t to) {
  uint32_t at = ts_mapping_find(m, task, from);
  m->where[at] = to;
  for (; at > m->first[task] && m->where[at - 1] > m->where[at]; at--) {
    uint32_t keep = m->where[at - 1];
    m->where[at - 1] = m->where[at];
    m->where[at] = keep;
  }
  for (; at + 1 < m->first[task + 1] && m->where[at + 1] < m->where[at]; at++) {
    uint32_t keep = m->where[at + 1];
    m->where[at + 1] = m->where[at];
    m->where[at] = keep;
  }
  if (m->home[task] == from) m->home[task] = to;
}

void ts_mapping_exchange(struct mapping *m, const struct stream_model *s, uint32_t t, uint32_t u) {
  uint32_t first = m->home[t], second = m->home[u];
  relabel(m, t, first, second);
  relabel(m, u, second, first);
  sum_clusters(m, s);
  if (ts_mapping_copies(m, s) > s->task_count) ts_mapping_drop_unread(m, s);
}

void ts_mapping_split(struct mapping *to, const struct mapping *from, const struct stream_model *s, uint32_t cluster,
                      uint32_t task) {
  bool is_behind = false;
  uint32_t kept = 0;
  ts_mapping_copy(to, from, s);
  for (size_t k = 0; k < s->task_count; k++) {
    uint32_t t = s->task_order[k];
    if (t == task) is_behind = true;
    if (ts_mapping_find(to, t, cluster) == UINT32_MAX) continue;
    if (is_behind && kept > 0)
      relabel(to, t, cluster, from->cluster_count);
    else
      kept++;
  }
  to->forced[from->cluster_count] = to->forced[cluster];
  to->cluster_count++;
  close_up(to, s);
  if (ts_mapping_copies(to, s) > s->task_count) ts_mapping_drop_unread(to, s);
}
