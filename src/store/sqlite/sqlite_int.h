/* The inside of the SQLite backend: its state, and one group of functions per file.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_STORE_SQLITE_INT_H
#define TS_STORE_SQLITE_INT_H

#include "store/backend.h"
#include "store/key_set.h"
#include "store/objects.h"
#include "store/sqlite/connection.h"

#include <pthread.h>

#define TS_SQLITE_SCHEMA 4

/* WAITING until filling pays, FILLING, FULL: it can answer; OFF for good. */
enum ts_filter_state { TS_FILTER_WAITING, TS_FILTER_FILLING, TS_FILTER_FULL, TS_FILTER_OFF };
struct ts_sqlite_filter {
  pthread_mutex_t lock; /* guards everything below; taken last */
  enum ts_filter_state state;
  uint64_t misses; /* questions that the database answered with no */
  struct ts_key_set keys;
};

struct ts_sqlite_store {
  char *folder;   /* owned */
  char *database; /* owned; path of the database file */
  char *salt;     /* owned */
  bool read_only;
  int lock_fd; /* -1 if read_only */
  struct ts_objects objects;
  pthread_mutex_t write_lock; /* guards writer; never held together with read_lock */
  struct ts_sqlite_connection writer;
  pthread_mutex_t read_lock; /* guards reader */
  struct ts_sqlite_connection reader;
  struct ts_sqlite_filter filter;
};

/* checksum.c */
/* Rows met so far that are not what was written. */
uint64_t ts_sqlite_damage_count(void *state);

/* schema.c */
/* Makes the tables in a new database; refuses one of another program or of another schema. */
bool ts_sqlite_schema_prepare(struct ts_sqlite_connection *connection, struct ts_error *err);
/* For reading alone: refuses an empty database, too. */
bool ts_sqlite_schema_check(struct ts_sqlite_connection *connection, struct ts_error *err);
bool ts_sqlite_read_salt(struct ts_sqlite_connection *connection, char **salt, struct ts_error *err);

/* open.c */
void *ts_sqlite_open(const struct ts_store_options *options, struct ts_error *err);
void ts_sqlite_close(void *state);
const char *ts_sqlite_salt(const void *state);

/* records.c */
bool ts_sqlite_insert_record(struct ts_sqlite_connection *connection, const struct ts_record *record,
                             struct ts_error *err);
bool ts_sqlite_find(void *state, enum ts_store_by by, const struct ts_key *key, struct ts_arena *arena,
                    struct ts_record *record, struct ts_error *err);
bool ts_sqlite_records_of(void *state, const char *operation, size_t limit, struct ts_arena *arena,
                          struct ts_record **records, size_t *count, struct ts_error *err);

/* Keys of records from the row *mark on; moves it. */
bool ts_sqlite_keys(void *state, uint64_t *mark, ts_store_key_sink *sink, void *user, struct ts_error *err);

/* filter.c */
void ts_sqlite_filter_init(struct ts_sqlite_filter *filter);
void ts_sqlite_filter_release(struct ts_sqlite_filter *filter);
/* Before the record is committed. */
void ts_sqlite_filter_add(struct ts_sqlite_filter *filter, const struct ts_record *record);
bool ts_sqlite_filter_may_hold(struct ts_sqlite_filter *filter, const struct ts_key *key);
void ts_sqlite_filter_missed(struct ts_sqlite_store *store);
/* Fills it if that pays by now. Takes the locks of the store one by one. */
void ts_sqlite_filter_consider(struct ts_sqlite_store *store);

/* products.c */
/* With the bytes in the row, or without them if they lie in a file. */
bool ts_sqlite_insert_product(struct ts_sqlite_connection *connection, const struct ts_batch_product *product,
                              bool is_inline, struct ts_error *err);
bool ts_sqlite_find_product(struct ts_sqlite_connection *connection, const struct ts_sha256 *digest, bool *found,
                            struct ts_error *err);
bool ts_sqlite_has_product(void *state, const struct ts_sha256 *digest);
bool ts_sqlite_fetch(void *state, const struct ts_sha256 *digest, struct ts_str *packed, struct ts_error *err);
bool ts_sqlite_forget(void *state, const struct ts_sha256 *digest, struct ts_error *err);
bool ts_sqlite_usage(void *state, struct ts_store_usage *usage, struct ts_error *err);

/* runs.c */
bool ts_sqlite_insert_task(struct ts_sqlite_connection *connection, const char *run, const struct ts_task_row *row,
                           struct ts_error *err);
bool ts_sqlite_run_insert(void *state, const struct ts_store_run *run, struct ts_error *err);
bool ts_sqlite_run_update(void *state, const struct ts_store_run_change *change, struct ts_error *err);
bool ts_sqlite_is_written_by(void *state, int64_t process_id, const char *process);
bool ts_sqlite_run_list(void *state, struct ts_arena *arena, struct ts_store_run **runs, size_t *count,
                        struct ts_error *err);
bool ts_sqlite_task_list(void *state, const char *run, uint64_t since, size_t limit, struct ts_arena *arena,
                         struct ts_task_row **rows, size_t *count, struct ts_error *err);
bool ts_sqlite_task_end(void *state, const char *run, uint64_t *end, struct ts_error *err);

/* files.c */
bool ts_sqlite_file_find(void *state, const struct ts_file_identity *file, struct ts_sha256 *digest,
                         struct ts_error *err);
bool ts_sqlite_file_put(void *state, const struct ts_file_identity *file, const struct ts_sha256 *digest,
                        struct ts_error *err);

/* costs.c */
bool ts_sqlite_cost_list(void *state, struct ts_arena *arena, struct ts_cost_row **rows, size_t *count,
                         struct ts_error *err);
bool ts_sqlite_cost_put(void *state, const struct ts_cost_row *rows, size_t count, bool *outdated,
                        struct ts_error *err);

/* verify.c */
bool ts_sqlite_verify(void *state, struct ts_store_verification *found, struct ts_error *err);
bool ts_sqlite_sweep(void *state, struct ts_store_verification *found, struct ts_error *err);
bool ts_sqlite_drop(void *state, const struct ts_key *key, struct ts_error *err);

/* survey.c */
bool ts_sqlite_product_list(void *state, ts_store_product_sink *sink, void *user, struct ts_error *err);
bool ts_sqlite_footprint(void *state, struct ts_store_footprint *footprint, struct ts_error *err);
bool ts_sqlite_compact(void *state, bool even_little, struct ts_error *err);

/* write.c */
bool ts_sqlite_write(void *state, const struct ts_batch *batch, struct ts_error *err);

#endif
