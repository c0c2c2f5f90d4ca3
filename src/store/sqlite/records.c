/* Records: inserting, replacing and finding.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"
#include "base/lock.h"
#include "store/sqlite/row_int.h"
#include "store/sqlite/sqlite_int.h"

#include <string.h>

static const char writing[] = "write records";
static const char reading[] = "read records";

/* Inserts the row unless there is one of this key; *inserted says whether. */
static bool insert_row(struct ts_sqlite_connection *connection, const struct ts_record *record, bool *inserted,
                       struct ts_error *err) {
  sqlite3_stmt *statement = ts_sqlite_get(connection, TS_SQL_INSERT_RECORD, err);
  if (!statement) return false;
  struct ts_str *blob = &connection->scratch;
  ts_str_clear(blob);
  ts_sqlite_encode_inputs(record, blob);
  const size_t inputs_bytes = blob->length;
  ts_sqlite_encode_outputs(record, blob);
  ts_sqlite_bind_row(statement, 1, &ts_record_columns, record);
  sqlite3_bind_blob64(statement, 13, ts_str_get(blob), inputs_bytes, SQLITE_STATIC);
  sqlite3_bind_blob64(statement, 14, ts_str_get(blob) + inputs_bytes, blob->length - inputs_bytes, SQLITE_STATIC);
  if (!ts_sqlite_run(connection, statement, writing, err)) return false;
  *inserted = sqlite3_changes(connection->db) > 0;
  return true;
}

#define SOUND_PLACE 15 /* of the column that says whether the row is sound */

/* Reads the sound row that the statement is at and leaves the statement. */
static bool read_row(struct ts_sqlite_connection *connection, sqlite3_stmt *statement, struct ts_arena *arena,
                     sqlite3_int64 *id, struct ts_record *record, struct ts_error *err) {
  memset(record, 0, sizeof *record);
  *id = sqlite3_column_int64(statement, 0);
  ts_sqlite_column_row(statement, 1, &ts_record_columns, arena, record);
  const void *inputs = sqlite3_column_blob(statement, 13);
  const void *outputs = sqlite3_column_blob(statement, 14);
  return (ts_sqlite_decode_inputs(inputs, (size_t)sqlite3_column_bytes(statement, 13), arena, record) &&
          ts_sqlite_decode_outputs(outputs, (size_t)sqlite3_column_bytes(statement, 14), arena, record)) ||
         ts_sqlite_fail(connection, SQLITE_CORRUPT, "read a record", err);
}

/* Whether an index led to a row of the key that was asked for. */
static bool has_key(const struct ts_record *record, enum ts_sql which, const struct ts_key *key) {
  const struct ts_key *there = which == TS_SQL_FIND_KEY ? &record->key : &record->content_key;
  return memcmp(there, key, sizeof *key) == 0;
}

/* A row that is damaged, or that belongs to another key because the index is, counts as not there. It stays as it is
 * until the store is verified: deleting it by a damaged index could take others along. */
static bool find(struct ts_sqlite_connection *connection, enum ts_sql which, const struct ts_key *key,
                 struct ts_arena *arena, bool *found, sqlite3_int64 *id, struct ts_record *record,
                 struct ts_error *err) {
  sqlite3_stmt *statement = ts_sqlite_get(connection, which, err);
  if (!statement) return false;
  ts_sqlite_bind_digest(statement, 1, &key->digest);
  if (!ts_sqlite_step(connection, statement, found, reading, err)) return false;
  if (!*found) return true;
  bool ok = true;
  *found = ts_sqlite_row_is_sound(connection, statement, SOUND_PLACE);
  if (*found) {
    ok = read_row(connection, statement, arena, id, record, err);
    *found = ok && has_key(record, which, key);
    if (ok && !*found) ts_sqlite_count_damage(connection);
  }
  sqlite3_reset(statement);
  return ok;
}

static bool is_whole(struct ts_sqlite_connection *connection, const struct ts_record *record, bool *answer,
                     struct ts_error *err) {
  *answer = true;
  for (size_t i = 0; *answer && i < record->output_count; i++) {
    if (!ts_sqlite_find_product(connection, &record->outputs[i].digest, answer, err)) return false;
  }
  return true;
}

