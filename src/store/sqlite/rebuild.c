/* Rewriting a damaged database: every sound row is copied, with new indexes, and the copy replaces the database.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Repairing in place would rely on the very pages that are damaged. The copy is made beside the database and then
 * put into it by SQLite's backup, which is one transaction: other processes that read see the old state or the new
 * one. */
#include "base/alloc.h"
#include "base/file.h"
#include "store/access.h"
#include "store/sqlite/verify_int.h"

#include <unistd.h>

/* A table "bucket" that earlier versions made is left out: nothing reads it. */
const struct ts_sqlite_table ts_sqlite_tables[TS_SQLITE_TABLE_COUNT] = {
    {"record", TS_SQL_RECORD_FIELDS, TS_SQL_IS_SOUND(TS_SQL_RECORD_FIELDS), "id"},
    {"product", "digest, size_bytes, packed_bytes, is_there, packed", NULL, "number"},
    {"run", TS_SQL_RUN_FIELDS, TS_SQL_IS_SOUND(TS_SQL_RUN_FIELDS), "number"},
    {"task", TS_SQL_TASK_FIELDS, TS_SQL_IS_SOUND(TS_SQL_TASK_FIELDS), "run, task"},
    {"file_digest", TS_SQL_FILE_FIELDS, TS_SQL_IS_SOUND(TS_SQL_FILE_FIELDS), "device, inode"},
    {"cost", TS_SQL_COST_FIELDS, TS_SQL_IS_SOUND(TS_SQL_COST_FIELDS),
     "operation, implementation, machine, measure, bin"},
};

/* A copy under way: from the damaged database to the fresh one. */
struct copy {
  struct ts_sqlite_connection *from; /* borrowed */
  struct ts_sqlite_connection fresh; /* owned */
  char *path;                        /* owned; of the fresh one */
};

static sqlite3_stmt *prepare(struct ts_sqlite_connection *connection, const char *sql, struct ts_error *err) {
  sqlite3_stmt *statement = NULL;
  const int rc = sqlite3_prepare_v2(connection->db, sql, -1, &statement, NULL);
  if (rc != SQLITE_OK) ts_sqlite_fail(connection, rc, "be repaired", err);
  return statement;
}

/* "a, b" backwards is "a DESC, b DESC". */
static void add_order(struct ts_str *sql, const char *order, bool backwards) {
  for (const char *c = order; *c; c++) {
    if (*c == ',' && backwards) ts_str_add(sql, " DESC");
    ts_str_add_char(sql, *c);
  }
  if (backwards) ts_str_add(sql, " DESC");
}

static sqlite3_stmt *prepare_reading(struct copy *copy, const struct ts_sqlite_table *table, bool backwards,
                                     struct ts_error *err) {
  ts_auto(ts_str_release) struct ts_str sql = {0};
  ts_str_addf(&sql, "SELECT %s, %s FROM %s NOT INDEXED ORDER BY ", table->is_sound ? table->is_sound : "1",
              table->fields, table->name);
  add_order(&sql, table->order, backwards);
  return prepare(copy->from, ts_str_get(&sql), err);
}

static sqlite3_stmt *prepare_writing(struct copy *copy, const struct ts_sqlite_table *table, int columns,
                                     struct ts_error *err) {
  ts_auto(ts_str_release) struct ts_str places = {0}, sql = {0};
  for (int i = 1; i <= columns; i++) ts_str_addf(&places, "%s?%d", i > 1 ? ", " : "", i);
  ts_str_addf(&sql, "INSERT OR IGNORE INTO %s(%s%s) VALUES (%s", table->name, table->fields,
              table->is_sound ? ", checksum" : "", ts_str_get(&places));
  if (table->is_sound) ts_str_addf(&sql, ", row_checksum(%s)", ts_str_get(&places));
  ts_str_add_char(&sql, ')');
  return prepare(&copy->fresh, ts_str_get(&sql), err);
}

/* Copies rows until the end or until they cannot be read on; *is_whole says which. A row that the table refuses is
 * damaged. */
