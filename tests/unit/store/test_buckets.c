/* The queue of buckets against a slow queue that looks at every bucket at every step, for each backend that has one.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support/growth.h"
#include "unit/store/support.h"

#include "base/clock.h"
#include "store/backend.h"

#define MOST     400
#define FEW      600
#define RUN      "0123abcd"
#define WORKERS  4
#define NOT_HELD UINT64_MAX

static const char *kind; /* backend under test */
static char folder[SCRATCH_SIZE];
static struct ts_store *store;

static int setup(void **state) {
  (void)state;
  struct ts_error err = {0};
  scratch_create(folder);
  const bool has_folder = strcmp(kind, "memory") != 0;
  store = ts_store_open(&(struct ts_store_options){.path = has_folder ? folder : NULL, .backend = kind}, &err);
  assert_no_error(&err);
  assert_non_null(store);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  ts_store_close(store);
  scratch_remove(folder);
  return 0;
}

/* The slow queue: rules straight from store.h. */
struct slow_bucket {
  struct ts_bucket_row row;
  uint64_t holder;
  bool is_done;
  char body[32];
};
static struct slow_bucket slow[MOST];
static size_t slow_count;

static bool may_be_taken(const struct slow_bucket *bucket) {
  if (bucket->is_done || bucket->holder != NOT_HELD) return false;
  for (size_t i = 0; i < slow_count; i++) {
    const struct slow_bucket *other = &slow[i];
    if (!other->is_done && other->row.group == bucket->row.group && other->row.phase < bucket->row.phase) return false;
  }
  return true;
}

static enum ts_bucket_take slow_take(uint64_t worker, struct slow_bucket **taken) {
  bool unfinished = false;
  *taken = NULL;
  for (size_t i = 0; i < slow_count; i++) {
    unfinished |= !slow[i].is_done;
    if (may_be_taken(&slow[i]) && (!*taken || slow[i].row.number < (*taken)->row.number)) *taken = &slow[i];
  }
  if (!*taken) return unfinished ? TS_BUCKET_WAIT : TS_BUCKET_NONE;
  (*taken)->holder = worker;
  (*taken)->row.attempts++;
  return TS_BUCKET_TAKEN;
}

static void take_and_compare(uint64_t worker) {
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_error err = {0};
  struct ts_bucket_row row;
  struct slow_bucket *expected;
  const enum ts_bucket_take result = ts_store_bucket_take(store, RUN, worker, &arena, &row, &err);
  assert_no_error(&err);
  assert_int_equal(result, slow_take(worker, &expected));
  if (result != TS_BUCKET_TAKEN) return;
  assert_int_equal(row.number, expected->row.number);
  assert_int_equal(row.group, expected->row.group);
  assert_int_equal(row.phase, expected->row.phase);
  assert_int_equal(row.attempts, expected->row.attempts);
  assert_string_equal(row.body, expected->body);
}

static bool is_number_used(uint64_t number) {
  for (size_t i = 0; i < slow_count; i++) {
    if (slow[i].row.number == number) return true;
  }
  return false;
}

static void add_some(struct ts_random *random) {
  struct ts_error err = {0};
  struct ts_bucket_row rows[16];
  const size_t count = (size_t)ts_random_below(random, 16);
  size_t added = 0;
  while (added < count && slow_count < MOST) {
    const uint64_t number = ts_random_below(random, 5000);
    if (is_number_used(number)) continue;
    struct slow_bucket *bucket = &slow[slow_count++];
    *bucket = (struct slow_bucket){.holder = NOT_HELD};
    snprintf(bucket->body, sizeof bucket->body, "[%llu]", (unsigned long long)number);
    bucket->row = (struct ts_bucket_row){.number = number,
                                         .group = ts_random_below(random, 6),
                                         .phase = (uint32_t)ts_random_below(random, 4),
                                         .body = bucket->body};
    rows[added++] = bucket->row;
  }
  assert_true(ts_store_buckets_add(store, RUN, rows, added, &err));
}

/* Of those that are held mostly; now and then of one that waits, or once more. */
static void finish_one(struct ts_random *random) {
  struct ts_error err = {0};
  if (slow_count == 0) return;
  const bool any = ts_random_below(random, 10) == 0;
  const size_t start = (size_t)ts_random_below(random, slow_count);
  for (size_t k = 0; k < slow_count; k++) {
    struct slow_bucket *bucket = &slow[(start + k) % slow_count];
    if (!any && (bucket->holder == NOT_HELD || bucket->is_done)) continue;
    bucket->is_done = true;
    assert_true(ts_store_bucket_done(store, RUN, bucket->row.number, &err));
    return;
  }
}

static void give_back(uint64_t worker) {
  struct ts_error err = {0};
  size_t expected = 0;
  size_t count = 99;
  for (size_t i = 0; i < slow_count; i++) {
    if (slow[i].is_done || slow[i].holder != worker) continue;
    slow[i].holder = NOT_HELD;
    expected++;
  }
  assert_true(ts_store_buckets_give_back(store, RUN, worker, &count, &err));
  assert_int_equal(count, expected);
}

