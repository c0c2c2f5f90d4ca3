/* Stopping in the middle and going on later, and forecasts: what a run will find in the store.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "op/implementation.h"
#include "support/toy_run.h"

#include <sched.h>
#include <string.h>
#include <time.h>

static const size_t threads[] = {1, 2, 8};

/* ---- Forecasts. ---- */

/* Without a store every node of the plan runs, in each of its units. */
static void check_forecast_of_all(const struct toy_subject *s) {
  struct ts_run_forecast all;
  const struct ts_plan *plan = s->plan;
  uint64_t reference = 0, counts[64] = {0};
  for (size_t n = 0; n < plan->node_count; n++) {
    const struct ts_node *node = &plan->nodes[n];
    if (node->kind != TS_NODE_TASK) continue;
    *(node->reference_only ? &reference : &counts[node->task]) += ts_dataset_units(&s->data.dataset, node->scope);
  }
  ts_run_forecast_all(plan, &s->data.dataset, &all);
  bool right = all.reference_execute == reference && all.reference_stored == 0;
  for (size_t t = 0; t < s->toy.workflow->task_count; t++)
    right = right && all.execute[t] == counts[t] && all.stored[t] == 0;
  if (!right) fail_msg("seed %llu: the forecast of everything is wrong", s->seed);
  ts_run_forecast_release(&all);
}

static struct ts_run_forecast forecast(const struct toy_run *run) {
  const struct toy_subject *s = run->subject;
  struct ts_run_forecast forecast;
  struct ts_error err = {0};
  struct ts_run_options options = run->options;
  options.registry = s->registry;
  uint64_t before = toy_executions(s->registry);
  if (!ts_run_forecast(s->plan, &s->data.dataset, &options, &forecast, &err)) fail_msg("%s", err.text);
  assert_int_equal(toy_executions(s->registry), before);
  check_forecast_of_all(s);
  return forecast;
}

/* Cutoff cannot be foreseen: what it saves counts as foreseen work. */
static uint64_t worked_on(const struct ts_run_counts *counts) {
  return counts->by_outcome[TS_OUTCOME_EXECUTED] + counts->by_outcome[TS_OUTCOME_CUTOFF];
}

static void check_forecast(const struct toy_run *run, struct ts_run_forecast *foreseen) {
  const struct toy_subject *s = run->subject;
  bool right = foreseen->reference_execute == worked_on(&run->result.reference) &&
               foreseen->reference_stored == run->result.reference.by_outcome[TS_OUTCOME_STORE];
  for (size_t t = 0; t < s->toy.workflow->task_count; t++) {
    right = right && foreseen->execute[t] == worked_on(&run->result.tasks[t]) &&
            foreseen->stored[t] == run->result.tasks[t].by_outcome[TS_OUTCOME_STORE];
  }
  if (!right) fail_msg("seed %llu, %zu threads: the forecast is wrong", s->seed, run->options.threads);
  ts_run_forecast_release(foreseen);
}

/* ---- Stopping. ---- */

static void stop_and_go_on(const struct toy_subject *s, const char *folder, size_t thread_count, uint64_t events) {
  struct ts_store *store = toy_store_open(folder);
  struct toy_run run = {.subject = s, .stop_after = (size_t)events};
  run.options = (struct ts_run_options){.threads = thread_count, .store = store};
  toy_run_do(&run);
  uint64_t executed = toy_run_sum(&run, TS_OUTCOME_EXECUTED);
  bool stopped = run.result.stopped;
  if (run.executions != executed + run.result.recomputed) fail_msg("seed %llu: executions before the stop", s->seed);
  if (!stopped && toy_check_products(&run)[0] != '\0') fail_msg("seed %llu: neither stopped nor done", s->seed);
  toy_run_release(&run);
  if (folder) {
    ts_store_close(store);
    run.options.store = store = toy_store_open(folder);
  }
  run.stop_after = 0;
  struct ts_run_forecast foreseen = forecast(&run);
  toy_run_do(&run);
  toy_run_check(&run, "going on");
  toy_run_check_sum(&run, "going on", TS_OUTCOME_EXECUTED, toy_expected_executed(s, false, true) - executed);
  check_forecast(&run, &foreseen);
  toy_run_release(&run);
  ts_store_close(store);
}

