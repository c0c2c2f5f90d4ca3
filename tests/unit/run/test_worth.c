/* Which products are worth keeping and which worth loading, at costs that are given: no clock plays a part.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "run/run_int.h"
#include "support/toy_run.h"

#include <string.h>

#define SIDE_PX     1000
#define IMAGE_BYTES (SIDE_PX * SIDE_PX)

/* The image is an intermediate product: the stage gives only the table. */
static const char workflow[] =
    "{\"tessera\": 1, \"name\": \"worth\", \"inputs\": {\"data\": {\"type\": \"table\"}}, \"parameters\": {},"
    "\"stages\": [{\"name\": \"s\", \"per\": \"file\", \"in\": {\"data\": \"data\"}, \"out\": {\"out\": \"end.out\"}, "
    "\"tasks\": [{\"name\": \"noise\", \"op\": \"toy.noise\", \"in\": {\"a\": \"data\"}, \"params\": {\"size\": "
    "{\"value\": 8}, \"p\": {\"value\": 1}}},"
    "{\"name\": \"end\", \"op\": \"toy.stat\", \"in\": {\"image\": \"noise.image\"}, \"params\": {\"p\": {\"value\": "
    "0}}}]}]}";

struct subject {
  struct toy_subject toy;
  char folder[256];
  struct ts_store *store;
  struct ts_run_options options;
  struct ts_run_result result;
  struct engine engine;
  struct window *window;
  struct ts_data *image;
};

static void subject_open(struct subject *s, struct ts_registry *registry) {
  static const struct toy_image image = {"a", 1, 1};
  struct ts_error err = {0};
  *s = (struct subject){0};
  toy_case_init(&s->toy.toy, workflow, registry);
  toy_subject_complete(&s->toy, registry, &image, 1, 0, 0);
  toy_folder_create(s->folder);
  s->store = toy_store_open(s->folder);
  s->options = (struct ts_run_options){.threads = 1, .registry = registry, .store = s->store, .run_id = "this"};
  if (!ts_engine_init(&s->engine, s->toy.plan, &s->toy.data.dataset, &s->options, &s->result, &err))
    fail_msg("%s", err.text);
  s->window = ts_window_create(&s->engine, 0, &err);
  if (!s->window) fail_msg("%s", err.text);
  struct ts_region region = {.width = SIDE_PX, .height = SIDE_PX};
  s->image = ts_data_create_pixels(ts_type_find("image/gray8"), &region, &err);
  if (!s->image) fail_msg("%s", err.text);
  memset(ts_data_writable(s->image), 0, IMAGE_BYTES);
}

static void subject_close(struct subject *s) {
  ts_data_unref(s->image);
  ts_window_destroy(s->window);
  ts_engine_release(&s->engine);
  ts_run_result_release(&s->result);
  ts_store_close(s->store);
  toy_folder_remove(s->folder);
  toy_subject_release(&s->toy);
}

static struct instance *find_task(const struct subject *s, const char *name) {
  const struct ts_plan *plan = s->toy.plan;
  for (uint32_t n = 0; n < plan->node_count; n++) {
    const struct ts_node *node = &plan->nodes[n];
    if (node->kind == TS_NODE_TASK && strcmp(plan->workflow->tasks[node->task].name, name) == 0)
      return ts_window_instance(s->window, n, 0);
  }
  fail_msg("no task '%s'", name);
  return NULL;
}

/* Whether a million bytes that took so long to compute are kept. */
static bool is_kept(struct subject *s, double cpu_s) {
  struct instance *instance = find_task(s, "noise");
  struct content *content = ts_content_create(s->window, instance);
  const struct call_times times = {.cpu_s = cpu_s};
  content->has_key = true;
  ts_digest_outputs(&s->engine, content, &s->image);
  return ts_record_result(&s->engine, s->window, instance, content, false, &times, &s->image);
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
  struct instance *end = find_task(&s, "end");
  struct content *content = ts_content_create(s.window, end);
  const struct call_times times = {0};
  content->has_key = true;
  ts_digest_outputs(&s.engine, content, &s.image);
  assert_true(ts_record_result(&s.engine, s.window, end, content, false, &times, &s.image));
  subject_close(&s);
}

/* An image that took a second to compute and takes so long to load. */
static bool is_loaded(struct subject *s, const char *task, double load_s, const char *run, bool inputs_at_hand) {
  struct ts_record_output output = {
      .port = "image", .type = "image/gray8", .size_bytes = (uint64_t)(load_s * 1e6 + 0.5)};
  const struct ts_record record = {
      .operation = "toy.noise", .outputs = &output, .output_count = 1, .seconds = 1, .run = run};
  s->options.store_speed.load_bytes_per_s = 1e6;
  return ts_worth_loading(&s->engine, find_task(s, task), &record, inputs_at_hand);
}

/* Loading may take up to twice as long as computing. */
static void slow_loading_is_avoided(void **state) {
  struct subject s;
  subject_open(&s, *state);
  for (int at_hand = 0; at_hand < 2; at_hand++) {
    assert_true(is_loaded(&s, "noise", 0.01, "other", at_hand));
    assert_true(is_loaded(&s, "noise", 1.99, "other", at_hand));
    assert_false(is_loaded(&s, "noise", 2.01, "other", at_hand));
    assert_false(is_loaded(&s, "noise", 1000, "other", at_hand));
    assert_true(is_loaded(&s, "noise", 1000, "this", at_hand)); /* no task is executed twice within a run */
    assert_true(is_loaded(&s, "end", 1000, "other", at_hand));  /* of a stage */
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
  ts_store_put(s.store, &input, keep);
  ts_store_flush(s.store, &err);
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
    assert_int_equal(ts_worth_loading(&s.engine, find_task(&s, "noise"), &record, false), i == 0);
    assert_false(ts_worth_loading(&s.engine, find_task(&s, "noise"), &record, true));
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
