/* Searches the schedule for the demands of `schedule`: a throughput, a latency, both, or the fewest processors.
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/schedule_int.h"

#include "base/alloc.h"
#include "base/clock.h"

#include <math.h>

#define REFINED_RATES 4 /* throughputs at which a search for a latency is refined */
#define SAME          1e-9

static bool has_stop(const struct scheduling *job) {
  const volatile int *stop = job->request->stop;
  return stop && __atomic_load_n(stop, __ATOMIC_RELAXED) != 0;
}

/* An algorithm that is asked to end leaves no result; a refinement leaves the best schedule it has seen. */
bool ts_scheduling_is_stopped(void *user) {
  struct scheduling *job = user;
  if (has_stop(job)) job->is_stopped = true;
  return job->is_stopped;
}

static double time_left(void *user) {
  const struct scheduling *job = user;
  uint64_t now_ns = ts_clock_thread_cpu_ns();
  if (now_ns >= job->refine_end_ns || has_stop(job)) return 0;
  return (double)(job->refine_end_ns - now_ns) / (double)job->refine_ns;
}

/* More than the processors allow is not asked of an algorithm: it would need more replicas than can be counted. */
double ts_scheduling_rate(const struct scheduling *job, const struct ts_stream_problem *problem) {
  return fmin(job->throughput, ts_stream_most_throughput(problem));
}

/* From now on a run of the algorithm refines for a share of the time that the user gave; 0: not at all. */
static void allow_refinement(struct scheduling *job, double share) {
  double seconds = job->request->refine_s * share;
  job->refine_ns = (uint64_t)(seconds * 1e9);
  job->refine_end_ns = ts_clock_thread_cpu_ns() + job->refine_ns;
  job->problem.time_left = seconds > 0 && job->algorithm->is_refinable ? time_left : NULL;
}

static bool meets_latency(const struct scheduling *job, const struct ts_stream_schedule *schedule) {
  return schedule->latency <= job->latency * (1 + SAME);
}

static bool meets_all(const struct scheduling *job, const struct ts_stream_schedule *schedule) {
  return schedule->is_feasible && meets_latency(job, schedule) &&
         ts_stream_meets(schedule->throughput, job->throughput);
}

/* Replaces the result. */
static void take(struct scheduling *job, struct ts_stream_schedule *schedule) {
  ts_stream_schedule_release(&job->schedule);
  job->schedule = *schedule;
  *schedule = (struct ts_stream_schedule){0};
}

/* Refined schedules at higher and higher throughputs, by bisection, as long as they keep the latency. */
static void refine_rate(struct scheduling *job) {
  bool has_any = meets_all(job, &job->schedule);
  double low = has_any ? job->schedule.throughput : 0, high = ts_stream_most_throughput(&job->problem);
  for (int i = 0; i < REFINED_RATES && low < high; i++) {
    ts_auto(ts_stream_schedule_release) struct ts_stream_schedule now = {0};
    double rate = has_any ? (low + high) / 2 : 0;
    allow_refinement(job, 1.0 / REFINED_RATES);
    job->algorithm->run(&job->problem, rate, &now);
    if (now.is_feasible && meets_latency(job, &now) && (!has_any || now.throughput > low)) {
      has_any = true;
      low = now.throughput;
      take(job, &now);
    } else {
      high = has_any ? rate : low;
    }
  }
}

/* The highest throughput within the latency. */
static void search_rate(struct scheduling *job) {
  allow_refinement(job, 0);
  ts_stream_inverse(&job->problem, job->algorithm, job->latency, &job->schedule);
  if (job->request->refine_s > 0 && job->algorithm->is_refinable) refine_rate(job);
}

/* What is possible, where the demands are not met: the most throughput within the latency, or at all. */
static void find_best(struct scheduling *job) {
  struct ts_stream_schedule other = {0};
  bool has_rate = job->schedule.is_feasible && ts_stream_meets(job->schedule.throughput, job->throughput);
  job->best_latency = has_rate ? job->schedule.latency : INFINITY;
  allow_refinement(job, 0);
  ts_stream_inverse(&job->problem, job->algorithm, job->latency, &other);
  if (meets_all(job, &other)) {
    take(job, &other);
    job->is_feasible = true;
  } else {
    bool is_possible = other.is_feasible && meets_latency(job, &other);
    job->best_throughput = is_possible ? other.throughput : 0;
    if (!is_possible && other.is_found && job->throughput == 0) job->best_latency = other.latency;
    if (!has_rate && other.is_found) take(job, &other); /* the nearest one that the processors can run */
    ts_stream_schedule_release(&other);
  }
}

/* The fewest processors first: latency does not fall steadily with their number, so none is left out. */
static bool search_fewest(struct scheduling *job) {
  size_t most = job->problem.processors;
  double total = 0;
  for (size_t t = 0; t < job->graph.task_count; t++) total += job->graph.tasks[t].time;
  double least = fmax(1, ceil(job->throughput * total - 1e-7));
  for (size_t p = least < (double)most ? (size_t)least : most; p <= most; p++) {
    struct ts_stream_schedule now = {0};
    job->problem.processors = p;
    allow_refinement(job, 0);
    job->algorithm->run(&job->problem, ts_scheduling_rate(job, &job->problem), &now);
    if (!meets_all(job, &now) && job->request->refine_s > 0 && now.is_feasible) {
      ts_stream_schedule_release(&now);
      allow_refinement(job, 1.0 / (double)most);
      job->algorithm->run(&job->problem, ts_scheduling_rate(job, &job->problem), &now);
    }
    bool is_met = meets_all(job, &now);
    take(job, &now);
    if (is_met || job->is_stopped) break;
  }
  job->problem.processors = most;
  return meets_all(job, &job->schedule);
}

void ts_scheduling_search(struct scheduling *job) {
  bool has_latency = isfinite(job->latency);
  job->best_throughput = job->best_latency = -1;
  if (job->request->fewest_processors) {
    search_fewest(job);
  } else if (has_latency && job->throughput == 0) {
    search_rate(job);
  } else {
    allow_refinement(job, 1);
    job->algorithm->run(&job->problem, ts_scheduling_rate(job, &job->problem), &job->schedule);
  }
  job->is_feasible = meets_all(job, &job->schedule);
  if (!job->is_feasible) find_best(job);
}