static void a_stopped_run_goes_on_where_it_was(void **state) {
  const struct toy_settings settings = {.stages = 3, .tasks = 3, .sets = 8, .digits = 3, .collapse = true};
  uint64_t live_bytes = ts_buffer_live_bytes();
  for (uint64_t seed = 0; seed < 150; seed++) {
    struct toy_subject s;
    toy_subject_draw(&s, *state, &settings, false, seed);
    stop_and_go_on(&s, NULL, threads[seed % 3], 1 + seed % 40);
    toy_subject_release(&s);
    assert_int_equal(ts_buffer_live_bytes(), live_bytes);
  }
}

static void a_stopped_run_goes_on_in_another_process(void **state) {
  const struct toy_settings settings = {.stages = 3, .tasks = 3, .sets = 8, .digits = 3, .collapse = true};
  for (uint64_t seed = 500; seed < 506; seed++) {
    char folder[256];
    toy_folder_create(folder);
    struct toy_subject s;
    toy_subject_draw(&s, *state, &settings, false, seed);
    stop_and_go_on(&s, folder, threads[seed % 3], 1 + seed % 20);
    toy_subject_release(&s);
    toy_folder_remove(folder);
  }
}

static void a_stop_before_the_start_starts_nothing(void **state) {
  const struct toy_settings settings = {.stages = 2, .tasks = 2, .sets = 3, .digits = 3};
  struct toy_subject s;
  toy_subject_draw(&s, *state, &settings, false, 1);
  struct toy_run run = {.subject = &s, .stop = 1};
  run.options = (struct ts_run_options){.threads = 2};
  toy_run_do(&run);
  assert_true(run.result.stopped);
  assert_int_equal(run.executions, 0);
  assert_int_equal(run.event_count, 0);
  toy_run_release(&run);
  toy_subject_release(&s);
}

/* ---- Stopping at once. ---- */

static atomic_bool be_patient; /* test.patient waits until it is told to give up */

static int run_patient(struct ts_op_call *call) {
  static const char *const names[] = {"value"};
  const time_t give_up = time(NULL) + 20;
  while (atomic_load(&be_patient) && !call->host->cancelled(call)) {
    if (time(NULL) > give_up) return (call->host->fail)(call, "nobody stopped it");
    sched_yield();
  }
  if (atomic_load(&be_patient)) return (call->host->fail)(call, "gave up");
  double *cells = call->host->output_table(call, 0, 1, 1, names);
  if (!cells) return (call->host->fail)(call, "no table");
  cells[0] = 1;
  return 0;
}

static const struct ts_op_port *const patient_in[] = {TS_OP_PORT(.name = "a", .type = "table", .help = "")};
static const struct ts_op_port *const patient_out[] = {TS_OP_PORT(.name = "out", .type = "table", .help = "")};
static const struct ts_op_descriptor patient = {
    TS_OP_DESCRIPTOR_HEAD, .name = "test.patient", .version = 1,      .help = "",        .inputs = patient_in,
    .input_count = 1,      .outputs = patient_out, .output_count = 1, .run = run_patient};

static void add_patient(struct ts_registry *registry) {
  const struct ts_op_descriptor *descriptors[] = {&patient};
  const struct ts_implementation implementations[] = {{.operation = patient.name}};
  ts_registry_add_built_in(registry, descriptors, 1, implementations, 1);
}

struct impatient {
  const struct ts_plan *plan;
  int stop;
  size_t told; /* ends of tasks of test.patient */
};

static bool is_patient(const struct ts_plan *plan, uint32_t node) {
  const struct ts_node *n = &plan->nodes[node];
  return n->kind == TS_NODE_TASK && strcmp(plan->workflow->tasks[n->task].op->descriptor->name, "test.patient") == 0;
}

static void stop_at_once(void *user, uint32_t node) {
  struct impatient *user_now = user;
  if (is_patient(user_now->plan, node)) __atomic_store_n(&user_now->stop, 2, __ATOMIC_RELAXED);
}

static void count_end(void *user, const struct ts_task_event *event) {
  struct impatient *user_now = user;
  user_now->told += is_patient(user_now->plan, event->node);
}

