/* Products: small ones in the database, large ones in files, both known by their digest.
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/sqlite/sqlite_int.h"

#include "base/lock.h"

static const char reading[] = "read products";

bool ts_sqlite_insert_product(struct ts_sqlite_connection *connection, const struct ts_batch_product *product,
                              bool is_inline, struct ts_error *err) {
  sqlite3_stmt *statement = ts_sqlite_get(connection, TS_SQL_INSERT_PRODUCT, err);
  if (!statement) return false;
  ts_sqlite_bind_digest(statement, 1, &product->digest);
  ts_sqlite_bind_number(statement, 2, product->size_bytes);
  ts_sqlite_bind_number(statement, 3, product->packed_bytes);
  if (is_inline) {
    sqlite3_bind_blob64(statement, 4, product->packed, product->packed_bytes, SQLITE_STATIC);
  } else {
    sqlite3_bind_null(statement, 4);
  }
  return ts_sqlite_run(connection, statement, "write products", err);
}

bool ts_sqlite_find_product(struct ts_sqlite_connection *connection, const struct ts_sha256 *digest, bool *found,
                            struct ts_error *err) {
  sqlite3_stmt *statement = ts_sqlite_get(connection, TS_SQL_HAS_PRODUCT, err);
  if (!statement) return false;
  ts_sqlite_bind_digest(statement, 1, digest);
  if (!ts_sqlite_step(connection, statement, found, reading, err)) return false;
  sqlite3_reset(statement);
  return true;
}

bool ts_sqlite_has_product(void *state, const struct ts_sha256 *digest) {
  struct ts_sqlite_store *store = state;
  struct ts_error ignored = {0}; /* a product that cannot be asked for is as good as none */
  bool found = false;
  ts_hold(&store->read_lock);
  return ts_sqlite_find_product(&store->reader, digest, &found, &ignored) && found;
}

struct place {
  bool found;
  bool is_inline;
  uint64_t packed_bytes;
};

/* Finds where the bytes are, and takes them if they are in the row. */
static bool locate(struct ts_sqlite_connection *connection, const struct ts_sha256 *digest, struct place *place,
                   struct ts_str *packed, struct ts_error *err) {
  sqlite3_stmt *statement = ts_sqlite_get(connection, TS_SQL_FETCH_PRODUCT, err);
  if (!statement) return false;
  ts_sqlite_bind_digest(statement, 1, digest);
  if (!ts_sqlite_step(connection, statement, &place->found, reading, err)) return false;
  if (!place->found) return true;
  place->packed_bytes = ts_sqlite_column_number(statement, 0);
  place->is_inline = sqlite3_column_type(statement, 1) != SQLITE_NULL;
  if (place->is_inline) {
    const void *bytes = sqlite3_column_blob(statement, 1);
    ts_str_add_bytes(packed, bytes, (size_t)sqlite3_column_bytes(statement, 1));
  }
  sqlite3_reset(statement);
  return true;
}

bool ts_sqlite_fetch(void *state, const struct ts_sha256 *digest, struct ts_str *packed, struct ts_error *err) {
  struct ts_sqlite_store *store = state;
  struct place place = {0};
  pthread_mutex_lock(&store->read_lock);
  const bool ok = locate(&store->reader, digest, &place, packed, err);
  pthread_mutex_unlock(&store->read_lock);
  if (!ok || !place.found) return false;
  return place.is_inline || ts_objects_read(&store->objects, digest, place.packed_bytes, packed, err);
}

bool ts_sqlite_forget(void *state, const struct ts_sha256 *digest, struct ts_error *err) {
  struct ts_sqlite_store *store = state;
  ts_hold(&store->write_lock);
  sqlite3_stmt *statement = ts_sqlite_get(&store->writer, TS_SQL_FORGET_PRODUCT, err);
  if (!statement) return false;
  ts_sqlite_bind_digest(statement, 1, digest);
  if (!ts_sqlite_run(&store->writer, statement, "forget a product", err)) return false;
  /* Under the lock, so that it does not hit a file that a batch is just bringing back. */
  if (sqlite3_changes(store->writer.db) > 0) ts_objects_remove(&store->objects, digest);
  return true;
}

static bool count(struct ts_sqlite_connection *connection, struct ts_store_usage *usage, struct ts_error *err) {
  sqlite3_stmt *records = ts_sqlite_get(connection, TS_SQL_COUNT_RECORDS, err);
  sqlite3_stmt *products = records ? ts_sqlite_get(connection, TS_SQL_COUNT_PRODUCTS, err) : NULL;
  bool row;
  if (!products || !ts_sqlite_step(connection, records, &row, reading, err)) return false;
  usage->records = ts_sqlite_column_number(records, 0);
  sqlite3_reset(records);
  if (!ts_sqlite_step(connection, products, &row, reading, err)) return false;
  usage->products = ts_sqlite_column_number(products, 0);
  usage->product_bytes = ts_sqlite_column_number(products, 1);
  usage->packed_bytes = ts_sqlite_column_number(products, 2);
  sqlite3_reset(products);
  return true;
}

bool ts_sqlite_usage(void *state, struct ts_store_usage *usage, struct ts_error *err) {
  struct ts_sqlite_store *store = state;
  ts_hold(&store->read_lock);
  return count(&store->reader, usage, err);
}
