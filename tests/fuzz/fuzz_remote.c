/* Fuzz target: what a worker may send to the process that serves the store, request after request.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The input is cut into requests: a byte for the kind, two for the length, the bytes. */
#include "fuzz.h"

#include "store/remote/answer_int.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc;
  (void)argv;
  fuzz_start();
  return 0;
}

/* Of exactly this size, so that reading beyond it is found. */
static void ask(struct ts_remote_service *service, uint32_t kind, const uint8_t *bytes, size_t count) {
  void *copy = malloc(count ? count : 1);
  if (!copy) abort();
  memcpy(copy, bytes, count);
  struct ts_str out = {0};
  struct ts_error err = {0};
  const enum ts_remote_answer answer = ts_remote_answer_request(service, kind, copy, count, &out, &err);
  if ((answer == TS_REMOTE_FAILED) != (err.code != TS_ERR_OK)) abort();
  ts_str_release(&out);
  free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct ts_error err = {0};
  struct ts_store *store = ts_store_open(&(struct ts_store_options){.backend = "memory"}, &err);
  if (!store) abort();
  struct ts_remote_service service = {.store = store};
  while (size >= 3) {
    const uint32_t kind = data[0];
    size_t count = (size_t)data[1] | (size_t)data[2] << 8;
    data += 3;
    size -= 3;
    if (count > size) count = size;
    ask(&service, kind, data, count);
    data += count;
    size -= count;
  }
  ts_remote_service_release(&service);
  ts_store_close(store);
  return 0;
}
