/* Fuzz target: a task graph in any of its formats; one that was read is written as WfFormat and read again, scheduled.
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

#include "graph/read.h"
#include "sched/stream/stream.h"

#include <math.h>
#include <stdlib.h>

#define BANDWIDTH      125e6
#define MOST_SCHEDULED 12 /* tasks: larger graphs would take the time */

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc;
  (void)argv;
  fuzz_start();
  return 0;
}

static void write_and_read(const struct ts_task_graph *graph) {
  struct ts_str text = {0};
  struct ts_faults faults = {0};
  struct ts_task_graph again = {0};
  ts_task_graph_write_wfformat(graph, BANDWIDTH, &text);
  if (!ts_task_graph_parse(&again, "again.json", ts_str_get(&text), text.length, BANDWIDTH, &faults)) abort();
  if (again.task_count != graph->task_count || again.edge_count != graph->edge_count) abort();
  ts_task_graph_release(&again);
  ts_faults_release(&faults);
  ts_str_release(&text);
}

static void schedule(const struct ts_task_graph *graph) {
  struct ts_stream_problem problem = {.graph = graph, .processors = 3, .ports = 2};
  double most = ts_stream_most_throughput(&problem);
  for (size_t i = 0; ts_stream_algorithms[i]; i++) {
    struct ts_stream_schedule out = {0};
    ts_stream_algorithms[i]->run(&problem, isfinite(most) ? most / 2 : 0, &out);
    if (isnan(out.latency) || isnan(out.throughput) || out.cluster_count == 0) abort();
    ts_stream_schedule_release(&out);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct ts_faults faults = {0};
  struct ts_task_graph graph = {0};
  bool read = ts_task_graph_parse(&graph, "graph", (const char *)data, size, BANDWIDTH, &faults);
  fuzz_check_faults(&faults, !read);
  if (read) write_and_read(&graph);
  if (read && graph.task_count <= MOST_SCHEDULED) schedule(&graph);
  ts_task_graph_release(&graph);
  ts_faults_release(&faults);
  return 0;
}
