/* What a worker asks the process that serves the store, and how rows look in those messages.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Every request has one answer: YES with what was asked for, NO (not there), or FAILED with the error. The reading
 * functions borrow texts and blobs from the message and take arrays from the arena; ts_wire_is_whole says in the end
 * whether any of it may be used. */
#ifndef TS_STORE_REMOTE_WIRE_INT_H
#define TS_STORE_REMOTE_WIRE_INT_H

#include "message/wire.h"
#include "store/backend.h"
#include "store/rows.h"

#define TS_REMOTE_MAGIC       UINT64_C(0x6172657373657401) /* in the greeting, with the protocol's number */
#define TS_REMOTE_PROTOCOL    3
#define TS_REMOTE_HELLO_BYTES 12 /* magic, protocol; nothing longer is read from whom has not greeted */

enum ts_remote_request {
  TS_REMOTE_HELLO = 1,
  TS_REMOTE_WRITE,
  TS_REMOTE_FIND,
  TS_REMOTE_RECORDS_OF,
  TS_REMOTE_HAS_PRODUCT,
  TS_REMOTE_FETCH,
  TS_REMOTE_FORGET,
  TS_REMOTE_RUN_INSERT,
  TS_REMOTE_RUN_UPDATE,
  TS_REMOTE_RUN_LIST,
  TS_REMOTE_TASK_LIST,
  TS_REMOTE_USAGE,
  TS_REMOTE_FILE_FIND,
  TS_REMOTE_FILE_PUT,
  TS_REMOTE_REFRESH,
  TS_REMOTE_TASK_END,
  TS_REMOTE_REQUEST_COUNT
};

/* As enum ts_answer; BAD is never sent: the request was no request. */
enum ts_remote_answer { TS_REMOTE_YES = 1, TS_REMOTE_NO, TS_REMOTE_FAILED, TS_REMOTE_BAD };

/* A row of columns of known kinds. */
void ts_remote_add_row(struct ts_str *out, const struct ts_columns *columns, const void *row);
void ts_remote_read_row(struct ts_wire *wire, const struct ts_columns *columns, void *row);
void ts_remote_add_record(struct ts_str *out, const struct ts_record *record);
void ts_remote_read_record(struct ts_wire *wire, struct ts_arena *arena, struct ts_record *record);
void ts_remote_add_batch(struct ts_str *out, const struct ts_batch *batch);
void ts_remote_read_batch(struct ts_wire *wire, struct ts_arena *arena, struct ts_batch *batch);
/* The fewest bytes that one takes: a wrong count cannot make us take memory. */
#define TS_REMOTE_RECORD_BYTES 150
#define TS_REMOTE_TASK_BYTES   80
#define TS_REMOTE_RUN_BYTES    50

#endif
