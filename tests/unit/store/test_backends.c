/* One suite over every registered backend: records, products, digests of files, costs.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/store/over_backends.h"

#include "base/clock.h"
#include "base/file.h"
#include "store/store_int.h"

#include <math.h>
#include <pthread.h>

static void empty_store_has_nothing(void **state) {
  (void)state;
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_error err = {0};
  struct ts_record record;
  const struct ts_key key = key_of("absent", 1);
  assert_false(ts_store_find(store, &key, &arena, &record, &err));
  assert_false(ts_store_find_content(store, &key, &arena, &record, &err));
  assert_false(ts_store_has_product(store, &key.digest));
  assert_null(ts_store_load(store, &key.digest, &err));
  assert_no_error(&err);
  struct ts_record *records;
  size_t count = 9;
  assert_true(ts_store_records_of(store, "x", 10, &arena, &records, &count, &err));
  assert_int_equal(count, 0);
  struct ts_run_row *runs;
  count = 9;
  assert_true(ts_store_run_list(store, &arena, &runs, &count, &err));
  assert_int_equal(count, 0);
  struct ts_task_row *tasks;
  count = 9;
  assert_true(ts_store_task_list(store, "00000000", &arena, &tasks, &count, &err));
  assert_int_equal(count, 0);
  struct ts_store_usage usage = {9, 9, 9, 9};
  assert_true(ts_store_usage(store, &usage, &err));
  assert_int_equal(usage.records + usage.products + usage.product_bytes + usage.packed_bytes, 0);
  assert_string_equal(ts_store_salt(store), "");
  assert_string_equal(ts_store_path(store), place);
}

static void record_is_found_at_once_and_after_flush(void **state) {
  (void)state;
  put_sample(store, 5, 1000);
  assert_sample_whole(store, 5, 1000);
  flush(store);
  assert_sample_whole(store, 5, 1000);
  assert_false(has_record(store, 6));
}

static void products_of_all_sizes(void **state) {
  (void)state;
  static const size_t sizes[] = {0, 1, 4096, 4097, TS_STORE_INLINE_BYTES, 300000, 9 * 1024 * 1024};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) put_sample(store, i, sizes[i]);
  flush(store);
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) assert_sample_whole(store, i, sizes[i]);
}

static void content_key_prefers_the_original(void **state) {
  (void)state;
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_error err = {0};
  struct sample sample;
  sample_init(&sample, 1, 100);
  struct ts_record alias = sample.record;
  struct ts_data *none = NULL;
  alias.key = key_of("alias", 1);
  alias.is_alias = true;
  ts_store_put(store, &alias, &none);
  flush(store);
  struct ts_record found;
  assert_true(ts_store_find_content(store, &sample.record.content_key, &arena, &found, &err));
  assert_records_equal(&found, &alias);
  ts_store_put(store, &sample.record, &sample.data);
  flush(store);
  assert_true(ts_store_find_content(store, &sample.record.content_key, &arena, &found, &err));
  assert_records_equal(&found, &sample.record);
  assert_true(ts_store_find(store, &alias.key, &arena, &found, &err));
  assert_records_equal(&found, &alias);
  sample_release(&sample);
}

static void without_product_the_digest_is_kept(void **state) {
  (void)state;
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_error err = {0};
  struct sample sample;
  sample_init(&sample, 1, 100);
  ts_store_put(store, &sample.record, NULL);
  flush(store);
  struct ts_record found;
  assert_true(ts_store_find(store, &sample.record.key, &arena, &found, &err));
  assert_records_equal(&found, &sample.record);
  assert_false(ts_store_has_product(store, &sample.output.digest));
  assert_null(ts_store_load(store, &sample.output.digest, &err));
  assert_no_error(&err);
  sample_release(&sample);
}

/* The bytes of a file of the user are not in the store, so it must not promise them. */
static void files_are_not_products(void **state) {
  (void)state;
  struct sample sample;
  sample_init(&sample, 1, 100);
  struct ts_data *file = ts_data_create_file("slide.svs", &sample.output.digest);
  ts_store_put(store, &sample.record, &file);
  assert_false(ts_store_has_product(store, &sample.output.digest));
  flush(store);
  assert_true(has_record(store, 1));
  assert_false(ts_store_has_product(store, &sample.output.digest));
  ts_data_unref(file);
  sample_release(&sample);
}

