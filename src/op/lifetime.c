/* The life of an operation in a process: open before its first call, close when the registry goes.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Open is called once, by the thread of the first call; others wait. It is watched and guarded as calls are: a crash or
 * a hang is named, and a state of the process that it changed is restored and makes it fail. If that may have been the
 * doing of others, it is closed and opened again while nothing else runs. A failure is final for this process: it
 * fails every task of the operation with the same text, where trying again would make each of them wait for it. */
#include "op/state_int.h"
#include "op/watch_int.h"

#include "base/alloc.h"
#include "base/lock.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_OPENINGS 3 /* as often as a call is repeated that others disturbed */

struct ts_op_lifetime {
  pthread_mutex_t lock; /* guards the rest; held while it is opened */
  enum { NOT_OPENED, OPENED, FAILED } stage;
  void *state;             /* the operation's */
  struct ts_error failure; /* FAILED: why */
};

struct ts_op_lifetime *ts_lifetime_create(const struct ts_op_descriptor *descriptor) {
  if (!descriptor->open) return NULL;
  struct ts_op_lifetime *life = ts_calloc(1, sizeof *life);
  if (pthread_mutex_init(&life->lock, NULL) != 0) TS_BUG("no mutex for '%s'", descriptor->name);
  return life;
}

static void close_state(const struct ts_op *op, void *state) {
  struct ts_thread_state before;
  if (!op->descriptor->close) return;
  ts_thread_state_enter(&before, op->origin == TS_OP_PLUGIN);
  op->descriptor->close(state);
  ts_thread_state_leave(&before);
}

void ts_lifetime_destroy(const struct ts_op *op) {
  struct ts_op_lifetime *life = op->lifetime;
  if (!life) return;
  if (life->stage == OPENED) close_state(op, life->state);
  pthread_mutex_destroy(&life->lock);
  free(life);
}

/* ---- One opening. ---- */

struct opening {
  const struct ts_op *op; /* borrowed */
  void *state;
  int status;
  struct ts_error err;
};

static int fail(const struct ts_op_open *open, const char *format, ...) TS_PRINTF(2, 3);

static int fail(const struct ts_op_open *open, const char *format, ...) {
  struct opening *opening = open->private_data;
  char text[400];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  ts_fail(&opening->err, TS_ERR_TASK_FAILED, "operation '%s' could not be opened: %s", opening->op->descriptor->name,
          text);
  return -1;
}

static void call_open(void *argument, size_t unused) {
  struct opening *opening = argument;
  const struct ts_op_open open = {
      .struct_bytes = sizeof open, .user = opening->op->descriptor->user, .fail = fail, .private_data = opening};
  (void)unused;
  opening->status = opening->op->descriptor->open(&open, &opening->state);
}

/* Without parameters: the last words of the process say that it was being opened. */
static bool open_watched(const struct ts_call_state *call, struct opening *opening) {
  const struct ts_op *op = call->op;
  struct ts_watched watched = {.state = call};
  struct ts_thread_state before;
  ts_watch_enter(&watched);
  ts_thread_state_enter(&before, op->origin == TS_OP_PLUGIN);
  ts_early_end_run_body(call_open, opening, 0);
  ts_thread_state_leave(&before);
  ts_watch_leave(&watched);
  if (opening->status != 0 && opening->err.code == TS_ERR_OK)
    ts_fail(&opening->err, TS_ERR_TASK_FAILED, "operation '%s' could not be opened: status %d, and no reason given",
            op->descriptor->name, opening->status);
  if (opening->err.code == TS_ERR_OK) return true;
  if (opening->status == 0) close_state(op, opening->state); /* it gave a reason and returned 0 */
  return false;
}

static bool open_guarded(const struct ts_call_state *call, struct opening *opening) {
  *opening = (struct opening){.op = call->op};
  if (call->context->shares_process) return open_watched(call, opening);
  for (int number = 1;; number++) {
    struct ts_shared_call shared;
    struct ts_state_change change;
    *opening = (struct opening){.op = call->op};
    ts_shared_enter(&shared, number > 1);
    const bool ok = open_watched(call, opening);
    const enum ts_shared_verdict verdict = ts_shared_leave(&shared, &change);
    if (verdict == TS_SHARED_CALM) return ok;
    if (ok) close_state(call->op, opening->state);
    if (verdict != TS_SHARED_CULPRIT && number < MOST_OPENINGS) continue;
    ts_error_clear(&opening->err);
    ts_fail(&opening->err, TS_ERR_OPERATION_DISTURBS, "operation '%s' changed %s while it was opened",
            call->op->descriptor->name, change.text);
    return ts_error_help(&opening->err,
                         "an operation leaves current folder, environment and locale as they are; fix '%s'",
                         call->op->source);
  }
}

bool ts_lifetime_open(struct ts_call_state *call) {
  struct ts_op_lifetime *life = call->op->lifetime;
  if (!life) return true;
  ts_hold(&life->lock);
  if (life->stage == NOT_OPENED) {
    struct opening opening;
    life->stage = open_guarded(call, &opening) ? OPENED : FAILED;
    life->state = opening.state;
    life->failure = opening.err;
  }
  const bool ok = life->stage == OPENED;
  if (!ok) *call->err = life->failure;
  call->opened = life->state;
  return ok;
}
