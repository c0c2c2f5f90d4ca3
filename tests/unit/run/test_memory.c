/* Intermediate products are let go after their last use: how much is alive at once, and that nothing is left.
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

/* One stage per file: noise, then `length` times stir, then a table. The first three stir by P, Q and R. */
static char *chain(size_t length) {
  static const char *const names[] = {"P", "Q", "R"};
  struct ts_str json = {0};
  ts_str_add(&json,
             "{\"tessera\": 1, \"name\": \"chain\", \"inputs\": {\"data\": {\"type\": \"table\"}}, \"parameters\": {");
  for (size_t i = 0; i < 3; i++)
    ts_str_addf(&json, "%s\"%s\": {\"type\": \"integer\", \"default\": 0}", i ? ", " : "", names[i]);
  ts_str_addf(&json,
              "}, \"stages\": [{\"name\": \"s\", \"per\": \"file\", \"in\": {\"data\": \"data\"}, \"out\": {\"out\": "
              "\"end.out\"},"
              " \"tasks\": [{\"name\": \"t0\", \"op\": \"toy.noise\", \"in\": {\"a\": \"data\"}, \"params\": "
              "{\"size\": {\"value\": %d}, \"p\": {\"value\": 1}}}",
              SIDE_PX);
  for (size_t i = 0; i < length; i++) {
    ts_str_addf(&json,
                ", {\"name\": \"t%zu\", \"op\": \"toy.stir\", \"in\": {\"image\": \"t%zu.image\"}, \"params\": ", i + 1,
                i);
    if (i < 3)
      ts_str_addf(&json, "{\"p\": \"%s\"}}", names[i]);
    else
      ts_str_addf(&json, "{\"p\": {\"value\": %zu}}}", i % 10);
  }
  ts_str_addf(&json,
              ", {\"name\": \"end\", \"op\": \"toy.stat\", \"in\": {\"image\": \"t%zu.image\"}, \"params\": {\"p\": "
              "{\"value\": 0}}}]}]}",
              length);
  return ts_str_detach(&json);
}

/* The most bytes alive at once, beyond those before the run. */
static uint64_t peak_of(const struct toy_subject *s, size_t threads, bool no_cutoff) {
  uint64_t live_bytes = ts_buffer_live_bytes();
  struct toy_run run = {.subject = s};
  run.options = (struct ts_run_options){.threads = threads, .no_cutoff = no_cutoff};
  toy_run_do(&run);
  toy_run_check(&run, "memory");
  toy_run_check_sum(&run, "memory", TS_OUTCOME_EXECUTED, toy_expected_executed(s, no_cutoff, false));
  uint64_t peak_bytes = run.result.peak_bytes - live_bytes;
  assert_int_equal(run.result.recomputed, 0);
  toy_run_release(&run);
  assert_int_equal(ts_buffer_live_bytes(), live_bytes);
  return peak_bytes;
}

static void make(struct toy_subject *s, struct ts_registry *registry, size_t length, size_t set_count,
                 size_t image_count) {
  static const struct toy_image images[] = {{"a", 1, 1}, {"b", 1, 1}, {"c", 1, 1}, {"d", 1, 1},
                                            {"e", 1, 1}, {"f", 1, 1}, {"g", 1, 1}, {"h", 1, 1},
                                            {"i", 1, 1}, {"j", 1, 1}, {"k", 1, 1}, {"l", 1, 1}};
  char *json = chain(length);
  *s = (struct toy_subject){0};
  toy_case_init(&s->toy, json, registry);
  for (size_t i = 0; i < set_count; i++) {
    toy_case_set(&s->toy, i, "P", (int64_t)(i % 10));
    toy_case_set(&s->toy, i, "Q", (int64_t)(i / 10));
  }
  toy_subject_complete(s, registry, images, image_count, 0, 0);
  free(json);
}

/* One image being read, one being written; a little for tables. */
static void a_chain_keeps_two_images(void **state) {
  struct toy_subject s;
  make(&s, *state, 40, 1, 1);
  assert_in_range(peak_of(&s, 1, false), 2 * IMAGE_BYTES, 2 * IMAGE_BYTES + 4096);
  assert_in_range(peak_of(&s, 8, true), 2 * IMAGE_BYTES, 2 * IMAGE_BYTES + 4096);
  toy_subject_release(&s);
}

/* 20 runs that share the noise, and P in pairs: 51 images in all. Depth first, one of each level and the one being
 * made. */
