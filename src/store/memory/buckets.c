/* Buckets in a heap by number, as far as they may be taken; the others wait in lists, one per group and phase.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A bucket is in the heap at most once at a time. One that may no longer be taken (a lower phase was added, it was
 * finished) stays in it and is passed over when it comes up. */
#include "store/memory/buckets_int.h"

#include "base/alloc.h"

#include <string.h>

enum bucket_state { READY, HELD, BLOCKED, DONE };

struct bucket {
  struct ts_bucket_row row; /* its body is owned by the queue's arena */
  enum bucket_state state;
  bool in_heap;
  uint64_t worker;
  struct bucket_phase *phase; /* borrowed from the arena */
  struct bucket *next;        /* borrowed: of the same phase */
};

/* The buckets of one phase of one group. */
struct bucket_phase {
  uint32_t number;
  size_t unfinished;
  struct bucket *first;         /* borrowed list */
  struct bucket_phase **origin; /* borrowed: the group's first phase */
  struct bucket_phase *next;    /* borrowed: the next higher phase of the group */
};

struct ts_bucket_queue {
  struct ts_arena arena;
  struct ts_map numbers; /* number -> struct bucket */
  struct ts_map groups;  /* group -> struct bucket_phase *, in the arena: the lowest phase */
  struct bucket **heap;  /* owned; the lowest number first */
  size_t heap_count, heap_capacity;
  size_t unfinished;
};

static void queue_destroy(struct ts_bucket_queue *queue) {
  if (!queue) return;
  ts_map_release(&queue->numbers);
  ts_map_release(&queue->groups);
  free(queue->heap);
  ts_arena_release(&queue->arena);
  free(queue);
}

void ts_memory_buckets_init(struct ts_memory_buckets *buckets) {
  memset(buckets, 0, sizeof *buckets);
  pthread_mutex_init(&buckets->lock, NULL);
}

void ts_memory_buckets_release(struct ts_memory_buckets *buckets) {
  for (size_t i = 0; i < ts_map_count(&buckets->runs); i++) queue_destroy(ts_map_value_at(&buckets->runs, i)->pointer);
  ts_map_release(&buckets->runs);
  pthread_mutex_destroy(&buckets->lock);
}

static struct ts_bucket_queue *find_queue(const struct ts_memory_buckets *buckets, const char *run) {
  const union ts_map_value *value = ts_map_find_name(&buckets->runs, run);
  return value ? value->pointer : NULL;
}

static void swap(struct ts_bucket_queue *queue, size_t a, size_t b) {
  struct bucket *bucket = queue->heap[a];
  queue->heap[a] = queue->heap[b];
  queue->heap[b] = bucket;
}

static bool is_before(const struct ts_bucket_queue *queue, size_t a, size_t b) {
  return queue->heap[a]->row.number < queue->heap[b]->row.number;
}

static void heap_push(struct ts_bucket_queue *queue, struct bucket *bucket) {
  if (bucket->in_heap) return;
  bucket->in_heap = true;
  queue->heap = ts_grow(queue->heap, queue->heap_count, &queue->heap_capacity, sizeof(struct bucket *));
  size_t place = queue->heap_count++;
  queue->heap[place] = bucket;
  while (place > 0 && is_before(queue, place, (place - 1) / 2)) {
    swap(queue, place, (place - 1) / 2);
    place = (place - 1) / 2;
  }
}

static struct bucket *heap_pop(struct ts_bucket_queue *queue) {
  if (queue->heap_count == 0) return NULL;
  struct bucket *bucket = queue->heap[0];
  queue->heap[0] = queue->heap[--queue->heap_count];
  for (size_t place = 0;;) {
    size_t least = place;
    for (size_t child = 2 * place + 1; child <= 2 * place + 2 && child < queue->heap_count; child++) {
      if (is_before(queue, child, least)) least = child;
    }
    if (least == place) break;
    swap(queue, place, least);
    place = least;
  }
  bucket->in_heap = false;
  return bucket;
}

/* The first phase of a group that is not finished. */
static struct bucket_phase *lowest(struct bucket_phase *phase) {
  while (phase && phase->unfinished == 0) phase = phase->next;
  return phase;
}

/* Gives every bucket of a group that nobody holds the state it must have. */
static void settle(struct ts_bucket_queue *queue, struct bucket_phase *first) {
  const struct bucket_phase *open = lowest(first);
  for (struct bucket_phase *phase = first; phase; phase = phase->next) {
    for (struct bucket *bucket = phase->unfinished > 0 ? phase->first : NULL; bucket; bucket = bucket->next) {
      if (bucket->state == HELD || bucket->state == DONE) continue;
      bucket->state = phase == open ? READY : BLOCKED;
      if (bucket->state == READY) heap_push(queue, bucket);
    }
  }
}

static struct bucket_phase *find_phase(struct ts_bucket_queue *queue, uint64_t group, uint32_t number) {
  bool inserted;
  union ts_map_value *value = ts_map_insert(&queue->groups, &group, sizeof group, &inserted);
  if (inserted) value->pointer = ts_arena_alloc(&queue->arena, sizeof(struct bucket_phase *));
  struct bucket_phase **origin = value->pointer;
  struct bucket_phase **place = origin;
  while (*place && (*place)->number < number) place = &(*place)->next;
  if (*place && (*place)->number == number) return *place;
  struct bucket_phase *phase = ts_arena_alloc(&queue->arena, sizeof *phase);
  *phase = (struct bucket_phase){.number = number, .origin = origin, .next = *place};
  *place = phase;
  return phase;
}

