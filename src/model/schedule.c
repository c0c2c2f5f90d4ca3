/* Maps the tasks of a graph to processors: reads the graph, finds the schedule, writes it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/model.h"
#include "model/schedule_int.h"
#include "project/data/check_data.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "graph/read.h"

#include <string.h>

#define BANDWIDTH     125e6 /* bytes per second: a link of 1 Gbit/s */
#define DEFAULT_PORTS 1
#define DEFAULT_SEED  1

static bool check_request(struct scheduling *job) {
  const struct ts_request *r = job->request;
  if (!r->file)
    return ts_issues_usage(job->issues, "name a file: tessera schedule graph.json --processors 8",
                           "no graph was given");
  if (r->processors == 0)
    return ts_issues_usage(job->issues, "add --processors 8", "no number of processors was given");
  job->algorithm = r->algorithm ? ts_stream_algorithm_find(r->algorithm) : ts_stream_algorithms[0];
  if (!job->algorithm)
    return ts_issues_usage(job->issues, "use mos, fcp, fcp-e, expert, expert-e or heft", "there is no such algorithm");
  const char *const files[] = {r->picture, r->wfformat, r->output};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    if (files[i] && !ts_check_output_file(r, ts_request_path(r, &job->arena, files[i]), job->issues)) return false;
  }
  return true;
}

static bool read_graph(struct scheduling *job) {
  const struct ts_request *r = job->request;
  double bandwidth = r->bandwidth > 0 ? r->bandwidth : BANDWIDTH;
  if (!ts_task_graph_read(&job->graph, ts_request_path(job->request, &job->arena, r->file), bandwidth,
                          &job->issues->faults))
    return false;
  job->problem = (struct ts_stream_problem){.graph = &job->graph,
                                            .processors = r->processors,
                                            .ports = r->ports > 0 ? r->ports : DEFAULT_PORTS,
                                            .no_duplication = r->no_duplication,
                                            .no_replication = r->no_replication,
                                            .literal = r->literal,
                                            .is_stopped = ts_scheduling_is_stopped,
                                            .user = job,
                                            .seed = r->has_seed ? r->seed : DEFAULT_SEED};
  return ts_scheduling_read_demands(job);
}

static bool write_file(struct scheduling *job, const char *path, const char *text, size_t length) {
  struct ts_error err = {0};
  if (ts_file_write_atomic(ts_request_path(job->request, &job->arena, path), text, length, &err)) return true;
  return ts_issues_fault(job->issues, &err);
}

static bool write_graph(struct scheduling *job) {
  const struct ts_request *r = job->request;
  ts_auto(ts_str_release) struct ts_str text = {0};
  ts_task_graph_write_wfformat(&job->graph, r->bandwidth > 0 ? r->bandwidth : BANDWIDTH, &text);
  return write_file(job, r->wfformat, ts_str_get(&text), text.length);
}

/* The files that the request names; the schedule itself is the reply without what only this call knows. */
static bool write_files(struct scheduling *job, json_t *object) {
  const struct ts_request *r = job->request;
  struct ts_error err = {0};
  if (r->picture && !ts_scheduling_draw(job, ts_request_path(job->request, &job->arena, r->picture), &err))
    return ts_issues_fault(job->issues, &err);
  if (r->picture) json_object_set_new(object, "picture", json_string(r->picture));
  if (r->wfformat && !write_graph(job)) return false;
  if (r->wfformat) json_object_set_new(object, "wfformat", json_string(r->wfformat));
  if (r->output) json_object_set_new(object, "output", json_string(r->output));
  if (!r->output) return true;
  ts_auto_free char *text = ts_json_dump(object, false, true);
  return write_file(job, r->output, text, strlen(text));
}

/* Searches the schedule and fills in the reply. False: the user stopped it, which is a fault. */
static bool answer(struct scheduling *job, json_t *object) {
  const struct ts_request *request = job->request;
  struct ts_error err = {0};
  uint64_t start_ns = ts_clock_thread_cpu_ns();
  ts_scheduling_search(job);
  double cpu_s = (double)(ts_clock_thread_cpu_ns() - start_ns) / 1e9;
  json_t *compared = request->compare && !job->is_stopped ? ts_scheduling_compare(job) : NULL;
  if (job->is_stopped) {
    json_decref(compared);
    ts_fail(&err, TS_ERR_CANCELLED, "stopped on request");
    ts_error_help(&err, "nothing was written; run the command again to start over");
    ts_issues_fault(job->issues, &err);
    return false;
  }
  json_object_set_new(object, "file", json_string(request->file));
  ts_scheduling_describe(job, object);
  json_object_set_new(object, "cpu_s", json_real(cpu_s));
  if (compared) json_object_set_new(object, "compare", compared);
  return true;
}

bool ts_model_schedule(const struct ts_request *request, json_t *object, struct ts_issues *issues) {
  struct scheduling job = {.request = request, .issues = issues};
  if (check_request(&job) && read_graph(&job) && answer(&job, object)) {
    write_files(&job, object);
  } else {
    job.is_feasible = true; /* the faults say what is wrong */
  }
  ts_stream_schedule_release(&job.schedule);
  ts_task_graph_release(&job.graph);
  ts_arena_release(&job.arena);
  return job.is_feasible;
}
