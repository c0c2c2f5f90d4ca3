/* The memory backend: everything in maps, gone with the process; for tests and for runs that keep nothing.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"
#include "base/lock.h"
#include "base/map.h"
#include "store/backend.h"
#include "store/copy.h"
#include "store/cost_rows.h"
#include "store/digest_index.h"
#include "store/survey.h"

#include <pthread.h>
#include <string.h>

#define TEXT_SLOTS 256 /* a power of two */

/* The data as it is, or packed; neither after ts_store_backend.forget. Lies in the rows' arena. */
struct product {
  struct ts_digest_node node;
  struct ts_sha256 digest;
  struct ts_data *data; /* shared, one reference owned; NULL */
  void *packed;         /* owned; NULL */
  size_t packed_bytes;
  uint64_t size_bytes;
  struct product *next; /* borrowed: all products */
};

/* In the rows' arena, with its arrays behind it. */
struct kept {
  struct ts_record record;
  struct ts_digest_node by_key;
  struct ts_digest_node by_content; /* owner NULL: not in the index */
  bool replaced;
};

struct task {
  const char *run; /* borrowed from the rows' arena */
  struct ts_task_row row;
};

struct memory {
  pthread_mutex_t lock;          /* guards everything below; taken alone */
  struct ts_arena rows;          /* copies of all rows; replaced ones stay until the end */
  const char *texts[TEXT_SLOTS]; /* borrowed from rows: texts of late, which later rows share */
  struct kept **records;         /* owned array of rows, oldest first */
  size_t record_count, record_capacity;
  struct ts_digest_index by_key;
  struct ts_digest_index by_content;
  struct ts_digest_index products; /* owners are struct product */
  struct product *first_product;   /* borrowed list */
  struct ts_store_run **runs;      /* owned array of rows, oldest first */
  size_t run_count, run_capacity;
  struct task *tasks; /* owned */
  size_t task_count, task_capacity;
  struct ts_map task_index; /* run and number -> index in tasks */
  struct ts_cost_rows costs;
  struct ts_map files; /* struct ts_file_identity -> struct ts_sha256 in the rows' arena */
};

static void *memory_open(const struct ts_store_options *options, struct ts_error *err) {
  (void)options;
  (void)err;
  struct memory *memory = ts_calloc(1, sizeof *memory);
  pthread_mutex_init(&memory->lock, NULL);
  return memory;
}

static void drop(struct product *product) {
  ts_data_unref(product->data);
  product->data = NULL;
  free(ts_steal(product->packed));
}

static void memory_close(void *state) {
  struct memory *memory = state;
  for (struct product *product = memory->first_product; product; product = product->next) drop(product);
  ts_digest_index_release(&memory->by_key);
  ts_digest_index_release(&memory->by_content);
  ts_digest_index_release(&memory->products);
  ts_map_release(&memory->task_index);
  ts_map_release(&memory->files);
  free(memory->records);
  free(memory->runs);
  free(memory->tasks);
  ts_cost_rows_release(&memory->costs);
  ts_arena_release(&memory->rows);
  pthread_mutex_destroy(&memory->lock);
  free(memory);
}

static const char *memory_salt(const void *state) {
  (void)state;
  return "";
}

static bool is_there(const struct product *product) { return product && (product->data || product->packed); }

static struct product *find_product(const struct memory *memory, const struct ts_sha256 *digest) {
  struct product *product = ts_digest_index_find(&memory->products, digest);
  return is_there(product) ? product : NULL;
}

/* The product of a digest, to be filled; NULL if it is there. */
static struct product *make_product(struct memory *memory, const struct ts_sha256 *digest, uint64_t size_bytes) {
  struct product *product = ts_digest_index_find(&memory->products, digest);
  if (is_there(product)) return NULL;
  if (!product) {
    product = ts_arena_alloc(&memory->rows, sizeof *product);
    product->digest = *digest;
    product->next = memory->first_product;
    memory->first_product = product;
    ts_digest_index_insert(&memory->products, &product->node, &product->digest, product);
  }
  product->size_bytes = size_bytes;
  return product;
}

static void put_product(struct memory *memory, const struct ts_batch_product *given) {
  struct product *product = make_product(memory, &given->digest, given->size_bytes);
  if (!product) return;
  product->packed = ts_memdup(given->packed, given->packed_bytes);
  product->packed_bytes = given->packed_bytes;
}

static bool is_whole(const struct memory *memory, const struct ts_record *record) {
  for (size_t i = 0; i < record->output_count; i++) {
    if (!find_product(memory, &record->outputs[i].digest)) return false;
  }
  return true;
}

