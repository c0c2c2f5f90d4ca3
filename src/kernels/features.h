/* Features of labelled objects: place, shape, and per colour channel intensity, gradient and edges.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Coordinates are those of pixel centres: the first pixel of an image is at (0, 0). Axes and eccentricity are those of
 * the ellipse with the same second moments. The perimeter is that of 2 x 2 quads: one or three pixels of the object
 * count 0.7071, two side by side 1, two on a diagonal 1.4142. Standard deviations divide by the number of pixels;
 * skewness and kurtosis (3 for a normal distribution) are 0 where nothing varies. Gradients are central differences,
 * one- sided at the image's edge, their magnitude rounded to 0..255. Edges are those of Canny with limits 70 and 90 and
 * a 5 x 5 Sobel operator: their number in the object, and the mean of the edge plane (0 or 255) over the object.
 * All values are exact in the sense of the key: bit-equal on every machine. */
#ifndef TS_KERNELS_FEATURES_H
#define TS_KERNELS_FEATURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "kernels/threads.h"

enum {
  TS_FEATURES_SHAPE = 14, /* label, box, centroid and shape, before the channels */
  TS_FEATURES_CHANNEL = 16,
  TS_FEATURES_COUNT = TS_FEATURES_SHAPE + 3 * TS_FEATURES_CHANNEL
};

/* The columns, in order; channels are red, green, blue. */
/* The names, in the order of the columns; X is given each as a string. */
#define TS_FEATURE_LIST_OF_FORM(X)                                                                                     \
  X("major_axis") X("minor_axis") X("eccentricity") X("extent") X("perimeter") X("circularity")
#define TS_FEATURE_LIST_OF_CHANNEL(X, c)                                                                               \
  X(c "_mean")                                                                                                         \
  X(c "_max") X(c "_min") X(c "_std") X(c "_entropy") X(c "_energy") X(c "_skewness") X(c "_kurtosis")                 \
      X(c "_gradient_mean") X(c "_gradient_std") X(c "_gradient_entropy") X(c "_gradient_energy")                      \
          X(c "_gradient_skewness") X(c "_gradient_kurtosis") X(c "_edge_px") X(c "_edge_mean")
#define TS_FEATURE_LIST_OF_CHANNELS(X)                                                                                 \
  TS_FEATURE_LIST_OF_CHANNEL(X, "red") TS_FEATURE_LIST_OF_CHANNEL(X, "green") TS_FEATURE_LIST_OF_CHANNEL(X, "blue")
#define TS_FEATURE_LIST(X)                                                                                             \
  X("label")                                                                                                           \
  X("area") X("box_x") X("box_y") X("box_width") X("box_height") X("centroid_x") X("centroid_y")                       \
      TS_FEATURE_LIST_OF_FORM(X) TS_FEATURE_LIST_OF_CHANNELS(X)
extern const char *const ts_feature_names[TS_FEATURES_COUNT];

struct ts_feature_table {
  size_t object_count;
  double *values; /* owned: object_count rows of TS_FEATURES_COUNT, in the order of the labels */
};

/* Release the table in every case, also after an error. Labels: 0 is background, others need not be consecutive. */
bool ts_features(const uint8_t *rgb, const uint32_t *labels, int64_t width, int64_t height,
                 struct ts_feature_table *table, const struct ts_kernel_threads *threads, struct ts_error *err);
void ts_feature_table_release(struct ts_feature_table *table);

/* The planes behind the columns, of one 8-bit channel. out must be another plane than in; edges: 0 or 255. */
bool ts_gradient_magnitude(const uint8_t *in, int64_t width, int64_t height, uint8_t *out,
                           const struct ts_kernel_threads *threads, struct ts_error *err);
bool ts_canny(const uint8_t *in, int64_t width, int64_t height, int low, int high, uint8_t *edges,
              const struct ts_kernel_threads *threads, struct ts_error *err);

#endif
