/* Pixels of polygons against exact arithmetic pixel by pixel, whatever the tiles, and levels.
 * SPDX-License-Identifier: Apache-2.0
 * test-timeout: 240
 *
 * The expected pixels are computed in whole numbers from coordinates in quarters of a pixel, from the rule as
 * image/polygons.h states it: the sign of a product, no crossing and no division. */
#include "image/polygons.h"

#include "base/alloc.h"
#include "base/random.h"
#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define POLYGONS  2000
#define PER_FILE  40
#define EDGE_PX   90
#define RING_MAX  10
#define RINGS_MAX 4
#define QUARTERS  4

struct ring {
  int64_t x[RING_MAX], y[RING_MAX]; /* quarters of a pixel */
  size_t count;
};
struct shape {
  struct ring rings[RINGS_MAX];
  size_t count;
  bool has_holes; /* one polygon with holes; otherwise every ring is a polygon */
};
static struct shape shapes[PER_FILE];

static int64_t draw(struct ts_random *random, int64_t low, int64_t high) {
  return low + (int64_t)ts_random_below(random, (uint64_t)(high - low + 1));
}

/* Every third ring has whole and half coordinates only, so that edges go through centres. */
static void draw_ring(struct ts_random *random, struct ring *ring, int64_t x, int64_t y, int64_t reach) {
  const int64_t step = draw(random, 0, 2) == 0 ? 2 : 1;
  ring->count = (size_t)draw(random, 3, RING_MAX);
  for (size_t i = 0; i < ring->count; i++) {
    ring->x[i] = x + draw(random, -reach / step, reach / step) * step;
    ring->y[i] = y + draw(random, -reach / step, reach / step) * step;
  }
  const int64_t low = ring->x[0] < ring->x[1] ? ring->x[0] : ring->x[1]; /* three distinct points are needed */
  if (ring->x[0] == ring->x[1]) ring->x[1] += step;
  if (ring->x[2] == ring->x[0] || ring->x[2] == ring->x[1]) ring->x[2] = low - step;
}

/* A square with random holes inside, or rings anywhere, that cross themselves and each other. */
static void draw_shape(struct ts_random *random, struct shape *shape) {
  const int64_t x = draw(random, -20, EDGE_PX + 20) * QUARTERS, y = draw(random, -20, EDGE_PX + 20) * QUARTERS;
  shape->count = (size_t)draw(random, 1, RINGS_MAX);
  shape->has_holes = draw(random, 0, 1);
  for (size_t r = 0; r < shape->count; r++) draw_ring(random, &shape->rings[r], x, y, draw(random, 8, 120));
  if (!shape->has_holes) return;
  shape->rings[0] =
      (struct ring){.x = {x - 130, x + 130, x + 130, x - 130}, .y = {y - 130, y - 130, y + 130, y + 130}, .count = 4};
}

static void write_ring(const struct ring *ring, struct ts_str *out) {
  for (size_t i = 0; i <= ring->count; i++) {
    const size_t k = i % ring->count;
    ts_str_addf(out, "%s[%.2f,%.2f]", i ? "," : "[", (double)ring->x[k] / QUARTERS, (double)ring->y[k] / QUARTERS);
  }
  ts_str_add(out, "]");
}

static void write_shapes(struct ts_str *out) {
  ts_str_add(out, "{\"type\":\"FeatureCollection\",\"features\":[");
  for (size_t s = 0; s < PER_FILE; s++) {
    const bool parts = !shapes[s].has_holes;
    ts_str_addf(out, "%s{\"type\":\"Feature\",\"geometry\":{\"type\":\"%s\",\"coordinates\":[", s ? "," : "",
                parts ? "MultiPolygon" : "Polygon");
    for (size_t r = 0; r < shapes[s].count; r++) {
      ts_str_add(out, r ? "," : "");
      ts_str_add(out, parts ? "[" : "");
      write_ring(&shapes[s].rings[r], out);
      ts_str_add(out, parts ? "]" : "");
    }
    ts_str_add(out, "]}}\n");
  }
  ts_str_add(out, "]}");
}

