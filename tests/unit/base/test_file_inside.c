/* Files and folders that stay inside a folder, names that cannot leave it, and the account of temporary files.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/base/testing.h"

#include "base/alloc.h"
#include "base/budget.h"
#include "base/file.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

static struct ts_budget budget;

static char folder[64];
static int entered;

static int setup(void **state) {
  (void)state;
  scratch_create(folder);
  entered = open(folder, O_RDONLY | O_DIRECTORY);
  return entered < 0;
}

static int teardown(void **state) {
  (void)state;
  close(entered);
  scratch_remove(folder);
  return 0;
}

static void put(const char *name, const char *text) {
  int file = openat(entered, name, O_WRONLY | O_CREAT | O_EXCL, 0600);
  assert_true(file >= 0);
  assert_int_equal(write(file, text, strlen(text)), strlen(text));
  close(file);
}

static void expect_kind(const char *name, const char *wanted) {
  uint64_t size;
  const char *kind = "untouched";
  assert_int_equal(ts_file_open_inside(entered, name, &size, &kind), -1);
  if (wanted) {
    assert_string_equal(kind, wanted);
  } else {
    assert_null(kind);
  }
}

static void only_regular_files_are_opened(void **state) {
  (void)state;
  uint64_t size = 0;
  const char *kind = NULL;
  put("file", "12345");
  int file = ts_file_open_inside(entered, "file", &size, &kind);
  assert_true(file >= 0 && size == 5 && kind == NULL);
  close(file);
  assert_int_equal(mkfifoat(entered, "pipe", 0600), 0);
  assert_int_equal(mkdirat(entered, "folder", 0700), 0);
  assert_int_equal(symlinkat("file", entered, "link"), 0);
  assert_int_equal(symlinkat("/dev/zero", entered, "zero"), 0);
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s/socket", folder);
  int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
  expect_kind("pipe", "a named pipe");
  expect_kind("folder", "a folder");
  expect_kind("link", "a symbolic link");
  expect_kind("zero", "a symbolic link");
  expect_kind("socket", "a socket");
  expect_kind("nothing", NULL);
  close(listener);
}

static void reads_are_exact(void **state) {
  (void)state;
  char bytes[8] = "";
  put("file", "12345");
  int file = openat(entered, "file", O_RDWR);
  assert_true(ts_file_read_exactly(file, bytes, 5));
  assert_memory_equal(bytes, "12345", 5);
  lseek(file, 0, SEEK_SET);
  assert_false(ts_file_read_exactly(file, bytes, 6)); /* it has become shorter than it was */
  close(file);
}

static void folders_stay_inside(void **state) {
  (void)state;
  struct ts_error err = {0};
  char path[96];
  assert_true(ts_folder_create_inside(folder, "a/b//c/.", &err));
  assert_true(ts_folder_create_inside(folder, "a/b", &err));
  assert_true(ts_folder_create_inside(folder, "", &err));
  snprintf(path, sizeof path, "%s/a/b/c", folder);
  assert_true(ts_folder_exists(path));
  assert_int_equal(mkdirat(entered, "elsewhere", 0700), 0);
  assert_int_equal(symlinkat("elsewhere", entered, "link"), 0);
  put("file", "");
  static const char *const refused[] = {"..", "a/../..", "link", "link/x", "file", "file/x"};
  for (size_t i = 0; i < COUNT_OF(refused); i++) {
    ts_error_clear(&err);
    assert_false(ts_folder_create_inside(folder, refused[i], &err));
    assert_int_equal(err.code, TS_ERR_FILE_IO);
    assert_non_null(strstr(err.text, "a link or a file"));
  }
  snprintf(path, sizeof path, "%s/elsewhere", folder);
  assert_true(ts_folder_is_empty(path));
}

static void stems_are_safe(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"...csv", "__"},
      {"a/..", "_"},
      {".hidden.png", "_hidden"},
      {"slide.ome.tif", "slide.ome"},
      {"a\nb.png", "a_b"},
      {"\x1b[31m.png", "_[31m"},
      {"", "_"},
      {"a/b/", "_"},
      {"....png", "___"},
      {"\x7f.png", "_"},
      {"K\xC3\xB6ln.png", "K\xC3\xB6ln"},
      {"\xff\xfe.png", "__"},
      {"..", "_"},
      {". .png", "_ "},
      {"\\..\\x.png", "\\..\\x"},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    ts_auto_free char *stem = ts_path_safe_stem(cases[i][0]);
    assert_string_equal(stem, cases[i][1]);
  }
  char name[256];
  memset(name, 'x', 255);
  name[255] = '\0';
  memcpy(name + 199, "\xC3\xB6", 2);
  ts_auto_free char *stem = ts_path_safe_stem(name);
  assert_int_equal(strlen(stem), 199); /* not half of a character */
}

