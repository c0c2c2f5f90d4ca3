/* Calls an operation (or the engine's own crop and gather) for one instance, and digests its outputs.
 * SPDX-License-Identifier: Apache-2.0
 *
 * As long as fewer tasks run than there are threads, the others are lent to operations on large inputs. They wait in a
 * pool of their own: the workers themselves are looking for tasks. */
#include "run/run_int.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/pool.h"

#include <string.h>

/* Below this an operation is over before a second thread has woken up. No difference in CPU time seen between half and
 * twice (`bench/constants threads`). */
#define LENDING_MIN_BYTES ((size_t)4 << 20)

/* Threads lent to one call, and the CPU time they spent on it. */
struct loan {
  struct ts_pool *pool; /* borrowed */
  pthread_t borrower;   /* its own time is measured around the whole call */
  _Atomic uint64_t cpu_ns;
};

struct lent_loop {
  struct loan *loan;
  void (*body)(void *argument, size_t index);
  void *argument; /* borrowed */
};

static void run_lent(void *argument, size_t index) {
  struct lent_loop *loop = argument;
  bool is_lent = !pthread_equal(loop->loan->borrower, pthread_self());
  uint64_t start_ns = is_lent ? ts_clock_thread_cpu_ns() : 0;
  loop->body(loop->argument, index);
  if (is_lent)
    atomic_fetch_add_explicit(&loop->loan->cpu_ns, ts_clock_thread_cpu_ns() - start_ns, memory_order_relaxed);
}

static void lent_for(void *user, size_t count, void (*body)(void *argument, size_t index), void *argument) {
  struct lent_loop loop = {user, body, argument};
  ts_pool_for_helped(loop.loan->pool, count, run_lent, &loop);
}

static size_t total_bytes(struct ts_data *const *inputs, size_t count) {
  size_t bytes = 0;
  for (size_t i = 0; i < count; i++) bytes += inputs[i] ? ts_data_size_bytes(inputs[i]) : 0;
  return bytes;
}

/* Under engine.lock: how many threads a call may use: as many as were asked for, or its share of
 * those that no task keeps busy. */
static size_t wanted_threads(const struct engine *engine) {
  if (engine->options->inner_threads > 0) return engine->options->inner_threads;
  size_t busy = engine->running + engine->entering;
  return busy > 0 ? engine->result->threads / busy : 1;
}

static size_t share_of_threads(struct engine *engine, size_t input_bytes) {
  size_t most = engine->options->inner_threads > 0 ? engine->options->inner_threads : engine->result->threads;
  if (most < 2 || input_bytes < LENDING_MIN_BYTES) return 1;
  pthread_mutex_lock(&engine->lock);
  size_t threads = wanted_threads(engine);
  struct ts_error ignored = {0};
  if (!engine->lent && threads > 1) engine->lent = ts_pool_create(most - 1, &ignored);
  if (!engine->lent) threads = 1;
  pthread_mutex_unlock(&engine->lock);
  return threads > 1 ? threads : 1;
}

/* The known digests of the inputs; a producer that was never needed in this run has no digest. */
static void find_digests(struct engine *engine, const struct window *window, const struct instance *instance,
                         struct ts_xxh128 digests[TS_OP_MAX_PORTS]) {
  const struct ts_node *node = &engine->plan->nodes[instance->node];
  if (node->kind != TS_NODE_TASK) return;
  pthread_mutex_lock(&engine->lock);
  for (size_t i = 0; i < node->input_count; i++) {
    size_t count = 0;
    const struct instance *producer = ts_window_producers(window, instance, i, &count);
    if (count == 1 && producer->state == DONE) digests[i] = producer->content->run_digests[node->inputs[i].port];
  }
  pthread_mutex_unlock(&engine->lock);
}

static bool call_operation(struct engine *engine, const struct window *window, const struct instance *instance,
                           struct ts_op *op, struct ts_data *const *inputs, struct ts_data **outputs,
                           struct ts_str *log, struct loan *loan, struct ts_error *err) {
  struct ts_value values[TS_OP_MAX_PARAMETERS];
  struct ts_xxh128 digests[TS_OP_MAX_PORTS] = {{0}};
  if (engine->options->memo) find_digests(engine, window, instance, digests);
  ts_instance_parameters(engine, instance, values);
  char name[128];
  size_t threads = share_of_threads(engine, total_bytes(inputs, op->descriptor->input_count));
  *loan = (struct loan){.pool = engine->lent, .borrower = pthread_self()};
  struct ts_op_context context = {.cancelled = &engine->cancelled,
                                  .scratch_folder = engine->options->scratch_folder,
                                  .log = log,
                                  .task = ts_plan_node_name(engine->plan, instance->node, name, sizeof name),
                                  .parallel_for = threads > 1 ? lent_for : NULL,
                                  .parallel_user = loan,
                                  .thread_count = threads,
                                  .memo = engine->options->memo,
                                  .input_digests = digests};
  return ts_op_execute(op, inputs, values, outputs, &context, err);
}

