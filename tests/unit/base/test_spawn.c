/* Starting programs: how they end, and what they get of this process: files, environment, folder, signals, limits.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The programs are those of every Linux; what a child has is read from its output or by calls of the kernel. */
#include "unit/base/testing.h"

#include "base/process/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>

#define SHELL(script)                                                                                                  \
  { "sh", "-c", script, NULL }

static const char *const sleeper[] = {"sleep", "60", NULL};

static pid_t start(const struct ts_spawn *options) {
  pid_t child = 0;
  assert_int_equal(ts_spawn(options, &child), 0);
  assert_true(child > 0);
  return child;
}

static int wait_for(pid_t child) {
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  return status;
}

static int run_shell(const char *script) {
  const char *const words[] = SHELL(script);
  return wait_for(start(&(struct ts_spawn){.program = "/bin/sh", .words = words, .output_fd = -1, .error_fd = -1}));
}

/* Runs it with its output in a pipe; `text` gets what it wrote. */
static void read_output(struct ts_spawn *options, char text[4096]) {
  int ends[2];
  size_t length = 0;
  assert_int_equal(pipe(ends), 0);
  options->output_fd = ends[1];
  options->error_fd = -1;
  pid_t child = start(options);
  close(ends[1]);
  for (ssize_t count = 1; count > 0; length += (size_t)count) {
    count = read(ends[0], text + length, 4095 - length);
    assert_true(count >= 0);
  }
  text[length] = '\0';
  close(ends[0]);
  assert_int_equal(wait_for(child), 0);
}

static void shell_output(const char *script, char text[4096]) {
  const char *const words[] = SHELL(script);
  read_output(&(struct ts_spawn){.program = "/bin/sh", .words = words}, text);
}

static void exit_codes_arrive(void **state) {
  (void)state;
  for (int code = 0; code < 256; code += 85) {
    char script[32];
    snprintf(script, sizeof script, "exit %d", code);
    const int status = run_shell(script);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), code);
  }
}

static void the_signal_that_ended_it_arrives(void **state) {
  (void)state;
  const int status = run_shell("kill -TERM $$; exit 3");
  assert_true(WIFSIGNALED(status));
  assert_int_equal(WTERMSIG(status), SIGTERM);
}

static void a_program_that_cannot_start_leaves_no_child(void **state) {
  (void)state;
  char folder[64], path[96];
  scratch_create(folder);
  snprintf(path, sizeof path, "%s/program", folder);
  pid_t child = 0;
  struct ts_spawn options = {.program = path, .words = sleeper, .output_fd = -1, .error_fd = -1};
  assert_int_equal(ts_spawn(&options, &child), ENOENT);
  int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  assert_true(fd >= 0);
  close(fd);
  assert_int_equal(ts_spawn(&options, &child), EACCES);
  options.program = "/bin/sleep";
  options.folder = path;
  assert_int_equal(ts_spawn(&options, &child), ENOTDIR);
  options.folder = NULL;
  options.output_fd = INT_MAX; /* not an open file */
  assert_int_equal(ts_spawn(&options, &child), EBADF);
  assert_int_equal(waitpid(-1, NULL, 0), -1);
  assert_int_equal(errno, ECHILD);
  scratch_remove(folder);
}

static void the_environment_is_given_or_inherited(void **state) {
  (void)state;
  char text[4096];
  const char *const words[] = {"env", NULL};
  const char *const environment[] = {"ONE=1", "TWO=a b", NULL};
  struct ts_spawn options = {.program = "/usr/bin/env", .words = words, .environment = environment};
  read_output(&options, text);
  assert_string_equal(text, "ONE=1\nTWO=a b\n");
  setenv("TESSERA_TEST_SPAWN", "inherited", 1);
  shell_output("echo $TESSERA_TEST_SPAWN", text);
  assert_string_equal(text, "inherited\n");
  unsetenv("TESSERA_TEST_SPAWN");
}

static void it_runs_in_its_folder(void **state) {
  (void)state;
  char folder[64], real[PATH_MAX], text[4096];
  assert_non_null(realpath(scratch_create(folder), real));
  const char *const words[] = {"pwd", "-P", NULL};
  read_output(&(struct ts_spawn){.program = "/bin/pwd", .words = words, .folder = folder}, text);
  text[strcspn(text, "\n")] = '\0';
  assert_string_equal(text, real);
  read_output(&(struct ts_spawn){.program = "/bin/pwd", .words = words}, text);
  text[strcspn(text, "\n")] = '\0';
  assert_non_null(getcwd(real, sizeof real));
  assert_string_equal(text, real);
  scratch_remove(folder);
}

/* Files of this process that are not closed by exec, among them one of a high number. */
static void no_other_file_is_open(void **state) {
  (void)state;
  char script[256], text[4096];
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  const int high = fcntl(ends[0], F_DUPFD, 200);
  assert_true(high >= 200);
  snprintf(script, sizeof script,
           "for f in 0 1 2 %d %d %d; do if [ -e /proc/$$/fd/$f ]; then echo open; else echo closed; fi; done", ends[0],
           ends[1], high);
  shell_output(script, text);
  assert_string_equal(text, "open\nopen\nopen\nclosed\nclosed\nclosed\n");
  close(ends[0]);
  close(ends[1]);
  close(high);
}

static void there_is_no_input(void **state) {
  (void)state;
  char text[4096];
  shell_output("readlink /proc/$$/fd/0; readlink /proc/$$/fd/2; if read line; then echo line; else echo end; fi", text);
  assert_string_equal(text, "/dev/null\n/dev/null\nend\n");
}

