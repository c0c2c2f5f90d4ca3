/* Building blocks of image analysis on plain planes: components, morphology, reconstruction, distances.
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

/* Keeps the components with low <= area < high. */
bool ts_area_filter(const uint8_t *mask, int64_t width, int64_t height, int64_t low, int64_t high, int connectivity,
                    uint8_t *out, const struct ts_kernel_threads *threads, struct ts_error *err);

/* ---- Flat greyscale morphology (morphology.c) ---- */

/* Opening with an octagon: 19 x 19, all but a triangle of ten pixels at each corner. Pixels outside the image are
 * ignored. */
bool ts_open(const uint8_t *in, int64_t width, int64_t height, uint8_t *out, const struct ts_kernel_threads *threads,
             struct ts_error *err);

/* ---- Reconstruction by dilation (recon.c) ---- */

/* The least fixed point of J = min(dilate(J), mask) above min(marker, mask). */
bool ts_recon_u8(const uint8_t *marker, const uint8_t *mask, int64_t width, int64_t height, int connectivity,
                 uint8_t *out, const struct ts_kernel_threads *threads, struct ts_error *err);

/* ---- Distances (edt.c) ---- */

/* For mask != 0 the Euclidean distance to the nearest pixel centre with mask == 0; 0 on the background. Pixels outside
 * the image are not background. Without any background every distance is FLT_MAX. */
bool ts_edt(const uint8_t *mask, int64_t width, int64_t height, float *out, struct ts_error *err);

#endif
