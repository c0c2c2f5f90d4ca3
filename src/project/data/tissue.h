/* Tissue first: which tiles of an item have tissue, so that nobody reads the others.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The mask of an item is made from a small picture of its slide (image/overview.h, kernels/tissue.h) or read from a
 * file that a manifest names. A tile whose region, halo included, does not meet the mask is left out of the dataset: it
 * has no tasks and no records, and what is joined over the tiles of the item is 0 there. Which tiles are kept is
 * decided once, when a run begins, and is part of its work order. */
#ifndef TS_PROJECT_DATA_TISSUE_H
#define TS_PROJECT_DATA_TISSUE_H

#include "project/data/manifest.h"

#define TS_TISSUE_COLUMN "tissue"

/* "auto", "on" and "off". */
bool ts_tissue_is_choice(const char *word);

/* Items that deserve a warning; zero before the first. */
struct tissue_notes {
  const char *with_truth, *without_colour; /* borrowed: names of the first of each */
  size_t with_truth_count, without_colour_count;
};

/* The tiles are all of the item's grid, which is known as are its files, pixel size and what is given. Those that are
 * kept, at least one, move to the front; how many these are. Sets item->tissue. A work order is followed, unless the
 * images are cut in another way (`is_cut_again`). A fault of a mask has the place of its cell where the facts say it
 * (`index`: of the item; NULL: they do not). */
size_t ts_tissue_select(struct ts_project *project, struct ts_item *item, const struct item_facts *facts, size_t index,
                        bool is_cut_again, struct ts_tile *tiles, size_t count, struct tissue_notes *notes,
                        struct ts_issues *issues);
/* One warning for each kind. */
void ts_tissue_warn(const struct tissue_notes *notes, struct ts_issues *issues);

/* ---- tissue_mask.c ---- */
struct tissue_mask {
  struct ts_data *pixels; /* owned: mask; non-zero is tissue */
  double step_x, step_y;  /* pixels of the item's images along one of the mask */
};
void ts_tissue_mask_release(struct tissue_mask *mask);
/* From the item's image, at about 8 micrometres per pixel. */
bool ts_tissue_mask_find(const struct ts_project *project, const struct ts_item *item, size_t input,
                         struct tissue_mask *mask, struct ts_error *err);
/* From a file of about the shape of the item's images. */
bool ts_tissue_mask_read(const struct ts_project *project, const struct ts_item *item, const char *path,
                         struct tissue_mask *mask, struct ts_error *err);
/* Whether a region of the item has any tissue. */
bool ts_tissue_mask_meets(const struct tissue_mask *mask, const struct ts_region *region);

/* ---- tissue_json.c ---- */
/* Member `tissue` of an item in a work order, where tissue decides about its tiles. */
void ts_tissue_write(const struct ts_tissue *tissue, json_t *item);
/* The same back, into the arena: *kept is NULL where there is none. STORE_FORMAT if it is not as it would be written.
 */
bool ts_tissue_restore(struct ts_arena *arena, const json_t *item, const struct ts_tissue **kept, struct ts_error *err);
/* Per item with images: {"file", "tiles", "without_tissue", "share", "source"}. A new reference. */
json_t *ts_tissue_json(const struct ts_project *project);

#endif
