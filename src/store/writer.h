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
  pthread_t thread;
  _Atomic uint64_t products, product_bytes, cpu_ns; /* written so far, and what that took */
};

bool ts_store_writer_start(struct ts_store_writer *writer, struct ts_error *err);
/* Lets it write what is left, then ends it. */
void ts_store_writer_stop(struct ts_store_writer *writer);

#endif
