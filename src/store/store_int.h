/* The inside of struct ts_store, for the files of the front.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_STORE_STORE_INT_H
#define TS_STORE_STORE_INT_H

#include "store/backend.h"
#include "store/queue.h"
#include "store/writer.h"

/* Fixed after opening, apart from the queue, which has its own lock. */
struct ts_store {
  const struct ts_store_backend *backend; /* borrowed from the table */
  void *state;                            /* owned; of the backend */
  char *path;                             /* owned */
  bool read_only;
  uint64_t damage_count; /* records that the backend gave for another key; atomic */
  struct ts_store_queue queue;
  struct ts_store_writer writer; /* not started if read_only */
};

/* A number that names a device of a machine among those of all machines (file_digest.c). */
uint64_t ts_store_device_of(const char *machine, uint64_t device);

/* Fails if the store was opened for reading. */
bool ts_store_check_writable(const struct ts_store *store, struct ts_error *err);

#endif