/* Parity of the edges at or left of the point; in eighths, so that centres are whole numbers. */
static bool is_inside(const struct shape *shape, int64_t px, int64_t py) {
  const int64_t x = px * 2 * QUARTERS + QUARTERS, y = py * 2 * QUARTERS + QUARTERS;
  bool inside = false;
  for (size_t r = 0; r < shape->count; r++) {
    const struct ring *ring = &shape->rings[r];
    for (size_t i = 0; i < ring->count; i++) {
      const size_t k = (i + 1) % ring->count;
      const bool down = ring->y[i] < ring->y[k];
      const size_t a = down ? i : k, b = down ? k : i;
      const int64_t ax = 2 * ring->x[a], ay = 2 * ring->y[a], bx = 2 * ring->x[b], by = 2 * ring->y[b];
      if (ay <= y && by > y && (bx - ax) * (y - ay) <= (x - ax) * (by - ay)) inside = !inside;
    }
  }
  return inside;
}

static void draw_expected(uint32_t *labels) {
  for (int64_t i = 0; i < EDGE_PX * EDGE_PX; i++) {
    labels[i] = 0;
    for (size_t s = 0; s < PER_FILE; s++)
      if (is_inside(&shapes[s], i % EDGE_PX, i / EDGE_PX)) labels[i] = (uint32_t)s + 1;
  }
}

/* The whole, put together from tiles of this size. */
static void draw_tiles(const struct ts_polygons *polygons, int64_t tile, uint32_t *whole) {
  static uint32_t pixels[EDGE_PX * EDGE_PX];
  for (int64_t y = 0; y < EDGE_PX; y += tile) {
    for (int64_t x = 0; x < EDGE_PX; x += tile) {
      const int64_t width = EDGE_PX - x < tile ? EDGE_PX - x : tile, height = EDGE_PX - y < tile ? EDGE_PX - y : tile;
      const struct ts_polygon_frame frame = {{.x = x, .y = y, .width = width, .height = height}, 1, 1};
      ts_polygons_draw(polygons, ts_type_find("labels"), &frame, pixels);
      for (int64_t row = 0; row < height; row++)
        memcpy(whole + (y + row) * EDGE_PX + x, pixels + row * width, (size_t)width * sizeof *pixels);
    }
  }
}

static struct ts_polygons *parse(const char *text, size_t length) {
  struct ts_faults faults = {0};
  struct ts_polygons *polygons = ts_polygons_parse("test.geojson", text, length, &faults);
  if (!polygons) fail_msg("%d:%d: %s", faults.items[0].where.line, faults.items[0].where.column, faults.items[0].text);
  return polygons;
}

static void check_mask(const struct ts_polygons *polygons, const uint32_t *labels) {
  static unsigned char mask[EDGE_PX * EDGE_PX];
  const struct ts_polygon_frame frame = {{.width = EDGE_PX, .height = EDGE_PX}, 1, 1};
  ts_polygons_draw(polygons, ts_type_find("mask"), &frame, mask);
  for (size_t i = 0; i < EDGE_PX * EDGE_PX; i++) assert_int_equal(mask[i], labels[i] ? 255 : 0);
}

static void test_random(void **state) {
  (void)state;
  static uint32_t expected[EDGE_PX * EDGE_PX], found[EDGE_PX * EDGE_PX];
  static const int64_t tiles[] = {7, 64, 1000};
  size_t inside = 0;
  for (uint64_t file = 0; file < POLYGONS / PER_FILE; file++) {
    ts_auto(ts_str_release) struct ts_str text = {0};
    struct ts_random random;
    ts_random_init(&random, 14, file);
    for (size_t s = 0; s < PER_FILE; s++) draw_shape(&random, &shapes[s]);
    write_shapes(&text);
    draw_expected(expected);
    struct ts_polygons *polygons = parse(ts_str_get(&text), text.length);
    assert_int_equal(ts_polygons_count(polygons), PER_FILE);
    for (size_t t = 0; t < sizeof tiles / sizeof *tiles; t++) {
      draw_tiles(polygons, tiles[t], found);
      assert_memory_equal(found, expected, sizeof expected);
    }
    check_mask(polygons, expected);
    for (size_t i = 0; i < EDGE_PX * EDGE_PX; i++) inside += expected[i] > 0;
    ts_polygons_unref(polygons);
  }
  print_message("%zu pixels in polygons\n", inside);
  assert_true(inside > 100000);
}

