/* The innermost loops with AVX2: 32 bytes at once.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/cpu/rows_avx2.h"

#include <float.h>
#include <immintrin.h>
#include <string.h>

#include "kernels/cpu/simd_rgb.h"
#include "kernels/cpu/variant.h"

enum { WORD = 64 };

static inline __m256i load(const void *from) { return _mm256_loadu_si256(from); }
static inline void store(void *to, __m256i v) { _mm256_storeu_si256(to, v); }

/* ---- Bits ---- */

/* The bits of 32 bytes that exceed the limit. */
static inline uint32_t bits_above(__m256i bytes, __m256i limit) {
  __m256i not_above = _mm256_cmpeq_epi8(_mm256_subs_epu8(bytes, limit), _mm256_setzero_si256());
  return ~(uint32_t)_mm256_movemask_epi8(not_above);
}

static inline uint64_t word_above(const uint8_t *row, __m256i limit) {
  return bits_above(load(row), limit) | (uint64_t)bits_above(load(row + 32), limit) << 32;
}

static void pack(const uint8_t *row, int64_t width, uint8_t limit, uint64_t *bits) {
  __m256i limits = _mm256_set1_epi8((char)limit);
  int64_t x = 0;
  for (; x + WORD <= width; x += WORD) *bits++ = word_above(row + x, limits);
  if (x == width) return;
  uint8_t rest[WORD] = {0}; /* zeros exceed nothing */
  memcpy(rest, row + x, (size_t)(width - x));
  *bits = word_above(rest, limits);
}

/* Byte i of 32 gets 255 if bit i is set: each byte takes the byte that holds its bit and looks at that bit alone. */
static inline __m256i bytes_of(uint32_t bits) {
  const __m256i holder =
      _mm256_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3);
  const __m256i bit = _mm256_set1_epi64x((long long)0x8040201008040201);
  __m256i spread = _mm256_shuffle_epi8(_mm256_set1_epi32((int)bits), holder);
  return _mm256_cmpeq_epi8(_mm256_and_si256(spread, bit), bit);
}

static void unpack(const uint64_t *bits, int64_t width, uint8_t *row) {
  int64_t x = 0;
  for (; x + WORD <= width; x += WORD, bits++) {
    store(row + x, bytes_of((uint32_t)*bits));
    store(row + x + 32, bytes_of((uint32_t)(*bits >> 32)));
  }
  if (x == width) return;
  uint8_t rest[WORD];
  store(rest, bytes_of((uint32_t)*bits));
  store(rest + 32, bytes_of((uint32_t)(*bits >> 32)));
  memcpy(row + x, rest, (size_t)(width - x));
}

static void subtract(const uint8_t *a, const uint8_t *b, int64_t width, uint8_t limit, uint8_t *difference,
                     uint64_t *bits) {
  int64_t x = 0;
  for (; x + 32 <= width; x += 32) store(difference + x, _mm256_sub_epi8(load(a + x), load(b + x)));
  for (; x < width; x++) difference[x] = (uint8_t)(a[x] - b[x]);
  pack(difference, width, limit, bits);
}

/* These processors count bits in one instruction. */
int32_t ts_count_runs_avx2(const uint64_t *bits, int64_t words, uint64_t flip, uint64_t tail) {
  int32_t count = 0;
  uint64_t before = 0;
  for (int64_t i = 0; i < words; i++) {
    uint64_t word = bits[i] ^ flip;
    if (i + 1 == words) word &= tail;
    count += __builtin_popcountll(word & ~(word << 1 | before));
    before = word >> 63;
  }
  return count;
}

/* ---- Colours ---- */

/* The three vectors reach up to two bytes behind their last pixel: the last pixels of a row are taken one by one. */
void ts_take_channel_avx2(const uint8_t *first, int64_t width, uint8_t flip, uint8_t *out) {
  int64_t x = 0;
  for (; x + TS_RGB_PIXELS < width; x += TS_RGB_PIXELS)
    _mm_storeu_si128((__m128i *)(out + x), _mm_xor_si128(ts_rgb_load_red(first + 3 * x), _mm_set1_epi8((char)flip)));
  for (; x < width; x++) out[x] = first[3 * x] ^ flip;
}

/* Bits of eight pixels whose ratio of red to green exceeds the limit. */
static inline uint32_t ratio_bits(__m128i red, __m128i green, float t1, float t2, uint32_t *continues) {
  __m256 r = _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(red));
  __m256 g = _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(green));
  __m256 ratio = _mm256_div_ps(r, _mm256_add_ps(g, _mm256_set1_ps(FLT_EPSILON)));
  *continues = (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(ratio, _mm256_set1_ps(t2), _CMP_GT_OQ));
  return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(ratio, _mm256_set1_ps(t1), _CMP_GT_OQ));
}

