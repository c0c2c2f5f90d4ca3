/* What a store backend must offer: the contract between the front (queue, packing, verifying) and what keeps the rows.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The static description is struct ts_store_backend, one const object per backend, listed in store/backends.c; the live
 * instance is the `state` that its open returns. The front is the only caller. It guarantees: `write` is called by one
 * thread at a time; every other member may be called by any thread at any time, also while `write` runs; nothing is
 * called before open or after close; members that change something are not called on a store opened for reading.
 * Members with an error return false if and only if they set it, except where "not there" is a plain false. */
#ifndef TS_STORE_BACKEND_H
#define TS_STORE_BACKEND_H

#include "base/arena.h"
#include "base/error.h"
#include "base/file_identity.h"
#include "base/str.h"
#include "data/batch.h"
#include "store/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ts_store_by { TS_STORE_BY_KEY, TS_STORE_BY_CONTENT_KEY };

/* A run with what only the store needs to know about it. */
struct ts_store_run {
  struct ts_run_row row;
  const char *process; /* see ts_process_identity; separates the process from a later one with the same number */
};

/* NULL fields stay as they are. */
struct ts_store_run_change {
  const char *id;
  const char *state;
  const char *settings_json; /* or NULL */
  const char *result_json;   /* or NULL */
  int64_t finished_unix_ns;  /* 0: unfinished */
  int64_t process_id;        /* with `process` */
  const char *process;       /* or NULL */
};

typedef void ts_store_key_sink(void *user, const struct ts_key *key, const struct ts_key *content_key);

struct ts_store_verification;
struct ts_store_footprint;
struct ts_store_product;
typedef void ts_store_product_sink(void *user, const struct ts_store_product *product);

struct ts_store_backend {
  const char *name; /* as in ts_store_options */
  bool has_folder;  /* whether it needs ts_store_options.path */

  /* Returns the instance, or NULL with an error. May leave an empty store behind, never a half made one. */
  void *(*open)(const struct ts_store_options *options, struct ts_error *err);
  void (*close)(void *state);
  /* Borrowed until close; "" normally. */
  const char *(*salt)(const void *state);
  /* Optional, where rows can be damaged: how many were met that are not what was written. Look-ups take such a row
   * for one that is not there. Every look-up compares the key of what it found with the key that was asked for. */
  uint64_t (*damage_count)(void *state);

  /* Writes a batch, all of it or nothing; after true it survives the death of the process. A product that is there
   * stays untouched, one that was forgotten comes back. A record whose key is there already is ignored if every product
   * of the old record is there (the first result wins), otherwise it replaces the old one. */
  bool (*write)(void *state, const struct ts_batch *batch, struct ts_error *err);

  /* Both NULL, or both for a backend that lives in memory. keep takes a record with small products as they are, at
   * once, by the rules of write; hold gives a new reference to a product that was kept, NULL if it was not. */
  void (*keep)(void *state, const struct ts_record *record, struct ts_data *const *products);
  struct ts_data *(*hold)(void *state, const struct ts_sha256 *digest);

  /* Not there: false without an error. By content key a record that is not an alias is preferred. */
  bool (*find)(void *state, enum ts_store_by by, const struct ts_key *key, struct ts_arena *arena,
               struct ts_record *record, struct ts_error *err);
  /* Newest first, at most `limit`. */
  bool (*records_of)(void *state, const char *operation, size_t limit, struct ts_arena *arena,
                     struct ts_record **records, size_t *count, struct ts_error *err);

  bool (*has_product)(void *state, const struct ts_sha256 *digest);
  /* Optional, where that question means a message: whether it is known to be there without asking. */
  bool (*recalls_product)(void *state, const struct ts_sha256 *digest);
  /* Fills the empty *packed with the packed bytes. Not there: false without an error. BAD_PRODUCT if it should be there
   * and is not. */
  bool (*fetch)(void *state, const struct ts_sha256 *digest, struct ts_str *packed, struct ts_error *err);
  /* Removes the bytes of a product; its digest stays in the records. Fine if it is not there. */
  bool (*forget)(void *state, const struct ts_sha256 *digest, struct ts_error *err);

