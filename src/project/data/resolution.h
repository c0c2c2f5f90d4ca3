/* The resolution of items: what a manifest says about it, in place of their files and of the study.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Cells are read while the manifest is, levels are compared with the files once all files are listed, and pixel sizes
 * are settled when the files of an item have been opened. */
#ifndef TS_PROJECT_DATA_RESOLUTION_H
#define TS_PROJECT_DATA_RESOLUTION_H

#include "project/data/manifest.h"

#define TS_MPP_COLUMN   "mpp"
#define TS_LEVEL_COLUMN "level"

/* A cell that is not empty; BAD_VALUE without a place. */
bool ts_resolution_read_mpp(const char *cell, struct ts_given_resolution *given, struct ts_error *err);
bool ts_resolution_read_level(const char *cell, struct ts_given_resolution *given, struct ts_error *err);

/* A fault at the cell of each level that a file of its item does not have. Files that cannot be read at all are left to
 * those who open them. */
void ts_resolution_check_levels(const struct ts_project *project, const struct paths *files,
                                const struct item_facts *facts, struct ts_issues *issues);
/* The level that is read: its own, or that of the study. */
int32_t ts_resolution_level(const struct ts_project *project, const struct ts_item *item);

/* Items whose files say something else than the manifest; zero before the first. */
struct size_conflicts {
  const struct ts_item *first; /* borrowed */
  double file_um;              /* what the file of the first says, at full resolution */
  size_t count;
};
/* Sets the pixel size of an item from its images (all zero: it has none) and from what is given. */
void ts_resolution_settle(struct ts_item *item, const struct ts_image_info *info, struct size_conflicts *conflicts);
/* One warning for all of them. */
void ts_resolution_warn(const struct size_conflicts *conflicts, struct ts_issues *issues);

/* Members `mpp` and `level` of an item in JSON, where they are given. */
void ts_resolution_write(const struct ts_given_resolution *given, json_t *object);
/* The same back; STORE_FORMAT if a member is not as it would be written. */
bool ts_resolution_restore(const json_t *object, struct ts_given_resolution *given, struct ts_error *err);

#endif
