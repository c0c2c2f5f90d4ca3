/* Tiles, files and the dataset: joined pixels and rows, tiles without halo, coarse products for fine stages.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "support/regions.h"
#include "support/toy_run.h"

#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define HEAD                                                                                                           \
  "{\"tessera\": 1, \"name\": \"scopes\", \"inputs\": {\"image\": {\"type\": \"image/gray8\"}, \"data\": {\"type\": "  \
  "\"table\"}},"                                                                                                       \
  "\"parameters\": {}, \"stages\": ["
#define NEAR(name, scope, from)                                                                                        \
  "{\"name\": \"" name "\", \"per\": \"" scope "\", \"in\": {\"i\": \"" from "\"}, \"out\": {\"image\": \"t.image\"}," \
  "\"tasks\": [{\"name\": \"t\", \"op\": \"toy.near\", \"in\": {\"image\": \"i\"}}]}"
#define STILL(name, scope, from)                                                                                       \
  "{\"name\": \"" name "\", \"per\": \"" scope "\", \"in\": {\"i\": \"" from "\"}, \"out\": {\"image\": \"t.image\"}," \
  "\"tasks\": [{\"name\": \"t\", \"op\": \"toy.shift\", \"in\": {\"image\": \"i\"}, \"params\": {\"p\": {\"value\": "  \
  "0}}}]}"
#define STAT(name, scope, from)                                                                                        \
  "{\"name\": \"" name "\", \"per\": \"" scope "\", \"in\": {\"i\": \"" from "\"}, \"out\": {\"out\": \"t.out\"},"     \
  "\"tasks\": [{\"name\": \"t\", \"op\": \"toy.stat\", \"in\": {\"image\": \"i\"}, \"params\": {\"p\": {\"value\": "   \
  "0}}}]}"
#define SAME(name, scope, from)                                                                                        \
  "{\"name\": \"" name "\", \"per\": \"" scope "\", \"in\": {\"a\": \"" from "\"}, \"out\": {\"out\": \"t.out\"},"     \
  "\"tasks\": [{\"name\": \"t\", \"op\": \"toy.same\", \"in\": {\"a\": \"a\"}}]}"

static const struct toy_image images[] = {{"one", 10, 9}, {"two", 7, 5}, {"three", 3, 3}};

/* The maximum of the 3 x 3 pixels around (x, y) in the whole image. */
static uint8_t near_in_image(const struct toy_image *image, int64_t x, int64_t y) {
  char path[64];
  snprintf(path, sizeof path, "%s/image", image->name);
  uint8_t most = 0;
  for (int64_t v = y - 1; v <= y + 1; v++) {
    for (int64_t u = x - 1; u <= x + 1; u++) {
      if (u < 0 || v < 0 || u >= image->width || v >= image->height) continue;
      uint8_t pixel = toy_pixel(path, u, v);
      most = pixel > most ? pixel : most;
    }
  }
  return most;
}

static const struct ts_data *product(const struct toy_run *run, const char *name, size_t unit) {
  const struct toy_subject *s = run->subject;
  struct ts_error err = {0};
  struct ts_source source;
  assert_true(ts_workflow_find_output(s->toy.workflow, name, &source, &err));
  for (size_t i = 0; i < s->plan->wanted_count; i++) {
    const struct ts_source *wanted = &s->plan->options.wanted[i];
    if (wanted->index != source.index || wanted->port != source.port) continue;
    const size_t place[] = {s->plan->products[i].node, s->plan->products[i].port, unit};
    const union ts_map_value *value = ts_map_find(&run->products, place, sizeof place);
    assert_non_null(value);
    return value->pointer;
  }
  fail_msg("'%s' is not wanted", name);
  return NULL;
}

static void make(struct toy_subject *s, struct ts_registry *registry, const char *json, int64_t tile_px,
                 int64_t halo_px) {
  *s = (struct toy_subject){0};
  toy_case_init(&s->toy, json, registry);
  s->toy.options.crop_halo = halo_px > 0;
  toy_subject_complete(s, registry, images, COUNT_OF(images), tile_px, halo_px);
}

/* With a halo as wide as the operation looks, tiles give the same pixels as the whole image. */
static void tiles_without_halo_make_the_whole_image(void **state) {
  for (int64_t tile_px = 2; tile_px < 12; tile_px += 3) {
    struct toy_subject s;
    make(&s, *state, HEAD NEAR("near", "tile", "image") "," STILL("whole", "file", "near.image") "]}", tile_px, 1);
    struct toy_run run = {.subject = &s};
    run.options = (struct ts_run_options){.threads = 2};
    toy_run_do(&run);
    toy_run_check(&run, "halo");
    for (size_t i = 0; i < COUNT_OF(images); i++) {
      const struct ts_data *whole = product(&run, "whole.image", i);
      const struct ts_region *region = ts_data_region(whole);
      const uint8_t *pixels = ts_data_bytes(whole, NULL);
      assert_int_equal(region->x, 0);
      assert_int_equal(region->y, 0);
      assert_int_equal(region->width, images[i].width);
      assert_int_equal(region->height, images[i].height);
      for (int64_t k = 0; k < region->width * region->height; k++)
        assert_int_equal(pixels[k], near_in_image(&images[i], k % region->width, k / region->width));
    }
    toy_run_release(&run);
    toy_subject_release(&s);
  }
}

