/* Keys of instances: lineage over keys of the inputs, content over their digests, and the cheaper identity within a
 * run.
 * SPDX-License-Identifier: Apache-2.0 */
#include "run/run_int.h"

#include "base/alloc.h"

#include <stdio.h>
#include <string.h>

#define ENGINE_OPERATION_VERSION "1" /* of crop and gather; raise it when their results change */

const struct ts_item_source *ts_instance_source(const struct engine *engine, const struct instance *instance) {
  const struct ts_node *node = &engine->plan->nodes[instance->node];
  size_t item = ts_dataset_item(engine->dataset, node->scope, instance->unit);
  return &engine->dataset->items[item].sources[node->task];
}

struct ts_op *ts_instance_op(const struct engine *engine, const struct instance *instance) {
  const struct ts_node *node = &engine->plan->nodes[instance->node];
  if (node->kind == TS_NODE_TASK) return engine->plan->workflow->tasks[node->task].op;
  if (node->kind != TS_NODE_SOURCE) return NULL;
  size_t place = node->task;
  if (node->sampled_for > 0) place = engine->plan->workflow->input_count + SAMPLE_SOURCE;
  if (ts_instance_source(engine, instance)->polygons.x > 0)
    place = engine->plan->workflow->input_count + POLYGON_SOURCE;
  struct ts_op *op = engine->env.source_ops[place];
  if (!op) TS_BUG("there is no operation that reads polygons, or samples");
  return op;
}

const char *ts_operation_name(enum ts_node_kind kind, const struct ts_op *op) {
  if (op) return op->descriptor->name;
  return kind == TS_NODE_CROP ? "engine.crop" : "engine.gather";
}

size_t ts_instance_output_count(const struct engine *engine, const struct instance *instance) {
  struct ts_op *op = ts_instance_op(engine, instance);
  return op ? op->descriptor->output_count : 1;
}

const char *ts_instance_output_port(const struct engine *engine, const struct instance *instance, size_t port) {
  struct ts_op *op = ts_instance_op(engine, instance);
  return op ? op->descriptor->outputs[port]->name : "out";
}

struct ts_region ts_source_region(const struct engine *engine, const struct instance *instance) {
  return ts_dataset_region(engine->dataset, engine->plan->nodes[instance->node].scope, instance->unit);
}

const struct ts_region *ts_instance_rectangle(const struct engine *engine, const struct instance *instance) {
  const struct ts_node *node = &engine->plan->nodes[instance->node];
  const struct ts_dataset *d = engine->dataset;
  if (node->kind == TS_NODE_CROP) return &d->tiles[instance->unit].core;
  if (node->kind != TS_NODE_GATHER || !ts_dataset_is_incomplete(d, node->scope, instance->unit)) return NULL;
  return &d->items[ts_dataset_item(d, node->scope, instance->unit)].grid.whole;
}

static bool is_same_size(const struct ts_pixel_size *a, const struct ts_pixel_size *b) {
  return a->x_um == b->x_um && a->y_um == b->y_um;
}

struct ts_pixel_size ts_item_pixel_size(const struct engine *engine, const struct instance *instance) {
  const struct ts_dataset *d = engine->dataset;
  const enum ts_scope scope = engine->plan->nodes[instance->node].scope;
  const struct ts_pixel_size *size = &d->items[ts_dataset_item(d, scope, instance->unit)].pixel_size;
  for (size_t i = 0; !ts_scope_is_in_item(scope) && i < d->item_count; i++)
    if (!is_same_size(&d->items[i].pixel_size, size)) return (struct ts_pixel_size){0};
  return *size;
}

struct ts_pixel_size ts_instance_pixel_size(const struct engine *engine, const struct instance *instance) {
  const struct ts_op *op = ts_instance_op(engine, instance);
  if (!op || !op->descriptor->reads_pixel_size) return (struct ts_pixel_size){0};
  return ts_item_pixel_size(engine, instance);
}

