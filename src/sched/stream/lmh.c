/* LMH: shortens the critical path by clustering and duplicating, within processors and throughput (Algorithm 3).
 * SPDX-License-Identifier: Apache-2.0
 *
 * Steps that gain nothing are allowed, because two together may gain; mappings are never visited twice, and the best
 * one seen is the result. */
#include "sched/stream/stream_int.h"

#include "base/alloc.h"
#include "base/map.h"

#include <math.h>

/* Steps without a gain end the search after twice as many as there are tasks, and after this many: a graph of 200 tasks
 * with one port would walk along a plateau for ten seconds. */
#define MOST_IDLE 100
/* Of the critical transfers of one step, those with the largest possible gain are tried, about this many at most. */
#define MOST_TRIED 48

struct descent {
  struct search *search;
  struct ts_map visited; /* of hashes of mappings */
  bool *critical;        /* owned, by transfer */
  size_t critical_capacity;
  struct mapping best; /* of least latency, then fewest processors */
  double best_latency, best_processors;
  struct mapping chosen; /* of the step */
};

/* What decides between the changes of one step. */
struct gain {
  bool is_set, is_duplicate;
  double key, latency, processors, weight;
  uint32_t edge, to;
};

static bool mark_visited(struct descent *d, const struct mapping *m) {
  uint64_t hash = ts_mapping_hash(m, &d->search->model);
  bool inserted = false;
  ts_map_insert(&d->visited, &hash, sizeof hash, &inserted);
  return inserted;
}

static bool was_visited(const struct descent *d, const struct mapping *m) {
  uint64_t hash = ts_mapping_hash(m, &d->search->model);
  return ts_map_find(&d->visited, &hash, sizeof hash) != NULL;
}

static void take(struct descent *d, struct mapping *chosen) {
  struct search *search = d->search;
  ts_mapping_copy(&search->now, chosen, &search->model);
  ts_estimate_run(&search->estimate, &search->model, &search->now);
  mark_visited(d, &search->now);
}

/* Whether the candidate keeps everything that holds now, and the latency. Leaves its estimate in search->trial. */
static bool is_admissible(struct descent *d) {
  struct search *search = d->search;
  const struct stream_model *s = &search->model;
  if (!ts_mapping_is_allowed(&search->candidate, s)) return false;
  if (ts_mapping_processors(&search->candidate, s) > (double)s->processors) return false;
  if (was_visited(d, &search->candidate)) return false;
  return ts_estimate_within(&search->trial, s, &search->candidate, search->estimate.latency, ts_stream_least(s));
}

/* A transfer between two clusters of a chain that weighs more than the transfers around them together (Theorem 2). */
static bool is_collapsible(const struct search *search, const struct transfer *x) {
  double in = -1, out = -1;
  for (size_t i = 0; i < search->estimate.transfer_count; i++) {
    const struct transfer *y = &search->estimate.transfers[i];
    double time = search->model.graph->edges[y->edge].time;
    if (y == x) continue;
    if (y->from == x->from || y->to == x->to) return false; /* a second way out of A, or into B */
    if (y->to == x->from) {
      if (in >= 0) return false;
      in = time;
    }
    if (y->from == x->to) {
      if (out >= 0) return false;
      out = time;
    }
  }
  return in >= 0 && out >= 0 && search->model.graph->edges[x->edge].time > in + out;
}

/* The heaviest transfer of a chain after number `last` of weight `below`; SIZE_MAX: there is none. */
static size_t next_collapsible(const struct search *search, double below, size_t last) {
  const struct estimate *e = &search->estimate;
  size_t found = SIZE_MAX;
  double heaviest = -1;
  for (size_t i = 0; i < e->transfer_count; i++) {
    double time = search->model.graph->edges[e->transfers[i].edge].time;
    bool is_next = time < below || (time == below && i > last);
    if (!is_next || time <= heaviest || !is_collapsible(search, &e->transfers[i])) continue;
    found = i;
    heaviest = time;
  }
  return found;
}

/* Merges the heaviest chain that can be merged; false if there is none. */
static bool collapse_one(struct descent *d) {
  struct search *search = d->search;
  double below = INFINITY;
  for (size_t i = SIZE_MAX;
       !ts_stream_is_stopped(&search->model) && (i = next_collapsible(search, below, i)) != SIZE_MAX;) {
    const struct transfer *x = &search->estimate.transfers[i];
    below = search->model.graph->edges[x->edge].time;
    ts_mapping_merge(&search->candidate, &search->now, &search->model, x->from, x->to);
    if (!is_admissible(d)) continue;
    take(d, &search->candidate);
    return true;
  }
  return false;
}

