/* The halo of tiles: the one that the study gives, or the one that the tasks of the workflow need.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A study that does not say gets the smallest halo with which the tiling does not matter (plan/halo.h), for the largest
 * value that a request may give to each parameter and the finest pixels of the data. It is settled when a run begins,
 * and is part of its work order: workers and a continued run do not compute it again. */
#ifndef TS_PROJECT_DATA_HALO_H
#define TS_PROJECT_DATA_HALO_H

#include "project/project.h"

/* Sets project->halo. The items are in the dataset, with their pixel sizes and with grids that need no halo yet. */
void ts_project_halo_settle(struct ts_project *project);
/* Warnings: a halo that is smaller than what tasks look at, one that is larger than the tiles, tasks that look at the
 * whole tile. At most one of each kind; none where no image has several tiles. */
void ts_project_halo_warn(const struct ts_project *project, struct ts_issues *issues);
/* {"px", "needed_px", "given", "path": [{"task", "px"}], "tile_tasks": []}; null where no image has several tiles. A
 * new reference. */
json_t *ts_project_halo_json(const struct ts_project *project);

#endif
