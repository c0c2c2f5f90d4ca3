/* Products as files: objects/ab/cdef... named by their SHA-256 digest, each either whole or not there.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A file is written below objects/tmp under a name that nobody can foresee, synced, and renamed to its name. Files
 * and folders are private to their owner; links are never followed, and only regular files are read. Several threads
 * may read; one may write. */
#ifndef TS_STORE_OBJECTS_H
#define TS_STORE_OBJECTS_H

#include "base/digest.h"
#include "base/error.h"
#include "base/str.h"
#include "store/backend.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ts_objects {
  char *folder; /* owned */
};

/* Makes the folders and removes what a killed process left behind; only with the store's lock held. */
bool ts_objects_open(struct ts_objects *objects, const char *store_folder, struct ts_error *err);
/* The same for reading alone: touches nothing. */
void ts_objects_open_read(struct ts_objects *objects, const char *store_folder);
void ts_objects_close(struct ts_objects *objects);

/* Writes the products; after true they survive a crash of the machine. is_new[i]: there was no such file before. After
 * false no new one is there; those that were there before stay. */
bool ts_objects_write(struct ts_objects *objects, const struct ts_batch_product *const *products, size_t count,
                      bool *is_new, struct ts_error *err);
/* Takes back what a write added, because the rows that belong to it cannot be written. */
void ts_objects_remove_new(const struct ts_objects *objects, const struct ts_batch_product *const *products,
                           size_t count, const bool *is_new);
/* Replaces *packed by the file's bytes. BAD_PRODUCT if it is missing, unreadable or has another size. */
bool ts_objects_read(const struct ts_objects *objects, const struct ts_sha256 *digest, uint64_t packed_bytes,
                     struct ts_str *packed, struct ts_error *err);
void ts_objects_remove(const struct ts_objects *objects, const struct ts_sha256 *digest); /* fine if it is not there */

/* Removes files, links and pipes that are not the file of a wanted product; counts what is kept and what is removed.
 * Only with the store's lock held. */
struct ts_objects_counts {
  uint64_t kept, removed;
};
typedef bool ts_objects_is_wanted(void *user, const struct ts_sha256 *digest);
bool ts_objects_sweep(const struct ts_objects *objects, ts_objects_is_wanted *is_wanted, void *user,
                      struct ts_objects_counts *counts, struct ts_error *err);
/* Files below the folder, unfinished ones included, and their bytes; added to what is there. */
void ts_objects_measure(const struct ts_objects *objects, uint64_t *files, uint64_t *bytes);

#endif