static void random_steps(uint64_t seed) {
  struct ts_random random;
  struct ts_error err = {0};
  ts_random_init(&random, seed, 0);
  slow_count = 0;
  assert_true(ts_store_buckets_drop(store, RUN, &err));
  for (size_t step = 0; step < 400; step++) {
    const uint64_t worker = ts_random_below(&random, WORKERS);
    const uint64_t choice = ts_random_below(&random, 100);
    if (choice < 6) {
      add_some(&random);
    } else if (choice < 52) {
      take_and_compare(worker);
    } else if (choice < 96) {
      finish_one(&random);
    } else {
      give_back(worker);
    }
  }
  /* To the end: every bucket comes, once what stands before it is done. */
  for (uint64_t worker = 0; worker < WORKERS; worker++) give_back(worker);
  size_t left = 0;
  for (size_t i = 0; i < slow_count; i++) left += !slow[i].is_done;
  for (size_t i = 0; i < left; i++) {
    take_and_compare(0);
    for (size_t k = 0; k < slow_count; k++) {
      if (slow[k].holder != 0 || slow[k].is_done) continue;
      slow[k].is_done = true;
      assert_true(ts_store_bucket_done(store, RUN, slow[k].row.number, &err));
    }
  }
  take_and_compare(0);
  struct slow_bucket *none;
  assert_int_equal(slow_take(0, &none), TS_BUCKET_NONE);
}

static void agrees_with_the_slow_queue(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 12; seed++) random_steps(seed);
}

static void runs_do_not_mix(void **state) {
  (void)state;
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_error err = {0};
  struct ts_bucket_row row = {.number = 5, .body = "first"};
  struct ts_bucket_row other = {.number = 5, .body = "second"};
  size_t count;
  assert_true(ts_store_buckets_add(store, "11111111", &row, 1, &err));
  assert_true(ts_store_buckets_add(store, "22222222", &other, 1, &err));
  assert_int_equal(ts_store_bucket_take(store, "22222222", 3, &arena, &row, &err), TS_BUCKET_TAKEN);
  assert_string_equal(row.body, "second");
  assert_true(ts_store_buckets_give_back(store, "11111111", 3, &count, &err));
  assert_int_equal(count, 0);
  assert_true(ts_store_buckets_drop(store, "22222222", &err));
  assert_int_equal(ts_store_bucket_take(store, "22222222", 3, &arena, &row, &err), TS_BUCKET_NONE);
  assert_int_equal(ts_store_bucket_take(store, "11111111", 3, &arena, &row, &err), TS_BUCKET_TAKEN);
  assert_string_equal(row.body, "first");
  assert_false(ts_store_bucket_done(store, "22222222", 5, &err));
  assert_int_equal(err.code, TS_ERR_STORE);
}

static void twice_the_same_number_is_refused(void **state) {
  (void)state;
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_error err = {0};
  struct ts_bucket_row rows[3] = {{.number = 1, .body = "a"}, {.number = 2, .body = "b"}, {.number = 1, .body = "c"}};
  assert_false(ts_store_buckets_add(store, RUN, rows, 3, &err));
  assert_int_equal(err.code, TS_ERR_STORE);
  struct ts_bucket_row row;
  ts_error_clear(&err);
  assert_int_equal(ts_store_bucket_take(store, RUN, 0, &arena, &row, &err), TS_BUCKET_NONE);
  assert_no_error(&err);
}

static struct ts_bucket_row *draw_buckets(size_t count) {
  struct ts_bucket_row *rows = calloc(count, sizeof *rows);
  assert_non_null(rows);
  for (size_t i = 0; i < count; i++) {
    rows[i] = (struct ts_bucket_row){
        .number = i, .group = i / 2 % 1000, .phase = (uint32_t)(i % 2), .body = "{\"tile\":17,\"nodes\":[1,2,3,4,5]}"};
  }
  return rows;
}

/* CPU time of adding, or of taking and finishing, so many buckets of a run of their own. */
static double cost_of_buckets(void *user, size_t items) {
  const bool adding = *(bool *)user;
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_error err = {0};
  struct ts_bucket_row *rows = draw_buckets(items), row;
  const uint64_t start_ns = ts_clock_process_cpu_ns();
  assert_true(ts_store_buckets_add(store, RUN, rows, items, &err));
  const uint64_t added_ns = ts_clock_process_cpu_ns();
  size_t done = 0;
  while (ts_store_bucket_take(store, RUN, 0, &arena, &row, &err) == TS_BUCKET_TAKEN) {
    assert_true(ts_store_bucket_done(store, RUN, row.number, &err));
    done++;
  }
  const uint64_t end_ns = ts_clock_process_cpu_ns();
  assert_no_error(&err);
  assert_int_equal(done, items);
  assert_true(ts_store_buckets_drop(store, RUN, &err));
  free(rows);
  return (double)(adding ? added_ns - start_ns : end_ns - added_ns) * 1e-9;
}

/* A bucket's way through the queue is as cheap among many as among few. */
static void many_buckets_are_cheap(void **state) {
  (void)state;
  bool adding = true, passing = false;
  growth_check("adding a bucket", cost_of_buckets, &adding, FEW, 2);
  growth_check("taking and finishing a bucket", cost_of_buckets, &passing, FEW, 2);
}

int main(void) {
  static const char *const kinds[] = {"memory", "sqlite"};
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(agrees_with_the_slow_queue, setup, teardown),
      cmocka_unit_test_setup_teardown(runs_do_not_mix, setup, teardown),
      cmocka_unit_test_setup_teardown(twice_the_same_number_is_refused, setup, teardown),
      cmocka_unit_test_setup_teardown(many_buckets_are_cheap, setup, teardown),
  };
  int failed = 0;
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    kind = kinds[i];
    failed += cmocka_run_group_tests_name(kind, tests, NULL, NULL);
  }
  return failed;
}
