/* Estimates of mappings: the worked examples of the paper, channels and links, copies, replicas.
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

/* The schedule of a mapping that the test chooses. */
static void estimate(const struct ts_task_graph *graph, size_t ports, double wanted, const uint32_t *cluster_of,
                     uint32_t clusters, struct ts_stream_schedule *out) {
  struct ts_stream_problem problem = {.graph = graph, .processors = 100, .ports = ports};
  struct stream_model s;
  struct mapping m = {0};
  ts_stream_model_init(&s, &problem, wanted);
  ts_mapping_assign(&m, &s, cluster_of, clusters);
  ts_stream_make_schedule(&s, &m, out);
  ts_mapping_release(&m);
  ts_stream_model_release(&s);
}

static void check_number(double found, double wanted, const char *what) {
  if (fabs(found - wanted) > 1e-12 * fabs(wanted)) fail_msg("%s: %.17g, not %.17g", what, found, wanted);
}

/* Slots e12 0-8, e13 8-13, e24 8-17, e34 17-26; cycles 13, 17, 18, 18; throughput 1/18; latency 56. */
static void figure_2(void **state) {
  (void)state;
  struct ts_task_graph graph;
  struct ts_stream_schedule out;
  const uint32_t alone[] = {0, 1, 2, 3};
  const double slots[] = {0, 8, 8, 17}, cycles[] = {13, 17, 18, 18};
  FIG2(&graph);
  estimate(&graph, 1, 0, alone, 4, &out);
  check_number(out.latency, 56, "latency");
  check_number(out.throughput, 1.0 / 18, "throughput");
  assert_int_equal(out.transfer_count, 4);
  double first[4] = {INFINITY, INFINITY, INFINITY, INFINITY}, last[4] = {0};
  for (size_t i = 0; i < 4; i++) {
    const struct ts_stream_transfer *x = &out.transfers[i];
    double end = x->slot + graph.edges[x->edge].time;
    check_number(x->slot, slots[x->edge], "slot");
    const uint32_t ends[] = {x->from_cluster, x->to_cluster};
    for (size_t k = 0; k < 2; k++) {
      first[ends[k]] = fmin(first[ends[k]], x->slot);
      last[ends[k]] = fmax(last[ends[k]], end);
    }
    assert_int_equal(x->is_critical, x->edge != 1); /* all but e13 */
  }
  for (size_t c = 0; c < 4; c++) check_number(last[c] - first[c], cycles[c], "cycle");
  ts_stream_schedule_release(&out);
  ts_task_graph_release(&graph);
}

/* Two transfers between one pair never overlap, however many ports there are. */
static void link_is_serial(void **state) {
  (void)state;
  struct ts_task_graph graph;
  struct ts_stream_schedule out;
  const double times[] = {1, 1, 1, 1};
  const struct case_edge edges[] = {{1, 3, 10}, {2, 4, 10}};
  const uint32_t pairs[] = {0, 0, 1, 1};
  make_graph(&graph, times, 4, edges, 2);
  estimate(&graph, 4, 0, pairs, 2, &out);
  /* The first channel of each end carries both: 20 long. Task 2 is done at 2; its transfer waits until 11. */
  check_number(out.throughput, 1.0 / 20, "throughput");
  check_number(out.latency, 1 + 10 + 10 + 1, "latency");
  ts_stream_schedule_release(&out);
  ts_task_graph_release(&graph);
}

/* 10 and 10 with a transfer of 50 between them: one item in 50; with two replicas of each, one in 25. */
static void replication_example(void **state) {
  (void)state;
  struct ts_task_graph graph;
  const double times[] = {10, 10};
  const struct case_edge edges[] = {{1, 2, 50}};
  make_graph(&graph, times, 2, edges, 1);
  for (int replicas = 1; replicas <= 2; replicas++) {
    struct ts_stream_problem problem = {.graph = &graph, .processors = 4, .ports = 1};
    struct stream_model s;
    struct mapping m = {0};
    struct ts_stream_schedule out;
    ts_stream_model_init(&s, &problem, 0);
    ts_mapping_init(&m, &s);
    m.forced[0] = m.forced[1] = replicas;
    ts_stream_make_schedule(&s, &m, &out);
    check_number(out.throughput, replicas / 50.0, "throughput");
    check_number(out.latency, 70, "latency");
    assert_int_equal(out.processors, 2 * replicas);
    ts_stream_schedule_release(&out);
    ts_mapping_release(&m);
    ts_stream_model_release(&s);
  }
  ts_task_graph_release(&graph);
}

