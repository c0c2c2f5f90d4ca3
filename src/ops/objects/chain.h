/* The bytes of "pieces": what each tile has found, tile after tile, with a head that says where the tile lies.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A head is 40 bytes: four letters that say what follows, the resolution level, the core of the tile (left, top, right,
 * bottom), two ways to join, and the number of bytes that follow, all little endian. The pieces of several tiles follow
 * each other in any order. */
#ifndef TS_OPS_OBJECTS_CHAIN_H
#define TS_OPS_OBJECTS_CHAIN_H

#include "base/error.h"
#include "data/run_code.h"
#include "ops/objects/stitch.h"

enum { TS_CHAIN_LETTERS = 4 };

/* What one tile has. */
struct ts_chain_tile {
  char letters[TS_CHAIN_LETTERS];
  int32_t level;
  struct ts_tile_box box;
  enum ts_stitch stitch[2];
  struct ts_cursor body; /* borrowed from the chain; when a tile is written, not used */
};

/* ---- Writing one tile: begin, add the body to the text, end ---- */

void ts_chain_begin(struct ts_str *out, const struct ts_chain_tile *tile);
void ts_chain_end(struct ts_str *out);

/* ---- Reading all tiles: bytes from anywhere; damage is an ordinary error (BAD_PRODUCT) ---- */

struct ts_chain {
  struct ts_chain_tile *tiles; /* owned: row after row of tiles */
  size_t count;
};

/* Tiles must be of one level, joined in one way, and not overlap (BAD_VALUE). The bytes are borrowed. Close in every
 * case. */
bool ts_chain_open(struct ts_chain *chain, const char letters[TS_CHAIN_LETTERS], const void *bytes, size_t size,
                   struct ts_error *err);
void ts_chain_close(struct ts_chain *chain);

/* The error of bytes that cannot be; returns false. */
bool ts_chain_is_damaged(struct ts_error *err);

/* The runs of a piece, relative to the corner of its tile, which they must not leave. The list is emptied first.
 * Writing takes none; reading then gives none. */
void ts_chain_code_runs(struct ts_str *out, const struct ts_tile_box *box, const struct ts_pixel_run *runs,
                        size_t count);
bool ts_chain_read_runs(struct ts_cursor *cursor, const struct ts_tile_box *box, struct ts_run_list *runs);

#endif
