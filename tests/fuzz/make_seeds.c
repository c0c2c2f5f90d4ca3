/* Writes the seeds that only the program can make: products of every kind, encoded and packed, requests of a worker,
 * and objects of tiles and of a file.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"
#include "base/file.h"
#include "data/data.h"
#include "op/op.h"
#include "project/project.h"
#include "store/remote/wire_int.h"

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

static void write_pixels(const char *folder, const struct ts_type *type, int32_t depth) {
  struct ts_region region = {.x = 3, .y = 5, .width = 7, .height = 4, .depth = depth};
  struct ts_data *data = ts_data_create_pixels(type, &region, NULL);
  memset(ts_data_writable(data), 1, ts_data_size_bytes(data));
  ts_auto(ts_str_release) struct ts_str name = {0};
  ts_str_addf(&name, "%s%s", type->name, depth > 1 ? "-volume" : "");
  for (char *at = name.data; *at; at++) *at = *at == '/' ? '-' : *at;
  write_both(folder, name.data, data);
}

static void add_request(struct ts_str *out, enum ts_remote_request kind, const struct ts_str *bytes) {
  const unsigned char head[] = {(unsigned char)kind, (unsigned char)bytes->length, (unsigned char)(bytes->length >> 8)};
  ts_str_add_bytes(out, head, sizeof head);
  ts_str_add_bytes(out, ts_str_get(bytes), bytes->length);
}

/* A batch with all kinds of rows, then the questions about it: the form is that of fuzz_remote.c. */
static void write_requests(const char *folder) {
  ts_auto(ts_str_release) struct ts_str all = {0};
  ts_auto(ts_str_release) struct ts_str one = {0};
  const struct ts_record_input input = {.port = "in"};
  const struct ts_record_output output = {.port = "out", .type = "bytes", .size_bytes = 3};
  const struct ts_record record = {.operation = "a.b",
                                   .parameters_json = "{}",
                                   .numeric = "exact",
                                   .inputs = &input,
                                   .input_count = 1,
                                   .outputs = &output,
                                   .output_count = 1};
  const struct ts_task_row task = {.stage = "s", .name = "n", .outcome = "executed"};
  const struct ts_batch_product product = {.size_bytes = 3, .packed = "abc", .packed_bytes = 3};
  const struct ts_batch_entry entries[] = {{.record = &record}, {.task = &task, .run = "0123abcd"}};
  ts_remote_add_batch(&one, &(struct ts_batch){&product, 1, entries, 2});
  add_request(&all, TS_REMOTE_WRITE, &one);
  ts_str_clear(&one);
  ts_wire_add_u64(&one, 0);
  add_request(&all, TS_REMOTE_REFRESH, &one);
  ts_str_clear(&one);
  ts_wire_add_u8(&one, TS_STORE_BY_KEY);
  ts_wire_add_raw(&one, &record.key, sizeof record.key);
  add_request(&all, TS_REMOTE_FIND, &one);
  ts_str_clear(&one);
  ts_wire_add_text(&one, "a.b");
  ts_wire_add_u64(&one, 5);
  add_request(&all, TS_REMOTE_RECORDS_OF, &one);
  ts_str_clear(&one);
  ts_remote_add_row(&one, &ts_run_columns, &(struct ts_store_run){.row = {.id = "0123abcd", .state = "running"}});
  add_request(&all, TS_REMOTE_RUN_INSERT, &one);
  ts_str_clear(&one);
  ts_remote_add_row(&one, &ts_run_change_columns,
                    &(struct ts_store_run_change){.id = "0123abcd", .state = "done", .process = "p"});
  add_request(&all, TS_REMOTE_RUN_UPDATE, &one);
  ts_str_clear(&one);
  add_request(&all, TS_REMOTE_RUN_LIST, &one);
  add_request(&all, TS_REMOTE_USAGE, &one);
  write_seed(folder, "requests", "all", &all);
}

/* ---- Objects ---- */

