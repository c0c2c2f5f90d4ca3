/* A connection to a database of SQLite: its prepared statements, transactions, errors, checksums of rows, and the
 * binding and reading of values. It knows nothing of what the tables mean.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_STORE_SQLITE_CONNECTION_H
#define TS_STORE_SQLITE_CONNECTION_H

#include "base/arena.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/str.h"
#include "store/rows.h"
#include "store/sqlite/statements_int.h"

#include <sqlite3.h>
#include <stdbool.h>

/* A database connection with its statements, prepared at their first use. Guarded by the lock of its owner. */
struct ts_sqlite_connection {
  sqlite3 *db;                            /* owned */
  sqlite3_stmt *statements[TS_SQL_COUNT]; /* owned */
  struct ts_str scratch;                  /* bytes bound to the statement that runs */
  struct ts_str covered;                  /* what the last checksum was made of */
  const char *folder;                     /* borrowed from the store; for messages */
  uint64_t damage_count;                  /* rows met that are not what was written; atomic */
};

bool ts_sqlite_connection_open(struct ts_sqlite_connection *connection, const char *folder, const char *database,
                               int flags, struct ts_error *err);
void ts_sqlite_connection_close(struct ts_sqlite_connection *connection);
/* Sets the error that fits the last failure of the connection; returns false. `action` as in "write records". */
bool ts_sqlite_fail(struct ts_sqlite_connection *connection, int rc, const char *action, struct ts_error *err);
/* Runs SQL text without results. */
bool ts_sqlite_execute(struct ts_sqlite_connection *connection, const char *sql, const char *action,
                       struct ts_error *err);
/* The statement, ready for binding; NULL with an error. */
sqlite3_stmt *ts_sqlite_get(struct ts_sqlite_connection *connection, enum ts_sql which, struct ts_error *err);
/* Runs a bound statement that gives no rows, and makes it ready again. */
bool ts_sqlite_run(struct ts_sqlite_connection *connection, sqlite3_stmt *statement, const char *action,
                   struct ts_error *err);
/* Steps to the next row: true with *row set or cleared. At the end and after an error the statement is ready again. */
bool ts_sqlite_step(struct ts_sqlite_connection *connection, sqlite3_stmt *statement, bool *row, const char *action,
                    struct ts_error *err);
/* Ends a transaction: commits if ok, rolls back if not. Returns whether it is committed. */
bool ts_sqlite_begin(struct ts_sqlite_connection *connection, enum ts_sql which, struct ts_error *err);
bool ts_sqlite_end(struct ts_sqlite_connection *connection, bool ok, struct ts_error *err);

/* Binding and reading; the bound memory must live until the statement ran. */
void ts_sqlite_bind_text(sqlite3_stmt *statement, int place, const char *text);
void ts_sqlite_bind_digest(sqlite3_stmt *statement, int place, const struct ts_sha256 *digest);
void ts_sqlite_bind_number(sqlite3_stmt *statement, int place, uint64_t number);
void ts_sqlite_bind_real(sqlite3_stmt *statement, int place, double number);
const char *ts_sqlite_column_text(sqlite3_stmt *statement, int place, struct ts_arena *arena);
void ts_sqlite_column_digest(sqlite3_stmt *statement, int place, struct ts_sha256 *digest);
uint64_t ts_sqlite_column_number(sqlite3_stmt *statement, int place);
/* A whole row, from a place on. Texts that are read go to the arena. */
void ts_sqlite_bind_row(sqlite3_stmt *statement, int first, const struct ts_columns *columns, const void *row);
void ts_sqlite_column_row(sqlite3_stmt *statement, int first, const struct ts_columns *columns, struct ts_arena *arena,
                          void *row);

/* The checksums of rows: see checksum.c. */
/* Gives the connection the SQL function row_checksum: XXH3-64 of its arguments, as a number. */
bool ts_sqlite_checksum_define(struct ts_sqlite_connection *connection, struct ts_error *err);
/* Whether the row that the statement is at is as it was written, by the column that says so; counts one that is
 * not. */
bool ts_sqlite_row_is_sound(struct ts_sqlite_connection *connection, sqlite3_stmt *statement, int place);
void ts_sqlite_count_damage(struct ts_sqlite_connection *connection);

#endif
