/* Scopes as grids over the items of a dataset: the one arithmetic of units.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Tiles, files and the dataset are three grids: the first divides every item, the second leaves it whole, the third
 * leaves all items together. A unit is related to those units of another grid that cover its pixels. */
#include "dataset/dataset.h"

#include "base/alloc.h"

bool ts_scope_is_tile(enum ts_scope scope) { return scope == TS_PER_TILE; }

bool ts_scope_is_in_item(enum ts_scope scope) { return scope != TS_PER_DATASET; }

bool ts_scope_is_coarser(enum ts_scope scope, enum ts_scope than) { return scope > than; }

enum ts_scope ts_scope_of_source(enum ts_scope stage, bool is_pixels) {
  return is_pixels && ts_scope_is_tile(stage) ? TS_PER_TILE : TS_PER_FILE;
}

size_t ts_dataset_units(const struct ts_dataset *dataset, enum ts_scope scope) {
  switch (scope) {
  case TS_PER_TILE: return dataset->tile_count;
  case TS_PER_FILE: return dataset->item_count;
  case TS_PER_DATASET: return 1;
  }
  TS_BUG("no such scope: %d", (int)scope);
}

size_t ts_dataset_item(const struct ts_dataset *dataset, enum ts_scope scope, size_t unit) {
  if (ts_scope_is_tile(scope)) return dataset->tile_items[unit];
  return ts_scope_is_in_item(scope) ? unit : 0;
}

const struct ts_tile *ts_dataset_tile(const struct ts_dataset *dataset, enum ts_scope scope, size_t unit) {
  return ts_scope_is_tile(scope) ? &dataset->tiles[unit] : NULL;
}

/* The pixels of an item from the first core to the end of the last: all of the image, unless the dataset has only some
 * tiles of it. */
static struct ts_region tiled_region(const struct ts_dataset *dataset, size_t item) {
  const struct ts_item *i = &dataset->items[item];
  const struct ts_region *first = &dataset->tiles[i->first_tile].core;
  const struct ts_region *last = &dataset->tiles[i->first_tile + i->tile_count - 1].core;
  struct ts_region region = *first;
  region.width = last->x + last->width - first->x;
  region.height = last->y + last->height - first->y;
  return region;
}

/* A file is read from its beginning on. */
static struct ts_region whole_item(const struct ts_dataset *dataset, size_t item) {
  struct ts_region whole = tiled_region(dataset, item);
  whole.width += whole.x;
  whole.height += whole.y;
  whole.x = whole.y = 0;
  return whole;
}

struct ts_region ts_dataset_region(const struct ts_dataset *dataset, enum ts_scope scope, size_t unit) {
  if (ts_scope_is_tile(scope)) return dataset->tiles[unit].region;
  return whole_item(dataset, ts_dataset_item(dataset, scope, unit));
}

void ts_dataset_name_unit(const struct ts_dataset *dataset, enum ts_scope scope, size_t unit, struct ts_str *out) {
  const char *item = dataset->items[ts_dataset_item(dataset, scope, unit)].name;
  const struct ts_tile *tile = ts_dataset_tile(dataset, scope, unit);
  if (tile)
    ts_str_addf(out, "tile %lld, %lld of '%s'", (long long)tile->core.x, (long long)tile->core.y, item);
  else if (ts_scope_is_in_item(scope))
    ts_str_addf(out, "'%s'", item);
  else
    ts_str_add(out, "the dataset");
}

/* The first tile is as large as the image allows, so it has the steps of the grid. */
struct ts_grid ts_dataset_grid(const struct ts_dataset *dataset, enum ts_scope scope, size_t item) {
  struct ts_grid grid = {.whole = tiled_region(dataset, item)};
  const struct ts_tile *first = ts_dataset_tile(dataset, scope, dataset->items[item].first_tile);
  if (!first) return grid;
  grid.width = first->core.width;
  grid.height = first->core.height;
  return grid;
}

static size_t first_unit(const struct ts_dataset *dataset, enum ts_scope scope, size_t item) {
  return ts_scope_is_tile(scope) ? dataset->items[item].first_tile : item;
}

/* The units of one item that cover a region of it. An item without pixels has one unit. */
static void cover_in_item(const struct ts_dataset *dataset, enum ts_scope scope, size_t item,
                          const struct ts_region *region, size_t *first, size_t *count) {
  const struct ts_grid grid = ts_dataset_grid(dataset, scope, item);
  *first = first_unit(dataset, scope, item);
  *count = 1;
  if (ts_grid_count(&grid) == 0) return;
  const struct ts_cover cover = ts_grid_cover(&grid, region, 0, NULL);
  *count = ts_cover_count(&cover);
  if (*count == 0) TS_BUG("a unit of an item lies outside it");
  *first += ts_cover_unit(&cover, 0);
  if (ts_cover_unit(&cover, *count - 1) != ts_cover_unit(&cover, 0) + *count - 1)
    TS_BUG("the units that cover a unit do not follow each other");
}

void ts_dataset_cover(const struct ts_dataset *dataset, enum ts_scope from, size_t unit, enum ts_scope to,
                      size_t *first, size_t *count) {
  *first = 0;
  if (!ts_scope_is_in_item(from) || !ts_scope_is_in_item(to)) { /* all items on one of the two sides */
    *count = ts_dataset_units(dataset, to);
    return;
  }
  const size_t item = ts_dataset_item(dataset, from, unit);
  const struct ts_region region = ts_scope_is_tile(from) ? dataset->tiles[unit].core : tiled_region(dataset, item);
  cover_in_item(dataset, to, item, &region, first, count);
}

void ts_dataset_units_in_item(const struct ts_dataset *dataset, enum ts_scope scope, size_t item, size_t *first,
                              size_t *count) {
  *first = ts_scope_is_in_item(scope) ? first_unit(dataset, scope, item) : 0;
  *count = ts_scope_is_tile(scope) ? dataset->items[item].tile_count : 1;
}

void ts_dataset_tiles(const struct ts_dataset *dataset, enum ts_scope scope, size_t unit, size_t *first,
                      size_t *count) {
  ts_dataset_related(dataset, scope, unit, TS_PER_TILE, first, count);
}

double ts_dataset_px(const struct ts_dataset *dataset, enum ts_scope scope, size_t unit) {
  size_t first = 0, count = 0;
  double px = 0;
  ts_dataset_tiles(dataset, scope, unit, &first, &count);
  for (size_t t = first; t < first + count; t++)
    px += (double)dataset->tiles[t].region.width * (double)dataset->tiles[t].region.height;
  return px;
}
