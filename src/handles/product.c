/* Products as a host sees them: typed, immutable, counted data without a copy.
 * SPDX-License-Identifier: Apache-2.0 */
#include "handles/handles_int.h"

#include "base/alloc.h"

struct tessera_product {
  struct ts_data *data; /* owned reference */
};

struct tessera_product *ts_handle_product_create(struct ts_data *data) {
  struct tessera_product *product = ts_calloc(1, sizeof *product);
  product->data = data;
  return product;
}

static const char *const kinds[] = {
    [TS_DATA_PIXELS] = "pixels", [TS_DATA_TABLE] = "table", [TS_DATA_BYTES] = "bytes", [TS_DATA_FILE] = "file"};
static const char *const elements[] = {
    [TS_U8] = "u8", [TS_U16] = "u16", [TS_U32] = "u32", [TS_F32] = "f32", [TS_F64] = "f64"};

static void add_pixels(const struct ts_data *data, struct tessera_product_info *info) {
  const struct ts_region *region = ts_data_region(data);
  info->element = elements[ts_data_type(data)->element];
  info->channels = ts_data_type(data)->channels;
  info->level = region->level;
  info->x = region->x;
  info->y = region->y;
  info->width = region->width;
  info->height = region->height;
  info->z = region->z;
  info->t = region->t;
  info->depth = region->depth;
  info->frames = region->frames;
}

static void add_table(const struct ts_data *data, struct tessera_product_info *info) {
  info->rows = ts_data_rows(data);
  info->columns = ts_data_columns(data);
  info->column_names = ts_data_column_names(data);
  info->cells = ts_data_cells(data);
}

bool tessera_product_describe(const struct tessera_product *product, struct tessera_product_info *info) {
  const struct ts_data *data = product->data;
  const struct ts_type *type = ts_data_type(data);
  struct tessera_product_info all = {
      .size_bytes = sizeof all, .type = type->name, .kind = kinds[type->kind], .element = ""};
  if (type->kind == TS_DATA_FILE)
    all.path = ts_data_path(data);
  else
    all.bytes = ts_data_bytes(data, &all.byte_count);
  if (type->kind == TS_DATA_PIXELS) add_pixels(data, &all);
  if (type->kind == TS_DATA_TABLE) add_table(data, &all);
  return ts_handle_copy_out(info, info->size_bytes, &all, sizeof all);
}

void tessera_product_release(struct tessera_product *product) {
  if (!product) return;
  ts_data_unref(product->data);
  free(product);
}
