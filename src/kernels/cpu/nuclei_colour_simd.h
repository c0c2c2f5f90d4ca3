/* The two loops of the normalisation with vectors: included by the variants, which say how wide their vectors are.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The includer defines LANES, the types doubles, longs (64-bit integers), floats, ints (32-bit) of LANES elements, and
 *   doubles bytes_to_doubles(const uint8_t *)     LANES bytes
 *   doubles multiply_add(a, b, c)                 a * b + c, rounded once
 *   floats multiply_add_floats(a, b, c)           the same
 *   doubles limit(doubles)                        to 0..255
 *   floats narrow(doubles), doubles widen(floats)
 *   void doubles_to_bytes(uint8_t *, doubles)     cut towards 0; they are in 0..255
 *   void foreground(const struct pixels *, struct marks *)
 * Each step is the same operation on the same values as in nuclei_colour.c and base/exact_math.c, so that all bits are
 * equal; the unit test compares them over all bytes. */
#ifndef TS_KERNELS_CPU_NUCLEI_COLOUR_SIMD_H
#define TS_KERNELS_CPU_NUCLEI_COLOUR_SIMD_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/exact_math.h"
#include "kernels/cpu/nuclei_colour.h"
#include "kernels/cpu/simd_rgb.h"

static const double to_lms[3][3] = TS_RGB_TO_LMS;
static const double to_rgb[3][3] = TS_LMS_TO_RGB;

/* Three values of BLOCK pixels. */
struct block {
  _Alignas(64) float of[3][BLOCK];
};

static inline floats load_floats(const float *from) {
  floats v;
  memcpy(&v, from, sizeof v);
  return v;
}

static inline void store_floats(float *to, floats v) { memcpy(to, &v, sizeof v); }

static inline floats pick(ints where, floats yes, floats no) {
  return (floats)((where & (ints)yes) | (~where & (ints)no));
}

/* n / 255 as the division gives it: one step of correction makes the product with the reciprocal exact. */
static inline doubles fraction(doubles n) {
  const doubles reciprocal = (doubles){0} + 1.0 / 255.0;
  doubles q = n * reciprocal;
  doubles rest = multiply_add(q, (doubles){0} - 255.0, n);
  return multiply_add(rest, reciprocal, q);
}

/* The three channels go through the series side by side, so that none waits for its own results alone. */
struct three {
  floats of[3];
};

#define UNROLL _Pragma("GCC unroll 16")
#define EACH   UNROLL for (int i = 0; i < 3; i++)

/* p = (...(p * z + terms[0]) * z + ...) */
static inline __attribute__((always_inline)) void add_terms(doubles p[3], const doubles z[3], const double *terms,
                                                            int count) {
  UNROLL for (int t = 0; t < count; t++) EACH p[i] = p[i] * z[i] + terms[t];
}

/* As ts_exact_log10f_all, for arguments that are 0 or positive and finite. */
static inline struct three log10_of(struct three x) {
  static const double terms[] = {1.0 / 11.0, 1.0 / 9.0, 1.0 / 7.0, 1.0 / 5.0, 1.0 / 3.0};
  doubles k[3];
  doubles s[3];
  doubles z[3];
  doubles p[3];
  struct three y;
  EACH {
    longs bits = (longs)widen(x.of[i]);
    longs mantissa = bits & 0x000fffffffffffffu;
    longs large = (mantissa + (0x0010000000000000u - TS_EXACT_MANTISSA_OF_SQRT_2)) >> 52;
    doubles m = (doubles)(mantissa | (0x3ff0000000000000u - (large << 52)));
    k[i] = (doubles)(((bits >> 52) + large) | 0x4330000000000000u) - (0x1p52 + 1023.0);
    s[i] = (m - 1.0) / (m + 1.0);
  }
  EACH {
    z[i] = s[i] * s[i];
    p[i] = (doubles){0} + 1.0 / 13.0;
  }
  add_terms(p, z, terms, 5);
  EACH p[i] = 2.0 * s[i] + 2.0 * s[i] * z[i] * p[i];
  EACH {
    floats log =
        narrow(k[i] * TS_EXACT_LOG10_OF_2_HIGH + (k[i] * TS_EXACT_LOG10_OF_2_LOW + p[i] * TS_EXACT_LOG10_OF_E));
    y.of[i] = pick(x.of[i] == 0.0f, (floats){0} - INFINITY, log);
  }
  return y;
}

