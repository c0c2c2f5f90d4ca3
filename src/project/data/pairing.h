/* Which files of a list show the truth of which images, by their names alone.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Pure: knows names, opens nothing. The truth of X.png is a file with the same stem in a folder of truths (masks/,
 * labels/), a file with the stem and an ending such as X_labels.png, or X.geojson. */
#ifndef TS_PROJECT_DATA_PAIRING_H
#define TS_PROJECT_DATA_PAIRING_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

struct ts_paired_file {
  const char *path;       /* borrowed */
  bool in_truths;         /* it lies in a folder of truths */
  bool is_truth;          /* set by ts_pair_files: never an image */
  const char *image_stem; /* the same: of a truth, the stem of its image; in the arena; NULL: none */
  size_t image;           /* the same: of a truth, its image; SIZE_MAX if none has this stem */
  size_t truth;           /* the same: of an image, its truth; SIZE_MAX if it has none, or several */
  size_t truth_count;     /* the same: how many it has */
};

/* Whether a folder of this name has truths: "masks", "labels", in any case. */
bool ts_is_truth_folder(const char *name);
/* Names of truths, with a '*' for the stem of their image: "*_labels.png". */
struct ts_truth_pattern {
  const char *name;    /* NULL: the usual ones */
  bool only_in_truths; /* files elsewhere are images */
};
bool ts_truth_pattern_fits(const char *pattern, const char *path);
void ts_pair_files(struct ts_arena *arena, struct ts_paired_file *files, size_t count,
                   const struct ts_truth_pattern *pattern);

#endif
