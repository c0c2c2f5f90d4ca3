/* State of thread and process around calls: set, compared, put back; who changed it is found, and no result made
 * meanwhile stays.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/op/helpers.h"

#include "base/pool.h"
#include "op/implementation.h"
#include "op/state_int.h"

#include <fenv.h>
#include <limits.h>
#include <locale.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

extern char **environ;

/* ---- The thread. ---- */

static volatile double one = 1, three = 3, tiny = 1e-310;

static double nearest(void) { return 0x1.5555555555555p-2; } /* 1/3 rounded to nearest, from its binary digits */

static void spoil_thread(void) {
  fesetround(FE_UPWARD);
#if defined(__x86_64__)
  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
#endif
  feenableexcept(FE_DIVBYZERO);
  sigset_t mask;
  sigemptyset(&mask);
  sigaddset(&mask, SIGTRAP);
  pthread_sigmask(SIG_BLOCK, &mask, NULL);
}

/* One of those that the threads of a pool leave open. */
static bool blocks_trap(void) {
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, NULL, &mask);
  return sigismember(&mask, SIGTRAP) == 1;
}

static void assert_usual_thread(void) {
  assert_int_equal(fegetround(), FE_TONEAREST);
  assert_int_equal(fegetexcept(), 0);
  assert_true(one / three == nearest());
  assert_true(tiny * one > 0);
}

static void test_thread_is_put_back(void **state) {
  (void)state;
  struct ts_thread_state before;
  const locale_t own = uselocale((locale_t)0);
  ts_thread_state_enter(&before, true);
  spoil_thread();
  assert_true(one / three != nearest());
  const locale_t other = newlocale(LC_ALL_MASK, "C.UTF-8", (locale_t)0);
  uselocale(other);
  ts_thread_state_leave(&before);
  freelocale(other);
  assert_usual_thread();
  assert_false(blocks_trap());
  assert_ptr_equal(uselocale((locale_t)0), own);
}

/* A program that uses the library may have a thread in another state: it gets that back, operations never see it. */
static void test_thread_that_was_not_usual(void **state) {
  (void)state;
  struct ts_thread_state before;
  spoil_thread();
  ts_thread_state_enter(&before, false);
  assert_usual_thread();
  ts_thread_state_leave(&before);
  assert_int_equal(fegetround(), FE_UPWARD);
  assert_true(blocks_trap());
  fesetenv(FE_DFL_ENV);
  sigset_t none;
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &none, NULL);
}

/* ---- The process. ---- */

static void change_folder(void) { assert_int_equal(chdir("/"), 0); }
static void set_variable(void) { setenv("TS_TEST_VARIABLE", "other", 1); }
static void add_variable(void) { setenv("TS_TEST_NEW", "1", 1); }
static void unset_variable(void) { unsetenv("TS_TEST_VARIABLE"); }
static void clear_variables(void) { clearenv(); }
static void lose_variables(void) { environ = NULL; }
static void write_into_variable(void) { getenv("TS_TEST_VARIABLE")[0] = 'X'; }
static void put_variable(void) {
  static char text[] = "TS_TEST_VARIABLE=put";
  putenv(text);
}
static void set_locale(void) { assert_non_null(setlocale(LC_NUMERIC, "C.UTF-8")); }

static const struct {
  void (*change)(void);
  const char *words;
} changes[] = {{change_folder, "the current folder (to '/')"},
               {set_variable, "the environment (variable 'TS_TEST_VARIABLE')"},
               {add_variable, "the environment (variable 'TS_TEST_NEW')"},
               {unset_variable, "the environment (variable '"},
               {clear_variables, "the environment (variable '"},
               {lose_variables, "the environment (variable '"},
               {write_into_variable, "the environment (variable 'TS_TEST_VARIABLE')"},
               {put_variable, "the environment (variable 'TS_TEST_VARIABLE')"},
               {set_locale, "the locale (LC_NUMERIC: 'C' became 'C.UTF-8')"}};

