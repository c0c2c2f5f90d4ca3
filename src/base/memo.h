/* A bounded table from digests to short byte strings: remembers computed values.
 * SPDX-License-Identifier: Apache-2.0
 *
 * It may forget anything at any time, so no caller relies on it. Entries lie in two generations. When the young one is
 * full it becomes the old one, and the entries of the old one are forgotten; an entry that is found in the old one
 * moves to the young one. So an entry that is used now and then stays. Both, their indices included, stay within the
 * limit. From any thread. */
#ifndef TS_BASE_MEMO_H
#define TS_BASE_MEMO_H

#include "base/digest.h"

#include <stddef.h>
#include <stdint.h>

#define TS_MEMO_UNKNOWN SIZE_MAX

struct ts_memo;

/* NULL if the limit is too small to be of use. Memory is taken as it is needed. */
struct ts_memo *ts_memo_create(uint64_t limit_bytes);
void ts_memo_destroy(struct ts_memo *memo); /* NULL is allowed */

/* Copies the value of the key and gives its size; TS_MEMO_UNKNOWN if there is none, or more than `capacity` bytes. */
size_t ts_memo_get(struct ts_memo *memo, const struct ts_xxh128 *key, void *value, size_t capacity);
/* Keeps a copy of the value, unless the key has one already or the value is too large. */
void ts_memo_put(struct ts_memo *memo, const struct ts_xxh128 *key, const void *value, size_t size);

struct ts_memo_counts {
  uint64_t asked, recalled;
};
struct ts_memo_counts ts_memo_counts(struct ts_memo *memo); /* since it was made; NULL: nothing */
uint64_t ts_memo_bytes(struct ts_memo *memo);               /* what its generations take now */

#endif
