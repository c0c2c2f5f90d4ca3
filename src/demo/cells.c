/* Draws nuclei: single ones, spindles along the fibres, dense groups; and specks of debris that are not nuclei.
 * SPDX-License-Identifier: Apache-2.0 */
#include "demo/demo_int.h"

#include <math.h>

#define VISIBLE_MIN_PX 24
#define OVERLAP_MAX    0.12 /* part of a nucleus that may lie on others */
#define NUCLEOLUS_PX   1.7
#define CHROMATIN_PX   2.6

struct extent {
  int64_t visible, hidden;
};

/* How many pixels would be its own, and how many belong to others already. */
static struct extent measure(const struct ts_canvas *canvas, const struct ts_blob *shape, const int64_t bounds[4]) {
  struct extent extent = {0, 0};
  for (int64_t y = bounds[1]; y < bounds[3]; y++) {
    for (int64_t x = bounds[0]; x < bounds[2]; x++) {
      if (ts_blob_depth(canvas, shape, (double)x, (double)y) <= 0) continue;
      if (canvas->labels[y * canvas->width + x] != 0) {
        extent.hidden++;
      } else {
        extent.visible++;
      }
    }
  }
  return extent;
}

static void paint_pixel(struct ts_canvas *canvas, const struct ts_nucleus *nucleus, int64_t px, int64_t py) {
  double x = (double)px;
  double y = (double)py;
  size_t i = (size_t)(py * canvas->width + px);
  double depth = ts_blob_depth(canvas, &nucleus->shape, x, y);
  double cover = ts_demo_smooth(-nucleus->blur_px, nucleus->blur_px, depth);
  if (cover <= 0) return;
  if (depth > 0 && canvas->labels[i] == 0) canvas->labels[i] = canvas->nucleus_count;
  double shift = nucleus->shape.seed;
  double chromatin = ts_noise_sum(&canvas->noise, x / CHROMATIN_PX + shift, y / CHROMATIN_PX + shift, 2);
  double rim = 1 - ts_demo_smooth(0, 1.6, fabs(depth - 1.2));
  double density = nucleus->density * (1 + nucleus->texture * (2 * chromatin - 1)) + nucleus->rim * rim;
  /* The nucleolus lies off the centre, where the noise of the outline says. */
  double nx = x - nucleus->shape.x - 2 * (chromatin - 0.5);
  double ny = y - nucleus->shape.y - (shift - 100) / 50;
  if (nucleus->rim > 0.25 && nx * nx + ny * ny < NUCLEOLUS_PX * NUCLEOLUS_PX) density += 0.45;
  double drawn = canvas->haematoxylin[i] * (1 - 0.5 * cover) + density * cover;
  if (drawn > canvas->haematoxylin[i]) canvas->haematoxylin[i] = (float)drawn;
  canvas->eosin[i] = (float)(canvas->eosin[i] * (1 - 0.65 * cover));
  canvas->blood[i] = (float)(canvas->blood[i] * (1 - cover));
}

bool ts_demo_draw_nucleus(struct ts_canvas *canvas, const struct ts_nucleus *nucleus) {
  int64_t bounds[4];
  if (!ts_blob_bounds(canvas, &nucleus->shape, nucleus->blur_px, bounds)) return false;
  struct extent extent = measure(canvas, &nucleus->shape, bounds);
  double all = (double)(extent.visible + extent.hidden);
  if (extent.visible < VISIBLE_MIN_PX || (double)extent.hidden > OVERLAP_MAX * all) return false;
  canvas->nucleus_count++;
  for (int64_t y = bounds[1]; y < bounds[3]; y++) {
    for (int64_t x = bounds[0]; x < bounds[2]; x++) paint_pixel(canvas, nucleus, x, y);
  }
  return true;
}

static enum ts_zone zone_at(const struct ts_canvas *canvas, double x, double y) {
  if (x < 0 || y < 0 || x >= (double)canvas->width || y >= (double)canvas->height) return TS_ZONE_EMPTY;
  return canvas->zone[(int64_t)y * canvas->width + (int64_t)x];
}

/* A fibroblast: a thin nucleus along the fibres. */
static struct ts_nucleus spindle(struct ts_canvas *canvas, double x, double y) {
  struct ts_random *random = &canvas->random;
  struct ts_nucleus nucleus = {0};
  nucleus.shape.x = x;
  nucleus.shape.y = y;
  nucleus.shape.half_long_px = ts_demo_between(random, 7.5, 13);
  nucleus.shape.half_short_px = ts_demo_between(random, 2.4, 4.2);
  nucleus.shape.along = ts_demo_fibre(canvas, x, y);
  nucleus.shape.roughness = ts_demo_between(random, 0.08, 0.2);
  nucleus.shape.seed = ts_demo_between(random, 0, 200);
  nucleus.density = ts_demo_between(random, 0.34, 1.10);
  nucleus.rim = 0.1;
  nucleus.texture = ts_demo_between(random, 0.2, 0.5);
  nucleus.blur_px = ts_demo_between(random, 0.9, 2.2);
  return nucleus;
}

