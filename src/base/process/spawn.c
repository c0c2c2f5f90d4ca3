/* Starts another program: as posix_spawn does, but the kernel can end it together with the thread that waits for it.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The child runs in the memory of its parent, which waits until the child has become another program: nothing of a
 * process that holds gigabytes of pixels is copied. Until then the child may do nothing that the parent would notice.
 * So it asks the system directly, without the C library and the sanitizers, which keep books about files and signals.
 * */
#include "base/process/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define STACK_BYTES 32768
#define FAILED_CODE 127
#define MOST_FILES  65536 /* closed one by one where the kernel cannot close them all at once (before 5.9) */

#if defined(__clang__) || defined(__GNUC__)
#define PLAIN __attribute__((no_sanitize("address"), no_sanitize("thread"), no_sanitize("undefined")))
#else
#define PLAIN
#endif

/* clone under its other name: the thread sanitizer takes a call of clone for a fork. */
// NOLINTNEXTLINE(bugprone-reserved-identifier)
extern int __clone(int (*run)(void *), void *stack, int flags, void *argument, ...);

extern char **environ; // NOLINT(readability-redundant-declaration): not in every header of the C library

struct birth {
  const struct ts_spawn *options; /* borrowed */
  const char *const *environment; /* borrowed */
  pid_t parent;
  int error; /* set by the child */
};

/* The structure of the kernel's call, all zero: the default meaning of a signal, or no signal at all. */
static const unsigned long usual[8];

PLAIN static void reset_signal(int number) { syscall(SYS_rt_sigaction, number, usual, NULL, (size_t)_NSIG / 8); }

/* Default meaning of the signals, or of all; none is blocked. */
PLAIN static void reset_signals(const int *signals) {
  for (; signals && *signals; signals++) reset_signal(*signals);
  for (int number = 1; !signals && number < _NSIG; number++) reset_signal(number);
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, usual, NULL, (size_t)_NSIG / 8);
}

/* A copy of the file, or /dev/null for -1, that lies above the standard streams, so that setting one of them cannot
 * close what another one needs. */
PLAIN static long copy_above(int fd, int mode) {
  const long source = fd >= 0 ? fd : syscall(SYS_openat, AT_FDCWD, "/dev/null", mode, 0);
  return source < 0 ? -1 : syscall(SYS_fcntl, source, F_DUPFD, STDERR_FILENO + 1);
}

/* No input, output and errors where they belong, no other open file. */
PLAIN static bool set_files(int output_fd, int error_fd) {
  const long input = copy_above(-1, O_RDONLY);
  const long output = copy_above(output_fd, O_WRONLY);
  const long error = copy_above(error_fd, O_WRONLY);
  if (input < 0 || output < 0 || error < 0) return false;
  if (syscall(SYS_dup3, input, STDIN_FILENO, 0) < 0 || syscall(SYS_dup3, output, STDOUT_FILENO, 0) < 0) return false;
  if (syscall(SYS_dup3, error, STDERR_FILENO, 0) < 0) return false;
  if (syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0) == 0) return true;
  for (int fd = STDERR_FILENO + 1; fd < MOST_FILES; fd++) syscall(SYS_close, fd);
  return true;
}

/* Files grow up to the limit and no further; limits that the user has set already stay where they are lower. */
PLAIN static bool limit_files(uint64_t most_bytes) {
  struct rlimit limit;
  if (most_bytes == 0 || syscall(SYS_prlimit64, 0, RLIMIT_FSIZE, NULL, &limit) != 0) return most_bytes == 0;
  if (limit.rlim_max > most_bytes) limit.rlim_max = most_bytes;
  if (limit.rlim_cur > most_bytes) limit.rlim_cur = most_bytes;
  return syscall(SYS_prlimit64, 0, RLIMIT_FSIZE, &limit, NULL) == 0;
}

/* The signal at the parent's end is asked for before the parent is looked at: if it ended before, nobody waits for this
 * child. */
PLAIN static bool bind_to_parent(pid_t parent) {
  return syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0 && syscall(SYS_getppid) == parent;
}

PLAIN static int become_program(void *argument) {
  struct birth *birth = argument;
  const struct ts_spawn *options = birth->options;
  bool ok = !options->ends_with_thread || bind_to_parent(birth->parent);
  ok = ok && syscall(SYS_setpgid, 0, 0) == 0 && set_files(options->output_fd, options->error_fd);
  ok = ok && limit_files(options->most_bytes) && (!options->folder || syscall(SYS_chdir, options->folder) == 0);
  if (ok) {
    reset_signals(options->signals);
    syscall(SYS_execve, options->program, options->words, birth->environment);
  }
  birth->error = errno != 0 ? errno : ECHILD;
  syscall(SYS_exit_group, FAILED_CODE);
  return FAILED_CODE;
}

int ts_spawn(const struct ts_spawn *options, pid_t *child) {
  _Alignas(64) char stack[STACK_BYTES];
  struct birth birth = {.options = options, .environment = options->environment, .parent = getpid()};
  if (!birth.environment) birth.environment = (const char *const *)environ;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before); /* a handler must not run in the child */
  errno = 0;
  *child = __clone(become_program, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, &birth);
  const int number = *child < 0 ? errno : birth.error;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (*child < 0 || number == 0) return number;
  while (waitpid(*child, NULL, 0) < 0 && errno == EINTR) {
  }
  return number;
}
