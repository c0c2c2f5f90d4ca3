/* Files: whole reads, replacement without a moment of half a file, and every way a disk can refuse.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/base/testing.h"

#include "base/alloc.h"
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/stat.h>

typedef bool write_function(const char *path, const void *data, size_t size, struct ts_error *err);
static write_function *const writers[] = {ts_file_write_atomic, ts_file_write};

static char folder[64];

static int setup(void **state) {
  (void)state;
  scratch_create(folder);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  scratch_remove(folder);
  return 0;
}

static size_t entries_in(const char *path) {
  DIR *dir = opendir(path);
  assert_non_null(dir);
  size_t count = 0;
  const struct dirent *entry;
  while ((entry = readdir(dir))) count += entry->d_name[0] != '.' || strlen(entry->d_name) > 2;
  closedir(dir);
  return count;
}

static void temporaries_are_known_by_name(void **state) {
  (void)state;
  static const char *const others[] = {"",
                                       "run.json",
                                       ".tessera",
                                       ".tessera-",
                                       ".tessera-1.tmp",
                                       ".tessera-1-.tmp",
                                       ".tessera--1.tmp",
                                       ".tessera-1-2",
                                       ".tessera-1-2.tmp2",
                                       ".tessera-1-x.tmp",
                                       "x.tessera-1-2.tmp"};
  ts_auto_free char *path = ts_path_temporary("folder/of/results");
  assert_true(ts_name_is_temporary(ts_path_name(path)));
  assert_true(ts_name_is_temporary(".tessera-1-0.tmp"));
  for (size_t i = 0; i < COUNT_OF(others); i++) assert_false(ts_name_is_temporary(others[i]));
}

static void what_is_written_is_read(void **state) {
  (void)state;
  ts_auto_free char *path = ts_path_join(folder, "data");
  static const size_t sizes[] = {0, 1, 65535, 65536, 65537, 1000000};
  char *data = ts_malloc(1000000);
  for (size_t i = 0; i < 1000000; i++) data[i] = (char)(i * 7 + i / 256);
  for (size_t w = 0; w < COUNT_OF(writers); w++) {
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
      struct ts_error err = {0};
      assert_true(writers[w](path, data, sizes[i], &err));
      struct ts_str text = {0};
      assert_true(ts_file_read(path, 0, &text, &err));
      assert_int_equal(text.length, sizes[i]);
      assert_memory_equal(ts_str_get(&text), data, sizes[i]);
      ts_str_release(&text);
    }
  }
  assert_int_equal(entries_in(folder), 1);
  free(data);
}

static void reading_appends_and_is_bounded(void **state) {
  (void)state;
  ts_auto_free char *path = ts_path_join(folder, "data");
  struct ts_error err = {0};
  assert_true(ts_file_write(path, "12345", 5, &err));
  struct ts_str text = {0};
  ts_str_add(&text, ">");
  assert_true(ts_file_read(path, 5, &text, &err));
  assert_string_equal(ts_str_get(&text), ">12345");
  assert_false(ts_file_read(path, 4, &text, &err));
  assert_error(&err, TS_ERR_FILE_IO);
  assert_place(&err, path, 0, 0);
  assert_string_equal(ts_str_get(&text), ">12345");
  ts_str_release(&text);
}

static void expect_read_failure(const char *path, enum ts_error_code code) {
  struct ts_error err = {0};
  struct ts_str text = {0};
  assert_false(ts_file_read(path, 0, &text, &err));
  assert_error(&err, code);
  assert_non_null(strstr(err.text, path));
  assert_place(&err, path, 0, 0);
  ts_str_release(&text);
}

static void unreadable_files_are_named(void **state) {
  (void)state;
  ts_auto_free char *missing = ts_path_join(folder, "missing");
  ts_auto_free char *file = ts_path_join(folder, "file");
  ts_auto_free char *below_file = ts_path_join(file, "below");
  assert_true(ts_file_write(file, "x", 1, NULL));
  expect_read_failure(missing, TS_ERR_FILE_NOT_FOUND);
  expect_read_failure(below_file, TS_ERR_FILE_NOT_FOUND);
  expect_read_failure(folder, TS_ERR_FILE_IO);
  expect_read_failure("/proc/self/mem", TS_ERR_FILE_IO); /* opens, but address 0 cannot be read */
}

static void files_without_a_size_are_read(void **state) {
  (void)state;
  struct ts_str text = {0};
  assert_true(ts_file_read("/proc/self/status", 0, &text, NULL)); /* stat says 0 bytes */
  assert_true(ts_str_starts_with(ts_str_get(&text), "Name:"));
  ts_str_release(&text);
}

static void expect_write_failure(const char *path, const char *reason) {
  for (size_t w = 0; w < COUNT_OF(writers); w++) {
    struct ts_error err = {0};
    assert_false(writers[w](path, "new", 3, &err));
    assert_error(&err, TS_ERR_FILE_IO);
    if (!strstr(err.text, reason)) fail_msg("'%s' does not say '%s'", err.text, reason);
    assert_place(&err, path, 0, 0);
  }
}

static void unwritable_places_are_named(void **state) {
  (void)state;
  ts_auto_free char *file = ts_path_join(folder, "file");
  ts_auto_free char *below_file = ts_path_join(file, "below");
  ts_auto_free char *below_nothing = ts_path_join(folder, "nothing/below");
  char long_name[400];
  memset(long_name, 'a', sizeof long_name);
  long_name[sizeof long_name - 1] = '\0';
  ts_auto_free char *too_long = ts_path_join(folder, long_name);
  assert_true(ts_file_write(file, "old", 3, NULL));
  expect_write_failure(below_file, "Not a directory");
  expect_write_failure(below_nothing, "No such file");
  expect_write_failure(folder, "Is a directory");
  expect_write_failure("/dev/full", "No space left");
  struct ts_error err = {0};
  assert_false(ts_file_write_atomic(too_long, "x", 1, &err));
  assert_int_equal(err.code, TS_ERR_FILE_IO);
  assert_int_equal(entries_in(folder), 1); /* no leftovers */
}

