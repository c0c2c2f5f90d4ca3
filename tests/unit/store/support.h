/* What the tests of the store share: scratch folders, records made from a number, and comparing them.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_STORE_SUPPORT_H
#define TESTS_UNIT_STORE_SUPPORT_H

#include "base/alloc.h"
#include "base/arena.h"
#include "base/digest.h"
#include "base/random.h"
#include "store/store.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define SCRATCH_SIZE 256

static inline void scratch_create(char path[SCRATCH_SIZE]) {
  const char *parent = getenv("TMPDIR");
  snprintf(path, SCRATCH_SIZE, "%s/tessera-store-XXXXXX", parent && parent[0] ? parent : P_tmpdir);
  assert_non_null(mkdtemp(path));
}

static inline int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place) {
  (void)status;
  (void)kind;
  (void)place;
  return remove(path);
}

static inline void scratch_remove(const char *path) { nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS); }

/* Fails with the error's text, so that a broken test says why. */
static inline void assert_no_error(const struct ts_error *err) {
  if (err->code != TS_ERR_OK) fail_msg("unexpected error: %s", err->text);
}

static inline struct ts_store *open_store(const char *path) {
  struct ts_error err = {0};
  struct ts_store *store = ts_store_open(&(struct ts_store_options){.path = path}, &err);
  assert_no_error(&err);
  assert_non_null(store);
  return store;
}

static inline struct ts_store *open_to_read(const char *path) {
  struct ts_error err = {0};
  struct ts_store *store = ts_store_open(&(struct ts_store_options){.path = path, .read_only = true}, &err);
  assert_no_error(&err);
  assert_non_null(store);
  return store;
}

static inline void flush(struct ts_store *store) {
  struct ts_error err = {0};
  ts_store_flush(store, &err);
  assert_no_error(&err);
}

/* A key that nothing else has: the digest of a name and a number. */
static inline struct ts_key key_of(const char *name, uint64_t number) {
  char text[64];
  struct ts_key key;
  int length = snprintf(text, sizeof text, "%s %llu", name, (unsigned long long)number);
  ts_sha256_of(text, (size_t)length, &key.digest);
  return key;
}

/* Bytes that do not compress, the same for the same seed. */
static inline struct ts_data *make_bytes(size_t size_bytes, uint64_t seed) {
  struct ts_error err = {0};
  struct ts_data *data = ts_data_create_bytes(ts_type_find("bytes"), size_bytes, &err);
  assert_no_error(&err);
  struct ts_random random;
  ts_random_init(&random, seed, 0);
  unsigned char *bytes = ts_data_writable(data);
  for (size_t i = 0; i < size_bytes; i += 8) {
    const uint64_t number = ts_random_u64(&random);
    memcpy(bytes + i, &number, size_bytes - i < 8 ? size_bytes - i : 8);
  }
  return data;
}

/* A record with one product and two inputs, all of it told by its number. */
struct sample {
  struct ts_record record;
  struct ts_record_input inputs[2];
  struct ts_record_output output;
  struct ts_data *data; /* owned; released by sample_release */
  char parameters[64];
};

static inline void sample_init(struct sample *sample, uint64_t number, size_t size_bytes) {
  memset(sample, 0, sizeof *sample);
  sample->data = make_bytes(size_bytes, number);
  snprintf(sample->parameters, sizeof sample->parameters, "{\"G1\":%llu,\"name\":\"größe\"}",
           (unsigned long long)number);
  sample->inputs[0] = (struct ts_record_input){.port = "image", .key = key_of("image", number / 7)};
  sample->inputs[1] = (struct ts_record_input){.port = "mask", .key = key_of("mask", number)};
  sample->output = (struct ts_record_output){.port = "out", .type = "bytes", .size_bytes = size_bytes};
  ts_data_digest(sample->data, &sample->output.digest);
  sample->record = (struct ts_record){.key = key_of("lineage", number),
                                      .content_key = key_of("content", number),
                                      .operation = number % 2 ? "odd.operation" : "even.operation",
                                      .parameters_json = sample->parameters,
                                      .implementation = key_of("implementation", number % 3).digest,
                                      .numeric = "exact",
                                      .inputs = sample->inputs,
                                      .input_count = 2,
                                      .outputs = &sample->output,
                                      .output_count = 1,
                                      .seconds = 0.25 * (double)number,
                                      .peak_bytes = UINT64_C(5000000000) + number,
                                      .run = "0badcafe",
                                      .producer = "someone@host x86_64",
                                      .made_unix_ns = INT64_C(1700000000000000000) + (int64_t)number};
}

