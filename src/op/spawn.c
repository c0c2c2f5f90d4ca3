/* Starts the process of a command as posix_spawn does, but the kernel ends it together with the thread that waits.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The child runs in the memory of its parent, which waits until the child has become another program: nothing of a
 * process that holds gigabytes of pixels is copied. Until then the child may do nothing that the parent would
 * notice. So it asks the system directly, without the C library and the sanitizers, which record files and signals. */
#include "op/op_int.h"

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

struct birth {
  const struct ts_process *process; /* borrowed */
  int output;
  pid_t parent;
  int error; /* set by the child */
};

/* Default meaning of all signals; the structure of the kernel's call, all zero, says so. */
PLAIN static void reset_signals(void) {
  static const unsigned long usual[8];
  for (int number = 1; number < _NSIG; number++) syscall(SYS_rt_sigaction, number, usual, NULL, (size_t)_NSIG / 8);
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, usual, NULL, (size_t)_NSIG / 8);
}

/* No input, output into the pipe, no other open file. */
PLAIN static bool set_files(int output) {
  const long copy = syscall(SYS_fcntl, output, F_DUPFD, STDERR_FILENO + 1);
  const long nothing = syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY, 0);
  if (copy < 0 || nothing < 0) return false;
  if (syscall(SYS_dup3, copy, STDOUT_FILENO, 0) < 0 || syscall(SYS_dup3, copy, STDERR_FILENO, 0) < 0) return false;
  if (nothing != STDIN_FILENO && syscall(SYS_dup3, nothing, STDIN_FILENO, 0) < 0) return false;
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

/* A signal at the death of the parent is requested first: if the parent is dead already, no thread waits for this
 * child. */
PLAIN static int become_program(void *argument) {
  struct birth *birth = argument;
  const struct ts_process *process = birth->process;
  bool ok = syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0 && syscall(SYS_getppid) == birth->parent;
  ok = ok && syscall(SYS_setpgid, 0, 0) == 0 && set_files(birth->output) && limit_files(process->most_bytes) &&
       syscall(SYS_chdir, process->folder) == 0;
  if (ok) {
    reset_signals();
    syscall(SYS_execve, process->words[0], process->words, process->environment);
  }
  birth->error = errno != 0 ? errno : ECHILD;
  syscall(SYS_exit_group, FAILED_CODE);
  return FAILED_CODE;
}

int ts_process_spawn(const struct ts_process *process, int output, pid_t *child) {
  _Alignas(64) char stack[STACK_BYTES];
  struct birth birth = {.process = process, .output = output, .parent = getpid()};
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
