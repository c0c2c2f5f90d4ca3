/* Local search over mappings by simulated annealing, with the same estimates; returns the best mapping it has seen.
 * SPDX-License-Identifier: Apache-2.0
 *
 * S. Kirkpatrick, C. D. Gelatt, M. P. Vecchi, "Optimization by simulated annealing", Science 220, 1983. The largest
 * latency that would be accepted is drawn before a change is estimated, so that most estimates end early. */
#include "sched/stream/stream_int.h"

#include "base/alloc.h"
#include "base/random.h"

#include <math.h>

/* Measured on the 15 graphs syn*_ccr1 of the specification, k = 4, P = 32, half of the largest throughput, 5 s each. */
#define HOT             0.03   /* mean increase that is accepted at first, as a share of the latency */
#define COLD            0.0002 /* the same in the end */
#define CYCLES          3      /* times that the temperature falls; each begins with the best mapping */
#define STEPS_PER_LOOK  64     /* between looks at the time */
#define NEIGHBOUR_SHARE 0.8    /* of moves that go to a cluster with a producer or consumer of the task */
#define CRITICAL_SHARE  0.6    /* of changes that begin with a critical transfer */
#define STREAM_NUMBER   1      /* of the random numbers */

struct annealing {
  struct search *search;
  const struct stream_model *s;
  struct ts_random random;
  bool *critical; /* owned, by transfer of search->estimate */
  size_t critical_capacity;
  uint32_t *critical_list; /* owned */
  size_t critical_count;
  struct mapping best;
  double best_latency, best_processors;
};

static uint32_t below(struct annealing *a, size_t bound) { return (uint32_t)ts_random_below(&a->random, bound); }
static double unit(struct annealing *a) { return ts_random_unit(&a->random); }

/* Lists the critical transfers of the mapping. */
static void find_critical(struct annealing *a) {
  const struct estimate *e = &a->search->estimate;
  if (e->transfer_count > a->critical_capacity) {
    a->critical_capacity = 2 * e->transfer_count;
    a->critical = ts_realloc_array(a->critical, a->critical_capacity, sizeof *a->critical);
    a->critical_list = ts_realloc_array(a->critical_list, a->critical_capacity, sizeof *a->critical_list);
  }
  a->critical_count = 0;
  ts_estimate_critical(e, a->s, &a->search->now, a->critical);
  for (uint32_t i = 0; i < e->transfer_count; i++) {
    if (a->critical[i]) a->critical_list[a->critical_count++] = i;
  }
}

/* A transfer, more often a critical one; NULL: there is none. */
static const struct transfer *pick_transfer(struct annealing *a) {
  const struct estimate *e = &a->search->estimate;
  if (e->transfer_count == 0) return NULL;
  if (a->critical_count > 0 && unit(a) < CRITICAL_SHARE)
    return &e->transfers[a->critical_list[below(a, a->critical_count)]];
  return &e->transfers[below(a, e->transfer_count)];
}

/* A cluster for a task: that of a neighbour, any, or a new one. */
static uint32_t pick_cluster(struct annealing *a, uint32_t task) {
  const struct ts_task_graph *g = a->s->graph;
  const struct mapping *m = &a->search->now;
  uint32_t ins = g->in_first[task + 1] - g->in_first[task], outs = g->out_first[task + 1] - g->out_first[task];
  if (ins + outs > 0 && unit(a) < NEIGHBOUR_SHARE) {
    uint32_t i = below(a, ins + outs);
    if (i < ins) return m->home[g->edges[g->in_edges[g->in_first[task] + i]].from];
    uint32_t next = g->edges[g->out_edges[g->out_first[task] + i - ins]].to;
    return m->where[m->first[next] + below(a, m->first[next + 1] - m->first[next])];
  }
  uint32_t choices = m->cluster_count < a->s->task_count ? m->cluster_count + 1 : m->cluster_count;
  return below(a, choices);
}

