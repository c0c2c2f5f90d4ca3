/* Large blocks of memory: mapped one by one, idle ones kept for the next taker.
 * SPDX-License-Identifier: Apache-2.0
 *
 * In front of the bytes of each block lies a head of 64 bytes. An idle block is in two lists: that of its size, where a
 * taker finds it without a look at any other (every look at a head is a cache miss), and that of all by age, from which
 * the longest idle ones leave. One mutex guards both; it is taken for large blocks only, a few times per task. */
#include "base/block.h"

#include "base/lock.h"
#include "base/sanitizers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LARGE_BYTES ((size_t)64 << 10)    /* from here on mapped */
#define GRAIN_BYTES ((size_t)64 << 10)    /* sizes of mapped blocks are multiples of it, so that like sizes meet */
#define HUGE_BYTES  ((size_t)2 << 20)     /* a large page */
#define BIN_COUNT   1024                  /* sizes up to 64 MiB have a list each, all larger ones the last list */
#define MIN_IDLE    ((uint64_t)256 << 20) /* idle bytes that are fine unless there is a limit */
/* Idle blocks: a sixteenth of the mappings that Linux grants a process. 256 made each worker of the recorded study on
 * 16 tiles of 740 x 740 pixels map 1,100 planes again that it had just given
 * back: 285,000 page faults in all, 160,000 with this limit. */
#define MAX_IDLE 4096

struct head {
  size_t mapped_bytes;          /* 0: from malloc */
  size_t size_bytes;            /* requested */
  struct head *older, *younger; /* idle: by the time when they were given back */
  struct head *next, *before;   /* idle, of the same list of sizes: the block given back last first */
};
_Static_assert(sizeof(struct head) <= TS_BLOCK_ALIGNMENT, "the head fits before the bytes");

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the next six */
static struct head *bins[BIN_COUNT];                     /* by multiples of the grain */
static struct head *youngest, *oldest;                   /* of all idle blocks */
static size_t idle_count;
static uint64_t idle_bytes;
static uint64_t limit_sum; /* 0: there is no limit */
static _Atomic uint64_t used_bytes;

static _Thread_local struct ts_block_watch *current_watch; /* borrowed; written by this thread alone */

static struct head *head_of(void *block) { return (struct head *)(void *)((char *)block - TS_BLOCK_ALIGNMENT); }
static void *bytes_of(struct head *head) { return (char *)head + TS_BLOCK_ALIGNMENT; }

static void count(int64_t bytes) {
  atomic_fetch_add_explicit(&used_bytes, (uint64_t)bytes, memory_order_relaxed);
  if (!current_watch) return;
  int64_t now = atomic_load_explicit(&current_watch->now_bytes, memory_order_relaxed) + bytes;
  atomic_store_explicit(&current_watch->now_bytes, now, memory_order_relaxed);
  if (now > atomic_load_explicit(&current_watch->peak_bytes, memory_order_relaxed))
    atomic_store_explicit(&current_watch->peak_bytes, now, memory_order_relaxed);
}

static size_t footprint(const struct head *head) { return head->mapped_bytes ? head->mapped_bytes : head->size_bytes; }

/* Under the lock: how much may lie idle. */
static uint64_t idle_allowance(void) {
  uint64_t used = atomic_load_explicit(&used_bytes, memory_order_relaxed);
  uint64_t wanted = used / 2 > MIN_IDLE ? used / 2 : MIN_IDLE;
  uint64_t room = limit_sum == 0 ? UINT64_MAX : used < limit_sum ? limit_sum - used : 0;
  return wanted < room ? wanted : room;
}

static struct head **bin_of(size_t mapped_bytes) {
  size_t grains = mapped_bytes / GRAIN_BYTES;
  return &bins[grains < BIN_COUNT ? grains : BIN_COUNT - 1];
}

/* Under the lock. */
static void add_idle(struct head *head) {
  struct head **bin = bin_of(head->mapped_bytes);
  head->before = NULL;
  head->next = *bin;
  if (*bin) (*bin)->before = head;
  *bin = head;
  head->younger = NULL;
  head->older = youngest;
  *(youngest ? &youngest->younger : &oldest) = head;
  youngest = head;
  idle_count++;
  idle_bytes += head->mapped_bytes;
}

/* Under the lock. */
static void remove_idle(struct head *head) {
  *(head->before ? &head->before->next : bin_of(head->mapped_bytes)) = head->next;
  if (head->next) head->next->before = head->before;
  *(head->younger ? &head->younger->older : &youngest) = head->older;
  *(head->older ? &head->older->younger : &oldest) = head->younger;
  idle_count--;
  idle_bytes -= head->mapped_bytes;
}

/* Under the lock: removes idle blocks from the longest idle on, until the rest is within the allowance; gives a
 * list. */
static struct head *take_surplus(uint64_t allowance) {
  struct head *surplus = NULL;
  while (oldest && (idle_bytes > allowance || idle_count > MAX_IDLE)) {
    struct head *head = oldest;
    remove_idle(head);
    head->next = surplus;
    surplus = head;
  }
  return surplus;
}

static void unmap_all(struct head *list) {
  while (list) {
    struct head *next = list->next;
    munmap(list, list->mapped_bytes);
    list = next;
  }
}

/* An address that is a multiple of a large page, so that the kernel can use them; the tail of a block keeps small
 * pages: a large one would make memory resident that no caller requested. */
