/* Between a run and the store: what is loaded, what is recorded, and which products are worth keeping.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Durable are outputs of stages, tables, and intermediate products that cost more to compute than to write. The others
 * leave their record with the digest only. */
#include "run/run_int.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"

#include <stdio.h>

#define WRITE_BYTES_PER_SECOND                                                                                         \
  200e6 /* packing and writing, measured: a mask packs at 1 GB/s, an RGB tile at 150 MB/s */
#define WRITE_SECONDS 0.0005

bool ts_load_outputs(struct engine *engine, const struct ts_record *record, size_t output_count,
                     struct ts_data **outputs) {
  if (record->output_count != output_count) return false;
  for (size_t i = 0; i < output_count; i++) {
    struct ts_error err = {0};
    outputs[i] = ts_store_load(engine->options->store, &record->outputs[i].digest, &err);
    if (!outputs[i]) {
      if (err.code != TS_ERR_OK) ts_log(TS_LOG_WARN, "%s", err.text);
      for (size_t k = 0; k < i; k++) ts_data_unref(outputs[k]);
      return false;
    }
  }
  return true;
}

static bool is_durable(const struct engine *engine, const struct instance *instance, const struct ts_data *data,
                       double cpu_s) {
  const struct ts_node *node = &engine->plan->nodes[instance->node];
  if (node->kind != TS_NODE_TASK) return false; /* reading again is as cheap as loading */
  if (engine->options->keep_all) return true;
  if (ts_data_type(data)->kind == TS_DATA_TABLE || engine->is_stage_output[node->task]) return true;
  return cpu_s > (double)ts_data_size_bytes(data) / WRITE_BYTES_PER_SECOND + WRITE_SECONDS;
}

static char *parameters_json(const struct engine *engine, const struct instance *instance) {
  struct ts_op *op = ts_instance_op(engine, instance);
  json_t *object = json_object();
  size_t count = op ? op->descriptor->parameter_count : 0;
  struct ts_value *values = ts_calloc(count + 1, sizeof *values);
  ts_instance_parameters(engine, instance, values);
  for (size_t i = 0; i < count; i++)
    json_object_set_new(object, op->descriptor->parameters[i].name, ts_value_to_json(&values[i]));
  free(values);
  char *text = ts_json_dump(object, true, false);
  json_decref(object);
  return text;
}

/* One edge per connected input port; a gather has one per piece. */
static struct ts_record_input *record_inputs(const struct engine *engine, const struct group *group,
                                             const struct instance *instance, struct ts_arena *arena, size_t *count) {
  const struct ts_node *node = &engine->plan->nodes[instance->node];
  struct ts_op *op = ts_instance_op(engine, instance);
  struct ts_record_input *inputs = NULL;
  size_t capacity = 0;
  *count = 0;
  if (node->kind == TS_NODE_SOURCE) {
    inputs = ts_calloc(1, sizeof *inputs);
    inputs[(*count)++] =
        (struct ts_record_input){op->descriptor->inputs[0].name, ts_instance_file_key(engine, instance)};
    return inputs;
  }
  for (size_t i = 0; i < node->input_count; i++) {
    size_t producer_count = 0;
    struct instance *producers = ts_group_producers(group, instance, i, &producer_count);
    for (size_t p = 0; p < producer_count; p++) {
      inputs = ts_grow(inputs, *count, &capacity, sizeof *inputs);
      struct ts_record_input *input = &inputs[(*count)++];
      input->port = op ? op->descriptor->inputs[i].name : ts_arena_printf(arena, "%08zu", p);
      input->key = producers[p].key;
    }
  }
  return inputs;
}

static struct ts_record_output *record_outputs(const struct engine *engine, const struct instance *instance,
                                               const struct content *content, struct ts_data *const *outputs,
                                               double cpu_s, struct ts_data **keep) {
  struct ts_record_output *records = ts_calloc(content->output_count + 1, sizeof *records);
  for (size_t i = 0; i < content->output_count; i++) {
    records[i].port = ts_instance_output_port(engine, instance, i);
    records[i].digest = content->digests[i];
    records[i].type = outputs ? ts_data_type(outputs[i])->name : "";
    records[i].size_bytes = outputs ? ts_data_size_bytes(outputs[i]) : 0;
    keep[i] = outputs && is_durable(engine, instance, outputs[i], cpu_s) ? outputs[i] : NULL;
  }
  return records;
}

bool ts_record_result(struct engine *engine, const struct group *group, const struct instance *instance,
                      const struct content *content, bool alias, const struct call_times *times,
                      struct ts_data *const *outputs) {
  if (!engine->recording) return false;
  struct ts_key content_key;
  struct ts_error err = {0};
  if (!ts_instance_content_key(engine, group, instance, &content_key, &err)) TS_BUG("no content key: %s", err.text);
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_op *op = ts_instance_op(engine, instance);
  size_t input_count = 0;
  struct ts_record_input *inputs = record_inputs(engine, group, instance, &arena, &input_count);
  struct ts_data **keep = ts_calloc(content->output_count + 1, sizeof(struct ts_data *));
  struct ts_record_output *records = record_outputs(engine, instance, content, outputs, times->cpu_s, keep);
  char *parameters = parameters_json(engine, instance);
  struct ts_record record = {.key = instance->key,
                             .content_key = content_key,
                             .is_alias = alias,
                             .operation = ts_instance_op_name(engine, instance),
                             .parameters_json = parameters,
                             .numeric = op ? op->numeric : "exact",
                             .inputs = inputs,
                             .input_count = input_count,
                             .outputs = records,
                             .output_count = content->output_count,
                             .seconds = times->cpu_s,
                             .run = engine->options->run_id ? engine->options->run_id : "",
                             .producer = engine->producer,
                             .made_unix_ns = ts_clock_unix_ns()};
  if (op) record.implementation = op->implementation;
  bool kept_all = true;
  for (size_t i = 0; i < content->output_count; i++) kept_all = kept_all && keep[i];
  ts_store_put(engine->options->store, &record, keep);
  free(parameters);
  free(records);
  free(keep);
  free(inputs);
  return kept_all;
}
