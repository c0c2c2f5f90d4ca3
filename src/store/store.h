/* The store: which key gave which product, kept across runs, crashes and users; one interface over several backends.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A record says: this task (key) made these outputs (content digests). A product is found by its digest. A record is
 * visible only when it and all its products are complete. Writing is asynchronous: ts_store_put queues, a writer
 * commits in batches; after kill -9 at most about a second of finished work is missing. All calls are thread-safe. */
#ifndef TS_STORE_STORE_H
#define TS_STORE_STORE_H

#include "base/arena.h"
#include "base/error.h"
#include "base/file_identity.h"
#include "base/key.h"
#include "base/str.h"
#include "data/batch.h"
#include "data/data.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TS_STORE_INLINE_BYTES ((size_t)64 * 1024) /* products up to this packed size lie in the database */

struct ts_store; /* shared */

struct ts_store_options {
  const char *path;    /* folder, or socket of a server (store/serve.h); NULL or "" for memory */
  const char *backend; /* "sqlite", "memory", "remote"; NULL: by path, "remote" never */
  bool read_only;
};

/* Opens (and creates) a store. STORE_BUSY if another process writes to it, STORE_FORMAT for a foreign or newer file,
 * STORE on network file systems and for damaged files. For reading there must be a store (FILE_NOT_FOUND); that works
 * while another process writes. */
struct ts_store *ts_store_open(const struct ts_store_options *options, struct ts_error *err);
/* How many bytes of products, as they lie in memory, are written at once; more at once cost less each. */
void ts_store_set_batch_bytes(struct ts_store *store, size_t bytes);
/* How many things were put so far, and how many of them the backend has (or has refused). Safe in signal handlers. */
void ts_store_counts(const struct ts_store *store, uint64_t *put, uint64_t *done);
/* Waits for queued writes. False if a write failed since the last flush. */
bool ts_store_flush(struct ts_store *store, struct ts_error *err);
void ts_store_close(struct ts_store *store);
const char *ts_store_salt(const struct ts_store *store);
const char *ts_store_path(const struct ts_store *store); /* "" for memory */

/* Looks a record up by lineage key, or by content key. False with no error set in `err`: not there. */
bool ts_store_find(struct ts_store *store, const struct ts_key *key, struct ts_arena *arena, struct ts_record *record,
                   struct ts_error *err);
bool ts_store_find_content(struct ts_store *store, const struct ts_key *content_key, struct ts_arena *arena,
                           struct ts_record *record, struct ts_error *err);
/* Rows met since it was opened that are not what was written, or that were found under another key: they counted as not
 * there. ts_store_verify (store/verify.h) removes them. */
uint64_t ts_store_damage_count(const struct ts_store *store);
/* Whether the product's bytes are there (not evicted). */
bool ts_store_has_product(struct ts_store *store, const struct ts_sha256 *digest);
/* Loads a product; checks its digest (BAD_PRODUCT removes the damaged product so that it is computed again). NULL
 * without error: not there. */
struct ts_data *ts_store_load(struct ts_store *store, const struct ts_sha256 *digest, struct ts_error *err);

/* Queues a record with its products (products[i] belongs to outputs[i]; NULL entry, or data that is a file of the user:
 * only the digest is kept). If the key is there with all its products, the first result stays. Returns at once unless
 * too much is queued (bounded by bytes). Trouble is reported by the next ts_store_flush. */
void ts_store_put(struct ts_store *store, const struct ts_record *record, struct ts_data *const *products);

/* Runs. Ids are 8 hex digits, unique in the store. State: "running", "paused", "done", "failed". */
struct ts_run_row {
  char id[9];
  const char *command; /* "study", "run" */
  const char *file;    /* absolute path of the study or workflow file */
  const char *state;
  int64_t started_unix_ns;
  int64_t finished_unix_ns;  /* 0 while unfinished */
  const char *settings_json; /* what is needed to continue it */
  const char *result_json;   /* the result object, "" before the end */
  int64_t process_id;        /* of the writer, to separate a crashed run from a running one */
};
bool ts_store_run_begin(struct ts_store *store, const char *command, const char *file, const char *settings_json,
                        char id[9], struct ts_error *err);
bool ts_store_run_update(struct ts_store *store, const char *id, const char *state, const char *result_json,
                         struct ts_error *err);
