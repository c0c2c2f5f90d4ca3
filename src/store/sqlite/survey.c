/* What a SQLite store has and what it takes, and making its database smaller.
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/survey.h"
#include "base/alloc.h"
#include "base/file.h"
#include "base/lock.h"
#include "store/sqlite/verify_int.h"

#include <string.h>
#include <sys/stat.h>

#define WORTH_SHARE 4 /* the database is written again if one in so many of its bytes is free. Not measured */

bool ts_sqlite_product_list(void *state, ts_store_product_sink *sink, void *user, struct ts_error *err) {
  struct ts_sqlite_store *store = state;
  bool row = false;
  ts_hold(&store->read_lock);
  sqlite3_stmt *statement = ts_sqlite_get(&store->reader, TS_SQL_LIST_PRODUCTS, err);
  bool ok = statement != NULL;
  while (ok && (ok = ts_sqlite_step(&store->reader, statement, &row, "read products", err)) && row) {
    struct ts_store_product product = {.size_bytes = ts_sqlite_column_number(statement, 1),
                                       .packed_bytes = ts_sqlite_column_number(statement, 2),
                                       .is_file = ts_sqlite_column_number(statement, 3) != 0};
    ts_sqlite_column_digest(statement, 0, &product.digest);
    sink(user, &product);
  }
  return ok;
}

/* Small products that were removed leave holes in their pages, which nothing else takes. Where SQLite was built without
 * its table of pages, these are not counted. */
static uint64_t count_holes(struct ts_sqlite_connection *connection) {
  static const char sql[] = "SELECT coalesce(sum(unused), 0) FROM dbstat WHERE name = 'product'";
  sqlite3_stmt *statement = NULL;
  uint64_t bytes = 0;
  if (sqlite3_prepare_v2(connection->db, sql, -1, &statement, NULL) == SQLITE_OK &&
      sqlite3_step(statement) == SQLITE_ROW)
    bytes = ts_sqlite_column_number(statement, 0);
  sqlite3_finalize(statement);
  return bytes;
}

/* Bytes of the database, and those of them that hold nothing. */
static bool count_pages(struct ts_sqlite_connection *connection, uint64_t *bytes, uint64_t *free_bytes,
                        struct ts_error *err) {
  sqlite3_stmt *statement = ts_sqlite_get(connection, TS_SQL_COUNT_PAGES, err);
  bool row = false;
  if (!statement || !ts_sqlite_step(connection, statement, &row, "be measured", err)) return false;
  if (!row) return true;
  *bytes = ts_sqlite_column_number(statement, 0);
  *free_bytes = ts_sqlite_column_number(statement, 1);
  sqlite3_reset(statement);
  *free_bytes += count_holes(connection);
  return true;
}

/* 0 where there is none. */
static uint64_t add_file(const struct ts_sqlite_store *store, const char *name, struct ts_store_footprint *footprint) {
  ts_auto_free char *path = ts_path_join(store->folder, name);
  struct stat status;
  if (lstat(path, &status) != 0 || !S_ISREG(status.st_mode)) return 0;
  footprint->files++;
  footprint->bytes += (uint64_t)status.st_size;
  return (uint64_t)status.st_size;
}

bool ts_sqlite_footprint(void *state, struct ts_store_footprint *footprint, struct ts_error *err) {
  struct ts_sqlite_store *store = state;
  uint64_t pages = 0;
  ts_hold(&store->read_lock);
  add_file(store, "lock", footprint);
  footprint->database_bytes = add_file(store, "store.db", footprint);
  footprint->database_bytes += add_file(store, "store.db-wal", footprint);
  ts_objects_measure(&store->objects, &footprint->object_files, &footprint->object_bytes);
  footprint->files += footprint->object_files;
  footprint->bytes += footprint->object_bytes;
  return count_pages(&store->reader, &pages, &footprint->free_bytes, err);
}

bool ts_sqlite_compact(void *state, bool even_little, struct ts_error *err) {
  struct ts_sqlite_store *store = state;
  uint64_t bytes = 0, free_bytes = 0;
  ts_hold(&store->write_lock);
  if (!count_pages(&store->writer, &bytes, &free_bytes, err)) return false;
  const bool is_worth_it = even_little ? free_bytes > 0 : free_bytes >= bytes / WORTH_SHARE;
  return (!is_worth_it || ts_sqlite_rebuild(store, err)) &&
         ts_sqlite_execute(&store->writer, "PRAGMA wal_checkpoint(TRUNCATE)", "be made smaller", err);
}
