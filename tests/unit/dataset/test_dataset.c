/* Units of a dataset: how many a scope has, and which belong to which, against a look at every tile.
 * SPDX-License-Identifier: Apache-2.0
 * test-label: one-thread */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dataset/dataset.h"

enum { ITEMS = 4, TILES = 7 };

static const size_t tile_items[TILES] = {0, 0, 0, 1, 2, 2, 3};
static const struct ts_item items[ITEMS] = {{.name = "row", .first_tile = 0, .tile_count = 3},
                                            {.name = "table", .first_tile = 3, .tile_count = 1},
                                            {.name = "column", .first_tile = 4, .tile_count = 2},
                                            {.name = "one", .first_tile = 6, .tile_count = 1}};
#define TILE(x_px, y_px, width_px, height_px)                                                                          \
  {                                                                                                                    \
    .core = {.x = (x_px), .y = (y_px), .width = (width_px), .height = (height_px)}, .region = {                        \
      .x = (x_px),                                                                                                     \
      .y = (y_px),                                                                                                     \
      .width = (width_px) + 1,                                                                                         \
      .height = (height_px)                                                                                            \
    }                                                                                                                  \
  }
static const struct ts_tile tiles[TILES] = {TILE(0, 0, 4, 3),  TILE(4, 0, 4, 3),  TILE(8, 0, 1, 3), {.core = {0}},
                                            TILE(0, 0, 5, 10), TILE(0, 10, 5, 2), TILE(0, 0, 6, 6)};
static const struct ts_dataset dataset = {
    .items = items, .item_count = ITEMS, .tiles = tiles, .tile_items = tile_items, .tile_count = TILES};

/* The unit of a scope that a tile is in. */
static size_t unit_of_tile(size_t tile, enum ts_scope scope) {
  return scope == TS_PER_TILE ? tile : scope == TS_PER_FILE ? tile_items[tile] : 0;
}

static void scopes_have_units(void **state) {
  (void)state;
  assert_int_equal(ts_dataset_units(&dataset, TS_PER_TILE), TILES);
  assert_int_equal(ts_dataset_units(&dataset, TS_PER_FILE), ITEMS);
  assert_int_equal(ts_dataset_units(&dataset, TS_PER_DATASET), 1);
}

static void units_have_an_item(void **state) {
  (void)state;
  for (size_t t = 0; t < TILES; t++) assert_int_equal(ts_dataset_item(&dataset, TS_PER_TILE, t), tile_items[t]);
  for (size_t i = 0; i < ITEMS; i++) assert_int_equal(ts_dataset_item(&dataset, TS_PER_FILE, i), i);
  assert_int_equal(ts_dataset_item(&dataset, TS_PER_DATASET, 0), 0);
}

/* Two units are related if they have a tile in common. */
static void check_related(enum ts_scope from, size_t unit, enum ts_scope to) {
  size_t first = 99, count = 99;
  ts_dataset_related(&dataset, from, unit, to, &first, &count);
  for (size_t other = 0; other < ts_dataset_units(&dataset, to); other++) {
    bool common = false;
    for (size_t t = 0; t < TILES; t++)
      common = common || (unit_of_tile(t, from) == unit && unit_of_tile(t, to) == other);
    assert_int_equal(other >= first && other < first + count, common);
  }
  assert_true(first + count <= ts_dataset_units(&dataset, to));
}

static void related_units_have_a_tile_in_common(void **state) {
  (void)state;
  for (int from = TS_PER_TILE; from <= TS_PER_DATASET; from++) {
    for (int to = TS_PER_TILE; to <= TS_PER_DATASET; to++) {
      for (size_t unit = 0; unit < ts_dataset_units(&dataset, (enum ts_scope)from); unit++)
        check_related((enum ts_scope)from, unit, (enum ts_scope)to);
    }
  }
}

static void check_name(enum ts_scope scope, size_t unit, const char *expected) {
  struct ts_str name = {0};
  ts_dataset_name_unit(&dataset, scope, unit, &name);
  assert_string_equal(ts_str_get(&name), expected);
  ts_str_release(&name);
}

static void units_have_names(void **state) {
  (void)state;
  check_name(TS_PER_TILE, 5, "tile 0, 10 of 'column'");
  check_name(TS_PER_FILE, 1, "'table'");
  check_name(TS_PER_DATASET, 0, "the dataset");
}

static void units_have_pixels(void **state) {
  (void)state;
  assert_ptr_equal(ts_dataset_tile(&dataset, TS_PER_TILE, 2), &tiles[2]);
  assert_null(ts_dataset_tile(&dataset, TS_PER_FILE, 2));
  assert_null(ts_dataset_tile(&dataset, TS_PER_DATASET, 0));
  struct ts_region region = ts_dataset_region(&dataset, TS_PER_TILE, 1);
  assert_int_equal(region.x, 4);
  assert_int_equal(region.width, 5); /* with the halo */
  region = ts_dataset_region(&dataset, TS_PER_FILE, 0);
  assert_int_equal(region.x, 0);
  assert_int_equal(region.width, 9);
  assert_int_equal(region.height, 3);
  assert_int_equal(ts_dataset_px(&dataset, TS_PER_TILE, 2), 2 * 3);
  assert_int_equal(ts_dataset_px(&dataset, TS_PER_FILE, 2), 6 * 10 + 6 * 2);
  assert_int_equal(ts_dataset_px(&dataset, TS_PER_DATASET, 0), 15 + 15 + 6 + 60 + 12 + 42);
}

