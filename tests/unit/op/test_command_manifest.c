/* Command manifests: what a good one becomes, and every fault of a bad one with its line and column.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/op/helpers.h"

#include "op/command_files_int.h"

#include <sys/stat.h>
#include <unistd.h>

struct fixture {
  char *folder;   /* owned */
  char *manifest; /* owned */
};

static int setup(void **state) {
  struct fixture *fixture = ts_calloc(1, sizeof(*fixture));
  fixture->folder = make_folder();
  fixture->manifest = ts_path_join(fixture->folder, "op.json");
  *state = fixture;
  return 0;
}

static int teardown(void **state) {
  struct fixture *fixture = *state;
  ts_scratch_close(&fixture->folder);
  free(fixture->manifest);
  free(fixture);
  return 0;
}

static struct ts_faults load(const struct fixture *fixture, const char *text, struct ts_registry *registry) {
  struct ts_faults faults = {0};
  write_text(fixture->folder, "op.json", text);
  bool loaded = ts_registry_load(registry, fixture->manifest, &faults);
  assert_int_equal(loaded, faults.count == 0);
  return faults;
}

static const char good_text[] =
    "{ \"tessera_operation\": 1, \"name\": \"test.fit\", \"version\": 2, \"help\": \"fits\",\n"
    "  \"command\": [\"sh\", \"-e\", \"fit.sh\", \"plain\"], \"files\": [\"table.txt\"], \"complete\": true,\n"
    "  \"numeric\": \"tolerance:libm\", \"timeout_s\": 1.5,\n"
    "  \"needs\": {\"cores\": 2, \"memory\": \"8G\", \"gpu\": 1, \"exclusive\": true, \"site\": \"a-1\", \"gang\": "
    "3},\n"
    "  \"inputs\": {\"series\": {\"type\": \"table\", \"help\": \"rows\"},\n"
    "             \"mask\": {\"type\": \"mask|labels\", \"optional\": true}},\n"
    "  \"outputs\": {\"fit\": {\"type\": \"table\"}},\n"
    "  \"parameters\": {\"model\": {\"type\": \"string\", \"choices\": [\"one\", \"two\"]},\n"
    "                 \"noise\": {\"type\": \"real\", \"domain\": [0, 1]},\n"
    "                 \"count\": {\"type\": \"integer\"}, \"flag\": {\"type\": \"boolean\"}} }\n";

static void write_good_files(const struct fixture *fixture) {
  write_text(fixture->folder, "fit.sh", "exit 0\n");
  write_text(fixture->folder, "table.txt", "1 2 3\n");
}

static void test_good_manifest(void **state) {
  const struct fixture *fixture = *state;
  struct ts_registry *registry = ts_registry_create();
  write_good_files(fixture);
  struct ts_faults faults = load(fixture, good_text, registry);
  print_faults(&faults);
  assert_int_equal(faults.count, 0);
  const struct ts_op *op = ts_registry_find(registry, "test.fit");
  const struct ts_op_descriptor *descriptor = op->descriptor;
  assert_int_equal(op->origin, TS_OP_COMMAND);
  assert_true(op->shareable);
  assert_string_equal(op->numeric, "tolerance:libm");
  assert_string_equal(op->source, fixture->manifest);
  assert_int_equal(descriptor->version, 2);
  assert_string_equal(descriptor->help, "fits");
  assert_int_equal(descriptor->input_count, 2);
  assert_string_equal(descriptor->inputs[0]->name, "series");
  assert_string_equal(descriptor->inputs[0]->help, "rows");
  assert_int_equal(descriptor->inputs[0]->optional, 0);
  assert_string_equal(descriptor->inputs[1]->type, "mask|labels");
  assert_int_equal(descriptor->inputs[1]->optional, 1);
  assert_int_equal(descriptor->output_count, 1);
  assert_int_equal(descriptor->parameter_count, 4);
  assert_string_equal(descriptor->parameters[0]->choices[1], "two");
  assert_null(descriptor->parameters[0]->choices[2]);
  assert_true(descriptor->parameters[1]->low == 0 && descriptor->parameters[1]->high == 1);
  assert_true(descriptor->parameters[2]->low > descriptor->parameters[2]->high);
  assert_int_equal(descriptor->parameters[3]->type, TS_OP_BOOLEAN);
  assert_true(op->needs.cores == 2 && op->needs.gpus == 1 && op->needs.gang == 3 && op->needs.exclusive);
  assert_true(op->needs.memory_bytes == UINT64_C(8000000000));
  assert_string_equal(op->needs.site, "a-1");
  const struct ts_command *command = descriptor->user;
  assert_int_equal(command->word_count, 4);
  assert_true(command->words[0][0] == '/');
  assert_string_equal(command->words[1], "-e");
  assert_true(command->words[2][0] == '/' && ts_str_ends_with(command->words[2], "/fit.sh"));
  assert_string_equal(command->words[3], "plain");
  assert_int_equal(command->file_count, 3); /* sh, fit.sh, table.txt */
  assert_true(command->timeout_s == 1.5);
  ts_registry_destroy(registry);
}

