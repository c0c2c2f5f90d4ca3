/* The registry and the keys of calls: order, lookup, implementation digests, golden key values.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/op/helpers.h"

#include "op/implementation.h"
#include "support/vectors.h"

static int run(struct ts_op_call *call) {
  (void)call;
  return 0;
}

static void even(struct ts_op_value *value) { value->integer -= value->integer % 2; }

static const struct ts_op_port *const input_ports[] = {TS_OP_PORT("right", "table", "", 0),
                                                       TS_OP_PORT("left", "table", "", 1)};
static const struct ts_op_port *const output_ports[] = {TS_OP_PORT("table", "table", "", 0),
                                                        TS_OP_PORT("mask", "mask", "", 0)};
static const struct ts_op_parameter *const parameters[] = {TS_OP_PARAMETER("b", TS_OP_INTEGER, 0, 9, NULL, "", even),
                                                           TS_OP_PARAMETER("a", TS_OP_REAL, 1, 0, NULL, "", NULL)};

#define DESCRIPTOR(text, number)                                                                                       \
  {                                                                                                                    \
    TS_OP_DESCRIPTOR_HEAD, .name = (text), .version = (number), .inputs = input_ports, .input_count = 2,               \
                           .outputs = output_ports, .output_count = 2, .parameters = parameters, .parameter_count = 2, \
                           .run = run                                                                                  \
  }
static const struct ts_op_descriptor zebra = DESCRIPTOR("test.zebra", 3), ant = DESCRIPTOR("test.ant", 1),
                                     mouse = DESCRIPTOR("test.mouse", 1);
static const struct ts_op_descriptor *const all[] = {&zebra, &ant, &mouse};
static const struct ts_implementation implementations[] = {
    {"test.ant", {0x22}},
    {"test.mouse", {0x33}},
    {"test.zebra", {0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11,
                    0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11}},
};

static struct ts_registry *make_registry(void) {
  struct ts_registry *registry = ts_registry_create();
  ts_registry_add_built_in(registry, all, COUNT(all), implementations, COUNT(implementations));
  return registry;
}

static void test_order_and_lookup(void **state) {
  (void)state;
  struct ts_registry *registry = make_registry();
  assert_int_equal(ts_registry_count(registry), 3);
  assert_string_equal(ts_registry_at(registry, 0)->descriptor->name, "test.ant");
  assert_string_equal(ts_registry_at(registry, 1)->descriptor->name, "test.mouse");
  assert_string_equal(ts_registry_at(registry, 2)->descriptor->name, "test.zebra");
  assert_ptr_equal(ts_registry_find(registry, "test.mouse")->descriptor, &mouse);
  assert_null(ts_registry_find(registry, "test.mous"));
  assert_null(ts_registry_find(registry, "zzz"));
  assert_string_equal(ts_registry_nearest(registry, "test.mosue"), "test.mouse");
  assert_null(ts_registry_nearest(registry, "entirely.different"));
  ts_registry_destroy(registry);
}

static void test_ports_by_name(void **state) {
  (void)state;
  struct ts_registry *registry = make_registry();
  const struct ts_op *op = ts_registry_find(registry, "test.ant");
  size_t index = 99;
  assert_true(ts_op_find_input(op, "left", &index));
  assert_int_equal(index, 1);
  assert_true(ts_op_find_output(op, "mask", &index));
  assert_int_equal(index, 1);
  assert_true(ts_op_find_parameter(op, "b", &index));
  assert_int_equal(index, 0);
  assert_false(ts_op_find_input(op, "mask", &index));
  assert_false(ts_op_find_output(op, "left", &index));
  assert_false(ts_op_find_parameter(op, "c", &index));
  ts_registry_destroy(registry);
}

/* SHA-256 of the version as 8 bytes, little endian, and 32 times 0x11; computed with Python's hashlib. */
static void test_implementation_digest(void **state) {
  (void)state;
  struct ts_registry *registry = make_registry();
  const struct ts_op *op = ts_registry_find(registry, "test.zebra");
  char hex[65];
  ts_hex_encode(op->implementation.bytes, 32, hex);
  assert_string_equal(hex, "0b16cb9c8a0b2b5659cb668209b40367d5ef29304c38d756b7afa7f9e5765312");
  assert_string_equal(op->numeric, "exact");
  assert_true(op->shareable);
  assert_int_equal(op->origin, TS_OP_BUILT_IN);
  assert_string_equal(op->source, "");
  ts_registry_destroy(registry);
}

