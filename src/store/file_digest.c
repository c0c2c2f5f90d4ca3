/* Digests of the user's files, computed once per state of the file.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A file is taken to be unchanged if device, inode, size, mtime and ctime are (base/file_identity.h). What is
 * remembered outlives the process, so the digest of a file that changed a moment ago is not. Numbers of devices and
 * inodes mean something on one machine only: in the store the device is one of a machine. */
#include "base/alloc.h"
#include "base/clock.h"
#include "base/machine/machine.h"
#include "store/store_int.h"

#include <inttypes.h>
#include <string.h>

#define SETTLED_NS INT64_C(100000000) /* several ticks of the slowest kernel clock */

static bool is_settled(const struct ts_file_identity *file, int64_t before_ns) {
  return file->mtime_ns < before_ns - SETTLED_NS && file->ctime_ns < before_ns - SETTLED_NS;
}

uint64_t ts_store_device_of(const char *machine, uint64_t device) {
  ts_auto(ts_str_release) struct ts_str text = {0};
  struct ts_sha256 digest;
  uint64_t number = 0;
  ts_str_addf(&text, "%s %" PRIu64, machine, device);
  ts_sha256_of(ts_str_get(&text), text.length, &digest);
  memcpy(&number, digest.bytes, sizeof number);
  return number >> 1; /* databases have signed numbers */
}

bool ts_store_file_digest(struct ts_store *store, const char *path, struct ts_sha256 *digest,
                          struct ts_file_identity *identity, struct ts_error *err) {
  struct ts_error ignored = {0}; /* without the store's help the digest is computed */
  if (!ts_file_identify_settled(path, identity, err)) return false;
  struct ts_file_identity known = *identity;
  known.device = ts_store_device_of(ts_machine_id(), identity->device);
  if (store->backend->file_find(store->state, &known, digest, &ignored)) return true;
  const int64_t before_ns = ts_clock_unix_ns();
  if (!ts_file_digest(path, digest, identity, err)) return false;
  known = *identity;
  known.device = ts_store_device_of(ts_machine_id(), identity->device);
  if (!store->read_only && is_settled(identity, before_ns))
    store->backend->file_put(store->state, &known, digest, &ignored);
  return true;
}