static void a_tree_is_walked_depth_first(void **state) {
  struct toy_subject s;
  make(&s, *state, 3, 20, 1);
  size_t distinct = 0;
  for (size_t t = 0; t < s.plan->workflow->task_count; t++) distinct += s.plan->counts[t].distinct;
  assert_int_equal(distinct, 1 + 10 + 20 + 20 + 20);
  assert_true(peak_of(&s, 1, false) <= 4 * IMAGE_BYTES + 16384);
  assert_true(peak_of(&s, 1, true) <= 4 * IMAGE_BYTES + 16384);
  /* Every thread its own branch, in the worst case with a whole path of its own. */
  assert_true(peak_of(&s, 4, false) <= (1 + 4 * 4) * IMAGE_BYTES + 16384);
  toy_subject_release(&s);
}

/* Files are opened as threads run dry: at most one more than there are threads. */
static void files_wait_for_their_turn(void **state) {
  struct toy_subject s;
  make(&s, *state, 3, 1, 12);
  assert_true(peak_of(&s, 1, false) <= 4 * IMAGE_BYTES + 16384);
  assert_true(peak_of(&s, 2, false) <= 6 * IMAGE_BYTES + 16384);
  toy_subject_release(&s);
}

/* One thread finishes a run before it begins the next, and a tile before the next tile: the events say so. */
struct order {
  const struct ts_plan *plan;
  size_t tile, run; /* of the last task */
  size_t returns;   /* to an earlier tile or run */
};

static void on_event(void *user, const struct ts_task_event *event) {
  struct order *order = user;
  const struct ts_node *node = &order->plan->nodes[event->node];
  if (node->kind != TS_NODE_TASK || node->scope != TS_PER_TILE) return;
  bool earlier = node->first_set < order->run || (node->first_set == order->run && event->unit < order->tile);
  order->returns += earlier;
  order->run = node->first_set;
  order->tile = event->unit;
}

static void tiles_and_runs_are_finished_one_by_one(void **state) {
  static const char json[] =
      "{\"tessera\": 1, \"name\": \"order\", \"inputs\": {\"image\": {\"type\": \"image/gray8\"}},"
      "\"parameters\": {\"P\": {\"type\": \"integer\", \"default\": 0}, \"Q\": {\"type\": \"integer\", \"default\": "
      "0}},"
      "\"stages\": [{\"name\": \"s\", \"per\": \"tile\", \"in\": {\"i\": \"image\"}, \"out\": {\"image\": "
      "\"u.image\"}, \"tasks\": ["
      "{\"name\": \"t\", \"op\": \"toy.stir\", \"in\": {\"image\": \"i\"}, \"params\": {\"p\": \"P\"}},"
      "{\"name\": \"u\", \"op\": \"toy.stir\", \"in\": {\"image\": \"t.image\"}, \"params\": {\"p\": \"Q\"}}]},"
      "{\"name\": \"r\", \"per\": \"file\", \"in\": {\"i\": \"s.image\"}, \"out\": {\"out\": \"t.out\"}, \"tasks\": ["
      "{\"name\": \"t\", \"op\": \"toy.stat\", \"in\": {\"image\": \"i\"}, \"params\": {\"p\": {\"value\": 0}}}]}]}";
  static const char *const wanted[] = {"r.out"};
  static const struct toy_image image = {"a", 12, 8};
  struct toy_subject s = {0};
  toy_case_init(&s.toy, json, *state);
  toy_case_want(&s.toy, wanted, 1);
  for (size_t i = 0; i < 20; i++) {
    toy_case_set(&s.toy, i, "P", (int64_t)(i * 7 % 10));
    toy_case_set(&s.toy, i, "Q", (int64_t)(i % 2));
  }
  toy_subject_complete(&s, *state, &image, 1, 4, 0);
  struct order order = {.plan = s.plan};
  struct toy_run run = {.subject = &s, .on_event = on_event, .user = &order};
  run.options = (struct ts_run_options){.threads = 1};
  toy_run_do(&run);
  toy_run_check(&run, "order");
  assert_int_equal(order.returns, 0);
  toy_run_release(&run);
  toy_subject_release(&s);
}

/* Different data fold onto few tables, and so onto few images. The image of an earlier run is gone when a later one
 * turns out to be the same, so it is made again, and the count says so. */