/* The fields of ts_op_key written out by hand for base/key.h. */
static void test_key_fields(void **state) {
  (void)state;
  struct ts_registry *registry = make_registry();
  struct ts_op *op = ts_registry_find(registry, "test.ant");
  struct ts_error err = {0};
  struct ts_key left = {{{7}}}, right = {{{8}}}, by_op, by_hand;
  const struct ts_key *inputs[] = {&right, &left};
  struct ts_value values[] = {ts_value_integer(5), ts_value_integer(2)};
  struct ts_key_parameter expected[] = {{"a", ts_value_real(2)}, {"b", ts_value_integer(4)}};
  struct ts_key_input connected[] = {{"left", left}, {"right", right}};
  struct ts_key_fields fields = {TS_KEY_DOMAIN_TASK, "s", "test.ant", op->implementation, "exact", expected, 2,
                                 connected,          2};
  assert_true(ts_op_key(op, TS_KEY_DOMAIN_TASK, "s", values, NULL, inputs, &by_op, &err));
  assert_true(ts_key_compute(&fields, &by_hand, &err));
  assert_true(ts_key_equal(&by_op, &by_hand));
  /* An optional input that is not connected is left out. */
  inputs[1] = NULL;
  fields.inputs = &connected[1];
  fields.input_count = 1;
  assert_true(ts_op_key(op, TS_KEY_DOMAIN_TASK, "s", values, NULL, inputs, &by_op, &err));
  assert_true(ts_key_compute(&fields, &by_hand, &err));
  assert_true(ts_key_equal(&by_op, &by_hand));
  /* 5 and 4 are the same to this operation, 6 is not. */
  struct ts_key other;
  values[0] = ts_value_integer(4);
  ts_op_key(op, TS_KEY_DOMAIN_TASK, "s", values, NULL, inputs, &other, &err);
  assert_true(ts_key_equal(&by_op, &other));
  values[0] = ts_value_integer(6);
  ts_op_key(op, TS_KEY_DOMAIN_TASK, "s", values, NULL, inputs, &other, &err);
  assert_false(ts_key_equal(&by_op, &other));
  values[1] = ts_value_real(1.0 / 0.0);
  assert_false(ts_op_key(op, TS_KEY_DOMAIN_TASK, "s", values, NULL, inputs, &other, &err));
  assert_int_equal(err.code, TS_ERR_BAD_VALUE);
  ts_registry_destroy(registry);
}

/* ---- Golden keys. ---- */

/* An operation made from the fields of a vector; false for values that operations do not take (lists). */
static bool check_vector(const json_t *entry) {
  const json_t *fields = json_object_get(entry, "fields");
  json_t *params = json_object_get(fields, "params"), *connections = json_object_get(fields, "inputs");
  struct ts_op_parameter described[8] = {0};
  const struct ts_op_parameter *parameter_list[8];
  struct ts_value values[8];
  struct ts_op_port ports[8] = {0};
  const struct ts_op_port *port_list[8];
  struct ts_key keys[8];
  const struct ts_key *inputs[8];
  size_t parameter_count = 0, input_count = 0;
  const char *name;
  json_t *item;
  json_object_foreach(params, name, item) {
    enum ts_value_type type;
    struct ts_error err = {0};
    assert_true(ts_value_type_parse(json_string_value(json_object_get(item, "type")), &type));
    if (type == TS_VALUE_LIST) return false;
    static const enum ts_op_value_type types[] = {TS_OP_INTEGER, TS_OP_REAL, TS_OP_BOOLEAN, TS_OP_STRING};
    parameter_list[parameter_count] = &described[parameter_count];
    described[parameter_count] = (struct ts_op_parameter){.name = name, .type = types[type], .low = 1, .high = 0};
    struct ts_arena arena = {0};
    assert_true(ts_value_from_json(json_object_get(item, "value"), type, &arena, &values[parameter_count], &err));
    if (type == TS_VALUE_STRING) values[parameter_count].as.string = json_string_value(json_object_get(item, "value"));
    ts_arena_release(&arena);
    parameter_count++;
  }
  json_object_foreach(connections, name, item) {
    ports[input_count].name = name;
    port_list[input_count] = &ports[input_count];
    assert_true(ts_hex_decode(json_string_value(item), keys[input_count].digest.bytes, 32));
    inputs[input_count] = &keys[input_count];
    input_count++;
  }
  struct ts_op_descriptor descriptor = {.name = json_string_value(json_object_get(fields, "op")),
                                        .inputs = port_list,
                                        .input_count = input_count,
                                        .parameters = parameter_list,
                                        .parameter_count = parameter_count};
  struct ts_op op = {.descriptor = &descriptor, .numeric = json_string_value(json_object_get(fields, "numeric"))};
  assert_true(ts_hex_decode(json_string_value(json_object_get(fields, "implementation")), op.implementation.bytes, 32));
  struct ts_key key;
  struct ts_error err = {0};
  char text[TS_KEY_TEXT_SIZE];
  assert_true(ts_op_key(&op, json_string_value(json_object_get(fields, "domain")),
                        json_string_value(json_object_get(fields, "salt")), values, NULL, inputs, &key, &err));
  ts_key_print(&key, text);
  assert_string_equal(text, json_string_value(json_object_get(entry, "key")));
  return true;
}

