/* Seeded damage to the bytes of a file, for tests that feed readers with what people and disks do to files.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_TESTS_SUPPORT_MUTATE_H
#define TS_TESTS_SUPPORT_MUTATE_H

#include "base/random.h"
#include "base/str.h"

#include <stddef.h>

/* Replaces `out` by a copy of the bytes with one to four changes: bits, bytes, numbers, ranges that are removed,
 * repeated or moved, a cut end, or one of the words put in. Places are drawn from [first, first + length). */
void mutate_range(struct ts_random *random, const void *bytes, size_t size, size_t first, size_t length,
                  const char *const *words, size_t word_count, struct ts_str *out);
/* The same anywhere in the file. */
void mutate(struct ts_random *random, const void *bytes, size_t size, const char *const *words, size_t word_count,
            struct ts_str *out);

#endif
