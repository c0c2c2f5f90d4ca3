/* What was put but is not yet committed: a queue bounded in bytes that can also be searched.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Producers call ts_store_queue_put; one writer thread loops over ts_store_queue_take and ts_store_queue_done. An item
 * can be found until it is done, that is, until it can be found in the backend: who searches must ask the queue first.
 * All calls are thread-safe. */
#ifndef TS_STORE_QUEUE_H
#define TS_STORE_QUEUE_H

#include "store/backend.h"
#include "store/digest_index.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TS_STORE_QUEUE_BYTES   ((size_t)256 * 1024 * 1024) /* a put waits above this */
#define TS_STORE_BATCH_BYTES   ((size_t)8 * 1024 * 1024)   /* a batch is due at this size unless set otherwise, */
#define TS_STORE_BATCH_ENTRIES ((size_t)32768)             /* at this many rows */
#define TS_STORE_BATCH_NS      UINT64_C(500000000)         /* or at this age of its oldest row */

struct ts_store_item_product {
  struct ts_data *data; /* shared, one reference owned; NULL: only the digest is kept */
  struct ts_digest_node node;
};

/* A record with its products, or a task row. One block of memory. */
struct ts_store_item {
  struct ts_store_item *next; /* owned */
  size_t bytes;               /* counted against the limits */
  uint64_t put_ns;
  struct ts_batch_entry entry; /* its pointers lead into this block */
  union {
    struct ts_record record;
    struct ts_task_row task;
  } as;
  struct ts_digest_node by_key; /* owner NULL: not in the index */
  struct ts_digest_node by_content;
  struct ts_store_item_product products[]; /* one per output of the record */
};

/* Copies the row and takes references to the products, of which those that lie in files of the user are left out: the
 * store does not hold their bytes. */
struct ts_store_item *ts_store_item_create_record(const struct ts_record *record, struct ts_data *const *products);
struct ts_store_item *ts_store_item_create_task(const char *run, const struct ts_task_row *row);
void ts_store_item_destroy_list(struct ts_store_item *items);

struct ts_store_queue {
  pthread_mutex_t lock;        /* guards everything below; taken alone */
  pthread_cond_t due;          /* for the writer: something may be due */
  pthread_cond_t progress;     /* for producers and flushers: something was committed or dropped */
  struct ts_store_item *first; /* owned; waiting */
  struct ts_store_item *last;  /* borrowed from the list */
  size_t batch_bytes;          /* a batch is due at this size; atomic */
  size_t waiting_bytes;
  size_t waiting_count;
  size_t held_bytes; /* waiting or being written */
  struct ts_digest_index by_key;
  struct ts_digest_index by_content;
  struct ts_digest_index by_product; /* owners are struct ts_store_item_product */
  uint64_t put_count;                /* items ever put */
  uint64_t done_count;               /* items committed or dropped; never above put_count */
  uint64_t wanted_count;             /* somebody waits until done_count reaches this */
  bool stopping;
  bool failed;             /* a write failed: everything is dropped from now on */
  bool unreported;         /* something was lost since the last ts_store_queue_flush */
  struct ts_error failure; /* the first one */
};

void ts_store_queue_init(struct ts_store_queue *queue);
void ts_store_queue_release(struct ts_store_queue *queue); /* drops what is left */

/* Steals the item. Waits while too much is held. */
void ts_store_queue_put(struct ts_store_queue *queue, struct ts_store_item *item);
/* Waits until a batch is due and hands it out in order; NULL when the queue is stopping and empty. */
struct ts_store_item *ts_store_queue_take(struct ts_store_queue *queue);
/* Ends what ts_store_queue_take gave: committed, or lost to `failure`. Destroys the items. */
void ts_store_queue_done(struct ts_store_queue *queue, struct ts_store_item *items, const struct ts_error *failure);
void ts_store_queue_stop(struct ts_store_queue *queue); /* take returns what is left, then NULL */

/* Waits until everything put before the call is committed or dropped. */
void ts_store_queue_drain(struct ts_store_queue *queue);
/* The same, and reports a loss that was not reported before. */
bool ts_store_queue_flush(struct ts_store_queue *queue, struct ts_error *err);
/* The same as drain, but only if there is a record among what it would wait for. */
void ts_store_queue_drain_records(struct ts_store_queue *queue);
/* Drops everything that is put from now on, which the next flush then reports with this reason. */
void ts_store_queue_refuse(struct ts_store_queue *queue, const struct ts_error *reason);

/* Whether everything put so far, by this thread or before, is done. Takes no lock. */
bool ts_store_queue_is_empty(const struct ts_store_queue *queue);
bool ts_store_queue_find(struct ts_store_queue *queue, enum ts_store_by by, const struct ts_key *key,
                         struct ts_arena *arena, struct ts_record *record);
/* A new reference, or NULL. */
struct ts_data *ts_store_queue_product(struct ts_store_queue *queue, const struct ts_sha256 *digest);

#endif