/* ---- Temporary files ---- */

static void temporary_files_have_no_name(void **state) {
  (void)state;
  struct ts_error err = {0};
  struct stat status;
  assert_int_equal(setenv("TMPDIR", folder, 1), 0);
  int file = ts_budget_create_file(4096, &err);
  assert_true(file >= 0);
  assert_true(ts_folder_is_empty(folder));
  assert_int_equal(fstat(file, &status), 0);
  assert_int_equal(status.st_mode & 0777, 0600);
  assert_int_equal(status.st_nlink, 0);
  close(file);
  assert_int_equal(ts_budget_create_file(UINT64_MAX / 2, &err), -1); /* no disk has so much */
  assert_int_equal(err.code, TS_ERR_NO_SCRATCH);
  ts_error_clear(&err);
  assert_int_equal(setenv("TMPDIR", "/nonexistent", 1), 0);
  assert_int_equal(ts_budget_create_file(1, &err), -1);
  assert_int_equal(err.code, TS_ERR_NO_SCRATCH);
  unsetenv("TMPDIR");
}

/* Calls that run at the same time: each may go first, and what one has asked for goes with it. */
static void the_smallest_budget_holds(void **state) {
  (void)state;
  struct ts_budget other = {0}, third = {0};
  ts_budget_set(&budget, 1000, 0);
  ts_budget_set(&other, 2000, 100);
  ts_budget_set(&third, 0, 3000);
  assert_int_equal(ts_budget_memory_bytes(), 1000);
  assert_int_equal(ts_budget_scratch_bytes(), 100);
  ts_budget_set(&budget, 0, 0);
  assert_int_equal(ts_budget_memory_bytes(), 2000);
  ts_budget_set(&other, 0, 0);
  ts_budget_set(&other, 0, 0);
  assert_int_equal(ts_budget_scratch_bytes(), 3000);
  assert_true(ts_budget_memory_bytes() > 1000000);
  ts_budget_set(&third, 0, 0);
  assert_true(ts_budget_scratch_bytes() > 4000000);
}

static void defaults_follow_the_memory(void **state) {
  (void)state;
  ts_budget_set(&budget, 1000, 0);
  assert_int_equal(ts_budget_memory_bytes(), 1000);
  assert_int_equal(ts_budget_scratch_bytes(), 4000);
  ts_budget_set(&budget, 1000, 70);
  assert_int_equal(ts_budget_scratch_bytes(), 70);
  assert_int_equal(ts_budget_scratch_default(UINT64_MAX / 2), UINT64_MAX);
  ts_budget_set(&budget, 0, 0);
  assert_true(ts_budget_memory_bytes() > 1000000);
}

static int released; /* how often idle ones were asked for */

static void release_sixty(void) {
  released++;
  if (ts_budget_scratch_held() >= 60) ts_budget_return_scratch(60);
}

static void *take_eighty(void *unused) {
  (void)unused;
  static char taken;
  return ts_budget_take_scratch(80, NULL) ? &taken : NULL;
}

static void scratch_is_booked(void **state) {
  (void)state;
  ts_budget_set(&budget, 1000, 100);
  assert_false(ts_budget_take_scratch(101, NULL)); /* never: it does not wait */
  assert_true(ts_budget_take_scratch(60, NULL));
  assert_true(ts_budget_take_scratch(40, NULL));
  assert_int_equal(ts_budget_scratch_held(), 100);
  assert_true(ts_budget_take_scratch(50, release_sixty)); /* idle ones make room */
  assert_int_equal(released, 1);
  assert_int_equal(ts_budget_scratch_held(), 90);
  pthread_t waiting;
  assert_int_equal(pthread_create(&waiting, NULL, take_eighty, NULL), 0);
  ts_budget_return_scratch(40);
  ts_budget_return_scratch(50);
  void *result = NULL;
  pthread_join(waiting, &result);
  assert_non_null(result);
  assert_int_equal(ts_budget_scratch_held(), 80);
  ts_budget_return_scratch(80);
  ts_budget_set(&budget, 0, 0);
}

