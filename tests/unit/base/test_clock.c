/* Clocks: direction, the fake one, and dates with known answers.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/base/testing.h"

#include "base/clock.h"

#include <time.h>

static void clocks_go_forward(void **state) {
  (void)state;
  uint64_t wall = ts_clock_ns();
  uint64_t thread = ts_clock_thread_cpu_ns();
  uint64_t process = ts_clock_process_cpu_ns();
  while (ts_clock_thread_cpu_ns() < thread + 1000000) continue; /* a millisecond of work, however slow the machine */
  assert_true(ts_clock_ns() >= wall + 900000); /* work takes time; the clocks differ by rounding only */
  assert_true(ts_clock_process_cpu_ns() >= process + 900000);
}

static int64_t kernel_thread_cpu_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* However often it is asked, and after being away. */
static void thread_time_stays_near_the_kernels(void **state) {
  (void)state;
  uint64_t last = 0;
  for (int i = 0; i < 200000; i++) {
    const int64_t before = kernel_thread_cpu_ns();
    const uint64_t told = ts_clock_thread_cpu_ns();
    const int64_t after = kernel_thread_cpu_ns();
    assert_true(told >= last);
    assert_true((int64_t)told >= before - TS_CLOCK_THREAD_CPU_ERROR_NS);
    assert_true((int64_t)told <= after + TS_CLOCK_THREAD_CPU_ERROR_NS);
    last = told;
    if (i % 1000 == 0) nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
  }
}

static void unix_time_is_the_systems(void **state) {
  (void)state;
  int64_t before = (int64_t)time(NULL);
  int64_t now = ts_clock_unix_ns() / 1000000000;
  int64_t after = (int64_t)time(NULL);
  assert_true(before - 1 <= now && now <= after + 1); /* time() may lag by a tick */
}

/* date -u -d @SECONDS */
static void dates_are_utc(void **state) {
  (void)state;
  static const struct {
    int64_t seconds;
    const char *text;
  } dates[] = {{0, "1970-01-01T00:00:00Z"},
               {1769860800, "2026-01-31T12:00:00Z"},
               {951782400, "2000-02-29T00:00:00Z"},
               {4107542399, "2100-02-28T23:59:59Z"},
               {-1, "1969-12-31T23:59:59Z"}};
  setenv("TZ", "America/New_York", 1);
  tzset();
  char text[32];
  for (size_t i = 0; i < COUNT_OF(dates); i++) {
    assert_string_equal(ts_clock_print_utc(dates[i].seconds * 1000000000, text), dates[i].text);
    assert_string_equal(ts_clock_print_utc(dates[i].seconds * 1000000000 + 999999999, text), dates[i].text);
  }
  assert_true(strlen(ts_clock_print_utc(INT64_MAX, text)) == 20);
  assert_true(strlen(ts_clock_print_utc(INT64_MIN, text)) == 20);
}

static uint64_t fake_time;

static uint64_t tell_fake_time(void) { return fake_time; }

static void the_monotonic_clock_can_be_replaced(void **state) {
  (void)state;
  ts_clock_set_fake(tell_fake_time);
  fake_time = 5;
  assert_true(ts_clock_ns() == 5);
  fake_time = 77;
  assert_true(ts_clock_ns() == 77);
  ts_clock_set_fake(NULL);
  assert_true(ts_clock_ns() != 77);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(clocks_go_forward),
      cmocka_unit_test(thread_time_stays_near_the_kernels),
      cmocka_unit_test(unix_time_is_the_systems),
      cmocka_unit_test(dates_are_utc),
      cmocka_unit_test(the_monotonic_clock_can_be_replaced),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
