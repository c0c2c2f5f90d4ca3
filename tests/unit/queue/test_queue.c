/* Every backend of the queue against a model that looks at every bucket at every step, under a clock of the test's own.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/random.h"
#include "queue/backend.h"
#include "support/growth.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST     300
#define CLAIMS   2000
#define LEASE_NS 1000
#define ATTEMPTS 3
#define FEW      600

static const struct ts_queue_backend *backend; /* under test */
static struct ts_queue *queue;
static uint64_t now_ns;

static uint64_t fake_now(void) { return now_ns; }

/* What the commit callback saw, and what it shall say. */
static struct {
  size_t calls;
  _Atomic size_t changes; /* reported by whichever thread makes them */
  uint64_t number;
  const struct ts_batch *batch;
  bool refuses;
} seen;

static bool commit(void *user, uint64_t number, const struct ts_batch *batch, struct ts_error *err) {
  assert_ptr_equal(user, &seen);
  seen.calls++;
  seen.number = number;
  seen.batch = batch;
  return !seen.refuses || ts_fail(err, TS_ERR_STORE, "the disk is full");
}

static void on_change(void *user) {
  assert_ptr_equal(user, &seen);
  seen.changes++;
}

static int setup(void **state) {
  (void)state;
  struct ts_error err = {0};
  now_ns = 5000;
  memset(&seen, 0, sizeof seen);
  queue = ts_queue_create(&(struct ts_queue_options){.backend = backend,
                                                     .lease_ns = LEASE_NS,
                                                     .most_attempts = ATTEMPTS,
                                                     .now_ns = fake_now,
                                                     .user = &seen,
                                                     .commit = commit,
                                                     .on_change = on_change},
                          &err);
  assert_non_null(queue);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  ts_queue_destroy(queue);
  return 0;
}

static void add(const char *body, uint64_t group, uint32_t phase) {
  struct ts_error err = {0};
  struct ts_bucket_row row = {.group = group, .phase = phase, .body = body};
  assert_true(ts_queue_add(queue, &row, 1, &err));
}

/* Of one bucket; 0: there is none. */
static uint64_t claim_one(uint64_t *number) {
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_queue_claim claim = {0};
  size_t count = 0;
  if (ts_queue_claim(queue, 1, &arena, &claim, &count) != TS_QUEUE_CLAIMED) return 0;
  if (number) *number = claim.row.number;
  return claim.token;
}

/* ---- the model: the rules of queue.h, one bucket after another ---- */
enum model_state { WAITS, IS_HELD, IS_DONE, IS_POISONED };
struct model_bucket {
  enum model_state state;
  uint64_t group;
  uint32_t phase, attempts;
  uint64_t token, until_ns;
  char body[24];
};
static struct model_bucket model[MOST];
static size_t model_count;
static uint64_t tokens[CLAIMS]; /* of all claims so far, most of them stale */
static size_t token_count;

static bool may_be_claimed(const struct model_bucket *bucket) {
  if (bucket->state != WAITS) return false;
  for (size_t i = 0; i < model_count; i++) {
    const struct model_bucket *other = &model[i];
    if (other->state != IS_DONE && other->group == bucket->group && other->phase < bucket->phase) return false;
  }
  return true;
}

static struct model_bucket *holder_of(uint64_t token) {
  for (size_t i = 0; i < model_count; i++) {
    if (model[i].state == IS_HELD && model[i].token == token) return &model[i];
  }
  return NULL;
}

static void add_some(struct ts_random *random) {
  struct ts_error err = {0};
  struct ts_bucket_row rows[12];
  const size_t count = (size_t)ts_random_below(random, 12);
  if (model_count + count > MOST) return;
  for (size_t i = 0; i < count; i++) {
    struct model_bucket *bucket = &model[model_count + i];
    *bucket =
        (struct model_bucket){.group = ts_random_below(random, 5) << 40, .phase = (uint32_t)ts_random_below(random, 4)};
    snprintf(bucket->body, sizeof bucket->body, "[%zu]", model_count + i);
    rows[i] = (struct ts_bucket_row){.group = bucket->group, .phase = bucket->phase, .body = bucket->body};
  }
  const size_t changes = seen.changes;
  assert_true(ts_queue_add(queue, rows, count, &err));
  assert_int_equal(seen.changes, changes + (count > 0));
  for (size_t i = 0; i < count; i++) assert_int_equal(rows[i].number, model_count + i);
  model_count += count;
}

