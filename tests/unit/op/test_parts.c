/* Parts of calls: what recall, remember and input_digest give with and without a memo, from several threads, and
 * verified.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/op/helpers.h"

#include "base/pool.h"
#include "op/implementation.h"

#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROWS = 500 };

static atomic_int computed, had_digest;
static atomic_int lie; /* added to what test.liar computes, but not in its key */

struct rows {
  struct ts_op_call *call;
  const double *in;
  double *out;
  double factor;
  int wrong;
};

/* The square of a row's number, times the parameter: a function of both, so both are the key. */
static void do_row(void *argument, size_t index) {
  struct rows *rows = argument;
  const struct ts_op_host *host = rows->call->host;
  const double key[2] = {rows->in[index], rows->factor};
  double value[2] = {-1, -1};
  size_t size = host->recall(rows->call, key, sizeof key, value, sizeof(double));
  if (size == sizeof(double)) {
    rows->out[index] = value[0];
    return;
  }
  atomic_fetch_add(&computed, 1);
  rows->out[index] = key[0] * key[0] * key[1] + rows->wrong;
  host->remember(rows->call, key, sizeof key, &rows->out[index], sizeof(double));
}

static int run_rows(struct ts_op_call *call) {
  const struct ts_op_view *in = call->inputs[0];
  static const char *const names[] = {"x"};
  uint8_t digest[16];
  atomic_store(&had_digest, call->host->input_digest(call, 0, digest));
  assert_int_equal(call->host->input_digest(call, 1, digest), 0); /* no such input */
  struct rows rows = {.call = call, .in = in->cells, .factor = call->parameters[0]->real};
  rows.wrong = call->user ? atomic_load(&lie) : 0;
  rows.out = call->host->output_table(call, 0, in->rows, 1, names);
  if (!rows.out) return -1;
  call->host->parallel_for(call, in->rows, do_row, &rows);
  return 0;
}

static const struct ts_op_port *const table_port[] = {TS_OP_PORT(.name = "table", .type = "table", .help = "numbers")};
static const struct ts_op_parameter *const factor_parameter[] = {
    TS_OP_PARAMETER(.name = "factor", .type = TS_OP_REAL, .low = -100, .high = 100, .help = "a number")};
#define ROWS_OPERATION(title, state)                                                                                   \
  {                                                                                                                    \
    TS_OP_DESCRIPTOR_HEAD, .name = (title), .version = 1, .help = "works row by row", .inputs = table_port,            \
                           .input_count = 1, .outputs = table_port, .output_count = 1, .parameters = factor_parameter, \
                           .parameter_count = 1, .run = run_rows, .user = (state)                                      \
  }
static const struct ts_op_descriptor descriptors[] = {
    ROWS_OPERATION("test.rows", NULL), ROWS_OPERATION("test.others", NULL), ROWS_OPERATION("test.liar", &lie)};

static struct ts_registry *make_registry(void) {
  static const struct ts_op_descriptor *const all[] = {&descriptors[0], &descriptors[1], &descriptors[2]};
  static const struct ts_implementation implementations[] = {{.operation = "test.liar", .digest = {1}},
                                                             {.operation = "test.others", .digest = {1}},
                                                             {.operation = "test.rows", .digest = {1}}};
  struct ts_registry *registry = ts_registry_create();
  ts_registry_add_built_in(registry, all, 3, implementations, 3);
  return registry;
}

/* Numbers from `first` on, one per row. */
static struct ts_data *numbers(int first) {
  static const char *const names[] = {"n"};
  struct ts_error err = {0};
  struct ts_data *data = ts_data_create_table(ROWS, 1, names, &err);
  double *cells = ts_data_writable(data);
  for (int i = 0; i < ROWS; i++) cells[i] = first + i;
  ts_data_finish(data);
  return data;
}

/* How many rows were computed; -1 if the call failed. All results must be right unless the operation lies. */
static int execute(struct ts_registry *registry, const char *name, int first, double factor,
                   const struct ts_op_context *context, struct ts_error *err) {
  struct ts_data *in = numbers(first), *out = NULL;
  struct ts_value value = ts_value_real(factor);
  atomic_store(&computed, 0);
  bool ok = ts_op_execute(ts_registry_find(registry, name), &in, &value, &out, context, err);
  for (int i = 0; ok && i < ROWS; i++) {
    double n = first + i;
    if (strcmp(name, "test.liar") != 0) assert_true(ts_data_cells(out)[i] == n * n * factor);
  }
  ts_data_unref(in);
  ts_data_unref(out);
  return ok ? atomic_load(&computed) : -1;
}

