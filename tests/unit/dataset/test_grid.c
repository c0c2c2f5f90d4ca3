/* Property tests of grids: every pixel in exactly one core, every region the core and its halo, and the units that a
 * region needs against a look at every pixel.
 * SPDX-License-Identifier: Apache-2.0
 * test-label: one-thread */
#include "base/alloc.h"
#include "base/random.h"
#include "dataset/grid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

static struct ts_grid grid_of(int64_t width, int64_t height, int32_t level, int64_t tile, int64_t halo) {
  return (struct ts_grid){
      .whole = {.width = width, .height = height, .level = level}, .width = tile, .height = tile, .halo_px = halo};
}

/* Paints every core and counts; the halo is compared with its definition. */
static void check_grid(int64_t width, int64_t height, int64_t tile, int64_t halo) {
  const struct ts_grid grid = grid_of(width, height, 3, tile, halo);
  size_t count = ts_grid_count(&grid);
  unsigned char *painted = ts_calloc((size_t)(width * height), 1);
  for (size_t i = 0; i < count; i++) {
    struct ts_tile cut;
    ts_grid_tile(&grid, i, &cut);
    const struct ts_region *core = &cut.core;
    const struct ts_region *region = &cut.region;
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
}

static int64_t below(struct ts_random *random, int64_t limit) {
  return (int64_t)ts_random_below(random, (uint64_t)limit);
}

static void random_grids_divide_the_image(void **state) {
  (void)state;
  struct ts_random random;
  ts_random_init(&random, 5, 0);
  for (int i = 0; i < 300; i++) {
    int64_t width = 1 + below(&random, 60), height = 1 + below(&random, 60);
    check_grid(width, height, below(&random, 70), below(&random, 80));
  }
}

static void a_known_grid(void **state) {
  (void)state;
  const struct ts_grid grid = grid_of(2220, 1500, 0, 1024, 64);
  struct ts_tile tiles[6];
  assert_int_equal(ts_grid_count(&grid), 6);
  for (size_t i = 0; i < 6; i++) ts_grid_tile(&grid, i, &tiles[i]);
  assert_int_equal(tiles[1].core.x, 1024); /* row by row */
  assert_int_equal(tiles[1].region.x, 960);
  assert_int_equal(tiles[1].region.width, 1024 + 128);
  assert_int_equal(tiles[5].core.x, 2048);
  assert_int_equal(tiles[5].core.y, 1024);
  assert_int_equal(tiles[5].core.width, 172);
  assert_int_equal(tiles[5].core.height, 476);
  assert_int_equal(tiles[5].region.height, 476 + 64);
  assert_int_equal(tiles[5].core.depth, 0); /* planes are not counted in images */
}

static void edges_of_sizes(void **state) {
  (void)state;
  struct ts_tile tile;
  struct ts_grid grid = grid_of(50, 30, 0, 0, 8);
  assert_int_equal(ts_grid_count(&grid), 1);
  ts_grid_tile(&grid, 0, &tile);
  assert_int_equal(tile.region.width, 50);
  assert_int_equal(tile.core.height, 30);
  grid = grid_of(0, 30, 0, 16, 0);
  assert_int_equal(ts_grid_count(&grid), 0);
  grid = grid_of(INT64_C(1) << 40, INT64_C(1) << 20, 0, INT64_C(1) << 30, INT64_MAX);
  assert_int_equal(ts_grid_count(&grid), 1024);
  ts_grid_tile(&grid, 0, &tile);
  assert_true(tile.region.width == INT64_C(1) << 40);
  const struct ts_region everything = {.x = INT64_MIN / 2, .width = INT64_MAX, .height = INT64_MAX};
  const struct ts_cover cover = ts_grid_cover(&grid, &everything, INT64_MAX, NULL);
  assert_int_equal(ts_cover_count(&cover), 1024);
}

/* ---- cover ---- */

/* A pixel of the grid's level, counted from the beginning of the image. */
struct place {
  int64_t x, y, z, t;
};

static bool meets(int64_t first, int64_t length, int64_t from, int64_t to) {
  return first < to && from < first + length;
}

/* Whether the pixel [x, x + 1) of an image `total` long meets the range in an image `other` long: by cross products. */
static bool is_asked(int64_t x, int64_t total, int64_t first, int64_t length, int64_t other) {
  return length > 0 && meets(first * total, length * total, x * other, (x + 1) * other);
}

struct asked {
  struct ts_region region, image;
  int64_t halo;
};

/* The region itself, without the halo, at the level of the grid. */
static bool is_in_region(const struct ts_grid *g, const struct asked *a, struct place p) {
  const struct ts_region *r = &a->region;
  return is_asked(p.x, g->whole.width, r->x - a->image.x, r->width, a->image.width) &&
         is_asked(p.y, g->whole.height, r->y - a->image.y, r->height, a->image.height) &&
         meets(r->z, r->depth ? r->depth : 1, p.z + g->whole.z, p.z + g->whole.z + 1) &&
         meets(r->t, r->frames ? r->frames : 1, p.t + g->whole.t, p.t + g->whole.t + 1);
}

/* A pixel is needed if one of the region lies within the halo that units lack; the region may lie outside the image. */
static bool is_needed(const struct ts_grid *g, const struct asked *a, struct place p) {
  const int64_t lacking = most(0, a->halo - g->halo_px);
  for (int64_t v = p.y - lacking; v <= p.y + lacking; v++) {
    for (int64_t u = p.x - lacking; u <= p.x + lacking; u++) {
      if (is_in_region(g, a, (struct place){u, v, p.z, p.t})) return true;
    }
  }
  return false;
}

static bool core_is_needed(const struct ts_grid *g, const struct asked *a, const struct ts_region *core) {
  const int64_t depth = core->depth ? core->depth : 1, frames = core->frames ? core->frames : 1;
  for (int64_t i = 0; i < core->width * core->height * depth * frames; i++) {
    const struct place p = {core->x - g->whole.x + i % core->width,
                            core->y - g->whole.y + i / core->width % core->height,
                            core->z - g->whole.z + i / (core->width * core->height) % depth,
                            core->t - g->whole.t + i / (core->width * core->height * depth)};
    if (is_needed(g, a, p)) return true;
  }
  return false;
}

static bool holds(const struct ts_region *region, const struct ts_grid *g, struct place p) {
  return meets(region->x, region->width, p.x + g->whole.x, p.x + g->whole.x + 1) &&
         meets(region->y, region->height, p.y + g->whole.y, p.y + g->whole.y + 1) &&
         meets(region->z, region->depth ? region->depth : 1, p.z + g->whole.z, p.z + g->whole.z + 1) &&
         meets(region->t, region->frames ? region->frames : 1, p.t + g->whole.t, p.t + g->whole.t + 1);
}

/* Every pixel of the image that the region and its halo ask for is in the region of a unit of the cover. */
static void check_holds_all(const struct ts_grid *g, const struct asked *a, const struct ts_cover *cover) {
  struct ts_grid all = *g;
  all.width = all.height = all.depth = all.frames = 1;
  all.halo_px = 0;
  struct ts_grid bare = *g;
  bare.halo_px = 0;
  for (size_t i = 0; i < ts_grid_count(&all); i++) {
    struct ts_tile pixel;
    ts_grid_tile(&all, i, &pixel);
    const struct place p = {pixel.core.x - g->whole.x, pixel.core.y - g->whole.y, pixel.core.z - g->whole.z,
                            pixel.core.t - g->whole.t};
    if (!is_needed(&bare, a, p)) continue;
    bool held = false;
    for (size_t u = 0; u < ts_cover_count(cover) && !held; u++) {
      struct ts_tile tile;
      ts_grid_tile(g, ts_cover_unit(cover, u), &tile);
      held = holds(&tile.region, g, p);
    }
    assert_true(held);
  }
}

static void check_cover(const struct ts_grid *g, const struct asked *a) {
  const struct ts_region *image = a->region.level == g->whole.level ? NULL : &a->image;
  const struct ts_cover cover = ts_grid_cover(g, &a->region, a->halo, image);
  size_t found = 0;
  for (size_t unit = 0; unit < ts_grid_count(g); unit++) {
    struct ts_tile tile;
    ts_grid_tile(g, unit, &tile);
    if (!core_is_needed(g, a, &tile.core)) continue;
    assert_true(found < ts_cover_count(&cover));
    assert_int_equal(ts_cover_unit(&cover, found++), unit);
  }
  assert_int_equal(found, ts_cover_count(&cover));
}

static struct ts_grid draw_grid(struct ts_random *random) {
  struct ts_grid g = {.whole = {.width = 1 + below(random, 9), .height = 1 + below(random, 7)},
                      .width = below(random, 6),
                      .height = below(random, 6),
                      .depth = (int32_t)below(random, 3),
                      .frames = (int32_t)below(random, 3),
                      .halo_px = below(random, 3)};
  g.whole.level = (int32_t)below(random, 2);
  g.whole.depth = (int32_t)below(random, 4);
  g.whole.frames = (int32_t)below(random, 3);
  if (below(random, 4) == 0) { /* a part of a larger image */
    g.whole.x = below(random, 5);
    g.whole.y = below(random, 5);
    g.whole.z = (int32_t)below(random, 3);
    g.whole.t = (int32_t)below(random, 3);
  }
  return g;
}

/* Often beyond the border of the image, sometimes empty; at the level of the grid or another. */
static struct asked draw_region(struct ts_random *random, const struct ts_grid *g) {
  struct asked a = {.image = g->whole, .halo = below(random, 5)};
  a.region.level = (int32_t)below(random, 2);
  if (a.region.level != g->whole.level) {
    a.image.width = 1 + below(random, 20);
    a.image.height = 1 + below(random, 20);
  }
  a.region.x = a.image.x - 4 + below(random, a.image.width + 8);
  a.region.y = a.image.y - 4 + below(random, a.image.height + 8);
  a.region.width = below(random, a.image.width + 6);
  a.region.height = below(random, a.image.height + 6);
  a.region.z = g->whole.z + (int32_t)below(random, g->whole.depth + 1) - (below(random, 8) == 0);
  a.region.t = g->whole.t + (int32_t)below(random, g->whole.frames + 1) - (below(random, 8) == 0);
  a.region.depth = (int32_t)below(random, 3);
  a.region.frames = (int32_t)below(random, 3);
  return a;
}

static void a_cover_is_what_every_pixel_says(void **state) {
  (void)state;
  struct ts_random random;
  size_t empty = 0, several = 0;
  ts_random_init(&random, 12, 4);
  for (int i = 0; i < 10000; i++) {
    const struct ts_grid g = draw_grid(&random);
    const struct asked a = draw_region(&random, &g);
    check_cover(&g, &a);
    const struct ts_cover cover = ts_grid_cover(&g, &a.region, a.halo, &a.image);
    empty += ts_cover_count(&cover) == 0;
    several += ts_cover_count(&cover) > 1 && ts_cover_count(&cover) < ts_grid_count(&g);
    if (i % 10 == 0 && ts_cover_count(&cover) > 0) check_holds_all(&g, &a, &cover);
  }
  assert_in_range(empty, 500, 9000); /* the draws are not all of one kind */
  assert_in_range(several, 500, 9000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_grids_divide_the_image),
      cmocka_unit_test(a_known_grid),
      cmocka_unit_test(edges_of_sizes),
      cmocka_unit_test(a_cover_is_what_every_pixel_says),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
