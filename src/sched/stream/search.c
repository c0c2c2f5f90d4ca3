/* The room that the phases of MOS work in.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sched/stream/stream_int.h"

#include "base/alloc.h"

#include <math.h>

void ts_search_init(struct search *search, const struct ts_stream_problem *problem, double wanted) {
  *search = (struct search){0};
  ts_stream_model_init(&search->model, problem, wanted);
  ts_estimate_init(&search->estimate, &search->model);
  ts_estimate_init(&search->trial, &search->model);
  ts_mapping_init(&search->now, &search->model);
}

void ts_search_release(struct search *search) {
  ts_mapping_release(&search->now);
  ts_mapping_release(&search->candidate);
  ts_mapping_release(&search->best);
  ts_estimate_release(&search->estimate);
  ts_estimate_release(&search->trial);
  ts_stream_model_release(&search->model);
  free(search->tried);
}

/* An estimate places every edge, among gaps that become more with every edge. In graphs with more edges per task than
 * this, fewer changes are estimated in a step, so that it costs no more: 50 tasks with 1,100 edges took up to 0.36 s of
 * CPU time on a busy machine and take less than a third of that so, with the same mean latency. Graphs of applications,
 * and those of the specification, have 1 to 4 edges per task. */
#define MOST_EDGES_FREE 10

size_t ts_search_most(const struct search *search, size_t limit) {
  const struct stream_model *s = &search->model;
  const double share = MOST_EDGES_FREE * (double)s->task_count / (double)s->edge_count;
  if (s->is_literal) return SIZE_MAX;
  return share >= 1 ? limit : (size_t)ceil((double)limit * share * share);
}

static struct tried key_of(const struct search *search, const struct transfer *x, bool is_duplicate) {
  if (is_duplicate)
    return (struct tried){.is_duplicate = true, .first = search->model.graph->edges[x->edge].from, .second = x->to};
  return (struct tried){.first = x->from < x->to ? x->from : x->to, .second = x->from < x->to ? x->to : x->from};
}

const struct tried *ts_search_recall(const struct search *search, const struct transfer *x, bool is_duplicate) {
  struct tried key = key_of(search, x, is_duplicate);
  for (size_t i = 0; i < search->tried_count; i++) {
    const struct tried *t = &search->tried[i];
    if (t->is_duplicate == is_duplicate && t->first == key.first && t->second == key.second) return t;
  }
  return NULL;
}

void ts_search_note(struct search *search, const struct transfer *x, bool is_duplicate, bool is_out) {
  struct tried added = key_of(search, x, is_duplicate);
  added.is_out = is_out;
  added.latency = search->trial.latency;
  added.processors = search->trial.processors;
  search->tried = ts_grow(search->tried, search->tried_count, &search->tried_capacity, sizeof *search->tried);
  search->tried[search->tried_count++] = added;
}

void ts_search_change(struct search *search, const struct transfer *x, bool is_duplicate) {
  if (is_duplicate)
    ts_mapping_duplicate(&search->candidate, &search->now, &search->model, x->edge, x->to);
  else
    ts_mapping_merge(&search->candidate, &search->now, &search->model, x->from, x->to);
}
