/* Variants by device: found by name, run by the caller's choice under the same key, and compared on request.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/op/helpers.h"

struct fixture {
  struct ts_registry *registry;
  struct ts_op *right, *liar, *plain; /* borrowed */
};

static int set_up(void **state) {
  static struct fixture fixture;
  fixture.registry = registry_with_plugin("variants");
  fixture.right = ts_registry_find(fixture.registry, "variants.right");
  fixture.liar = ts_registry_find(fixture.registry, "variants.liar");
  fixture.plain = ts_registry_find(fixture.registry, "variants.plain");
  *state = &fixture;
  return 0;
}

static int tear_down(void **state) {
  struct fixture *fixture = *state;
  ts_registry_destroy(fixture->registry);
  return 0;
}

/* 21 through the variant; 0 if the call fails. */
static double call_variant(struct ts_op *op, const struct ts_op_variant *variant, struct ts_error *err) {
  const struct ts_op_context context = {.variant = variant};
  struct ts_data *in = make_table("a\n21\n"), *out = NULL;
  const bool ok = ts_op_execute(op, &in, NULL, &out, &context, err);
  const double cell = ok ? table_cell(out, 0, "a") : 0;
  ts_data_unref(in);
  ts_data_unref(out);
  return cell;
}

static void found_by_device(void **state) {
  const struct fixture *f = *state;
  assert_ptr_equal(ts_op_variant_for(f->right, "cpu"), &f->right->own);
  assert_true(f->right->own.run == f->right->descriptor->run);
  assert_string_equal(ts_op_variant_for(f->right, "cuda")->device, "cuda");
  assert_true(ts_op_variant_for(f->right, "cuda")->scratch_per_input_byte == 5);
  assert_int_equal(f->right->descriptor->variant_count, 2); /* the one for later is kept, and never chosen */
  assert_null(ts_op_variant_for(f->right, "later"));
  assert_null(ts_op_variant_for(f->plain, "cuda"));
  assert_null(ts_op_variant_for(f->plain, "nonsense"));
}

/* main has set TESSERA_DEVICE to cuda. */
static void the_environment_forces_one(void **state) {
  const struct fixture *f = *state;
  assert_ptr_equal(ts_op_variant_chosen(f->right), ts_op_variant_for(f->right, "cuda"));
  assert_null(ts_op_variant_chosen(f->plain)); /* its own run */
}

static void run_by_choice(void **state) {
  const struct fixture *f = *state;
  struct ts_error err = {0};
  const uint64_t before = f->right->executions;
  assert_true(call_variant(f->right, NULL, &err) == 42);
  assert_true(call_variant(f->right, ts_op_variant_for(f->right, "cpu"), &err) == 42);
  assert_true(call_variant(f->right, ts_op_variant_for(f->right, "cuda"), &err) == 42);
  assert_no_error(&err);
  assert_int_equal(f->right->executions - before, 3);
}

/* main has set TESSERA_VERIFY: a variant that lies is found, and the check does not count as an execution. */
static void a_lie_is_found(void **state) {
  const struct fixture *f = *state;
  struct ts_error err = {0};
  assert_true(call_variant(f->liar, NULL, &err) == 42);
  assert_no_error(&err);
  assert_true(call_variant(f->liar, ts_op_variant_for(f->liar, "cuda"), &err) == 0);
  assert_error(&err, TS_ERR_OPERATION_CONTRACT,
               "operation 'variants.liar' made a different output 'table' on 'cuda' than on 'cpu'");
  assert_int_equal(f->liar->executions, 2);
}

static int nothing(struct ts_op_call *call) {
  (void)call;
  return 0;
}

static const struct ts_op_port *const table[] = {TS_OP_PORT("table", "table", "")};
static const struct ts_op_variant *const bad[] = {TS_OP_VARIANT("cuda", .run = nothing),
                                                  TS_OP_VARIANT("cuda", .run = nothing),
                                                  TS_OP_VARIANT("cpu", .run = nothing),
                                                  TS_OP_VARIANT("rocm", .numeric = "tolerance:rocm", .run = nothing),
                                                  TS_OP_VARIANT("hip"),
                                                  TS_OP_VARIANT(.run = nothing)};

static void bad_variants_are_refused(void **state) {
  (void)state;
  static const char *const texts[] = {
      "two variants are for the device 'cuda'", "variant 2 is for the device of the operation's own run",
      "the variant for 'rocm' does not promise the same bits", "variant 4 lacks a device or a run function",
      "variant 5 lacks a device or a run function"};
  struct ts_op_descriptor descriptor = {
      TS_OP_DESCRIPTOR_HEAD, .name = "a.b",  .version = 1,    .outputs = table,
      .output_count = 1,     .run = nothing, .variants = bad, .variant_count = COUNT(bad)};
  struct ts_faults faults = {0};
  assert_false(ts_op_descriptor_check(&descriptor, "x.so", &faults));
  for (size_t i = 0; i < COUNT(texts); i++) assert_contains(faults.items[i].text, texts[i]);
  assert_int_equal(faults.count, COUNT(texts));
  ts_faults_release(&faults);
  descriptor.variant_count = 1000;
  assert_false(ts_op_descriptor_check(&descriptor, "x.so", &faults));
  assert_fault(&faults, TS_ERR_PLUGIN, 0, 0, "1000 variants cannot be right");
  ts_faults_release(&faults);
}

int main(void) {
  setenv("TESSERA_DEVICE", "cuda", 1);
  setenv("TESSERA_VERIFY", "1", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(found_by_device), cmocka_unit_test(the_environment_forces_one), cmocka_unit_test(run_by_choice),
      cmocka_unit_test(a_lie_is_found),  cmocka_unit_test(bad_variants_are_refused),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
