/* MOS and its phases: the examples of the paper, the optimum of small graphs, tasks that must not be replicated.
 * SPDX-License-Identifier: Apache-2.0
 * test-label: one-thread */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sched/stream/stream_int.h"

#include "cases.h"

#include <math.h>
#include <string.h>

static struct ts_stream_schedule run(const char *algorithm, const struct ts_stream_problem *problem, double wanted) {
  struct ts_stream_schedule out = {0};
  ts_stream_algorithm_find(algorithm)->run(problem, wanted, &out);
  return out;
}

static void check_latency(const char *algorithm, const struct ts_stream_problem *problem, double wanted,
                          double latency) {
  struct ts_stream_schedule out = run(algorithm, problem, wanted);
  if (!out.is_feasible || fabs(out.latency - latency) > 1e-9)
    fail_msg("%s: latency %g, feasible %d, not %g", algorithm, out.latency, out.is_feasible, latency);
  ts_stream_schedule_release(&out);
}

static void figures_1_and_3(void **state) {
  (void)state;
  struct ts_task_graph graph;
  FIG1(&graph);
  check_latency("mos", &(struct ts_stream_problem){.graph = &graph, .processors = 8, .ports = 2, .literal = true}, 0,
                48);
  ts_task_graph_release(&graph);
  const double times[] = {2, 5, 6, 8};
  const struct case_edge edges[] = {{1, 2, 5}, {1, 3, 3}, {2, 4, 2}, {3, 4, 1}};
  make_graph(&graph, times, 4, edges, 4);
  struct ts_stream_problem problem = {.graph = &graph, .processors = 2, .ports = 2, .literal = true};
  check_latency("mos", &problem, 0, 17);
  problem.no_duplication = true;
  check_latency("mos", &problem, 0, 19);
  ts_task_graph_release(&graph);
}

/* The mapping B of Figure 1 has 56 with two ports and 48 with many: e47 and e67 share the ports of task 7. */
static void figure_1_mapping_b(void **state) {
  (void)state;
  struct ts_task_graph graph;
  FIG1(&graph);
  for (size_t ports = 2; ports <= 64; ports += 62) {
    struct ts_stream_problem problem = {.graph = &graph, .processors = 8, .ports = ports};
    struct stream_model s;
    struct mapping m = {0}, next = {0};
    struct ts_stream_schedule out;
    const uint32_t clusters[] = {0, 0, 1, 1, 0, 2, 3}; /* 1 2 5 | 3 4 | 6 | 7 */
    ts_stream_model_init(&s, &problem, 0);
    ts_mapping_assign(&m, &s, clusters, 4);
    ts_mapping_duplicate(&next, &m, &s, 5, 2); /* e36: 3 beside 6 */
    ts_mapping_duplicate(&m, &next, &s, 1, 2); /* e13: 1 beside them */
    ts_mapping_duplicate(&next, &m, &s, 1, 1); /* and beside 3 4 */
    ts_stream_make_schedule(&s, &next, &out);
    if (out.latency != (ports == 2 ? 56 : 48)) fail_msg("%zu ports: latency %g", ports, out.latency);
    ts_stream_schedule_release(&out);
    ts_mapping_release(&m);
    ts_mapping_release(&next);
    ts_stream_model_release(&s);
  }
  ts_task_graph_release(&graph);
}

/* The least latency of all mappings without duplicates and with the fewest replicas, by trying each partition. */
static double best_of_all(const struct ts_stream_problem *problem, double wanted) {
  size_t n = problem->graph->task_count;
  uint32_t cluster_of[8] = {0}, most[8] = {0};
  double best = INFINITY;
  struct stream_model s;
  struct estimate e;
  struct mapping m = {0};
  ts_stream_model_init(&s, problem, wanted);
  ts_estimate_init(&e, &s);
  for (;;) { /* restricted growth strings: each partition once */
    uint32_t clusters = 0;
    for (size_t t = 0; t < n; t++) clusters = cluster_of[t] >= clusters ? cluster_of[t] + 1 : clusters;
    ts_mapping_assign(&m, &s, cluster_of, clusters);
    ts_estimate_run(&e, &s, &m);
    if (e.processors <= (double)s.processors && ts_estimate_meets(&e, &s)) best = fmin(best, e.latency);
    size_t t = n - 1;
    while (t > 0 && cluster_of[t] > most[t - 1]) t--;
    if (t == 0) break;
    cluster_of[t]++;
    most[t] = cluster_of[t] > most[t - 1] ? cluster_of[t] : most[t - 1];
    for (size_t u = t + 1; u < n; u++) {
      cluster_of[u] = 0;
      most[u] = most[t];
    }
  }
  ts_mapping_release(&m);
  ts_estimate_release(&e);
  ts_stream_model_release(&s);
  return best;
}

/* What best_of_all tries: neither the list schedule nor more replicas than the times of clusters need. */
static bool has_fewest_replicas(const struct ts_stream_schedule *schedule, double wanted) {
  for (size_t c = 0; c < schedule->cluster_count; c++) {
    if ((double)schedule->clusters[c].replicas > ts_stream_ceil(wanted * schedule->clusters[c].time)) return false;
  }
  return schedule->is_pipelined;
}