static bool no_size(const struct engine *engine, const struct instance *instance, struct ts_error *err) {
  char name[128];
  ts_auto(ts_str_release) struct ts_str unit = {0};
  ts_dataset_name_unit(engine->dataset, engine->plan->nodes[instance->node].scope, instance->unit, &unit);
  ts_fail(err, TS_ERR_NO_PIXEL_SIZE, "'%s' has a parameter in micrometres, but %s has no pixel size",
          ts_plan_node_name(engine->plan, instance->node, name, sizeof name), ts_str_get(&unit));
  return ts_error_help(err, "give mpp in the manifest");
}

const struct recipe *ts_instance_recipe(const struct engine *engine, const struct instance *instance,
                                        struct ts_error *err) {
  struct ts_run_setup *setup = engine->setup;
  if (setup->recipes[instance->node] || setup->plan->nodes[instance->node].kind != TS_NODE_TASK)
    return setup->recipes[instance->node];
  const struct ts_pixel_size size = ts_item_pixel_size(engine, instance);
  if (!ts_pixel_size_is_known(&size)) {
    no_size(engine, instance, err);
    return NULL;
  }
  return ts_recipe_of_size(setup, instance->node, &size, err);
}

const struct recipe *ts_instance_known_recipe(const struct engine *engine, const struct instance *instance) {
  struct ts_error err = {0};
  const struct recipe *recipe = ts_instance_recipe(engine, instance, &err);
  if (err.code != TS_ERR_OK) TS_BUG("an instance with a key has no recipe: %s", err.text);
  return recipe;
}

int64_t ts_source_sample_px(const struct engine *engine, const struct instance *instance) {
  const uint32_t sampled_for = engine->plan->nodes[instance->node].sampled_for;
  return sampled_for > 0 ? engine->plan->workflow->stages[sampled_for - 1].sample_px : 0;
}

static struct ts_value source_parameter(const struct engine *engine, const struct instance *instance,
                                        const char *name) {
  struct ts_region region = ts_source_region(engine, instance);
  struct {
    const char *name;
    int64_t value;
  } numbers[] = {{"x", region.x},         {"y", region.y},
                 {"width", region.width}, {"height", region.height},
                 {"level", region.level}, {"sample_px", ts_source_sample_px(engine, instance)}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    if (strcmp(name, numbers[i].name) == 0) return ts_value_integer(numbers[i].value);
  }
  const struct ts_item_source *source = ts_instance_source(engine, instance);
  if (strcmp(name, "as") == 0) return ts_value_string(source->type->name);
  if (strcmp(name, "downsample_x") == 0) return ts_value_real(source->polygons.x);
  if (strcmp(name, "downsample_y") == 0) return ts_value_real(source->polygons.y);
  TS_BUG("a source operation has the unknown parameter '%s'", name);
}

const struct ts_value *ts_source_parameters(const struct engine *engine, const struct instance *instance,
                                            struct ts_value *values) {
  const struct ts_op_descriptor *d = ts_instance_op(engine, instance)->descriptor;
  for (size_t i = 0; i < d->parameter_count; i++)
    values[i] = source_parameter(engine, instance, d->parameters[i]->name);
  return values;
}

struct ts_key ts_instance_file_key(const struct engine *engine, const struct instance *instance) {
  return (struct ts_key){ts_instance_source(engine, instance)->digest};
}

static struct ts_key output_key(const struct engine *engine, const struct instance *producer, size_t port) {
  struct ts_key key;
  ts_key_of_output(&producer->key, ts_instance_output_port(engine, producer, port),
                   ts_instance_output_count(engine, producer) == 1, &key);
  return key;
}

