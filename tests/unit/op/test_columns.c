/* What operations declare about the columns of their tables: look-ups, every fault, manifests, and tables that are not
 * as declared.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/op/helpers.h"

#include "op/command_files_int.h"
#include "op/implementation.h"
#include "op/op_int.h"

#include <math.h>
#include <unistd.h>

static const char *const made_names[] = {"dice", "both", "sum", "nuclei"};
static size_t made_count = 4; /* columns that the operation makes */

static int run(struct ts_op_call *call) {
  double *cells = call->host->output_table(call, 0, 1, made_count, made_names);
  if (!cells || !call->host->output_table(call, 2, 0, 1, made_names)) return -1;
  for (size_t i = 0; i < made_count; i++) cells[i] = 1;
  uint8_t *mask = call->host->output_pixels(call, 1, 1, 1, 1, TS_OP_U8);
  if (!mask) return -1;
  *mask = 0;
  return 0;
}

static const struct ts_op_port *const outputs[] = {
    TS_OP_PORT("table", "table", "", 0), TS_OP_PORT("mask", "mask", "", 0), TS_OP_PORT("other", "table", "", 0)};
static const struct ts_op_column *const columns[] = {TS_OP_COLUMN("table", "dice"), TS_OP_COLUMN("table", "both"),
                                                     TS_OP_COLUMN("table", "sum"), TS_OP_COLUMN("table", "nuclei")};
static const struct ts_op_column *const counts[] = {TS_OP_COLUMN("table", "nuclei")};
static const struct ts_op_term *const above[] = {TS_OP_TERM("both", 2)}, *const below[] = {TS_OP_TERM("sum", 1)};
static const struct ts_op_ratio *const ratios[] = {TS_OP_RATIO(TS_OP_COLUMN("table", "dice"), above, 1, below, 1)};

#define DESCRIPTOR                                                                                                     \
  TS_OP_DESCRIPTOR_HEAD, .name = "test.score", .version = 1, .outputs = outputs, .output_count = 3, .run = run

static const struct ts_op_descriptor good = {DESCRIPTOR,
                                             .columns = columns,
                                             .column_count = COUNT(columns),
                                             .ratios = ratios,
                                             .ratio_count = COUNT(ratios),
                                             .counts = counts,
                                             .counts_count = COUNT(counts),
                                             .objects = counts,
                                             .objects_count = COUNT(counts)};

static struct ts_registry *registry_of(const struct ts_op_descriptor *descriptor) {
  static const struct ts_implementation implementations[] = {{"test.score", {0x11}}};
  struct ts_registry *registry = ts_registry_create();
  ts_registry_add_built_in(registry, &descriptor, 1, implementations, 1);
  return registry;
}

static void test_look_ups(void **state) {
  (void)state;
  struct ts_registry *registry = registry_of(&good);
  const struct ts_op *op = ts_registry_at(registry, 0);
  assert_true(ts_op_declares_columns(op, 0));
  assert_false(ts_op_declares_columns(op, 2)); /* a table, but it does not say */
  assert_true(ts_op_has_column(op, 0, "sum"));
  assert_false(ts_op_has_column(op, 2, "sum"));
  assert_false(ts_op_has_column(op, 0, "Sum"));
  assert_string_equal(ts_op_nearest_column(op, 0, "nuclie"), "nuclei");
  assert_null(ts_op_nearest_column(op, 2, "nuclie"));
  assert_ptr_equal(ts_op_find_ratio(op, 0, "dice"), ratios[0]);
  assert_null(ts_op_find_ratio(op, 0, "both"));
  assert_null(ts_op_find_ratio(op, 2, "dice"));
  assert_true(ts_op_is_count(op, 0, "nuclei") && ts_op_is_count(op, 0, "both") && ts_op_is_count(op, 0, "sum"));
  assert_false(ts_op_is_count(op, 0, "dice") || ts_op_is_count(op, 2, "both"));
  assert_true(ts_op_of_objects(op, 0, "nuclei"));
  assert_false(ts_op_of_objects(op, 0, "sum"));
  ts_registry_destroy(registry);
}

/* ---- Faults of descriptors. ---- */

static void assert_refused(const struct ts_op_descriptor *descriptor, enum ts_error_code code, const char *text) {
  struct ts_faults faults = {0};
  assert_false(ts_op_descriptor_check(descriptor, "here", &faults));
  assert_fault(&faults, code, 0, 0, text);
  assert_true(faults.items[0].help[0] != '\0');
  ts_faults_release(&faults);
}

static void assert_ratio_refused(struct ts_op_ratio ratio, enum ts_error_code code, const char *text) {
  const struct ts_op_ratio *const one[] = {&ratio};
  struct ts_op_descriptor descriptor = good;
  descriptor.ratios = one;
  assert_refused(&descriptor, code, text);
}