/* Removes the record of this key if one of its products is not there; *removed says whether. */
static bool remove_incomplete(struct ts_sqlite_connection *connection, const struct ts_key *key, bool *removed,
                              struct ts_error *err) {
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_record old;
  sqlite3_int64 id = 0;
  bool found = false;
  bool whole = true;
  *removed = false;
  if (!find(connection, TS_SQL_FIND_KEY, key, &arena, &found, &id, &old, err)) return false;
  if (found && !is_whole(connection, &old, &whole, err)) return false;
  if (whole) return true;
  sqlite3_stmt *statement = ts_sqlite_get(connection, TS_SQL_DELETE_RECORD, err);
  if (!statement) return false;
  sqlite3_bind_int64(statement, 1, id);
  *removed = true;
  return ts_sqlite_run(connection, statement, writing, err);
}

bool ts_sqlite_insert_record(struct ts_sqlite_connection *connection, const struct ts_record *record,
                             struct ts_error *err) {
  bool inserted = false;
  bool removed = false;
  if (!insert_row(connection, record, &inserted, err)) return false;
  if (inserted) return true;
  if (!remove_incomplete(connection, &record->key, &removed, err)) return false;
  return !removed || insert_row(connection, record, &inserted, err);
}

bool ts_sqlite_find(void *state, enum ts_store_by by, const struct ts_key *key, struct ts_arena *arena,
                    struct ts_record *record, struct ts_error *err) {
  struct ts_sqlite_store *store = state;
  bool found = false;
  sqlite3_int64 id;
  if (!ts_sqlite_filter_may_hold(&store->filter, key)) return false;
  pthread_mutex_lock(&store->read_lock);
  const enum ts_sql which = by == TS_STORE_BY_KEY ? TS_SQL_FIND_KEY : TS_SQL_FIND_CONTENT;
  const bool ok = find(&store->reader, which, key, arena, &found, &id, record, err);
  pthread_mutex_unlock(&store->read_lock);
  if (ok && !found) ts_sqlite_filter_missed(store);
  return ok && found;
}

static bool list(struct ts_sqlite_connection *connection, sqlite3_stmt *statement, struct ts_arena *arena,
                 struct ts_record **records, size_t *count, struct ts_error *err) {
  ts_auto_free struct ts_record *found = NULL;
  size_t capacity = 0;
  bool row;
  while (ts_sqlite_step(connection, statement, &row, reading, err)) {
    if (!row) {
      *records = ts_arena_memdup(arena, found, *count * sizeof *found);
      return true;
    }
    if (!ts_sqlite_row_is_sound(connection, statement, SOUND_PLACE)) continue;
    sqlite3_int64 id;
    found = ts_grow(found, *count, &capacity, sizeof *found);
    if (!read_row(connection, statement, arena, &id, &found[*count], err)) {
      sqlite3_reset(statement);
      return false;
    }
    ++*count;
  }
  return false;
}

bool ts_sqlite_records_of(void *state, const char *operation, size_t limit, struct ts_arena *arena,
                          struct ts_record **records, size_t *count, struct ts_error *err) {
  struct ts_sqlite_store *store = state;
  *records = NULL;
  *count = 0;
  ts_hold(&store->read_lock);
  sqlite3_stmt *statement = ts_sqlite_get(&store->reader, TS_SQL_RECORDS_OF, err);
  if (!statement) return false;
  ts_sqlite_bind_text(statement, 1, operation);
  sqlite3_bind_int64(statement, 2, limit > INT64_MAX ? INT64_MAX : (sqlite3_int64)limit);
  return list(&store->reader, statement, arena, records, count, err);
}

/* From the last row that was passed on, not behind it: a row that takes the place of the last one gets its number. */
bool ts_sqlite_keys(void *state, uint64_t *mark, ts_store_key_sink *sink, void *user, struct ts_error *err) {
  struct ts_sqlite_store *store = state;
  ts_hold(&store->read_lock);
  sqlite3_stmt *statement = ts_sqlite_get(&store->reader, TS_SQL_KEYS_FROM, err);
  bool row = false;
  bool ok = statement != NULL;
  if (ok) ts_sqlite_bind_number(statement, 1, *mark);
  while (ok && (ok = ts_sqlite_step(&store->reader, statement, &row, reading, err)) && row) {
    struct ts_key key;
    struct ts_key content_key;
    *mark = ts_sqlite_column_number(statement, 0);
    ts_sqlite_column_digest(statement, 1, &key.digest);
    ts_sqlite_column_digest(statement, 2, &content_key.digest);
    sink(user, &key, &content_key);
  }
  return ok;
}
