/* Threads that the engine lends to an operation: what parallel_for and thread_count give with and without them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/op/helpers.h"

#include "base/pool.h"
#include "op/implementation.h"
#include "op/watch.h"
#include "op/watch_int.h"

#include <stdatomic.h>

enum { COUNT_OF_PIECES = 200 };

static atomic_int visits[COUNT_OF_PIECES];
static atomic_int unnamed; /* pieces that ran without knowing which call they belong to */
static size_t threads_seen;

static void visit(void *argument, size_t index) {
  assert_ptr_equal(argument, visits);
  atomic_fetch_add(&visits[index], 1);
  if (!ts_watch_current) atomic_fetch_add(&unnamed, 1);
}

static int run_pieces(struct ts_op_call *call) {
  threads_seen = call->host->thread_count(call);
  call->host->parallel_for(call, COUNT_OF_PIECES, visit, visits);
  return call->host->output_bytes(call, 0, 1) ? 0 : -1;
}

static const struct ts_op_port *const bytes_out[] = {TS_OP_PORT(.name = "out", .type = "bytes", .help = "one byte")};
static const struct ts_op_descriptor pieces = {
    TS_OP_DESCRIPTOR_HEAD, .name = "test.pieces", .version = 1,     .help = "visits every piece",
    .outputs = bytes_out,  .output_count = 1,     .run = run_pieces};

static void execute(const struct ts_op_context *context) {
  static const struct ts_op_descriptor *const all[] = {&pieces};
  static const struct ts_implementation implementations[] = {{.operation = "test.pieces", .digest = {1}}, {0}};
  struct ts_registry *registry = ts_registry_create();
  struct ts_error err = {0};
  struct ts_data *out = NULL;
  ts_registry_add_built_in(registry, all, 1, implementations, 1);
  for (size_t i = 0; i < COUNT_OF_PIECES; i++) atomic_store(&visits[i], 0);
  assert_true(ts_op_execute(ts_registry_find(registry, "test.pieces"), NULL, NULL, &out, context, &err));
  assert_no_error(&err);
  for (size_t i = 0; i < COUNT_OF_PIECES; i++) assert_int_equal(atomic_load(&visits[i]), 1);
  ts_data_unref(out);
  ts_registry_destroy(registry);
}

static void test_alone(void **state) {
  (void)state;
  execute(NULL);
  assert_int_equal(threads_seen, 1);
}

struct lent {
  struct ts_pool *pool; /* borrowed */
  int calls;
};

static void lend(void *user, size_t count, void (*body)(void *argument, size_t index), void *argument) {
  struct lent *lent = user;
  lent->calls++;
  ts_pool_for(lent->pool, count, body, argument);
}

static void test_with_threads(void **state) {
  (void)state;
  struct ts_error err = {0};
  struct lent lent = {.pool = ts_pool_create(3, &err)};
  struct ts_op_context context = {.parallel_for = lend, .parallel_user = &lent, .thread_count = 3};
  const struct ts_watch_options options = {.resume = ""};
  bool watching = false;
  assert_no_error(&err);
  assert_true(ts_watch_start(&options, &watching, &err) && watching);
  atomic_store(&unnamed, 0);
  execute(&context);
  assert_int_equal(threads_seen, 3);
  assert_int_equal(lent.calls, 1);
  assert_int_equal(atomic_load(&unnamed), 0); /* a crash in a helping thread is told with the operation's name */
  context.thread_count = 1;                   /* none to lend just now */
  execute(&context);
  assert_int_equal(threads_seen, 1);
  assert_int_equal(lent.calls, 1);
  ts_watch_stop();
  ts_pool_destroy(lent.pool);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_alone),
      cmocka_unit_test(test_with_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
