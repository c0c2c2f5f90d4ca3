/* What workers have, as text, and what they may run: one need after the other.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "sched/resources.h"

#include <string.h>

static const struct ts_worker_class here = {.cores = 4, .memory_bytes = 16000000000};

static void a_class_is_read_from_text(void **state) {
  (void)state;
  struct ts_worker_class worker = here;
  struct ts_error err = {0};
  assert_true(ts_worker_class_parse(&worker, "gpu=1,memory=8G,site=a", &err));
  assert_int_equal(worker.gpus, 1);
  assert_int_equal(worker.cores, 4); /* not named */
  assert_int_equal(worker.memory_bytes, 8000000000);
  assert_string_equal(worker.site, "a");
  assert_true(ts_worker_class_parse(&worker, "cores=64", &err));
  assert_int_equal(worker.cores, 64);
  assert_true(ts_worker_class_parse(&worker, "memory=4GiB,gpu=0", &err));
  assert_int_equal(worker.memory_bytes, 4294967296);
  assert_int_equal(worker.gpus, 0);
}

static void other_texts_are_refused_and_change_nothing(void **state) {
  (void)state;
  static const char *const wrong[] = {
      "",
      "gpu",
      "gpu=",
      "gpu=-1",
      "gpu=1.5",
      "gpu=1,",
      ",gpu=1",
      "gpu=1,,",
      "cores=0",
      "cores=x",
      "cores=5000000",
      "memory=8Q",
      "memory=",
      "memory=-8",
      "memory=1e5",
      "site=",
      "colour=red",
      "gpu=1 ,cores=2",
      "GPU=1",
      "site=a-name-that-is-much-too-long-for-a-site",
      "gpu=1,site=a-name-that-does-not-even-fit-into-the-room-that-there-is-for-one-part"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct ts_worker_class worker = here;
    struct ts_error err = {0};
    if (ts_worker_class_parse(&worker, wrong[i], &err)) fail_msg("'%s' was read", wrong[i]);
    assert_int_equal(err.code, TS_ERR_BAD_VALUE);
    assert_non_null(strstr(err.help, "gpu=1,memory=8G,site=a"));
    assert_int_equal(worker.gpus, 0);
    assert_int_equal(worker.cores, 4);
    assert_string_equal(worker.site, "");
  }
  struct ts_worker_class worker = here;
  struct ts_error err = {0};
  ts_worker_class_parse(&worker, "gpu=1,colour=red", &err);
  assert_string_equal(err.text, "'colour=red' in 'gpu=1,colour=red' does not say what a worker has");
}

static void each_need_is_asked_for(void **state) {
  (void)state;
  const struct ts_worker_class worker = {.workers = 2, .cores = 4, .gpus = 1, .memory_bytes = 1000, .site = "a"};
  const struct ts_task_needs met[] = {{0},
                                      {.cores = 4},
                                      {.gpus = 1},
                                      {.memory_bytes = 1000},
                                      {.site = "a"},
                                      {.gang = 2},
                                      {.exclusive = true},
                                      {.cores = 4, .gpus = 1, .gang = 1, .memory_bytes = 1, .site = "a"}};
  const struct ts_task_needs unmet[] = {{.cores = 5}, {.gpus = 2}, {.memory_bytes = 1001}, {.site = "b"}, {.gang = 3}};
  for (size_t i = 0; i < sizeof met / sizeof *met; i++) assert_true(ts_worker_may_run(&worker, &met[i]));
  for (size_t i = 0; i < sizeof unmet / sizeof *unmet; i++) assert_false(ts_worker_may_run(&worker, &unmet[i]));
  const struct ts_worker_class nameless = {.cores = 1};
  assert_false(ts_worker_may_run(&nameless, &(struct ts_task_needs){.site = "a"}));
  assert_false(ts_worker_may_run(&nameless, &(struct ts_task_needs){.gang = 2}));
}

static void places_are_taken_and_left(void **state) {
  (void)state;
  const struct ts_worker_class worker = {.cores = 4, .gpus = 1};
  const struct ts_task_needs plain = {0}, wide = {.cores = 3}, gpu = {.gpus = 1}, alone = {.exclusive = true};
  struct ts_places places = {0};
  ts_places_take(&places, &plain);
  assert_true(ts_places_fit(&places, &worker, &wide));
  assert_false(ts_places_fit(&places, &worker, &alone));
  ts_places_take(&places, &wide);
  assert_false(ts_places_fit(&places, &worker, &plain));
  ts_places_leave(&places, &plain);
  assert_true(ts_places_fit(&places, &worker, &gpu));
  ts_places_leave(&places, &wide);
  ts_places_take(&places, &gpu);
  assert_false(ts_places_fit(&places, &worker, &gpu));
  assert_true(ts_places_fit(&places, &worker, &wide));
  ts_places_leave(&places, &gpu);
  ts_places_take(&places, &alone);
  assert_false(ts_places_fit(&places, &worker, &plain));
  ts_places_leave(&places, &alone);
  assert_true(ts_places_fit(&places, &worker, &alone));
}

static void needs_are_words_for_people(void **state) {
  (void)state;
  ts_auto(ts_str_release) struct ts_str out = {0};
  ts_task_needs_add(&out,
                    &(struct ts_task_needs){
                        .cores = 2, .gpus = 1, .gang = 3, .exclusive = true, .memory_bytes = 8000000000, .site = "a"});
  assert_string_equal(ts_str_get(&out), "cores=2,gpu=1,memory=8.0 GB,site=a,gang=3,exclusive");
  ts_str_clear(&out);
  ts_worker_class_add(&out, &here);
  assert_string_equal(ts_str_get(&out), "cores=4,memory=16.0 GB");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_class_is_read_from_text),  cmocka_unit_test(other_texts_are_refused_and_change_nothing),
      cmocka_unit_test(each_need_is_asked_for),     cmocka_unit_test(places_are_taken_and_left),
      cmocka_unit_test(needs_are_words_for_people),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
