/* Files written piece by piece: whole or not at all, and nothing is left behind.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/base/testing.h"

#include "base/file.h"
#include "model/model.h"

#include <dirent.h>

static char folder[64];
static char path[128];

static int make_folder(void **state) {
  (void)state;
  scratch_create(folder);
  snprintf(path, sizeof path, "%s/design.csv", folder);
  return 0;
}

static int remove_folder(void **state) {
  (void)state;
  scratch_remove(folder);
  return 0;
}

static size_t count_files(void) {
  size_t count = 0;
  DIR *list = opendir(folder);
  assert_non_null(list);
  for (struct dirent *entry = readdir(list); entry; entry = readdir(list)) {
    count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
  }
  closedir(list);
  return count;
}

static void assert_content(const char *expected) {
  struct ts_str text = {0};
  struct ts_error err = {0};
  assert_true(ts_file_read(path, 0, &text, &err));
  assert_string_equal(ts_str_get(&text), expected);
  ts_str_release(&text);
}

static void write_pieces(bool keep) {
  struct piecewise_file file;
  struct ts_error err = {0};
  assert_true(ts_piecewise_open(&file, path, &err));
  assert_true(ts_piecewise_write(&file, "a,b\n", 4, &err));
  assert_true(ts_piecewise_write(&file, "1,2\n", 4, &err));
  assert_true(ts_piecewise_close(&file, keep, &err));
}

static void a_file_appears_whole(void **state) {
  (void)state;
  struct piecewise_file file;
  struct ts_error err = {0};
  assert_true(ts_piecewise_open(&file, path, &err));
  assert_true(ts_piecewise_write(&file, "x", 1, &err));
  assert_false(ts_file_exists(path));
  assert_true(ts_piecewise_close(&file, true, &err));
  assert_content("x");
  write_pieces(true); /* over the old one */
  assert_content("a,b\n1,2\n");
  assert_int_equal(count_files(), 1);
}

static void a_file_that_is_given_up_leaves_nothing(void **state) {
  (void)state;
  write_pieces(false);
  assert_int_equal(count_files(), 0);
  write_pieces(true);
  struct piecewise_file file;
  struct ts_error err = {0};
  assert_true(ts_piecewise_open(&file, path, &err));
  assert_true(ts_piecewise_write(&file, "other", 5, &err));
  assert_true(ts_piecewise_close(&file, false, &err));
  assert_content("a,b\n1,2\n");
  assert_int_equal(count_files(), 1);
}

static void trouble_is_told(void **state) {
  (void)state;
  struct piecewise_file file;
  struct ts_error err = {0};
  assert_false(ts_piecewise_open(&file, folder, &err));
  assert_int_equal(err.code, TS_ERR_FILE_IO);
  err = (struct ts_error){0};
  assert_false(ts_piecewise_open(&file, "/nonexistent/design.csv", &err));
  assert_non_null(strstr(err.help, "make the folder"));
  err = (struct ts_error){0};
  assert_true(ts_piecewise_open(&file, "/dev/full", &err));
  assert_false(ts_piecewise_write(&file, "x", 1, &err));
  assert_non_null(strstr(err.text, "No space left"));
  assert_true(ts_piecewise_close(&file, false, &err));
  assert_true(ts_file_exists("/dev/full"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_file_appears_whole, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(a_file_that_is_given_up_leaves_nothing, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(trouble_is_told, make_folder, remove_folder),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
