/* Database connections: opening, statements, errors, binding and reading of values.
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/sqlite/sqlite_int.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BUSY_TIMEOUT_MS 10000 /* for other programs that look into the database; ours never block each other */

static const char *const statement_sql[TS_SQL_COUNT] = {
#define X(name, sql) [TS_SQL_##name] = (sql),
    TS_SQL_MAP(X)
#undef X
};

bool ts_sqlite_connection_open(struct ts_sqlite_connection *connection, const char *folder, const char *database,
                               int flags, struct ts_error *err) {
  memset(connection, 0, sizeof *connection);
  connection->folder = folder;
  int rc = sqlite3_open_v2(database, &connection->db, flags | SQLITE_OPEN_NOMUTEX, NULL);
  if (rc == SQLITE_OK) {
    sqlite3_busy_timeout(connection->db, BUSY_TIMEOUT_MS);
    if (ts_sqlite_checksum_define(connection, err)) return true;
  } else {
    ts_sqlite_fail(connection, rc, "be opened", err);
  }
  ts_sqlite_connection_close(connection);
  return false;
}

void ts_sqlite_connection_close(struct ts_sqlite_connection *connection) {
  for (size_t i = 0; i < TS_SQL_COUNT; i++) sqlite3_finalize(connection->statements[i]);
  sqlite3_close(connection->db);
  ts_str_release(&connection->scratch);
  ts_str_release(&connection->covered);
  memset(connection, 0, sizeof *connection);
}

static const char *help_for(int rc) {
  switch (rc & 0xff) {
  case SQLITE_FULL: return "free some space on the disk of the store, or choose another store";
  case SQLITE_CORRUPT:
    return "repair it with 'tessera store verify'; if that does not help, move the folder away: everything in it can "
           "be "
           "computed again";
  case SQLITE_BUSY:
  case SQLITE_LOCKED: return "end the other program that uses the database of the store";
  case SQLITE_READONLY:
  case SQLITE_PERM:
  case SQLITE_CANTOPEN: return "change the permissions of the folder, or choose another store";
  default: return "check the space and the state of the disk, or choose another store";
  }
}

bool ts_sqlite_fail(struct ts_sqlite_connection *connection, int rc, const char *action, struct ts_error *err) {
  if ((rc & 0xff) == SQLITE_NOTADB) {
    ts_fail(err, TS_ERR_STORE_FORMAT, "the folder '%s' holds a file 'store.db' that is not a store",
            connection->folder);
    return ts_error_help(err, "move the file away, or choose another folder for the store");
  }
  const char *reason = connection->db ? sqlite3_errmsg(connection->db) : sqlite3_errstr(rc);
  const bool is_damaged = (rc & 0xff) == SQLITE_CORRUPT;
  if (is_damaged) ts_sqlite_count_damage(connection);
  ts_fail(err, is_damaged ? TS_ERR_STORE_DAMAGED : TS_ERR_STORE, "the store '%s' cannot %s: %s", connection->folder,
          action, reason);
  return ts_error_help(err, "%s", help_for(rc));
}

bool ts_sqlite_execute(struct ts_sqlite_connection *connection, const char *sql, const char *action,
                       struct ts_error *err) {
  int rc = sqlite3_exec(connection->db, sql, NULL, NULL, NULL);
  return rc == SQLITE_OK || ts_sqlite_fail(connection, rc, action, err);
}

sqlite3_stmt *ts_sqlite_get(struct ts_sqlite_connection *connection, enum ts_sql which, struct ts_error *err) {
  sqlite3_stmt **statement = &connection->statements[which];
  if (*statement) return *statement;
  int rc = sqlite3_prepare_v3(connection->db, statement_sql[which], -1, SQLITE_PREPARE_PERSISTENT, statement, NULL);
  if (rc != SQLITE_OK) ts_sqlite_fail(connection, rc, "be used", err);
  return *statement;
}

bool ts_sqlite_run(struct ts_sqlite_connection *connection, sqlite3_stmt *statement, const char *action,
                   struct ts_error *err) {
  int rc = sqlite3_step(statement);
  if (rc == SQLITE_DONE || rc == SQLITE_ROW) {
    sqlite3_reset(statement);
    return true;
  }
  ts_sqlite_fail(connection, rc, action, err);
  sqlite3_reset(statement);
  return false;
}

bool ts_sqlite_step(struct ts_sqlite_connection *connection, sqlite3_stmt *statement, bool *row, const char *action,
                    struct ts_error *err) {
  int rc = sqlite3_step(statement);
  *row = rc == SQLITE_ROW;
  if (*row) return true;
  const bool ok = rc == SQLITE_DONE || ts_sqlite_fail(connection, rc, action, err);
  sqlite3_reset(statement);
  return ok;
}

bool ts_sqlite_begin(struct ts_sqlite_connection *connection, enum ts_sql which, struct ts_error *err) {
  sqlite3_stmt *statement = ts_sqlite_get(connection, which, err);
  return statement && ts_sqlite_run(connection, statement, "be used", err);
}

