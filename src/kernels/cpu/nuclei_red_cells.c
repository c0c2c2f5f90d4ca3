/* First task of the nuclei segmentation: is there tissue at all, and where are red blood cells.
 * SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <string.h>

#include "kernels/cpu/bands.h"
#include "kernels/cpu/bits.h"
#include "kernels/cpu/variant.h"
#include "kernels/kernels.h"
#include "kernels/nuclei.h"

static enum ts_nuclei_status status_of(int64_t bright, int64_t pixels) {
  float ratio = (float)bright / (float)pixels;
  /* The ratio is a float, the limits are doubles: a share of exactly 0.9 rounds to a float below the limit. */
  if ((double)ratio >= 0.99) return TS_NUCLEI_BACKGROUND;
  return (double)ratio >= 0.9 ? TS_NUCLEI_BACKGROUND_LIKELY : TS_NUCLEI_TISSUE;
}

/* For each green the smallest red whose ratio to it exceeds the limit, 256 if none: the ratio grows with red, and a
 * table spares a division per pixel and limit. */
static void smallest_red(float limit, uint16_t smallest[256]) {
  int red = 0; /* never falls as green grows */
  for (int green = 0; green < 256; green++) {
    while (red < 256 && !((float)red / ((float)green + FLT_EPSILON) > limit)) red++;
    smallest[green] = (uint16_t)red;
  }
}

/* A row of limits, and the bits that come out of comparing the image with them. */
struct red_cells {
  const uint8_t *rgb; /* borrowed */
  struct ts_red_cells_limits limits;
  struct ts_bits starts;
  struct ts_bits continues;
  struct ts_bits redder; /* red above blue */
  int64_t bright[TS_BANDS_MAX];
};

static void compare_rows(void *context, const struct ts_band *band) {
  struct red_cells *r = context;
  int64_t width = r->starts.width;
  int64_t bright = 0;
  for (int64_t y = band->begin; y < band->end; y++)
    bright += ts_variant_get()->red_cells(r->rgb + 3 * y * width, width, &r->limits, ts_bits_row(&r->starts, y),
                                          ts_bits_row(&r->continues, y), ts_bits_row(&r->redder, y));
  r->bright[band->index] = bright;
}

static bool any(const struct ts_bits *bits) {
  for (int64_t i = 0; i < bits->stride * bits->height; i++)
    if (bits->words[i]) return true;
  return false;
}

/* Leaves the red cells in r->continues. */
static bool find_cells(struct red_cells *r, const struct ts_kernel_threads *threads, struct ts_error *err) {
  int64_t words = r->continues.stride * r->continues.height;
  if (!any(&r->starts)) {
    memset(r->continues.words, 0, (size_t)words * sizeof *r->continues.words);
    return true;
  }
  if (!ts_bits_select(&r->continues, &r->starts, 8, threads, err)) return false;
  for (int64_t i = 0; i < words; i++) r->continues.words[i] &= r->redder.words[i];
  return true;
}

static bool segment(struct red_cells *r, int64_t width, int64_t height, uint8_t *rbc, enum ts_nuclei_status *status,
                    const struct ts_kernel_threads *threads, struct ts_error *err) {
  if (!ts_bits_reserve(&r->starts, width, height, err) || !ts_bits_reserve(&r->continues, width, height, err) ||
      !ts_bits_reserve(&r->redder, width, height, err))
    return false;
  ts_bands_run(threads, height, compare_rows, r);
  int64_t bright = 0;
  for (size_t i = 0; i < ts_band_count(threads, height); i++) bright += r->bright[i];
  *status = status_of(bright, width * height);
  if (*status != TS_NUCLEI_TISSUE) {
    memset(rbc, 255, (size_t)(width * height));
    return true;
  }
  if (!find_cells(r, threads, err)) return false;
  ts_bits_to_plane(&r->continues, rbc, threads);
  return true;
}

bool ts_nuclei_red_cells(const uint8_t *rgb, int64_t width, int64_t height,
                         const struct ts_nuclei_red_cells_params *params, uint8_t *rbc, enum ts_nuclei_status *status,
                         const struct ts_kernel_threads *threads, struct ts_error *err) {
  struct red_cells r = {.rgb = rgb,
                        .limits = {.red = params->red,
                                   .green = params->green,
                                   .blue = params->blue,
                                   .t1 = (float)params->t1,
                                   .t2 = (float)params->t2}};
  smallest_red(r.limits.t1, r.limits.smallest1);
  smallest_red(r.limits.t2, r.limits.smallest2);
  bool ok = segment(&r, width, height, rbc, status, threads, err);
  ts_bits_release(&r.starts);
  ts_bits_release(&r.continues);
  ts_bits_release(&r.redder);
  return ok;
}
