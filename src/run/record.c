/* Between a call and the store: loading, recording, and deciding which products are worth keeping.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Durable are outputs of stages, tables, and intermediate products that cost more to compute than to write. The others
 * leave their record with the digest only. */
#include "run/call.h"
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

struct ts_data *ts_call_load_product(const struct ts_call_env *env, const struct ts_sha256 *digest,
                                     struct ts_error *err) {
  struct ts_data *data = ts_cache_get(env->cache, digest);
  if (data) return data;
  data = ts_store_load(env->options->store, digest, err);
  if (data) ts_cache_put(env->cache, digest, data);
  return data;
}

/* Loads all outputs of a record; false if any is missing or damaged. */
static bool load_outputs(const struct ts_call_env *env, const struct ts_record *record, struct ts_outputs *out) {
  if (record->output_count != out->count) return false;
  for (size_t i = 0; i < out->count; i++) {
    struct ts_error err = {0};
    out->data[i] = ts_call_load_product(env, &record->outputs[i].digest, &err);
    if (out->data[i]) continue;
    if (err.code != TS_ERR_OK) ts_log(TS_LOG_WARN, "%s", err.text);
    while (i-- > 0) {
      ts_data_unref(out->data[i]);
      out->data[i] = NULL;
    }
    return false;
  }
  ts_outputs_recall(out, record);
  return true;
}

static bool is_durable(const struct ts_call *call, const struct ts_data *data, double cpu_s) {
  if (call->kind != TS_NODE_TASK) return false; /* reading again is as cheap as loading */
  const struct ts_run_options *options = call->env->options;
  if (options->keep_all || call->is_asked_for || call->is_stage_output) return true;
  if (ts_data_type(data)->kind == TS_DATA_TABLE) return true;
  double measured = options->store_speed.write_bytes_per_s;
  double bytes_per_s = measured > 0 ? measured : WRITE_BYTES_PER_SECOND;
  return cpu_s > (double)ts_data_coded_bytes(data) / bytes_per_s + WRITE_SECONDS;
}

static double load_seconds(const struct ts_call_env *env, const struct ts_record *record) {
  double bytes = 0;
  for (size_t i = 0; i < record->output_count; i++) bytes += (double)record->outputs[i].size_bytes;
  return bytes / env->options->store_speed.load_bytes_per_s;
}

static bool reads_a_file(const struct ts_call_env *env, const struct ts_record *record) {
  for (size_t i = 0; i < env->source_count; i++) {
    if (env->source_ops[i] && strcmp(env->source_ops[i]->descriptor->name, record->operation) == 0) return true;
  }
  return false;
}

/* Seconds to have the products of a record again without loading them: its own call, and the cheaper way to each input.
 * More than `enough` need not be exact. A record that the store does not have counts as expensive. */
static double recompute_seconds(const struct ts_call_env *env, const struct ts_record *record, double enough,
                                int depth) {
  double sum = record->seconds;
  if (reads_a_file(env, record)) return sum;
  if (depth == DEEPEST) return HUGE_VAL;
  for (size_t i = 0; i < record->input_count && sum <= enough; i++) {
    ts_auto(ts_arena_release) struct ts_arena arena = {0};
    struct ts_record input;
    struct ts_error ignored = {0};
    if (!ts_store_find(env->options->store, &record->inputs[i].key, &arena, &input, &ignored)) return HUGE_VAL;
    double load_s = 0;
    for (size_t o = 0; o < input.output_count && load_s < HUGE_VAL; o++)
      if (!ts_store_has_product(env->options->store, &input.outputs[o].digest)) load_s = HUGE_VAL;
    load_s += load_seconds(env, &input);
    sum += load_s <= input.seconds
               ? load_s
               : fmin(load_s, recompute_seconds(env, &input, fmin(load_s, enough - sum), depth + 1));
  }
  return sum;
}

/* Products that are kept cost more to compute than to write, and more to write than to load: where the store is on a
 * disk of this machine the first question settles it. */
bool ts_call_worth_loading(const struct ts_call *call, const struct ts_record *record, bool inputs_at_hand) {
  const struct ts_run_options *options = call->env->options;
  if (!(options->store_speed.load_bytes_per_s > 0)) return true;
  double load_s = load_seconds(call->env, record);
  if (load_s <= LOAD_MARGIN * record->seconds) return true;
  if (options->run_id && strcmp(record->run, options->run_id) == 0) return true; /* once within a run */
  if (options->keep_all || ts_store_path(options->store)[0] == '\0') return true;
  if (call->kind != TS_NODE_TASK || call->is_wanted || call->is_stage_output) return true;
  for (size_t i = 0; i < record->output_count; i++) {
    const struct ts_type *type = ts_type_find(record->outputs[i].type);
    if (!type || type->kind == TS_DATA_TABLE) return true;
  }
  return !inputs_at_hand && load_s <= LOAD_MARGIN * recompute_seconds(call->env, record, load_s, 0);
}

bool ts_call_find(const struct ts_call *call, const struct ts_key *content_key, struct ts_outputs *out) {
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_record record;
  struct ts_error ignored = {0};
  struct ts_store *store = call->env->options->store;
  const bool is_found = content_key ? ts_store_find_content(store, content_key, &arena, &record, &ignored) &&
                                          ts_call_worth_loading(call, &record, true)
                                    : ts_store_find(store, &call->key, &arena, &record, &ignored);
  return is_found && load_outputs(call->env, &record, out);
}

static bool record_outputs(const struct ts_call *call, const struct ts_outputs *out, double cpu_s,
                           struct ts_record_output *records, struct ts_data **keep) {
  bool kept_all = true;
  for (size_t i = 0; i < out->count; i++) {
    struct ts_data *data = out->data ? out->data[i] : NULL;
    records[i] = (struct ts_record_output){.port = call->op ? call->op->descriptor->outputs[i]->name : "out",
                                           .digest = out->digests[i],
                                           .type = data ? ts_data_type(data)->name : "",
                                           .size_bytes = data ? ts_data_size_bytes(data) : 0};
    keep[i] = data && is_durable(call, data, cpu_s) ? data : NULL;
    kept_all = kept_all && keep[i];
  }
  return kept_all;
}

bool ts_call_record(const struct ts_call *call, const struct ts_record_input *inputs, size_t input_count,
                    const struct ts_key *content_key, const struct ts_outputs *out, const struct ts_call_times *times) {
  const struct ts_run_options *options = call->env->options;
  struct ts_record_output records[TS_OP_MAX_PORTS];
  struct ts_data *keep[TS_OP_MAX_PORTS];
  ts_auto_free char *parameters =
      call->parameters_json ? NULL : ts_parameters_json(call->op, call->values, &call->pixel_size);
  struct ts_record record = {.key = call->key,
                             .content_key = *content_key,
                             .is_alias = !out->data,
                             .operation = ts_operation_name(call->kind, call->op),
                             .parameters_json = parameters ? parameters : call->parameters_json,
                             .numeric = call->op ? call->op->numeric : "exact",
                             .inputs = inputs,
                             .input_count = input_count,
                             .outputs = records,
                             .output_count = out->count,
                             .seconds = times->cpu_s,
                             .peak_bytes = times->peak_bytes,
                             .run = options->run_id ? options->run_id : "",
                             .producer = call->env->producer,
                             .made_unix_ns = ts_clock_unix_ns()};
  const bool kept_all = record_outputs(call, out, times->cpu_s, records, keep);
  if (call->op) record.implementation = call->op->implementation;
  ts_store_put(options->store, &record, keep);
  return kept_all;
}
