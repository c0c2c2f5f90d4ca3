/* The examples of docs/how-to-add-an-operation.md: taken from the text, compiled, loaded and run.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/op/helpers.h"

#include "op/command_files_int.h"

static struct ts_str guide;
static char *folder;

static int setup(void **state) {
  (void)state;
  const char *source = getenv("TESSERA_SOURCE_DIR");
  char *path = ts_path_join(source ? source : ".", "docs/how-to-add-an-operation.md");
  struct ts_error err = {0};
  ts_file_read(path, 0, &guide, &err);
  free(path);
  folder = make_folder();
  return err.code == TS_ERR_OK ? 0 : -1;
}

static int teardown(void **state) {
  (void)state;
  ts_str_release(&guide);
  ts_scratch_close(&folder);
  return 0;
}

/* Writes the code block that follows "File `NAME`:". */
static void extract(const char *name) {
  struct ts_str heading = {0};
  ts_str_addf(&heading, "\nFile `%s`:\n\n```", name);
  const char *start = strstr(ts_str_get(&guide), ts_str_get(&heading));
  if (!start) fail_msg("the guide has no file '%s'", name);
  start = strchr(start + heading.length, '\n') + 1;
  const char *end = strstr(start, "\n```\n");
  assert_non_null(end);
  char *text = ts_strndup(start, (size_t)(end - start) + 1);
  write_text(folder, name, text);
  free(text);
  ts_str_release(&heading);
}

/* The compiler line of the guide, with the header's folder and the example's folder put in. */
static void compile(void) {
  const char *line = strstr(ts_str_get(&guide), "\ncc ");
  assert_non_null(line);
  const char *include = strstr(line, "-I include ");
  assert_non_null(include);
  struct ts_str command = {0};
  ts_str_addf(&command, "cd '%s' && %.*s -I '%s/include' %.*s", folder, (int)(include - line - 1), line + 1,
              getenv("TESSERA_SOURCE_DIR"), (int)strcspn(include + 11, "\n"), include + 11);
  print_message("%s\n", ts_str_get(&command));
  assert_int_equal(system(ts_str_get(&command)), 0);
  ts_str_release(&command);
}

static struct ts_registry *load(const char *name) {
  char *path = ts_path_join(folder, name);
  struct ts_registry *registry = registry_with(path);
  free(path);
  return registry;
}

static void test_plugin(void **state) {
  (void)state;
  extract("scale.c");
  compile();
  struct ts_registry *registry = load("libscale.so");
  struct ts_op *op = ts_registry_find(registry, "demo.scale");
  assert_non_null(op);
  struct ts_data *in = make_table("a,b\n1,2\n3,4.5\n"), *out = NULL;
  struct ts_value factor = ts_value_real(2);
  struct ts_error err = {0};
  ts_op_execute(op, &in, &factor, &out, NULL, &err);
  assert_no_error(&err);
  assert_true(table_cell(out, 1, "a") == 6 && table_cell(out, 1, "b") == 9);
  ts_data_unref(in);
  ts_data_unref(out);
  in = make_table("a\n");
  assert_false(ts_op_execute(op, &in, &factor, &out, NULL, &err));
  assert_error(&err, TS_ERR_TASK_FAILED, "the table has no rows");
  ts_data_unref(in);
  ts_registry_destroy(registry);
}

static void test_command(void **state) {
  (void)state;
  extract("total.json");
  extract("total.py");
  struct ts_registry *registry = load("total.json");
  struct ts_op *op = ts_registry_find(registry, "demo.total");
  assert_non_null(op);
  assert_true(op->shareable);
  struct ts_data *in = make_table("a,b\n1,2\n3,4.5\n10,20\n"), *out = NULL;
  struct ts_value skip_rows = ts_value_integer(1);
  struct ts_error err = {0};
  ts_op_execute(op, &in, &skip_rows, &out, NULL, &err);
  assert_no_error(&err);
  assert_int_equal(ts_data_rows(out), 1);
  assert_true(table_cell(out, 0, "a") == 13 && table_cell(out, 0, "b") == 24.5);
  ts_data_unref(out);
  skip_rows = ts_value_integer(3);
  assert_false(ts_op_execute(op, &in, &skip_rows, &out, NULL, &err));
  assert_contains(err.text, "no rows are left to add");
  ts_data_unref(in);
  ts_registry_destroy(registry);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_plugin), cmocka_unit_test(test_command)};
  return cmocka_run_group_tests(tests, setup, teardown);
}