/* Of 160 bytes commands may take 150. */
static void commands_share_what_there_is(void **state) {
  (void)state;
  ts_budget_set(&budget, 1000, 160);
  assert_int_equal(ts_budget_command_bytes(), 150);
  struct ts_scratch_share one, two;
  uint64_t left = 0;
  assert_true(ts_budget_begin_command(&one, false, NULL));
  assert_true(ts_budget_begin_command(&two, false, NULL));
  assert_true(ts_budget_book_command(&one, 90, &left));
  assert_int_equal(left, 60);
  assert_true(ts_budget_book_command(&two, 60, &left));
  assert_int_equal(left, 0);
  assert_false(ts_budget_book_command(&two, 61, &left));
  assert_int_equal(left, 0);
  assert_int_equal(ts_budget_scratch_held(), 151);
  assert_true(ts_budget_book_command(&one, 20, &left)); /* it removed files */
  assert_int_equal(left, 69);
  ts_budget_end_command(&two);
  ts_budget_end_command(&one);
  assert_int_equal(ts_budget_scratch_held(), 0);
  ts_budget_set(&budget, 0, 0);
}

struct alone {
  atomic_bool began, end, cancelled;
  bool result;
};

static void *be_alone(void *argument) {
  struct alone *alone = argument;
  struct ts_scratch_share share;
  alone->result = ts_budget_begin_command(&share, true, &alone->cancelled);
  atomic_store(&alone->began, true);
  if (!alone->result) return NULL;
  while (!atomic_load(&alone->end)) sched_yield();
  ts_budget_end_command(&share);
  return NULL;
}

static void *begin_beside(void *argument) {
  struct ts_scratch_share share;
  ts_budget_begin_command(&share, false, NULL);
  atomic_store((atomic_bool *)argument, true);
  ts_budget_end_command(&share);
  return NULL;
}

/* One that wants to be alone waits for the command that runs and for idle files; later ones wait for it. */
static void a_command_can_be_alone(void **state) {
  (void)state;
  ts_budget_set(&budget, 1000, 160);
  assert_true(ts_budget_take_scratch(60, release_sixty)); /* an idle file: nobody returns it unless asked */
  struct ts_scratch_share first;
  assert_true(ts_budget_begin_command(&first, false, NULL));
  struct alone alone = {0};
  pthread_t thread, later;
  assert_int_equal(pthread_create(&thread, NULL, be_alone, &alone), 0);
  while (ts_budget_scratch_held() > 0) usleep(1000);
  usleep(50000);
  assert_false(atomic_load(&alone.began)); /* the first still runs */
  ts_budget_end_command(&first);
  while (!atomic_load(&alone.began)) usleep(1000);
  assert_true(alone.result);
  assert_int_equal(ts_budget_scratch_held(), 160);
  atomic_bool began = false;
  assert_int_equal(pthread_create(&later, NULL, begin_beside, &began), 0);
  usleep(50000);
  assert_false(atomic_load(&began));
  atomic_store(&alone.end, true);
  pthread_join(thread, NULL);
  pthread_join(later, NULL);
  assert_true(atomic_load(&began));
  assert_int_equal(ts_budget_scratch_held(), 0);
  ts_budget_set(&budget, 0, 0);
}

static void waiting_to_be_alone_can_be_cancelled(void **state) {
  (void)state;
  ts_budget_set(&budget, 1000, 160);
  struct ts_scratch_share first, second;
  assert_true(ts_budget_begin_command(&first, false, NULL));
  struct alone alone = {.cancelled = true};
  be_alone(&alone);
  assert_false(alone.result);
  assert_true(ts_budget_begin_command(&second, false, NULL)); /* nobody waits any longer */
  ts_budget_end_command(&second);
  ts_budget_end_command(&first);
  ts_budget_set(&budget, 0, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(only_regular_files_are_opened, setup, teardown),
      cmocka_unit_test_setup_teardown(reads_are_exact, setup, teardown),
      cmocka_unit_test_setup_teardown(folders_stay_inside, setup, teardown),
      cmocka_unit_test(stems_are_safe),
      cmocka_unit_test_setup_teardown(temporary_files_have_no_name, setup, teardown),
      cmocka_unit_test(the_smallest_budget_holds),
      cmocka_unit_test(defaults_follow_the_memory),
      cmocka_unit_test(scratch_is_booked),
      cmocka_unit_test(commands_share_what_there_is),
      cmocka_unit_test(a_command_can_be_alone),
      cmocka_unit_test(waiting_to_be_alone_can_be_cancelled),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
