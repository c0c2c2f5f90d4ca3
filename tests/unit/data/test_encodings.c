/* docs/encodings.md: every port type has a row, with the ending of its files, and there are no others.
 * SPDX-License-Identifier: Apache-2.0
 * test-label: one-thread */
#include "unit/base/testing.h"

#include "base/alloc.h"
#include "base/file.h"
#include "data/data.h"

#include <stdlib.h>
#include <string.h>

static struct ts_str page;

static int setup(void **state) {
  (void)state;
  const char *source = getenv("TESSERA_SOURCE_DIR");
  struct ts_error err = {0};
  char *path = ts_path_join(source ? source : ".", "docs/encodings.md");
  const bool done = ts_file_read(path, 0, &page, &err);
  free(path);
  return done ? 0 : -1;
}

static int teardown(void **state) {
  (void)state;
  ts_str_release(&page);
  return 0;
}

/* The row of a type, to the end of its line; NULL: there is none. */
static char *row_of(const char *type) {
  struct ts_str head = {0};
  ts_str_addf(&head, "\n| `%s` |", type);
  const char *row = strstr(ts_str_get(&page), ts_str_get(&head));
  ts_str_release(&head);
  return row ? ts_strndup(row + 1, strcspn(row + 1, "\n")) : NULL;
}

static void every_type_has_a_row(void **state) {
  (void)state;
  size_t count = 0, rows = 0;
  const struct ts_type *const *types = ts_type_list(&count);
  for (size_t i = 0; i < count; i++) {
    char *row = row_of(types[i]->name), ending[32];
    if (!row) fail_msg("docs/encodings.md has no row for '%s'", types[i]->name);
    snprintf(ending, sizeof ending, "`.%s`", types[i]->file_ending);
    if (types[i]->kind != TS_DATA_FILE && !strstr(row, ending))
      fail_msg("docs/encodings.md: the row of '%s' lacks %s", types[i]->name, ending);
    free(row);
  }
  for (const char *at = ts_str_get(&page); (at = strstr(at, "\n| `")); at++) rows++;
  assert_int_equal(rows, count);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_type_has_a_row)};
  return cmocka_run_group_tests_name("encodings", tests, setup, teardown);
}
