/* Tests of making, sharing and looking at data.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"
#include "data/data.h"
#include "support/regions.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_pixels(void **state) {
  (void)state;
  struct ts_error err = {0};
  struct ts_region region = {.x = 7, .y = -3, .width = 5, .height = 4, .level = 2};
  struct ts_data *data = ts_data_create_pixels(ts_type_find("image/rgb8"), &region, &err);
  assert_non_null(data);
  assert_int_equal(ts_data_size_bytes(data), 60);
  memset(ts_data_writable(data), 9, 60);
  size_t size = 0;
  const unsigned char *bytes = ts_data_bytes(data, &size);
  assert_int_equal(size, 60);
  assert_int_equal(bytes[59], 9);
  assert_int_equal((uintptr_t)bytes % TS_BUFFER_ALIGNMENT, 0);
  assert_int_equal(ts_data_region(data)->y, -3);
  ts_data_set_place(data, &(struct ts_region){.x = 100, .y = 200, .level = 1, .z = 3, .t = 4, .width = 9, .depth = 9});
  assert_true(same_region(ts_data_region(data), &(struct ts_region){100, 200, 5, 4, 1, 3, 4, 1, 1}));
  ts_data_unref(data);
}

static void test_type_may_change_to_its_like(void **state) {
  (void)state;
  struct ts_region region = {.width = 2, .height = 2};
  struct ts_data *data = ts_data_create_pixels(ts_type_find("image/gray8"), &region, NULL);
  ts_data_set_type(data, ts_type_find("mask"));
  assert_ptr_equal(ts_data_type(data), ts_type_find("mask"));
  ts_data_unref(data);
}

static void test_impossible_shapes_are_errors(void **state) {
  (void)state;
  const struct ts_region shapes[] = {
      {.width = 0, .height = 4},
      {.width = 4, .height = -1},
      {.width = INT64_MAX, .height = 2},
      {.width = INT64_MAX / 2, .height = 2},
      {.x = INT64_MAX, .width = 4, .height = 4},
      {.y = INT64_MAX - 1, .width = 4, .height = 4},
      {.width = 4, .height = 4, .depth = -1},
      {.width = 4, .height = 4, .frames = -1},
      {.width = 4, .height = 4, .z = INT32_MAX, .depth = 1},
      {.width = 4, .height = 4, .t = INT32_MAX - 1, .frames = 2},
      {.width = 1 << 20, .height = 1 << 20, .depth = 1 << 12, .frames = 1 << 12},
  };
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
    struct ts_error err = {0};
    assert_null(ts_data_create_pixels(ts_type_find("image/rgb8"), &shapes[i], &err));
    assert_int_equal(err.code, TS_ERR_BAD_VALUE);
  }
  struct ts_error err = {0};
  const char *names[] = {"a", "b"};
  assert_null(ts_data_create_table(SIZE_MAX / 2, 2, names, &err));
  assert_int_equal(err.code, TS_ERR_BAD_VALUE);
  ts_error_clear(&err);
  assert_null(ts_data_create_table(1, 0, NULL, &err));
  assert_int_equal(err.code, TS_ERR_BAD_VALUE);
}

static void test_table(void **state) {
  (void)state;
  char first[] = "area";
  const char *names[] = {first, "mean, red"};
  struct ts_data *table = ts_data_create_table(2, 2, names, NULL);
  first[0] = 'X'; /* names are copied */
  double *cells = ts_data_writable(table);
  for (int i = 0; i < 4; i++) cells[i] = i;
  assert_int_equal(ts_data_rows(table), 2);
  assert_int_equal(ts_data_columns(table), 2);
  assert_string_equal(ts_data_column_names(table)[0], "area");
  size_t column = 9;
  assert_true(ts_data_find_column(table, "mean, red", &column));
  assert_int_equal(column, 1);
  assert_false(ts_data_find_column(table, "mean", &column));
  assert_true(ts_data_cells(table)[3] == 3.0);
  ts_data_unref(table);
  struct ts_data *empty = ts_data_create_table(0, 1, names, NULL);
  assert_int_equal(ts_data_size_bytes(empty), 0);
  ts_data_unref(empty);
}

static void test_file(void **state) {
  (void)state;
  struct ts_sha256 digest = {{1, 2, 3}};
  struct ts_data *file = ts_data_create_file("a/b.svs", &digest);
  assert_string_equal(ts_data_path(file), "a/b.svs");
  assert_int_equal(ts_data_size_bytes(file), 0);
  struct ts_sha256 got = {{0}};
  ts_data_digest(file, &got);
  assert_memory_equal(&got, &digest, sizeof got);
  ts_data_unref(file);
}

static void *share(void *argument) {
  struct ts_data *data = argument;
  for (int i = 0; i < 1000; i++) ts_data_unref(ts_data_ref(data));
  ts_data_unref(data);
  return NULL;
}

static void test_shared_between_threads_and_freed_once(void **state) {
  (void)state;
  uint64_t before = ts_buffer_live_bytes();
  struct ts_data *data = ts_data_create_bytes(ts_type_find("bytes"), 1000, NULL);
  assert_true(ts_buffer_live_bytes() >= before + 1000);
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&threads[i], NULL, share, ts_data_ref(data)), 0);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  ts_data_unref_pointer(&data);
  assert_null(data);
  assert_int_equal(ts_buffer_live_bytes(), before);
  ts_data_unref(NULL);
}

/* Two quiet NaN with different bits are the same missing value. */
static void test_finish_makes_missing_values_equal(void **state) {
  (void)state;
  const uint64_t patterns[] = {0x7ff8000000000000U, 0xfff8000000000123U};
  const uint32_t narrow[] = {0x7fc00000U, 0xffc00007U};
  struct ts_xxh128 digests[2];
  struct ts_xxh128 field_digests[2];
  const char *names[] = {"a"};
  struct ts_region region = {.width = 1, .height = 1};
  for (int i = 0; i < 2; i++) {
    ts_auto(ts_data_unref_pointer) struct ts_data *table = ts_data_create_table(1, 1, names, NULL);
    memcpy(ts_data_writable(table), &patterns[i], 8);
    ts_data_finish(table);
    digests[i] = ts_data_run_digest(table);
    ts_auto(ts_data_unref_pointer) struct ts_data *field =
        ts_data_create_pixels(ts_type_find("field/f32"), &region, NULL);
    memcpy(ts_data_writable(field), &narrow[i], 4);
    ts_data_finish(field);
    field_digests[i] = ts_data_run_digest(field);
  }
  assert_true(digests[0].low == digests[1].low && digests[0].high == digests[1].high);
  assert_true(field_digests[0].low == field_digests[1].low && field_digests[0].high == field_digests[1].high);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pixels),
      cmocka_unit_test(test_type_may_change_to_its_like),
      cmocka_unit_test(test_impossible_shapes_are_errors),
      cmocka_unit_test(test_table),
      cmocka_unit_test(test_file),
      cmocka_unit_test(test_shared_between_threads_and_freed_once),
      cmocka_unit_test(test_finish_makes_missing_values_equal),
  };
  return cmocka_run_group_tests_name("data", tests, NULL, NULL);
}