static void compare_claim(const struct ts_queue_claim *claim, size_t expected) {
  struct model_bucket *bucket = &model[expected];
  bucket->state = IS_HELD;
  bucket->attempts++;
  bucket->token = claim->token;
  bucket->until_ns = now_ns + LEASE_NS;
  assert_int_equal(claim->row.number, expected);
  assert_int_equal(claim->row.group, bucket->group);
  assert_int_equal(claim->row.phase, bucket->phase);
  assert_int_equal(claim->row.attempts, bucket->attempts);
  assert_string_equal(claim->row.body, bucket->body);
  for (size_t i = 0; i < token_count; i++) assert_int_not_equal(tokens[i], claim->token);
  assert_in_range(token_count, 0, CLAIMS - 1);
  tokens[token_count++] = claim->token;
}

static void claim_some(struct ts_random *random) {
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_queue_claim claims[4];
  const size_t most = 1 + (size_t)ts_random_below(random, 4);
  size_t count = 99, expected[4], free_count = 0, open = 0;
  for (size_t i = 0; i < model_count; i++) {
    open += model[i].state == WAITS || model[i].state == IS_HELD;
    if (free_count < most && may_be_claimed(&model[i])) expected[free_count++] = i;
  }
  const enum ts_queue_claimed result = ts_queue_claim(queue, most, &arena, claims, &count);
  assert_int_equal(count, free_count);
  assert_int_equal(result, free_count ? TS_QUEUE_CLAIMED : open ? TS_QUEUE_WAIT : TS_QUEUE_OVER);
  for (size_t i = 0; i < count; i++) compare_claim(&claims[i], expected[i]);
}

/* Mostly one that holds something; now and then one of long ago, or one that never was. */
static uint64_t draw_token(struct ts_random *random) {
  if (token_count == 0 || ts_random_below(random, 20) == 0) return UINT64_C(1) << 50;
  const uint64_t recent = token_count < 10 ? token_count : 10;
  return ts_random_below(random, 4) == 0 ? tokens[ts_random_below(random, token_count)]
                                         : tokens[token_count - 1 - ts_random_below(random, recent)];
}

static void complete_one(struct ts_random *random) {
  static const struct ts_batch batch;
  struct ts_error err = {0};
  const uint64_t token = draw_token(random);
  struct model_bucket *bucket = holder_of(token);
  const bool has_batch = ts_random_below(random, 2) == 0;
  seen.refuses = ts_random_below(random, 4) == 0;
  const size_t calls = seen.calls;
  const enum ts_queue_outcome outcome = ts_queue_complete(queue, token, has_batch ? &batch : NULL, &err);
  assert_int_equal(seen.calls, calls + (bucket && has_batch));
  if (!bucket) {
    assert_int_equal(outcome, TS_QUEUE_STALE);
    return;
  }
  if (has_batch) assert_true(seen.batch == &batch && seen.number == (uint64_t)(bucket - model));
  const bool refused = has_batch && seen.refuses;
  assert_int_equal(outcome, refused ? TS_QUEUE_FAILED : TS_QUEUE_DONE);
  assert_int_equal(err.code, refused ? TS_ERR_STORE : TS_ERR_OK);
  if (!refused) bucket->state = IS_DONE;
}

static void change_one(struct ts_random *random, uint64_t choice) {
  const uint64_t token = draw_token(random);
  struct model_bucket *bucket = holder_of(token);
  const enum ts_queue_outcome outcome = choice == 0   ? ts_queue_renew(queue, token)
                                        : choice == 1 ? ts_queue_release(queue, token)
                                                      : ts_queue_poison(queue, token, "it kills");
  assert_int_equal(outcome, bucket ? TS_QUEUE_DONE : TS_QUEUE_STALE);
  if (!bucket) return;
  bucket->until_ns = now_ns + LEASE_NS;
  if (choice > 0) bucket->state = choice == 1 ? WAITS : IS_POISONED;
}

static void expire(struct ts_random *random) {
  struct ts_queue_loss losses[MOST];
  now_ns += ts_random_below(random, LEASE_NS / 2);
  size_t expected = 0;
  for (size_t i = 0; i < model_count; i++) expected += model[i].state == IS_HELD && now_ns >= model[i].until_ns;
  const size_t most = ts_random_below(random, 3) == 0 ? 1 : MOST;
  const size_t count = ts_queue_expire(queue, losses, most);
  assert_int_equal(count, expected < most ? expected : most);
  for (size_t i = 0; i < count; i++) {
    assert_in_range(losses[i].number, 0, model_count - 1);
    struct model_bucket *bucket = &model[losses[i].number];
    assert_true(bucket->state == IS_HELD && now_ns >= bucket->until_ns); /* so none comes twice */
    assert_int_equal(losses[i].token, bucket->token);
    assert_int_equal(losses[i].attempts, bucket->attempts);
    assert_int_equal(losses[i].is_poisoned, bucket->attempts >= ATTEMPTS);
    bucket->state = losses[i].is_poisoned ? IS_POISONED : WAITS;
  }
}

