/* The walk backwards over drawn plans and workflows, against a search that adds readers' inputs until nothing changes.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "support/toy_case.h"

#include <stdlib.h>
#include <string.h>

#define CASES 300

static const struct toy_settings settings = {.stages = 5, .tasks = 5, .sets = 6, .digits = 3};

/* A walk over a plan that is not to go behind some of the nodes. */
struct visit {
  const struct ts_plan *plan;
  bool *stops, *entered;
  size_t entries;
  size_t *entered_as, *left_as; /* per node: when, counted from 1 */
  size_t now;
};

static bool enter(void *user, size_t node) {
  struct visit *visit = user;
  if (visit->stops[node] || visit->entered[node]) return false;
  visit->entered[node] = true;
  visit->entered_as[node] = ++visit->now;
  visit->entries++;
  return true;
}

static void leave(void *user, size_t node) {
  struct visit *visit = user;
  assert_int_equal(visit->left_as[node], 0);
  visit->left_as[node] = ++visit->now;
}

/* In no clever order: a node is needed if it is wanted, or if a needed node that is no stop reads it. */
static void search(const struct ts_plan *plan, const bool *wanted, const bool *stops, bool *needed) {
  for (size_t n = 0; n < plan->node_count; n++) needed[n] = wanted[n] && !stops[n];
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t n = 0; n < plan->node_count; n++) {
      for (size_t i = 0; needed[n] && i < plan->nodes[n].input_count; i++) {
        uint32_t input = plan->nodes[n].inputs[i].node;
        if (input == TS_NO_NODE || stops[input] || needed[input]) continue;
        needed[input] = true;
        changed = true;
      }
    }
  }
}

static void check_nodes(const struct ts_plan *plan, struct ts_random *random) {
  size_t count = plan->node_count;
  bool *flags = ts_calloc(5 * count + 1, sizeof *flags);
  bool *wanted = flags, *needed = flags + count, *met = flags + 2 * count;
  struct visit visit = {.plan = plan, .stops = flags + 3 * count, .entered = flags + 4 * count};
  visit.entered_as = ts_calloc(count + 1, sizeof *visit.entered_as);
  visit.left_as = ts_calloc(count + 1, sizeof *visit.left_as);
  for (size_t n = 0; n < count; n++) wanted[n] = ts_random_below(random, 8) == 0;
  search(plan, wanted, visit.stops, needed);
  for (uint32_t n = 0; n < count; n++) {
    if (wanted[n]) ts_plan_walk(plan, n, met, NULL, NULL);
  }
  assert_memory_equal(met, needed, count);
  for (size_t n = 0; n < count; n++) visit.stops[n] = ts_random_below(random, 6) == 0;
  search(plan, wanted, visit.stops, needed);
  for (uint32_t n = 0; n < count; n++) {
    if (wanted[n]) ts_plan_walk(plan, n, NULL, enter, &visit);
  }
  assert_memory_equal(visit.entered, needed, count);
  ts_plan_walk(plan, TS_NO_NODE, NULL, enter, &visit);
  free(visit.entered_as);
  free(visit.left_as);
  free(flags);
}

static void reaches_the_needed_nodes_once(void **state) {
  for (uint64_t seed = 0; seed < CASES; seed++) {
    struct ts_random random;
    ts_random_init(&random, 91, seed);
    struct toy_case toy;
    toy_case_draw(&toy, *state, &settings, seed);
    struct ts_plan *plan = toy_case_plan(&toy);
    check_nodes(plan, &random);
    ts_plan_destroy(plan);
    toy_case_release(&toy);
  }
}

/* Vertices that read ranges of others, as instances do. */
struct ranges {
  size_t first[24][3], count[24][3], inputs[24];
};

static bool range_input(const void *graph, size_t vertex, size_t input, size_t *first, size_t *count) {
  const struct ranges *ranges = graph;
  if (input == ranges->inputs[vertex]) return false;
  *first = ranges->first[vertex][input];
  *count = ranges->count[vertex][input];
  return true;
}

static void draw_ranges(struct ranges *ranges, struct ts_random *random) {
  memset(ranges, 0, sizeof *ranges);
  for (size_t v = 0; v < 24; v++) {
    ranges->inputs[v] = v == 0 ? 0 : ts_random_below(random, 4);
    for (size_t i = 0; i < ranges->inputs[v]; i++) {
      ranges->first[v][i] = ts_random_below(random, v);
      ranges->count[v][i] = ts_random_below(random, v - ranges->first[v][i] + 1);
    }
  }
}

/* Depth first: a vertex is left after all that it reads, and everything entered meanwhile lies behind it. */
static void leaves_after_the_inputs(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < CASES; seed++) {
    struct ts_random random;
    ts_random_init(&random, 92, seed);
    struct ranges ranges;
    bool stops[24] = {false}, entered[24] = {false};
    size_t entered_as[24] = {0}, left_as[24] = {0};
    draw_ranges(&ranges, &random);
    struct visit visit = {.stops = stops, .entered = entered, .entered_as = entered_as, .left_as = left_as};
    const struct ts_walk walk = {
        .input = range_input, .graph = &ranges, .enter = enter, .leave = leave, .user = &visit};
    for (int wanted = 0; wanted < 4; wanted++) ts_walk_back(&walk, ts_random_below(&random, 24));
    assert_int_equal(visit.now, 2 * visit.entries);
    for (size_t v = 0; v < 24; v++) {
      assert_true(entered[v] == (left_as[v] > entered_as[v]));
      for (size_t i = 0; entered[v] && i < ranges.inputs[v]; i++) {
        for (size_t p = 0; p < ranges.count[v][i]; p++) {
          assert_true(entered[ranges.first[v][i] + p]);
          assert_true(left_as[ranges.first[v][i] + p] < left_as[v]);
        }
      }
    }
  }
}

/* With every input supplied, a task is active exactly if a wanted product lies behind it. */
static void active_tasks_are_those_behind_wanted_products(void **state) {
  for (uint64_t seed = 0; seed < CASES; seed++) {
    struct toy_case toy;
    toy_case_draw(&toy, *state, &settings, seed);
    const struct ts_workflow *w = toy.workflow;
    for (size_t i = 0; i < w->input_count; i++) toy_case_supply(&toy, w->inputs[i].name, true);
    struct ts_plan *plan = toy_case_plan(&toy);
    bool *needed = ts_calloc(w->task_count + 1, sizeof *needed);
    for (size_t i = 0; i < plan->wanted_count; i++) needed[plan->options.wanted[i].index] = true;
    for (size_t pass = 0; pass < w->task_count; pass++) {
      for (size_t t = 0; t < w->task_count; t++) {
        for (size_t i = 0; needed[t] && i < w->tasks[t].op->descriptor->input_count; i++) {
          const struct ts_source *source = &w->tasks[t].inputs[i];
          if (source->kind == TS_SOURCE_TASK) needed[source->index] = true;
        }
      }
    }
    assert_memory_equal(plan->active, needed, w->task_count);
    if (toy.want_reference) assert_memory_equal(plan->active + w->task_count, needed, w->task_count);
    free(needed);
    ts_plan_destroy(plan);
    toy_case_release(&toy);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(reaches_the_needed_nodes_once),
                                     cmocka_unit_test(leaves_after_the_inputs),
                                     cmocka_unit_test(active_tasks_are_those_behind_wanted_products)};
  return cmocka_run_group_tests(tests, toy_set_up, toy_tear_down);
}