/* Crop and gather are the engine's own: their identity is their name, a version, the rectangle and the pieces. */
static bool engine_key(struct engine *engine, const struct window *window, const struct instance *instance,
                       const char *domain, bool content, struct ts_key *key, struct ts_error *err) {
  const struct ts_node *node = &engine->plan->nodes[instance->node];
  size_t count = 0;
  struct instance *producers = ts_window_producers(window, instance, 0, &count);
  ts_auto_free struct ts_key_input *inputs = ts_calloc(count + 1, sizeof *inputs);
  char(*ports)[24] = ts_calloc(count + 1, sizeof *ports);
  for (size_t i = 0; i < count; i++) {
    snprintf(ports[i], sizeof ports[i], "%08zu", i);
    inputs[i].port = ports[i];
    inputs[i].key = content ? (struct ts_key){producers[i].content->out.digests[node->inputs[0].port]}
                            : output_key(engine, &producers[i], node->inputs[0].port);
  }
  const struct ts_region *rectangle = ts_instance_rectangle(engine, instance), none = {0};
  const struct ts_region *r = rectangle ? rectangle : &none;
  struct ts_key_parameter parameters[] = {{"x", ts_value_integer(r->x)},
                                          {"y", ts_value_integer(r->y)},
                                          {"width", ts_value_integer(r->width)},
                                          {"height", ts_value_integer(r->height)}};
  struct ts_key_fields fields = {.domain = domain,
                                 .salt = engine->options->store ? ts_store_salt(engine->options->store) : "",
                                 .operation = ts_operation_name(node->kind, NULL),
                                 .numeric_class = "exact",
                                 .parameters = parameters,
                                 .parameter_count = rectangle ? 4 : 0,
                                 .inputs = inputs,
                                 .input_count = count};
  ts_sha256_of(ENGINE_OPERATION_VERSION, strlen(ENGINE_OPERATION_VERSION), &fields.implementation);
  bool ok = ts_key_compute(&fields, key, err);
  free(ports);
  return ok;
}

/* Key of an input: of the connected product (lineage), or of its content. */
static struct ts_key input_key(struct engine *engine, const struct window *window, const struct instance *instance,
                               size_t input, bool content) {
  const struct ts_node *node = &engine->plan->nodes[instance->node];
  size_t count = 0;
  struct instance *producer = ts_window_producers(window, instance, input, &count);
  size_t port = node->inputs[input].port;
  return content ? (struct ts_key){producer->content->out.digests[port]} : output_key(engine, producer, port);
}

static const char *salt_of(const struct engine *engine) {
  return engine->options->store ? ts_store_salt(engine->options->store) : "";
}

/* The prefix of a recipe has no pixel size, which differs between items. */
static bool sized_task_key(struct engine *engine, const struct window *window, const struct instance *instance,
                           const struct recipe *recipe, bool content, struct ts_key *key, struct ts_error *err) {
  const struct ts_node *node = &engine->plan->nodes[instance->node];
  const struct ts_pixel_size size = ts_instance_pixel_size(engine, instance);
  struct ts_key keys[TS_OP_MAX_PORTS];
  const struct ts_key *inputs[TS_OP_MAX_PORTS] = {0};
  for (size_t i = 0; i < node->input_count; i++) {
    if (node->inputs[i].node == TS_NO_NODE) continue;
    keys[i] = input_key(engine, window, instance, i, content);
    inputs[i] = &keys[i];
  }
  return ts_op_key(recipe->op, content ? TS_KEY_DOMAIN_CONTENT : TS_KEY_DOMAIN_TASK, salt_of(engine), recipe->values,
                   &size, inputs, key, err);
}

static bool task_key(struct engine *engine, const struct window *window, const struct instance *instance, bool content,
                     struct ts_key *key, struct ts_error *err) {
  const struct ts_node *node = &engine->plan->nodes[instance->node];
  const struct recipe *recipe = ts_instance_recipe(engine, instance, err);
  struct ts_key_input inputs[TS_OP_MAX_PORTS];
  size_t count = 0;
  if (!recipe) return false;
  if (recipe->op->descriptor->reads_pixel_size)
    return sized_task_key(engine, window, instance, recipe, content, key, err);
  for (size_t i = 0; i < node->input_count; i++) {
    if (node->inputs[i].node == TS_NO_NODE) continue;
    inputs[count].port = recipe->op->descriptor->inputs[i]->name;
    inputs[count++].key = input_key(engine, window, instance, i, content);
  }
  return ts_key_end(content ? &recipe->content : &recipe->lineage, inputs, count, key, err);
}

