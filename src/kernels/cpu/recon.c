/* Reconstruction by dilation of 8-bit planes.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Works on copies with margins, so that no step asks where the image ends: see relax.h. */
#include <stdlib.h>
#include <string.h>

#include "kernels/cpu/bands.h"
#include "kernels/cpu/relax.h"
#include "kernels/cpu/scratch.h"
#include "kernels/cpu/variant.h"
#include "kernels/kernels.h"

struct recon {
  const uint8_t *marker; /* borrowed: the caller's planes */
  const uint8_t *mask;   /* borrowed */
  uint8_t *out;          /* borrowed */
  int64_t width;
  int64_t height;
  uint8_t *values; /* owned: the copies with their margins, which hold 0 */
  uint8_t *masks;  /* owned */
  struct ts_relax relax;
};

static void take_lower(uint8_t *restrict value, const uint8_t *restrict mask, int64_t bytes) {
  for (int64_t done = 0; done < bytes; done += TS_CHUNK)
    for (int i = 0; i < TS_CHUNK; i++) {
      uint8_t v = value[done + i];
      uint8_t m = mask[done + i];
      value[done + i] = v < m ? v : m;
    }
}

/* Copies a row and surrounds it: [to - margin, to + stride - margin). */
static void copy_row(const struct recon *r, uint8_t *to, const uint8_t *from) {
  memset(to - TS_CHUNK, 0, TS_CHUNK);
  memcpy(to, from, (size_t)r->width);
  memset(to + r->width, 0, (size_t)(r->relax.stride_bytes - TS_CHUNK - r->width));
}

static void copy_rows_in(void *context, const struct ts_band *band) {
  const struct recon *r = context;
  int64_t stride = r->relax.stride_bytes;
  for (int64_t y = band->begin; y < band->end; y++) {
    uint8_t *mask = r->masks + (y + 1) * stride + TS_CHUNK;
    uint8_t *value = r->values + (y + 1) * stride + TS_CHUNK;
    copy_row(r, mask, r->mask + y * r->width);
    copy_row(r, value, r->marker + y * r->width);
    take_lower(value, mask, r->relax.blocks * TS_CHUNK);
  }
}

static void copy_rows_out(void *context, const struct ts_band *band) {
  const struct recon *r = context;
  for (int64_t y = band->begin; y < band->end; y++)
    memcpy(r->out + y * r->width, r->relax.value + y * r->relax.stride_bytes, (size_t)r->width);
}

static bool prepare(struct recon *r, struct ts_error *err) {
  struct ts_relax *relax = &r->relax;
  relax->visit = ts_variant_get()->relax_u8;
  relax->blocks = (r->width + TS_CHUNK - 1) / TS_CHUNK;
  relax->height = r->height;
  relax->stride_bytes = (relax->blocks + 1) * TS_CHUNK;
  int64_t rows = r->height + 2;
  int64_t total = rows * relax->stride_bytes + TS_CHUNK;
  r->values = ts_scratch(total, 1, err);
  r->masks = ts_scratch(total, 1, err);
  if (!r->values || !r->masks) return false;
  int64_t last = (rows - 1) * relax->stride_bytes;
  memset(r->values, 0, (size_t)relax->stride_bytes);
  memset(r->masks, 0, (size_t)relax->stride_bytes);
  memset(r->values + last, 0, (size_t)relax->stride_bytes + TS_CHUNK);
  memset(r->masks + last, 0, (size_t)relax->stride_bytes + TS_CHUNK);
  relax->value = r->values + relax->stride_bytes + TS_CHUNK;
  relax->mask = r->masks + relax->stride_bytes + TS_CHUNK;
  return true;
}

bool ts_recon_u8(const uint8_t *marker, const uint8_t *mask, int64_t width, int64_t height, int connectivity,
                 uint8_t *out, const struct ts_kernel_threads *threads, struct ts_error *err) {
  if (!ts_kernels_check_size(width, height, err)) return false;
  struct recon r = {.marker = marker, .mask = mask, .width = width, .height = height};
  r.out = out;
  r.relax.corners = connectivity == 8;
  bool ok = prepare(&r, err);
  if (ok) {
    ts_bands_run(threads, height, copy_rows_in, &r);
    ok = ts_relax_run(&r.relax, threads, err);
  }
  if (ok) ts_bands_run(threads, height, copy_rows_out, &r);
  ts_relax_release(&r.relax);
  ts_scratch_free(r.values);
  ts_scratch_free(r.masks);
  return ok;
}