/* Puts a record of the same key whose product has other bytes. */
static struct ts_sha256 put_other_result(uint64_t number, uint64_t seed) {
  struct sample sample;
  sample_init(&sample, number, 100);
  ts_data_unref(sample.data);
  sample.data = make_bytes(100, seed);
  ts_data_digest(sample.data, &sample.output.digest);
  ts_store_put(store, &sample.record, &sample.data);
  const struct ts_sha256 digest = sample.output.digest;
  sample_release(&sample);
  return digest;
}

static struct ts_sha256 found_digest(uint64_t number) {
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_error err = {0};
  struct ts_record found;
  const struct ts_key key = key_of("lineage", number);
  assert_true(ts_store_find(store, &key, &arena, &found, &err));
  assert_int_equal(found.output_count, 1);
  return found.outputs[0].digest;
}

static void first_whole_result_wins(void **state) {
  (void)state;
  const struct ts_sha256 first = put_other_result(1, 1001);
  put_other_result(1, 1002);
  struct ts_sha256 found = found_digest(1);
  assert_memory_equal(&found, &first, sizeof first);
  flush(store);
  put_other_result(1, 1003);
  flush(store);
  found = found_digest(1);
  assert_memory_equal(&found, &first, sizeof first);
  struct ts_store_usage usage;
  struct ts_error err = {0};
  assert_true(ts_store_usage(store, &usage, &err));
  assert_int_equal(usage.records, 1);
}

static void result_without_product_is_replaced(void **state) {
  (void)state;
  struct sample sample;
  sample_init(&sample, 1, 100);
  ts_store_put(store, &sample.record, NULL);
  flush(store);
  const struct ts_sha256 second = put_other_result(1, 1002);
  struct ts_sha256 found = found_digest(1);
  assert_memory_equal(&found, &second, sizeof second);
  flush(store);
  found = found_digest(1);
  assert_memory_equal(&found, &second, sizeof second);
  struct ts_store_usage usage;
  struct ts_error err = {0};
  assert_true(ts_store_usage(store, &usage, &err));
  assert_int_equal(usage.records, 1);
  sample_release(&sample);
}

static void equal_products_are_kept_once(void **state) {
  (void)state;
  struct ts_error err = {0};
  struct sample sample;
  sample_init(&sample, 1, 5000);
  for (uint64_t i = 0; i < 10; i++) {
    sample.record.key = key_of("equal", i);
    ts_store_put(store, &sample.record, &sample.data);
    if (i == 4) flush(store);
  }
  struct ts_store_usage usage;
  assert_true(ts_store_usage(store, &usage, &err));
  assert_int_equal(usage.records, 10);
  assert_int_equal(usage.products, 1);
  assert_int_equal(usage.product_bytes, 5000);
  assert_true(usage.packed_bytes >= 5000 && usage.packed_bytes < 5200);
  sample_release(&sample);
}

/* Outputs keep their order, also with none, several and the same bytes twice. */
static void any_number_of_ports(void **state) {
  (void)state;
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_error err = {0};
  struct sample sample;
  sample_init(&sample, 1, 50);
  struct ts_record_output outputs[20];
  struct ts_record_input inputs[20];
  struct ts_data *products[20];
  char ports[20][8];
  for (size_t i = 0; i < 20; i++) {
    snprintf(ports[i], sizeof ports[i], "p%zu", 19 - i);
    outputs[i] = sample.output;
    outputs[i].port = ports[i];
    inputs[i] = (struct ts_record_input){.port = ports[i], .key = key_of("input", i % 3)};
    products[i] = i % 2 ? sample.data : NULL;
  }
  for (size_t count = 0; count <= 20; count += 10) {
    struct ts_record record = sample.record;
    record.key = key_of("ports", count);
    record.outputs = outputs;
    record.inputs = inputs;
    record.output_count = record.input_count = count;
    ts_store_put(store, &record, products);
    flush(store);
    struct ts_record found;
    assert_true(ts_store_find(store, &record.key, &arena, &found, &err));
    assert_records_equal(&found, &record);
  }
  sample_release(&sample);
}

