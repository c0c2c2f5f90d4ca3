/* The queue in memory: for a run whose buckets all go through the process that owns it.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Buckets that may be claimed lie in a heap by number, so a claim costs O(log n). Of a group's unfinished buckets those
 * of the lowest phase may be claimed; the others wait in a list of their phase until the phases before them are done. A
 * bucket of the heap that a later, lower phase has overtaken is found out when it comes up. Held buckets are as many as
 * there are workers, and are searched one by one. */
#include "base/alloc.h"
#include "base/const.h"
#include "base/lock.h"
#include "base/map.h"
#include "queue/backend.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE SIZE_MAX

enum state {
  READY,   /* in the heap */
  BLOCKED, /* in the list of its phase */
  HELD,
  COMMITTING, /* held by a call of complete; its lease does not end meanwhile */
  DONE,
  POISONED
};

struct bucket {
  struct ts_bucket_row row; /* its body is owned until the bucket is done */
  enum state state;
  uint64_t token; /* of the last claim */
  uint64_t until_ns;
  size_t next_blocked;
  char *log; /* owned; POISONED */
};

struct phase {
  uint32_t phase;
  size_t unfinished;
  size_t first_blocked; /* or NONE */
};

struct group {
  struct phase *phases; /* owned; ascending */
  size_t count, capacity;
};

struct memory {
  struct ts_queue_options options;
  pthread_mutex_t lock;   /* guards the rest; nothing else is locked while it is held */
  struct bucket *buckets; /* owned: by number */
  size_t count, capacity;
  size_t open_count; /* neither done nor poisoned */
  size_t *heap;      /* owned: numbers, the lowest first */
  size_t heap_count, heap_capacity;
  size_t *held; /* owned: numbers */
  size_t held_count, held_capacity;
  struct group *groups; /* owned */
  size_t group_count, group_capacity;
  struct ts_map group_numbers; /* of groups: place in `groups` */
  uint64_t last_token;
};

static void *memory_open(const struct ts_queue_options *options, struct ts_error *err) {
  (void)err;
  struct memory *m = ts_calloc(1, sizeof *m);
  m->options = *options;
  pthread_mutex_init(&m->lock, NULL);
  return m;
}

static void memory_close(void *state) {
  struct memory *m = state;
  for (size_t i = 0; i < m->count; i++) {
    free(ts_without_const(m->buckets[i].row.body));
    free(m->buckets[i].log);
  }
  for (size_t i = 0; i < m->group_count; i++) free(m->groups[i].phases);
  free(m->buckets);
  free(m->heap);
  free(m->held);
  free(m->groups);
  ts_map_release(&m->group_numbers);
  pthread_mutex_destroy(&m->lock);
  free(m);
}

/* ---- the heap ---- */
static void heap_push(struct memory *m, size_t number) {
  m->heap = ts_grow(m->heap, m->heap_count, &m->heap_capacity, sizeof *m->heap);
  size_t place = m->heap_count++;
  for (; place > 0 && m->heap[(place - 1) / 2] > number; place = (place - 1) / 2)
    m->heap[place] = m->heap[(place - 1) / 2];
  m->heap[place] = number;
  m->buckets[number].state = READY;
}

static size_t heap_pop(struct memory *m) {
  const size_t lowest = m->heap[0], last = m->heap[--m->heap_count];
  size_t place = 0;
  for (;;) {
    size_t child = 2 * place + 1;
    if (child + 1 < m->heap_count && m->heap[child + 1] < m->heap[child]) child++;
    if (child >= m->heap_count || m->heap[child] >= last) break;
    m->heap[place] = m->heap[child];
    place = child;
  }
  if (m->heap_count > 0) m->heap[place] = last;
  return lowest;
}

/* ---- groups and phases ---- */
static struct group *group_of(struct memory *m, uint64_t group) {
  bool inserted = false;
  union ts_map_value *value = ts_map_insert(&m->group_numbers, &group, sizeof group, &inserted);
  if (inserted) {
    value->number = m->group_count;
    m->groups = ts_grow(m->groups, m->group_count, &m->group_capacity, sizeof *m->groups);
    m->groups[m->group_count++] = (struct group){0};
  }
  return &m->groups[value->number];
}

/* Makes it if it is not there. */
static struct phase *phase_of(struct group *group, uint32_t phase) {
  size_t place = 0;
  while (place < group->count && group->phases[place].phase < phase) place++;
  if (place < group->count && group->phases[place].phase == phase) return &group->phases[place];
  group->phases = ts_grow(group->phases, group->count, &group->capacity, sizeof *group->phases);
  memmove(group->phases + place + 1, group->phases + place, (group->count - place) * sizeof *group->phases);
  group->count++;
  group->phases[place] = (struct phase){.phase = phase, .first_blocked = NONE};
  return &group->phases[place];
}

