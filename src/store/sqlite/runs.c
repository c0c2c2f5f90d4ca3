/* Runs and what happened to each of their tasks.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"
#include "base/process.h"
#include "store/lock.h"
#include "store/sqlite/sqlite_int.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char writing[] = "write runs";
static const char reading[] = "read runs";

bool ts_sqlite_insert_task(struct ts_sqlite_connection *connection, const char *run, const struct ts_task_row *row,
                           struct ts_error *err) {
  sqlite3_stmt *statement = ts_sqlite_get(connection, TS_SQL_INSERT_TASK, err);
  if (!statement) return false;
  ts_sqlite_bind_text(statement, 1, run);
  ts_sqlite_bind_number(statement, 2, row->task);
  ts_sqlite_bind_text(statement, 3, row->stage);
  ts_sqlite_bind_text(statement, 4, row->name);
  sqlite3_bind_int64(statement, 5, row->set);
  sqlite3_bind_int64(statement, 6, row->unit);
  ts_sqlite_bind_digest(statement, 7, &row->key.digest);
  ts_sqlite_bind_text(statement, 8, row->outcome);
  ts_sqlite_bind_real(statement, 9, row->start_s);
  ts_sqlite_bind_real(statement, 10, row->seconds);
  ts_sqlite_bind_real(statement, 11, row->cpu_seconds);
  sqlite3_bind_int(statement, 12, row->worker);
  ts_sqlite_bind_text(statement, 13, row->message);
  return ts_sqlite_run(connection, statement, writing, err);
}

/* Runs the bound statement in a transaction of its own; *changed says whether it did anything. */
static bool change(struct ts_sqlite_connection *connection, sqlite3_stmt *statement, bool *changed,
                   struct ts_error *err) {
  if (!ts_sqlite_run(connection, statement, writing, err)) return false;
  *changed = sqlite3_changes(connection->db) > 0;
  return true;
}

bool ts_sqlite_run_insert(void *state, const struct ts_store_run *run, struct ts_error *err) {
  struct ts_sqlite_store *store = state;
  bool changed = false;
  pthread_mutex_lock(&store->write_lock);
  sqlite3_stmt *statement = ts_sqlite_get(&store->writer, TS_SQL_INSERT_RUN, err);
  if (statement) {
    ts_sqlite_bind_text(statement, 1, run->row.id);
    ts_sqlite_bind_text(statement, 2, run->row.command);
    ts_sqlite_bind_text(statement, 3, run->row.file);
    ts_sqlite_bind_text(statement, 4, run->row.state);
    sqlite3_bind_int64(statement, 5, run->row.started_unix_ns);
    sqlite3_bind_int64(statement, 6, run->row.finished_unix_ns);
    ts_sqlite_bind_text(statement, 7, run->row.settings_json);
    ts_sqlite_bind_text(statement, 8, run->row.result_json);
    sqlite3_bind_int64(statement, 9, run->row.process_id);
    ts_sqlite_bind_text(statement, 10, run->process);
    if (!change(&store->writer, statement, &changed, err)) changed = false;
  }
  pthread_mutex_unlock(&store->write_lock);
  return changed;
}

/* NULL stays NULL: the column keeps its value. */
static void bind_optional_text(sqlite3_stmt *statement, int place, const char *text) {
  sqlite3_bind_text(statement, place, text, -1, SQLITE_STATIC);
}

bool ts_sqlite_run_update(void *state, const struct ts_store_run_change *wanted, struct ts_error *err) {
  struct ts_sqlite_store *store = state;
  bool changed = false;
  if (!ts_store_lock_check(store->lock_fd, store->folder, err)) return false;
  pthread_mutex_lock(&store->write_lock);
  sqlite3_stmt *statement = ts_sqlite_get(&store->writer, TS_SQL_UPDATE_RUN, err);
  if (statement) {
    ts_sqlite_bind_text(statement, 1, wanted->id);
    ts_sqlite_bind_text(statement, 2, wanted->state);
    bind_optional_text(statement, 3, wanted->result_json);
    sqlite3_bind_int64(statement, 4, wanted->finished_unix_ns);
    sqlite3_bind_int64(statement, 5, wanted->process_id);
    bind_optional_text(statement, 6, wanted->process);
    if (!change(&store->writer, statement, &changed, err)) changed = false;
  }
  pthread_mutex_unlock(&store->write_lock);
  return changed;
}

