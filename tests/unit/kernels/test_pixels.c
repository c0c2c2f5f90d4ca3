/* Grey values, means, thresholds and sizes against their definitions, and all of it in tiles against the whole plane.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/kernels/each_variant.h"
#include "unit/kernels/planes.h"

#include "kernels/pixels.h"

static int64_t at_least(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t at_most(int64_t a, int64_t b) { return a < b ? a : b; }

/* Every colour of a grid that has the ends, against the quotient. */
static void test_gray(void **state) {
  (void)state;
  struct shape_px s = {18 * 18, 18};
  uint8_t *rgb = plane_of(s, 3);
  uint8_t *got = plane_of(s, 1);
  for (int64_t i = 0; i < s.w * s.h; i++) {
    rgb[3 * i] = (uint8_t)(15 * (i % 18));
    rgb[3 * i + 1] = (uint8_t)(15 * (i / 18 % 18));
    rgb[3 * i + 2] = (uint8_t)(15 * (i / 324));
  }
  ts_pixels_gray(rgb, s.w, s.h, got, threads);
  for (int64_t i = 0; i < s.w * s.h; i++)
    assert_int_equal(got[i], (299 * rgb[3 * i] + 587 * rgb[3 * i + 1] + 114 * rgb[3 * i + 2] + 500) / 1000);
  assert_int_equal(got[0], 0);
  assert_int_equal(got[s.w * s.h - 1], 255);
  free(got);
  free(rgb);
}

static uint8_t naive_mean(const uint8_t *in, struct shape_px s, int radius, int64_t x, int64_t y) {
  int64_t sum = 0;
  int64_t count = 0;
  for (int64_t ny = at_least(y - radius, 0); ny <= at_most(y + radius, s.h - 1); ny++)
    for (int64_t nx = at_least(x - radius, 0); nx <= at_most(x + radius, s.w - 1); nx++, count++)
      sum += in[ny * s.w + nx];
  return (uint8_t)((sum + count / 2) / count);
}

static void check_smooth(struct shape_px s, const uint8_t *in, int radius) {
  uint8_t *got = plane_of(s, 1);
  assert_true(ts_pixels_smooth(in, s.w, s.h, radius, got, threads, NULL));
  for (int64_t i = 0; i < s.w * s.h; i++) assert_int_equal(got[i], naive_mean(in, s, radius, i % s.w, i / s.w));
  free(got);
}

static void test_smooth(void **state) {
  (void)state;
  static const int radii[] = {0, 1, 2, 3, 5, 8, 20, TS_PIXELS_RADIUS_MAX};
  for (int round = 0; round < 60; round++) {
    struct shape_px s = shape_for(round, 50);
    uint8_t *in = random_bytes(s, 1, round % 3 == 0 ? 2 : 256);
    check_smooth(s, in, radii[round % 8]);
    free(in);
  }
}

/* Windows as large as there are, of the largest values and of means that end in a half. */
static void test_smooth_large_sums(void **state) {
  (void)state;
  struct shape_px s = {140, 137};
  uint8_t *in = plane_of(s, 1);
  memset(in, 255, (size_t)(s.w * s.h));
  check_smooth(s, in, TS_PIXELS_RADIUS_MAX);
  for (int64_t i = 0; i < s.w * s.h; i++) in[i] = (uint8_t)(254 + i % 2);
  check_smooth(s, in, TS_PIXELS_RADIUS_MAX);
  check_smooth(s, in, 3);
  free(in);
}

/* The quotient by multiplication, for all sums and counts that windows have. */
static void test_every_mean_of_equal_values(void **state) {
  (void)state;
  for (int64_t w = 1; w <= 2 * TS_PIXELS_RADIUS_MAX + 1; w += 16) {
    struct shape_px s = {w, 2 * TS_PIXELS_RADIUS_MAX + 1};
    uint8_t *in = plane_of(s, 1);
    uint8_t *got = plane_of(s, 1);
    for (int value = 0; value < 256; value += 5) {
      memset(in, value, (size_t)(s.w * s.h));
      assert_true(ts_pixels_smooth(in, s.w, s.h, TS_PIXELS_RADIUS_MAX, got, threads, NULL));
      assert_memory_equal(got, in, (size_t)(s.w * s.h));
    }
    free(got);
    free(in);
  }
}

