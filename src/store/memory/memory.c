/* The memory backend: everything in maps, gone with the process; for tests and for runs that keep nothing.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"
#include "base/map.h"
#include "store/backend.h"
#include "store/copy.h"

#include <pthread.h>
#include <string.h>

/* Packed bytes; NULL after ts_store_backend.forget. */
struct product {
  void *packed; /* owned */
  size_t packed_bytes;
  uint64_t size_bytes;
};

struct task {
  const char *run; /* borrowed from the rows' arena */
  struct ts_task_row row;
};

struct memory {
  pthread_mutex_t lock;       /* guards everything below; taken alone */
  struct ts_arena rows;       /* copies of all rows; replaced ones stay until the end */
  struct ts_record **records; /* owned array of rows, oldest first; NULL where a record was replaced */
  size_t record_count, record_capacity;
  struct ts_map by_key;       /* key -> index in records */
  struct ts_map by_content;   /* content key -> index in records */
  struct ts_map products;     /* digest -> struct product, owned */
  struct ts_store_run **runs; /* owned array of rows, oldest first */
  size_t run_count, run_capacity;
  struct task *tasks; /* owned */
  size_t task_count, task_capacity;
  struct ts_map task_index; /* run and number -> index in tasks */
  struct ts_map files;      /* struct ts_file_identity -> struct ts_sha256 in the rows' arena */
};

static void *memory_open(const struct ts_store_options *options, struct ts_error *err) {
  (void)options;
  (void)err;
  struct memory *memory = ts_calloc(1, sizeof *memory);
  pthread_mutex_init(&memory->lock, NULL);
  return memory;
}

static void memory_close(void *state) {
  struct memory *memory = state;
  for (size_t i = 0; i < memory->products.count; i++) {
    struct product *product = ts_map_value_at(&memory->products, i)->pointer;
    free(product->packed);
    free(product);
  }
  ts_map_release(&memory->by_key);
  ts_map_release(&memory->by_content);
  ts_map_release(&memory->products);
  ts_map_release(&memory->task_index);
  ts_map_release(&memory->files);
  free(memory->records);
  free(memory->runs);
  free(memory->tasks);
  ts_arena_release(&memory->rows);
  pthread_mutex_destroy(&memory->lock);
  free(memory);
}

static const char *memory_salt(const void *state) {
  (void)state;
  return "";
}

static const struct product *find_product(const struct memory *memory, const struct ts_sha256 *digest) {
  const union ts_map_value *value = ts_map_find(&memory->products, digest->bytes, sizeof digest->bytes);
  const struct product *product = value ? value->pointer : NULL;
  return product && product->packed ? product : NULL;
}

static void put_product(struct memory *memory, const struct ts_store_product *given) {
  union ts_map_value *value = ts_map_insert(&memory->products, given->digest.bytes, sizeof given->digest.bytes, NULL);
  if (!value->pointer) value->pointer = ts_calloc(1, sizeof(struct product));
  struct product *product = value->pointer;
  if (product->packed) return;
  product->packed = ts_memdup(given->packed, given->packed_bytes);
  product->packed_bytes = given->packed_bytes;
  product->size_bytes = given->size_bytes;
}

static bool is_whole(const struct memory *memory, const struct ts_record *record) {
  for (size_t i = 0; i < record->output_count; i++) {
    if (!find_product(memory, &record->outputs[i].digest)) return false;
  }
  return true;
}

/* The record of an index entry is looked up through its number, so that a replaced one vanishes from all indexes. */
static struct ts_record *record_at(const struct memory *memory, const union ts_map_value *value) {
  return value ? memory->records[value->number] : NULL;
}

static void put_record(struct memory *memory, const struct ts_record *given) {
  union ts_map_value *by_key = ts_map_find(&memory->by_key, &given->key, sizeof given->key);
  const struct ts_record *old = record_at(memory, by_key);
  if (old && is_whole(memory, old)) return;
  if (old) memory->records[by_key->number] = NULL;
  struct ts_record *record = ts_arena_alloc(&memory->rows, sizeof *record);
  ts_record_copy(given, &memory->rows, record);
  memory->records = ts_grow(memory->records, memory->record_count, &memory->record_capacity, sizeof *memory->records);
  memory->records[memory->record_count] = record;
  ts_map_insert(&memory->by_key, &record->key, sizeof record->key, NULL)->number = memory->record_count;
  bool inserted = false;
  union ts_map_value *by_content =
      ts_map_insert(&memory->by_content, &record->content_key, sizeof record->content_key, &inserted);
  const struct ts_record *other = inserted ? NULL : record_at(memory, by_content);
  if (!other || (other->is_alias && !record->is_alias)) by_content->number = memory->record_count;
  memory->record_count++;
}

