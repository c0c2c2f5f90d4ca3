/* Under a memory budget the run drops, loads and computes again, stays near its budget and gives the same products.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "support/toy_run.h"

#define SIDE_PX     256
#define IMAGE_BYTES ((uint64_t)(SIDE_PX * SIDE_PX))

/* Ten images by A and ten by B, each needed by ten of the hundred runs: about twenty are alive at once without a
 * budget. */
static const char *const grid =
    "{\"tessera\": 1, \"name\": \"grid\", \"inputs\": {\"data\": {\"type\": \"table\"}}, \"parameters\": {"
    "\"A\": {\"type\": \"integer\", \"default\": 0}, \"B\": {\"type\": \"integer\", \"default\": 0}},"
    "\"stages\": [{\"name\": \"s\", \"per\": \"file\", \"in\": {\"data\": \"data\"}, \"out\": {\"out\": \"end.out\"}, "
    "\"tasks\": ["
    "{\"name\": \"t0\", \"op\": \"toy.noise\", \"in\": {\"a\": \"data\"}, \"params\": {\"size\": {\"value\": 256}, "
    "\"p\": {\"value\": 1}}},"
    "{\"name\": \"a\", \"op\": \"toy.stir\", \"in\": {\"image\": \"t0.image\"}, \"params\": {\"p\": \"A\"}},"
    "{\"name\": \"b\", \"op\": \"toy.stir\", \"in\": {\"image\": \"t0.image\"}, \"params\": {\"p\": \"B\"}},"
    "{\"name\": \"c\", \"op\": \"toy.stat\", \"in\": {\"image\": \"b.image\"}, \"params\": {\"p\": \"A\"}},"
    "{\"name\": \"d\", \"op\": \"toy.paint\", \"in\": {\"image\": \"a.image\", \"a\": \"c.out\"}},"
    "{\"name\": \"end\", \"op\": \"toy.stat\", \"in\": {\"image\": \"d.image\"}, \"params\": {\"p\": {\"value\": "
    "0}}}]}]}";

static void make(struct toy_subject *s, struct ts_registry *registry) {
  *s = (struct toy_subject){0};
  toy_case_init(&s->toy, grid, registry);
  for (size_t i = 0; i < 100; i++) {
    toy_case_set(&s->toy, i, "A", (int64_t)(i * 7 % 10));
    toy_case_set(&s->toy, i, "B", (int64_t)(i / 10));
  }
  static const struct toy_image images[] = {{"a", 1, 1}};
  toy_subject_complete(s, registry, images, 1, 0, 0);
}

struct outcome {
  uint64_t peak_bytes, dropped, spilled, recomputed;
};

static struct outcome run_within(const struct toy_subject *s, struct ts_store *store, size_t threads, uint64_t budget) {
  uint64_t live_bytes = ts_buffer_live_bytes();
  struct toy_run run = {.subject = s};
  run.options = (struct ts_run_options){.threads = threads, .store = store, .memory_bytes = budget};
  toy_run_do(&run);
  toy_run_check(&run, "budget"); /* the same products, and calls as they are counted */
  toy_run_check_sum(&run, "budget", TS_OUTCOME_EXECUTED, toy_expected_executed(s, false, store != NULL));
  struct outcome outcome = {run.result.peak_bytes - live_bytes, run.result.dropped, run.result.spilled,
                            run.result.recomputed};
  toy_run_release(&run);
  return outcome;
}

static void a_budget_is_kept(void **state) {
  struct toy_subject s;
  make(&s, *state);
  uint64_t unlimited = run_within(&s, NULL, 1, 0).peak_bytes;
  assert_true(unlimited > 12 * IMAGE_BYTES);
  for (uint64_t part = 2; part <= 3; part++) {
    struct outcome outcome = run_within(&s, NULL, 1, unlimited / part);
    assert_true(outcome.dropped > 0);
    assert_true(outcome.recomputed > 0);
    assert_int_equal(outcome.spilled, 0);
    assert_true(outcome.peak_bytes <= unlimited / part + 2 * IMAGE_BYTES); /* a computation may need another's input */
  }
  toy_subject_release(&s);
}

static void no_budget_drops_nothing(void **state) {
  struct toy_subject s;
  make(&s, *state);
  struct outcome outcome = run_within(&s, NULL, 2, 0);
  assert_int_equal(outcome.dropped, 0);
  outcome = run_within(&s, NULL, 2, UINT64_C(1) << 40);
  assert_int_equal(outcome.dropped, 0);
  toy_subject_release(&s);
}

/* Also a budget that not even one task fits in: tasks then run one after the other. */
static void every_budget_ends(void **state) {
  struct toy_subject s;
  make(&s, *state);
  static const size_t threads[] = {1, 2, 8};
  for (size_t i = 0; i < 3; i++) {
    for (uint64_t images = 1; images <= 16; images *= 2) run_within(&s, NULL, threads[i], images * IMAGE_BYTES);
  }
  toy_subject_release(&s);
}

static void what_the_store_keeps_is_loaded(void **state) {
  struct toy_subject s;
  make(&s, *state);
  char folder[256];
  toy_folder_create(folder);
  struct ts_store *store = toy_store_open(folder);
  struct outcome outcome = run_within(&s, store, 2, 6 * IMAGE_BYTES);
  assert_true(outcome.dropped > 0);
  assert_true(outcome.spilled + outcome.recomputed > 0);
  ts_store_close(store);
  toy_folder_remove(folder);
  toy_subject_release(&s);
}

static int open_registry(void **state) {
  *state = toy_registry_create();
  return 0;
}

static int close_registry(void **state) {
  ts_registry_destroy(*state);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_budget_is_kept), cmocka_unit_test(no_budget_drops_nothing),
                                     cmocka_unit_test(every_budget_ends),
                                     cmocka_unit_test(what_the_store_keeps_is_loaded)};
  return cmocka_run_group_tests(tests, open_registry, close_registry);
}
