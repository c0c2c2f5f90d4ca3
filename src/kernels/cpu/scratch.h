/* Scratch memory of the kernels: blocks (base/block.h) with their common error, and a queue of pixel numbers.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_KERNELS_CPU_SCRATCH_H
#define TS_KERNELS_CPU_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Memory for count items, not initialised, aligned to 64 bytes, to be given to ts_scratch_free; NULL with an error set.
 * Never NULL for a count of 0. */
void *ts_scratch(int64_t count, size_t item_bytes, struct ts_error *err);
/* The same, set to zero. */
void *ts_scratch_zero(int64_t count, size_t item_bytes, struct ts_error *err);
/* Resizes; on failure the old block stays as it is and NULL is returned with an error set. */
void *ts_scratch_resize(void *block, int64_t count, size_t item_bytes, struct ts_error *err);

void ts_scratch_free(void *block); /* NULL is allowed */

/* First in, first out, in a ring that grows. The capacity is a power of two. */
struct ts_fifo {
  int32_t *items; /* owned */
  uint32_t mask;  /* capacity - 1 */
  uint32_t head;
  uint32_t tail;
};

bool ts_fifo_init(struct ts_fifo *fifo, uint32_t capacity, struct ts_error *err);
void ts_fifo_release(struct ts_fifo *fifo);
bool ts_fifo_grow(struct ts_fifo *fifo, struct ts_error *err);

static inline bool ts_fifo_empty(const struct ts_fifo *fifo) { return fifo->head == fifo->tail; }

static inline bool ts_fifo_push(struct ts_fifo *fifo, int32_t item, struct ts_error *err) {
  if (fifo->tail - fifo->head > fifo->mask && !ts_fifo_grow(fifo, err)) return false;
  fifo->items[fifo->tail++ & fifo->mask] = item;
  return true;
}

static inline int32_t ts_fifo_pop(struct ts_fifo *fifo) { return fifo->items[fifo->head++ & fifo->mask]; }

#endif
