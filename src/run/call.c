/* Calls an operation, or crop and gather, and digests the outputs.
 * SPDX-License-Identifier: Apache-2.0 */
#include "run/call.h"
#include "run/run_int.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/pool.h"

#include <string.h>

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

/* A call that is being made. */
struct attempt {
  const struct ts_call *call;
  struct ts_data *const *inputs;
  struct ts_data **outputs;
  struct ts_str log, remark;
  struct loan loan;
  size_t count; /* of times the operation was called */
};

static bool call_operation(struct attempt *attempt, struct ts_error *err) {
  const struct ts_call *call = attempt->call;
  const struct ts_call_env *env = call->env;
  const size_t bytes = total_bytes(attempt->inputs, call->op->descriptor->input_count);
  attempt->loan = (struct loan){.borrower = pthread_self()};
  const size_t threads = env->lend ? env->lend(env->user, bytes, &attempt->loan.pool) : 1;
  const struct ts_op_context context = {.cancelled = env->cancelled,
                                        .scratch_folder = env->options->scratch_folder,
                                        .log = &attempt->log,
                                        .remark = &attempt->remark,
                                        .timeout_s = env->options->task_limit_s,
                                        .shares_process = env->options->shares_process,
                                        .task = call->task,
                                        .parallel_for = threads > 1 ? lent_for : NULL,
                                        .parallel_user = &attempt->loan,
                                        .thread_count = threads,
                                        .memo = env->options->memo,
                                        .input_digests = call->input_digests,
                                        .pixel_size = call->pixel_size,
                                        .variant = ts_op_variant_chosen(call->op)};
  attempt->count++;
  return ts_op_execute(call->op, attempt->inputs, call->values, attempt->outputs, &context, err);
}

static void drop_outputs(struct attempt *attempt) {
  for (size_t i = 0; i < attempt->call->op->descriptor->output_count; i++) {
    ts_data_unref(attempt->outputs[i]);
    attempt->outputs[i] = NULL;
  }
}

static bool read_once(void *user, struct ts_error *err) {
  drop_outputs(user);
  return call_operation(user, err);
}

/* Only source operations are handed files. Nothing of a file that changed may be stored under the old key. */
static bool read_file(struct attempt *attempt, struct ts_error *err) {
  const bool ok = ts_source_file_read(attempt->call->file, read_once, attempt, err);
  if (!ok) drop_outputs(attempt);
  return ok;
}

/* How the call ended, and what the operation wrote; in the place of what another call left there. */
static void report(const struct ts_error *err, struct attempt *attempt, struct ts_failure *failure) {
  ts_failure_release(failure);
  *failure = (struct ts_failure){.error = *err, .log = attempt->log, .remark = attempt->remark};
  attempt->log = attempt->remark = (struct ts_str){0};
  if (failure->log.length > 0) ts_text_repair(failure->log.data);
  if (failure->remark.length > 0) ts_text_repair(failure->remark.data);
}

/* The core of a tile is a rectangle: a volume keeps its planes. */
static struct ts_data *cut_core(const struct ts_data *data, const struct ts_region *core, struct ts_error *err) {
  const struct ts_region *all = ts_data_region(data);
  struct ts_region box = *core;
  box.z = all->z;
  box.t = all->t;
  box.depth = all->depth;
  box.frames = all->frames;
  return ts_data_crop(data, &box, err);
}

bool ts_call_compute(const struct ts_call *call, struct ts_data *const *inputs, size_t input_count,
                     struct ts_data **outputs, struct ts_call_times *times, struct ts_failure *failure) {
  struct ts_error err = {0};
  struct attempt attempt = {.call = call, .inputs = inputs, .outputs = outputs};
  uint64_t start_ns = ts_clock_ns();
  uint64_t cpu_ns = ts_clock_thread_cpu_ns();
  bool ok = true;
  ts_memory_call_begin();
  if (call->kind == TS_NODE_SOURCE)
    ok = read_file(&attempt, &err);
  else if (call->op)
    ok = call_operation(&attempt, &err);
  else if (call->kind == TS_NODE_CROP)
    ok = (outputs[0] = cut_core(inputs[0], call->core, &err)) != NULL;
  else
    ok = (outputs[0] = ts_data_gather_in((const struct ts_data *const *)inputs, input_count, call->core, &err)) != NULL;
  times->peak_bytes = ts_memory_call_end();
  times->start_s += (double)(start_ns - call->env->start_ns) / 1e9;
  times->wall_s += (double)(ts_clock_ns() - start_ns) / 1e9;
  times->cpu_s += (double)(ts_clock_thread_cpu_ns() - cpu_ns + attempt.loan.cpu_ns) / 1e9;
  times->repeats = attempt.count > 1 ? attempt.count - 1 : 0;
  if (call->op && call->op->origin == TS_OP_COMMAND) times->cpu_s = times->wall_s; /* another process does the work */
  if (failure) report(&err, &attempt, failure);
  ts_str_release(&attempt.log);
  ts_str_release(&attempt.remark);
  return ok;
}

void ts_call_digest(const struct ts_call_env *env, struct ts_outputs *out) {
  for (size_t i = 0; i < out->count; i++) {
    out->sizes[i] = ts_data_size_bytes(out->data[i]);
    if (env->options->store) { /* one digest is enough: the lasting one serves within the run, too */
      ts_data_digest(out->data[i], &out->digests[i]);
      memcpy(&out->run_digests[i], out->digests[i].bytes, sizeof out->run_digests[i]);
    } else {
      out->run_digests[i] = ts_data_run_digest(out->data[i]);
    }
  }
}

void ts_outputs_recall(struct ts_outputs *out, const struct ts_record *record) {
  for (size_t i = 0; i < out->count && i < record->output_count; i++) {
    if (out->data[i]) out->sizes[i] = ts_data_size_bytes(out->data[i]);
    out->digests[i] = record->outputs[i].digest;
    memcpy(&out->run_digests[i], out->digests[i].bytes, sizeof out->run_digests[i]);
  }
}