static void test_threshold(void **state) {
  (void)state;
  static const int limits[] = {0, 1, 127, 128, 255, 256};
  for (int round = 0; round < 60; round++) {
    struct shape_px s = shape_for(round, 70);
    uint8_t *in = random_bytes(s, 1, 256);
    uint8_t *got = plane_of(s, 1);
    int below = limits[round % 6];
    ts_pixels_threshold(in, s.w, s.h, below, got, threads);
    for (int64_t i = 0; i < s.w * s.h; i++) assert_int_equal(got[i], in[i] < below ? 255 : 0);
    free(got);
    free(in);
  }
}

struct box_px {
  int64_t area, left, right, top, bottom; /* the last pixels */
};

/* By number of component. To be freed. */
static struct box_px *naive_boxes(const uint32_t *component, struct shape_px s) {
  struct box_px *boxes = calloc((size_t)(s.w * s.h) + 1, sizeof *boxes);
  assert_non_null(boxes);
  for (int64_t i = 0; i < s.w * s.h; i++) {
    struct box_px *b = &boxes[component[i]];
    int64_t x = i % s.w;
    int64_t y = i / s.w;
    if (b->area++ == 0) *b = (struct box_px){1, x, x, y, y};
    b->left = at_most(b->left, x);
    b->right = at_least(b->right, x);
    b->top = at_most(b->top, y);
    b->bottom = at_least(b->bottom, y);
  }
  return boxes;
}

static bool fits(const struct box_px *b, const struct ts_pixels_sizes *sizes) {
  return b->area >= sizes->min_area && b->area <= sizes->max_area && b->right - b->left + 1 <= sizes->extent &&
         b->bottom - b->top + 1 <= sizes->extent;
}

static void test_select(void **state) {
  (void)state;
  for (int round = 0; round < 400; round++) {
    struct shape_px s = shape_for(round, 40);
    uint8_t *mask = random_mask(s, round);
    uint8_t *got = plane_of(s, 1);
    uint32_t *component = naive_components(mask, s, 8);
    struct box_px *boxes = naive_boxes(component, s);
    const struct ts_pixels_sizes sizes = {
        .min_area = random_below(12), .max_area = random_below(60), .extent = 1 + random_below(16)};
    assert_true(ts_pixels_select(mask, s.w, s.h, &sizes, got, threads, NULL));
    for (int64_t i = 0; i < s.w * s.h; i++)
      assert_int_equal(got[i], mask[i] && fits(&boxes[component[i]], &sizes) ? 255 : 0);
    assert_true(ts_pixels_select(mask, s.w, s.h, &sizes, mask, threads, NULL)); /* in place */
    assert_memory_equal(mask, got, (size_t)(s.w * s.h));
    free(boxes);
    free(component);
    free(got);
    free(mask);
  }
}

/* ---- In tiles ---- */

struct chain {
  int radius;
  int below;
  struct ts_pixels_sizes sizes;
};

/* The mask of a plane of colours, by all four steps, without threads: there are many tiles. To be freed. */
static uint8_t *run_chain(const uint8_t *rgb, struct shape_px s, const struct chain *chain) {
  uint8_t *gray = plane_of(s, 1);
  uint8_t *mask = plane_of(s, 1);
  ts_pixels_gray(rgb, s.w, s.h, mask, NULL);
  assert_true(ts_pixels_smooth(mask, s.w, s.h, chain->radius, gray, NULL, NULL));
  ts_pixels_threshold(gray, s.w, s.h, chain->below, gray, NULL);
  assert_true(ts_pixels_select(gray, s.w, s.h, &chain->sizes, mask, NULL, NULL));
  free(gray);
  return mask;
}

/* Dark bars, snakes and specks on a noisy ground: objects around the largest extent, many of them at tile edges. */
static uint8_t *random_scene(struct shape_px s, int64_t extent) {
  uint8_t *rgb = plane_of(s, 3);
  for (int64_t i = 0; i < s.w * s.h * 3; i++) rgb[i] = (uint8_t)(180 + random_below(70));
  for (uint32_t objects = 0; objects < 3 + s.w * s.h / 300; objects++) {
    int64_t x = random_below((uint32_t)s.w);
    int64_t y = random_below((uint32_t)s.h);
    const int64_t steps = 1 + random_below((uint32_t)(2 * extent));
    const uint32_t turn = 1 + random_below(6);
    int dx = (int)random_below(3) - 1;
    int dy = (int)random_below(3) - 1;
    for (int64_t k = 0; k < steps; k++) {
      for (int c = 0; c < 3; c++) rgb[3 * (y * s.w + x) + c] = (uint8_t)random_below(60);
      if (random_below(8) < turn) dx = (int)random_below(3) - 1;
      if (random_below(8) < turn) dy = (int)random_below(3) - 1;
      x = at_most(at_least(x + dx, 0), s.w - 1);
      y = at_most(at_least(y + dy, 0), s.h - 1);
    }
  }
  return rgb;
}

