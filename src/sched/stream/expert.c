/* EXPERT: clusters along the longest paths as long as a cluster keeps up; EXPERT-e adds replicas of all clusters.
 * SPDX-License-Identifier: Apache-2.0
 *
 * F. Guirado, A. Ripoll, C. Roig, E. Luque, "Optimizing latency under throughput requirements for streaming
 * applications on cluster execution", IEEE Cluster 2005; known here through its description in the paper of
 * stream.h. */
#include "sched/stream/stream_int.h"

#include "base/alloc.h"

#include <math.h>

/* Lengths of paths that differ by rounding only are the same: in steps of this share of the longest one. */
#define SAME_PATH 1e-9

struct ranked_edge {
  double path; /* longest one through the edge, in steps */
  double top;
  uint32_t edge;
};

static int compare_edges(const void *left, const void *right) {
  const struct ranked_edge *a = left, *b = right;
  if (a->path != b->path) return a->path > b->path ? -1 : 1;
  if (a->top != b->top) return a->top < b->top ? -1 : 1;
  return a->edge < b->edge ? -1 : a->edge > b->edge;
}

static uint32_t find_root(uint32_t *cluster, uint32_t c) {
  while (cluster[c] != c) c = cluster[c] = cluster[cluster[c]];
  return c;
}

static void join(uint32_t *cluster, double *weight, uint32_t a, uint32_t b) {
  uint32_t low = a < b ? a : b, high = a < b ? b : a;
  cluster[high] = low;
  weight[low] += weight[high];
}

/* Joins the ends of edges, those on the longest paths first, into clusters of at most `most`. */
static void join_paths(const struct stream_model *s, double most, uint32_t *cluster, double *weight) {
  ts_auto_free struct ranked_edge *edges = ts_calloc(s->edge_count + 1, sizeof *edges);
  double longest = 0;
  for (uint32_t t = 0; t < s->task_count; t++) longest = fmax(longest, s->bottom[t]);
  for (uint32_t e = 0; e < s->edge_count; e++) {
    const struct ts_task_edge *edge = &s->graph->edges[e];
    double path = s->top[edge->from] + s->time[edge->from] + edge->time + s->bottom[edge->to];
    edges[e] = (struct ranked_edge){round(path / (SAME_PATH * longest)), s->top[edge->from], e};
  }
  qsort(edges, s->edge_count, sizeof *edges, compare_edges);
  for (size_t i = 0; i < s->edge_count; i++) {
    const struct ts_task_edge *edge = &s->graph->edges[edges[i].edge];
    uint32_t a = find_root(cluster, edge->from), b = find_root(cluster, edge->to);
    if (a != b && weight[a] + weight[b] <= most * (1 + STREAM_EPSILON)) join(cluster, weight, a, b);
  }
}

/* Joins the two lightest clusters; false if there is only one. */
static bool join_lightest(const struct stream_model *s, uint32_t *cluster, double *weight) {
  uint32_t first = UINT32_MAX, second = UINT32_MAX;
  for (uint32_t c = 0; c < s->task_count; c++) {
    if (cluster[c] != c) continue;
    if (first == UINT32_MAX || weight[c] < weight[first]) {
      second = first;
      first = c;
    } else if (second == UINT32_MAX || weight[c] < weight[second]) {
      second = c;
    }
  }
  if (second == UINT32_MAX) return false;
  join(cluster, weight, first, second);
  return true;
}

static uint32_t count_clusters(const struct stream_model *s, const uint32_t *cluster) {
  uint32_t count = 0;
  for (uint32_t c = 0; c < s->task_count; c++) count += cluster[c] == c;
  return count;
}

static void make_clusters(const struct stream_model *s, double wanted, struct mapping *m) {
  uint32_t n = (uint32_t)s->task_count, count = 0;
  ts_auto_free uint32_t *cluster = ts_calloc(n, sizeof *cluster), *number = ts_calloc(n, sizeof *number);
  ts_auto_free double *weight = ts_calloc(n, sizeof *weight);
  for (uint32_t t = 0; t < n; t++) {
    cluster[t] = wanted > 0 ? t : 0;
    weight[t] = s->time[t];
  }
  if (wanted > 0) join_paths(s, 1 / wanted, cluster, weight);
  while (count_clusters(s, cluster) > s->processors && join_lightest(s, cluster, weight)) {
  }
  for (uint32_t t = 0; t < n; t++) {
    if (cluster[t] == t) number[t] = count++;
  }
  for (uint32_t t = 0; t < n; t++) weight[t] = number[find_root(cluster, t)];
  for (uint32_t t = 0; t < n; t++) cluster[t] = (uint32_t)weight[t];
  ts_mapping_assign(m, s, cluster, count);
}

/* Gives the processors that are left to the clusters, by their weight; the largest remainders get one more. */
static void share_processors(const struct stream_model *s, struct mapping *m) {
  double total = 0, left = (double)s->processors - m->cluster_count, given = 0;
  ts_auto_free double *rest = ts_calloc(m->cluster_count + 1, sizeof *rest);
  for (uint32_t c = 0; c < m->cluster_count; c++) total += m->is_fixed[c] ? 0 : m->time[c];
  for (uint32_t c = 0; c < m->cluster_count && total > 0; c++) {
    double share = m->is_fixed[c] ? 0 : left * m->time[c] / total;
    m->forced[c] = 1 + floor(share + STREAM_EPSILON);
    rest[c] = m->is_fixed[c] ? -1 : share - floor(share + STREAM_EPSILON);
    given += m->forced[c] - 1;
  }
  for (; total > 0 && given < left; given++) {
    uint32_t most = 0;
    for (uint32_t c = 1; c < m->cluster_count; c++) {
      if (rest[c] > rest[most]) most = c;
    }
    m->forced[most]++;
    rest[most] = -1;
  }
}

static void run(const struct ts_stream_problem *problem, double throughput, bool shares,
                struct ts_stream_schedule *out) {
  ts_auto(ts_stream_model_release) struct stream_model s;
  ts_auto(ts_mapping_release) struct mapping m = {0};
  ts_stream_model_init(&s, problem, 0);
  make_clusters(&s, throughput, &m);
  if (shares) share_processors(&s, &m);
  ts_stream_make_schedule(&s, &m, out);
  out->is_feasible = ts_stream_meets(out->throughput, throughput) && out->processors <= s.processors;
}

static void run_expert(const struct ts_stream_problem *problem, double throughput, struct ts_stream_schedule *out) {
  run(problem, throughput, false, out);
}

static void run_expert_e(const struct ts_stream_problem *problem, double throughput, struct ts_stream_schedule *out) {
  run(problem, throughput, true, out);
}

const struct ts_stream_algorithm ts_stream_expert = {
    .name = "expert", .title = "pipeline execution under time constraints (EXPERT)", .run = run_expert};
const struct ts_stream_algorithm ts_stream_expert_e = {
    .name = "expert-e", .title = "EXPERT with the remaining processors as replicas", .run = run_expert_e};
