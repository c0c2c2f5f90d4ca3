/* A stage per dataset over many tiles: tiles are opened one after another and closed when they are finished, whatever
 * the store has, whatever fails, wherever the run is stopped.
 * SPDX-License-Identifier: Apache-2.0
 * test-label: slow */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/const.h"
#include "op/implementation.h"
#include "store/store_int.h"
#include "support/toy_run.h"

#include <math.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) /* they take time and memory of their own */
#define MANY_ROWS 10
#else
#define MANY_ROWS 100
#endif
#define SETS        3
#define PLACE(x, y) ((y)*1000 + (x))

/* Per tile: its place, and a chain of hashes per set. Per dataset: the sum of the places, and a hash of both. */
static const char json[] =
    "{\"tessera\": 1, \"name\": \"panes\", \"inputs\": {\"image\": {\"type\": \"image/gray8\"}},"
    "\"parameters\": {\"P\": {\"type\": \"integer\", \"default\": 0}}, \"stages\": ["
    "{\"name\": \"tile\", \"per\": \"tile\", \"in\": {\"i\": \"image\"}, \"out\": {\"place\": \"p.out\", \"mixed\": "
    "\"n.out\"}, \"tasks\": [{\"name\": \"p\", \"op\": \"test.place\", \"in\": {\"image\": \"i\"}},"
    "{\"name\": \"m\", \"op\": \"toy.mix\", \"in\": {\"a\": \"p.out\"}, \"params\": {\"p\": \"P\"}},"
    "{\"name\": \"n\", \"op\": \"toy.mix\", \"in\": {\"a\": \"m.out\"}, \"params\": {\"p\": \"P\"}}]},"
    "{\"name\": \"all\", \"per\": \"dataset\", \"in\": {\"a\": \"tile.place\", \"b\": \"tile.mixed\"}, \"out\": "
    "{\"sum\": \"s.out\", \"out\": \"j.out\"}, \"tasks\": [{\"name\": \"s\", \"op\": \"test.sum\", \"in\": {\"a\": "
    "\"a\"}}, {\"name\": \"j\", \"op\": \"toy.join\", \"in\": {\"a\": \"s.out\", \"b\": \"b\"}}]}]}";
enum { TASK_PLACE, TASK_MIX, TASK_MIX_AGAIN, TASK_SUM, TASK_JOIN, TASKS };

static double bad_place = -1; /* test.place fails there */

static int put_number(struct ts_op_call *call, double number) {
  static const char *const names[] = {"value"};
  double *cells = call->host->output_table(call, 0, 1, 1, names);
  if (!cells) return (call->host->fail)(call, "no table");
  cells[0] = number;
  return 0;
}

static int run_place(struct ts_op_call *call) {
  const double place = (double)PLACE(call->inputs[0]->x, call->inputs[0]->y);
  return place == bad_place ? (call->host->fail)(call, TOY_REASON) : put_number(call, place);
}

static int run_sum(struct ts_op_call *call) {
  double sum = 0;
  for (size_t r = 0; r < call->inputs[0]->rows; r++) sum += call->inputs[0]->cells[r];
  return put_number(call, sum);
}

static const struct ts_op_port *const image_in[] = {TS_OP_PORT(.name = "image", .type = "image/gray8", .help = "")};
static const struct ts_op_port *const table_in[] = {TS_OP_PORT(.name = "a", .type = "table", .help = "")};
static const struct ts_op_port *const table_out[] = {TS_OP_PORT(.name = "out", .type = "table", .help = "")};
static const struct ts_op_descriptor place = {
    TS_OP_DESCRIPTOR_HEAD, .name = "test.place", .version = 1,      .help = "",      .inputs = image_in,
    .input_count = 1,      .outputs = table_out, .output_count = 1, .run = run_place};
static const struct ts_op_descriptor sum = {
    TS_OP_DESCRIPTOR_HEAD, .name = "test.sum",   .version = 1,      .help = "",    .inputs = table_in,
    .input_count = 1,      .outputs = table_out, .output_count = 1, .run = run_sum};

