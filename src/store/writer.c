/* Packing and writing of batches, one after another, until the queue stops or a write fails.
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/writer.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"

#include <signal.h>
#include <string.h>

/* Below this size packing a product that is there already is cheaper than asking whether it is. */
#define ASK_FIRST_BYTES 4096
/* The same where the question is a message to another process. */
#define ASK_OTHERS_BYTES (4 << 20)
/* Memory for packed bytes that is kept from batch to batch. */
#define KEEP_BYTES ((size_t)1 << 20)

/* What one batch needs; the memory is used again for the next. */
struct work {
  struct ts_batch_entry *entries; /* owned */
  size_t entry_count, entry_capacity;
  struct ts_batch_product *products; /* owned */
  size_t product_count, product_capacity;
  struct ts_digest_node *nodes; /* owned; one per product */
  size_t node_capacity;
  struct ts_digest_index seen; /* digests of this batch */
  struct ts_str packed;        /* the products one after another */
  uint64_t coded_bytes;        /* of the products before packing */
};

static void work_release(struct work *work) {
  free(work->entries);
  free(work->products);
  free(work->nodes);
  ts_digest_index_release(&work->seen);
  ts_str_release(&work->packed);
}

static void work_clear(struct work *work) {
  for (size_t i = 0; i < work->product_count; i++) ts_digest_index_remove(&work->seen, &work->nodes[i]);
  work->entry_count = work->product_count = 0;
  work->coded_bytes = 0;
  if (work->packed.capacity > KEEP_BYTES) {
    ts_str_release(&work->packed);
  } else {
    ts_str_clear(&work->packed);
  }
}

static bool is_there(const struct ts_store_writer *writer, const struct ts_sha256 *digest, const struct ts_data *data) {
  const struct ts_store_backend *backend = writer->backend;
  const size_t bytes = ts_data_size_bytes(data);
  if (bytes <= ASK_FIRST_BYTES) return false;
  if (backend->recalls_product && bytes <= ASK_OTHERS_BYTES) return backend->recalls_product(writer->state, digest);
  return backend->has_product(writer->state, digest);
}

static bool pack_product(struct work *work, const struct ts_record_output *output, const struct ts_data *data,
                         struct ts_error *err) {
  const size_t start = work->packed.length;
  if (!ts_data_pack(data, &work->packed, err)) return false;
  work->coded_bytes += ts_data_coded_bytes(data);
  work->products = ts_grow(work->products, work->product_count, &work->product_capacity, sizeof *work->products);
  work->products[work->product_count++] = (struct ts_batch_product){
      .digest = output->digest, .size_bytes = output->size_bytes, .packed_bytes = work->packed.length - start};
  return true;
}

/* Makes room for the nodes of all products of a batch at once: the index holds their addresses. */
static void reserve_nodes(struct work *work, const struct ts_store_item *items) {
  size_t count = 0;
  for (; items; items = items->next) count += items->entry.record ? items->as.record.output_count : 0;
  if (count <= work->node_capacity) return;
  work->nodes = ts_realloc_array(work->nodes, count, sizeof *work->nodes);
  work->node_capacity = count;
}

static bool pack_item(const struct ts_store_writer *writer, struct work *work, const struct ts_store_item *item,
                      struct ts_error *err) {
  const struct ts_record *record = &item->as.record;
  for (size_t i = 0; i < record->output_count; i++) {
    const struct ts_record_output *output = &record->outputs[i];
    const struct ts_data *data = item->products[i].data;
    if (!data || ts_digest_index_find(&work->seen, &output->digest)) continue;
    if (is_there(writer, &output->digest, data)) continue;
    struct ts_digest_node *node = &work->nodes[work->product_count];
    if (!pack_product(work, output, data, err)) return false;
    ts_digest_index_insert(&work->seen, node, &output->digest, node);
  }
  return true;
}

static bool pack_items(const struct ts_store_writer *writer, struct work *work, const struct ts_store_item *items,
                       struct ts_error *err) {
  reserve_nodes(work, items);
  for (; items; items = items->next) {
    if (items->entry.record && !pack_item(writer, work, items, err)) return false;
    work->entries = ts_grow(work->entries, work->entry_count, &work->entry_capacity, sizeof *work->entries);
    work->entries[work->entry_count++] = items->entry;
  }
  /* The packed bytes have their final place only now. */
  const char *next = ts_str_get(&work->packed);
  for (size_t i = 0; i < work->product_count; i++) {
    work->products[i].packed = next;
    next += work->products[i].packed_bytes;
  }
  return true;
}

bool ts_store_writer_write(struct ts_store_writer *writer, const struct ts_batch *batch, struct ts_error *err) {
  pthread_mutex_lock(&writer->lock);
  const bool ok = writer->backend->write(writer->state, batch, err);
  pthread_mutex_unlock(&writer->lock);
  if (ok == (err->code != TS_ERR_OK)) {
    TS_BUG("store backend '%s': write returned %d with error %d", writer->backend->name, ok, (int)err->code);
  }
  return ok;
}

static bool write_items(struct ts_store_writer *writer, struct work *work, const struct ts_store_item *items,
                        struct ts_error *err) {
  if (!pack_items(writer, work, items, err)) return false;
  const struct ts_batch batch = {.products = work->products,
                                 .product_count = work->product_count,
                                 .entries = work->entries,
                                 .entry_count = work->entry_count};
  return ts_store_writer_write(writer, &batch, err);
}

static void count_cost(struct ts_store_writer *writer, const struct work *work, uint64_t cpu_ns) {
  if (work->product_count == 0) return;
  atomic_fetch_add(&writer->products, work->product_count);
  atomic_fetch_add(&writer->product_bytes, work->coded_bytes);
  atomic_fetch_add(&writer->cpu_ns, cpu_ns);
}

static void *writer_main(void *argument) {
  struct ts_store_writer *writer = argument;
  ts_auto(work_release) struct work work = {0};
  struct ts_store_item *items;
  while ((items = ts_store_queue_take(writer->queue))) {
    struct ts_error failure = {0};
    const uint64_t start_ns = ts_clock_thread_cpu_ns();
    const bool ok = write_items(writer, &work, items, &failure);
    if (ok) count_cost(writer, &work, ts_clock_thread_cpu_ns() - start_ns);
    if (failure.code == TS_ERR_NO_MEMORY) ts_error_help(&failure, "use fewer threads (-j), or free some memory");
    work_clear(&work);
    ts_store_queue_done(writer->queue, items, ok ? NULL : &failure);
  }
  return NULL;
}

bool ts_store_writer_start(struct ts_store_writer *writer, struct ts_error *err) {
  pthread_mutex_init(&writer->lock, NULL);
  /* Signals are for the threads of the program: a handler there may wait for the store. */
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int number = pthread_create(&writer->thread, NULL, writer_main, writer);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (number == 0) return true;
  pthread_mutex_destroy(&writer->lock);
  ts_fail(err, TS_ERR_SYSTEM, "the store's writing thread cannot be started: %s", strerrordesc_np(number));
  return ts_error_help(err, "raise the limit of processes (ulimit -u)");
}

void ts_store_writer_stop(struct ts_store_writer *writer) {
  ts_store_queue_stop(writer->queue);
  pthread_join(writer->thread, NULL);
  pthread_mutex_destroy(&writer->lock);
}