static void insert(struct ts_bucket_queue *queue, const struct ts_bucket_row *row) {
  struct bucket *bucket = ts_arena_alloc(&queue->arena, sizeof *bucket);
  struct bucket_phase *phase = find_phase(queue, row->group, row->phase);
  bucket->row = *row;
  bucket->row.body = ts_arena_strdup(&queue->arena, row->body ? row->body : "");
  bucket->state = BLOCKED;
  bucket->phase = phase;
  bucket->next = phase->first;
  phase->first = bucket;
  phase->unfinished++;
  queue->unfinished++;
  ts_map_insert(&queue->numbers, &row->number, sizeof row->number, NULL)->pointer = bucket;
}

/* Whether none of the numbers is there already or comes twice. */
static bool are_new(const struct ts_bucket_queue *queue, const struct ts_bucket_row *rows, size_t count,
                    struct ts_error *err) {
  struct ts_map seen = {0};
  bool ok = true;
  for (size_t i = 0; ok && i < count; i++) {
    bool inserted;
    ts_map_insert(&seen, &rows[i].number, sizeof rows[i].number, &inserted);
    ok = inserted && !ts_map_find(&queue->numbers, &rows[i].number, sizeof rows[i].number);
    if (!ok) {
      ts_fail(err, TS_ERR_STORE, "there are two buckets %llu", (unsigned long long)rows[i].number);
      ts_error_help(err, "drop the buckets of the run before they are added again");
    }
  }
  ts_map_release(&seen);
  return ok;
}

static bool add(struct ts_memory_buckets *buckets, const char *run, const struct ts_bucket_row *rows, size_t count,
                struct ts_error *err) {
  union ts_map_value *value = ts_map_insert_name(&buckets->runs, run, NULL);
  if (!value->pointer) value->pointer = ts_calloc(1, sizeof(struct ts_bucket_queue));
  struct ts_bucket_queue *queue = value->pointer;
  if (!are_new(queue, rows, count, err)) return false;
  struct ts_map touched = {0}; /* groups, each settled once */
  for (size_t i = 0; i < count; i++) {
    insert(queue, &rows[i]);
    ts_map_insert(&touched, &rows[i].group, sizeof rows[i].group, NULL);
  }
  for (size_t i = 0; i < ts_map_count(&touched); i++) {
    size_t size;
    const void *group = ts_map_key_at(&touched, i, &size);
    struct bucket_phase **origin = ts_map_find(&queue->groups, group, size)->pointer;
    settle(queue, *origin);
  }
  ts_map_release(&touched);
  return true;
}

static enum ts_bucket_take take(struct ts_bucket_queue *queue, uint64_t worker, struct ts_arena *arena,
                                struct ts_bucket_row *row) {
  struct bucket *bucket = queue ? heap_pop(queue) : NULL;
  while (bucket && bucket->state != READY) bucket = heap_pop(queue);
  if (!bucket) return queue && queue->unfinished > 0 ? TS_BUCKET_WAIT : TS_BUCKET_NONE;
  bucket->state = HELD;
  bucket->worker = worker;
  bucket->row.attempts++;
  *row = bucket->row;
  row->body = ts_arena_strdup(arena, bucket->row.body);
  return TS_BUCKET_TAKEN;
}

static bool finish(struct ts_bucket_queue *queue, uint64_t number) {
  const union ts_map_value *value = queue ? ts_map_find(&queue->numbers, &number, sizeof number) : NULL;
  if (!value) return false;
  struct bucket *bucket = value->pointer;
  if (bucket->state == DONE) return true;
  bucket->state = DONE;
  queue->unfinished--;
  if (--bucket->phase->unfinished == 0) settle(queue, *bucket->phase->origin);
  return true;
}

static size_t give_back(struct ts_bucket_queue *queue, uint64_t worker) {
  size_t count = 0;
  for (size_t i = 0; queue && i < ts_map_count(&queue->numbers); i++) {
    struct bucket *bucket = ts_map_value_at(&queue->numbers, i)->pointer;
    if (bucket->state != HELD || bucket->worker != worker) continue;
    bucket->state = BLOCKED;
    settle(queue, *bucket->phase->origin);
    count++;
  }
  return count;
}

bool ts_memory_buckets_add(struct ts_memory_buckets *buckets, const char *run, const struct ts_bucket_row *rows,
                           size_t count, struct ts_error *err) {
  pthread_mutex_lock(&buckets->lock);
  const bool ok = add(buckets, run, rows, count, err);
  pthread_mutex_unlock(&buckets->lock);
  return ok;
}

enum ts_bucket_take ts_memory_bucket_take(struct ts_memory_buckets *buckets, const char *run, uint64_t worker,
                                          struct ts_arena *arena, struct ts_bucket_row *row) {
  pthread_mutex_lock(&buckets->lock);
  const enum ts_bucket_take result = take(find_queue(buckets, run), worker, arena, row);
  pthread_mutex_unlock(&buckets->lock);
  return result;
}

bool ts_memory_bucket_done(struct ts_memory_buckets *buckets, const char *run, uint64_t number) {
  pthread_mutex_lock(&buckets->lock);
  const bool found = finish(find_queue(buckets, run), number);
  pthread_mutex_unlock(&buckets->lock);
  return found;
}

size_t ts_memory_buckets_give_back(struct ts_memory_buckets *buckets, const char *run, uint64_t worker) {
  pthread_mutex_lock(&buckets->lock);
  const size_t count = give_back(find_queue(buckets, run), worker);
  pthread_mutex_unlock(&buckets->lock);
  return count;
}

void ts_memory_buckets_drop(struct ts_memory_buckets *buckets, const char *run) {
  pthread_mutex_lock(&buckets->lock);
  union ts_map_value *value = ts_map_find_name(&buckets->runs, run);
  if (value) queue_destroy(ts_steal(value->pointer));
  pthread_mutex_unlock(&buckets->lock);
}