/* invariant 1: keys are the same in every process and on every machine. */
static void test_golden_keys(void **state) {
  (void)state;
  const char *shared = vectors_parent("keys");
  if (!shared) {
    print_message("SKIP: there is no ../shared/vectors/keys\n");
    skip();
  }
  char *path = ts_path_join(shared, "vectors/keys/keys.json");
  struct ts_json_doc doc = {0};
  struct ts_error err = {0};
  ts_json_doc_open(&doc, path, &err);
  assert_no_error(&err);
  const json_t *cases = json_object_get(doc.root, "cases");
  size_t checked = 0;
  for (size_t i = 0; i < json_array_size(cases); i++) checked += check_vector(json_array_get(cases, i));
  assert_true(checked >= 12);
  ts_json_doc_close(&doc);
  free(path);
}

/* One golden value that is always checked: "no parameters, one input" of the key specification. */
static void test_one_golden_key(void **state) {
  (void)state;
  const char *text =
      "{\"fields\":{\"domain\":\"tessera.task.1\",\"salt\":\"\",\"op\":\"image.read\",\"implementation\":"
      "\"1111111111111111111111111111111111111111111111111111111111111111\",\"numeric\":\"exact\","
      "\"params\":{},\"inputs\":{\"file\":"
      "\"77e89840b8b6df24d99fe31d97c06c09e3a6ed95c12b18b120324538e5e26fbe\"}},"
      "\"key\":\"k1:45c5eddc5df0c59b55d2b8d5f7ea20743c8012566cde525e51f0d2379a5e6065\"}";
  struct ts_json_doc doc = {0};
  struct ts_error err = {0};
  assert_true(ts_json_doc_parse(&doc, "vector", text, strlen(text), &err));
  assert_true(check_vector(doc.root));
  ts_json_doc_close(&doc);
}

static void test_unknown_files(void **state) {
  (void)state;
  struct ts_registry *registry = make_registry();
  struct ts_faults faults = {0};
  assert_false(ts_registry_load(registry, "/nowhere/at/all.so", &faults));
  assert_false(ts_registry_load(registry, "/dev/null", &faults));
  assert_int_equal(faults.count, 2);
  assert_error(&faults.items[0], TS_ERR_FILE_NOT_FOUND, "/nowhere/at/all.so");
  assert_error(&faults.items[1], TS_ERR_PLUGIN, "is not a file of operations");
  assert_string_equal(faults.items[0].where.file, "/nowhere/at/all.so");
  assert_int_equal(ts_registry_count(registry), 3);
  ts_faults_release(&faults);
  ts_registry_destroy(registry);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_order_and_lookup),      cmocka_unit_test(test_ports_by_name),
      cmocka_unit_test(test_implementation_digest), cmocka_unit_test(test_key_fields),
      cmocka_unit_test(test_one_golden_key),        cmocka_unit_test(test_golden_keys),
      cmocka_unit_test(test_unknown_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