static void compare_poisoned(void) {
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_bucket_row row = {0};
  const char *log = NULL;
  size_t first = 0;
  while (first < model_count && model[first].state != IS_POISONED) first++;
  assert_int_equal(ts_queue_find_poisoned(queue, &arena, &row, &log), first < model_count);
  if (first == model_count) return;
  assert_int_equal(row.number, first);
  assert_string_equal(row.body, model[first].body);
  assert_true(log[0] != '\0');
}

static void random_steps(uint64_t seed) {
  struct ts_random random;
  ts_random_init(&random, seed, 0);
  model_count = token_count = 0;
  for (size_t step = 0; step < 700; step++) {
    const uint64_t choice = ts_random_below(&random, 100);
    if (choice < 6)
      add_some(&random);
    else if (choice < 35)
      claim_some(&random);
    else if (choice < 70)
      complete_one(&random);
    else if (choice < 90)
      change_one(&random, choice < 82 ? 0 : choice < 89 ? 1 : 2);
    else
      expire(&random);
    compare_poisoned();
  }
  /* The steps are worth something only if they met everything. */
  size_t by_state[4] = {0};
  for (size_t i = 0; i < model_count; i++) by_state[model[i].state]++;
  assert_true(by_state[IS_DONE] > 20 && token_count > by_state[IS_DONE]);
}

static void agrees_with_the_model(void **state) {
  for (uint64_t seed = 0; seed < 30; seed++) {
    random_steps(seed);
    teardown(state);
    setup(state);
  }
}

/* ---- one rule after another ---- */
static void a_stale_token_is_refused(void **state) {
  (void)state;
  struct ts_error err = {0};
  struct ts_queue_loss loss;
  static const struct ts_batch batch;
  add("a", 0, 0);
  const uint64_t old = claim_one(NULL);
  now_ns += LEASE_NS - 1;
  assert_int_equal(ts_queue_expire(queue, &loss, 1), 0);
  assert_int_equal(ts_queue_renew(queue, old), TS_QUEUE_DONE);
  now_ns += LEASE_NS - 1;
  assert_int_equal(ts_queue_expire(queue, &loss, 1), 0);
  now_ns++;
  assert_int_equal(ts_queue_expire(queue, &loss, 1), 1);
  assert_int_equal(loss.token, old);
  const uint64_t token = claim_one(NULL);
  assert_true(token > old);
  assert_int_equal(ts_queue_renew(queue, old), TS_QUEUE_STALE);
  assert_int_equal(ts_queue_release(queue, old), TS_QUEUE_STALE);
  assert_int_equal(ts_queue_complete(queue, old, &batch, &err), TS_QUEUE_STALE);
  assert_int_equal(seen.calls, 0);
  assert_int_equal(ts_queue_complete(queue, token, &batch, &err), TS_QUEUE_DONE);
  assert_int_equal(seen.calls, 1);
  assert_int_equal(ts_queue_complete(queue, token, &batch, &err), TS_QUEUE_STALE); /* not twice */
  assert_int_equal(claim_one(NULL), 0);
}

/* Nobody took the bucket: its holder was late, but did no harm. */
static void a_late_renewal_is_fine(void **state) {
  (void)state;
  struct ts_error err = {0};
  struct ts_queue_loss loss;
  add("a", 0, 0);
  const uint64_t token = claim_one(NULL);
  now_ns += 10 * LEASE_NS;
  assert_int_equal(ts_queue_renew(queue, token), TS_QUEUE_DONE);
  assert_int_equal(ts_queue_expire(queue, &loss, 1), 0);
  now_ns += 10 * LEASE_NS;
  assert_int_equal(ts_queue_complete(queue, token, NULL, &err), TS_QUEUE_DONE);
}

