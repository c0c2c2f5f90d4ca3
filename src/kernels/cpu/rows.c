/* The innermost loops in plain C: the reference for all variants.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Bytes are taken eight at a time in 64-bit words where that helps; loops over TS_CHUNK bytes have a fixed length,
 * which the compiler turns into the vector instructions that every processor of its target has. */
#include <string.h>

#include "kernels/cpu/variant.h"

enum { WORD = 64 };

/* ---- Bits ---- */

#define LOW_BITS  UINT64_C(0x7f7f7f7f7f7f7f7f)
#define HIGH_BITS UINT64_C(0x8080808080808080)
#define ONES      UINT64_C(0x0101010101010101)

/* Eight bytes as a number whose lowest byte is the first. */
static inline uint64_t load8(const uint8_t *bytes) {
  uint64_t word;
  memcpy(&word, bytes, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  word = __builtin_bswap64(word);
#endif
  return word;
}

static inline void store8(uint8_t *bytes, uint64_t word) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  word = __builtin_bswap64(word);
#endif
  memcpy(bytes, &word, sizeof word);
}

/* The highest bit of each byte that exceeds the limit. */
static inline uint64_t above(uint64_t bytes, uint8_t limit) {
  uint64_t low = (bytes & LOW_BITS) + ONES * (uint64_t)(0x7f - (limit & 0x7f)); /* carries where the low bits exceed */
  return (limit & 0x80 ? low & bytes : low | bytes) & HIGH_BITS;
}

/* The eight highest bits next to each other. */
static inline uint64_t gathered(uint64_t high_bits) { return (high_bits >> 7) * UINT64_C(0x0102040810204080) >> 56; }

static inline uint64_t pack_word(const uint8_t *row, uint8_t limit) {
  uint64_t word = 0;
  for (int i = 0; i < WORD; i += 8) word |= gathered(above(load8(row + i), limit)) << i;
  return word;
}

static void pack(const uint8_t *row, int64_t width, uint8_t limit, uint64_t *bits) {
  int64_t x = 0;
  for (; x + WORD <= width; x += WORD) *bits++ = pack_word(row + x, limit);
  if (x == width) return;
  *bits = 0;
  for (int i = 0; x + i < width; i++) *bits |= (uint64_t)(row[x + i] > limit) << i;
}

static void unpack(const uint64_t *bits, int64_t width, uint8_t *row) {
  int64_t x = 0;
  for (; x + 8 <= width; x += 8) {
    uint64_t eight = bits[x / WORD] >> x % WORD & 0xff;
    uint64_t set = eight * ONES & UINT64_C(0x8040201008040201); /* bit i alone in byte i */
    store8(row + x, (((set + LOW_BITS) & HIGH_BITS) >> 7) * 255);
  }
  for (; x < width; x++) row[x] = (uint8_t) - (bits[x / WORD] >> x % WORD & 1);
}

static void subtract(const uint8_t *a, const uint8_t *b, int64_t width, uint8_t limit, uint8_t *difference,
                     uint64_t *bits) {
  int64_t x = 0;
  for (; x + TS_CHUNK <= width; x += TS_CHUNK) {
    uint8_t out[TS_CHUNK];
    for (int i = 0; i < TS_CHUNK; i++) out[i] = (uint8_t)(a[x + i] - b[x + i]);
    memcpy(difference + x, out, TS_CHUNK);
  }
  for (; x < width; x++) difference[x] = (uint8_t)(a[x] - b[x]);
  pack(difference, width, limit, bits);
}

