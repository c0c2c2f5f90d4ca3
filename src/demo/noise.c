/* Value noise from a table of random numbers, and the shapes made with it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "demo/demo_int.h"

#include <math.h>

void ts_noise_init(struct ts_noise *noise, struct ts_random *random) {
  for (size_t i = 0; i < (size_t)TS_NOISE_SIDE * TS_NOISE_SIDE; i++) noise->values[i] = (float)ts_random_unit(random);
}

static double value_at(const struct ts_noise *noise, int64_t x, int64_t y) {
  return noise->values[(y & (TS_NOISE_SIDE - 1)) * TS_NOISE_SIDE + (x & (TS_NOISE_SIDE - 1))];
}

static double mix(double a, double b, double part) { return a + (b - a) * part; }

double ts_noise_at(const struct ts_noise *noise, double x, double y) {
  double left = floor(x);
  double top = floor(y);
  int64_t column = (int64_t)left;
  int64_t row = (int64_t)top;
  double across = (x - left) * (x - left) * (3 - 2 * (x - left));
  double down = (y - top) * (y - top) * (3 - 2 * (y - top));
  double upper = mix(value_at(noise, column, row), value_at(noise, column + 1, row), across);
  double lower = mix(value_at(noise, column, row + 1), value_at(noise, column + 1, row + 1), across);
  return mix(upper, lower, down);
}

double ts_noise_sum(const struct ts_noise *noise, double x, double y, int octaves) {
  double sum = 0;
  double total = 0;
  double weight = 1;
  for (int i = 0; i < octaves; i++) {
    sum += weight * ts_noise_at(noise, x, y);
    total += weight;
    weight *= 0.5;
    x = 2 * x + 37.2; /* shifted, so that the octaves do not line up */
    y = 2 * y + 91.7;
  }
  return sum / total;
}

double ts_demo_between(struct ts_random *random, double low, double high) {
  return low + (high - low) * ts_random_unit(random);
}

double ts_demo_smooth(double low, double high, double value) {
  if (value <= low) return 0;
  if (value >= high) return 1;
  double part = (value - low) / (high - low);
  return part * part * (3 - 2 * part);
}

struct ts_vector ts_demo_direction(struct ts_random *random) {
  for (;;) {
    double x = ts_demo_between(random, -1, 1);
    double y = ts_demo_between(random, -1, 1);
    double square = x * x + y * y;
    if (square > 1 || square < 1e-4) continue;
    double length = sqrt(square);
    return (struct ts_vector){x / length, y / length};
  }
}

double ts_blob_depth(const struct ts_canvas *canvas, const struct ts_blob *blob, double x, double y) {
  double dx = x - blob->x;
  double dy = y - blob->y;
  double u = (dx * blob->along.x + dy * blob->along.y) / blob->half_long_px;
  double v = (dy * blob->along.x - dx * blob->along.y) / blob->half_short_px;
  double radius = sqrt(u * u + v * v);
  if (radius < 1e-6) return blob->half_short_px;
  /* A circle through the noise gives an outline that closes. */
  double noise = ts_noise_at(&canvas->noise, blob->seed + 1.4 * u / radius, 1.3 * blob->seed + 1.4 * v / radius);
  double outline = 1 + blob->roughness * (2 * noise - 1);
  return (outline - radius) * blob->half_short_px;
}

bool ts_blob_bounds(const struct ts_canvas *canvas, const struct ts_blob *blob, double margin, int64_t bounds[4]) {
  double reach = blob->half_long_px * (1 + blob->roughness) + margin * blob->half_long_px / blob->half_short_px + 1;
  bounds[0] = (int64_t)floor(blob->x - reach);
  bounds[1] = (int64_t)floor(blob->y - reach);
  bounds[2] = (int64_t)ceil(blob->x + reach) + 1;
  bounds[3] = (int64_t)ceil(blob->y + reach) + 1;
  if (bounds[0] < 0) bounds[0] = 0;
  if (bounds[1] < 0) bounds[1] = 0;
  if (bounds[2] > canvas->width) bounds[2] = canvas->width;
  if (bounds[3] > canvas->height) bounds[3] = canvas->height;
  return bounds[0] < bounds[2] && bounds[1] < bounds[3];
}
