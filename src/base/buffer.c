/* Buffers with guard zones and process-wide byte counters.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/buffer.h"

#include "base/alloc.h"
#include "base/block.h"
#include "base/sanitizers.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>

#define SMALL_BYTES (1 << 20)
/* Guard zones: before the bytes one unit of alignment, after them at least GUARD_AFTER_BYTES. A row too many in a large
 * image must not reach the memory behind it. */
#if TS_HAS_ADDRESS_SANITIZER /* has zones of its own, which must not begin behind ours */
#define GUARD_BEFORE_BYTES 0
#define GUARD_AFTER_BYTES  0
#define GUARD_LARGE_BYTES  0
#else
#define GUARD_BEFORE_BYTES TS_BUFFER_ALIGNMENT
#define GUARD_AFTER_BYTES  64
#define GUARD_LARGE_BYTES  4096
#endif
#define GUARD_MARK 0xA5

struct ts_buffer {
  size_t size;
  uint8_t *data; /* owned, with the guard zones around it; aligned to TS_BUFFER_ALIGNMENT */
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

/* From the end of the bytes to the end of the memory. */
static size_t guard_after(size_t size) {
  size_t rest = (TS_BUFFER_ALIGNMENT - size % TS_BUFFER_ALIGNMENT) % TS_BUFFER_ALIGNMENT;
  return rest + (size > SMALL_BYTES ? GUARD_LARGE_BYTES : GUARD_AFTER_BYTES);
}

static uint8_t *allocate(size_t size) {
  if (exceeds_machine(size)) return NULL;
  size_t all = GUARD_BEFORE_BYTES + size + guard_after(size);
  uint8_t *memory = ts_block_take(all);
  return memory ? memory + GUARD_BEFORE_BYTES : NULL;
}

struct ts_buffer *ts_buffer_create(size_t size, struct ts_error *err) {
  uint8_t *data = allocate(size);
  if (!data) {
    ts_fail(err, TS_ERR_NO_MEMORY, "no memory for a buffer of %zu bytes", size);
    ts_error_help(err, "use smaller tiles or fewer workers");
    return NULL;
  }
  struct ts_buffer *buffer = ts_malloc(sizeof *buffer);
  buffer->size = size;
  buffer->data = data;
  count_up(size);
  return buffer;
}

void ts_buffer_free(struct ts_buffer *buffer) {
  if (!buffer) return;
  atomic_fetch_sub(&live_bytes, buffer->size);
  ts_block_give(buffer->data - GUARD_BEFORE_BYTES);
  free(buffer);
}

size_t ts_buffer_size(const struct ts_buffer *buffer) { return buffer->size; }

const void *ts_buffer_data(const struct ts_buffer *buffer) { return buffer->data; }

void *ts_buffer_writable(struct ts_buffer *buffer) { return buffer->data; }

#if TS_HAS_ADDRESS_SANITIZER
void ts_buffer_guard(struct ts_buffer *buffer) { (void)buffer; }

bool ts_buffer_is_intact(const struct ts_buffer *buffer) {
  (void)buffer;
  return true;
}
#else
void ts_buffer_guard(struct ts_buffer *buffer) {
  memset(buffer->data - GUARD_BEFORE_BYTES, GUARD_MARK, GUARD_BEFORE_BYTES);
  memset(buffer->data + buffer->size, GUARD_MARK, guard_after(buffer->size));
}

static bool is_marked(const uint8_t *bytes, size_t count) {
  uint8_t differ = 0;
  for (size_t i = 0; i < count; i++) differ |= bytes[i] ^ GUARD_MARK;
  return differ == 0;
}

bool ts_buffer_is_intact(const struct ts_buffer *buffer) {
  return is_marked(buffer->data - GUARD_BEFORE_BYTES, GUARD_BEFORE_BYTES) &&
         is_marked(buffer->data + buffer->size, guard_after(buffer->size));
}
#endif

uint64_t ts_buffer_live_bytes(void) { return atomic_load(&live_bytes); }

uint64_t ts_buffer_peak_bytes(void) { return atomic_load(&peak_bytes); }

void ts_buffer_reset_peak(void) { atomic_store(&peak_bytes, atomic_load(&live_bytes)); }
