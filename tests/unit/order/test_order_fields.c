/* What a run was asked for: every member of a request has its place in an order, what is written is taken up again, and
 * what the new call says comes first.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/base/testing.h"

#include "base/file.h"
#include "order/order.h"

#include <stdlib.h>
#include <string.h>

static struct ts_arena arena;

static int release_arena(void **state) {
  (void)state;
  ts_arena_release(&arena);
  return 0;
}

/* All three parts in one object, as programs that kept no orders wrote them. */
static json_t *written(const struct ts_request *request) {
  json_t *object = json_object();
  for (enum ts_request_part part = TS_PART_OPTIONS; part <= TS_PART_PLACES; part++)
    ts_order_fields_write(request, part, object);
  return object;
}

static void restore(json_t *object, struct ts_request *request) {
  for (enum ts_request_part part = TS_PART_OPTIONS; part <= TS_PART_PLACES; part++)
    ts_order_fields_restore(&arena, object, part, request);
  json_decref(object);
}

static void everything_is_taken_up(void **state) {
  (void)state;
  const char *const data[] = {"one.png", "two words.png"};
  const struct tessera_setting parameters[] = {{"B", "220"}, {"G1", "3"}};
  const struct ts_request asked = {.command = "tessera study",
                                   .design = "design.csv",
                                   .merge = "trtma",
                                   .only_stage = "segment",
                                   .output = "out",
                                   .method = "morris",
                                   .until = "rank(3)",
                                   .keep = "a,b",
                                   .keys = "dag",
                                   .cost = "unit",
                                   .trajectories = 1,
                                   .count = 2,
                                   .workers = 3,
                                   .max_bucket_size = 4,
                                   .max_buckets = 5,
                                   .max_bucket_bytes = UINT64_C(1) << 40,
                                   .max_runs = 6,
                                   .second_order = true,
                                   .no_cutoff = true,
                                   .no_parts = true,
                                   .no_reuse = true,
                                   .memory_bytes = 7,
                                   .scratch_bytes = 8,
                                   .threads = 9,
                                   .step = 0.25,
                                   .overlays = true,
                                   .all_outputs = true,
                                   .per_tile = true,
                                   .seed = UINT64_C(1) << 40,
                                   .has_seed = true,
                                   .tile_px = 512,
                                   .has_tile = true,
                                   .data = data,
                                   .data_count = 2,
                                   .parameters = parameters,
                                   .parameter_count = 2};
  struct ts_request r = {0};
  restore(written(&asked), &r);
  assert_string_equal(r.design, "design.csv");
  assert_string_equal(r.merge, "trtma");
  assert_string_equal(r.only_stage, "segment");
  assert_string_equal(r.output, "out");
  assert_string_equal(r.method, "morris");
  assert_string_equal(r.until, "rank(3)");
  assert_string_equal(r.keep, "a,b");
  assert_string_equal(r.keys, "dag");
  assert_string_equal(r.cost, "unit");
  const uint64_t counts[] = {r.trajectories, r.count, r.workers, r.max_bucket_size, r.max_buckets, r.max_runs};
  for (size_t i = 0; i < 6; i++) assert_int_equal(counts[i], i + 1);
  assert_int_equal(r.max_bucket_bytes, UINT64_C(1) << 40);
  assert_true(r.second_order && r.no_cutoff && r.no_parts && r.overlays && r.has_seed && r.has_tile);
  assert_true(r.no_reuse && r.all_outputs && r.per_tile);
  assert_int_equal(r.memory_bytes, 7);
  assert_int_equal(r.scratch_bytes, 8);
  assert_int_equal(r.threads, 9);
  assert_true(r.step == 0.25);
  assert_int_equal(r.seed, UINT64_C(1) << 40);
  assert_int_equal(r.tile_px, 512);
  assert_int_equal(r.data_count, 2);
  assert_string_equal(r.data[1], "two words.png");
  assert_int_equal(r.parameter_count, 2);
  assert_string_equal(r.parameters[0].name, "B");
  assert_string_equal(r.parameters[1].value, "3");
  assert_null(r.command); /* the new call has its own */
}

/* A seed of 0 and a tile of 0 are told from none. */
static void zeros_are_told_from_nothing(void **state) {
  (void)state;
  struct ts_request r = {.seed = 7};
  restore(written(&(struct ts_request){.has_seed = true, .has_tile = true}), &r);
  assert_true(r.has_seed && r.has_tile);
  assert_int_equal(r.seed, 0);
  r = (struct ts_request){0};
  restore(written(&(struct ts_request){0}), &r);
  assert_false(r.has_seed || r.has_tile || r.no_cutoff || r.no_parts);
  assert_null(r.merge);
  assert_int_equal(r.workers + r.data_count + r.parameter_count, 0);
}

static void the_new_call_comes_first(void **state) {
  (void)state;
  const char *const before[] = {"old.png"}, *const now[] = {"new.png"};
  const struct ts_request asked = {
      .merge = "rtma", .workers = 2, .seed = 1, .has_seed = true, .data = before, .data_count = 1, .no_parts = true};
  struct ts_request r = {.merge = "lineage", .workers = 4, .seed = 9, .has_seed = true, .data = now, .data_count = 1};
  restore(written(&asked), &r);
  assert_string_equal(r.merge, "lineage");
  assert_int_equal(r.workers, 4);
  assert_int_equal(r.seed, 9);
  assert_string_equal(r.data[0], "new.png");
  assert_true(r.no_parts);
}

/* A store that another build wrote, or a damaged row. */
static void strange_texts_change_nothing(void **state) {
  (void)state;
  const char *const texts[] = {"", "{", "[]", "{\"merge\": 3, \"new thing\": {}, \"parameters\": [1], \"data\": \"x\"}",
                               "{\"parameters\": {\"B\": 1}, \"data\": [1, null]}"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    struct ts_request r = {0};
    restore(json_loads(texts[i], 0, NULL), &r);
    assert_null(r.merge);
    assert_int_equal(r.data_count + r.parameter_count, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(everything_is_taken_up),
      cmocka_unit_test(zeros_are_told_from_nothing),
      cmocka_unit_test(the_new_call_comes_first),
      cmocka_unit_test(strange_texts_change_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, release_arena);
}