/* Without duplicates, pipelined MOS is never better than the best partition, and mostly as good. */
static void near_the_optimum(void **state) {
  (void)state;
  int optimal = 0, cases = 0;
  for (uint64_t seed = 0; seed < 60; seed++) {
    struct ts_task_graph graph;
    make_random(&graph, 5 + seed % 2, 0.1 + (double)(seed % 3), seed);
    struct ts_stream_problem problem = {
        .graph = &graph, .processors = 4, .ports = 1 + seed % 2, .no_duplication = true};
    double wanted = (double)(seed % 4) / 4 * ts_stream_most_throughput(&problem);
    struct ts_stream_schedule out = run("mos", &problem, wanted);
    double best = best_of_all(&problem, wanted);
    if (!out.is_feasible) fail_msg("seed %d: not feasible", (int)seed);
    if (has_fewest_replicas(&out, wanted) && out.latency < best * (1 - 1e-9)) fail_msg("seed %d: too good", (int)seed);
    optimal += out.latency <= best * (1 + 1e-9);
    cases++;
    ts_stream_schedule_release(&out);
    ts_task_graph_release(&graph);
  }
  if (optimal * 100 < cases * 85) fail_msg("optimal in %d of %d cases", optimal, cases);
}

/* The throughput is met whatever it is, with tasks that may be replicated; ports and processors are kept. */
static void always_meets_the_throughput(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 80; seed++) {
    struct ts_task_graph graph;
    make_random(&graph, 2 + seed % 18, seed % 2 ? 1 : 10, seed);
    struct ts_stream_problem problem = {
        .graph = &graph, .processors = 1 + seed % 9, .ports = 1 + seed % 4, .literal = seed % 3 == 0};
    for (int quarter = 0; quarter <= 4; quarter++) {
      double wanted = quarter / 4.0 * ts_stream_most_throughput(&problem);
      struct ts_stream_schedule out = run("mos", &problem, wanted);
      if (!out.is_feasible || out.processors > problem.processors || !ts_stream_meets(out.throughput, wanted))
        fail_msg("seed %d, quarter %d", (int)seed, quarter);
      ts_stream_schedule_release(&out);
    }
    ts_task_graph_release(&graph);
  }
}

/* Clusters with such a task have one processor and at most the period; impossible rates are refused, without a loop. */
static void fixed_tasks(void **state) {
  (void)state;
  int met = 0;
  for (uint64_t seed = 0; seed < 60; seed++) {
    struct ts_task_graph graph;
    make_random(&graph, 4 + seed % 10, 0.5, seed);
    for (size_t t = 0; t < graph.task_count; t += 2) graph.tasks[t].replicable = false;
    struct ts_stream_problem problem = {.graph = &graph, .processors = 6, .ports = 2};
    double wanted = (double)(seed % 5) / 4 * ts_stream_most_throughput(&problem);
    struct ts_stream_schedule out = run("mos", &problem, wanted);
    met += out.is_feasible;
    for (size_t c = 0; out.is_feasible && out.is_pipelined && c < out.cluster_count; c++) {
      bool is_fixed = false;
      for (size_t i = 0; i < out.clusters[c].copy_count; i++)
        is_fixed |= !graph.tasks[out.clusters[c].copies[i].task].replicable;
      if (is_fixed && (out.clusters[c].replicas != 1 || out.clusters[c].time * wanted > 1 + 1e-6))
        fail_msg("seed %d: cluster %zu is replicated or too slow", (int)seed, c);
    }
    ts_stream_schedule_release(&out);
    ts_task_graph_release(&graph);
  }
  if (met < 45) fail_msg("met in %d of 60 cases", met);
  struct ts_task_graph two;
  const double times[] = {3, 3, 3};
  make_graph(&two, times, 3, NULL, 0);
  struct ts_stream_problem problem = {.graph = &two, .processors = 2, .ports = 1, .no_replication = true};
  struct ts_stream_schedule out = run("mos", &problem, 2.0 / 9); /* 3 tasks of 3 in two clusters of 4.5: impossible */
  assert_false(out.is_feasible);
  ts_stream_schedule_release(&out);
  ts_task_graph_release(&two);
}

struct patience {
  size_t looks, most; /* how often an algorithm asked, and until when it may go on */
};

static bool has_lost_patience(void *user) {
  struct patience *patience = user;
  return ++patience->looks > patience->most;
}

/* Every phase asks often, and asks no more than for a few steps after it was stopped. */
static void stops_on_request(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 12; seed++) {
    struct ts_task_graph graph;
    make_random(&graph, 40, 1, seed);
    struct patience patience = {.most = SIZE_MAX};
    struct ts_stream_problem problem = {
        .graph = &graph, .processors = 8, .ports = 1 + seed % 3, .is_stopped = has_lost_patience, .user = &patience};
    double wanted = ts_stream_most_throughput(&problem) * (double)(seed % 4) / 4;
    struct ts_stream_schedule out = {0};
    ts_stream_algorithms[0]->run(&problem, wanted, &out);
    size_t all = patience.looks;
    ts_stream_schedule_release(&out);
    if (all < 200) fail_msg("seed %d: only %zu looks", (int)seed, all);
    for (size_t share = 0; share < 10; share++) {
      patience = (struct patience){.most = all * share / 10};
      ts_stream_algorithms[0]->run(&problem, wanted, &out);
      if (patience.looks > patience.most + 40 + 100) /* one for each task of the list schedule, and a step */
        fail_msg("seed %d: %zu looks after the stop at %zu", (int)seed, patience.looks - patience.most, patience.most);
      ts_stream_schedule_release(&out);
    }
    ts_task_graph_release(&graph);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(figures_1_and_3),  cmocka_unit_test(figure_1_mapping_b),
                                     cmocka_unit_test(near_the_optimum), cmocka_unit_test(always_meets_the_throughput),
                                     cmocka_unit_test(fixed_tasks),      cmocka_unit_test(stops_on_request)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