/* A case, and what a run of it told. */
struct subject {
  struct toy_case toy;
  struct toy_dataset data;
  struct ts_plan *plan;
  struct ts_registry *registry;
  struct toy_image image;
  double sum; /* as delivered */
  size_t products, events, stop_after;
  int stop;
  struct ts_key last_key;        /* of the last tile's last task */
  struct ts_sha256 *late_digest; /* written when the first operation is called; NULL: nothing is */
  struct ts_sha256 digest;
};

static void make(struct subject *s, struct ts_registry *registry, int64_t width, int64_t height) {
  static const char *const wanted[] = {"all.sum", "all.out"};
  *s = (struct subject){.registry = registry, .image = {"one", width, height}};
  toy_case_init(&s->toy, json, registry);
  toy_case_want(&s->toy, wanted, 2);
  for (size_t i = 0; i < SETS; i++) toy_case_set(&s->toy, i, "P", (int64_t)i);
  toy_dataset_init(&s->data, &s->toy, &s->image, 1, 1, 0);
  s->plan = toy_case_plan(&s->toy);
}

static void release(struct subject *s) {
  ts_plan_destroy(s->plan);
  toy_dataset_release(&s->data);
  toy_case_release(&s->toy);
}

static double expected_sum(const struct subject *s) {
  double all = 0;
  for (int64_t y = 0; y < s->image.height; y++) {
    for (int64_t x = 0; x < s->image.width; x++) all += (double)PLACE(x, y);
  }
  return all;
}

static void on_start(void *user, uint32_t node) {
  struct subject *s = user;
  (void)node;
  if (!s->late_digest) return;
  *s->late_digest = s->digest;
  s->late_digest = NULL;
}

static void on_task(void *user, const struct ts_task_event *event) {
  struct subject *s = user;
  const struct ts_node *node = &s->plan->nodes[event->node];
  s->events++;
  if (s->stop_after > 0 && s->events >= s->stop_after) __atomic_store_n(&s->stop, 1, __ATOMIC_RELAXED);
  if (node->kind == TS_NODE_TASK && node->task == TASK_MIX_AGAIN && event->unit + 1 == s->data.dataset.tile_count)
    s->last_key = event->key;
}

static void on_product(void *user, uint32_t node, uint32_t port, size_t unit, struct ts_data *data) {
  struct subject *s = user;
  (void)port, (void)unit;
  s->products++;
  if (s->plan->nodes[node].task == TASK_SUM) s->sum = ts_data_cells(data)[0];
}

static struct ts_run_result run(struct subject *s, struct ts_store *store, size_t threads) {
  struct ts_run_options options = {.threads = threads,
                                   .registry = s->registry,
                                   .store = store,
                                   .run_id = "",
                                   .stop = &s->stop,
                                   .user = s,
                                   .on_start = on_start,
                                   .on_task = on_task,
                                   .on_product = on_product};
  struct ts_run_result result;
  struct ts_error err = {0};
  s->sum = NAN;
  s->products = s->events = 0;
  if (!ts_run(s->plan, &s->data.dataset, &options, &result, &err)) fail_msg("%s", err.text);
  if (store) assert_true(ts_store_flush(store, &err));
  return result;
}

static uint64_t count_of(const struct ts_run_result *result, size_t task, enum ts_outcome outcome) {
  return result->tasks[task].by_outcome[outcome];
}

/* Units of each task: per tile and set, or per set. */
static uint64_t units_of(const struct subject *s, size_t task) {
  const size_t tiles = s->data.dataset.tile_count;
  const uint64_t units[TASKS] = {tiles, SETS * tiles, SETS * tiles, 1, SETS};
  return units[task];
}

static void check_all_are(const struct subject *s, const struct ts_run_result *result, enum ts_outcome outcome) {
  for (size_t t = 0; t < TASKS; t++) {
    for (int o = 0; o < TS_OUTCOME_COUNT; o++)
      assert_int_equal(count_of(result, t, (enum ts_outcome)o), o == (int)outcome ? units_of(s, t) : 0);
  }
}

