/* The innermost loops with AVX-512: 64 bytes at once, and masks that are the bits wanted.
 * SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <immintrin.h>
#include <string.h>

#include "kernels/cpu/rows_avx2.h"
#include "kernels/cpu/simd_rgb.h"
#include "kernels/cpu/variant.h"

enum { WORD = 64 };

static inline __m512i load(const void *from) { return _mm512_loadu_si512(from); }
static inline void store(void *to, __m512i v) { _mm512_storeu_si512(to, v); }

/* The bits of the places from x up to the width, at most a word. */
static inline __mmask64 inside(int64_t x, int64_t width) {
  return width - x >= WORD ? ~UINT64_C(0) : ~UINT64_C(0) >> (WORD - (width - x));
}

/* ---- Bits ---- */

static void pack(const uint8_t *row, int64_t width, uint8_t limit, uint64_t *bits) {
  __m512i limits = _mm512_set1_epi8((char)limit);
  for (int64_t x = 0; x < width; x += WORD)
    *bits++ = _mm512_cmpgt_epu8_mask(_mm512_maskz_loadu_epi8(inside(x, width), row + x), limits);
}

static void unpack(const uint64_t *bits, int64_t width, uint8_t *row) {
  for (int64_t x = 0; x < width; x += WORD)
    _mm512_mask_storeu_epi8(row + x, inside(x, width), _mm512_movm_epi8(*bits++));
}

static void subtract(const uint8_t *a, const uint8_t *b, int64_t width, uint8_t limit, uint8_t *difference,
                     uint64_t *bits) {
  __m512i limits = _mm512_set1_epi8((char)limit);
  for (int64_t x = 0; x < width; x += WORD) {
    __mmask64 here = inside(x, width);
    __m512i d = _mm512_sub_epi8(_mm512_maskz_loadu_epi8(here, a + x), _mm512_maskz_loadu_epi8(here, b + x));
    _mm512_mask_storeu_epi8(difference + x, here, d);
    *bits++ = _mm512_cmpgt_epu8_mask(d, limits);
  }
}

/* ---- Colours ---- */

/* The bits of sixteen pixels, added at a place of the words. Returns how many are bright. */
static inline int red_cells_16(const uint8_t *rgb, const struct ts_red_cells_limits *limits, int at, uint64_t *starts,
                               uint64_t *continues, uint64_t *redder) {
  struct ts_rgb16 c = ts_rgb_load(rgb);
  __m512 r = _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(c.red));
  __m512 g = _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(c.green));
  __m512 ratio = _mm512_div_ps(r, _mm512_add_ps(g, _mm512_set1_ps(FLT_EPSILON)));
  *starts |= (uint64_t)_mm512_cmp_ps_mask(ratio, _mm512_set1_ps(limits->t1), _CMP_GT_OQ) << at;
  *continues |= (uint64_t)_mm512_cmp_ps_mask(ratio, _mm512_set1_ps(limits->t2), _CMP_GT_OQ) << at;
  *redder |= (uint64_t)_mm_cmpgt_epu8_mask(c.red, c.blue) << at;
  return __builtin_popcount((unsigned)(_mm_cmpgt_epu8_mask(c.red, _mm_set1_epi8((char)limits->red)) &
                                       _mm_cmpgt_epu8_mask(c.green, _mm_set1_epi8((char)limits->green)) &
                                       _mm_cmpgt_epu8_mask(c.blue, _mm_set1_epi8((char)limits->blue))));
}

static bool is_byte(int limit) { return limit >= 0 && limit <= 255; }

static int64_t red_cells(const uint8_t *rgb, int64_t width, const struct ts_red_cells_limits *limits, uint64_t *starts,
                         uint64_t *continues, uint64_t *redder) {
  if (!is_byte(limits->red) || !is_byte(limits->green) || !is_byte(limits->blue))
    return ts_variant_scalar.red_cells(rgb, width, limits, starts, continues, redder);
  int64_t bright = 0;
  int64_t x = 0;
  for (; x + WORD <= width; x += WORD, starts++, continues++, redder++) {
    *starts = *continues = *redder = 0;
    for (int i = 0; i < WORD; i += TS_RGB_PIXELS)
      bright += red_cells_16(rgb + 3 * (x + i), limits, i, starts, continues, redder);
  }
  if (x == width) return bright;
  return bright + ts_variant_scalar.red_cells(rgb + 3 * x, width - x, limits, starts, continues, redder);
}

/* ---- Morphology ---- */

static void min_of_two(uint8_t *to, const uint8_t *a, const uint8_t *b, int64_t count) {
  for (int64_t i = 0; i < count; i += WORD) store(to + i, _mm512_min_epu8(load(a + i), load(b + i)));
}

static void min_into(uint8_t *to, const uint8_t *a, const uint8_t *b, int64_t count) {
  for (int64_t i = 0; i < count; i += WORD)
    store(to + i, _mm512_min_epu8(load(to + i), _mm512_min_epu8(load(a + i), load(b + i))));
}

/* ---- Reconstruction ---- */

static inline __m512i around(const uint8_t *at) { return _mm512_max_epu8(load(at - 1), load(at + 1)); }

