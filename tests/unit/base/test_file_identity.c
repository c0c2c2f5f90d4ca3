/* Identities of files: every kind of change gives another one, also the second of two within one tick of the clock.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/base/testing.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/file_identity.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#define TMPFS_MAGIC_NUMBER 0x01021994 /* man 2 statfs: a file system in memory */
#define SECOND_NS          INT64_C(1000000000)
#define MS_NS              INT64_C(1000000)

static char folder[64];
static char *path;

static void put(const char *name, const char *text) {
  FILE *file = fopen(name, "r+");
  if (!file) file = fopen(name, "w");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
}

static int setup(void **state) {
  (void)state;
  scratch_create(folder);
  path = ts_path_join(folder, "data");
  put(path, "0123456789");
  return 0;
}

static int teardown(void **state) {
  (void)state;
  scratch_remove(folder);
  free(path);
  return 0;
}

static struct ts_file_identity now(void) {
  struct ts_file_identity identity;
  struct ts_error err = {0};
  assert_true(ts_file_identify_settled(path, &identity, &err));
  return identity;
}

static void append(void) {
  FILE *file = fopen(path, "a");
  assert_non_null(file);
  fputs("x", file);
  fclose(file);
}
static void overwrite(void) { put(path, "abcdefghij"); }
static void cut(void) { assert_int_equal(truncate(path, 5), 0); }
static void replace(void) {
  ts_auto_free char *other = ts_path_join(folder, "other");
  put(other, "0123456789");
  assert_int_equal(rename(other, path), 0);
}
/* The old modification time is put back, as careful copying programs do. */
static void overwrite_and_date_back(void) {
  struct stat status;
  assert_int_equal(stat(path, &status), 0);
  overwrite();
  assert_int_equal(utimensat(AT_FDCWD, path, (struct timespec[]){status.st_atim, status.st_mtim}, 0), 0);
}
static void change_mode(void) { assert_int_equal(chmod(path, 0600), 0); }

static void every_change_gives_another_identity(void **state) {
  (void)state;
  static void (*const changes[])(void) = {append, overwrite, cut, replace, overwrite_and_date_back, change_mode};
  for (size_t i = 0; i < COUNT_OF(changes); i++) {
    const struct ts_file_identity before = now();
    const struct ts_file_identity again = now();
    assert_true(ts_file_identity_equal(&before, &again));
    changes[i]();
    const struct ts_file_identity after = now();
    assert_false(ts_file_identity_equal(&before, &after));
  }
}

static void each_member_counts(void **state) {
  (void)state;
  const struct ts_file_identity one = {1, 2, 3, 4, 5};
  const struct ts_file_identity others[] = {
      {0, 2, 3, 4, 5}, {1, 0, 3, 4, 5}, {1, 2, 0, 4, 5}, {1, 2, 3, 0, 5}, {1, 2, 3, 4, 0}};
  assert_true(ts_file_identity_equal(&one, &one));
  for (size_t i = 0; i < COUNT_OF(others); i++) assert_false(ts_file_identity_equal(&one, &others[i]));
}

/* Written just before and just after: without waiting for the clock both writes would have the same time. */
static void a_write_right_after_is_seen(void **state) {
  (void)state;
  for (int i = 0; i < 30; i++) {
    put(path, "one");
    struct ts_file_identity before, after;
    struct ts_sha256 digest, expected;
    struct ts_error err = {0};
    assert_true(ts_file_digest(path, &digest, &before, &err));
    ts_sha256_of("one3456789", 10, &expected);
    assert_memory_equal(&digest, &expected, sizeof digest);
    put(path, "two");
    assert_true(ts_file_identify(path, &after, &err));
    assert_false(ts_file_identity_equal(&before, &after));
  }
}

/* The kernel changes the times at the first write to a page that is mapped, and not again before it has written it
 * back. */
