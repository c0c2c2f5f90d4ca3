/* Two masks of one image: the pixels and objects that one has and the other has not.
 * SPDX-License-Identifier: Apache-2.0
 *
 * An object is a piece of pixels of one value, not 0, that touch by sides or corners. It is alone if none of its pixels
 * is one of the other mask. Rows are read one after the other: memory grows with the objects, not with the image. */
#ifndef TS_API_COMPARE_MASK_PAIR_H
#define TS_API_COMPARE_MASK_PAIR_H

#include "image/spool.h"

struct ts_mask_side {
  uint64_t only_px; /* pixels that the other has not */
  uint64_t objects, alone;
};
struct ts_mask_pair {
  uint64_t both_px;
  struct ts_mask_side sides[2];
};

/* Per pixel of a small picture of the pair, how many pixels lie in both, in the first alone, in the second alone. */
struct ts_mask_map {
  int64_t width, height;
  uint32_t *counts; /* owned: three for each pixel */
};
void ts_mask_map_init(struct ts_mask_map *map, const struct ts_spool *mask, int64_t side_max);
void ts_mask_map_release(struct ts_mask_map *map);

#define TS_FIRST_RGB  0x0072B2 /* Okabe-Ito blue and orange: told apart by everybody, and from both stains */
#define TS_SECOND_RGB 0xE69F00
#define TS_BOTH_RGB   0xBBBBBB

/* Both have the same size. map: NULL, or to be filled. */
bool ts_mask_pair_compare(const struct ts_spool *first, const struct ts_spool *second, struct ts_mask_pair *pair,
                          struct ts_mask_map *map, struct ts_error *err);
/* White where neither has objects, else the colours above in proportion. New data, image/rgb8. */
struct ts_data *ts_mask_map_draw(const struct ts_mask_map *map, int64_t mask_width, int64_t mask_height,
                                 struct ts_error *err);

#endif