/* A dataset may have some tiles of an image only: pictures are made from one. */
static void tiles_may_be_a_part_of_an_image(void **state) {
  (void)state;
  static const size_t item_of[] = {0, 0};
  static const struct ts_tile some[] = {TILE(8, 4, 4, 4), TILE(12, 4, 4, 4)};
  for (size_t count = 1; count <= 2; count++) {
    const struct ts_item item = {.name = "part", .tile_count = count};
    const struct ts_dataset part = {
        .items = &item, .item_count = 1, .tiles = some, .tile_items = item_of, .tile_count = count};
    size_t first = 9, found = 9;
    ts_dataset_related(&part, TS_PER_FILE, 0, TS_PER_TILE, &first, &found);
    assert_int_equal(first, 0);
    assert_int_equal(found, count);
    ts_dataset_related(&part, TS_PER_TILE, count - 1, TS_PER_FILE, &first, &found);
    assert_int_equal(first, 0);
    assert_int_equal(found, 1);
    const struct ts_region whole =
        ts_dataset_region(&part, TS_PER_FILE, 0); /* as a file it is read from the beginning */
    assert_int_equal(whole.x, 0);
    assert_int_equal(whole.width, 8 + 4 * (int64_t)count);
    assert_int_equal(whole.height, 8);
  }
}

/* Three of the six tiles of an image of 10 x 6 pixels, none of them in its first row; then a complete item. */
static void tiles_may_be_left_out(void **state) {
  (void)state;
  static const size_t item_of[] = {0, 0, 0, 1};
  static const struct ts_grid grid = {.whole = {.width = 10, .height = 9, .level = 2}, .width = 5, .height = 3};
  static const struct ts_tile some[] = {TILE(5, 3, 5, 3), TILE(0, 6, 5, 3), TILE(5, 6, 5, 3), TILE(0, 0, 10, 9)};
  const struct ts_item both[] = {{.name = "part", .tile_count = 3, .grid = grid},
                                 {.name = "all", .first_tile = 3, .tile_count = 1, .grid = {.whole = grid.whole}}};
  const struct ts_dataset part = {
      .items = both, .item_count = 2, .tiles = some, .tile_items = item_of, .tile_count = 4};
  size_t first = 9, count = 9;
  ts_dataset_related(&part, TS_PER_FILE, 0, TS_PER_TILE, &first, &count);
  assert_true(first == 0 && count == 3);
  ts_dataset_related(&part, TS_PER_FILE, 1, TS_PER_TILE, &first, &count);
  assert_true(first == 3 && count == 1);
  for (size_t t = 0; t < 4; t++) {
    ts_dataset_related(&part, TS_PER_TILE, t, TS_PER_FILE, &first, &count);
    assert_true(first == item_of[t] && count == 1);
    assert_int_equal(ts_dataset_is_incomplete(&part, TS_PER_TILE, t), t < 3);
  }
  ts_dataset_related(&part, TS_PER_DATASET, 0, TS_PER_TILE, &first, &count);
  assert_true(first == 0 && count == 4);
  const struct ts_region whole = ts_dataset_region(&part, TS_PER_FILE, 0);
  assert_true(whole.x == 0 && whole.y == 0 && whole.width == 10 && whole.height == 9 && whole.level == 2);
  const struct ts_grid tiled = ts_dataset_grid(&part, TS_PER_TILE, 0), file = ts_dataset_grid(&part, TS_PER_FILE, 0);
  assert_int_equal(ts_grid_count(&tiled), 6);
  assert_int_equal(ts_grid_count(&file), 1);
  assert_true(ts_dataset_is_incomplete(&part, TS_PER_FILE, 0));
  assert_false(ts_dataset_is_incomplete(&part, TS_PER_FILE, 1));
  assert_false(ts_dataset_is_incomplete(&part, TS_PER_DATASET, 0));
  assert_int_equal(ts_dataset_px(&part, TS_PER_FILE, 0), 3 * 6 * 3);
}

static void scopes_are_ordered(void **state) {
  (void)state;
  assert_true(ts_scope_is_coarser(TS_PER_DATASET, TS_PER_FILE));
  assert_true(ts_scope_is_coarser(TS_PER_FILE, TS_PER_TILE));
  assert_false(ts_scope_is_coarser(TS_PER_FILE, TS_PER_FILE));
  assert_int_equal(ts_scope_of_source(TS_PER_TILE, true), TS_PER_TILE);
  assert_int_equal(ts_scope_of_source(TS_PER_TILE, false), TS_PER_FILE);
  assert_int_equal(ts_scope_of_source(TS_PER_DATASET, true), TS_PER_FILE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(scopes_have_units),
      cmocka_unit_test(units_have_an_item),
      cmocka_unit_test(related_units_have_a_tile_in_common),
      cmocka_unit_test(units_have_names),
      cmocka_unit_test(units_have_pixels),
      cmocka_unit_test(tiles_may_be_a_part_of_an_image),
      cmocka_unit_test(tiles_may_be_left_out),
      cmocka_unit_test(scopes_are_ordered),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
