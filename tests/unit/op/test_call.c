/* Calls: views, alternatives, places, counting, locking, stopping, and every broken promise caught.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/op/helpers.h"

#include "support/regions.h"

#include <pthread.h>
#include <sched.h>

static struct ts_registry *good, *misbehaves;

static int setup(void **state) {
  (void)state;
  good = registry_with_plugin("good");
  misbehaves = registry_with_plugin("misbehaves");
  return 0;
}

static int teardown(void **state) {
  (void)state;
  ts_registry_destroy(good);
  ts_registry_destroy(misbehaves);
  return 0;
}

static void test_pixels(void **state) {
  (void)state;
  struct ts_op *op = ts_registry_find(good, "good.invert");
  struct ts_data *in = make_pixels("mask", 30, 40, 7, 3, 0), *out = NULL;
  struct ts_error err = {0};
  uint64_t before = op->executions;
  assert_true(ts_op_execute(op, &in, NULL, &out, NULL, &err));
  assert_no_error(&err);
  assert_int_equal(op->executions, before + 1);
  assert_string_equal(ts_data_type(out)->name, "mask");
  size_t size = 0;
  const uint8_t *pixels = ts_data_bytes(out, &size);
  assert_int_equal(size, 21);
  for (size_t i = 0; i < size; i++) assert_int_equal(pixels[i], 255);
  const struct ts_region *region = ts_data_region(out);
  assert_int_equal(region->x, 30);
  assert_int_equal(region->y, 40);
  assert_int_equal(region->width, 7);
  assert_int_equal(region->height, 3);
  assert_int_equal(region->level, 2);
  ts_data_unref(in);
  ts_data_unref(out);
}

static void test_alternatives_and_place(void **state) {
  (void)state;
  struct ts_op *op = ts_registry_find(good, "good.either");
  static const char *const given[] = {"mask", "labels"}, *const expected[] = {"mask", "image/gray8"};
  for (size_t i = 0; i < 2; i++) {
    struct ts_data *in = make_pixels(given[i], 5, 6, 4, 4, 0), *out = NULL;
    struct ts_error err = {0};
    ts_op_execute(op, &in, NULL, &out, NULL, &err);
    assert_no_error(&err);
    assert_string_equal(ts_data_type(out)->name, expected[i]);
    assert_int_equal(ts_data_region(out)->x, 15);
    assert_int_equal(ts_data_region(out)->y, 6);
    assert_int_equal(ts_data_region(out)->width, 2);
    ts_data_unref(in);
    ts_data_unref(out);
  }
}

static void test_parameters_and_optional_input(void **state) {
  (void)state;
  struct ts_op *op = ts_registry_find(good, "good.echo");
  struct ts_value values[] = {ts_value_integer(7), ts_value_integer(3), ts_value_boolean(true),
                              ts_value_string("careful")};
  struct ts_error err = {0};
  struct ts_data *in = NULL, *out = NULL;
  ts_op_execute(op, &in, values, &out, NULL, &err);
  assert_no_error(&err);
  assert_true(table_cell(out, 0, "integer") == 4); /* 7 neighbours act as 4 */
  assert_true(table_cell(out, 0, "real") == 3);
  assert_true(table_cell(out, 0, "boolean") == 1);
  assert_true(table_cell(out, 0, "letters") == 7);
  assert_true(table_cell(out, 0, "bytes") == -1);
  ts_data_unref(out);
  in = ts_data_create_bytes(ts_type_find("bytes"), 12, &err);
  memset(ts_data_writable(in), 1, 12);
  ts_op_execute(op, &in, values, &out, NULL, &err);
  assert_no_error(&err);
  assert_true(table_cell(out, 0, "bytes") == 12);
  ts_data_unref(in);
  ts_data_unref(out);
}

static void test_objects(void **state) {
  (void)state;
  struct ts_data *out = NULL;
  struct ts_error err = {0};
  assert_true(ts_op_execute(ts_registry_find(good, "good.outline"), NULL, NULL, &out, NULL, &err));
  assert_string_equal(ts_data_type(out)->name, "objects");
  assert_int_equal(ts_data_size_bytes(out), 42);
  ts_data_unref(out);
}

static void test_unfit_inputs_and_values(void **state) {
  (void)state;
  struct ts_op *op = ts_registry_find(good, "good.invert");
  uint64_t before = op->executions;
  struct ts_data *in = NULL, *out = (struct ts_data *)op;
  struct ts_error err = {0};
  assert_false(ts_op_execute(op, &in, NULL, &out, NULL, &err));
  assert_error(&err, TS_ERR_NO_PRODUCER, "input 'mask' of 'good.invert' is missing");
  assert_null(out);
  in = make_pixels("labels", 0, 0, 2, 2, 0);
  err = (struct ts_error){0};
  assert_false(ts_op_execute(op, &in, NULL, &out, NULL, &err));
  assert_error(&err, TS_ERR_PORT_TYPE, "takes mask, but labels arrived");
  ts_data_unref(in);
  in = NULL;
  struct ts_value values[] = {ts_value_integer(9), ts_value_real(3), ts_value_boolean(true), ts_value_string("fast")};
  err = (struct ts_error){0};
  assert_false(ts_op_execute(ts_registry_find(good, "good.echo"), &in, values, &out, NULL, &err));
  assert_error(&err, TS_ERR_OUTSIDE_DOMAIN, "'neighbours' is 9");
  assert_int_equal(op->executions, before);
  /* Nobody has to want the error. */
  assert_false(ts_op_execute(op, &in, NULL, &out, NULL, NULL));
}

