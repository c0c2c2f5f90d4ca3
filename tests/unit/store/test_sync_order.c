/* Products reach the disk before they get their names, and the names before a write is reported as done.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Nothing short of a power cut shows a missing fsync, so the calls themselves are looked at: this program's fsync and
 * renameat take the place of the C library's, note what they were called for, and pass it on to the kernel. */
#include "unit/store/support.h"

#include "store/objects.h"

#include <errno.h>
#include <limits.h>
#include <sys/syscall.h>

#define MOST_CALLS 512

/* What happened to which file: 's' synced, 'r' got its name. Paths are real ones. */
struct call {
  char kind;
  char path[PATH_MAX], new_path[PATH_MAX];
};
static struct call calls[MOST_CALLS];
static size_t call_count;
static bool is_noting;
static int fsync_errno; /* of every file; 0: they succeed */

static void path_of(int fd, char path[PATH_MAX]) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t length = readlink(link, path, PATH_MAX - 1);
  path[length > 0 ? length : 0] = '\0';
}

static struct call *note(char kind) {
  assert_true(call_count < MOST_CALLS);
  calls[call_count] = (struct call){.kind = kind};
  return &calls[call_count++];
}

int fsync(int fd) {
  if (is_noting) path_of(fd, note('s')->path);
  if (is_noting && fsync_errno != 0) {
    errno = fsync_errno;
    return -1;
  }
  return (int)syscall(SYS_fsync, fd);
}

int renameat(int old_fd, const char *old_path, int new_fd, const char *new_path) {
  if (is_noting) {
    struct call *call = note('r');
    char folder[PATH_MAX];
    if (!realpath(old_path, call->path)) call->path[0] = '\0'; /* always given with its folder */
    path_of(new_fd, folder);
    snprintf(call->new_path, sizeof call->new_path, "%.*s/%.80s", (int)sizeof call->new_path - 100, folder, new_path);
  }
  return (int)syscall(SYS_renameat, old_fd, old_path, new_fd, new_path);
}

/* Position of the call, or MOST_CALLS. */
static size_t find_call(char kind, const char *path, const char *new_path) {
  for (size_t i = 0; i < call_count; i++) {
    if (calls[i].kind == kind && (!path || strcmp(calls[i].path, path) == 0) &&
        (!new_path || strcmp(calls[i].new_path, new_path) == 0))
      return i;
  }
  return MOST_CALLS;
}

#define COUNT 70 /* more than are open at once */

struct batch {
  char texts[COUNT][32];
  struct ts_batch_product products[COUNT];
  const struct ts_batch_product *pointers[COUNT];
};

static void make_batch(struct batch *batch) {
  for (size_t i = 0; i < COUNT; i++) {
    const int length = snprintf(batch->texts[i], sizeof batch->texts[i], "product %zu", i);
    batch->products[i] = (struct ts_batch_product){
        .size_bytes = (uint64_t)length, .packed = batch->texts[i], .packed_bytes = (size_t)length};
    ts_sha256_of(batch->texts[i], (size_t)length, &batch->products[i].digest);
    batch->pointers[i] = &batch->products[i];
  }
}

/* The path a product must have: objects/ab/cdef..., and the folder it lies in. */
static void product_paths(const char *objects, const struct ts_batch_product *product, char path[PATH_MAX],
                          char folder[PATH_MAX]) {
  char hex[65];
  ts_hex_encode(product->digest.bytes, sizeof product->digest.bytes, hex);
  snprintf(folder, PATH_MAX, "%.1000s/%.2s", objects, hex);
  snprintf(path, PATH_MAX, "%.1000s/%.2s/%s", objects, hex, hex + 2);
}

static bool write_batch(const char *folder, struct batch *batch, char objects_path[PATH_MAX]) {
  struct ts_objects objects;
  struct ts_error err = {0};
  bool is_new[COUNT];
  assert_true(ts_objects_open(&objects, folder, &err));
  assert_non_null(realpath(objects.folder, objects_path));
  call_count = 0;
  is_noting = true;
  const bool ok = ts_objects_write(&objects, batch->pointers, COUNT, is_new, &err);
  is_noting = false;
  assert_int_equal(ok, err.code == TS_ERR_OK);
  ts_objects_close(&objects);
  return ok;
}

static void bytes_come_before_names(void **state) {
  (void)state;
  static struct batch batch;
  char folder[SCRATCH_SIZE];
  char objects[PATH_MAX];
  char path[PATH_MAX];
  char parent[PATH_MAX];
  scratch_create(folder);
  make_batch(&batch);
  assert_true(write_batch(folder, &batch, objects));
  for (size_t i = 0; i < COUNT; i++) {
    product_paths(objects, &batch.products[i], path, parent);
    const size_t named = find_call('r', NULL, path);
    if (named == MOST_CALLS) fail_msg("'%s' never got its name", path);
    const size_t synced = find_call('s', calls[named].path, NULL);
    if (synced == MOST_CALLS) fail_msg("'%s' was never synced", calls[named].path);
    if (synced > named) fail_msg("'%s' got its name before its bytes were synced", path);
    size_t last = MOST_CALLS; /* the last sync of its folder */
    for (size_t k = 0; k < call_count; k++) {
      if (calls[k].kind == 's' && strcmp(calls[k].path, parent) == 0) last = k;
    }
    if (last == MOST_CALLS || last < named) fail_msg("the folder '%s' was not synced after its last name", parent);
  }
  assert_string_equal(calls[call_count - 1].path, objects); /* new folders are names, too */
  assert_int_equal(calls[call_count - 1].kind, 's');
  scratch_remove(folder);
}

/* A disk that cannot keep the bytes: no file gets a name. */
static void no_name_without_bytes(void **state) {
  (void)state;
  static struct batch batch;
  char folder[SCRATCH_SIZE];
  char objects[PATH_MAX];
  scratch_create(folder);
  make_batch(&batch);
  fsync_errno = EIO;
  assert_false(write_batch(folder, &batch, objects));
  fsync_errno = 0;
  assert_int_equal(find_call('r', NULL, NULL), MOST_CALLS);
  scratch_remove(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bytes_come_before_names),
      cmocka_unit_test(no_name_without_bytes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