static void odd_numbers_survive(void **state) {
  (void)state;
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_error err = {0};
  struct sample sample;
  sample_init(&sample, 1, 10);
  sample.record.peak_bytes = UINT64_MAX;
  sample.record.made_unix_ns = INT64_MIN;
  sample.record.seconds = INFINITY;
  ts_store_put(store, &sample.record, &sample.data);
  flush(store);
  struct ts_record found;
  assert_true(ts_store_find(store, &sample.record.key, &arena, &found, &err));
  assert_records_equal(&found, &sample.record);
  sample.record.key = key_of("nan", 1);
  sample.record.seconds = NAN;
  ts_store_put(store, &sample.record, &sample.data);
  flush(store);
  assert_true(ts_store_find(store, &sample.record.key, &arena, &found, &err));
  sample_release(&sample);
}

static void records_of_an_operation_newest_first(void **state) {
  (void)state;
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_error err = {0};
  for (uint64_t i = 0; i < 40; i++) put_sample(store, i, 10);
  struct ts_record *records;
  size_t count;
  assert_true(ts_store_records_of(store, "odd.operation", 5, &arena, &records, &count, &err));
  assert_int_equal(count, 5);
  for (uint64_t i = 0; i < 5; i++) {
    struct sample sample;
    sample_init(&sample, 39 - 2 * i, 10);
    assert_records_equal(&records[i], &sample.record);
    sample_release(&sample);
  }
  assert_true(ts_store_records_of(store, "odd.operation", SIZE_MAX, &arena, &records, &count, &err));
  assert_int_equal(count, 20);
}

static void write_text(const char *path, const char *text) {
  struct ts_error err = {0};
  assert_true(ts_file_write(path, text, strlen(text), &err));
}

static void file_digests_follow_the_file(void **state) {
  (void)state;
  struct ts_error err = {0};
  struct ts_sha256 digest;
  struct ts_file_identity identity;
  struct ts_sha256 expected;
  ts_auto_free char *path = ts_path_join(folder, "input.csv");
  static const char *const texts[] = {"one", "two", "three"};
  for (size_t i = 0; i < 3; i++) {
    write_text(path, texts[i]);
    ts_sha256_of(texts[i], strlen(texts[i]), &expected);
    for (int again = 0; again < 2; again++) {
      assert_true(ts_store_file_digest(store, path, &digest, &identity, &err));
      assert_memory_equal(&digest, &expected, sizeof digest);
    }
  }
  assert_int_equal(unlink(path), 0);
  assert_false(ts_store_file_digest(store, path, &digest, &identity, &err));
  assert_int_equal(err.code, TS_ERR_FILE_NOT_FOUND);
}

/* The identity is what counts: whoever puts a digest for it gets that one back, and any change of it loses it. */
static void file_digests_are_remembered_by_identity(void **state) {
  (void)state;
  struct ts_error err = {0};
  const struct ts_store_options options = {.path = place};
  ts_store_close(store);
  void *instance = backend->open(&options, &err);
  assert_non_null(instance);
  const struct ts_file_identity file = {UINT64_MAX, 42, 1000, INT64_MAX, -5};
  const struct ts_sha256 put = key_of("file", 1).digest;
  struct ts_sha256 found;
  assert_false(backend->file_find(instance, &file, &found, &err));
  assert_true(backend->file_put(instance, &file, &put, &err));
  assert_true(backend->file_find(instance, &file, &found, &err));
  assert_memory_equal(&found, &put, sizeof put);
  struct ts_file_identity changed[5] = {file, file, file, file, file};
  changed[0].device--;
  changed[1].inode++;
  changed[2].size_bytes++;
  changed[3].mtime_ns--;
  changed[4].ctime_ns++;
  for (size_t i = 0; i < 5; i++) assert_false(backend->file_find(instance, &changed[i], &found, &err));
  assert_no_error(&err);
  backend->close(instance);
  store = NULL;
}

