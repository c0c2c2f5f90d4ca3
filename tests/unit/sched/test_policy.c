/* Policies on recorded machines (tests/machines) in virtual time: what runs where, in which order, and until when.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "support/scheduler.h"

#include <string.h>

#define CASES 300

static const char *const machines[] = {"laptop", "node", "mixed"};

/* ---- Drawn tasks. ---- */

static bool has_all(const struct ts_worker_class *class, const struct ts_task_needs *needs) {
  if (needs->cores > class->cores || needs->gpus > class->gpus || needs->memory_bytes > class->memory_bytes)
    return false;
  if (needs->gang > class->workers) return false;
  return strlen(needs->site) == 0 || strcmp(needs->site, class->site) == 0;
}

static struct ts_task_needs draw_needs(struct ts_random *random) {
  static const char *const sites[] = {"", "", "lab", "clinic"};
  static const uint64_t memories[] = {0, 4000000000, 32000000000, 100000000000};
  struct ts_task_needs needs = {.cores = (uint32_t)ts_random_below(random, 5),
                                .gpus = ts_random_below(random, 4) == 0 ? 1 : 0,
                                .gang = ts_random_below(random, 6) == 0 ? 2 : 0,
                                .exclusive = ts_random_below(random, 5) == 0,
                                .memory_bytes = memories[ts_random_below(random, 4)]};
  strcpy(needs.site, sites[ts_random_below(random, 4)]);
  return needs;
}

/* The first needs are none; the others are such that some class has them. */
static void draw_all_needs(struct sim *sim, struct ts_random *random) {
  sim->needs_count = 1;
  sim->needs[0] = (struct ts_task_needs){0};
  for (int tries = 0; tries < 1000 && sim->needs_count < SIM_NEEDS; tries++) {
    const struct ts_task_needs needs = draw_needs(random);
    bool any = false;
    for (size_t c = 0; c < sim->machine.class_count; c++) any = any || has_all(&sim->machine.classes[c], &needs);
    if (any) sim->needs[sim->needs_count++] = needs;
  }
}

static void draw_tasks(struct sim *sim, struct ts_random *random) {
  sim->task_count = 20 + (size_t)ts_random_below(random, SIM_TASKS - 19);
  for (uint32_t t = 0; t < sim->task_count; t++) {
    struct sim_task *task = &sim->tasks[t];
    *task = (struct sim_task){
        .facts = {.window = (uint32_t)ts_random_below(random, 4),
                  .rank = (uint32_t)ts_random_below(random, 6),
                  .depth = (uint32_t)ts_random_below(random, 5),
                  .deadline_ns = ts_random_below(random, 3) == 0 ? TS_NO_DEADLINE : ts_random_below(random, 100),
                  .after_ns = ts_random_below(random, 30)},
        .needs = (uint32_t)ts_random_below(random, sim->needs_count),
        .length = 1 + ts_random_below(random, 9)};
    if (t > 0 && ts_random_below(random, 2) == 0) task->inputs = UINT64_C(1) << ts_random_below(random, t);
  }
}

static void draw(struct sim *sim, const char *machine, uint64_t seed) {
  struct ts_random random;
  ts_random_init(&random, seed, 11);
  *sim = (struct sim){.policy = ts_policies[seed % 2]};
  sim_machine_read(&sim->machine, machine);
  draw_all_needs(sim, &random);
  draw_tasks(sim, &random);
}

/* ---- What runs where. ---- */

static const struct ts_worker_class *class_of(const struct sim *sim, const struct sim_start *start) {
  return &sim->machine.classes[sim->machine.class_of[start->worker]];
}

/* What tasks take of the worker of a start, at the moment when it begins. */
static void check_room(const struct sim *sim, const struct sim_start *start) {
  uint32_t cores = 0, gpus = 0, tasks = 0, exclusive = 0;
  for (size_t i = 0; i < sim->start_count; i++) {
    const struct sim_start *other = &sim->starts[i];
    if (other->worker != start->worker || other->begin > start->begin || other->end <= start->begin) continue;
    const struct ts_task_needs *needs = &sim->needs[sim->tasks[other->task].needs];
    cores += needs->cores > 1 ? needs->cores : 1;
    gpus += needs->gpus;
    exclusive += needs->exclusive;
    tasks++;
  }
  assert_true(cores <= class_of(sim, start)->cores);
  assert_true(gpus <= class_of(sim, start)->gpus);
  assert_true(exclusive == 0 || tasks == 1);
}

