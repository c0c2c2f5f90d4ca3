/* Calls without an engine, with a store in memory: look up, compute, digest, record.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/str.h"
#include "run/call.h"
#include "support/toy_run.h"

#include <string.h>

#define CALLS 400

struct subject {
  struct ts_run_options options;
  struct ts_call_env env;
  struct ts_data *data[TS_OP_MAX_PORTS];
  struct ts_xxh128 run_digests[TS_OP_MAX_PORTS];
  struct ts_sha256 digests[TS_OP_MAX_PORTS];
  size_t sizes[TS_OP_MAX_PORTS];
  struct ts_outputs out;
};

static void subject_open(struct subject *s, struct ts_registry *registry, bool stored) {
  *s = (struct subject){.options = {.registry = registry, .run_id = "this"}};
  if (stored) s->options.store = toy_store_open(NULL);
  s->env = (struct ts_call_env){.options = &s->options, .producer = "test"};
  s->out = (struct ts_outputs){1, s->data, s->run_digests, s->digests, s->sizes};
}

static void drop(struct subject *s) {
  for (size_t i = 0; i < TS_OP_MAX_PORTS; i++) {
    ts_data_unref(s->data[i]);
    s->data[i] = NULL;
  }
}

static void subject_close(struct subject *s) {
  drop(s);
  if (s->options.store) ts_store_close(s->options.store);
}

static void flush(struct subject *s) {
  struct ts_error err = {0};
  ts_store_flush(s->options.store, &err);
  if (err.code != TS_ERR_OK) fail_msg("%s", err.text);
}

static struct ts_data *make_table(double cell) {
  static const char *const names[] = {"v"};
  struct ts_error err = {0};
  struct ts_data *table = ts_data_create_table(1, 1, names, &err);
  if (!table) fail_msg("%s", err.text);
  *(double *)ts_data_writable(table) = cell;
  ts_data_finish(table);
  return table;
}

/* The content key of a call on one table. */
static struct ts_key key_of(const struct ts_call *call, const struct ts_data *input) {
  struct ts_key file, key;
  struct ts_error err = {0};
  const struct ts_key *inputs[TS_OP_MAX_PORTS] = {&file};
  ts_data_digest(input, &file.digest);
  if (!ts_op_key(call->op, TS_KEY_DOMAIN_CONTENT, "", call->values, NULL, inputs, &key, &err)) fail_msg("%s", err.text);
  return key;
}

static bool is_same(const struct ts_data *a, const struct ts_data *b) {
  struct ts_sha256 x, y;
  ts_data_digest(a, &x);
  ts_data_digest(b, &y);
  return memcmp(&x, &y, sizeof x) == 0;
}

/* Random calls of few operations, values and inputs: each distinct one is executed once, the others are found. */
static void equal_calls_are_computed_once(void **state) {
  static const char *const operations[] = {"toy.mix", "toy.fold", "toy.risky"};
  struct subject s;
  subject_open(&s, *state, true);
  bool met[3][6][3] = {{{false}}};
  struct ts_random random;
  ts_random_init(&random, 17, 0);
  for (size_t i = 0; i < CALLS; i++) {
    size_t o = ts_random_below(&random, 3), p = ts_random_below(&random, 6), cell = ts_random_below(&random, 3);
    struct ts_op *op = ts_registry_find(*state, operations[o]);
    struct ts_value given = ts_value_integer((int64_t)p);
    struct ts_value value = ts_op_canonical(op->descriptor->parameters[0], &given);
    const size_t canonical = (size_t)value.as.integer;
    const struct ts_call call = {
        .env = &s.env, .op = op, .values = &value, .key = {.digest.bytes = {1, (uint8_t)i, (uint8_t)(i >> 8)}}};
    struct ts_data *inputs[TS_OP_MAX_PORTS] = {make_table((double)cell)};
    struct ts_data *expected[TS_OP_MAX_PORTS] = {0};
    struct ts_error err = {0};
    struct ts_key key = key_of(&call, inputs[0]);
    struct ts_record_input edge = {"a", key};
    struct ts_call_times times = {0};
    assert_true(ts_op_execute(op, inputs, &value, expected, &(struct ts_op_context){0}, &err));
    bool found = ts_call_find(&call, &key, &s.out);
    assert_int_equal(found, met[o][canonical][cell]);
    if (!found) {
      assert_true(ts_call_compute(&call, inputs, 1, s.data, &times, NULL));
      ts_call_digest(&s.env, &s.out);
      ts_call_record(&call, &edge, 1, &key, &s.out, &times); /* tables are kept whatever they cost */
      flush(&s);
      assert_true(times.wall_s >= 0 && times.repeats == 0);
    }
    met[o][canonical][cell] = true;
    assert_true(is_same(s.data[0], expected[0]));
    struct ts_sha256 digest;
    ts_data_digest(expected[0], &digest);
    assert_memory_equal(&s.digests[0], &digest, sizeof digest);
    assert_memory_equal(&s.run_digests[0], &digest, sizeof s.run_digests[0]);
    assert_int_equal(s.sizes[0], ts_data_size_bytes(expected[0]));
    ts_data_unref(expected[0]);
    ts_data_unref(inputs[0]);
    drop(&s);
  }
  subject_close(&s);
}

