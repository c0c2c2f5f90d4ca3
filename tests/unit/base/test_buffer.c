/* Buffers: alignment, counting by several threads, and refusal of sizes that no machine has.
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
  for (size_t i = 0; i < COUNT_OF(sizes); i++) ts_buffer_free(buffers[i]);
  assert_true(ts_buffer_live_bytes() == 0);
  assert_true(ts_buffer_peak_bytes() == total);
  ts_buffer_reset_peak();
  assert_true(ts_buffer_peak_bytes() == 0);
  ts_buffer_free(NULL);
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

static void *use_buffers(void *argument) {
  for (int i = 0; i < 2000; i++) {
    struct ts_buffer *mine = ts_buffer_create(100, NULL);
    memset(ts_buffer_writable(mine), i & 127, 100);
    ts_buffer_free(mine);
  }
  return argument;
}

static void threads_count_together(void **state) {
  (void)state;
  ts_buffer_reset_peak();
  struct ts_buffer *buffer = ts_buffer_create(6, NULL);
  pthread_t threads[4];
  for (size_t i = 0; i < COUNT_OF(threads); i++) {
    assert_int_equal(pthread_create(&threads[i], NULL, use_buffers, NULL), 0);
  }
  for (size_t i = 0; i < COUNT_OF(threads); i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
  assert_true(ts_buffer_live_bytes() == 6);
  ts_buffer_free(buffer);
  assert_true(ts_buffer_live_bytes() == 0);
  assert_true(ts_buffer_peak_bytes() >= 106 && ts_buffer_peak_bytes() <= 406);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(buffers_are_aligned_and_counted),
      cmocka_unit_test(huge_sizes_are_ordinary_errors),
      cmocka_unit_test(threads_count_together),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