static void read_run(sqlite3_stmt *statement, struct ts_arena *arena, void *to) {
  struct ts_store_run *run = to;
  memset(run, 0, sizeof *run);
  snprintf(run->row.id, sizeof run->row.id, "%s", ts_sqlite_column_text(statement, 0, arena));
  run->row.command = ts_sqlite_column_text(statement, 1, arena);
  run->row.file = ts_sqlite_column_text(statement, 2, arena);
  run->row.state = ts_sqlite_column_text(statement, 3, arena);
  run->row.started_unix_ns = sqlite3_column_int64(statement, 4);
  run->row.finished_unix_ns = sqlite3_column_int64(statement, 5);
  run->row.settings_json = ts_sqlite_column_text(statement, 6, arena);
  run->row.result_json = ts_sqlite_column_text(statement, 7, arena);
  run->row.process_id = sqlite3_column_int64(statement, 8);
  run->process = ts_sqlite_column_text(statement, 9, arena);
}

static void read_task(sqlite3_stmt *statement, struct ts_arena *arena, void *to) {
  struct ts_task_row *row = to;
  memset(row, 0, sizeof *row);
  row->task = ts_sqlite_column_number(statement, 1); /* after the run */
  row->stage = ts_sqlite_column_text(statement, 2, arena);
  row->name = ts_sqlite_column_text(statement, 3, arena);
  row->set = sqlite3_column_int64(statement, 4);
  row->unit = sqlite3_column_int64(statement, 5);
  ts_sqlite_column_digest(statement, 6, &row->key.digest);
  row->outcome = ts_sqlite_column_text(statement, 7, arena);
  row->start_s = sqlite3_column_double(statement, 8);
  row->seconds = sqlite3_column_double(statement, 9);
  row->cpu_seconds = sqlite3_column_double(statement, 10);
  row->worker = sqlite3_column_int(statement, 11);
  row->message = ts_sqlite_column_text(statement, 12, arena);
}

typedef void (*row_reader)(sqlite3_stmt *statement, struct ts_arena *arena, void *row);

/* All sound rows of a statement, whose last column says that they are sound, each of row_bytes, in the arena. */
static bool list_rows(struct ts_sqlite_connection *connection, sqlite3_stmt *statement, row_reader read,
                      size_t row_bytes, struct ts_arena *arena, void **rows, size_t *count, struct ts_error *err) {
  ts_auto_free char *found = NULL;
  size_t capacity = 0;
  bool row;
  while (ts_sqlite_step(connection, statement, &row, reading, err)) {
    if (!row) {
      *rows = ts_arena_memdup(arena, found, *count * row_bytes);
      return true;
    }
    if (!ts_sqlite_row_is_sound(connection, statement, sqlite3_column_count(statement) - 1)) continue;
    found = ts_grow(found, *count, &capacity, row_bytes);
    read(statement, arena, found + (*count)++ * row_bytes);
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

bool ts_sqlite_run_list(void *state, struct ts_arena *arena, struct ts_store_run **runs, size_t *count,
                        struct ts_error *err) {
  struct ts_sqlite_store *store = state;
  void *rows = NULL;
  *count = 0;
  pthread_mutex_lock(&store->read_lock);
  sqlite3_stmt *statement = ts_sqlite_get(&store->reader, TS_SQL_LIST_RUNS, err);
  const bool ok = statement && list_rows(&store->reader, statement, read_run, sizeof **runs, arena, &rows, count, err);
  pthread_mutex_unlock(&store->read_lock);
  *runs = rows;
  return ok;
}

bool ts_sqlite_task_list(void *state, const char *run, struct ts_arena *arena, struct ts_task_row **rows, size_t *count,
                         struct ts_error *err) {
  struct ts_sqlite_store *store = state;
  void *found = NULL;
  *count = 0;
  pthread_mutex_lock(&store->read_lock);
  sqlite3_stmt *statement = ts_sqlite_get(&store->reader, TS_SQL_LIST_TASKS, err);
  bool ok = statement != NULL;
  if (ok) {
    ts_sqlite_bind_text(statement, 1, run);
    ok = list_rows(&store->reader, statement, read_task, sizeof **rows, arena, &found, count, err);
  }
  pthread_mutex_unlock(&store->read_lock);
  *rows = found;
  return ok;
}
