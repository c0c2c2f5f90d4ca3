/* The tables of a store, and the check that a database is one.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Rows are appended; only the indexes by key and digest are hit at random places. docs/store.md explains the tables. */
#include "base/alloc.h"
#include "store/sqlite/sqlite_int.h"

#include <string.h>

#define TEXT_OF(number)     #number
#define NUMBER_TEXT(number) TEXT_OF(number)
#define APPLICATION_ID      1952805747 /* "tess" */
#define APPLICATION_TEXT    NUMBER_TEXT(APPLICATION_ID)
#define SCHEMA_TEXT         NUMBER_TEXT(TS_SQLITE_SCHEMA)

/* A change of the tables takes a new number. The last column of most tables is the checksum of checksum.c; products
 * have a digest instead. Earlier versions also made a table "bucket" in this schema; it is neither read nor written. */
static const char schema[] =
    "PRAGMA application_id = " APPLICATION_TEXT ";"
    "CREATE TABLE meta(name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) STRICT, WITHOUT ROWID;"
    "INSERT INTO meta VALUES ('schema', '" SCHEMA_TEXT "'), ('salt', '');"

    "CREATE TABLE record(id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, content_key BLOB NOT NULL,"
    " is_alias INTEGER NOT NULL, operation TEXT NOT NULL, parameters TEXT NOT NULL, implementation BLOB NOT NULL,"
    " numeric TEXT NOT NULL, seconds REAL NOT NULL, peak_bytes INTEGER NOT NULL, run TEXT NOT NULL,"
    " producer TEXT NOT NULL, made_unix_ns INTEGER NOT NULL, inputs BLOB NOT NULL, outputs BLOB NOT NULL,"
    " checksum INTEGER) STRICT;"
    "CREATE INDEX record_content ON record(content_key, is_alias);"

    "CREATE TABLE product(number INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, size_bytes INTEGER NOT NULL,"
    " packed_bytes INTEGER NOT NULL, is_there INTEGER NOT NULL, packed BLOB) STRICT;"

    "CREATE TABLE run(number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, command TEXT NOT NULL, file TEXT NOT NULL,"
    " state TEXT NOT NULL, started_unix_ns INTEGER NOT NULL, finished_unix_ns INTEGER NOT NULL,"
    " settings TEXT NOT NULL, result TEXT NOT NULL, process_id INTEGER NOT NULL, process TEXT NOT NULL,"
    " checksum INTEGER) STRICT;"

    "CREATE TABLE task(run TEXT NOT NULL, task INTEGER NOT NULL, stage TEXT NOT NULL, name TEXT NOT NULL,"
    " parameter_set INTEGER NOT NULL, unit INTEGER NOT NULL, key BLOB NOT NULL, outcome TEXT NOT NULL,"
    " start_s REAL NOT NULL, seconds REAL NOT NULL, cpu_seconds REAL NOT NULL, worker INTEGER NOT NULL,"
    " message TEXT NOT NULL, checksum INTEGER, PRIMARY KEY (run, task)) STRICT, WITHOUT ROWID;"

    "CREATE TABLE file_digest(device INTEGER NOT NULL, inode INTEGER NOT NULL, size_bytes INTEGER NOT NULL,"
    " mtime_ns INTEGER NOT NULL, ctime_ns INTEGER NOT NULL, digest BLOB NOT NULL, checksum INTEGER,"
    " PRIMARY KEY (device, inode)) STRICT, WITHOUT ROWID;"

    "CREATE TABLE cost(operation TEXT NOT NULL, implementation BLOB NOT NULL, machine TEXT NOT NULL,"
    " measure TEXT NOT NULL, bin INTEGER NOT NULL, calls INTEGER NOT NULL, asked INTEGER NOT NULL,"
    " cut INTEGER NOT NULL, samples BLOB NOT NULL, updated_unix_ns INTEGER NOT NULL, checksum INTEGER,"
    " PRIMARY KEY (operation, implementation, machine, measure, bin)) STRICT, WITHOUT ROWID;";

