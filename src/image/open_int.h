/* Opening image files without reading their pixels.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_IMAGE_OPEN_INT_H
#define TS_IMAGE_OPEN_INT_H

#include "image/image_int.h"

enum ts_image_format { TS_IMAGE_UNKNOWN, TS_IMAGE_SLIDE, TS_IMAGE_TIFF, TS_IMAGE_PNG, TS_IMAGE_JPEG };

/* Opens a file that exists, at one level. The image holds one reference, for the caller. */
bool ts_image_open(const char *path, int32_t level, struct ts_open_image *open, struct ts_error *err);

#endif
