/* Loading plugins: good ones, and every way in which a file can fail to be one.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/op/helpers.h"

#include <unistd.h>

static void test_good_plugin(void **state) {
  (void)state;
  struct ts_registry *registry = registry_with_plugin("good");
  const struct ts_op_needs *needs = &ts_registry_find(registry, "good.invert")->needs;
  assert_true(needs->cores == 2 && needs->memory_bytes == 1000 && needs->gang == 3 && !needs->site);
  assert_int_equal(ts_registry_find(registry, "good.echo")->needs.memory_bytes, 0);
  assert_int_equal(ts_registry_count(registry), 8);
  const struct ts_op *op = ts_registry_find(registry, "good.echo");
  assert_non_null(op);
  assert_int_equal(op->origin, TS_OP_PLUGIN);
  assert_string_equal(op->numeric, "tolerance:test");
  assert_contains(op->source, "libgood.so");
  assert_true(op->shareable);
  assert_null(op->lock);
  assert_non_null(ts_registry_find(registry, "good.serial")->lock);
  ts_registry_destroy(registry);
}

static void test_same_file_twice(void **state) {
  (void)state;
  struct ts_registry *registry = registry_with_plugin("good");
  struct ts_faults faults = {0};
  char *path = plugin_path("good");
  assert_true(ts_registry_load(registry, path, &faults));
  assert_int_equal(ts_registry_count(registry), 8);
  free(path);
  ts_registry_destroy(registry);
}

/* The build id as another program sees it. */
static void read_build_id(const char *path, char *hex, size_t size) {
  struct ts_str command = {0};
  ts_str_addf(&command, "readelf -n '%s' 2>/dev/null", path);
  FILE *pipe = popen(ts_str_get(&command), "r");
  assert_non_null(pipe);
  char line[512];
  hex[0] = '\0';
  while (fgets(line, sizeof(line), pipe)) {
    const char *found = strstr(line, "Build ID: ");
    if (found) snprintf(hex, size, "%.*s", (int)strcspn(found + 10, "\n"), found + 10);
  }
  pclose(pipe);
  ts_str_release(&command);
}

static void test_build_id(void **state) {
  (void)state;
  char *path = plugin_path("good");
  char expected[160], found[160];
  uint8_t id[64];
  size_t size = 0;
  struct ts_error err = {0};
  read_build_id(path, expected, sizeof(expected));
  assert_true(ts_elf_build_id(path, id, &size, &err));
  ts_hex_encode(id, size, found);
  assert_int_equal(size, 20);
  assert_string_equal(found, expected);
  free(path);
}

/* Version, build id and bytes of the file, put together here by hand. */
static void test_plugin_digest(void **state) {
  (void)state;
  char *path = plugin_path("good");
  struct ts_registry *registry = registry_with(path);
  struct ts_str bytes = {0}, file = {0};
  struct ts_error err = {0};
  char hex[160];
  uint8_t id[20];
  read_build_id(path, hex, sizeof(hex));
  assert_true(ts_hex_decode(hex, id, sizeof(id)));
  ts_str_add_bytes(&bytes, "\x14\0\0\0\0\0\0\0", 8);
  ts_str_add_bytes(&bytes, id, sizeof(id));
  struct ts_sha256 digest;
  assert_true(ts_file_read(path, 0, &file, &err));
  ts_sha256_of(file.data, file.length, &digest);
  ts_str_add_bytes(&bytes, digest.bytes, 32);
  ts_sha256_of(bytes.data, bytes.length, &digest);
  ts_str_clear(&bytes);
  ts_str_add_bytes(&bytes, "\3\0\0\0\0\0\0\0", 8);
  ts_str_add_bytes(&bytes, digest.bytes, 32);
  ts_sha256_of(bytes.data, bytes.length, &digest);
  assert_memory_equal(ts_registry_find(registry, "good.invert")->implementation.bytes, digest.bytes, 32);
  ts_str_release(&bytes);
  ts_str_release(&file);
  ts_registry_destroy(registry);
  free(path);
}

/* Files that are no ELF files, or damaged ones, have no build id; none of them may crash the reader. */
static void test_build_id_of_damaged_files(void **state) {
  (void)state;
  char *path = plugin_path("good"), *folder = make_folder(), *copy = ts_path_join(folder, "x.so");
  struct ts_str file = {0};
  struct ts_error err = {0};
  assert_true(ts_file_read(path, 0, &file, &err));
  uint8_t id[64];
  size_t size = 0;
  for (size_t length = 0; length < 1200; length += 7) {
    assert_true(ts_file_write(copy, file.data, length, &err));
    assert_true(ts_elf_build_id(copy, id, &size, &err));
    assert_true(size == 0 || size == 20);
  }
  for (size_t at = 16; at < 900; at++) {
    file.data[at] = (char)~file.data[at];
    assert_true(ts_file_write(copy, file.data, file.length < 4096 ? file.length : 4096, &err));
    assert_true(ts_elf_build_id(copy, id, &size, &err));
    assert_true(size <= 64);
    file.data[at] = (char)~file.data[at];
  }
  unlink(copy);
  assert_false(ts_elf_build_id(copy, id, &size, &err));
  assert_int_equal(err.code, TS_ERR_FILE_IO);
  rmdir(folder);
  free(copy);
  free(folder);
  free(path);
  ts_str_release(&file);
}

