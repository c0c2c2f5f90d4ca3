/* Draws the tissue between the cells: fibrous stroma with clefts, glands with a lumen, vessels with red blood cells.
 * SPDX-License-Identifier: Apache-2.0 */
#include "demo/demo_int.h"

#include <math.h>

/* Places in the table of noise for the different uses; far apart, so that they look independent. */
#define NOISE_WARP   11.3
#define NOISE_FIBRE  57.9
#define NOISE_EDGE   101.1
#define NOISE_GROUND 147.7
#define NOISE_STAIN  189.5

/* The fibres follow the level lines of a bent coordinate; the bend is slow noise. */
static double bend(const struct ts_canvas *canvas, double x, double y) {
  return 90 * ts_noise_sum(&canvas->noise, x / 170 + NOISE_WARP, y / 170 + NOISE_WARP, 2);
}

static double across_fibres(const struct ts_canvas *canvas, double x, double y) {
  return 0.45 * x + 0.9 * y + 1.6 * bend(canvas, x, y);
}

struct ts_vector ts_demo_fibre(const struct ts_canvas *canvas, double x, double y) {
  double dx = across_fibres(canvas, x + 2, y) - across_fibres(canvas, x - 2, y);
  double dy = across_fibres(canvas, x, y + 2) - across_fibres(canvas, x, y - 2);
  double length = sqrt(dx * dx + dy * dy);
  if (length < 1e-9) return (struct ts_vector){1, 0};
  return (struct ts_vector){-dy / length, dx / length};
}

/* How far inside the tissue a pixel lies, roughly in pixels: glass shows in one corner. */
static double tissue_depth(const struct ts_canvas *canvas, double x, double y) {
  double shorter = (double)(canvas->width < canvas->height ? canvas->width : canvas->height);
  double ragged = ts_noise_sum(&canvas->noise, x / 90 + NOISE_EDGE, y / 90 + NOISE_EDGE, 4);
  double from_corner = (double)canvas->width - x + 1.3 * y;
  return from_corner - 0.42 * shorter + 150 * (ragged - 0.5);
}

static void draw_stroma_pixel(struct ts_canvas *canvas, int64_t px, int64_t py) {
  size_t i = (size_t)(py * canvas->width + px);
  double x = (double)px;
  double y = (double)py;
  double tissue = ts_demo_smooth(-1.5, 1.5, tissue_depth(canvas, x, y));
  canvas->zone[i] = tissue < 0.5 ? TS_ZONE_EMPTY : TS_ZONE_STROMA;
  if (tissue <= 0) return;
  double across = across_fibres(canvas, x, y);
  double along = 0.9 * x - 0.45 * y;
  double fibres = ts_noise_sum(&canvas->noise, across / 11 + NOISE_FIBRE, along / 85 + NOISE_FIBRE, 4);
  double ground = ts_noise_sum(&canvas->noise, x / 55 + NOISE_GROUND, y / 55 + NOISE_GROUND, 3);
  double grain = ts_noise_at(&canvas->noise, x / 2.3 + NOISE_GROUND, y / 2.3);
  double clefts = ts_demo_smooth(0.57, 0.72, fibres) * ts_demo_smooth(0.35, 0.6, ground);
  double eosin = 0.20 + 0.36 * (1 - ts_demo_smooth(0.25, 0.68, fibres)) + 0.20 * (ground - 0.5) + 0.17 * (grain - 0.5);
  canvas->eosin[i] = (float)(tissue * eosin * (1 - 0.85 * clefts));
  canvas->haematoxylin[i] = (float)(tissue * (0.02 + 0.10 * ts_demo_smooth(0.45, 0.75, ground)) * (1 - 0.8 * clefts));
}

void ts_demo_draw_stroma(struct ts_canvas *canvas) {
  for (int64_t y = 0; y < canvas->height; y++) {
    for (int64_t x = 0; x < canvas->width; x++) draw_stroma_pixel(canvas, x, y);
  }
}

static struct ts_blob random_blob(struct ts_canvas *canvas, double low_px, double high_px, double roughness) {
  struct ts_random *random = &canvas->random;
  double size = ts_demo_between(random, low_px, high_px);
  struct ts_blob blob = {0};
  blob.x = ts_demo_between(random, 0, (double)canvas->width);
  blob.y = ts_demo_between(random, 0, (double)canvas->height);
  blob.half_long_px = size;
  blob.half_short_px = size * ts_demo_between(random, 0.65, 0.95);
  blob.along = ts_demo_direction(random);
  blob.roughness = roughness;
  blob.seed = ts_demo_between(random, 0, 200);
  return blob;
}