/* Most texts of a row are those of the rows before it, and come from the same place. */
static const char *keep_text(struct memory *memory, const char *text) {
  if (!text || !text[0]) return "";
  const uintptr_t place = (uintptr_t)text;
  const char **slot = &memory->texts[(place ^ place >> 8 ^ place >> 16) % TEXT_SLOTS];
  if (!*slot || strcmp(*slot, text) != 0) *slot = ts_arena_strdup(&memory->rows, text);
  return *slot;
}

static struct kept *copy_record(struct memory *memory, const struct ts_record *given) {
  struct ts_record_output *outputs;
  struct ts_record_input *inputs;
  struct kept *kept = ts_arena_alloc(&memory->rows, sizeof *kept + given->output_count * sizeof *outputs +
                                                        given->input_count * sizeof *inputs);
  outputs = (struct ts_record_output *)(kept + 1);
  inputs = (struct ts_record_input *)(outputs + given->output_count);
  struct ts_record *record = &kept->record;
  *record = *given;
  record->operation = keep_text(memory, given->operation);
  record->parameters_json = keep_text(memory, given->parameters_json);
  record->numeric = keep_text(memory, given->numeric);
  record->run = keep_text(memory, given->run);
  record->producer = keep_text(memory, given->producer);
  record->outputs = outputs;
  record->inputs = inputs;
  for (size_t i = 0; i < given->output_count; i++) {
    outputs[i] = given->outputs[i];
    outputs[i].port = keep_text(memory, given->outputs[i].port);
    outputs[i].type = keep_text(memory, given->outputs[i].type);
  }
  for (size_t i = 0; i < given->input_count; i++)
    inputs[i] = (struct ts_record_input){keep_text(memory, given->inputs[i].port), given->inputs[i].key};
  return kept;
}

static void remove_record(struct memory *memory, struct kept *kept) {
  kept->replaced = true;
  ts_digest_index_remove(&memory->by_key, &kept->by_key);
  if (kept->by_content.owner) ts_digest_index_remove(&memory->by_content, &kept->by_content);
}

