/* Scratch memory of the kernels: the growing queue, and requests that cannot be met.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/cpu/scratch.h"

/* More goes in than comes out, from every position of the ring. */
static void test_queue_keeps_the_order(void **state) {
  (void)state;
  for (int offset = 0; offset < 9; offset++) {
    struct ts_fifo fifo;
    assert_true(ts_fifo_init(&fifo, 8, NULL));
    int32_t in = 0;
    int32_t out = 0;
    for (int i = 0; i < offset; i++) {
      assert_true(ts_fifo_push(&fifo, in++, NULL));
      assert_int_equal(ts_fifo_pop(&fifo), out++);
    }
    for (int i = 0; i < 3000; i++) {
      assert_true(ts_fifo_push(&fifo, in++, NULL));
      if (i % 3 == 2) assert_int_equal(ts_fifo_pop(&fifo), out++);
    }
    while (!ts_fifo_empty(&fifo)) assert_int_equal(ts_fifo_pop(&fifo), out++);
    assert_int_equal(in, out);
    ts_fifo_release(&fifo);
  }
}

static void test_impossible_requests(void **state) {
  (void)state;
  struct ts_error err = {0};
  assert_null(ts_scratch(INT64_MAX, 8, &err));
  assert_int_equal(err.code, TS_ERR_NO_MEMORY);
  assert_true(strlen(err.help) > 0);
  err = (struct ts_error){0};
  assert_null(ts_scratch_zero(-1, 1, &err));
  assert_int_equal(err.code, TS_ERR_NO_MEMORY);
  void *block = ts_scratch(10, 4, NULL);
  err = (struct ts_error){0};
  assert_null(ts_scratch_resize(block, INT64_MAX / 2, 16, &err));
  assert_int_equal(err.code, TS_ERR_NO_MEMORY);
  ts_scratch_free(block); /* still ours */
}

static void test_nothing_is_not_null(void **state) {
  (void)state;
  void *block = ts_scratch(0, 8, NULL);
  assert_non_null(block);
  ts_scratch_free(block);
  block = ts_scratch_zero(0, 8, NULL);
  assert_non_null(block);
  ts_scratch_free(block);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_queue_keeps_the_order),
      cmocka_unit_test(test_impossible_requests),
      cmocka_unit_test(test_nothing_is_not_null),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
