/* HEFT: every task, by decreasing bottom level, where it finishes first, also in gaps; contention is not seen.
 * SPDX-License-Identifier: Apache-2.0
 *
 * H. Topcuoglu, S. Hariri, M.-Y. Wu, IEEE TPDS 13(3), 2002, doi:10.1109/71.993206. It places one item; the mapping is
 * judged as a stream, one replica per cluster. */
#include "sched/stream/stream_int.h"

#include "base/alloc.h"

#include <math.h>

struct heft {
  const struct stream_model *s;
  uint32_t *processor; /* owned, by task */
  double *finish;      /* owned, by task */
  uint32_t *placed;    /* owned: tasks so far, by start */
  size_t placed_count;
  uint32_t used; /* processors with a task */
};

/* The earliest start on a processor, behind the inputs, in the first gap that fits. */
static double earliest_start(const struct heft *h, uint32_t task, uint32_t processor) {
  const struct ts_task_graph *g = h->s->graph;
  double start = 0;
  for (uint32_t k = g->in_first[task]; k < g->in_first[task + 1]; k++) {
    const struct ts_task_edge *edge = &g->edges[g->in_edges[k]];
    double arrival = h->finish[edge->from] + (h->processor[edge->from] == processor ? 0 : edge->time);
    start = fmax(start, arrival);
  }
  for (size_t i = 0; i < h->placed_count; i++) {
    uint32_t other = h->placed[i];
    if (h->processor[other] != processor) continue;
    if (start + h->s->time[task] <= h->finish[other] - h->s->time[other]) break;
    start = fmax(start, h->finish[other]);
  }
  return start;
}

static void place(struct heft *h, uint32_t task) {
  uint32_t candidates = h->used < h->s->processors ? h->used + 1 : h->used, best = 0;
  double earliest = INFINITY;
  for (uint32_t p = 0; p < candidates; p++) {
    double finish = earliest_start(h, task, p) + h->s->time[task];
    if (finish >= earliest) continue;
    earliest = finish;
    best = p;
  }
  h->processor[task] = best;
  h->finish[task] = earliest;
  if (best == h->used) h->used++;
  size_t at = h->placed_count++;
  double start = earliest - h->s->time[task];
  for (; at > 0 && h->finish[h->placed[at - 1]] - h->s->time[h->placed[at - 1]] > start; at--)
    h->placed[at] = h->placed[at - 1];
  h->placed[at] = task;
}

static void run_heft(const struct ts_stream_problem *problem, double throughput, struct ts_stream_schedule *out) {
  ts_auto(ts_stream_model_release) struct stream_model s;
  ts_stream_model_init(&s, problem, 0);
  struct heft h = {.s = &s};
  h.processor = ts_calloc(s.task_count, sizeof *h.processor);
  h.finish = ts_calloc(s.task_count, sizeof *h.finish);
  h.placed = ts_calloc(s.task_count, sizeof *h.placed);
  for (size_t k = 0; k < s.task_count; k++) place(&h, s.task_order[k]);
  ts_auto(ts_mapping_release) struct mapping m = {0};
  ts_mapping_assign(&m, &s, h.processor, h.used);
  ts_stream_make_schedule(&s, &m, out);
  out->is_feasible = ts_stream_meets(out->throughput, throughput);
  free(h.processor);
  free(h.finish);
  free(h.placed);
}

const struct ts_stream_algorithm ts_stream_heft = {
    .name = "heft", .title = "heterogeneous earliest finish time (HEFT)", .run = run_heft};