/* First, because a process asks for TESSERA_VERIFY once: whether the second, honest execution is compared. */
static void test_verified(void **state) {
  (void)state;
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    setenv("TESSERA_VERIFY", "1", 1);
    struct ts_registry *registry = make_registry();
    struct ts_op_context context = {.memo = ts_memo_create(1 << 20)};
    struct ts_error err = {0};
    bool ok = execute(registry, "test.rows", 0, 2, &context, &err) == ROWS &&
              execute(registry, "test.rows", 0, 2, &context, &err) == ROWS && /* recalled, and computed for the check */
              ts_registry_find(registry, "test.rows")->executions == 2 &&
              execute(registry, "test.liar", 0, 2, &context, &err) == ROWS;
    atomic_store(&lie, 1);
    ok = ok && execute(registry, "test.liar", 0, 2, &context, &err) == -1 && err.code == TS_ERR_OPERATION_CONTRACT &&
         strstr(err.text, "with recalled parts");
    if (!ok) fprintf(stderr, "verified: %s\n", err.text);
    ts_memo_destroy(context.memo);
    ts_registry_destroy(registry);
    _exit(ok ? 0 : 1);
  }
  int status = -1;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void test_without_a_memo(void **state) {
  (void)state;
  struct ts_registry *registry = make_registry();
  struct ts_error err = {0};
  for (int i = 0; i < 2; i++) {
    assert_int_equal(execute(registry, "test.rows", 0, 2, NULL, &err), ROWS);
    assert_int_equal(atomic_load(&had_digest), 0);
  }
  ts_registry_destroy(registry);
}

static void test_with_a_memo(void **state) {
  (void)state;
  struct ts_registry *registry = make_registry();
  struct ts_error err = {0};
  struct ts_op_context context = {.memo = ts_memo_create(1 << 20)};
  assert_int_equal(execute(registry, "test.rows", 0, 2, &context, &err), ROWS);
  assert_int_equal(atomic_load(&had_digest), 1);
  assert_int_equal(execute(registry, "test.rows", 0, 2, &context, &err), 0);
  assert_int_equal(execute(registry, "test.rows", 100, 2, &context, &err), 100); /* the rest is known */
  assert_int_equal(execute(registry, "test.rows", 0, 3, &context, &err), ROWS);
  assert_int_equal(execute(registry, "test.others", 0, 2, &context, &err), ROWS); /* of the same library */
  struct ts_memo_counts counts = ts_memo_counts(context.memo);
  assert_int_equal(counts.asked, 5 * ROWS);
  assert_int_equal(counts.recalled, 2 * ROWS - 100);
  assert_no_error(&err);
  ts_memo_destroy(context.memo);
  ts_registry_destroy(registry);
}

static void lend(void *user, size_t count, void (*body)(void *argument, size_t index), void *argument) {
  ts_pool_for(user, count, body, argument);
}

static void test_with_threads(void **state) {
  (void)state;
  struct ts_registry *registry = make_registry();
  struct ts_error err = {0};
  struct ts_op_context context = {.memo = ts_memo_create(1 << 20), .parallel_for = lend, .thread_count = 4};
  context.parallel_user = ts_pool_create(4, &err);
  assert_int_equal(execute(registry, "test.rows", 0, 2, &context, &err), ROWS);
  assert_int_equal(execute(registry, "test.rows", 0, 2, &context, &err), 0);
  assert_int_equal(execute(registry, "test.rows", -7, 2, &context, &err), 7);
  assert_no_error(&err);
  ts_pool_destroy(context.parallel_user);
  ts_memo_destroy(context.memo);
  ts_registry_destroy(registry);
}

static uint8_t seen[16];

static int run_digest(struct ts_op_call *call) {
  if (!call->host->input_digest(call, 0, seen)) memset(seen, 0, sizeof seen);
  double *out = call->host->output_table(call, 0, 1, 1, (const char *const[]){"x"});
  if (out) out[0] = 0;
  return out ? 0 : -1;
}

/* What the engine knows is taken; what it does not know is computed: equal for equal contents, different for others. */
static void test_digests(void **state) {
  (void)state;
  static const struct ts_op_descriptor digest = {TS_OP_DESCRIPTOR_HEAD,       .name = "test.digest", .version = 1,
                                                 .help = "asks for a digest", .inputs = table_port,  .input_count = 1,
                                                 .outputs = table_port,       .output_count = 1,     .run = run_digest};
  static const struct ts_op_descriptor *const all[] = {&digest};
  static const struct ts_implementation implementations[] = {{.operation = "test.digest", .digest = {1}}};
  struct ts_registry *registry = ts_registry_create();
  ts_registry_add_built_in(registry, all, 1, implementations, 1);
  struct ts_memo *memo = ts_memo_create(1 << 20);
  const struct ts_xxh128 given = {7, 9}, unknown = {0};
  const struct ts_op_context contexts[] = {{.memo = memo, .input_digests = &given},
                                           {.memo = memo, .input_digests = &unknown},
                                           {.memo = memo},
                                           {.memo = memo},
                                           {.memo = NULL, .input_digests = &given}};
  uint8_t got[5][16];
  for (int i = 0; i < 5; i++) {
    struct ts_data *in = numbers(i == 3), *out = NULL;
    struct ts_error err = {0};
    ts_op_execute(ts_registry_find(registry, "test.digest"), &in, NULL, &out, &contexts[i], &err);
    assert_no_error(&err);
    memcpy(got[i], seen, sizeof seen);
    ts_data_unref(in);
    ts_data_unref(out);
  }
  const uint8_t nothing[16] = {0};
  assert_memory_equal(got[0], &given, 16);
  assert_memory_equal(got[1], got[2], 16);
  assert_memory_not_equal(got[2], got[3], 16);
  assert_memory_not_equal(got[2], nothing, 16);
  assert_memory_equal(got[4], nothing, 16);
  ts_memo_destroy(memo);
  ts_registry_destroy(registry);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_verified),     cmocka_unit_test(test_without_a_memo), cmocka_unit_test(test_with_a_memo),
      cmocka_unit_test(test_with_threads), cmocka_unit_test(test_digests),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
