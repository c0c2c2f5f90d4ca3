/* Buffers: alignment, counting, sharing between threads, and refusal of what no machine has.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/base/testing.h"

#include "base/buffer.h"

#include <pthread.h>

static void buffers_are_aligned_and_counted(void **state) {
  (void)state;
  static const size_t sizes[] = {0, 1, 63, 64, 65, 1000000};
  struct ts_buffer *buffers[COUNT_OF(sizes)];
  assert_true(ts_buffer_live_bytes() == 0);
  ts_buffer_reset_peak();
  size_t total = 0;
  for (size_t i = 0; i < COUNT_OF(sizes); i++) {
    struct ts_error err = {0};
    buffers[i] = ts_buffer_create(sizes[i], &err);
    assert_non_null(buffers[i]);
    assert_int_equal(ts_buffer_size(buffers[i]), sizes[i]);
    assert_int_equal((uintptr_t)ts_buffer_data(buffers[i]) % TS_BUFFER_ALIGNMENT, 0);
    memset(ts_buffer_writable(buffers[i]), 1, sizes[i]);
    total += sizes[i];
    assert_true(ts_buffer_live_bytes() == total);
  }
  for (size_t i = 0; i < COUNT_OF(sizes); i++) ts_buffer_unref(buffers[i]);
  assert_true(ts_buffer_live_bytes() == 0);
  assert_true(ts_buffer_peak_bytes() == total);
  ts_buffer_reset_peak();
  assert_true(ts_buffer_peak_bytes() == 0);
  ts_buffer_unref(NULL);
}

static void references_keep_a_buffer(void **state) {
  (void)state;
  struct ts_buffer *buffer = ts_buffer_from_bytes("pixels", 6, NULL);
  assert_ptr_equal(ts_buffer_ref(buffer), buffer);
  ts_buffer_unref(buffer);
  assert_true(ts_buffer_live_bytes() == 6);
  assert_memory_equal(ts_buffer_data(buffer), "pixels", 6);
  ts_buffer_unref(buffer);
  assert_true(ts_buffer_live_bytes() == 0);
  struct ts_buffer *empty = ts_buffer_from_bytes(NULL, 0, NULL);
  assert_non_null(empty);
  ts_buffer_unref(empty);
}

static void huge_sizes_are_ordinary_errors(void **state) {
  (void)state;
  const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 62, SIZE_MAX / 2, (size_t)1 << 60, (size_t)1 << 48};
  for (size_t i = 0; i < COUNT_OF(sizes); i++) {
    struct ts_error err = {0};
    assert_null(ts_buffer_create(sizes[i], &err));
    assert_error(&err, TS_ERR_NO_MEMORY);
  }
  assert_true(ts_buffer_live_bytes() == 0);
}

static void *use_shared(void *argument) {
  struct ts_buffer *shared = argument;
  size_t wrong = 0;
  for (int i = 0; i < 2000; i++) {
    struct ts_buffer *mine = ts_buffer_ref(shared);
    wrong += *(const char *)ts_buffer_data(mine) != 'p';
    struct ts_buffer *other = ts_buffer_create(100, NULL);
    memset(ts_buffer_writable(other), i & 127, 100);
    ts_buffer_unref(other);
    ts_buffer_unref(mine);
  }
  ts_buffer_unref(shared);
  return wrong ? argument : NULL;
}

static void threads_share_buffers(void **state) {
  (void)state;
  ts_buffer_reset_peak();
  struct ts_buffer *buffer = ts_buffer_from_bytes("pixels", 6, NULL);
  pthread_t threads[4];
  for (size_t i = 0; i < COUNT_OF(threads); i++) {
    assert_int_equal(pthread_create(&threads[i], NULL, use_shared, ts_buffer_ref(buffer)), 0);
  }
  ts_buffer_unref(buffer); /* the last thread frees it */
  for (size_t i = 0; i < COUNT_OF(threads); i++) {
    void *wrong = threads;
    pthread_join(threads[i], &wrong);
    assert_null(wrong);
  }
  assert_true(ts_buffer_live_bytes() == 0);
  assert_true(ts_buffer_peak_bytes() >= 106 && ts_buffer_peak_bytes() <= 406);
}

static void write_shared(void) {
  struct ts_buffer *buffer = ts_buffer_create(8, NULL);
  ts_buffer_ref(buffer);
  ts_buffer_writable(buffer);
}

static void writing_a_shared_buffer_is_a_bug(void **state) {
  (void)state;
  assert_true(aborts(write_shared));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(buffers_are_aligned_and_counted),  cmocka_unit_test(references_keep_a_buffer),
      cmocka_unit_test(huge_sizes_are_ordinary_errors),   cmocka_unit_test(threads_share_buffers),
      cmocka_unit_test(writing_a_shared_buffer_is_a_bug),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
