/* Sharing out: whatever the order in which workers finish, nothing that is ready is forgotten and every product comes.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The workers are played by this process: it holds several buckets at once and ends them in a drawn order. Tasks cost
 * what the test says, so that fronts of all lengths occur. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/random.h"
#include "dist/coordinator_int.h"
#include "dist/job.h"
#include "support/toy_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CASES 120

struct play {
  struct toy_subject s;
  struct ts_random random;
  struct ts_store *store;
  struct ts_run_setup *setup;
  struct ts_dist_options options;
  struct ts_run_result result;
  struct coordinator c;
  struct ts_map products; /* node, port, unit -> struct ts_data, one reference */
  size_t most_held;
  size_t rest_count;     /* buckets that follow the front */
  uint64_t rest_hash;    /* of these, whatever their order */
  double costs[64];      /* per task */
  struct ts_str *record; /* borrowed: a line per bucket; NULL: nobody asks */
};

static void on_product(void *user, uint32_t node, uint32_t port, size_t unit, struct ts_data *data) {
  struct play *play = user;
  const size_t place[] = {node, port, unit};
  ts_map_insert(&play->products, place, sizeof place, NULL)->pointer = ts_data_ref(data);
}

/* As the coordinator hears of them. */
static void on_worker_task(void *user, const struct ts_task_event *event) {
  struct play *play = user;
  const struct ts_node *node = &play->s.plan->nodes[event->node];
  struct ts_task_event told = *event;
  if (node->kind == TS_NODE_TASK) told.cpu_s = play->costs[node->task];
  ts_ledger_task(&play->c.ledger, &told);
}

static void on_worker_product(void *user, uint32_t node, uint32_t port, size_t unit, struct ts_data *data) {
  struct play *play = user;
  ts_ledger_product(&play->c.ledger, node, port, unit, data);
}

static void play_open(struct play *play, struct ts_registry *registry, const struct toy_settings *settings,
                      uint64_t seed, int64_t tiles) {
  struct ts_error err = {0};
  *play = (struct play){0};
  ts_random_init(&play->random, seed, 7);
  toy_case_draw(&play->s.toy, registry, settings, seed);
  const size_t workers = 2 + seed % 3;
  const struct toy_image image = {"one", tiles, 1};
  toy_subject_complete(&play->s, registry, &image, 1, 1, 0);
  play->s.seed = seed;
  play->store = toy_store_open(NULL);
  play->setup = ts_run_setup_create(play->s.plan, registry, play->store, &err);
  assert_non_null(play->setup);
  play->options = (struct ts_dist_options){
      .workers = workers,
      .run = {.registry = registry, .store = play->store, .run_id = "r", .user = play, .on_product = on_product}};
  for (size_t t = 0; t < sizeof play->costs / sizeof *play->costs; t++)
    play->costs[t] = ts_random_below(&play->random, 3) == 0 ? 1 : 1e-6; /* dear ones end the front */
  struct coordinator *c = &play->c;
  *c = (struct coordinator){
      .plan = play->s.plan, .dataset = &play->s.data.dataset, .options = &play->options, .result = &play->result};
  ts_ledger_init(&c->ledger, c->plan, c->dataset, c->options, c->result);
  c->open_in_window = ts_calloc(ts_run_window_count(c->plan, c->dataset) + 1, sizeof *c->open_in_window);
  c->queue = ts_queue_create(&(struct ts_queue_options){.lease_ns = UINT64_MAX / 2}, &err);
  assert_non_null(c->queue);
}

static void play_close(struct play *play) {
  ts_coordinator_release_sharing(&play->c);
  ts_queue_destroy(play->c.queue);
  ts_ledger_release(&play->c.ledger);
  free(play->c.open_in_window);
  free(play->c.bucket_windows);
  ts_run_result_release(&play->result);
  for (size_t i = 0; i < ts_map_count(&play->products); i++)
    ts_data_unref(ts_map_value_at(&play->products, i)->pointer);
  ts_map_release(&play->products);
  ts_run_setup_destroy(play->setup);
  ts_store_close(play->store);
  toy_subject_release(&play->s);
}

/* One worker's way with a bucket. */
static void work(struct play *play, const struct ts_queue_claim *claim) {
  const struct ts_bucket_row *row = &claim->row;
  struct toy_subject *s = &play->s;
  struct ts_error err = {0};
  struct ts_job job;
  struct ts_run_result result;
  if (!ts_job_parse(row->body, (uint32_t)row->group, s->plan, &s->data.dataset, &job)) fail_msg("'%s'", row->body);
  const struct ts_run_options options = {.threads = 1,
                                         .registry = s->registry,
                                         .store = play->store,
                                         .run_id = "r",
                                         .setup = play->setup,
                                         .part = &job.part,
                                         .user = play,
                                         .on_task = on_worker_task,
                                         .on_product = on_worker_product};
  if (!ts_run(s->plan, &s->data.dataset, &options, &result, &err)) fail_msg("%s", err.text);
  ts_run_result_release(&result);
  if (!ts_store_flush(play->store, &err)) fail_msg("%s", err.text);
  ts_job_release(&job);
  const struct ts_dist_result done = {.number = row->number};
  assert_int_equal(ts_queue_complete(play->c.queue, claim->token, NULL, &err), TS_QUEUE_DONE);
  if (!ts_coordinator_bucket_done(&play->c, (uint32_t)row->group, &done, &err)) fail_msg("%s", err.text);
}

