/* Tasks that need several cores, or to be alone; needs that nobody has; deadlines of windows.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "support/toy_run.h"

#include <string.h>

#define THREADS    4
#define MOST_CALLS 4096
#define SETS       10 /* the toys count to 9 */

/* Two ways from one table: noise is large enough that calls overlap whenever they may. */
static const char workflow[] =
    "{\"tessera\": 1, \"name\": \"needs\", \"inputs\": {\"a\": {\"type\": \"table\"}}, \"parameters\": {"
    "\"P\": {\"type\": \"integer\", \"default\": 0}}, \"stages\": [{\"name\": \"s\", \"per\": \"file\", "
    "\"in\": {\"a\": \"a\"}, \"out\": {\"x\": \"stat.out\", \"y\": \"plain.out\"}, \"tasks\": ["
    "{\"name\": \"noise\", \"op\": \"toy.noise\", \"in\": {\"a\": \"a\"}, "
    "\"params\": {\"p\": \"P\", \"size\": {\"value\": 400}}}, "
    "{\"name\": \"stat\", \"op\": \"toy.stat\", \"in\": {\"image\": \"noise.image\"}, \"params\": {\"p\": {\"value\": "
    "1}}}, "
    "{\"name\": \"plain\", \"op\": \"toy.mix\", \"in\": {\"a\": \"a\"}, \"params\": {\"p\": \"P\"}}]}]}";

struct call {
  size_t task, window;
  double begin, end;
};

struct calls {
  const struct ts_plan *plan;
  struct call items[MOST_CALLS];
  size_t count;
};

static void on_event(void *user, const struct ts_task_event *event) {
  struct calls *calls = user;
  const struct ts_node *node = &calls->plan->nodes[event->node];
  if (event->outcome != TS_OUTCOME_EXECUTED || node->kind != TS_NODE_TASK) return;
  assert_true(calls->count < MOST_CALLS);
  calls->items[calls->count++] = (struct call){node->task, event->unit, event->start_s, event->start_s + event->wall_s};
}

static size_t task_named(const struct ts_workflow *w, const char *name) {
  size_t task = 0;
  while (strcmp(w->tasks[task].name, name) != 0) task++;
  return task;
}

static void open_subject(struct toy_subject *s, struct ts_registry *registry, size_t images) {
  static const struct toy_image files[] = {{"one", 1, 1}, {"two", 1, 1}, {"three", 1, 1}, {"four", 1, 1}};
  *s = (struct toy_subject){0};
  toy_case_init(&s->toy, workflow, registry);
  for (size_t i = 0; i < SETS; i++) toy_case_set(&s->toy, i, "P", (int64_t)i);
  toy_subject_complete(s, registry, files, images, 1, 0);
}

/* Runs with needs of some tasks, and notes when calls were made. */
static void run_with(const struct toy_subject *s, const struct ts_task_needs needs[3], struct calls *calls) {
  static const char *const names[] = {"noise", "stat", "plain"};
  struct ts_error err = {0};
  struct ts_run_setup *setup = ts_run_setup_create(s->plan, s->registry, NULL, &err);
  for (size_t i = 0; i < 3; i++)
    assert_true(ts_run_setup_set_needs(setup, task_named(s->toy.workflow, names[i]), &needs[i], &err));
  struct toy_run run = {.subject = s,
                        .options = {.threads = THREADS, .no_cutoff = true, .setup = setup},
                        .on_event = on_event,
                        .user = calls};
  *calls = (struct calls){.plan = s->plan};
  toy_run_do(&run);
  toy_run_check(&run, "with needs");
  toy_run_release(&run);
  ts_run_setup_destroy(setup);
}