/* A lymphocyte: small, round, dark. */
static struct ts_nucleus round_cell(struct ts_canvas *canvas, double x, double y) {
  struct ts_random *random = &canvas->random;
  double radius = ts_demo_between(random, 4.3, 6.0);
  struct ts_nucleus nucleus = {0};
  nucleus.shape.x = x;
  nucleus.shape.y = y;
  nucleus.shape.half_long_px = radius;
  nucleus.shape.half_short_px = radius * ts_demo_between(random, 0.82, 1);
  nucleus.shape.along = ts_demo_direction(random);
  nucleus.shape.roughness = ts_demo_between(random, 0.05, 0.14);
  nucleus.shape.seed = ts_demo_between(random, 0, 200);
  nucleus.density = ts_demo_between(random, 0.62, 1.30);
  nucleus.rim = 0.1;
  nucleus.texture = ts_demo_between(random, 0.2, 0.5);
  nucleus.blur_px = ts_demo_between(random, 0.9, 2.0);
  return nucleus;
}

/* A large pale nucleus with a dark rim and a nucleolus. */
static struct ts_nucleus vesicular(struct ts_canvas *canvas, double x, double y) {
  struct ts_random *random = &canvas->random;
  struct ts_nucleus nucleus = {0};
  nucleus.shape.x = x;
  nucleus.shape.y = y;
  nucleus.shape.half_long_px = ts_demo_between(random, 7.5, 10);
  nucleus.shape.half_short_px = ts_demo_between(random, 6.2, 7.8);
  nucleus.shape.along = ts_demo_direction(random);
  nucleus.shape.roughness = ts_demo_between(random, 0.08, 0.18);
  nucleus.shape.seed = ts_demo_between(random, 0, 200);
  nucleus.density = ts_demo_between(random, 0.20, 0.50);
  nucleus.rim = ts_demo_between(random, 0.15, 0.45);
  nucleus.texture = ts_demo_between(random, 0.5, 0.9);
  nucleus.blur_px = ts_demo_between(random, 1.0, 2.4);
  return nucleus;
}

static void draw_scattered(struct ts_canvas *canvas, int64_t count) {
  struct ts_random *random = &canvas->random;
  for (int64_t i = 0; i < count; i++) {
    double x = ts_demo_between(random, 0, (double)canvas->width);
    double y = ts_demo_between(random, 0, (double)canvas->height);
    if (zone_at(canvas, x, y) != TS_ZONE_STROMA) continue;
    uint64_t kind = ts_random_below(random, 10);
    struct ts_nucleus nucleus = kind < 5   ? spindle(canvas, x, y)
                                : kind < 7 ? round_cell(canvas, x, y)
                                           : vesicular(canvas, x, y);
    ts_demo_draw_nucleus(canvas, &nucleus);
  }
}

/* Members crowd around a centre, so that many of them touch. */
static void draw_group(struct ts_canvas *canvas, bool large) {
  struct ts_random *random = &canvas->random;
  double cx = ts_demo_between(random, 0, (double)canvas->width);
  double cy = ts_demo_between(random, 0, (double)canvas->height);
  double radius = ts_demo_between(random, 25, 60);
  uint64_t members = 14 + ts_random_below(random, 46);
  for (uint64_t i = 0; i < members; i++) {
    struct ts_vector way = ts_demo_direction(random);
    double away = radius * ts_random_unit(random);
    double x = cx + way.x * away;
    double y = cy + way.y * away;
    if (zone_at(canvas, x, y) != TS_ZONE_STROMA) continue;
    struct ts_nucleus nucleus = large ? vesicular(canvas, x, y) : round_cell(canvas, x, y);
    ts_demo_draw_nucleus(canvas, &nucleus);
  }
}

void ts_demo_draw_cells(struct ts_canvas *canvas) {
  int64_t area = canvas->width * canvas->height;
  for (int64_t i = 0; i < area / 45000 + 1; i++) draw_group(canvas, i % 3 == 2);
  draw_scattered(canvas, area / 1500 + 1);
}

/* Specks of dye and dust: dark, but too small for a nucleus. */
void ts_demo_draw_debris(struct ts_canvas *canvas) {
  struct ts_random *random = &canvas->random;
  int64_t count = canvas->width * canvas->height / 4000 + 1;
  for (int64_t n = 0; n < count; n++) {
    double radius = ts_demo_between(random, 0.7, 2.3);
    struct ts_blob speck = {0};
    speck.x = ts_demo_between(random, 0, (double)canvas->width);
    speck.y = ts_demo_between(random, 0, (double)canvas->height);
    speck.half_long_px = radius;
    speck.half_short_px = radius * 0.8;
    speck.along = ts_demo_direction(random);
    speck.roughness = 0.2;
    speck.seed = ts_demo_between(random, 0, 200);
    double density = ts_demo_between(random, 0.6, 1.4);
    int64_t bounds[4];
    if (!ts_blob_bounds(canvas, &speck, 1, bounds)) continue;
    for (int64_t y = bounds[1]; y < bounds[3]; y++) {
      for (int64_t x = bounds[0]; x < bounds[2]; x++) {
        size_t i = (size_t)(y * canvas->width + x);
        double drawn = density * ts_demo_smooth(-0.8, 0.8, ts_blob_depth(canvas, &speck, (double)x, (double)y));
        if (canvas->labels[i] == 0 && drawn > canvas->haematoxylin[i]) canvas->haematoxylin[i] = (float)drawn;
      }
    }
  }
}
