/* Forecasts a run without running it: the same walk backwards from the wanted products, counting instead of running.
 * SPDX-License-Identifier: Apache-2.0 */
#include "run/run_int.h"

#include "base/alloc.h"

static bool visit(void *user, size_t index) {
  const struct window *window = user;
  struct instance *instance = &window->instances[index];
  if (instance->state != UNNEEDED) return false;
  const bool execute = !ts_instance_in_store(window->engine, instance);
  instance->state = execute ? WAITING : DONE;
  return execute;
}

static void count_one(const struct ts_node *node, bool execute, struct ts_run_forecast *forecast) {
  if (node->kind != TS_NODE_TASK) return;
  if (node->reference_only)
    *(execute ? &forecast->reference_execute : &forecast->reference_stored) += 1;
  else
    (execute ? forecast->execute : forecast->stored)[node->task]++;
}

/* A window with panes has asked the store about all that is needed when it was made. */
static void count_panes(const struct ts_run_setup *setup, const uint8_t *found, size_t pane_count,
                        struct ts_run_forecast *forecast) {
  const struct pane_layout *layout = &setup->layout;
  for (uint32_t n = 0; n < setup->plan->node_count; n++) {
    for (size_t place = 0; layout->inner[n] != TS_NO_NODE && place < pane_count; place++)
      count_one(&setup->plan->nodes[n], ts_pane_found(found, layout, place, layout->inner[n]) == FOUND_ASKED, forecast);
  }
}

static void forecast_init(struct ts_run_forecast *forecast, const struct ts_plan *plan) {
  *forecast = (struct ts_run_forecast){0};
  forecast->execute = ts_calloc(plan->workflow->task_count + 1, sizeof *forecast->execute);
  forecast->stored = ts_calloc(plan->workflow->task_count + 1, sizeof *forecast->stored);
}

/* With nothing in the store every distinct task runs once in each of its units: keys and nodes are not needed. */
static void count_everything(const struct ts_plan *plan, const struct ts_dataset *dataset,
                             struct ts_run_forecast *forecast) {
  const struct ts_workflow *w = plan->workflow;
  for (size_t t = 0; t < w->task_count; t++) {
    const size_t units = ts_dataset_units(dataset, w->stages[w->tasks[t].stage].scope);
    forecast->execute[t] = plan->counts[t].distinct * units;
    forecast->reference_execute += plan->counts[t].reference_distinct * units;
  }
}

void ts_run_forecast_all(const struct ts_plan *plan, const struct ts_dataset *dataset,
                         struct ts_run_forecast *forecast) {
  forecast_init(forecast, plan);
  count_everything(plan, dataset, forecast);
}

bool ts_run_forecast(const struct ts_plan *plan, const struct ts_dataset *dataset, const struct ts_run_options *options,
                     struct ts_run_forecast *forecast, struct ts_error *err) {
  struct engine engine;
  struct ts_run_result unused;
  forecast_init(forecast, plan);
  bool ok = ts_engine_init(&engine, plan, dataset, options, &unused, err);
  bool is_empty = ts_run_store_is_empty(options->store);
  if (ok && is_empty) count_everything(plan, dataset, forecast);
  for (size_t g = 0; ok && !is_empty && g < engine.supply.window_count; g++) {
    struct window *window = ts_window_create(&engine, (uint32_t)g, !engine.needed, err);
    ok = window != NULL;
    if (!ok) break;
    if (window->panes)
      count_panes(engine.setup, window->found, window->pane_count, forecast);
    else
      ts_window_walk_wanted(window, &(struct ts_walk){.enter = visit, .user = window});
    for (size_t i = 0; i < window->instance_count; i++) {
      const struct instance *instance = &window->instances[i];
      const bool is_missing = window->panes ? instance->looked_up && !instance->in_store : instance->state == WAITING;
      count_one(&plan->nodes[instance->node], is_missing, forecast);
    }
    ts_window_destroy(window);
  }
  ts_run_result_release(&unused);
  ts_engine_release(&engine);
  return ok;
}

void ts_run_forecast_release(struct ts_run_forecast *forecast) {
  free(forecast->execute);
  free(forecast->stored);
  *forecast = (struct ts_run_forecast){0};
}
