/* What a run works on: items, their tiles, and which units of one scope cover a unit of another.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Units are numbers: of a tile among all tiles, of an item, or 0 for the dataset. */
#ifndef TS_DATASET_DATASET_H
#define TS_DATASET_DATASET_H

#include "base/digest.h"
#include "base/str.h"
#include "data/data.h"
#include "data/source_file.h"
#include "dataset/grid.h"
#include "workflow/workflow.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of a file of polygons, which has no size of its own: pixels of the full resolution along one of the level that is
 * read, from the images of its item. */
struct ts_polygon_scale {
  double x, y; /* at least 1; 0: not polygons */
  int32_t level;
};

/* One item of the dataset: a file per workflow input (NULL where not supplied), and what it holds. */
struct ts_item_source {
  const char *path;            /* borrowed; NULL: not supplied */
  struct ts_sha256 digest;     /* of the file's bytes */
  struct ts_source_file *file; /* borrowed: sees whether it changes; NULL: it is taken on trust */
  const struct ts_type *type;
  struct ts_polygon_scale polygons; /* zero: the file is not one of polygons */
};
/* What is said about the resolution of an item in place of its files and of the study; zero: nothing. */
struct ts_given_resolution {
  double mpp_um; /* micrometres per pixel at full resolution; 0: not given */
  bool has_level;
  int32_t level; /* that is read */
};
/* Which tiles of its grid an item has, where tissue decides. */
enum ts_tissue_source { TS_TISSUE_OFF, TS_TISSUE_OTSU, TS_TISSUE_FILE };
struct ts_tissue {
  enum ts_tissue_source source; /* where the tissue mask is from; OFF: there is none, all tiles are kept */
  struct ts_sha256 key;         /* of all that decides which tiles are kept: file, resolution, grid, mask */
  struct ts_sha256 mask;        /* of the bytes of the mask; zero: it is not from a file */
  const uint32_t *runs;         /* borrowed: tiles left out, kept, left out, ... in the order of the grid */
  size_t run_count;
};
/* What is said about the tissue of an item in place of the study; zero: nothing. */
struct ts_given_tissue {
  bool is_off;
  const char *mask;             /* borrowed: a file of its own; NULL */
  const struct ts_tissue *kept; /* borrowed: what a work order says; NULL */
};
struct ts_item {
  const char *name;                     /* for folders and messages */
  const struct ts_item_source *sources; /* per workflow input */
  size_t first_tile, tile_count;        /* the tiles that the dataset has; at least one */
  /* What the tiles are cut from: the whole image and the size of a core. Not all units of the grid need be in the
   * dataset. All zero: an item without pixels, or one whose tiles alone say how large it is. */
  struct ts_grid grid;
  struct ts_tissue tissue;
  struct ts_given_tissue given_tissue;
  struct ts_pixel_size pixel_size; /* of its images, at the level that is read */
  struct ts_given_resolution given;
  bool is_held_out;          /* a study does not see it: see project/data/split.h */
  const char *const *groups; /* per group that the study declares, its value; NULL: none are known */
};
struct ts_dataset {
  const struct ts_item *items;
  size_t item_count;
  const struct ts_tile *tiles; /* of all items, item after item; items without pixels have one empty tile */
  const size_t *tile_items;    /* item of each tile */
  size_t tile_count;
};

/* ---- Scopes. ---- Nothing outside this folder distinguishes them by name. */

bool ts_scope_is_tile(enum ts_scope scope);    /* its units are tiles */
bool ts_scope_is_in_item(enum ts_scope scope); /* each of its units lies in one item */
bool ts_scope_is_coarser(enum ts_scope scope, enum ts_scope than);
/* The scope in which a workflow input is read for a stage: pixels by tiles where the stage has tiles, else whole. */
enum ts_scope ts_scope_of_source(enum ts_scope stage, bool is_pixels);

/* ---- Units. ---- */

size_t ts_dataset_units(const struct ts_dataset *dataset, enum ts_scope scope);
/* The item of a tile or file; of the dataset, the first. */
size_t ts_dataset_item(const struct ts_dataset *dataset, enum ts_scope scope, size_t unit);
/* The units that an item has a share in: *count from *first on. */
void ts_dataset_units_in_item(const struct ts_dataset *dataset, enum ts_scope scope, size_t item, size_t *first,
                              size_t *count);
/* The tiles of a unit: *count from *first on. */
void ts_dataset_tiles(const struct ts_dataset *dataset, enum ts_scope scope, size_t unit, size_t *first, size_t *count);
/* The tile that a unit is; NULL: it is not a tile. */
const struct ts_tile *ts_dataset_tile(const struct ts_dataset *dataset, enum ts_scope scope, size_t unit);
/* The pixels of a tile or file that are read for it. */
struct ts_region ts_dataset_region(const struct ts_dataset *dataset, enum ts_scope scope, size_t unit);
/* How many pixels are read for a unit: those of its tiles, halos included. */
double ts_dataset_px(const struct ts_dataset *dataset, enum ts_scope scope, size_t unit);
/* "tile 1024, 0 of 'slide'", "'slide'" or "the dataset". */
void ts_dataset_name_unit(const struct ts_dataset *dataset, enum ts_scope scope, size_t unit, struct ts_str *out);

/* Whether the dataset lacks tiles of an image, so that those it has are not all of it: the image is then items[i].grid
 * .whole of the item of the unit. Never of the dataset. */
bool ts_dataset_is_incomplete(const struct ts_dataset *dataset, enum ts_scope scope, size_t unit);

/* The grid by which a scope divides an item, of which the dataset may have some units only. A scope whose units are not
 * in an item has one unit over all grids. */
struct ts_grid ts_dataset_grid(const struct ts_dataset *dataset, enum ts_scope scope, size_t item);

/* For ts_dataset_related, below: two different scopes. */
void ts_dataset_cover(const struct ts_dataset *dataset, enum ts_scope from, size_t unit, enum ts_scope to,
                      size_t *first, size_t *count);

/* The units of scope `to` that cover one unit of scope `from`: *count from *first on. */
static inline void ts_dataset_related(const struct ts_dataset *dataset, enum ts_scope from, size_t unit,
                                      enum ts_scope to, size_t *first, size_t *count) {
  *first = unit;
  *count = 1;
  if (from != to) ts_dataset_cover(dataset, from, unit, to, first, count);
}

#endif
