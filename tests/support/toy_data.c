/* Tiles of images that exist by name only.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support/toy_data.h"

#include "base/alloc.h"

#include <string.h>

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

static struct ts_tile tile_at(const struct toy_image *image, int64_t x, int64_t y, int64_t tile_px, int64_t halo_px) {
  struct ts_tile tile = {0};
  tile.core = (struct ts_region){
      .x = x, .y = y, .width = smaller(tile_px, image->width - x), .height = smaller(tile_px, image->height - y)};
  int64_t left = larger(0, x - halo_px);
  int64_t top = larger(0, y - halo_px);
  int64_t right = smaller(image->width, x + tile.core.width + halo_px);
  int64_t bottom = smaller(image->height, y + tile.core.height + halo_px);
  tile.region = (struct ts_region){.x = left, .y = top, .width = right - left, .height = bottom - top};
  return tile;
}

static const struct ts_item_source *sources_of(struct toy_dataset *data, const struct toy_case *toy, const char *name) {
  const struct ts_workflow *w = toy->workflow;
  struct ts_item_source *sources = ts_arena_array(&data->arena, w->input_count, sizeof *sources);
  for (size_t i = 0; i < w->input_count; i++) {
    if (!toy->options.supplied[i]) continue;
    sources[i].path = ts_arena_printf(&data->arena, "%s/%s", name, w->inputs[i].name);
    sources[i].type = w->inputs[i].type;
    ts_sha256_of(sources[i].path, strlen(sources[i].path), &sources[i].digest);
  }
  return sources;
}

void toy_dataset_init(struct toy_dataset *data, const struct toy_case *toy, const struct toy_image *images,
                      size_t count, int64_t tile_px, int64_t halo_px) {
  *data = (struct toy_dataset){0};
  size_t capacity = 0;
  for (size_t i = 0; i < count; i++) capacity += (size_t)(images[i].width * images[i].height);
  struct ts_item *items = ts_arena_array(&data->arena, count, sizeof *items);
  struct ts_tile *tiles = ts_arena_array(&data->arena, capacity, sizeof *tiles);
  size_t *tile_items = ts_arena_array(&data->arena, capacity, sizeof *tile_items);
  size_t tile_count = 0;
  for (size_t i = 0; i < count; i++) {
    int64_t step = tile_px > 0 ? tile_px : larger(images[i].width, images[i].height);
    items[i] = (struct ts_item){
        .name = images[i].name, .sources = sources_of(data, toy, images[i].name), .first_tile = tile_count};
    for (int64_t y = 0; y < images[i].height; y += step) {
      for (int64_t x = 0; x < images[i].width; x += step) {
        tile_items[tile_count] = i;
        tiles[tile_count++] = tile_at(&images[i], x, y, step, halo_px);
      }
    }
    items[i].tile_count = tile_count - items[i].first_tile;
  }
  data->dataset = (struct ts_dataset){
      .items = items, .item_count = count, .tiles = tiles, .tile_items = tile_items, .tile_count = tile_count};
}

void toy_dataset_draw(struct toy_dataset *data, const struct toy_case *toy, bool twins, uint64_t seed) {
  static const char *const names[] = {"one", "two", "three"};
  struct ts_random random;
  ts_random_init(&random, seed, 78);
  struct toy_image images[3];
  size_t count = 1 + (size_t)ts_random_below(&random, 3);
  for (size_t i = 0; i < count; i++) {
    images[i] = (struct toy_image){.name = names[i],
                                   .width = 3 + (int64_t)ts_random_below(&random, 7),
                                   .height = 3 + (int64_t)ts_random_below(&random, 5)};
    if (i > 0 && twins && ts_random_below(&random, 2) == 0) images[i] = images[0];
  }
  int64_t tile_px = (int64_t)ts_random_below(&random, 3) * 2;
  int64_t halo_px = toy->options.crop_halo ? 1 + (int64_t)ts_random_below(&random, 2) : 0;
  toy_dataset_init(data, toy, images, count, tile_px ? tile_px + 1 : 0, halo_px);
}

void toy_dataset_release(struct toy_dataset *data) { ts_arena_release(&data->arena); }

size_t toy_units(const struct ts_dataset *dataset, enum ts_scope scope) {
  return scope == TS_PER_TILE ? dataset->tile_count : scope == TS_PER_FILE ? dataset->item_count : 1;
}

bool toy_same_data(const struct ts_data *a, const struct ts_data *b) {
  ts_auto(ts_str_release) struct ts_str x = {0};
  ts_auto(ts_str_release) struct ts_str y = {0};
  ts_data_encode(a, &x);
  ts_data_encode(b, &y);
  return x.length == y.length && memcmp(x.data, y.data, x.length) == 0;
}
