/* Sizes as people write them.
 * SPDX-License-Identifier: Apache-2.0
 * test-label: one-thread */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/size.h"

static void sizes_are_read(void **state) {
  (void)state;
  static const struct {
    const char *text;
    uint64_t bytes;
  } cases[] = {
      {"0", 0},     {"12", 12},    {"12B", 12},    {"800M", 800000000},  {"2.5G", 2500000000},  {"1k", 1000},
      {"1K", 1000}, {"1kB", 1000}, {"1KiB", 1024}, {"4GiB", 4294967296}, {"2T", 2000000000000}, {".5M", 500000}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    uint64_t bytes = 99;
    if (!ts_parse_bytes(cases[i].text, &bytes)) fail_msg("'%s' was not read", cases[i].text);
    assert_int_equal(bytes, cases[i].bytes);
  }
}

static void other_texts_are_refused(void **state) {
  (void)state;
  static const char *const wrong[] = {"", "M", "8Q", "8 M", "-8M", "8m", "8Gi", "8GBs", "1e5", "1.2.3", "9999999T"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    uint64_t bytes = 99;
    if (ts_parse_bytes(wrong[i], &bytes)) fail_msg("'%s' was read", wrong[i]);
    assert_int_equal(bytes, 99);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(sizes_are_read), cmocka_unit_test(other_texts_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
