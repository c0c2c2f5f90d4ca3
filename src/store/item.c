/* Items of the store's queue: a row and its references in one block of memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"
#include "store/copy.h"
#include "store/queue.h"

#include <string.h>

static struct ts_store_item *item_create(size_t product_count, size_t extra_bytes) {
  struct ts_store_item *item = NULL;
  size_t size = sizeof *item + product_count * sizeof item->products[0];
  item = ts_malloc(size + extra_bytes);
  memset(item, 0, size);
  item->bytes = size + extra_bytes;
  return item;
}

struct ts_store_item *ts_store_item_create_record(const struct ts_record *record, struct ts_data *const *products) {
  const size_t count = record->output_count;
  struct ts_store_item *item = item_create(count, ts_record_extra_bytes(record));
  ts_record_copy_to(record, &item->as.record, &item->products[count]);
  item->entry.record = &item->as.record;
  for (size_t i = 0; products && i < count; i++) {
    if (!products[i] || ts_data_type(products[i])->kind == TS_DATA_FILE) continue;
    item->products[i].data = ts_data_ref(products[i]);
    item->bytes += ts_data_size_bytes(products[i]);
  }
  return item;
}

struct ts_store_item *ts_store_item_create_task(const char *run, const struct ts_task_row *row) {
  const size_t row_bytes = ts_task_row_extra_bytes(row);
  const size_t run_bytes = strlen(run) + 1;
  struct ts_store_item *item = item_create(0, row_bytes + run_bytes);
  char *extra = (char *)&item->products[0];
  ts_task_row_copy_to(row, &item->as.task, extra);
  memcpy(extra + row_bytes, run, run_bytes);
  item->entry.task = &item->as.task;
  item->entry.run = extra + row_bytes;
  return item;
}

static void item_destroy(struct ts_store_item *item) {
  if (item->entry.record) {
    for (size_t i = 0; i < item->as.record.output_count; i++) ts_data_unref(item->products[i].data);
  }
  free(item);
}

void ts_store_item_destroy_list(struct ts_store_item *items) {
  while (items) {
    struct ts_store_item *next = items->next;
    item_destroy(items);
    items = next;
  }
}
