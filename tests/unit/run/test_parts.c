/* Parts of a plan: together they give what the whole gives; tasks that are shared out are each computed once.
 * SPDX-License-Identifier: Apache-2.0
 * test-label: slow */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "run/frontier.h"
#include "support/toy_run.h"

#include <stdlib.h>
#include <string.h>

/* Sanitizers see the same code in fewer cases, each of which takes them five times as long. */
#define CASES (getenv("TESSERA_SANITIZE") ? 80u : 300u)

/* ---- What several parts told, as if it had been one run. ---- */
struct told {
  const struct toy_subject *subject;
  struct ts_map products; /* node, port, unit -> struct ts_data, one reference */
  struct ts_map settled;  /* node, unit of tasks */
  uint64_t executed;
};

static void on_task(void *user, const struct ts_task_event *event) {
  struct told *told = user;
  const size_t place[] = {event->node, event->unit};
  if (told->subject->plan->nodes[event->node].kind != TS_NODE_TASK) return;
  ts_map_insert(&told->settled, place, sizeof place, NULL);
  told->executed += event->outcome == TS_OUTCOME_EXECUTED;
}

static void on_product(void *user, uint32_t node, uint32_t port, size_t unit, struct ts_data *data) {
  struct told *told = user;
  const size_t place[] = {node, port, unit};
  union ts_map_value *value = ts_map_insert(&told->products, place, sizeof place, NULL);
  if (!value->pointer)
    value->pointer = ts_data_ref(data);
  else if (!toy_same_data(value->pointer, data))
    fail_msg("seed %llu: two parts made different products", told->subject->seed);
}

static void told_release(struct told *told) {
  for (size_t i = 0; i < ts_map_count(&told->products); i++)
    ts_data_unref(ts_map_value_at(&told->products, i)->pointer);
  ts_map_release(&told->products);
  ts_map_release(&told->settled);
}

static void check_products(const struct told *told, const char *what) {
  const struct toy_run run = {.subject = told->subject, .products = told->products};
  const char *wrong = toy_check_products(&run);
  if (wrong[0]) fail_msg("seed %llu, %s: %s", told->subject->seed, what, wrong);
}

static void run_part(struct told *told, struct ts_run_options options, const struct ts_run_part *part) {
  const struct toy_subject *s = told->subject;
  struct ts_run_result result;
  struct ts_error err = {0};
  options.part = part;
  options.user = told;
  options.on_task = on_task;
  options.on_product = on_product;
  if (!ts_run(s->plan, &s->data.dataset, &options, &result, &err)) fail_msg("%s", err.text);
  assert_false(result.stopped);
  ts_run_result_release(&result);
}

/* ---- Wishes one by one, in any order. ---- */
static size_t list_demands(const struct toy_subject *s, uint32_t window, struct ts_run_demand *demands) {
  const struct ts_plan *plan = s->plan;
  size_t count = 0;
  for (size_t i = 0; i < (plan->set_count + 1) * plan->wanted_count; i++) {
    size_t run = i / plan->wanted_count;
    struct ts_node_input p =
        run < plan->set_count ? plan->products[i] : plan->reference_products[i % plan->wanted_count];
    if (p.node == TS_NO_NODE) continue;
    enum ts_scope scope = plan->nodes[p.node].scope;
    for (size_t u = 0; u < toy_units(&s->data.dataset, scope); u++) {
      if (ts_run_window_of(plan, &s->data.dataset, scope, u) == window)
        demands[count++] = (struct ts_run_demand){p.node, p.port, u};
    }
  }
  return count;
}

static void parts_give_what_the_whole_gives(const struct toy_subject *s, struct ts_store *store, bool stages_only) {
  struct told told = {.subject = s};
  struct ts_error err = {0};
  struct ts_run_setup *setup = ts_run_setup_create(s->plan, s->registry, store, &err);
  assert_non_null(setup);
  if (store) ts_run_setup_keep(setup, 1 << 20);
  const struct ts_run_options options = {.threads = 1 + s->seed % 3,
                                         .registry = s->registry,
                                         .store = store,
                                         .setup = setup,
                                         .no_cutoff = stages_only,
                                         .stages_only = stages_only};
  size_t most =
      (s->plan->set_count + 1) * s->plan->wanted_count * (s->data.dataset.tile_count + s->data.dataset.item_count + 1);
  struct ts_run_demand *demands = ts_calloc(most + 1, sizeof *demands);
  for (uint32_t g = 0; g < ts_run_window_count(s->plan, &s->data.dataset); g++) {
    size_t count = list_demands(s, g, demands), size = 1 + s->seed % 4;
    for (size_t first = 0; first < count; first += size) {
      const struct ts_run_part part = {.window = g,
                                       .wanted = demands + first,
                                       .wanted_count = first + size < count ? size : count - first,
                                       .keep = s->seed % 2 == 0};
      run_part(&told, options, &part);
      if (store && !ts_store_flush(store, &err)) fail_msg("%s", err.text);
    }
  }
  check_products(&told, stages_only ? "parts, stages only" : store ? "parts" : "parts without a store");
  free(demands);
  ts_run_setup_destroy(setup);
  told_release(&told);
}

static void one_part_per_window_is_the_whole(const struct toy_subject *s) {
  struct told told = {.subject = s};
  const struct ts_run_options options = {.threads = 2, .registry = s->registry};
  for (uint32_t g = 0; g < ts_run_window_count(s->plan, &s->data.dataset); g++)
    run_part(&told, options, &(struct ts_run_part){.window = g});
  check_products(&told, "windows");
  assert_int_equal(told.executed, toy_expected_executed(s, false, false));
  told_release(&told);
}

