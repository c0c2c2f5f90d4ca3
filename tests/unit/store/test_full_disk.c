/* A disk that takes no more: the loss is told once, nothing half written stays, and finding goes on.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Where the test may mount, the disk is a small tmpfs; everywhere, files are also stopped by a limit of their size. */
#include "unit/store/support.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define RECORDS 2000

static char folder[SCRATCH_SIZE];

static size_t size_of(uint64_t number) { return number % 16 == 0 ? 100000 : 3000; }

static size_t files_below(const char *path) {
  char text[1024];
  size_t count = 0;
  DIR *directory = opendir(path);
  if (!directory) return 0;
  const struct dirent *entry;
  while ((entry = readdir(directory))) {
    if (entry->d_name[0] == '.') continue;
    snprintf(text, sizeof text, "%s/%s", path, entry->d_name);
    count += entry->d_type == DT_DIR ? files_below(text) : 1;
  }
  closedir(directory);
  return count;
}

/* Fills the store until a flush fails; returns how many records the flushes before it kept. */
static uint64_t fill(struct ts_store *store, struct ts_error *err) {
  uint64_t kept = 0;
  for (uint64_t i = 0; i < RECORDS; i++) {
    put_sample(store, i, size_of(i));
    if (i % 50 != 49) continue;
    if (!ts_store_flush(store, err)) return kept;
    kept = i + 1;
  }
  return kept;
}

static void the_loss_is_told_and_the_rest_is_whole(void **state) {
  (void)state;
  struct ts_error err = {0};
  struct ts_store *store = open_store(folder);
  const uint64_t kept = fill(store, &err);
  assert_int_equal(err.code, TS_ERR_STORE);
  if (!strstr(err.help, "space")) fail_msg("'%s' does not help with '%s'", err.help, err.text);
  assert_in_range(kept, 50, RECORDS - 50);
  for (uint64_t i = 0; i < kept; i++) assert_sample_whole(store, i, size_of(i));
  put_sample(store, RECORDS, 10); /* dropped without a word until the next flush */
  assert_false(has_record(store, RECORDS));
  struct ts_error again = {0};
  assert_false(ts_store_flush(store, &again));
  assert_string_equal(again.text, err.text);
  ts_store_close(store);
  size_t large = 0;
  store = open_to_read(folder);
  for (uint64_t i = 0; i < RECORDS; i++) {
    if (!has_record(store, i)) continue;
    assert_true(i < kept + 50);
    assert_sample_whole(store, i, size_of(i));
    large += i % 16 == 0;
  }
  ts_store_close(store);
  char objects[SCRATCH_SIZE + 16];
  snprintf(objects, sizeof objects, "%s/objects", folder);
  assert_int_equal(files_below(objects), large); /* no file without a record */
}

static int limit_files(void) {
  const struct rlimit limit = {.rlim_cur = 2 * 1024 * 1024, .rlim_max = 2 * 1024 * 1024};
  signal(SIGXFSZ, SIG_IGN);
  return setrlimit(RLIMIT_FSIZE, &limit);
}

/* In a name space of its own, so that the mount ends with the process. */
static int mount_small(void) {
  if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) return -1;
  return mount("tmpfs", folder, "tmpfs", 0, "size=5m");
}

/* Runs the test in a process that has little room in its folder; returns the number of failures. */
static int run_in_child(const char *name, int (*prepare)(void), bool may_be_refused) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_loss_is_told_and_the_rest_is_whole)};
  scratch_create(folder);
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    if (prepare() != 0) {
      fprintf(stderr, "%s: cannot be had here (%s)\n", name, strerror(errno));
      _exit(may_be_refused ? 0 : 1);
    }
    const int failed = cmocka_run_group_tests_name(name, tests, NULL, NULL);
    fflush(NULL);
    _exit(failed);
  }
  int status = -1;
  const bool ended = child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status);
  scratch_remove(folder);
  return ended ? WEXITSTATUS(status) : 1;
}

int main(void) {
  return run_in_child("limited file size", limit_files, false) + run_in_child("full file system", mount_small, true);
}