static void put_record(struct memory *memory, const struct ts_record *given) {
  struct kept *old = ts_digest_index_find(&memory->by_key, &given->key.digest);
  if (old && is_whole(memory, &old->record)) return;
  if (old) remove_record(memory, old);
  struct kept *kept = copy_record(memory, given);
  memory->records = ts_grow(memory->records, memory->record_count, &memory->record_capacity, sizeof(struct kept *));
  memory->records[memory->record_count++] = kept;
  ts_digest_index_insert(&memory->by_key, &kept->by_key, &kept->record.key.digest, kept);
  const struct kept *other = ts_digest_index_find(&memory->by_content, &given->content_key.digest);
  if (!other || (other->record.is_alias && !given->is_alias))
    ts_digest_index_insert(&memory->by_content, &kept->by_content, &kept->record.content_key.digest, kept);
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

static void memory_keep(void *state, const struct ts_record *record, struct ts_data *const *products) {
  struct memory *memory = state;
  ts_hold(&memory->lock);
  for (size_t i = 0; i < record->output_count; i++) {
    if (!products || !products[i]) continue;
    struct product *product = make_product(memory, &record->outputs[i].digest, record->outputs[i].size_bytes);
    if (product) product->data = ts_data_ref(products[i]);
  }
  put_record(memory, record);
}

static bool memory_write(void *state, const struct ts_batch *batch, struct ts_error *err) {
  (void)err;
  struct memory *memory = state;
  ts_hold(&memory->lock);
  for (size_t i = 0; i < batch->product_count; i++) put_product(memory, &batch->products[i]);
  for (size_t i = 0; i < batch->entry_count; i++) {
    const struct ts_batch_entry *entry = &batch->entries[i];
    if (entry->record) {
      put_record(memory, entry->record);
    } else {
      put_task(memory, entry->run, entry->task);
    }
  }
  return true;
}

static bool memory_find(void *state, enum ts_store_by by, const struct ts_key *key, struct ts_arena *arena,
                        struct ts_record *record, struct ts_error *err) {
  (void)err;
  struct memory *memory = state;
  ts_hold(&memory->lock);
  const struct ts_digest_index *index = by == TS_STORE_BY_KEY ? &memory->by_key : &memory->by_content;
  const struct kept *found = ts_digest_index_find(index, &key->digest);
  if (found) ts_record_copy(&found->record, arena, record);
  return found != NULL;
}

static bool memory_records_of(void *state, const char *operation, size_t limit, struct ts_arena *arena,
                              struct ts_record **records, size_t *count, struct ts_error *err) {
  (void)err;
  struct memory *memory = state;
  ts_hold(&memory->lock);
  const size_t most = limit < memory->record_count ? limit : memory->record_count;
  *records = ts_arena_array(arena, most, sizeof **records);
  *count = 0;
  for (size_t i = memory->record_count; i > 0 && *count < most; i--) {
    const struct kept *kept = memory->records[i - 1];
    if (kept->replaced || strcmp(kept->record.operation, operation) != 0) continue;
    ts_record_copy(&kept->record, arena, &(*records)[(*count)++]);
  }
  return true;
}

static bool memory_has_product(void *state, const struct ts_sha256 *digest) {
  struct memory *memory = state;
  ts_hold(&memory->lock);
  return find_product(memory, digest) != NULL;
}

static struct ts_data *memory_hold(void *state, const struct ts_sha256 *digest) {
  struct memory *memory = state;
  ts_hold(&memory->lock);
  const struct product *product = find_product(memory, digest);
  return product && product->data ? ts_data_ref(product->data) : NULL;
}

static bool memory_fetch(void *state, const struct ts_sha256 *digest, struct ts_str *packed, struct ts_error *err) {
  struct memory *memory = state;
  ts_hold(&memory->lock);
  const struct product *product = find_product(memory, digest);
  if (!product) return false;
  if (!product->packed) return ts_data_pack(product->data, packed, err);
  ts_str_add_bytes(packed, product->packed, product->packed_bytes);
  return true;
}

static bool memory_forget(void *state, const struct ts_sha256 *digest, struct ts_error *err) {
  (void)err;
  struct memory *memory = state;
  ts_hold(&memory->lock);
  struct product *product = find_product(memory, digest);
  if (product) drop(product);
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
  ts_hold(&memory->lock);
  if (find_run(memory, run->row.id)) return false;
  struct ts_store_run *copy = ts_arena_alloc(&memory->rows, sizeof *copy);
  ts_store_run_copy(run, &memory->rows, copy);
  memory->runs = ts_grow(memory->runs, memory->run_count, &memory->run_capacity, sizeof *memory->runs);
  memory->runs[memory->run_count++] = copy;
  return true;
}

static bool memory_run_update(void *state, const struct ts_store_run_change *change, struct ts_error *err) {
  (void)err;
  struct memory *memory = state;
  ts_hold(&memory->lock);
  struct ts_store_run *run = find_run(memory, change->id);
  if (!run) return false;
  run->row.state = ts_arena_strdup(&memory->rows, change->state);
  run->row.finished_unix_ns = change->finished_unix_ns;
  if (change->settings_json) run->row.settings_json = ts_arena_strdup(&memory->rows, change->settings_json);
  if (change->result_json) run->row.result_json = ts_arena_strdup(&memory->rows, change->result_json);
  if (change->process) {
    run->process = ts_arena_strdup(&memory->rows, change->process);
    run->row.process_id = change->process_id;
  }
  return true;
}

/* The last one first, in the order in which they came: the clock may have been set meanwhile. */
static bool memory_run_list(void *state, struct ts_arena *arena, struct ts_store_run **runs, size_t *count,
                            struct ts_error *err) {
  (void)err;
  struct memory *memory = state;
  ts_hold(&memory->lock);
  *count = memory->run_count;
  *runs = ts_arena_array(arena, *count, sizeof **runs);
  for (size_t i = 0; i < *count; i++) ts_store_run_copy(memory->runs[*count - 1 - i], arena, &(*runs)[i]);
  return true;
}

static int compare_tasks(const void *a, const void *b) {
  const struct ts_task_row *left = a;
  const struct ts_task_row *right = b;
  return (left->task > right->task) - (left->task < right->task);
}

static bool memory_task_list(void *state, const char *run, uint64_t since, size_t limit, struct ts_arena *arena,
                             struct ts_task_row **rows, size_t *count, struct ts_error *err) {
  (void)err;
  struct memory *memory = state;
  pthread_mutex_lock(&memory->lock);
  *rows = ts_arena_array(arena, memory->task_count, sizeof **rows);
  *count = 0;
  for (size_t i = 0; i < memory->task_count; i++) {
    const struct task *task = &memory->tasks[i];
    if (task->row.task >= since && strcmp(task->run, run) == 0)
      ts_task_row_copy(&task->row, arena, &(*rows)[(*count)++]);
  }
  pthread_mutex_unlock(&memory->lock);
  if (*count > 0) qsort(*rows, *count, sizeof **rows, compare_tasks);
  if (*count > limit) *count = limit;
  return true;
}

static bool memory_task_end(void *state, const char *run, uint64_t *end, struct ts_error *err) {
  (void)err;
  struct memory *memory = state;
  *end = 0;
  pthread_mutex_lock(&memory->lock);
  for (size_t i = 0; i < memory->task_count; i++) {
    const struct task *task = &memory->tasks[i];
    if (task->row.task >= *end && strcmp(task->run, run) == 0) *end = task->row.task + 1;
  }
  pthread_mutex_unlock(&memory->lock);
  return true;
}

static bool memory_usage(void *state, struct ts_store_usage *usage, struct ts_error *err) {
  (void)err;
  struct memory *memory = state;
  ts_hold(&memory->lock);
  memset(usage, 0, sizeof *usage);
  for (size_t i = 0; i < memory->record_count; i++) usage->records += !memory->records[i]->replaced;
  for (const struct product *product = memory->first_product; product; product = product->next) {
    if (!is_there(product)) continue;
    usage->products++;
    usage->product_bytes += product->size_bytes;
    usage->packed_bytes += product->packed ? product->packed_bytes : product->size_bytes;
  }
  return true;
}

static bool memory_file_find(void *state, const struct ts_file_identity *file, struct ts_sha256 *digest,
                             struct ts_error *err) {
  (void)err;
  struct memory *memory = state;
  ts_hold(&memory->lock);
  const union ts_map_value *value = ts_map_find(&memory->files, file, sizeof *file);
  if (value) memcpy(digest, value->pointer, sizeof *digest);
  return value != NULL;
}

static bool memory_file_put(void *state, const struct ts_file_identity *file, const struct ts_sha256 *digest,
                            struct ts_error *err) {
  (void)err;
  struct memory *memory = state;
  ts_hold(&memory->lock);
  ts_map_insert(&memory->files, file, sizeof *file, NULL)->pointer =
      ts_arena_memdup(&memory->rows, digest, sizeof *digest);
  return true;
}

static bool memory_cost_list(void *state, struct ts_arena *arena, struct ts_cost_row **rows, size_t *count,
                             struct ts_error *err) {
  (void)err;
  struct memory *memory = state;
  ts_hold(&memory->lock);
  *rows = ts_cost_rows_copy(&memory->costs, arena);
  *count = memory->costs.count;
  return true;
}

static bool memory_cost_put(void *state, const struct ts_cost_row *rows, size_t count, bool *outdated,
                            struct ts_error *err) {
  (void)err;
  struct memory *memory = state;
  ts_hold(&memory->lock);
  for (size_t i = 0; i < count; i++) *outdated = *outdated || !ts_cost_rows_has_seen(&memory->costs, &rows[i]);
  for (size_t i = 0; !*outdated && i < count; i++) ts_cost_rows_put(&memory->costs, &rows[i]);
  return true;
}

static bool memory_keys(void *state, uint64_t *mark, ts_store_key_sink *sink, void *user, struct ts_error *err) {
  (void)err;
  struct memory *memory = state;
  ts_hold(&memory->lock);
  for (; *mark < memory->record_count; ++*mark) {
    const struct ts_record *record = &memory->records[*mark]->record;
    sink(user, &record->key, &record->content_key);
  }
  return true;
}

static bool memory_product_list(void *state, ts_store_product_sink *sink, void *user, struct ts_error *err) {
  (void)err;
  struct memory *memory = state;
  ts_hold(&memory->lock);
  for (const struct product *product = memory->first_product; product; product = product->next) {
    if (!is_there(product)) continue;
    const struct ts_store_product told = {.digest = product->digest,
                                          .size_bytes = product->size_bytes,
                                          .packed_bytes =
                                              product->packed ? product->packed_bytes : product->size_bytes};
    sink(user, &told);
  }
  return true;
}

const struct ts_store_backend ts_store_memory = {
    .name = "memory",
    .has_folder = false,
    .open = memory_open,
    .close = memory_close,
    .salt = memory_salt,
    .write = memory_write,
    .keep = memory_keep,
    .hold = memory_hold,
    .find = memory_find,
    .records_of = memory_records_of,
    .has_product = memory_has_product,
    .fetch = memory_fetch,
    .forget = memory_forget,
    .run_insert = memory_run_insert,
    .run_update = memory_run_update,
    .run_list = memory_run_list,
    .task_list = memory_task_list,
    .task_end = memory_task_end,
    .usage = memory_usage,
    .file_find = memory_file_find,
    .file_put = memory_file_put,
    .cost_list = memory_cost_list,
    .cost_put = memory_cost_put,
    .keys = memory_keys,
    .product_list = memory_product_list,
};