static void put_task(struct memory *memory, const char *run, const struct ts_task_row *row) {
  struct ts_str key = {0};
  ts_str_addf(&key, "%s %llu", run, (unsigned long long)row->task);
  bool inserted = false;
  union ts_map_value *value = ts_map_insert_name(&memory->task_index, ts_str_get(&key), &inserted);
  ts_str_release(&key);
  if (inserted) {
    memory->tasks = ts_grow(memory->tasks, memory->task_count, &memory->task_capacity, sizeof *memory->tasks);
    value->number = memory->task_count++;
  }
  struct task *task = &memory->tasks[value->number];
  task->run = ts_arena_strdup(&memory->rows, run);
  ts_task_row_copy(row, &memory->rows, &task->row);
}

static bool memory_write(void *state, const struct ts_store_batch *batch, struct ts_error *err) {
  (void)err;
  struct memory *memory = state;
  pthread_mutex_lock(&memory->lock);
  for (size_t i = 0; i < batch->product_count; i++) put_product(memory, &batch->products[i]);
  for (size_t i = 0; i < batch->entry_count; i++) {
    const struct ts_store_entry *entry = &batch->entries[i];
    if (entry->record) {
      put_record(memory, entry->record);
    } else {
      put_task(memory, entry->run, entry->task);
    }
  }
  pthread_mutex_unlock(&memory->lock);
  return true;
}

static bool memory_find(void *state, enum ts_store_by by, const struct ts_key *key, struct ts_arena *arena,
                        struct ts_record *record, struct ts_error *err) {
  (void)err;
  struct memory *memory = state;
  pthread_mutex_lock(&memory->lock);
  const struct ts_map *map = by == TS_STORE_BY_KEY ? &memory->by_key : &memory->by_content;
  const struct ts_record *found = record_at(memory, ts_map_find(map, key, sizeof *key));
  if (found) ts_record_copy(found, arena, record);
  pthread_mutex_unlock(&memory->lock);
  return found != NULL;
}

static bool memory_records_of(void *state, const char *operation, size_t limit, struct ts_arena *arena,
                              struct ts_record **records, size_t *count, struct ts_error *err) {
  (void)err;
  struct memory *memory = state;
  pthread_mutex_lock(&memory->lock);
  const size_t most = limit < memory->record_count ? limit : memory->record_count;
  *records = ts_arena_array(arena, most, sizeof **records);
  *count = 0;
  for (size_t i = memory->record_count; i > 0 && *count < most; i--) {
    const struct ts_record *record = memory->records[i - 1];
    if (record && strcmp(record->operation, operation) == 0) ts_record_copy(record, arena, &(*records)[(*count)++]);
  }
  pthread_mutex_unlock(&memory->lock);
  return true;
}

static bool memory_has_product(void *state, const struct ts_sha256 *digest) {
  struct memory *memory = state;
  pthread_mutex_lock(&memory->lock);
  const bool found = find_product(memory, digest) != NULL;
  pthread_mutex_unlock(&memory->lock);
  return found;
}

static bool memory_fetch(void *state, const struct ts_sha256 *digest, struct ts_str *packed, struct ts_error *err) {
  (void)err;
  struct memory *memory = state;
  pthread_mutex_lock(&memory->lock);
  const struct product *product = find_product(memory, digest);
  if (product) ts_str_add_bytes(packed, product->packed, product->packed_bytes);
  pthread_mutex_unlock(&memory->lock);
  return product != NULL;
}

static bool memory_forget(void *state, const struct ts_sha256 *digest, struct ts_error *err) {
  (void)err;
  struct memory *memory = state;
  pthread_mutex_lock(&memory->lock);
  union ts_map_value *value = ts_map_find(&memory->products, digest->bytes, sizeof digest->bytes);
  if (value) {
    struct product *product = value->pointer;
    free(ts_steal(product->packed));
  }
  pthread_mutex_unlock(&memory->lock);
  return true;
}

static struct ts_store_run *find_run(const struct memory *memory, const char *id) {
  for (size_t i = 0; i < memory->run_count; i++) {
    if (strcmp(memory->runs[i]->row.id, id) == 0) return memory->runs[i];
  }
  return NULL;
}

static bool memory_run_insert(void *state, const struct ts_store_run *run, struct ts_error *err) {
  (void)err;
  struct memory *memory = state;
  pthread_mutex_lock(&memory->lock);
  const bool is_free = !find_run(memory, run->row.id);
  if (is_free) {
    struct ts_store_run *copy = ts_arena_alloc(&memory->rows, sizeof *copy);
    ts_store_run_copy(run, &memory->rows, copy);
    memory->runs = ts_grow(memory->runs, memory->run_count, &memory->run_capacity, sizeof *memory->runs);
    memory->runs[memory->run_count++] = copy;
  }
  pthread_mutex_unlock(&memory->lock);
  return is_free;
}

