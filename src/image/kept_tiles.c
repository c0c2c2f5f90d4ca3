/* Keeps the tiles of a file that were decoded last, so that neighbouring rectangles do not decode them again.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Rectangles with a halo overlap: without this, the 8,000 x 8,000 pixels of a TIFF with tiles of 256 are decoded 1.9
 * times by rectangles of 512 and a halo of 68, with it once. They are read row after row, so what the next row needs
 * again is some rows of tiles back: three with rectangles of 512, five with 1,000. Wide files keep as much as memory
 * allows. */
#include "image/open_int.h"

#include "base/budget.h"
#include "base/order.h"

enum { KEPT_ROWS = 8 };
/* Of one image; small budgets allow a part of themselves. All images together: whole.c. */
#define KEPT_BYTES (UINT64_C(128) << 20)
#define KEPT_SHARE 8

/* How many tiles are kept; 0: none. */
static uint64_t count_of(const struct ts_open_image *open, const struct ts_tiff_facts *facts, uint64_t tile_bytes) {
  const uint64_t width = (uint64_t)open->info.width, height = (uint64_t)open->info.height;
  const uint64_t across = (width + facts->tile_width - 1) / facts->tile_width;
  const uint64_t down = (height + facts->tile_height - 1) / facts->tile_height;
  const uint64_t wanted = across * (down < KEPT_ROWS ? down : KEPT_ROWS);
  const uint64_t room = ts_smaller_size(KEPT_BYTES, ts_budget_memory_bytes() / KEPT_SHARE) / tile_bytes;
  return wanted < room ? wanted : room;
}

void ts_kept_tiles_attach(struct ts_open_image *open, const struct ts_tiff_facts *facts) {
  if (facts->tile_width == 0 || facts->tile_height == 0 || facts->tile_width > INT32_MAX ||
      facts->tile_height > INT32_MAX || facts->piece_pixels > INT32_MAX)
    return;
  const uint64_t tile_bytes = facts->piece_pixels * (uint64_t)VIPS_IMAGE_SIZEOF_PEL(open->image);
  const uint64_t count = count_of(open, facts, tile_bytes);
  VipsImage *kept = NULL;
  if (count < 2 ||
      vips_tilecache(open->image, &kept, "tile_width", (int)facts->tile_width, "tile_height", (int)facts->tile_height,
                     "max_tiles", (int)count, "access", VIPS_ACCESS_RANDOM, "threaded", TRUE, "persistent", TRUE, NULL))
    return; /* slower, and right */
  g_object_unref(open->image);
  open->image = kept;
  open->kept_bytes = (int64_t)(count * tile_bytes);
}
