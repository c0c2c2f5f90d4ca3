/* Which state of a file this is: what the file system says without reading it, and the digest that belongs to it.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A write gives a file the time of the kernel's clock, which advances only every 10 ms or less. Of two writes within
 * one tick the second leaves no trace, so the identity of a file that was changed just now is worth nothing until the
 * tick is over. The functions here wait for that. Limits: docs/faults.md. */
#ifndef TS_BASE_FILE_IDENTITY_H
#define TS_BASE_FILE_IDENTITY_H

#include "base/digest.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct ts_file_identity {
  uint64_t device, inode, size_bytes;
  int64_t mtime_ns, ctime_ns;
};

/* As it is now. FILE_NOT_FOUND (also what is not a regular file) or FILE_IO, with err->where.file set. */
bool ts_file_identify(const char *path, struct ts_file_identity *identity, struct ts_error *err);
bool ts_file_identity_equal(const struct ts_file_identity *a, const struct ts_file_identity *b);

/* How long to wait, seen at `now_ns` (Unix time), until a later write must give the file another identity; 0: not at
 * all. At most 2 s, for file systems that count seconds. */
int64_t ts_file_identity_wait_ns(const struct ts_file_identity *identity, int64_t now_ns);

/* Whether it was changed so short a time ago that a program may still be writing it without a trace in the identity: in
 * one long call, or through memory that was mapped. */
bool ts_file_identity_is_fresh(const struct ts_file_identity *identity, int64_t now_ns);

/* The identity once later writes, also those through memory that is mapped already, must change it. Waits where that is
 * necessary. */
bool ts_file_identify_settled(const char *path, struct ts_file_identity *identity, struct ts_error *err);

/* The digest of a file that did not change while it was read, and its identity. DATA_CHANGED if it keeps changing. */
bool ts_file_digest(const char *path, struct ts_sha256 *digest, struct ts_file_identity *identity,
                    struct ts_error *err);
/* The error of a file that changes whenever it is read. Returns false. */
bool ts_file_keeps_changing(const char *path, struct ts_error *err);

#endif
