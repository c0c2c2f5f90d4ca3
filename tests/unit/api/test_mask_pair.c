/* Pairs of masks: pixels and objects as a flood fill counts them, on random masks and labels of all small sizes.
 * SPDX-License-Identifier: Apache-2.0
 * test-label: one-thread */
#include "api/compare/mask_pair.h"
#include "unit/base/testing.h"

#include "base/random.h"

#include <stdlib.h>
#include <string.h>

#define SIDE_MAX 40

struct picture {
  int64_t width, height;
  uint32_t pixels[SIDE_MAX * SIDE_MAX];
};

static struct ts_spool *spool_of(const struct picture *picture, const char *type_name) {
  const struct ts_type *type = ts_type_find(type_name);
  const struct ts_region region = {.width = picture->width, .height = picture->height, .depth = 1, .frames = 1};
  struct ts_error err = {0};
  struct ts_spool *spool = ts_spool_create("/tmp", type, picture->width, picture->height, &err);
  struct ts_data *data = ts_data_create_pixels(type, &region, &err);
  assert_true(spool && data);
  for (int64_t i = 0; i < picture->width * picture->height; i++) {
    if (type->element == TS_U32)
      ((uint32_t *)ts_data_writable(data))[i] = picture->pixels[i];
    else
      ((uint8_t *)ts_data_writable(data))[i] = picture->pixels[i] ? 255 : 0;
  }
  ts_data_finish(data);
  assert_true(ts_spool_put(spool, data, 0, 0, &err));
  ts_data_unref(data);
  return spool;
}

/* Removes the object that a pixel belongs to; whether one of its pixels is in the other picture. */
static bool flood(struct picture *left, const struct picture *other, int64_t x, int64_t y, uint32_t value) {
  if (x < 0 || y < 0 || x >= left->width || y >= left->height) return false;
  uint32_t *pixel = &left->pixels[y * left->width + x];
  if (*pixel != value) return false;
  bool meets = other->pixels[y * left->width + x] != 0;
  *pixel = 0;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++) meets |= flood(left, other, x + dx, y + dy, value);
  return meets;
}

static struct ts_mask_side expected_side(const struct picture *own, const struct picture *other) {
  struct picture left = *own;
  struct ts_mask_side side = {0};
  for (int64_t y = 0; y < own->height; y++) {
    for (int64_t x = 0; x < own->width; x++) {
      const int64_t at = y * own->width + x;
      side.only_px += own->pixels[at] != 0 && other->pixels[at] == 0;
      if (left.pixels[at] == 0) continue;
      side.objects++;
      side.alone += !flood(&left, other, x, y, left.pixels[at]);
    }
  }
  return side;
}

static void assert_sides_equal(const struct ts_mask_side *found, const struct ts_mask_side *wanted) {
  assert_int_equal(found->only_px, wanted->only_px);
  assert_int_equal(found->objects, wanted->objects);
  assert_int_equal(found->alone, wanted->alone);
}

static void compare(const struct picture *a, const struct picture *b, const char *type) {
  struct ts_spool *first = spool_of(a, type), *second = spool_of(b, type);
  struct ts_error err = {0};
  struct ts_mask_pair pair;
  struct ts_mask_map map;
  uint64_t both = 0, mapped[3] = {0};
  ts_mask_map_init(&map, first, 7);
  assert_true(map.width <= 7 && map.height <= 7);
  assert_true(ts_mask_pair_compare(first, second, &pair, &map, &err));
  for (int64_t i = 0; i < a->width * a->height; i++) both += a->pixels[i] != 0 && b->pixels[i] != 0;
  for (int64_t i = 0; i < 3 * map.width * map.height; i++) mapped[i % 3] += map.counts[i];
  const struct ts_mask_side sides[] = {expected_side(a, b), expected_side(b, a)};
  assert_int_equal(pair.both_px, both);
  assert_sides_equal(&pair.sides[0], &sides[0]);
  assert_sides_equal(&pair.sides[1], &sides[1]);
  assert_true(mapped[0] == both && mapped[1] == sides[0].only_px && mapped[2] == sides[1].only_px);
  struct ts_data *drawn = ts_mask_map_draw(&map, a->width, a->height, &err);
  assert_true(drawn && ts_data_region(drawn)->width == map.width);
  ts_data_unref(drawn);
  ts_mask_map_release(&map);
  ts_spool_destroy(first);
  ts_spool_destroy(second);
}

static struct picture draw_random(struct ts_random *random, int64_t width, int64_t height, uint32_t values,
                                  uint64_t share) {
  struct picture picture = {.width = width, .height = height};
  for (int64_t i = 0; i < width * height; i++)
    picture.pixels[i] = ts_random_u64(random) % 100 < share ? 1 + (uint32_t)(ts_random_u64(random) % values) : 0;
  return picture;
}

static void random_masks_and_labels(void **state) {
  (void)state;
  struct ts_random random;
  ts_random_init(&random, 5, 0);
  for (int round = 0; round < 400; round++) {
    const int64_t width = 1 + (int64_t)(ts_random_u64(&random) % SIDE_MAX);
    const int64_t height = 1 + (int64_t)(ts_random_u64(&random) % SIDE_MAX);
    const uint32_t values = round % 2 ? 3 : 1;
    const uint64_t share = 5 + ts_random_u64(&random) % 60;
    const struct picture a = draw_random(&random, width, height, values, share);
    const struct picture b = draw_random(&random, width, height, values, share / 2);
    compare(&a, &b, values > 1 ? "labels" : "mask");
  }
}

/* A spiral is one object however often its arms meet a row; corners join. */
static void shapes(void **state) {
  (void)state;
  static const char *const rows[] = {"#########", "........#", "#######.#", "#.....#.#", "#.###.#.#",
                                     "#.#...#.#", "#.#####.#", "#.......#", "#########"};
  struct picture spiral = {.width = 9, .height = 9}, corner = {.width = 9, .height = 9};
  for (int64_t i = 0; i < 81; i++) spiral.pixels[i] = rows[i / 9][i % 9] == '#';
  for (int64_t i = 0; i < 9; i++) corner.pixels[i * 9 + (i == 4 ? 4 : i)] = 1; /* a diagonal */
  const struct ts_mask_side one = expected_side(&spiral, &corner), diagonal = expected_side(&corner, &spiral);
  assert_int_equal(one.objects, 1);
  assert_int_equal(diagonal.objects, 1);
  compare(&spiral, &corner, "mask");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_masks_and_labels), cmocka_unit_test(shapes)};
  return cmocka_run_group_tests_name("mask_pair", tests, NULL, NULL);
}
