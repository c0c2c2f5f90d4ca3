/* Refinement, the inverse problem and the baselines.
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

/* Time that passes by being looked at: results do not depend on the machine. */
static double count_down(void *user) {
  int *looks = user;
  return *looks > 0 ? (*looks)-- / 40.0 : 0;
}

static void refinement_is_never_worse(void **state) {
  (void)state;
  double plain = 0, refined = 0;
  for (uint64_t seed = 0; seed < 24; seed++) {
    struct ts_task_graph graph;
    make_random(&graph, 4 + seed % 12, seed % 3 == 0 ? 10 : 1, seed);
    int looks = 40;
    struct ts_stream_problem problem = {.graph = &graph, .processors = 8, .ports = 1 + seed % 4, .seed = 3};
    double wanted = (double)(seed % 5) / 4 * ts_stream_most_throughput(&problem);
    struct ts_stream_schedule before = {0}, after = {0}, again = {0};
    ts_stream_mos.run(&problem, wanted, &before);
    problem.time_left = count_down;
    problem.user = &looks;
    ts_stream_mos.run(&problem, wanted, &after);
    looks = 40;
    ts_stream_mos.run(&problem, wanted, &again);
    if (!after.is_feasible || after.latency > before.latency * (1 + 1e-12) || after.processors > 8 ||
        !ts_stream_meets(after.throughput, wanted))
      fail_msg("seed %d: %g became %g", (int)seed, before.latency, after.latency);
    if (after.latency != again.latency) fail_msg("seed %d: another result for the same seed", (int)seed);
    plain += before.latency;
    refined += after.latency;
    ts_stream_schedule_release(&before);
    ts_stream_schedule_release(&after);
    ts_stream_schedule_release(&again);
    ts_task_graph_release(&graph);
  }
  if (refined > 0.97 * plain) fail_msg("refinement gains %.3g of %.3g only", plain - refined, plain);
}

/* Whatever a dense sweep of throughputs finds within the latency, the inverse finds something within it, too. */
static void inverse_against_a_sweep(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 24; seed++) {
    struct ts_task_graph graph;
    make_random(&graph, 4 + seed % 8, 1, seed);
    struct ts_stream_problem problem = {.graph = &graph, .processors = 5, .ports = 2};
    double most = ts_stream_most_throughput(&problem), low = ts_stream_least_latency(&problem), high = 0,
           fastest = INFINITY;
    for (size_t t = 0; t < graph.task_count; t++) high += graph.tasks[t].time;
    double latencies[41];
    for (int i = 0; i <= 40; i++) {
      struct ts_stream_schedule out = {0};
      ts_stream_mos.run(&problem, most * i / 40, &out);
      latencies[i] = out.latency;
      fastest = fmin(fastest, out.latency);
      ts_stream_schedule_release(&out);
    }
    for (int quarter = 0; quarter <= 4; quarter++) {
      double limit = low + (high - low) * quarter / 4;
      struct ts_stream_schedule out = {0};
      ts_stream_inverse(&problem, &ts_stream_mos, limit, &out);
      if (out.is_feasible && out.latency > limit * (1 + 1e-9)) fail_msg("seed %d: %g exceeded", (int)seed, limit);
      if (!out.is_feasible && fastest <= limit) fail_msg("seed %d: %g is possible", (int)seed, limit);
      for (int i = 40; out.is_feasible && i >= 0; i--) {
        if (latencies[i] > limit) continue;
        if (out.throughput < 0.8 * most * i / 40) fail_msg("seed %d: far below the sweep at %g", (int)seed, limit);
        break;
      }
      ts_stream_schedule_release(&out);
    }
    ts_task_graph_release(&graph);
  }
}

