/* What the engine promises beside results: independent tasks run at once, unsafe ones alone, odd runs end.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/pool.h"
#include "support/toy_run.h"

#include <math.h>
#include <string.h>

#define HEAD                                                                                                           \
  "{\"tessera\": 1, \"name\": \"toy\", \"inputs\": {\"data\": {\"type\": \"table\"}}, "                                \
  "\"parameters\": {\"P\": {\"type\": \"integer\", \"default\": 0}}, \"stages\": ["
#define STAGE(name, from, op)                                                                                          \
  "{\"name\": \"" name "\", \"per\": \"file\", \"in\": {\"a\": \"" from "\"}, \"out\": {\"out\": \"t.out\"}, "         \
  "\"tasks\": [{\"name\": \"t\", \"op\": \"" op "\", \"in\": {\"a\": \"a\"}, \"params\": {\"p\": \"P\"}}]}"

static const struct toy_image two_images[] = {{"one", 4, 4}, {"two", 4, 4}};

/* A workflow with P = 0, 1, 2, ...; without an oracle: some operations cannot be called one by one. */
static void make(struct toy_subject *s, struct ts_registry *registry, const char *json, size_t set_count,
                 const struct toy_image *images, size_t image_count) {
  *s = (struct toy_subject){.registry = registry};
  toy_case_init(&s->toy, json, registry);
  for (size_t i = 0; i < set_count; i++) toy_case_set(&s->toy, i, "P", (int64_t)i);
  toy_dataset_init(&s->data, &s->toy, images, image_count, 0, 0);
  s->plan = toy_case_plan(&s->toy);
}

static void independent_tasks_run_at_the_same_time(void **state) {
  struct toy_subject s;
  make(&s, *state, HEAD STAGE("s", "data", "toy.meet") "]}", 4, two_images, 1);
  struct toy_run run = {.subject = &s};
  run.options = (struct ts_run_options){.threads = 2};
  toy_run_do(&run);
  toy_run_check_sum(&run, "meeting", TS_OUTCOME_EXECUTED, 4);
  toy_run_release(&run);
  toy_subject_release(&s);
}

/* Groups are opened while others are still being worked on. */
static void files_are_worked_on_at_the_same_time(void **state) {
  struct toy_subject s;
  make(&s, *state, HEAD STAGE("s", "data", "toy.meet") "]}", 1, two_images, 2);
  struct toy_run run = {.subject = &s};
  run.options = (struct ts_run_options){.threads = 2};
  toy_run_do(&run);
  toy_run_check_sum(&run, "meeting", TS_OUTCOME_EXECUTED, 2);
  toy_run_release(&run);
  toy_subject_release(&s);
}

static void unsafe_operations_never_overlap(void **state) {
  struct toy_subject s;
  make(&s, *state, HEAD STAGE("s", "data", "toy.alone") "," STAGE("r", "s.out", "toy.alone") "]}", 10, two_images, 2);
  toy_oracle_init(&s.oracle, &s.toy, &s.data.dataset);
  for (size_t i = 0; i < 20; i++) {
    struct toy_run run = {.subject = &s};
    run.options = (struct ts_run_options){.threads = 8};
    toy_run_do(&run);
    toy_run_check(&run, "alone");
    toy_run_check_sum(&run, "alone", TS_OUTCOME_EXECUTED, 40);
    toy_run_release(&run);
  }
  assert_int_equal(atomic_load(&toy_overlaps), 0);
  toy_subject_release(&s);
}

/* What a fixed point makes of itself is one content, although one task reads from the other. */
static void a_task_may_take_the_content_it_reads(void **state) {
  static const char json[] =
      "{\"tessera\": 1, \"name\": \"toy\", \"inputs\": {\"data\": {\"type\": \"table\"}}, \"parameters\": {}, "
      "\"stages\": ["
      "{\"name\": \"s\", \"per\": \"file\", \"in\": {\"a\": \"data\"}, \"out\": {\"out\": \"u.out\"}, \"tasks\": ["
      "{\"name\": \"t\", \"op\": \"toy.same\", \"in\": {\"a\": \"a\"}},"
      "{\"name\": \"u\", \"op\": \"toy.same\", \"in\": {\"a\": \"t.out\"}}]}]}";
  struct toy_subject s = {0};
  toy_case_init(&s.toy, json, *state);
  toy_subject_complete(&s, *state, two_images, 2, 0, 0);
  uint64_t live_bytes = ts_buffer_live_bytes();
  struct toy_run run = {.subject = &s};
  run.options = (struct ts_run_options){.threads = 1};
  toy_run_do(&run);
  toy_run_check(&run, "fixed point");
  toy_run_check_sum(&run, "fixed point", TS_OUTCOME_EXECUTED, 2);
  toy_run_check_sum(&run, "fixed point", TS_OUTCOME_CUTOFF, 2);
  assert_int_equal(run.result.reads, 2);
  toy_run_release(&run);
  assert_int_equal(ts_buffer_live_bytes(), live_bytes);
  toy_subject_release(&s);
}

