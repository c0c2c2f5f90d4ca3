/* The two loops of the normalisation with AVX-512: eight pixels at once.
 * SPDX-License-Identifier: Apache-2.0 */
#include <immintrin.h>
#include <string.h>

#include "kernels/cpu/nuclei_colour.h"

enum { BLOCK = 64, LANES = 8 };

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
  return (doubles)_mm512_cvtepi32_pd(_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)bytes)));
}

static inline doubles multiply_add(doubles a, doubles b, doubles c) {
  return (doubles)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}

static inline floats multiply_add_floats(floats a, floats b, floats c) {
  return (floats)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}

static inline doubles limit(doubles d) {
  return (doubles)_mm512_min_pd(_mm512_max_pd((__m512d)d, _mm512_setzero_pd()), _mm512_set1_pd(255.0));
}

static inline floats narrow(doubles d) { return (floats)_mm512_cvtpd_ps((__m512d)d); }
static inline doubles widen(floats f) { return (doubles)_mm512_cvtps_pd((__m256)f); }

static inline void doubles_to_bytes(uint8_t *bytes, doubles d) {
  _mm_storel_epi64((__m128i *)bytes, _mm256_cvtepi32_epi8(_mm512_cvttpd_epi32((__m512d)d)));
}

typedef float sixteen_floats __attribute__((vector_size(64)));

static inline sixteen_floats bytes_to_floats(const uint8_t *bytes) {
  return (sixteen_floats)_mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)bytes)));
}

static void foreground(const struct pixels *pixels, struct marks *marks) {
  for (int x = 0; x < BLOCK; x += 16) {
    sixteen_floats r = bytes_to_floats(pixels->red + x);
    sixteen_floats g = bytes_to_floats(pixels->green + x);
    sixteen_floats b = bytes_to_floats(pixels->blue + x);
    _mm512_store_si512(marks->of + x, (__m512i)TS_IS_FOREGROUND(r, g, b));
  }
}

#include "kernels/cpu/nuclei_colour_simd.h"

const struct ts_colour_rows ts_colour_rows_avx512 = {colour_sums, colour_transfer};
