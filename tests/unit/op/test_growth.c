/* Plugins that were compiled with a longer and with a shorter header than ours: both work, in both directions.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/op/helpers.h"

#include "op/op_int.h"

/* Inverts a mask at twice its place; the table repeats the parameter and a cell, and says whether the plugin believes
 * that it has found members that tessera does not have. */
static void run_grown(const char *plugin, double given, double expected, int32_t level) {
  struct ts_registry *registry = registry_with_plugin(plugin);
  struct ts_op *op = ts_registry_find(registry, "grown.both");
  assert_non_null(op);
  struct ts_data *inputs[] = {make_pixels("mask", 10, 20, 3, 2, 255), make_table("a\n7\n")}, *outputs[2] = {NULL};
  struct ts_value factor = ts_value_real(given);
  struct ts_error err = {0};
  ts_op_execute(op, inputs, &factor, outputs, NULL, &err);
  assert_no_error(&err);
  const struct ts_region *region = ts_data_region(outputs[0]);
  assert_true(region->x == 20 && region->y == 40 && region->level == level);
  for (size_t i = 0; i < 6; i++) assert_int_equal(((const uint8_t *)ts_data_bytes(outputs[0], NULL))[i], 0);
  assert_true(table_cell(outputs[1], 0, "factor") == expected);
  assert_true(table_cell(outputs[1], 0, "cell") == 7);
  assert_true(table_cell(outputs[1], 0, "more") == 0);
  for (size_t i = 0; i < 2; i++) {
    ts_data_unref(inputs[i]);
    ts_data_unref(outputs[i]);
  }
  ts_registry_destroy(registry);
}

/* The host's structs are shorter than the plugin's, which are longer than the host's. */
static void test_longer_header(void **state) {
  (void)state;
  run_grown("grown_later", 2.5, 2, 1); /* its canonical form is a whole number */
  struct ts_registry *registry = registry_with_plugin("grown_later");
  const struct ts_op *op = ts_registry_find(registry, "grown.both");
  assert_true(ts_op_has_column(op, 1, "cell") && !ts_op_has_column(op, 1, "cells"));
  assert_int_equal(ts_op_find_ratio(op, 1, "cell")->numerator_count, 1);
  assert_true(op->needs.cores == 2 && op->needs.gang == 3 && op->needs.struct_bytes == sizeof op->needs);
  assert_int_equal(ts_op_variant_for(op, "cuda")->struct_bytes, sizeof(struct ts_op_variant));
  assert_true(ts_op_is_count(op, 1, "factor") && ts_op_is_count(op, 1, "more"));
  ts_registry_destroy(registry);
}

/* And the other way round: fields that the plugin does not have are zero. */
static void test_shorter_header(void **state) {
  (void)state;
  run_grown("grown_earlier", 2.5, 2.5, 0);
  struct ts_registry *registry = registry_with_plugin("grown_earlier");
  const struct ts_op_descriptor *d = ts_registry_find(registry, "grown.both")->descriptor;
  assert_int_equal(d->struct_bytes, sizeof *d);
  assert_int_equal(d->inputs[0]->struct_bytes, sizeof *d->inputs[0]);
  assert_true(!d->inputs[0]->help && d->inputs[0]->optional == 0);
  assert_true(!d->parameters[0]->canonical && !d->parameters[0]->choices);
  assert_true(!d->open && !d->close && !d->needs && d->variant_count == 0 && d->reads_pixel_size == 0);
  assert_true(d->scratch_per_input_byte == 0 && d->reach == TS_OP_REACH_TILE && d->column_count == 0 &&
              !d->radius_parameter);
  ts_registry_destroy(registry);
}

/* The size comes first in every struct; in descriptors, the API number comes before it. */
static void test_sizes_come_first(void **state) {
  (void)state;
#define FIRST(type) assert_int_equal(offsetof(struct type, struct_bytes), 0)
  FIRST(ts_op_value);
  FIRST(ts_op_port);
  FIRST(ts_op_parameter);
  FIRST(ts_op_view);
  FIRST(ts_op_place);
  FIRST(ts_op_host);
  FIRST(ts_op_call);
  FIRST(ts_op_column);
  FIRST(ts_op_term);
  FIRST(ts_op_ratio);
  FIRST(ts_op_open);
  FIRST(ts_op_needs);
  FIRST(ts_op_variant);
  assert_int_equal(offsetof(struct ts_op_descriptor, api), 0);
  assert_int_equal(offsetof(struct ts_op_descriptor, struct_bytes), 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_longer_header),
      cmocka_unit_test(test_shorter_header),
      cmocka_unit_test(test_sizes_come_first),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
