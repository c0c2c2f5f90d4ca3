/* Reading GeoJSON: what QuPath writes, every fault with its place and what to do, and 10,000 damaged files.
 * SPDX-License-Identifier: Apache-2.0
 * test-timeout: 240 */
#include "scratch.h"

#include "base/alloc.h"
#include "base/file.h"
#include "image/polygons.h"
#include "support/mutate.h"

#define FEATURE(kind, coordinates)                                                                                     \
  "{\"type\": \"Feature\", \"geometry\": {\"type\": \"" kind "\", \"coordinates\": " coordinates "}}"
#define SQUARE FEATURE("Polygon", "[[[0, 0], [4, 0], [4, 4], [0, 4], [0, 0]]]")

static const char qupath[] =
    "{\"type\": \"FeatureCollection\", \"features\": [\n"
    " {\"type\": \"Feature\", \"id\": \"4a2b8d66-1111-4cde-9f00-0123456789ab\",\n"
    "  \"geometry\": {\"type\": \"Polygon\", \"coordinates\": [[[1.5, 2], [6, 2], [6, 7.25], [1.5, 2]],"
    " [[4, 3], [5, 3], [5, 4], [4, 3]]]},\n"
    "  \"nucleusGeometry\": {\"type\": \"Polygon\", \"coordinates\": [[[2, 2], [3, 2], [3, 3], [2, 2]]]},\n"
    "  \"properties\": {\"objectType\": \"cell\", \"name\": \"NaN \\\" Infinity\", \"classification\":"
    " {\"name\": \"Tumor\", \"color\": [200, 0, 0]}, \"measurements\": {\"Area\": 12.5, \"Solidity\": NaN,"
    " \"Ratio\": -Infinity}}},\n"
    " {\"type\": \"Feature\", \"geometry\": {\"type\": \"MultiPolygon\", \"plane\": {\"c\": -1, \"z\": 0, \"t\": 0},"
    " \"coordinates\": [[[[10, 10], [12, 10], [12, 12], [10, 10]]], [[[20, 10, 0], [22, 10, 0], [22, 12, 0]]]]},\n"
    "  \"properties\": {\"objectType\": \"annotation\", \"isLocked\": true}}\n]}\n";

static void test_forms(void **state) {
  (void)state;
  static const struct {
    const char *text;
    size_t count;
  } forms[] = {{qupath, 2}, {"[" SQUARE "," SQUARE "," SQUARE "]", 3}, {SQUARE, 1}, {"\xEF\xBB\xBF\n " SQUARE, 1}};
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    struct ts_faults faults = {0};
    struct ts_polygons *polygons = ts_polygons_parse("a.geojson", forms[i].text, strlen(forms[i].text), &faults);
    if (!polygons) fail_msg("%s", faults.items[0].text);
    assert_int_equal(ts_polygons_count(polygons), forms[i].count);
    ts_polygons_unref(polygons);
  }
}

static void refuse(const char *text, size_t length, int line, int column, const char *words) {
  struct ts_faults faults = {0};
  assert_null(ts_polygons_parse("a.geojson", text, length, &faults));
  assert_int_equal(faults.count, 1);
  const struct ts_error *err = &faults.items[0];
  if (!strstr(err->text, words)) fail_msg("'%s' does not contain '%s'", err->text, words);
  if (err->where.line != line || err->where.column != column)
    fail_msg("%s: %d:%d, not %d:%d", err->text, err->where.line, err->where.column, line, column);
  assert_string_equal(err->where.file, "a.geojson");
  assert_true(err->help[0]);
  ts_faults_release(&faults);
}

