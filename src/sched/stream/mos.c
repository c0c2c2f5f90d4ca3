/* MOS: the pipelined schedule of three phases, the list schedule, or one cluster: the one of least latency.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sched/stream/stream_int.h"

#include "base/alloc.h"

#include <math.h>

static void one_cluster(const struct stream_model *s, struct ts_stream_schedule *out) {
  ts_auto(ts_mapping_release) struct mapping m = {0};
  ts_auto_free uint32_t *zeros = ts_calloc(s->task_count, sizeof *zeros);
  ts_mapping_assign(&m, s, zeros, 1);
  ts_stream_make_schedule(s, &m, out);
  out->candidate = "one-cluster";
}

/* Keeps the better of two schedules: feasible, then of lower latency, the first one on ties. */
static void keep_better(struct ts_stream_schedule *best, struct ts_stream_schedule *other) {
  bool is_better = other->is_feasible && (!best->is_feasible || ts_latency_less(other->latency, best->latency));
  if (!best->is_feasible && !other->is_feasible) is_better = other->throughput > best->throughput;
  if (is_better) {
    struct ts_stream_schedule keep = *best;
    *best = *other;
    *other = keep;
  }
  ts_stream_schedule_release(other);
}

/* The refinement begins with one cluster where that is faster than what the phases found. */
static void refine(struct search *search, const struct ts_stream_problem *problem) {
  const struct stream_model *s = &search->model;
  if (s->total_time < search->estimate.latency) {
    ts_auto_free uint32_t *zeros = ts_calloc(s->task_count, sizeof *zeros);
    ts_mapping_assign(&search->candidate, s, zeros, 1);
    if (ts_mapping_is_allowed(&search->candidate, s) &&
        ts_mapping_processors(&search->candidate, s) <= (double)s->processors) {
      ts_mapping_copy(&search->now, &search->candidate, s);
      ts_estimate_run(&search->estimate, s, &search->now);
    }
  }
  ts_stream_refine(search, problem);
}

/* STH, PRH, LMH. Where a phase fails, the schedule is what there was so far, and not feasible. */
static void run_pipelined(struct search *search, const struct ts_stream_problem *problem,
                          struct ts_stream_schedule *out) {
  if (ts_stream_sth(search) && ts_stream_prh(search) && ts_stream_repair(search)) {
    ts_stream_lmh(search);
    if (problem->time_left) refine(search, problem);
  }
  ts_stream_make_schedule(&search->model, &search->now, out);
  out->candidate = "pipelined";
}

/* Whether a path leads through all tasks that take time, as in a complete graph: nothing can then be faster than one
 * cluster, nor need fewer processors. */
static bool is_one_chain(const struct stream_model *s) {
  return !s->is_literal && s->least_latency >= s->total_time * (1 - STREAM_SAME);
}

static void run_mos(const struct ts_stream_problem *problem, double throughput, struct ts_stream_schedule *out) {
  struct search search;
  const struct stream_model *s = &search.model;
  struct ts_stream_schedule other;
  ts_search_init(&search, problem, throughput);
  if (is_one_chain(s)) {
    one_cluster(s, out);
    if (out->is_feasible) {
      ts_search_release(&search);
      return;
    }
    ts_stream_schedule_release(out);
  }
  ts_stream_list_schedule(s, &other); /* first: a user who stops the refinement still gets all of it */
  run_pipelined(&search, problem, out);
  keep_better(out, &other);
  if (!problem->literal) {
    one_cluster(s, &other);
    keep_better(out, &other);
  }
  ts_search_release(&search);
}

const struct ts_stream_algorithm ts_stream_mos = {
    .name = "mos", .title = "multi-objective scheduling (MOS)", .run = run_mos, .is_refinable = true};
