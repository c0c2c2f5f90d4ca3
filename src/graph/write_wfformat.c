/* Writes a task graph as WfFormat 1.5: one file per edge.
 * SPDX-License-Identifier: Apache-2.0 */
#include "graph/read.h"

#include "base/alloc.h"
#include "base/json.h"

#include <math.h>

#define SCHEMA_VERSION "1.5"

static json_t *names_of(const struct ts_task_graph *graph, size_t task, bool parents) {
  json_t *list = json_array();
  const uint32_t *first = parents ? graph->in_first : graph->out_first;
  const uint32_t *edges = parents ? graph->in_edges : graph->out_edges;
  for (uint32_t i = first[task]; i < first[task + 1]; i++) {
    const struct ts_task_edge *edge = &graph->edges[edges[i]];
    json_array_append_new(list, json_string(graph->tasks[parents ? edge->from : edge->to].id));
  }
  return list;
}

static json_t *file_name(const struct ts_task_graph *graph, size_t edge) {
  return json_sprintf("%s--%s", graph->tasks[graph->edges[edge].from].id, graph->tasks[graph->edges[edge].to].id);
}

static json_t *files_of(const struct ts_task_graph *graph, size_t task, bool inputs) {
  json_t *list = json_array();
  const uint32_t *first = inputs ? graph->in_first : graph->out_first;
  const uint32_t *edges = inputs ? graph->in_edges : graph->out_edges;
  for (uint32_t i = first[task]; i < first[task + 1]; i++) json_array_append_new(list, file_name(graph, edges[i]));
  return list;
}

void ts_task_graph_write_wfformat(const struct ts_task_graph *graph, double bandwidth, struct ts_str *out) {
  json_t *tasks = json_array(), *files = json_array(), *executed = json_array();
  for (size_t t = 0; t < graph->task_count; t++) {
    const char *id = graph->tasks[t].id;
    json_array_append_new(tasks,
                          json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "name", id, "id", id, "parents",
                                    names_of(graph, t, true), "children", names_of(graph, t, false), "inputFiles",
                                    files_of(graph, t, true), "outputFiles", files_of(graph, t, false)));
    json_array_append_new(executed,
                          json_pack("{s:s, s:o}", "id", id, "runtimeInSeconds", ts_json_real(graph->tasks[t].time)));
  }
  for (size_t e = 0; e < graph->edge_count; e++) {
    const struct ts_task_edge *edge = &graph->edges[e];
    double bytes = edge->bytes >= 0 ? edge->bytes : edge->time * bandwidth;
    json_array_append_new(
        files, json_pack("{s:o, s:I}", "id", file_name(graph, e), "sizeInBytes", (json_int_t)fmin(round(bytes), 9e18)));
  }
  json_t *root =
      json_pack("{s:s, s:s, s:{s:{s:o, s:o}, s:{s:o}}}", "name", graph->name, "schemaVersion", SCHEMA_VERSION,
                "workflow", "specification", "tasks", tasks, "files", files, "execution", "tasks", executed);
  ts_auto_free char *text = ts_json_dump(root, false, true);
  ts_str_add(out, text);
  ts_str_add_char(out, '\n');
  json_decref(root);
}
