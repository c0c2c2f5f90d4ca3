/* Memory that lives and dies together: one arena per lifetime (a description, a plan, a run), freed whole.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Passed explicitly; there is no current arena. Not thread-safe: one arena has one owner at a time. */
#ifndef TS_BASE_ARENA_H
#define TS_BASE_ARENA_H

#include "base/error.h"

#include <stddef.h>

struct ts_arena_block;

struct ts_arena {
  struct ts_arena_block *blocks; /* owned, newest first */
  size_t allocated_bytes;        /* handed out */
};

/* A zeroed struct is an empty arena. */
void ts_arena_release(struct ts_arena *arena);
void *ts_arena_alloc(struct ts_arena *arena, size_t size); /* zeroed, aligned to 16 */
void *ts_arena_array(struct ts_arena *arena, size_t count, size_t size);
char *ts_arena_strdup(struct ts_arena *arena, const char *text);
char *ts_arena_strndup(struct ts_arena *arena, const char *text, size_t length);
char *ts_arena_printf(struct ts_arena *arena, const char *format, ...) TS_PRINTF(2, 3);
void *ts_arena_memdup(struct ts_arena *arena, const void *data, size_t size);

#endif
