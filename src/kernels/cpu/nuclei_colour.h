/* Colours in Ruderman's l-alpha-beta space: constants, and the reference of the two loops of the normalisation.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_KERNELS_CPU_NUCLEI_COLOUR_H
#define TS_KERNELS_CPU_NUCLEI_COLOUR_H

#include <stdint.h>

/* Sums over the foreground of a row, and what turns its colours into others: see nuclei_normalise.c. */
struct ts_colour_sums {
  int64_t count;
  double x[3];
  double xx[3];
};

struct ts_colour_transfer {
  float mean[3];
  float scale[3];
  float target[3];
};

/* Rows of the matrices between RGB (0..1) and the responses of the cones. */
#define TS_RGB_TO_LMS                                                                                                  \
  {                                                                                                                    \
    {0.3811, 0.5783, 0.0402}, {0.1967, 0.7244, 0.0782}, { 0.0241, 0.1288, 0.8444 }                                     \
  }
#define TS_LMS_TO_RGB                                                                                                  \
  {                                                                                                                    \
    {4.4687, -3.5887, 0.1196}, {-1.2197, 2.3831, -0.1626}, { 0.0585, -0.2611, 1.2057 }                                 \
  }

/* Foreground: whether a pixel, as floats 0..255, is stained. An expression, so that it serves vectors too. */
#define TS_IS_FOREGROUND(r, g, b)                                                                                      \
  ((-0.154f * (r) + 0.035f * (g) + 0.549f * (b) + -45.718f) < (-0.057f * (r) + -0.817f * (g) + 1.170f * (b) + -49.887f))

struct ts_colour_rows {
  /* Adds the foreground of the row, pixel by pixel. */
  void (*sums)(const uint8_t *rgb, int64_t width, struct ts_colour_sums *sums);
  void (*transfer)(const uint8_t *rgb, int64_t width, const struct ts_colour_transfer *transfer, uint8_t *out);
};

/* Those of the variant in use (choice.h). */
const struct ts_colour_rows *ts_colour_rows_get(void);

extern const struct ts_colour_rows ts_colour_rows_scalar;
extern const struct ts_colour_rows ts_colour_rows_avx2;   /* only where TS_KERNELS_AVX2 is defined */
extern const struct ts_colour_rows ts_colour_rows_avx512; /* only where TS_KERNELS_AVX512 is defined */

#endif