/* A bucket that a worker holds; now and then one takes as long as many others. */
struct held {
  struct ts_queue_claim claim;
  uint64_t due; /* the number of buckets that end before */
};

static size_t next_due(const struct held *held, size_t count) {
  size_t next = 0;
  for (size_t i = 1; i < count; i++) next = held[i].due < held[next].due ? i : next;
  return next;
}

static void note_rest(struct play *play, const struct ts_bucket_row *row) {
  uint64_t hash = 14695981039346656037U;
  if (strncmp(row->body, "keep ", 5) == 0) return;
  for (const char *c = row->body; *c; c++) hash = (hash ^ (uint64_t)*c) * 1099511628211U;
  play->rest_hash += hash;
  play->rest_count++;
}

/* Until nothing waits and nothing is held. */
static void play_out(struct play *play) {
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct held held[8];
  size_t count = 0, claimed = 0;
  for (uint64_t step = 0;; step++) {
    while (count < play->options.workers &&
           ts_queue_claim(play->c.queue, 1, &arena, &held[count].claim, &claimed) == TS_QUEUE_CLAIMED)
      held[count++].due = step + (ts_random_below(&play->random, 4) == 0 ? ts_random_below(&play->random, 30) : 0);
    if (count > play->most_held) play->most_held = count;
    if (count == 0) break;
    const size_t next = next_due(held, count);
    const struct ts_queue_claim claim = held[next].claim;
    held[next] = held[--count];
    note_rest(play, &claim.row);
    if (play->record)
      ts_str_addf(play->record, "%llu %llu %llu %s\n", (unsigned long long)play->s.seed,
                  (unsigned long long)claim.row.number, (unsigned long long)claim.row.group, claim.row.body);
    work(play, &claim);
  }
  struct ts_queue_claim none;
  assert_int_equal(ts_queue_claim(play->c.queue, 1, &arena, &none, &claimed), TS_QUEUE_OVER);
}

static void check(const struct play *play) {
  const struct coordinator *c = &play->c;
  uint32_t node = 0;
  size_t unit = 0;
  assert_int_equal(c->open_buckets, 0);
  for (size_t g = 0; c->shared && g < ts_run_window_count(c->plan, c->dataset); g++) {
    if (c->shared[g].frontier) fail_msg("seed %llu: window %zu was never finished", play->s.seed, g);
  }
  if (ts_ledger_lacks_product(&c->ledger, &node, &unit)) fail_msg("seed %llu: a product is missing", play->s.seed);
  const struct toy_run run = {.subject = &play->s, .products = play->products};
  const char *wrong = toy_check_products(&run);
  if (wrong[0]) fail_msg("seed %llu: %s", play->s.seed, wrong);
}

static void play_all(struct ts_registry *registry, const struct toy_settings *settings) {
  size_t crowded = 0, split = 0;
  for (uint64_t seed = 0; seed < CASES; seed++) {
    struct play play;
    struct ts_error err = {0};
    /* Few tiles, or just enough of them. */
    play_open(&play, registry, settings, seed, (int64_t)(3 * (2 + seed % 3) + seed % 5 - 3));
    assert_in_range(play.s.plan->workflow->task_count, 1, sizeof play.costs / sizeof *play.costs);
    if (!ts_coordinator_first_jobs(&play.c, &err)) fail_msg("%s", err.text);
    play_out(&play);
    check(&play);
    crowded += play.most_held == play.options.workers;
    split += play.c.shared_count > 1;
    play_close(&play);
  }
  /* The cases are worth something only if windows had to wait for each other. */
  if (crowded < CASES / 4 || split < CASES / 20) fail_msg("%zu crowded, %zu with several windows", crowded, split);
}

static void nothing_ready_is_forgotten(void **state) {
  play_all(*state, &(struct toy_settings){
                       .stages = 3, .tasks = 3, .sets = 24, .digits = 4, .collapse = true, .one_scope = true});
}

static void nor_where_files_are_open_at_once(void **state) {
  play_all(*state, &(struct toy_settings){.stages = 4, .tasks = 3, .sets = 16, .digits = 4, .collapse = true});
}

static void nor_where_tasks_fail(void **state) {
  play_all(*state,
           &(struct toy_settings){.stages = 3, .tasks = 3, .sets = 16, .digits = 4, .faults = true, .one_scope = true});
}

