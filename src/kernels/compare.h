/* Comparison of a segmentation with a reference: pixels and objects.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Objects of a mask are its 8-connected components; objects of a label plane are its labels (0 is background; a label
 * may consist of several pieces). An object found matches one of the reference if their intersection over union (IoU)
 * is greater than 0.5: then neither can match another. */
#ifndef TS_KERNELS_COMPARE_H
#define TS_KERNELS_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "kernels/threads.h"

/* A plane of 8-bit mask values or of labels: exactly one of the pointers is set. */
struct ts_compare_plane {
  const uint8_t *mask;    /* borrowed, or NULL */
  const uint32_t *labels; /* borrowed, or NULL */
  int64_t width;
  int64_t height;
};

/* Ratios of nothing to nothing: two empty planes agree and all scores are 1; if only one is empty they are 0. */
struct ts_comparison {
  int64_t differing_px;  /* pixels that are foreground in one plane only */
  int64_t found_px;      /* foreground of the plane compared */
  int64_t reference_px;  /* foreground of the reference */
  int64_t both_px;       /* foreground of both */
  int64_t found_objects; /* objects of the plane compared */
  int64_t reference_objects;
  int64_t matched_objects;
  double iou_sum;      /* of the matched objects */
  int64_t aji_both_px; /* numerator and denominator of the aggregated Jaccard index */
  int64_t aji_joined_px;
  double dice;
  double jaccard;
  double pixel_precision; /* both_px / found_px */
  double pixel_recall;    /* both_px / reference_px */
  double precision;       /* matched / found */
  double recall;          /* matched / reference */
  double f1;
  double aggregated_jaccard; /* Kumar et al. 2017, doi:10.1109/TMI.2017.2677499 */
  double panoptic_quality;   /* Kirillov et al. 2019, doi:10.1109/CVPR.2019.00963 */
};

/* Planes of different sizes have nothing in common: differing_px is the larger number of pixels, every score is 0, and
 * objects are not counted; the foreground of each is. */
bool ts_compare(const struct ts_compare_plane *found, const struct ts_compare_plane *reference,
                struct ts_comparison *comparison, const struct ts_kernel_threads *threads, struct ts_error *err);

#endif
