/* Starts worker processes and listens to their standard error.
 * SPDX-License-Identifier: Apache-2.0 */
#include "dist/children.h"

#include "base/alloc.h"
#include "base/log.h"
#include "base/process/last_words.h"
#include "base/process/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LAST_BYTES ((size_t)4096) /* kept of the messages of a process */

/* Signals that this process may ignore or handle; others, such as SIGHUP under nohup, a worker ignores as this process
 * does. */
static const int reset_signals[] = {SIGINT, SIGTERM, SIGPIPE, SIGALRM, SIGCHLD, 0};

static int start(pid_t *pid, const char *program, const char *socket, const char *id, int error_fd) {
  ts_auto(ts_str_release) struct ts_str place = {0};
  ts_str_addf(&place, "%s@%s", id, socket);
  const char *const words[] = {"tessera", "worker", "--connect", ts_str_get(&place), NULL};
  const struct ts_spawn options = {
      .program = program, .words = words, .output_fd = -1, .error_fd = error_fd, .signals = reset_signals};
  return ts_spawn(&options, pid);
}

bool ts_child_start(struct ts_child *child, const char *program, const char *socket, const char *id,
                    struct ts_error *err) {
  int ends[2];
  *child = (struct ts_child){.error_fd = -1};
  int status = pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno;
  if (status == 0) {
    status = start(&child->pid, program, socket, id, ends[1]);
    close(ends[1]);
    child->error_fd = ends[0];
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
  }
  if (status == 0) return true;
  child->pid = 0;
  ts_child_release(child);
  ts_fail(err, TS_ERR_SYSTEM, "a worker process could not be started from '%s': %s", program, strerror(status));
  return ts_error_help(
      err, "see that the program is still there and may be run, and the limit of processes (ulimit -u); then "
           "continue with --resume");
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
  ts_log(TS_LOG_DEBUG, "worker %d: %.*s", (int)child->pid, (int)length, line);
  if (length == 0 || ts_last_words_read(line, &child->end)) return;
  keep(child, line, length);
  keep(child, "\n", 1);
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
      if (count == 0) { /* all writers are gone */
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
