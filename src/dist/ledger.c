/* The books of a run by several processes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "dist/ledger.h"

#include "base/alloc.h"

#include <stdlib.h>

void ts_ledger_init(struct ts_ledger *ledger, const struct ts_plan *plan, const struct ts_dataset *dataset,
                    const struct ts_dist_options *options, struct ts_run_result *result) {
  *ledger = (struct ts_ledger){.plan = plan, .dataset = dataset, .options = options, .result = result};
  ledger->offsets = ts_calloc(plan->node_count + 1, sizeof *ledger->offsets);
  ledger->product_offsets = ts_calloc(plan->node_count + 1, sizeof *ledger->product_offsets);
  ledger->wanted_ports = ts_calloc(plan->node_count + 1, sizeof *ledger->wanted_ports);
  ts_plan_mark_wanted(plan, ledger->wanted_ports);
  for (size_t n = 0; n < plan->node_count; n++) {
    size_t units = ts_dataset_units(ledger->dataset, plan->nodes[n].scope);
    ledger->offsets[n + 1] = ledger->offsets[n] + units;
    ledger->product_offsets[n + 1] =
        ledger->product_offsets[n] + units * (size_t)__builtin_popcountll(ledger->wanted_ports[n]);
  }
  ledger->settled = ts_calloc(ledger->offsets[plan->node_count] + 1, sizeof *ledger->settled);
  ledger->delivered = ts_calloc(ledger->product_offsets[plan->node_count] + 1, sizeof *ledger->delivered);
  ledger->least_s = ts_calloc(plan->workflow->task_count + 1, sizeof *ledger->least_s);
  *result = (struct ts_run_result){0};
  result->tasks = ts_calloc(plan->workflow->task_count + 1, sizeof *result->tasks);
  result->cpu_s = ts_calloc(plan->workflow->task_count + 1, sizeof *result->cpu_s);
}

void ts_ledger_release(struct ts_ledger *ledger) {
  free(ledger->offsets);
  free(ledger->product_offsets);
  free(ledger->wanted_ports);
  free(ledger->settled);
  free(ledger->delivered);
  free(ledger->least_s);
}

static bool is_in_plan(const struct ts_ledger *ledger, uint32_t node, size_t unit) {
  return node < ledger->plan->node_count && unit < ts_dataset_units(ledger->dataset, ledger->plan->nodes[node].scope);
}

static struct ts_run_counts *counts_of(const struct ts_ledger *ledger, const struct ts_node *node) {
  return node->reference_only ? &ledger->result->reference : &ledger->result->tasks[node->task];
}

static void pass_event_on(const struct ts_ledger *ledger, const struct ts_task_event *event) {
  if (ledger->options->run.on_task) ledger->options->run.on_task(ledger->options->run.user, event);
}

/* Reading and cropping are done by the worker that needs them: every call is reported, nothing else. */
static void take_helper(struct ts_ledger *ledger, const struct ts_task_event *event) {
  const struct ts_node *node = &ledger->plan->nodes[event->node];
  uint8_t *settled = &ledger->settled[ledger->offsets[event->node] + event->unit];
  bool failed = event->outcome == TS_OUTCOME_FAILED;
  if (node->kind == TS_NODE_SOURCE && event->outcome == TS_OUTCOME_EXECUTED) ledger->result->reads++;
  if (event->outcome == TS_OUTCOME_EXECUTED || (failed && *settled != TS_OUTCOME_FAILED + 1))
    pass_event_on(ledger, event);
  if (*settled == 0 || failed) *settled = (uint8_t)(event->outcome + 1);
}

/* Another execution of a settled task. One that was only found before counts as executed from now on. */
static void take_again(struct ts_ledger *ledger, const struct ts_task_event *event, uint8_t *settled) {
  struct ts_run_counts *counts = counts_of(ledger, &ledger->plan->nodes[event->node]);
  enum ts_outcome before = (enum ts_outcome)(*settled - 1);
  counts->by_outcome[TS_OUTCOME_EXECUTED]++;
  if (before == TS_OUTCOME_STORE || before == TS_OUTCOME_CUTOFF) {
    counts->by_outcome[before]--;
    *settled = TS_OUTCOME_EXECUTED + 1;
  } else {
    counts->repeated++;
    if (!ledger->plan->nodes[event->node].reference_only) ledger->result->repeated++;
  }
  if (ledger->options->on_repeated) ledger->options->on_repeated(ledger->options->run.user, event);
}

