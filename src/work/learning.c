/* Learns from the calls of a run: a bounded sample per operation and size, added to the store's when the run ends.
 * SPDX-License-Identifier: Apache-2.0 */
#include "work/costs.h"

#include "base/alloc.h"

#include <string.h>

#define WRITTEN_LEAST_BYTES 1e6 /* fewer bytes do not measure the speed of writing */

/* Calls of one operation at about one size. */
struct learnt {
  const struct ts_op *op; /* borrowed; NULL: the store's own work */
  const char *operation;
  const char *measure;
  struct ts_cost_bin bin;
};

struct ts_learning {
  struct ts_work *work;  /* borrowed */
  struct learnt **items; /* owned array of owned items */
  size_t count, capacity;
  struct learnt *
      *latest; /* owned array of borrowed items: per task, then per input; most calls are like the one before */
  struct ts_write_cost written; /* before the run */
};

struct ts_learning *ts_learning_create(struct ts_work *work) {
  const struct ts_project *project = work->project;
  struct ts_learning *learning = ts_calloc(1, sizeof *learning);
  learning->work = work;
  learning->latest =
      ts_calloc(project->workflow->task_count + project->workflow->input_count + 1, sizeof *learning->latest);
  if (work->store) learning->written = ts_store_write_cost(work->store);
  return learning;
}

void ts_learning_destroy(struct ts_learning *learning) {
  if (!learning) return;
  for (size_t i = 0; i < learning->count; i++) free(learning->items[i]);
  free(learning->items);
  free(learning->latest);
  free(learning);
}

static bool is_of(const struct learnt *item, const char *operation, const char *measure, int32_t number) {
  return item->bin.number == number && strcmp(item->operation, operation) == 0 && strcmp(item->measure, measure) == 0;
}

static struct learnt *find(struct ts_learning *learning, const struct ts_op *op, const char *operation,
                           const char *measure, int32_t number) {
  for (size_t i = 0; i < learning->count; i++) {
    if (is_of(learning->items[i], operation, measure, number)) return learning->items[i];
  }
  struct learnt *item = ts_calloc(1, sizeof *item);
  *item = (struct learnt){.op = op, .operation = operation, .measure = measure, .bin = {.number = number}};
  learning->items = ts_grow(learning->items, learning->count, &learning->capacity, sizeof(struct learnt *));
  learning->items[learning->count++] = item;
  return item;
}

static void add_load(struct ts_learning *learning, const struct ts_task_event *event) {
  if (!(event->wall_s > 0) || event->output_bytes == 0) return;
  const struct ts_cost_sample sample = {
      .size = (double)event->output_bytes, .seconds = event->wall_s, .bytes = (double)event->output_bytes};
  ts_cost_bin_add(&find(learning, NULL, TS_COST_LOAD, "bytes", ts_cost_bin_number(sample.size))->bin, &sample);
}

/* A call with many ports is known by the first ones and the sum. */
static struct ts_cost_sample make_sample(const struct ts_task_event *event, double size) {
  struct ts_cost_sample sample = {.size = size,
                                  .seconds = event->cpu_s,
                                  .bytes = (double)event->output_bytes,
                                  .peak_bytes = (double)event->peak_bytes};
  for (; sample.port_count < event->port_count && sample.port_count < TS_COST_PORTS; sample.port_count++)
    sample.port_bytes[sample.port_count] = (double)event->port_bytes[sample.port_count];
  return sample;
}

/* Calls saved by early cutoff count as requested; runs without early cutoff count no requests. */
void ts_learning_event(struct ts_learning *learning, const struct ts_node *node, const struct ts_task_event *event) {
  struct ts_work *work = learning->work;
  const struct ts_project *project = work->project;
  const struct ts_op *op = NULL;
  bool executed = event->outcome == TS_OUTCOME_EXECUTED;
  if (event->outcome == TS_OUTCOME_STORE) add_load(learning, event);
  if (!executed && event->outcome != TS_OUTCOME_CUTOFF) return;
  if (!ts_costs_operation(project, node, &op)) return;
  struct ts_piece piece = ts_costs_piece(work, node->scope, event->unit);
  int32_t number = ts_cost_bin_number(piece.size);
  struct learnt **latest =
      &learning->latest[node->task + (node->kind == TS_NODE_TASK ? 0 : project->workflow->task_count)];
  if (!*latest || !is_of(*latest, op->descriptor->name, piece.measure, number))
    *latest = find(learning, op, op->descriptor->name, piece.measure, number);
  struct ts_cost_bin *bin = &(*latest)->bin;
  if (node->kind == TS_NODE_TASK && !project->request->no_cutoff) {
    bin->asked++;
    bin->cut += !executed;
  }
  if (!executed) return;
  const struct ts_cost_sample sample = make_sample(event, piece.size);
  ts_cost_bin_add(bin, &sample);
}

static void add_writing(struct ts_learning *learning) {
  struct ts_write_cost now = ts_store_write_cost(learning->work->store), *before = &learning->written;
  double products = (double)(now.products - before->products), bytes = (double)(now.bytes - before->bytes);
  if (products > 0 && bytes >= WRITTEN_LEAST_BYTES) {
    const struct ts_cost_sample sample = {
        .size = bytes / products, .seconds = (now.cpu_s - before->cpu_s) / products, .bytes = bytes / products};
    ts_cost_bin_add(&find(learning, NULL, TS_COST_WRITE, "bytes", ts_cost_bin_number(sample.size))->bin, &sample);
  }
  *before = now;
}

/* The row of the new calls, merged with the store's. */
static bool save(const struct ts_learning *learning, struct ts_error *err) {
  ts_auto_free struct ts_cost_entry *learnt = ts_calloc(learning->count + 1, sizeof *learnt);
  for (size_t i = 0; i < learning->count; i++) {
    const struct learnt *item = learning->items[i];
    learnt[i].key = ts_cost_key_of(item->operation, item->op ? &item->op->implementation : NULL, item->measure);
    learnt[i].bin = &item->bin;
  }
  return ts_costs_add(learning->work->store, learnt, learning->count, err);
}

void ts_learning_save(struct ts_learning *learning, struct ts_issues *issues) {
  struct ts_error err = {0};
  if (!learning->work->store) return;
  add_writing(learning);
  if (learning->count > 0 && !save(learning, &err))
    ts_issues_warn(issues, "the costs of the operations were not stored: %s", err.text);
  for (size_t i = 0; i < learning->count; i++) free(learning->items[i]);
  learning->count = 0;
  memset(learning->latest, 0,
         (learning->work->project->workflow->task_count + learning->work->project->workflow->input_count) *
             sizeof *learning->latest);
}
