/* Arena: a chain of blocks, newest first, each filled from the front and freed with the rest.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#include "base/alloc.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT         16
#define FIRST_BLOCK_BYTES ((size_t)4096)
#define MAX_BLOCK_BYTES   ((size_t)256 * 1024)

struct ts_arena_block {
  struct ts_arena_block *next; /* owned */
  size_t used_bytes;
  size_t size_bytes;
  alignas(ALIGNMENT) unsigned char data[]; /* zeroed by calloc and handed out once */
};

void ts_arena_release(struct ts_arena *arena) {
  struct ts_arena_block *block = arena->blocks;
  while (block) {
    struct ts_arena_block *next = block->next;
    free(block);
    block = next;
  }
  memset(arena, 0, sizeof *arena);
}

static struct ts_arena_block *block_create(size_t size_bytes) {
  if (size_bytes > SIZE_MAX - sizeof(struct ts_arena_block)) size_bytes = SIZE_MAX - sizeof(struct ts_arena_block);
  struct ts_arena_block *block = ts_calloc(1, sizeof *block + size_bytes);
  block->size_bytes = size_bytes;
  return block;
}

/* Returns a block with room. A request too large for the next block gets one of its own behind the newest, which keeps
 * filling up. */
static struct ts_arena_block *block_with_room(struct ts_arena *arena, size_t size) {
  struct ts_arena_block *newest = arena->blocks;
  if (newest && newest->size_bytes - newest->used_bytes >= size) return newest;
  size_t wanted = newest ? newest->size_bytes * 2 : FIRST_BLOCK_BYTES;
  if (wanted > MAX_BLOCK_BYTES) wanted = MAX_BLOCK_BYTES;
  if (size > wanted / 4) {
    struct ts_arena_block *own = block_create(size);
    if (newest) {
      own->next = newest->next;
      newest->next = own;
    } else {
      arena->blocks = own;
    }
    return own;
  }
  struct ts_arena_block *block = block_create(wanted);
  block->next = newest;
  arena->blocks = block;
  return block;
}

void *ts_arena_alloc(struct ts_arena *arena, size_t size) {
  if (size > SIZE_MAX - ALIGNMENT) size = SIZE_MAX - ALIGNMENT; /* fails in ts_calloc, as it should */
  size_t rounded = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  if (rounded == 0) rounded = ALIGNMENT;
  struct ts_arena_block *block = block_with_room(arena, rounded);
  void *pointer = block->data + block->used_bytes;
  block->used_bytes += rounded;
  arena->allocated_bytes += size;
  return pointer;
}

void *ts_arena_array(struct ts_arena *arena, size_t count, size_t size) {
  size_t total;
  if (__builtin_mul_overflow(count, size, &total)) total = SIZE_MAX;
  return ts_arena_alloc(arena, total);
}

char *ts_arena_strdup(struct ts_arena *arena, const char *text) {
  return ts_arena_memdup(arena, text, strlen(text) + 1);
}

char *ts_arena_strndup(struct ts_arena *arena, const char *text, size_t length) {
  size_t used = strnlen(text, length);
  char *copy = ts_arena_alloc(arena, used + 1);
  memcpy(copy, text, used);
  return copy;
}

char *ts_arena_printf(struct ts_arena *arena, const char *format, ...) {
  va_list args;
  va_start(args, format);
  va_list again;
  va_copy(again, args);
  int length = vsnprintf(NULL, 0, format, args);
  va_end(args);
  if (length < 0) TS_BUG("bad format '%s'", format);
  char *text = ts_arena_alloc(arena, (size_t)length + 1);
  vsnprintf(text, (size_t)length + 1, format, again);
  va_end(again);
  return text;
}

void *ts_arena_memdup(struct ts_arena *arena, const void *data, size_t size) {
  void *copy = ts_arena_alloc(arena, size);
  if (size) memcpy(copy, data, size);
  return copy;
}