static struct head *map(size_t bytes) {
  size_t room = bytes + HUGE_BYTES;
  char *start = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) return NULL;
  size_t before = (HUGE_BYTES - (uintptr_t)start % HUGE_BYTES) % HUGE_BYTES;
  if (before > 0) munmap(start, before);
  if (room - before > bytes) munmap(start + before + bytes, room - before - bytes);
  struct head *head = (struct head *)(void *)(start + before);
#ifdef MADV_HUGEPAGE
  /* A wish: whether the kernel grants it does not matter. */
  if (bytes >= HUGE_BYTES) madvise(head, bytes / HUGE_BYTES * HUGE_BYTES, MADV_HUGEPAGE);
#endif
  head->mapped_bytes = bytes;
  return head;
}

/* Under the lock: the idle block that fits best, not smaller and at most an eighth larger; NULL: none. */
static struct head *find_idle(size_t bytes) {
  const size_t most = bytes + bytes / 8;
  size_t size = bytes;
  for (; size <= most && size / GRAIN_BYTES < BIN_COUNT - 1; size += GRAIN_BYTES)
    if (*bin_of(size)) return *bin_of(size);
  if (size > most) return NULL;
  struct head *best = NULL;
  for (struct head *head = bins[BIN_COUNT - 1]; head; head = head->next)
    if (head->mapped_bytes >= bytes && head->mapped_bytes <= most && (!best || head->mapped_bytes < best->mapped_bytes))
      best = head;
  return best;
}

static struct head *take_idle(size_t bytes) {
  pthread_mutex_lock(&lock);
  struct head *head = find_idle(bytes);
  if (head) remove_idle(head);
  /* Nothing fits: make room for the new one before it is mapped. */
  uint64_t allowance = idle_allowance();
  struct head *surplus = head ? NULL : take_surplus(allowance > bytes ? allowance - bytes : 0);
  pthread_mutex_unlock(&lock);
  unmap_all(surplus);
  return head;
}

static struct head *take_large(size_t size_bytes) {
  if (size_bytes > SIZE_MAX / 2) return NULL;
  size_t bytes = (size_bytes + TS_BLOCK_ALIGNMENT + GRAIN_BYTES - 1) / GRAIN_BYTES * GRAIN_BYTES;
  struct head *head = take_idle(bytes);
  if (!head) head = map(bytes);
  if (!head) { /* perhaps idle blocks are in the way */
    ts_blocks_trim();
    head = map(bytes);
  }
  return head;
}

static struct head *take_small(size_t size_bytes) {
  size_t bytes = TS_BLOCK_ALIGNMENT + (size_bytes + TS_BLOCK_ALIGNMENT - 1) / TS_BLOCK_ALIGNMENT * TS_BLOCK_ALIGNMENT;
  struct head *head = aligned_alloc(TS_BLOCK_ALIGNMENT, bytes);
  if (head) head->mapped_bytes = 0;
  return head;
}

void *ts_block_take(size_t size_bytes) {
  /* AddressSanitizer knows the ends of what malloc gives, not of idle blocks. */
  bool is_large = size_bytes >= LARGE_BYTES && (!TS_HAS_ADDRESS_SANITIZER || size_bytes > SIZE_MAX / 2);
  struct head *head = is_large ? take_large(size_bytes) : take_small(size_bytes);
  if (!head) return NULL;
  head->size_bytes = size_bytes;
  count((int64_t)footprint(head));
  return bytes_of(head);
}

void ts_block_give(void *block) {
  if (!block) return;
  struct head *head = head_of(block);
  count(-(int64_t)footprint(head));
  if (head->mapped_bytes == 0) {
    free(head);
    return;
  }
  pthread_mutex_lock(&lock);
  add_idle(head);
  struct head *surplus = take_surplus(idle_allowance());
  pthread_mutex_unlock(&lock);
  unmap_all(surplus);
}

void *ts_block_resize(void *block, size_t size_bytes) {
  void *larger = ts_block_take(size_bytes);
  if (!larger || !block) return larger;
  size_t had = head_of(block)->size_bytes;
  memcpy(larger, block, had < size_bytes ? had : size_bytes);
  ts_block_give(block);
  return larger;
}

void ts_blocks_set_limit(struct ts_block_limit *limit, uint64_t bytes) {
  pthread_mutex_lock(&lock);
  limit_sum += bytes - limit->bytes;
  limit->bytes = bytes;
  struct head *surplus = take_surplus(idle_allowance());
  pthread_mutex_unlock(&lock);
  unmap_all(surplus);
}

void ts_blocks_trim(void) {
  pthread_mutex_lock(&lock);
  struct head *surplus = take_surplus(0);
  pthread_mutex_unlock(&lock);
  unmap_all(surplus);
}

uint64_t ts_blocks_used_bytes(void) { return atomic_load_explicit(&used_bytes, memory_order_relaxed); }

uint64_t ts_blocks_idle_bytes(void) {
  ts_hold(&lock);
  return idle_bytes;
}

struct ts_block_watch *ts_block_watch_set(struct ts_block_watch *watch) {
  struct ts_block_watch *before = current_watch;
  current_watch = watch;
  return before;
}

int64_t ts_block_watch_mark(void) {
  if (!current_watch) return 0;
  int64_t now = atomic_load_explicit(&current_watch->now_bytes, memory_order_relaxed);
  atomic_store_explicit(&current_watch->peak_bytes, now, memory_order_relaxed);
  return now;
}
