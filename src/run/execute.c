/* From an instance to a call (call.h): what it computes with, what it may use, what its record says.
 * SPDX-License-Identifier: Apache-2.0
 *
 * As long as fewer tasks run than there are threads, the others are lent to operations on large inputs. They wait in a
 * pool of their own: the workers themselves are looking for tasks. */
#include "run/run_int.h"

#include "base/alloc.h"
#include "base/pool.h"

/* Below this an operation is over before a second thread has woken up. No difference in CPU time seen between half and
 * twice (`bench/constants threads`). */
#define LENDING_MIN_BYTES ((size_t)4 << 20)

/* Under engine.lock: how many threads a call may use: as many as were asked for, or its share of
 * those that no task keeps busy. */
static size_t wanted_threads(const struct engine *engine) {
  if (engine->options->inner_threads > 0) return engine->options->inner_threads;
  size_t busy = engine->running + engine->entering;
  return busy > 0 ? engine->result->threads / busy : 1;
}

size_t ts_engine_lend(void *user, size_t input_bytes, struct ts_pool **pool) {
  struct engine *engine = user;
  size_t most = engine->options->inner_threads > 0 ? engine->options->inner_threads : engine->result->threads;
  if (most < 2 || input_bytes < LENDING_MIN_BYTES) return 1;
  pthread_mutex_lock(&engine->lock);
  size_t threads = wanted_threads(engine);
  struct ts_error ignored = {0};
  if (threads > 1) ts_run_setup_pool(&engine->setup->lent, most - 1, &ignored);
  if (!engine->setup->lent) threads = 1;
  *pool = engine->setup->lent;
  pthread_mutex_unlock(&engine->lock);
  return threads > 1 ? threads : 1;
}

/* The known digests of the inputs; a producer that was never needed in this run has no digest. */
static void find_digests(struct engine *engine, const struct window *window, const struct instance *instance,
                         struct ts_xxh128 digests[TS_OP_MAX_PORTS]) {
  const struct ts_node *node = &engine->plan->nodes[instance->node];
  if (node->kind != TS_NODE_TASK) return;
  pthread_mutex_lock(&engine->lock);
  for (size_t i = 0; i < node->input_count; i++) {
    size_t count = 0;
    const struct instance *producer = ts_window_producers(window, instance, i, &count);
    if (count == 1 && producer->state == DONE) digests[i] = producer->content->out.run_digests[node->inputs[i].port];
  }
  pthread_mutex_unlock(&engine->lock);
}

struct ts_call ts_instance_call(const struct engine *engine, const struct instance *instance) {
  const struct ts_node *node = &engine->plan->nodes[instance->node];
  const struct recipe *recipe = ts_instance_known_recipe(engine, instance);
  const struct ts_run_part *part = engine->options->part;
  const bool is_wanted = engine->wanted_ports[instance->node] != 0;
  struct ts_call call = {.env = &engine->env,
                         .kind = node->kind,
                         .op = ts_instance_op(engine, instance),
                         .key = instance->key,
                         .pixel_size = ts_instance_pixel_size(engine, instance),
                         .is_wanted = is_wanted,
                         .is_asked_for = is_wanted && part && part->keep};
  if (recipe) {
    call.values = recipe->values;
    call.parameters_json = recipe->parameters_json;
    call.is_stage_output = engine->setup->is_stage_output[node->task];
  }
  if (node->kind == TS_NODE_SOURCE) call.file = ts_instance_source(engine, instance)->file;
  if (!call.op) call.core = ts_instance_rectangle(engine, instance);
  return call;
}

static void settle_source(struct engine *engine, const struct ts_call_times *times, const struct ts_failure *failure) {
  pthread_mutex_lock(&engine->lock);
  engine->result->reads += times->repeats;
  if (failure->error.code == TS_ERR_DATA_CHANGED) ts_engine_end(engine, &failure->error);
  pthread_mutex_unlock(&engine->lock);
}

bool ts_execute(struct engine *engine, const struct window *window, const struct instance *instance,
                struct ts_data *const *inputs, size_t input_count, struct ts_data **outputs,
                struct ts_call_times *times, struct ts_failure *failure) {
  struct ts_value values[TS_OP_MAX_PARAMETERS];
  struct ts_xxh128 digests[TS_OP_MAX_PORTS] = {{0}};
  char name[128];
  struct ts_failure own = {0};
  struct ts_call call = ts_instance_call(engine, instance);
  call.task = ts_plan_node_name(engine->plan, instance->node, name, sizeof name);
  call.input_digests = digests;
  if (engine->options->memo) find_digests(engine, window, instance, digests);
  if (call.kind == TS_NODE_SOURCE) call.values = ts_source_parameters(engine, instance, values);
  if (!failure) failure = &own;
  bool ok = ts_call_compute(&call, inputs, input_count, outputs, times, failure);
  if (call.kind == TS_NODE_SOURCE) settle_source(engine, times, failure);
  ts_failure_release(&own);
  return ok;
}

/* One edge per connected input port; a gather has one per piece. Fills `few`, or an array in
 * the arena. */
static struct ts_record_input *record_inputs(const struct engine *engine, const struct window *window,
                                             const struct instance *instance, struct ts_record_input *few,
                                             struct ts_arena *arena, size_t *count) {
  const struct ts_node *node = &engine->plan->nodes[instance->node];
  struct ts_op *op = ts_instance_op(engine, instance);
  *count = 0;
  if (node->kind == TS_NODE_SOURCE) {
    few[(*count)++] = (struct ts_record_input){op->descriptor->inputs[0]->name, ts_instance_file_key(engine, instance)};
    return few;
  }
  for (size_t i = 0; op && i < node->input_count; i++) {
    size_t producer_count = 0;
    const struct instance *producer = ts_window_producers(window, instance, i, &producer_count);
    if (producer_count > 0) few[(*count)++] = (struct ts_record_input){op->descriptor->inputs[i]->name, producer->key};
  }
  if (op) return few;
  const struct instance *pieces = ts_window_producers(window, instance, 0, count);
  struct ts_record_input *inputs = ts_arena_array(arena, *count, sizeof *inputs);
  for (size_t p = 0; p < *count; p++)
    inputs[p] = (struct ts_record_input){ts_arena_printf(arena, "%08zu", p), pieces[p].key};
  return inputs;
}

bool ts_record_result(struct engine *engine, const struct window *window, const struct instance *instance,
                      const struct content *content, const struct ts_call_times *times, bool alias) {
  if (!engine->options->store || !ts_instance_is_kept(engine, instance)) return false;
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_record_input few[TS_OP_MAX_PORTS];
  struct ts_value values[TS_OP_MAX_PARAMETERS];
  size_t input_count = 0;
  struct ts_error err = {0};
  struct ts_call call = ts_instance_call(engine, instance);
  struct ts_key key = content->key;
  struct ts_outputs out = content->out;
  if (alias) out.data = NULL;
  if (call.kind == TS_NODE_SOURCE) call.values = ts_source_parameters(engine, instance, values);
  if (!content->has_key && !ts_instance_content_key(engine, window, instance, &key, &err))
    TS_BUG("no content key: %s", err.text);
  const struct ts_record_input *inputs = record_inputs(engine, window, instance, few, &arena, &input_count);
  return ts_call_record(&call, inputs, input_count, &key, &out, times);
}
