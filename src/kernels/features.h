/* Features of labelled objects: place, shape, and per colour channel intensity, gradient and edges.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Coordinates are those of pixel centres: the first pixel of an image is at (0, 0). Axes and eccentricity are those of
 * the ellipse with the same second moments. The perimeter is that of 2 x 2 quads: one or three pixels of the object
 * count 0.7071, two side by side 1, two on a diagonal 1.4142. Standard deviations divide by the number of pixels;
 * skewness and kurtosis (3 for a normal distribution) are 0 where nothing varies. Gradients are central differences,
 * one-sided at the image's edge, their magnitude rounded to 0..255. Edges are those of Canny with limits 70 and 90 and
 * a 5 x 5 Sobel operator: their number in the object, and the mean of the edge plane (0 or 255) over the object.
 * All values are exact in the sense of the key: bit-equal on every machine. */
#ifndef TS_KERNELS_FEATURES_H
#define TS_KERNELS_FEATURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "kernels/cpu/bits.h"
#include "kernels/cpu/canny.h"
#include "kernels/objects.h"
#include "kernels/pixel_run.h"
#include "kernels/threads.h"

/* The columns in order: F is given the last part of a column's enumerator, and its name. */
#define TS_FEATURE_LIST_OF_PLACE(F)                                                                                    \
  F(LABEL, "label"), TS_FEATURE_LIST_OF_BOX(F), F(CENTROID_X, "centroid_x"), F(CENTROID_Y, "centroid_y")
#define TS_FEATURE_LIST_OF_BOX(F)                                                                                      \
  F(AREA, "area"), F(BOX_X, "box_x"), F(BOX_Y, "box_y"), F(BOX_WIDTH, "box_width"), F(BOX_HEIGHT, "box_height")
#define TS_FEATURE_LIST_OF_FORM(F)                                                                                     \
  F(MAJOR_AXIS, "major_axis"), F(MINOR_AXIS, "minor_axis"), F(ECCENTRICITY, "eccentricity"), F(EXTENT, "extent"),      \
      F(PERIMETER, "perimeter"), F(CIRCULARITY, "circularity")
/* Of a channel: what is counted pixel by pixel, and what depends on the edges of the whole plane. */
#define TS_FEATURE_LIST_OF_COUNTS(F, c)                                                                                \
  F(MEAN, c "_mean"), F(MAX, c "_max"), F(MIN, c "_min"), F(STD, c "_std"), F(ENTROPY, c "_entropy"),                  \
      F(ENERGY, c "_energy"), F(SKEWNESS, c "_skewness"), F(KURTOSIS, c "_kurtosis"),                                  \
      F(GRADIENT_MEAN, c "_gradient_mean"), F(GRADIENT_STD, c "_gradient_std"),                                        \
      F(GRADIENT_ENTROPY, c "_gradient_entropy"), F(GRADIENT_ENERGY, c "_gradient_energy"),                            \
      F(GRADIENT_SKEWNESS, c "_gradient_skewness"), F(GRADIENT_KURTOSIS, c "_gradient_kurtosis")
#define TS_FEATURE_LIST_OF_EDGES(F, c)   F(EDGE_PX, c "_edge_px"), F(EDGE_MEAN, c "_edge_mean")
#define TS_FEATURE_LIST_OF_CHANNEL(F, c) TS_FEATURE_LIST_OF_COUNTS(F, c), TS_FEATURE_LIST_OF_EDGES(F, c)
#define TS_FEATURE_LIST_OF_CHANNELS(F)                                                                                 \
  TS_FEATURE_LIST_OF_CHANNEL(F, "red"), TS_FEATURE_LIST_OF_CHANNEL(F, "green"), TS_FEATURE_LIST_OF_CHANNEL(F, "blue")
#define TS_FEATURE_LIST(F) TS_FEATURE_LIST_OF_PLACE(F), TS_FEATURE_LIST_OF_FORM(F), TS_FEATURE_LIST_OF_CHANNELS(F)

/* Columns of a row before the channels; then those of a channel, counted from its first one. */
#define TS_FEATURE_COLUMN(column, name) TS_FEATURE_##column
enum { TS_FEATURE_LIST_OF_PLACE(TS_FEATURE_COLUMN), TS_FEATURE_LIST_OF_FORM(TS_FEATURE_COLUMN), TS_FEATURES_SHAPE };
enum { TS_FEATURE_LIST_OF_CHANNEL(TS_FEATURE_COLUMN, ""), TS_FEATURES_CHANNEL };
enum { TS_FEATURE_CHANNELS = 3 }; /* red, green, blue */
enum { TS_FEATURES_COUNT = TS_FEATURES_SHAPE + TS_FEATURE_CHANNELS * TS_FEATURES_CHANNEL };

/* The names, in the order of the columns. */
extern const char *const ts_feature_names[TS_FEATURES_COUNT];

struct ts_feature_table {
  size_t object_count;
  double *values; /* owned: object_count rows of TS_FEATURES_COUNT, in the order of the labels */
};

/* Release the table in every case, also after an error. Labels: 0 is background, others need not be consecutive. */
bool ts_features(const uint8_t *rgb, const uint32_t *labels, int64_t width, int64_t height,
                 struct ts_feature_table *table, const struct ts_kernel_threads *threads, struct ts_error *err);
void ts_feature_table_release(struct ts_feature_table *table);

/* ---- One object, step by step: counted piece by piece, finished once ----
 *
 * Rows have TS_FEATURES_COUNT columns; each function writes those that it names. Runs are in raster order, and those of
 * a whole object where its shape is measured. */

/* The image around runs: pixel (x, y) of a run is pixel (x + image.x, y + image.y) of the plane. */
struct ts_feature_image {
  const uint8_t *rgb; /* borrowed */
  int64_t width, height;
  int64_t x, y;
};

/* Rows of several objects: all columns but those of edges. */
bool ts_features_rows(const struct ts_feature_image *image, const struct ts_object *objects, size_t count, double *rows,
                      const struct ts_kernel_threads *threads, struct ts_error *err);

/* How often each value of a channel occurs in the pixels of an object. Those of two pieces may be added. */
struct ts_feature_counts {
  int64_t intensity[TS_FEATURE_CHANNELS][256];
  int64_t gradient[TS_FEATURE_CHANNELS][256];
};

/* Place and form, all but the label. The scratch is 0 at first and released by the caller. */
bool ts_features_shape(const struct ts_pixel_run *runs, size_t count, struct ts_bits *scratch, double *row,
                       struct ts_error *err);
/* Adds the pixels of runs. */
void ts_features_count(const struct ts_feature_image *image, const struct ts_pixel_run *runs, size_t count,
                       struct ts_feature_counts *counts);
/* The columns of all channels but those of edges. */
void ts_features_finish(const struct ts_feature_counts *counts, int64_t pixels, double *row);
/* The edges of a channel; they depend on the whole plane. edges as in ts_edges_find. */
bool ts_features_find_edges(const struct ts_feature_image *image, int channel, struct ts_edges *edges,
                            const struct ts_kernel_threads *threads, struct ts_error *err);
int64_t ts_features_count_edges(const struct ts_feature_image *image, const struct ts_edges *edges,
                                const struct ts_pixel_run *runs, size_t count);
void ts_features_finish_edges(int64_t edge_px, int64_t pixels, int channel, double *row);

#endif
