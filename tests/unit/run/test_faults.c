/* Tasks that fail, products that are lost or damaged: only what depends on them is affected, and it is made again.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/log.h"
#include "base/str.h"
#include "support/toy_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const size_t threads[] = {1, 2, 8};

/* ---- Failing operations. ---- */

static size_t count_nodes(const struct toy_subject *s, enum toy_status status) {
  const struct toy_filter filter = {.by = TOY_BY_NODE, .statuses = 1U << status, .design = true, .reference = true};
  return toy_distinct(&s->oracle, &filter);
}

static void run_with_failures(const struct toy_subject *s, bool no_cutoff, size_t thread_count) {
  struct ts_store *store = toy_store_open(NULL);
  struct toy_run run = {.subject = s};
  run.options = (struct ts_run_options){.threads = thread_count, .no_cutoff = no_cutoff};
  for (int round = 0; round < 3; round++) { /* without a store, with an empty one, with a full one */
    const char *what = round == 0 ? "no store" : round == 1 ? "first run" : "second run";
    run.options.store = round > 0 ? store : NULL;
    toy_run_do(&run);
    toy_run_check(&run, what);
    size_t executed = round == 2 ? 0 : toy_expected_executed(s, no_cutoff, round == 1);
    toy_run_check_sum(&run, what, TS_OUTCOME_EXECUTED, executed);
    toy_run_check_sum(&run, what, TS_OUTCOME_FAILED, count_nodes(s, TOY_FAILED));
    toy_run_check_sum(&run, what, TS_OUTCOME_SKIPPED, count_nodes(s, TOY_SKIPPED));
    toy_run_release(&run);
  }
  ts_store_close(store);
}

/* invariant 9 */
static void only_dependents_of_a_failure_are_skipped(void **state) {
  const struct toy_settings settings = {
      .stages = 3, .tasks = 3, .sets = 8, .digits = 9, .collapse = true, .faults = true};
  uint64_t live_bytes = ts_buffer_live_bytes();
  size_t with_failures = 0;
  for (uint64_t seed = 0; seed < 500; seed++) {
    struct toy_subject s;
    toy_subject_draw(&s, *state, &settings, false, seed);
    ts_plan_destroy(s.plan); /* so that the oracle can count the instances of the plan */
    s.toy.options.merge = TS_MERGE_LINEAGE;
    toy_oracle_release(&s.oracle);
    toy_oracle_init(&s.oracle, &s.toy, &s.data.dataset);
    s.plan = toy_case_plan(&s.toy);
    if (count_nodes(&s, TOY_FAILED) > 0) {
      with_failures++;
      run_with_failures(&s, false, threads[seed % 3]);
      run_with_failures(&s, true, threads[(seed + 1) % 3]);
    }
    toy_subject_release(&s);
  }
  assert_true(with_failures >= 40);
  assert_int_equal(ts_buffer_live_bytes(), live_bytes);
}

/* ---- Lost products. ---- */

/* Which products of the first run are lost, and what must be computed because of that. */
struct loss {
  const struct toy_oracle *oracle;
  struct ts_map lost;     /* content of a product */
  struct ts_map met;      /* instances of the plan */
  struct ts_map computed; /* contents */
};

static size_t output_count(const struct toy_oracle *o, const struct toy_instance *instance) {
  return o->toy->workflow->tasks[instance->task].op->descriptor->output_count;
}

static void lose_some(struct loss *loss, struct ts_store *store, uint64_t seed) {
  struct ts_random random;
  ts_random_init(&random, seed, 5);
  for (size_t i = 0; i < loss->oracle->count; i++) {
    const struct toy_instance *instance = &loss->oracle->instances[i];
    if (ts_random_below(&random, 3) != 0) continue;
    struct ts_data *product = instance->outputs[ts_random_below(&random, output_count(loss->oracle, instance))];
    struct ts_sha256 digest;
    ts_data_digest(product, &digest);
    ts_map_insert(&loss->lost, &digest, sizeof digest, NULL);
    toy_store_forget(store, product);
  }
}

static void need(struct loss *loss, const struct toy_instance *instance) {
  bool inserted = false;
  ts_map_insert(&loss->met, &instance->identity[TOY_BY_NODE], sizeof(uint64_t), &inserted);
  if (!inserted) return;
  bool whole = true;
  for (size_t i = 0; i < output_count(loss->oracle, instance); i++) {
    struct ts_sha256 digest;
    ts_data_digest(instance->outputs[i], &digest);
    whole = whole && !ts_map_find(&loss->lost, &digest, sizeof digest);
  }
  if (whole) return;
  ts_map_insert(&loss->computed, &instance->identity[TOY_BY_CONTENT], sizeof(uint64_t), NULL);
  for (size_t i = 0; i < instance->need_count; i++) need(loss, &loss->oracle->instances[instance->needs[i]]);
}

static void need_wanted(struct loss *loss) {
  const struct toy_oracle *o = loss->oracle;
  for (size_t i = 0; i < o->count; i++) {
    const struct toy_instance *instance = &o->instances[i];
    if (instance->set == TOY_REFERENCE && !o->toy->want_reference) continue;
    for (size_t w = 0; w < o->toy->options.wanted_count; w++) {
      if (o->toy->options.wanted[w].index == instance->task) need(loss, instance);
    }
  }
}

static void loss_release(struct loss *loss) {
  ts_map_release(&loss->lost);
  ts_map_release(&loss->met);
  ts_map_release(&loss->computed);
}