/* Merging and duplicating drop copies that have no reader; bounds are bounds. */
static void changes_keep_the_mapping_whole(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 60; seed++) {
    struct ts_task_graph graph;
    make_random(&graph, 3 + seed % 10, (double)(seed % 3), seed);
    struct ts_stream_problem problem = {.graph = &graph, .processors = 100, .ports = 1 + seed % 3};
    struct stream_model s;
    struct mapping m = {0}, next = {0};
    struct estimate e;
    struct ts_random random;
    ts_stream_model_init(&s, &problem, 0.01);
    ts_estimate_init(&e, &s);
    ts_mapping_init(&m, &s);
    ts_random_init(&random, seed, 1);
    for (int step = 0; step < 12; step++) {
      ts_estimate_run(&e, &s, &m);
      if (e.transfer_count == 0) break;
      double bound = ts_estimate_bound(&e, &s, &m);
      if (bound > e.latency * (1 + 1e-12)) fail_msg("seed %d: bound %g of latency %g", (int)seed, bound, e.latency);
      const struct transfer x = e.transfers[ts_random_below(&random, e.transfer_count)];
      if (ts_random_unit(&random) < 0.5)
        ts_mapping_merge(&next, &m, &s, x.from, x.to);
      else
        ts_mapping_duplicate(&next, &m, &s, x.edge, x.to);
      ts_mapping_copy(&m, &next, &s);
      for (uint32_t t = 0; t < s.task_count; t++) {
        if (ts_mapping_find(&m, t, m.home[t]) == UINT32_MAX) fail_msg("seed %d: task %u lost its home", (int)seed, t);
      }
    }
    ts_mapping_release(&m);
    ts_mapping_release(&next);
    ts_estimate_release(&e);
    ts_stream_model_release(&s);
    ts_task_graph_release(&graph);
  }
}

/* A candidate is refused if and only if its complete estimate misses a limit. */
static void check_limits(const struct stream_model *s, const struct mapping *m, const struct estimate *whole,
                         struct ts_random *random, int seed) {
  struct estimate e;
  ts_estimate_init(&e, s);
  for (int i = 0; i < 20; i++) {
    double limit = i % 4 == 0 ? INFINITY : whole->latency * (0.8 + 0.4 * ts_random_unit(random));
    double least = i % 3 == 0   ? STREAM_UNASKED
                   : i % 3 == 1 ? 0
                                : fmin(whole->throughput, 1) * (0.8 + 0.4 * ts_random_unit(random));
    bool is_kept = whole->latency <= limit && (least <= 0 || whole->throughput >= least);
    if (ts_estimate_within(&e, s, m, limit, least) != is_kept)
      fail_msg("seed %d: %skept at latency %g of %g, throughput %g of %g", seed, is_kept ? "not " : "", whole->latency,
               limit, whole->throughput, least);
    if (is_kept && (e.latency != whole->latency || e.processors != whole->processors))
      fail_msg("seed %d: latency %g, not %g", seed, e.latency, whole->latency);
    if (is_kept && least != STREAM_UNASKED && e.throughput != whole->throughput)
      fail_msg("seed %d: throughput %g, not %g", seed, e.throughput, whole->throughput);
  }
  ts_estimate_release(&e);
}

static void limits_refuse_what_misses_them(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 60; seed++) {
    struct ts_task_graph graph;
    make_random(&graph, 4 + seed % 12, 1, seed);
    struct ts_stream_problem problem = {.graph = &graph, .processors = 100, .ports = 1 + seed % 3};
    struct stream_model s;
    struct mapping m = {0};
    struct estimate whole;
    struct ts_random random;
    uint32_t cluster_of[16];
    ts_stream_model_init(&s, &problem, 0.02);
    ts_estimate_init(&whole, &s);
    ts_random_init(&random, seed, 1);
    for (uint32_t t = 0; t < s.task_count; t++) cluster_of[t] = t < 3 ? t : (uint32_t)ts_random_below(&random, 3);
    ts_mapping_assign(&m, &s, cluster_of, 3);
    ts_estimate_run(&whole, &s, &m);
    check_limits(&s, &m, &whole, &random, (int)seed);
    ts_mapping_release(&m);
    ts_estimate_release(&whole);
    ts_stream_model_release(&s);
    ts_task_graph_release(&graph);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(figure_2), cmocka_unit_test(link_is_serial), cmocka_unit_test(replication_example),
      cmocka_unit_test(changes_keep_the_mapping_whole), cmocka_unit_test(limits_refuse_what_misses_them)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