static void expect_refused(const char *name, const char *text, const char *help) {
  struct ts_registry *registry = ts_registry_create();
  struct ts_faults faults = {0};
  char *path = plugin_path(name);
  assert_false(ts_registry_load(registry, path, &faults));
  assert_int_equal(faults.count, 1);
  assert_error(&faults.items[0], TS_ERR_PLUGIN, text);
  assert_string_equal(faults.items[0].where.file, path);
  assert_contains(faults.items[0].help, help);
  assert_int_equal(ts_registry_count(registry), 0);
  free(path);
  ts_faults_release(&faults);
  ts_registry_destroy(registry);
}

static void test_other_api(void **state) {
  (void)state;
  expect_refused("other_api", "was written for operation API 4711, this tessera has API 2", "compile it");
}

/* Whether it declines our number or not, its author is sent to the page that lists the changes; the page exists. */
static void test_first_api(void **state) {
  (void)state;
  const char *source = getenv("TESSERA_SOURCE_DIR"), *page = "docs/plugins-from-api-1.md";
  expect_refused("api_1", "was written for operation API 1, this tessera has API 2", page);
  expect_refused("api_1_stubborn", "was written for operation API 1, this tessera has API 2", page);
  char *path = ts_path_join(source ? source : ".", page);
  assert_int_equal(access(path, R_OK), 0);
  free(path);
}

static void test_refusing_plugin(void **state) {
  (void)state;
  expect_refused("refuses", "cannot work with operation API 2", "compile it");
}

static void test_no_symbol(void **state) {
  (void)state;
  expect_refused("no_symbol", "does not export 'tessera_operations'", "tessera_op.h");
}

static void test_garbage_library(void **state) {
  (void)state;
  char *folder = make_folder(), *path = ts_path_join(folder, "garbage.so");
  write_text(folder, "garbage.so", "this is no library");
  struct ts_registry *registry = ts_registry_create();
  struct ts_faults faults = {0};
  assert_false(ts_registry_load(registry, path, &faults));
  assert_int_equal(faults.count, 1);
  assert_error(&faults.items[0], TS_ERR_PLUGIN, "could not be loaded");
  unlink(path);
  rmdir(folder);
  free(path);
  free(folder);
  ts_faults_release(&faults);
  ts_registry_destroy(registry);
}

/* A library that is cut anywhere in its segments is refused before the loader touches what is missing. */
static void test_cut_library(void **state) {
  (void)state;
  char *whole = plugin_path("good"), *folder = make_folder(), *path = ts_path_join(folder, "cut.so");
  struct ts_str file = {0};
  struct ts_error err = {0};
  assert_true(ts_elf_check(whole, "good.so", &err));
  assert_true(ts_file_read(whole, 0, &file, &err));
  struct ts_registry *registry = ts_registry_create();
  for (size_t length = 0; length < 8000 && length < file.length; length += 500) {
    assert_true(ts_file_write(path, file.data, length, &err));
    struct ts_faults faults = {0};
    assert_false(ts_registry_load(registry, path, &faults));
    assert_int_equal(faults.count, 1);
    assert_error(&faults.items[0], TS_ERR_PLUGIN, length < 64 ? "it is not an ELF file" : "its end is missing");
    assert_string_equal(faults.items[0].where.file, path);
    assert_true(faults.items[0].help[0] != '\0');
    ts_faults_release(&faults);
  }
  unlink(path);
  rmdir(folder);
  free(whole);
  free(path);
  free(folder);
  ts_str_release(&file);
  ts_registry_destroy(registry);
}

