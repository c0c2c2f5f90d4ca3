/* What is in a store and what it takes; and removing products from it.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Removing a product leaves its records: they keep the digest, so that early cutoff still works, and whoever needs the
 * product computes it again. */
#ifndef TS_STORE_SURVEY_H
#define TS_STORE_SURVEY_H

#include "store/store.h"

/* A product that should be there. */
struct ts_store_product {
  struct ts_sha256 digest;
  uint64_t size_bytes;   /* unpacked */
  uint64_t packed_bytes; /* as it lies in the store */
  bool is_file;          /* it is a file; otherwise a part of the database */
};

/* Who uses a survey sees every product, then every record, each once; pointers are borrowed for the call. */
struct ts_store_visitor {
  void *user;
  void (*on_product)(void *user, const struct ts_store_product *product);
  void (*on_record)(void *user, const struct ts_record *record);
};
/* While another process writes: what was there when the survey began, perhaps more. */
bool ts_store_survey(struct ts_store *store, const struct ts_store_visitor *visitor, struct ts_error *err);

/* Bytes of the files of a store, all zero where it has none. The file by which processes share the memory of an open
 * database is not counted: it is there only while the store is open. */
struct ts_store_footprint {
  uint64_t files, bytes;               /* all of them */
  uint64_t database_bytes;             /* of these the database with its log */
  uint64_t free_bytes;                 /* parts of the database that hold nothing; later rows take them */
  uint64_t object_files, object_bytes; /* files of products, and those below objects/ that belong to none */
};
bool ts_store_footprint(struct ts_store *store, struct ts_store_footprint *footprint, struct ts_error *err);

/* Removes products, one after the other, until the stop is set, which may be NULL; *evicted says how many. A process
 * that dies meanwhile leaves at most one file that belongs to nothing. */
bool ts_store_evict(struct ts_store *store, const struct ts_sha256 *digests, size_t count, const volatile int *stop,
                    size_t *evicted, struct ts_error *err);
/* Removes files that belong to no product; says how many. Nothing to do where there are no files. */
bool ts_store_sweep(struct ts_store *store, uint64_t *removed, struct ts_error *err);
/* Makes the database smaller where much of it is free, or even a little. */
bool ts_store_compact(struct ts_store *store, bool even_little, struct ts_error *err);

#endif
