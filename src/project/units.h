/* Parameters in micrometres and the data: whether every file has a pixel size, and every value is possible in pixels.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_PROJECT_UNITS_H
#define TS_PROJECT_UNITS_H

#include "project/project.h"

/* Whether a parameter of the workflow has a unit. */
bool ts_units_are_used(const struct ts_workflow *workflow);
/* Once the files are open: one fault for all that have no pixel size, one for each stage per dataset whose files differ
 * in theirs; nothing where no parameter has a unit. */
bool ts_units_check_files(const struct ts_project *project, struct ts_issues *issues);
/* Whether the operations accept every value in pixels, for every file: of a plan, or of defaults, grids and ranges. The
 * first fault of each parameter of an operation. */
bool ts_units_check_plan(const struct ts_project *project, const struct ts_plan *plan, struct ts_issues *issues);
bool ts_units_check_space(const struct ts_project *project, struct ts_issues *issues);
/* Files of different resolutions and a workflow whose sizes are in pixels: one warning. */
void ts_units_warn_resolutions(const struct ts_project *project, struct ts_issues *issues);
/* The values that operations get for an item, by name, of parameters with a unit; NULL: there are none, or the pixel
 * size is not known. A parameter of several operations has what the first of them gets. A new reference. */
json_t *ts_units_in_pixels(const struct ts_project *project, const struct ts_item *item, const struct ts_value *values);
/* The smallest edge of a pixel of any file; 0: none is known. */
struct ts_pixel_size ts_units_finest(const struct ts_dataset *dataset);

#endif