static inline uint32_t bits_above_16(__m128i bytes, __m128i limit) {
  return 0xffff & ~(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_subs_epu8(bytes, limit), _mm_setzero_si128()));
}

/* The bits of sixteen pixels, added at a place of the words. Returns how many are bright. */
static inline int red_cells_16(const uint8_t *rgb, const struct ts_red_cells_limits *limits, int at, uint64_t *starts,
                               uint64_t *continues, uint64_t *redder) {
  struct ts_rgb16 c = ts_rgb_load(rgb);
  uint32_t continues_low;
  uint32_t continues_high;
  uint32_t low = ratio_bits(c.red, c.green, limits->t1, limits->t2, &continues_low);
  uint32_t high =
      ratio_bits(_mm_srli_si128(c.red, 8), _mm_srli_si128(c.green, 8), limits->t1, limits->t2, &continues_high);
  *starts |= (uint64_t)(low | high << 8) << at;
  *continues |= (uint64_t)(continues_low | continues_high << 8) << at;
  *redder |= (uint64_t)bits_above_16(c.red, c.blue) << at;
  return __builtin_popcount(bits_above_16(c.red, _mm_set1_epi8((char)limits->red)) &
                            bits_above_16(c.green, _mm_set1_epi8((char)limits->green)) &
                            bits_above_16(c.blue, _mm_set1_epi8((char)limits->blue)));
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
  for (int64_t i = 0; i < count; i += 32) store(to + i, _mm256_min_epu8(load(a + i), load(b + i)));
}

static void min_into(uint8_t *to, const uint8_t *a, const uint8_t *b, int64_t count) {
  for (int64_t i = 0; i < count; i += 32)
    store(to + i, _mm256_min_epu8(load(to + i), _mm256_min_epu8(load(a + i), load(b + i))));
}

/* ---- Reconstruction of bytes ---- */

/* The 64 bytes of a block. */
struct pair {
  __m256i low, high;
};

static inline struct pair load_pair(const uint8_t *from) { return (struct pair){load(from), load(from + 32)}; }

static inline struct pair higher(struct pair a, struct pair b) {
  return (struct pair){_mm256_max_epu8(a.low, b.low), _mm256_max_epu8(a.high, b.high)};
}

static inline struct pair lower(struct pair a, struct pair b) {
  return (struct pair){_mm256_min_epu8(a.low, b.low), _mm256_min_epu8(a.high, b.high)};
}

static inline uint64_t differences(struct pair a, struct pair b) {
  uint32_t low = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(a.low, b.low));
  uint32_t high = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(a.high, b.high));
  return ~(low | (uint64_t)high << 32);
}

static inline struct pair around(const uint8_t *at) { return higher(load_pair(at - 1), load_pair(at + 1)); }

/* The higher of each byte's two neighbours in the block; 0 beyond its ends. */
static inline struct pair beside(struct pair v) {
  __m256i zero_low = _mm256_permute2x128_si256(v.low, v.low, 0x08);    /* 0, first half */
  __m256i middle = _mm256_permute2x128_si256(v.low, v.high, 0x21);     /* second half of low, first half of high */
  __m256i high_zero = _mm256_permute2x128_si256(v.high, v.high, 0x81); /* second half, 0 */
  struct pair left = {_mm256_alignr_epi8(v.low, zero_low, 15), _mm256_alignr_epi8(v.high, middle, 15)};
  struct pair right = {_mm256_alignr_epi8(middle, v.low, 1), _mm256_alignr_epi8(high_zero, v.high, 1)};
  return higher(left, right);
}

static unsigned relax_u8(const struct ts_relax_block *block) {
  uint8_t *value = block->value;
  const uint8_t *mask_at = block->mask;
  struct pair old = load_pair(value);
  struct pair mask = load_pair(mask_at);
  struct pair now = higher(higher(old, around(value)), higher(load_pair(block->above), load_pair(block->below)));
  if (block->corners) now = higher(now, higher(around(block->above), around(block->below)));
  now = lower(now, mask);
  if (differences(now, old) == 0) return 0;
  struct pair before;
  do {
    before = now;
    now = lower(higher(now, beside(now)), mask);
  } while (differences(now, before) != 0);
  store(value, now.low);
  store(value + 32, now.high);
  uint64_t changed = differences(now, old);
  unsigned result = TS_RELAX_CHANGED;
  if (changed & 1) result |= TS_RELAX_LEFT_CHANGED;
  if (changed >> 63) result |= TS_RELAX_RIGHT_CHANGED;
  if (value[-1] < value[0] && value[-1] < mask_at[-1]) result |= TS_RELAX_RAISES_LEFT;
  if (value[64] < value[63] && value[64] < mask_at[64]) result |= TS_RELAX_RAISES_RIGHT;
  return result;
}

