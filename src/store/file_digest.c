/* Digests of the user's files, computed once per state of the file.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A file is taken to be unchanged if device, inode, size, mtime and ctime are (base/file_identity.h). What is
 * remembered outlives the process, so the digest of a file that changed a moment ago is not. */
#include "base/clock.h"
#include "store/store_int.h"

#define SETTLED_NS INT64_C(100000000) /* several ticks of the slowest kernel clock */

static bool is_settled(const struct ts_file_identity *file, int64_t before_ns) {
  return file->mtime_ns < before_ns - SETTLED_NS && file->ctime_ns < before_ns - SETTLED_NS;
}

bool ts_store_file_digest(struct ts_store *store, const char *path, struct ts_sha256 *digest,
                          struct ts_file_identity *identity, struct ts_error *err) {
  struct ts_error ignored = {0}; /* without the store's help the digest is computed */
  if (!ts_file_identify_settled(path, identity, err)) return false;
  if (store->backend->file_find(store->state, identity, digest, &ignored)) return true;
  const int64_t before_ns = ts_clock_unix_ns();
  if (!ts_file_digest(path, digest, identity, err)) return false;
  if (!store->read_only && is_settled(identity, before_ns))
    store->backend->file_put(store->state, identity, digest, &ignored);
  return true;
}