static void test_bad_ratios(void **state) {
  (void)state;
  const struct ts_op_term *const unknown[] = {TS_OP_TERM("botch", 1)}, *const itself[] = {TS_OP_TERM("dice", 1)},
                                 *const nothing[] = {TS_OP_TERM("sum", 0)},
                                 *const endless[] = {TS_OP_TERM("sum", INFINITY)},
                                 *const nameless[] = {TS_OP_TERM(NULL, 1)};
  const struct ts_op_ratio base = *ratios[0];
  struct ts_op_ratio ratio = base;
  ratio.numerator_count = 0;
  assert_ratio_refused(ratio, TS_ERR_BAD_RATIO, "the numerator of the ratio 'dice' has no terms");
  ratio = base;
  ratio.denominator = NULL;
  assert_ratio_refused(ratio, TS_ERR_BAD_RATIO, "the denominator of the ratio 'dice' has no terms");
  ratio = base;
  ratio.numerator = unknown;
  assert_ratio_refused(ratio, TS_ERR_BAD_RATIO, "its 'ratios' use 'botch', but 'table' declares no such column");
  ratio.numerator = itself;
  assert_ratio_refused(ratio, TS_ERR_BAD_RATIO, "the ratio 'dice' is a term of itself");
  ratio.numerator = nothing;
  assert_ratio_refused(ratio, TS_ERR_BAD_RATIO, "a factor of the ratio 'dice' is 0 or not finite");
  ratio.numerator = endless;
  assert_ratio_refused(ratio, TS_ERR_BAD_RATIO, "a factor of the ratio 'dice' is 0 or not finite");
  ratio.numerator = nameless;
  assert_ratio_refused(ratio, TS_ERR_MISSING_KEY, "a term of the ratio 'dice' names no column");
  ratio = base;
  ratio.column = TS_OP_COLUMN("table", "nuclei");
  assert_ratio_refused(ratio, TS_ERR_BAD_RATIO, "'nuclei' is a ratio and a count");
  ratio.column = TS_OP_COLUMN("mask", "dice");
  assert_ratio_refused(ratio, TS_ERR_PORT_TYPE, "name a column of 'mask', which is of type mask");
  ratio.column = TS_OP_COLUMN("tabel", "dice");
  assert_ratio_refused(ratio, TS_ERR_NO_PRODUCER, "name a column of 'tabel', which is not an output");
  ratio.column = TS_OP_COLUMN("tabel", NULL);
  assert_ratio_refused(ratio, TS_ERR_MISSING_KEY, "entry 0 of its 'ratios' lacks a name");
}

static void test_bad_lists(void **state) {
  (void)state;
  const struct ts_op_column *const twice[] = {TS_OP_COLUMN("table", "dice"), TS_OP_COLUMN("table", "dice")},
                                   *const unknown[] = {TS_OP_COLUMN("table", "cells")},
                                   *const nameless[] = {TS_OP_COLUMN("table", "")};
  const struct ts_op_ratio *const two[] = {TS_OP_RATIO(TS_OP_COLUMN("table", "dice"), above, 1, below, 1),
                                           TS_OP_RATIO(TS_OP_COLUMN("table", "dice"), above, 1, below, 1)};
  struct ts_op_descriptor d = {DESCRIPTOR, .columns = twice, .column_count = 2};
  assert_refused(&d, TS_ERR_DUPLICATE_NAME, "the column 'dice' is declared twice");
  d = good;
  d.counts = unknown;
  assert_refused(&d, TS_ERR_BAD_RATIO, "its 'counts' use 'cells', but 'table' declares no such column");
  d = good;
  d.objects = nameless;
  assert_refused(&d, TS_ERR_MISSING_KEY, "entry 0 of its 'objects' lacks a name");
  d = good;
  d.ratios = two;
  d.ratio_count = 2;
  assert_refused(&d, TS_ERR_DUPLICATE_NAME, "the ratio 'dice' is declared twice");
  d = good;
  d.columns = NULL;
  assert_refused(&d, TS_ERR_PLUGIN, "4 'columns' cannot be right");
  d = good;
  d.ratio_count = SIZE_MAX / 2;
  assert_refused(&d, TS_ERR_PLUGIN, "'ratios' cannot be right");
}

/* ---- Tables that are not as declared. ---- */

static void assert_made(size_t count, const struct ts_op_descriptor *descriptor, const char *text) {
  struct ts_registry *registry = registry_of(descriptor);
  struct ts_data *made[3] = {NULL};
  struct ts_error err = {0};
  made_count = count;
  assert_int_equal(ts_op_execute(ts_registry_at(registry, 0), NULL, NULL, made, NULL, &err), text == NULL);
  if (text) {
    assert_int_equal(err.code, TS_ERR_OPERATION_CONTRACT);
    assert_non_null(strstr(err.text, text));
  }
  for (size_t i = 0; i < 3; i++) ts_data_unref(made[i]);
  ts_registry_destroy(registry);
}

static void test_made_tables(void **state) {
  (void)state;
  const struct ts_op_column *const reversed[] = {TS_OP_COLUMN("table", "nuclei"), TS_OP_COLUMN("table", "sum"),
                                                 TS_OP_COLUMN("table", "both"), TS_OP_COLUMN("table", "dice")};
  struct ts_op_descriptor other = {DESCRIPTOR, .columns = reversed, .column_count = 4};
  assert_made(4, &good, NULL);
  assert_made(4, &other, NULL); /* in any order */
  assert_made(3, &good, "did not give its table 'table' the column 'nuclei'");
  other.columns = columns;
  other.column_count = 3;
  assert_made(4, &other, "gave its table 'table' the column 'nuclei', which it does not declare");
  other.column_count = 0;
  assert_made(2, &other, NULL);
}

