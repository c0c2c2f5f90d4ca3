/* FCP: copies of each task by the rate, each on the processor where it would be done first; FCP-e repeats it.
 * SPDX-License-Identifier: Apache-2.0
 *
 * M. Spencer et al., "Executing multiple pipelined data analysis operations in the grid", SC 2002; known here through
 * the description in the paper of stream.h. It assumes that a processor can talk to all others at once, and so does the
 * estimate of its latency. */
#include "sched/stream/stream_int.h"

#include "base/alloc.h"

#include <math.h>

/* A copy of a task on a processor. */
struct placed {
  uint32_t task, processor;
  double completion;
};

struct fcp {
  const struct stream_model *s;
  double wanted;
  struct placed *placed; /* owned; the copies of task t are count[t] from first[t] on */
  size_t placed_count, placed_capacity;
  size_t *first, *count; /* owned, by task */
  double *load;          /* owned, by processor */
  double *ready;         /* owned, by processor: when the inputs of the task in hand could be there */
  size_t processors;
};

/* When the inputs of a task could be on a processor: from the copy of each producer that is best for it. */
static double inputs_at(const struct fcp *f, uint32_t task, uint32_t processor) {
  const struct ts_task_graph *g = f->s->graph;
  double latest = 0;
  for (uint32_t k = g->in_first[task]; k < g->in_first[task + 1]; k++) {
    const struct ts_task_edge *edge = &g->edges[g->in_edges[k]];
    double earliest = INFINITY;
    for (size_t i = f->first[edge->from]; i < f->first[edge->from] + f->count[edge->from]; i++) {
      const struct placed *copy = &f->placed[i];
      earliest = fmin(earliest, copy->completion + (copy->processor == processor ? 0 : edge->time));
    }
    latest = fmax(latest, earliest);
  }
  return latest;
}

static void place_copies(struct fcp *f, uint32_t task) {
  f->first[task] = f->placed_count;
  double copies = f->s->is_fixed[task] ? 1 : ts_stream_ceil(f->wanted * f->s->time[task]);
  for (uint32_t p = 0; p < f->processors; p++) f->ready[p] = inputs_at(f, task, p);
  for (double c = 0; c < copies; c++) {
    struct placed best = {.task = task, .completion = INFINITY};
    for (uint32_t p = 0; p < f->processors; p++) {
      double completion = f->ready[p] + f->load[p] + f->s->time[task];
      if (completion < best.completion) {
        best.completion = completion;
        best.processor = p;
      }
    }
    f->load[best.processor] += f->s->time[task];
    f->placed = ts_grow(f->placed, f->placed_count, &f->placed_capacity, sizeof *f->placed);
    f->placed[f->placed_count++] = best;
  }
  f->count[task] = f->placed_count - f->first[task];
}

/* Whether a copy of the producer and one of the consumer are on different processors. */
static bool is_remote(const struct fcp *f, const struct ts_task_edge *edge) {
  uint32_t processor = f->placed[f->first[edge->from]].processor;
  for (size_t i = 0; i < f->count[edge->from]; i++) {
    if (f->placed[f->first[edge->from] + i].processor != processor) return true;
  }
  for (size_t i = 0; i < f->count[edge->to]; i++) {
    if (f->placed[f->first[edge->to] + i].processor != processor) return true;
  }
  return false;
}

/* The rate of the busiest processor, where copies share the items of a task, or of the slowest transfer. */
static double find_throughput(const struct fcp *f) {
  double *share = ts_calloc(f->processors + 1, sizeof *share), rate = INFINITY;
  for (size_t i = 0; i < f->placed_count; i++) {
    const struct placed *copy = &f->placed[i];
    share[copy->processor] += f->s->time[copy->task] / (double)f->count[copy->task];
  }
  for (size_t p = 0; p < f->processors; p++) {
    if (share[p] > 0) rate = fmin(rate, 1 / share[p]);
  }
  for (size_t e = 0; e < f->s->edge_count; e++) {
    const struct ts_task_edge *edge = &f->s->graph->edges[e];
    double parallel = fmin((double)f->count[edge->from], (double)f->count[edge->to]);
    if (edge->time > 0 && is_remote(f, edge)) rate = fmin(rate, parallel / edge->time);
  }
  free(share);
  return rate;
}

