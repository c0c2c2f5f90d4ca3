/* A horizontal stretch of pixels: what objects are made of outside of planes.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_KERNELS_PIXEL_RUN_H
#define TS_KERNELS_PIXEL_RUN_H

#include <stdint.h>

struct ts_pixel_run {
  int32_t y;
  int32_t begin; /* first x */
  int32_t end;   /* last x + 1 */
};

#endif