static void assert_usual_process(const char *folder) {
  char now[PATH_MAX];
  assert_string_equal(getcwd(now, sizeof now), folder);
  assert_string_equal(getenv("TS_TEST_VARIABLE"), "usual");
  assert_null(getenv("TS_TEST_NEW"));
  assert_string_equal(setlocale(LC_NUMERIC, NULL), "C");
}

static void test_snapshot(void **state) {
  (void)state;
  char folder[PATH_MAX];
  assert_non_null(getcwd(folder, sizeof folder));
  setenv("TS_TEST_VARIABLE", "usual", 1);
  struct ts_snapshot snapshot;
  ts_snapshot_take(&snapshot);
  for (size_t round = 0; round < 2; round++) {
    for (size_t i = 0; i < COUNT(changes); i++) {
      struct ts_state_change change;
      assert_true(ts_snapshot_holds(&snapshot));
      changes[i].change();
      assert_false(ts_snapshot_holds(&snapshot));
      ts_snapshot_describe(&snapshot, &change);
      assert_contains(change.text, changes[i].words);
      ts_snapshot_put_back(&snapshot);
      assert_usual_process(folder);
    }
  }
  struct ts_state_change change;
  change_folder();
  set_locale();
  ts_snapshot_describe(&snapshot, &change);
  assert_contains(change.text, "the current folder (to '/') and the locale (LC_NUMERIC");
  ts_snapshot_put_back(&snapshot);
  ts_snapshot_release(&snapshot);
}

/* A folder that is renamed while we are in it is no change of ours. */
static void test_renamed_folder(void **state) {
  (void)state;
  struct ts_error err = {0};
  char before[PATH_MAX];
  assert_non_null(getcwd(before, sizeof before));
  ts_auto_free char *parent = ts_folder_create_scratch(NULL, "tessera-test", &err);
  ts_auto_free char *one_name = ts_path_join(parent, "one"), *other_name = ts_path_join(parent, "other");
  assert_true(ts_folder_create(one_name, &err));
  assert_int_equal(chdir(one_name), 0);
  struct ts_snapshot snapshot;
  ts_snapshot_take(&snapshot);
  assert_int_equal(rename(one_name, other_name), 0);
  assert_true(ts_snapshot_holds(&snapshot));
  change_folder();
  ts_snapshot_put_back(&snapshot);
  char now[PATH_MAX];
  assert_string_equal(getcwd(now, sizeof now), other_name);
  ts_snapshot_release(&snapshot);
  assert_int_equal(chdir(before), 0);
  rmdir(other_name);
  rmdir(parent);
}

static void test_verdicts(void **state) {
  (void)state;
  struct ts_shared_call first, second, third;
  struct ts_state_change change;
  ts_shared_enter(&first, false);
  assert_int_equal(ts_shared_leave(&first, &change), TS_SHARED_CALM);
  assert_string_equal(change.text, "");

  ts_shared_enter(&first, false);
  change_folder();
  assert_int_equal(ts_shared_leave(&first, &change), TS_SHARED_CULPRIT);
  assert_contains(change.text, "the current folder (to '/')");

  /* Of three calls the first changes something: who ends before is right, all others are in doubt, the first one,
   * too. */
  ts_shared_enter(&first, false);
  ts_shared_enter(&second, false);
  ts_shared_enter(&third, false);
  const uint64_t generation = first.generation;
  assert_int_equal(ts_shared_leave(&second, &change), TS_SHARED_CALM);
  ts_shared_enter(&second, false);
  change_folder();
  assert_int_equal(ts_shared_leave(&third, &change), TS_SHARED_DISTURBED);
  assert_int_equal(ts_shared_leave(&second, &change), TS_SHARED_DISTURBED);
  ts_shared_enter(&third, false); /* begins when all is as before */
  assert_int_equal(third.generation, generation + 1);
  assert_int_equal(ts_shared_leave(&third, &change), TS_SHARED_CALM);
  assert_int_equal(ts_shared_leave(&first, &change), TS_SHARED_DISTURBED);

  ts_shared_enter(&first, true);
  set_variable();
  assert_int_equal(ts_shared_leave(&first, &change), TS_SHARED_CULPRIT);
}

