/* Tests of the source operations under a host that keeps what they hand over.
 * SPDX-License-Identifier: Apache-2.0
 * test-needs: op */
#include "ops/source/source.h"

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/file.h"
#include "data/data.h"
#include "image/image.h"
#include "op/op.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* What the last call made. */
static struct {
  void *memory; /* owned */
  size_t size_bytes;
  int64_t width, height, x, y;
  int32_t channels, level;
  size_t rows, columns;
  char type[32];
  char second_name[32];
  char failure[512];
  bool refuse;
} made;

static void *allocate(size_t size_bytes) {
  if (made.refuse) return NULL;
  made.memory = ts_calloc(size_bytes + 1, 1);
  made.size_bytes = size_bytes;
  return made.memory;
}

static void *output_pixels(struct ts_op_call *call, size_t port, int64_t width, int64_t height, int32_t channels,
                           enum ts_op_element element) {
  (void)call;
  assert_int_equal(port, 0);
  made.width = width;
  made.height = height;
  made.channels = channels;
  return allocate((size_t)(width * height * channels) * ts_element_bytes((enum ts_element)element));
}

static double *output_table(struct ts_op_call *call, size_t port, size_t rows, size_t columns,
                            const char *const *names) {
  (void)call;
  assert_int_equal(port, 0);
  made.rows = rows;
  made.columns = columns;
  if (columns > 1) snprintf(made.second_name, sizeof made.second_name, "%s", names[1]);
  return allocate(rows * columns * sizeof(double));
}

static void *output_bytes(struct ts_op_call *call, size_t port, size_t size_bytes) {
  (void)call;
  assert_int_equal(port, 0);
  return allocate(size_bytes);
}

static void output_place(struct ts_op_call *call, size_t port, const struct ts_op_place *place) {
  (void)call;
  assert_int_equal(port, 0);
  assert_int_equal(place->struct_bytes, sizeof *place);
  made.x = place->x;
  made.y = place->y;
  made.level = place->level;
}

static void output_type(struct ts_op_call *call, size_t port, const char *type) {
  (void)call;
  assert_int_equal(port, 0);
  snprintf(made.type, sizeof made.type, "%s", type);
}

__attribute__((format(printf, 2, 3))) static int fail_call(struct ts_op_call *call, const char *format, ...) {
  (void)call;
  va_list args;
  va_start(args, format);
  vsnprintf(made.failure, sizeof made.failure, format, args);
  va_end(args);
  return -1;
}

static int cancelled(const struct ts_op_call *call) {
  (void)call;
  return 0;
}

static const struct ts_op_host host = {.struct_bytes = sizeof host,
                                       .output_pixels = output_pixels,
                                       .output_table = output_table,
                                       .output_bytes = output_bytes,
                                       .output_place = output_place,
                                       .output_type = output_type,
                                       .fail = fail_call,
                                       .cancelled = cancelled};

static char path[96];

static void write_text(const char *text) {
  snprintf(path, sizeof path, P_tmpdir "/ts_source_%ld", (long)getpid());
  assert_true(ts_file_write(path, text, strlen(text), NULL));
}

static int forget(void **state) {
  (void)state;
  free(made.memory);
  memset(&made, 0, sizeof made);
  unlink(path);
  return 0;
}

static const struct ts_op_descriptor *find(const char *name) {
  for (size_t i = 0; i < ts_source_operation_count; i++) {
    if (strcmp(ts_source_operations[i]->name, name) == 0) return ts_source_operations[i];
  }
  fail_msg("no operation %s", name);
  return NULL;
}

static int call_with(const char *name, const struct ts_op_value *parameters) {
  const struct ts_op_view view = {.struct_bytes = sizeof view, .kind = TS_OP_FILE, .type = "file", .path = path};
  const struct ts_op_view *const views[] = {&view};
  const struct ts_op_value *values[8] = {NULL};
  for (size_t i = 0; i < find(name)->parameter_count; i++) values[i] = &parameters[i];
  struct ts_op_call call = {.struct_bytes = sizeof call, .host = &host, .inputs = views, .parameters = values};
  return find(name)->run(&call);
}

static void write_image(void) {
  struct ts_region region = {.width = 30, .height = 20};
  struct ts_data *data = ts_data_create_pixels(ts_type_find("image/gray8"), &region, NULL);
  unsigned char *pixels = ts_data_writable(data);
  for (int i = 0; i < 600; i++) pixels[i] = (unsigned char)(i % 251);
  snprintf(path, sizeof path, P_tmpdir "/ts_source_%ld", (long)getpid());
  assert_true(ts_image_write_png(path, data, NULL));
  ts_data_unref(data);
}