/* Whether the blob with its margin lies on stroma alone (parts outside the canvas do not count). */
static bool on_stroma(const struct ts_canvas *canvas, const struct ts_blob *blob, double margin) {
  int64_t bounds[4];
  if (!ts_blob_bounds(canvas, blob, margin, bounds)) return false;
  for (int64_t y = bounds[1]; y < bounds[3]; y += 3) {
    for (int64_t x = bounds[0]; x < bounds[2]; x += 3) {
      if (canvas->zone[y * canvas->width + x] == TS_ZONE_STROMA) continue;
      if (ts_blob_depth(canvas, blob, (double)x, (double)y) > -margin) return false;
    }
  }
  return true;
}

/* Nuclei lie in a ring around the lumen, their long axes pointing at it. */
static void draw_ring_of_nuclei(struct ts_canvas *canvas, const struct ts_blob *lumen, double wall_px) {
  struct ts_random *random = &canvas->random;
  struct ts_vector way = ts_demo_direction(random);
  double turned = 0;
  while (turned < 6.1) {
    double step = ts_demo_between(random, 11.5, 16) / (lumen->half_long_px + 0.6 * wall_px);
    /* A rotation by about `step` radians from a rational pair on the unit circle. */
    double t = step / 2;
    double c = (1 - t * t) / (1 + t * t);
    double s = 2 * t / (1 + t * t);
    way = (struct ts_vector){way.x * c - way.y * s, way.x * s + way.y * c};
    turned += step;
    /* The radius of the ellipse in this direction. */
    double u = way.x * lumen->along.x + way.y * lumen->along.y;
    double v = way.y * lumen->along.x - way.x * lumen->along.y;
    double a = u / lumen->half_long_px;
    double b = v / lumen->half_short_px;
    double radius = 1 / sqrt(a * a + b * b) + wall_px * ts_demo_between(random, 0.45, 0.78);
    double tilt = ts_demo_between(random, -0.25, 0.25);
    double length = sqrt(1 + tilt * tilt);
    struct ts_nucleus nucleus = {0};
    nucleus.shape.x = lumen->x + way.x * radius;
    nucleus.shape.y = lumen->y + way.y * radius;
    nucleus.shape.half_long_px = ts_demo_between(random, 7.0, 9.5);
    nucleus.shape.half_short_px = ts_demo_between(random, 4.6, 6.6);
    nucleus.shape.along = (struct ts_vector){(way.x - tilt * way.y) / length, (way.y + tilt * way.x) / length};
    nucleus.shape.roughness = ts_demo_between(random, 0.06, 0.16);
    nucleus.shape.seed = ts_demo_between(random, 0, 200);
    nucleus.density = ts_demo_between(random, 0.62, 1.10);
    nucleus.rim = ts_demo_between(random, 0.05, 0.25);
    nucleus.texture = ts_demo_between(random, 0.3, 0.7);
    ts_demo_draw_nucleus(canvas, &nucleus);
  }
}

static void draw_gland(struct ts_canvas *canvas, const struct ts_blob *lumen, double wall_px) {
  int64_t bounds[4];
  if (!ts_blob_bounds(canvas, lumen, wall_px + 6, bounds)) return;
  for (int64_t y = bounds[1]; y < bounds[3]; y++) {
    for (int64_t x = bounds[0]; x < bounds[2]; x++) {
      size_t i = (size_t)(y * canvas->width + x);
      double outside = -ts_blob_depth(canvas, lumen, (double)x, (double)y);
      if (outside > wall_px + 4) continue;
      double grain = ts_noise_sum(&canvas->noise, (double)x / 7 + NOISE_STAIN, (double)y / 7, 3);
      double wall = ts_demo_smooth(-1, 1.5, outside);
      double border = 1 - ts_demo_smooth(0, 2.5, fabs(outside - wall_px - 1));
      double apical = 1 - ts_demo_smooth(2, 0.45 * wall_px, outside);
      double eosin = (0.34 + 0.18 * (grain - 0.5) - 0.10 * apical + 0.25 * border) * wall;
      double haematoxylin = (0.19 + 0.26 * (grain - 0.5) - 0.08 * apical) * wall;
      double mucus = 0.05 * ts_demo_smooth(0.5, 0.7, grain);
      double blend = 1 - ts_demo_smooth(wall_px + 1, wall_px + 4, outside);
      canvas->eosin[i] = (float)(canvas->eosin[i] * (1 - blend) + blend * (eosin + mucus));
      canvas->haematoxylin[i] = (float)(canvas->haematoxylin[i] * (1 - blend) + blend * haematoxylin);
      canvas->zone[i] = outside < 0 ? TS_ZONE_EMPTY : TS_ZONE_EPITHELIUM;
    }
  }
  draw_ring_of_nuclei(canvas, lumen, wall_px);
}