/* The lowest phase that is not finished; NULL: there is none. */
static struct phase *lowest_of(const struct group *group) {
  for (size_t i = 0; i < group->count; i++) {
    if (group->phases[i].unfinished > 0) return &group->phases[i];
  }
  return NULL;
}

/* Puts an unfinished bucket that nobody holds where it belongs. */
static void place_bucket(struct memory *m, size_t number) {
  struct bucket *bucket = &m->buckets[number];
  struct group *group = group_of(m, bucket->row.group);
  struct phase *phase = phase_of(group, bucket->row.phase);
  if (phase == lowest_of(group)) {
    heap_push(m, number);
    return;
  }
  bucket->state = BLOCKED;
  bucket->next_blocked = phase->first_blocked;
  phase->first_blocked = number;
}

/* A bucket of the group is finished: the next phase may begin. */
static void unblock(struct memory *m, const struct group *group) {
  struct phase *lowest = lowest_of(group);
  if (!lowest) return;
  size_t number = lowest->first_blocked;
  lowest->first_blocked = NONE;
  while (number != NONE) {
    size_t next = m->buckets[number].next_blocked;
    heap_push(m, number);
    number = next;
  }
}

static bool memory_add(void *state, struct ts_bucket_row *rows, size_t count, struct ts_error *err) {
  (void)err;
  struct memory *m = state;
  ts_hold(&m->lock);
  for (size_t i = 0; i < count; i++) {
    rows[i].number = m->count;
    m->buckets = ts_grow(m->buckets, m->count, &m->capacity, sizeof *m->buckets);
    struct bucket *bucket = &m->buckets[m->count++];
    *bucket = (struct bucket){.row = rows[i]};
    bucket->row.body = ts_strdup(rows[i].body);
    phase_of(group_of(m, rows[i].group), rows[i].phase)->unfinished++;
  }
  m->open_count += count;
  for (size_t i = 0; i < count; i++) place_bucket(m, (size_t)rows[i].number);
  return true;
}

/* ---- claims ---- */
static void hold(struct memory *m, size_t number, struct ts_arena *arena, struct ts_queue_claim *claim) {
  struct bucket *bucket = &m->buckets[number];
  bucket->state = HELD;
  bucket->token = ++m->last_token;
  bucket->until_ns = m->options.now_ns() + m->options.lease_ns;
  bucket->row.attempts++;
  m->held = ts_grow(m->held, m->held_count, &m->held_capacity, sizeof *m->held);
  m->held[m->held_count++] = number;
  *claim = (struct ts_queue_claim){.row = bucket->row, .token = bucket->token};
  claim->row.body = ts_arena_strdup(arena, bucket->row.body);
}

static enum ts_queue_claimed memory_claim(void *state, size_t most, struct ts_arena *arena,
                                          struct ts_queue_claim *claims, size_t *count) {
  struct memory *m = state;
  *count = 0;
  pthread_mutex_lock(&m->lock);
  while (*count < most && m->heap_count > 0) {
    const size_t number = heap_pop(m);
    const struct bucket *bucket = &m->buckets[number];
    struct group *group = group_of(m, bucket->row.group);
    if (phase_of(group, bucket->row.phase) == lowest_of(group))
      hold(m, number, arena, &claims[(*count)++]);
    else
      place_bucket(m, number);
  }
  const bool is_over = m->open_count == 0;
  pthread_mutex_unlock(&m->lock);
  return *count > 0 ? TS_QUEUE_CLAIMED : is_over ? TS_QUEUE_OVER : TS_QUEUE_WAIT;
}

/* The bucket that was claimed with a token, its place among those held; NULL: the token is stale. */
static struct bucket *find_held(struct memory *m, uint64_t token, size_t *place) {
  for (size_t i = 0; i < m->held_count; i++) {
    struct bucket *bucket = &m->buckets[m->held[i]];
    if (bucket->token != token) continue;
    *place = i;
    return bucket->state == HELD ? bucket : NULL;
  }
  return NULL;
}

static void drop_held(struct memory *m, size_t place) { m->held[place] = m->held[--m->held_count]; }

static enum ts_queue_outcome memory_renew(void *state, uint64_t token) {
  struct memory *m = state;
  size_t place = 0;
  pthread_mutex_lock(&m->lock);
  struct bucket *bucket = find_held(m, token, &place);
  if (bucket) bucket->until_ns = m->options.now_ns() + m->options.lease_ns;
  pthread_mutex_unlock(&m->lock);
  return bucket ? TS_QUEUE_DONE : TS_QUEUE_STALE;
}