static int read_image(int64_t x, int64_t y, int64_t width, int64_t height, int64_t level, const char *as) {
  const struct ts_op_value parameters[] = {
      {.struct_bytes = sizeof(struct ts_op_value), .type = TS_OP_INTEGER, .integer = x},
      {.struct_bytes = sizeof(struct ts_op_value), .type = TS_OP_INTEGER, .integer = y},
      {.struct_bytes = sizeof(struct ts_op_value), .type = TS_OP_INTEGER, .integer = width},
      {.struct_bytes = sizeof(struct ts_op_value), .type = TS_OP_INTEGER, .integer = height},
      {.struct_bytes = sizeof(struct ts_op_value), .type = TS_OP_INTEGER, .integer = level},
      {.struct_bytes = sizeof(struct ts_op_value), .type = TS_OP_STRING, .string = as},
  };
  return call_with("image.read", parameters);
}

static void test_image_rectangle(void **state) {
  (void)state;
  write_image();
  assert_int_equal(read_image(4, 3, 10, 5, 0, "labels"), 0);
  assert_string_equal(made.type, "labels");
  assert_int_equal(made.width, 10);
  assert_int_equal(made.x, 4);
  assert_int_equal(made.y, 3);
  for (int y = 0; y < 5; y++) {
    for (int x = 0; x < 10; x++) {
      assert_int_equal(((uint32_t *)made.memory)[y * 10 + x], ((y + 3) * 30 + x + 4) % 251);
    }
  }
}

static void test_image_to_the_far_edge(void **state) {
  (void)state;
  write_image();
  assert_int_equal(read_image(4, 3, 0, 0, 0, "image/rgb8"), 0);
  assert_int_equal(made.width, 26);
  assert_int_equal(made.height, 17);
  assert_int_equal(made.channels, 3);
  assert_int_equal(((unsigned char *)made.memory)[2], (3 * 30 + 4) % 251);
}

static void test_image_failures(void **state) {
  (void)state;
  write_image();
  assert_int_not_equal(read_image(25, 0, 10, 5, 0, "labels"), 0);
  assert_non_null(strstr(made.failure, "outside"));
  assert_int_not_equal(read_image(30, 0, 0, 0, 0, "labels"), 0);
  assert_non_null(strstr(made.failure, "outside"));
  assert_int_not_equal(read_image(0, 0, 0, 0, 2, "labels"), 0);
  assert_non_null(strstr(made.failure, "level"));
  made.refuse = true;
  assert_int_not_equal(read_image(0, 0, 5, 5, 0, "labels"), 0);
  assert_non_null(strstr(made.failure, "memory"));
  made.refuse = false;
  unlink(path);
  assert_int_not_equal(read_image(0, 0, 5, 5, 0, "labels"), 0);
  assert_non_null(strstr(made.failure, path));
  assert_null(made.memory);
}

/* Pixels are decoded into the memory that the host gives: the operation takes none of its own, whatever the type. */
static void test_image_is_decoded_into_its_place(void **state) {
  (void)state;
  static const char *const types[] = {"image/rgb8", "image/gray8", "image/gray16", "labels"};
  write_image();
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    const uint64_t live_bytes = ts_buffer_live_bytes();
    ts_buffer_reset_peak();
    assert_int_equal(read_image(0, 0, 30, 20, 0, types[i]), 0);
    assert_int_equal(ts_buffer_peak_bytes(), live_bytes);
    free(made.memory);
    made.memory = NULL;
  }
}

/* And under the real host: the most that is alive at once is the tile. */
static void test_a_tile_is_in_memory_once(void **state) {
  (void)state;
  struct ts_op op = {.descriptor = find("image.read"), .source = "", .numeric = "exact"};
  const struct ts_sha256 digest = {{0}};
  const struct ts_value values[] = {ts_value_integer(0),  ts_value_integer(0), ts_value_integer(30),
                                    ts_value_integer(20), ts_value_integer(0), ts_value_string("labels")};
  const uint64_t tile_bytes = UINT64_C(30) * 20 * 4;
  struct ts_error err = {0};
  write_image();
  struct ts_data *file = ts_data_create_file(path, &digest), *out = NULL;
  const uint64_t live_bytes = ts_buffer_live_bytes();
  ts_buffer_reset_peak();
  assert_true(ts_op_execute(&op, &file, values, &out, NULL, &err));
  assert_int_equal(ts_data_size_bytes(out), tile_bytes);
  assert_in_range(ts_buffer_peak_bytes() - live_bytes, tile_bytes, tile_bytes + 4096);
  ts_data_unref(file);
  ts_data_unref(out);
}

static int read_polygons(const char *as, double downsample) {
  const struct ts_op_value parameters[] = {
      {.type = TS_OP_INTEGER, .integer = 1},    {.type = TS_OP_INTEGER, .integer = 2},
      {.type = TS_OP_INTEGER, .integer = 4},    {.type = TS_OP_INTEGER, .integer = 3},
      {.type = TS_OP_INTEGER, .integer = 1},    {.type = TS_OP_STRING, .string = as},
      {.type = TS_OP_REAL, .real = downsample}, {.type = TS_OP_REAL, .real = downsample}};
  return call_with("polygons.read", parameters);
}

