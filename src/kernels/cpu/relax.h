/* Reconstruction by dilation in blocks of TS_CHUNK bytes: the part that does not depend on the type of the pixels.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A block is visited when something beside it was raised; the visit brings it into balance with its neighbours. Blocks
 * that are waiting are marked by bits, and sweeps down and up go through the rows that have some. A visit costs little
 * more than a step of one pixel does in the usual queue, and on tissue four to five visits per block are enough. The
 * result is the same in any order of visits: the least fixed point is unique. */
#ifndef TS_KERNELS_CPU_RELAX_H
#define TS_KERNELS_CPU_RELAX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "kernels/cpu/variant.h"
#include "kernels/threads.h"

/* Planes of values and of masks: rows of whole blocks, with a margin of a block on each side (the one on the right may
 * be the left one of the next row) and a row above and below. In the margins and behind the width both are so low that
 * nothing there is ever raised or raises anything. */
struct ts_relax {
  unsigned (*visit)(const struct ts_relax_block *block); /* of the variant in use */
  uint8_t *value;      /* borrowed: the first block of the first row inside the margins */
  const uint8_t *mask; /* borrowed: likewise */
  int64_t stride_bytes;
  int64_t blocks;    /* per row */
  int64_t height;    /* rows, without the margins */
  bool corners;      /* 8-connected */
  uint64_t *waiting; /* owned: bits of the blocks, height + 2 rows */
  int64_t words;     /* per row of waiting */
  int64_t capacity;  /* words of waiting in all */
};

/* Raises the values until they are in balance. Starts with every block waiting. waiting and capacity are 0 or from an
 * earlier use; release in the end. */
bool ts_relax_run(struct ts_relax *r, const struct ts_kernel_threads *threads, struct ts_error *err);
void ts_relax_release(struct ts_relax *r);

#endif
