/* A table of digests with the hash beside the pointer: a digest that is not there costs one look into the table.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A slot leads to the newest node of a digest, that to the older ones. */
#include "store/digest_index.h"

#include "base/error.h"

#include <string.h>

struct slot {
  uint64_t hash;
  struct ts_digest_node *newest; /* borrowed; NULL: free */
};

static uint64_t hash_of(const struct ts_sha256 *digest) {
  uint64_t hash;
  memcpy(&hash, digest->bytes, sizeof hash);
  return hash;
}

static bool is_free(const void *slot) { return ((const struct slot *)slot)->newest == NULL; }

static uint64_t hash_of_slot(const void *slot, const void *context) {
  (void)context;
  return ((const struct slot *)slot)->hash;
}

static bool matches(const void *slot, const void *digest, const void *context) {
  (void)context;
  const struct slot *s = slot;
  return s->hash == hash_of(digest) && memcmp(s->newest->digest, digest, sizeof *s->newest->digest) == 0;
}

static const struct ts_table_type type = {sizeof(struct slot), 256, is_free, hash_of_slot, matches};

void ts_digest_index_release(struct ts_digest_index *index) { ts_table_release(&index->table); }

void ts_digest_index_insert(struct ts_digest_index *index, struct ts_digest_node *node, const struct ts_sha256 *digest,
                            void *owner) {
  ts_table_reserve(&type, &index->table, index->table.count + 1, NULL);
  struct slot *slot = ts_table_probe(&type, &index->table, hash_of(digest), digest, NULL);
  if (is_free(slot)) index->table.count++;
  *node = (struct ts_digest_node){.next = slot->newest, .digest = digest, .owner = owner};
  *slot = (struct slot){.hash = hash_of(digest), .newest = node};
}

void ts_digest_index_remove(struct ts_digest_index *index, struct ts_digest_node *node) {
  struct slot *slot = ts_table_find(&type, &index->table, hash_of(node->digest), node->digest, NULL);
  struct ts_digest_node **place = slot ? &slot->newest : NULL;
  while (place && *place && *place != node) place = &(*place)->next;
  if (!place || !*place) TS_BUG("node is not in the index");
  *place = node->next;
  node->next = NULL;
  if (slot->newest) return;
  ts_table_remove(&type, &index->table, slot, NULL);
  index->table.count--;
}

void *ts_digest_index_find(const struct ts_digest_index *index, const struct ts_sha256 *digest) {
  const struct slot *slot = ts_table_find(&type, &index->table, hash_of(digest), digest, NULL);
  return slot ? slot->newest->owner : NULL;
}