static bool move_copy(struct annealing *a, uint32_t task, uint32_t to) {
  const struct mapping *m = &a->search->now;
  uint32_t from = m->where[m->first[task] + below(a, m->first[task + 1] - m->first[task])];
  if (from == to) return false;
  ts_mapping_move(&a->search->candidate, m, a->s, task, from, to);
  return true;
}

/* Moves a task; with a critical transfer, one of its ends to the cluster of the other. */
static bool try_shift(struct annealing *a) {
  const struct transfer *x = unit(a) < CRITICAL_SHARE ? pick_transfer(a) : NULL;
  if (!x) {
    uint32_t task = below(a, a->s->task_count);
    return move_copy(a, task, pick_cluster(a, task));
  }
  const struct ts_task_edge *edge = &a->s->graph->edges[x->edge];
  bool moves_consumer = unit(a) < 0.5;
  uint32_t task = moves_consumer ? edge->to : edge->from;
  ts_mapping_move(&a->search->candidate, &a->search->now, a->s, task, moves_consumer ? x->to : x->from,
                  moves_consumer ? x->from : x->to);
  return true;
}

/* Exchanges two tasks of different clusters. */
static bool try_swap(struct annealing *a) {
  const struct mapping *m = &a->search->now;
  uint32_t t = below(a, a->s->task_count), u = below(a, a->s->task_count);
  uint32_t from = m->home[t], to = m->home[u];
  if (from == to || ts_mapping_find(m, t, to) != UINT32_MAX || ts_mapping_find(m, u, from) != UINT32_MAX) return false;
  ts_mapping_copy(&a->search->candidate, m, a->s);
  ts_mapping_exchange(&a->search->candidate, a->s, t, u);
  return true;
}

static bool try_merge(struct annealing *a) {
  const struct transfer *x = pick_transfer(a);
  if (!x) return false;
  ts_mapping_merge(&a->search->candidate, &a->search->now, a->s, x->from, x->to);
  return true;
}

/* The later tasks of a cluster become a cluster of their own. */
static bool try_split(struct annealing *a) {
  const struct mapping *m = &a->search->now;
  if (m->cluster_count >= a->s->task_count) return false;
  uint32_t t = below(a, a->s->task_count);
  uint32_t cluster = m->where[m->first[t] + below(a, m->first[t + 1] - m->first[t])];
  ts_mapping_split(&a->search->candidate, m, a->s, cluster, t);
  return a->search->candidate.cluster_count > m->cluster_count;
}

static bool try_duplicate(struct annealing *a) {
  const struct transfer *x = a->s->may_duplicate ? pick_transfer(a) : NULL;
  if (!x) return false;
  ts_mapping_duplicate(&a->search->candidate, &a->search->now, a->s, x->edge, x->to);
  return true;
}

/* Removes one of several copies of a task. */
static bool try_drop(struct annealing *a) {
  const struct mapping *m = &a->search->now;
  uint32_t copies = ts_mapping_copies(m, a->s), extra = copies - (uint32_t)a->s->task_count;
  if (extra == 0) return false;
  uint32_t wanted = below(a, extra), t = 0;
  while (m->first[t + 1] - m->first[t] - 1 <= wanted) wanted -= m->first[t + 1] - m->first[t] - 1, t++;
  uint32_t count = m->first[t + 1] - m->first[t], gone = below(a, count);
  uint32_t stays = (gone + 1 + below(a, count - 1)) % count;
  ts_mapping_move(&a->search->candidate, m, a->s, t, m->where[m->first[t] + gone], m->where[m->first[t] + stays]);
  return true;
}

static bool change(struct annealing *a) {
  double kind = unit(a);
  if (kind < 0.45) return try_shift(a);
  if (kind < 0.60) return try_duplicate(a);
  if (kind < 0.70) return try_drop(a);
  if (kind < 0.80) return try_swap(a);
  if (kind < 0.90) return try_split(a);
  return try_merge(a);
}

