/* Operations that read the pixel size: their keys, their views, and commands.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/op/helpers.h"

static int look(struct ts_op_call *call) {
  static const char *const names[] = {"x", "y"};
  double *cells = call->host->output_table(call, 0, 1, 2, names);
  if (!cells) return -1;
  cells[0] = call->inputs[0]->pixel_size_x_um;
  cells[1] = call->inputs[0]->pixel_size_y_um;
  return 0;
}

static const struct ts_op_port *const mask[] = {TS_OP_PORT("mask", "mask", "")};
static const struct ts_op_port *const table[] = {TS_OP_PORT("table", "table", "")};
static const struct ts_op_parameter *const level[] = {TS_OP_PARAMETER("A", TS_OP_INTEGER, 1, 0)};
static const struct ts_pixel_size size = {0.25, 0.5};

static struct ts_op_descriptor descriptor_of(int reads_pixel_size) {
  return (struct ts_op_descriptor){.name = "test.look",
                                   .version = 1,
                                   .inputs = mask,
                                   .input_count = 1,
                                   .outputs = table,
                                   .output_count = 1,
                                   .parameters = level,
                                   .parameter_count = 1,
                                   .reads_pixel_size = reads_pixel_size,
                                   .run = look};
}

/* The fields written out by hand: one parameter more for those who read it, nothing for the others. */
static void test_keys(void **state) {
  (void)state;
  const struct ts_value value = ts_value_integer(3);
  const struct ts_value items[] = {ts_value_real(0.25), ts_value_real(0.5)},
                        zeros[] = {ts_value_real(0), ts_value_real(0)};
  const struct ts_value_list known = {2, items}, unknown = {2, zeros};
  struct ts_key input = {{{7}}}, by_op, by_hand;
  const struct ts_key *inputs[] = {&input};
  const struct ts_key_input connected = {"mask", input};
  for (int reads = 0; reads < 2; reads++) {
    const struct ts_op_descriptor descriptor = descriptor_of(reads);
    struct ts_op op = {.descriptor = &descriptor, .numeric = "exact"};
    for (int is_known = 0; is_known < 2; is_known++) {
      struct ts_key_parameter parameters[] = {
          {"A", value}, {"@pixel_size_um", {.type = TS_VALUE_LIST, .as.list = is_known ? &known : &unknown}}};
      struct ts_key_fields fields = {.domain = TS_KEY_DOMAIN_CONTENT,
                                     .salt = "",
                                     .operation = "test.look",
                                     .numeric_class = "exact",
                                     .parameters = parameters,
                                     .parameter_count = reads ? 2 : 1,
                                     .inputs = &connected,
                                     .input_count = 1};
      struct ts_error err = {0};
      assert_true(ts_op_key(&op, TS_KEY_DOMAIN_CONTENT, "", &value, is_known ? &size : NULL, inputs, &by_op, &err));
      assert_true(ts_key_compute(&fields, &by_hand, &err));
      assert_true(ts_key_equal(&by_op, &by_hand));
    }
  }
  assert_false(ts_op_word_allowed(TS_OP_PIXEL_SIZE)); /* no parameter can have the name */
}

static void check_seen(struct ts_op *op, const struct ts_value *values, double x_um, double y_um) {
  const struct ts_op_context context = {.pixel_size = size};
  struct ts_data *in = make_pixels("mask", 0, 0, 2, 2, 255), *out = NULL;
  struct ts_error err = {0};
  ts_op_execute(op, &in, values, &out, &context, &err);
  assert_no_error(&err);
  assert_true(table_cell(out, 0, "x") == x_um && table_cell(out, 0, "y") == y_um);
  ts_data_unref(in);
  ts_data_unref(out);
}

static void test_views(void **state) {
  (void)state;
  const struct ts_value value = ts_value_integer(3);
  for (int reads = 0; reads < 2; reads++) {
    const struct ts_op_descriptor descriptor = descriptor_of(reads);
    struct ts_op op = {.descriptor = &descriptor, .numeric = "exact"};
    check_seen(&op, &value, reads ? 0.25 : 0, reads ? 0.5 : 0);
  }
}

/* A command that declares it finds it in call.json; another finds nothing. */
static void test_commands(void **state) {
  (void)state;
  static const char script[] = "import json, sys\n"
                               "call = json.load(open(sys.argv[-1]))\n"
                               "size = call['inputs']['mask'].get('pixel_size_um', [-1, -1])\n"
                               "open(call['outputs']['table']['path'], 'w').write('x,y\\n%r,%r\\n' % tuple(size))\n";
  for (int reads = 0; reads < 2; reads++) {
    char *folder = make_folder(), *path = ts_path_join(folder, "op.json");
    struct ts_str manifest = {0};
    ts_str_addf(&manifest,
                "{\"tessera_operation\": 1, \"name\": \"test.look\", \"version\": 1, \"command\": [\"python3\", \"-I\","
                " \"-S\", \"look.py\"], %s\"inputs\": {\"mask\": {\"type\": \"mask\"}},"
                " \"outputs\": {\"table\": {\"type\": \"table\"}}}",
                reads ? "\"reads_pixel_size\": true, " : "");
    write_text(folder, "look.py", script);
    write_text(folder, "op.json", ts_str_get(&manifest));
    struct ts_registry *registry = registry_with(path);
    check_seen(ts_registry_find(registry, "test.look"), NULL, reads ? 0.25 : -1, reads ? 0.5 : -1);
    ts_registry_destroy(registry);
    ts_folder_remove(folder);
    ts_str_release(&manifest);
    free(path);
    free(folder);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_keys),
      cmocka_unit_test(test_views),
      cmocka_unit_test(test_commands),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
