/* Observers of a run: any number, added and removed from any thread while events come.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_HANDLES_OBSERVERS_H
#define TS_HANDLES_OBSERVERS_H

#include "tessera.h"

#include <pthread.h>
#include <stdbool.h>

struct ts_observer {
  uint64_t number; /* from 1, in the order in which they were added */
  void (*on_event)(void *user, const struct tessera_event *event);
  void *user; /* borrowed from the host */
};

struct ts_observers {
  pthread_mutex_t lock;      /* guards what follows; not held while an observer is called */
  pthread_cond_t returned;   /* an observer has returned */
  struct ts_observer *items; /* owned; in the order of their numbers */
  size_t count, capacity;
  uint64_t last_number;
  uint64_t called; /* the observer that is being called; 0: none */
  pthread_t caller;
};

void ts_observers_init(struct ts_observers *observers);
void ts_observers_release(struct ts_observers *observers);
uint64_t ts_observers_add(struct ts_observers *observers, const struct tessera_observer *observer);
/* Afterwards it is not called any more; waits for it to return unless it is the caller itself. */
void ts_observers_remove(struct ts_observers *observers, uint64_t number);
/* Calls all that are there, one after another. Events come one at a time. */
void ts_observers_tell(struct ts_observers *observers, const struct tessera_event *event);
/* Whether this thread is inside one of them. */
bool ts_observers_is_inside(struct ts_observers *observers);

#endif