void ts_ledger_task(struct ts_ledger *ledger, const struct ts_task_event *event) {
  if (!is_in_plan(ledger, event->node, event->unit)) return;
  const struct ts_node *node = &ledger->plan->nodes[event->node];
  uint8_t *settled = &ledger->settled[ledger->offsets[event->node] + event->unit];
  if (node->kind != TS_NODE_TASK) {
    take_helper(ledger, event);
    return;
  }
  ledger->result->cpu_s[node->task] += event->cpu_s;
  double *least_s = &ledger->least_s[node->task];
  if (event->outcome == TS_OUTCOME_EXECUTED && (*least_s == 0 || event->cpu_s < *least_s)) *least_s = event->cpu_s;
  if (*settled == 0) {
    *settled = (uint8_t)(event->outcome + 1);
    counts_of(ledger, node)->by_outcome[event->outcome]++;
    pass_event_on(ledger, event);
  } else if (event->outcome == TS_OUTCOME_EXECUTED) {
    take_again(ledger, event, settled);
  }
}

/* Where it is noted whether a product was delivered; NULL if it is not wanted. */
static bool *note_of(const struct ts_ledger *ledger, uint32_t node, uint32_t port, size_t unit) {
  if (!is_in_plan(ledger, node, unit) || port > 63 || (ledger->wanted_ports[node] >> port & 1) == 0) return NULL;
  size_t before = (size_t)__builtin_popcountll(ledger->wanted_ports[node] & ((UINT64_C(1) << port) - 1));
  size_t units = ts_dataset_units(ledger->dataset, ledger->plan->nodes[node].scope);
  return &ledger->delivered[ledger->product_offsets[node] + before * units + unit];
}

bool ts_ledger_is_wanted(const struct ts_ledger *ledger, uint32_t node, uint32_t port, size_t unit) {
  const bool *note = note_of(ledger, node, port, unit);
  return note && !*note;
}

void ts_ledger_product(struct ts_ledger *ledger, uint32_t node, uint32_t port, size_t unit, struct ts_data *data) {
  bool *note = note_of(ledger, node, port, unit);
  if (!note || *note) return;
  *note = true;
  if (ledger->options->run.on_product)
    ledger->options->run.on_product(ledger->options->run.user, node, port, unit, data);
}

void ts_ledger_close_window(struct ts_ledger *ledger, uint32_t window) {
  const struct ts_plan *plan = ledger->plan;
  for (uint32_t n = 0; n < plan->node_count; n++) {
    enum ts_scope scope = plan->nodes[n].scope;
    if (plan->nodes[n].kind != TS_NODE_TASK) continue;
    size_t first = 0, end = ts_dataset_units(ledger->dataset, scope);
    if (scope == plan->coarsest) {
      first = window;
      end = first + 1;
    }
    for (size_t u = first; u < end; u++) {
      if (ledger->settled[ledger->offsets[n] + u] != 0 || ts_run_window_of(plan, ledger->dataset, scope, u) != window)
        continue;
      ts_ledger_task(
          ledger, &(struct ts_task_event){.node = n, .unit = u, .outcome = TS_OUTCOME_STORE, .log = "", .remark = ""});
    }
  }
}

bool ts_ledger_lacks_product(const struct ts_ledger *ledger, uint32_t *node, size_t *unit) {
  for (*node = 0; *node < ledger->plan->node_count; (*node)++) {
    size_t units = ts_dataset_units(ledger->dataset, ledger->plan->nodes[*node].scope);
    for (uint32_t port = 0; port < 64 && ledger->wanted_ports[*node] >> port != 0; port++) {
      for (*unit = 0; *unit < units; (*unit)++) {
        uint8_t settled = ledger->settled[ledger->offsets[*node] + *unit];
        bool is_lost = settled == TS_OUTCOME_FAILED + 1 || settled == TS_OUTCOME_SKIPPED + 1;
        if (!is_lost && ts_ledger_is_wanted(ledger, *node, port, *unit)) return true;
      }
    }
  }
  return false;
}
