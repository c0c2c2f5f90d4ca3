/* Bands of rows: how the kernels share the work on a plane between threads.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_KERNELS_CPU_BANDS_H
#define TS_KERNELS_CPU_BANDS_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/threads.h"

enum { TS_BANDS_MAX = 256 };

struct ts_band {
  size_t index;
  int64_t begin; /* first row */
  int64_t end;   /* last row + 1 */
};

/* How many bands ts_bands_run makes of these rows: one without threads, else some more than threads, so that a slow
 * band does not keep the others waiting. At most TS_BANDS_MAX. */
size_t ts_band_count(const struct ts_kernel_threads *threads, int64_t rows);
struct ts_band ts_band_at(size_t index, size_t count, int64_t rows);

/* Calls body once for each band; they may run at the same time. */
void ts_bands_run(const struct ts_kernel_threads *threads, int64_t rows,
                  void (*body)(void *context, const struct ts_band *band), void *context);

/* Calls body(context, index) for each index below count, with the threads or alone. */
void ts_pieces_run(const struct ts_kernel_threads *threads, size_t count, void (*body)(void *context, size_t index),
                   void *context);

#endif