static struct ts_cost_row make_cost(const char *operation, const char *machine, int32_t bin, const char *samples) {
  return (struct ts_cost_row){.operation = operation,
                              .implementation = key_of("implementation", 1).digest,
                              .machine = machine,
                              .measure = "px",
                              .bin = bin,
                              .calls = UINT64_C(5000000000) + (uint64_t)bin,
                              .asked = 7,
                              .cut = 3,
                              .samples = samples,
                              .samples_bytes = strlen(samples),
                              .updated_unix_ns = INT64_C(1700000000000000000)};
}

static void costs_are_replaced_and_listed_in_order(void **state) {
  (void)state;
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_error err = {0};
  struct ts_cost_row *found;
  size_t count = 9;
  assert_true(ts_store_cost_list(store, &arena, &found, &count, &err));
  assert_int_equal(count, 0);
  const struct ts_cost_row rows[] = {make_cost("b", "big one, 96 cores", 3, "bbb"), make_cost("a", "x", 9, "nine"),
                                     make_cost("a", "x", -2, ""), make_cost("a", "größer", 9, "y")};
  bool outdated = true;
  assert_true(ts_store_cost_put(store, rows, 4, &outdated, &err) && !outdated);
  struct ts_cost_row again = make_cost("a", "x", 9, "nine again");
  again.seen_calls = again.calls;
  again.seen_asked = again.asked;
  assert_true(ts_store_cost_put(store, &again, 1, &outdated, &err) && !outdated);
  assert_true(ts_store_cost_put(store, NULL, 0, &outdated, &err) && !outdated && err.code == TS_ERR_OK);
  assert_true(ts_store_cost_list(store, &arena, &found, &count, &err));
  assert_int_equal(count, served ? 0 : 4); /* the process that serves a store learns for its workers */
  if (served) return;
  const struct ts_cost_row *wanted[] = {&rows[3], &rows[2], &again, &rows[0]};
  for (size_t i = 0; i < 4; i++) {
    assert_string_equal(found[i].operation, wanted[i]->operation);
    assert_string_equal(found[i].machine, wanted[i]->machine);
    assert_string_equal(found[i].measure, wanted[i]->measure);
    assert_memory_equal(&found[i].implementation, &wanted[i]->implementation, sizeof found[i].implementation);
    assert_true(found[i].bin == wanted[i]->bin && found[i].calls == wanted[i]->calls);
    assert_true(found[i].asked == 7 && found[i].cut == 3);
    assert_int_equal(found[i].updated_unix_ns, wanted[i]->updated_unix_ns);
    assert_int_equal(found[i].samples_bytes, wanted[i]->samples_bytes);
    assert_memory_equal(found[i].samples, wanted[i]->samples, wanted[i]->samples_bytes);
  }
}

#define THREADS    8
#define PER_THREAD 60

static void *put_and_find(void *argument) {
  const uint64_t thread = *(const uint64_t *)argument;
  for (uint64_t i = 0; i < PER_THREAD; i++) {
    const uint64_t number = thread * PER_THREAD + i;
    const size_t size_bytes = i % 20 == 0 ? 100000 : 300;
    put_sample(store, number, size_bytes);
    const struct ts_task_row row = {.task = number, .stage = "s", .name = "t", .outcome = "executed", .message = ""};
    ts_store_put_task(store, "33333333", &row);
    if (i % 16 == 0) assert_sample_whole(store, number, size_bytes);
    has_record(store, (number * 31) % (THREADS * PER_THREAD)); /* somebody else's, there or not */
    if (i % 32 == 31) flush(store);
  }
  return NULL;
}

