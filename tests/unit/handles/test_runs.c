/* Runs by handle: several at once, watched, stopped, continued, found by their id, and closed in any order.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/base/testing.h"

#include "base/alloc.h"
#include "base/file.h"
#include "support/small_project.h"

#include <jansson.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

static struct small_project project;

static int set_up(void **state) {
  (void)state;
  small_project_make(&project);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  small_project_remove(&project);
  return 0;
}

static struct tessera_store *open_store(void) {
  char *reply = NULL;
  struct tessera_store *store = tessera_store_open(project.folder, NULL, false, &reply);
  if (!store) fail_msg("%s", reply);
  return store;
}

static struct tessera_project *open_project(struct tessera_store *store) {
  const struct tessera_project_request request = {TESSERA_HEAD(struct tessera_project_request),
                                                  .folder = project.folder};
  char *reply = NULL;
  struct tessera_project *opened = tessera_project_open(&request, store, &reply);
  if (!opened) fail_msg("%s", reply);
  tessera_reply_free(reply);
  return opened;
}

/* For the time of the call: the library copies it. */
#define OBSERVER(function, user_) (&(struct tessera_observer){sizeof(struct tessera_observer), function, user_})

static struct tessera_run *start(struct tessera_project *opened, struct tessera_study_request request) {
  char *reply = NULL;
  request.size_bytes = sizeof request;
  request.threads = 2;
  struct tessera_run *run = tessera_study_start(opened, &request, &reply);
  if (!run) fail_msg("%s", reply);
  return run;
}

static void expect_end(struct tessera_run *run, int code, const char *part) {
  char *reply = NULL;
  const int found = tessera_run_wait(run, &reply);
  if (found != code || !strstr(reply, part)) fail_msg("%d, not %d with '%s': %s", found, code, part, reply);
  tessera_reply_free(reply);
}

static const char *state_of(struct tessera_run *run) {
  struct tessera_run_counts counts = {.size_bytes = sizeof counts};
  assert_true(tessera_run_state(run, &counts));
  return counts.state;
}

/* ---- a run that waits in its first event ---- */

struct gate {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  bool is_reached, is_open;
  size_t events, tasks;
  bool is_removed; /* no event may come afterwards */
};

static void gate_init(struct gate *gate) {
  *gate = (struct gate){0};
  pthread_mutex_init(&gate->lock, NULL);
  pthread_cond_init(&gate->changed, NULL);
}

static void gate_release(struct gate *gate) {
  pthread_cond_destroy(&gate->changed);
  pthread_mutex_destroy(&gate->lock);
}

/* The gate is where the tasks begin: before, while files are read, a run has no id yet. */
static void wait_at_gate(void *user, const struct tessera_event *event) {
  struct gate *gate = user;
  if (event->stage_count == 0) return;
  pthread_mutex_lock(&gate->lock);
  gate->events++;
  if (event->kind == TESSERA_TASK_DONE) gate->tasks++;
  if (gate->is_removed) abort(); /* not in the thread of the test */
  gate->is_reached = true;
  pthread_cond_broadcast(&gate->changed);
  while (!gate->is_open) pthread_cond_wait(&gate->changed, &gate->lock);
  pthread_mutex_unlock(&gate->lock);
}

/* A run that was refused has no events. */
static void gate_wait(struct gate *gate, struct tessera_run *run) {
  pthread_mutex_lock(&gate->lock);
  while (!gate->is_reached) {
    struct timespec soon;
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_sec++;
    pthread_cond_timedwait(&gate->changed, &gate->lock, &soon);
    if (!gate->is_reached && strcmp(state_of(run), "failed") == 0) expect_end(run, 0, "done");
  }
  pthread_mutex_unlock(&gate->lock);
}

static void gate_open(struct gate *gate) {
  pthread_mutex_lock(&gate->lock);
  gate->is_open = true;
  pthread_cond_broadcast(&gate->changed);
  pthread_mutex_unlock(&gate->lock);
}

static void count_events(void *user, const struct tessera_event *event) {
  (void)event;
  atomic_fetch_add((atomic_size_t *)user, 1);
}

