/* Masks with one bit per pixel, used between the byte planes of a task's input and output.
 * SPDX-License-Identifier: Apache-2.0
 *
 * An eighth of the memory, 64 pixels per instruction on every machine, and runs of pixels are found by counting zeros.
 * Bits behind the width are always 0. */
#ifndef TS_KERNELS_CPU_BITS_H
#define TS_KERNELS_CPU_BITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "kernels/threads.h"

enum { TS_BITS_WORD = 64 };

struct ts_bits {
  uint64_t *words; /* owned: height rows of stride words */
  int64_t width;
  int64_t height;
  int64_t stride;
  int64_t capacity; /* words */
};

/* Not initialised. A plane that is 0 or was used before may be given; it grows if needed. False with an error if the
 * size is wrong or memory is short. Release in every case. */
bool ts_bits_reserve(struct ts_bits *bits, int64_t width, int64_t height, struct ts_error *err);
void ts_bits_release(struct ts_bits *bits);

static inline uint64_t *ts_bits_row(const struct ts_bits *bits, int64_t y) { return bits->words + y * bits->stride; }

/* The bits of the last word of a row that lie inside the width. */
static inline uint64_t ts_bits_tail(int64_t width) {
  return ~UINT64_C(0) >> (TS_BITS_WORD - 1 - (width - 1) % TS_BITS_WORD);
}

/* Sets the bits where the plane exceeds the limit; all, if the limit is negative. */
void ts_bits_from_plane(struct ts_bits *bits, const uint8_t *plane, int limit, const struct ts_kernel_threads *threads);
void ts_bits_to_plane(const struct ts_bits *bits, uint8_t *plane, const struct ts_kernel_threads *threads);
void ts_bits_fill(struct ts_bits *bits);

/* The bits [begin, end) of a row, begin < end. */
void ts_bits_set_range(uint64_t *row, int64_t begin, int64_t end);
bool ts_bits_any_in_range(const uint64_t *row, int64_t begin, int64_t end);

/* Erosion and dilation by a cross of five pixels, pixels outside ignored. The output is another plane than the input
 * and was reserved. */
void ts_bits_erode_cross(const struct ts_bits *in, struct ts_bits *out, const struct ts_kernel_threads *threads);
void ts_bits_dilate_cross(const struct ts_bits *in, struct ts_bits *out, const struct ts_kernel_threads *threads);

/* ---- Components (components.c), in place ---- */

/* Keeps the components that hold a bit of seed. */
bool ts_bits_select(struct ts_bits *bits, const struct ts_bits *seed, int connectivity,
                    const struct ts_kernel_threads *threads, struct ts_error *err);
/* Sets the pixels that cannot be reached from outside. */
bool ts_bits_fill_holes(struct ts_bits *bits, int connectivity, const struct ts_kernel_threads *threads,
                        struct ts_error *err);
/* Keeps the components with low <= area < high. */
bool ts_bits_area_filter(struct ts_bits *bits, int64_t low, int64_t high, int connectivity,
                         const struct ts_kernel_threads *threads, struct ts_error *err);

#endif
