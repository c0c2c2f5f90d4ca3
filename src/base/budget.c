/* The budget of the process, the account of its temporary files, and the files themselves.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/budget.h"

#include "base/memory.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#define SCRATCH_PER_MEMORY 4
#define WAIT_NS            20000000L /* a decode that needs temporary files takes longer */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards what follows; taken before no other lock of ours */
static pthread_cond_t returned = PTHREAD_COND_INITIALIZER;
static uint64_t memory_limit; /* 0: not set */
static uint64_t scratch_limit;
static uint64_t held;

void ts_budget_set(uint64_t memory_bytes, uint64_t scratch_bytes) {
  pthread_mutex_lock(&lock);
  memory_limit = memory_bytes;
  scratch_limit = scratch_bytes;
  pthread_cond_broadcast(&returned);
  pthread_mutex_unlock(&lock);
}

static uint64_t memory_in_force(void) { return memory_limit ? memory_limit : ts_memory_default(); }

uint64_t ts_budget_scratch_default(uint64_t memory_bytes) {
  return memory_bytes < UINT64_MAX / SCRATCH_PER_MEMORY ? memory_bytes * SCRATCH_PER_MEMORY : UINT64_MAX;
}

static uint64_t scratch_in_force(void) {
  return scratch_limit ? scratch_limit : ts_budget_scratch_default(memory_in_force());
}

static uint64_t locked(uint64_t (*value)(void)) {
  pthread_mutex_lock(&lock);
  uint64_t bytes = value();
  pthread_mutex_unlock(&lock);
  return bytes;
}

static uint64_t held_now(void) { return held; }

uint64_t ts_budget_memory_bytes(void) { return locked(memory_in_force); }
uint64_t ts_budget_scratch_bytes(void) { return locked(scratch_in_force); }
uint64_t ts_budget_scratch_held(void) { return locked(held_now); }

static bool fits(uint64_t bytes) {
  uint64_t limit = scratch_in_force();
  return held <= limit && bytes <= limit - held;
}

/* With an end: what another thread took after release_idle looked becomes idle silently. */
static void wait_a_little(void) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += WAIT_NS;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  pthread_cond_timedwait(&returned, &lock, &until);
}

bool ts_budget_take_scratch(uint64_t bytes, void (*release_idle)(void)) {
  pthread_mutex_lock(&lock);
  bool asked = false;
  while (!fits(bytes) && bytes <= scratch_in_force()) {
    if (!asked && release_idle) {
      /* Without the lock: what is released comes back through ts_budget_return_scratch. */
      asked = true;
      pthread_mutex_unlock(&lock);
      release_idle();
      pthread_mutex_lock(&lock);
      continue;
    }
    wait_a_little();
    asked = false;
  }
  bool taken = fits(bytes);
  if (taken) held += bytes;
  pthread_mutex_unlock(&lock);
  return taken;
}

void ts_budget_return_scratch(uint64_t bytes) {
  pthread_mutex_lock(&lock);
  if (bytes > held) TS_BUG("more temporary bytes given back than taken");
  held -= bytes;
  pthread_cond_broadcast(&returned);
  pthread_mutex_unlock(&lock);
}

static int fail_room(struct ts_error *err, const char *folder, uint64_t bytes, const char *why) {
  char size[32];
  ts_fail(err, TS_ERR_NO_SCRATCH, "a temporary file of %s cannot be made in '%s': %s", ts_format_bytes(bytes, size),
          folder, why);
  ts_error_help(err, "free some space, or set TMPDIR to a folder on a larger disk");
  return -1;
}

/* O_TMPFILE is not known to every file system. */
static int open_nameless(const char *folder) {
  int file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0) return file;
  struct ts_str name = {0};
  ts_str_addf(&name, "%s/tessera-XXXXXX", folder);
  file = mkostemp(name.data, O_CLOEXEC); /* exclusively, 0600 */
  int number = errno;
  if (file >= 0) unlink(name.data);
  ts_str_release(&name);
  errno = number;
  return file;
}

int ts_budget_create_file(uint64_t bytes, struct ts_error *err) {
  const char *folder = getenv("TMPDIR");
  if (!folder || !*folder) folder = "/tmp";
  struct statvfs disk;
  if (statvfs(folder, &disk) == 0 && bytes / disk.f_frsize >= disk.f_bavail)
    return fail_room(err, folder, bytes, "the disk has less room than that");
  int file = open_nameless(folder);
  return file < 0 ? fail_room(err, folder, bytes, strerror(errno)) : file;
}
