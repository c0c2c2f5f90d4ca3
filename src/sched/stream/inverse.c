/* MOS^-1: the highest throughput within a latency, by bisection with bounded looks ahead (Algorithm 4).
 * SPDX-License-Identifier: Apache-2.0
 *
 * Latency does not grow steadily with the throughput that a heuristic is given, hence the looks ahead, and a sweep over
 * all throughputs before a latency is called infeasible. Every schedule that was made is remembered, and the feasible
 * one of highest throughput is the result. */
#include "sched/stream/stream_int.h"

#include "base/alloc.h"

#include <math.h>

#define TRIES     6    /* evenly spaced throughputs of one look ahead */
#define TOLERANCE 0.01 /* of the largest throughput: where the bisection ends */
#define ABOUT_0   0.02 /* of the largest throughput: the least that the bisection tries */

/* Throughputs of the sweep before a latency is called infeasible: as dense as the size of the graph allows. */
static size_t sweep_count(size_t tasks) { return tasks <= 32 ? 100 : tasks <= 64 ? 50 : 20; }

struct attempt {
  double wanted, latency; /* infinite: no schedule */
};

struct inversion {
  const struct ts_stream_problem *problem;
  const struct ts_stream_algorithm *algorithm;
  double limit;             /* latency */
  struct attempt *attempts; /* owned */
  size_t count, capacity;
  struct ts_stream_schedule best;    /* within the latency, of highest throughput */
  struct ts_stream_schedule fastest; /* of least latency */
};

/* Without a schedule the latency is infinite, which no limit allows. */
static bool is_within(double latency, double limit) {
  return isfinite(latency) && latency <= limit * (1 + STREAM_SAME);
}

static void replace(struct ts_stream_schedule *old, struct ts_stream_schedule *with) {
  struct ts_stream_schedule keep = *old;
  *old = *with;
  *with = keep;
}

/* The latency at a throughput; every schedule that is made is a candidate for the result. */
static double latency_at(struct inversion *v, double wanted) {
  for (size_t i = 0; i < v->count; i++) {
    if (v->attempts[i].wanted == wanted) return v->attempts[i].latency;
  }
  if (v->problem->is_stopped && v->problem->is_stopped(v->problem->user)) return INFINITY;
  ts_auto(ts_stream_schedule_release) struct ts_stream_schedule now = {0};
  v->algorithm->run(v->problem, wanted, &now);
  double latency = now.is_feasible ? now.latency : INFINITY;
  v->attempts = ts_grow(v->attempts, v->count, &v->capacity, sizeof *v->attempts);
  v->attempts[v->count++] = (struct attempt){wanted, latency};
  bool is_better = !v->best.is_found || now.throughput > v->best.throughput * (1 + STREAM_SAME) ||
                   (now.throughput >= v->best.throughput * (1 - STREAM_SAME) && now.latency < v->best.latency);
  if (now.is_feasible && is_within(latency, v->limit) && is_better) replace(&v->best, &now);
  /* `now` may be the former best one: that is not feasible for a smaller latency either. */
  if (now.is_feasible && (!v->fastest.is_found || now.latency < v->fastest.latency)) replace(&v->fastest, &now);
  return latency;
}

/* The throughput of least latency among TRIES in [low, high]. */
static double look_ahead(struct inversion *v, double low, double high, double *latency) {
  double best = low;
  *latency = INFINITY;
  for (int i = 0; i < TRIES; i++) {
    double wanted = low + (high - low) * i / (TRIES - 1);
    double found = latency_at(v, wanted);
    if (found < *latency) best = wanted;
    *latency = fmin(*latency, found);
  }
  return best;
}

static void bisect(struct inversion *v, double low, double high, double most) {
  double step = TOLERANCE * most, latency;
  while (high - low > step) {
    double middle = (low + high) / 2;
    if (is_within(latency_at(v, middle), v->limit)) {
      low = middle;
      continue;
    }
    double ahead = look_ahead(v, middle, fmin(2 * middle, most), &latency);
    if (is_within(latency, v->limit))
      low = fmax(middle, ahead);
    else
      high = middle;
  }
  look_ahead(v, (low + high) / 2, fmin(low + high, most), &latency);
}

/* The last resort: from high to low throughputs, until one keeps the latency. */
static void sweep(struct inversion *v, double most) {
  size_t count = sweep_count(v->problem->graph->task_count);
  for (size_t i = count; i > 0; i--) {
    if (is_within(latency_at(v, most * (double)i / (double)count), v->limit)) return;
  }
}

void ts_stream_inverse(const struct ts_stream_problem *problem, const struct ts_stream_algorithm *algorithm,
                       double latency, struct ts_stream_schedule *out) {
  struct inversion v = {.problem = problem, .algorithm = algorithm, .limit = latency};
  double most = ts_stream_most_throughput(problem), low = ABOUT_0 * most, least;
  latency_at(&v, 0);
  if (isfinite(most) && !is_within(latency_at(&v, most), latency)) {
    look_ahead(&v, low, 2 * low, &least);
    bisect(&v, low, most, most);
    if (!v.best.is_found && is_within(ts_stream_least_latency(problem), latency)) sweep(&v, most);
  }
  if (v.best.is_found) {
    replace(out, &v.best);
  } else {
    replace(out, &v.fastest);
    out->is_feasible = false;
  }
  ts_stream_schedule_release(&v.best);
  ts_stream_schedule_release(&v.fastest);
  free(v.attempts);
}
