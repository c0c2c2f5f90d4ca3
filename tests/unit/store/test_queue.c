/* The queue of the store alone: order, limits, searching, and what happens after a failure.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/store/support.h"

#include "store/queue.h"

#include <pthread.h>
#include <stdatomic.h>

static struct ts_store_queue queue;

static int setup(void **state) {
  (void)state;
  ts_store_queue_init(&queue);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  ts_store_queue_release(&queue);
  return 0;
}

static struct ts_store_item *make_item(uint64_t number, size_t size_bytes) {
  struct sample sample;
  sample_init(&sample, number, size_bytes);
  struct ts_store_item *item = ts_store_item_create_record(&sample.record, &sample.data);
  sample_release(&sample);
  return item;
}

static bool is_queued(uint64_t number) {
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_record record;
  const struct ts_key key = key_of("lineage", number);
  const struct ts_key content = key_of("content", number);
  const bool by_key = ts_store_queue_find(&queue, TS_STORE_BY_KEY, &key, &arena, &record);
  assert_int_equal(by_key, ts_store_queue_find(&queue, TS_STORE_BY_CONTENT_KEY, &content, &arena, &record));
  if (by_key) assert_keys_equal(&record.key, &key);
  return by_key;
}

static void items_can_be_found_until_they_are_done(void **state) {
  (void)state;
  for (uint64_t i = 0; i < 10; i++) ts_store_queue_put(&queue, make_item(i, 20));
  for (uint64_t i = 0; i < 10; i++) assert_true(is_queued(i));
  ts_store_queue_stop(&queue); /* makes everything due */
  struct ts_store_item *batch = ts_store_queue_take(&queue);
  uint64_t count = 0;
  for (const struct ts_store_item *item = batch; item; item = item->next, count++) {
    const struct ts_key key = key_of("lineage", count);
    assert_keys_equal(&item->entry.record->key, &key);
    assert_true(is_queued(count));
  }
  assert_int_equal(count, 10);
  ts_store_queue_done(&queue, batch, NULL);
  for (uint64_t i = 0; i < 10; i++) assert_false(is_queued(i));
  assert_null(ts_store_queue_take(&queue));
}

static void a_batch_ends_at_its_limit(void **state) {
  (void)state;
  for (uint64_t i = 0; i < 5; i++) ts_store_queue_put(&queue, make_item(i, TS_STORE_BATCH_BYTES / 2));
  size_t sizes[3] = {0};
  for (size_t i = 0; i < 3; i++) {
    if (i == 2) ts_store_queue_stop(&queue);
    struct ts_store_item *batch = ts_store_queue_take(&queue);
    for (const struct ts_store_item *item = batch; item; item = item->next) sizes[i]++;
    ts_store_queue_done(&queue, batch, NULL);
  }
  assert_int_equal(sizes[0], 2);
  assert_int_equal(sizes[1], 2);
  assert_int_equal(sizes[2], 1);
}

/* Without a full batch, a flush or a stop the age alone makes a batch due. */
static void age_makes_a_batch_due(void **state) {
  (void)state;
  ts_store_queue_put(&queue, make_item(1, 10));
  struct ts_store_item *batch = ts_store_queue_take(&queue);
  assert_non_null(batch);
  ts_store_queue_done(&queue, batch, NULL);
}

struct producer {
  atomic_int put_count;
};

static void *produce(void *argument) {
  struct producer *producer = argument;
  struct sample sample;
  sample_init(&sample, 1, TS_STORE_QUEUE_BYTES / 4);
  for (int i = 0; i < 12; i++) {
    ts_store_queue_put(&queue, ts_store_item_create_record(&sample.record, &sample.data));
    atomic_fetch_add(&producer->put_count, 1);
  }
  sample_release(&sample);
  return NULL;
}

