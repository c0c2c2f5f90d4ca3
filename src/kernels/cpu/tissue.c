/* The tissue mask of a slide: saturation, Otsu's threshold, specks, holes, margin.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/tissue.h"

#include "kernels/cpu/scratch.h"
#include "kernels/kernels.h"

#include <string.h>

#define LEVELS 256

/* Saturation of 8-bit channels, means over about 8 micrometres. Glass of an H&E slide (CMU-1-Small-Region, Aperio) has
 * 1 to 3, of a slide with a tint (OS-2, Hamamatsu, Ki-67) 10 to 12; its pale counterstain 15 to 30, pale eosin 35 to
 * 50. Otsu's level is 29 and 26 there, and 42 to 118 on pictures of tissue alone (OS-1, dsb2018), where it separates
 * two stains: the upper bound keeps both. The lower one keeps noise of glass out where there is no tissue. HSV
 * saturation, max - min by max, finds the same tissue on these, and noise in what is black. */
#define THRESHOLD_MIN 12
#define THRESHOLD_MAX 24
/* Pixels of a component that is dust: a circle of less than 25 micrometres. */
#define SPECK_PX 8
/* Pixels of a hole that saves no work: no tile of 512 pixels of half a micrometre fits into it. */
#define HOLE_PX 1024
/* Fibres and cells at the edge of tissue, paler than it: 24 micrometres. */
#define MARGIN_PX 3

void ts_saturation(const uint8_t *rgb, int64_t count, uint8_t *out) {
  for (int64_t i = 0; i < count; i++) {
    const uint8_t r = rgb[3 * i], g = rgb[3 * i + 1], b = rgb[3 * i + 2];
    const uint8_t most = r > g ? (r > b ? r : b) : (g > b ? g : b);
    const uint8_t least = r < g ? (r < b ? r : b) : (g < b ? g : b);
    out[i] = (uint8_t)(most - least);
  }
}

/* N. Otsu, A threshold selection method from gray-level histograms, 1979, doi:10.1109/TSMC.1979.4310076. Sums are whole
 * numbers below 2^53 and the rest is IEEE arithmetic in a fixed order: the same level on every machine. */
int ts_otsu(const uint64_t histogram[LEVELS]) {
  double count = 0, sum = 0;
  for (int i = 0; i < LEVELS; i++) {
    count += (double)histogram[i];
    sum += (double)i * (double)histogram[i];
  }
  int best = -1;
  double largest = 0, count_below = 0, sum_below = 0;
  for (int t = 0; t < LEVELS - 1; t++) {
    count_below += (double)histogram[t];
    sum_below += (double)t * (double)histogram[t];
    const double count_above = count - count_below;
    if (count_below <= 0 || count_above <= 0) continue;
    const double difference = sum_below / count_below - (sum - sum_below) / count_above;
    const double between = count_below * count_above * difference * difference;
    if (between <= largest) continue;
    largest = between;
    best = t;
  }
  return best;
}

int ts_tissue_threshold(const uint64_t histogram[LEVELS]) {
  const int otsu = ts_otsu(histogram);
  return otsu < THRESHOLD_MIN ? THRESHOLD_MIN : otsu > THRESHOLD_MAX ? THRESHOLD_MAX : otsu;
}

/* A picture of nothing but greys is not stained, so that colour says nothing about it: all of it counts. */
static void threshold(uint8_t *plane, int64_t count) {
  uint64_t histogram[LEVELS] = {0};
  for (int64_t i = 0; i < count; i++) histogram[plane[i]]++;
  const int level = histogram[0] == (uint64_t)count ? -1 : ts_tissue_threshold(histogram);
  for (int64_t i = 0; i < count; i++) plane[i] = plane[i] > level ? 255 : 0;
}

/* Sets the components of the background that are small. */
static bool close_holes(uint8_t *mask, int64_t width, int64_t height, struct ts_error *err) {
  const int64_t count = width * height;
  uint8_t *holes = ts_scratch(count, 1, err);
  if (!holes) return false;
  for (int64_t i = 0; i < count; i++) holes[i] = mask[i] ? 0 : 255;
  const bool ok = ts_area_filter(holes, width, height, 1, HOLE_PX, 4, holes, NULL, err);
  for (int64_t i = 0; ok && i < count; i++) mask[i] |= holes[i];
  ts_scratch_free(holes);
  return ok;
}

/* Sets what lies up to `margin` behind the last pixel that is set, `stride` apart, forwards and backwards. */
static void grow_line(const uint8_t *in, uint8_t *out, int64_t count, int64_t stride, int64_t margin) {
  int64_t last = -margin - 1;
  for (int64_t i = 0; i < count; i++) {
    if (in[i * stride]) last = i;
    if (i - last <= margin) out[i * stride] = 255;
  }
  last = count + margin;
  for (int64_t i = count - 1; i >= 0; i--) {
    if (in[i * stride]) last = i;
    if (last - i <= margin) out[i * stride] = 255;
  }
}

/* Dilation by a square. */
static bool grow(uint8_t *mask, int64_t width, int64_t height, struct ts_error *err) {
  uint8_t *wide = ts_scratch(width * height, 1, err);
  if (!wide) return false;
  memcpy(wide, mask, (size_t)(width * height));
  for (int64_t y = 0; y < height; y++) grow_line(mask + y * width, wide + y * width, width, 1, MARGIN_PX);
  memcpy(mask, wide, (size_t)(width * height));
  for (int64_t x = 0; x < width; x++) grow_line(wide + x, mask + x, height, width, MARGIN_PX);
  ts_scratch_free(wide);
  return true;
}

bool ts_tissue_mask(const uint8_t *rgb, int64_t width, int64_t height, uint8_t *mask, struct ts_error *err) {
  if (!ts_kernels_check_size(width, height, err)) return false;
  ts_saturation(rgb, width * height, mask);
  threshold(mask, width * height);
  return ts_area_filter(mask, width, height, SPECK_PX, INT64_MAX, 8, mask, NULL, err) &&
         close_holes(mask, width, height, err) && grow(mask, width, height, err);
}
