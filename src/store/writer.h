/* The thread that empties the store's queue: packs the products of a batch and hands it to the backend.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_STORE_WRITER_H
#define TS_STORE_WRITER_H

#include "store/queue.h"

#include <stdatomic.h>

struct ts_store_writer {
  struct ts_store_queue *queue;           /* borrowed */
  const struct ts_store_backend *backend; /* borrowed */
  void *state;                            /* borrowed; of the backend */
  pthread_mutex_t lock;                   /* held while the backend writes; taken before any lock of the backend */
  pthread_t thread;
  _Atomic uint64_t products, product_bytes, cpu_ns; /* written so far, and what that took */
};

bool ts_store_writer_start(struct ts_store_writer *writer, struct ts_error *err);
/* Lets it write what is left, then ends it. */
void ts_store_writer_stop(struct ts_store_writer *writer);

/* Writes a batch that did not come through the queue, between two of those that did. */
bool ts_store_writer_write(struct ts_store_writer *writer, const struct ts_batch *batch, struct ts_error *err);

#endif
