/* Property test of the grid of tiles: every pixel in exactly one core, every region the core and its halo.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"
#include "base/random.h"
#include "image/image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

/* Paints every core and counts; the halo is compared with its definition. */
static void check_grid(int64_t width, int64_t height, int64_t tile, int64_t halo) {
  size_t count = ts_image_tiles(width, height, 3, tile, halo, NULL, 0);
  struct ts_tile *tiles = ts_calloc(count, sizeof *tiles);
  assert_int_equal(ts_image_tiles(width, height, 3, tile, halo, tiles, count), count);
  unsigned char *painted = ts_calloc((size_t)(width * height), 1);
  for (size_t i = 0; i < count; i++) {
    const struct ts_region *core = &tiles[i].core;
    const struct ts_region *region = &tiles[i].region;
    assert_true(core->width >= 1 && core->height >= 1);
    assert_true(tile == 0 || (core->width <= tile && core->height <= tile));
    assert_int_equal(core->level, 3);
    assert_int_equal(region->level, 3);
    for (int64_t y = core->y; y < core->y + core->height; y++) {
      for (int64_t x = core->x; x < core->x + core->width; x++) painted[y * width + x]++;
    }
    assert_int_equal(region->x, most(0, core->x - halo));
    assert_int_equal(region->y, most(0, core->y - halo));
    assert_int_equal(region->x + region->width, least(width, core->x + core->width + halo));
    assert_int_equal(region->y + region->height, least(height, core->y + core->height + halo));
  }
  for (int64_t i = 0; i < width * height; i++) assert_int_equal(painted[i], 1);
  free(painted);
  free(tiles);
}

static void test_random_grids(void **state) {
  (void)state;
  struct ts_random random;
  ts_random_init(&random, 5, 0);
  for (int i = 0; i < 300; i++) {
    int64_t width = 1 + (int64_t)ts_random_below(&random, 60);
    int64_t height = 1 + (int64_t)ts_random_below(&random, 60);
    check_grid(width, height, (int64_t)ts_random_below(&random, 70), (int64_t)ts_random_below(&random, 80));
  }
}

static void test_known_grid(void **state) {
  (void)state;
  struct ts_tile tiles[6];
  assert_int_equal(ts_image_tiles(2220, 1500, 0, 1024, 64, tiles, 6), 6);
  assert_int_equal(tiles[1].core.x, 1024); /* row by row */
  assert_int_equal(tiles[1].region.x, 960);
  assert_int_equal(tiles[1].region.width, 1024 + 128);
  assert_int_equal(tiles[5].core.x, 2048);
  assert_int_equal(tiles[5].core.y, 1024);
  assert_int_equal(tiles[5].core.width, 172);
  assert_int_equal(tiles[5].core.height, 476);
  assert_int_equal(tiles[5].region.height, 476 + 64);
}

static void test_edges(void **state) {
  (void)state;
  struct ts_tile tile;
  assert_int_equal(ts_image_tiles(50, 30, 0, 0, 8, &tile, 1), 1);
  assert_int_equal(tile.region.width, 50);
  assert_int_equal(tile.core.height, 30);
  assert_int_equal(ts_image_tiles(0, 30, 0, 16, 0, NULL, 0), 0);
  memset(&tile, 0, sizeof tile);
  assert_int_equal(ts_image_tiles(INT64_C(1) << 40, INT64_C(1) << 20, 0, INT64_C(1) << 30, INT64_MAX, &tile, 1), 1024);
  assert_true(tile.region.width == INT64_C(1) << 40);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_grids),
      cmocka_unit_test(test_known_grid),
      cmocka_unit_test(test_edges),
  };
  return cmocka_run_group_tests_name("tiles", tests, NULL, NULL);
}
