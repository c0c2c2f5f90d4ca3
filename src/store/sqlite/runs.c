/* Runs and what happened to each of their tasks.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"
#include "base/lock.h"
#include "base/process/process.h"
#include "store/lock.h"
#include "store/sqlite/sqlite_int.h"

#include <string.h>
#include <unistd.h>

static const char writing[] = "write runs";
static const char reading[] = "read runs";

bool ts_sqlite_insert_task(struct ts_sqlite_connection *connection, const char *run, const struct ts_task_row *row,
                           struct ts_error *err) {
  sqlite3_stmt *statement = ts_sqlite_get(connection, TS_SQL_INSERT_TASK, err);
  if (!statement) return false;
  ts_sqlite_bind_text(statement, 1, run);
  ts_sqlite_bind_row(statement, 2, &ts_task_columns, row);
  return ts_sqlite_run(connection, statement, writing, err);
}

/* Runs a statement with a row in a transaction of its own; whether it changed anything. */
static bool change(struct ts_sqlite_store *store, enum ts_sql which, const struct ts_columns *columns, const void *row,
                   struct ts_error *err) {
  ts_hold(&store->write_lock);
  sqlite3_stmt *statement = ts_sqlite_get(&store->writer, which, err);
  if (!statement) return false;
  ts_sqlite_bind_row(statement, 1, columns, row);
  return ts_sqlite_run(&store->writer, statement, writing, err) && sqlite3_changes(store->writer.db) > 0;
}

bool ts_sqlite_run_insert(void *state, const struct ts_store_run *run, struct ts_error *err) {
  return change(state, TS_SQL_INSERT_RUN, &ts_run_columns, run, err);
}

bool ts_sqlite_run_update(void *state, const struct ts_store_run_change *wanted, struct ts_error *err) {
  struct ts_sqlite_store *store = state;
  return ts_store_lock_check(store->lock_fd, store->folder, err) &&
         change(store, TS_SQL_UPDATE_RUN, &ts_run_change_columns, wanted, err);
}

/* What a listing reads: rows of so many bytes, whose columns begin at a place, at most `limit`. */
struct listing {
  const struct ts_columns *columns;
  int first;
  size_t row_bytes;
  size_t limit;
};

/* The sound rows of a statement, whose last column says that they are sound, in the arena. The limit is not SQLite's:
 * only sound rows count, so that fewer rows than the limit always mean that there are no more. */
static bool list_rows(struct ts_sqlite_connection *connection, sqlite3_stmt *statement, const struct listing *listing,
                      struct ts_arena *arena, void **rows, size_t *count, struct ts_error *err) {
  ts_auto_free char *found = NULL;
  size_t capacity = 0;
  bool row;
  while (ts_sqlite_step(connection, statement, &row, reading, err)) {
    if (!row || *count == listing->limit) {
      sqlite3_reset(statement);
      *rows = ts_arena_memdup(arena, found, *count * listing->row_bytes);
      return true;
    }
    if (!ts_sqlite_row_is_sound(connection, statement, sqlite3_column_count(statement) - 1)) continue;
    found = ts_grow(found, *count, &capacity, listing->row_bytes);
    char *next = found + (*count)++ * listing->row_bytes;
    memset(next, 0, listing->row_bytes);
    ts_sqlite_column_row(statement, listing->first, listing->columns, arena, next);
  }
  return false;
}

/* Who holds the lock is the only one: for a store that is open for writing here that is this process. */
bool ts_sqlite_is_written_by(void *state, int64_t process_id, const char *process) {
  const struct ts_sqlite_store *store = state;
  char own[TS_PROCESS_IDENTITY_SIZE] = "";
  if (store->read_only) return ts_store_lock_is_held_by(store->folder, process_id, process);
  return process_id == getpid() && ts_process_identity(getpid(), own) && strcmp(own, process) == 0;
}

/* `run` and `since` are the values of the statement; NULL: it has none. */
static bool list(struct ts_sqlite_store *store, enum ts_sql which, const char *run, uint64_t since,
                 const struct listing *listing, struct ts_arena *arena, void **rows, size_t *count,
                 struct ts_error *err) {
  *rows = NULL;
  *count = 0;
  ts_hold(&store->read_lock);
  sqlite3_stmt *statement = ts_sqlite_get(&store->reader, which, err);
  if (!statement) return false;
  if (run) ts_sqlite_bind_text(statement, 1, run);
  if (run) ts_sqlite_bind_number(statement, 2, since < INT64_MAX ? since : INT64_MAX);
  return list_rows(&store->reader, statement, listing, arena, rows, count, err);
}

bool ts_sqlite_run_list(void *state, struct ts_arena *arena, struct ts_store_run **runs, size_t *count,
                        struct ts_error *err) {
  const struct listing listing = {&ts_run_columns, 0, sizeof **runs, SIZE_MAX};
  void *rows;
  const bool ok = list(state, TS_SQL_LIST_RUNS, NULL, 0, &listing, arena, &rows, count, err);
  *runs = rows;
  return ok;
}

bool ts_sqlite_task_list(void *state, const char *run, uint64_t since, size_t limit, struct ts_arena *arena,
                         struct ts_task_row **rows, size_t *count, struct ts_error *err) {
  const struct listing listing = {&ts_task_columns, 1, sizeof **rows, limit}; /* after the run */
  void *found;
  const bool ok = list(state, TS_SQL_LIST_TASKS, run, since, &listing, arena, &found, count, err);
  *rows = found;
  return ok;
}

/* A damaged row may have any number: those behind it must not follow that one. */
bool ts_sqlite_task_end(void *state, const char *run, uint64_t *end, struct ts_error *err) {
  struct ts_sqlite_store *store = state;
  bool row = true, ok;
  *end = 0;
  ts_hold(&store->read_lock);
  sqlite3_stmt *statement = ts_sqlite_get(&store->reader, TS_SQL_LAST_TASKS, err);
  if (!statement) return false;
  ts_sqlite_bind_text(statement, 1, run);
  do ok = ts_sqlite_step(&store->reader, statement, &row, reading, err);
  while (ok && row && !ts_sqlite_row_is_sound(&store->reader, statement, 1));
  if (ok && row) *end = ts_sqlite_column_number(statement, 0) + 1;
  sqlite3_reset(statement);
  return ok;
}