/* The most cores that calls took at once, and the most calls beside one of a task. */
static void look_at_overlaps(const struct calls *calls, const uint32_t *cores, size_t task, uint32_t *most_cores,
                             uint32_t *most_beside) {
  *most_cores = *most_beside = 0;
  for (size_t i = 0; i < calls->count; i++) {
    uint32_t sum = 0, beside = 0;
    for (size_t k = 0; k < calls->count; k++) {
      const struct call *call = &calls->items[i], *other = &calls->items[k];
      if (other->begin <= call->begin && call->begin < other->end) sum += cores[other->task];
      if (k != i && other->begin < call->end && call->begin < other->end) beside++;
    }
    if (sum > *most_cores) *most_cores = sum;
    if (calls->items[i].task == task && beside > *most_beside) *most_beside = beside;
  }
}

static void wide_tasks_take_several_places(void **state) {
  struct toy_subject s;
  struct calls *calls = ts_calloc(1, sizeof *calls);
  uint32_t most = 0, beside = 0;
  open_subject(&s, *state, 4);
  const size_t noise = task_named(s.toy.workflow, "noise");
  uint32_t cores[] = {1, 1, 1};
  cores[noise] = 3;
  run_with(&s, (struct ts_task_needs[]){{.cores = 3}, {0}, {0}}, calls);
  look_at_overlaps(calls, cores, noise, &most, &beside);
  if (most > THREADS) fail_msg("%u cores at once", most);
  toy_subject_release(&s);
  free(calls);
}

static void exclusive_tasks_run_alone(void **state) {
  struct toy_subject s;
  struct calls *calls = ts_calloc(1, sizeof *calls);
  uint32_t most = 0, beside = 0;
  open_subject(&s, *state, 4);
  const size_t noise = task_named(s.toy.workflow, "noise");
  run_with(&s, (struct ts_task_needs[]){{.exclusive = true}, {0}, {.cores = 2}}, calls);
  look_at_overlaps(calls, (uint32_t[]){1, 1, 1}, noise, &most, &beside);
  if (beside > 0) fail_msg("%u calls beside an exclusive one", beside);
  toy_subject_release(&s);
  free(calls);
}

static void refuse(const struct toy_subject *s, const struct ts_task_needs *needs, const struct ts_worker_class *worker,
                   const char *text) {
  struct ts_error err = {0};
  struct ts_run_result result;
  struct ts_run_setup *setup = ts_run_setup_create(s->plan, s->registry, NULL, &err);
  const uint64_t before = toy_executions(s->registry);
  assert_true(ts_run_setup_set_needs(setup, task_named(s->toy.workflow, "stat"), needs, &err));
  const struct ts_run_options options = {.threads = 2, .registry = s->registry, .setup = setup, .worker = worker};
  const bool ok = ts_run(s->plan, &s->data.dataset, &options, &result, &err);
  assert_int_equal(ok, text == NULL);
  if (text) {
    assert_int_equal(err.code, TS_ERR_NO_WORKER);
    assert_string_equal(err.text, text);
    assert_true(strlen(err.help) > 0);
    assert_int_equal(toy_executions(s->registry), before);
  }
  ts_run_result_release(&result);
  ts_run_setup_destroy(setup);
}

/* As an operation declares them, not as a test sets them. */
static void what_an_operation_declares_is_what_its_tasks_need(void **state) {
  struct toy_subject s;
  struct ts_error err = {0};
  struct ts_run_result result;
  open_subject(&s, *state, 1);
  struct ts_op *op = ts_registry_find(s.registry, "toy.stat");
  op->needs = (struct ts_op_needs){.cores = 3, .gpus = 2, .exclusive = 1, .site = "a", .gang = 4};
  const struct ts_worker_class worker = {.memory_bytes = 2000000000};
  const struct ts_run_options options = {.threads = 2, .registry = s.registry, .worker = &worker};
  const bool ok = ts_run(s.plan, &s.data.dataset, &options, &result, &err);
  op->needs = (struct ts_op_needs){0};
  assert_false(ok);
  assert_int_equal(err.code, TS_ERR_NO_WORKER);
  assert_string_equal(err.text, "the operation 'toy.stat' of the task 's.stat' needs "
                                "cores=3,gpu=2,site=a,gang=4,exclusive, but this run has cores=2,memory=2.0 GB");
  ts_run_result_release(&result);
  toy_subject_release(&s);
}

