/* Texts that runs refer to, such as work orders: packed and checked like products, found by their digests.
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/store_int.h"

#include "base/alloc.h"

#include <string.h>

static struct ts_data *data_of(const char *text, size_t length, struct ts_error *err) {
  struct ts_data *data = ts_data_create_bytes(ts_type_find("bytes"), length, err);
  if (!data) return NULL;
  if (length > 0) memcpy(ts_data_writable(data), text, length);
  ts_data_finish(data);
  return data;
}

bool ts_store_text_put(struct ts_store *store, const char *text, size_t length, struct ts_sha256 *digest,
                       struct ts_error *err) {
  if (!ts_store_check_writable(store, err)) return false;
  ts_auto(ts_data_unref_pointer) struct ts_data *data = data_of(text, length, err);
  ts_auto(ts_str_release) struct ts_str packed = {0};
  if (!data || !ts_data_pack(data, &packed, err)) return false;
  ts_data_digest(data, digest);
  const struct ts_batch_product product = {.digest = *digest,
                                           .size_bytes = ts_data_size_bytes(data),
                                           .packed = ts_str_get(&packed),
                                           .packed_bytes = packed.length};
  const struct ts_batch batch = {.products = &product, .product_count = 1};
  struct ts_error trouble = {0};
  if (ts_store_writer_write(&store->writer, &batch, &trouble)) return true;
  if (err && err->code == TS_ERR_OK) *err = trouble;
  return false;
}

bool ts_store_text_get(struct ts_store *store, const struct ts_sha256 *digest, struct ts_str *text,
                       struct ts_error *err) {
  ts_auto(ts_data_unref_pointer) struct ts_data *data = ts_store_load(store, digest, err);
  size_t length = 0;
  if (!data) return false;
  const void *bytes = ts_data_bytes(data, &length);
  ts_str_clear(text);
  if (bytes && length > 0) ts_str_add_bytes(text, bytes, length);
  return true;
}