/* ---- Memory. ---- */

/* The most memory of a process that does one run, in kB; its counts and its sum are checked there. */
static long peak_of(struct ts_registry *registry, int64_t width, int64_t height, size_t threads, bool stored) {
  int status = 0;
  struct rusage usage;
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0) {
    struct subject s;
    make(&s, registry, width, height);
    struct ts_store *store = stored ? toy_store_open(NULL) : NULL;
    struct ts_run_result result = run(&s, store, threads);
    check_all_are(&s, &result, TS_OUTCOME_EXECUTED);
    assert_true(s.sum == expected_sum(&s));
    /* A window has its coarse instances, the border, and as many panes as threads need. */
    const size_t tiles = s.data.dataset.tile_count;
    assert_true(result.peak_instances <= tiles * (1 + SETS) + 20 + (threads + 2) * s.plan->node_count);
    _exit(0);
  }
  assert_true(child > 0);
  assert_int_equal(wait4(child, &status, 0, &usage), child);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  return usage.ru_maxrss;
}

static void many_tiles_take_little_memory(void **state) {
  for (size_t threads = 1; threads <= 4; threads *= 2) {
    const long few = peak_of(*state, 20, 10, threads, false), many = peak_of(*state, 200, MANY_ROWS, threads, false);
    print_message("%zu threads: 200 tiles %ld MB, %d tiles %ld MB\n", threads, few / 1024, 200 * MANY_ROWS,
                  many / 1024);
    if (MANY_ROWS == 100) assert_true(many - few <= 200 * 1024);
  }
}

/* ---- Order. ---- */

/* The digest of the second file is not known before the first operation is called: a tile of it that had got its key
 * earlier would have another. */
static void the_first_task_starts_before_the_last_tile_has_its_key(void **state) {
  static const struct toy_image images[] = {{"early", 20, 10}, {"late", 2, 1}};
  for (int stored = 0; stored < 2; stored++) {
    struct subject s;
    make(&s, *state, 1, 1);
    toy_dataset_release(&s.data);
    toy_dataset_init(&s.data, &s.toy, images, 2, 1, 0);
    struct ts_run_result result = run(&s, NULL, 1);
    const struct ts_key expected = s.last_key;
    ts_run_result_release(&result);
    struct ts_item_source *late = ts_without_const(s.data.dataset.items[1].sources);
    s.digest = late->digest;
    s.late_digest = &late->digest;
    memset(&late->digest, 1, sizeof late->digest);
    struct ts_store *store = stored ? toy_store_open(NULL) : NULL;
    result = run(&s, store, 1);
    assert_null(s.late_digest);
    assert_memory_equal(&s.last_key, &expected, sizeof expected);
    ts_run_result_release(&result);
    ts_store_close(store);
    release(&s);
  }
}

/* ---- Counts. ---- */

static void a_full_store_has_everything(void **state) {
  for (size_t threads = 1; threads <= 4; threads *= 2) {
    struct subject s;
    make(&s, *state, 30, 20);
    struct ts_store *store = toy_store_open(NULL);
    struct ts_run_result result = run(&s, store, threads);
    check_all_are(&s, &result, TS_OUTCOME_EXECUTED);
    ts_run_result_release(&result);
    result = run(&s, store, threads);
    check_all_are(&s, &result, TS_OUTCOME_STORE);
    assert_true(s.sum == expected_sum(&s));
    assert_int_equal(s.products, 1 + SETS);
    assert_int_equal(result.reads, 0);
    ts_run_result_release(&result);
    ts_store_close(store);
    release(&s);
  }
}

/* A larger image has the tiles of the smaller one, which the store knows; its own are executed, and all of the
 * dataset. */
