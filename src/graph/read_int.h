/* Shared by the readers of task graphs.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_GRAPH_READ_INT_H
#define TS_GRAPH_READ_INT_H

#include "base/json.h"
#include "base/reader.h"
#include "graph/read.h"

/* Each fills an empty graph up to, but without, ts_task_graph_finish; false: faults were added. */
bool ts_graph_read_own(struct ts_task_graph *graph, const struct ts_reader *reader);
bool ts_graph_read_wfformat(struct ts_task_graph *graph, const struct ts_reader *reader);
bool ts_graph_read_dax(struct ts_task_graph *graph, const char *name, const char *text, size_t length,
                       struct ts_faults *faults);
bool ts_graph_read_stg(struct ts_task_graph *graph, const char *name, const char *text, size_t length,
                       struct ts_faults *faults);

/* Of the formats in plain text, whatever the locale. */
static inline bool ts_graph_is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* Adds an error without a place as a fault at this place. */
void ts_graph_fault_at(struct ts_faults *faults, const struct ts_error *err, const char *file, int line, int column);
/* The same at a JSON pointer. */
void ts_graph_fault(const struct ts_reader *reader, const struct ts_error *err, const char *pointer);

#endif
