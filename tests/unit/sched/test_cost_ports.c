/* Bytes per output port and costs per device: their form as bytes, old samples beside new ones, and predictions.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "sched/cost_model.h"

#include <math.h>
#include <string.h>

static const struct ts_cost_key cpu = {.operation = "op", .machine = "this", .measure = "px", .device = TS_DEVICE_CPU};

/* A sample as versions without ports wrote it: size 4, 0.5 s, 3 bytes, peak of 7; little-endian doubles. */
static const unsigned char old_sample[] = {0, 0, 0, 0, 0, 0, 0x10, 0x40, 0, 0, 0, 0, 0, 0, 0xe0, 0x3f,
                                           0, 0, 0, 0, 0, 0, 0x08, 0x40, 0, 0, 0, 0, 0, 0, 0x1c, 0x40};

static void samples_without_ports_have_the_old_form(void **state) {
  (void)state;
  ts_auto(ts_str_release) struct ts_str bytes = {0};
  struct ts_cost_bin bin = {.number = ts_cost_bin_number(4), .calls = 1};
  assert_true(ts_cost_bin_decode(&bin, old_sample, sizeof old_sample));
  assert_int_equal(bin.count, 1);
  assert_true(bin.samples[0].size == 4 && bin.samples[0].seconds == 0.5);
  assert_true(bin.samples[0].bytes == 3 && bin.samples[0].peak_bytes == 7);
  assert_int_equal(bin.samples[0].port_count, 0);
  ts_cost_bin_encode(&bin, &bytes);
  assert_int_equal(bytes.length, sizeof old_sample);
  assert_memory_equal(bytes.data, old_sample, sizeof old_sample);
}

static struct ts_cost_bin make_bin(double size, double first, double second) {
  struct ts_cost_bin bin = {.number = ts_cost_bin_number(size)};
  ts_cost_bin_add(
      &bin, &(struct ts_cost_sample){
                .size = size, .seconds = 1, .bytes = first + second, .port_count = 2, .port_bytes = {first, second}});
  return bin;
}

static void ports_come_back_beside_samples_that_know_none(void **state) {
  (void)state;
  ts_auto(ts_str_release) struct ts_str bytes = {0};
  struct ts_cost_bin bin = make_bin(4, 30, 0), back = {.number = bin.number, .calls = 3}, old = back;
  assert_true(ts_cost_bin_decode(&old, old_sample, sizeof old_sample));
  old.calls = 2;
  ts_cost_bin_merge(&old, &bin);
  ts_cost_bin_encode(&old, &bytes);
  assert_int_equal(bytes.length, 8 + 2 * 6 * 8);
  assert_true(ts_cost_bin_decode(&back, bytes.data, bytes.length));
  assert_int_equal(back.count, 2);
  assert_int_equal(back.samples[0].port_count, 0);
  assert_int_equal(back.samples[1].port_count, 2);
  assert_true(back.samples[1].port_bytes[0] == 30 && back.samples[1].port_bytes[1] == 0);
  assert_true(back.samples[0].bytes == 3);
}

static void damaged_ports_are_seen(void **state) {
  (void)state;
  ts_auto(ts_str_release) struct ts_str bytes = {0};
  struct ts_cost_bin bin = make_bin(4, 30, 5), back = {.number = bin.number, .calls = 1};
  ts_cost_bin_encode(&bin, &bytes);
  assert_true(ts_cost_bin_decode(&back, bytes.data, bytes.length));
  for (size_t length = 1; length < bytes.length; length++) {
    if (ts_cost_bin_decode(&back, bytes.data, length) && back.count > 0) fail_msg("%zu bytes are enough", length);
  }
  static const unsigned char counts[] = {0, 1, 3, TS_COST_PORTS + 1, 255};
  for (size_t i = 0; i < sizeof counts; i++) {
    bytes.data[0] = (char)counts[i];
    assert_false(ts_cost_bin_decode(&back, bytes.data, bytes.length));
  }
  bytes.data[0] = 2;
  assert_true(ts_cost_bin_decode(&back, bytes.data, bytes.length));
  bytes.data[8 + 4 * 8 + 7] = (char)0xc0; /* less than nothing, and not the mark of what is unknown */
  assert_false(ts_cost_bin_decode(&back, bytes.data, bytes.length));
}

/* A mask grows with the pixels, a table less: near each size its own shares hold. */
static void ports_are_predicted_by_their_shares(void **state) {
  (void)state;
  const struct ts_cost_bin small = make_bin(1000, 1000, 1000), large = make_bin(100000, 100000, 5000);
  const struct ts_cost_entry entries[] = {{cpu, &small}, {cpu, &large}};
  struct ts_cost_model *model = ts_cost_model_create(entries, 2);
  struct ts_cost_estimate found = ts_cost_model_predict(model, &cpu, 1000);
  assert_int_equal(found.port_count, 2);
  assert_true(fabs(found.port_bytes[0] - 1000) < 1e-6 && fabs(found.port_bytes[1] - 1000) < 1e-6);
  found = ts_cost_model_predict(model, &cpu, 100000);
  assert_true(fabs(found.port_bytes[0] - 100000) < 1e-3 && fabs(found.port_bytes[1] - 5000) < 1e-3);
  found = ts_cost_model_predict(model, &cpu, 200000); /* in proportion */
  assert_true(fabs(found.port_bytes[0] - 200000) < 1e-3 && fabs(found.port_bytes[1] - 10000) < 1e-3);
  found = ts_cost_model_predict(model, &cpu, 50000); /* between: the parts are those of the sum */
  assert_true(fabs(found.port_bytes[0] + found.port_bytes[1] - found.bytes) < 1e-3);
  const struct ts_cost_summary summary = ts_cost_model_at(model, 0);
  assert_int_equal(summary.port_count, 2);
  assert_true(fabs(summary.port_bytes[0] + summary.port_bytes[1] - summary.bytes) < 1e-3);
  ts_cost_model_destroy(model);
}

static void unknown_ports_are_not_made_up(void **state) {
  (void)state;
  struct ts_cost_bin old = {.number = ts_cost_bin_number(4), .calls = 1};
  assert_true(ts_cost_bin_decode(&old, old_sample, sizeof old_sample));
  struct ts_cost_model *model = ts_cost_model_create(&(struct ts_cost_entry){cpu, &old}, 1);
  const struct ts_cost_estimate found = ts_cost_model_predict(model, &cpu, 4);
  assert_int_equal(found.knowledge, TS_COST_MEASURED);
  assert_int_equal(found.port_count, 0);
  ts_cost_model_destroy(model);
}

static void a_device_never_answers_for_another(void **state) {
  (void)state;
  struct ts_cost_key gpu = cpu;
  gpu.device = "gpu";
  const struct ts_cost_bin bin = make_bin(1000, 1, 1);
  struct ts_cost_model *model = ts_cost_model_create(&(struct ts_cost_entry){gpu, &bin}, 1);
  assert_int_equal(ts_cost_model_predict(model, &gpu, 1000).knowledge, TS_COST_MEASURED);
  assert_int_equal(ts_cost_model_predict(model, &cpu, 1000).knowledge, TS_COST_UNKNOWN);
  assert_false(ts_cost_key_equal(&cpu, &gpu));
  ts_cost_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(samples_without_ports_have_the_old_form),
      cmocka_unit_test(ports_come_back_beside_samples_that_know_none),
      cmocka_unit_test(damaged_ports_are_seen),
      cmocka_unit_test(ports_are_predicted_by_their_shares),
      cmocka_unit_test(unknown_ports_are_not_made_up),
      cmocka_unit_test(a_device_never_answers_for_another),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