/* As ts_exact_exp10f_all, with 0 for arguments that are not finite. */
static inline void exp10_of(struct three x, doubles y[3]) {
  static const double terms[] = {1.0 / 362880.0, 1.0 / 40320.0, 1.0 / 5040.0, 1.0 / 720.0,
                                 1.0 / 120.0,    1.0 / 24.0,    1.0 / 6.0,    0.5};
  const ints sixty = (ints){0} + 0x42700000;
  doubles shifted[3];
  doubles r[3];
  doubles p[3];
  EACH {
    ints bits = (ints)x.of[i];
    ints magnitude = bits & 0x7fffffff;
    ints beyond = (magnitude > sixty) & (magnitude <= 0x7f800000);
    doubles d = widen((floats)((bits & INT32_MIN) | (sixty & beyond) | (magnitude & ~beyond)));
    shifted[i] = d * TS_EXACT_LOG2_OF_10 + 0x1.8p52;
    doubles k = shifted[i] - 0x1.8p52;
    r[i] = ((d - k * TS_EXACT_LOG10_OF_2_HIGH) - k * TS_EXACT_LOG10_OF_2_LOW) * TS_EXACT_LN_OF_10;
    p[i] = (doubles){0} + 1.0 / 3628800.0;
  }
  add_terms(p, r, terms, 8);
  EACH {
    floats power = narrow((1.0 + (r[i] + r[i] * r[i] * p[i])) * (doubles)(((longs)shifted[i] + 1023) << 52));
    y[i] = widen((floats)((ints)power & (power <= FLT_MAX)));
  }
}

/* x / y as the division gives it, for finite arguments; NaN for others. The correction is exact. */
static inline floats divide(floats x, float y) {
  const floats reciprocal = (floats){0} + 1.0f / y;
  floats q = x * reciprocal;
  floats rest = multiply_add_floats(q, (floats){0} - y, x);
  return multiply_add_floats(rest, reciprocal, q);
}

static void pixels_to_lab(const struct pixels *pixels, struct block *lab) {
  const float root2 = sqrtf(2.0f);
  const float root3 = sqrtf(3.0f);
  const float root6 = sqrtf(6.0f);
  for (int x = 0; x < BLOCK; x += LANES) {
    doubles r = fraction(bytes_to_doubles(pixels->red + x));
    doubles g = fraction(bytes_to_doubles(pixels->green + x));
    doubles b = fraction(bytes_to_doubles(pixels->blue + x));
    struct three lms;
    EACH lms.of[i] = narrow(to_lms[i][0] * r + to_lms[i][1] * g + to_lms[i][2] * b);
    struct three logs = log10_of(lms);
    floats l = logs.of[0];
    floats m = logs.of[1];
    floats s = logs.of[2];
    store_floats(lab->of[0] + x, divide(l + m + s, root3));
    store_floats(lab->of[1] + x, divide(l + m - 2.0f * s, root6));
    store_floats(lab->of[2] + x, divide(l - m, root2));
  }
}

/* 255 * value, rounded half up, in 0..255; there is no NaN. */
static inline doubles byte_of(doubles value) { return limit(value * 255.0) + 0.5; }

static void lab_to_pixels(const struct block *lab, struct pixels *pixels) {
  const float root2 = sqrtf(2.0f);
  const float root3 = sqrtf(3.0f);
  const float root6 = sqrtf(6.0f);
  for (int x = 0; x < BLOCK; x += LANES) {
    floats l = divide(load_floats(lab->of[0] + x), root3);
    floats a = divide(load_floats(lab->of[1] + x), root6);
    floats b = divide(load_floats(lab->of[2] + x), root2);
    doubles lms[3];
    doubles rgb[3];
    exp10_of((struct three){{l + a + b, l + a - b, l - 2.0f * a}}, lms);
    EACH rgb[i] = byte_of(to_rgb[i][0] * lms[0] + to_rgb[i][1] * lms[1] + to_rgb[i][2] * lms[2]);
    doubles_to_bytes(pixels->red + x, rgb[0]);
    doubles_to_bytes(pixels->green + x, rgb[1]);
    doubles_to_bytes(pixels->blue + x, rgb[2]);
  }
}

/* Up to BLOCK pixels from a row; black ones behind them. */
static void load_pixels(const uint8_t *rgb, int count, struct pixels *pixels) {
  uint8_t rest[3 * BLOCK];
  if (count < BLOCK) {
    memset(rest, 0, sizeof rest);
    memcpy(rest, rgb, (size_t)count * 3);
    rgb = rest;
  }
  for (int x = 0; x < BLOCK; x += TS_RGB_PIXELS) {
    struct ts_rgb16 c = ts_rgb_load(rgb + (ptrdiff_t)3 * x);
    memcpy(pixels->red + x, &c.red, sizeof c.red);
    memcpy(pixels->green + x, &c.green, sizeof c.green);
    memcpy(pixels->blue + x, &c.blue, sizeof c.blue);
  }
}

