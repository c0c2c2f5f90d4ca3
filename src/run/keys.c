/* Keys of instances: lineage over keys of the inputs, content over their digests, and the cheaper identity within a
 * run.
 * SPDX-License-Identifier: Apache-2.0 */
#include "run/run_int.h"

#include "base/alloc.h"

#include <stdio.h>
#include <string.h>

#define ENGINE_OPERATION_VERSION "1" /* of crop and gather; raise it when their results change */

struct ts_op *ts_instance_op(const struct engine *engine, const struct instance *instance) {
  const struct ts_node *node = &engine->plan->nodes[instance->node];
  if (node->kind == TS_NODE_TASK) return engine->plan->workflow->tasks[node->task].op;
  if (node->kind == TS_NODE_SOURCE) return engine->source_ops[node->task];
  return NULL;
}

const char *ts_instance_op_name(const struct engine *engine, const struct instance *instance) {
  struct ts_op *op = ts_instance_op(engine, instance);
  if (op) return op->descriptor->name;
  return engine->plan->nodes[instance->node].kind == TS_NODE_CROP ? "engine.crop" : "engine.gather";
}

size_t ts_instance_output_count(const struct engine *engine, const struct instance *instance) {
  struct ts_op *op = ts_instance_op(engine, instance);
  return op ? op->descriptor->output_count : 1;
}

const char *ts_instance_output_port(const struct engine *engine, const struct instance *instance, size_t port) {
  struct ts_op *op = ts_instance_op(engine, instance);
  return op ? op->descriptor->outputs[port].name : "out";
}

static const struct ts_item_source *item_source(const struct engine *engine, const struct instance *instance) {
  const struct ts_node *node = &engine->plan->nodes[instance->node];
  size_t item = node->scope == TS_PER_TILE ? engine->dataset->tile_items[instance->unit] : instance->unit;
  return &engine->dataset->items[item].sources[node->task];
}

static struct ts_region source_region(const struct engine *engine, const struct instance *instance) {
  const struct ts_dataset *d = engine->dataset;
  if (engine->plan->nodes[instance->node].scope == TS_PER_TILE) return d->tiles[instance->unit].region;
  const struct ts_item *item = &d->items[instance->unit];
  const struct ts_region *last = &d->tiles[item->first_tile + item->tile_count - 1].core;
  struct ts_region whole = *last;
  whole.x = whole.y = 0;
  whole.width = last->x + last->width;
  whole.height = last->y + last->height;
  return whole;
}

static struct ts_value source_parameter(const struct engine *engine, const struct instance *instance,
                                        const char *name) {
  struct ts_region region = source_region(engine, instance);
  struct {
    const char *name;
    int64_t value;
  } numbers[] = {
      {"x", region.x}, {"y", region.y}, {"width", region.width}, {"height", region.height}, {"level", region.level}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    if (strcmp(name, numbers[i].name) == 0) return ts_value_integer(numbers[i].value);
  }
  if (strcmp(name, "as") == 0) return ts_value_string(item_source(engine, instance)->type->name);
  TS_BUG("a source operation has the unknown parameter '%s'", name);
}

void ts_instance_parameters(const struct engine *engine, const struct instance *instance, struct ts_value *values) {
  const struct ts_node *node = &engine->plan->nodes[instance->node];
  struct ts_op *op = ts_instance_op(engine, instance);
  for (size_t i = 0; op && i < op->descriptor->parameter_count; i++) {
    values[i] = node->kind == TS_NODE_TASK ? ts_op_canonical(&op->descriptor->parameters[i], &node->parameters[i])
                                           : source_parameter(engine, instance, op->descriptor->parameters[i].name);
  }
}

struct ts_key ts_instance_file_key(const struct engine *engine, const struct instance *instance) {
  return (struct ts_key){item_source(engine, instance)->digest};
}

static struct ts_key output_key(const struct engine *engine, const struct instance *producer, size_t port) {
  struct ts_key key;
  ts_key_of_output(&producer->key, ts_instance_output_port(engine, producer, port),
                   ts_instance_output_count(engine, producer) == 1, &key);
  return key;
}

/* Crop and gather are the engine's own: their identity is their name, a version, the rectangle and the pieces. */
static bool engine_key(struct engine *engine, const struct group *group, const struct instance *instance,
                       const char *domain, bool content, struct ts_key *key, struct ts_error *err) {
  const struct ts_node *node = &engine->plan->nodes[instance->node];
  size_t count = 0;
  struct instance *producers = ts_group_producers(group, instance, 0, &count);
  struct ts_key_input *inputs = ts_calloc(count + 1, sizeof *inputs);
  char(*ports)[24] = ts_calloc(count + 1, sizeof *ports);
  for (size_t i = 0; i < count; i++) {
    snprintf(ports[i], sizeof ports[i], "%08zu", i);
    inputs[i].port = ports[i];
    inputs[i].key = content ? (struct ts_key){producers[i].content->digests[node->inputs[0].port]}
                            : output_key(engine, &producers[i], node->inputs[0].port);
  }
  struct ts_region core = {0};
  if (node->kind == TS_NODE_CROP) core = engine->dataset->tiles[instance->unit].core;
  struct ts_key_parameter parameters[] = {{"x", ts_value_integer(core.x)},
                                          {"y", ts_value_integer(core.y)},
                                          {"width", ts_value_integer(core.width)},
                                          {"height", ts_value_integer(core.height)}};
  struct ts_key_fields fields = {.domain = domain,
                                 .salt = engine->options->store ? ts_store_salt(engine->options->store) : "",
                                 .operation = ts_instance_op_name(engine, instance),
                                 .numeric_class = "exact",
                                 .parameters = parameters,
                                 .parameter_count = node->kind == TS_NODE_CROP ? 4 : 0,
                                 .inputs = inputs,
                                 .input_count = count};
  ts_sha256_of(ENGINE_OPERATION_VERSION, strlen(ENGINE_OPERATION_VERSION), &fields.implementation);
  bool ok = ts_key_compute(&fields, key, err);
  free(ports);
  free(inputs);
  return ok;
}

