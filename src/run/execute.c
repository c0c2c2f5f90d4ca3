/* Calls an operation (or the engine's own crop and gather) for one instance, and digests what it made.
 * SPDX-License-Identifier: Apache-2.0 */
#include "run/run_int.h"

#include "base/alloc.h"
#include "base/clock.h"

static bool call_operation(struct engine *engine, const struct instance *instance, struct ts_op *op,
                           struct ts_data *const *inputs, struct ts_data **outputs, struct ts_str *log,
                           struct ts_error *err) {
  struct ts_value *values = ts_calloc(op->descriptor->parameter_count + 1, sizeof *values);
  ts_instance_parameters(engine, instance, values);
  char name[128];
  struct ts_op_context context = {.cancelled = &engine->cancelled,
                                  .scratch_folder = engine->options->scratch_folder,
                                  .log = log,
                                  .task = ts_plan_node_name(engine->plan, instance->node, name, sizeof name)};
  bool ok = ts_op_execute(op, inputs, values, outputs, &context, err);
  free(values);
  return ok;
}

static void say_why(const struct ts_error *err, const struct ts_str *log, struct ts_str *message) {
  ts_str_add(message, err->text);
  if (err->help[0]) ts_str_addf(message, "\n%s", err->help);
  if (log->length > 0) ts_str_addf(message, "\n%s", ts_str_get(log));
}

bool ts_execute(struct engine *engine, const struct instance *instance, struct ts_data *const *inputs,
                size_t input_count, struct ts_data **outputs, struct call_times *times, struct ts_str *message) {
  const struct ts_node *node = &engine->plan->nodes[instance->node];
  struct ts_op *op = ts_instance_op(engine, instance);
  struct ts_error err = {0};
  ts_auto(ts_str_release) struct ts_str log = {0};
  uint64_t start_ns = ts_clock_ns();
  uint64_t cpu_ns = ts_clock_thread_cpu_ns();
  bool ok = true;
  if (op)
    ok = call_operation(engine, instance, op, inputs, outputs, &log, &err);
  else if (node->kind == TS_NODE_CROP)
    ok = (outputs[0] = ts_data_crop(inputs[0], &engine->dataset->tiles[instance->unit].core, &err)) != NULL;
  else
    ok = (outputs[0] = ts_data_gather((const struct ts_data *const *)inputs, input_count, &err)) != NULL;
  times->start_s += (double)(start_ns - engine->start_ns) / 1e9;
  times->wall_s += (double)(ts_clock_ns() - start_ns) / 1e9;
  times->cpu_s += (double)(ts_clock_thread_cpu_ns() - cpu_ns) / 1e9;
  if (op && op->origin == TS_OP_COMMAND) times->cpu_s = times->wall_s; /* the work is done by another process */
  if (!ok) say_why(&err, &log, message);
  return ok;
}

void ts_digest_outputs(const struct engine *engine, struct content *content, struct ts_data *const *outputs) {
  for (size_t i = 0; i < content->output_count; i++) {
    content->sizes[i] = ts_data_size_bytes(outputs[i]);
    content->run_digests[i] = ts_data_run_digest(outputs[i]);
    if (engine->recording) ts_data_digest(outputs[i], &content->digests[i]);
  }
}