static void store_pixels(const struct pixels *pixels, int count, uint8_t *rgb) {
  uint8_t rest[3 * BLOCK];
  uint8_t *to = count < BLOCK ? rest : rgb;
  for (int x = 0; x < BLOCK; x += TS_RGB_PIXELS) {
    struct ts_rgb16 c;
    memcpy(&c.red, pixels->red + x, sizeof c.red);
    memcpy(&c.green, pixels->green + x, sizeof c.green);
    memcpy(&c.blue, pixels->blue + x, sizeof c.blue);
    ts_rgb_store(to + (ptrdiff_t)3 * x, c);
  }
  if (count < BLOCK) memcpy(rgb, rest, (size_t)count * 3);
}

/* ---- Sums: the foreground is gathered first, so that nothing else is transformed ---- */

struct gathered {
  struct pixels pixels;
  int count;
};

static bool is_finite(float x) { return x >= -FLT_MAX && x <= FLT_MAX; }

static void add_gathered(const struct gathered *g, int count, struct ts_colour_sums *sums) {
  struct ts_colour_sums total = *sums;
  struct block lab;
  pixels_to_lab(&g->pixels, &lab);
  for (int x = 0; x < count; x++) {
    if (!is_finite(lab.of[0][x]) || !is_finite(lab.of[1][x]) || !is_finite(lab.of[2][x])) continue;
    total.count++;
    for (int i = 0; i < 3; i++) {
      double value = (double)lab.of[i][x];
      total.x[i] += value;
      total.xx[i] += value * value;
    }
  }
  *sums = total;
}

/* Appends the marked pixels; there is room for a block more than is taken at once. */
static void gather(struct gathered *g, const struct pixels *pixels, const struct marks *marks, int count) {
  int to = g->count;
  for (int x = 0; x < count; x++) {
    g->pixels.red[to] = pixels->red[x];
    g->pixels.green[to] = pixels->green[x];
    g->pixels.blue[to] = pixels->blue[x];
    to -= marks->of[x]; /* a mark is -1 */
  }
  g->count = to;
}

static void drop_first_block(struct gathered *g) {
  g->count -= BLOCK;
  memcpy(g->pixels.red, g->pixels.red + BLOCK, BLOCK);
  memcpy(g->pixels.green, g->pixels.green + BLOCK, BLOCK);
  memcpy(g->pixels.blue, g->pixels.blue + BLOCK, BLOCK);
}

static inline void colour_sums(const uint8_t *rgb, int64_t width, struct ts_colour_sums *sums) {
  struct gathered gathered = {0};
  struct pixels pixels;
  struct marks marks;
  for (int64_t x = 0; x < width; x += BLOCK) {
    int count = width - x < BLOCK ? (int)(width - x) : BLOCK;
    load_pixels(rgb + 3 * x, count, &pixels);
    foreground(&pixels, &marks);
    gather(&gathered, &pixels, &marks, count);
    if (gathered.count < BLOCK) continue;
    add_gathered(&gathered, BLOCK, sums);
    drop_first_block(&gathered);
  }
  add_gathered(&gathered, gathered.count, sums);
}

/* ---- Transfer ---- */

static void transfer_block(struct block *lab, const struct marks *marks, const struct ts_colour_transfer *transfer) {
  for (int i = 0; i < 3; i++) {
    for (int x = 0; x < BLOCK; x += LANES) {
      ints marked;
      memcpy(&marked, marks->of + x, sizeof marked);
      floats old = load_floats(lab->of[i] + x);
      floats moved = (old - transfer->mean[i]) * transfer->scale[i] + transfer->target[i];
      store_floats(lab->of[i] + x, pick(marked, moved, old));
    }
  }
}

static inline void colour_transfer(const uint8_t *rgb, int64_t width, const struct ts_colour_transfer *transfer,
                                   uint8_t *out) {
  for (int64_t x = 0; x < width; x += BLOCK) {
    int count = width - x < BLOCK ? (int)(width - x) : BLOCK;
    struct pixels pixels;
    struct marks marks;
    struct block lab;
    load_pixels(rgb + 3 * x, count, &pixels);
    foreground(&pixels, &marks);
    pixels_to_lab(&pixels, &lab);
    transfer_block(&lab, &marks, transfer);
    lab_to_pixels(&lab, &pixels);
    store_pixels(&pixels, count, out + 3 * x);
  }
}

#endif
