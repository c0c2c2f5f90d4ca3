/* What the kernels share: scratch memory, the queue of pixel numbers, and the check of an image's size.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/cpu/scratch.h"

#include <string.h>

#include "base/block.h"
#include "kernels/kernels.h"

static void *no_memory(size_t bytes, struct ts_error *err) {
  ts_fail(err, TS_ERR_NO_MEMORY, "no memory for %zu bytes of scratch space", bytes);
  ts_error_help(err, "use smaller tiles, or fewer workers at a time");
  return NULL;
}

/* The bytes to ask for: at least one, so that NULL always means failure; SIZE_MAX if they cannot be counted. */
static size_t bytes_of(int64_t count, size_t item_bytes) {
  if (count < 0 || (uint64_t)count > SIZE_MAX / item_bytes / 2) return SIZE_MAX;
  return count == 0 ? 1 : (size_t)count * item_bytes;
}

void *ts_scratch(int64_t count, size_t item_bytes, struct ts_error *err) {
  size_t bytes = bytes_of(count, item_bytes);
  void *block = bytes < SIZE_MAX / 2 ? ts_block_take(bytes) : NULL;
  return block ? block : no_memory(bytes, err);
}

void *ts_scratch_zero(int64_t count, size_t item_bytes, struct ts_error *err) {
  void *block = ts_scratch(count, item_bytes, err);
  return block ? memset(block, 0, bytes_of(count, item_bytes)) : NULL;
}

void *ts_scratch_resize(void *block, int64_t count, size_t item_bytes, struct ts_error *err) {
  size_t bytes = bytes_of(count, item_bytes);
  void *resized = bytes < SIZE_MAX ? ts_block_resize(block, bytes) : NULL;
  return resized ? resized : no_memory(bytes, err);
}

void ts_scratch_free(void *block) { ts_block_give(block); }

bool ts_kernels_check_size(int64_t width, int64_t height, struct ts_error *err) {
  if (width >= 1 && height >= 1 && width <= INT32_MAX / 2 && height <= INT32_MAX / 2 &&
      (width + 2) * (height + 2) <= INT32_MAX)
    return true;
  ts_fail(err, TS_ERR_BAD_IMAGE, "an image of %lld x %lld pixels cannot be analysed at once", (long long)width,
          (long long)height);
  ts_error_help(err, "an image or tile has at least 1 x 1 and fewer than 2^31 pixels: choose another tile size");
  return false;
}

bool ts_fifo_init(struct ts_fifo *fifo, uint32_t capacity, struct ts_error *err) {
  *fifo = (struct ts_fifo){.mask = capacity - 1};
  fifo->items = ts_scratch(capacity, sizeof *fifo->items, err);
  return fifo->items != NULL;
}

void ts_fifo_release(struct ts_fifo *fifo) {
  ts_scratch_free(fifo->items);
  fifo->items = NULL;
}

bool ts_fifo_grow(struct ts_fifo *fifo, struct ts_error *err) {
  uint32_t capacity = fifo->mask + 1;
  if (capacity > UINT32_MAX / 4) {
    no_memory((size_t)capacity * 2 * sizeof *fifo->items, err);
    return false;
  }
  int32_t *items = ts_scratch((int64_t)capacity * 2, sizeof *items, err);
  if (!items) return false;
  /* The queue is full: unroll it, oldest first. */
  uint32_t start = fifo->head & fifo->mask;
  memcpy(items, fifo->items + start, (capacity - start) * sizeof *items);
  memcpy(items + (capacity - start), fifo->items, start * sizeof *items);
  ts_scratch_free(fifo->items);
  *fifo = (struct ts_fifo){.items = items, .mask = capacity * 2 - 1, .head = 0, .tail = capacity};
  return true;
}
