/* Sizes as people write them.
 * SPDX-License-Identifier: Apache-2.0
 * test-label: one-thread */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/str.h"

static void test_sizes(void **state) {
  (void)state;
  static const struct {
    const char *text;
    uint64_t bytes; /* 0: refused */
  } rows[] = {{"1", 1},
              {"17B", 17},
              {"2k", 2000},
              {"2K", 2000},
              {"2kB", 2000},
              {"2KiB", 2048},
              {"800M", 800000000},
              {"2.5G", UINT64_C(2500000000)},
              {"4GiB", UINT64_C(4294967296)},
              {"1T", UINT64_C(1000000000000)},
              {"", 0},
              {"G", 0},
              {"0", 0},
              {"-1M", 0},
              {"1 G", 0},
              {"1X", 0},
              {"1Gb", 0},
              {"1.2.3G", 0},
              {"0.5", 0},
              {"10000000T", 0},
              {"1e9", 0}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    uint64_t bytes = 0;
    assert_int_equal(ts_parse_bytes(rows[i].text, &bytes), rows[i].bytes > 0);
    assert_int_equal(bytes, rows[i].bytes);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_sizes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
