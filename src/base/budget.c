/* The budget of the process, the account of its temporary files, and the files themselves.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/budget.h"

#include "base/lock.h"
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
/* Kept for what commands write between two looks at their folders: of 100 MB 6.3 MB. Of 50 commands that filled 100 MB
 * with many files, 30 of them beside four endless loops on two cores, the one seen latest wrote 2.3 MB more. */
#define UNSEEN_SHARE 16

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards what follows; taken before no other lock of ours */
static pthread_cond_t returned = PTHREAD_COND_INITIALIZER;
static struct ts_budget *budgets; /* borrowed list: in force */
static uint64_t held;
static size_t commands_running;
static size_t commands_alone;            /* that wait to be alone, or are */
static void (*release_idle_files)(void); /* of those who hold temporary files; NULL: nobody has taken any */

/* Under the lock. */
static void take_out(const struct ts_budget *budget) {
  struct ts_budget **link = &budgets;
  while (*link && *link != budget) link = &(*link)->next;
  if (*link) *link = budget->next;
}

void ts_budget_set(struct ts_budget *budget, uint64_t memory_bytes, uint64_t scratch_bytes) {
  ts_hold(&lock);
  take_out(budget);
  *budget = (struct ts_budget){memory_bytes, scratch_bytes, budgets};
  if (memory_bytes > 0 || scratch_bytes > 0) budgets = budget;
  pthread_cond_broadcast(&returned);
}

static uint64_t memory_in_force(void) {
  uint64_t least = UINT64_MAX;
  for (const struct ts_budget *budget = budgets; budget; budget = budget->next)
    if (budget->memory_bytes > 0 && budget->memory_bytes < least) least = budget->memory_bytes;
  return least < UINT64_MAX ? least : ts_memory_default();
}

uint64_t ts_budget_scratch_default(uint64_t memory_bytes) {
  return memory_bytes < UINT64_MAX / SCRATCH_PER_MEMORY ? memory_bytes * SCRATCH_PER_MEMORY : UINT64_MAX;
}

static uint64_t scratch_in_force(void) {
  uint64_t least = UINT64_MAX;
  for (const struct ts_budget *budget = budgets; budget; budget = budget->next) {
    const uint64_t asked =
        budget->scratch_bytes ? budget->scratch_bytes : ts_budget_scratch_default(budget->memory_bytes);
    if (asked < least) least = asked;
  }
  return least < UINT64_MAX ? least : ts_budget_scratch_default(memory_in_force());
}

static uint64_t locked(uint64_t (*value)(void)) {
  ts_hold(&lock);
  return value();
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
  if (release_idle) release_idle_files = release_idle;
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
  ts_hold(&lock);
  if (bytes > held) TS_BUG("more temporary bytes given back than taken");
  held -= bytes;
  pthread_cond_broadcast(&returned);
}

/* ---- Commands ---- */

static uint64_t command_limit(void) {
  uint64_t limit = scratch_in_force();
  return limit - limit / UNSEEN_SHARE;
}

uint64_t ts_budget_command_bytes(void) { return locked(command_limit); }

static bool may_begin(bool alone) { return alone ? commands_running == 0 && held == 0 : commands_alone == 0; }

/* Called with the lock, and without it meanwhile: what is released comes back through ts_budget_return_scratch. */
static void ask_for_idle_files(void) {
  void (*release)(void) = release_idle_files;
  if (!release || held == 0) return;
  pthread_mutex_unlock(&lock);
  release();
  pthread_mutex_lock(&lock);
}

bool ts_budget_begin_command(struct ts_scratch_share *share, bool alone, const atomic_bool *cancelled) {
  ts_hold(&lock);
  if (alone) commands_alone++;
  bool stop = false;
  while (!stop && !may_begin(alone)) {
    if (alone) ask_for_idle_files();
    if (!may_begin(alone)) wait_a_little();
    stop = cancelled && atomic_load_explicit(cancelled, memory_order_relaxed);
  }
  if (stop && alone) commands_alone--;
  if (!stop) {
    *share = (struct ts_scratch_share){.booked_bytes = alone ? scratch_in_force() : 0, .is_alone = alone};
    commands_running++;
    held += share->booked_bytes;
  }
  return !stop;
}

bool ts_budget_book_command(struct ts_scratch_share *share, uint64_t bytes, uint64_t *left_bytes) {
  pthread_mutex_lock(&lock);
  const uint64_t limit = command_limit();
  if (!share->is_alone) {
    held += bytes - share->booked_bytes;
    share->booked_bytes = bytes;
  }
  const uint64_t used = share->is_alone ? bytes : held;
  *left_bytes = used < limit ? limit - used : 0;
  pthread_cond_broadcast(&returned);
  pthread_mutex_unlock(&lock);
  return used <= limit;
}

void ts_budget_end_command(struct ts_scratch_share *share) {
  ts_hold(&lock);
  held -= share->booked_bytes;
  commands_running--;
  if (share->is_alone) commands_alone--;
  *share = (struct ts_scratch_share){0};
  pthread_cond_broadcast(&returned);
}

/* ---- Files ---- */

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
