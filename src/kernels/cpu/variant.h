/* The innermost loops that many kernels use, each in several variants for the processors that can do more at once.
 * SPDX-License-Identifier: Apache-2.0
 *
 * choice.h says which one is used. A variant that gains nothing in some loop points to the one below it. */
#ifndef TS_KERNELS_CPU_VARIANT_H
#define TS_KERNELS_CPU_VARIANT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/cpu/choice.h"

/* Bytes that the loops take at once. */
enum { TS_CHUNK = 64 };

/* The limits that a row of red_cells is compared with. */
struct ts_red_cells_limits {
  int red, green, blue;    /* a pixel above all three is bright */
  float t1, t2;            /* ratios of red to green */
  uint16_t smallest1[256]; /* by green: the smallest red whose ratio exceeds t1, 256 if none */
  uint16_t smallest2[256]; /* the same for t2 */
};

/* One block of a reconstruction: TS_CHUNK bytes of values with their neighbours. */
struct ts_relax_block {
  void *value;       /* borrowed; raised in place. Values before and behind it are read too */
  const void *mask;  /* borrowed */
  const void *above; /* borrowed: the values of the row above, and one before and behind them */
  const void *below; /* borrowed */
  bool corners;      /* 8-connected */
};

/* The answer of a visit to a block. */
enum {
  TS_RELAX_CHANGED = 1,
  TS_RELAX_LEFT_CHANGED = 2, /* its first value */
  TS_RELAX_RIGHT_CHANGED = 4,
  TS_RELAX_RAISES_LEFT = 8, /* the block to the left in the same row can be raised now */
  TS_RELAX_RAISES_RIGHT = 16
};

struct ts_variant {
  /* ---- Rows of bits: bit i of word i / 64 belongs to pixel i; bits behind the width are 0 ---- */
  /* Sets the bits where row > limit. */
  void (*pack)(const uint8_t *row, int64_t width, uint8_t limit, uint64_t *bits);
  /* 255 where the bit is set, else 0. */
  void (*unpack)(const uint64_t *bits, int64_t width, uint8_t *row);
  /* difference = a - b modulo 256; sets the bits where it exceeds the limit. */
  void (*subtract)(const uint8_t *a, const uint8_t *b, int64_t width, uint8_t limit, uint8_t *difference,
                   uint64_t *bits);

  /* How many runs of set bits the words have, each xor flip, the last one cut to the bits of tail. */
  int32_t (*count_runs)(const uint64_t *bits, int64_t words, uint64_t flip, uint64_t tail);

  /* ---- Rows of interleaved RGB ---- */
  /* Every third byte, the first included, xor flip. */
  void (*take_channel)(const uint8_t *first, int64_t width, uint8_t flip, uint8_t *out);
  /* Bits where the ratio of red to green exceeds t1, t2, and where red exceeds blue; returns how many are bright. */
  int64_t (*red_cells)(const uint8_t *rgb, int64_t width, const struct ts_red_cells_limits *limits, uint64_t *starts,
                       uint64_t *continues, uint64_t *redder);

  /* ---- Morphology; count is a multiple of TS_CHUNK, the output overlaps no input but itself ---- */
  /* to = min(a, b) */
  void (*min_of_two)(uint8_t *to, const uint8_t *a, const uint8_t *b, int64_t count);
  /* to = min(to, a, b) */
  void (*min_into)(uint8_t *to, const uint8_t *a, const uint8_t *b, int64_t count);

  /* ---- Reconstruction: raises a block until it is in balance with what lies around it ---- */
  unsigned (*relax_u8)(const struct ts_relax_block *block);
  unsigned (*relax_f32)(const struct ts_relax_block *block);

  /* ---- Distances and domes; count is a multiple of the items in TS_CHUNK bytes, the output overlaps no input ---- */
  /* nearest = min(nearest, squares d places to the left and to the right + d * d), which fits into 16 bits */
  void (*look_aside)(int16_t *nearest, const int16_t *squares, int64_t count, int d);
  /* to = from - 1 */
  void (*lower_f32)(float *to, const float *from, int64_t count);
};

const struct ts_variant *ts_variant_get(void);

extern const struct ts_variant ts_variant_scalar;
extern const struct ts_variant ts_variant_avx2;   /* only where TS_KERNELS_AVX2 is defined */
extern const struct ts_variant ts_variant_avx512; /* only where TS_KERNELS_AVX512 is defined */

#endif
