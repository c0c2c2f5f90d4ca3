/* Comparison of a segmentation with a reference: pixels and objects.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Objects of a mask are its 8-connected components; objects of a label plane are its labels (0 is background; a label
 * may consist of several pieces). An object found matches one of the reference if their intersection over union (IoU)
 * is greater than 0.5: then neither can match another. */
#ifndef TS_KERNELS_COMPARE_H
#define TS_KERNELS_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "kernels/cpu/label_runs.h"
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

/* The columns of a comparison as a table, in order: F is given the name of a column and the member with its value. The
 * others name those that count or score objects, those that add up without being a term of a ratio, and the ratios: R
 * is given a column, its numerator and its denominator, each TERMS(T(column, factor)...). PQ is the sum of IoU over
 * matched + unmatched / 2; with found = matched + false ones and reference = matched + missed ones that is twice the
 * sum over found + reference. */
#define TS_COMPARE_LIST(F)                                                                                             \
  F("diff", differing_px), F("reference_px", reference_px), F("dice", dice), F("jaccard", jaccard),                    \
      F("found", found_objects), F("reference", reference_objects), F("matched", matched_objects),                     \
      F("precision", precision), F("recall", recall), F("f1", f1), F("aji", aggregated_jaccard),                       \
      F("pq", panoptic_quality), F("found_px", found_px), F("both_px", both_px), F("iou_sum", iou_sum),                \
      F("aji_both_px", aji_both_px), F("aji_joined_px", aji_joined_px), F("pixel_precision", pixel_precision),         \
      F("pixel_recall", pixel_recall)
#define TS_COMPARE_LIST_OF_OBJECTS(F)                                                                                  \
  F("found"), F("reference"), F("matched"), F("precision"), F("recall"), F("f1"), F("aji"), F("pq"), F("iou_sum"),     \
      F("aji_both_px"), F("aji_joined_px")
#define TS_COMPARE_LIST_OF_COUNTS(F) F("diff")
#define TS_COMPARE_LIST_OF_RATIOS(R, TERMS, T)                                                                         \
  R("dice", TERMS(T("both_px", 2)), TERMS(T("found_px", 1), T("reference_px", 1))),                                    \
      R("jaccard", TERMS(T("both_px", 1)), TERMS(T("found_px", 1), T("reference_px", 1), T("both_px", -1))),           \
      R("pixel_precision", TERMS(T("both_px", 1)), TERMS(T("found_px", 1))),                                           \
      R("pixel_recall", TERMS(T("both_px", 1)), TERMS(T("reference_px", 1))),                                          \
      R("precision", TERMS(T("matched", 1)), TERMS(T("found", 1))),                                                    \
      R("recall", TERMS(T("matched", 1)), TERMS(T("reference", 1))),                                                   \
      R("f1", TERMS(T("matched", 2)), TERMS(T("found", 1), T("reference", 1))),                                        \
      R("aji", TERMS(T("aji_both_px", 1)), TERMS(T("aji_joined_px", 1))),                                              \
      R("pq", TERMS(T("iou_sum", 2)), TERMS(T("found", 1), T("reference", 1)))

/* Planes of different sizes have nothing in common: differing_px is the larger number of pixels, every score is 0, and
 * objects are not counted; the foreground of each is. */
bool ts_compare(const struct ts_compare_plane *found, const struct ts_compare_plane *reference,
                struct ts_comparison *comparison, const struct ts_kernel_threads *threads, struct ts_error *err);

/* ---- The same step by step: counted, tallied, scored ---- */

/* How many pixels two objects share; 0 is the background, and not both are 0. */
struct ts_overlap {
  uint32_t found;
  uint32_t reference;
  int64_t px;
};

struct ts_overlaps {
  struct ts_overlap *items; /* owned */
  size_t count;
};

/* What scores are made of. Tallies of objects that do not overlap, in one image or in several, may be added. */
struct ts_tally {
  int64_t found_px, reference_px, both_px;
  int64_t found_objects, reference_objects, matched_objects;
  uint64_t iou_high, iou_low; /* sum of the IoU of matched objects, in units of 2^-53: high * 2^64 + low */
  int64_t aji_both_px, aji_joined_px;
};

/* The objects of a plane as runs, in raster order. Release in every case, also after an error. */
bool ts_compare_runs(const struct ts_compare_plane *plane, struct ts_label_runs *runs,
                     const struct ts_kernel_threads *threads, struct ts_error *err);
/* Each pair once, in any order. Release in every case. */
bool ts_overlaps_count(const struct ts_label_runs *found, const struct ts_label_runs *reference,
                       struct ts_overlaps *overlaps, struct ts_error *err);
void ts_overlaps_release(struct ts_overlaps *overlaps);
/* Adds to the tally. A pair may be listed several times; the list is sorted and shortened. Of several objects found
 * that cover one of the reference equally well, the one with the smallest number is its counterpart. */
bool ts_overlaps_tally(struct ts_overlaps *overlaps, struct ts_tally *tally, struct ts_error *err);
void ts_tally_add(struct ts_tally *to, const struct ts_tally *from);
void ts_comparison_score(const struct ts_tally *tally, struct ts_comparison *comparison);

#endif
