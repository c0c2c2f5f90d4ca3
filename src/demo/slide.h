/* A synthetic H&E slide whose nuclei are known: for demonstrations, tests and tuning without a real slide.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_DEMO_SLIDE_H
#define TS_DEMO_SLIDE_H

#include "base/error.h"
#include "data/data.h"

#include <stdbool.h>
#include <stdint.h>

#define TS_DEMO_SIDE_MIN_PX 64
#define TS_DEMO_SIDE_MAX_PX 32768

/* Draws a slide as at 20x (0.5 micrometres per pixel) and its nuclei, numbered from 1. The same arguments give the same
 * bytes on every machine. BAD_VALUE for sizes beyond the limits, NO_MEMORY. The caller releases both. */
bool ts_demo_slide(int64_t width, int64_t height, uint64_t seed, struct ts_data **rgb, struct ts_data **labels,
                   struct ts_error *err);

#endif