/* ---- Tasks shared out. ---- */
static void share(struct ts_frontier *frontier, struct told *told, const struct ts_run_options *options,
                  uint32_t window, struct ts_run_demand *demands) {
  struct ts_error err = {0};
  while (ts_frontier_ready(frontier) > 0) {
    struct ts_run_part part = {.window = window, .wanted = demands, .keep = true};
    part.wanted_count = ts_frontier_take(frontier, 1 + told->subject->seed % 3, demands);
    run_part(told, *options, &part);
    if (!ts_store_flush(options->store, &err)) fail_msg("%s", err.text);
    ts_frontier_came(frontier, demands, part.wanted_count);
  }
  assert_true(ts_frontier_is_over(frontier));
}

static void do_part(struct ts_frontier *frontier, struct told *told, const struct ts_run_options *options,
                    const struct ts_run_part *part) {
  struct ts_error err = {0};
  if (part->wanted_count > 0) run_part(told, *options, part);
  if (!ts_store_flush(options->store, &err)) fail_msg("%s", err.text);
  ts_frontier_came(frontier, part->wanted, part->wanted_count);
}

/* One run, and one that another worker does beside it: done before it, after it, or when tasks are handed out
 * already. */
static void first_runs(struct ts_frontier *frontier, struct told *told, const struct ts_run_options *options,
                       uint32_t window) {
  const struct toy_subject *s = told->subject;
  struct ts_run_part first = {.window = window, .keep = true}, beside = first;
  ts_auto_free struct ts_run_demand *demands = ts_frontier_take_run(frontier, 0, &first.wanted_count);
  ts_auto_free struct ts_run_demand *others =
      ts_frontier_take_run(frontier, s->plan->set_count / 2, &beside.wanted_count);
  first.wanted = demands;
  beside.wanted = others;
  if (s->seed % 4 == 0) do_part(frontier, told, options, &beside);
  do_part(frontier, told, options, &first);
  if (s->seed % 8 == 2) do_part(frontier, told, options, &beside);
  ts_frontier_open(frontier, NULL);
  if (s->seed % 8 == 6) do_part(frontier, told, options, &beside);
}

/* Whatever is handed out at once, and whether some runs go first: every distinct content of a window is computed
 * once. */
static void shared_tasks_are_computed_once(const struct toy_subject *s, bool no_cutoff) {
  struct told told = {.subject = s};
  struct ts_store *store = toy_store_open(NULL);
  struct ts_error err = {0};
  const struct ts_run_options options = {
      .threads = 1, .registry = s->registry, .store = store, .no_cutoff = no_cutoff, .run_id = "r"};
  struct ts_run_options told_options = options;
  told_options.user = &told;
  told_options.on_task = on_task;
  told_options.on_product = on_product;
  size_t room = (s->plan->node_count + 3) * TS_OP_MAX_PORTS * (s->data.dataset.tile_count + 1);
  struct ts_run_demand *demands = ts_calloc(room, sizeof *demands);
  bool failed = false;
  for (uint32_t g = 0; g < ts_run_window_count(s->plan, &s->data.dataset); g++) {
    struct ts_frontier *frontier = ts_frontier_create(s->plan, &s->data.dataset, &told_options, g, &err);
    if (!frontier) fail_msg("%s", err.text);
    if (s->seed % 2 == 0)
      first_runs(frontier, &told, &options, g);
    else
      ts_frontier_open(frontier, NULL);
    share(frontier, &told, &options, g, demands);
    failed = failed || ts_frontier_any_failed(frontier);
    ts_frontier_destroy(frontier);
  }
  check_products(&told, "shared out");
  if (!no_cutoff && told.executed != toy_expected_executed(s, no_cutoff, true))
    fail_msg("seed %llu: %llu tasks executed instead of %zu", s->seed, (unsigned long long)told.executed,
             toy_expected_executed(s, no_cutoff, true));
  free(demands);
  ts_store_close(store);
  told_release(&told);
}

static void drawn_cases_in_parts(void **state) {
  const struct toy_settings settings = {.stages = 4, .tasks = 3, .sets = 8, .digits = 3, .collapse = true};
  for (unsigned long long seed = 0; seed < CASES; seed++) {
    struct toy_subject s = {0};
    toy_subject_draw(&s, *state, &settings, false, seed);
    struct ts_store *store = toy_store_open(NULL), *stages = toy_store_open(NULL);
    parts_give_what_the_whole_gives(&s, NULL, false);
    parts_give_what_the_whole_gives(&s, store, false);
    parts_give_what_the_whole_gives(&s, stages, true);
    one_part_per_window_is_the_whole(&s);
    shared_tasks_are_computed_once(&s, false);
    shared_tasks_are_computed_once(&s, true);
    ts_store_close(store);
    ts_store_close(stages);
    toy_subject_release(&s);
  }
}

/* What fails is lost with all that needs it; everything else is made. */
static void drawn_faults_are_shared_out(void **state) {
  const struct toy_settings settings = {.stages = 4, .tasks = 3, .sets = 8, .digits = 3, .faults = true};
  for (unsigned long long seed = 0; seed < CASES; seed++) {
    struct toy_subject s = {0};
    toy_subject_draw(&s, *state, &settings, false, seed);
    shared_tasks_are_computed_once(&s, false);
    toy_subject_release(&s);
  }
}

static int make_registry(void **state) {
  *state = toy_registry_create();
  return 0;
}

static int drop_registry(void **state) {
  ts_registry_destroy(*state);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(drawn_cases_in_parts, make_registry, drop_registry),
      cmocka_unit_test_setup_teardown(drawn_faults_are_shared_out, make_registry, drop_registry),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