/* The schedule of the first copies; the clusters then list all copies of each processor. */
static void make_schedule(const struct fcp *f, struct ts_stream_schedule *out) {
  const struct stream_model *s = f->s;
  ts_auto_free uint32_t *number = ts_calloc(f->processors + 1, sizeof *number),
                        *cluster_of = ts_calloc(s->task_count, sizeof *number);
  uint32_t used = 0;
  ts_auto(ts_mapping_release) struct mapping m = {0};
  struct stream_model wide = *s;
  wide.ports = UINT32_MAX;
  for (size_t t = 0; t < s->task_count; t++) {
    uint32_t *known = &number[f->placed[f->first[t]].processor];
    if (*known == 0) *known = ++used;
    cluster_of[t] = *known - 1;
  }
  ts_mapping_assign(&m, &wide, cluster_of, used);
  ts_stream_make_schedule(&wide, &m, out);
  out->throughput = find_throughput(f);
  out->processors = 0;
  for (size_t p = 0; p < f->processors; p++) out->processors += f->load[p] > 0;
  for (size_t i = 0; i < f->placed_count; i++) { /* processors that have later copies only */
    if (number[f->placed[i].processor] == 0) number[f->placed[i].processor] = ++used;
  }
  out->clusters = ts_realloc_array(out->clusters, used + 1, sizeof *out->clusters);
  for (; out->cluster_count < used; out->cluster_count++)
    out->clusters[out->cluster_count] = (struct ts_stream_cluster){.replicas = 1};
  for (size_t i = 0; i < f->placed_count; i++) {
    const struct placed *copy = &f->placed[i];
    struct ts_stream_cluster *cluster = &out->clusters[number[copy->processor] - 1];
    if (i == f->first[copy->task]) continue;
    cluster->copies = ts_realloc_array(cluster->copies, cluster->copy_count + 1, sizeof *cluster->copies);
    cluster->copies[cluster->copy_count++] = (struct ts_stream_copy){.task = copy->task};
    cluster->time += s->time[copy->task];
  }
}

/* `f` as a copy: model, rate and processors are set, the rest lives for one schedule. */
static void run_once(struct fcp f, struct ts_stream_schedule *out) {
  const size_t task_count = f.s->task_count;
  f.placed_capacity = task_count;
  f.placed = ts_calloc(task_count, sizeof *f.placed);
  f.first = ts_calloc(task_count, sizeof *f.first);
  f.count = ts_calloc(task_count, sizeof *f.count);
  f.load = ts_calloc(f.processors + 1, sizeof *f.load);
  f.ready = ts_calloc(f.processors + 1, sizeof *f.ready);
  for (size_t k = 0; k < task_count; k++) place_copies(&f, f.s->task_order[k]);
  make_schedule(&f, out);
  free(f.placed);
  free(f.first);
  free(f.count);
  free(f.load);
  free(f.ready);
}

static void run_fcp(const struct ts_stream_problem *problem, double throughput, struct ts_stream_schedule *out) {
  ts_auto(ts_stream_model_release) struct stream_model s;
  ts_stream_model_init(&s, problem, 0);
  run_once((struct fcp){.s = &s, .wanted = throughput, .processors = s.processors}, out);
  out->is_feasible = ts_stream_meets(out->throughput, throughput);
}

/* Adds another instance of the whole workflow, on other processors. */
static void append(struct ts_stream_schedule *out, struct ts_stream_schedule *more) {
  uint32_t offset = (uint32_t)out->cluster_count;
  out->clusters = ts_realloc_array(out->clusters, out->cluster_count + more->cluster_count + 1, sizeof *out->clusters);
  for (size_t c = 0; c < more->cluster_count; c++) out->clusters[out->cluster_count++] = more->clusters[c];
  out->transfers =
      ts_realloc_array(out->transfers, out->transfer_count + more->transfer_count + 1, sizeof *out->transfers);
  for (size_t i = 0; i < more->transfer_count; i++) {
    struct ts_stream_transfer x = more->transfers[i];
    x.from_cluster += offset;
    x.to_cluster += offset;
    out->transfers[out->transfer_count++] = x;
  }
  out->throughput += more->throughput;
  out->latency = fmin(out->latency, more->latency);
  out->processors += more->processors;
  more->cluster_count = 0; /* their copies have a new owner */
  ts_stream_schedule_release(more);
}

static void run_fcp_e(const struct ts_stream_problem *problem, double throughput, struct ts_stream_schedule *out) {
  ts_auto(ts_stream_model_release) struct stream_model s;
  ts_stream_model_init(&s, problem, 0);
  run_once((struct fcp){.s = &s, .wanted = throughput, .processors = s.processors}, out);
  while (!ts_stream_meets(out->throughput, throughput) && out->processors < s.processors) {
    struct ts_stream_schedule more;
    run_once(
        (struct fcp){.s = &s, .wanted = throughput - out->throughput, .processors = s.processors - out->processors},
        &more);
    append(out, &more);
  }
  out->is_feasible = ts_stream_meets(out->throughput, throughput);
}

const struct ts_stream_algorithm ts_stream_fcp = {.name = "fcp", .title = "filter copy pipeline (FCP)", .run = run_fcp};
const struct ts_stream_algorithm ts_stream_fcp_e = {
    .name = "fcp-e", .title = "FCP repeated on the remaining processors", .run = run_fcp_e};
