/* The queue of buckets as rows: each knows whether it may be taken, so that taking is one look into an index.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Of a group's unfinished buckets those of the lowest phase may be taken (READY or HELD), all others are BLOCKED.
 * Adding and finishing keep that true. The numbers of the states are those in statements_int.h. */
#include "store/sqlite/sqlite_int.h"

static const char writing[] = "write buckets";

/* Runs a statement whose first places are the run and two numbers, as far as it has these places. */
static bool run_numbers(struct ts_sqlite_connection *connection, enum ts_sql which, const char *run, uint64_t first,
                        uint64_t second, struct ts_error *err) {
  sqlite3_stmt *statement = ts_sqlite_get(connection, which, err);
  if (!statement) return false;
  const int places = sqlite3_bind_parameter_count(statement);
  ts_sqlite_bind_text(statement, 1, run);
  if (places > 1) ts_sqlite_bind_number(statement, 2, first);
  if (places > 2) ts_sqlite_bind_number(statement, 3, second);
  return ts_sqlite_run(connection, statement, writing, err);
}

static bool insert(struct ts_sqlite_connection *connection, const char *run, const struct ts_bucket_row *row,
                   struct ts_error *err) {
  sqlite3_stmt *statement = ts_sqlite_get(connection, TS_SQL_INSERT_BUCKET, err);
  if (!statement) return false;
  ts_sqlite_bind_text(statement, 1, run);
  ts_sqlite_bind_number(statement, 2, row->number);
  ts_sqlite_bind_number(statement, 3, row->group);
  ts_sqlite_bind_number(statement, 4, row->phase);
  ts_sqlite_bind_text(statement, 5, row->body);
  ts_sqlite_bind_number(statement, 6, row->attempts);
  return ts_sqlite_run(connection, statement, writing, err) &&
         run_numbers(connection, TS_SQL_BLOCK_BUCKETS, run, row->group, row->phase, err);
}

bool ts_sqlite_buckets_add(void *state, const char *run, const struct ts_bucket_row *rows, size_t count,
                           struct ts_error *err) {
  struct ts_sqlite_store *store = state;
  pthread_mutex_lock(&store->write_lock);
  bool ok = ts_sqlite_begin(&store->writer, TS_SQL_BEGIN_WRITE, err);
  if (ok) {
    for (size_t i = 0; ok && i < count; i++) ok = insert(&store->writer, run, &rows[i], err);
    ok = ts_sqlite_end(&store->writer, ok, err);
  }
  pthread_mutex_unlock(&store->write_lock);
  return ok;
}

static void read_bucket(sqlite3_stmt *statement, struct ts_arena *arena, struct ts_bucket_row *row) {
  row->number = ts_sqlite_column_number(statement, 0);
  row->group = ts_sqlite_column_number(statement, 1);
  row->phase = (uint32_t)ts_sqlite_column_number(statement, 2);
  row->body = ts_sqlite_column_text(statement, 3, arena);
  row->attempts = (uint32_t)ts_sqlite_column_number(statement, 4);
}

static bool take(struct ts_sqlite_connection *connection, const char *run, uint64_t worker, struct ts_arena *arena,
                 struct ts_bucket_row *row, bool *taken, struct ts_error *err) {
  sqlite3_stmt *statement = ts_sqlite_get(connection, TS_SQL_TAKE_BUCKET, err);
  if (!statement) return false;
  ts_sqlite_bind_text(statement, 1, run);
  ts_sqlite_bind_number(statement, 2, worker);
  if (!ts_sqlite_step(connection, statement, taken, writing, err)) return false;
  if (!*taken) return true;
  read_bucket(statement, arena, row);
  bool more;
  return ts_sqlite_step(connection, statement, &more, writing, err); /* the change is made at the end of the rows */
}

static bool has_unfinished(struct ts_sqlite_connection *connection, const char *run, bool *answer,
                           struct ts_error *err) {
  sqlite3_stmt *statement = ts_sqlite_get(connection, TS_SQL_UNFINISHED_BUCKET, err);
  if (!statement) return false;
  ts_sqlite_bind_text(statement, 1, run);
  if (!ts_sqlite_step(connection, statement, answer, writing, err)) return false;
  sqlite3_reset(statement);
  return true;
}

enum ts_bucket_take ts_sqlite_bucket_take(void *state, const char *run, uint64_t worker, struct ts_arena *arena,
                                          struct ts_bucket_row *row, struct ts_error *err) {
  struct ts_sqlite_store *store = state;
  bool taken = false;
  bool waits = false;
  pthread_mutex_lock(&store->write_lock);
  bool ok = take(&store->writer, run, worker, arena, row, &taken, err);
  if (ok && !taken) ok = has_unfinished(&store->writer, run, &waits, err);
  pthread_mutex_unlock(&store->write_lock);
  if (!ok) return TS_BUCKET_ERROR;
  return taken ? TS_BUCKET_TAKEN : waits ? TS_BUCKET_WAIT : TS_BUCKET_NONE;
}

static bool finish(struct ts_sqlite_connection *connection, const char *run, uint64_t number, bool *found,
                   struct ts_error *err) {
  sqlite3_stmt *statement = ts_sqlite_get(connection, TS_SQL_FINISH_BUCKET, err);
  if (!statement) return false;
  ts_sqlite_bind_text(statement, 1, run);
  ts_sqlite_bind_number(statement, 2, number);
  if (!ts_sqlite_step(connection, statement, found, writing, err)) return false;
  if (!*found) return true;
  const uint64_t group = ts_sqlite_column_number(statement, 0);
  bool more;
  return ts_sqlite_step(connection, statement, &more, writing, err) &&
         run_numbers(connection, TS_SQL_UNBLOCK_BUCKETS, run, group, 0, err);
}

bool ts_sqlite_bucket_done(void *state, const char *run, uint64_t number, struct ts_error *err) {
  struct ts_sqlite_store *store = state;
  bool found = false;
  pthread_mutex_lock(&store->write_lock);
  bool ok = ts_sqlite_begin(&store->writer, TS_SQL_BEGIN_WRITE, err);
  if (ok) ok = ts_sqlite_end(&store->writer, finish(&store->writer, run, number, &found, err), err);
  pthread_mutex_unlock(&store->write_lock);
  return ok && found;
}

bool ts_sqlite_buckets_give_back(void *state, const char *run, uint64_t worker, size_t *count, struct ts_error *err) {
  struct ts_sqlite_store *store = state;
  pthread_mutex_lock(&store->write_lock);
  const bool ok = run_numbers(&store->writer, TS_SQL_GIVE_BACK_BUCKETS, run, worker, 0, err);
  *count = ok ? (size_t)sqlite3_changes(store->writer.db) : 0;
  pthread_mutex_unlock(&store->write_lock);
  return ok;
}

bool ts_sqlite_buckets_drop(void *state, const char *run, struct ts_error *err) {
  struct ts_sqlite_store *store = state;
  pthread_mutex_lock(&store->write_lock);
  const bool ok = run_numbers(&store->writer, TS_SQL_DROP_BUCKETS, run, 0, 0, err);
  pthread_mutex_unlock(&store->write_lock);
  return ok;
}