#define SQUARE(low, high)                                                                                              \
  "{\"type\": \"Feature\", \"geometry\": {\"type\": \"Polygon\", \"coordinates\": [[[" #low ", " #low "], [" #high     \
  ", " #low "], [" #high ", " #high "], [" #low ", " #high "]]]}}"

static void test_polygons(void **state) {
  (void)state;
  static const uint32_t labels[12] = {1, 1, 1, 0, 1, 1, 2, 2, 0, 0, 2, 2};
  static const unsigned char mask[12] = {255, 255, 255, 0, 255, 255, 255, 255, 0, 0, 255, 255};
  write_text("[" SQUARE(0, 8) ",\n" SQUARE(6, 12) "]");
  assert_int_equal(read_polygons("labels", 2), 0);
  assert_int_equal(made.size_bytes, sizeof labels);
  assert_memory_equal(made.memory, labels, sizeof labels);
  assert_true(made.x == 1 && made.y == 2 && made.level == 1 && made.width == 4 && made.height == 3);
  assert_string_equal(made.type, "labels");
  free(made.memory);
  assert_int_equal(read_polygons("mask", 2), 0);
  assert_memory_equal(made.memory, mask, sizeof mask);
}

static void test_polygon_failure_names_the_place(void **state) {
  (void)state;
  write_text("[" SQUARE(0, 8) ",\n7]");
  assert_int_not_equal(read_polygons("labels", 2), 0);
  assert_non_null(strstr(made.failure, ":2:1: feature 2"));
  write_text(SQUARE(0, 8));
  made.refuse = true;
  assert_int_not_equal(read_polygons("labels", 2), 0);
}

static void test_table(void **state) {
  (void)state;
  write_text("a,b\n1,2\n3,\n");
  assert_int_equal(call_with("table.read", NULL), 0);
  assert_int_equal(made.rows, 2);
  assert_int_equal(made.columns, 2);
  assert_string_equal(made.second_name, "b");
  const double *cells = made.memory;
  assert_true(cells[0] == 1 && cells[1] == 2 && cells[2] == 3 && isnan(cells[3]));
}

static void test_table_failure_names_the_line(void **state) {
  (void)state;
  write_text("a,b\n1,2\nx,3\n");
  assert_int_not_equal(call_with("table.read", NULL), 0);
  assert_non_null(strstr(made.failure, ":3: "));
  assert_non_null(strstr(made.failure, "'x'"));
}

static void test_bytes(void **state) {
  (void)state;
  write_text("any bytes");
  assert_int_equal(call_with("bytes.read", NULL), 0);
  assert_int_equal(made.size_bytes, 9);
  assert_memory_equal(made.memory, "any bytes", 9);
  unlink(path);
  assert_int_not_equal(call_with("bytes.read", NULL), 0);
}

/* What the registry will demand of every descriptor. */
static void test_descriptors(void **state) {
  (void)state;
  assert_int_equal(ts_source_operation_count, 5);
  for (size_t i = 0; i < ts_source_operation_count; i++) {
    const struct ts_op_descriptor *op = ts_source_operations[i];
    assert_int_equal(op->api, TESSERA_OP_API);
    assert_int_equal(op->struct_bytes, sizeof *op);
    assert_true(op->version >= 1);
    assert_int_equal(op->input_count, 1);
    assert_string_equal(op->inputs[0]->type, "file");
    for (size_t p = 0; p < op->parameter_count; p++) assert_non_null(op->parameters[p]->help);
  }
  const struct ts_op_parameter *as = find("image.read")->parameters[5];
  for (size_t i = 0; as->choices[i]; i++) {
    assert_true(ts_type_fits(ts_type_find(as->choices[i]), find("image.read")->outputs[0]->type));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(test_image_rectangle, forget),
      cmocka_unit_test_teardown(test_image_to_the_far_edge, forget),
      cmocka_unit_test_teardown(test_image_failures, forget),
      cmocka_unit_test_teardown(test_image_is_decoded_into_its_place, forget),
      cmocka_unit_test_teardown(test_a_tile_is_in_memory_once, forget),
      cmocka_unit_test_teardown(test_polygons, forget),
      cmocka_unit_test_teardown(test_polygon_failure_names_the_place, forget),
      cmocka_unit_test_teardown(test_table, forget),
      cmocka_unit_test_teardown(test_table_failure_names_the_line, forget),
      cmocka_unit_test_teardown(test_bytes, forget),
      cmocka_unit_test(test_descriptors),
  };
  return cmocka_run_group_tests_name("source", tests, NULL, NULL);
}
