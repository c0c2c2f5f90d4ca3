/* Keeps the polygons of a few files, so that a file is decoded once and not for every tile.
 * SPDX-License-Identifier: Apache-2.0
 *
 * An entry is named by path and the state of the file (times, size, inode), so that a file that is written again is
 * read again. Files are decoded under the lock: two threads that want the same file shall not both decode it. */
#include "image/polygons_int.h"

#include "base/alloc.h"
#include "base/budget.h"
#include "base/file.h"
#include "base/file_identity.h"
#include "base/lock.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define ENTRIES_MAX 64
/* What all entries hold; small budgets allow a part of themselves. The newest stays whatever it holds. */
#define ALL_BYTES (UINT64_C(256) << 20)
#define ALL_SHARE 8
/* Bytes of memory for a byte of text while it is decoded: jansson takes 40 for a number such as "1234.5,". */
#define DECODED_RATIO 12

struct entry {
  char *path; /* owned; NULL: free */
  struct stat state;
  struct ts_polygons *polygons; /* a reference */
  uint64_t used;                /* when, in lookups */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards what follows; taken before no other lock of ours */
static struct entry entries[ENTRIES_MAX];
static uint64_t lookups;

bool ts_polygons_named(const char *path) {
  const char *ending = strrchr(ts_path_name(path), '.');
  return ending && (ts_word_equal(ending, ".geojson") || ts_word_equal(ending, ".json"));
}

size_t ts_polygons_bytes(const struct ts_polygons *p) {
  return sizeof *p + (p->point_capacity + p->y_capacity) * sizeof(double) +
         (p->ring_capacity + p->feature_capacity) * sizeof(size_t) +
         (p->point_count / TS_EDGE_RUN + 2 * p->feature_count) * sizeof(struct ts_polygon_box);
}

static bool same_state(const struct stat *a, const struct stat *b) {
  return a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
         a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec &&
         a->st_size == b->st_size && a->st_ino == b->st_ino && a->st_dev == b->st_dev;
}

static void drop(struct entry *entry) {
  ts_polygons_unref(entry->polygons);
  free(entry->path);
  *entry = (struct entry){0};
}

/* The entry that was not used for longest, other than `except`; NULL if there is none. */
static struct entry *oldest(const struct entry *except) {
  struct entry *found = NULL;
  for (size_t i = 0; i < ENTRIES_MAX; i++) {
    struct entry *entry = &entries[i];
    if (entry->path && entry != except && (!found || entry->used < found->used)) found = entry;
  }
  return found;
}

static struct entry *free_entry(void) {
  for (size_t i = 0; i < ENTRIES_MAX; i++)
    if (!entries[i].path) return &entries[i];
  struct entry *entry = oldest(NULL);
  drop(entry);
  return entry;
}

static void bound_memory(const struct entry *newest) {
  const uint64_t share = ts_budget_memory_bytes() / ALL_SHARE, most = share < ALL_BYTES ? share : ALL_BYTES;
  uint64_t held = 0;
  for (size_t i = 0; i < ENTRIES_MAX; i++) held += entries[i].path ? ts_polygons_bytes(entries[i].polygons) : 0;
  for (struct entry *entry; held > most && (entry = oldest(newest));) {
    held -= ts_polygons_bytes(entry->polygons);
    drop(entry);
  }
}

static struct entry *find(const char *path, const struct stat *state) {
  struct entry *found = NULL;
  for (size_t i = 0; i < ENTRIES_MAX && !found; i++) {
    if (!entries[i].path || strcmp(entries[i].path, path) != 0) continue;
    if (same_state(&entries[i].state, state))
      found = &entries[i];
    else
      drop(&entries[i]);
  }
  return found;
}

static bool look_at(const char *path, struct stat *state, struct ts_error *err) {
  if (stat(path, state) != 0) {
    const int reason = errno;
    ts_fail(err, reason == ENOENT || reason == ENOTDIR ? TS_ERR_FILE_NOT_FOUND : TS_ERR_FILE_IO, "'%s': %s", path,
            strerror(reason));
    ts_error_help(err, "check the name and the folder you are in");
    return ts_error_place(err, path, 0, 0, NULL);
  }
  const uint64_t most = ts_budget_memory_bytes() / DECODED_RATIO;
  if ((uint64_t)state->st_size <= most) return true;
  char size[32], limit[32];
  ts_fail(err, TS_ERR_IMAGE_TOO_LARGE, "'%s' has %s; with this budget of memory at most %s can be decoded", path,
          ts_format_bytes((uint64_t)state->st_size, size), ts_format_bytes(most, limit));
  ts_error_help(err, "allow more with --memory, or export fewer objects, without measurements");
  return ts_error_place(err, path, 0, 0, NULL);
}

/* What was read is kept under the state that the file had before: it must be that of what was read. */
static struct ts_polygons *decode(const char *path, const struct stat *state, struct ts_faults *faults) {
  ts_auto(ts_str_release) struct ts_str text = {0};
  struct ts_error err = {0};
  struct stat after;
  if (ts_file_read(path, 0, &text, &err) && (stat(path, &after) != 0 || !same_state(state, &after)))
    ts_file_keeps_changing(path, &err);
  if (err.code == TS_ERR_OK) return ts_polygons_parse(path, ts_str_get(&text), text.length, faults);
  *ts_faults_add(faults) = err;
  return NULL;
}

struct ts_polygons *ts_polygons_get(const char *path, struct ts_faults *faults) {
  struct stat state;
  struct ts_error err = {0};
  if (!look_at(path, &state, &err)) {
    *ts_faults_add(faults) = err;
    return NULL;
  }
  ts_hold(&lock);
  struct entry *entry = find(path, &state);
  if (!entry) {
    struct ts_polygons *polygons = decode(path, &state, faults);
    if (!polygons) return NULL;
    entry = free_entry();
    *entry = (struct entry){.path = ts_strdup(path), .state = state, .polygons = polygons};
    bound_memory(entry);
  }
  entry->used = ++lookups;
  atomic_fetch_add(&entry->polygons->references, 1);
  return entry->polygons;
}

void ts_polygons_close_idle(void) {
  ts_hold(&lock);
  for (size_t i = 0; i < ENTRIES_MAX; i++) drop(&entries[i]);
}
