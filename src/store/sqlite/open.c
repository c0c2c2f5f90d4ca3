/* Opening and closing of a SQLite store: folder, lock, connections.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"
#include "base/file.h"
#include "store/access.h"
#include "store/filesystem.h"
#include "store/lock.h"
#include "store/sqlite/sqlite_int.h"

#include <string.h>
#include <unistd.h>

/* A commit goes to the log by write(2), which outlives the process; the disk is waited for at checkpoints only, so that
 * a crash of the machine may lose the last batches but damages nothing. Large logs and caches save rewriting the pages
 * of the indexes, which are hit at random places. */
static const char writer_sql[] = "PRAGMA synchronous = NORMAL;"
                                 "PRAGMA wal_autocheckpoint = 4096;"
                                 "PRAGMA journal_size_limit = 67108864;"
                                 "PRAGMA cache_size = -65536;"
                                 "PRAGMA cell_size_check = ON;"
                                 "PRAGMA temp_store = MEMORY;";
static const char reader_sql[] = "PRAGMA query_only = ON;"
                                 "PRAGMA cache_size = -16384;"
                                 "PRAGMA cell_size_check = ON;"
                                 "PRAGMA temp_store = MEMORY;";

static bool open_reader(struct ts_sqlite_store *store, const char *database, int flags, struct ts_error *err) {
  return ts_sqlite_connection_open(&store->reader, store->folder, database, SQLITE_OPEN_READONLY | flags, err) &&
         ts_sqlite_execute(&store->reader, reader_sql, "be read", err);
}

static bool prepare_folder(const struct ts_sqlite_store *store, struct ts_error *err) {
  if (ts_file_exists(store->folder) && !ts_folder_exists(store->folder)) {
    ts_fail(err, TS_ERR_STORE, "'%s' is a file, but a store is a folder", store->folder);
    return ts_error_help(err, "name a folder; it is created if it does not exist");
  }
  return ts_filesystem_check_local(store->folder, err) && ts_store_folder_create(store->folder, err);
}

/* SQLite gives the files beside the database the permissions that it finds. */
static bool prepare_database(const struct ts_sqlite_store *store, struct ts_error *err) {
  const int fd = ts_store_file_open(store->folder, store->database, err);
  if (fd >= 0) close(fd);
  return fd >= 0;
}

static bool open_writing(struct ts_sqlite_store *store, struct ts_error *err) {
  if (!prepare_folder(store, err)) return false;
  store->lock_fd = ts_store_lock_open(store->folder, err);
  if (store->lock_fd < 0) return false;
  const int flags = SQLITE_OPEN_READWRITE;
  return prepare_database(store, err) &&
         ts_sqlite_connection_open(&store->writer, store->folder, store->database, flags, err) &&
         ts_sqlite_schema_prepare(&store->writer, err) &&
         ts_sqlite_execute(&store->writer, writer_sql, "be opened", err) &&
         ts_objects_open(&store->objects, store->folder, err) && open_reader(store, store->database, 0, err);
}

/* "file:PATH?immutable=1" with the path's odd characters encoded. */
static char *immutable_uri(const char *path) {
  struct ts_str uri = {0};
  ts_str_add(&uri, "file:");
  for (const char *c = path; *c; c++) {
    if (*c == '%' || *c == '?' || *c == '#') {
      ts_str_addf(&uri, "%%%02X", (unsigned)(unsigned char)*c);
    } else {
      ts_str_add_char(&uri, *c);
    }
  }
  ts_str_add(&uri, "?immutable=1");
  return ts_str_detach(&uri);
}

/* Reading needs the log's shared memory. Where it is not there and cannot be made (a folder without permission to
 * write) nobody writes, or the log would be there: the file can be read as it is. */
static bool open_reading(struct ts_sqlite_store *store, struct ts_error *err) {
  if (!ts_file_exists(store->database)) {
    ts_fail(err, TS_ERR_FILE_NOT_FOUND, "there is no store in '%s'", store->folder);
    return ts_error_help(err, "run a workflow or study first, or name another store");
  }
  if (!ts_store_file_check(store->folder, store->database, err)) return false;
  ts_objects_open_read(&store->objects, store->folder);
  struct ts_error first = {0};
  if (open_reader(store, store->database, 0, &first) && ts_sqlite_schema_check(&store->reader, &first)) return true;
  ts_auto_free char *log = ts_path_join(store->folder, "store.db-wal");
  const bool may_be_immutable = first.code == TS_ERR_STORE && !ts_file_exists(log);
  if (may_be_immutable) {
    ts_sqlite_connection_close(&store->reader);
    ts_auto_free char *uri = immutable_uri(store->database);
    struct ts_error second = {0};
    if (open_reader(store, uri, SQLITE_OPEN_URI, &second) && ts_sqlite_schema_check(&store->reader, &second)) {
      return true;
    }
  }
  if (err) *err = first;
  return false;
}

void *ts_sqlite_open(const struct ts_store_options *options, struct ts_error *err) {
  struct ts_sqlite_store *store = ts_calloc(1, sizeof *store);
  /* Operations in other threads may change the current folder before that is noticed. */
  store->folder = ts_path_absolute(options->path);
  store->database = ts_path_join(store->folder, "store.db");
  store->read_only = options->read_only;
  store->lock_fd = -1;
  pthread_mutex_init(&store->write_lock, NULL);
  pthread_mutex_init(&store->read_lock, NULL);
  ts_sqlite_filter_init(&store->filter);
  const bool ok = store->read_only ? open_reading(store, err) : open_writing(store, err);
  if (!ok || !ts_sqlite_read_salt(&store->reader, &store->salt, err)) {
    ts_sqlite_close(store);
    return NULL;
  }
  ts_sqlite_filter_consider(store);
  return store;
}

void ts_sqlite_close(void *state) {
  struct ts_sqlite_store *store = state;
  /* The reader first: the last connection to close folds the log into the database. */
  ts_sqlite_connection_close(&store->reader);
  ts_sqlite_connection_close(&store->writer);
  ts_objects_close(&store->objects);
  ts_store_lock_close(store->lock_fd);
  ts_sqlite_filter_release(&store->filter);
  pthread_mutex_destroy(&store->read_lock);
  pthread_mutex_destroy(&store->write_lock);
  free(store->salt);
  free(store->database);
  free(store->folder);
  free(store);
}

const char *ts_sqlite_salt(const void *state) {
  const struct ts_sqlite_store *store = state;
  return store->salt;
}