static void lose_and_run(const struct toy_subject *s, size_t thread_count) {
  struct ts_store *store = toy_store_open(NULL);
  struct toy_run run = {.subject = s};
  run.options = (struct ts_run_options){.threads = thread_count, .store = store};
  toy_run_do(&run);
  toy_run_check(&run, "first run");
  toy_run_release(&run);
  struct loss loss = {.oracle = &s->oracle};
  lose_some(&loss, store, s->seed);
  need_wanted(&loss);
  toy_run_do(&run);
  toy_run_check(&run, "after the loss");
  toy_run_check_sum(&run, "after the loss", TS_OUTCOME_EXECUTED, ts_map_count(&loss.computed));
  toy_run_release(&run);
  toy_run_do(&run);
  toy_run_check(&run, "after the repair");
  toy_run_check_sum(&run, "after the repair", TS_OUTCOME_EXECUTED, 0);
  toy_run_release(&run);
  loss_release(&loss);
  ts_store_close(store);
}

/* Operations whose products hardly ever are equal: a product that comes back serves nobody else. */
static void exactly_what_is_lost_and_needed_is_computed(void **state) {
  const struct toy_settings settings = {.stages = 3, .tasks = 3, .sets = 6, .digits = 3};
  for (uint64_t seed = 0; seed < 100; seed++) {
    struct toy_subject s;
    toy_subject_draw(&s, *state, &settings, false, seed);
    lose_and_run(&s, threads[seed % 3]);
    toy_subject_release(&s);
  }
}

/* ---- Damaged files. ---- */

/* Images that do not compress, and so lie in files of their own; "noise" is kept for sure only if it is an output. */
#define CHAIN(outputs)                                                                                                 \
  "{\"tessera\": 1, \"name\": \"noise\", \"inputs\": {\"data\": {\"type\": \"table\"}},"                               \
  " \"parameters\": {\"P\": {\"type\": \"integer\", \"default\": 0}, \"Q\": {\"type\": \"integer\", \"default\": 0}}," \
  " \"stages\": [{\"name\": \"s\", \"per\": \"file\", \"in\": {\"data\": \"data\"}, \"out\": {" outputs "},"           \
  "  \"tasks\": [{\"name\": \"noise\", \"op\": \"toy.noise\", \"in\": {\"a\": \"data\"},"                              \
  "    \"params\": {\"size\": {\"value\": 300}, \"p\": \"P\"}},"                                                       \
  "   {\"name\": \"stir\", \"op\": \"toy.stir\", \"in\": {\"image\": \"noise.image\"}, \"params\": {\"p\": "           \
  "\"Q\"}}]}]}"

#define DAMAGED_AT 45000L /* of 90 000 bytes */

/* Turns over one byte in the middle of a product's file; false if it has none. */
static bool damage(const char *folder, const struct ts_data *product) {
  char hex[65];
  char path[512];
  struct ts_sha256 digest;
  ts_data_digest(product, &digest);
  ts_hex_encode(digest.bytes, sizeof digest.bytes, hex);
  snprintf(path, sizeof path, "%s/objects/%.2s/%s", folder, hex, hex + 2);
  FILE *file = fopen(path, "r+b");
  if (!file) return false;
  fseek(file, DAMAGED_AT, SEEK_SET);
  int byte = fgetc(file);
  fseek(file, DAMAGED_AT, SEEK_SET);
  fputc(byte ^ 0x55, file);
  fclose(file);
  return true;
}

/* Runs three times: from nothing, with the products of one task damaged, and again. */
static void damage_and_run(struct ts_registry *registry, const char *json, const char *task, size_t executed) {
  static const struct toy_image images[] = {{"one", 4, 4}, {"two", 4, 4}};
  char folder[256];
  toy_folder_create(folder);
  struct toy_subject s = {0};
  toy_case_init(&s.toy, json, registry);
  for (size_t i = 0; i < 3; i++) toy_case_set(&s.toy, i, "Q", (int64_t)i);
  toy_subject_complete(&s, registry, images, 2, 0, 0);
  struct toy_run run = {.subject = &s};
  const size_t expected[] = {2 + 6, executed, 0};
  for (size_t round = 0; round < 3; round++) {
    struct ts_store *store = toy_store_open(folder);
    run.options = (struct ts_run_options){.threads = 1 + round % 2, .store = store};
    toy_run_do(&run);
    toy_run_check(&run, "damage");
    toy_run_check_sum(&run, "damage", TS_OUTCOME_EXECUTED, expected[round]);
    toy_run_release(&run);
    ts_store_close(store);
    size_t damaged = 0;
    for (size_t i = 0; i < s.oracle.count && round == 0; i++) {
      const struct toy_instance *instance = &s.oracle.instances[i];
      if (strcmp(s.toy.workflow->tasks[instance->task].name, task) != 0) continue;
      damaged += damage(folder, instance->outputs[0]);
    }
    if (round == 0 && strcmp(task, "stir") == 0) assert_int_equal(damaged, 6);
  }
  toy_subject_release(&s);
  toy_folder_remove(folder);
}

/* invariant 7: a damaged product is found by its digest. */
static void damaged_products_are_computed_again(void **state) {
  ts_log_set_level(TS_LOG_QUIET);
  /* What the damaged ones are made from is wanted too: it is loaded by the time it is needed once more. */
  damage_and_run(*state, CHAIN("\"image\": \"stir.image\", \"noise\": \"noise.image\""), "stir", 6);
  damage_and_run(*state, CHAIN("\"image\": \"stir.image\", \"noise\": \"noise.image\""), "noise", 2);
  /* Damage that nobody meets is not repaired. */
  damage_and_run(*state, CHAIN("\"image\": \"stir.image\""), "noise", 0);
  ts_log_set_level(TS_LOG_WARN);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(only_dependents_of_a_failure_are_skipped),
      cmocka_unit_test(exactly_what_is_lost_and_needed_is_computed),
      cmocka_unit_test(damaged_products_are_computed_again),
  };
  return cmocka_run_group_tests(tests, toy_set_up, toy_tear_down);
}
