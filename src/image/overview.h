/* A whole image reduced to few pixels, for statistics of a slide and for finding its tissue.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Made from the coarsest level of the file that is still fine enough, by exact averages: the same bytes on every
 * machine and for every number of threads. Memory: the result and a band of rows. */
#ifndef TS_IMAGE_OVERVIEW_H
#define TS_IMAGE_OVERVIEW_H

#include "image/image.h"

struct ts_overview {
  struct ts_data *pixels; /* owned: of the asked type, at 0, 0 */
  /* How pixels relate to the level that is worked on: pixel X covers X * step_x up to (X + 1) * step_x of its width. */
  double step_x, step_y;
  int32_t level;  /* of the file, from which it was made */
  int64_t box_px; /* pixels of that level along one pixel of the overview */
};
void ts_overview_release(struct ts_overview *overview);

/* The image at `level`, reduced by about `factor` (1 or more) both ways: a pixel is the mean, rounded half up, of a
 * square of pixels, of a mask the maximum; the last column and row may be of smaller squares. Types: image/rgb8,
 * image/gray8, image/gray16, mask. The file's levels are taken as they are, so that the step is a whole number only
 * where the file's levels differ by whole factors. `is_stopped` (NULL: never) is asked between bands; true: CANCELLED.
 * Otherwise the errors of reading. */
bool ts_image_overview(const char *path, const struct ts_type *type, int32_t level, int64_t factor,
                       bool (*is_stopped)(void *user), void *user, struct ts_overview *overview, struct ts_error *err);

/* The factor that gives pixels of at most `um` micrometres, at least 1; `otherwise` where the pixel size is not
 * known. */
int64_t ts_overview_factor(const struct ts_pixel_size *size, double um, int64_t otherwise);

#endif
