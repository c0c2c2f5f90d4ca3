/* Small allocations: copies, growth, cleanup attribute, death on overflow.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/base/testing.h"

#include "base/alloc.h"

static void zero_sizes_give_pointers(void **state) {
  (void)state;
  ts_auto_free void *a = ts_malloc(0);
  ts_auto_free void *b = ts_calloc(0, 8);
  ts_auto_free void *c = ts_realloc(NULL, 0);
  ts_auto_free void *d = ts_memdup(NULL, 0);
  assert_non_null(a);
  assert_non_null(b);
  assert_non_null(c);
  assert_non_null(d);
}

static void copies_are_exact(void **state) {
  (void)state;
  ts_auto_free char *whole = ts_strdup("tile");
  ts_auto_free char *part = ts_strndup("tile", 2);
  ts_auto_free char *more = ts_strndup("tile", 20);
  ts_auto_free char *bytes = ts_memdup("a\0b", 4);
  assert_string_equal(whole, "tile");
  assert_string_equal(part, "ti");
  assert_string_equal(more, "tile");
  assert_memory_equal(bytes, "a\0b", 4);
  ts_auto_free unsigned char *zeros = ts_calloc(10, 10);
  for (int i = 0; i < 100; i++) assert_int_equal(zeros[i], 0);
}

static void growth_keeps_the_items(void **state) {
  (void)state;
  int *items = NULL;
  size_t capacity = 0;
  size_t moves = 0;
  for (size_t count = 0; count < 10000; count++) {
    size_t before = capacity;
    items = ts_grow(items, count, &capacity, sizeof *items);
    moves += capacity != before;
    assert_true(capacity > count);
    items[count] = (int)count;
  }
  for (int i = 0; i < 10000; i++) assert_int_equal(items[i], i);
  assert_true(moves <= 14); /* doubling: log2(10000) */
  items = ts_realloc_array(items, 3, sizeof *items);
  assert_int_equal(items[2], 2);
  free(items);
}

static int released;

static void release_number(const int *number) { released += *number; }

static char *hand_over(void) {
  ts_auto_free char *text = ts_strdup("kept");
  return ts_steal(text);
}

static void scopes_clean_up(void **state) {
  (void)state;
  released = 0;
  {
    ts_auto(release_number) int number = 7;
    assert_int_equal(number, 7);
    assert_int_equal(released, 0);
  }
  assert_int_equal(released, 7);
  char *text = hand_over();
  assert_string_equal(text, "kept");
  free(text);
}

static volatile size_t half = SIZE_MAX / 2;

static void overflow_calloc(void) { free(ts_calloc(half, 3)); }

static void overflow_array(void) { free(ts_realloc_array(NULL, half, 4)); }

static void overflow_grow(void) {
  size_t capacity = half + 1;
  free(ts_grow(NULL, half + 1, &capacity, 1));
}

static void overflow_ends_the_program(void **state) {
  (void)state;
  assert_true(aborts(overflow_calloc));
  assert_true(aborts(overflow_array));
  assert_true(aborts(overflow_grow));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(zero_sizes_give_pointers),  cmocka_unit_test(copies_are_exact),
      cmocka_unit_test(growth_keeps_the_items),    cmocka_unit_test(scopes_clean_up),
      cmocka_unit_test(overflow_ends_the_program),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
