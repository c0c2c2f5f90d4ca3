/* Building blocks of image analysis on plain planes: components, morphology, reconstruction, distances, watershed.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A plane is row-major and contiguous: pixel (x, y) is plane[y * width + x]. Masks are 0 or 255 on output; on input any
 * non-zero byte is foreground. Connectivity is 8, and anything else acts as 4. Width and height are at least 1, and an
 * image has fewer than 2^31 pixels (a ring of one pixel around it included).
 * Every function is deterministic, keeps no state between calls and may run in several threads at once. Those that take
 * threads share their work among them; results are the same bits for any number, and for NULL. Unless said otherwise
 * the output may be the same plane as an input, but may not overlap it in another way. Scratch memory comes from
 * base/block.h; that, and a wrong size, are the only causes of an error.
 * The only project headers used are base/block.h, base/error.h and base/exact_math.h, so that the kernels build
 * alone. */
#ifndef TS_KERNELS_KERNELS_H
#define TS_KERNELS_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "kernels/threads.h"

/* Which instructions the innermost loops use: "scalar" (plain C), "avx2" or "avx512"; results are the same bits. The
 * best that the processor has is chosen at the first use, unless the environment variable TESSERA_KERNELS names one:
 * that forces it, and bars those above it. A value that is unknown or cannot be had is ignored with a warning. */
const char *ts_kernels_variant(void);

/* False with an error if an image of this size cannot be worked on. */
bool ts_kernels_check_size(int64_t width, int64_t height, struct ts_error *err);

/* ---- Connected components (components.c) ---- */

/* Numbers the components of mask != 0 from 1 in the order of their first pixel in raster order; 0 elsewhere. */
bool ts_label(const uint8_t *mask, int64_t width, int64_t height, int connectivity, uint32_t *labels, uint32_t *count,
              const struct ts_kernel_threads *threads, struct ts_error *err);

/* Adds the holes: background that cannot be reached from outside the image by steps of the connectivity.
 * For tests: the operations work on bits. */
bool ts_fill_holes(const uint8_t *mask, int64_t width, int64_t height, int connectivity, uint8_t *out,
                   const struct ts_kernel_threads *threads, struct ts_error *err);

/* Keeps the components with low <= area < high. */
bool ts_area_filter(const uint8_t *mask, int64_t width, int64_t height, int64_t low, int64_t high, int connectivity,
                    uint8_t *out, const struct ts_kernel_threads *threads, struct ts_error *err);

/* ---- Flat greyscale morphology (morphology.c); pixels outside the image are ignored ---- */

enum ts_structuring_element {
  TS_ELEMENT_CROSS3, /* the centre and its four neighbours */
  TS_ELEMENT_DISK19  /* 19 x 19, an octagon: all but a triangle of ten pixels at each corner */
};

/* Erosion and dilation alone are for tests. */
bool ts_erode(const uint8_t *in, int64_t width, int64_t height, enum ts_structuring_element element, uint8_t *out,
              const struct ts_kernel_threads *threads, struct ts_error *err);
bool ts_dilate(const uint8_t *in, int64_t width, int64_t height, enum ts_structuring_element element, uint8_t *out,
               const struct ts_kernel_threads *threads, struct ts_error *err);
bool ts_open(const uint8_t *in, int64_t width, int64_t height, enum ts_structuring_element element, uint8_t *out,
             const struct ts_kernel_threads *threads, struct ts_error *err);

/* ---- Reconstruction by dilation (recon.c) ---- */

/* The least fixed point of J = min(dilate(J), mask) above min(marker, mask). No NaN among the floats; -0 is
 * taken for 0. */
bool ts_recon_u8(const uint8_t *marker, const uint8_t *mask, int64_t width, int64_t height, int connectivity,
                 uint8_t *out, const struct ts_kernel_threads *threads, struct ts_error *err);
/* For tests, as an oracle for the split of nuclei. */
bool ts_recon_f32(const float *marker, const float *mask, int64_t width, int64_t height, int connectivity, float *out,
                  const struct ts_kernel_threads *threads, struct ts_error *err);

/* ---- Distances (edt.c) ---- */

/* For mask != 0 the Euclidean distance to the nearest pixel centre with mask == 0; 0 on the background. Pixels outside
 * the image are not background. Without any background every distance is FLT_MAX. */
bool ts_edt(const uint8_t *mask, int64_t width, int64_t height, float *out, struct ts_error *err);

/* ---- Watershed (watershed.c) ---- */

/* Floods from the seeds (0: none) over an interleaved RGB image in the order of the largest channel difference between
 * 4-neighbours, first in, first out. labels: the seed's label, -1 on lines, 0 where nothing arrived.
 * Seeds are below 2^31. For tests: the operations flood each region on its own (flood.h). */
bool ts_watershed(const uint8_t *rgb, const uint32_t *seeds, int64_t width, int64_t height, int32_t *labels,
                  struct ts_error *err);

#endif
