/* What lasts from one part of a plan to the next: the threads, and what was learnt about memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "run/run_int.h"
#include "support/toy_run.h"

#include <stdlib.h>
#include <unistd.h>

static const char workflow[] =
    "{\"tessera\": 1, \"name\": \"toy\", \"inputs\": {\"data\": {\"type\": \"table\"}}, \"parameters\": {}, "
    "\"stages\": [{\"name\": \"s\", \"per\": \"file\", \"in\": {\"a\": \"data\"}, \"out\": {\"out\": \"t.out\"}, "
    "\"tasks\": [{\"name\": \"t\", \"op\": \"toy.same\", \"in\": {\"a\": \"a\"}}]}]}";
static const struct toy_image images[] = {{"one", 4, 4}, {"two", 4, 4}, {"three", 4, 4}};

static void on_start(void *user, uint32_t node) {
  (void)node;
  *(pid_t *)user = gettid();
}

/* The thread that ran one window. */
static pid_t run_window(const struct toy_subject *s, struct ts_run_setup *setup, struct ts_registry *registry,
                        uint32_t window, size_t threads) {
  pid_t thread = 0;
  const struct ts_run_part part = {.window = window};
  const struct ts_run_options options = {.threads = threads,
                                         .registry = registry,
                                         .run_id = "",
                                         .memory_bytes = UINT64_C(1) << 40,
                                         .part = &part,
                                         .setup = setup,
                                         .user = &thread,
                                         .on_start = on_start};
  struct ts_run_result result;
  struct ts_error err = {0};
  if (!ts_run(s->plan, &s->data.dataset, &options, &result, &err)) fail_msg("%s", err.text);
  ts_run_result_release(&result);
  assert_int_not_equal(thread, 0);
  return thread;
}

static void threads_outlive_a_part(void **state) {
  (void)state;
  struct toy_subject s = {0};
  struct ts_error err = {0};
  struct ts_registry *registry = toy_registry_create();
  toy_case_init(&s.toy, workflow, registry);
  toy_subject_complete(&s, registry, images, 3, 0, 0);
  struct ts_run_setup *setup = ts_run_setup_create(s.plan, registry, NULL, &err);
  assert_non_null(setup);
  const pid_t first = run_window(&s, setup, registry, 0, 1);
  const struct ts_pool *pool = setup->pool;
  assert_int_equal(run_window(&s, setup, registry, 1, 1), first);
  assert_ptr_equal(setup->pool, pool);
  assert_int_not_equal(run_window(&s, setup, registry, 2, 2), first); /* another number of threads */
  setup->memory_ratio[0] = 1e9;
  run_window(&s, setup, registry, 0, 2);
  assert_true(setup->memory_ratio[0] >= 1e9); /* the most so far */
  ts_run_setup_destroy(setup);
  toy_subject_release(&s);
  ts_registry_destroy(registry);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(threads_outlive_a_part)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