static void a_run_without_what_a_task_needs_is_refused_before_it_starts(void **state) {
  struct toy_subject s;
  open_subject(&s, *state, 1);
  struct ts_worker_class small = {.memory_bytes = 2000000000}, site = {.memory_bytes = 2000000000, .site = "b"};
  refuse(&s, &(struct ts_task_needs){.gpus = 1}, &small,
         "the operation 'toy.stat' of the task 's.stat' needs gpu=1, but this run has cores=2,memory=2.0 GB");
  refuse(&s, &(struct ts_task_needs){.cores = 3}, &small,
         "the operation 'toy.stat' of the task 's.stat' needs cores=3, but this run has cores=2,memory=2.0 GB");
  refuse(&s, &(struct ts_task_needs){.memory_bytes = 3000000000, .site = "a"}, &site,
         "the operation 'toy.stat' of the task 's.stat' needs memory=3.0 GB,site=a, but this run has "
         "cores=2,memory=2.0 GB,site=b");
  site.gpus = 1;
  refuse(&s, &(struct ts_task_needs){.cores = 2, .gpus = 1, .memory_bytes = 1000, .site = "b"}, &site, NULL);
  refuse(&s, &(struct ts_task_needs){.memory_bytes = 1000}, NULL, NULL); /* this machine has some memory */
  toy_subject_release(&s);
}

static void too_many_different_needs_are_refused(void **state) {
  struct toy_subject s;
  struct ts_error err = {0};
  open_subject(&s, *state, 1);
  struct ts_run_setup *setup = ts_run_setup_create(s.plan, s.registry, NULL, &err);
  for (uint32_t i = 1; i < TS_READY_NEEDS_MAX; i++)
    assert_true(ts_run_setup_set_needs(setup, 0, &(struct ts_task_needs){.memory_bytes = i}, &err));
  assert_true(ts_run_setup_set_needs(setup, 1, &(struct ts_task_needs){.memory_bytes = 5}, &err)); /* a known one */
  assert_false(ts_run_setup_set_needs(setup, 0, &(struct ts_task_needs){.cores = 2}, &err));
  assert_int_equal(err.code, TS_ERR_NO_WORKER);
  ts_run_setup_destroy(setup);
  toy_subject_release(&s);
}

/* The file whose deadline comes first is done first, and none of another is begun before. */
static void windows_with_early_deadlines_come_first(void **state) {
  static const uint64_t deadlines[] = {3000, TS_NO_DEADLINE, 1000, 2000};
  static const size_t expected[] = {2, 3, 0, 1};
  struct toy_subject s;
  struct calls *calls = ts_calloc(1, sizeof *calls);
  open_subject(&s, *state, 4);
  const double seconds[] = {1e-7, 1e-7, 1e-7};
  const struct ts_run_deadlines dates = {deadlines, seconds};
  struct toy_run run = {
      .subject = &s,
      .options = {.threads = 1, .no_cutoff = true, .policy = ts_policy_find("deadline"), .deadlines = &dates},
      .on_event = on_event,
      .user = calls};
  calls->plan = s.plan;
  toy_run_do(&run);
  toy_run_check(&run, "with deadlines");
  assert_true(calls->count > 0 && calls->count % 4 == 0);
  for (size_t i = 0; i < calls->count; i++) assert_int_equal(calls->items[i].window, expected[i / (calls->count / 4)]);
  toy_run_release(&run);
  toy_subject_release(&s);
  free(calls);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wide_tasks_take_several_places),
      cmocka_unit_test(exclusive_tasks_run_alone),
      cmocka_unit_test(what_an_operation_declares_is_what_its_tasks_need),
      cmocka_unit_test(a_run_without_what_a_task_needs_is_refused_before_it_starts),
      cmocka_unit_test(too_many_different_needs_are_refused),
      cmocka_unit_test(windows_with_early_deadlines_come_first),
  };
  return cmocka_run_group_tests(tests, toy_set_up, toy_tear_down);
}