/* ---- Identity. ---- */

static struct ts_sha256 implementation(const struct fixture *fixture, const char *text) {
  struct ts_registry *registry = ts_registry_create();
  struct ts_faults faults = load(fixture, text, registry);
  print_faults(&faults);
  assert_int_equal(faults.count, 0);
  struct ts_sha256 digest = ts_registry_at(registry, 0)->implementation;
  ts_registry_destroy(registry);
  return digest;
}

static bool same(const struct ts_sha256 *a, const struct ts_sha256 *b) { return memcmp(a, b, sizeof(*a)) == 0; }

static void test_digest_covers_everything(void **state) {
  const struct fixture *fixture = *state;
  write_good_files(fixture);
  struct ts_sha256 first = implementation(fixture, good_text), second = implementation(fixture, good_text);
  assert_true(same(&first, &second));
  write_text(fixture->folder, "fit.sh", "exit 1\n");
  second = implementation(fixture, good_text);
  assert_false(same(&first, &second));
  write_good_files(fixture);
  second = implementation(fixture, good_text);
  assert_true(same(&first, &second));
  write_text(fixture->folder, "table.txt", "1 2 4\n");
  second = implementation(fixture, good_text);
  assert_false(same(&first, &second));
  write_good_files(fixture);
  char *changed = ts_strdup(good_text);
  *strstr(changed, "plain") = 'P';
  second = implementation(fixture, changed);
  assert_false(same(&first, &second));
  free(changed);
}

/* The digest put together by hand: manifest, program, script, declared file; then the version. */
static void test_digest_by_hand(void **state) {
  const struct fixture *fixture = *state;
  write_text(fixture->folder, "tool", "#!/bin/sh\n");
  char *tool = ts_path_join(fixture->folder, "tool");
  chmod(tool, 0755);
  static const char text[] = "{\"tessera_operation\": 1, \"name\": \"a.b\", \"version\": 2, \"command\": [\"tool\"],"
                             " \"outputs\": {\"x\": {\"type\": \"bytes\"}}}";
  struct ts_sha256 found = implementation(fixture, text), digest;
  struct ts_str bytes = {0};
  ts_str_add_bytes(&bytes, "\0\0\0\0\0\0\0\0", 8);
  ts_sha256_of(text, strlen(text), &digest);
  ts_str_add_bytes(&bytes, digest.bytes, 32);
  ts_str_add_bytes(&bytes, "\4\0\0\0\0\0\0\0tool", 12);
  ts_sha256_of("#!/bin/sh\n", 10, &digest);
  ts_str_add_bytes(&bytes, digest.bytes, 32);
  ts_sha256_of(bytes.data, bytes.length, &digest);
  ts_str_clear(&bytes);
  ts_str_add_bytes(&bytes, "\2\0\0\0\0\0\0\0", 8);
  ts_str_add_bytes(&bytes, digest.bytes, 32);
  ts_sha256_of(bytes.data, bytes.length, &digest);
  assert_true(same(&found, &digest));
  ts_str_release(&bytes);
  free(tool);
}

