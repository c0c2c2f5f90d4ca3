/* The index of queued digests against a plain list that is searched from its end.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/store/support.h"

#include "store/digest_index.h"

#define NODES    3000
#define DISTINCT 400 /* digests, so that many nodes share one */

struct entry {
  struct ts_digest_node node;
  uint64_t number;
  struct ts_sha256 digest;
  bool is_in;
  uint64_t age; /* when it was inserted */
};

static const struct entry *newest_in(const struct entry *entries, const struct ts_sha256 *digest) {
  const struct entry *newest = NULL;
  for (size_t i = 0; i < NODES; i++) {
    if (!entries[i].is_in || memcmp(&entries[i].digest, digest, sizeof *digest) != 0) continue;
    if (!newest || entries[i].age > newest->age) newest = &entries[i];
  }
  return newest;
}

static size_t distinct_in(const struct entry *entries) {
  bool seen[DISTINCT] = {false};
  size_t count = 0;
  for (size_t i = 0; i < NODES; i++) {
    if (!entries[i].is_in || seen[entries[i].number]) continue;
    seen[entries[i].number] = true;
    count++;
  }
  return count;
}

static void behaves_like_a_list(void **state) {
  (void)state;
  struct ts_digest_index index = {0};
  struct entry *entries = ts_calloc(NODES, sizeof *entries);
  struct ts_random random;
  ts_random_init(&random, 7, 0);
  for (uint64_t step = 1; step <= 20000; step++) {
    struct entry *entry = &entries[ts_random_below(&random, NODES)];
    if (entry->is_in) {
      ts_digest_index_remove(&index, &entry->node);
      entry->is_in = false;
    } else {
      entry->number = ts_random_below(&random, DISTINCT);
      entry->digest = key_of("node", entry->number).digest;
      entry->age = step;
      entry->is_in = true;
      ts_digest_index_insert(&index, &entry->node, &entry->digest, entry);
    }
    if (step % 10 != 0) continue;
    assert_int_equal(index.table.count, distinct_in(entries));
    const struct ts_sha256 wanted = key_of("node", ts_random_below(&random, DISTINCT)).digest;
    assert_ptr_equal(ts_digest_index_find(&index, &wanted), newest_in(entries, &wanted));
  }
  ts_digest_index_release(&index);
  free(entries);
}

static void empty_index_finds_nothing(void **state) {
  (void)state;
  struct ts_digest_index index = {0};
  const struct ts_sha256 digest = key_of("node", 1).digest;
  assert_null(ts_digest_index_find(&index, &digest));
  ts_digest_index_release(&index);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(behaves_like_a_list),
      cmocka_unit_test(empty_index_finds_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
