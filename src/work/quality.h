/* The scores of one run, over the tiles of each file and over all files; and how many objects it found.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_WORK_QUALITY_H
#define TS_WORK_QUALITY_H

#include "project/project.h"

struct quality;
struct quality *ts_quality_create(const struct ts_project *project, const struct ts_plan *plan);
void ts_quality_destroy(struct quality *quality);
/* A one-row table of scores; `product`: "compare.table", borrowed for as long as the quality lives. */
void ts_quality_add(struct quality *quality, const char *product, uint32_t node, uint32_t port, size_t unit,
                    const struct ts_data *data);
/* A one-row table of a whole file, compared with nothing: the columns that count something. */
void ts_quality_add_counts(struct quality *quality, const char *product, uint32_t node, uint32_t port, size_t unit,
                           const struct ts_data *data);
/* "quality", one entry per product and file, "quality_over_files", one per product, and "by_group", one per product and
 * value of a group, "counts", one entry per file and column. */
void ts_quality_json(const struct quality *quality, json_t *object);

#endif