static void test_not_shareable_unless_complete(void **state) {
  const struct fixture *fixture = *state;
  struct ts_registry *registry = ts_registry_create();
  struct ts_faults faults = load(fixture,
                                 "{\"tessera_operation\": 1, \"name\": \"a.b\", \"version\": 1,"
                                 "\"command\": [\"sh\"], \"outputs\": {\"x\": {\"type\": \"bytes\"}}}",
                                 registry);
  assert_int_equal(faults.count, 0);
  assert_false(ts_registry_at(registry, 0)->shareable);
  assert_string_equal(ts_registry_at(registry, 0)->numeric, "exact");
  ts_registry_destroy(registry);
}

static void test_comments_are_accepted(void **state) {
  const struct fixture *fixture = *state;
  struct ts_registry *registry = ts_registry_create();
  struct ts_faults faults =
      load(fixture,
           "{\"tessera_operation\": 1, \"name\": \"a.b\", \"version\": 1, \"comment\": \"of the whole\","
           "\"command\": [\"sh\"], \"outputs\": {\"x\": {\"type\": \"bytes\", \"comment\": \"of an output\"}},"
           "\"inputs\": {\"y\": {\"type\": \"bytes\", \"comment\": \"of an input\"}},"
           "\"parameters\": {\"p\": {\"type\": \"real\", \"comment\": \"of a parameter\"}}}",
           registry);
  assert_int_equal(faults.count, 0);
  assert_int_equal(ts_registry_count(registry), 1);
  ts_registry_destroy(registry);
}

/* ---- Faults. Lines and columns are counted in the text as it stands here. ---- */

static void test_all_faults_at_once(void **state) {
  const struct fixture *fixture = *state;
  struct ts_registry *registry = ts_registry_create();
  struct ts_faults faults = load(fixture,
                                 "{ \"tessera_operation\": 2,\n"
                                 "  \"name\": \"nodot\",\n"
                                 "  \"version\": \"1\",\n"
                                 "  \"comand\": [\"sh\"],\n"
                                 "  \"files\": [\"missing.txt\", 5],\n"
                                 "  \"numeric\": \"sloppy\",\n"
                                 "  \"timeout_s\": 0,\n"
                                 "  \"inputs\": { \"bad-name\": { \"type\": \"table\" },\n"
                                 "    \"a\": { \"type\": \"picture\" },\n"
                                 "    \"b\": { \"help\": \"\" },\n"
                                 "    \"c\": 7,\n"
                                 "    \"d\": { \"type\": \"field/f32\" } },\n"
                                 "  \"outputs\": { \"x\": { \"type\": \"mask|labels\" },\n"
                                 "    \"y\": { \"type\": \"file\", \"optional\": true } },\n"
                                 "  \"parameters\": {\n"
                                 "    \"p\": { \"type\": \"float\" },\n"
                                 "    \"q\": { \"type\": \"integer\", \"domain\": [0.5, 1] },\n"
                                 "    \"r\": { \"type\": \"real\", \"domain\": [1, 1] },\n"
                                 "    \"s\": { \"type\": \"string\", \"domain\": [0, 1] },\n"
                                 "    \"t\": { \"type\": \"string\", \"choices\": [1] },\n"
                                 "    \"u\": { \"type\": \"real\", \"choices\": [\"a\"] } } }\n",
                                 registry);
  static const struct {
    enum ts_error_code code;
    int line, column;
    const char *text;
  } expected[] = {
      {TS_ERR_FORMAT_VERSION, 1, 24, "manifest format 2 is unknown"},
      {TS_ERR_BAD_NAME, 2, 11, "the name 'nodot' is not allowed"},
      {TS_ERR_WRONG_TYPE, 3, 14, "'version' must be a whole number, but it is a string"},
      {TS_ERR_UNKNOWN_KEY, 4, 3, "a manifest has no key 'comand'"},
      {TS_ERR_FILE_NOT_FOUND, 5, 13, "declared file 'missing.txt' was not found"},
      {TS_ERR_WRONG_TYPE, 5, 28, "every file must be a string"},
      {TS_ERR_BAD_VALUE, 6, 14, "unknown numeric class 'sloppy'"},
      {TS_ERR_BAD_VALUE, 7, 16, "a time limit must be above 0"},
      {TS_ERR_BAD_NAME, 8, 15, "input 'bad-name'"},
      {TS_ERR_PORT_TYPE, 9, 20, "unknown port type 'picture'"},
      {TS_ERR_MISSING_KEY, 10, 10, "input 'b' needs the key 'type'"},
      {TS_ERR_WRONG_TYPE, 11, 10, "input 'c' must be an object, but it is an integer"},
      {TS_ERR_PORT_TYPE, 12, 20, "a command cannot have an input of type 'field/f32'"},
      {TS_ERR_PORT_TYPE, 13, 31, "must have one type, not 'mask|labels'"},
      {TS_ERR_PORT_TYPE, 14, 20, "a command cannot have an output of type 'file'"},
      {TS_ERR_UNKNOWN_KEY, 14, 28, "output 'y' has no key 'optional'"},
      {TS_ERR_BAD_VALUE, 16, 20, "unknown parameter type 'float'"},
      {TS_ERR_WRONG_TYPE, 17, 41, "the domain must be two whole numbers"},
      {TS_ERR_EMPTY_RANGE, 18, 38, "the domain is not a range"},
      {TS_ERR_BAD_VALUE, 19, 30, "only numbers have a 'domain'"},
      {TS_ERR_WRONG_TYPE, 20, 41, "every choice must be a string, not"},
      {TS_ERR_BAD_VALUE, 21, 28, "only strings have 'choices'"},
  };
  for (size_t i = 0; i < COUNT(expected); i++)
    assert_fault(&faults, expected[i].code, expected[i].line, expected[i].column, expected[i].text);
  if (faults.count != COUNT(expected)) print_faults(&faults);
  assert_int_equal(faults.count, COUNT(expected));
  for (size_t i = 0; i < faults.count; i++) {
    assert_string_equal(faults.items[i].where.file, fixture->manifest);
    assert_true(faults.items[i].help[0] != '\0');
    if (faults.items[i].code == TS_ERR_UNKNOWN_KEY && strstr(faults.items[i].text, "comand"))
      assert_contains(faults.items[i].help, "did you mean 'command'");
  }
  assert_int_equal(ts_registry_count(registry), 0);
  ts_faults_release(&faults);
  ts_registry_destroy(registry);
}