/* What went into a file of the folder. */
static void assert_file(const char *folder, const char *name, const char *expected) {
  char path[128], text[64] = "";
  snprintf(path, sizeof path, "%s/%s", folder, name);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  assert_true(fd >= 0);
  assert_true(read(fd, text, sizeof text - 1) >= 0);
  close(fd);
  assert_string_equal(text, expected);
}

static int open_new(const char *folder, const char *name) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
}

/* In a process whose standard streams are closed the files get their numbers: output 0, errors 1, or the other way
 * round. */
static int start_with_closed_streams(const char *folder, bool output_first) {
  static const char *const words[] = SHELL("echo out; echo err >&2; if read line; then exit 1; fi");
  close(0);
  close(1);
  close(2);
  const int first = open_new(folder, output_first ? "out" : "err");
  const int second = open_new(folder, output_first ? "err" : "out");
  if (first != 0 || second != 1) return 3;
  struct ts_spawn options = {.program = "/bin/sh", .words = words};
  options.output_fd = output_first ? first : second;
  options.error_fd = output_first ? second : first;
  pid_t child = 0;
  int status = 0;
  if (ts_spawn(&options, &child) != 0 || waitpid(child, &status, 0) != child) return 4;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 5;
}

static void output_and_errors_are_separate_also_with_low_numbers(void **state) {
  (void)state;
  for (int output_first = 0; output_first < 2; output_first++) {
    char folder[64];
    scratch_create(folder);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) _exit(start_with_closed_streams(folder, output_first));
    assert_int_equal(wait_for(child), 0);
    assert_file(folder, "out", "out\n");
    assert_file(folder, "err", "err\n");
    scratch_remove(folder);
  }
}

/* The number in a line of /proc/self/status, which grep reads about itself. */
static unsigned long long signal_set(const char *name, const int *signals) {
  char text[4096];
  const char *const words[] = {"grep", name, "/proc/self/status", NULL};
  read_output(&(struct ts_spawn){.program = "/bin/grep", .words = words, .signals = signals}, text);
  return strtoull(text + strlen(name), NULL, 16);
}

static unsigned long long bit_of(int number) { return 1ULL << (number - 1); }

static void signals_are_not_blocked_and_have_their_default_meaning(void **state) {
  (void)state;
  sigset_t usr1, before;
  const int only_pipe[] = {SIGPIPE, 0};
  sigemptyset(&usr1);
  sigaddset(&usr1, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &usr1, &before);
  void (*old_hup)(int) = signal(SIGHUP, SIG_IGN);
  void (*old_pipe)(int) = signal(SIGPIPE, SIG_IGN);
  assert_int_equal(signal_set("SigBlk:", NULL), 0);
  assert_int_equal(signal_set("SigIgn:", NULL), 0);
  assert_int_equal(signal_set("SigBlk:", only_pipe), 0);
  const unsigned long long ignored = signal_set("SigIgn:", only_pipe);
  assert_int_equal(ignored & (bit_of(SIGHUP) | bit_of(SIGPIPE)), bit_of(SIGHUP));
  sigset_t now;
  pthread_sigmask(SIG_SETMASK, NULL, &now);
  assert_true(sigismember(&now, SIGUSR1) && !sigismember(&now, SIGTERM));
  signal(SIGHUP, old_hup);
  signal(SIGPIPE, old_pipe);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void it_leads_a_group_and_has_its_limit(void **state) {
  (void)state;
  struct rlimit own, limit;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &own), 0);
  struct ts_spawn options = {.program = "/bin/sleep", .words = sleeper, .output_fd = -1, .error_fd = -1};
  for (options.most_bytes = 0; options.most_bytes <= 12345; options.most_bytes += 12345) {
    pid_t child = start(&options);
    assert_int_equal(getpgid(child), child);
    assert_int_equal(prlimit(child, RLIMIT_FSIZE, NULL, &limit), 0);
    assert_true(limit.rlim_cur == (options.most_bytes ? options.most_bytes : own.rlim_cur));
    assert_true(limit.rlim_max == (options.most_bytes ? options.most_bytes : own.rlim_max));
    kill(child, SIGKILL);
    wait_for(child);
  }
}

static void *start_and_end(void *argument) {
  const struct ts_spawn options = {
      .program = "/bin/sleep", .words = sleeper, .output_fd = -1, .error_fd = -1, .ends_with_thread = true};
  if (ts_spawn(&options, argument) != 0) *(pid_t *)argument = -1;
  return NULL;
}

static void it_ends_with_the_thread_that_started_it(void **state) {
  (void)state;
  pthread_t thread;
  pid_t child = 0;
  assert_int_equal(pthread_create(&thread, NULL, start_and_end, &child), 0);
  assert_int_equal(pthread_join(thread, NULL), 0);
  assert_true(child > 0);
  const int status = wait_for(child);
  assert_true(WIFSIGNALED(status));
  assert_int_equal(WTERMSIG(status), SIGKILL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exit_codes_arrive),
      cmocka_unit_test(the_signal_that_ended_it_arrives),
      cmocka_unit_test(a_program_that_cannot_start_leaves_no_child),
      cmocka_unit_test(the_environment_is_given_or_inherited),
      cmocka_unit_test(it_runs_in_its_folder),
      cmocka_unit_test(no_other_file_is_open),
      cmocka_unit_test(there_is_no_input),
      cmocka_unit_test(output_and_errors_are_separate_also_with_low_numbers),
      cmocka_unit_test(signals_are_not_blocked_and_have_their_default_meaning),
      cmocka_unit_test(it_leads_a_group_and_has_its_limit),
      cmocka_unit_test(it_ends_with_the_thread_that_started_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
