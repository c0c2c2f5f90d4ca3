/* Writes the seeds that only the program can make: encoded and packed products of every kind.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"
#include "base/file.h"
#include "data/data.h"

#include <stdio.h>
#include <string.h>

static void write_seed(const char *folder, const char *name, const char *form, const struct ts_str *bytes) {
  ts_auto(ts_str_release) struct ts_str path = {0};
  struct ts_error err = {0};
  ts_str_addf(&path, "%s/%s-%s", folder, name, form);
  if (!ts_file_write(ts_str_get(&path), bytes->data, bytes->length, &err)) TS_BUG("%s", err.text);
}

/* Takes the reference to the data. */
static void write_both(const char *folder, const char *name, struct ts_data *data) {
  ts_auto(ts_str_release) struct ts_str encoded = {0};
  ts_auto(ts_str_release) struct ts_str packed = {0};
  struct ts_error err = {0};
  ts_data_finish(data);
  ts_data_encode(data, &encoded);
  write_seed(folder, name, "encoded", &encoded);
  if (!ts_data_pack(data, &packed, &err)) TS_BUG("%s", err.text);
  write_seed(folder, name, "packed", &packed);
  ts_data_unref(data);
}

static void write_pixels(const char *folder, const struct ts_type *type) {
  struct ts_region region = {.x = 3, .y = 5, .width = 7, .height = 4};
  struct ts_data *data = ts_data_create_pixels(type, &region, NULL);
  memset(ts_data_writable(data), 1, ts_data_size_bytes(data));
  ts_auto_free char *name = ts_strdup(type->name);
  for (char *at = name; *at; at++) *at = *at == '/' ? '-' : *at;
  write_both(folder, name, data);
}

int main(int argc, char **argv) {
  static const char *const names[] = {"area", "roundness"};
  if (argc != 2) return 2;
  size_t count = 0;
  const struct ts_type *const *types = ts_type_list(&count);
  for (size_t i = 0; i < count; i++)
    if (types[i]->kind == TS_DATA_PIXELS) write_pixels(argv[1], types[i]);
  struct ts_data *table = ts_data_create_table(3, 2, names, NULL);
  memset(ts_data_writable(table), 0, ts_data_size_bytes(table));
  write_both(argv[1], "table", table);
  struct ts_data *bytes = ts_data_create_bytes(ts_type_find("bytes"), 40, NULL);
  memset(ts_data_writable(bytes), 65, 40);
  write_both(argv[1], "bytes", bytes);
  struct ts_sha256 digest = {{7}};
  write_both(argv[1], "file", ts_data_create_file("slides/a.svs", &digest));
  return 0;
}