static void three_leases_poison(void **state) {
  (void)state;
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_queue_loss loss;
  struct ts_bucket_row row;
  const char *log = NULL;
  add("deadly", 7, 0);
  add("behind it", 7, 1);
  add("apart", 8, 0);
  for (uint32_t i = 1; i <= ATTEMPTS; i++) {
    uint64_t number = 99;
    assert_false(ts_queue_find_poisoned(queue, &arena, &row, &log));
    claim_one(&number);
    assert_int_equal(number, 0);
    now_ns += LEASE_NS;
    assert_int_equal(ts_queue_expire(queue, &loss, 1), 1);
    assert_int_equal(loss.attempts, i);
    assert_int_equal(loss.is_poisoned, i == ATTEMPTS);
  }
  assert_true(ts_queue_find_poisoned(queue, &arena, &row, &log));
  assert_string_equal(row.body, "deadly");
  uint64_t number = 99;
  claim_one(&number);
  assert_int_equal(number, 2);
}

static void numbers_and_texts_survive(void **state) {
  (void)state;
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_queue_claim claims[2];
  size_t count = 0;
  add("größe", UINT64_MAX, UINT32_MAX);
  add("", UINT64_MAX, UINT32_MAX);
  assert_int_equal(ts_queue_claim(queue, 2, &arena, claims, &count), TS_QUEUE_CLAIMED);
  assert_int_equal(count, 2);
  assert_true(claims[0].row.group == UINT64_MAX && claims[0].row.phase == UINT32_MAX);
  assert_string_equal(claims[0].row.body, "größe");
  assert_string_equal(claims[1].row.body, "");
}

/* ---- several threads ---- */
#define THREADS 4
#define SHARED  400

static size_t finished[SHARED];

static void *work(void *argument) {
  struct ts_error err = {0};
  (void)argument;
  for (;;) {
    uint64_t number = 0;
    const uint64_t token = claim_one(&number);
    if (token == 0) return NULL;
    if (number % 7 == token % 7 && ts_queue_release(queue, token) == TS_QUEUE_DONE) continue;
    if (ts_queue_renew(queue, token) == TS_QUEUE_DONE && ts_queue_complete(queue, token, NULL, &err) == TS_QUEUE_DONE)
      finished[number]++;
  }
}

static void threads_share_it(void **state) {
  (void)state;
  pthread_t threads[THREADS];
  for (size_t i = 0; i < SHARED; i++) add("x", i, 0);
  for (size_t i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&threads[i], NULL, work, NULL), 0);
  for (size_t i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  work(NULL); /* one that was released just when everybody else had gone */
  for (size_t i = 0; i < SHARED; i++) assert_int_equal(finished[i], 1);
}

/* ---- cost ---- */
static double cost_of_buckets(void *user, size_t items) {
  (void)user;
  struct ts_error err = {0};
  teardown(NULL);
  setup(NULL);
  struct ts_bucket_row *rows = ts_calloc(items, sizeof *rows);
  for (size_t i = 0; i < items; i++)
    rows[i] = (struct ts_bucket_row){.group = i / 2 % 1000, .phase = (uint32_t)(i % 2), .body = "list 1-5"};
  const uint64_t start_ns = ts_clock_process_cpu_ns();
  assert_true(ts_queue_add(queue, rows, items, &err));
  for (size_t i = 0; i < items; i++)
    assert_int_equal(ts_queue_complete(queue, claim_one(NULL), NULL, &err), TS_QUEUE_DONE);
  const uint64_t end_ns = ts_clock_process_cpu_ns();
  assert_int_equal(claim_one(NULL), 0);
  free(rows);
  return (double)(end_ns - start_ns) * 1e-9;
}

/* A bucket's way through the queue is as cheap among many as among few. */
static void many_buckets_are_cheap(void **state) {
  (void)state;
  growth_check("adding, claiming and completing a bucket", cost_of_buckets, NULL, FEW, 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(agrees_with_the_model, setup, teardown),
      cmocka_unit_test_setup_teardown(a_stale_token_is_refused, setup, teardown),
      cmocka_unit_test_setup_teardown(a_late_renewal_is_fine, setup, teardown),
      cmocka_unit_test_setup_teardown(three_leases_poison, setup, teardown),
      cmocka_unit_test_setup_teardown(numbers_and_texts_survive, setup, teardown),
      cmocka_unit_test_setup_teardown(threads_share_it, setup, teardown),
      cmocka_unit_test_setup_teardown(many_buckets_are_cheap, setup, teardown),
  };
  int failed = 0;
  size_t count = 0;
  const struct ts_queue_backend *const *all = ts_queue_backend_list(&count);
  for (size_t i = 0; i < count; i++) {
    backend = all[i];
    failed += cmocka_run_group_tests_name(backend->name, tests, NULL, NULL);
  }
  return failed;
}
