/* Chained buckets; the table doubles when it is full and never shrinks.
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/digest_index.h"

#include "base/alloc.h"

#include <string.h>

#define FIRST_BUCKETS 256

static size_t bucket_of(size_t bucket_count, const struct ts_sha256 *digest) {
  uint64_t hash;
  memcpy(&hash, digest->bytes, sizeof hash);
  return (size_t)(hash & (bucket_count - 1));
}

void ts_digest_index_release(struct ts_digest_index *index) {
  free(index->buckets);
  memset(index, 0, sizeof *index);
}

/* Moves a chain to the new table in its own order, so that newer nodes stay before older ones. */
static void move_chain(struct ts_digest_node *node, struct ts_digest_node **buckets, size_t bucket_count) {
  while (node) {
    struct ts_digest_node *next = node->next;
    struct ts_digest_node **place = &buckets[bucket_of(bucket_count, node->digest)];
    while (*place) place = &(*place)->next;
    node->next = NULL;
    *place = node;
    node = next;
  }
}

static void grow(struct ts_digest_index *index) {
  size_t bucket_count = index->bucket_count ? index->bucket_count * 2 : FIRST_BUCKETS;
  struct ts_digest_node **buckets = ts_calloc(bucket_count, sizeof *buckets);
  for (size_t i = 0; i < index->bucket_count; i++) move_chain(index->buckets[i], buckets, bucket_count);
  free(index->buckets);
  index->buckets = buckets;
  index->bucket_count = bucket_count;
}

void ts_digest_index_insert(struct ts_digest_index *index, struct ts_digest_node *node, const struct ts_sha256 *digest,
                            void *owner) {
  if (index->count >= index->bucket_count) grow(index);
  struct ts_digest_node **place = &index->buckets[bucket_of(index->bucket_count, digest)];
  *node = (struct ts_digest_node){.next = *place, .digest = digest, .owner = owner};
  *place = node;
  index->count++;
}

void ts_digest_index_remove(struct ts_digest_index *index, struct ts_digest_node *node) {
  struct ts_digest_node **place = &index->buckets[bucket_of(index->bucket_count, node->digest)];
  while (*place != node) {
    if (!*place) TS_BUG("node is not in the index");
    place = &(*place)->next;
  }
  *place = node->next;
  node->next = NULL;
  index->count--;
}

void *ts_digest_index_find(const struct ts_digest_index *index, const struct ts_sha256 *digest) {
  if (index->count == 0) return NULL;
  struct ts_digest_node *node = index->buckets[bucket_of(index->bucket_count, digest)];
  while (node && memcmp(node->digest->bytes, digest->bytes, sizeof digest->bytes) != 0) node = node->next;
  return node ? node->owner : NULL;
}