static inline int32_t count_ones(uint64_t word) { /* the builtin would be a call of a function */
  word -= word >> 1 & UINT64_C(0x5555555555555555);
  word = (word & UINT64_C(0x3333333333333333)) + (word >> 2 & UINT64_C(0x3333333333333333));
  return (int32_t)(((word + (word >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f)) * ONES >> 56);
}

static int32_t count_runs(const uint64_t *bits, int64_t words, uint64_t flip, uint64_t tail) {
  int32_t count = 0;
  uint64_t before = 0;
  for (int64_t i = 0; i < words; i++) {
    uint64_t word = bits[i] ^ flip;
    if (i + 1 == words) word &= tail;
    count += count_ones(word & ~(word << 1 | before));
    before = word >> 63;
  }
  return count;
}

/* ---- Colours ---- */

static void take_channel(const uint8_t *first, int64_t width, uint8_t flip, uint8_t *out) {
  for (int64_t x = 0; x < width; x++) out[x] = first[3 * x] ^ flip;
}

static int64_t red_cells(const uint8_t *rgb, int64_t width, const struct ts_red_cells_limits *limits, uint64_t *starts,
                         uint64_t *continues, uint64_t *redder) {
  int64_t bright = 0;
  for (int64_t x = 0; x < width; x += WORD, starts++, continues++, redder++) {
    *starts = *continues = *redder = 0;
    for (int i = 0; i < WORD && x + i < width; i++) {
      const uint8_t *pixel = rgb + 3 * (x + i);
      int red = pixel[0];
      int green = pixel[1];
      int blue = pixel[2];
      bright += (red > limits->red) & (green > limits->green) & (blue > limits->blue);
      *starts |= (uint64_t)(red >= limits->smallest1[green]) << i;
      *continues |= (uint64_t)(red >= limits->smallest2[green]) << i;
      *redder |= (uint64_t)(red > blue) << i;
    }
  }
  return bright;
}

/* ---- Morphology ---- */

static void min_of_two(uint8_t *restrict to, const uint8_t *a, const uint8_t *b, int64_t count) {
  for (int64_t done = 0; done < count; done += TS_CHUNK)
    for (int i = 0; i < TS_CHUNK; i++) {
      uint8_t p = a[done + i];
      uint8_t q = b[done + i];
      to[done + i] = p < q ? p : q;
    }
}

static void min_into(uint8_t *restrict to, const uint8_t *a, const uint8_t *b, int64_t count) {
  for (int64_t done = 0; done < count; done += TS_CHUNK)
    for (int i = 0; i < TS_CHUNK; i++) {
      uint8_t p = a[done + i];
      uint8_t q = b[done + i];
      uint8_t low = p < q ? p : q;
      uint8_t old = to[done + i];
      to[done + i] = low < old ? low : old;
    }
}

/* ---- Reconstruction ---- */

#define RELAX_NAME         relax_u8
#define RELAX_PIXEL        uint8_t
#define RELAX_DIFFER(a, b) ((a) ^ (b))
#include "kernels/cpu/relax_body.h"

#define RELAX_NAME         relax_f32
#define RELAX_PIXEL        float
#define RELAX_DIFFER(a, b) ((a) != (b))
#include "kernels/cpu/relax_body.h"

/* ---- Distances and domes ---- */

static void look_aside(int16_t *restrict nearest, const int16_t *restrict squares, int64_t count, int d) {
  enum { SHORTS = TS_CHUNK / sizeof(int16_t) };
  for (int64_t x = 0; x < count; x += SHORTS)
    for (int i = 0; i < SHORTS; i++) {
      int16_t left = squares[x + i - d];
      int16_t right = squares[x + i + d];
      int16_t low = (int16_t)((left < right ? left : right) + d * d);
      nearest[x + i] = nearest[x + i] < low ? nearest[x + i] : low;
    }
}

static void lower_f32(float *restrict to, const float *restrict from, int64_t count) {
  enum { FLOATS = TS_CHUNK / sizeof(float) };
  for (int64_t x = 0; x < count; x += FLOATS)
    for (int i = 0; i < FLOATS; i++) to[x + i] = from[x + i] - 1.0f;
}

const struct ts_variant ts_variant_scalar = {
    .pack = pack,
    .unpack = unpack,
    .subtract = subtract,
    .count_runs = count_runs,
    .take_channel = take_channel,
    .red_cells = red_cells,
    .min_of_two = min_of_two,
    .min_into = min_into,
    .relax_u8 = relax_u8,
    .relax_f32 = relax_f32,
    .look_aside = look_aside,
    .lower_f32 = lower_f32,
};