static void puts_wait_for_room(void **state) {
  (void)state;
  struct producer producer = {0};
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, produce, &producer), 0);
  for (int done = 0; done < 12; done++) {
    struct ts_store_item *batch = ts_store_queue_take(&queue);
    assert_null(batch->next); /* each is a batch of its own */
    /* Three quarters and a little more fit; what is taken but not done still counts. */
    assert_true(atomic_load(&producer.put_count) <= done + 3);
    pthread_mutex_lock(&queue.lock);
    assert_true(queue.held_bytes <= TS_STORE_QUEUE_BYTES);
    pthread_mutex_unlock(&queue.lock);
    ts_store_queue_done(&queue, batch, NULL);
  }
  pthread_join(thread, NULL);
  assert_int_equal(queue.held_bytes, 0);
}

static void one_item_may_exceed_the_limit(void **state) {
  (void)state;
  struct sample sample;
  sample_init(&sample, 1, 10);
  struct ts_store_item *item = ts_store_item_create_record(&sample.record, &sample.data);
  item->bytes = 2 * TS_STORE_QUEUE_BYTES;
  ts_store_queue_put(&queue, item);
  assert_true(is_queued(1));
  sample_release(&sample);
}

static void a_failure_is_told_once_and_drops_the_rest(void **state) {
  (void)state;
  struct ts_error err = {0};
  struct ts_error failure = {0};
  ts_fail(&failure, TS_ERR_STORE, "the disk is full");
  ts_error_help(&failure, "free some space");
  ts_store_queue_put(&queue, make_item(1, TS_STORE_BATCH_BYTES));
  ts_store_queue_put(&queue, make_item(2, 10));
  struct ts_store_item *batch = ts_store_queue_take(&queue);
  assert_null(batch->next);
  ts_store_queue_done(&queue, batch, &failure);
  assert_false(is_queued(1));
  assert_false(is_queued(2));
  assert_false(ts_store_queue_flush(&queue, &err));
  assert_int_equal(err.code, TS_ERR_STORE);
  assert_string_equal(err.text, "the disk is full");
  assert_string_equal(err.help, "free some space");
  ts_error_clear(&err);
  assert_true(ts_store_queue_flush(&queue, &err));
  ts_store_queue_put(&queue, make_item(3, 10)); /* dropped, and that is a loss again */
  assert_false(is_queued(3));
  assert_false(ts_store_queue_flush(&queue, &err));
  assert_int_equal(queue.held_bytes, 0);
}

static void a_refusal_is_told_only_if_something_was_put(void **state) {
  (void)state;
  struct ts_error err = {0};
  struct ts_error reason = {0};
  ts_fail(&reason, TS_ERR_STORE, "for reading");
  ts_store_queue_refuse(&queue, &reason);
  assert_true(ts_store_queue_flush(&queue, &err));
  ts_store_queue_put(&queue, make_item(3, 10));
  assert_false(ts_store_queue_flush(&queue, &err));
  assert_string_equal(err.text, "for reading");
}

static void products_can_be_taken_from_the_queue(void **state) {
  (void)state;
  struct sample sample;
  sample_init(&sample, 1, 10);
  ts_store_queue_put(&queue, ts_store_item_create_record(&sample.record, &sample.data));
  struct ts_data *data = ts_store_queue_product(&queue, &sample.output.digest);
  assert_ptr_equal(data, sample.data);
  ts_data_unref(data);
  const struct ts_sha256 other = key_of("other", 1).digest;
  assert_null(ts_store_queue_product(&queue, &other));
  sample_release(&sample);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(items_can_be_found_until_they_are_done, setup, teardown),
      cmocka_unit_test_setup_teardown(a_batch_ends_at_its_limit, setup, teardown),
      cmocka_unit_test_setup_teardown(age_makes_a_batch_due, setup, teardown),
      cmocka_unit_test_setup_teardown(puts_wait_for_room, setup, teardown),
      cmocka_unit_test_setup_teardown(one_item_may_exceed_the_limit, setup, teardown),
      cmocka_unit_test_setup_teardown(a_failure_is_told_once_and_drops_the_rest, setup, teardown),
      cmocka_unit_test_setup_teardown(a_refusal_is_told_only_if_something_was_put, setup, teardown),
      cmocka_unit_test_setup_teardown(products_can_be_taken_from_the_queue, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
