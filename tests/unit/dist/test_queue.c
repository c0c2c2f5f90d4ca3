/* The queue of buckets by the rules of store.h, also when the store stops taking changes in the middle.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/store/support.h"

#include "dist/queue.h"

#define MOST    200
#define WORKERS 3
#define NOBODY  UINT64_MAX

static char folder[SCRATCH_SIZE];

static int setup(void **state) {
  (void)state;
  scratch_create(folder);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  scratch_remove(folder);
  return 0;
}

/* What must hold, looked up in all buckets each time. */
struct model {
  struct ts_bucket_row rows[MOST];
  uint64_t holders[MOST];
  bool done[MOST];
  size_t count;
};

static bool is_free(const struct model *m, size_t i) {
  if (m->done[i] || m->holders[i] != NOBODY) return false;
  for (size_t k = 0; k < m->count; k++) {
    if (!m->done[k] && m->rows[k].group == m->rows[i].group && m->rows[k].phase < m->rows[i].phase) return false;
  }
  return true;
}

static void add(struct ts_dist_queue *queue, struct model *m, struct ts_random *random) {
  struct ts_bucket_row rows[8];
  static const char *const bodies[] = {"a", "bb", "ccc"};
  size_t count = (size_t)ts_random_below(random, 8);
  if (m->count + count > MOST) return;
  for (size_t i = 0; i < count; i++) {
    rows[i] = (struct ts_bucket_row){.group = ts_random_below(random, 4),
                                     .phase = (uint32_t)ts_random_below(random, 3),
                                     .body = bodies[ts_random_below(random, 3)]};
    m->rows[m->count + i] = rows[i];
    m->holders[m->count + i] = NOBODY;
  }
  ts_dist_queue_add(queue, rows, count);
  for (size_t i = 0; i < count; i++) assert_int_equal(rows[i].number, m->count + i);
  m->count += count;
}

static void take(struct ts_dist_queue *queue, struct model *m, uint64_t worker) {
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_bucket_row row = {0};
  size_t expected = 0, open = 0;
  while (expected < m->count && !is_free(m, expected)) expected++;
  for (size_t i = 0; i < m->count; i++) open += !m->done[i];
  enum ts_bucket_take taken = ts_dist_queue_take(queue, worker, &arena, &row);
  assert_int_equal(taken, expected < m->count ? TS_BUCKET_TAKEN : open ? TS_BUCKET_WAIT : TS_BUCKET_NONE);
  if (taken != TS_BUCKET_TAKEN) return;
  struct ts_bucket_row *wanted = &m->rows[expected];
  wanted->attempts++;
  m->holders[expected] = worker;
  assert_int_equal(row.number, expected);
  assert_int_equal(row.group, wanted->group);
  assert_int_equal(row.phase, wanted->phase);
  assert_int_equal(row.attempts, wanted->attempts);
  assert_string_equal(row.body, wanted->body);
}

static void finish(struct ts_dist_queue *queue, struct model *m, uint64_t worker) {
  for (size_t i = 0; i < m->count; i++) {
    if (m->done[i] || m->holders[i] != worker) continue;
    m->done[i] = true;
    ts_dist_queue_done(queue, i);
    return;
  }
}

static void give_back(struct ts_dist_queue *queue, struct model *m, uint64_t worker) {
  for (size_t i = 0; i < m->count; i++) {
    if (!m->done[i] && m->holders[i] == worker) m->holders[i] = NOBODY;
  }
  ts_dist_queue_give_back(queue, worker);
}

static void step(struct ts_dist_queue *queue, struct model *m, struct ts_random *random) {
  const uint64_t choice = ts_random_below(random, 20), worker = ts_random_below(random, WORKERS);
  if (choice < 2)
    add(queue, m, random);
  else if (choice < 10)
    take(queue, m, worker);
  else if (choice < 18)
    finish(queue, m, worker);
  else
    give_back(queue, m, worker);
}

/* The store loses its rows: it knows none of the buckets that are then said to be done, which is an error. */
static void break_store(struct ts_dist_queue *queue, struct model *m) {
  struct ts_error err = {0};
  bool any = false;
  for (size_t i = 0; i < m->count; i++) any = any || (!m->done[i] && m->holders[i] != NOBODY);
  assert_true(ts_store_buckets_drop(queue->store, queue->run, &err));
  for (uint64_t worker = 0; worker < WORKERS; worker++) finish(queue, m, worker);
  assert_int_equal(queue->is_alone, any);
  queue->is_alone = true;
}

static void nothing_changes_when_the_store_fails(void **state) {
  (void)state;
  struct ts_error err = {0};
  for (uint64_t seed = 0; seed < 40; seed++) {
    struct ts_random random;
    struct ts_dist_queue queue;
    struct model m = {0};
    ts_random_init(&random, seed, 3);
    struct ts_store *store = ts_store_open(&(struct ts_store_options){.backend = "memory"}, &err);
    const uint64_t fails = ts_random_below(&random, 400);
    ts_dist_queue_init(&queue, store, "r");
    for (uint64_t i = 0; i < 400; i++) {
      if (i == fails && seed % 4 != 0) break_store(&queue, &m);
      step(&queue, &m, &random);
    }
    assert_int_equal(queue.is_alone, seed % 4 != 0);
    ts_dist_queue_release(&queue);
    ts_store_close(store);
  }
}

/* A store that takes nothing at all. */
static void a_store_for_reading_is_enough(void **state) {
  (void)state;
  struct ts_random random;
  struct ts_dist_queue queue;
  struct model m = {0};
  ts_random_init(&random, 1, 4);
  ts_store_close(open_store(folder));
  struct ts_store *store = open_to_read(folder);
  ts_dist_queue_init(&queue, store, "r");
  assert_true(queue.is_alone);
  for (size_t i = 0; i < 400; i++) step(&queue, &m, &random);
  ts_dist_queue_release(&queue);
  ts_store_close(store);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(nothing_changes_when_the_store_fails, setup, teardown),
      cmocka_unit_test_setup_teardown(a_store_for_reading_is_enough, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
