/* Connected components of a mask, found on its horizontal runs instead of its pixels.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A run is a maximal horizontal stretch of equal pixels. Tissue masks have twenty to a hundred times fewer runs than
 * pixels, so union-find over runs costs little more than one pass over the plane. */
#ifndef TS_KERNELS_CPU_RUNS_H
#define TS_KERNELS_CPU_RUNS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "kernels/cpu/bits.h"
#include "kernels/threads.h"

struct ts_run {
  int32_t begin; /* first x */
  int32_t end;   /* last x + 1 */
};

struct ts_runs {
  struct ts_run *items; /* owned; raster order */
  int32_t *component;   /* owned; per run, 0.. in the order of the components' first pixels */
  int32_t *row_first;   /* owned; index of the first run of each row, height + 1 entries */
  int32_t count;
  int32_t component_count;
  int64_t capacity;     /* runs */
  int64_t row_capacity; /* entries of row_first */
  int64_t height;
};

/* Which pixels form the runs. */
enum ts_runs_of { TS_RUNS_OF_FOREGROUND, TS_RUNS_OF_BACKGROUND };

/* Finds runs and components. Runs that are 0 or were used before may be given; their memory is used again. Release in
 * the end, also after an error. */
bool ts_runs_find(struct ts_runs *runs, const struct ts_bits *bits, enum ts_runs_of which, int connectivity,
                  const struct ts_kernel_threads *threads, struct ts_error *err);
void ts_runs_release(struct ts_runs *runs);

/* Sets the bits of those components whose flag is non-zero; the other bits keep their value. */
void ts_runs_paint(const struct ts_runs *runs, const uint8_t *component_flags, struct ts_bits *bits,
                   const struct ts_kernel_threads *threads);

#endif
