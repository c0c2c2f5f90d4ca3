/* Calls that share the state of the process: detects the call that changed it; no result made meanwhile is kept.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each call compares the state when it ends. Where it differs, the state is restored and every call under way is
 * marked. So a call that overlaps the time between a change and its restoring either ends in that time, and sees the
 * change itself, or is marked: there is no third case, hence no result has to be revoked. Which of several calls
 * made the change cannot be seen; a call that saw one or is marked is done again alone, and if the state differs
 * then, the call changed it. A change that is undone before the call ends is not noticed. */
#include "op/state_int.h"

#include "base/lock.h"

#include <pthread.h>

static struct {
  pthread_mutex_t lock; /* guards everything below */
  pthread_cond_t free;  /* a call has ended while another waited */
  struct ts_snapshot usual;
  bool has_usual;
  struct ts_shared_call *calls; /* borrowed list: under way */
  bool is_claimed;              /* a call runs alone or waits for the others to end */
  int waiting;
  uint64_t generation;
} shared = {.lock = PTHREAD_MUTEX_INITIALIZER, .free = PTHREAD_COND_INITIALIZER};

static void wait_free(void) {
  shared.waiting++;
  pthread_cond_wait(&shared.free, &shared.lock);
  shared.waiting--;
}

/* Under the lock, while no call is under way: a change between calls comes from the program around the library, not
 * from an operation, and holds from now on. */
static void look_anew(void) {
  if (shared.has_usual && ts_snapshot_holds(&shared.usual)) return;
  if (shared.has_usual) ts_snapshot_release(&shared.usual);
  ts_snapshot_take(&shared.usual);
  shared.has_usual = true;
}

void ts_shared_enter(struct ts_shared_call *call, bool alone) {
  ts_hold(&shared.lock);
  while (shared.is_claimed) wait_free();
  if (alone) shared.is_claimed = true;
  while (alone && shared.calls) wait_free();
  if (!shared.calls) look_anew();
  *call = (struct ts_shared_call){
      .next = shared.calls, .link = &shared.calls, .generation = shared.generation, .is_alone = alone};
  if (call->next) call->next->link = &call->next;
  shared.calls = call;
}

/* Under the lock. */
static void put_back(struct ts_state_change *change) {
  ts_snapshot_describe(&shared.usual, change);
  ts_snapshot_put_back(&shared.usual);
  shared.generation++;
  for (struct ts_shared_call *other = shared.calls; other; other = other->next) other->is_disturbed = true;
}

static void forget(const struct ts_shared_call *call) {
  *call->link = call->next;
  if (call->next) call->next->link = call->link;
  if (call->is_alone) shared.is_claimed = false;
  if (shared.waiting > 0) pthread_cond_broadcast(&shared.free);
}

enum ts_shared_verdict ts_shared_leave(struct ts_shared_call *call, struct ts_state_change *change) {
  /* Without the lock: the snapshot does not change while a call is under way. The call that restores the state has
   * marked this one before, so a restored state cannot hide the change. */
  change->text[0] = '\0';
  bool is_changed = !ts_snapshot_holds(&shared.usual);
  pthread_mutex_lock(&shared.lock);
  /* Another call may have restored it since. */
  is_changed = is_changed && !ts_snapshot_holds(&shared.usual);
  const bool is_last = shared.calls == call && !call->next;
  const bool was_disturbed = call->is_disturbed;
  if (is_changed) put_back(change);
  forget(call);
  pthread_mutex_unlock(&shared.lock);
  if (is_changed && is_last) return TS_SHARED_CULPRIT;
  return is_changed || was_disturbed ? TS_SHARED_DISTURBED : TS_SHARED_CALM;
}