/* ---- several at once ---- */

static struct ts_str results_of(const char *folder) {
  struct ts_str text = {0};
  struct ts_error err = {0};
  ts_auto_free char *below = ts_path_join(project.folder, folder);
  ts_auto_free char *path = ts_path_join(below, "results.csv");
  if (!ts_file_read(path, 0, &text, &err)) fail_msg("%s", err.text);
  return text;
}

static void expect_alone(struct tessera_study_request request, const char *output, const char *together) {
  char *reply = NULL;
  request.size_bytes = sizeof request;
  request.folder = project.folder;
  request.store = "memory";
  request.output = output;
  if (tessera_study(&request, &reply) != 0) fail_msg("%s", reply);
  tessera_reply_free(reply);
  ts_auto(ts_str_release) struct ts_str a = results_of(output), b = results_of(together);
  assert_string_equal(ts_str_get(&a), ts_str_get(&b));
}

static void two_studies_of_one_project(void **state) {
  (void)state;
  struct tessera_store *store = open_store();
  struct tessera_project *opened = open_project(store);
  struct gate gates[2];
  for (size_t i = 0; i < 2; i++) gate_init(&gates[i]);
  const struct tessera_study_request morris = {.trajectories = 3},
                                     drawn = {.method = "lhs", .count = 9, .seed = 3, .has_seed = true};
  struct tessera_study_request first = morris, second = drawn;
  first.output = "a";
  first.observer = OBSERVER(wait_at_gate, &gates[0]);
  second.output = "b";
  second.observer = OBSERVER(wait_at_gate, &gates[1]);
  struct tessera_run *runs[] = {start(opened, first), start(opened, second)};
  for (size_t i = 0; i < 2; i++) gate_wait(&gates[i], runs[i]);
  for (size_t i = 0; i < 2; i++) assert_string_equal(state_of(runs[i]), "running");
  assert_string_not_equal(tessera_run_id(runs[0]), tessera_run_id(runs[1]));
  for (size_t i = 0; i < 2; i++) gate_open(&gates[i]);
  for (size_t i = 0; i < 2; i++) expect_end(runs[i], 0, "\"state\": \"done\"");
  struct tessera_run_counts counts = {.size_bytes = sizeof counts};
  assert_true(tessera_run_state(runs[1], &counts) && counts.done == counts.total && counts.done == gates[1].tasks);
  struct tessera_stage_counts stages[8] = {{.size_bytes = sizeof *stages}};
  assert_int_equal(tessera_run_stages(runs[1], stages, 8), counts.stage_count);
  assert_string_equal(stages[0].name, "normalise");
  for (size_t i = 0; i < 2; i++) tessera_run_close(runs[i]);
  tessera_project_close(opened);
  tessera_store_close(store);
  expect_alone(morris, "a-alone", "a");
  expect_alone(drawn, "b-alone", "b");
  for (size_t i = 0; i < 2; i++) gate_release(&gates[i]);
}

/* The second study finds in the store what the first has computed. */
static void what_one_computes_the_other_finds(void **state) {
  (void)state;
  struct tessera_project *opened = open_project(NULL);
  for (int i = 0; i < 2; i++) {
    struct tessera_run *run = start(opened, (struct tessera_study_request){.output = i ? "b" : "a"});
    char *reply = NULL;
    assert_int_equal(tessera_run_wait(run, &reply), 0);
    json_t *object = json_loads(reply, 0, NULL);
    const json_int_t executed = json_integer_value(json_object_get(json_object_get(object, "reuse"), "executed"));
    assert_int_equal(executed == 0, i == 1);
    json_decref(object);
    tessera_reply_free(reply);
    tessera_run_close(run);
  }
  tessera_project_close(opened);
}

