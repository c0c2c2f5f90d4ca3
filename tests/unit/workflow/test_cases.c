/* Every folder of tests/cases: reading its workflow.json gives exactly the text of its expected.txt, or no fault
 * without one.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Folders with a study.json belong to the study module. A folder with neither file stands for a file that is not
 * there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/error_format.h"
#include "base/file.h"
#include "workflow/workflow.h"

#include "operations.h"

#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

static char *cases_folder(void) {
  const char *root = getenv("TESSERA_SOURCE_DIR");
  return ts_path_join(root ? root : ".", "tests/cases");
}

static void read_expected(struct ts_str *expected) {
  struct ts_error err = {0};
  if (ts_file_exists("expected.txt")) assert_true(ts_file_read("expected.txt", 0, expected, &err));
}

/* The current folder is that of the case, as if a user stood there. Returns whether all is as expected. */
static bool run_case(const char *name) {
  struct ts_registry *registry = create_test_registry();
  struct ts_faults faults = {0};
  struct ts_str expected = {0};
  struct ts_str found = {0};
  struct ts_workflow *workflow = ts_workflow_read("workflow.json", registry, &faults);
  ts_faults_format(&faults, false, &found);
  read_expected(&expected);
  bool same = strcmp(ts_str_get(&expected), ts_str_get(&found)) == 0 && (workflow != NULL) == (faults.count == 0);
  if (!same) {
    print_error("== %s\n-- expected\n%s-- found\n%s-- and %s workflow\n", name, ts_str_get(&expected),
                ts_str_get(&found), workflow ? "a" : "no");
  }
  ts_workflow_destroy(workflow);
  ts_str_release(&found);
  ts_str_release(&expected);
  ts_faults_release(&faults);
  ts_registry_destroy(registry);
  return same;
}

static void test_all_cases(void **state) {
  (void)state;
  ts_auto_free char *folder = cases_folder();
  DIR *cases = opendir(folder);
  assert_non_null(cases);
  size_t run = 0;
  size_t wrong = 0;
  for (struct dirent *entry = readdir(cases); entry; entry = readdir(cases)) {
    if (entry->d_name[0] == '.') continue;
    ts_auto_free char *path = ts_path_join(folder, entry->d_name);
    if (!ts_folder_exists(path)) continue;
    assert_int_equal(chdir(path), 0);
    if (ts_file_exists("study.json")) continue;
    run++;
    if (!run_case(entry->d_name)) wrong++;
  }
  closedir(cases);
  print_message("%zu cases, %zu wrong\n", run, wrong);
  assert_true(run >= 45);
  assert_int_equal(wrong, 0);
}

/* The kinds of faults that must have a case, by number. */
static void test_every_kind_has_a_case(void **state) {
  (void)state;
  static const enum ts_error_code kinds[] = {
      TS_ERR_FILE_NOT_FOUND,      TS_ERR_JSON_SYNTAX,      TS_ERR_FORMAT_VERSION, TS_ERR_UNKNOWN_KEY,
      TS_ERR_MISSING_KEY,         TS_ERR_PORT_TYPE,        TS_ERR_WRONG_TYPE,     TS_ERR_UNKNOWN_OPERATION,
      TS_ERR_UNKNOWN_PARAMETER,   TS_ERR_UNUSED_PARAMETER, TS_ERR_CYCLE,          TS_ERR_TWO_PRODUCERS,
      TS_ERR_NO_PRODUCER,         TS_ERR_DUPLICATE_NAME,   TS_ERR_BAD_NAME,       TS_ERR_OUTSIDE_DOMAIN,
      TS_ERR_GRID_OUTSIDE_DOMAIN, TS_ERR_EMPTY_RANGE,      TS_ERR_CONSTRAINT,     TS_ERR_BAD_VALUE,
  };
  struct ts_str all = {0};
  ts_auto_free char *folder = cases_folder();
  DIR *cases = opendir(folder);
  assert_non_null(cases);
  for (struct dirent *entry = readdir(cases); entry; entry = readdir(cases)) {
    ts_auto_free char *path = ts_path_join(folder, entry->d_name);
    ts_auto_free char *file = ts_path_join(path, "expected.txt");
    struct ts_error err = {0};
    struct ts_str text = {0};
    if (ts_file_exists(file) && ts_file_read(file, 0, &text, &err)) ts_str_add(&all, ts_str_get(&text));
    ts_str_release(&text);
  }
  closedir(cases);
  for (size_t i = 0; i < COUNT_OF(kinds); i++) {
    char tag[32];
    snprintf(tag, sizeof tag, "error[T%d]", ts_error_number(kinds[i]));
    if (!strstr(ts_str_get(&all), tag)) fail_msg("no case expects %s", tag);
  }
  ts_str_release(&all);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_kind_has_a_case),
      cmocka_unit_test(test_all_cases),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
