/* Colour normalisation: gives the foreground of a slide the mean and spread of a target in l-alpha-beta space.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reinhard et al. 2001 (doi:10.1109/38.946629) with Ruderman's colour space. Two passes over the image instead of
 * keeping three float planes: the first adds up the foreground, the second transforms. Sums are taken row by row and
 * then over the rows, so that the order is the same with any number of threads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cpu/bands.h"
#include "kernels/cpu/nuclei_colour.h"
#include "kernels/cpu/scratch.h"
#include "kernels/kernels.h"
#include "kernels/nuclei.h"

const struct ts_nuclei_target ts_nuclei_default_target = {
    .mean = {-0.632356f, -0.0516004f, 0.0376543f},
    .std = {0.26235f, 0.0514831f, 0.0114217f},
};

struct normalisation {
  const uint8_t *rgb; /* borrowed */
  uint8_t *out;       /* borrowed */
  int64_t width;
  struct ts_colour_sums *rows; /* owned: the sums of each row */
  struct ts_colour_transfer transfer;
};

static void sum_rows(void *context, const struct ts_band *band) {
  const struct normalisation *n = context;
  for (int64_t y = band->begin; y < band->end; y++) {
    n->rows[y] = (struct ts_colour_sums){0};
    ts_colour_rows_get()->sums(n->rgb + 3 * y * n->width, n->width, &n->rows[y]);
  }
}

static struct ts_colour_sums sum_of_rows(const struct ts_colour_sums *rows, int64_t height) {
  struct ts_colour_sums total = {0};
  for (int64_t y = 0; y < height; y++) {
    total.count += rows[y].count;
    for (int i = 0; i < 3; i++) {
      total.x[i] += rows[y].x[i];
      total.xx[i] += rows[y].xx[i];
    }
  }
  return total;
}

static struct ts_nuclei_stain stain_of(const struct ts_colour_sums *sums) {
  struct ts_nuclei_stain stain = {.count = sums->count};
  for (int i = 0; sums->count > 0 && i < 3; i++) {
    stain.mean[i] = sums->x[i] / (double)sums->count;
    double variance = sums->xx[i] / (double)sums->count - stain.mean[i] * stain.mean[i];
    stain.std[i] = variance > 0 ? sqrt(variance) : 0;
  }
  return stain;
}

static struct ts_colour_transfer transfer_to(const struct ts_nuclei_target *target,
                                             const struct ts_nuclei_stain *stain) {
  struct ts_colour_transfer transfer;
  for (int i = 0; i < 3; i++) {
    transfer.mean[i] = (float)stain->mean[i];
    if (stain->std[i] > 0) {
      transfer.scale[i] = (float)((double)target->std[i] / stain->std[i]);
      transfer.target[i] = target->mean[i];
    } else { /* no spread to scale: the channel keeps its values */
      transfer.scale[i] = 1.0f;
      transfer.target[i] = transfer.mean[i];
    }
  }
  return transfer;
}

static void transfer_rows(void *context, const struct ts_band *band) {
  const struct normalisation *n = context;
  for (int64_t y = band->begin; y < band->end; y++) {
    int64_t at = 3 * y * n->width;
    ts_colour_rows_get()->transfer(n->rgb + at, n->width, &n->transfer, n->out + at);
  }
}

bool ts_nuclei_measure_stain(const uint8_t *rgb, int64_t width, int64_t height, struct ts_nuclei_stain *stain,
                             const struct ts_kernel_threads *threads, struct ts_error *err) {
  if (!ts_kernels_check_size(width, height, err)) return false;
  struct normalisation n = {.rgb = rgb, .width = width};
  n.rows = ts_scratch(height, sizeof *n.rows, err);
  if (!n.rows) return false;
  ts_bands_run(threads, height, sum_rows, &n);
  struct ts_colour_sums sums = sum_of_rows(n.rows, height);
  ts_scratch_free(n.rows);
  *stain = stain_of(&sums);
  return true;
}

bool ts_nuclei_normalise(const uint8_t *rgb, int64_t width, int64_t height, const struct ts_nuclei_target *target,
                         const struct ts_nuclei_stain *stain, uint8_t *out, const struct ts_kernel_threads *threads,
                         struct ts_error *err) {
  struct ts_nuclei_stain own;
  if (!ts_kernels_check_size(width, height, err)) return false;
  if (!stain && !ts_nuclei_measure_stain(rgb, width, height, &own, threads, err)) return false;
  if (!stain) stain = &own;
  if (stain->count == 0) {
    if (out != rgb) memcpy(out, rgb, (size_t)(width * height) * 3);
    return true;
  }
  struct normalisation n = {.rgb = rgb, .out = out, .width = width, .transfer = transfer_to(target, stain)};
  ts_bands_run(threads, height, transfer_rows, &n);
  return true;
}