/* The same tables at other ports are another task. */
static void ports_are_part_of_what_a_task_is(void **state) {
  static const char json[] =
      "{\"tessera\": 1, \"name\": \"toy\", \"inputs\": {\"x\": {\"type\": \"table\"}, \"y\": {\"type\": \"table\"}},"
      "\"parameters\": {}, \"stages\": [{\"name\": \"s\", \"per\": \"file\", \"in\": {\"x\": \"x\", \"y\": \"y\"},"
      "\"out\": {\"b\": \"b.out\", \"c\": \"c.out\", \"d\": \"d.out\"}, \"tasks\": ["
      "{\"name\": \"b\", \"op\": \"toy.join\", \"in\": {\"a\": \"x\", \"b\": \"y\"}},"
      "{\"name\": \"c\", \"op\": \"toy.join\", \"in\": {\"a\": \"x\", \"c\": \"y\"}},"
      "{\"name\": \"d\", \"op\": \"toy.join\", \"in\": {\"a\": \"y\", \"b\": \"x\"}}]}]}";
  struct toy_subject s = {0};
  toy_case_init(&s.toy, json, *state);
  toy_subject_complete(&s, *state, two_images, 2, 0, 0);
  for (int stored = 0; stored < 2; stored++) {
    struct ts_store *store = stored ? toy_store_open(NULL) : NULL;
    struct toy_run run = {.subject = &s};
    run.options = (struct ts_run_options){.threads = 2, .store = store};
    toy_run_do(&run);
    toy_run_check(&run, "ports");
    toy_run_check_sum(&run, "ports", TS_OUTCOME_EXECUTED, 6);
    toy_run_release(&run);
    ts_store_close(store);
  }
  toy_subject_release(&s);
}

static void a_file_that_cannot_be_read_stops_no_other(void **state) {
  static const struct toy_image images[] = {{"one", 4, 4}, {TOY_MISSING, 4, 4}, {"two", 4, 4}};
  struct ts_registry *registry = *state;
  struct toy_subject s;
  make(&s, registry, HEAD STAGE("s", "data", "toy.mix") "," STAGE("r", "s.out", "toy.mix") "]}", 2, images, 3);
  for (size_t threads = 1; threads < 5; threads++) {
    struct toy_run run = {.subject = &s};
    run.options = (struct ts_run_options){.threads = threads};
    toy_run_do(&run);
    toy_run_check_sum(&run, "unreadable", TS_OUTCOME_EXECUTED, 8); /* two files, two runs, two tasks */
    toy_run_check_sum(&run, "unreadable", TS_OUTCOME_SKIPPED, 4);
    toy_run_check_sum(&run, "unreadable", TS_OUTCOME_FAILED, 0);
    assert_int_equal(run.event_count, 3 * 5); /* reading is told too */
    assert_int_equal(run.wrong_messages, 0);
    assert_int_equal(ts_map_count(&run.products), 2 * 4);
    assert_int_equal(run.result.reads, 2);
    toy_run_release(&run);
  }
  toy_subject_release(&s);
}

static void nothing_to_do_is_done_at_once(void **state) {
  struct ts_registry *registry = *state;
  struct toy_subject s;
  make(&s, registry, HEAD STAGE("s", "data", "toy.mix") "]}", 2, two_images, 0);
  struct toy_run run = {.subject = &s};
  toy_run_do(&run);
  assert_false(run.result.stopped);
  assert_int_equal(run.result.threads, ts_cpu_count());
  assert_int_equal(run.event_count, 0);
  toy_run_release(&run);
  toy_subject_release(&s);
}

