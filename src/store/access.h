/* Whose a store is: its files are private to the user who made it, and only plain files are taken for them.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_STORE_ACCESS_H
#define TS_STORE_ACCESS_H

#include "base/error.h"

#include <stdbool.h>

#define TS_STORE_FILE_MODE   0600
#define TS_STORE_FOLDER_MODE 0700

/* Makes the folder, with those above it, unless it is there; only its owner may look into a new one. */
bool ts_store_folder_create(const char *path, struct ts_error *err);
/* Opens a file of a store for reading and writing, and makes it if it is not there. Links are not followed, and
 * anything but a plain file is refused. -1 with an error that names the file and its owner. */
int ts_store_file_open(const char *folder, const char *path, struct ts_error *err);
/* The same check for a file that is only read, by another way; fine if it is not there. */
bool ts_store_file_check(const char *folder, const char *path, struct ts_error *err);

#endif