/* Two waiting at once, or one and another that waits for the same content. */
static void an_operation_that_gives_up_is_neither_done_nor_failed(void **state) {
  const char *json = "{\"tessera\": 1, \"name\": \"wait\", \"inputs\": {\"a\": {\"type\": \"table\"}}, "
                     "\"parameters\": {\"P\": {\"type\": \"integer\", \"default\": 0}}, \"stages\": [{"
                     "\"name\": \"s\", \"per\": \"file\", \"in\": {\"a\": \"a\"}, \"out\": {\"out\": \"t1.out\"}, "
                     "\"tasks\": [{\"name\": \"t0\", \"op\": \"toy.mix\", \"in\": {\"a\": \"a\"}, \"params\": {\"p\": "
                     "\"P\"}}, {\"name\": \"t1\", \"op\": \"test.patient\", \"in\": {\"a\": \"t0.out\"}}]}]}";
  struct ts_registry *registry = *state;
  struct toy_case toy;
  struct toy_dataset data;
  toy_case_init(&toy, json, registry);
  for (size_t i = 0; i < 2; i++) toy_case_set(&toy, i, "P", (int64_t)i);
  toy_dataset_init(&data, &toy, (struct toy_image[]){{"one", 4, 4}}, 1, 0, 0);
  struct ts_plan *plan = toy_case_plan(&toy);
  for (size_t i = 0; i < 3; i++) {
    struct ts_store *store = toy_store_open(NULL);
    struct impatient user = {.plan = plan};
    struct ts_run_options options = {.threads = threads[i],
                                     .registry = registry,
                                     .store = store,
                                     .run_id = "",
                                     .stop = &user.stop,
                                     .user = &user,
                                     .on_start = stop_at_once,
                                     .on_task = count_end};
    struct ts_run_result result;
    struct ts_error err = {0};
    atomic_store(&be_patient, true);
    assert_true(ts_run(plan, &data.dataset, &options, &result, &err));
    assert_true(result.stopped);
    for (int outcome = 0; outcome < TS_OUTCOME_COUNT; outcome++)
      assert_int_equal(result.tasks[1].by_outcome[outcome], 0);
    assert_int_equal(user.told, 0);
    ts_run_result_release(&result);
    atomic_store(&be_patient, false);
    options.on_start = NULL;
    user.stop = 0;
    assert_true(ts_run(plan, &data.dataset, &options, &result, &err));
    assert_false(result.stopped);
    assert_int_equal(result.tasks[1].by_outcome[TS_OUTCOME_EXECUTED], 2);
    assert_int_equal(user.told, 2);
    ts_run_result_release(&result);
    ts_store_close(store);
  }
  ts_plan_destroy(plan);
  toy_dataset_release(&data);
  toy_case_release(&toy);
}

/* An empty store, none at all, a full one, one with holes. */
static void forecasts_come_true(void **state) {
  const struct toy_settings settings = {.stages = 3, .tasks = 3, .sets = 6, .digits = 3, .collapse = true};
  for (uint64_t seed = 1000; seed < 1080; seed++) {
    struct toy_subject s;
    toy_subject_draw(&s, *state, &settings, false, seed);
    struct ts_store *store = toy_store_open(NULL);
    struct toy_run run = {.subject = &s};
    for (int round = 0; round < 4; round++) {
      run.options = (struct ts_run_options){.threads = threads[seed % 3], .no_cutoff = seed % 2};
      run.options.store = round > 0 ? store : NULL;
      /* Products that others share would come back while the run goes on. */
      const struct toy_instance *last = &s.oracle.instances[s.oracle.count - 1];
      if (round == 3 && s.plan->coarsest == TS_PER_DATASET) toy_store_forget(store, last->outputs[0]);
      struct ts_run_forecast foreseen = forecast(&run);
      toy_run_do(&run);
      if (toy_check_products(&run)[0] != '\0') fail_msg("seed %llu: %s", s.seed, toy_check_products(&run));
      check_forecast(&run, &foreseen);
      toy_run_release(&run);
    }
    ts_store_close(store);
    toy_subject_release(&s);
  }
}

static int set_up(void **state) {
  *state = toy_registry_create();
  add_patient(*state);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_stopped_run_goes_on_where_it_was),
      cmocka_unit_test(a_stopped_run_goes_on_in_another_process),
      cmocka_unit_test(a_stop_before_the_start_starts_nothing),
      cmocka_unit_test(an_operation_that_gives_up_is_neither_done_nor_failed),
      cmocka_unit_test(forecasts_come_true),
  };
  return cmocka_run_group_tests(tests, set_up, toy_tear_down);
}
