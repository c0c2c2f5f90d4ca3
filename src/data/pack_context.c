/* Compression contexts, one pair per thread: making one costs ten times as much as packing a small table.
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/data_int.h"

#include "base/alloc.h"

#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;

static void destroy(void *pointer) {
  struct ts_pack_context *context = pointer;
  ZSTD_freeCCtx(context->pack);
  ZSTD_freeDCtx(context->unpack);
  free(context);
}

static void create_key(void) {
  if (pthread_key_create(&key, destroy) != 0) TS_BUG("no thread-specific key is left");
}

struct ts_pack_context *ts_pack_context_get(void) {
  pthread_once(&once, create_key);
  struct ts_pack_context *context = pthread_getspecific(key);
  if (context) return context;
  context = ts_calloc(1, sizeof *context);
  context->pack = ZSTD_createCCtx();
  context->unpack = ZSTD_createDCtx();
  if (!context->pack || !context->unpack || pthread_setspecific(key, context) != 0) {
    destroy(context);
    return NULL;
  }
  return context;
}