static void tiles_that_the_store_knows_are_loaded(void **state) {
  struct subject small, large;
  make(&small, *state, 30, 10);
  make(&large, *state, 30, 20);
  for (size_t threads = 1; threads <= 4; threads *= 2) {
    struct ts_store *store = toy_store_open(NULL);
    struct ts_run_result result = run(&small, store, threads);
    ts_run_result_release(&result);
    struct ts_run_forecast forecast;
    struct ts_error err = {0};
    const struct ts_run_options options = {.threads = 1, .registry = *state, .store = store, .run_id = ""};
    assert_true(ts_run_forecast(large.plan, &large.data.dataset, &options, &forecast, &err));
    result = run(&large, store, threads);
    for (size_t t = 0; t < TASKS; t++) {
      const uint64_t known = t < TASK_SUM ? units_of(&small, t) : 0;
      assert_int_equal(count_of(&result, t, TS_OUTCOME_EXECUTED), units_of(&large, t) - known);
      assert_int_equal(count_of(&result, t, TS_OUTCOME_STORE), known);
      assert_int_equal(forecast.execute[t], units_of(&large, t) - known);
      assert_int_equal(forecast.stored[t], known);
    }
    assert_true(large.sum == expected_sum(&large));
    ts_run_forecast_release(&forecast);
    ts_run_result_release(&result);
    ts_store_close(store);
  }
  release(&small);
  release(&large);
}

static void one_tile_that_fails_skips_the_dataset_alone(void **state) {
  static const double places[] = {PLACE(0, 0), PLACE(7, 3), PLACE(29, 9)};
  for (size_t i = 0; i < 3; i++) {
    for (size_t threads = 1; threads <= 4; threads *= 2) {
      struct subject s;
      make(&s, *state, 30, 10);
      struct ts_store *store = i == 1 ? toy_store_open(NULL) : NULL;
      bad_place = places[i];
      struct ts_run_result result = run(&s, store, threads);
      bad_place = -1;
      assert_int_equal(count_of(&result, TASK_PLACE, TS_OUTCOME_FAILED), 1);
      assert_int_equal(count_of(&result, TASK_PLACE, TS_OUTCOME_EXECUTED), units_of(&s, TASK_PLACE) - 1);
      for (size_t t = TASK_MIX; t < TASK_SUM; t++) {
        assert_int_equal(count_of(&result, t, TS_OUTCOME_SKIPPED), SETS);
        assert_int_equal(count_of(&result, t, TS_OUTCOME_EXECUTED), units_of(&s, t) - SETS);
      }
      for (size_t t = TASK_SUM; t < TASKS; t++)
        assert_int_equal(count_of(&result, t, TS_OUTCOME_SKIPPED), units_of(&s, t));
      assert_int_equal(s.products, 0);
      ts_run_result_release(&result);
      if (store) { /* and goes on where it was */
        result = run(&s, store, threads);
        assert_int_equal(count_of(&result, TASK_PLACE, TS_OUTCOME_EXECUTED), 1);
        assert_int_equal(count_of(&result, TASK_MIX, TS_OUTCOME_EXECUTED), SETS);
        assert_true(s.sum == expected_sum(&s));
        ts_run_result_release(&result);
      }
      ts_store_close(store);
      release(&s);
    }
  }
}

/* ---- Damage. ---- */

static bool always_there(void *state, const struct ts_sha256 *digest) {
  (void)state, (void)digest;
  return true;
}

static void forget_number(struct ts_store *store, double number) {
  static const char *const names[] = {"value"};
  struct ts_data *table = ts_data_create_table(1, 1, names, NULL);
  *(double *)ts_data_writable(table) = number;
  ts_data_finish(table);
  toy_store_forget(store, table);
  ts_data_unref(table);
}

/* The store says that it has products which it cannot load: of the dataset, and of one tile. The dataset needs all
 * tiles then, the tile its image. */