static void a_second_write_through_a_mapping_is_seen(void **state) {
  (void)state;
  struct statfs system;
  assert_int_equal(statfs(folder, &system), 0);
  if (system.f_type == TMPFS_MAGIC_NUMBER) skip(); /* there mappings never leave a trace: docs/faults.md */
  int fd = open(path, O_RDWR);
  assert_true(fd >= 0);
  char *bytes = mmap(NULL, 10, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  assert_true(bytes != MAP_FAILED);
  bytes[0] = 'a';
  const struct ts_file_identity before = now();
  bytes[0] = 'b';
  const struct ts_file_identity after = now();
  assert_false(ts_file_identity_equal(&before, &after));
  munmap(bytes, 10);
  close(fd);
}

/* Two ticks of a clock of 100 Hz; two seconds where both times are whole seconds, as on FAT. */
static void the_wait_depends_on_the_grain_of_the_times(void **state) {
  (void)state;
  const int64_t at = 1000 * SECOND_NS + 7 * MS_NS;
  const struct {
    int64_t mtime_ns, ctime_ns, now_ns, wait_ns;
  } cases[] = {
      {at, at, at, 20 * MS_NS},
      {at, at, at + 5 * MS_NS, 15 * MS_NS},
      {at, at, at + 20 * MS_NS, 0},
      {at, at, at + SECOND_NS, 0},
      {at - SECOND_NS, at, at + 5 * MS_NS, 15 * MS_NS}, /* dated back */
      {at, at - SECOND_NS, at + 5 * MS_NS, 15 * MS_NS},
      {at + SECOND_NS, at, at + 20 * MS_NS, 0}, /* dated ahead */
      {at, at, at - SECOND_NS, 0},              /* the clock was set back */
      {1000 * SECOND_NS, 1000 * SECOND_NS, 1000 * SECOND_NS + 500 * MS_NS, 1500 * MS_NS},
      {1000 * SECOND_NS, 1000 * SECOND_NS, 1002 * SECOND_NS, 0},
      {1000 * SECOND_NS, at, 1000 * SECOND_NS + 500 * MS_NS, 0}, /* the modification time alone was set by hand */
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    const struct ts_file_identity identity = {.mtime_ns = cases[i].mtime_ns, .ctime_ns = cases[i].ctime_ns};
    assert_int_equal(ts_file_identity_wait_ns(&identity, cases[i].now_ns), cases[i].wait_ns);
  }
  const struct ts_file_identity fresh = {.mtime_ns = 0, .ctime_ns = at};
  assert_true(ts_file_identity_is_fresh(&fresh, at + 119 * SECOND_NS));
  assert_false(ts_file_identity_is_fresh(&fresh, at + 120 * SECOND_NS));
}

static void what_is_not_a_file_is_refused_without_waiting(void **state) {
  (void)state;
  ts_auto_free char *pipe_path = ts_path_join(folder, "pipe");
  ts_auto_free char *missing = ts_path_join(folder, "missing");
  assert_int_equal(mkfifo(pipe_path, 0600), 0);
  const char *const paths[] = {pipe_path, missing, folder};
  for (size_t i = 0; i < COUNT_OF(paths); i++) {
    struct ts_file_identity identity;
    struct ts_sha256 digest;
    struct ts_error err = {0};
    assert_false(ts_file_digest(paths[i], &digest, &identity, &err));
    assert_int_equal(err.code, TS_ERR_FILE_NOT_FOUND);
    assert_string_equal(err.where.file, paths[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(every_change_gives_another_identity, setup, teardown),
      cmocka_unit_test(each_member_counts),
      cmocka_unit_test_setup_teardown(a_write_right_after_is_seen, setup, teardown),
      cmocka_unit_test_setup_teardown(a_second_write_through_a_mapping_is_seen, setup, teardown),
      cmocka_unit_test(the_wait_depends_on_the_grain_of_the_times),
      cmocka_unit_test_setup_teardown(what_is_not_a_file_is_refused_without_waiting, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
