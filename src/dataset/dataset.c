/* Scopes as grids over the items of a dataset: the one arithmetic of units.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Tiles, files and the dataset are three grids: the first divides every item, the second leaves it whole, the third
 * leaves all items together. A unit is related to those units of another grid that cover its pixels. Of the first grid
 * a dataset may lack units: tiles without tissue. */
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

/* The pixels of an item: its image, or what lies between its first core and the end of the last. */
static struct ts_region tiled_region(const struct ts_dataset *dataset, size_t item) {
  const struct ts_item *i = &dataset->items[item];
  if (i->grid.whole.width > 0) return i->grid.whole;
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

/* Without a grid of its own, the first tile is as large as the image allows, so it has the steps of the grid. */
struct ts_grid ts_dataset_grid(const struct ts_dataset *dataset, enum ts_scope scope, size_t item) {
  struct ts_grid grid = {.whole = tiled_region(dataset, item)};
  const struct ts_item *i = &dataset->items[item];
  const struct ts_tile *first = ts_dataset_tile(dataset, scope, i->first_tile);
  if (!first) return grid;
  if (i->grid.whole.width > 0) return i->grid;
  grid.width = first->core.width;
  grid.height = first->core.height;
  return grid;
}

bool ts_dataset_is_incomplete(const struct ts_dataset *dataset, enum ts_scope scope, size_t unit) {
  if (!ts_scope_is_in_item(scope)) return false;
  const struct ts_item *item = &dataset->items[ts_dataset_item(dataset, scope, unit)];
  return item->tile_count < ts_grid_count(&item->grid);
}

static size_t first_unit(const struct ts_dataset *dataset, enum ts_scope scope, size_t item) {
  return ts_scope_is_tile(scope) ? dataset->items[item].first_tile : item;
}

/* A tile lies in its item, and an item is covered by its tiles: those that the dataset has. */
void ts_dataset_cover(const struct ts_dataset *dataset, enum ts_scope from, size_t unit, enum ts_scope to,
                      size_t *first, size_t *count) {
  *first = 0;
  *count = ts_dataset_units(dataset, to);
  if (!ts_scope_is_in_item(from) || !ts_scope_is_in_item(to)) return; /* all items on one of the two sides */
  ts_dataset_units_in_item(dataset, to, ts_dataset_item(dataset, from, unit), first, count);
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