static void check_start(const struct sim *sim, const struct sim_start *start) {
  const struct sim_task *task = &sim->tasks[start->task];
  if (!has_all(class_of(sim, start), &sim->needs[task->needs])) fail_msg("task %u is at the wrong place", start->task);
  check_room(sim, start);
  for (size_t i = 0; i < sim->start_count; i++) {
    if (task->inputs >> sim->starts[i].task & 1) assert_true(sim->starts[i].end <= start->begin);
  }
}

/* invariant 16 */
static void nobody_gets_what_its_class_may_not_run(void **state) {
  (void)state;
  size_t refused = 0;
  for (size_t m = 0; m < sizeof machines / sizeof *machines; m++) {
    for (uint64_t seed = 0; seed < CASES; seed++) {
      struct sim sim;
      uint64_t ran = 0;
      draw(&sim, machines[m], seed);
      sim_play(&sim);
      assert_int_equal(sim.start_count, sim.task_count);
      for (size_t i = 0; i < sim.start_count; i++) {
        check_start(&sim, &sim.starts[i]);
        ran |= UINT64_C(1) << sim.starts[i].task;
        for (size_t c = 0; c < sim.machine.class_count; c++)
          refused += !has_all(&sim.machine.classes[c], &sim.needs[sim.tasks[sim.starts[i].task].needs]);
      }
      assert_int_equal(__builtin_popcountll(ran), sim.task_count);
    }
  }
  assert_true(refused > 1000); /* there was something to be refused */
}

/* ---- Order. ---- */

static bool default_before(const struct ts_task_facts *a, const struct ts_task_facts *b) {
  if (a->window != b->window) return a->window < b->window;
  if (a->rank != b->rank) return a->rank < b->rank;
  return a->depth > b->depth;
}

static double latest_end(const struct ts_task_facts *facts) {
  if (facts->deadline_ns == TS_NO_DEADLINE) return 1e30;
  return facts->deadline_ns > facts->after_ns ? (double)(facts->deadline_ns - facts->after_ns) : 0;
}

static bool must_come_before(const struct sim *sim, const struct sim_task *a, const struct sim_task *b) {
  const double x = latest_end(&a->facts), y = latest_end(&b->facts);
  if (sim->policy == &ts_policy_deadline && x != y) return x < y;
  return default_before(&a->facts, &b->facts);
}

/* Whatever a worker takes, nothing else that it might have taken should have come before. */
static void priorities_are_met(void **state) {
  (void)state;
  for (size_t m = 0; m < sizeof machines / sizeof *machines; m++) {
    for (uint64_t seed = 0; seed < CASES; seed++) {
      struct sim sim;
      draw(&sim, machines[m], seed);
      sim_play(&sim);
      for (size_t i = 0; i < sim.start_count; i++) {
        const struct sim_start *start = &sim.starts[i];
        for (uint32_t t = 0; t < sim.task_count; t++) {
          if (!(start->ready >> t & 1) || !has_all(class_of(&sim, start), &sim.needs[sim.tasks[t].needs])) continue;
          if (must_come_before(&sim, &sim.tasks[t], &sim.tasks[start->task]))
            fail_msg("%s, seed %d: task %u before task %u", machines[m], (int)seed, start->task, t);
        }
      }
    }
  }
}

static void one_worker_always_runs_in_the_same_order(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < CASES; seed++) {
    struct sim first, again;
    draw(&first, "laptop", seed);
    again = first;
    again.push_first = 1 + (size_t)seed % (first.task_count - 1);
    sim_play(&first);
    sim_play(&again);
    for (size_t i = 0; i < first.start_count; i++) assert_int_equal(first.starts[i].task, again.starts[i].task);
  }
}