/* Reading is an operation whose one input is the file. */
static bool source_key(struct engine *engine, const struct instance *instance, const char *domain, struct ts_key *key,
                       struct ts_error *err) {
  struct ts_op *op = ts_instance_op(engine, instance);
  struct ts_value values[TS_OP_MAX_PARAMETERS];
  const struct ts_key *pointers[TS_OP_MAX_PORTS] = {0};
  struct ts_key file = ts_instance_file_key(engine, instance);
  for (size_t i = 0; i < op->descriptor->input_count; i++) pointers[i] = &file;
  const struct ts_pixel_size size = ts_instance_pixel_size(engine, instance);
  return ts_op_key(op, domain, salt_of(engine), ts_source_parameters(engine, instance, values), &size, pointers, key,
                   err);
}

static bool any_key(struct engine *engine, const struct window *window, const struct instance *instance, bool content,
                    struct ts_key *key, struct ts_error *err) {
  const char *domain = content ? TS_KEY_DOMAIN_CONTENT : TS_KEY_DOMAIN_TASK;
  switch (engine->plan->nodes[instance->node].kind) {
  case TS_NODE_TASK: return task_key(engine, window, instance, content, key, err);
  case TS_NODE_SOURCE: return source_key(engine, instance, domain, key, err);
  default: return engine_key(engine, window, instance, domain, content, key, err);
  }
}

bool ts_instance_key(struct engine *engine, const struct window *window, struct instance *instance,
                     struct ts_error *err) {
  return any_key(engine, window, instance, false, &instance->key, err);
}

bool ts_instance_content_key(struct engine *engine, const struct window *window, const struct instance *instance,
                             struct ts_key *key, struct ts_error *err) {
  return any_key(engine, window, instance, true, key, err);
}

/* Sources have no input contents: their lineage key serves. A port that nothing is connected to is known by zero.
 * Recipes hold the parameters, all but the pixel size. */
struct ts_xxh128 ts_instance_identity(struct engine *engine, const struct window *window,
                                      const struct instance *instance, ts_product_identity *identity_of, void *user) {
  const struct ts_node *node = &engine->plan->nodes[instance->node];
  struct ts_identity identity = {.kind = node->kind, .input_bytes = sizeof(struct ts_xxh128)};
  struct ts_xxh128 few[TS_OP_MAX_PORTS], *inputs = few;
  struct ts_op_pixel_size_room room;
  const struct ts_pixel_size size = ts_instance_pixel_size(engine, instance);
  const struct ts_value size_value = ts_op_pixel_size_value(&size, &room);
  for (size_t i = 0; i < node->input_count; i++) {
    size_t count = 0;
    const struct instance *producers = ts_window_producers(window, instance, i, &count);
    if (count > TS_OP_MAX_PORTS) inputs = ts_calloc(count, sizeof *inputs); /* a gather, which has one port */
    for (size_t p = 0; p < count; p++)
      inputs[identity.input_count++] = identity_of(user, &producers[p], node->inputs[i].port);
    if (count == 0) inputs[identity.input_count++] = (struct ts_xxh128){0};
  }
  if (node->kind == TS_NODE_TASK) identity.operation = ts_instance_known_recipe(engine, instance)->number;
  if (node->kind == TS_NODE_CROP) identity.operation = instance->unit;
  if (node->kind == TS_NODE_GATHER && ts_instance_rectangle(engine, instance)) identity.operation = instance->unit + 1;
  if (node->kind == TS_NODE_SOURCE) memcpy(inputs, &instance->key, sizeof instance->key);
  if (node->kind == TS_NODE_SOURCE) identity.input_count = sizeof instance->key / sizeof *inputs;
  identity.inputs = inputs;
  identity.parameters = &size_value;
  identity.parameter_count = size.x_um > 0 ? 1 : 0;
  ts_str_clear(&engine->identity);
  ts_identity_add(&identity, &engine->identity);
  if (inputs != few) free(inputs);
  return ts_xxh128_of(engine->identity.data, engine->identity.length, 0);
}
