/* Shared buffers with atomic reference counts and process-wide byte counters.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/buffer.h"

#include "base/alloc.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>

#define SMALL_BYTES (1 << 20)

struct ts_buffer {
  atomic_size_t references;
  size_t size;
  void *data; /* owned, aligned to TS_BUFFER_ALIGNMENT */
};

static _Atomic uint64_t live_bytes;
static _Atomic uint64_t peak_bytes;

static void count_up(size_t size) {
  uint64_t live = atomic_fetch_add(&live_bytes, size) + size;
  uint64_t peak = atomic_load(&peak_bytes);
  while (live > peak && !atomic_compare_exchange_weak(&peak_bytes, &peak, live)) {
  }
}

/* More than the machine has: the kernel might promise it and kill the process later, so it is refused here. */
static bool exceeds_machine(size_t size) {
  if (size <= SMALL_BYTES) return false; /* small ones are not worth asking the kernel */
  struct sysinfo info;
  if (sysinfo(&info) != 0) return size > PTRDIFF_MAX / 2;
  return size / info.mem_unit > info.totalram + info.totalswap;
}

static void *allocate(size_t size) {
  if (exceeds_machine(size)) return NULL;
  size_t rounded = (size + TS_BUFFER_ALIGNMENT - 1) / TS_BUFFER_ALIGNMENT * TS_BUFFER_ALIGNMENT;
  return aligned_alloc(TS_BUFFER_ALIGNMENT, rounded ? rounded : TS_BUFFER_ALIGNMENT);
}

struct ts_buffer *ts_buffer_create(size_t size, struct ts_error *err) {
  void *data = allocate(size);
  if (!data) {
    ts_fail(err, TS_ERR_NO_MEMORY, "no memory for a buffer of %zu bytes", size);
    ts_error_help(err, "use smaller tiles or fewer workers");
    return NULL;
  }
  struct ts_buffer *buffer = ts_malloc(sizeof *buffer);
  atomic_init(&buffer->references, 1);
  buffer->size = size;
  buffer->data = data;
  count_up(size);
  return buffer;
}

struct ts_buffer *ts_buffer_from_bytes(const void *data, size_t size, struct ts_error *err) {
  struct ts_buffer *buffer = ts_buffer_create(size, err);
  if (buffer && size) memcpy(buffer->data, data, size);
  return buffer;
}

struct ts_buffer *ts_buffer_ref(struct ts_buffer *buffer) {
  atomic_fetch_add_explicit(&buffer->references, 1, memory_order_relaxed);
  return buffer;
}

void ts_buffer_unref(struct ts_buffer *buffer) {
  if (!buffer) return;
  /* Acquire and release: whoever frees has seen everything the others did with the bytes. */
  if (atomic_fetch_sub_explicit(&buffer->references, 1, memory_order_acq_rel) != 1) return;
  atomic_fetch_sub(&live_bytes, buffer->size);
  free(buffer->data);
  free(buffer);
}

size_t ts_buffer_size(const struct ts_buffer *buffer) { return buffer->size; }

const void *ts_buffer_data(const struct ts_buffer *buffer) { return buffer->data; }

void *ts_buffer_writable(struct ts_buffer *buffer) {
  if (atomic_load(&buffer->references) != 1) TS_BUG("a shared buffer must not be written");
  return buffer->data;
}

uint64_t ts_buffer_live_bytes(void) { return atomic_load(&live_bytes); }

uint64_t ts_buffer_peak_bytes(void) { return atomic_load(&peak_bytes); }

void ts_buffer_reset_peak(void) { atomic_store(&peak_bytes, atomic_load(&live_bytes)); }
