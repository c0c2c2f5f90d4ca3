/* Large blocks of memory for pixels and scratch: counted, and kept for the next one of the same size.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A study takes and gives back planes of the same few sizes thousands of times. A fresh plane costs page faults and
 * zeroing, often as long as the work on it; a heap keeps freed planes in places where nothing else fits. So blocks from
 * 64 KiB on are mapped one by one, with large pages where the kernel has them, and a block given back waits for the
 * next taker as long as used and idle blocks together stay within a limit. Smaller ones come from malloc. Uses nothing
 * but the C library, so that kernels build alone. */
#ifndef TS_BASE_BLOCK_H
#define TS_BASE_BLOCK_H

#include <stddef.h>
#include <stdint.h>

#define TS_BLOCK_ALIGNMENT 64

/* Not initialised, aligned to 64 bytes; NULL if there is no memory. A size of 0 is allowed. From any thread. */
void *ts_block_take(size_t size_bytes);
/* Keeps the bytes; NULL leaves the old block as it is. `block` may be NULL. */
void *ts_block_resize(void *block, size_t size_bytes);
void ts_block_give(void *block); /* NULL is allowed */

/* Idle blocks take at most half of what is used, or 256 MiB if that is more. With limits, used and idle blocks together
 * stay below their sum as long as the used ones alone do: each run in the process has one. Idle blocks above a new sum
 * go at once. */
struct ts_block_limit {
  uint64_t bytes; /* 0: none, as at first */
};
void ts_blocks_set_limit(struct ts_block_limit *limit, uint64_t bytes); /* 0: before it goes */
void ts_blocks_trim(void);                                              /* gives all idle blocks back to the system */
uint64_t ts_blocks_used_bytes(void);
uint64_t ts_blocks_idle_bytes(void);

/* Counts what one thread takes and gives back while it looks at the watch. Others may read it at any time. */
struct ts_block_watch {
  _Atomic int64_t now_bytes;  /* negative: gave back more than it took */
  _Atomic int64_t peak_bytes; /* the highest since the watch was set to zero, or ts_block_watch_mark */
};
/* From now on the calling thread counts here; NULL: nowhere. Gives what it counted in before. */
struct ts_block_watch *ts_block_watch_set(struct ts_block_watch *watch);
/* Forgets the peak so far; gives what is taken now. 0 without a watch. */
int64_t ts_block_watch_mark(void);

#endif
