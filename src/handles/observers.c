/* Observers of a run: a list that may change while its members are called.
 * SPDX-License-Identifier: Apache-2.0
 *
 * An observer is called without the lock, so that it may call the library. Who removes one waits until it has returned;
 * numbers ascend in the list, so the walk goes on behind the one that was called, whatever happened meanwhile. */
#include "handles/observers.h"

#include "base/alloc.h"

#include <string.h>

void ts_observers_init(struct ts_observers *observers) {
  *observers = (struct ts_observers){0};
  pthread_mutex_init(&observers->lock, NULL);
  pthread_cond_init(&observers->returned, NULL);
}

void ts_observers_release(struct ts_observers *observers) {
  pthread_cond_destroy(&observers->returned);
  pthread_mutex_destroy(&observers->lock);
  free(observers->items);
}

uint64_t ts_observers_add(struct ts_observers *observers, const struct tessera_observer *observer) {
  pthread_mutex_lock(&observers->lock);
  observers->items = ts_grow(observers->items, observers->count, &observers->capacity, sizeof *observers->items);
  const uint64_t number = ++observers->last_number;
  observers->items[observers->count++] = (struct ts_observer){number, observer->on_event, observer->user};
  pthread_mutex_unlock(&observers->lock);
  return number;
}

/* The place of the first with a higher number; under the lock. */
static size_t place_behind(const struct ts_observers *observers, uint64_t number) {
  size_t i = 0;
  while (i < observers->count && observers->items[i].number <= number) i++;
  return i;
}

void ts_observers_remove(struct ts_observers *observers, uint64_t number) {
  pthread_mutex_lock(&observers->lock);
  const size_t behind = place_behind(observers, number);
  if (behind > 0 && observers->items[behind - 1].number == number) {
    memmove(&observers->items[behind - 1], &observers->items[behind],
            (observers->count - behind) * sizeof *observers->items);
    observers->count--;
  }
  while (observers->called == number && number != 0 && !pthread_equal(observers->caller, pthread_self()))
    pthread_cond_wait(&observers->returned, &observers->lock);
  pthread_mutex_unlock(&observers->lock);
}

void ts_observers_tell(struct ts_observers *observers, const struct tessera_event *event) {
  pthread_mutex_lock(&observers->lock);
  for (size_t i = 0; i < observers->count;) {
    const struct ts_observer observer = observers->items[i];
    observers->called = observer.number;
    observers->caller = pthread_self();
    pthread_mutex_unlock(&observers->lock);
    observer.on_event(observer.user, event);
    pthread_mutex_lock(&observers->lock);
    observers->called = 0;
    pthread_cond_broadcast(&observers->returned);
    i = place_behind(observers, observer.number);
  }
  pthread_mutex_unlock(&observers->lock);
}

bool ts_observers_is_inside(struct ts_observers *observers) {
  pthread_mutex_lock(&observers->lock);
  const bool inside = observers->called != 0 && pthread_equal(observers->caller, pthread_self());
  pthread_mutex_unlock(&observers->lock);
  return inside;
}