/* Each study has worker processes of its own, which reach the one store through this process. */
static void workers_of_two_studies_share_a_store(void **state) {
  (void)state;
  const char *program = getenv("TESSERA");
  if (!program) skip();
  struct tessera_store *store = open_store();
  struct tessera_project *opened = open_project(store);
  const struct tessera_study_request morris = {.trajectories = 3},
                                     drawn = {.method = "lhs", .count = 9, .seed = 3, .has_seed = true};
  struct tessera_study_request first = morris, second = drawn;
  first.output = "a";
  second.output = "b";
  first.workers = second.workers = 2;
  first.program = second.program = program;
  struct tessera_run *runs[] = {start(opened, first), start(opened, second)};
  for (size_t i = 0; i < 2; i++) {
    expect_end(runs[i], 0, "\"workers\": 2");
    tessera_run_close(runs[i]);
  }
  tessera_project_close(opened);
  tessera_store_close(store);
  expect_alone(morris, "a-alone", "a");
  expect_alone(drawn, "b-alone", "b");
}

/* ---- waiting, stopping, going on ---- */

static void *wait_for(void *run) {
  char *reply = NULL;
  tessera_run_wait(run, &reply);
  return reply;
}

static void many_wait_for_one(void **state) {
  (void)state;
  struct tessera_project *opened = open_project(NULL);
  struct tessera_run *run = start(opened, (struct tessera_study_request){.output = "out"});
  pthread_t waiters[4];
  char *replies[4];
  for (size_t i = 0; i < 4; i++) assert_int_equal(pthread_create(&waiters[i], NULL, wait_for, run), 0);
  for (size_t i = 0; i < 4; i++) pthread_join(waiters[i], (void **)&replies[i]);
  for (size_t i = 1; i < 4; i++) assert_string_equal(replies[i], replies[0]);
  for (size_t i = 0; i < 4; i++) tessera_reply_free(replies[i]);
  tessera_run_close(run);
  tessera_project_close(opened);
}

static void a_stopped_run_goes_on(void **state) {
  (void)state;
  struct tessera_project *opened = open_project(NULL);
  struct gate gate;
  char id[9];
  gate_init(&gate);
  struct tessera_run *run =
      start(opened, (struct tessera_study_request){.output = "out", .observer = OBSERVER(wait_at_gate, &gate)});
  gate_wait(&gate, run);
  snprintf(id, sizeof id, "%s", tessera_run_id(run));
  assert_int_equal(strlen(id), 8);
  struct tessera_product *mask = tessera_run_product(run, "segment.mask", TESSERA_DEFAULT_SET, 0, NULL);
  assert_non_null(mask);
  tessera_product_release(mask);
  /* While it is under way it cannot be continued, nor is it the last unfinished one. */
  struct tessera_run *other = start(opened, (struct tessera_study_request){.resume = true, .resume_id = id});
  expect_end(other, 2, "is under way");
  tessera_run_close(other);
  other = start(opened, (struct tessera_study_request){.resume = true});
  expect_end(other, 3, "no unfinished study");
  assert_string_equal(tessera_run_id(other), "");
  tessera_run_close(other);
  tessera_run_stop(run, 1);
  gate_open(&gate);
  expect_end(run, 130, "\"state\": \"paused\"");
  assert_string_equal(state_of(run), "paused");
  other = start(opened, (struct tessera_study_request){.resume = true});
  expect_end(other, 0, "\"state\": \"done\"");
  assert_string_equal(tessera_run_id(other), id);
  tessera_run_close(run);
  tessera_run_close(other);
  tessera_project_close(opened);
  gate_release(&gate);
  expect_alone((struct tessera_study_request){0}, "alone", "out");
}

/* ---- observers ---- */

struct shy {
  struct tessera_run *run;
  _Atomic uint64_t number;
  atomic_size_t events;
};

/* Removes itself in its first event. */
static void leave_at_once(void *user, const struct tessera_event *event) {
  struct shy *shy = user;
  (void)event;
  atomic_fetch_add(&shy->events, 1);
  tessera_run_unobserve(shy->run, shy->number);
}

