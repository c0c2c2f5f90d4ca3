/* A mutex that is held until the end of the scope.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_BASE_LOCK_H
#define TS_BASE_LOCK_H

#include "base/alloc.h"

#include <pthread.h>

/* ts_hold(&store->lock); takes it, and whatever leaves the scope gives it back. */
#define ts_hold(mutex) ts_auto(ts_unlock) __attribute__((unused)) pthread_mutex_t *held_mutex = ts_lock(mutex)

static inline pthread_mutex_t *ts_lock(pthread_mutex_t *mutex) {
  pthread_mutex_lock(mutex);
  return mutex;
}

static inline void ts_unlock(pthread_mutex_t *const *held) { pthread_mutex_unlock(*held); }

#endif