static bool is_better(const struct gain *now, const struct gain *best) {
  if (!best->is_set) return true;
  if (!ts_latency_same(now->latency, best->latency)) return now->latency < best->latency;
  if (now->processors != best->processors) return now->processors < best->processors;
  if (now->is_duplicate != best->is_duplicate) return !now->is_duplicate;
  if (now->weight != best->weight) return now->weight > best->weight;
  return now->edge != best->edge ? now->edge < best->edge : now->to < best->to;
}

/* Clusters the ends of a transfer, or duplicates its producer. */
static void try_change(struct descent *d, const struct transfer *x, struct gain now, struct gain *best) {
  struct search *search = d->search;
  if (ts_stream_is_stopped(&search->model)) return;
  const struct tried *known = ts_search_recall(search, x, now.is_duplicate);
  if (known && known->is_out) return;
  ts_search_change(search, x, now.is_duplicate);
  if (!known) {
    bool is_out = !is_admissible(d);
    ts_search_note(search, x, now.is_duplicate, is_out);
    if (is_out) return;
    known = &search->tried[search->tried_count - 1];
  }
  now.is_set = true;
  now.latency = known->latency;
  now.processors = known->processors;
  if (!is_better(&now, best)) return;
  *best = now;
  ts_mapping_copy(&d->chosen, &search->candidate, &search->model);
}

/* The largest possible gain of a transfer that is critical and smaller than `below`; negative: there is none. */
static double next_key(const struct descent *d, double below) {
  const struct estimate *e = &d->search->estimate;
  const struct stream_model *s = &d->search->model;
  double slack = e->latency - s->least_latency, found = -1;
  for (size_t i = 0; i < e->transfer_count; i++) {
    double key = fmin(s->graph->edges[e->transfers[i].edge].time, slack);
    if (d->critical[i] && key < below && key > found) found = key;
  }
  return found;
}

/* Tries the transfers with this possible gain; returns how many these are. */
static size_t try_transfers(struct descent *d, double key, struct gain *best) {
  struct search *search = d->search;
  const struct stream_model *s = &search->model;
  const struct estimate *e = &search->estimate;
  double slack = e->latency - s->least_latency;
  size_t tried = 0;
  for (size_t i = 0; i < e->transfer_count; i++) {
    const struct transfer *x = &e->transfers[i];
    double time = s->graph->edges[x->edge].time;
    if (!d->critical[i] || fmin(time, slack) != key) continue;
    tried++;
    struct gain now = {.key = key, .weight = time, .edge = x->edge, .to = x->to};
    try_change(d, x, now, best);
    if (!s->may_duplicate) continue;
    now.is_duplicate = true;
    try_change(d, x, now, best);
  }
  return tried;
}

/* One step along the critical path; false if nothing is admissible. */
static bool step(struct descent *d) {
  struct search *search = d->search;
  if (search->estimate.transfer_count > d->critical_capacity) {
    d->critical_capacity = 2 * search->estimate.transfer_count;
    d->critical = ts_realloc_array(d->critical, d->critical_capacity, sizeof *d->critical);
  }
  ts_estimate_critical(&search->estimate, &search->model, &search->now, d->critical);
  struct gain best = {0};
  double key = INFINITY;
  search->tried_count = 0;
  size_t tried = 0, most = search->model.is_literal ? SIZE_MAX : MOST_TRIED;
  while (!best.is_set) {
    key = next_key(d, key);
    if (key < 0 || tried >= most) return false;
    tried += try_transfers(d, key, &best);
  }
  take(d, &d->chosen);
  return true;
}

/* Whether the mapping is the best so far; *is_lower: by its latency. */
static void keep_best(struct descent *d, bool *is_lower) {
  const struct search *search = d->search;
  double latency = search->estimate.latency, processors = search->estimate.processors;
  *is_lower = ts_latency_less(latency, d->best_latency);
  if (!*is_lower && !(ts_latency_same(latency, d->best_latency) && processors < d->best_processors)) return;
  d->best_latency = latency;
  d->best_processors = processors;
  ts_mapping_copy(&d->best, &search->now, &search->model);
}

void ts_stream_lmh(struct search *search) {
  struct descent d = {.search = search, .best_latency = INFINITY, .best_processors = INFINITY};
  size_t idle = 0, most_idle = 2 * search->model.task_count;
  if (!search->model.is_literal && most_idle > MOST_IDLE) most_idle = MOST_IDLE;
  bool is_lower = false;
  mark_visited(&d, &search->now);
  keep_best(&d, &is_lower);
  do {
    while (collapse_one(&d)) {
    }
    keep_best(&d, &is_lower);
    if (is_lower) idle = 0;
    if (!step(&d)) break;
    keep_best(&d, &is_lower);
    idle = is_lower ? 0 : idle + 1;
  } while (idle < most_idle);
  ts_mapping_copy(&search->now, &d.best, &search->model);
  ts_estimate_run(&search->estimate, &search->model, &search->now);
  ts_map_release(&d.visited);
  ts_mapping_release(&d.best);
  ts_mapping_release(&d.chosen);
  free(d.critical);
}
