/* Fourier transform of any length: the chirp of Bluestein around a radix-2 transform.
 * SPDX-License-Identifier: Apache-2.0
 *
 * L. Bluestein, "A linear filtering approach to the computation of discrete Fourier transform", 1970,
 * doi:10.1109/TAU.1970.1162132. */
#include "analysis/fast_spectrum.h"

#include "base/alloc.h"

#include <math.h>
#include <stdint.h>

#define PI          3.14159265358979323846
#define EXACT_EVERY 512 /* steps after which a rotation is computed again, so that rounding does not add up */

struct complex_number {
  double re, im;
};

static struct complex_number times(struct complex_number a, struct complex_number b) {
  return (struct complex_number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* e^(i pi numerator / denominator) */
static struct complex_number turn(double numerator, double denominator) {
  double angle = PI * numerator / denominator;
  return (struct complex_number){cos(angle), sin(angle)};
}

static void reverse_bits(struct complex_number *data, size_t count) {
  for (size_t i = 1, j = 0; i < count; i++) {
    size_t bit = count >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i >= j) continue;
    struct complex_number swap = data[i];
    data[i] = data[j];
    data[j] = swap;
  }
}

/* In place; count is a power of two; turns[i] = e^(-2 pi i / count), i < count / 2. */
static void transform(struct complex_number *data, size_t count, const struct complex_number *turns) {
  reverse_bits(data, count);
  for (size_t half = 1; half < count; half *= 2) {
    size_t stride = count / (2 * half);
    for (size_t start = 0; start < count; start += 2 * half) {
      for (size_t i = 0; i < half; i++) {
        struct complex_number a = data[start + i], b = times(data[start + i + half], turns[i * stride]);
        data[start + i] = (struct complex_number){a.re + b.re, a.im + b.im};
        data[start + i + half] = (struct complex_number){a.re - b.re, a.im - b.im};
      }
    }
  }
}

static double mean_of(const double *series, size_t count) {
  double mean = 0;
  for (int pass = 0; pass < 2; pass++) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += series[i] - mean;
    mean += sum / (double)count;
  }
  return mean;
}

/* e^(-i pi j^2 / n), with j^2 taken modulo 2 n so that the angle stays small and exact. */
static struct complex_number chirp(size_t j, size_t count) {
  uint64_t square = (uint64_t)j * j % (2 * (uint64_t)count);
  struct complex_number result = turn((double)square, (double)count);
  result.im = -result.im;
  return result;
}

/* Both sequences times the chirp; the second, conjugated, runs both ways round. */
static void fill(const double *series, size_t count, size_t length, struct complex_number *a,
                 struct complex_number *b) {
  double mean = mean_of(series, count);
  for (size_t j = 0; j < count; j++) {
    struct complex_number w = chirp(j, count);
    double y = series[j] - mean;
    a[j] = (struct complex_number){y * w.re, y * w.im};
    b[j] = (struct complex_number){w.re, -w.im};
    if (j > 0) b[length - j] = b[j];
  }
}

void ts_spectrum(const double *series, size_t count, double *power) {
  size_t length = 1;
  while (length < 2 * count) length *= 2;
  ts_auto_free struct complex_number *a = ts_calloc(length, sizeof *a), *b = ts_calloc(length, sizeof *b);
  ts_auto_free struct complex_number *turns = ts_calloc(length / 2 + 1, sizeof *turns);
  for (size_t i = 0; i < length / 2; i++) turns[i] = turn(-2.0 * (double)i, (double)length);
  fill(series, count, length, a, b);
  transform(a, length, turns);
  transform(b, length, turns);
  for (size_t i = 0; i < length; i++) {
    a[i] = times(a[i], b[i]);
    a[i].im = -a[i].im; /* conjugate: the inverse transform by the same routine */
  }
  transform(a, length, turns);
  double scale = 1 / ((double)length * (double)count); /* the last factor of the chirp has length 1: no matter here */
  for (size_t f = 0; f <= count / 2; f++) {
    double re = a[f].re * scale, im = a[f].im * scale;
    power[f] = re * re + im * im;
  }
}

void ts_low_spectrum(const double *series, size_t count, size_t harmonics, double *power) {
  double mean = mean_of(series, count), n = (double)count;
  for (size_t f = 1; f <= harmonics; f++) {
    struct complex_number step = turn(2.0 * (double)f, n), w = {1, 0};
    double re = 0, im = 0;
    for (size_t j = 0; j < count; j++) {
      if (j % EXACT_EVERY == 0) w = turn(2.0 * (double)(f * j % count), n);
      re += (series[j] - mean) * w.re;
      im += (series[j] - mean) * w.im;
      w = times(w, step);
    }
    power[f - 1] = (re * re + im * im) / (n * n);
  }
}
