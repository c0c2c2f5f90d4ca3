/* The two loops of the normalisation in plain C: the reference, and the table of the variants.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/cpu/nuclei_colour.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/exact_math.h"
#include "kernels/cpu/choice.h"

static const double to_lms[3][3] = TS_RGB_TO_LMS;
static const double to_rgb[3][3] = TS_LMS_TO_RGB;

enum { BLOCK = 64 }; /* pixels worked on at once */

/* Three values of up to BLOCK pixels; [i] is one channel. */
struct block {
  float of[3][BLOCK];
};

static bool is_foreground(const uint8_t *rgb) {
  float r = (float)rgb[0];
  float g = (float)rgb[1];
  float b = (float)rgb[2];
  return TS_IS_FOREGROUND(r, g, b);
}

/* Places behind count hold the values of black pixels, which are never read. */
static void block_to_lab(const uint8_t *rgb, int count, struct block *lab) {
  const float root2 = sqrtf(2.0f);
  const float root3 = sqrtf(3.0f);
  const float root6 = sqrtf(6.0f);
  struct block lms = {0};
  struct block logs;
  for (int x = 0; x < count; x++) {
    double r = rgb[(ptrdiff_t)3 * x] / 255.0;
    double g = rgb[3 * x + 1] / 255.0;
    double b = rgb[3 * x + 2] / 255.0;
    for (int i = 0; i < 3; i++) lms.of[i][x] = (float)(to_lms[i][0] * r + to_lms[i][1] * g + to_lms[i][2] * b);
  }
  ts_exact_log10f_all(&lms.of[0][0], &logs.of[0][0], (size_t)3 * BLOCK);
  for (int x = 0; x < BLOCK; x++) {
    float l = logs.of[0][x];
    float m = logs.of[1][x];
    float s = logs.of[2][x];
    lab->of[0][x] = (l + m + s) / root3;
    lab->of[1][x] = (l + m - 2.0f * s) / root6;
    lab->of[2][x] = (l - m) / root2;
  }
}

static uint8_t byte_of(double value) {
  value *= 255.0;
  if (!(value > 0.0)) return 0;
  return value >= 255.0 ? 255 : (uint8_t)(value + 0.5);
}

/* An infinite value or NaN counts as 0. */
static double finite_or_zero(float x) { return x <= FLT_MAX ? (double)x : 0.0; }

static void block_to_rgb(const struct block *lab, int count, uint8_t *rgb) {
  const float root2 = sqrtf(2.0f);
  const float root3 = sqrtf(3.0f);
  const float root6 = sqrtf(6.0f);
  struct block logs;
  struct block lms;
  for (int x = 0; x < BLOCK; x++) {
    float l = lab->of[0][x] / root3;
    float a = lab->of[1][x] / root6;
    float b = lab->of[2][x] / root2;
    logs.of[0][x] = l + a + b;
    logs.of[1][x] = l + a - b;
    logs.of[2][x] = l - 2.0f * a;
  }
  ts_exact_exp10f_all(&logs.of[0][0], &lms.of[0][0], (size_t)3 * BLOCK);
  for (int x = 0; x < count; x++) {
    double l = finite_or_zero(lms.of[0][x]);
    double m = finite_or_zero(lms.of[1][x]);
    double s = finite_or_zero(lms.of[2][x]);
    for (int i = 0; i < 3; i++) rgb[3 * x + i] = byte_of(to_rgb[i][0] * l + to_rgb[i][1] * m + to_rgb[i][2] * s);
  }
}

static bool is_finite(float x) { return x >= -FLT_MAX && x <= FLT_MAX; }

static void add_pixel(const struct block *lab, int x, struct ts_colour_sums *sums) {
  for (int i = 0; i < 3; i++)
    if (!is_finite(lab->of[i][x])) return;
  sums->count++;
  for (int i = 0; i < 3; i++) {
    double value = (double)lab->of[i][x];
    sums->x[i] += value;
    sums->xx[i] += value * value;
  }
}

static int block_length(int64_t from, int64_t width) { return width - from < BLOCK ? (int)(width - from) : BLOCK; }

static void colour_sums(const uint8_t *rgb, int64_t width, struct ts_colour_sums *sums) {
  for (int64_t from = 0; from < width; from += BLOCK) {
    const uint8_t *pixels = rgb + 3 * from;
    int count = block_length(from, width);
    struct block lab;
    block_to_lab(pixels, count, &lab);
    for (int x = 0; x < count; x++)
      if (is_foreground(pixels + (ptrdiff_t)3 * x)) add_pixel(&lab, x, sums);
  }
}

static void colour_transfer(const uint8_t *rgb, int64_t width, const struct ts_colour_transfer *transfer,
                            uint8_t *out) {
  for (int64_t from = 0; from < width; from += BLOCK) {
    const uint8_t *pixels = rgb + 3 * from;
    int count = block_length(from, width);
    struct block lab;
    block_to_lab(pixels, count, &lab);
    for (int x = 0; x < count; x++) {
      if (!is_foreground(pixels + (ptrdiff_t)3 * x)) continue;
      for (int i = 0; i < 3; i++)
        lab.of[i][x] = (lab.of[i][x] - transfer->mean[i]) * transfer->scale[i] + transfer->target[i];
    }
    block_to_rgb(&lab, count, out + 3 * from);
  }
}

const struct ts_colour_rows ts_colour_rows_scalar = {colour_sums, colour_transfer};

static const struct ts_colour_rows *const variants[TS_VARIANT_COUNT] = {
    [TS_VARIANT_SCALAR] = &ts_colour_rows_scalar,
#ifdef TS_KERNELS_AVX2
    [TS_VARIANT_AVX2] = &ts_colour_rows_avx2,
#endif
#ifdef TS_KERNELS_AVX512
    [TS_VARIANT_AVX512] = &ts_colour_rows_avx512,
#endif
};

const struct ts_colour_rows *ts_colour_rows_get(void) { return variants[ts_variant_chosen()]; }