/* What changes between calls holds from then on: it is the program's own business. */
static void test_change_between_calls(void **state) {
  (void)state;
  struct ts_shared_call call;
  struct ts_state_change change;
  ts_shared_enter(&call, false);
  assert_int_equal(ts_shared_leave(&call, &change), TS_SHARED_CALM);
  add_variable();
  ts_shared_enter(&call, false);
  assert_int_equal(ts_shared_leave(&call, &change), TS_SHARED_CALM);
  assert_non_null(getenv("TS_TEST_NEW"));
  unsetenv("TS_TEST_NEW");
}

/* ---- Operations. ---- */

static char usual_folder[PATH_MAX];

/* 1 if the folder was the usual one at the beginning and at the end. */
static int look(struct ts_op_call *call) {
  static const char *const names[] = {"usual"};
  char now[PATH_MAX];
  double *out = call->host->output_table(call, 0, 1, 1, names);
  if (!out) return -1;
  bool usual = getcwd(now, sizeof now) && strcmp(now, usual_folder) == 0;
  static atomic_int calls;
  const int part = atomic_fetch_add(&calls, 1) / 8; /* a few calls have it in common */
  uint8_t kept = usual, known = 1;
  if (call->host->recall(call, &part, sizeof part, &known, 1) == 1)
    usual = usual && known; /* what another call kept */
  else
    call->host->remember(call, &part, sizeof part, &kept, 1);
  sched_yield();
  out[0] = usual && getcwd(now, sizeof now) && strcmp(now, usual_folder) == 0;
  return 0;
}

static int wander(struct ts_op_call *call) {
  static const char *const names[] = {"nothing"};
  double *out = call->host->output_table(call, 0, 1, 1, names);
  if (!out || chdir("/") != 0) return -1;
  out[0] = 0;
  usleep(50);
  return 0;
}

static atomic_int spoiled;

static void spoil_piece(void *argument, size_t index) {
  (void)argument;
  (void)index;
  if (one / three != nearest() || fegetexcept() != 0 || blocks_trap()) atomic_fetch_add(&spoiled, 1);
  spoil_thread();
}

static int spoil_pieces(struct ts_op_call *call) {
  static const char *const names[] = {"spoiled"};
  double *out = call->host->output_table(call, 0, 1, 1, names);
  if (!out) return -1;
  call->host->parallel_for(call, 40, spoil_piece, NULL);
  out[0] = one / three != nearest();
  return 0;
}

static const struct ts_op_port *const table_out[] = {TS_OP_PORT(.name = "table", .type = "table", .help = "")};
#define OPERATION(title, function)                                                                                     \
  { TS_OP_DESCRIPTOR_HEAD, .name = (title), .version = 1, .outputs = table_out, .output_count = 1, .run = (function) }
static const struct ts_op_descriptor descriptors[] = {OPERATION("test.look", look), OPERATION("test.wander", wander),
                                                      OPERATION("test.spoil", spoil_pieces)};

static struct ts_registry *registry;

/* Operations of this file, taken for those of a plugin. */
static struct ts_op *foreign(size_t index) {
  struct ts_op *op = ts_registry_find(registry, descriptors[index].name);
  op->origin = TS_OP_PLUGIN;
  return op;
}

static int setup(void **state) {
  (void)state;
  static const struct ts_op_descriptor *const all[] = {&descriptors[0], &descriptors[1], &descriptors[2]};
  static const struct ts_implementation implementations[] = {{.operation = "test.look", .digest = {1}},
                                                             {.operation = "test.spoil", .digest = {3}},
                                                             {.operation = "test.wander", .digest = {2}},
                                                             {0}};
  registry = ts_registry_create();
  ts_registry_add_built_in(registry, all, COUNT(all), implementations, 3);
  return getcwd(usual_folder, sizeof usual_folder) ? 0 : -1;
}

static int teardown(void **state) {
  (void)state;
  ts_registry_destroy(registry);
  return 0;
}