static void draw_text(const char *text, double downsample, int64_t edge, uint32_t *labels) {
  struct ts_polygons *polygons = parse(text, strlen(text));
  const struct ts_polygon_frame frame = {
      {.width = edge, .height = edge, .level = downsample > 1}, downsample, downsample};
  ts_polygons_draw(polygons, ts_type_find("labels"), &frame, labels);
  ts_polygons_unref(polygons);
}

#define SQUARE(x0, y0, x1, y1)                                                                                         \
  "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Polygon\",\"coordinates\":[[[" #x0 "," #y0 "],[" #x1 "," #y0         \
  "],[" #x1 "," #y1 "],[" #x0 "," #y1 "]]]}}"

/* A centre on a left or upper edge is inside, one on a right or lower edge is not: neighbours share none. */
static void test_half_open(void **state) {
  (void)state;
  uint32_t labels[16];
  draw_text("[" SQUARE(0.5, 0.5, 2.5, 2.5) "," SQUARE(2.5, 0.5, 3.5, 2.5) "]", 1, 4, labels);
  static const uint32_t expected[16] = {1, 1, 2, 0, 1, 1, 2, 0};
  assert_memory_equal(labels, expected, sizeof expected);
}

static void test_last_wins_and_levels(void **state) {
  (void)state;
  uint32_t labels[16];
  static const uint32_t expected[16] = {1, 1, 0, 0, 1, 2, 2, 0, 0, 2, 2, 0};
  draw_text("[" SQUARE(0, 0, 2, 2) "," SQUARE(1, 1, 3, 3) "]", 1, 4, labels);
  assert_memory_equal(labels, expected, sizeof expected);
  draw_text("[" SQUARE(0, 0, 8, 8) "," SQUARE(4, 4, 12, 12) "]", 4, 4, labels);
  assert_memory_equal(labels, expected, sizeof expected);
}

/* A ring of many edges, of which most runs lie beside a tile. */
static void test_long_ring(void **state) {
  (void)state;
  static uint32_t expected[EDGE_PX * EDGE_PX], found[EDGE_PX * EDGE_PX];
  ts_auto(ts_str_release) struct ts_str text = {0};
  ts_str_add(&text, "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Polygon\",\"coordinates\":[[[0,90]");
  for (int i = 0; i <= 900; i++) ts_str_addf(&text, ",[%.1f,%d]", i / 10.0, i % 2 ? 80 : 3);
  ts_str_add(&text, ",[90,90]]]}}");
  struct ts_polygons *polygons = parse(ts_str_get(&text), text.length);
  draw_tiles(polygons, 1000, expected);
  draw_tiles(polygons, 7, found);
  assert_memory_equal(found, expected, sizeof expected);
  assert_int_equal(expected[EDGE_PX * EDGE_PX - 1], 1);
  assert_int_equal(expected[0], 0);
  ts_polygons_unref(polygons);
}

static void test_outside(void **state) {
  (void)state;
  static const char text[] = "[" SQUARE(0, 0, 2, 2) "," SQUARE(10, 0, 12, 2) "," SQUARE(-5, -5, 0, 0) "]";
  struct ts_polygons *polygons = parse(text, strlen(text));
  const struct ts_polygon_frame frame = {{.width = 10, .height = 10}, 1, 1};
  const struct ts_polygon_frame lower = {{.width = 9, .height = 9, .level = 1}, 2, 2};
  assert_int_equal(ts_polygons_outside(polygons, &frame), 2);
  assert_int_equal(ts_polygons_outside(polygons, &lower), 1);
  ts_polygons_unref(polygons);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_half_open),
                                     cmocka_unit_test(test_last_wins_and_levels), cmocka_unit_test(test_long_ring),
                                     cmocka_unit_test(test_outside)};
  return cmocka_run_group_tests_name("polygons", tests, NULL, NULL);
}