static void test_bad_descriptors(void **state) {
  (void)state;
  static const struct {
    enum ts_error_code code;
    const char *text;
  } expected[] = {
      {TS_ERR_BAD_NAME, "'nodot': the name is not allowed"},
      {TS_ERR_BAD_NAME, "input '1st' has a name that is not allowed"},
      {TS_ERR_PORT_TYPE, "input 'in' has the unknown type 'picture'"},
      {TS_ERR_PORT_TYPE, "input 'in' has the unknown type 'nothing'"},
      {TS_ERR_DUPLICATE_NAME, "input 'in' is declared twice"},
      {TS_ERR_MISSING_KEY, "input 3 lacks a name or a type"},
      {TS_ERR_PORT_TYPE, "output 'file' may not be of type 'file'"},
      {TS_ERR_EMPTY_RANGE, "the domain of parameter 'zero' is not a range"},
      {TS_ERR_EMPTY_RANGE, "the domain of parameter 'nan' is not a range"},
      {TS_ERR_EMPTY_RANGE, "the domain of parameter 'half' must end in whole numbers"},
      {TS_ERR_WRONG_TYPE, "parameter 'list' has the unknown type 9"},
      {TS_ERR_EMPTY_RANGE, "parameter 'empty' has no choices"},
      {TS_ERR_OPERATION_CONTRACT, "the canonical form of parameter 'far'"},
      {TS_ERR_OPERATION_CONTRACT, "the canonical form of parameter 'flip'"},
      {TS_ERR_DUPLICATE_NAME, "parameter 'zero' is declared twice"},
      {TS_ERR_MISSING_KEY, "parameter 8 has no name"},
      {TS_ERR_BAD_VALUE, "versions start at 1"},
      {TS_ERR_BAD_VALUE, "unknown numeric class 'sloppy'"},
      {TS_ERR_BAD_VALUE, "'bad.whole': a radius above 0"},
      {TS_ERR_BAD_VALUE, "'bad.reaches': a radius above 0"},
      {TS_ERR_MISSING_KEY, "'bad.half_reach': its radius_parameter 'r' is not one of its integer parameters"},
      {TS_ERR_MISSING_KEY, "it has no output"},
      {TS_ERR_MISSING_KEY, "it has no run function"},
      {TS_ERR_PLUGIN, "1000000 inputs cannot be right"},
      {TS_ERR_PLUGIN, "3 parameters cannot be right"},
      {TS_ERR_BAD_VALUE, "unknown reach 9"},
      {TS_ERR_PLUGIN, "a descriptor of 16 bytes"},
      {TS_ERR_PLUGIN, "an operation that is NULL"},
      {TS_ERR_PLUGIN, "'bad.headless': output 1 has 0 bytes, 24 are needed"},
      {TS_ERR_PLUGIN, "'bad.headless': output 2 is NULL"},
      {TS_ERR_PLUGIN, "'bad.headless': parameter 0 has 32 bytes, 40 are needed"},
      {TS_ERR_PLUGIN, "'bad.headless': column 0 is NULL"},
      {TS_ERR_BAD_VALUE, "'bad.needy': it needs more than any machine has"},
      {TS_ERR_BAD_NAME, "'bad.needy': the site 'no such name' has a name that is not allowed"},
      {TS_ERR_PLUGIN, "'bad.short_needs': block of needs 0 has 0 bytes, 4 are needed"},
      {TS_ERR_MISSING_KEY, "'bad.closes': it has a close function, but none to open"},
      {TS_ERR_MISSING_KEY, "an operation has no name"},
  };
  struct ts_registry *registry = ts_registry_create();
  struct ts_faults faults = {0};
  char *path = plugin_path("bad_descriptors");
  assert_false(ts_registry_load(registry, path, &faults));
  for (size_t i = 0; i < COUNT(expected); i++) assert_fault(&faults, expected[i].code, 0, 0, expected[i].text);
  if (faults.count < COUNT(expected) || faults.count > COUNT(expected) + 4) {
    print_faults(&faults);
    fail_msg("%zu faults", faults.count);
  }
  /* All or none: the good operation of a bad plugin is not added. */
  assert_int_equal(ts_registry_count(registry), 0);
  free(path);
  ts_faults_release(&faults);
  ts_registry_destroy(registry);
}

/* The same operations from another file: a copy of the plugin. */
static void test_name_taken(void **state) {
  (void)state;
  char *path = plugin_path("good"), *folder = make_folder(), *copy = ts_path_join(folder, "copy.so");
  struct ts_registry *registry = registry_with(path);
  struct ts_str file = {0};
  struct ts_faults faults = {0};
  struct ts_error err = {0};
  assert_true(ts_file_read(path, 0, &file, &err) && ts_file_write(copy, file.data, file.length, &err));
  assert_false(ts_registry_load(registry, copy, &faults));
  assert_int_equal(faults.count, 8);
  assert_fault(&faults, TS_ERR_DUPLICATE_NAME, 0, 0, "'good.echo' is defined already");
  assert_int_equal(ts_registry_count(registry), 8);
  unlink(copy);
  rmdir(folder);
  free(copy);
  free(folder);
  free(path);
  ts_str_release(&file);
  ts_faults_release(&faults);
  ts_registry_destroy(registry);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_good_plugin),
      cmocka_unit_test(test_same_file_twice),
      cmocka_unit_test(test_build_id),
      cmocka_unit_test(test_plugin_digest),
      cmocka_unit_test(test_other_api),
      cmocka_unit_test(test_first_api),
      cmocka_unit_test(test_build_id_of_damaged_files),
      cmocka_unit_test(test_refusing_plugin),
      cmocka_unit_test(test_no_symbol),
      cmocka_unit_test(test_garbage_library),
      cmocka_unit_test(test_cut_library),
      cmocka_unit_test(test_bad_descriptors),
      cmocka_unit_test(test_name_taken),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