static void test_broken_promises(void **state) {
  (void)state;
  static const struct {
    const char *operation;
    enum ts_error_code code;
    const char *text;
  } cases[] = {
      {"make_nothing", TS_ERR_OPERATION_CONTRACT, "did not make its output 'table'"},
      {"make_twice", TS_ERR_OPERATION_CONTRACT, "made its output 'table' twice"},
      {"make_pixels", TS_ERR_OPERATION_CONTRACT,
       "made 8-bit pixels with 1 channels for its output 'table' of type table"},
      {"fail_with_text", TS_ERR_TASK_FAILED, "'misbehaves.fail_with_text' failed: no cow after 3 rows"},
      {"fail_silently", TS_ERR_TASK_FAILED, "failed with status 7 and gave no reason"},
      {"fail_and_return_zero", TS_ERR_TASK_FAILED, "told but not returned"},
      {"name_wrong_port", TS_ERR_OPERATION_CONTRACT, "named output 5, but has 1"},
      {"name_columns_alike", TS_ERR_OPERATION_CONTRACT, "two columns named 'a'"},
      {"name_no_columns", TS_ERR_OPERATION_CONTRACT,
       "gave column 1 of its output 'table' a name that is empty or not UTF-8"},
      {"fill_mask_with_seven", TS_ERR_OPERATION_CONTRACT, "other values than 0 and 255 into its mask 'mask'"},
      {"make_wide_pixels", TS_ERR_OPERATION_CONTRACT, "made 16-bit pixels with 1 channels"},
      {"make_empty_pixels", TS_ERR_OPERATION_CONTRACT, "made 0 x 4 pixels"},
      {"make_negative_planes", TS_ERR_OPERATION_CONTRACT, "made -1 planes of 0 frames for its output 'mask'"},
      {"make_region_of_no_size", TS_ERR_OPERATION_CONTRACT, "gave its output 'mask' a place without its size"},
      {"make_table", TS_ERR_OPERATION_CONTRACT, "made a table for its output 'mask' of type mask"},
      {"say_nothing", TS_ERR_OPERATION_CONTRACT, "did not say which of mask|image/gray8|image/gray16"},
      {"say_another_type", TS_ERR_OPERATION_CONTRACT, "called its output 'pixels' 'labels', which is not"},
      {"say_unfit_type", TS_ERR_OPERATION_CONTRACT, "called its output 'pixels' image/gray16, but made mask"},
  };
  assert_int_equal(ts_registry_count(misbehaves), COUNT(cases));
  for (size_t i = 0; i < COUNT(cases); i++) {
    char name[64];
    snprintf(name, sizeof(name), "misbehaves.%s", cases[i].operation);
    struct ts_op *op = ts_registry_find(misbehaves, name);
    struct ts_error err = {0};
    struct ts_data *out = NULL;
    assert_non_null(op);
    uint64_t live = ts_buffer_live_bytes();
    assert_false(ts_op_execute(op, NULL, NULL, &out, NULL, &err));
    assert_error(&err, cases[i].code, cases[i].text);
    assert_null(out);
    assert_int_equal(ts_buffer_live_bytes(), live);
    assert_int_equal(op->executions, 1);
  }
}

/* Outputs of several planes, views of them, and operations that look at one plane only. */
static void test_volumes(void **state) {
  (void)state;
  struct ts_error err = {0};
  struct ts_data *plane = make_pixels("image/gray8", 7, 8, 5, 3, 10), *volume = NULL, *made[2] = {NULL};
  assert_true(ts_op_execute(ts_registry_find(good, "good.stack"), &plane, NULL, &volume, NULL, &err));
  assert_true(same_region(ts_data_region(volume), &(struct ts_region){7, 8, 5, 3, 2, 4, 5, 3, 2}));
  for (size_t i = 0; i < 90; i++) assert_int_equal(((const uint8_t *)ts_data_bytes(volume, NULL))[i], 10 + i / 15);
  assert_false(ts_op_execute(ts_registry_find(good, "good.stack"), &volume, NULL, made, NULL, &err));
  assert_error(&err, TS_ERR_PORT_TYPE,
               "input 'image' of 'good.stack' takes one plane, but 3 planes of 2 frames arrived");
  ts_error_clear(&err);
  assert_true(ts_op_execute(ts_registry_find(good, "good.last_plane"), &volume, NULL, made, NULL, &err));
  assert_true(same_region(ts_data_region(made[0]), &(struct ts_region){7, 8, 5, 3, 2, 4, 5, 1, 1}));
  for (size_t i = 0; i < 15; i++) assert_int_equal(((const uint8_t *)ts_data_bytes(made[0], NULL))[i], 15);
  static const struct {
    const char *name;
    double value;
  } cells[] = {{"depth", 3}, {"frames", 2}, {"z", 4}, {"t", 5}, {"row_bytes", 5}, {"memory", 0}};
  for (size_t i = 0; i < COUNT(cells); i++) assert_true(table_cell(made[1], 0, cells[i].name) == cells[i].value);
  struct ts_data *const all[] = {plane, volume, made[0], made[1]};
  for (size_t i = 0; i < COUNT(all); i++) ts_data_unref(all[i]);
}