/* A record says what was called, and an alias leads to the same products under another lineage. */
static void records_and_aliases_are_found_by_lineage(void **state) {
  struct subject s;
  subject_open(&s, *state, true);
  const struct ts_value value = ts_value_integer(3);
  struct ts_op *op = ts_registry_find(*state, "toy.mix");
  struct ts_call call = {.env = &s.env, .op = op, .values = &value, .key = {.digest.bytes = {1}}};
  struct ts_data *inputs[TS_OP_MAX_PORTS] = {make_table(1)};
  struct ts_key content = key_of(&call, inputs[0]);
  struct ts_record_input edge = {"a", {.digest.bytes = {9}}};
  struct ts_call_times times = {0};
  struct ts_error err = {0};
  assert_false(ts_call_find(&call, NULL, &s.out));
  assert_true(ts_call_compute(&call, inputs, 1, s.data, &times, NULL));
  ts_call_digest(&s.env, &s.out);
  times.cpu_s = 2.5;
  assert_true(ts_call_record(&call, &edge, 1, &content, &s.out, &times));
  struct ts_outputs no_data = s.out;
  no_data.data = NULL;
  call.key.digest.bytes[0] = 2;
  assert_false(ts_call_record(&call, &edge, 1, &content, &no_data, &times));
  flush(&s);
  for (uint8_t lineage = 1; lineage <= 2; lineage++) {
    ts_auto(ts_arena_release) struct ts_arena arena = {0};
    struct ts_record record;
    call.key.digest.bytes[0] = lineage;
    assert_true(ts_store_find(s.options.store, &call.key, &arena, &record, &err));
    assert_string_equal(record.operation, "toy.mix");
    assert_string_equal(record.run, "this");
    assert_true(record.is_alias == (lineage == 2) && record.seconds == 2.5 && record.input_count == 1);
    assert_memory_equal(&record.inputs[0].key, &edge.key, sizeof edge.key);
    struct ts_data *before = ts_data_ref(s.data[0]);
    drop(&s);
    assert_true(ts_call_find(&call, NULL, &s.out));
    assert_true(is_same(before, s.data[0]));
    ts_data_unref(before);
  }
  ts_data_unref(inputs[0]);
  subject_close(&s);
}

static void failures_say_why(void **state) {
  struct subject s;
  subject_open(&s, *state, false);
  const struct ts_value value = ts_value_integer(TOY_FAILS_FOR);
  const struct ts_call call = {.env = &s.env, .op = ts_registry_find(*state, "toy.risky"), .values = &value};
  struct ts_data *inputs[TS_OP_MAX_PORTS] = {make_table(1)};
  struct ts_call_times times = {0};
  ts_auto(ts_failure_release) struct ts_failure failure = {0};
  assert_false(ts_call_compute(&call, inputs, 1, s.data, &times, &failure));
  assert_int_equal(failure.error.code, TS_ERR_TASK_FAILED);
  assert_non_null(strstr(failure.error.text, TOY_REASON));
  assert_null(s.data[0]);
  ts_data_unref(inputs[0]);
  subject_close(&s);
}

/* Crop and gather are calls without an operation; without a store the digests are those of the run. */
static void pieces_are_cut_and_joined(void **state) {
  struct subject s;
  struct ts_error err = {0};
  subject_open(&s, *state, false);
  const struct ts_region whole = {.width = 4, .height = 4}, core = {.x = 1, .y = 1, .width = 2, .height = 2};
  struct ts_data *image = ts_data_create_pixels(ts_type_find("image/gray8"), &whole, &err);
  if (!image) fail_msg("%s", err.text);
  memset(ts_data_writable(image), 5, 16);
  ts_data_finish(image);
  struct ts_call_times times = {0};
  const struct ts_call crop = {.env = &s.env, .kind = TS_NODE_CROP, .core = &core};
  assert_true(ts_call_compute(&crop, &image, 1, s.data, &times, NULL));
  ts_call_digest(&s.env, &s.out);
  const struct ts_xxh128 digest = ts_data_run_digest(s.data[0]);
  assert_true(s.sizes[0] == 4 && s.run_digests[0].low == digest.low && s.run_digests[0].high == digest.high);
  ts_data_unref(image);
  drop(&s);
  struct ts_data *pieces[] = {make_table(1), make_table(2)};
  const struct ts_call gather = {.env = &s.env, .kind = TS_NODE_GATHER};
  assert_true(ts_call_compute(&gather, pieces, 2, s.data, &times, NULL));
  ts_call_digest(&s.env, &s.out);
  assert_true(s.sizes[0] >= 2 * sizeof(double));
  for (size_t i = 0; i < 2; i++) ts_data_unref(pieces[i]);
  subject_close(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equal_calls_are_computed_once),
      cmocka_unit_test(records_and_aliases_are_found_by_lineage),
      cmocka_unit_test(failures_say_why),
      cmocka_unit_test(pieces_are_cut_and_joined),
  };
  return cmocka_run_group_tests(tests, toy_set_up, toy_tear_down);
}
