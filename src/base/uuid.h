/* UUIDs made from content: the same bytes always give the same one.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_BASE_UUID_H
#define TS_BASE_UUID_H

#include <stddef.h>

#define TS_UUID_TEXT_SIZE 37 /* 32 digits, 4 hyphens, NUL */

/* Version 8 of RFC 9562: the first 128 bits of the SHA-256 of the bytes, but for those that state version and
 * variant. */
void ts_uuid_of(const void *data, size_t size, char text[TS_UUID_TEXT_SIZE]);

#endif
