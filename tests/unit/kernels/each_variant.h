/* Runs a group of tests under every variant of the kernels that this processor has, alone and with threads.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_TESTS_UNIT_KERNELS_EACH_VARIANT_H
#define TS_TESTS_UNIT_KERNELS_EACH_VARIANT_H

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/cpu/variant.h"
#include "kernels/threads.h"

/* What the tests give to the kernels: NULL, or threads that are made for each call. */
static const struct ts_kernel_threads *threads;

struct shared_work {
  atomic_size_t next;
  size_t count;
  void (*body)(void *argument, size_t index);
  void *argument;
};

static void *take_work(void *argument) {
  struct shared_work *work = argument;
  for (size_t i = atomic_fetch_add(&work->next, 1); i < work->count; i = atomic_fetch_add(&work->next, 1))
    work->body(work->argument, i);
  return NULL;
}

enum { TEST_THREADS = 3 };

static inline void run_in_threads(void *user, size_t count, void (*body)(void *argument, size_t index),
                                  void *argument) {
  struct shared_work work = {.count = count, .body = body, .argument = argument};
  pthread_t helpers[TEST_THREADS - 1];
  assert_ptr_equal(user, &threads);
  for (int i = 0; i < TEST_THREADS - 1; i++) assert_int_equal(pthread_create(&helpers[i], NULL, take_work, &work), 0);
  take_work(&work);
  for (int i = 0; i < TEST_THREADS - 1; i++) assert_int_equal(pthread_join(helpers[i], NULL), 0);
}

static const struct ts_kernel_threads test_threads = {.count = TEST_THREADS, .run = run_in_threads, .user = &threads};

static const char *const variant_names[] = {"scalar", "avx2", "avx512"};

enum { VARIANT_COUNT = sizeof variant_names / sizeof variant_names[0] };

/* The sanitizers are slow: with them plain C runs alone only and the others with threads only. To ThreadSanitizer what
 * runs alone is nothing: plain C then has threads where the processor knows no other variant, and is left out
 * elsewhere. */
static inline bool is_left_out(int variant, bool with_threads, bool is_only_variant) {
  const char *sanitizers = getenv("TESSERA_SANITIZE");
  if (!sanitizers) return false;
  if (strstr(sanitizers, "thread")) return !with_threads || (variant == 0 && !is_only_variant);
  return with_threads != (variant > 0);
}

/* The number of failures. */
static inline int run_for_each_variant(const struct CMUnitTest *tests, size_t count) {
  int failures = 0;
  bool is_only_variant = !ts_variant_use(variant_names[1]);
  for (int v = 0; v < VARIANT_COUNT; v++) {
    if (!ts_variant_use(variant_names[v])) {
      printf("variant %s: not on this processor\n", variant_names[v]);
      continue;
    }
    for (int with = 0; with < 2; with++) {
      char name[64];
      if (is_left_out(v, with, is_only_variant)) continue;
      threads = with ? &test_threads : NULL;
      snprintf(name, sizeof name, "%s, %d thread(s)", variant_names[v], with ? TEST_THREADS : 1);
      failures += _cmocka_run_group_tests(name, tests, count, NULL, NULL);
    }
  }
  return failures;
}

#define RUN_FOR_EACH_VARIANT(tests) run_for_each_variant(tests, sizeof(tests) / sizeof((tests)[0]))

#endif