static void observers_come_and_go(void **state) {
  (void)state;
  struct tessera_project *opened = open_project(NULL);
  struct gate gate, removed;
  atomic_size_t events = 0;
  gate_init(&gate);
  gate_init(&removed);
  gate_open(&removed);
  struct tessera_run *run =
      start(opened, (struct tessera_study_request){.output = "out", .observer = OBSERVER(wait_at_gate, &gate)});
  gate_wait(&gate, run);
  struct shy shy = {.run = run};
  shy.number = tessera_run_observe(run, OBSERVER(leave_at_once, &shy));
  const uint64_t number = tessera_run_observe(run, OBSERVER(wait_at_gate, &removed));
  tessera_run_observe(run, OBSERVER(count_events, &events));
  gate_open(&gate);
  gate_wait(&removed, run);
  tessera_run_unobserve(run, number);
  pthread_mutex_lock(&removed.lock);
  removed.is_removed = true;
  pthread_mutex_unlock(&removed.lock);
  tessera_run_unobserve(run, number);
  expect_end(run, 0, "done");
  assert_int_equal(shy.events, 1);
  assert_true(events >= gate.tasks && events <= gate.events);
  tessera_run_close(run);
  tessera_project_close(opened);
  gate_release(&gate);
  gate_release(&removed);
}

static void close_own(void *user, const struct tessera_event *event) {
  _Atomic(struct tessera_run *) *run = user;
  (void)event;
  tessera_run_close(atomic_exchange(run, NULL));
}

/* An observer may close the run: it gives up by itself, and the store is closed behind it. */
static void an_observer_closes_its_run(void **state) {
  (void)state;
  struct tessera_store *store = open_store();
  struct tessera_project *opened = open_project(store);
  struct gate gate;
  gate_init(&gate);
  struct tessera_run *run =
      start(opened, (struct tessera_study_request){.output = "out", .observer = OBSERVER(wait_at_gate, &gate)});
  gate_wait(&gate, run);
  _Atomic(struct tessera_run *) closing = run;
  tessera_run_observe(run, OBSERVER(close_own, &closing));
  gate_open(&gate);
  while (atomic_load(&closing)) sched_yield();
  /* It is under way until its thread has ended; then it can be continued. */
  for (int code = 2; code != 0;) {
    run = start(opened, (struct tessera_study_request){.output = "out", .resume = true});
    code = tessera_run_wait(run, NULL);
    if (code != 0) assert_int_equal(code, 3);
    tessera_run_close(run);
  }
  tessera_project_close(opened);
  tessera_store_close(store);
  gate_release(&gate);
}

/* ---- finding ---- */

static void a_run_by_its_id(void **state) {
  (void)state;
  char id[9];
  struct tessera_store *store = open_store();
  struct tessera_project *opened = open_project(store);
  struct tessera_run *run = start(opened, (struct tessera_study_request){.output = "out"});
  expect_end(run, 0, "done");
  snprintf(id, sizeof id, "%s", tessera_run_id(run));
  struct tessera_run *again = tessera_run_open(store, id, NULL);
  assert_ptr_equal(again, run);
  tessera_run_close(run);
  assert_string_equal(state_of(again), "done");
  tessera_run_close(again);
  again = tessera_run_open(store, id, NULL);
  assert_non_null(again);
  assert_string_equal(tessera_run_id(again), id);
  assert_string_equal(state_of(again), "done");
  assert_int_equal(tessera_run_observe(again, OBSERVER(count_events, NULL)), 0);
  expect_end(again, 0, "tessera.study/2");
  tessera_run_close(again);
  char *reply = NULL;
  assert_int_equal(tessera_store_runs(store, &reply), 0);
  assert_non_null(strstr(reply, id));
  tessera_reply_free(reply);
  tessera_project_close(opened);
  tessera_store_close(store);
}

/* Rows in pages are all rows, each once, with ascending numbers. */
static size_t count_rows(struct tessera_run *run, size_t most) {
  size_t total = 0;
  for (json_int_t since = 0, last = -1;;) {
    char *reply = NULL;
    assert_int_equal(tessera_run_tasks(run, (uint64_t)since, most, &reply), 0);
    json_t *object = json_loads(reply, 0, NULL), *row;
    const json_t *rows = json_object_get(object, "tasks");
    size_t i;
    tessera_reply_free(reply);
    json_array_foreach(rows, i, row) {
      const json_int_t number = json_integer_value(json_object_get(row, "number"));
      assert_true(number > last);
      last = number;
    }
    since = json_integer_value(json_object_get(object, "next"));
    const size_t count = json_array_size(rows);
    json_decref(object);
    if (count == 0) return total;
    total += count;
  }
}

