/* Numbers of runs from the tables that they make.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_WORK_COLLECT_H
#define TS_WORK_COLLECT_H

#include "project/project.h"

double *ts_collector_tile_px(const struct ts_project *project); /* core pixels of each tile; to free */
/* The portion of a table in the number of a column; false if it lacks a column: then `missing` names it. */
bool ts_table_portion(const struct ts_data *table, const char *column, enum ts_over over,
                      const struct ts_op_ratio *ratio, struct ts_portion *portion, const char **missing);
struct collector;
struct collector *ts_collector_create(const struct ts_project *project, const struct ts_plan *plan);
void ts_collector_destroy(struct collector *collector);
/* False if the table lacks a column that an output needs: then the run cannot succeed. */
bool ts_collector_product(struct collector *collector, uint32_t node, uint32_t port, size_t unit, struct ts_data *data);
struct ts_total ts_collector_total(const struct collector *collector, size_t set, size_t output); /* over all files */
/* Over some of the files, ascending (NULL: the first `count`); failed for outputs of the whole dataset. */
struct ts_total ts_collector_some_total(const struct collector *collector, size_t set, size_t output,
                                        const size_t *files, size_t count);
/* Over the tiles of one file; failed for outputs of the whole dataset. */
struct ts_total ts_collector_file_total(const struct collector *collector, size_t set, size_t output, size_t file);
struct ts_total ts_collector_tile_total(const struct collector *collector, size_t set, size_t output, size_t unit);
bool ts_collector_is_per_tile(const struct collector *collector, size_t output);
/* The column that a table lacked, and the output that needs it; NULL if none was missing. */
const char *ts_collector_missing_column(const struct collector *collector, size_t *output);

#endif