/* A stage that asks for cores gets tiles without their halo; others get them with it. */
static void cores_are_cut_out_for_who_asks(void **state) {
  static const char json[] = HEAD NEAR("near", "tile", "image") "," STILL("core", "tile", "near.image") "," STILL(
      "tile", "tile", "near.image") "]}";
  struct toy_subject s = {0};
  toy_case_init(&s.toy, json, *state);
  s.toy.options.crop_halo = true;
  size_t core = 0;
  assert_true(ts_workflow_find_stage(s.toy.workflow, "core", &core));
  toy_case_take_cores(&s.toy, core, true);
  toy_subject_complete(&s, *state, images, COUNT_OF(images), 4, 2);
  struct toy_run run = {.subject = &s};
  run.options = (struct ts_run_options){.threads = 2};
  toy_run_do(&run);
  toy_run_check(&run, "cores");
  for (size_t t = 0; t < s.data.dataset.tile_count; t++) {
    const struct ts_tile *tile = &s.data.dataset.tiles[t];
    const struct toy_image *image = &images[s.data.dataset.tile_items[t]];
    const struct ts_data *cut = product(&run, "core.image", t);
    assert_true(same_region(ts_data_region(cut), &tile->core));
    assert_true(same_region(ts_data_region(product(&run, "tile.image", t)), &tile->region));
    const uint8_t *pixels = ts_data_bytes(cut, NULL);
    for (int64_t k = 0; k < tile->core.width * tile->core.height; k++)
      assert_int_equal(pixels[k],
                       near_in_image(image, tile->core.x + k % tile->core.width, tile->core.y + k / tile->core.width));
  }
  toy_run_release(&run);
  toy_subject_release(&s);
}

static void check_rows(const struct ts_data *joined, size_t *row, const struct ts_data *piece) {
  size_t columns = ts_data_columns(piece);
  assert_int_equal(ts_data_columns(joined), columns);
  for (size_t r = 0; r < ts_data_rows(piece); r++, (*row)++) {
    assert_true(*row < ts_data_rows(joined));
    assert_memory_equal(ts_data_cells(joined) + *row * columns, ts_data_cells(piece) + r * columns,
                        columns * sizeof(double));
  }
}

/* Tables of tiles are joined in the order of the tiles: per file, over all files at once, and by way of the files. */
static void rows_come_in_the_order_of_tiles(void **state) {
  struct toy_subject s;
  make(&s, *state,
       HEAD STAT("tile", "tile", "image") "," SAME("file", "file", "tile.out") "," SAME(
           "all", "dataset", "tile.out") "," SAME("twice", "dataset", "file.out") "]}",
       3, 0);
  for (size_t threads = 1; threads < 5; threads++) {
    struct toy_run run = {.subject = &s};
    run.options = (struct ts_run_options){.threads = threads};
    toy_run_do(&run);
    toy_run_check(&run, "rows");
    const struct ts_data *all = product(&run, "all.out", 0);
    size_t row = 0;
    for (size_t i = 0; i < COUNT_OF(images); i++) {
      const struct ts_item *item = &s.data.dataset.items[i];
      const struct ts_data *file = product(&run, "file.out", i);
      size_t file_row = 0;
      for (size_t t = item->first_tile; t < item->first_tile + item->tile_count; t++) {
        check_rows(file, &file_row, product(&run, "tile.out", t));
        check_rows(all, &row, product(&run, "tile.out", t));
      }
      assert_int_equal(ts_data_rows(file), file_row);
    }
    assert_int_equal(ts_data_rows(all), row);
    assert_true(toy_same_data(all, product(&run, "twice.out", 0)));
    toy_run_release(&run);
  }
  toy_subject_release(&s);
}

/* A finer stage gets the whole product of a coarser one, every unit the same; and all of it is made once. */
static void coarse_products_serve_every_tile(void **state) {
  struct toy_subject s;
  make(&s, *state,
       HEAD SAME("all", "dataset", "data") "," SAME("back", "tile", "all.out") "," SAME("own", "tile", "data") "]}", 3,
       0);
  struct toy_run run = {.subject = &s};
  run.options = (struct ts_run_options){.threads = 3};
  toy_run_do(&run);
  toy_run_check(&run, "coarse");
  for (size_t t = 0; t < s.data.dataset.tile_count; t++) {
    assert_true(toy_same_data(product(&run, "back.out", t), product(&run, "all.out", 0)));
    size_t first = s.data.dataset.items[s.data.dataset.tile_items[t]].first_tile;
    assert_true(toy_same_data(product(&run, "own.out", t), product(&run, "own.out", first)));
  }
  assert_int_equal(run.result.reads, COUNT_OF(images)); /* tables are read once per file */
  toy_run_release(&run);
  toy_subject_release(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tiles_without_halo_make_the_whole_image),
      cmocka_unit_test(cores_are_cut_out_for_who_asks),
      cmocka_unit_test(rows_come_in_the_order_of_tiles),
      cmocka_unit_test(coarse_products_serve_every_tile),
  };
  return cmocka_run_group_tests(tests, toy_set_up, toy_tear_down);
}
