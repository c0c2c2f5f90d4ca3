/* Verifying a store: everything in it is read again, and what is not what was written is removed.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_STORE_VERIFY_H
#define TS_STORE_VERIFY_H

#include "store/store.h"

struct ts_store_verification {
  uint64_t rows, products, files;          /* read: rows of all tables, products that should be there, files of them */
  uint64_t damaged_rows, damaged_products; /* removed; the product's digest stays in its records, which are true */
  uint64_t removed_files;                  /* files, links and pipes below objects/ that belong to no product */
  bool was_rebuilt;                        /* the database was rewritten from its sound rows */
};

/* Reads all rows, rebuilds the database with its indexes if anything in it is wrong, reads all products, and removes
 * what is damaged or belongs to nobody. Until the stop is set, which may be NULL (CANCELLED). STORE_DAMAGED if the
 * damage cannot be repaired. Nothing else may use the store meanwhile. */
bool ts_store_verify(struct ts_store *store, const volatile int *stop, struct ts_store_verification *found,
                     struct ts_error *err);

/* Which records `fresh`, made from nothing, has in common with the store, by lineage key or by content key, and
 * which of those have other outputs: they are wrong, and removed from the store. Records of operations that are not
 * exact, or that depend on such, are left out. */
struct ts_store_difference {
  struct ts_key key;
  const char *operation; /* owned by the arena, as the list */
  const char *run;       /* that made it */
};
struct ts_store_comparison {
  uint64_t compared;
  uint64_t inexact; /* left out */
  struct ts_store_difference *differences;
  size_t difference_count;
};
bool ts_store_compare(struct ts_store *store, struct ts_store *fresh, struct ts_arena *arena,
                      struct ts_store_comparison *result, struct ts_error *err);

#endif
