/* What operations cost: rows of samples, replaced whole after each run, if they are still those that it has read.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"
#include "base/lock.h"
#include "store/sqlite/sqlite_int.h"

#include <string.h>

static struct ts_cost_row read_row(sqlite3_stmt *statement, struct ts_arena *arena) {
  struct ts_cost_row row = {.operation = ts_sqlite_column_text(statement, 0, arena),
                            .machine = ts_sqlite_column_text(statement, 2, arena),
                            .measure = ts_sqlite_column_text(statement, 3, arena),
                            .bin = sqlite3_column_int(statement, 4),
                            .calls = ts_sqlite_column_number(statement, 5),
                            .asked = ts_sqlite_column_number(statement, 6),
                            .cut = ts_sqlite_column_number(statement, 7),
                            .updated_unix_ns = sqlite3_column_int64(statement, 9)};
  ts_sqlite_column_digest(statement, 1, &row.implementation);
  const void *samples = sqlite3_column_blob(statement, 8);
  row.samples_bytes = samples ? (size_t)sqlite3_column_bytes(statement, 8) : 0;
  row.samples = ts_arena_memdup(arena, samples ? samples : "", row.samples_bytes);
  return row;
}

/* Under read_lock. */
static bool read_rows(struct ts_sqlite_connection *connection, struct ts_arena *arena, struct ts_cost_row **rows,
                      size_t *count, struct ts_error *err) {
  ts_auto_free struct ts_cost_row *found = NULL;
  size_t capacity = 0;
  bool row = false;
  sqlite3_stmt *statement = ts_sqlite_get(connection, TS_SQL_LIST_COSTS, err);
  if (!statement) return false;
  while (ts_sqlite_step(connection, statement, &row, "read costs", err) && row) {
    if (!ts_sqlite_row_is_sound(connection, statement, sqlite3_column_count(statement) - 1)) continue;
    found = ts_grow(found, *count, &capacity, sizeof *found);
    found[(*count)++] = read_row(statement, arena);
  }
  if (row) return false;
  *rows = ts_arena_array(arena, *count, sizeof **rows);
  if (*count > 0) memcpy(*rows, found, *count * sizeof **rows);
  return true;
}

bool ts_sqlite_cost_list(void *state, struct ts_arena *arena, struct ts_cost_row **rows, size_t *count,
                         struct ts_error *err) {
  struct ts_sqlite_store *store = state;
  struct ts_error trouble = {0};
  *rows = NULL;
  *count = 0;
  pthread_mutex_lock(&store->read_lock);
  const bool ok = read_rows(&store->reader, arena, rows, count, &trouble);
  pthread_mutex_unlock(&store->read_lock);
  if (trouble.code == TS_ERR_OK) return ok;
  *count = 0;
  if (err && err->code == TS_ERR_OK) *err = trouble;
  return false;
}

static void bind_key(sqlite3_stmt *statement, const struct ts_cost_row *row) {
  ts_sqlite_bind_text(statement, 1, row->operation);
  ts_sqlite_bind_digest(statement, 2, &row->implementation);
  ts_sqlite_bind_text(statement, 3, row->machine);
  ts_sqlite_bind_text(statement, 4, row->measure);
  sqlite3_bind_int(statement, 5, row->bin);
}

/* Whether there is a sound row of the same key that the new one does not know. */
static bool check_seen(struct ts_sqlite_connection *connection, const struct ts_cost_row *row, bool *outdated,
                       struct ts_error *err) {
  bool found = false;
  sqlite3_stmt *statement = ts_sqlite_get(connection, TS_SQL_FIND_COST, err);
  if (!statement) return false;
  bind_key(statement, row);
  if (!ts_sqlite_step(connection, statement, &found, "read costs", err)) return false;
  if (found && sqlite3_column_int(statement, 2))
    *outdated = *outdated || ts_sqlite_column_number(statement, 0) != row->seen_calls ||
                ts_sqlite_column_number(statement, 1) != row->seen_asked;
  sqlite3_reset(statement);
  return true;
}

static bool put_row(struct ts_sqlite_connection *connection, const struct ts_cost_row *row, struct ts_error *err) {
  sqlite3_stmt *statement = ts_sqlite_get(connection, TS_SQL_PUT_COST, err);
  if (!statement) return false;
  bind_key(statement, row);
  ts_sqlite_bind_number(statement, 6, row->calls);
  ts_sqlite_bind_number(statement, 7, row->asked);
  ts_sqlite_bind_number(statement, 8, row->cut);
  sqlite3_bind_blob(statement, 9, row->samples ? row->samples : "", (int)row->samples_bytes, SQLITE_STATIC);
  sqlite3_bind_int64(statement, 10, row->updated_unix_ns);
  return ts_sqlite_run(connection, statement, "write costs", err);
}

bool ts_sqlite_cost_put(void *state, const struct ts_cost_row *rows, size_t count, bool *outdated,
                        struct ts_error *err) {
  struct ts_sqlite_store *store = state;
  ts_hold(&store->write_lock);
  if (!ts_sqlite_begin(&store->writer, TS_SQL_BEGIN_WRITE, err)) return false;
  bool ok = true;
  for (size_t i = 0; ok && i < count; i++) ok = check_seen(&store->writer, &rows[i], outdated, err);
  for (size_t i = 0; ok && !*outdated && i < count; i++) ok = put_row(&store->writer, &rows[i], err);
  return ts_sqlite_end(&store->writer, ok, err);
}