static void test_faults_of_needs(void **state) {
  const struct fixture *fixture = *state;
  struct ts_registry *registry = ts_registry_create();
  struct ts_faults faults =
      load(fixture,
           "{ \"tessera_operation\": 1, \"name\": \"a.b\", \"version\": 1, \"command\": [\"sh\"],\n"
           "  \"outputs\": {\"x\": {\"type\": \"table\"}},\n"
           "  \"needs\": {\n"
           "    \"cores\": 0,\n"
           "    \"memory\": \"much\",\n"
           "    \"gpu\": \"1\",\n"
           "    \"site\": \"a b\",\n"
           "    \"gang\": 100000,\n"
           "    \"disk\": 1 } }\n",
           registry);
  static const struct {
    enum ts_error_code code;
    int line, column;
    const char *text;
  } expected[] = {{TS_ERR_BAD_VALUE, 4, 14, "0 is not a number of 'cores'"},
                  {TS_ERR_BAD_VALUE, 5, 15, "'much' is not an amount of memory"},
                  {TS_ERR_WRONG_TYPE, 6, 12, "'gpu' must be a whole number"},
                  {TS_ERR_BAD_NAME, 7, 13, "the site 'a b' has a name that is not allowed"},
                  {TS_ERR_BAD_VALUE, 8, 13, "100000 is not a number of 'gang'"},
                  {TS_ERR_UNKNOWN_KEY, 9, 5, "'needs' has no key 'disk'"}};
  for (size_t i = 0; i < COUNT(expected); i++)
    assert_fault(&faults, expected[i].code, expected[i].line, expected[i].column, expected[i].text);
  assert_int_equal(faults.count, COUNT(expected));
  for (size_t i = 0; i < faults.count; i++) assert_true(faults.items[i].help[0] != '\0');
  ts_faults_release(&faults);
  ts_registry_destroy(registry);
}

