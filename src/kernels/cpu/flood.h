/* Watershed on colour differences over planes that the caller has filled.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Meyer's algorithm in the variant of OpenCV, with 256 queues: see watershed.c. */
#ifndef TS_KERNELS_CPU_FLOOD_H
#define TS_KERNELS_CPU_FLOOD_H

#include <stdint.h>

enum { TS_FLOOD_LINE = -1, TS_FLOOD_WAITING = -2, TS_FLOOD_LEVELS = 256 };

/* Planes with a ring of one pixel around them: black, and line. */
struct ts_flood {
  uint32_t *colour; /* borrowed: red, green and blue in the lowest bytes */
  int32_t *label;   /* borrowed: seeds above 0; 0 is to be flooded */
  int32_t *follows; /* borrowed, not initialised: the next pixel in the same queue; TS_FLOOD_LEVELS items longer */
  int32_t stride;   /* pixels, the ring included */
  int32_t total;    /* pixels */
  int32_t last[TS_FLOOD_LEVELS]; /* of each queue */
  int lowest;                    /* all queues below this level are empty */
};

/* In this order: empties the queues; for every pixel of label 0 in raster order, puts it into a queue if a seed lies
 * beside it; floods. */
void ts_flood_start(struct ts_flood *f);
void ts_flood_offer(struct ts_flood *f, int32_t pixel);
void ts_flood_run(struct ts_flood *f);

/* Whether a pixel is a line, or closes the gap at the corner of a diagonal step of one. */
static inline int ts_flood_is_line(const struct ts_flood *f, int32_t pixel) {
  const int32_t *here = f->label + pixel;
  const int32_t *above = here - f->stride;
  if (here[0] == TS_FLOOD_LINE) return 1;
  if (above[0] != TS_FLOOD_LINE) return 0;
  return (above[-1] != TS_FLOOD_LINE && here[-1] == TS_FLOOD_LINE) ||
         (above[1] != TS_FLOOD_LINE && here[1] == TS_FLOOD_LINE);
}

#endif
