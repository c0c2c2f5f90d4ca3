/* First task of the nuclei segmentation: is there tissue at all, and where are red blood cells.
 * SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cpu/scratch.h"
#include "kernels/kernels.h"
#include "kernels/nuclei.h"

const char *ts_nuclei_status_name(enum ts_nuclei_status status) {
  switch (status) {
  case TS_NUCLEI_BACKGROUND: return "background";
  case TS_NUCLEI_BACKGROUND_LIKELY: return "background likely";
  default: return "tissue";
  }
}

static int64_t count_bright(const uint8_t *rgb, int64_t pixels, const struct ts_nuclei_red_cells_params *params) {
  int64_t bright = 0;
  for (int64_t i = 0; i < pixels; i++)
    bright += (rgb[3 * i] > params->red) & (rgb[3 * i + 1] > params->green) & (rgb[3 * i + 2] > params->blue);
  return bright;
}

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

/* starts and continues: 255 where the ratio exceeds t1, t2. Returns whether anything starts. */
static bool threshold_ratios(const uint8_t *rgb, int64_t pixels, const struct ts_nuclei_red_cells_params *params,
                             uint8_t *starts, uint8_t *continues) {
  uint16_t red1[256];
  uint16_t red2[256];
  smallest_red((float)params->t1, red1);
  smallest_red((float)params->t2, red2);
  int any = 0;
  for (int64_t i = 0; i < pixels; i++) {
    int red = rgb[3 * i];
    int green = rgb[3 * i + 1];
    int start = red >= red1[green];
    starts[i] = (uint8_t)-start;
    continues[i] = (uint8_t) - (red >= red2[green]);
    any |= start;
  }
  return any;
}

static void keep_redder_than_blue(const uint8_t *rgb, int64_t pixels, uint8_t *rbc) {
  for (int64_t i = 0; i < pixels; i++) rbc[i] &= (uint8_t) - (rgb[3 * i] > rgb[3 * i + 2]);
}

bool ts_nuclei_red_cells(const uint8_t *rgb, int64_t width, int64_t height,
                         const struct ts_nuclei_red_cells_params *params, uint8_t *rbc, enum ts_nuclei_status *status,
                         struct ts_error *err) {
  if (!ts_kernels_check_size(width, height, err)) return false;
  int64_t pixels = width * height;
  *status = status_of(count_bright(rgb, pixels, params), pixels);
  if (*status != TS_NUCLEI_TISSUE) {
    memset(rbc, 255, (size_t)pixels);
    return true;
  }
  uint8_t *starts = ts_scratch(pixels, 1, err);
  if (!starts) return false;
  bool ok = true;
  if (threshold_ratios(rgb, pixels, params, starts, rbc)) {
    ok = ts_select(rbc, starts, width, height, 8, rbc, err);
    if (ok) keep_redder_than_blue(rgb, pixels, rbc);
  } else {
    memset(rbc, 0, (size_t)pixels);
  }
  free(starts);
  return ok;
}
