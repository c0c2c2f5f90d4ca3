/* Aligned buffers for pixels and other large data; every byte is counted.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_BASE_BUFFER_H
#define TS_BASE_BUFFER_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

#define TS_BUFFER_ALIGNMENT 64

struct ts_buffer;

/* A new buffer, owned by the caller; contents undefined. Failure is an ordinary error (NO_MEMORY). size 0 is
 * allowed. */
struct ts_buffer *ts_buffer_create(size_t size, struct ts_error *err);
void ts_buffer_free(struct ts_buffer *buffer); /* NULL is allowed */
size_t ts_buffer_size(const struct ts_buffer *buffer);
const void *ts_buffer_data(const struct ts_buffer *buffer);
/* Only for the code that created it and has not handed it on. */
void *ts_buffer_writable(struct ts_buffer *buffer);
/* Marks the guard zones before and after the bytes, and says whether the marks are still there: for code that is not
 * trusted to stay within the buffer. */
void ts_buffer_guard(struct ts_buffer *buffer);
bool ts_buffer_is_intact(const struct ts_buffer *buffer);

/* Process-wide counters. */
uint64_t ts_buffer_live_bytes(void);
uint64_t ts_buffer_peak_bytes(void);
void ts_buffer_reset_peak(void);

#endif
