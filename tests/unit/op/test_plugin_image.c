/* Copies of plugin files: writing to the file changes nothing that was loaded, and only the very file is loaded again.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/op/helpers.h"

#include <unistd.h>

static char *folder, *copy; /* owned: a folder, and in it a copy of the good plugin */
static struct ts_str file;  /* its bytes */

static int copy_plugin(void **state) {
  (void)state;
  struct ts_error err = {0};
  char *path = plugin_path("good");
  folder = make_folder();
  copy = ts_path_join(folder, "copy.so");
  bool ok = ts_file_read(path, 0, &file, &err) && ts_file_write(copy, file.data, file.length, &err);
  free(path);
  return ok ? 0 : -1;
}

static int remove_plugin(void **state) {
  (void)state;
  ts_folder_remove(folder);
  free(folder);
  free(copy);
  ts_str_release(&file);
  return 0;
}

static void a_loaded_plugin_outlives_its_file(void **state) {
  (void)state;
  struct ts_registry *registry = registry_with(copy);
  const struct ts_op *op = ts_registry_find(registry, "good.echo");
  struct ts_str image = {0};
  struct ts_error err = {0};
  assert_int_equal(truncate(copy, 0), 0); /* in place: a mapped file would be gone */
  assert_contains(op->image, "/proc/");
  assert_true(ts_file_read(op->image, 0, &image, &err));
  assert_int_equal(image.length, file.length);
  assert_memory_equal(image.data, file.data, file.length);
  ts_str_release(&image);
  ts_registry_destroy(registry); /* runs code of the plugin */
}

static struct ts_op_identity identity_of(const struct ts_op *op) {
  return (struct ts_op_identity){op->origin, op->descriptor->name, op->descriptor->version, op->implementation};
}

static void only_the_very_file_is_loaded(void **state) {
  (void)state;
  struct ts_registry *first = registry_with(copy), *second = ts_registry_create();
  struct ts_faults faults = {0};
  struct ts_op_identity wanted = identity_of(ts_registry_find(first, "good.invert"));
  assert_true(ts_file_write(copy, "changed", 7, NULL));
  assert_false(ts_registry_load_exact(second, copy, &wanted, &faults));
  assert_false(ts_registry_load_exact(second, "missing.so", &wanted, &faults));
  assert_false(ts_registry_load_exact(second, "/dev/zero", &wanted, &faults)); /* would be read for ever */
  char *other = plugin_path("grown");
  assert_false(ts_registry_load_exact(second, other, &wanted, &faults));
  free(other);
  assert_int_equal(ts_registry_count(second), 0);
  assert_int_equal(faults.count, 0);
  assert_true(ts_registry_load_exact(second, ts_registry_find(first, "good.invert")->image, &wanted, &faults));
  assert_int_equal(ts_registry_count(second), ts_registry_count(first));
  wanted.version++;
  assert_false(ts_registry_load_exact(first, ts_registry_find(first, "good.invert")->image, &wanted, &faults));
  ts_registry_destroy(second);
  ts_registry_destroy(first);
}

static const char manifest_text[] =
    "{\"tessera_operation\": 1, \"name\": \"t.copy\", \"version\": 1, \"inputs\": {\"x\": {\"type\": \"table\"}},"
    " \"outputs\": {\"y\": {\"type\": \"table\"}}, \"command\": [\"/bin/cp\"]}";

static void a_command_must_be_the_same_too(void **state) {
  (void)state;
  struct ts_error err = {0};
  struct ts_faults faults = {0};
  char *manifest = ts_path_join(folder, "copy.json");
  assert_true(ts_file_write(manifest, manifest_text, strlen(manifest_text), &err));
  struct ts_registry *first = ts_registry_create(), *second = ts_registry_create();
  if (!ts_registry_load(first, manifest, &faults)) print_faults(&faults);
  assert_int_equal(faults.count, 0);
  struct ts_op_identity wanted = identity_of(ts_registry_find(first, "t.copy"));
  assert_true(ts_registry_load_exact(second, manifest, &wanted, &faults));
  assert_int_equal(ts_registry_count(second), 1);
  ts_registry_destroy(second);
  second = ts_registry_create();
  wanted.implementation.bytes[0] ^= 1;
  assert_false(ts_registry_load_exact(second, manifest, &wanted, &faults));
  assert_int_equal(ts_registry_count(second), 0);
  assert_int_equal(faults.count, 0);
  ts_registry_destroy(second);
  ts_registry_destroy(first);
  free(manifest);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_loaded_plugin_outlives_its_file, copy_plugin, remove_plugin),
      cmocka_unit_test_setup_teardown(only_the_very_file_is_loaded, copy_plugin, remove_plugin),
      cmocka_unit_test_setup_teardown(a_command_must_be_the_same_too, copy_plugin, remove_plugin),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
