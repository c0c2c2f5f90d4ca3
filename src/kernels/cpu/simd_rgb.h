/* Sixteen interleaved RGB pixels to three vectors of bytes and back, for the variants on x86.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Byte i of a channel lies at byte 3 i + channel of the three vectors of pixels; each vector gives what it holds of a
 * channel by one shuffle, and the three parts are joined. */
#ifndef TS_KERNELS_CPU_SIMD_RGB_H
#define TS_KERNELS_CPU_SIMD_RGB_H

#include <immintrin.h>
#include <stdint.h>

enum { TS_RGB_PIXELS = 16 };

struct ts_rgb16 {
  __m128i red, green, blue;
};

/* The bytes in the first, second and third vector of the channel that begins at byte 0, 1, 2. */
#define TS_PICK_R0 _mm_setr_epi8(0, 3, 6, 9, 12, 15, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1)
#define TS_PICK_R1 _mm_setr_epi8(-1, -1, -1, -1, -1, -1, 2, 5, 8, 11, 14, -1, -1, -1, -1, -1)
#define TS_PICK_R2 _mm_setr_epi8(-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 1, 4, 7, 10, 13)
#define TS_PICK_G0 _mm_setr_epi8(1, 4, 7, 10, 13, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1)
#define TS_PICK_G1 _mm_setr_epi8(-1, -1, -1, -1, -1, 0, 3, 6, 9, 12, 15, -1, -1, -1, -1, -1)
#define TS_PICK_G2 _mm_setr_epi8(-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 2, 5, 8, 11, 14)
#define TS_PICK_B0 _mm_setr_epi8(2, 5, 8, 11, 14, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1)
#define TS_PICK_B1 _mm_setr_epi8(-1, -1, -1, -1, -1, 1, 4, 7, 10, 13, -1, -1, -1, -1, -1, -1)
#define TS_PICK_B2 _mm_setr_epi8(-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 3, 6, 9, 12, 15)

static inline __m128i ts_rgb_join(__m128i a, __m128i b, __m128i c) { return _mm_or_si128(_mm_or_si128(a, b), c); }

static inline __m128i ts_rgb_load_red(const uint8_t *rgb) {
  __m128i p = _mm_loadu_si128((const __m128i *)rgb);
  __m128i q = _mm_loadu_si128((const __m128i *)(rgb + 16));
  __m128i r = _mm_loadu_si128((const __m128i *)(rgb + 32));
  return ts_rgb_join(_mm_shuffle_epi8(p, TS_PICK_R0), _mm_shuffle_epi8(q, TS_PICK_R1), _mm_shuffle_epi8(r, TS_PICK_R2));
}

static inline struct ts_rgb16 ts_rgb_load(const uint8_t *rgb) {
  __m128i p = _mm_loadu_si128((const __m128i *)rgb);
  __m128i q = _mm_loadu_si128((const __m128i *)(rgb + 16));
  __m128i r = _mm_loadu_si128((const __m128i *)(rgb + 32));
  return (struct ts_rgb16){.red = ts_rgb_load_red(rgb),
                           .green = ts_rgb_join(_mm_shuffle_epi8(p, TS_PICK_G0), _mm_shuffle_epi8(q, TS_PICK_G1),
                                                _mm_shuffle_epi8(r, TS_PICK_G2)),
                           .blue = ts_rgb_join(_mm_shuffle_epi8(p, TS_PICK_B0), _mm_shuffle_epi8(q, TS_PICK_B1),
                                               _mm_shuffle_epi8(r, TS_PICK_B2))};
}

/* Where the three channels go in the first, second and third vector of pixels. */
#define TS_PUT_R0 _mm_setr_epi8(0, -1, -1, 1, -1, -1, 2, -1, -1, 3, -1, -1, 4, -1, -1, 5)
#define TS_PUT_G0 _mm_setr_epi8(-1, 0, -1, -1, 1, -1, -1, 2, -1, -1, 3, -1, -1, 4, -1, -1)
#define TS_PUT_B0 _mm_setr_epi8(-1, -1, 0, -1, -1, 1, -1, -1, 2, -1, -1, 3, -1, -1, 4, -1)
#define TS_PUT_R1 _mm_setr_epi8(-1, -1, 6, -1, -1, 7, -1, -1, 8, -1, -1, 9, -1, -1, 10, -1)
#define TS_PUT_G1 _mm_setr_epi8(5, -1, -1, 6, -1, -1, 7, -1, -1, 8, -1, -1, 9, -1, -1, 10)
#define TS_PUT_B1 _mm_setr_epi8(-1, 5, -1, -1, 6, -1, -1, 7, -1, -1, 8, -1, -1, 9, -1, -1)
#define TS_PUT_R2 _mm_setr_epi8(-1, 11, -1, -1, 12, -1, -1, 13, -1, -1, 14, -1, -1, 15, -1, -1)
#define TS_PUT_G2 _mm_setr_epi8(-1, -1, 11, -1, -1, 12, -1, -1, 13, -1, -1, 14, -1, -1, 15, -1)
#define TS_PUT_B2 _mm_setr_epi8(10, -1, -1, 11, -1, -1, 12, -1, -1, 13, -1, -1, 14, -1, -1, 15)

static inline void ts_rgb_store(uint8_t *rgb, struct ts_rgb16 c) {
  __m128i p = ts_rgb_join(_mm_shuffle_epi8(c.red, TS_PUT_R0), _mm_shuffle_epi8(c.green, TS_PUT_G0),
                          _mm_shuffle_epi8(c.blue, TS_PUT_B0));
  __m128i q = ts_rgb_join(_mm_shuffle_epi8(c.red, TS_PUT_R1), _mm_shuffle_epi8(c.green, TS_PUT_G1),
                          _mm_shuffle_epi8(c.blue, TS_PUT_B1));
  __m128i r = ts_rgb_join(_mm_shuffle_epi8(c.red, TS_PUT_R2), _mm_shuffle_epi8(c.green, TS_PUT_G2),
                          _mm_shuffle_epi8(c.blue, TS_PUT_B2));
  _mm_storeu_si128((__m128i *)rgb, p);
  _mm_storeu_si128((__m128i *)(rgb + 16), q);
  _mm_storeu_si128((__m128i *)(rgb + 32), r);
}

#endif
