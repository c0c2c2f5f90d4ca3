/* Reading file descriptors with messages that name the file; shared by the readers in base.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_BASE_FILE_INT_H
#define TS_BASE_FILE_INT_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Opens for reading; folders are refused. Returns -1 and sets the error (FILE_NOT_FOUND, FILE_IO) on failure. */
int ts_fd_open_read(const char *path, struct ts_error *err);
/* Reads up to `size` bytes; *got 0 means the end of the file. */
bool ts_fd_read(int fd, const char *path, void *buffer, size_t size, size_t *got, struct ts_error *err);

#endif
