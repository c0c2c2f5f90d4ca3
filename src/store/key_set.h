/* A set of the beginnings of keys: says "perhaps" for a key that is not in it, never "no" for one that is.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_STORE_KEY_SET_H
#define TS_STORE_KEY_SET_H

#include "base/key.h"
#include "base/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TS_KEY_SET_MOST ((size_t)8 << 20) /* keys that are worth holding: 256 MB at most */

/* A zeroed struct is an empty set. */
struct ts_key_set {
  struct ts_table table; /* of uint64_t */
};

void ts_key_set_release(struct ts_key_set *set);
/* The short form of a key: its first 8 bytes, never 0. */
uint64_t ts_key_set_hash(const struct ts_key *key);
/* Whether it is new. */
bool ts_key_set_add(struct ts_key_set *set, uint64_t hash);
bool ts_key_set_has(const struct ts_key_set *set, uint64_t hash);

#endif