/* Runs a query that gives one text; "" if it gives no row. Used while opening only, so not prepared for good. */
static bool query_text(struct ts_sqlite_connection *connection, const char *sql, char **text, struct ts_error *err) {
  sqlite3_stmt *statement = NULL;
  int rc = sqlite3_prepare_v2(connection->db, sql, -1, &statement, NULL);
  if (rc == SQLITE_OK) rc = sqlite3_step(statement);
  if (rc != SQLITE_ROW && rc != SQLITE_DONE) {
    ts_sqlite_fail(connection, rc, "be opened", err);
    sqlite3_finalize(statement);
    return false;
  }
  const char *value = rc == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL;
  *text = ts_strdup(value ? value : "");
  sqlite3_finalize(statement);
  return true;
}

static bool query_number(struct ts_sqlite_connection *connection, const char *sql, int64_t *number,
                         struct ts_error *err) {
  ts_auto_free char *text = NULL;
  if (!query_text(connection, sql, &text, err)) return false;
  if (!ts_parse_int64(text, number)) *number = 0;
  return true;
}

static bool fail_foreign(const struct ts_sqlite_connection *connection, struct ts_error *err) {
  ts_fail(err, TS_ERR_STORE_FORMAT, "the folder '%s' holds a database of another program", connection->folder);
  return ts_error_help(err, "choose another folder for the store");
}

static bool check_version(struct ts_sqlite_connection *connection, struct ts_error *err) {
  int64_t number;
  if (!query_number(connection, "SELECT value FROM meta WHERE name = 'schema'", &number, err)) return false;
  if (number == TS_SQLITE_SCHEMA) return true;
  ts_fail(err, TS_ERR_STORE_FORMAT, "the store '%s' has schema %lld, this program knows only schema %d",
          connection->folder, (long long)number, TS_SQLITE_SCHEMA);
  return ts_error_help(err, "use the version of the program that made the store, or choose another store");
}

/* Whether the database holds nothing at all, as a new file does. */
static bool is_new(struct ts_sqlite_connection *connection, bool *answer, struct ts_error *err) {
  int64_t application = 0;
  int64_t tables = 0;
  if (!query_number(connection, "PRAGMA application_id", &application, err)) return false;
  if (!query_number(connection, "SELECT count(*) FROM sqlite_master", &tables, err)) return false;
  *answer = tables == 0 && application == 0;
  return *answer || application == APPLICATION_ID || fail_foreign(connection, err);
}

bool ts_sqlite_schema_check(struct ts_sqlite_connection *connection, struct ts_error *err) {
  bool empty = false;
  if (!is_new(connection, &empty, err)) return false;
  if (!empty) return check_version(connection, err);
  ts_fail(err, TS_ERR_FILE_NOT_FOUND, "the store '%s' is empty: nothing has been run with it", connection->folder);
  return ts_error_help(err, "run a workflow or study first, or name another store");
}

bool ts_sqlite_schema_prepare(struct ts_sqlite_connection *connection, struct ts_error *err) {
  bool empty = false;
  if (!is_new(connection, &empty, err)) return false;
  if (!empty && !check_version(connection, err)) return false;
  /* Most products take several pages of the usual size, and each costs two calls of the system. */
  if (empty && !ts_sqlite_execute(connection, "PRAGMA page_size = 16384", "be made", err)) return false;
  ts_auto_free char *mode = NULL;
  if (!query_text(connection, "PRAGMA journal_mode = WAL", &mode, err)) return false;
  if (strcmp(mode, "wal") != 0) {
    ts_fail(err, TS_ERR_STORE, "the file system of the store '%s' lacks shared memory", connection->folder);
    return ts_error_help(err, "choose a folder on a disk of this machine");
  }
  if (!empty) return true;
  if (!ts_sqlite_begin(connection, TS_SQL_BEGIN_WRITE, err)) return false;
  return ts_sqlite_end(connection, ts_sqlite_execute(connection, schema, "be made", err), err);
}

bool ts_sqlite_read_salt(struct ts_sqlite_connection *connection, char **salt, struct ts_error *err) {
  return query_text(connection, "SELECT value FROM meta WHERE name = 'salt'", salt, err);
}