/* Whether the candidate can be run at all: tasks that must not be replicated, and the processors. */
static bool is_runnable(const struct annealing *a) {
  const struct mapping *m = &a->search->candidate;
  return ts_mapping_is_allowed(m, a->s) && ts_mapping_processors(m, a->s) <= (double)a->s->processors;
}

/* Replicas that were forced for transfers are removed first and added again where the candidate needs them. */
static void drop_forced(struct annealing *a) {
  struct mapping *m = &a->search->candidate;
  for (uint32_t c = 0; c < m->cluster_count; c++) m->forced[c] = 0;
}

static bool add_replicas(struct annealing *a) {
  struct mapping *m = &a->search->candidate;
  const struct estimate *e = &a->search->trial;
  for (uint32_t c = 0; c < m->cluster_count; c++) {
    uint32_t component = e->component[c];
    if (e->span[component] <= 0) continue;
    double need = ts_stream_ceil(a->s->wanted * e->span[component]);
    if (ts_mapping_replicas(m, a->s, c) >= need) continue;
    if (m->is_fixed[c]) return false;
    m->forced[c] = need;
  }
  return is_runnable(a);
}

/* Estimates the candidate; false if it misses a demand or exceeds the latency. */
static bool is_acceptable(struct annealing *a, double limit) {
  struct search *search = a->search;
  drop_forced(a);
  if (!is_runnable(a)) return false;
  if (!ts_estimate_within(&search->trial, a->s, &search->candidate, limit, a->s->wanted > 0 ? 0 : STREAM_UNASKED))
    return false;
  if (a->s->wanted <= 0 || ts_estimate_meets(&search->trial, a->s)) return true;
  if (!add_replicas(a)) return false;
  ts_estimate_count_again(&search->trial, a->s, &search->candidate);
  return ts_estimate_meets(&search->trial, a->s);
}

static void keep_best(struct annealing *a) {
  const struct estimate *e = &a->search->estimate;
  bool is_less = ts_latency_less(e->latency, a->best_latency);
  if (!is_less && !(ts_latency_same(e->latency, a->best_latency) && e->processors < a->best_processors)) return;
  a->best_latency = e->latency;
  a->best_processors = e->processors;
  ts_mapping_copy(&a->best, &a->search->now, a->s);
}

static void accept(struct annealing *a) {
  struct mapping keep = a->search->now;
  a->search->now = a->search->candidate;
  a->search->candidate = keep;
  struct estimate kept = a->search->estimate;
  a->search->estimate = a->search->trial;
  a->search->trial = kept;
  find_critical(a);
  keep_best(a);
}

static void restart(struct annealing *a) {
  ts_mapping_copy(&a->search->now, &a->best, a->s);
  ts_estimate_run(&a->search->estimate, a->s, &a->search->now);
  find_critical(a);
}

void ts_stream_refine(struct search *search, const struct ts_stream_problem *problem) {
  struct annealing a = {.search = search, .s = &search->model, .best_latency = INFINITY, .best_processors = INFINITY};
  int cycle = 0;
  double left;
  ts_random_init(&a.random, problem->seed, STREAM_NUMBER);
  keep_best(&a);
  find_critical(&a);
  while ((left = problem->time_left(problem->user)) > 0) {
    double passed = (1 - left) * CYCLES;
    if ((int)passed > cycle) {
      cycle = (int)passed;
      restart(&a);
    }
    double heat = HOT * pow(COLD / HOT, passed - floor(passed));
    for (int i = 0; i < STEPS_PER_LOOK; i++) {
      double limit = search->estimate.latency * (1 - heat * log(1 - unit(&a)));
      if (change(&a) && is_acceptable(&a, limit)) accept(&a);
    }
  }
  restart(&a);
  ts_mapping_release(&a.best);
  free(a.critical);
  free(a.critical_list);
}