/* One tile with its halo, which ends at the image; its core into the stitched mask. */
static void stitch_tile(const uint8_t *rgb, struct shape_px s, const struct chain *chain, int64_t halo,
                        const int64_t core[4], uint8_t *stitched) {
  const int64_t left = at_least(core[0] - halo, 0);
  const int64_t top = at_least(core[1] - halo, 0);
  struct shape_px t = {at_most(core[2] + halo, s.w) - left, at_most(core[3] + halo, s.h) - top};
  uint8_t *tile = plane_of(t, 3);
  for (int64_t y = 0; y < t.h; y++) memcpy(tile + 3 * y * t.w, rgb + 3 * ((top + y) * s.w + left), (size_t)(3 * t.w));
  uint8_t *mask = run_chain(tile, t, chain);
  for (int64_t y = core[1]; y < core[3]; y++)
    memcpy(stitched + y * s.w + core[0], mask + (y - top) * t.w + core[0] - left, (size_t)(core[2] - core[0]));
  free(mask);
  free(tile);
}

static uint8_t *stitch(const uint8_t *rgb, struct shape_px s, const struct chain *chain, int64_t tile, int64_t halo) {
  uint8_t *stitched = plane_of(s, 1);
  for (int64_t y = 0; y < s.h; y += tile)
    for (int64_t x = 0; x < s.w; x += tile) {
      const int64_t core[4] = {x, y, at_most(x + tile, s.w), at_most(y + tile, s.h)};
      stitch_tile(rgb, s, chain, halo, core, stitched);
    }
  return stitched;
}

static struct chain random_chain(void) {
  return (struct chain){
      .radius = (int)random_below(3),
      .below = 110 + (int)random_below(80),
      .sizes = {.min_area = random_below(10), .max_area = 20 + random_below(100), .extent = 1 + random_below(20)}};
}

/* With a halo of radius + extent + 1 the stitched mask does not depend on the tile. */
static void test_tiles_make_the_mask_of_the_plane(void **state) {
  (void)state;
  for (int round = 0; round < 80; round++) {
    struct shape_px s = shape_for(round, 120);
    const struct chain chain = random_chain();
    const int64_t halo = chain.radius + chain.sizes.extent + 1;
    uint8_t *rgb = random_scene(s, chain.sizes.extent);
    uint8_t *whole = run_chain(rgb, s, &chain);
    for (int i = 0; i < 3; i++) {
      uint8_t *stitched = stitch(rgb, s, &chain, 3 + random_below(i == 0 ? 10 : 70), halo);
      assert_memory_equal(stitched, whole, (size_t)(s.w * s.h));
      free(stitched);
    }
    free(whole);
    free(rgb);
  }
}

/* The scenes of the test above are hard enough: with a halo that is too small by more than a pixel, some of them
 * differ. */
static void test_too_small_a_halo_is_seen(void **state) {
  (void)state;
  int differ = 0;
  for (int round = 0; round < 60; round++) {
    struct shape_px s = {60 + random_below(60), 60 + random_below(60)};
    const struct chain chain = random_chain();
    uint8_t *rgb = random_scene(s, chain.sizes.extent);
    uint8_t *whole = run_chain(rgb, s, &chain);
    uint8_t *stitched =
        stitch(rgb, s, &chain, 3 + random_below(10), at_least(chain.sizes.extent + chain.radius - 2, 0));
    differ += memcmp(stitched, whole, (size_t)(s.w * s.h)) != 0;
    free(stitched);
    free(whole);
    free(rgb);
  }
  assert_true(differ > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gray),
      cmocka_unit_test(test_smooth),
      cmocka_unit_test(test_smooth_large_sums),
      cmocka_unit_test(test_every_mean_of_equal_values),
      cmocka_unit_test(test_threshold),
      cmocka_unit_test(test_select),
      cmocka_unit_test(test_tiles_make_the_mask_of_the_plane),
      cmocka_unit_test(test_too_small_a_halo_is_seen),
  };
  return RUN_FOR_EACH_VARIANT(tests);
}