/* The plan has nodes, of the reference run, but nobody wants them. */
static void a_design_without_runs_ends(void **state) {
  static const char json[] =
      "{\"tessera\": 1, \"name\": \"toy\", \"inputs\": {\"data\": {\"type\": \"table\"},"
      " \"ref\": {\"type\": \"table\", \"default_run\": \"s.out\"}},"
      "\"parameters\": {\"P\": {\"type\": \"integer\", \"default\": 0}}, \"stages\": [" STAGE(
          "s", "data", "toy.mix") ","
                                  "{\"name\": \"r\", \"per\": \"file\", \"in\": {\"a\": \"data\", \"b\": \"ref\"}, "
                                  "\"out\": {\"out\": \"t.out\"}, \"tasks\": "
                                  "[{\"name\": \"t\", \"op\": \"toy.join\", \"in\": {\"a\": \"a\", \"b\": \"b\"}}]}]}";
  static const struct toy_image images[] = {{"1", 2, 2}, {"2", 2, 2}, {"3", 2, 2}, {"4", 2, 2}, {"5", 2, 2}};
  struct ts_registry *registry = *state;
  struct toy_subject s = {0};
  toy_case_init(&s.toy, json, registry);
  toy_case_supply(&s.toy, "ref", false);
  s.toy.set_count = 0;
  toy_subject_complete(&s, registry, images, 5, 0, 0);
  assert_int_equal(s.plan->node_count, 2);
  for (size_t threads = 1; threads < 4; threads++) {
    struct toy_run run = {.subject = &s};
    run.options = (struct ts_run_options){.threads = threads};
    toy_run_do(&run);
    assert_int_equal(run.executions, 0);
    assert_false(run.result.stopped);
    toy_run_release(&run);
  }
  toy_subject_release(&s);
}

static void a_run_that_cannot_go_on_says_why(void **state) {
  struct ts_registry *registry = *state;
  struct toy_subject s;
  make(&s, registry, HEAD STAGE("s", "data", "toy.mix") "]}", 2, two_images, 2);
  struct ts_run_options options = {.threads = 3, .registry = ts_registry_create()};
  struct ts_run_result result;
  struct ts_error err = {0};
  assert_false(ts_run(s.plan, &s.data.dataset, &options, &result, &err));
  assert_int_equal(err.code, TS_ERR_UNKNOWN_OPERATION);
  ts_run_result_release(&result);
  ts_registry_destroy(options.registry);
  toy_subject_release(&s);
}

/* A value without a key: planning cannot see it, no window can be opened. */
static void a_value_without_a_key_ends_the_run(void **state) {
  static const char json[] =
      "{\"tessera\": 1, \"name\": \"toy\", \"inputs\": {\"data\": {\"type\": \"table\"}},"
      "\"parameters\": {\"R\": {\"type\": \"real\", \"default\": 0}}, \"stages\": ["
      "{\"name\": \"s\", \"per\": \"file\", \"in\": {\"a\": \"data\"}, \"out\": {\"out\": \"t.out\"}, \"tasks\": "
      "[{\"name\": \"t\","
      " \"op\": \"toy.round\", \"in\": {\"a\": \"a\"}, \"params\": {\"r\": \"R\", \"p\": {\"value\": 1}}}]}]}";
  struct ts_registry *registry = *state;
  struct toy_case toy;
  struct toy_dataset data;
  toy_case_init(&toy, json, registry);
  toy.sets[0].as.real = NAN;
  toy_dataset_init(&data, &toy, two_images, 2, 0, 0);
  struct ts_plan *plan = toy_case_plan(&toy);
  for (size_t threads = 1; threads < 5; threads++) {
    struct ts_run_options options = {.threads = threads, .registry = registry};
    struct ts_run_result result;
    struct ts_error err = {0};
    assert_false(ts_run(plan, &data.dataset, &options, &result, &err));
    assert_int_equal(err.code, TS_ERR_BAD_VALUE);
    ts_run_result_release(&result);
    struct ts_run_forecast forecast;
    err = (struct ts_error){0};
    assert_false(ts_run_forecast(plan, &data.dataset, &options, &forecast, &err));
    assert_int_equal(err.code, TS_ERR_BAD_VALUE);
    ts_run_forecast_release(&forecast);
  }
  ts_plan_destroy(plan);
  toy_dataset_release(&data);
  toy_case_release(&toy);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(independent_tasks_run_at_the_same_time),
      cmocka_unit_test(files_are_worked_on_at_the_same_time),
      cmocka_unit_test(unsafe_operations_never_overlap),
      cmocka_unit_test(a_task_may_take_the_content_it_reads),
      cmocka_unit_test(ports_are_part_of_what_a_task_is),
      cmocka_unit_test(a_file_that_cannot_be_read_stops_no_other),
      cmocka_unit_test(nothing_to_do_is_done_at_once),
      cmocka_unit_test(a_design_without_runs_ends),
      cmocka_unit_test(a_run_that_cannot_go_on_says_why),
      cmocka_unit_test(a_value_without_a_key_ends_the_run),
  };
  return cmocka_run_group_tests(tests, toy_set_up, toy_tear_down);
}
