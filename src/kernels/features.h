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
/* The names, in the order of the columns; F is given each as a string. */
#define TS_FEATURE_LIST_OF_FORM(F)                                                                                     \
  F("major_axis"), F("minor_axis"), F("eccentricity"), F("extent"), F("perimeter"), F("circularity")
#define TS_FEATURE_LIST_OF_CHANNEL(F, c)                                                                               \
  F(c "_mean"), F(c "_max"), F(c "_min"), F(c "_std"), F(c "_entropy"), F(c "_energy"), F(c "_skewness"),              \
      F(c "_kurtosis"), F(c "_gradient_mean"), F(c "_gradient_std"), F(c "_gradient_entropy"),                         \
      F(c "_gradient_energy"), F(c "_gradient_skewness"), F(c "_gradient_kurtosis"), F(c "_edge_px"),                  \
      F(c "_edge_mean")
#define TS_FEATURE_LIST_OF_CHANNELS(F)                                                                                 \
  TS_FEATURE_LIST_OF_CHANNEL(F, "red"), TS_FEATURE_LIST_OF_CHANNEL(F, "green"), TS_FEATURE_LIST_OF_CHANNEL(F, "blue")
#define TS_FEATURE_LIST(F)                                                                                             \
  F("label"), F("area"), F("box_x"), F("box_y"), F("box_width"), F("box_height"), F("centroid_x"), F("centroid_y"),    \
      TS_FEATURE_LIST_OF_FORM(F), TS_FEATURE_LIST_OF_CHANNELS(F)
extern const char *const ts_feature_names[TS_FEATURES_COUNT];

struct ts_feature_table {
  size_t object_count;
  double *values; /* owned: object_count rows of TS_FEATURES_COUNT, in the order of the labels */
};

/* Release the table in every case, also after an error. Labels: 0 is background, others need not be consecutive. */
bool ts_features(const uint8_t *rgb, const uint32_t *labels, int64_t width, int64_t height,
                 struct ts_feature_table *table, const struct ts_kernel_threads *threads, struct ts_error *err);
void ts_feature_table_release(struct ts_feature_table *table);

/* The planes behind the columns, of one 8-bit channel. out must be another plane than in; edges: 0 or 255.
 * For tests: the table needs no whole planes. */
bool ts_gradient_magnitude(const uint8_t *in, int64_t width, int64_t height, uint8_t *out,
                           const struct ts_kernel_threads *threads, struct ts_error *err);
bool ts_canny(const uint8_t *in, int64_t width, int64_t height, int low, int high, uint8_t *edges,
              const struct ts_kernel_threads *threads, struct ts_error *err);

#endif