/* Whoever is slow, and whenever: with given costs a tile is split in one way. */
static void given_costs_split_in_one_way(void **state) {
  const struct toy_settings settings = {
      .stages = 3, .tasks = 3, .sets = 24, .digits = 4, .collapse = true, .one_scope = true};
  size_t split = 0;
  for (uint64_t seed = 0; seed < CASES / 2; seed++) {
    struct play plays[2];
    for (size_t i = 0; i < 2; i++) {
      struct play *play = &plays[i];
      struct ts_error err = {0};
      play_open(play, *state, &settings, seed, 1);
      play->options.costs = play->costs;
      ts_random_init(&play->random, seed, 100 + i); /* another order of ends */
      if (!ts_coordinator_first_jobs(&play->c, &err)) fail_msg("%s", err.text);
      play_out(play);
      check(play);
    }
    if (plays[0].rest_hash != plays[1].rest_hash) fail_msg("seed %llu: two splits", (unsigned long long)seed);
    split += plays[0].rest_count > 1;
    for (size_t i = 0; i < 2; i++) play_close(&plays[i]);
  }
  if (split < CASES / 8) fail_msg("only %zu tiles were split", split);
}

/* ---- The same buckets as ever. ---- */

static void record_cases(struct ts_registry *registry, const struct toy_settings *settings, uint64_t seeds,
                         struct ts_str *record) {
  for (uint64_t seed = 0; seed < seeds; seed++) {
    struct play play;
    struct ts_error err = {0};
    play_open(&play, registry, settings, seed, (int64_t)(1 + seed % 4 * 3));
    play.record = record;
    if (seed % 2) play.options.costs = play.costs;
    if (!ts_coordinator_first_jobs(&play.c, &err)) fail_msg("%s", err.text);
    play_out(&play);
    play_close(&play);
  }
}

static void record_all(struct ts_registry *registry, struct ts_str *record) {
  ts_str_add(record, "# Buckets of drawn cases: seed, number, window, body. SPDX-License-Identifier: Apache-2.0\n");
  ts_str_add(record, "one scope\n");
  record_cases(
      registry,
      &(struct toy_settings){.stages = 3, .tasks = 3, .sets = 24, .digits = 4, .collapse = true, .one_scope = true}, 12,
      record);
  ts_str_add(record, "several scopes\n");
  record_cases(registry, &(struct toy_settings){.stages = 4, .tasks = 3, .sets = 16, .digits = 4, .collapse = true}, 6,
               record);
  ts_str_add(record, "faults\n");
  record_cases(
      registry,
      &(struct toy_settings){.stages = 3, .tasks = 3, .sets = 16, .digits = 4, .faults = true, .one_scope = true}, 6,
      record);
}

/* Recorded by `test_dist sharing record` before policy and mechanism were two files; recorded anew only where other
 * buckets are wanted. */
static void buckets_are_those_that_were_recorded(void **state) {
  struct ts_error err = {0};
  ts_auto(ts_str_release) struct ts_str found = {0}, expected = {0};
  char path[512];
  snprintf(path, sizeof path, "%s/tests/unit/dist/sharing_buckets.txt", getenv("TESSERA_SOURCE_DIR"));
  if (!ts_file_read(path, 1 << 20, &expected, &err)) fail_msg("%s", err.text);
  record_all(*state, &found);
  const char *a = ts_str_get(&expected), *b = ts_str_get(&found);
  for (size_t line = 1; *a || *b; line++) {
    const size_t of_a = strcspn(a, "\n"), of_b = strcspn(b, "\n");
    if (of_a != of_b || memcmp(a, b, of_a) != 0)
      fail_msg("line %zu: '%.*s' instead of '%.*s'", line, (int)of_b, b, (int)of_a, a);
    a += of_a + (a[of_a] == '\n');
    b += of_b + (b[of_b] == '\n');
  }
}

static int make_registry(void **state) {
  *state = toy_registry_create();
  return 0;
}

static int drop_registry(void **state) {
  ts_registry_destroy(*state);
  return 0;
}

int main(int count, char **words) {
  if (count > 1 && strcmp(words[1], "record") == 0) {
    ts_auto(ts_str_release) struct ts_str record = {0};
    struct ts_registry *registry = toy_registry_create();
    record_all(registry, &record);
    fputs(ts_str_get(&record), stdout);
    ts_registry_destroy(registry);
    return 0;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(nothing_ready_is_forgotten, make_registry, drop_registry),
      cmocka_unit_test_setup_teardown(nor_where_files_are_open_at_once, make_registry, drop_registry),
      cmocka_unit_test_setup_teardown(nor_where_tasks_fail, make_registry, drop_registry),
      cmocka_unit_test_setup_teardown(given_costs_split_in_one_way, make_registry, drop_registry),
      cmocka_unit_test_setup_teardown(buckets_are_those_that_were_recorded, make_registry, drop_registry),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
