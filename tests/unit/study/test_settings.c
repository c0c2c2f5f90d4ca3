/* What a run was asked for: what is written is taken up again, and what the new call says comes first.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/base/testing.h"

#include "study/study_int.h"

static struct ts_arena arena;

static int release_arena(void **state) {
  (void)state;
  ts_arena_release(&arena);
  return 0;
}

static void everything_is_taken_up(void **state) {
  (void)state;
  const char *const data[] = {"one.png", "two words.png"};
  const struct ts_parameter_setting parameters[] = {{"B", "220"}, {"G1", "3"}};
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
                                   .overlays = true,
                                   .seed = UINT64_C(1) << 40,
                                   .has_seed = true,
                                   .tile_px = 512,
                                   .has_tile = true,
                                   .data = data,
                                   .data_count = 2,
                                   .parameters = parameters,
                                   .parameter_count = 2};
  char *text = ts_settings_write(&asked, NULL);
  struct ts_request r = {0};
  ts_settings_restore(&arena, text, &r);
  free(text);
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
  char *text = ts_settings_write(&(struct ts_request){.has_seed = true, .has_tile = true}, NULL);
  struct ts_request r = {.seed = 7};
  ts_settings_restore(&arena, text, &r);
  free(text);
  assert_true(r.has_seed && r.has_tile);
  assert_int_equal(r.seed, 0);
  text = ts_settings_write(&(struct ts_request){0}, NULL);
  r = (struct ts_request){0};
  ts_settings_restore(&arena, text, &r);
  free(text);
  assert_false(r.has_seed || r.has_tile || r.no_cutoff || r.no_parts);
  assert_null(r.merge);
  assert_int_equal(r.workers + r.data_count + r.parameter_count, 0);
}

static void the_new_call_comes_first(void **state) {
  (void)state;
  const char *const before[] = {"old.png"}, *const now[] = {"new.png"};
  char *text = ts_settings_write(&(struct ts_request){.merge = "rtma",
                                                      .workers = 2,
                                                      .seed = 1,
                                                      .has_seed = true,
                                                      .data = before,
                                                      .data_count = 1,
                                                      .no_parts = true},
                                 NULL);
  struct ts_request r = {.merge = "lineage", .workers = 4, .seed = 9, .has_seed = true, .data = now, .data_count = 1};
  ts_settings_restore(&arena, text, &r);
  free(text);
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
    ts_settings_restore(&arena, texts[i], &r);
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
