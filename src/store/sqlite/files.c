/* Remembered digests of the user's files.
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/sqlite/sqlite_int.h"

#include "base/lock.h"

bool ts_sqlite_file_find(void *state, const struct ts_file_identity *file, struct ts_sha256 *digest,
                         struct ts_error *err) {
  struct ts_sqlite_store *store = state;
  bool found = false;
  ts_hold(&store->read_lock);
  sqlite3_stmt *statement = ts_sqlite_get(&store->reader, TS_SQL_FIND_FILE, err);
  if (!statement) return false;
  ts_sqlite_bind_row(statement, 1, &ts_file_columns, file);
  if (ts_sqlite_step(&store->reader, statement, &found, "read file digests", err) && found) {
    found = ts_sqlite_row_is_sound(&store->reader, statement, 1); /* the digest is computed again and replaces it */
    if (found) ts_sqlite_column_digest(statement, 0, digest);
    sqlite3_reset(statement);
  }
  return found;
}

bool ts_sqlite_file_put(void *state, const struct ts_file_identity *file, const struct ts_sha256 *digest,
                        struct ts_error *err) {
  struct ts_sqlite_store *store = state;
  ts_hold(&store->write_lock);
  sqlite3_stmt *statement = ts_sqlite_get(&store->writer, TS_SQL_PUT_FILE, err);
  if (!statement) return false;
  ts_sqlite_bind_row(statement, 1, &ts_file_columns, file);
  ts_sqlite_bind_digest(statement, 6, digest);
  return ts_sqlite_run(&store->writer, statement, "write file digests", err);
}