/* A tile of 24 x 16 pixels with three objects, of which the lower one goes on in the next tile; or its colours. */
static struct ts_data *make_tile(const char *type, int64_t y) {
  const struct ts_region region = {.y = y, .width = 24, .height = 16};
  struct ts_data *data = ts_data_create_pixels(ts_type_find(type), &region, NULL);
  uint8_t *bytes = ts_data_writable(data);
  const size_t step = ts_data_size_bytes(data) / (24 * 16); /* 1: mask, 3: colours, 4: labels */
  for (size_t i = 0; i < ts_data_size_bytes(data); i++) {
    const size_t row = i / step / 24, column = i / step % 24;
    const bool is_object =
        (row > 1 && row < 5 && column % 10 > 2 && column % 10 < 7) || (row > 9 && column > 4 && column < row);
    if (step == 3)
      bytes[i] = (uint8_t)(7 * i + row * column);
    else if (is_object && step == 1)
      bytes[i] = 255;
    else if (is_object && i % step == 0)
      bytes[i] = (uint8_t)(1 + column / 10);
  }
  ts_data_finish(data);
  return data;
}

/* Appends the first output of an operation on two inputs; takes the references to them. */
static void add_pieces(const char *name, struct ts_data *first, struct ts_data *second,
                       const struct ts_value *parameters, struct ts_str *out) {
  struct ts_registry *registry = ts_project_registry();
  struct ts_data *inputs[] = {first, second}, *outputs[2] = {NULL};
  struct ts_error err = {0};
  size_t size = 0;
  if (!ts_op_execute(ts_registry_find(registry, name), inputs, parameters, outputs, NULL, &err)) TS_BUG("%s", err.text);
  const void *bytes = ts_data_bytes(outputs[0], &size);
  ts_str_add_bytes(out, bytes, size);
  for (size_t i = 0; i < 2; i++) ts_data_unref(inputs[i]);
  for (size_t i = 0; i < 2; i++) ts_data_unref(outputs[i]);
  ts_registry_destroy(registry);
}

static void write_shapes(const char *folder, const struct ts_str *pieces) {
  struct ts_registry *registry = ts_project_registry();
  struct ts_data *input = ts_data_create_bytes(ts_type_find("pieces"), pieces->length, NULL), *outputs[3] = {NULL};
  struct ts_error err = {0};
  memcpy(ts_data_writable(input), pieces->data, pieces->length);
  ts_data_finish(input);
  if (!ts_op_execute(ts_registry_find(registry, "objects.measure"), &input, NULL, outputs, NULL, &err))
    TS_BUG("%s", err.text);
  ts_auto(ts_str_release) struct ts_str bytes = {0};
  size_t size = 0;
  const void *shapes = ts_data_bytes(outputs[2], &size);
  ts_str_add_bytes(&bytes, shapes, size);
  write_seed(folder, "shapes", "of-two-tiles", &bytes);
  for (size_t i = 0; i < 3; i++) ts_data_unref(outputs[i]);
  ts_data_unref(input);
  ts_registry_destroy(registry);
}

static void write_objects(const char *pieces_folder, const char *shapes_folder) {
  static const char *const ways[] = {"components", "labels", "values", "none"};
  for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
    ts_auto(ts_str_release) struct ts_str measured = {0};
    ts_auto(ts_str_release) struct ts_str compared = {0};
    const char *type = way == 0 ? "mask" : "labels";
    const struct ts_value stitch[] = {ts_value_string(ways[way]), ts_value_string("values")};
    for (int64_t y = 0; y <= 16; y += 16) {
      add_pieces("objects.measure_tile", make_tile("image/rgb8", y), make_tile(type, y), stitch, &measured);
      add_pieces("objects.compare_tile", make_tile(type, y), make_tile("labels", y), stitch, &compared);
    }
    write_seed(pieces_folder, "measured", ways[way], &measured);
    write_seed(pieces_folder, "compared", ways[way], &compared);
    if (way == 0) write_shapes(shapes_folder, &measured);
  }
}

int main(int argc, char **argv) {
  static const char *const names[] = {"area", "roundness"};
  if (argc != 5) return 2;
  write_requests(argv[2]);
  write_objects(argv[3], argv[4]);
  size_t count = 0;
  const struct ts_type *const *types = ts_type_list(&count);
  for (size_t i = 0; i < count; i++)
    for (int32_t depth = 1; types[i]->kind == TS_DATA_PIXELS && depth <= 3; depth += 2)
      write_pixels(argv[1], types[i], depth);
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