/* The default policy is the order of the queue that engines have always used. */
static void the_default_is_ready_priority(void **state) {
  (void)state;
  struct ts_random random;
  ts_random_init(&random, 3, 1);
  assert_ptr_equal(ts_policies[0], &ts_policy_depth_first);
  for (size_t i = 0; i < 10000; i++) {
    const struct ts_task_facts facts = {.window = (uint32_t)ts_random_below(&random, UINT32_MAX),
                                        .rank = (uint32_t)ts_random_below(&random, UINT32_MAX),
                                        .depth = (uint32_t)ts_random_below(&random, 100000),
                                        .deadline_ns = ts_random_below(&random, 100),
                                        .after_ns = ts_random_below(&random, 100)};
    struct ts_ready_task task = {.urgency = 5, .instance = 7};
    ts_policies[0]->place(&facts, &task);
    assert_int_equal(task.priority, ts_ready_priority(facts.window, facts.rank, facts.depth));
    assert_int_equal(task.urgency, 0);
    assert_int_equal(task.instance, 7);
  }
}

static void policies_are_found_by_name(void **state) {
  (void)state;
  assert_ptr_equal(ts_policy_find("deadline"), &ts_policy_deadline);
  assert_ptr_equal(ts_policy_find("depth-first"), &ts_policy_depth_first);
  assert_null(ts_policy_find("random"));
}

/* ---- Deadlines. ---- */

/* Whether tasks in this order meet their deadlines: each goes to the worker that is free first. */
static bool meets(const struct sim *sim, const uint32_t *order) {
  uint64_t free_at[SIM_WORKERS] = {0}, end[SIM_TASKS] = {0};
  for (size_t i = 0; i < sim->task_count; i++) {
    const struct sim_task *task = &sim->tasks[order[i]];
    size_t worker = 0;
    for (size_t w = 1; w < sim->machine.worker_count; w++) worker = free_at[w] < free_at[worker] ? w : worker;
    for (uint32_t t = 0; t < sim->task_count; t++) {
      if (task->inputs >> t & 1 && end[t] == 0) return false; /* not an order at all */
    }
    free_at[worker] += task->length;
    end[order[i]] = free_at[worker];
    if (end[order[i]] > task->facts.deadline_ns) return false;
  }
  return true;
}

static bool any_order_meets(const struct sim *sim, uint32_t *order, size_t from) {
  if (from == sim->task_count) return meets(sim, order);
  bool found = false;
  for (size_t i = from; i < sim->task_count && !found; i++) {
    const uint32_t first = order[from], other = order[i];
    order[from] = other;
    order[i] = first;
    found = any_order_meets(sim, order, from + 1);
    order[from] = first;
    order[i] = other;
  }
  return found;
}

static bool is_feasible(const struct sim *sim) {
  uint32_t order[SIM_TASKS];
  for (uint32_t t = 0; t < sim->task_count; t++) order[t] = t;
  return any_order_meets(sim, order, 0);
}

static bool play_meets(struct sim *sim, const struct ts_policy *policy) {
  sim->policy = policy;
  sim_play(sim);
  for (size_t i = 0; i < sim->start_count; i++) {
    if (sim->starts[i].end > sim->tasks[sim->starts[i].task].facts.deadline_ns) return false;
  }
  return true;
}

/* Tasks of one length that need nothing of each other, on equal workers. */
static void draw_unit_tasks(struct sim *sim, struct ts_random *random) {
  *sim = (struct sim){.needs_count = 1, .task_count = 2 + (size_t)ts_random_below(random, 6)};
  sim_machine_equal(&sim->machine, 1 + (size_t)ts_random_below(random, 3));
  const uint64_t last = sim->task_count / sim->machine.worker_count + 1;
  for (uint32_t t = 0; t < sim->task_count; t++)
    sim->tasks[t] =
        (struct sim_task){.facts = {.window = t, .deadline_ns = 1 + ts_random_below(random, last)}, .length = 1};
}

