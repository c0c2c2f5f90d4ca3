/* Colour normalisation: gives the foreground of a slide the mean and spread of a target in l-alpha-beta space.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reinhard et al. 2001 (doi:10.1109/38.946629) with Ruderman's colour space. Two passes over the image instead of
 * keeping three float planes: the first adds up the foreground, the second transforms. Sums are taken row by row and
 * then over the rows, so that the order is fixed whoever does the rows. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact_math.h"
#include "kernels/kernels.h"
#include "kernels/nuclei.h"

const struct ts_nuclei_target ts_nuclei_default_target = {
    .mean = {-0.632356f, -0.0516004f, 0.0376543f},
    .std = {0.26235f, 0.0514831f, 0.0114217f},
};

static const double to_lms[3][3] = {{0.3811, 0.5783, 0.0402}, {0.1967, 0.7244, 0.0782}, {0.0241, 0.1288, 0.8444}};
static const double to_rgb[3][3] = {{4.4687, -3.5887, 0.1196}, {-1.2197, 2.3831, -0.1626}, {0.0585, -0.2611, 1.2057}};

enum { BLOCK = 64 }; /* pixels worked on at once */

/* Three values of up to BLOCK pixels; [i] is one channel. */
struct block {
  float of[3][BLOCK];
};

/* What happens to the foreground, per channel: (x - mean) * scale + target. */
struct transfer {
  float mean[3];
  float scale[3];
  float target[3];
};

struct sums {
  int64_t count;
  double x[3];
  double xx[3];
};

/* 0..255 as 0..1. */
struct fractions {
  double of[256];
};

static struct fractions make_fractions(void) {
  struct fractions fractions;
  for (int i = 0; i < 256; i++) fractions.of[i] = i / 255.0;
  return fractions;
}

static bool is_foreground(const uint8_t *rgb) {
  float r = (float)rgb[0];
  float g = (float)rgb[1];
  float b = (float)rgb[2];
  return (-0.154f * r + 0.035f * g + 0.549f * b - 45.718f) < (-0.057f * r - 0.817f * g + 1.170f * b - 49.887f);
}

/* Places behind count hold the values of black pixels, which nobody reads. */
static void block_to_lab(const uint8_t *rgb, int count, const struct fractions *fractions, struct block *lab) {
  const float root2 = sqrtf(2.0f);
  const float root3 = sqrtf(3.0f);
  const float root6 = sqrtf(6.0f);
  struct block lms = {0};
  struct block logs;
  for (int x = 0; x < count; x++) {
    double r = fractions->of[rgb[(ptrdiff_t)3 * x]];
    double g = fractions->of[rgb[3 * x + 1]];
    double b = fractions->of[rgb[3 * x + 2]];
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

static void add_pixel(const struct block *lab, int x, struct sums *sums) {
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

static struct sums sum_row(const uint8_t *row, int64_t width, const struct fractions *fractions) {
  struct sums sums = {0};
  for (int64_t from = 0; from < width; from += BLOCK) {
    const uint8_t *rgb = row + 3 * from;
    int count = block_length(from, width);
    struct block lab;
    block_to_lab(rgb, count, fractions, &lab);
    for (int x = 0; x < count; x++)
      if (is_foreground(rgb + (ptrdiff_t)3 * x)) add_pixel(&lab, x, &sums);
  }
  return sums;
}

static struct sums sum_image(const uint8_t *rgb, int64_t width, int64_t height, const struct fractions *fractions) {
  struct sums total = {0};
  for (int64_t y = 0; y < height; y++) {
    struct sums row = sum_row(rgb + 3 * y * width, width, fractions);
    total.count += row.count;
    for (int i = 0; i < 3; i++) {
      total.x[i] += row.x[i];
      total.xx[i] += row.xx[i];
    }
  }
  return total;
}

static struct transfer transfer_to(const struct ts_nuclei_target *target, const struct sums *sums) {
  struct transfer transfer;
  for (int i = 0; i < 3; i++) {
    double mean = sums->x[i] / (double)sums->count;
    double variance = sums->xx[i] / (double)sums->count - mean * mean;
    transfer.mean[i] = (float)mean;
    if (variance > 0) {
      transfer.scale[i] = (float)((double)target->std[i] / sqrt(variance));
      transfer.target[i] = target->mean[i];
    } else { /* no spread to scale: the channel keeps its values */
      transfer.scale[i] = 1.0f;
      transfer.target[i] = transfer.mean[i];
    }
  }
  return transfer;
}

static void transfer_row(const uint8_t *row, int64_t width, const struct fractions *fractions,
                         const struct transfer *transfer, uint8_t *out) {
  for (int64_t from = 0; from < width; from += BLOCK) {
    const uint8_t *rgb = row + 3 * from;
    int count = block_length(from, width);
    struct block lab;
    block_to_lab(rgb, count, fractions, &lab);
    for (int x = 0; x < count; x++) {
      if (!is_foreground(rgb + (ptrdiff_t)3 * x)) continue;
      for (int i = 0; i < 3; i++)
        lab.of[i][x] = (lab.of[i][x] - transfer->mean[i]) * transfer->scale[i] + transfer->target[i];
    }
    block_to_rgb(&lab, count, out + 3 * from);
  }
}

bool ts_nuclei_normalise(const uint8_t *rgb, int64_t width, int64_t height, const struct ts_nuclei_target *target,
                         uint8_t *out, struct ts_error *err) {
  if (!ts_kernels_check_size(width, height, err)) return false;
  struct fractions fractions = make_fractions();
  struct sums sums = sum_image(rgb, width, height, &fractions);
  if (sums.count == 0) {
    if (out != rgb) memcpy(out, rgb, (size_t)(width * height) * 3);
    return true;
  }
  struct transfer transfer = transfer_to(target, &sums);
  for (int64_t y = 0; y < height; y++)
    transfer_row(rgb + 3 * y * width, width, &fractions, &transfer, out + 3 * y * width);
  return true;
}
