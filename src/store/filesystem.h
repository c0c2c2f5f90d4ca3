/* Which file systems the store refuses: those shared over a network, where locks and shared memory cannot be relied on.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_STORE_FILESYSTEM_H
#define TS_STORE_FILESYSTEM_H

#include "base/error.h"

#include <stdbool.h>

/* The name of a network file system by its number from statfs(2) and, for those behind FUSE, its type in
 * /proc/self/mountinfo ("fuse.sshfs"; may be NULL); NULL for every other file system. */
const char *ts_filesystem_network_name(long magic, const char *type);
/* Fails if the path, or the nearest folder above it that exists, lies on a network file system. */
bool ts_filesystem_check_local(const char *path, struct ts_error *err);

#endif