static inline void sample_release(struct sample *sample) {
  ts_data_unref(sample->data);
  sample->data = NULL;
}

static inline void put_sample(struct ts_store *store, uint64_t number, size_t size_bytes) {
  struct sample sample;
  sample_init(&sample, number, size_bytes);
  ts_store_put(store, &sample.record, &sample.data);
  sample_release(&sample);
}

static inline void assert_keys_equal(const struct ts_key *a, const struct ts_key *b) {
  assert_memory_equal(a, b, sizeof *a);
}

static inline void assert_records_equal(const struct ts_record *a, const struct ts_record *b) {
  assert_keys_equal(&a->key, &b->key);
  assert_keys_equal(&a->content_key, &b->content_key);
  assert_int_equal(a->is_alias, b->is_alias);
  assert_string_equal(a->operation, b->operation);
  assert_string_equal(a->parameters_json, b->parameters_json);
  assert_memory_equal(&a->implementation, &b->implementation, sizeof a->implementation);
  assert_string_equal(a->numeric, b->numeric);
  assert_true(a->seconds == b->seconds);
  assert_int_equal(a->peak_bytes, b->peak_bytes);
  assert_string_equal(a->run, b->run);
  assert_string_equal(a->producer, b->producer);
  assert_int_equal(a->made_unix_ns, b->made_unix_ns);
  assert_int_equal(a->input_count, b->input_count);
  for (size_t i = 0; i < a->input_count; i++) {
    assert_string_equal(a->inputs[i].port, b->inputs[i].port);
    assert_keys_equal(&a->inputs[i].key, &b->inputs[i].key);
  }
  assert_int_equal(a->output_count, b->output_count);
  for (size_t i = 0; i < a->output_count; i++) {
    assert_string_equal(a->outputs[i].port, b->outputs[i].port);
    assert_string_equal(a->outputs[i].type, b->outputs[i].type);
    assert_memory_equal(&a->outputs[i].digest, &b->outputs[i].digest, sizeof a->outputs[i].digest);
    assert_int_equal(a->outputs[i].size_bytes, b->outputs[i].size_bytes);
  }
}

static inline bool has_record(struct ts_store *store, uint64_t number) {
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_error err = {0};
  struct ts_record record;
  const struct ts_key key = key_of("lineage", number);
  const bool found = ts_store_find(store, &key, &arena, &record, &err);
  assert_no_error(&err);
  return found;
}

/* The record is there as it was put, and so is its product. */
static inline void assert_sample_whole(struct ts_store *store, uint64_t number, size_t size_bytes) {
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_error err = {0};
  struct ts_record found;
  struct sample sample;
  sample_init(&sample, number, size_bytes);
  assert_true(ts_store_find(store, &sample.record.key, &arena, &found, &err));
  assert_records_equal(&found, &sample.record);
  assert_true(ts_store_has_product(store, &sample.output.digest));
  struct ts_data *data = ts_store_load(store, &sample.output.digest, &err);
  assert_no_error(&err);
  assert_non_null(data);
  size_t loaded_bytes = 0;
  const void *bytes = ts_data_bytes(data, &loaded_bytes);
  assert_int_equal(loaded_bytes, size_bytes);
  if (size_bytes > 0) assert_memory_equal(bytes, ts_data_bytes(sample.data, &loaded_bytes), size_bytes);
  ts_data_unref(data);
  sample_release(&sample);
}

#endif
