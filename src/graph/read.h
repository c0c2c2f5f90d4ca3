/* Reads task graphs from files: our JSON, WfFormat 1.x, Pegasus DAX, STG; writes WfFormat.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The format is recognised by the content. All faults that can be found together are reported together, each with file,
 * line and column. Files of more than 64 MB, or with more tasks or edges than task_graph.h allows, are refused. */
#ifndef TS_GRAPH_READ_H
#define TS_GRAPH_READ_H

#include "base/error.h"
#include "base/str.h"
#include "graph/task_graph.h"

/* Reads a file into an empty graph; bandwidth (bytes per second) turns sizes into times. False: there are faults, and
 * the graph is to be released only. */
bool ts_task_graph_read(struct ts_task_graph *graph, const char *path, double bandwidth, struct ts_faults *faults);
/* The same from memory; `name` replaces the path in messages. */
bool ts_task_graph_parse(struct ts_task_graph *graph, const char *name, const char *text, size_t length,
                         double bandwidth, struct ts_faults *faults);

/* The graph as WfFormat 1.5. Edges become files; a time becomes bytes at the bandwidth. */
void ts_task_graph_write_wfformat(const struct ts_task_graph *graph, double bandwidth, struct ts_str *out);

#endif