static void rows_of_tasks_in_pages(void **state) {
  (void)state;
  struct tessera_project *opened = open_project(NULL);
  struct gate gate;
  gate_init(&gate);
  gate_open(&gate);
  struct tessera_run *run =
      start(opened, (struct tessera_study_request){.output = "out", .observer = OBSERVER(wait_at_gate, &gate)});
  expect_end(run, 0, "done");
  assert_int_equal(count_rows(run, 0), gate.tasks);
  assert_int_equal(count_rows(run, 7), gate.tasks);
  tessera_run_close(run);
  tessera_project_close(opened);
  gate_release(&gate);
}

/* ---- closing ---- */

static void close_in_order(const size_t order[3], struct tessera_store *store, struct tessera_project *opened,
                           struct tessera_run *run) {
  for (size_t i = 0; i < 3; i++) {
    if (order[i] == 0) tessera_store_close(store);
    if (order[i] == 1) tessera_project_close(opened);
    if (order[i] == 2) tessera_run_close(run);
  }
}

static const size_t orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

static void closed_in_any_order(void **state) {
  (void)state;
  for (size_t i = 0; i < 6; i++) {
    struct tessera_store *store = open_store();
    struct tessera_project *opened = open_project(store);
    struct tessera_run *run = start(opened, (struct tessera_study_request){.design = "design.csv", .output = "out"});
    expect_end(run, 0, "done");
    struct tessera_product *mask = tessera_run_product(run, "segment.mask", 1, 2, NULL);
    assert_non_null(mask);
    close_in_order(orders[i], store, opened, run);
    struct tessera_product_info info = {.size_bytes = sizeof info};
    assert_true(tessera_product_describe(mask, &info));
    size_t white = 0;
    for (size_t k = 0; k < info.byte_count; k++) white += ((const unsigned char *)info.bytes)[k] == 255;
    assert_true(white > 0 && white < info.byte_count);
    tessera_product_release(mask);
  }
}

/* A run that is under way gives up when its last handle goes, and can be continued. */
static void closed_while_it_is_under_way(void **state) {
  (void)state;
  for (size_t i = 0; i < 6; i++) {
    struct tessera_store *store = open_store();
    struct tessera_project *opened = open_project(store);
    struct gate gate;
    gate_init(&gate);
    struct tessera_run *run = start(opened, (struct tessera_study_request){.design = "design.csv",
                                                                           .output = "out",
                                                                           .no_reuse = true,
                                                                           .observer = OBSERVER(wait_at_gate, &gate)});
    gate_wait(&gate, run);
    tessera_run_stop(run, 1); /* so that it does not end before it is closed */
    gate_open(&gate);
    close_in_order(orders[i], store, opened, run);
    gate_release(&gate);
    store = open_store();
    opened = open_project(store);
    run = start(opened, (struct tessera_study_request){.resume = true});
    expect_end(run, 0, "done");
    close_in_order(orders[i], store, opened, run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(two_studies_of_one_project, set_up, tear_down),
      cmocka_unit_test_setup_teardown(what_one_computes_the_other_finds, set_up, tear_down),
      cmocka_unit_test_setup_teardown(workers_of_two_studies_share_a_store, set_up, tear_down),
      cmocka_unit_test_setup_teardown(many_wait_for_one, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_stopped_run_goes_on, set_up, tear_down),
      cmocka_unit_test_setup_teardown(observers_come_and_go, set_up, tear_down),
      cmocka_unit_test_setup_teardown(an_observer_closes_its_run, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_run_by_its_id, set_up, tear_down),
      cmocka_unit_test_setup_teardown(rows_of_tasks_in_pages, set_up, tear_down),
      cmocka_unit_test_setup_teardown(closed_in_any_order, set_up, tear_down),
      cmocka_unit_test_setup_teardown(closed_while_it_is_under_way, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