/* Under the lock. */
static void finish(struct memory *m, size_t number) {
  struct bucket *bucket = &m->buckets[number];
  struct group *group = group_of(m, bucket->row.group);
  bucket->state = DONE;
  free(ts_without_const(bucket->row.body));
  bucket->row.body = NULL;
  m->open_count--;
  for (size_t i = 0; i < m->held_count; i++) {
    if (m->held[i] == number) drop_held(m, i);
  }
  if (--phase_of(group, bucket->row.phase)->unfinished == 0) unblock(m, group);
}

static enum ts_queue_outcome memory_complete(void *state, uint64_t token, const struct ts_batch *batch,
                                             struct ts_error *err) {
  struct memory *m = state;
  size_t place = 0;
  pthread_mutex_lock(&m->lock);
  struct bucket *bucket = find_held(m, token, &place);
  const size_t number = bucket ? (size_t)bucket->row.number : NONE;
  if (bucket) bucket->state = COMMITTING;
  pthread_mutex_unlock(&m->lock);
  if (number == NONE) return TS_QUEUE_STALE;
  const bool kept = !batch || !m->options.commit || m->options.commit(m->options.user, number, batch, err);
  pthread_mutex_lock(&m->lock);
  if (kept)
    finish(m, number);
  else
    m->buckets[number].state = HELD; /* the array may have moved */
  pthread_mutex_unlock(&m->lock);
  return kept ? TS_QUEUE_DONE : TS_QUEUE_FAILED;
}

static enum ts_queue_outcome memory_release(void *state, uint64_t token) {
  struct memory *m = state;
  size_t place = 0;
  pthread_mutex_lock(&m->lock);
  const struct bucket *bucket = find_held(m, token, &place);
  if (bucket) {
    drop_held(m, place);
    place_bucket(m, (size_t)bucket->row.number);
  }
  pthread_mutex_unlock(&m->lock);
  return bucket ? TS_QUEUE_DONE : TS_QUEUE_STALE;
}

/* Under the lock: it stays unfinished, so that higher phases of its group wait. */
static void set_aside(struct memory *m, struct bucket *bucket, const char *log) {
  bucket->state = POISONED;
  bucket->log = ts_strdup(log);
  m->open_count--;
}

static void set_aside_unanswered(struct memory *m, struct bucket *bucket) {
  char log[96];
  snprintf(log, sizeof log, "was claimed %u times, and no worker renewed its lease", bucket->row.attempts);
  set_aside(m, bucket, log);
}

static enum ts_queue_outcome memory_poison(void *state, uint64_t token, const char *log) {
  struct memory *m = state;
  size_t place = 0;
  pthread_mutex_lock(&m->lock);
  struct bucket *bucket = find_held(m, token, &place);
  if (bucket) {
    drop_held(m, place);
    set_aside(m, bucket, log);
  }
  pthread_mutex_unlock(&m->lock);
  return bucket ? TS_QUEUE_DONE : TS_QUEUE_STALE;
}

static size_t memory_expire(void *state, struct ts_queue_loss *losses, size_t most) {
  struct memory *m = state;
  size_t count = 0;
  ts_hold(&m->lock);
  const uint64_t now_ns = m->options.now_ns();
  for (size_t i = m->held_count; i-- > 0 && count < most;) {
    struct bucket *bucket = &m->buckets[m->held[i]];
    if (bucket->state != HELD || now_ns < bucket->until_ns) continue;
    const bool is_poisoned = bucket->row.attempts >= m->options.most_attempts;
    losses[count++] = (struct ts_queue_loss){bucket->row.number, bucket->token, bucket->row.attempts, is_poisoned};
    drop_held(m, i);
    if (is_poisoned)
      set_aside_unanswered(m, bucket);
    else
      place_bucket(m, (size_t)bucket->row.number);
  }
  return count;
}

static bool memory_find_poisoned(void *state, struct ts_arena *arena, struct ts_bucket_row *row, const char **log) {
  struct memory *m = state;
  bool found = false;
  ts_hold(&m->lock);
  for (size_t i = 0; !found && i < m->count; i++) {
    if (m->buckets[i].state != POISONED) continue;
    found = true;
    *row = m->buckets[i].row;
    row->body = ts_arena_strdup(arena, m->buckets[i].row.body);
    *log = ts_arena_strdup(arena, m->buckets[i].log);
  }
  return found;
}

const struct ts_queue_backend ts_queue_memory = {
    .name = "memory",
    .open = memory_open,
    .close = memory_close,
    .add = memory_add,
    .claim = memory_claim,
    .renew = memory_renew,
    .complete = memory_complete,
    .release = memory_release,
    .poison = memory_poison,
    .expire = memory_expire,
    .find_poisoned = memory_find_poisoned,
};