static bool copy_rows(struct copy *copy, sqlite3_stmt *reading, sqlite3_stmt *writing, bool *is_whole,
                      struct ts_error *err) {
  const int columns = sqlite3_column_count(reading) - 1;
  int rc;
  while ((rc = sqlite3_step(reading)) == SQLITE_ROW) {
    if (sqlite3_column_int(reading, 0) != 1) continue;
    for (int i = 1; i <= columns; i++) sqlite3_bind_value(writing, i, sqlite3_column_value(reading, i));
    const int written = sqlite3_step(writing);
    sqlite3_reset(writing);
    if (written != SQLITE_DONE && written != SQLITE_CONSTRAINT && (written & 0xff) != SQLITE_CONSTRAINT) {
      return ts_sqlite_fail(&copy->fresh, written, "be repaired", err);
    }
  }
  *is_whole = rc == SQLITE_DONE;
  return *is_whole || (rc & 0xff) == SQLITE_CORRUPT || ts_sqlite_fail(copy->from, rc, "be repaired", err);
}

/* Behind a page that cannot be read, rows are reached from the other end; those that come twice are ignored. */
static bool copy_table(struct copy *copy, const struct ts_sqlite_table *table, struct ts_error *err) {
  bool is_whole = false;
  bool ok = true;
  for (int backwards = 0; ok && !is_whole && backwards < 2; backwards++) {
    sqlite3_stmt *reading = prepare_reading(copy, table, backwards, err);
    sqlite3_stmt *writing = reading ? prepare_writing(copy, table, sqlite3_column_count(reading) - 1, err) : NULL;
    ok = writing && copy_rows(copy, reading, writing, &is_whole, err);
    sqlite3_finalize(reading);
    sqlite3_finalize(writing);
  }
  return ok;
}

static bool copy_salt(struct copy *copy, const char *salt, struct ts_error *err) {
  sqlite3_stmt *statement = prepare(&copy->fresh, "UPDATE meta SET value = ?1 WHERE name = 'salt'", err);
  if (!statement) return false;
  ts_sqlite_bind_text(statement, 1, salt);
  const bool ok = ts_sqlite_run(&copy->fresh, statement, "be repaired", err);
  sqlite3_finalize(statement);
  return ok;
}

static bool fill(struct copy *copy, const char *salt, struct ts_error *err) {
  if (!ts_sqlite_schema_prepare(&copy->fresh, err) ||
      !ts_sqlite_execute(&copy->fresh, "PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY; BEGIN", "be repaired",
                         err))
    return false;
  bool ok = copy_salt(copy, salt, err);
  for (size_t i = 0; ok && i < TS_SQLITE_TABLE_COUNT; i++) ok = copy_table(copy, &ts_sqlite_tables[i], err);
  return ts_sqlite_end(&copy->fresh, ok, err);
}

static bool put_back(struct copy *copy, struct ts_error *err) {
  sqlite3_backup *backup = sqlite3_backup_init(copy->from->db, "main", copy->fresh.db, "main");
  if (!backup) return ts_sqlite_fail(copy->from, sqlite3_errcode(copy->from->db), "be repaired", err);
  sqlite3_backup_step(backup, -1);
  const int rc = sqlite3_backup_finish(backup);
  return rc == SQLITE_OK || ts_sqlite_fail(copy->from, rc, "be repaired", err);
}

static void remove_files(const char *path) {
  static const char *const endings[] = {"", "-wal", "-shm"};
  for (size_t i = 0; i < 3; i++) {
    ts_auto(ts_str_release) struct ts_str name = {0};
    ts_str_addf(&name, "%s%s", path, endings[i]);
    unlink(ts_str_get(&name));
  }
}

bool ts_sqlite_rebuild(struct ts_sqlite_store *store, struct ts_error *err) {
  ts_auto_free char *folder = ts_path_join(store->objects.folder, "tmp");
  struct copy copy = {.from = &store->writer, .path = ts_path_temporary(folder)};
  const int fd = ts_store_file_open(store->folder, copy.path, err);
  if (fd >= 0) close(fd);
  bool ok = fd >= 0 && ts_sqlite_connection_open(&copy.fresh, store->folder, copy.path, SQLITE_OPEN_READWRITE, err);
  if (ok) {
    ok = fill(&copy, store->salt, err) && put_back(&copy, err);
    ts_sqlite_connection_close(&copy.fresh);
  }
  remove_files(copy.path);
  free(copy.path);
  return ok;
}