static void a_product_that_is_gone_is_made_again(void **state) {
  static const char json[] =
      "{\"tessera\": 1, \"name\": \"again\", \"inputs\": {\"data\": {\"type\": \"table\"}},"
      "\"parameters\": {\"P\": {\"type\": \"integer\", \"default\": 0}}, \"stages\": [{\"name\": \"s\", \"per\": "
      "\"file\","
      "\"in\": {\"data\": \"data\"}, \"out\": {\"image\": \"stir.image\"}, \"tasks\": ["
      "{\"name\": \"fold\", \"op\": \"toy.fold\", \"in\": {\"a\": \"data\"}, \"params\": {\"p\": \"P\"}},"
      "{\"name\": \"noise\", \"op\": \"toy.noise\", \"in\": {\"a\": \"fold.out\"},"
      " \"params\": {\"size\": {\"value\": 16}, \"p\": {\"value\": 1}}},"
      "{\"name\": \"stir\", \"op\": \"toy.stir\", \"in\": {\"image\": \"noise.image\"}, \"params\": {\"p\": "
      "{\"value\": 2}}}]}]}";
  static const struct toy_image image = {"a", 1, 1};
  uint64_t live_bytes = ts_buffer_live_bytes();
  struct toy_subject s = {0};
  toy_case_init(&s.toy, json, *state);
  for (size_t i = 0; i < 10; i++) toy_case_set(&s.toy, i, "P", (int64_t)i); /* five values by pairs */
  toy_subject_complete(&s, *state, &image, 1, 0, 0);
  for (size_t threads = 1; threads < 4; threads++) {
    struct toy_run run = {.subject = &s};
    run.options = (struct ts_run_options){.threads = threads};
    toy_run_do(&run);
    toy_run_check(&run, "again");
    toy_run_check_sum(&run, "again", TS_OUTCOME_EXECUTED, toy_expected_executed(&s, false, false));
    if (threads == 1) assert_true(run.result.recomputed > 0);
    toy_run_release(&run);
    run.options.linger_bytes = 1 << 20; /* it is still there */
    toy_run_do(&run);
    toy_run_check(&run, "lingering");
    assert_int_equal(run.result.recomputed, 0);
    toy_run_release(&run);
    run.options.linger_bytes = 0;
    struct ts_store *store = toy_store_open(NULL); /* a store has it instead */
    run.options.store = store;
    toy_run_do(&run);
    toy_run_check(&run, "from the store");
    assert_int_equal(run.result.recomputed, 0);
    toy_run_release(&run);
    ts_store_close(store);
  }
  toy_subject_release(&s);
  assert_int_equal(ts_buffer_live_bytes(), live_bytes);
}

/* Two readers of an image that has to be made again share it: per folded table, the table and the image once more. */
static void what_is_made_again_serves_all_its_readers(void **state) {
  static const char json[] =
      "{\"tessera\": 1, \"name\": \"again\", \"inputs\": {\"data\": {\"type\": \"table\"}},"
      "\"parameters\": {\"P\": {\"type\": \"integer\", \"default\": 0}, \"Q\": {\"type\": \"integer\", \"default\": 0},"
      "\"R\": {\"type\": \"integer\", \"default\": 0}}, \"stages\": [{\"name\": \"s\", \"per\": \"file\","
      "\"in\": {\"data\": \"data\"}, \"out\": {\"one\": \"one.out\", \"two\": \"two.out\"}, \"tasks\": ["
      "{\"name\": \"fold\", \"op\": \"toy.fold\", \"in\": {\"a\": \"data\"}, \"params\": {\"p\": \"P\"}},"
      "{\"name\": \"noise\", \"op\": \"toy.noise\", \"in\": {\"a\": \"fold.out\"},"
      " \"params\": {\"size\": {\"value\": 16}, \"p\": {\"value\": 1}}},"
      "{\"name\": \"one\", \"op\": \"toy.stat\", \"in\": {\"image\": \"noise.image\"}, \"params\": {\"p\": \"Q\"}},"
      "{\"name\": \"two\", \"op\": \"toy.stat\", \"in\": {\"image\": \"noise.image\"}, \"params\": {\"p\": \"R\"}}]}]}";
  static const struct toy_image image = {"a", 1, 1};
  struct toy_subject s = {0};
  toy_case_init(&s.toy, json, *state);
  for (size_t i = 0; i < 5; i++) {
    toy_case_set(&s.toy, i, "P", (int64_t)(2 * i));
    toy_case_set(&s.toy, i, "Q", (int64_t)i);
    toy_case_set(&s.toy, i, "R", (int64_t)(5 + i));
  }
  toy_subject_complete(&s, *state, &image, 1, 0, 0);
  struct toy_run run = {.subject = &s};
  run.options = (struct ts_run_options){.threads = 1};
  toy_run_do(&run);
  toy_run_check(&run, "readers");
  uint64_t folded = toy_run_sum(&run, TS_OUTCOME_CUTOFF); /* images that turn out to be there already */
  assert_true(folded >= 2);                               /* five tables of three values */
  assert_int_equal(run.result.recomputed, 2 * folded);
  toy_run_release(&run);
  toy_subject_release(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_chain_keeps_two_images),
      cmocka_unit_test(a_tree_is_walked_depth_first),
      cmocka_unit_test(files_wait_for_their_turn),
      cmocka_unit_test(tiles_and_runs_are_finished_one_by_one),
      cmocka_unit_test(a_product_that_is_gone_is_made_again),
      cmocka_unit_test(what_is_made_again_serves_all_its_readers),
  };
  return cmocka_run_group_tests(tests, toy_set_up, toy_tear_down);
}