static void damaged_products_are_made_again(void **state) {
  for (size_t threads = 1; threads <= 4; threads *= 2) {
    struct subject s;
    make(&s, *state, 30, 20);
    struct ts_store *store = toy_store_open(NULL);
    struct ts_run_result result = run(&s, store, threads);
    ts_run_result_release(&result);
    const struct ts_store_backend *honest = store->backend;
    struct ts_store_backend lying = *honest;
    lying.has_product = always_there;
    forget_number(store, expected_sum(&s));
    forget_number(store, PLACE(7, 3));
    store->backend = &lying;
    result = run(&s, store, threads);
    store->backend = honest;
    assert_true(s.sum == expected_sum(&s));
    for (size_t t = 0; t < TASKS; t++) {
      const uint64_t executed = t == TASK_SUM || t == TASK_PLACE;
      assert_int_equal(count_of(&result, t, TS_OUTCOME_EXECUTED), executed);
      assert_int_equal(count_of(&result, t, TS_OUTCOME_STORE), units_of(&s, t) - executed);
    }
    assert_int_equal(result.reads, 1);
    ts_run_result_release(&result);
    ts_store_close(store);
    release(&s);
  }
}

/* ---- Stopping. ---- */

static void a_run_that_was_stopped_goes_on(void **state) {
  for (size_t after = 1; after < 4000; after = after * 5 + 3) {
    for (size_t threads = 1; threads <= 4; threads *= 2) {
      struct subject s;
      make(&s, *state, 20, 10);
      struct ts_store *store = toy_store_open(NULL);
      s.stop_after = after;
      struct ts_run_result first = run(&s, store, threads);
      s.stop_after = 0;
      s.stop = 0;
      struct ts_run_result second = run(&s, store, threads);
      assert_false(second.stopped);
      assert_true(s.sum == expected_sum(&s));
      for (size_t t = 0; t < TASKS; t++)
        assert_int_equal(count_of(&first, t, TS_OUTCOME_EXECUTED) + count_of(&second, t, TS_OUTCOME_EXECUTED),
                         units_of(&s, t));
      ts_run_result_release(&first);
      ts_run_result_release(&second);
      ts_store_close(store);
      release(&s);
    }
  }
}

/* ---- Any workflow. ---- */

/* Drawn cases: what comes out is what the oracle says, and often not all was open at once. */
static void drawn_cases_come_out_right(void **state) {
  const struct toy_settings settings = {
      .stages = 4, .tasks = 3, .sets = 5, .digits = 3, .collapse = true, .faults = true};
  size_t by_panes = 0;
  for (uint64_t seed = 3000; seed < 3150; seed++) {
    struct toy_subject s;
    toy_subject_draw(&s, *state, &settings, seed % 2, seed);
    size_t all = 0;
    for (size_t n = 0; n < s.plan->node_count; n++) all += toy_units(&s.data.dataset, s.plan->nodes[n].scope);
    struct ts_store *store = seed % 3 ? toy_store_open(NULL) : NULL;
    for (int round = 0; round < 2; round++) {
      struct toy_run r = {.subject = &s};
      r.options =
          (struct ts_run_options){.threads = 1 + seed % 4, .store = store, .memory_bytes = seed % 5 ? 0 : 20000};
      toy_run_do(&r);
      toy_run_check(&r, "panes");
      by_panes += s.plan->coarsest == TS_PER_DATASET && r.result.peak_instances < all;
      toy_run_release(&r);
    }
    ts_store_close(store);
    toy_subject_release(&s);
  }
  assert_true(by_panes > 10);
}

static int set_up(void **state) {
  const struct ts_op_descriptor *descriptors[] = {&place, &sum};
  const struct ts_implementation implementations[] = {{.operation = place.name}, {.operation = sum.name}};
  toy_set_up(state);
  ts_registry_add_built_in(*state, descriptors, 2, implementations, 2);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(many_tiles_take_little_memory),
      cmocka_unit_test(the_first_task_starts_before_the_last_tile_has_its_key),
      cmocka_unit_test(a_full_store_has_everything),
      cmocka_unit_test(tiles_that_the_store_knows_are_loaded),
      cmocka_unit_test(one_tile_that_fails_skips_the_dataset_alone),
      cmocka_unit_test(damaged_products_are_made_again),
      cmocka_unit_test(a_run_that_was_stopped_goes_on),
      cmocka_unit_test(drawn_cases_come_out_right),
  };
  return cmocka_run_group_tests(tests, set_up, toy_tear_down);
}