/* Chains of tasks of any length, a window and a deadline each, on one worker. */
static void draw_chains(struct sim *sim, struct ts_random *random) {
  *sim = (struct sim){.needs_count = 1, .task_count = 2 + (size_t)ts_random_below(random, 6)};
  sim_machine_equal(&sim->machine, 1);
  uint64_t sum = 0;
  for (uint32_t t = 0; t < sim->task_count; t++) {
    struct sim_task *task = &sim->tasks[t];
    *task = (struct sim_task){.length = 1 + ts_random_below(random, 5)};
    const bool goes_on = t > 0 && ts_random_below(random, 2) == 0;
    task->facts.window = goes_on ? sim->tasks[t - 1].facts.window : t;
    if (goes_on) task->inputs = UINT64_C(1) << (t - 1);
    sum += task->length;
  }
  for (uint32_t t = (uint32_t)sim->task_count; t-- > 0;) {
    struct sim_task *task = &sim->tasks[t];
    const bool is_last = t + 1 == sim->task_count || sim->tasks[t + 1].facts.window != task->facts.window;
    task->facts.deadline_ns = is_last ? 1 + ts_random_below(random, sum + 2) : sim->tasks[t + 1].facts.deadline_ns;
    task->facts.after_ns = is_last ? 0 : sim->tasks[t + 1].facts.after_ns + sim->tasks[t + 1].length;
  }
}

static void compare_with_all_orders(void (*draw_case)(struct sim *sim, struct ts_random *random)) {
  size_t feasible = 0, missed_by_default = 0;
  struct ts_random random;
  ts_random_init(&random, 21, 1);
  for (size_t i = 0; i < 2000; i++) {
    struct sim sim;
    draw_case(&sim, &random);
    if (!is_feasible(&sim)) continue;
    feasible++;
    if (!play_meets(&sim, &ts_policy_deadline)) fail_msg("case %zu: a deadline was missed that can be met", i);
    missed_by_default += !play_meets(&sim, &ts_policy_depth_first);
  }
  assert_true(feasible > 200);
  assert_true(missed_by_default > 50); /* the cases tell policies apart */
}

static void deadlines_of_unit_tasks_are_met_if_any_order_meets_them(void **state) {
  (void)state;
  compare_with_all_orders(draw_unit_tasks);
}

static void deadlines_of_chains_are_met_on_one_worker(void **state) {
  (void)state;
  compare_with_all_orders(draw_chains);
}

/* A chain of three and three single tasks with one deadline, on two workers: only the chain leaves no slack. */
static void a_long_way_to_the_deadline_goes_first(void **state) {
  (void)state;
  struct sim sim = {.needs_count = 1, .task_count = 6};
  sim_machine_equal(&sim.machine, 2);
  for (uint32_t t = 0; t < 6; t++) {
    sim.tasks[t] = (struct sim_task){.facts = {.window = t < 3 ? t : 3, .deadline_ns = 3}, .length = 1};
    if (t >= 3) sim.tasks[t].facts.after_ns = 5 - t;
    if (t > 3) sim.tasks[t].inputs = UINT64_C(1) << (t - 1);
  }
  assert_true(play_meets(&sim, &ts_policy_deadline));
  assert_false(play_meets(&sim, &ts_policy_depth_first));
}

static void tasks_without_deadline_come_last_in_the_default_order(void **state) {
  (void)state;
  struct ts_ready_task urgent = {0}, idle = {0}, late = {0};
  ts_policy_deadline.place(&(struct ts_task_facts){.window = 9, .deadline_ns = 1000}, &urgent);
  ts_policy_deadline.place(&(struct ts_task_facts){.window = 1, .deadline_ns = TS_NO_DEADLINE, .after_ns = 5}, &idle);
  ts_policy_deadline.place(&(struct ts_task_facts){.window = 9, .deadline_ns = 10, .after_ns = 50}, &late);
  assert_true(late.urgency < urgent.urgency && urgent.urgency < idle.urgency);
  assert_int_equal(idle.priority, ts_ready_priority(1, 0, 0));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nobody_gets_what_its_class_may_not_run),
      cmocka_unit_test(priorities_are_met),
      cmocka_unit_test(one_worker_always_runs_in_the_same_order),
      cmocka_unit_test(the_default_is_ready_priority),
      cmocka_unit_test(policies_are_found_by_name),
      cmocka_unit_test(deadlines_of_unit_tasks_are_met_if_any_order_meets_them),
      cmocka_unit_test(deadlines_of_chains_are_met_on_one_worker),
      cmocka_unit_test(a_long_way_to_the_deadline_goes_first),
      cmocka_unit_test(tasks_without_deadline_come_last_in_the_default_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