/* Key of an input: of what is connected (lineage), or of its content. */
static struct ts_key input_key(struct engine *engine, const struct group *group, const struct instance *instance,
                               size_t input, bool content) {
  const struct ts_node *node = &engine->plan->nodes[instance->node];
  if (node->kind == TS_NODE_SOURCE) return ts_instance_file_key(engine, instance);
  size_t count = 0;
  struct instance *producer = ts_group_producers(group, instance, input, &count);
  size_t port = node->inputs[input].port;
  return content ? (struct ts_key){producer->content->digests[port]} : output_key(engine, producer, port);
}

static bool op_key(struct engine *engine, const struct group *group, const struct instance *instance,
                   const char *domain, bool content, struct ts_key *key, struct ts_error *err) {
  struct ts_op *op = ts_instance_op(engine, instance);
  if (!op) return engine_key(engine, group, instance, domain, content, key, err);
  const struct ts_node *node = &engine->plan->nodes[instance->node];
  size_t count = op->descriptor->input_count;
  struct ts_value *values = ts_calloc(op->descriptor->parameter_count + 1, sizeof *values);
  struct ts_key *keys = ts_calloc(count + 1, sizeof *keys);
  const struct ts_key **pointers = ts_calloc(count + 1, sizeof *pointers);
  ts_instance_parameters(engine, instance, values);
  for (size_t i = 0; i < count; i++) {
    if (node->kind == TS_NODE_TASK && node->inputs[i].node == TS_NO_NODE) continue;
    keys[i] = input_key(engine, group, instance, i, content);
    pointers[i] = &keys[i];
  }
  const char *salt = engine->options->store ? ts_store_salt(engine->options->store) : "";
  bool ok = ts_op_key(op, domain, salt, values, pointers, key, err);
  free(pointers);
  free(keys);
  free(values);
  return ok;
}

bool ts_instance_key(struct engine *engine, const struct group *group, struct instance *instance,
                     struct ts_error *err) {
  return op_key(engine, group, instance, TS_KEY_DOMAIN_TASK, false, &instance->key, err);
}

bool ts_instance_content_key(struct engine *engine, const struct group *group, const struct instance *instance,
                             struct ts_key *key, struct ts_error *err) {
  return op_key(engine, group, instance, TS_KEY_DOMAIN_CONTENT, true, key, err);
}

/* Equal for two instances of a group exactly when operation, canonical parameters and input contents are equal. Sources
 * have no input contents: their lineage key serves. */
struct ts_xxh128 ts_instance_run_identity(struct engine *engine, const struct group *group,
                                          const struct instance *instance) {
  const struct ts_node *node = &engine->plan->nodes[instance->node];
  if (node->kind == TS_NODE_SOURCE) return ts_xxh128_of(&instance->key, sizeof instance->key, 1);
  ts_auto(ts_str_release) struct ts_str bytes = {0};
  struct ts_op *op = ts_instance_op(engine, instance);
  ts_str_add(&bytes, ts_instance_op_name(engine, instance));
  ts_str_add_char(&bytes, '\0');
  struct ts_value *values = ts_calloc(op ? op->descriptor->parameter_count + 1 : 1, sizeof *values);
  ts_instance_parameters(engine, instance, values);
  for (size_t i = 0; op && i < op->descriptor->parameter_count; i++) {
    ts_str_addf(&bytes, "%d:", (int)values[i].type);
    ts_value_print(&values[i], &bytes);
    ts_str_add_char(&bytes, '\0');
  }
  free(values);
  if (node->kind == TS_NODE_CROP) ts_str_add_bytes(&bytes, &instance->unit, sizeof instance->unit);
  for (size_t i = 0; i < node->input_count; i++) {
    size_t count = 0;
    struct instance *producers = ts_group_producers(group, instance, i, &count);
    ts_str_addf(&bytes, "%zu,%zu:", i, count);
    for (size_t p = 0; p < count; p++)
      ts_str_add_bytes(&bytes, &producers[p].content->run_digests[node->inputs[i].port], sizeof(struct ts_xxh128));
  }
  return ts_xxh128_of(bytes.data, bytes.length, 2);
}
