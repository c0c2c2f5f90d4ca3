/* How long an operation may run on after its time limit, by a clock that is set. The process that ends is a child.
 * SPDX-License-Identifier: Apache-2.0 */
#include "helpers.h"

#include "base/clock.h"
#include "op/watch.h"
#include "op/watch_int.h"

#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S    1000000000.0
#define START_NS    ((uint64_t)1 << 40)
#define PATIENCE_S  30 /* a child that does not end is ended by its alarm: the test then fails */
#define STILL_THERE 'y'

static atomic_uint_fast64_t now_ns = START_NS;
static atomic_uint looks; /* at the clock */

static uint64_t read_now(void) {
  atomic_fetch_add(&looks, 1);
  return atomic_load(&now_ns);
}

/* The watching thread is the only one that looks at the clock: the second look began after the clock was set. */
static void wait_for_two_looks(void) {
  const unsigned seen = atomic_load(&looks);
  while (atomic_load(&looks) - seen < 2) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

/* A call that never ends. Tells when it has lived through a look at `before_s`, then the clock goes to `after_s`. */
static void hang(double limit_s, double before_s, double after_s, int fd) {
  const struct ts_op_descriptor descriptor = {.struct_bytes = sizeof descriptor, .name = "test.hang"};
  struct ts_op op = {.descriptor = &descriptor, .origin = TS_OP_BUILT_IN, .source = ""};
  const struct ts_op_context context = {.timeout_s = limit_s};
  const struct ts_call_state state = {.op = &op, .context = &context};
  struct ts_watched watched = {.state = &state};
  const struct ts_watch_options options = {.resume = "", .limit_s = limit_s};
  struct ts_error err = {0};
  bool watching = false;
  const char still_there = STILL_THERE;
  alarm(PATIENCE_S);
  ts_clock_set_fake(read_now);
  if (!ts_watch_start(&options, &watching, &err) || !watching) _exit(99);
  ts_watch_enter(&watched);
  atomic_store(&now_ns, START_NS + (uint64_t)(before_s * NS_PER_S));
  wait_for_two_looks();
  if (write(fd, &still_there, 1) != 1) _exit(98);
  atomic_store(&now_ns, START_NS + (uint64_t)(after_s * NS_PER_S));
  for (;;) pause();
}

/* Ends after `after_s`, with the exit code for an operation that hangs, and not before. */
static void assert_ends_between(double limit_s, double before_s, double after_s) {
  int fds[2];
  int status = 0;
  char answer = 0;
  assert_int_equal(pipe(fds), 0);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) hang(limit_s, before_s, after_s, fds[1]);
  close(fds[1]);
  const ssize_t count = read(fds[0], &answer, 1);
  close(fds[0]);
  assert_int_equal(waitpid(child, &status, 0), child);
  if (count != 1 || answer != STILL_THERE) fail_msg("limit %g s: it ended before %g s", limit_s, before_s);
  if (WIFSIGNALED(status)) fail_msg("limit %g s: at %g s it still runs", limit_s, after_s);
  assert_int_equal(WEXITSTATUS(status), 1);
}

/* As long again as the limit, but not more than five seconds: operations look for cancellation now and then. */
static void an_operation_gets_some_more_time(void **state) {
  (void)state;
  assert_ends_between(100, 104.9, 105.1);
  assert_ends_between(6, 10.9, 11.1);
  assert_ends_between(2, 3.9, 4.1);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(an_operation_gets_some_more_time)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
