/* A store that is opened once and shared by projects and runs.
 * SPDX-License-Identifier: Apache-2.0 */
#include "handles/handles_int.h"

#include "api/lent.h"
#include "base/alloc.h"

#include <stdlib.h>

struct tessera_store *tessera_store_open(const char *folder, const char *store, bool read_only, char **reply) {
  const struct ts_request request = {.folder = folder, .store = store};
  struct ts_issues issues = {0};
  ts_handle_hand_over(NULL, reply);
  struct ts_store *opened = ts_request_open_store(&request, read_only, read_only, &issues);
  if (!opened) {
    ts_handle_refuse(&issues, reply);
    return NULL;
  }
  struct tessera_store *handle = ts_calloc(1, sizeof *handle);
  atomic_init(&handle->holders, 1);
  handle->store = opened;
  handle->folder = ts_strdup(ts_request_folder(&request));
  handle->read_only = read_only;
  pthread_mutex_init(&handle->lock, NULL);
  return handle;
}

struct tessera_store *ts_handle_store_ref(struct tessera_store *store) {
  atomic_fetch_add(&store->holders, 1);
  return store;
}

/* Runs hold the store: nobody is in the list any more when the last holder goes. */
void tessera_store_close(struct tessera_store *store) {
  if (!store || atomic_fetch_sub(&store->holders, 1) > 1) return;
  ts_store_close(store->store);
  pthread_mutex_destroy(&store->lock);
  free(store->folder);
  free(store);
}

int tessera_store_runs(struct tessera_store *store, char **reply) {
  const struct ts_request request = {.folder = store->folder};
  char *text = NULL;
  const int code = ts_status_of(&request, store->store, &text);
  ts_handle_hand_over(text, reply);
  return code;
}
