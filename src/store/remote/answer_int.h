/* The serving side of the requests: decodes one, asks the backend, encodes the answer.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_STORE_REMOTE_ANSWER_INT_H
#define TS_STORE_REMOTE_ANSWER_INT_H

#include "store/key_set.h"
#include "store/remote/wire_int.h"
#include "store/store_int.h"

/* A store that is served, and the keys that it is known to hold. Used by one thread at a time. */
struct ts_remote_service {
  struct ts_store *store; /* borrowed */
  struct ts_key_set known;
  uint64_t *log; /* owned; what is in `known`, in the order in which it was found */
  size_t log_count, log_capacity;
  uint64_t mark; /* of ts_store_backend.keys */
  bool too_many; /* keys to hold: workers ask every question */
};

void ts_remote_service_release(struct ts_remote_service *service);
/* Adds the answer's bytes to *out, or fills err (FAILED), or refuses to understand the request (BAD). */
enum ts_remote_answer ts_remote_answer_request(struct ts_remote_service *service, uint32_t kind, const void *bytes,
                                               size_t count, struct ts_str *out, struct ts_error *err);

#endif
