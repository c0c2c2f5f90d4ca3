/* What a run works on: items, their tiles, and which units of one scope belong to a unit of another.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Units are numbers: of a tile among all tiles, of an item, or 0 for the dataset. */
#ifndef TS_RUN_DATASET_H
#define TS_RUN_DATASET_H

#include "base/digest.h"
#include "data/data.h"
#include "data/source_file.h"
#include "image/image.h"
#include "workflow/workflow.h"

#include <stddef.h>

/* One item of the dataset: a file per workflow input (NULL where not supplied), and what it holds. */
struct ts_item_source {
  const char *path;            /* borrowed; NULL: not supplied */
  struct ts_sha256 digest;     /* of the file's bytes */
  struct ts_source_file *file; /* borrowed: sees whether it changes; NULL: it is taken on trust */
  const struct ts_type *type;
};
struct ts_item {
  const char *name;                     /* for folders and messages */
  const struct ts_item_source *sources; /* per workflow input */
  size_t first_tile, tile_count;
  struct ts_pixel_size pixel_size; /* of its images, at the level that is read */
  const char *const *groups;       /* per group that the study declares, its value; NULL: none are known */
};
struct ts_dataset {
  const struct ts_item *items;
  size_t item_count;
  const struct ts_tile *tiles; /* of all items, item after item; items without pixels have one empty tile */
  const size_t *tile_items;    /* item of each tile */
  size_t tile_count;
};

static inline size_t ts_dataset_units(const struct ts_dataset *dataset, enum ts_scope scope) {
  switch (scope) {
  case TS_PER_TILE: return dataset->tile_count;
  case TS_PER_FILE: return dataset->item_count;
  default: return 1;
  }
}

/* The item of a tile or file; of the dataset, the first. */
static inline size_t ts_dataset_item(const struct ts_dataset *dataset, enum ts_scope scope, size_t unit) {
  if (scope == TS_PER_TILE) return dataset->tile_items[unit];
  return scope == TS_PER_FILE ? unit : 0;
}

/* The units of scope `to` that belong to, or contain, one unit of scope `from`. */
static inline void ts_dataset_related(const struct ts_dataset *dataset, enum ts_scope from, size_t unit,
                                      enum ts_scope to, size_t *first, size_t *count) {
  *first = unit;
  *count = 1;
  if (from == to) return;
  if (to == TS_PER_DATASET) {
    *first = 0;
  } else if (from == TS_PER_TILE) {
    *first = dataset->tile_items[unit];
  } else if (from == TS_PER_FILE) {
    *first = dataset->items[unit].first_tile;
    *count = dataset->items[unit].tile_count;
  } else {
    *first = 0;
    *count = ts_dataset_units(dataset, to);
  }
}

#endif
