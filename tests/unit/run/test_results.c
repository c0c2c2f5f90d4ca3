/* Drawn cases: products are those of runs made one by one without reuse, and each distinct content is computed once.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "support/toy_run.h"

#include <string.h>

#define DONE_OR_FAILED (1U << TOY_DONE | 1U << TOY_FAILED)

static const size_t threads[] = {1, 2, 8};

/* Per operation, when nothing had to be computed twice. */
static void check_operations(const struct toy_subject *s, const struct toy_run *run, const uint64_t *before) {
  for (size_t i = 0; i < ts_registry_count(s->registry) && run->result.recomputed == 0; i++) {
    const struct ts_op *op = ts_registry_at(s->registry, i);
    const struct toy_filter filter = {.by = TOY_BY_CONTENT,
                                      .statuses = DONE_OR_FAILED,
                                      .op = op->descriptor->name,
                                      .design = true,
                                      .reference = true,
                                      .grouped = run->options.store ? NULL : &s->plan->coarsest};
    if (strncmp(op->descriptor->name, "toy.", 4) != 0) continue;
    if (atomic_load(&op->executions) - before[i] != toy_distinct(&s->oracle, &filter))
      fail_msg("seed %llu: executions of %s", s->seed, op->descriptor->name);
  }
}

static void run_without_store(const struct toy_subject *s, bool no_cutoff, size_t thread_count) {
  struct toy_run run = {.subject = s};
  uint64_t before[32] = {0};
  for (size_t i = 0; i < ts_registry_count(s->registry); i++)
    before[i] = atomic_load(&ts_registry_at(s->registry, i)->executions);
  run.options = (struct ts_run_options){.threads = thread_count, .no_cutoff = no_cutoff};
  toy_run_do(&run);
  const char *what = no_cutoff ? "no store, no cutoff" : "no store";
  toy_run_check(&run, what);
  toy_run_check_sum(&run, what, TS_OUTCOME_EXECUTED, toy_expected_executed(s, no_cutoff, false));
  assert_int_equal(run.result.threads, thread_count);
  if (!no_cutoff) check_operations(s, &run, before);
  if (no_cutoff) assert_int_equal(run.result.recomputed, 0);
  toy_run_release(&run);
}

/* What was executed has a record of its own; what was cut off has one that says so, and its products are there. */
static void check_records(const struct toy_run *run) {
  for (size_t i = 0; i < ts_map_count(&run->keys); i++) {
    size_t size = 0;
    const struct ts_key *key = ts_map_key_at(&run->keys, i, &size);
    uint64_t outcomes = ts_map_value_at(&run->keys, i)->number;
    ts_auto(ts_arena_release) struct ts_arena arena = {0};
    struct ts_record record;
    struct ts_error err = {0};
    bool found = ts_store_find(run->options.store, key, &arena, &record, &err);
    if (!found) fail_msg("seed %llu: a task has no record", run->subject->seed);
    bool executed = outcomes >> TS_OUTCOME_EXECUTED & 1;
    bool cut_off = outcomes >> TS_OUTCOME_CUTOFF & 1;
    if (executed != cut_off && record.is_alias != cut_off) fail_msg("seed %llu: a wrong alias", run->subject->seed);
    for (size_t o = 0; o < record.output_count; o++) {
      if (!ts_store_has_product(run->options.store, &record.outputs[o].digest))
        fail_msg("seed %llu: a product is not kept", run->subject->seed);
    }
  }
}

