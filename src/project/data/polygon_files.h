/* Files of polygons in the dataset.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_PROJECT_DATA_POLYGON_FILES_H
#define TS_PROJECT_DATA_POLYGON_FILES_H

#include "project/project.h"

/* Whether the input takes a mask or labels and the file is named as polygons are. */
bool ts_takes_polygons(const struct ts_workflow_input *input, const char *path);
/* The files of polygons of one item, once its images are opened: `image` is one of them (NULL: there is none), `pixels`
 * its size at the level. Checks them, with all their faults, and sets their sources. Features outside the image are a
 * warning. */
struct paths;
void ts_open_item_polygons(struct ts_project *project, const struct paths *files, size_t index, int32_t level,
                           const char *image, const struct ts_image_info *pixels, struct ts_item_source *sources,
                           struct ts_issues *issues);
/* The pixels of a rectangle, outside tasks: at level 0 or at that of the study. */
struct ts_data *ts_polygons_excerpt(const struct ts_item_source *source, const struct ts_region *region,
                                    struct ts_error *err);

#endif
