/* What 'store gc' would remove: which runs are kept, and which products none of these uses.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_API_STORE_GC_CHOICE_H
#define TS_API_STORE_GC_CHOICE_H

#include "api/store/usage.h"
#include "project/issues.h"
#include "request/request.h"

/* Why a run is kept, as replies say it. */
#define KEPT_UNFINISHED "unfinished" /* it can be continued, and what it uses would be computed twice */
#define KEPT_NEEDED     "needed"     /* an unfinished run of the same file may come to what this one made */
#define KEPT_NEWEST     "newest"
#define KEPT_YOUNG      "young"
#define KEPT_ALL        "all" /* nothing says which runs are not */

struct gc_choice {
  struct store_usage *usage; /* borrowed */
  struct ts_sha256 *digests; /* owned: of the chosen products, in the order in which they go */
  size_t count;
  uint64_t bytes, file_bytes; /* as they lie in the store; of these, in files of their own */
  double seconds;             /* of CPU time that computing them took */
  uint64_t left_bytes;        /* what the files of the store hold afterwards */
};
void ts_gc_choice_release(struct gc_choice *choice);
/* Looks at the request only; false: a fault of it, such as a run that is not there. `usage` is read. */
bool ts_gc_choose(struct gc_choice *choice, struct store_usage *usage, const struct ts_request *request,
                  int64_t now_unix_ns, struct ts_issues *issues);

#endif
