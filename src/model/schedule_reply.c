/* The reply of `schedule`: the demands, what was found, clusters and transfers; and every algorithm side by side.
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/model.h"
#include "model/schedule_int.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/str.h"

#include <math.h>

/* The id of a task as its file has it: a number or a text. */
static json_t *id_json(const struct scheduling *job, size_t task) {
  const struct ts_graph_task *t = &job->graph.tasks[task];
  int64_t number = 0;
  return t->is_number && ts_parse_int64(t->id, &number) ? json_integer(number) : json_string(t->id);
}

static json_t *cluster_json(const struct scheduling *job, size_t number) {
  const struct ts_stream_cluster *cluster = &job->schedule.clusters[number];
  json_t *tasks = json_array(), *starts = json_array(), *finishes = json_array(), *homes = json_array();
  for (size_t i = 0; i < cluster->copy_count; i++) {
    const struct ts_stream_copy *copy = &cluster->copies[i];
    json_array_append_new(tasks, id_json(job, copy->task));
    json_array_append_new(starts, ts_json_real(copy->start));
    json_array_append_new(finishes, ts_json_real(copy->finish));
    json_array_append_new(homes, json_boolean(copy->is_home));
  }
  return json_pack("{s:I, s:o, s:I, s:o, s:o, s:o, s:o}", "id", (json_int_t)number, "tasks", tasks, "replicas",
                   (json_int_t)cluster->replicas, "time", ts_json_real(cluster->time), "starts", starts, "finishes",
                   finishes, "serves", homes);
}

static json_t *transfer_json(const struct scheduling *job, const struct ts_stream_transfer *x) {
  const struct ts_task_edge *edge = &job->graph.edges[x->edge];
  json_t *object = json_pack("{s:o, s:o, s:I, s:I, s:o, s:o, s:o, s:b}", "from_task", id_json(job, edge->from),
                             "to_task", id_json(job, edge->to), "from_cluster", (json_int_t)x->from_cluster,
                             "to_cluster", (json_int_t)x->to_cluster, "time", ts_json_real(edge->time), "start",
                             ts_json_real(x->start), "finish", ts_json_real(x->finish), "critical", x->is_critical);
  if (x->slot >= 0) json_object_set_new(object, "slot", ts_json_real(x->slot));
  if (edge->time > 0) {
    json_object_set_new(object, "from_channel", json_integer(x->from_channel));
    json_object_set_new(object, "to_channel", json_integer(x->to_channel));
  }
  return object;
}

static double used_share(const struct scheduling *job, const struct ts_stream_schedule *schedule) {
  return (double)schedule->processors / (double)job->problem.processors;
}

/* What was demanded, and the limits that no schedule can exceed. */
static void describe_demands(const struct scheduling *job, json_t *object) {
  json_object_set_new(object, "name", json_string(job->graph.name));
  json_object_set_new(object, "tasks", ts_json_count(job->graph.task_count));
  json_object_set_new(object, "edges", ts_json_count(job->graph.edge_count));
  json_object_set_new(object, "seconds", json_boolean(job->graph.is_seconds));
  json_object_set_new(object, "processors_available", ts_json_count(job->problem.processors));
  json_object_set_new(object, "ports", ts_json_count(job->problem.ports));
  json_object_set_new(object, "algorithm", json_string(job->algorithm->name));
  json_object_set_new(
      object, "demand",
      json_pack("{s:o, s:o}", "throughput", ts_json_real(job->throughput), "latency", ts_json_real(job->latency)));
  json_object_set_new(object, "limits",
                      json_pack("{s:o, s:o}", "throughput", ts_json_real(ts_stream_most_throughput(&job->problem)),
                                "latency", ts_json_real(ts_stream_least_latency(&job->problem))));
}

void ts_scheduling_describe(const struct scheduling *job, json_t *object) {
  const struct ts_stream_schedule *schedule = &job->schedule;
  json_t *clusters = json_array(), *transfers = json_array();
  describe_demands(job, object);
  json_object_set_new(object, "feasible", json_boolean(job->is_feasible));
  json_object_set_new(object, "latency", ts_json_real(schedule->latency));
  json_object_set_new(object, "throughput", ts_json_real(schedule->throughput));
  json_object_set_new(object, "processors", ts_json_count(schedule->processors));
  json_object_set_new(object, "utilisation", ts_json_real(used_share(job, schedule)));
  json_object_set_new(object, "pipelined", json_boolean(schedule->is_pipelined));
  json_object_set_new(object, "candidate", json_string(schedule->candidate));
  if (!job->is_feasible)
    json_object_set_new(object, "best",
                        json_pack("{s:o, s:o}", "throughput", ts_json_real(job->best_throughput), "latency",
                                  ts_json_real(job->best_latency)));
  for (size_t c = 0; c < schedule->cluster_count; c++) json_array_append_new(clusters, cluster_json(job, c));
  for (size_t i = 0; i < schedule->transfer_count; i++)
    json_array_append_new(transfers, transfer_json(job, &schedule->transfers[i]));
  json_object_set_new(object, "clusters", clusters);
  json_object_set_new(object, "transfers", transfers);
}

json_t *ts_scheduling_compare(struct scheduling *job) {
  json_t *list = json_array();
  struct ts_stream_problem problem = job->problem;
  problem.time_left = NULL;
  for (size_t i = 0; ts_stream_algorithms[i]; i++) {
    const struct ts_stream_algorithm *algorithm = ts_stream_algorithms[i];
    ts_auto(ts_stream_schedule_release) struct ts_stream_schedule now = {0};
    uint64_t start_ns = ts_clock_thread_cpu_ns();
    if (isfinite(job->latency) && job->throughput == 0)
      ts_stream_inverse(&problem, algorithm, job->latency, &now);
    else
      algorithm->run(&problem, ts_scheduling_rate(job, &problem), &now);
    double cpu_s = (double)(ts_clock_thread_cpu_ns() - start_ns) / 1e9;
    bool is_met =
        now.is_feasible && ts_stream_meets(now.throughput, job->throughput) && now.latency <= job->latency * (1 + 1e-9);
    json_array_append_new(list,
                          json_pack("{s:s, s:s, s:b, s:o, s:o, s:I, s:o, s:b, s:o}", "algorithm", algorithm->name,
                                    "title", algorithm->title, "feasible", is_met, "latency", ts_json_real(now.latency),
                                    "throughput", ts_json_real(now.throughput), "processors",
                                    (json_int_t)now.processors, "utilisation", ts_json_real(used_share(job, &now)),
                                    "pipelined", now.is_pipelined, "cpu_s", ts_json_real(cpu_s)));
  }
  return list;
}

json_t *ts_scheduler_list(void) {
  json_t *list = json_array();
  for (size_t i = 0; ts_stream_algorithms[i]; i++)
    json_array_append_new(
        list, json_pack("{s:s, s:s}", "name", ts_stream_algorithms[i]->name, "title", ts_stream_algorithms[i]->title));
  return list;
}
