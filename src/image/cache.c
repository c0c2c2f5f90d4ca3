/* A small cache of open images, so that reading the tiles of an image opens it once.
 * SPDX-License-Identifier: Apache-2.0
 *
 * An entry is named by path, level and the state of the file (times, size, inode), so that a file that is written again
 * is opened again. libvips images may be read by several threads at once. The lock guards the table only, but
 * opening happens under it too: it reads headers, and two threads that want the same file shall not both open it. */
#include "image/open_int.h"

#include "base/alloc.h"
#include "base/file_identity.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>

#define ENTRIES_MAX 16

struct entry {
  char *path; /* owned; NULL: free */
  int32_t level;
  struct stat state;
  struct ts_open_image open; /* owned */
  uint64_t used;             /* when, in lookups */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards what follows; taken before no other lock of ours */
static struct entry entries[ENTRIES_MAX];
static uint64_t lookups;

static bool same_state(const struct stat *a, const struct stat *b) {
  return a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
         a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec &&
         a->st_size == b->st_size && a->st_ino == b->st_ino && a->st_dev == b->st_dev;
}

static void close_entry(struct entry *entry) {
  if (!entry->path) return;
  g_object_unref(entry->open.image);
  free(entry->path);
  *entry = (struct entry){0};
}

static int64_t held_bytes(const struct entry *entry) { return entry->path ? ts_whole_memory_bytes(&entry->open) : 0; }

static struct entry *find(const char *path, int32_t level, const struct stat *state) {
  struct entry *found = NULL;
  for (size_t i = 0; i < ENTRIES_MAX; i++) {
    struct entry *entry = &entries[i];
    if (!entry->path || strcmp(entry->path, path) != 0) continue;
    if (!same_state(&entry->state, state)) {
      close_entry(entry);
    } else if (entry->level == level) {
      found = entry;
    }
  }
  return found;
}

/* The entry that was not used for longest, other than `except`; NULL if there is none. */
static struct entry *oldest(const struct entry *except) {
  struct entry *found = NULL;
  for (size_t i = 0; i < ENTRIES_MAX; i++) {
    if (!entries[i].path || &entries[i] == except) continue;
    if (!found || entries[i].used < found->used) found = &entries[i];
  }
  return found;
}

static struct entry *free_entry(void) {
  for (size_t i = 0; i < ENTRIES_MAX; i++) {
    if (!entries[i].path) return &entries[i];
  }
  struct entry *entry = oldest(NULL);
  close_entry(entry);
  return entry;
}

static void bound_memory(const struct entry *newest) {
  int64_t held = 0;
  for (size_t i = 0; i < ENTRIES_MAX; i++) held += held_bytes(&entries[i]);
  while (held > ts_whole_memory_bytes_max()) {
    struct entry *entry = oldest(newest);
    if (!entry) return;
    held -= held_bytes(entry);
    close_entry(entry);
  }
}

/* What was opened is kept under the state that the file had before: it must be that of what was opened. */
static struct entry *add(const char *path, int32_t level, const struct stat *state, struct ts_error *err) {
  struct ts_open_image open;
  struct stat after;
  if (!ts_image_open(path, level, &open, err)) return NULL;
  if (stat(path, &after) != 0 || !same_state(state, &after)) {
    g_object_unref(open.image);
    ts_file_keeps_changing(path, err);
    return NULL;
  }
  struct entry *entry = free_entry();
  *entry = (struct entry){.path = ts_strdup(path), .level = level, .state = *state, .open = open};
  bound_memory(entry);
  return entry;
}

static bool look_at(const char *path, struct stat *state, struct ts_error *err) {
  if (stat(path, state) != 0) {
    int reason = errno;
    ts_fail(err, reason == ENOENT || reason == ENOTDIR ? TS_ERR_FILE_NOT_FOUND : TS_ERR_FILE_IO, "image '%s': %s", path,
            strerror(reason));
    ts_error_help(err, "check the name and the folder you are in");
    ts_error_place(err, path, 0, 0, NULL);
    return false;
  }
  if (S_ISREG(state->st_mode)) return true;
  return ts_image_refuse(err, path, "give the name of an image file", "'%s' is not a file", path);
}

bool ts_open_image_get(const char *path, int32_t level, struct ts_open_image *open, struct ts_error *err) {
  struct stat state;
  if (!ts_image_startup(err) || !look_at(path, &state, err)) return false;
  pthread_mutex_lock(&lock);
  struct entry *entry = find(path, level, &state);
  if (!entry) entry = add(path, level, &state, err);
  if (entry) {
    entry->used = ++lookups;
    *open = entry->open;
    g_object_ref(open->image);
  }
  pthread_mutex_unlock(&lock);
  return entry != NULL;
}

void ts_open_image_release(struct ts_open_image *open) { ts_unref_image(&open->image); }

void ts_open_image_forget(const char *path) {
  pthread_mutex_lock(&lock);
  for (size_t i = 0; i < ENTRIES_MAX; i++) {
    if (entries[i].path && strcmp(entries[i].path, path) == 0) close_entry(&entries[i]);
  }
  pthread_mutex_unlock(&lock);
}

bool ts_image_inspect(const char *path, int32_t level, struct ts_image_info *info, struct ts_error *err) {
  ts_auto(ts_open_image_release) struct ts_open_image open = {0};
  if (!ts_open_image_get(path, level, &open, err)) return false;
  *info = open.info;
  return true;
}

void ts_images_close_idle(void) {
  pthread_mutex_lock(&lock);
  for (size_t i = 0; i < ENTRIES_MAX; i++) {
    if (entries[i].path && (entries[i].open.decoded_whole || entries[i].open.kept_bytes > 0)) close_entry(&entries[i]);
  }
  pthread_mutex_unlock(&lock);
}
