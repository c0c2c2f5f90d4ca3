/* Small allocations that abort instead of failing, and the cleanup attribute for early returns.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Pixel and device buffers do not come from here (base/buffer.h): they are large and their failure is an ordinary
 * error. */
#ifndef TS_BASE_ALLOC_H
#define TS_BASE_ALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

void *ts_malloc(size_t size);
void *ts_calloc(size_t count, size_t size); /* aborts on overflow too */
void *ts_realloc(void *pointer, size_t size);
void *ts_realloc_array(void *pointer, size_t count, size_t size);
char *ts_strdup(const char *text);
char *ts_strndup(const char *text, size_t length);
void *ts_memdup(const void *data, size_t size);

/* Makes room for one more element: doubles `capacity` when `count` has reached it. */
void *ts_grow(void *items, size_t count, size_t *capacity, size_t item_size);

/* ts_auto(release) struct x v = {0}: calls release(&v) when v goes out of scope. */
#define ts_auto(release) __attribute__((cleanup(release)))
/* A `char *` (or any heap pointer) freed at scope end. */
#define ts_auto_free __attribute__((cleanup(ts_free_pointer)))
void ts_free_pointer(void *pointer_to_pointer);
/* Hands over an owned pointer and clears the variable. */
#define ts_steal(pointer) (ts_steal_pointer(&(pointer)))
void *ts_steal_pointer(void *pointer_to_pointer);

/* For programs: running out of memory ends with error T511 in words and its exit status, not with a signal, wherever no
 * handler waits for that (op/watch.h). Libraries leave it to their program. */
void ts_memory_exit_when_exhausted(void);
/* Ends the program as an allocation here that fails does: for what other libraries allocate themselves, such as "a JSON
 * value" (jansson returns NULL, and its allocators belong to the whole process, so they are not ours to set). */
_Noreturn void ts_memory_fail(const char *what);
/* Whether the program is ending because memory ran out; for signal handlers. */
bool ts_memory_is_exhausted(void);

#endif