bool ts_sqlite_end(struct ts_sqlite_connection *connection, bool ok, struct ts_error *err) {
  if (ok) {
    sqlite3_stmt *commit = ts_sqlite_get(connection, TS_SQL_COMMIT, err);
    ok = commit && ts_sqlite_run(connection, commit, "be written", err);
  }
  /* Some failures have rolled back already. */
  if (!ok && !sqlite3_get_autocommit(connection->db)) sqlite3_exec(connection->db, "ROLLBACK", NULL, NULL, NULL);
  return ok;
}

void ts_sqlite_bind_text(sqlite3_stmt *statement, int place, const char *text) {
  sqlite3_bind_text(statement, place, text ? text : "", -1, SQLITE_STATIC);
}

void ts_sqlite_bind_digest(sqlite3_stmt *statement, int place, const struct ts_sha256 *digest) {
  sqlite3_bind_blob(statement, place, digest->bytes, sizeof digest->bytes, SQLITE_STATIC);
}

/* SQLite has signed numbers only; the bits are kept. */
void ts_sqlite_bind_number(sqlite3_stmt *statement, int place, uint64_t number) {
  sqlite3_bind_int64(statement, place, (sqlite3_int64)number);
}

/* SQLite takes NaN for NULL, which the tables refuse. */
void ts_sqlite_bind_real(sqlite3_stmt *statement, int place, double number) {
  sqlite3_bind_double(statement, place, isnan(number) ? 0 : number);
}

const char *ts_sqlite_column_text(sqlite3_stmt *statement, int place, struct ts_arena *arena) {
  const char *text = (const char *)sqlite3_column_text(statement, place);
  return ts_arena_strdup(arena, text ? text : "");
}

void ts_sqlite_column_digest(sqlite3_stmt *statement, int place, struct ts_sha256 *digest) {
  const void *bytes = sqlite3_column_blob(statement, place);
  memset(digest, 0, sizeof *digest);
  if (bytes && sqlite3_column_bytes(statement, place) == (int)sizeof digest->bytes) {
    memcpy(digest->bytes, bytes, sizeof digest->bytes);
  }
}

uint64_t ts_sqlite_column_number(sqlite3_stmt *statement, int place) {
  return (uint64_t)sqlite3_column_int64(statement, place);
}

void ts_sqlite_bind_row(sqlite3_stmt *statement, int first, const struct ts_columns *columns, const void *row) {
  for (size_t i = 0; i < columns->count; i++) {
    const void *member = (const char *)row + columns->items[i].offset;
    const int place = first + (int)i;
    switch (columns->items[i].kind) {
    case TS_COLUMN_TEXT: ts_sqlite_bind_text(statement, place, *(const char *const *)member); break;
    case TS_COLUMN_OPTIONAL: /* NULL stays NULL: the column keeps its value */
      sqlite3_bind_text(statement, place, *(const char *const *)member, -1, SQLITE_STATIC);
      break;
    case TS_COLUMN_RUN_ID: ts_sqlite_bind_text(statement, place, member); break;
    case TS_COLUMN_DIGEST: ts_sqlite_bind_digest(statement, place, member); break;
    case TS_COLUMN_BOOL: sqlite3_bind_int(statement, place, *(const bool *)member); break;
    case TS_COLUMN_I32: sqlite3_bind_int(statement, place, *(const int32_t *)member); break;
    case TS_COLUMN_I64: sqlite3_bind_int64(statement, place, *(const int64_t *)member); break;
    case TS_COLUMN_U64: ts_sqlite_bind_number(statement, place, *(const uint64_t *)member); break;
    case TS_COLUMN_F64: ts_sqlite_bind_real(statement, place, *(const double *)member); break;
    }
  }
}

void ts_sqlite_column_row(sqlite3_stmt *statement, int first, const struct ts_columns *columns, struct ts_arena *arena,
                          void *row) {
  for (size_t i = 0; i < columns->count; i++) {
    void *member = (char *)row + columns->items[i].offset;
    const int place = first + (int)i;
    switch (columns->items[i].kind) {
    case TS_COLUMN_TEXT:
    case TS_COLUMN_OPTIONAL: *(const char **)member = ts_sqlite_column_text(statement, place, arena); break;
    case TS_COLUMN_RUN_ID:
      snprintf(member, TS_RUN_ID_BYTES, "%s", ts_sqlite_column_text(statement, place, arena));
      break;
    case TS_COLUMN_DIGEST: ts_sqlite_column_digest(statement, place, member); break;
    case TS_COLUMN_BOOL: *(bool *)member = sqlite3_column_int(statement, place) != 0; break;
    case TS_COLUMN_I32: *(int32_t *)member = sqlite3_column_int(statement, place); break;
    case TS_COLUMN_I64: *(int64_t *)member = sqlite3_column_int64(statement, place); break;
    case TS_COLUMN_U64: *(uint64_t *)member = ts_sqlite_column_number(statement, place); break;
    case TS_COLUMN_F64: *(double *)member = sqlite3_column_double(statement, place); break;
    }
  }
}