/* The higher of each byte's two neighbours in the block; 0 beyond its ends. */
static inline __m512i beside(__m512i v) {
  __m512i zero = _mm512_setzero_si512();
  __m512i left = _mm512_alignr_epi8(v, _mm512_alignr_epi64(v, zero, 6), 15);
  __m512i right = _mm512_alignr_epi8(_mm512_alignr_epi64(zero, v, 2), v, 1);
  return _mm512_max_epu8(left, right);
}

static unsigned relax_u8(const struct ts_relax_block *block) {
  uint8_t *value = block->value;
  const uint8_t *mask_at = block->mask;
  __m512i old = load(value);
  __m512i mask = load(mask_at);
  __m512i now =
      _mm512_max_epu8(_mm512_max_epu8(old, around(value)), _mm512_max_epu8(load(block->above), load(block->below)));
  if (block->corners) now = _mm512_max_epu8(now, _mm512_max_epu8(around(block->above), around(block->below)));
  now = _mm512_min_epu8(now, mask);
  if (_mm512_cmpneq_epu8_mask(now, old) == 0) return 0;
  __m512i before;
  do {
    before = now;
    now = _mm512_min_epu8(_mm512_max_epu8(now, beside(now)), mask);
  } while (_mm512_cmpneq_epu8_mask(now, before) != 0);
  store(value, now);
  uint64_t changed = _mm512_cmpneq_epu8_mask(now, old);
  unsigned result = TS_RELAX_CHANGED;
  if (changed & 1) result |= TS_RELAX_LEFT_CHANGED;
  if (changed >> 63) result |= TS_RELAX_RIGHT_CHANGED;
  if (value[-1] < value[0] && value[-1] < mask_at[-1]) result |= TS_RELAX_RAISES_LEFT;
  if (value[64] < value[63] && value[64] < mask_at[64]) result |= TS_RELAX_RAISES_RIGHT;
  return result;
}

static inline __m512 around_f(const float *at) {
  return _mm512_max_ps(_mm512_loadu_ps(at - 1), _mm512_loadu_ps(at + 1));
}

/* The higher of each value's two neighbours in the block; the lowest float beyond its ends. */
static inline __m512 beside_f(__m512 v) {
  __m512i lowest = _mm512_castps_si512(_mm512_set1_ps(-FLT_MAX));
  __m512i bits = _mm512_castps_si512(v);
  return _mm512_max_ps(_mm512_castsi512_ps(_mm512_alignr_epi32(bits, lowest, 15)),
                       _mm512_castsi512_ps(_mm512_alignr_epi32(lowest, bits, 1)));
}

static unsigned relax_f32(const struct ts_relax_block *block) {
  float *value = block->value;
  const float *mask_at = block->mask;
  __m512 old = _mm512_loadu_ps(value);
  __m512 mask = _mm512_loadu_ps(mask_at);
  __m512 now = _mm512_max_ps(_mm512_max_ps(old, around_f(value)),
                             _mm512_max_ps(_mm512_loadu_ps(block->above), _mm512_loadu_ps(block->below)));
  if (block->corners) now = _mm512_max_ps(now, _mm512_max_ps(around_f(block->above), around_f(block->below)));
  now = _mm512_min_ps(now, mask);
  if (_mm512_cmp_ps_mask(now, old, _CMP_NEQ_UQ) == 0) return 0;
  __m512 before;
  do {
    before = now;
    now = _mm512_min_ps(_mm512_max_ps(now, beside_f(now)), mask);
  } while (_mm512_cmp_ps_mask(now, before, _CMP_NEQ_UQ) != 0);
  _mm512_storeu_ps(value, now);
  unsigned changed = _mm512_cmp_ps_mask(now, old, _CMP_NEQ_UQ);
  unsigned result = TS_RELAX_CHANGED;
  if (changed & 1) result |= TS_RELAX_LEFT_CHANGED;
  if (changed >> 15) result |= TS_RELAX_RIGHT_CHANGED;
  if (value[-1] < value[0] && value[-1] < mask_at[-1]) result |= TS_RELAX_RAISES_LEFT;
  if (value[16] < value[15] && value[16] < mask_at[16]) result |= TS_RELAX_RAISES_RIGHT;
  return result;
}

/* ---- Distances and domes ---- */

static void look_aside(int16_t *nearest, const int16_t *squares, int64_t count, int d) {
  const __m512i step = _mm512_set1_epi16((short)(d * d));
  for (int64_t x = 0; x < count; x += 32) {
    __m512i low = _mm512_min_epi16(load(squares + x - d), load(squares + x + d));
    store(nearest + x, _mm512_min_epi16(load(nearest + x), _mm512_add_epi16(low, step)));
  }
}

static void lower_f32(float *to, const float *from, int64_t count) {
  const __m512 one = _mm512_set1_ps(1.0f);
  for (int64_t x = 0; x < count; x += 16) _mm512_storeu_ps(to + x, _mm512_sub_ps(_mm512_loadu_ps(from + x), one));
}

const struct ts_variant ts_variant_avx512 = {
    .pack = pack,
    .unpack = unpack,
    .subtract = subtract,
    .count_runs = ts_count_runs_avx2,
    .take_channel = ts_take_channel_avx2,
    .red_cells = red_cells,
    .min_of_two = min_of_two,
    .min_into = min_into,
    .relax_u8 = relax_u8,
    .relax_f32 = relax_f32,
    .look_aside = look_aside,
    .lower_f32 = lower_f32,
};
