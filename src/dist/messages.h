/* Messages between the coordinator and workers, as bytes.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A worker asks, the coordinator answers (message/client.h, message/server.h). A worker has two connections:
 * one for its work, and one of its heartbeat, which never waits behind the other. Whatever belongs to a bucket carries
 * the token of its claim. Times are relative: the coordinator knows when a bucket began. */
#ifndef TS_DIST_MESSAGES_H
#define TS_DIST_MESSAGES_H

#include "message/wire.h"
#include "run/run.h"

#define TS_DIST_MAGIC       UINT64_C(0x726b726f77737401) /* in the greeting, with the protocol's number */
#define TS_DIST_PROTOCOL    3
#define TS_DIST_ID_BYTES    33  /* an identity: 128 random bits as 32 hexadecimal digits */
#define TS_DIST_HELLO_BYTES 256 /* nothing longer is read from whom has not greeted */

enum ts_dist_message {
  TS_DIST_HELLO = 1, /* ts_dist_hello; answer: the socket of the store and the description */
  TS_DIST_READY,     /* fingerprint; answer: a text, "" if all is well, and the length of a lease (ns) */
  TS_DIST_TAKE,      /* nothing; answer, once there is one: ts_dist_answer, ts_dist_bucket with WORK */
  TS_DIST_NEWS,      /* number and token of the bucket, then starts, task events and products; answer: nothing */
  TS_DIST_RESULT,    /* ts_dist_result; answer: nothing */
  TS_DIST_GIVE_UP,   /* the errors for which this worker cannot work; answer: nothing */
  TS_DIST_RENEW,     /* heartbeat: the token; answer: whether it is stale (u8) */
  TS_DIST_WARN,      /* heartbeat: a warning for people; answer: nothing */
};

enum ts_dist_role { TS_DIST_ROLE_WORK, TS_DIST_ROLE_HEARTBEAT };
void ts_dist_add_hello(struct ts_str *out, enum ts_dist_role role, const char *id);
/* False: the bytes are not a greeting. *protocol may be another one than TS_DIST_PROTOCOL. */
bool ts_dist_read_hello(struct ts_wire *wire, enum ts_dist_role *role, uint32_t *protocol, const char **id);

enum ts_dist_answer { TS_DIST_ANSWER_WORK, TS_DIST_ANSWER_END };

struct ts_dist_bucket {
  uint64_t number, token;
  uint32_t window;
  const char *body; /* borrowed from the bytes */
};
void ts_dist_add_bucket(struct ts_str *out, const struct ts_dist_bucket *bucket);
struct ts_dist_bucket ts_dist_read_bucket(struct ts_wire *wire);

/* The result of a bucket, apart from its events. */
struct ts_dist_result {
  uint64_t number, token;
  bool stopped;
  uint64_t dropped, spilled, waits, recomputed, peak_bytes;
  struct ts_memo_counts parts;
  double cpu_s;
};
void ts_dist_result_add(struct ts_str *out, const struct ts_dist_result *result);
struct ts_dist_result ts_dist_result_read(struct ts_wire *wire);

/* News are items one after another. A product comes as its bytes, or as the digest of one that the store keeps. */
enum ts_dist_item { TS_DIST_ITEM_START, TS_DIST_ITEM_TASK, TS_DIST_ITEM_PRODUCT, TS_DIST_ITEM_KEPT };
#define TS_DIST_PORTS 8 /* sizes of further output ports do not travel: the cost model keeps no more */
struct ts_dist_news {
  enum ts_dist_item item;
  /* START: node alone; PRODUCT, KEPT: node and unit; log borrowed from the bytes; error and port_bytes below; start_s
   * since the bucket began; worker: a thread of the process. */
  struct ts_task_event event;
  struct ts_error error;            /* TASK, if it failed */
  size_t port_bytes[TS_DIST_PORTS]; /* TASK */
  uint32_t port;
  const void *packed; /* borrowed from the bytes */
  size_t packed_bytes;
  struct ts_sha256 digest; /* KEPT */
};
void ts_dist_add_start(struct ts_str *out, uint32_t node);
void ts_dist_add_task(struct ts_str *out, const struct ts_task_event *event);
bool ts_dist_add_product(struct ts_str *out, uint32_t node, uint32_t port, size_t unit, const struct ts_data *data,
                         struct ts_error *err);
void ts_dist_add_kept(struct ts_str *out, uint32_t node, uint32_t port, size_t unit, const struct ts_sha256 *digest);
/* The next item; false at the end, or where the bytes make no sense (wire->failed). Numbers are not checked. */
bool ts_dist_read_news(struct ts_wire *wire, struct ts_dist_news *news);

#endif