/* ---- Reconstruction of floats: sixteen in two vectors ---- */

struct floats {
  __m256 low, high;
};

static inline struct floats load_floats(const float *from) {
  return (struct floats){_mm256_loadu_ps(from), _mm256_loadu_ps(from + 8)};
}

static inline struct floats higher_f(struct floats a, struct floats b) {
  return (struct floats){_mm256_max_ps(a.low, b.low), _mm256_max_ps(a.high, b.high)};
}

static inline struct floats lower_f(struct floats a, struct floats b) {
  return (struct floats){_mm256_min_ps(a.low, b.low), _mm256_min_ps(a.high, b.high)};
}

static inline unsigned differences_f(struct floats a, struct floats b) {
  return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(a.low, b.low, _CMP_NEQ_UQ)) |
         (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(a.high, b.high, _CMP_NEQ_UQ)) << 8;
}

static inline struct floats around_f(const float *at) { return higher_f(load_floats(at - 1), load_floats(at + 1)); }

/* The higher of each value's two neighbours in the block; beyond its ends the value itself. */
static inline struct floats beside_f(struct floats v) {
  const __m256i to_right = _mm256_setr_epi32(0, 0, 1, 2, 3, 4, 5, 6);
  const __m256i to_left = _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 7);
  __m256 low_right = _mm256_permutevar8x32_ps(v.low, to_right);
  __m256 low_left = _mm256_permutevar8x32_ps(v.low, to_left);
  __m256 high_right = _mm256_permutevar8x32_ps(v.high, to_right);
  __m256 high_left = _mm256_permutevar8x32_ps(v.high, to_left);
  const __m256i last = _mm256_set1_epi32(7);
  const __m256i first = _mm256_setzero_si256();
  high_right = _mm256_blend_ps(high_right, _mm256_permutevar8x32_ps(v.low, last), 0x01);
  low_left = _mm256_blend_ps(low_left, _mm256_permutevar8x32_ps(v.high, first), 0x80);
  return (struct floats){_mm256_max_ps(low_right, low_left), _mm256_max_ps(high_right, high_left)};
}

static unsigned relax_f32(const struct ts_relax_block *block) {
  float *value = block->value;
  const float *mask_at = block->mask;
  struct floats old = load_floats(value);
  struct floats mask = load_floats(mask_at);
  struct floats now =
      higher_f(higher_f(old, around_f(value)), higher_f(load_floats(block->above), load_floats(block->below)));
  if (block->corners) now = higher_f(now, higher_f(around_f(block->above), around_f(block->below)));
  now = lower_f(now, mask);
  if (differences_f(now, old) == 0) return 0;
  struct floats before;
  do {
    before = now;
    now = lower_f(higher_f(now, beside_f(now)), mask);
  } while (differences_f(now, before) != 0);
  _mm256_storeu_ps(value, now.low);
  _mm256_storeu_ps(value + 8, now.high);
  unsigned changed = differences_f(now, old);
  unsigned result = TS_RELAX_CHANGED;
  if (changed & 1) result |= TS_RELAX_LEFT_CHANGED;
  if (changed >> 15) result |= TS_RELAX_RIGHT_CHANGED;
  if (value[-1] < value[0] && value[-1] < mask_at[-1]) result |= TS_RELAX_RAISES_LEFT;
  if (value[16] < value[15] && value[16] < mask_at[16]) result |= TS_RELAX_RAISES_RIGHT;
  return result;
}

/* ---- Distances and domes ---- */

static void look_aside(int16_t *nearest, const int16_t *squares, int64_t count, int d) {
  const __m256i step = _mm256_set1_epi16((short)(d * d));
  for (int64_t x = 0; x < count; x += 16) {
    __m256i low = _mm256_min_epi16(load(squares + x - d), load(squares + x + d));
    store(nearest + x, _mm256_min_epi16(load(nearest + x), _mm256_add_epi16(low, step)));
  }
}

static void lower_f32(float *to, const float *from, int64_t count) {
  const __m256 one = _mm256_set1_ps(1.0f);
  for (int64_t x = 0; x < count; x += 8) _mm256_storeu_ps(to + x, _mm256_sub_ps(_mm256_loadu_ps(from + x), one));
}

const struct ts_variant ts_variant_avx2 = {
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