/* One call that reads a file of the dataset. */
struct file_call {
  struct engine *engine;
  const struct window *window;
  const struct instance *instance;
  struct ts_op *op;
  struct ts_data *const *inputs;
  struct ts_data **outputs;
  struct ts_str *log;
  struct loan *loan;
  size_t calls;
};

static void drop_outputs(const struct ts_op *op, struct ts_data **outputs) {
  for (size_t i = 0; i < op->descriptor->output_count; i++) {
    ts_data_unref(outputs[i]);
    outputs[i] = NULL;
  }
}

static bool read_once(void *user, struct ts_error *err) {
  struct file_call *call = user;
  drop_outputs(call->op, call->outputs);
  call->calls++;
  return call_operation(call->engine, call->window, call->instance, call->op, call->inputs, call->outputs, call->log,
                        call->loan, err);
}

/* Only source operations are handed files. Nothing of a file that changed may be stored under the old key, so the
 * change ends the run. */
static bool read_file(struct file_call *call, struct ts_error *err) {
  struct engine *engine = call->engine;
  const bool ok = ts_source_file_read(ts_instance_source(engine, call->instance)->file, read_once, call, err);
  if (!ok) drop_outputs(call->op, call->outputs);
  pthread_mutex_lock(&engine->lock);
  if (call->calls > 1) engine->result->reads += call->calls - 1; /* the file was touched meanwhile */
  if (!ok && err->code == TS_ERR_DATA_CHANGED) ts_engine_end(engine, err);
  pthread_mutex_unlock(&engine->lock);
  return ok;
}

/* The number of the error helps those who search for it; most tasks just failed. */
static void say_why(const struct ts_error *err, const struct ts_str *log, struct ts_str *message) {
  if (err->code == TS_ERR_OPERATION_DISTURBS) ts_str_addf(message, "T%d: ", ts_error_number(err->code));
  ts_str_add(message, err->text);
  if (err->help[0]) ts_str_addf(message, "\n%s", err->help);
  if (log->length > 0) ts_str_addf(message, "\n%s", ts_str_get(log));
}

bool ts_execute(struct engine *engine, const struct window *window, const struct instance *instance,
                struct ts_data *const *inputs, size_t input_count, struct ts_data **outputs, struct call_times *times,
                struct ts_str *message) {
  const struct ts_node *node = &engine->plan->nodes[instance->node];
  struct ts_op *op = ts_instance_op(engine, instance);
  struct ts_error err = {0};
  struct loan loan = {0};
  ts_auto(ts_str_release) struct ts_str log = {0};
  uint64_t start_ns = ts_clock_ns();
  uint64_t cpu_ns = ts_clock_thread_cpu_ns();
  bool ok = true;
  ts_memory_call_begin();
  if (node->kind == TS_NODE_SOURCE)
    ok = read_file(&(struct file_call){engine, window, instance, op, inputs, outputs, &log, &loan, 0}, &err);
  else if (op)
    ok = call_operation(engine, window, instance, op, inputs, outputs, &log, &loan, &err);
  else if (node->kind == TS_NODE_CROP)
    ok = (outputs[0] = ts_data_crop(inputs[0], &engine->dataset->tiles[instance->unit].core, &err)) != NULL;
  else
    ok = (outputs[0] = ts_data_gather((const struct ts_data *const *)inputs, input_count, &err)) != NULL;
  times->peak_bytes = ts_memory_call_end();
  times->start_s += (double)(start_ns - engine->start_ns) / 1e9;
  times->wall_s += (double)(ts_clock_ns() - start_ns) / 1e9;
  times->cpu_s += (double)(ts_clock_thread_cpu_ns() - cpu_ns + loan.cpu_ns) / 1e9;
  if (op && op->origin == TS_OP_COMMAND) times->cpu_s = times->wall_s; /* the work is done by another process */
  if (!ok) say_why(&err, &log, message);
  return ok;
}

void ts_digest_outputs(const struct engine *engine, struct content *content, struct ts_data *const *outputs) {
  for (size_t i = 0; i < content->output_count; i++) {
    content->sizes[i] = ts_data_size_bytes(outputs[i]);
    if (engine->recording) { /* one digest is enough: the lasting one serves within the run, too */
      ts_data_digest(outputs[i], &content->digests[i]);
      memcpy(&content->run_digests[i], content->digests[i].bytes, sizeof content->run_digests[i]);
    } else {
      content->run_digests[i] = ts_data_run_digest(outputs[i]);
    }
  }
}

void ts_recall_digests(struct content *content, const struct ts_record *record, struct ts_data *const *outputs) {
  for (size_t i = 0; i < content->output_count && i < record->output_count; i++) {
    if (outputs) content->sizes[i] = ts_data_size_bytes(outputs[i]);
    content->digests[i] = record->outputs[i].digest;
    memcpy(&content->run_digests[i], content->digests[i].bytes, sizeof content->run_digests[i]);
  }
}