/* Every byte value but two must be refused wherever it stands; brute force over values and places. */
static struct {
  size_t at, size;
  int value;
} smear;

static int make_smeared_mask(struct ts_op_call *call) {
  uint8_t *out = call->host->output_pixels(call, 0, (int64_t)smear.size, 1, 1, TS_OP_U8);
  if (!out) return -1;
  for (size_t i = 0; i < smear.size; i++) out[i] = i % 3 ? 255 : 0;
  out[smear.at] = (uint8_t)smear.value;
  return 0;
}

static const struct ts_op_port *const mask_port[] = {TS_OP_PORT("mask", "mask", "", 0)};
static const struct ts_op_descriptor smeared = {
    .name = "test.mask", .outputs = mask_port, .output_count = 1, .run = make_smeared_mask};

static void test_mask_values(void **state) {
  (void)state;
  struct ts_op op = {.descriptor = &smeared, .numeric = "exact"};
  for (smear.size = 1; smear.size <= 19; smear.size += 6) {
    for (smear.at = 0; smear.at < smear.size; smear.at++) {
      for (smear.value = 0; smear.value < 256; smear.value++) {
        struct ts_data *out = NULL;
        bool is_good = smear.value == 0 || smear.value == 255;
        assert_int_equal(ts_op_execute(&op, NULL, NULL, &out, NULL, NULL), is_good);
        ts_data_unref(out);
      }
    }
  }
}

/* ---- Threads. ---- */

static void *call_serial(void *argument) {
  struct ts_op *op = argument;
  for (size_t i = 0; i < 50; i++) {
    struct ts_data *out = NULL;
    if (!ts_op_execute(op, NULL, NULL, &out, NULL, NULL)) return op;
    bool alone = ts_data_cells(out)[0] == 1;
    ts_data_unref(out);
    if (!alone) return op;
  }
  return NULL;
}

static void test_calls_do_not_overlap(void **state) {
  (void)state;
  struct ts_op *op = ts_registry_find(good, "good.serial");
  uint64_t before = op->executions;
  pthread_t threads[4];
  for (size_t i = 0; i < COUNT(threads); i++) assert_int_equal(pthread_create(&threads[i], NULL, call_serial, op), 0);
  for (size_t i = 0; i < COUNT(threads); i++) {
    void *failed = NULL;
    pthread_join(threads[i], &failed);
    assert_null(failed);
  }
  assert_int_equal(op->executions, before + 50 * COUNT(threads));
}

struct stopped_call {
  struct ts_op *op;
  atomic_bool cancelled;
  struct ts_error err;
};

static void *call_until_stopped(void *argument) {
  struct stopped_call *call = argument;
  struct ts_op_context context = {.cancelled = &call->cancelled};
  struct ts_data *out = NULL;
  ts_op_execute(call->op, NULL, NULL, &out, &context, &call->err);
  return NULL;
}

static void test_stop(void **state) {
  (void)state;
  struct stopped_call call = {.op = ts_registry_find(good, "good.wait")};
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, call_until_stopped, &call), 0);
  while (atomic_load(&call.op->executions) == 0) sched_yield();
  atomic_store(&call.cancelled, true);
  pthread_join(thread, NULL);
  assert_error(&call.err, TS_ERR_CANCELLED, "'good.wait' was stopped");
  /* What is stopped already is not even started. */
  call.err = (struct ts_error){0};
  call_until_stopped(&call);
  assert_error(&call.err, TS_ERR_CANCELLED, "was not started");
  assert_int_equal(call.op->executions, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pixels),
      cmocka_unit_test(test_alternatives_and_place),
      cmocka_unit_test(test_parameters_and_optional_input),
      cmocka_unit_test(test_objects),
      cmocka_unit_test(test_unfit_inputs_and_values),
      cmocka_unit_test(test_broken_promises),
      cmocka_unit_test(test_mask_values),
      cmocka_unit_test(test_volumes),
      cmocka_unit_test(test_calls_do_not_overlap),
      cmocka_unit_test(test_stop),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