static bool memory_run_update(void *state, const struct ts_store_run_change *change, struct ts_error *err) {
  (void)err;
  struct memory *memory = state;
  pthread_mutex_lock(&memory->lock);
  struct ts_store_run *run = find_run(memory, change->id);
  if (run) {
    run->row.state = ts_arena_strdup(&memory->rows, change->state);
    run->row.finished_unix_ns = change->finished_unix_ns;
    if (change->result_json) run->row.result_json = ts_arena_strdup(&memory->rows, change->result_json);
    if (change->process) {
      run->process = ts_arena_strdup(&memory->rows, change->process);
      run->row.process_id = change->process_id;
    }
  }
  pthread_mutex_unlock(&memory->lock);
  return run != NULL;
}

/* The last one first, in the order in which they came: the clock may have been set meanwhile. */
static bool memory_run_list(void *state, struct ts_arena *arena, struct ts_store_run **runs, size_t *count,
                            struct ts_error *err) {
  (void)err;
  struct memory *memory = state;
  pthread_mutex_lock(&memory->lock);
  *count = memory->run_count;
  *runs = ts_arena_array(arena, *count, sizeof **runs);
  for (size_t i = 0; i < *count; i++) ts_store_run_copy(memory->runs[*count - 1 - i], arena, &(*runs)[i]);
  pthread_mutex_unlock(&memory->lock);
  return true;
}

static int compare_tasks(const void *a, const void *b) {
  const struct ts_task_row *left = a;
  const struct ts_task_row *right = b;
  return (left->task > right->task) - (left->task < right->task);
}

static bool memory_task_list(void *state, const char *run, struct ts_arena *arena, struct ts_task_row **rows,
                             size_t *count, struct ts_error *err) {
  (void)err;
  struct memory *memory = state;
  pthread_mutex_lock(&memory->lock);
  *rows = ts_arena_array(arena, memory->task_count, sizeof **rows);
  *count = 0;
  for (size_t i = 0; i < memory->task_count; i++) {
    const struct task *task = &memory->tasks[i];
    if (strcmp(task->run, run) == 0) ts_task_row_copy(&task->row, arena, &(*rows)[(*count)++]);
  }
  pthread_mutex_unlock(&memory->lock);
  if (*count > 0) qsort(*rows, *count, sizeof **rows, compare_tasks);
  return true;
}

static bool memory_usage(void *state, struct ts_store_usage *usage, struct ts_error *err) {
  (void)err;
  struct memory *memory = state;
  pthread_mutex_lock(&memory->lock);
  memset(usage, 0, sizeof *usage);
  for (size_t i = 0; i < memory->record_count; i++) usage->records += memory->records[i] != NULL;
  for (size_t i = 0; i < memory->products.count; i++) {
    const struct product *product = ts_map_value_at(&memory->products, i)->pointer;
    if (!product->packed) continue;
    usage->products++;
    usage->product_bytes += product->size_bytes;
    usage->packed_bytes += product->packed_bytes;
  }
  pthread_mutex_unlock(&memory->lock);
  return true;
}

static bool memory_file_find(void *state, const struct ts_file_identity *file, struct ts_sha256 *digest,
                             struct ts_error *err) {
  (void)err;
  struct memory *memory = state;
  pthread_mutex_lock(&memory->lock);
  const union ts_map_value *value = ts_map_find(&memory->files, file, sizeof *file);
  if (value) memcpy(digest, value->pointer, sizeof *digest);
  pthread_mutex_unlock(&memory->lock);
  return value != NULL;
}

static bool memory_file_put(void *state, const struct ts_file_identity *file, const struct ts_sha256 *digest,
                            struct ts_error *err) {
  (void)err;
  struct memory *memory = state;
  pthread_mutex_lock(&memory->lock);
  ts_map_insert(&memory->files, file, sizeof *file, NULL)->pointer =
      ts_arena_memdup(&memory->rows, digest, sizeof *digest);
  pthread_mutex_unlock(&memory->lock);
  return true;
}

const struct ts_store_backend ts_store_memory = {
    .name = "memory",
    .has_folder = false,
    .open = memory_open,
    .close = memory_close,
    .salt = memory_salt,
    .write = memory_write,
    .find = memory_find,
    .records_of = memory_records_of,
    .has_product = memory_has_product,
    .fetch = memory_fetch,
    .forget = memory_forget,
    .run_insert = memory_run_insert,
    .run_update = memory_run_update,
    .run_list = memory_run_list,
    .task_list = memory_task_list,
    .usage = memory_usage,
    .file_find = memory_file_find,
    .file_put = memory_file_put,
};
