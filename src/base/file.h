/* Files: whole reads, atomic writes (write, fsync, rename), folders and paths.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_BASE_FILE_H
#define TS_BASE_FILE_H

#include "base/error.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

/* Reads a whole file; FILE_NOT_FOUND or FILE_IO with err->where.file set. max_bytes 0: no limit. */
bool ts_file_read(const char *path, size_t max_bytes, struct ts_str *out, struct ts_error *err);
/* Writes beside the target, fsyncs, renames over it: the target is the old or the new file, never a part. */
bool ts_file_write_atomic(const char *path, const void *data, size_t size, struct ts_error *err);
/* The same without fsync, for results that can be made again. */
bool ts_file_write(const char *path, const void *data, size_t size, struct ts_error *err);
/* For files that are written piece by piece: a new one in a folder, -1 with errno if there can be none; its name is
 * owned and does not grow with that of the file it is to become. */
int ts_file_create_temporary(const char *folder, char **name);
char *ts_path_temporary(const char *folder);                  /* such a name alone, unlike any other of this process */
int ts_file_write_all(int fd, const void *data, size_t size); /* 0 or the errno */
bool ts_file_exists(const char *path);
bool ts_folder_exists(const char *path);
bool ts_folder_create(const char *path, struct ts_error *err); /* with parents; fine if it is there */
/* A new folder "<stem>-...XXXXXX" in `parent`, or if that is NULL or empty in TMPDIR or /tmp. Owned absolute path; NULL with
 * FILE_IO. */
char *ts_folder_create_scratch(const char *parent, const char *stem, struct ts_error *err);
/* Removes those that processes of this machine and user left when they were killed. */
void ts_folder_sweep_scratch(const char *parent, const char *stem);
bool ts_folder_is_empty(const char *path); /* true also if it is not there */
/* "a/b" + "c" -> "a/b/c"; an absolute second part stands alone. Owned result. */
char *ts_path_join(const char *folder, const char *name);
char *ts_path_absolute(const char *path);   /* from the current folder; as it is if there is none. Owned result */
char *ts_path_folder(const char *path);     /* "." if none. Owned result */
const char *ts_path_name(const char *path); /* borrowed: what follows the last '/' */
/* Name without folder and last ending: "a/slide.ome.tif" -> "slide.ome". Owned result. */
char *ts_path_stem(const char *path);

#endif
