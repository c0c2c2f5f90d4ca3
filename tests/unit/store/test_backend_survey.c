/* One suite over every registered backend: surveys, and products that are removed.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/store/over_backends.h"

#include "base/file.h"
#include "store/survey.h"

#define COUNT       9
#define LARGE_BYTES 300000 /* does not compress: becomes a file where there are files */

static size_t size_of(uint64_t number) { return number % 3 == 0 ? LARGE_BYTES : 1000 + (size_t)number; }

static bool is_remote(void) { return backend == &ts_store_remote; }

struct seen {
  size_t products, records, files;
  uint64_t bytes, packed;
  unsigned product_of[COUNT], record_of[COUNT]; /* how often */
};

static void see_product(void *user, const struct ts_store_product *product) {
  struct seen *seen = user;
  seen->products++;
  seen->files += product->is_file;
  seen->bytes += product->size_bytes;
  seen->packed += product->packed_bytes;
  for (uint64_t i = 0; i < COUNT; i++) {
    struct sample sample;
    sample_init(&sample, i, size_of(i));
    seen->product_of[i] += memcmp(&sample.output.digest, &product->digest, sizeof product->digest) == 0;
    sample_release(&sample);
  }
}

static void see_record(void *user, const struct ts_record *record) {
  struct seen *seen = user;
  seen->records++;
  for (uint64_t i = 0; i < COUNT; i++) {
    const struct ts_key key = key_of("lineage", i);
    seen->record_of[i] += memcmp(&key, &record->key, sizeof key) == 0;
  }
}

static bool survey(struct seen *seen, struct ts_error *err) {
  *seen = (struct seen){0};
  return ts_store_survey(store, &(struct ts_store_visitor){seen, see_product, see_record}, err);
}

static void put_all(void) {
  for (uint64_t i = 0; i < COUNT; i++) put_sample(store, i, size_of(i));
  put_sample(store, 4, size_of(4)); /* a second time: stays one */
}

static struct ts_sha256 digest_of(uint64_t number) {
  struct sample sample;
  sample_init(&sample, number, size_of(number));
  sample_release(&sample);
  return sample.output.digest;
}

static void a_survey_tells_all_once(void **state) {
  (void)state;
  struct ts_error err = {0};
  struct seen seen;
  put_all(); /* no flush: what waits is written first */
  if (is_remote()) {
    assert_false(survey(&seen, &err));
    assert_int_equal(err.code, TS_ERR_STORE);
    return;
  }
  assert_true(survey(&seen, &err));
  assert_no_error(&err);
  uint64_t bytes = 0;
  for (uint64_t i = 0; i < COUNT; i++) {
    bytes += size_of(i);
    assert_int_equal(seen.product_of[i], 1);
    assert_int_equal(seen.record_of[i], 1);
  }
  assert_int_equal(seen.products, COUNT);
  assert_int_equal(seen.records, COUNT);
  assert_int_equal(seen.bytes, bytes);
  assert_int_equal(seen.files, backend->has_folder ? COUNT / 3 : 0);
  assert_true(seen.packed >= bytes && seen.packed < bytes + COUNT * 1000); /* random bytes do not compress */
}

/* The record stays with its digest; who computes the product again brings it back. */
static void what_is_evicted_leaves_its_record(void **state) {
  (void)state;
  struct ts_error err = {0};
  struct seen seen;
  size_t count = 0;
  put_all();
  flush(store);
  const struct ts_sha256 gone[] = {digest_of(3), digest_of(5), digest_of(5)}; /* one that is not there does no harm */
  assert_true(ts_store_evict(store, gone, 3, NULL, &count, &err));
  assert_int_equal(count, 3);
  assert_true(has_record(store, 3) && has_record(store, 5));
  assert_false(ts_store_has_product(store, &gone[0]));
  assert_null(ts_store_load(store, &gone[1], &err));
  assert_no_error(&err);
  for (uint64_t i = 0; i < COUNT; i++)
    if (i != 3 && i != 5) assert_sample_whole(store, i, size_of(i));
  if (!is_remote()) {
    assert_true(survey(&seen, &err));
    assert_int_equal(seen.products, COUNT - 2);
    assert_int_equal(seen.records, COUNT);
    assert_int_equal(seen.product_of[3] + seen.product_of[5], 0);
  }
  put_sample(store, 3, size_of(3));
  flush(store);
  assert_sample_whole(store, 3, size_of(3));
}

static void evicting_stops_on_request(void **state) {
  (void)state;
  struct ts_error err = {0};
  const volatile int stop = 1;
  size_t count = 9;
  put_all();
  const struct ts_sha256 gone = digest_of(1);
  assert_false(ts_store_evict(store, &gone, 1, &stop, &count, &err));
  assert_int_equal(err.code, TS_ERR_CANCELLED);
  assert_int_equal(count, 0);
  assert_sample_whole(store, 1, size_of(1));
}

/* Files that no row names go; those that one names stay, and the database gets smaller. */
static void sweeping_and_compacting(void **state) {
  (void)state;
  struct ts_error err = {0};
  struct ts_store_footprint before, after;
  uint64_t removed = 9;
  size_t count = 0;
  put_all();
  for (uint64_t i = 100; i < 160; i++) put_sample(store, i, 60000);
  flush(store);
  if (backend->has_folder && !is_remote()) {
    ts_auto_free char *path = ts_path_join(folder, "objects/ab");
    ts_auto_free char *stray = ts_path_join(path, "stray");
    assert_true(ts_folder_create(path, &err));
    assert_true(ts_file_write(stray, "lost", 4, &err));
  }
  assert_true(ts_store_footprint(store, &before, &err));
  for (uint64_t i = 100; i < 160; i++) {
    struct sample sample;
    sample_init(&sample, i, 60000);
    assert_true(ts_store_evict(store, &sample.output.digest, 1, NULL, &count, &err));
    sample_release(&sample);
  }
  assert_true(ts_store_sweep(store, &removed, &err));
  assert_true(ts_store_compact(store, false, &err));
  assert_true(ts_store_footprint(store, &after, &err));
  assert_no_error(&err);
  for (uint64_t i = 0; i < COUNT; i++) assert_sample_whole(store, i, size_of(i));
  if (!backend->has_folder || is_remote()) {
    assert_int_equal(before.bytes + after.bytes + removed, 0);
    return;
  }
  assert_int_equal(removed, 1);
  assert_int_equal(before.object_files, COUNT / 3 + 1);
  assert_int_equal(after.object_files, COUNT / 3);
  assert_true(after.bytes + 50 * 60000 < before.bytes);
  assert_true(after.database_bytes + after.object_bytes <= after.bytes);
}

static int suite(const char *name) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_survey_tells_all_once, setup, teardown),
      cmocka_unit_test_setup_teardown(what_is_evicted_leaves_its_record, setup, teardown),
      cmocka_unit_test_setup_teardown(evicting_stops_on_request, setup, teardown),
      cmocka_unit_test_setup_teardown(sweeping_and_compacting, setup, teardown),
  };
  return cmocka_run_group_tests_name(name, tests, NULL, NULL);
}

int main(void) { return over_backends(suite); }
