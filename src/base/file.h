/* Files: whole reads, atomic writes (write, fsync, rename), folders and paths.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_BASE_FILE_H
#define TS_BASE_FILE_H

#include "base/error.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads a whole file; FILE_NOT_FOUND or FILE_IO with err->where.file set. max_bytes 0: no limit. */
bool ts_file_read(const char *path, size_t max_bytes, struct ts_str *out, struct ts_error *err);
/* For files that another user wrote: opens `name`, which lies in the open folder itself, without following a link and
 * without waiting for a writer. -1 unless it is a regular file; *kind then says what it is ("a symbolic link"), NULL:
 * there is nothing of that name or it cannot be opened (errno). */
int ts_file_open_inside(int folder, const char *name, uint64_t *size_bytes, const char **kind);
/* Reads exactly `size` bytes of an open file, whatever is added to it meanwhile. False if there are fewer. */
bool ts_file_read_exactly(int file, void *bytes, size_t size);
/* Writes beside the target, fsyncs, renames over it: the target is the old or the new file, never a part. */
bool ts_file_write_atomic(const char *path, const void *data, size_t size, struct ts_error *err);
/* The same without fsync, for results that can be made again. */
bool ts_file_write(const char *path, const void *data, size_t size, struct ts_error *err);
/* For files that are written piece by piece: a new one in a folder, -1 with errno if there can be none; its name is
 * owned and does not grow with that of the file it is to become. */
int ts_file_create_temporary(const char *folder, char **name);
char *ts_path_temporary(const char *folder);                  /* such a name alone, unlike any other of this process */
bool ts_name_is_temporary(const char *name);                  /* whether a file has such a name, of any process */
int ts_file_write_all(int fd, const void *data, size_t size); /* 0 or the errno */
/* Sets FILE_IO for a failed system call on `path`, with help and place; `action` as in "be read". Returns false. */
bool ts_file_fail(struct ts_error *err, const char *path, const char *action, int number);
bool ts_file_exists(const char *path);
bool ts_folder_exists(const char *path);
bool ts_folder_create(const char *path, struct ts_error *err); /* with parents; fine if it is there */
/* Makes a folder inside another one, which must be there: every component of `inner` is a real folder, never a link
 * that leads elsewhere; ".." is refused. */
bool ts_folder_create_inside(const char *outer, const char *inner, struct ts_error *err);
/* A new folder "<stem>-...XXXXXX" in `parent`, or if that is NULL or empty in TMPDIR or /tmp. Owned absolute path; NULL
 * with FILE_IO. */
char *ts_folder_create_scratch(const char *parent, const char *stem, struct ts_error *err);
/* Removes a folder with all that is in it, as far as that is possible; links in it are not followed. */
void ts_folder_remove(const char *path);
/* Removes scratch folders that processes of this machine and user left when they were killed. */
void ts_folder_sweep_scratch(const char *parent, const char *stem);
bool ts_folder_is_empty(const char *path); /* true also if it is not there */
/* "a/b" + "c" -> "a/b/c"; an absolute second part is returned alone. Owned result. */
char *ts_path_join(const char *folder, const char *name);
char *ts_path_absolute(const char *path);   /* from the current folder; as it is if there is none. Owned result */
char *ts_path_folder(const char *path);     /* "." if none. Owned result */
const char *ts_path_name(const char *path); /* borrowed: what follows the last '/' */
/* Name without folder and last ending: "a/slide.ome.tif" -> "slide.ome". Owned result. */
char *ts_path_stem(const char *path);
/* The stem as a name for a folder below ours: leading dots and control characters become '_' (as do bytes that are not
 * UTF-8), 200 bytes at most, never empty. Owned result. */
char *ts_path_safe_stem(const char *path);
/* Disk space of a folder with all that is in it; links are not followed. */
uint64_t ts_folder_used_bytes(const char *path);

#endif
