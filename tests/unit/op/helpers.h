/* What the tests of the op module share: assertions, paths, and a registry with a plugin in it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_TEST_OP_HELPERS_H
#define TS_TEST_OP_HELPERS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "op/op_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Shows the message in the output of a failed test. */
static inline void assert_contains(const char *text, const char *part) {
  if (strstr(text, part)) return;
  fail_msg("'%s' does not contain '%s'", text, part);
}

static inline void assert_no_error(const struct ts_error *err) {
  if (err->code != TS_ERR_OK) fail_msg("T%d %s (%s)", ts_error_number(err->code), err->text, err->help);
}

static inline void assert_error(const struct ts_error *err, enum ts_error_code code, const char *part) {
  if (err->code != code) fail_msg("T%d %s, not T%d", ts_error_number(err->code), err->text, ts_error_number(code));
  assert_contains(err->text, part);
}

/* Whether one of the faults has this code, line, column (0: any) and text. */
static inline bool has_fault(const struct ts_faults *faults, enum ts_error_code code, int line, int column,
                             const char *part) {
  for (size_t i = 0; i < faults->count; i++) {
    const struct ts_error *err = &faults->items[i];
    if (err->code == code && (line == 0 || (err->where.line == line && err->where.column == column)) &&
        strstr(err->text, part))
      return true;
  }
  return false;
}

static inline void print_faults(const struct ts_faults *faults) {
  for (size_t i = 0; i < faults->count; i++) {
    const struct ts_error *err = &faults->items[i];
    print_message("  %s:%d:%d T%d %s (%s)\n", err->where.file, err->where.line, err->where.column,
                  ts_error_number(err->code), err->text, err->help);
  }
}

static inline void assert_fault(const struct ts_faults *faults, enum ts_error_code code, int line, int column,
                                const char *part) {
  if (has_fault(faults, code, line, column, part)) return;
  print_faults(faults);
  fail_msg("no fault T%d at %d:%d with '%s'", ts_error_number(code), line, column, part);
}

/* "$TESSERA_BUILD_DIR/tests/plugins/libNAME.so"; owned result. */
static inline char *plugin_path(const char *name) {
  const char *folder = getenv("TESSERA_BUILD_DIR");
  struct ts_str path = {0};
  ts_str_addf(&path, "%s/tests/plugins/lib%s.so", folder ? folder : ".", name);
  return ts_str_detach(&path);
}

/* A registry with one file loaded without faults. */
static inline struct ts_registry *registry_with(const char *path) {
  struct ts_registry *registry = ts_registry_create();
  struct ts_faults faults = {0};
  if (!ts_registry_load(registry, path, &faults)) {
    print_faults(&faults);
    fail_msg("'%s' has faults", path);
  }
  ts_faults_release(&faults);
  return registry;
}

static inline struct ts_registry *registry_with_plugin(const char *name) {
  char *path = plugin_path(name);
  struct ts_registry *registry = registry_with(path);
  free(path);
  return registry;
}

static inline struct ts_data *make_pixels(const char *type, int64_t x, int64_t y, int64_t width, int64_t height,
                                          int value) {
  struct ts_error err = {0};
  struct ts_region region = {.x = x, .y = y, .width = width, .height = height, .level = 2};
  struct ts_data *data = ts_data_create_pixels(ts_type_find(type), &region, &err);
  assert_no_error(&err);
  memset(ts_data_writable(data), value, ts_data_size_bytes(data));
  return data;
}

static inline struct ts_data *make_table(const char *csv) {
  struct ts_error err = {0};
  struct ts_data *data = ts_table_from_csv("test", csv, strlen(csv), &err);
  assert_no_error(&err);
  return data;
}

/* The cell of a named column in a row. */
static inline double table_cell(const struct ts_data *data, size_t row, const char *name) {
  size_t column = 0;
  assert_true(ts_data_find_column(data, name, &column));
  return ts_data_cells(data)[row * ts_data_columns(data) + column];
}

/* A new folder below the system's temporary one; owned result. */
static inline char *make_folder(void) {
  const char *parent = getenv("TMPDIR");
  char *path = ts_path_join(parent && *parent ? parent : "/tmp", "tessera-op-test-XXXXXX");
  assert_non_null(mkdtemp(path));
  return path;
}

static inline void write_text(const char *folder, const char *name, const char *text) {
  struct ts_error err = {0};
  char *path = ts_path_join(folder, name);
  ts_file_write(path, text, strlen(text), &err);
  assert_no_error(&err);
  free(path);
}

#endif
