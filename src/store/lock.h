/* One writing process per store folder.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The lock is a flock on the file "lock" in the folder: it ends with the process however that ends, and it is not
 * handed on to programs that the process starts. The file holds the number of the process for the message to the
 * others, and its identity (base/process/process.h). A second lock on the same descriptor can be asked for without
 * taking it: a reader is never in a writer's way. */
#ifndef TS_STORE_LOCK_H
#define TS_STORE_LOCK_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Takes the lock without waiting. Returns a descriptor to hold, or -1 with STORE_BUSY or STORE. */
int ts_store_lock_open(const char *folder, struct ts_error *err);
/* Whether the lock still is that of the folder: files that were unlinked can be written without any complaint. */
bool ts_store_lock_check(int fd, const char *folder, struct ts_error *err);
void ts_store_lock_close(int fd); /* -1 is allowed */
/* Whether the process with this number and identity holds the lock of the folder now, wherever it runs. */
bool ts_store_lock_is_held_by(const char *folder, int64_t process_id, const char *identity);

#endif