/* ---- Manifests. ---- */

static struct ts_faults load(const char *declarations, const char *more_outputs, struct ts_registry *registry) {
  char *folder = make_folder(), *path = ts_path_join(folder, "op.json");
  struct ts_faults faults = {0};
  struct ts_str text = {0};
  ts_str_addf(&text,
              "{ \"tessera_operation\": 1, \"name\": \"test.fit\", \"version\": 1, \"command\": [\"sh\"],\n"
              "  \"outputs\": { \"table\": { \"type\": \"table\" }%s }%s }\n",
              more_outputs, declarations);
  write_text(folder, "op.json", ts_str_get(&text));
  ts_registry_load(registry, path, &faults);
  ts_str_release(&text);
  free(path);
  ts_scratch_close(&folder);
  return faults;
}

static void test_good_manifest(void **state) {
  (void)state;
  struct ts_registry *registry = ts_registry_create();
  struct ts_faults faults =
      load(",\n \"columns\": {\"table\": [\"dice\", \"both_px\", \"found_px\", \"reference_px\"]},\n"
           " \"ratios\": {\"dice\": [{\"both_px\": 2}, {\"found_px\": 1, \"reference_px\": 1}]},\n"
           " \"counts\": [\"found_px\"], \"objects\": [\"table:found_px\"]",
           ", \"log\": {\"type\": \"bytes\"}", registry);
  print_faults(&faults);
  assert_int_equal(faults.count, 0);
  const struct ts_op *op = ts_registry_find(registry, "test.fit");
  const struct ts_op_ratio *ratio = ts_op_find_ratio(op, 0, "dice");
  assert_non_null(ratio);
  assert_int_equal(ratio->numerator_count, 1);
  assert_string_equal(ratio->numerator[0]->column, "both_px");
  assert_true(ratio->numerator[0]->factor == 2);
  assert_int_equal(ratio->denominator_count, 2);
  assert_string_equal(ratio->denominator[1]->column, "reference_px");
  assert_true(ts_op_is_count(op, 0, "reference_px"));
  assert_true(ts_op_of_objects(op, 0, "found_px"));
  assert_true(ts_op_has_column(op, 0, "both_px"));
  ts_registry_destroy(registry);
}

static void assert_manifest(const char *declarations, const char *more_outputs, enum ts_error_code code, int line,
                            int column, const char *text) {
  struct ts_registry *registry = ts_registry_create();
  struct ts_faults faults = load(declarations, more_outputs, registry);
  assert_fault(&faults, code, line, column, text);
  assert_int_equal(faults.count, 1);
  assert_int_equal(ts_registry_count(registry), 0);
  ts_faults_release(&faults);
  ts_registry_destroy(registry);
}

static void test_bad_manifests(void **state) {
  (void)state;
  const char *two = ", \"other\": {\"type\": \"table\"}";
  assert_manifest(",\n\"counts\": [\"n\", 5]", "", TS_ERR_WRONG_TYPE, 3, 17, "the name of a column is expected here");
  assert_manifest(",\n\"counts\": [\"n\"]", two, TS_ERR_BAD_VALUE, 3, 12, "which table has the column 'n'?");
  assert_manifest(",\n\"counts\": [\"nowhere:n\"]", two, TS_ERR_NO_PRODUCER, 3, 12,
                  "'nowhere', which is not an output");
  assert_manifest(",\n\"ratios\": {\"r\": [{\"a\": 1}]}", "", TS_ERR_WRONG_TYPE, 3, 17, "must be two objects");
  assert_manifest(",\n\"ratios\": {\"r\": [{\"a\": \"x\"}, {\"b\": 1}]}", "", TS_ERR_WRONG_TYPE, 3, 24,
                  "the factor of 'a' must be a number");
  assert_manifest(",\n\"ratios\": {\"r\": [{}, {\"b\": 1}]}", "", TS_ERR_BAD_RATIO, 3, 17,
                  "the numerator of the ratio 'r' has no terms");
  assert_manifest(",\n\"columns\": {\"table\": []}", "", TS_ERR_WRONG_TYPE, 3, 22,
                  "must be a list of at least one name");
  assert_manifest(",\n\"columns\": {\"table\": [\"a\"]}, \"objects\": [\"b\"]", "", TS_ERR_BAD_RATIO, 3, 42,
                  "its 'objects' use 'b', but 'table' declares no such column");
  assert_manifest(",\n\"ratio\": {}", "", TS_ERR_UNKNOWN_KEY, 3, 1, "a manifest has no key 'ratio'");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_look_ups),    cmocka_unit_test(test_bad_ratios),    cmocka_unit_test(test_bad_lists),
      cmocka_unit_test(test_made_tables), cmocka_unit_test(test_good_manifest), cmocka_unit_test(test_bad_manifests),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