/* An empty store, then the same again: the second run computes nothing. */
static void run_with_store(const struct toy_subject *s, const char *folder, bool no_cutoff, size_t thread_count) {
  struct ts_store *store = toy_store_open(folder);
  struct toy_run run = {.subject = s};
  run.options = (struct ts_run_options){.threads = thread_count, .no_cutoff = no_cutoff, .store = store, .run_id = "r"};
  const char *what = folder ? "SQLite" : no_cutoff ? "memory store, no cutoff" : "memory store";
  toy_run_do(&run);
  toy_run_check(&run, what);
  toy_run_check_sum(&run, what, TS_OUTCOME_EXECUTED, toy_expected_executed(s, no_cutoff, true));
  check_records(&run);
  toy_run_release(&run);
  if (folder) { /* what a later process would find */
    ts_store_close(store);
    run.options.store = store = toy_store_open(folder);
  }
  toy_run_do(&run);
  toy_run_check(&run, "second run");
  toy_run_check_sum(&run, "second run", TS_OUTCOME_EXECUTED, 0);
  if (run.result.recomputed > 0) fail_msg("seed %llu: %s, second run computed something", s->seed, what);
  toy_run_release(&run);
  ts_store_close(store);
}

/* invariants 3, 4 and 5: products and counts are those of an oracle, whatever the threads, the reuse and the store. */
static void products_and_counts_are_right(void **state) {
  const struct toy_settings settings = {.stages = 3, .tasks = 3, .sets = 8, .digits = 3, .collapse = true};
  uint64_t live_bytes = ts_buffer_live_bytes();
  for (uint64_t seed = 0; seed < 150; seed++) {
    struct toy_subject s;
    toy_subject_draw(&s, *state, &settings, false, seed);
    for (size_t i = 0; i < 3; i++) {
      run_without_store(&s, false, threads[i]);
      run_with_store(&s, NULL, false, threads[i]);
    }
    run_without_store(&s, true, threads[seed % 3]);
    run_with_store(&s, NULL, true, threads[seed % 3]);
    toy_subject_release(&s);
    assert_int_equal(ts_buffer_live_bytes(), live_bytes);
  }
}

static void a_store_on_disk_serves_as_well(void **state) {
  const struct toy_settings settings = {.stages = 3, .tasks = 3, .sets = 6, .digits = 3, .collapse = true};
  for (uint64_t seed = 1000; seed < 1012; seed++) {
    struct toy_subject s;
    char folder[256];
    toy_folder_create(folder);
    toy_subject_draw(&s, *state, &settings, false, seed);
    run_with_store(&s, folder, false, threads[seed % 3]);
    toy_subject_release(&s);
    toy_folder_remove(folder);
  }
}

/* Whatever threads do, the counts are the same: distinct contents are computed once even while they are being
 * computed. */
/* invariant 4: each distinct content is executed once. */
static void counts_do_not_depend_on_timing(void **state) {
  const struct toy_settings settings = {.stages = 3, .tasks = 4, .sets = 12, .digits = 3, .collapse = true};
  for (uint64_t seed = 2000; seed < 2003; seed++) {
    struct toy_subject s;
    toy_subject_draw(&s, *state, &settings, false, seed);
    for (size_t repetition = 0; repetition < 50; repetition++) {
      run_without_store(&s, false, threads[repetition % 3]);
      run_with_store(&s, NULL, false, threads[repetition % 3]);
    }
    toy_subject_release(&s);
  }
}

/* Two files of one content: their tables are made once where a store can pass them on. */
static void twin_files_are_computed_once(void **state) {
  const struct toy_settings settings = {.stages = 2, .tasks = 3, .sets = 4, .digits = 3, .collapse = true};
  for (uint64_t seed = 3000; seed < 3060; seed++) {
    struct toy_subject s;
    toy_subject_draw(&s, *state, &settings, true, seed);
    bool pixels = false; /* which may be too cheap to be kept */
    for (size_t t = 0; t < s.toy.workflow->task_count; t++)
      pixels = pixels || strcmp(s.toy.workflow->tasks[t].op->descriptor->outputs[0]->type, "table") != 0;
    run_without_store(&s, seed % 2, threads[seed % 3]);
    for (size_t i = 0; i < 3 && !pixels; i++) run_with_store(&s, NULL, false, threads[i]);
    toy_subject_release(&s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products_and_counts_are_right),
      cmocka_unit_test(a_store_on_disk_serves_as_well),
      cmocka_unit_test(counts_do_not_depend_on_timing),
      cmocka_unit_test(twin_files_are_computed_once),
  };
  return cmocka_run_group_tests(tests, toy_set_up, toy_tear_down);
}
