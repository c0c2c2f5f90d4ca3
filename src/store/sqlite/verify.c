/* Verifying a database: its form by SQLite, its rows by their checksums; a new one gets only the sound rows.
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/verify.h"
#include "base/alloc.h"
#include "base/lock.h"
#include "store/sqlite/verify_int.h"

#include <string.h>

/* The numbers of the first row, or is_readable false if it is damage that keeps them from being read. */
struct answer {
  bool is_readable;
  sqlite3_int64 numbers[2];
  bool is_ok; /* the first column is the text "ok" */
};

static bool ask(struct ts_sqlite_connection *connection, const char *sql, struct answer *answer, struct ts_error *err) {
  sqlite3_stmt *statement = NULL;
  *answer = (struct answer){.is_readable = true};
  int rc = sqlite3_prepare_v2(connection->db, sql, -1, &statement, NULL);
  if (rc == SQLITE_OK) rc = sqlite3_step(statement);
  if (rc == SQLITE_ROW) {
    const char *text = (const char *)sqlite3_column_text(statement, 0);
    answer->is_ok = text && strcmp(text, "ok") == 0;
    for (int i = 0; i < sqlite3_column_count(statement) && i < 2; i++)
      answer->numbers[i] = sqlite3_column_int64(statement, i);
  }
  sqlite3_finalize(statement);
  answer->is_readable = rc == SQLITE_ROW;
  return rc == SQLITE_ROW || (rc & 0xff) == SQLITE_CORRUPT || ts_sqlite_fail(connection, rc, "be verified", err);
}

/* How many rows there are, and how many of them are damaged; adds both. False in *is_whole if some cannot be read. */
static bool count_rows(struct ts_sqlite_connection *connection, bool *is_whole, struct ts_store_verification *found,
                       struct ts_error *err) {
  *is_whole = true;
  for (size_t i = 0; i < TS_SQLITE_TABLE_COUNT; i++) {
    const struct ts_sqlite_table *table = &ts_sqlite_tables[i];
    ts_auto(ts_str_release) struct ts_str sql = {0};
    struct answer answer;
    ts_str_addf(&sql, "SELECT count(*), coalesce(sum(NOT %s), 0) FROM %s NOT INDEXED",
                table->is_sound ? table->is_sound : "1", table->name);
    if (!ask(connection, ts_str_get(&sql), &answer, err)) return false;
    *is_whole = *is_whole && answer.is_readable;
    found->rows += (uint64_t)answer.numbers[0];
    found->damaged_rows += (uint64_t)answer.numbers[1];
  }
  return true;
}

static bool has_sound_form(struct ts_sqlite_connection *connection, bool *is_sound, struct ts_error *err) {
  struct answer answer;
  if (!ask(connection, "PRAGMA integrity_check(1)", &answer, err)) return false;
  *is_sound = answer.is_readable && answer.is_ok;
  return true;
}

static bool fail_repair(const struct ts_sqlite_store *store, struct ts_error *err) {
  ts_fail(err, TS_ERR_STORE_DAMAGED, "the store '%s' is damaged and could not be repaired", store->folder);
  return ts_error_help(err, "move the folder away: everything in it can be computed again");
}

/* Under write_lock. */
static bool repair(struct ts_sqlite_store *store, struct ts_store_verification *found, struct ts_error *err) {
  struct ts_store_verification after = {0};
  bool is_whole = false;
  bool is_sound = false;
  if (!ts_sqlite_rebuild(store, err) || !has_sound_form(&store->writer, &is_sound, err) ||
      !count_rows(&store->writer, &is_whole, &after, err))
    return false;
  found->was_rebuilt = true;
  /* Rows that could not be read were not counted as damaged, those that could were. */
  if (found->rows < after.rows) found->rows = after.rows;
  if (found->rows - after.rows > found->damaged_rows) found->damaged_rows = found->rows - after.rows;
  return (is_whole && is_sound && after.damaged_rows == 0) || fail_repair(store, err);
}

bool ts_sqlite_verify(void *state, struct ts_store_verification *found, struct ts_error *err) {
  struct ts_sqlite_store *store = state;
  bool is_whole = false;
  bool is_sound = false;
  ts_hold(&store->write_lock);
  bool ok = has_sound_form(&store->writer, &is_sound, err) && count_rows(&store->writer, &is_whole, found, err);
  if (ok && (!is_sound || !is_whole || found->damaged_rows > 0)) ok = repair(store, found, err);
  return ok;
}

/* Whether a row says that the bytes of this product lie in a file. */
static bool is_file_of_row(void *user, const struct ts_sha256 *digest) {
  struct ts_sqlite_connection *connection = user;
  struct ts_error ignored = {0}; /* what cannot be asked for is kept */
  bool found = true;
  sqlite3_stmt *statement = ts_sqlite_get(connection, TS_SQL_HAS_FILE, &ignored);
  if (!statement) return true;
  ts_sqlite_bind_digest(statement, 1, digest);
  if (!ts_sqlite_step(connection, statement, &found, "be verified", &ignored)) return true;
  sqlite3_reset(statement);
  return found;
}

bool ts_sqlite_sweep(void *state, struct ts_store_verification *found, struct ts_error *err) {
  struct ts_sqlite_store *store = state;
  struct ts_objects_counts counts = {0};
  pthread_mutex_lock(&store->write_lock);
  const bool ok = ts_objects_sweep(&store->objects, is_file_of_row, &store->writer, &counts, err);
  pthread_mutex_unlock(&store->write_lock);
  found->files = counts.kept;
  found->removed_files = counts.removed;
  return ok;
}

bool ts_sqlite_drop(void *state, const struct ts_key *key, struct ts_error *err) {
  struct ts_sqlite_store *store = state;
  ts_hold(&store->write_lock);
  sqlite3_stmt *statement = ts_sqlite_get(&store->writer, TS_SQL_DROP_RECORD, err);
  if (!statement) return false;
  ts_sqlite_bind_digest(statement, 1, &key->digest);
  return ts_sqlite_run(&store->writer, statement, "remove a record", err);
}
