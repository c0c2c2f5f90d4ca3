/* Which products are worth keeping and which worth loading, at costs that are given: no clock plays a part.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "run/call.h"
#include "support/toy_run.h"

#include <string.h>

#define SIDE_PX     1000
#define IMAGE_BYTES (SIDE_PX * SIDE_PX)

struct subject {
  char folder[256];
  struct ts_run_options options;
  struct ts_call_env env;
  struct ts_call noise; /* makes an image, an intermediate product */
  struct ts_value values[2];
  struct ts_data *image;
};

static void subject_open(struct subject *s, struct ts_registry *registry) {
  struct ts_error err = {0};
  *s = (struct subject){.values = {{.as.integer = 8}, {.as.integer = 1}}};
  toy_folder_create(s->folder);
  s->options = (struct ts_run_options){.store = toy_store_open(s->folder), .run_id = "this"};
  s->env = (struct ts_call_env){.options = &s->options, .producer = "test"};
  s->noise = (struct ts_call){.env = &s->env, .op = ts_registry_find(registry, "toy.noise"), .values = s->values};
  struct ts_region region = {.width = SIDE_PX, .height = SIDE_PX};
  s->image = ts_data_create_pixels(ts_type_find("image/gray8"), &region, &err);
  if (!s->image) fail_msg("%s", err.text);
  memset(ts_data_writable(s->image), 0, IMAGE_BYTES);
}

static void subject_close(struct subject *s) {
  ts_data_unref(s->image);
  ts_store_close(s->options.store);
  toy_folder_remove(s->folder);
}

/* Whether a million bytes that took so long to compute are kept. */
static bool is_kept(struct subject *s, double cpu_s) {
  struct ts_xxh128 run_digest;
  struct ts_sha256 digest;
  size_t size = 0;
  struct ts_outputs out = {1, &s->image, &run_digest, &digest, &size};
  const struct ts_call_times times = {.cpu_s = cpu_s};
  ts_call_digest(&s->env, &out);
  return ts_call_record(&s->noise, NULL, 0, &(struct ts_key){0}, &out, &times);
}

static void expensive_products_are_kept(void **state) {
  struct subject s;
  subject_open(&s, *state);
  assert_false(is_kept(&s, 0)); /* 200 MB/s, and 2 ms per product: 7 ms */
  assert_false(is_kept(&s, 0.0069));
  assert_true(is_kept(&s, 0.0071));
  assert_true(is_kept(&s, 100));
  s.options.store_speed.write_bytes_per_s = 20e6; /* measured: 52 ms */
  assert_false(is_kept(&s, 0.0519));
  assert_true(is_kept(&s, 0.0521));
  s.options.keep_all = true; /* another plan asks for them */
  assert_true(is_kept(&s, 0));
  subject_close(&s);
}

/* Tables, and outputs of stages, are kept whatever they cost. */
static void outputs_of_stages_are_kept(void **state) {
  struct subject s;
  subject_open(&s, *state);
  s.noise.is_stage_output = true;
  assert_true(is_kept(&s, 0));
  subject_close(&s);
}

/* An image that took a second to compute and takes so long to load. */
static bool is_loaded(struct subject *s, double load_s, const char *run, bool inputs_at_hand) {
  struct ts_record_output output = {
      .port = "image", .type = "image/gray8", .size_bytes = (uint64_t)(load_s * 1e6 + 0.5)};
  const struct ts_record record = {
      .operation = "toy.noise", .outputs = &output, .output_count = 1, .seconds = 1, .run = run};
  s->options.store_speed.load_bytes_per_s = 1e6;
  return ts_call_worth_loading(&s->noise, &record, inputs_at_hand);
}

/* Loading may take up to twice as long as computing. */
static void slow_loading_is_avoided(void **state) {
  struct subject s;
  subject_open(&s, *state);
  for (int at_hand = 0; at_hand < 2; at_hand++) {
    assert_true(is_loaded(&s, 0.01, "other", at_hand));
    assert_true(is_loaded(&s, 1.99, "other", at_hand));
    assert_false(is_loaded(&s, 2.01, "other", at_hand));
    assert_false(is_loaded(&s, 1000, "other", at_hand));
    assert_true(is_loaded(&s, 1000, "this", at_hand)); /* no task is executed twice within a run */
    s.noise.is_stage_output = true;
    assert_true(is_loaded(&s, 1000, "other", at_hand));
    s.noise.is_stage_output = false;
  }
  subject_close(&s);
}

/* What it was made from has to be there first: its input took 9 s, so that computing takes 10 s in all. */
static void inputs_that_are_not_at_hand_count(void **state) {
  struct subject s;
  struct ts_error err = {0};
  subject_open(&s, *state);
  struct ts_key key = {0};
  struct ts_sha256 digest = {.bytes = {1}};
  struct ts_record_output made = {.port = "out", .digest = digest, .type = "table", .size_bytes = UINT64_C(1) << 50};
  const struct ts_record input = {.key = key,
                                  .content_key = key,
                                  .operation = "toy.mix",
                                  .parameters_json = "{}",
                                  .numeric = "exact",
                                  .outputs = &made,
                                  .output_count = 1,
                                  .seconds = 9,
                                  .run = "other",
                                  .producer = "test"};
  struct ts_data *keep[1] = {NULL};
  ts_store_put(s.options.store, &input, keep);
  ts_store_flush(s.options.store, &err);
  if (err.code != TS_ERR_OK) fail_msg("%s", err.text);
  s.options.store_speed.load_bytes_per_s = 1e6;
  for (int i = 0; i < 2; i++) {
    struct ts_record_input edge = {"a", key};
    struct ts_record_output output = {.port = "image", .type = "image/gray8", .size_bytes = i ? 20100000 : 19900000};
    const struct ts_record record = {.operation = "toy.noise",
                                     .inputs = &edge,
                                     .input_count = 1,
                                     .outputs = &output,
                                     .output_count = 1,
                                     .seconds = 1,
                                     .run = "other"};
    assert_int_equal(ts_call_worth_loading(&s.noise, &record, false), i == 0);
    assert_false(ts_call_worth_loading(&s.noise, &record, true));
  }
  subject_close(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(expensive_products_are_kept),
      cmocka_unit_test(outputs_of_stages_are_kept),
      cmocka_unit_test(slow_loading_is_avoided),
      cmocka_unit_test(inputs_that_are_not_at_hand_count),
  };
  return cmocka_run_group_tests(tests, toy_set_up, toy_tear_down);
}
