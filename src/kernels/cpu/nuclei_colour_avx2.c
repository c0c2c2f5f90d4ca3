/* The two loops of the normalisation with AVX2: four pixels at once.
 * SPDX-License-Identifier: Apache-2.0 */
#include <immintrin.h>
#include <string.h>

#include "kernels/cpu/nuclei_colour.h"

enum { BLOCK = 64, LANES = 4 };

typedef double doubles __attribute__((vector_size(LANES * 8)));
typedef uint64_t longs __attribute__((vector_size(LANES * 8)));
typedef float floats __attribute__((vector_size(LANES * 4)));
typedef int32_t ints __attribute__((vector_size(LANES * 4)));

/* A block of pixels, and room for as many more. */
struct pixels {
  _Alignas(64) uint8_t red[2 * BLOCK];
  uint8_t green[2 * BLOCK];
  uint8_t blue[2 * BLOCK];
};

/* -1 for the foreground, else 0. */
struct marks {
  _Alignas(64) int32_t of[BLOCK];
};

static inline doubles bytes_to_doubles(const uint8_t *bytes) {
  int four;
  memcpy(&four, bytes, sizeof four);
  return (doubles)_mm256_cvtepi32_pd(_mm_cvtepu8_epi32(_mm_cvtsi32_si128(four)));
}

static inline doubles multiply_add(doubles a, doubles b, doubles c) {
  return (doubles)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}

static inline floats multiply_add_floats(floats a, floats b, floats c) {
  return (floats)_mm_fmadd_ps((__m128)a, (__m128)b, (__m128)c);
}

static inline doubles limit(doubles d) {
  return (doubles)_mm256_min_pd(_mm256_max_pd((__m256d)d, _mm256_setzero_pd()), _mm256_set1_pd(255.0));
}

static inline floats narrow(doubles d) { return (floats)_mm256_cvtpd_ps((__m256d)d); }
static inline doubles widen(floats f) { return (doubles)_mm256_cvtps_pd((__m128)f); }

static inline void doubles_to_bytes(uint8_t *bytes, doubles d) {
  __m128i words = _mm_packus_epi32(_mm256_cvttpd_epi32((__m256d)d), _mm_setzero_si128());
  int four = _mm_cvtsi128_si32(_mm_packus_epi16(words, words));
  memcpy(bytes, &four, sizeof four);
}

static inline __m256 bytes_to_floats(const uint8_t *bytes) {
  return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)bytes)));
}

typedef float eight_floats __attribute__((vector_size(32)));

static void foreground(const struct pixels *pixels, struct marks *marks) {
  for (int x = 0; x < BLOCK; x += 8) {
    eight_floats r = (eight_floats)bytes_to_floats(pixels->red + x);
    eight_floats g = (eight_floats)bytes_to_floats(pixels->green + x);
    eight_floats b = (eight_floats)bytes_to_floats(pixels->blue + x);
    __m256i marked = (__m256i)TS_IS_FOREGROUND(r, g, b);
    _mm256_store_si256((__m256i *)(marks->of + x), marked);
  }
}

#include "kernels/cpu/nuclei_colour_simd.h"

const struct ts_colour_rows ts_colour_rows_avx2 = {colour_sums, colour_transfer};
