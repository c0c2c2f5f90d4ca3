/* Messages between the coordinator and workers, as bytes.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_DIST_MESSAGES_H
#define TS_DIST_MESSAGES_H

#include "base/wire.h"
#include "run/run.h"
#include "store/store.h"

enum ts_dist_message {
  TS_DIST_HELLO = TS_STORE_SAY_FIRST, /* nothing; answer: the description */
  TS_DIST_READY,                      /* fingerprint; answer: a text, "" if all is well; ts_dist_start behind it */
  TS_DIST_TAKE,                       /* nothing; answer: ts_dist_answer, with a bucket ts_dist_bucket behind it */
  TS_DIST_NEWS,                       /* starts, task events and products; no answer */
  TS_DIST_RESULT,                     /* ts_dist_result; no answer */
  TS_DIST_GIVE_UP                     /* code, text and help of an error; no answer */
};

enum ts_dist_answer { TS_DIST_ANSWER_WORK, TS_DIST_ANSWER_WAIT, TS_DIST_ANSWER_END };

/* The result of a bucket, apart from its events. */
struct ts_dist_result {
  uint64_t number, token; /* of the bucket, and of its claim */
  bool stopped;
  uint64_t dropped, spilled, waits, recomputed, peak_bytes;
  struct ts_memo_counts parts;
  double cpu_s;
};
void ts_dist_result_add(struct ts_str *out, const struct ts_dist_result *result);
struct ts_dist_result ts_dist_result_read(struct ts_wire *wire);

/* News are items one after another. */
enum ts_dist_item { TS_DIST_ITEM_START, TS_DIST_ITEM_TASK, TS_DIST_ITEM_PRODUCT };
struct ts_dist_news {
  enum ts_dist_item item;
  struct ts_task_event event; /* START: node alone; PRODUCT: node and unit; message borrowed from the bytes */
  uint32_t port;
  const void *packed; /* borrowed from the bytes */
  size_t packed_bytes;
};
void ts_dist_add_start(struct ts_str *out, uint32_t node);
void ts_dist_add_task(struct ts_str *out, const struct ts_task_event *event);
bool ts_dist_add_product(struct ts_str *out, uint32_t node, uint32_t port, size_t unit, const struct ts_data *data,
                         struct ts_error *err);
/* The next item; false at the end, or where the bytes make no sense (wire->failed). Numbers are not checked. */
bool ts_dist_read_news(struct ts_wire *wire, struct ts_dist_news *news);

#endif
