/* Telling processes apart, also when they end and when their number is used again.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/base/testing.h"

#include "base/process/process.h"

#include <signal.h>
#include <sys/wait.h>

static void own_process_is_alive(void **state) {
  (void)state;
  char identity[TS_PROCESS_IDENTITY_SIZE];
  assert_true(ts_process_identity(getpid(), identity));
  assert_true(ts_process_is_alive(getpid(), identity));
}

static void a_process_with_another_start_is_another(void **state) {
  (void)state;
  char identity[TS_PROCESS_IDENTITY_SIZE];
  assert_true(ts_process_identity(getpid(), identity));
  char *last = identity + strlen(identity) - 1;
  *last = *last == '1' ? '2' : '1';
  assert_false(ts_process_is_alive(getpid(), identity));
  assert_false(ts_process_is_alive(getpid(), ""));
}

static void start_child(pid_t *child, char identity[TS_PROCESS_IDENTITY_SIZE]) {
  *child = fork();
  assert_true(*child >= 0);
  if (*child == 0) {
    for (;;) pause();
  }
  assert_true(ts_process_identity(*child, identity));
}

static void an_ended_process_is_gone_before_and_after_it_is_waited_for(void **state) {
  (void)state;
  pid_t child;
  char identity[TS_PROCESS_IDENTITY_SIZE];
  start_child(&child, identity);
  assert_true(ts_process_is_alive(child, identity));
  assert_int_equal(kill(child, SIGKILL), 0);
  siginfo_t info;
  assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
  assert_false(ts_process_is_alive(child, identity));
  assert_int_equal(waitpid(child, NULL, 0), child);
  assert_false(ts_process_is_alive(child, identity));
}

static void there_is_no_process_minus_one(void **state) {
  (void)state;
  char identity[TS_PROCESS_IDENTITY_SIZE];
  assert_false(ts_process_identity(-1, identity));
  assert_false(ts_process_identity(INT64_MAX, identity));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(own_process_is_alive),
      cmocka_unit_test(a_process_with_another_start_is_another),
      cmocka_unit_test(an_ended_process_is_gone_before_and_after_it_is_waited_for),
      cmocka_unit_test(there_is_no_process_minus_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
