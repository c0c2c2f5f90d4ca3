/* Starts worker processes and listens to what they say on standard error.
 * SPDX-License-Identifier: Apache-2.0 */
#include "dist/children.h"

#include "base/alloc.h"
#include "base/const.h"
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LAST_BYTES ((size_t)4096) /* kept of what a process said */
#define WARNING    "warning: "

extern char **environ; // NOLINT(readability-redundant-declaration): not in every header of the C library

static int set_files(posix_spawn_file_actions_t *actions, int error_fd) {
  int status = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (status == 0) status = posix_spawn_file_actions_addopen(actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  if (status == 0) status = posix_spawn_file_actions_adddup2(actions, error_fd, STDERR_FILENO);
  if (status == 0) status = posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1);
  return status;
}

static int set_attributes(posix_spawnattr_t *attributes) {
  sigset_t none, usual;
  sigemptyset(&none);
  sigemptyset(&usual);
  const int handled[] = {SIGINT, SIGTERM, SIGPIPE, SIGALRM, SIGCHLD};
  for (size_t i = 0; i < sizeof handled / sizeof *handled; i++) sigaddset(&usual, handled[i]);
  int status =
      posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  if (status == 0) status = posix_spawnattr_setpgroup(attributes, 0);
  if (status == 0) status = posix_spawnattr_setsigmask(attributes, &none);
  if (status == 0) status = posix_spawnattr_setsigdefault(attributes, &usual);
  return status;
}

static int spawn(pid_t *pid, const char *program, const char *socket, int error_fd) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  const char *words[] = {"tessera", "worker", "--connect", socket, NULL};
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  int status = set_files(&actions, error_fd);
  if (status == 0) status = set_attributes(&attributes);
  if (status == 0) status = posix_spawn(pid, program, &actions, &attributes, ts_without_const(words), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return status;
}

bool ts_child_start(struct ts_child *child, const char *program, const char *socket, struct ts_error *err) {
  int ends[2];
  *child = (struct ts_child){.error_fd = -1};
  int status = pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno;
  if (status == 0) {
    status = spawn(&child->pid, program, socket, ends[1]);
    close(ends[1]);
    child->error_fd = ends[0];
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
  }
  if (status == 0) return true;
  child->pid = 0;
  ts_child_release(child);
  ts_fail(err, TS_ERR_SYSTEM, "a worker process could not be started from '%s': %s", program, strerror(status));
  ts_error_help(err, "see that the program is still there and may be run, and the limit of processes (ulimit -u); then "
                     "continue with --resume");
  return false;
}

static void keep(struct ts_child *child, const char *text, size_t length) {
  ts_str_add_bytes(&child->last, text, length);
  if (child->last.length <= LAST_BYTES) return;
  size_t surplus = child->last.length - LAST_BYTES;
  memmove(child->last.data, child->last.data + surplus, LAST_BYTES);
  child->last.length = LAST_BYTES;
  child->last.data[LAST_BYTES] = '\0';
}

static void take_line(struct ts_child *child, const char *line, size_t length) {
  if (length > strlen(WARNING) && strncmp(line, WARNING, strlen(WARNING)) == 0) {
    ts_log(TS_LOG_WARN, "%.*s", (int)(length - strlen(WARNING)), line + strlen(WARNING));
    return;
  }
  ts_log(TS_LOG_DEBUG, "worker %d: %.*s", (int)child->pid, (int)length, line);
  if (length > 0) keep(child, line, length);
  if (length > 0) keep(child, "\n", 1);
}

static void take_text(struct ts_child *child, const char *text, size_t length) {
  for (size_t i = 0; i < length; i++) {
    if (text[i] != '\n' && child->line.length < LAST_BYTES) {
      ts_str_add_char(&child->line, text[i]);
      continue;
    }
    take_line(child, ts_str_get(&child->line), child->line.length);
    ts_str_clear(&child->line);
  }
}

void ts_child_listen(struct ts_child *child) {
  char text[4096];
  while (child->error_fd >= 0) {
    ssize_t count = read(child->error_fd, text, sizeof text);
    if (count > 0) {
      take_text(child, text, (size_t)count);
    } else if (count < 0 && errno == EINTR) {
      continue;
    } else {
      if (count == 0) { /* all who could write are gone */
        close(child->error_fd);
        child->error_fd = -1;
      }
      return;
    }
  }
}

bool ts_child_has_ended(struct ts_child *child) {
  if (child->pid == 0) return true;
  pid_t ended = waitpid(child->pid, &child->status, WNOHANG);
  if (ended != child->pid && !(ended < 0 && errno == ECHILD)) return false;
  child->pid = 0;
  ts_child_listen(child);
  take_text(child, "\n", 1);
  return true;
}

void ts_child_signal(const struct ts_child *child, int number) {
  if (child->pid > 0) kill(child->pid, number);
}

void ts_child_describe(const struct ts_child *child, struct ts_str *out) {
  if (WIFSIGNALED(child->status))
    ts_str_addf(out, "was killed by signal %d (%s)", WTERMSIG(child->status), strsignal(WTERMSIG(child->status)));
  else
    ts_str_addf(out, "ended with code %d", WEXITSTATUS(child->status));
}

void ts_child_release(struct ts_child *child) {
  if (child->pid > 0) {
    kill(child->pid, SIGKILL);
    while (waitpid(child->pid, &child->status, 0) < 0 && errno == EINTR) {
    }
    child->pid = 0;
  }
  if (child->error_fd >= 0) close(child->error_fd);
  child->error_fd = -1;
  ts_str_release(&child->line);
  ts_str_release(&child->last);
}
