/* Scratch folders: their names say whose they are, so that those of processes that were killed can be removed later.
 * SPDX-License-Identifier: Apache-2.0
 *
 * "<stem>-<process>-<start>-<machine>-XXXXXX". The machine identifies the boot and the space of process numbers: a
 * folder that a process of another computer or container left in a shared folder cannot be judged here, and is left
 * alone. */
#include "base/alloc.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/process/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OWNER_SIZE 80

/* A process and its start, which distinguishes it from others of its number; false if there is none. */
static bool print_owner(int64_t process_id, char owner[OWNER_SIZE]) {
  char identity[TS_PROCESS_IDENTITY_SIZE], space[64] = "";
  if (!ts_process_identity(process_id, identity)) return false;
  char *start = strchr(identity, ' ');
  if (!start) return false;
  *start++ = '\0';
  if (readlink("/proc/self/ns/pid", space, sizeof space - 1) < 0) return false;
  const struct ts_xxh128 boot = ts_xxh128_of(identity, strlen(identity), 0);
  const struct ts_xxh128 machine = ts_xxh128_of(space, strlen(space), boot.low);
  snprintf(owner, OWNER_SIZE, "%lld-%s-%08x", (long long)process_id, start, (unsigned)(machine.low & 0xffffffff));
  return true;
}

static const char *parent_of(const char *parent) {
  if (!parent || !*parent) parent = getenv("TMPDIR");
  return parent && *parent ? parent : "/tmp";
}

char *ts_folder_create_scratch(const char *parent, const char *stem, struct ts_error *err) {
  parent = parent_of(parent);
  char owner[OWNER_SIZE] = "0";
  ts_auto_free char *absolute = realpath(parent, NULL);
  ts_auto(ts_str_release) struct ts_str pattern = {0};
  print_owner(getpid(), owner);
  ts_str_addf(&pattern, "%s/%s-%s-XXXXXX", absolute ? absolute : "", stem, owner);
  if (absolute && mkdtemp(pattern.data)) return ts_strdup(ts_str_get(&pattern));
  ts_fail(err, TS_ERR_FILE_IO, "no scratch folder can be made in '%s': %s", parent, strerror(errno));
  ts_error_help(err, "set TMPDIR to a folder that can be written");
  return NULL;
}

/* Whether the name is that of a scratch folder of this machine whose process is gone. */
static bool is_left_over(const char *name, const char *stem) {
  char own[OWNER_SIZE], owner[OWNER_SIZE];
  const size_t length = strlen(stem);
  if (strncmp(name, stem, length) != 0 || name[length] != '-' || !print_owner(getpid(), own)) return false;
  name += length + 1;
  const char *machine = strrchr(own, '-'), *last = strrchr(name, '-');
  const size_t machine_length = strlen(machine);
  if (!last || (size_t)(last - name) <= machine_length || *name < '0' || *name > '9') return false;
  long long process_id = strtoll(name, NULL, 10);
  if (strncmp(last - machine_length, machine, machine_length) != 0) return false;
  if (!print_owner(process_id, owner)) return true;
  return strlen(owner) != (size_t)(last - name) || strncmp(name, owner, strlen(owner)) != 0;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place) {
  (void)status;
  (void)type;
  (void)place;
  remove(path);
  return 0;
}

void ts_folder_remove(const char *path) {
  nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS); /* links are not followed */
}

void ts_folder_sweep_scratch(const char *parent, const char *stem) {
  ts_auto_free char *absolute = realpath(parent_of(parent), NULL);
  DIR *folder = absolute ? opendir(absolute) : NULL;
  const struct dirent *entry;
  while (folder && (entry = readdir(folder))) {
    struct stat status;
    if (!is_left_over(entry->d_name, stem)) continue;
    if (fstatat(dirfd(folder), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (!S_ISDIR(status.st_mode) || status.st_uid != geteuid()) continue;
    ts_auto_free char *path = ts_path_join(absolute, entry->d_name);
    ts_folder_remove(path);
  }
  if (folder) closedir(folder);
}
