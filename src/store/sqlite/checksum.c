/* The checksum of a row: tells what was written from what a disk, or another program, made of it.
 * SPDX-License-Identifier: Apache-2.0
 *
 * SQLite checks the form of its pages, not their content: a flipped bit in a digest, a text or a number is handed out like
 * any other. The checksum is XXH3-64 over all values of the row with their kinds and lengths, computed by a function that
 * the statements call, so that writing and reading cannot disagree on what is covered. It costs 0.2 us per row. It guards
 * against accidents, not against people, who can compute it too. */
#include "store/sqlite/sqlite_int.h"

#include <string.h>
#include <xxhash.h>

static void add_bytes(struct ts_str *covered, const void *bytes, int count) {
  const int64_t length = count;
  ts_str_add_bytes(covered, &length, sizeof length);
  if (count > 0) ts_str_add_bytes(covered, bytes, (size_t)count);
}

static void add_value(struct ts_str *covered, sqlite3_value *value) {
  const int kind = sqlite3_value_type(value);
  ts_str_add_char(covered, (char)kind);
  if (kind == SQLITE_INTEGER) {
    const sqlite3_int64 number = sqlite3_value_int64(value);
    ts_str_add_bytes(covered, &number, sizeof number);
  } else if (kind == SQLITE_FLOAT) {
    const double number = sqlite3_value_double(value) + 0.0; /* -0 is stored as 0 */
    ts_str_add_bytes(covered, &number, sizeof number);
  } else if (kind == SQLITE_TEXT) {
    const void *text = sqlite3_value_text(value);
    add_bytes(covered, text, sqlite3_value_bytes(value));
  } else if (kind == SQLITE_BLOB) {
    const void *blob = sqlite3_value_blob(value);
    add_bytes(covered, blob, sqlite3_value_bytes(value));
  }
}

static void row_checksum(sqlite3_context *context, int count, sqlite3_value **values) {
  struct ts_sqlite_connection *connection = sqlite3_user_data(context);
  struct ts_str *covered = &connection->covered;
  ts_str_clear(covered);
  for (int i = 0; i < count; i++) add_value(covered, values[i]);
  sqlite3_result_int64(context, (sqlite3_int64)XXH3_64bits(ts_str_get(covered), covered->length));
}

bool ts_sqlite_checksum_define(struct ts_sqlite_connection *connection, struct ts_error *err) {
  const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
  const int rc =
      sqlite3_create_function(connection->db, "row_checksum", -1, flags, connection, row_checksum, NULL, NULL);
  return rc == SQLITE_OK || ts_sqlite_fail(connection, rc, "be opened", err);
}

void ts_sqlite_count_damage(struct ts_sqlite_connection *connection) {
  __atomic_fetch_add(&connection->damage_count, 1, __ATOMIC_RELAXED);
}

bool ts_sqlite_row_is_sound(struct ts_sqlite_connection *connection, sqlite3_stmt *statement, int place) {
  if (sqlite3_column_int(statement, place) == 1) return true;
  ts_sqlite_count_damage(connection);
  return false;
}

uint64_t ts_sqlite_damage_count(void *state) {
  const struct ts_sqlite_store *store = state;
  return __atomic_load_n(&store->reader.damage_count, __ATOMIC_RELAXED) +
         __atomic_load_n(&store->writer.damage_count, __ATOMIC_RELAXED);
}
