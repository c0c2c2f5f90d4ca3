/* Tests of the GeoJSON of stitched objects: geometry by hand, measurements, ids, and files that cannot be written.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "data/shapes.h"
#include "work/files/geojson.h"

#include <math.h>

static void add_id(void *user, uint64_t number, struct ts_str *id) {
  ts_str_addf(id, "%s-%llu", (const char *)user, (unsigned long long)number);
}

/* Objects 1 (a ring of pixels around one hole), 2 (two pixels that meet at a corner) and 4 (one pixel). */
static struct ts_data *make_shapes(void) {
  static const struct ts_pixel_run ring[] = {{10, 20, 23}, {11, 20, 21}, {11, 22, 23}, {12, 20, 23}};
  static const struct ts_pixel_run corner[] = {{30, 5, 6}, {31, 6, 7}};
  static const struct ts_pixel_run dot[] = {{40, 0, 1}};
  struct ts_shapes_writer writer;
  ts_shapes_write_begin(&writer, 0);
  ts_shapes_write_next(&writer, &(struct ts_shape){.number = 1, .runs = ring, .count = 4});
  ts_shapes_write_next(&writer, &(struct ts_shape){.number = 2, .runs = corner, .count = 2});
  ts_shapes_write_next(&writer, &(struct ts_shape){.number = 4, .runs = dot, .count = 1});
  ts_shapes_write_end(&writer);
  struct ts_data *data = ts_data_create_bytes(ts_type_find("shapes"), writer.bytes.length, NULL);
  memcpy(ts_data_writable(data), writer.bytes.data, writer.bytes.length);
  ts_shapes_writer_release(&writer);
  return data;
}

static struct ts_data *make_table(void) {
  static const char *const names[] = {"id", "x", "y", "area", "say \"so\""};
  static const double cells[] = {1, 21, 11, 8, 0.1, 3, 0, 0, 99, 99, 4, 0, 40, 1, NAN};
  struct ts_data *table = ts_data_create_table(3, 5, names, NULL);
  memcpy(ts_data_writable(table), cells, sizeof cells);
  return table;
}

static const char expected[] =
    "{\"type\":\"FeatureCollection\",\"features\":[\n"
    "{\"type\":\"Feature\",\"id\":\"a-1\",\"geometry\":{\"type\":\"Polygon\",\"coordinates\":"
    "[[[23,10],[23,13],[20,13],[20,10],[23,10]],[[22,12],[22,11],[21,11],[21,12],[22,12]]]},"
    "\"properties\":{\"objectType\":\"detection\",\"classification\":{\"name\":\"Cell\"},"
    "\"measurements\":{\"area\":8,\"say \\\"so\\\"\":0.1}}},\n"
    "{\"type\":\"Feature\",\"id\":\"a-2\",\"geometry\":{\"type\":\"MultiPolygon\",\"coordinates\":"
    "[[[[6,30],[6,31],[5,31],[5,30],[6,30]]],[[[7,31],[7,32],[6,32],[6,31],[7,31]]]]},"
    "\"properties\":{\"objectType\":\"detection\",\"classification\":{\"name\":\"Cell\"},\"measurements\":{}}},\n"
    "{\"type\":\"Feature\",\"id\":\"a-4\",\"geometry\":{\"type\":\"Polygon\",\"coordinates\":"
    "[[[1,40],[1,41],[0,41],[0,40],[1,40]]]},"
    "\"properties\":{\"objectType\":\"detection\",\"classification\":{\"name\":\"Cell\"},"
    "\"measurements\":{\"area\":1}}}\n]}\n";

static void test_features(void **state) {
  (void)state;
  ts_auto_free char *folder = ts_folder_create_scratch(NULL, "geojson", NULL);
  ts_auto_free char *path = ts_path_join(folder, "a.geojson");
  ts_auto(ts_data_unref_pointer) struct ts_data *shapes = make_shapes();
  ts_auto(ts_data_unref_pointer) struct ts_data *table = make_table();
  char prefix[] = "a";
  struct ts_error err = {0};
  assert_true(ts_geojson_write(path, &(struct ts_geojson){shapes, table, "Cell", add_id, prefix}, &err));
  ts_auto(ts_str_release) struct ts_str text = {0};
  assert_true(ts_file_read(path, 0, &text, &err));
  assert_string_equal(ts_str_get(&text), expected);
  json_t *parsed = json_loads(ts_str_get(&text), 0, NULL);
  assert_non_null(parsed);
  json_decref(parsed);
  ts_folder_remove(folder);
}

static void test_failures_leave_nothing(void **state) {
  (void)state;
  ts_auto_free char *folder = ts_folder_create_scratch(NULL, "geojson", NULL);
  ts_auto_free char *path = ts_path_join(folder, "a.geojson");
  ts_auto_free char *nowhere = ts_path_join(folder, "none/a.geojson");
  ts_auto(ts_data_unref_pointer) struct ts_data *shapes = make_shapes();
  ts_auto(ts_data_unref_pointer) struct ts_data *damaged = ts_data_create_bytes(ts_type_find("shapes"), 30, NULL);
  static const char *const names[] = {"area"};
  ts_auto(ts_data_unref_pointer) struct ts_data *without_id = ts_data_create_table(0, 1, names, NULL);
  memset(ts_data_writable(damaged), 7, 30);
  char prefix[] = "a";
  struct ts_error err = {0};
  assert_false(ts_geojson_write(path, &(struct ts_geojson){damaged, NULL, "Cell", add_id, prefix}, &err));
  assert_int_equal(err.code, TS_ERR_BAD_PRODUCT);
  err = (struct ts_error){0};
  assert_false(ts_geojson_write(path, &(struct ts_geojson){shapes, without_id, "Cell", add_id, prefix}, &err));
  assert_string_equal(err.text, "the table of these objects has no column 'id'");
  err = (struct ts_error){0};
  assert_false(ts_geojson_write(nowhere, &(struct ts_geojson){shapes, NULL, "Cell", add_id, prefix}, &err));
  assert_int_equal(err.code, TS_ERR_FILE_IO);
  assert_non_null(strstr(err.text, "No such file or directory"));
  assert_true(ts_folder_is_empty(folder));
  ts_folder_remove(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_features),
      cmocka_unit_test(test_failures_leave_nothing),
  };
  return cmocka_run_group_tests_name("geojson", tests, NULL, NULL);
}