static void threads_put_and_find(void **state) {
  (void)state;
  pthread_t threads[THREADS];
  uint64_t numbers[THREADS];
  for (uint64_t i = 0; i < THREADS; i++) {
    numbers[i] = i;
    assert_int_equal(pthread_create(&threads[i], NULL, put_and_find, &numbers[i]), 0);
  }
  for (size_t i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  flush(store);
  for (uint64_t i = 0; i < (uint64_t)THREADS * PER_THREAD; i++) {
    assert_sample_whole(store, i, i % PER_THREAD % 20 == 0 ? 100000 : 300);
  }
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_error err = {0};
  struct ts_task_row *rows;
  size_t count;
  assert_true(ts_store_task_list(store, "33333333", &arena, &rows, &count, &err));
  assert_int_equal(count, THREADS * PER_THREAD);
}

/* More bytes than the queue holds: puts wait for the writer, nothing is lost. The products share their memory. */
static void a_flood_is_held_back(void **state) {
  (void)state;
  struct ts_error err = {0};
  struct ts_data *data = ts_data_create_bytes(ts_type_find("bytes"), 32 * 1024 * 1024, &err);
  assert_non_null(data);
  memset(ts_data_writable(data), 7, 32 * 1024 * 1024);
  struct sample sample;
  sample_init(&sample, 1, 10);
  ts_data_digest(data, &sample.output.digest);
  for (uint64_t i = 0; i < 40; i++) {
    sample.record.key = key_of("flood", i);
    ts_store_put(store, &sample.record, &data);
  }
  struct ts_store_usage usage;
  assert_true(ts_store_usage(store, &usage, &err));
  assert_int_equal(usage.records, 40);
  assert_int_equal(usage.products, 1);
  ts_data_unref(data);
  sample_release(&sample);
}

/* A damaged backend: whatever is asked for, it has the record of sample 1. */
static bool find_another(void *state, enum ts_store_by by, const struct ts_key *key, struct ts_arena *arena,
                         struct ts_record *record, struct ts_error *err) {
  const struct ts_key other = key_of(by == TS_STORE_BY_KEY ? "lineage" : "content", 1);
  (void)key;
  return backend->find(state, by, &other, arena, record, err);
}

static void the_record_of_another_key_is_not_used(void **state) {
  (void)state;
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_error err = {0};
  struct ts_record record;
  const struct ts_key content_key = key_of("content", 2);
  for (uint64_t i = 1; i <= 2; i++) put_sample(store, i, 100);
  flush(store);
  assert_int_equal(ts_store_damage_count(store), 0);
  const struct ts_store_backend *whole = store->backend;
  struct ts_store_backend damaged = *whole;
  if (whole == backend) damaged.find = find_another;
  store->backend = &damaged;
  if (whole == backend) {
    assert_true(has_record(store, 1));
    assert_false(has_record(store, 2));
    assert_false(ts_store_find_content(store, &content_key, &arena, &record, &err));
    assert_no_error(&err);
    assert_int_equal(ts_store_damage_count(store), 2);
  }
  store->backend = whole;
  assert_true(has_record(store, 2));
}

static int run_suite(const char *name) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(empty_store_has_nothing, setup, teardown),
      cmocka_unit_test_setup_teardown(record_is_found_at_once_and_after_flush, setup, teardown),
      cmocka_unit_test_setup_teardown(products_of_all_sizes, setup, teardown),
      cmocka_unit_test_setup_teardown(content_key_prefers_the_original, setup, teardown),
      cmocka_unit_test_setup_teardown(without_product_the_digest_is_kept, setup, teardown),
      cmocka_unit_test_setup_teardown(files_are_not_products, setup, teardown),
      cmocka_unit_test_setup_teardown(first_whole_result_wins, setup, teardown),
      cmocka_unit_test_setup_teardown(result_without_product_is_replaced, setup, teardown),
      cmocka_unit_test_setup_teardown(equal_products_are_kept_once, setup, teardown),
      cmocka_unit_test_setup_teardown(any_number_of_ports, setup, teardown),
      cmocka_unit_test_setup_teardown(odd_numbers_survive, setup, teardown),
      cmocka_unit_test_setup_teardown(records_of_an_operation_newest_first, setup, teardown),
      cmocka_unit_test_setup_teardown(file_digests_follow_the_file, setup, teardown),
      cmocka_unit_test_setup_teardown(file_digests_are_remembered_by_identity, setup, teardown),
      cmocka_unit_test_setup_teardown(costs_are_replaced_and_listed_in_order, setup, teardown),
      cmocka_unit_test_setup_teardown(the_record_of_another_key_is_not_used, setup, teardown),
      cmocka_unit_test_setup_teardown(threads_put_and_find, setup, teardown),
      cmocka_unit_test_setup_teardown(a_flood_is_held_back, setup, teardown),
  };
  return cmocka_run_group_tests_name(name, tests, NULL, NULL);
}

int main(void) { return over_backends(run_suite); }
