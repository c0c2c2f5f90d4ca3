/* Images of the dataset with the outlines that a run found.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_WORK_OVERLAY_H
#define TS_WORK_OVERLAY_H

#include "image/spool_overlay.h"
#include "project/project.h"

/* Writes a small PNG of the item's first image with the outlines of the mask over it, and a scale bar where the size of
 * pixels is known. *is_written stays false where the item has no image. */
bool ts_overlay_write(const struct ts_project *project, const struct ts_item *item, const struct ts_spool *mask,
                      const char *path, bool *is_written, struct ts_error *err);
/* The same at full resolution for the part of the image that a mask covers, without a scale bar. */
bool ts_overlay_write_tile(const struct ts_project *project, const struct ts_item *item, const struct ts_data *mask,
                           const char *path, bool *is_written, struct ts_error *err);

#endif