static void devices_are_not_replaced(void **state) {
  (void)state;
  assert_true(ts_file_write_atomic("/dev/null", "x", 1, NULL));
  struct stat status;
  assert_int_equal(stat("/dev/null", &status), 0);
  assert_true(S_ISCHR(status.st_mode));
  assert_int_equal(stat("/dev/full", &status), 0);
  assert_true(S_ISCHR(status.st_mode));
}

static void a_name_of_full_length_is_written(void **state) {
  (void)state;
  char name[256];
  memset(name, 'n', 255);
  name[255] = '\0';
  ts_auto_free char *path = ts_path_join(folder, name);
  struct ts_error err = {0};
  assert_true(ts_file_write_atomic(path, "x", 1, &err));
  assert_true(ts_file_exists(path));
}

/* The disk fills up in the middle: the limit on file sizes stands in for it. */
static void write_beyond_the_limit(void **state) {
  (void)state;
  ts_auto_free char *path = ts_path_join(folder, "data");
  assert_true(ts_file_write(path, "old", 3, NULL));
  static char data[100000];
  struct rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  struct rlimit small = {.rlim_cur = 50000, .rlim_max = before.rlim_max};
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  struct ts_error errors[2] = {{0}};
  bool ok[2];
  for (size_t w = 0; w < 2; w++) ok[w] = writers[w](path, data, sizeof data, &errors[w]);
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, handler);
  for (size_t w = 0; w < 2; w++) {
    assert_false(ok[w]);
    assert_error(&errors[w], TS_ERR_FILE_IO);
  }
  struct ts_str text = {0};
  assert_true(ts_file_read(path, 0, &text, NULL));
  assert_string_equal(ts_str_get(&text), "old");
  ts_str_release(&text);
  assert_int_equal(entries_in(folder), 1);
}

#define WRITES 60
#define SIZE   30000

struct contest {
  const char *path; /* borrowed */
  char letter;
  size_t thread_failures;
};

static void *write_often(void *argument) {
  struct contest *contest = argument;
  char *data = ts_malloc(SIZE);
  memset(data, contest->letter, SIZE);
  for (int i = 0; i < WRITES; i++) contest->thread_failures += !ts_file_write(contest->path, data, SIZE, NULL);
  free(data);
  return NULL;
}

static atomic_bool writing_over;

static void *read_often(void *argument) {
  const char *path = argument;
  size_t torn = 0;
  while (!atomic_load(&writing_over)) {
    struct ts_str text = {0};
    bool ok = ts_file_read(path, 0, &text, NULL) && text.length == SIZE;
    torn += !ok || strspn(text.data, (char[]){text.data[0], '\0'}) != SIZE;
    ts_str_release(&text);
  }
  return torn ? argument : NULL;
}

/* invariant 13 */
static void readers_never_see_a_part(void **state) {
  (void)state;
  ts_auto_free char *path = ts_path_join(folder, "data");
  struct contest contests[3] = {{path, 'a', 0}, {path, 'b', 0}, {path, 'c', 0}};
  write_often(&contests[0]);
  pthread_t threads[3];
  pthread_t reader;
  atomic_store(&writing_over, false);
  assert_int_equal(pthread_create(&reader, NULL, read_often, path), 0);
  for (size_t i = 0; i < 3; i++) assert_int_equal(pthread_create(&threads[i], NULL, write_often, &contests[i]), 0);
  for (size_t i = 0; i < 3; i++) {
    pthread_join(threads[i], NULL);
    assert_int_equal(contests[i].thread_failures, 0);
  }
  atomic_store(&writing_over, true);
  void *torn = path;
  pthread_join(reader, &torn);
  assert_null(torn);
  assert_int_equal(entries_in(folder), 1);
}

/* A file left behind by a process that had this one's number is neither overwritten nor in the way. */
static void stale_temporaries_do_not_matter(void **state) {
  (void)state;
  for (int i = 0; i < 400; i++) {
    char name[128];
    snprintf(name, sizeof name, "%s/.tessera-%ld-%d.tmp", folder, (long)getpid(), i);
    int fd = open(name, O_CREAT | O_WRONLY, 0666);
    assert_true(fd >= 0);
    close(fd);
  }
  ts_auto_free char *path = ts_path_join(folder, "data");
  struct ts_error err = {0};
  assert_true(ts_file_write_atomic(path, "x", 1, &err));
  assert_int_equal(entries_in(folder), 401);
}

int main(void) {
  /* The first one meets the names it expects only while the process has written few files. */
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(stale_temporaries_do_not_matter, setup, teardown),
      cmocka_unit_test(temporaries_are_known_by_name),
      cmocka_unit_test_setup_teardown(what_is_written_is_read, setup, teardown),
      cmocka_unit_test_setup_teardown(reading_appends_and_is_bounded, setup, teardown),
      cmocka_unit_test_setup_teardown(unreadable_files_are_named, setup, teardown),
      cmocka_unit_test_setup_teardown(files_without_a_size_are_read, setup, teardown),
      cmocka_unit_test_setup_teardown(unwritable_places_are_named, setup, teardown),
      cmocka_unit_test_setup_teardown(devices_are_not_replaced, setup, teardown),
      cmocka_unit_test_setup_teardown(a_name_of_full_length_is_written, setup, teardown),
      cmocka_unit_test_setup_teardown(write_beyond_the_limit, setup, teardown),
      cmocka_unit_test_setup_teardown(readers_never_see_a_part, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
