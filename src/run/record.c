/* Between a run and the store: loading, recording, and deciding which products are worth keeping.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Durable are outputs of stages, tables, and intermediate products that cost more to compute than to write. The others
 * leave their record with the digest only. */
#include "run/run_int.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"

#include <math.h>
#include <string.h>

/* Packing and writing, where they were not measured: a mask packs at 1 GB/s, an RGB tile at 150 MB/s. No difference
 * seen between half and twice of both values (60 sets on one tile, 2 threads: `bench/constants threads`). */
#define WRITE_BYTES_PER_SECOND 200e6
#define WRITE_SECONDS          0.002
#define LOAD_MARGIN            2.0 /* computing again must be faster by this much: clocks are noisy. Not measured */
#define DEEPEST                64  /* records looked through one behind the other: a limit, not tuned */

struct ts_data *ts_load_product(struct engine *engine, const struct ts_sha256 *digest, struct ts_error *err) {
  struct ts_data *data = ts_cache_get(engine->cache, digest);
  if (data) return data;
  data = ts_store_load(engine->options->store, digest, err);
  if (data) ts_cache_put(engine->cache, digest, data);
  return data;
}

bool ts_load_outputs(struct engine *engine, const struct ts_record *record, size_t output_count,
                     struct ts_data **outputs) {
  if (record->output_count != output_count) return false;
  for (size_t i = 0; i < output_count; i++) {
    struct ts_error err = {0};
    outputs[i] = ts_load_product(engine, &record->outputs[i].digest, &err);
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
  if (engine->options->keep_all ||
      (engine->options->part && engine->options->part->keep && engine->wanted_ports[instance->node]))
    return true;
  if (ts_data_type(data)->kind == TS_DATA_TABLE || engine->is_stage_output[node->task]) return true;
  double measured = engine->options->store_speed.write_bytes_per_s;
  double bytes_per_s = measured > 0 ? measured : WRITE_BYTES_PER_SECOND;
  return cpu_s > (double)ts_data_coded_bytes(data) / bytes_per_s + WRITE_SECONDS;
}

static double load_seconds(const struct engine *engine, const struct ts_record *record) {
  double bytes = 0;
  for (size_t i = 0; i < record->output_count; i++) bytes += (double)record->outputs[i].size_bytes;
  return bytes / engine->options->store_speed.load_bytes_per_s;
}

static bool reads_a_file(const struct engine *engine, const struct ts_record *record) {
  for (size_t i = 0; i < engine->plan->workflow->input_count; i++) {
    if (strcmp(engine->source_ops[i]->descriptor->name, record->operation) == 0) return true;
  }
  return false;
}

/* Seconds to have the products of a record again without loading them: its own call, and the cheaper way to each input.
 * More than `enough` need not be exact. A record that the store does not have counts as expensive. */
static double recompute_seconds(struct engine *engine, const struct ts_record *record, double enough, int depth) {
  double sum = record->seconds;
  if (reads_a_file(engine, record)) return sum;
  if (depth == DEEPEST) return HUGE_VAL;
  for (size_t i = 0; i < record->input_count && sum <= enough; i++) {
    ts_auto(ts_arena_release) struct ts_arena arena = {0};
    struct ts_record input;
    struct ts_error ignored = {0};
    if (!ts_store_find(engine->options->store, &record->inputs[i].key, &arena, &input, &ignored)) return HUGE_VAL;
    double load_s = 0;
    for (size_t o = 0; o < input.output_count && load_s < HUGE_VAL; o++)
      if (!ts_store_has_product(engine->options->store, &input.outputs[o].digest)) load_s = HUGE_VAL;
    load_s += load_seconds(engine, &input);
    sum += load_s <= input.seconds
               ? load_s
               : fmin(load_s, recompute_seconds(engine, &input, fmin(load_s, enough - sum), depth + 1));
  }
  return sum;
}

/* Products that are kept cost more to compute than to write, and more to write than to load: where the store is on a
 * disk of this machine the first question settles it. */
bool ts_worth_loading(struct engine *engine, const struct instance *instance, const struct ts_record *record,
                      bool inputs_at_hand) {
  const struct ts_node *node = &engine->plan->nodes[instance->node];
  if (!(engine->options->store_speed.load_bytes_per_s > 0)) return true;
  double load_s = load_seconds(engine, record);
  if (load_s <= LOAD_MARGIN * record->seconds) return true;
  if (engine->options->run_id && strcmp(record->run, engine->options->run_id) == 0) return true; /* once within a run */
  if (engine->options->keep_all || ts_store_path(engine->options->store)[0] == '\0') return true;
  if (node->kind != TS_NODE_TASK || engine->wanted_ports[instance->node] != 0) return true;
  if (engine->is_stage_output[node->task]) return true;
  for (size_t i = 0; i < record->output_count; i++) {
    const struct ts_type *type = ts_type_find(record->outputs[i].type);
    if (!type || type->kind == TS_DATA_TABLE) return true;
  }
  return !inputs_at_hand && load_s <= LOAD_MARGIN * recompute_seconds(engine, record, load_s, 0);
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

static void record_outputs(const struct engine *engine, const struct instance *instance, const struct content *content,
                           struct ts_data *const *outputs, double cpu_s, struct ts_record_output *records,
                           struct ts_data **keep) {
  for (size_t i = 0; i < content->output_count; i++) {
    records[i] = (struct ts_record_output){.port = ts_instance_output_port(engine, instance, i),
                                           .digest = content->digests[i],
                                           .type = outputs ? ts_data_type(outputs[i])->name : "",
                                           .size_bytes = outputs ? ts_data_size_bytes(outputs[i]) : 0};
    keep[i] = outputs && is_durable(engine, instance, outputs[i], cpu_s) ? outputs[i] : NULL;
  }
}

/* Of a recipe, or made in the arena. */
static const char *parameters_in_clear(const struct engine *engine, const struct instance *instance,
                                       struct ts_arena *arena) {
  if (engine->recipes[instance->node]) return engine->recipes[instance->node]->parameters_json;
  struct ts_value values[TS_OP_MAX_PARAMETERS];
  ts_instance_parameters(engine, instance, values);
  ts_auto_free char *text = ts_parameters_json(ts_instance_op(engine, instance), values);
  return ts_arena_strdup(arena, text);
}

static struct ts_key content_key_of(struct engine *engine, const struct window *window, const struct instance *instance,
                                    const struct content *content) {
  struct ts_key key = content->key;
  struct ts_error err = {0};
  if (!content->has_key && !ts_instance_content_key(engine, window, instance, &key, &err))
    TS_BUG("no content key: %s", err.text);
  return key;
}

bool ts_record_result(struct engine *engine, const struct window *window, const struct instance *instance,
                      const struct content *content, bool alias, const struct call_times *times,
                      struct ts_data *const *outputs) {
  if (!engine->recording || !ts_instance_is_kept(engine, instance)) return false;
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_record_input inputs[TS_OP_MAX_PORTS];
  struct ts_record_output records[TS_OP_MAX_PORTS];
  struct ts_data *keep[TS_OP_MAX_PORTS];
  struct ts_op *op = ts_instance_op(engine, instance);
  struct ts_record record = {.key = instance->key,
                             .content_key = content_key_of(engine, window, instance, content),
                             .is_alias = alias,
                             .operation = ts_instance_op_name(engine, instance),
                             .parameters_json = parameters_in_clear(engine, instance, &arena),
                             .numeric = op ? op->numeric : "exact",
                             .outputs = records,
                             .output_count = content->output_count,
                             .seconds = times->cpu_s,
                             .peak_bytes = times->peak_bytes,
                             .run = engine->options->run_id ? engine->options->run_id : "",
                             .producer = engine->producer,
                             .made_unix_ns = ts_clock_unix_ns()};
  record.inputs = record_inputs(engine, window, instance, inputs, &arena, &record.input_count);
  record_outputs(engine, instance, content, outputs, times->cpu_s, records, keep);
  if (op) record.implementation = op->implementation;
  bool kept_all = true;
  for (size_t i = 0; i < content->output_count; i++) kept_all = kept_all && keep[i];
  ts_store_put(engine->options->store, &record, keep);
  return kept_all;
}