static void test_culprit_is_named(void **state) {
  (void)state;
  struct ts_op *op = foreign(1);
  struct ts_data *out = NULL;
  struct ts_error err = {0};
  const uint64_t before = op->executions;
  assert_false(ts_op_execute(op, NULL, NULL, &out, NULL, &err));
  assert_error(&err, TS_ERR_OPERATION_DISTURBS, "operation 'test.wander' changed the current folder (to '/')");
  assert_null(out);
  assert_int_equal(op->executions, before + 1);
  char now[PATH_MAX];
  assert_string_equal(getcwd(now, sizeof now), usual_folder);
}

/* Brute force: whatever the order of things, no call of an honest operation fails or keeps what it saw meanwhile, nor a
 * part that another one saw, and every call of the other one fails by name. */
enum { THREADS = 4, CALLS = 250 };

struct tally {
  unsigned seed;
  struct ts_memo *memo;
  int wrong, failed, unnamed;
};

static void *call_at_random(void *argument) {
  struct tally *tally = argument;
  struct ts_op *honest = ts_registry_find(registry, "test.look"), *other = ts_registry_find(registry, "test.wander");
  const struct ts_op_context context = {.memo = tally->memo};
  for (int i = 0; i < CALLS; i++) {
    struct ts_data *out = NULL;
    struct ts_error err = {0};
    tally->seed = tally->seed * 1664525u + 1013904223u;
    if (tally->seed >> 29 == 0) {
      if (ts_op_execute(other, NULL, NULL, &out, &context, &err) || err.code != TS_ERR_OPERATION_DISTURBS)
        tally->unnamed++;
    } else if (!ts_op_execute(honest, NULL, NULL, &out, &context, &err)) {
      tally->failed++;
    } else if (ts_data_cells(out)[0] != 1) {
      tally->wrong++;
    }
    ts_data_unref(out);
  }
  return NULL;
}

static void test_many_at_once(void **state) {
  (void)state;
  struct ts_memo *memo = ts_memo_create((size_t)1 << 20);
  pthread_t threads[THREADS];
  struct tally tallies[THREADS];
  const uint64_t before = foreign(0)->executions + foreign(1)->executions;
  for (unsigned i = 0; i < THREADS; i++) {
    tallies[i] = (struct tally){.seed = i + 1, .memo = memo};
    assert_int_equal(pthread_create(&threads[i], NULL, call_at_random, &tallies[i]), 0);
  }
  for (size_t i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  for (size_t i = 0; i < THREADS; i++) {
    assert_int_equal(tallies[i].wrong, 0);
    assert_int_equal(tallies[i].failed, 0);
    assert_int_equal(tallies[i].unnamed, 0);
  }
  /* What was done again counts once. */
  assert_int_equal(foreign(0)->executions + foreign(1)->executions, before + (uint64_t)THREADS * CALLS);
  ts_memo_destroy(memo);
}

static void lend(void *user, size_t count, void (*body)(void *argument, size_t index), void *argument) {
  ts_pool_for_helped(user, count, body, argument);
}

/* Each piece of a plugin's work begins in the known state, on lent threads, on the caller's own, and without any. */
static void test_pieces(void **state) {
  (void)state;
  struct ts_error err = {0};
  struct ts_pool *pool = ts_pool_create(2, &err);
  const struct ts_op_context contexts[] = {{0}, {.parallel_for = lend, .parallel_user = pool, .thread_count = 3}};
  for (size_t i = 0; i < COUNT(contexts); i++) {
    struct ts_data *out = NULL;
    atomic_store(&spoiled, 0);
    assert_true(ts_op_execute(foreign(2), NULL, NULL, &out, &contexts[i], &err));
    assert_no_error(&err);
    assert_int_equal(atomic_load(&spoiled), 0);
    assert_true(ts_data_cells(out)[0] == 0);
    assert_usual_thread();
    ts_data_unref(out);
  }
  ts_pool_destroy(pool);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_thread_is_put_back),
      cmocka_unit_test(test_thread_that_was_not_usual),
      cmocka_unit_test(test_snapshot),
      cmocka_unit_test(test_renamed_folder),
      cmocka_unit_test(test_verdicts),
      cmocka_unit_test(test_change_between_calls),
      cmocka_unit_test(test_culprit_is_named),
      cmocka_unit_test(test_many_at_once),
      cmocka_unit_test(test_pieces),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