/* Of a run that goes on: what is needed to continue it has changed. */
bool ts_store_run_settings(struct ts_store *store, const char *id, const char *settings_json, struct ts_error *err);
/* Newest first; arrays and strings owned by the arena. A run whose process is gone is listed as "interrupted". */
bool ts_store_run_list(struct ts_store *store, struct ts_arena *arena, struct ts_run_row **rows, size_t *count,
                       struct ts_error *err);

/* Texts that runs refer to, such as work orders: written at once, packed, equal ones once. The digest finds them again.
 * get: false without an error if it is not there. */
bool ts_store_text_put(struct ts_store *store, const char *text, size_t length, struct ts_sha256 *digest,
                       struct ts_error *err);
bool ts_store_text_get(struct ts_store *store, const struct ts_sha256 *digest, struct ts_str *text,
                       struct ts_error *err);

void ts_store_put_task(struct ts_store *store, const char *run,
                       const struct ts_task_row *row); /* queued like records */
/* All rows of a run, by number. */
bool ts_store_task_list(struct ts_store *store, const char *run, struct ts_arena *arena, struct ts_task_row **rows,
                        size_t *count, struct ts_error *err);
/* Those with numbers from `since` on, by number, at most `limit`. Rows are added behind the last one and stay as they
 * are: who asks again from the number after the last one gets each row once, also while the run goes on or is
 * continued. */
bool ts_store_task_rows_since(struct ts_store *store, const char *run, uint64_t since, size_t limit,
                              struct ts_arena *arena, struct ts_task_row **rows, size_t *count, struct ts_error *err);
/* The number of the next row: that after the last one, 0 if there is none. */
bool ts_store_task_end(struct ts_store *store, const char *run, uint64_t *end, struct ts_error *err);
/* Records of an operation, newest first, at most `limit`: for explain's "nearest earlier key". */
bool ts_store_records_of(struct ts_store *store, const char *operation, size_t limit, struct ts_arena *arena,
                         struct ts_record **records, size_t *count, struct ts_error *err);

struct ts_store_usage {
  uint64_t records, products, product_bytes, packed_bytes;
};
bool ts_store_usage(struct ts_store *store, struct ts_store_usage *usage, struct ts_error *err);

/* What calls of an operation cost on inputs of about one size. The samples are opaque here: sched/cost_model.h makes
 * and reads them, and passes over rows that are damaged. */
struct ts_cost_row {
  const char *operation;
  struct ts_sha256 implementation;
  const char *machine; /* class of machines, see ts_machine_class */
  const char *measure; /* what sizes count: "px" or "bytes" */
  int32_t bin;         /* about which size */
  uint64_t calls;      /* seen in all */
  uint64_t asked, cut; /* calls that early cutoff could have saved, and how many it did */
  const void *samples;
  size_t samples_bytes;
  int64_t updated_unix_ns;
  /* For ts_store_cost_put: calls and asked of the row that this one replaces, as they were when it was read; 0: there
   * was none. */
  uint64_t seen_calls, seen_asked;
};
/* All rows, ordered by their first five members; owned by the arena. A remote store has none: the
 * process that serves it learns. */
bool ts_store_cost_list(struct ts_store *store, struct ts_arena *arena, struct ts_cost_row **rows, size_t *count,
                        struct ts_error *err);
/* Writes rows, all or none, in place of those with the same first five members. At once, not queued. If another writer
 * has changed one of these since it was seen, nothing is written and *outdated is true: read them again, so that
 * no writer's calls are lost. A damaged row is replaced in any case. On a remote store nothing is kept. */
bool ts_store_cost_put(struct ts_store *store, const struct ts_cost_row *rows, size_t count, bool *outdated,
                       struct ts_error *err);

/* What writing of products has cost since the store was opened: CPU time of the writer, bytes in their encoded form. */
struct ts_write_cost {
  uint64_t products, bytes;
  double cpu_s;
};
struct ts_write_cost ts_store_write_cost(const struct ts_store *store);

/* Workers: processes that reach the store of another one, which serves it (store/serve.h); they open it as "remote".
 * A key that the served store did not have at the last refresh, and that was not put here since, counts as absent
 * without a question; before the first refresh every question is asked. Nothing to do for other stores. */
bool ts_store_refresh(struct ts_store *store, struct ts_error *err);

/* Digest of a file by path, cached in the store by its identity, which the file had before and after the digest was
 * taken. DATA_CHANGED if it keeps changing. */
bool ts_store_file_digest(struct ts_store *store, const char *path, struct ts_sha256 *digest,
                          struct ts_file_identity *identity, struct ts_error *err);

#endif
