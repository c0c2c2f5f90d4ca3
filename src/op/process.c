/* Running another program: no shell, a process group of its own, output captured, a time limit, stopped on request.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The child (base/process/spawn.c) is watched through its output: it ends when the pipes close, which most programs do
 * by exiting; only one that closes its output early, or leaves it to a grandchild, is waited for in short steps. Output
 * and error output have a pipe each, because only the second is shown unasked; together they are one text, in the order
 * in which they came. */
#include "op/op_int.h"

#include "base/budget.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/process/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* How long a stop request, or a time limit, may stay unseen. */
#define WATCH_STEP_MS 20
/* The folder of a command is measured again before it can be full: each file is bounded by the system, many files
 * together by this. A folder of ten files takes some 20 µs. */
#define FASTEST_BYTES_PER_NS 2 /* 2 GB/s, more than a command writes into many files */
#define SHORTEST_LOOK_NS     1000000
#define LONGEST_LOOK_NS      250000000

#define SHELL_SIGNALS 128

struct watch {
  struct ts_process *process;   /* borrowed */
  struct ts_captured *captured; /* borrowed */
  pid_t child;
  int pipes[2];         /* output and error output; -1 once they were closed */
  uint64_t deadline_ns; /* 0: none */
  uint64_t measure_ns;  /* when the folder is measured next; only with a limit */
  int step_ms;
};

static bool system_error(struct ts_error *err, const char *what, int number) {
  return ts_fail(err, TS_ERR_SYSTEM, "%s: %s", what, strerror(number));
}

/* Reads one buffer at a time, so that a child that never stops writing cannot outrun its time limit. True if there
 * was something; closes the pipe at its end. */
static bool drain(struct watch *watch, int which) {
  char bytes[64 * 1024];
  ssize_t count = read(watch->pipes[which], bytes, sizeof(bytes));
  if (count > 0) ts_captured_add(watch->captured, bytes, (size_t)count, which == 1);
  if (count > 0) return true;
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return false;
  close(watch->pipes[which]);
  watch->pipes[which] = -1;
  return false;
}

/* Reads the rest of the pipes of a child that has ended; the bound is for a grandchild that left the group and goes
 * on writing. */
static void drain_rest(struct watch *watch) {
  for (int which = 0; which < 2; which++) {
    for (int i = 0; i < 16 && watch->pipes[which] >= 0; i++)
      if (!drain(watch, which)) break;
    if (watch->pipes[which] >= 0) close(watch->pipes[which]);
    watch->pipes[which] = -1;
  }
}

static bool has_ended(const struct watch *watch) {
  siginfo_t info = {0};
  /* WNOWAIT leaves the zombie, hence its process group cannot be anyone else's yet when it is killed. */
  int status = waitid(P_PID, (id_t)watch->child, &info, WEXITED | WNOHANG | WNOWAIT);
  return status != 0 ? errno != EINTR : info.si_pid == watch->child;
}

uint64_t ts_process_next_look_ns(uint64_t left_bytes, uint64_t look_ns) {
  uint64_t wait_ns = left_bytes / FASTEST_BYTES_PER_NS;
  if (wait_ns > LONGEST_LOOK_NS) wait_ns = LONGEST_LOOK_NS;
  if (wait_ns < SHORTEST_LOOK_NS) wait_ns = SHORTEST_LOOK_NS;
  return wait_ns > look_ns ? wait_ns : look_ns;
}

/* Whether the folder holds more than it may, alone or with those of others; decides when it is measured again. */
static bool is_full(struct watch *watch, uint64_t now_ns, enum ts_process_end *why) {
  const uint64_t most_bytes = watch->process->most_bytes;
  const uint64_t used_bytes = ts_folder_used_bytes(watch->process->folder);
  uint64_t left_bytes = 0;
  *why = TS_PROCESS_FULL;
  if (used_bytes > most_bytes) return true;
  *why = TS_PROCESS_CROWDED;
  if (!ts_budget_book_command(watch->process->share, used_bytes, &left_bytes)) return true;
  const uint64_t then_ns = ts_clock_ns();
  watch->measure_ns = then_ns + ts_process_next_look_ns(left_bytes, then_ns - now_ns);
  return false;
}

