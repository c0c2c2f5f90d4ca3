/* Draws the synthetic slide: tissue and cells as stain densities, then colours by the law of Beer and Lambert.
 * SPDX-License-Identifier: Apache-2.0 */
#include "demo/slide.h"

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/exact_math.h"
#include "demo/demo_int.h"

#include <string.h>

/* Optical density (base 10) in red, green and blue of one unit of each dye. */
static const double haematoxylin_density[3] = {0.62, 0.72, 0.34};
static const double eosin_density[3] = {0.09, 0.76, 0.36};
static const double blood_density[3] = {0.20, 1.00, 0.82};
static const double glass_density[3] = {0.020, 0.022, 0.018};

#define CAMERA_NOISE  3.0 /* width of the noise in grey levels */
#define NOISE_STAIN_H 23.4
#define NOISE_STAIN_E 211.9
#define STREAM_SHAPES 1
#define STREAM_CAMERA 2

/* The optics blur a little: 1 2 1 in both directions, over the three planes of density. */
static double blurred(const struct ts_canvas *canvas, const float *plane, int64_t x, int64_t y) {
  double sum = 0;
  for (int64_t dy = -1; dy <= 1; dy++) {
    int64_t row = y + dy < 0 ? 0 : y + dy >= canvas->height ? canvas->height - 1 : y + dy;
    for (int64_t dx = -1; dx <= 1; dx++) {
      int64_t column = x + dx < 0 ? 0 : x + dx >= canvas->width ? canvas->width - 1 : x + dx;
      sum += plane[row * canvas->width + column] * (double)((2 - dx * dx) * (2 - dy * dy));
    }
  }
  return sum / 16;
}

static uint8_t to_byte(double value) {
  if (value <= 0) return 0;
  return value >= 255 ? 255 : (uint8_t)(value + 0.5);
}

/* The stains take unevenly over the slide. */
static double unevenness(const struct ts_canvas *canvas, double x, double y, double place) {
  return 0.88 + 0.24 * ts_noise_sum(&canvas->noise, x / 400 + place, y / 400 + place, 2);
}

static void colour_pixel(const struct ts_canvas *canvas, int64_t x, int64_t y, struct ts_random *camera,
                         uint8_t rgb[3]) {
  double haematoxylin = blurred(canvas, canvas->haematoxylin, x, y);
  double eosin = blurred(canvas, canvas->eosin, x, y);
  double blood = blurred(canvas, canvas->blood, x, y);
  haematoxylin *= unevenness(canvas, (double)x, (double)y, NOISE_STAIN_H);
  eosin *= unevenness(canvas, (double)x, (double)y, NOISE_STAIN_E);
  uint64_t bits = ts_random_u64(camera);
  for (int c = 0; c < 3; c++) {
    double density = haematoxylin * haematoxylin_density[c] + eosin * eosin_density[c] + blood * blood_density[c];
    double noise = (double)(bits >> (20 * c) & 0xfffff) / 1048576.0 - 0.5;
    rgb[c] = to_byte(255 * ts_exact_exp10(-(density + glass_density[c])) + CAMERA_NOISE * noise);
  }
}

static void colour(const struct ts_canvas *canvas, uint64_t seed, uint8_t *rgb) {
  struct ts_random camera;
  ts_random_init(&camera, seed, STREAM_CAMERA);
  for (int64_t y = 0; y < canvas->height; y++) {
    for (int64_t x = 0; x < canvas->width; x++) {
      colour_pixel(canvas, x, y, &camera, rgb + 3 * (y * canvas->width + x));
    }
  }
}

static void draw(struct ts_canvas *canvas, uint64_t seed) {
  ts_random_init(&canvas->random, seed, STREAM_SHAPES);
  ts_noise_init(&canvas->noise, &canvas->random);
  ts_demo_draw_stroma(canvas);
  ts_demo_draw_glands(canvas);
  ts_demo_draw_vessels(canvas);
  ts_demo_draw_cells(canvas);
  ts_demo_draw_debris(canvas);
}

/* Draws into existing data; needs memory for the planes of density, too. */
static bool draw_slide(uint64_t seed, struct ts_data *rgb, struct ts_data *labels, struct ts_error *err) {
  const struct ts_region *region = ts_data_region(rgb);
  size_t count = (size_t)(region->width * region->height);
  size_t planes_bytes = count * (3 * sizeof(float) + 1);
  struct ts_buffer *planes = ts_buffer_create(planes_bytes, err);
  if (!planes) return false;
  memset(ts_buffer_writable(planes), 0, planes_bytes);
  memset(ts_data_writable(labels), 0, ts_data_size_bytes(labels));
  struct ts_canvas *canvas = ts_calloc(1, sizeof *canvas);
  canvas->width = region->width;
  canvas->height = region->height;
  canvas->haematoxylin = ts_buffer_writable(planes);
  canvas->eosin = canvas->haematoxylin + count;
  canvas->blood = canvas->eosin + count;
  canvas->zone = (uint8_t *)(canvas->blood + count);
  canvas->labels = ts_data_writable(labels);
  draw(canvas, seed);
  colour(canvas, seed, ts_data_writable(rgb));
  free(canvas);
  ts_buffer_free(planes);
  return true;
}

static bool good_side(int64_t side_px) { return side_px >= TS_DEMO_SIDE_MIN_PX && side_px <= TS_DEMO_SIDE_MAX_PX; }

bool ts_demo_slide(int64_t width, int64_t height, uint64_t seed, struct ts_data **rgb, struct ts_data **labels,
                   struct ts_error *err) {
  if (!good_side(width) || !good_side(height)) {
    ts_fail(err, TS_ERR_BAD_VALUE, "a demo slide cannot have %lld x %lld pixels", (long long)width, (long long)height);
    return ts_error_help(err, "give sides from %d to %d pixels", TS_DEMO_SIDE_MIN_PX, TS_DEMO_SIDE_MAX_PX);
  }
  struct ts_region region = {.width = width, .height = height};
  ts_auto(ts_data_unref_pointer) struct ts_data *image =
      ts_data_create_pixels(ts_type_find("image/rgb8"), &region, err);
  ts_auto(ts_data_unref_pointer) struct ts_data *ids =
      image ? ts_data_create_pixels(ts_type_find("labels"), &region, err) : NULL;
  if (!ids || !draw_slide(seed, image, ids, err)) return false;
  *rgb = ts_steal(image);
  *labels = ts_steal(ids);
  return true;
}
