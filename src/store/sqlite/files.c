/* Remembered digests of the user's files.
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/sqlite/sqlite_int.h"

static void bind_identity(sqlite3_stmt *statement, const struct ts_file_identity *file) {
  ts_sqlite_bind_number(statement, 1, file->device);
  ts_sqlite_bind_number(statement, 2, file->inode);
  ts_sqlite_bind_number(statement, 3, file->size_bytes);
  sqlite3_bind_int64(statement, 4, file->mtime_ns);
  sqlite3_bind_int64(statement, 5, file->ctime_ns);
}

bool ts_sqlite_file_find(void *state, const struct ts_file_identity *file, struct ts_sha256 *digest,
                         struct ts_error *err) {
  struct ts_sqlite_store *store = state;
  bool found = false;
  pthread_mutex_lock(&store->read_lock);
  sqlite3_stmt *statement = ts_sqlite_get(&store->reader, TS_SQL_FIND_FILE, err);
  if (statement) {
    bind_identity(statement, file);
    if (ts_sqlite_step(&store->reader, statement, &found, "read file digests", err) && found) {
      found = ts_sqlite_row_is_sound(&store->reader, statement, 1); /* the digest is computed again and replaces it */
      if (found) ts_sqlite_column_digest(statement, 0, digest);
      sqlite3_reset(statement);
    }
  }
  pthread_mutex_unlock(&store->read_lock);
  return found;
}

bool ts_sqlite_file_put(void *state, const struct ts_file_identity *file, const struct ts_sha256 *digest,
                        struct ts_error *err) {
  struct ts_sqlite_store *store = state;
  pthread_mutex_lock(&store->write_lock);
  sqlite3_stmt *statement = ts_sqlite_get(&store->writer, TS_SQL_PUT_FILE, err);
  bool ok = statement != NULL;
  if (ok) {
    bind_identity(statement, file);
    ts_sqlite_bind_digest(statement, 6, digest);
    ok = ts_sqlite_run(&store->writer, statement, "write file digests", err);
  }
  pthread_mutex_unlock(&store->write_lock);
  return ok;
}
