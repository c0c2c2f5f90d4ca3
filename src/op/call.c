/* Calling an operation, in the only place that does.
 * SPDX-License-Identifier: Apache-2.0
 *
 * ts_op_execute is the only way to run an operation, so every execution is counted here, and every input (inputs.c) and
 * output (outputs.c) checked.
 * The host functions belong to the thread that called run(); an operation with threads of its own calls them from
 * that thread, apart from those in parts.c. */
#include "op/state_int.h"
#include "op/watch_int.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static struct ts_call_state *state_of(const struct ts_op_call *call) { return call->private_data; }

bool ts_call_is_cancelled(const struct ts_call_state *state) {
  return state->context->cancelled && atomic_load_explicit(state->context->cancelled, memory_order_relaxed);
}

/* What an operation says, as long as an error of a module below may be with its file and line before it: a text that
 * was cut would not be recognised. */
#define REPORT_BYTES (sizeof(((struct ts_error *)0)->text) + sizeof(((struct ts_place *)0)->file) + 32)

/* An operation of the program often reports an error of a module below it, by its text. An error that it did without
 * has another text than its own. */
static void fail_as_reported(const struct ts_call_state *state, const char *text) {
  const struct ts_error below = *ts_error_last();
  const bool is_known = state->op->origin == TS_OP_BUILT_IN && below.code != TS_ERR_OK && below.text[0] != '\0' &&
                        strstr(text, below.text);
  ts_fail(state->err, is_known ? below.code : TS_ERR_TASK_FAILED, "operation '%s' failed: %s",
          state->op->descriptor->name, text);
  if (!is_known) return;
  if (below.help[0]) ts_error_help(state->err, "%s", below.help);
  ts_error_place(state->err, below.where.file, below.where.line, below.where.column, below.where.path);
}

static int fail(struct ts_op_call *call, const char *format, ...) TS_PRINTF(2, 3);

static int fail(struct ts_op_call *call, const char *format, ...) {
  struct ts_call_state *state = state_of(call);
  char text[REPORT_BYTES];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof(text), format, args);
  va_end(args);
  const char *name = state->op->descriptor->name;
  if (ts_call_is_cancelled(state))
    ts_fail(state->err, TS_ERR_CANCELLED, "operation '%s' was stopped", name);
  else if (ts_watch_is_late())
    ts_fail(state->err, TS_ERR_TASK_FAILED, "operation '%s' took longer than %s s and was stopped: %s", name,
            TS_SIGNIFICANT(state->context->timeout_s, 6), text);
  else
    fail_as_reported(state, text);
  return -1;
}

static int cancelled(const struct ts_op_call *call) {
  return ts_call_is_cancelled(state_of(call)) || ts_watch_is_late();
}

static const struct ts_op_host host = {
    .struct_bytes = sizeof host,
    .output_pixels = ts_call_output_pixels,
    .output_region = ts_call_output_region,
    .output_table = ts_call_output_table,
    .output_bytes = ts_call_output_bytes,
    .output_place = ts_call_output_place,
    .output_type = ts_call_output_type,
    .fail = fail,
    .cancelled = cancelled,
    .parallel_for = ts_lent_parallel_for,
    .thread_count = ts_lent_thread_count,
    .recall = ts_parts_recall,
    .remember = ts_parts_remember,
    .input_digest = ts_parts_input_digest,
};

int ts_call_run(struct ts_op *op, struct ts_op_call *call) {
  if (op->lock) pthread_mutex_lock(op->lock);
  struct ts_watched watched = {.state = state_of(call), .parameters = call->parameters};
  struct ts_thread_state before;
  state_of(call)->was_called = true;
  atomic_fetch_add_explicit(&op->executions, 1, memory_order_relaxed);
  ts_watch_enter(&watched);
  ts_error_forget_last();
  ts_thread_state_enter(&before, op->origin == TS_OP_PLUGIN);
  const struct ts_op_variant *variant = state_of(call)->context->variant;
  int status = ts_early_end_run(variant ? variant->run : op->descriptor->run, call);
  ts_thread_state_leave(&before);
  ts_watch_leave(&watched);
  if (op->lock) pthread_mutex_unlock(op->lock);
  return status;
}

/* What a command has in its folder anyway, of the call of any other operation: its inputs, before it runs. */
static bool leave_request(const struct ts_call_state *state, const struct ts_op_call *call) {
  const char *folder = state->context->call_folder;
  if (!folder || state->op->origin == TS_OP_COMMAND) return true;
  ts_auto_free char *request = ts_path_join(folder, "call.json");
  return ts_command_send(call, folder, request);
}

static bool leave_outputs(const struct ts_call_state *state) {
  const char *folder = state->context->call_folder;
  return !folder || state->op->origin == TS_OP_COMMAND || ts_call_leave_outputs(state, folder);
}

static bool execute(struct ts_call_state *state, const struct ts_value *parameters) {
  struct ts_prepared prepared;
  if (ts_call_is_cancelled(state))
    return ts_fail(state->err, TS_ERR_CANCELLED, "operation '%s' was not started", state->op->descriptor->name);
  if (!ts_call_prepare(state, parameters, &prepared)) return false;
  struct ts_op_call call = {.struct_bytes = sizeof call,
                            .host = &host,
                            .inputs = prepared.inputs,
                            .parameters = prepared.parameters,
                            .user = state->op->descriptor->user,
                            .state = state->opened,
                            .private_data = state};
  if (!leave_request(state, &call)) return false;
  ts_parts_begin(state, state->context->memo);
  if (ts_call_is_verifying()) return ts_call_run_verified(state, &call) && leave_outputs(state);
  return ts_call_conclude(state, ts_call_run(state->op, &call)) && leave_outputs(state);
}

bool ts_call_once(struct ts_call_state *state, const struct ts_value *parameters) {
  if (execute(state, parameters)) return true;
  ts_call_drop_outputs(state);
  return false;
}

bool ts_op_execute(struct ts_op *op, struct ts_data *const *inputs, const struct ts_value *parameters,
                   struct ts_data **outputs, const struct ts_op_context *context, struct ts_error *err) {
  static const struct ts_op_context no_context = {0};
  /* An error of this call alone, so that faults of the operation are seen even if the caller passed NULL. */
  struct ts_error error = {0};
  struct ts_call_state state = {
      .op = op, .inputs = inputs, .outputs = outputs, .context = context ? context : &no_context, .err = &error};
  for (size_t i = 0; i < op->descriptor->output_count; i++) outputs[i] = NULL;
  if ((ts_call_is_cancelled(&state) || ts_lifetime_open(&state)) && ts_call_guarded(&state, parameters)) return true;
  if (error.code == TS_ERR_NO_MEMORY) ts_error_context(&error, "running operation '%s'", op->descriptor->name);
  if (err && err->code == TS_ERR_OK) *err = error;
  return false;
}