static void test_faults(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int line, column;
    const char *words;
  } cases[] = {
      {"", 1, 1, "it is empty"},
      {"hello", 1, 1, "is not GeoJSON"},
      {"\x89PNG\r\n\x1a\n????", 1, 1, "it is an image"},
      {"{\"type\": \"Polygon\"}", 1, 1, "not GeoJSON"},
      {"{\"type\": \"FeatureCollection\"}", 1, 1, "needs a list of features"},
      {"{\"type\": \"FeatureCollection\",\n \"features\": []}", 2, 14, "there are no features"},
      {"[]", 1, 1, "there are no features"},
      {"[\n7]", 2, 1, "feature 1: it is not an object with the type"},
      {"[" SQUARE ",\n{\"type\": \"Feature\", \"geometry\": null}]", 2, 33, "feature 2: it has no geometry"},
      {"[" SQUARE ",\n" FEATURE("Point", "[1, 2]") "]", 2, 33, "feature 2: its geometry is of type 'Point'"},
      {"[" FEATURE("LineString", "[[1, 2], [3, 4]]") "]", 1, 34, "feature 1: its geometry is of type 'LineString'"},
      {FEATURE("Polygon", "7"), 1, 33, "no list of coordinates"},
      {FEATURE("Polygon", "[]"), 1, 68, "no ring"},
      {FEATURE("MultiPolygon", "[]"), 1, 73, "no polygon"},
      {FEATURE("Polygon", "[7]"), 1, 69, "a ring must be a list"},
      {FEATURE("Polygon", "[[[0, 0], [4, 0], [0, 0]]]"), 1, 69, "fewer than 3 distinct points"},
      {FEATURE("Polygon", "[[[1, 1], [1, 1], [1, 1], [1, 1]]]"), 1, 69, "fewer than 3 distinct points"},
      {FEATURE("Polygon", "[[[0, 0], [4, 0], \n7, [0, 4]]]"), 2, 1, "a list of two numbers, not an integer"},
      {FEATURE("Polygon", "[[[0, 0], [4, 0], \n[4], [0, 4]]]"), 2, 1, "a list of two numbers"},
      {FEATURE("Polygon", "[[[0, 0], [4, 0], \n[4, \"4\"], [0, 4]]]"), 2, 5, "finite number, not a string"},
      {FEATURE("Polygon", "[[[0, 0], [4, 0], \n[4, NaN], [0, 4]]]"), 2, 5, "finite number"},
      {FEATURE("Polygon", "[[[0, 0], [4, 0], \n[4, 1e400], [0, 4]]]"), 2, 5, "overflow"},
      {FEATURE("Polygon", "[[[0, 0], [4, 0], \n[4, 2147483649], [0, 4]]]"), 2, 5, "beyond 2^31"},
      {FEATURE("Polygon", "[[[0, 0], [4, 0], [4, 4], [0, 4]],\n [[8, 8], [9, 8], [9, 9]]]"), 2, 2,
       "a hole lies outside"},
      {"[" SQUARE ",\n]", 2, 1, "near ']'"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    refuse(cases[i].text, strlen(cases[i].text), cases[i].line, cases[i].column, cases[i].words);
}

/* All faults of a file at once, up to a limit. */
static void test_many_faults(void **state) {
  (void)state;
  ts_auto(ts_str_release) struct ts_str text = {0};
  struct ts_faults faults = {0};
  for (int i = 0; i < 100; i++)
    ts_str_addf(&text, "%s\n%s", i ? "," : "[", i % 2 ? SQUARE : FEATURE("Point", "[1, 2]"));
  ts_str_add(&text, "]");
  assert_null(ts_polygons_parse("a.geojson", ts_str_get(&text), text.length, &faults));
  assert_int_equal(faults.count, TS_POLYGON_FAULTS_MAX);
  for (size_t i = 0; i < faults.count; i++) assert_int_equal(faults.items[i].where.line, 2 * (int)i + 2);
  ts_faults_release(&faults);
}

static void test_cache(void **state) {
  (void)state;
  struct ts_faults faults = {0};
  const char *path = scratch_path("truth.geojson");
  write_bytes(path, qupath, strlen(qupath));
  struct ts_polygons *first = ts_polygons_get(path, &faults), *again = ts_polygons_get(path, &faults);
  assert_non_null(first);
  assert_ptr_equal(first, again); /* decoded once */
  write_bytes(path, SQUARE, strlen(SQUARE));
  struct ts_polygons *other = ts_polygons_get(path, &faults);
  assert_int_equal(ts_polygons_count(other), 1);
  assert_int_equal(ts_polygons_count(first), 2); /* who has it keeps it */
  ts_polygons_close_idle();
  ts_polygons_unref(first);
  ts_polygons_unref(again);
  ts_polygons_unref(other);
  assert_null(ts_polygons_get(scratch_path("none.geojson"), &faults));
  assert_int_equal(faults.items[0].code, TS_ERR_FILE_NOT_FOUND);
  ts_faults_release(&faults);
  assert_true(ts_polygons_named("a/b.GeoJSON") && ts_polygons_named("x.json") && !ts_polygons_named("geojson.png"));
}

static const char *const words[] = {"Polygon",    "MultiPolygon", "1e308", "-0",        "null",   "[",       "]",
                                    "{}",         "\"",           "NaN",   "[[[",       "]]]]",   "1e-9",    "\\",
                                    "4294967296", "Feature",      ",",     "-Infinity", "[0, 0]", "\x80\xff"};

static void test_damage(void **state) {
  (void)state;
  size_t fine = 0, refused = 0;
  ts_auto(ts_str_release) struct ts_str bytes = {0};
  static unsigned char mask[64 * 64];
  for (uint64_t round = 0; round < 10000; round++) {
    struct ts_random random;
    struct ts_faults faults = {0};
    ts_random_init(&random, 7, round);
    mutate(&random, qupath, sizeof qupath - 1, words, sizeof words / sizeof *words, &bytes);
    struct ts_polygons *polygons = ts_polygons_parse("a.geojson", ts_str_get(&bytes), bytes.length, &faults);
    assert_true((polygons != NULL) == (faults.count == 0));
    const struct ts_polygon_frame frame = {{.x = 3, .y = 1, .width = 64, .height = 64}, 1, 1};
    if (polygons) ts_polygons_draw(polygons, ts_type_find("mask"), &frame, mask);
    for (size_t i = 0; i < faults.count; i++) {
      const struct ts_error *err = &faults.items[i];
      assert_true(err->text[0] && err->help[0] && err->where.line > 0 && err->where.column > 0);
    }
    fine += polygons != NULL;
    refused += polygons == NULL;
    ts_polygons_unref(polygons);
    ts_faults_release(&faults);
  }
  print_message("files: %zu read, %zu refused\n", fine, refused);
  assert_true(fine > 500 && refused > 2000);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_forms), cmocka_unit_test(test_faults),
                                     cmocka_unit_test(test_many_faults), cmocka_unit_test(test_cache),
                                     cmocka_unit_test(test_damage)};
  return cmocka_run_group_tests_name("geojson", tests, scratch_create, scratch_remove);
}
