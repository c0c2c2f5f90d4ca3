/* An intrusive hash table by SHA-256 digest whose entries can be removed: what waits in the store's queue.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Digests and keys are uniformly distributed, so their first bytes are the hash. Several nodes may have the same
 * digest; the newest is found first. Not thread-safe. */
#ifndef TS_STORE_DIGEST_INDEX_H
#define TS_STORE_DIGEST_INDEX_H

#include "base/digest.h"
#include "base/table.h"

struct ts_digest_node {
  struct ts_digest_node *next;    /* borrowed; the next older one of the same digest */
  const struct ts_sha256 *digest; /* borrowed from the owner */
  void *owner;                    /* borrowed; the object of the digest */
};

/* A zeroed struct is an empty index. */
struct ts_digest_index {
  struct ts_table table; /* of distinct digests; the nodes are borrowed */
};

void ts_digest_index_release(struct ts_digest_index *index);
/* The node stays where it is until it is removed. */
void ts_digest_index_insert(struct ts_digest_index *index, struct ts_digest_node *node, const struct ts_sha256 *digest,
                            void *owner);
/* The node must be in the index. */
void ts_digest_index_remove(struct ts_digest_index *index, struct ts_digest_node *node);
/* The owner of the newest node with this digest, or NULL. */
void *ts_digest_index_find(const struct ts_digest_index *index, const struct ts_sha256 *digest);

#endif
