/* Folders and the parts of paths.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/base/testing.h"

#include "base/alloc.h"
#include "base/file.h"

#include <pthread.h>

static void assert_text_and_free(char *text, const char *expected) {
  assert_string_equal(text, expected);
  free(text);
}

static void parts_are_joined(void **state) {
  (void)state;
  assert_text_and_free(ts_path_join("a/b", "c"), "a/b/c");
  assert_text_and_free(ts_path_join("a/b/", "c"), "a/b/c");
  assert_text_and_free(ts_path_join("a", "/c"), "/c");
  assert_text_and_free(ts_path_join("", "c"), "c");
  assert_text_and_free(ts_path_join("a", ""), "a");
  assert_text_and_free(ts_path_join("/", "c"), "/c");
  assert_text_and_free(ts_path_join(".", "c/d"), "./c/d");
}

static void paths_are_split(void **state) {
  (void)state;
  static const struct {
    const char *path, *folder, *name, *stem;
  } cases[] = {
      {"a/b/slide.ome.tif", "a/b", "slide.ome.tif", "slide.ome"},
      {"slide", ".", "slide", "slide"},
      {"/slide.png", "/", "slide.png", "slide"},
      {"a//b.c", "a", "b.c", "b"},
      {"a.d/b", "a.d", "b", "b"},
      {".hidden", ".", ".hidden", ".hidden"},
      {"a/b/", "a/b", "", ""},
      {"", ".", "", ""},
      {"x.", ".", "x.", "x"},
      {"//x", "/", "x", "x"},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    assert_text_and_free(ts_path_folder(cases[i].path), cases[i].folder);
    assert_string_equal(ts_path_name(cases[i].path), cases[i].name);
    assert_text_and_free(ts_path_stem(cases[i].path), cases[i].stem);
  }
}

static void folders_are_made_with_parents(void **state) {
  (void)state;
  char scratch[64];
  scratch_create(scratch);
  ts_auto_free char *deep = ts_path_join(scratch, "a/b//c/");
  struct ts_error err = {0};
  assert_false(ts_folder_exists(deep));
  assert_true(ts_folder_is_empty(deep));
  assert_true(ts_folder_create(deep, &err));
  assert_true(ts_folder_create(deep, &err));
  assert_true(ts_folder_exists(deep));
  assert_false(ts_file_exists(deep));
  assert_true(ts_folder_is_empty(deep));
  ts_auto_free char *file = ts_path_join(deep, "file");
  assert_true(ts_file_write(file, "", 0, &err));
  assert_false(ts_folder_is_empty(deep));
  assert_true(ts_file_exists(file));
  assert_false(ts_folder_exists(file));
  assert_false(ts_folder_is_empty(file));
  assert_false(ts_file_exists("/no/such/file"));
  ts_auto_free char *below = ts_path_join(file, "x/y");
  assert_false(ts_folder_create(below, &err));
  assert_error(&err, TS_ERR_FILE_IO);
  assert_non_null(strstr(err.text, "Not a directory"));
  ts_error_clear(&err);
  assert_false(ts_folder_create("", &err));
  assert_error(&err, TS_ERR_FILE_IO);
  scratch_remove(scratch);
}

static void *make_folder(void *path) { return ts_folder_create(path, NULL) ? NULL : path; }

static void several_threads_make_the_same_folder(void **state) {
  (void)state;
  char scratch[64];
  scratch_create(scratch);
  ts_auto_free char *deep = ts_path_join(scratch, "a/b/c/d/e/f/g/h");
  pthread_t threads[8];
  for (size_t i = 0; i < COUNT_OF(threads); i++)
    assert_int_equal(pthread_create(&threads[i], NULL, make_folder, deep), 0);
  for (size_t i = 0; i < COUNT_OF(threads); i++) {
    void *failed = deep;
    pthread_join(threads[i], &failed);
    assert_null(failed);
  }
  assert_true(ts_folder_exists(deep));
  scratch_remove(scratch);
}

/* In the folder that is named, else in TMPDIR; every call makes another one. */
static void scratch_folders_are_new(void **state) {
  (void)state;
  struct ts_error err = {0};
  ts_auto_free char *parent = ts_folder_create_scratch(NULL, "tessera-test", &err);
  assert_non_null(parent);
  assert_int_equal(setenv("TMPDIR", parent, 1), 0);
  ts_auto_free char *first = ts_folder_create_scratch(NULL, "a", &err);
  ts_auto_free char *second = ts_folder_create_scratch(parent, "a", &err);
  assert_string_not_equal(first, second);
  assert_int_equal(strncmp(first, parent, strlen(parent)), 0);
  assert_true(ts_folder_exists(first) && ts_folder_exists(second));
  assert_null(ts_folder_create_scratch("/nowhere/at/all", "a", &err));
  assert_int_equal(err.code, TS_ERR_FILE_IO);
  assert_int_equal(rmdir(first) + rmdir(second) + rmdir(parent), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parts_are_joined),
      cmocka_unit_test(paths_are_split),
      cmocka_unit_test(folders_are_made_with_parents),
      cmocka_unit_test(several_threads_make_the_same_folder),
      cmocka_unit_test(scratch_folders_are_new),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
