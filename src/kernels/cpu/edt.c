/* Exact Euclidean distances, first along columns, then along rows.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The algorithm of Meijster, Roerdink and Hesselink 2000, doi:10.1007/0-306-47025-X_36.
 * All arithmetic is on integers: squared distances are exact, and only the last step takes a square root in float. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cpu/scratch.h"
#include "kernels/kernels.h"

/* column[y][x] = distance to the nearest background pixel of the same column; width + height where it has none. */
static void column_distances(const uint8_t *mask, int64_t width, int64_t height, int32_t *column) {
  int32_t none = (int32_t)(width + height);
  for (int64_t x = 0; x < width; x++) column[x] = mask[x] ? none : 0;
  for (int64_t y = 1; y < height; y++) {
    const uint8_t *mask_row = mask + y * width;
    const int32_t *above = column + (y - 1) * width;
    int32_t *here = column + y * width;
    for (int64_t x = 0; x < width; x++) {
      int32_t next = above[x] < none ? above[x] + 1 : none;
      here[x] = mask_row[x] ? next : 0;
    }
  }
  for (int64_t y = height - 2; y >= 0; y--) {
    const int32_t *below = column + (y + 1) * width;
    int32_t *here = column + y * width;
    for (int64_t x = 0; x < width; x++)
      if (below[x] + 1 < here[x]) here[x] = below[x] + 1;
  }
}

/* One parabola of the lower envelope of a row: its column, and the first x from which it is the lowest. */
struct parabola {
  int32_t at;
  int32_t from;
};

static int64_t height_at(const int32_t *column, int64_t at, int64_t x) {
  int64_t g = column[at];
  return (x - at) * (x - at) + g * g;
}

/* The last x at which the parabola of column a is not above that of column b, a < b. */
static int64_t last_not_above(const int32_t *column, int64_t a, int64_t b) {
  int64_t ga = column[a];
  int64_t gb = column[b];
  int64_t numerator = b * b - a * a + gb * gb - ga * ga;
  int64_t denominator = 2 * (b - a);
  int64_t quotient = numerator / denominator;
  return numerator % denominator < 0 ? quotient - 1 : quotient;
}

static void row_distances(const int32_t *column, int64_t width, struct parabola *envelope, float *out) {
  int64_t top = 0;
  envelope[0] = (struct parabola){0, 0};
  for (int64_t u = 1; u < width; u++) {
    while (top >= 0 &&
           height_at(column, envelope[top].at, envelope[top].from) > height_at(column, u, envelope[top].from))
      top--;
    int64_t from = top < 0 ? 0 : last_not_above(column, envelope[top].at, u) + 1;
    if (from < width) envelope[++top] = (struct parabola){(int32_t)u, (int32_t)from};
  }
  for (int64_t x = width - 1; x >= 0; x--) {
    out[x] = column[x] == 0 ? 0.0f : sqrtf((float)height_at(column, envelope[top].at, x));
    if (x == envelope[top].from) top--;
  }
}

bool ts_edt(const uint8_t *mask, int64_t width, int64_t height, float *out, struct ts_error *err) {
  if (!ts_kernels_check_size(width, height, err)) return false;
  int64_t total = width * height;
  if (!memchr(mask, 0, (size_t)total)) {
    for (int64_t i = 0; i < total; i++) out[i] = FLT_MAX;
    return true;
  }
  int32_t *column = ts_scratch(total, sizeof *column, err);
  struct parabola *envelope = ts_scratch(width, sizeof *envelope, err);
  bool ok = column && envelope;
  if (ok) column_distances(mask, width, height, column);
  for (int64_t y = 0; ok && y < height; y++) row_distances(column + y * width, width, envelope, out + y * width);
  ts_scratch_free(envelope);
  ts_scratch_free(column);
  return ok;
}
