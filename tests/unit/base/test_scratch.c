/* Scratch folders that killed processes left: removed, and nothing else.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/base/testing.h"

#include "base/alloc.h"
#include "base/file.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A process that makes a folder with a file in it and is killed, or lives on. */
static pid_t make_folder(const char *parent, bool lives) {
  int ends[2];
  char byte = 0;
  assert_int_equal(pipe(ends), 0);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    struct ts_error err = {0};
    char *folder = ts_folder_create_scratch(parent, "call", &err);
    char *file = folder ? ts_path_join(folder, "file") : NULL;
    if (file) ts_file_write(file, "x", 1, &err);
    if (write(ends[1], &byte, 1) != 1) _exit(1);
    for (;;) pause();
  }
  assert_int_equal(read(ends[0], &byte, 1), 1);
  close(ends[0]);
  close(ends[1]);
  if (lives) return child;
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  return 0;
}

static void only_those_of_the_dead_are_removed(void **state) {
  (void)state;
  struct ts_error err = {0};
  char parent[64];
  scratch_create(parent);
  ts_auto_free char *own = ts_folder_create_scratch(parent, "call", &err);
  make_folder(parent, false);
  const pid_t living = make_folder(parent, true);
  static const char *const others[] = {"call-1-2-00000000-abcdef", "call-x", "call", "other-999999-1-00000000-abcdef"};
  for (size_t i = 0; i < COUNT_OF(others); i++) {
    ts_auto_free char *path = ts_path_join(parent, others[i]);
    assert_true(ts_folder_create(path, &err));
  }
  ts_folder_sweep_scratch(parent, "call");
  assert_true(ts_folder_exists(own));
  for (size_t i = 0; i < COUNT_OF(others); i++) {
    ts_auto_free char *path = ts_path_join(parent, others[i]);
    assert_true(ts_folder_exists(path));
  }
  struct stat status;
  assert_int_equal(stat(parent, &status), 0);
  assert_int_equal(status.st_nlink, 2 + 1 + 1 + COUNT_OF(others)); /* one link for each folder that is left */
  kill(living, SIGKILL);
  waitpid(living, NULL, 0);
  ts_folder_sweep_scratch(parent, "call");
  assert_int_equal(stat(parent, &status), 0);
  assert_int_equal(status.st_nlink, 2 + 1 + COUNT_OF(others));
  ts_folder_sweep_scratch("/nowhere/at/all", "call");
  scratch_remove(parent);
}

/* Links with the name of such a folder are neither followed nor removed. */
static void links_are_left_alone(void **state) {
  (void)state;
  struct ts_error err = {0};
  char parent[64], target[64];
  scratch_create(parent);
  scratch_create(target);
  ts_auto_free char *own = ts_folder_create_scratch(parent, "call", &err);
  ts_auto_free char *file = ts_path_join(target, "file");
  assert_true(ts_file_write(file, "x", 1, &err));
  /* The name of a process that is gone: ours with another start. */
  ts_auto_free char *link = ts_strdup(own);
  char *dash = strchr(strrchr(link, '/') + strlen("/call-"), '-');
  dash[1] = dash[1] == '9' ? '8' : '9';
  assert_int_equal(symlink(target, link), 0);
  ts_folder_sweep_scratch(parent, "call");
  assert_true(ts_file_exists(file));
  struct stat status;
  assert_int_equal(lstat(link, &status), 0);
  unlink(link);
  scratch_remove(parent);
  scratch_remove(target);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(only_those_of_the_dead_are_removed),
      cmocka_unit_test(links_are_left_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