/* Why the child must be stopped now, if it must. */
static bool must_stop(struct watch *watch, enum ts_process_end *why) {
  const struct ts_process *process = watch->process;
  if (process->cancelled && atomic_load_explicit(process->cancelled, memory_order_relaxed)) {
    *why = TS_PROCESS_CANCELLED;
    return true;
  }
  const uint64_t now_ns = ts_clock_ns();
  if (process->most_bytes > 0 && now_ns >= watch->measure_ns && is_full(watch, now_ns, why)) return true;
  *why = TS_PROCESS_TIMED_OUT;
  return watch->deadline_ns > 0 && now_ns >= watch->deadline_ns;
}

/* No longer than until the folder is measured. */
static int step_ms(const struct watch *watch, int most_ms) {
  if (watch->process->most_bytes == 0) return most_ms;
  const uint64_t now_ns = ts_clock_ns();
  const uint64_t left_ns = watch->measure_ns > now_ns ? watch->measure_ns - now_ns : 0;
  return left_ns / 1000000 < (uint64_t)most_ms ? (int)(left_ns / 1000000) + 1 : most_ms;
}

/* Waits for output, or for the end of the child once it has closed its output. */
static void wait_step(struct watch *watch) {
  if (watch->pipes[0] >= 0 || watch->pipes[1] >= 0) {
    /* Asked in this order, output that came before error output is there when that is, and is read first. */
    struct pollfd entries[2] = {{.fd = watch->pipes[1], .events = POLLIN}, {.fd = watch->pipes[0], .events = POLLIN}};
    const bool any = poll(entries, 2, step_ms(watch, WATCH_STEP_MS)) > 0;
    if (any && entries[1].revents != 0) drain(watch, 0);
    if (any && entries[0].revents != 0) drain(watch, 1);
  } else {
    poll(NULL, 0, step_ms(watch, watch->step_ms));
    if (watch->step_ms < WATCH_STEP_MS) watch->step_ms++;
  }
}

static void watch_child(struct watch *watch) {
  struct ts_process *process = watch->process;
  bool stopped = false;
  while (!stopped && !has_ended(watch)) {
    stopped = must_stop(watch, &process->end);
    if (!stopped) wait_step(watch);
  }
  kill(-watch->child, SIGKILL);
  int status = 0;
  while (waitpid(watch->child, &status, 0) < 0 && errno == EINTR) {
  }
  drain_rest(watch);
  if (stopped) return;
  bool signalled = WIFSIGNALED(status);
  process->end = signalled ? TS_PROCESS_SIGNALLED : TS_PROCESS_EXITED;
  process->status = signalled ? WTERMSIG(status) : WEXITSTATUS(status);
  /* Shells report the signal of a program that they ran as an exit status. */
  const int signal_number = signalled ? process->status : process->status - SHELL_SIGNALS;
  if (process->most_bytes > 0 && signal_number == SIGXFSZ) process->end = TS_PROCESS_FULL;
}

/* The kernel kills the child if this thread ends: nobody would watch it any longer. */
static int start(const struct ts_process *process, int output_fd, int error_fd, pid_t *child) {
  const struct ts_spawn options = {.program = process->words[0],
                                   .words = process->words,
                                   .environment = process->environment,
                                   .folder = process->folder,
                                   .output_fd = output_fd,
                                   .error_fd = error_fd,
                                   .most_bytes = process->most_bytes,
                                   .ends_with_thread = true};
  return ts_spawn(&options, child);
}

/* Only our end may not block: the child writes as to any pipe. */
static bool open_pipe(int ends[2], struct ts_error *err) {
  if (pipe2(ends, O_CLOEXEC) != 0) return system_error(err, "no pipe for a command", errno);
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return true;
}

static void close_pipe(const int ends[2]) {
  close(ends[0]);
  close(ends[1]);
}

bool ts_process_run(struct ts_process *process, struct ts_captured *captured, struct ts_error *err) {
  int output[2], error[2];
  if (!open_pipe(output, err)) return false;
  if (!open_pipe(error, err)) {
    close_pipe(output);
    return false;
  }
  struct watch watch = {.process = process, .captured = captured, .pipes = {output[0], error[0]}};
  watch.measure_ns = ts_clock_ns() + ts_process_next_look_ns(process->most_bytes, 0);
  if (process->timeout_s > 0) watch.deadline_ns = ts_clock_ns() + (uint64_t)(process->timeout_s * 1e9);
  int status = start(process, output[1], error[1], &watch.child);
  close(output[1]);
  close(error[1]);
  if (status != 0) {
    close(output[0]);
    close(error[0]);
    ts_fail(err, TS_ERR_COMMAND, "'%s' could not be started: %s", process->words[0], strerror(status));
    return ts_error_help(err, "check that the program is there and may be executed");
  }
  watch_child(&watch);
  return true;
}
