/* Which keys may be in the database: what is not in the filter need not be asked for.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A new run asks for every key once and finds none of them, and each such question costs file locks and a search. The
 * filter holds the first 8 bytes of every key and content key of the table; it may say "perhaps" for a key that is not
 * there, never "no" for one that is. Only who has the store's lock may use it, as nobody else adds records then. It is
 * filled when the questions that found nothing have cost about as much as filling it will: at once for a new store,
 * never for a large one that is only read from. */
#include "store/sqlite/sqlite_int.h"

#include "base/lock.h"

#include <string.h>

#define ROWS_PER_MISS 8 /* rows read while filling, at the cost of one question */

static void give_up(struct ts_sqlite_filter *filter) {
  ts_key_set_release(&filter->keys);
  filter->state = TS_FILTER_OFF;
}

/* Under filter.lock. */
static void add(struct ts_sqlite_filter *filter, const struct ts_key *key) {
  if (filter->state == TS_FILTER_OFF) return;
  if (filter->keys.table.count >= TS_KEY_SET_MOST) {
    give_up(filter);
    return;
  }
  ts_key_set_add(&filter->keys, ts_key_set_hash(key));
}

void ts_sqlite_filter_init(struct ts_sqlite_filter *filter) {
  memset(filter, 0, sizeof *filter);
  pthread_mutex_init(&filter->lock, NULL);
}

void ts_sqlite_filter_release(struct ts_sqlite_filter *filter) {
  ts_key_set_release(&filter->keys);
  pthread_mutex_destroy(&filter->lock);
}

void ts_sqlite_filter_add(struct ts_sqlite_filter *filter, const struct ts_record *record) {
  ts_hold(&filter->lock);
  if (filter->state != TS_FILTER_WAITING) {
    add(filter, &record->key);
    add(filter, &record->content_key);
  }
}

bool ts_sqlite_filter_may_hold(struct ts_sqlite_filter *filter, const struct ts_key *key) {
  ts_hold(&filter->lock);
  return filter->state != TS_FILTER_FULL || ts_key_set_has(&filter->keys, ts_key_set_hash(key));
}

/* Reads all keys of the table. Under the reader's lock. */
static bool fill(struct ts_sqlite_store *store, struct ts_error *err) {
  sqlite3_stmt *statement = ts_sqlite_get(&store->reader, TS_SQL_ALL_KEYS, err);
  bool row = statement != NULL;
  while (row) {
    if (!ts_sqlite_step(&store->reader, statement, &row, "read keys", err)) return false;
    if (!row) return true;
    struct ts_record record = {0};
    ts_sqlite_column_digest(statement, 0, &record.key.digest);
    ts_sqlite_column_digest(statement, 1, &record.content_key.digest);
    ts_sqlite_filter_add(&store->filter, &record);
  }
  return false;
}

static bool row_count(struct ts_sqlite_store *store, uint64_t *rows) {
  struct ts_error ignored = {0};
  bool row = false;
  ts_hold(&store->read_lock);
  sqlite3_stmt *statement = ts_sqlite_get(&store->reader, TS_SQL_LAST_RECORD, &ignored);
  if (statement && ts_sqlite_step(&store->reader, statement, &row, "read keys", &ignored) && row) {
    *rows = ts_sqlite_column_number(statement, 0);
    sqlite3_reset(statement);
  }
  return row;
}

/* Whether this caller is to fill it. */
static bool claim(struct ts_sqlite_filter *filter, uint64_t rows) {
  ts_hold(&filter->lock);
  const bool mine = filter->state == TS_FILTER_WAITING && filter->misses * ROWS_PER_MISS >= rows;
  if (mine) filter->state = 2 * rows > TS_KEY_SET_MOST ? TS_FILTER_OFF : TS_FILTER_FILLING;
  return mine && filter->state == TS_FILTER_FILLING;
}

void ts_sqlite_filter_missed(struct ts_sqlite_store *store) {
  struct ts_sqlite_filter *filter = &store->filter;
  pthread_mutex_lock(&filter->lock);
  /* The number of rows is asked for rarely: at every doubling of the misses. */
  const uint64_t misses = ++filter->misses;
  const bool look = filter->state == TS_FILTER_WAITING && (misses & (misses - 1)) == 0;
  pthread_mutex_unlock(&filter->lock);
  if (look) ts_sqlite_filter_consider(store);
}

void ts_sqlite_filter_consider(struct ts_sqlite_store *store) {
  uint64_t rows = 0;
  if (store->read_only || !row_count(store, &rows)) return;
  /* A batch that is being written did not see the claim: its rows must be in the database before the keys are read. */
  pthread_mutex_lock(&store->write_lock);
  const bool fills = claim(&store->filter, rows);
  pthread_mutex_unlock(&store->write_lock);
  if (!fills) return;
  struct ts_error ignored = {0};
  pthread_mutex_lock(&store->read_lock);
  const bool ok = fill(store, &ignored);
  pthread_mutex_unlock(&store->read_lock);
  ts_hold(&store->filter.lock);
  if (!ok) give_up(&store->filter);
  if (store->filter.state == TS_FILTER_FILLING) store->filter.state = TS_FILTER_FULL;
}
