/* Threads lent to an operation: each part of its work finds the thread in the known state and leaves it so.
 * SPDX-License-Identifier: Apache-2.0 */
#include "op/state_int.h"
#include "op/watch_int.h"

/* The data of a helping thread: should it crash, the operation is named. */
struct relay {
  void (*body)(void *argument, size_t index);
  void *argument;                   /* borrowed */
  const struct ts_watched *watched; /* borrowed: the call */
  bool is_foreign;                  /* the body is of a plugin */
};

static const struct ts_call_state *state_of(const struct ts_op_call *call) { return call->private_data; }

size_t ts_lent_thread_count(const struct ts_op_call *call) {
  const struct ts_op_context *context = state_of(call)->context;
  return context->parallel_for && context->thread_count > 1 ? context->thread_count : 1;
}

static void run_relayed(void *argument, size_t index) {
  const struct relay *relay = argument;
  const struct ts_watched *before = ts_watch_current;
  struct ts_thread_state state;
  if (relay->watched && !before) ts_crash_prepare_thread();
  ts_watch_current = relay->watched;
  ts_thread_state_enter(&state, relay->is_foreign);
  ts_early_end_run_body(relay->body, relay->argument, index);
  ts_thread_state_leave(&state);
  ts_watch_current = before;
}

/* Also the caller's own thread takes the bodies of a plugin one by one: the state that one leaves must not reach the
 * next, or results would depend on the number of threads. */
void ts_lent_parallel_for(struct ts_op_call *call, size_t count, void (*body)(void *argument, size_t index),
                          void *argument) {
  const struct ts_op_context *context = state_of(call)->context;
  struct relay relay = {body, argument, ts_watch_current, state_of(call)->op->origin == TS_OP_PLUGIN};
  if (ts_lent_thread_count(call) > 1) {
    context->parallel_for(context->parallel_user, count, run_relayed, &relay);
    return;
  }
  for (size_t i = 0; i < count; i++) {
    if (relay.is_foreign)
      run_relayed(&relay, i);
    else
      body(argument, i);
  }
}