/* Five tasks of 3 on two processors without replicas: 1/7.5 is the largest throughput, and 1/9 the best there is. */
static void inverse_without_a_latency(void **state) {
  (void)state;
  const double times[] = {3, 3, 3, 3, 3};
  struct ts_task_graph graph;
  struct ts_stream_schedule out = {0};
  make_graph(&graph, times, 5, NULL, 0);
  struct ts_stream_problem problem = {.graph = &graph, .processors = 2, .ports = 1, .no_replication = true};
  ts_stream_inverse(&problem, &ts_stream_mos, INFINITY, &out);
  if (!out.is_feasible || fabs(out.throughput - 1.0 / 9) > 1e-12)
    fail_msg("feasible %d, throughput %g", out.is_feasible, out.throughput);
  ts_stream_schedule_release(&out);
  ts_task_graph_release(&graph);
}

/* By hand: EXPERT at a period of 20 joins 1-2 and then 3-4 of Figure 2; the longest path is 1, 2, 4. */
static void expert_by_hand(void **state) {
  (void)state;
  struct ts_task_graph graph;
  struct ts_stream_schedule out = {0};
  FIG2(&graph);
  struct ts_stream_problem problem = {.graph = &graph, .processors = 8, .ports = 1};
  ts_stream_expert.run(&problem, 1.0 / 20, &out);
  assert_int_equal(out.cluster_count, 2);
  assert_int_equal(out.processors, 2);
  assert_true(out.is_feasible);
  assert_true(fabs(out.latency - 39) < 1e-9); /* 1, 2, e24 from 20 to 29, 4 */
  ts_stream_schedule_release(&out);
  ts_stream_expert_e.run(&problem, 1.0 / 20, &out);
  assert_int_equal(out.processors, 8);
  ts_stream_schedule_release(&out);
  ts_stream_expert.run(&problem, 0, &out);
  assert_int_equal(out.cluster_count, 1);
  ts_stream_schedule_release(&out);
  ts_task_graph_release(&graph);
}

/* Two independent tasks of 10: FCP puts them on two processors; at 1/5 each has two copies. */
static void fcp_by_hand(void **state) {
  (void)state;
  struct ts_task_graph graph;
  struct ts_stream_schedule out = {0};
  make_graph(&graph, ten, 2, NULL, 0);
  struct ts_stream_problem problem = {.graph = &graph, .processors = 4, .ports = 1};
  ts_stream_fcp.run(&problem, 1.0 / 5, &out);
  assert_int_equal(out.processors, 4);
  assert_true(out.is_feasible && fabs(out.throughput - 0.2) < 1e-12 && out.latency == 10);
  ts_stream_schedule_release(&out);
  problem.processors = 3; /* a processor gets two halves: 10 per item */
  ts_stream_fcp.run(&problem, 1.0 / 5, &out);
  assert_true(!out.is_feasible && fabs(out.throughput - 0.1) < 1e-12);
  ts_stream_schedule_release(&out);
  ts_task_graph_release(&graph);
}

/* 1 -> 2, 3 with long transfers: HEFT keeps all on one processor; without transfers it uses two. */
static void heft_by_hand(void **state) {
  (void)state;
  const double times[] = {10, 10, 10};
  for (int free_of_transfers = 0; free_of_transfers <= 1; free_of_transfers++) {
    const struct case_edge edges[] = {{1, 2, free_of_transfers ? 0 : 50}, {1, 3, free_of_transfers ? 0 : 50}};
    struct ts_task_graph graph;
    struct ts_stream_schedule out = {0};
    make_graph(&graph, times, 3, edges, 2);
    struct ts_stream_problem problem = {.graph = &graph, .processors = 4, .ports = 1};
    ts_stream_heft.run(&problem, 0, &out);
    assert_int_equal(out.processors, free_of_transfers ? 2 : 1);
    assert_true(out.latency == (free_of_transfers ? 20 : 30));
    ts_stream_schedule_release(&out);
    ts_task_graph_release(&graph);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(refinement_is_never_worse),
                                     cmocka_unit_test(inverse_against_a_sweep),
                                     cmocka_unit_test(inverse_without_a_latency),
                                     cmocka_unit_test(expert_by_hand),
                                     cmocka_unit_test(fcp_by_hand),
                                     cmocka_unit_test(heft_by_hand)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
