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

static void count_window(const struct window *window, struct ts_run_forecast *forecast) {
  for (size_t i = 0; i < window->instance_count; i++) {
    const struct instance *instance = &window->instances[i];
    count_one(&window->engine->plan->nodes[instance->node], instance->state == WAITING, forecast);
  }
}

/* A window with panes has asked the store about all that is needed when it was made. */
static void count_panes(const struct window *window, struct ts_run_forecast *forecast) {
  const struct ts_plan *plan = window->engine->plan;
  const struct pane_layout *layout = &window->engine->setup->layout;
  for (size_t i = 0; i < window->instance_count; i++) {
    const struct instance *instance = &window->instances[i];
    count_one(&plan->nodes[instance->node], instance->looked_up && !instance->in_store, forecast);
  }
  for (uint32_t n = 0; n < plan->node_count; n++) {
    for (size_t place = 0; layout->inner[n] != TS_NO_NODE && place < window->pane_count; place++)
      count_one(&plan->nodes[n], ts_pane_found(window, place, layout->inner[n]) == FOUND_ASKED, forecast);
  }
}

static bool store_is_empty(struct ts_store *store) {
  struct ts_store_usage usage = {0};
  struct ts_error ignored = {0};
  return !store || (ts_store_usage(store, &usage, &ignored) && usage.records == 0);
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
  bool is_empty = store_is_empty(options->store);
  if (ok && is_empty) count_everything(plan, dataset, forecast);
  for (size_t g = 0; ok && !is_empty && g < engine.window_count; g++) {
    struct window *window = ts_window_create(&engine, (uint32_t)g, !engine.needed, err);
    ok = window != NULL;
    if (ok && window->panes) {
      count_panes(window, forecast);
    } else if (ok) {
      ts_window_walk_wanted(window, &(struct ts_walk){.enter = visit, .user = window});
      count_window(window, forecast);
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