static int64_t number_for_area(const struct ts_canvas *canvas, double px_each) {
  return (int64_t)((double)canvas->width * (double)canvas->height / px_each) + 1;
}

void ts_demo_draw_glands(struct ts_canvas *canvas) {
  int64_t tries = number_for_area(canvas, 22000);
  for (int64_t i = 0; i < tries; i++) {
    struct ts_blob lumen = random_blob(canvas, 10, 46, 0.34);
    double wall_px = ts_demo_between(&canvas->random, 24, 31);
    if (on_stroma(canvas, &lumen, wall_px + 14)) draw_gland(canvas, &lumen, wall_px);
  }
}

/* A red blood cell: a disc that is paler in the middle. */
static void draw_red_cell(struct ts_canvas *canvas, double x, double y) {
  struct ts_random *random = &canvas->random;
  double radius = ts_demo_between(random, 4.2, 6.2);
  struct ts_blob disc = {0};
  disc.x = x;
  disc.y = y;
  disc.half_long_px = radius;
  disc.half_short_px = radius * ts_demo_between(random, 0.7, 1);
  disc.along = ts_demo_direction(random);
  disc.roughness = 0.08;
  disc.seed = ts_demo_between(random, 0, 200);
  double density = ts_demo_between(random, 0.6, 1.8);
  int64_t bounds[4];
  if (!ts_blob_bounds(canvas, &disc, 1, bounds)) return;
  for (int64_t py = bounds[1]; py < bounds[3]; py++) {
    for (int64_t px = bounds[0]; px < bounds[2]; px++) {
      size_t i = (size_t)(py * canvas->width + px);
      double depth = ts_blob_depth(canvas, &disc, (double)px, (double)py);
      double cover = ts_demo_smooth(-0.8, 0.8, depth) * (1 - 0.25 * ts_demo_smooth(1.5, radius, depth));
      if (cover <= 0 || canvas->labels[i] != 0) continue;
      double blood = density * cover;
      if (blood > canvas->blood[i]) canvas->blood[i] = (float)blood;
      canvas->eosin[i] = (float)(canvas->eosin[i] * (1 - 0.7 * cover));
    }
  }
}

static void draw_vessel(struct ts_canvas *canvas, const struct ts_blob *vessel) {
  int64_t bounds[4];
  if (!ts_blob_bounds(canvas, vessel, 8, bounds)) return;
  for (int64_t y = bounds[1]; y < bounds[3]; y++) {
    for (int64_t x = bounds[0]; x < bounds[2]; x++) {
      size_t i = (size_t)(y * canvas->width + x);
      double depth = ts_blob_depth(canvas, vessel, (double)x, (double)y);
      if (depth < -6) continue;
      double inside = ts_demo_smooth(-1, 1, depth);
      double wall = ts_demo_smooth(-6, -3, depth) * (1 - inside);
      canvas->eosin[i] = (float)(canvas->eosin[i] * (1 - inside) + 0.22 * wall + 0.03 * inside);
      canvas->haematoxylin[i] = (float)(canvas->haematoxylin[i] * (1 - inside));
      if (depth > -2) canvas->zone[i] = TS_ZONE_VESSEL;
    }
  }
  int64_t cells = (int64_t)(vessel->half_long_px * vessel->half_short_px / 22);
  for (int64_t i = 0; i < cells; i++) {
    double x = vessel->x + ts_demo_between(&canvas->random, -1, 1) * vessel->half_long_px;
    double y = vessel->y + ts_demo_between(&canvas->random, -1, 1) * vessel->half_long_px;
    if (ts_blob_depth(canvas, vessel, x, y) > 4) draw_red_cell(canvas, x, y);
  }
}

void ts_demo_draw_vessels(struct ts_canvas *canvas) {
  int64_t tries = number_for_area(canvas, 45000);
  for (int64_t i = 0; i < tries; i++) {
    struct ts_blob vessel = random_blob(canvas, 14, 34, 0.2);
    if (on_stroma(canvas, &vessel, 10)) draw_vessel(canvas, &vessel);
  }
  int64_t stray = number_for_area(canvas, 9000);
  for (int64_t i = 0; i < stray; i++) {
    double x = ts_demo_between(&canvas->random, 0, (double)canvas->width);
    double y = ts_demo_between(&canvas->random, 0, (double)canvas->height);
    size_t place = (size_t)((int64_t)y * canvas->width + (int64_t)x);
    if (canvas->zone[place] == TS_ZONE_STROMA) draw_red_cell(canvas, x, y);
  }
}