  /* False without an error: the id is taken. */
  bool (*run_insert)(void *state, const struct ts_store_run *run, struct ts_error *err);
  /* False without an error: no such run. */
  bool (*run_update)(void *state, const struct ts_store_run_change *change, struct ts_error *err);
  /* Newest first. */
  bool (*run_list)(void *state, struct ts_arena *arena, struct ts_store_run **runs, size_t *count,
                   struct ts_error *err);
  /* Optional: whether the process that a run names has the store open for writing now. Without it the system of this
   * machine is asked whether that process lives. */
  bool (*is_written_by)(void *state, int64_t process_id, const char *process);
  /* Those with numbers from `since` on, by number, at most `limit`. */
  bool (*task_list)(void *state, const char *run, uint64_t since, size_t limit, struct ts_arena *arena,
                    struct ts_task_row **rows, size_t *count, struct ts_error *err);
  /* The number after that of the last sound row; 0 if there is none. */
  bool (*task_end)(void *state, const char *run, uint64_t *end, struct ts_error *err);
  /* Counts the products that are there. */
  bool (*usage)(void *state, struct ts_store_usage *usage, struct ts_error *err);

  /* The digest put for exactly this identity. Not there: false without an error. */
  bool (*file_find)(void *state, const struct ts_file_identity *file, struct ts_sha256 *digest, struct ts_error *err);
  /* Replaces what was known about the same device and inode. */
  bool (*file_put)(void *state, const struct ts_file_identity *file, const struct ts_sha256 *digest,
                   struct ts_error *err);

  /* Optional, both or none. Ordered by operation, implementation, machine, measure, bin, which are unique together. */
  bool (*cost_list)(void *state, struct ts_arena *arena, struct ts_cost_row **rows, size_t *count,
                    struct ts_error *err);
  /* All rows or none, in one transaction; replaces. None, true and *outdated = true if a sound row that one of them
   * replaces has other numbers of calls or asked than this one has seen. *outdated is false before. */
  bool (*cost_put)(void *state, const struct ts_cost_row *rows, size_t count, bool *outdated, struct ts_error *err);

  /* Optional, for a store that is served to other processes. Tells the keys of all records that came since *mark was
   * given (0: of all), perhaps of some more, and sets it. A record goes only when one of the same key takes its
   * place. */
  bool (*keys)(void *state, uint64_t *mark, ts_store_key_sink *sink, void *user, struct ts_error *err);

  /* Optional, with `keys`, for a store that can be surveyed (store/survey.h): passes on all products that should be
   * there. */
  bool (*product_list)(void *state, ts_store_product_sink *sink, void *user, struct ts_error *err);
  /* Optional, both or none, for a store of files. What they take; and writing its log into the database, which becomes
   * as small as its rows where that, or even a little, is worth it: all of it or nothing. */
  bool (*footprint)(void *state, struct ts_store_footprint *footprint, struct ts_error *err);
  bool (*compact)(void *state, bool even_little, struct ts_error *err);

  /* Optional, all of them or none, for a store that outlives its process; needs product_list; see store/verify.h.
   * verify checks and repairs rows and indexes, sweep removes files that are no product. */
  bool (*verify)(void *state, struct ts_store_verification *found, struct ts_error *err);
  bool (*sweep)(void *state, struct ts_store_verification *found, struct ts_error *err);
  /* With them: removes a record. Fine if it is not there. */
  bool (*drop)(void *state, const struct ts_key *key, struct ts_error *err);

  /* Optional, for the store of another process: see ts_store_refresh. */
  bool (*refresh)(void *state, struct ts_error *err);
};

extern const struct ts_store_backend ts_store_memory;
extern const struct ts_store_backend ts_store_sqlite;
/* The store of another process, over a local socket; chosen by name only. */
extern const struct ts_store_backend ts_store_remote;
/* Logs every call and forwards it to the backend that the options choose; never chosen by name. */
extern const struct ts_store_backend ts_store_trace;

/* All backends that can be chosen. */
const struct ts_store_backend *const *ts_store_backend_list(size_t *count);
/* By name, or by whether a path is given; NULL with an error (USAGE) for an unknown name or a missing path. */
const struct ts_store_backend *ts_store_backend_choose(const struct ts_store_options *options, struct ts_error *err);
/* Fails because an optional member is not there; `what` as in "has no queue of buckets". */
bool ts_store_backend_refuse(const struct ts_store_backend *backend, const char *what, struct ts_error *err);

#endif
