/* What verifying and rebuilding of a database share.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_STORE_SQLITE_VERIFY_INT_H
#define TS_STORE_SQLITE_VERIFY_INT_H

#include "store/sqlite/sqlite_int.h"

struct ts_sqlite_table {
  const char *name;
  const char *fields;
  const char *is_sound; /* SQL that is 1 for a sound row; NULL: the table has no checksums */
  const char *order;    /* the columns by which its rows lie in the file */
};

#define TS_SQLITE_TABLE_COUNT 6
extern const struct ts_sqlite_table ts_sqlite_tables[TS_SQLITE_TABLE_COUNT];

/* Rewrites the database from its sound rows. Under write_lock. */
bool ts_sqlite_rebuild(struct ts_sqlite_store *store, struct ts_error *err);

#endif
