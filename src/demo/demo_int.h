/* The canvas of the synthetic slide: planes of stain density that tissue, vessels and cells are drawn on.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Everything is drawn as density of stain; only the last step turns densities into colours. Arithmetic is IEEE
 * addition, multiplication, division, square root and rounding in a fixed order, so that every machine draws the
 * same slide. Random numbers are drawn one per statement: the order within an initializer would be the compiler's. */
#ifndef TS_DEMO_DEMO_INT_H
#define TS_DEMO_DEMO_INT_H

#include "base/random.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TS_NOISE_SIDE 256 /* a power of two: the table repeats */

struct ts_noise {
  float values[TS_NOISE_SIDE * TS_NOISE_SIDE]; /* in [0, 1) */
};

void ts_noise_init(struct ts_noise *noise, struct ts_random *random);
/* Value noise at a place in cells: smooth between the values of the table, in [0, 1). */
double ts_noise_at(const struct ts_noise *noise, double x, double y);
/* The sum of `octaves` noises, each twice as fine and half as strong, in [0, 1). */
double ts_noise_sum(const struct ts_noise *noise, double x, double y, int octaves);

enum ts_zone { TS_ZONE_STROMA, TS_ZONE_EPITHELIUM, TS_ZONE_VESSEL, TS_ZONE_EMPTY };

struct ts_canvas {
  int64_t width, height;
  float *haematoxylin; /* borrowed from the slide's memory, as are the next four */
  float *eosin;
  float *blood;
  uint8_t *zone;
  uint32_t *labels;
  uint32_t nucleus_count;
  struct ts_random random;
  struct ts_noise noise;
};

struct ts_vector {
  double x, y;
};

/* A direction, every one equally likely. */
struct ts_vector ts_demo_direction(struct ts_random *random);
double ts_demo_between(struct ts_random *random, double low, double high);
/* 0 below low, 1 above high, smooth between. */
double ts_demo_smooth(double low, double high, double value);
/* Which way the fibres of the stroma run at a place. */
struct ts_vector ts_demo_fibre(const struct ts_canvas *canvas, double x, double y);

/* An ellipse with an irregular outline, the shape of everything that is drawn. */
struct ts_blob {
  double x, y;         /* centre */
  double half_long_px; /* half axes */
  double half_short_px;
  struct ts_vector along; /* of the long axis; length 1 */
  double roughness;       /* how far the outline strays, as a part of the radius */
  double seed;            /* place in the noise that shapes the outline */
};
/* Distance from the outline, in pixels: positive inside. Approximate, exact on circles. */
double ts_blob_depth(const struct ts_canvas *canvas, const struct ts_blob *blob, double x, double y);
/* The rectangle of the canvas that can hold the blob grown by `margin` pixels; false if there is none. */
bool ts_blob_bounds(const struct ts_canvas *canvas, const struct ts_blob *blob, double margin, int64_t bounds[4]);

/* In order of drawing. */
void ts_demo_draw_stroma(struct ts_canvas *canvas);
void ts_demo_draw_glands(struct ts_canvas *canvas);
void ts_demo_draw_vessels(struct ts_canvas *canvas);
void ts_demo_draw_cells(struct ts_canvas *canvas);
void ts_demo_draw_debris(struct ts_canvas *canvas);

/* A nucleus; drawn only if enough of it is visible and it hardly covers another one. Then it has the next label. */
struct ts_nucleus {
  struct ts_blob shape;
  double density; /* of haematoxylin */
  double rim;     /* more of it below the outline */
  double texture; /* how clumped the chromatin is */
  double blur_px; /* half width of its edge: nuclei lie at different depths of the section */
};
bool ts_demo_draw_nucleus(struct ts_canvas *canvas, const struct ts_nucleus *nucleus);

#endif