static void expect_one_fault(const struct fixture *fixture, const char *text, enum ts_error_code code, int line,
                             int column, const char *part) {
  struct ts_registry *registry = ts_registry_create();
  struct ts_faults faults = load(fixture, text, registry);
  assert_fault(&faults, code, line, column, part);
  assert_int_equal(faults.count, 1);
  assert_int_equal(ts_registry_count(registry), 0);
  ts_faults_release(&faults);
  ts_registry_destroy(registry);
}

#define START  "{\"tessera_operation\": 1, \"name\": \"a.b\", \"version\": 1,\n"
#define OUTPUT "\"outputs\": {\"x\": {\"type\": \"bytes\"}}"

static void test_single_faults(void **state) {
  const struct fixture *fixture = *state;
  expect_one_fault(fixture, "{\"tessera_operation\": 1,\n ]", TS_ERR_JSON_SYNTAX, 2, 2, "");
  expect_one_fault(fixture, "[1]", TS_ERR_WRONG_TYPE, 1, 1, "a manifest must be an object, but it is a list");
  expect_one_fault(fixture, START OUTPUT "}", TS_ERR_MISSING_KEY, 1, 1, "a manifest needs the key 'command'");
  expect_one_fault(fixture, START "\"comand\": [\"sh\"],\n" OUTPUT "}", TS_ERR_UNKNOWN_KEY, 2, 1,
                   "a manifest has no key 'comand'");
  expect_one_fault(fixture, START "\"comment\": 1, \"command\": [\"sh\"],\n" OUTPUT "}", TS_ERR_WRONG_TYPE, 2, 12,
                   "'comment' must be a string, but it is an integer");
  expect_one_fault(fixture, START "\"command\": [],\n" OUTPUT "}", TS_ERR_BAD_VALUE, 2, 12, "the command is empty");
  expect_one_fault(fixture, START "\"command\": [\"no-such-program-here\"],\n" OUTPUT "}", TS_ERR_FILE_NOT_FOUND, 2, 13,
                   "program 'no-such-program-here' was not found");
  expect_one_fault(fixture, START "\"command\": [\"sh\", 5],\n" OUTPUT "}", TS_ERR_WRONG_TYPE, 2, 19,
                   "every word of the command must be a string");
  expect_one_fault(fixture, START "\"command\": [\"sh\"], \"outputs\": {}}", TS_ERR_MISSING_KEY, 2, 31,
                   "an operation needs an output");
  write_text(fixture->folder, "plain.txt", "");
  expect_one_fault(fixture, START "\"command\": [\"plain.txt\"],\n" OUTPUT "}", TS_ERR_FILE_NOT_FOUND, 2, 13,
                   "program 'plain.txt' may not be executed");
}

static void test_name_taken(void **state) {
  const struct fixture *fixture = *state;
  struct ts_registry *registry = ts_registry_create();
  struct ts_faults faults = load(fixture, START "\"command\": [\"sh\"], " OUTPUT "}", registry);
  assert_int_equal(faults.count, 0);
  write_text(fixture->folder, "other.json", START "\"command\": [\"sh\"], " OUTPUT "}");
  char *other = ts_path_join(fixture->folder, "other.json");
  assert_false(ts_registry_load(registry, other, &faults));
  assert_fault(&faults, TS_ERR_DUPLICATE_NAME, 0, 0, "'a.b' is defined already in");
  free(other);
  ts_faults_release(&faults);
  ts_registry_destroy(registry);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_good_manifest, setup, teardown),
      cmocka_unit_test_setup_teardown(test_digest_covers_everything, setup, teardown),
      cmocka_unit_test_setup_teardown(test_digest_by_hand, setup, teardown),
      cmocka_unit_test_setup_teardown(test_not_shareable_unless_complete, setup, teardown),
      cmocka_unit_test_setup_teardown(test_comments_are_accepted, setup, teardown),
      cmocka_unit_test_setup_teardown(test_all_faults_at_once, setup, teardown),
      cmocka_unit_test_setup_teardown(test_faults_of_needs, setup, teardown),
      cmocka_unit_test_setup_teardown(test_single_faults, setup, teardown),
      cmocka_unit_test_setup_teardown(test_name_taken, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
