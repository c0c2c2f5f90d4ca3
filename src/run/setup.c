/* Prepares a plan once for all its runs: the readers of each node, recipes, how deep each task lies.
 * SPDX-License-Identifier: Apache-2.0 */
#include "run/run_int.h"

#include "base/alloc.h"
#include "base/machine/machine.h"
#include "base/pool.h"

#include <unistd.h>

static void list_consumers(struct ts_run_setup *setup) {
  const struct ts_plan *plan = setup->plan;
  setup->consumer_first = ts_calloc(plan->node_count + 2, sizeof *setup->consumer_first);
  for (size_t pass = 0; pass < 2; pass++) {
    for (uint32_t n = 0; n < plan->node_count; n++) {
      for (size_t i = 0; i < plan->nodes[n].input_count; i++) {
        uint32_t producer = plan->nodes[n].inputs[i].node;
        if (producer == TS_NO_NODE) continue;
        if (pass == 0)
          setup->consumer_first[producer + 2]++;
        else
          setup->consumers[setup->consumer_first[producer + 1]++] = n;
      }
    }
    if (pass == 0) {
      for (size_t n = 1; n < plan->node_count + 2; n++) setup->consumer_first[n] += setup->consumer_first[n - 1];
      setup->consumers = ts_calloc(setup->consumer_first[plan->node_count + 1] + 1, sizeof *setup->consumers);
    }
  }
}

static void measure_depths(struct ts_run_setup *setup) {
  const struct ts_plan *plan = setup->plan;
  setup->depths = ts_calloc(plan->node_count + 1, sizeof *setup->depths);
  for (size_t n = 0; n < plan->node_count; n++) {
    for (size_t i = 0; i < plan->nodes[n].input_count; i++) {
      uint32_t input = plan->nodes[n].inputs[i].node;
      if (input != TS_NO_NODE && setup->depths[input] >= setup->depths[n]) setup->depths[n] = setup->depths[input] + 1;
    }
  }
}

static void mark_stage_outputs(struct ts_run_setup *setup) {
  const struct ts_workflow *w = setup->plan->workflow;
  setup->is_stage_output = ts_calloc(w->task_count + 1, sizeof *setup->is_stage_output);
  for (size_t s = 0; s < w->stage_count; s++) {
    for (size_t o = 0; o < w->stages[s].output_count; o++)
      setup->is_stage_output[w->stages[s].outputs[o].source.index] = true;
  }
}

const char *ts_source_operation(const struct ts_type *type) {
  if (!type || type->kind == TS_DATA_PIXELS) return "image.read";
  return type->kind == TS_DATA_TABLE ? "table.read" : "bytes.read";
}

/* The operation that reads each workflow input, by the kind of its type; after them the one for files of polygons
 * (which items have such files is not known here) and the one for samples of images. */
static bool find_source_operations(struct ts_run_setup *setup, struct ts_registry *registry, struct ts_error *err) {
  const struct ts_workflow *w = setup->plan->workflow;
  setup->source_ops = ts_calloc(w->input_count + EXTRA_SOURCES, sizeof(struct ts_op *));
  for (size_t i = 0; i < w->input_count; i++) {
    const char *name = ts_source_operation(w->inputs[i].type);
    setup->source_ops[i] = ts_registry_find(registry, name);
    if (!setup->source_ops[i])
      return ts_fail(err, TS_ERR_UNKNOWN_OPERATION, "there is no operation '%s' to read '%s'", name, w->inputs[i].name);
  }
  setup->source_ops[w->input_count + POLYGON_SOURCE] = ts_registry_find(registry, TS_POLYGON_OPERATION);
  setup->source_ops[w->input_count + SAMPLE_SOURCE] = ts_registry_find(registry, TS_SAMPLE_OPERATION);
  return true;
}

static void name_producer(struct ts_run_setup *setup) {
  char host[128] = "";
  gethostname(host, sizeof host - 1);
  const char *user = getenv("USER");
  struct ts_str text = {0};
  ts_str_addf(&text, "%s@%s %s", user ? user : "unknown", host, ts_machine_class());
  setup->producer = ts_str_detach(&text);
}

struct ts_run_setup *ts_run_setup_create(const struct ts_plan *plan, struct ts_registry *registry,
                                         struct ts_store *store, struct ts_error *err) {
  struct ts_run_setup *setup = ts_calloc(1, sizeof *setup);
  setup->plan = plan;
  setup->store = store;
  pthread_mutex_init(&setup->recipe_lock, NULL);
  mark_stage_outputs(setup);
  list_consumers(setup);
  ts_layout_make(setup);
  measure_depths(setup);
  name_producer(setup);
  setup->memory_ratio = ts_calloc(plan->workflow->task_count + 1, sizeof *setup->memory_ratio);
  if (find_source_operations(setup, registry, err) && ts_recipes_make(setup, err) && ts_schedule_needs(setup, err))
    return setup;
  ts_run_setup_destroy(setup);
  return NULL;
}

void ts_run_setup_keep(struct ts_run_setup *setup, uint64_t bytes) { setup->cache = ts_cache_create(bytes); }

struct ts_pool *ts_run_setup_pool(struct ts_pool **pool, size_t threads, struct ts_error *err) {
  if (*pool && ts_pool_thread_count(*pool) != threads) ts_pool_destroy(ts_steal(*pool));
  if (!*pool) *pool = ts_pool_create(threads, err);
  return *pool;
}

void ts_run_setup_destroy(struct ts_run_setup *setup) {
  if (!setup) return;
  ts_pool_destroy(setup->pool);
  ts_pool_destroy(setup->lent);
  free(setup->memory_ratio);
  free(setup->source_ops);
  free(setup->consumer_first);
  free(setup->consumers);
  free(setup->recipes);
  ts_map_release(&setup->known_recipes);
  ts_map_release(&setup->sized_recipes);
  pthread_mutex_destroy(&setup->recipe_lock);
  ts_arena_release(&setup->recipe_arena);
  free(setup->layout.inner);
  free(setup->layout.is_fed);
  free(setup->depths);
  free(setup->is_stage_output);
  ts_cache_destroy(setup->cache);
  free(setup->needs);
  free(setup->needs_of_task);
  free(setup->producer);
  free(setup);
}
