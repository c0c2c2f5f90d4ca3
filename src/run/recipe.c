/* Recipes: an operation with canonical parameter values, once per run however many tasks and tiles share it.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Keys, records and the identity of contents all begin with operation and parameters. That part is worked out here, so
 * that a task costs no more than its inputs. Two nodes share a recipe exactly if operation and values are equal. */
#include "run/run_int.h"

#include "base/alloc.h"
#include "base/json.h"

char *ts_parameters_json(const struct ts_op *op, const struct ts_value *values, const struct ts_pixel_size *size) {
  struct ts_op_pixel_size_room room;
  json_t *object = json_object();
  for (size_t i = 0; op && i < op->descriptor->parameter_count; i++)
    json_object_set_new(object, op->descriptor->parameters[i]->name, ts_value_to_json(&values[i]));
  if (op && op->descriptor->reads_pixel_size) {
    const struct ts_value value = ts_op_pixel_size_value(size, &room);
    json_object_set_new(object, TS_OP_PIXEL_SIZE, ts_value_to_json(&value));
  }
  char *text = ts_json_dump(object, true, false);
  json_decref(object);
  return text;
}

static bool begin_keys(struct ts_store *store, struct recipe *recipe, struct ts_error *err) {
  const struct ts_op_descriptor *d = recipe->op->descriptor;
  struct ts_key_parameter parameters[TS_OP_MAX_PARAMETERS];
  for (size_t i = 0; i < d->parameter_count; i++)
    parameters[i] = (struct ts_key_parameter){d->parameters[i]->name, recipe->values[i]};
  struct ts_key_fields fields = {.domain = TS_KEY_DOMAIN_TASK,
                                 .salt = store ? ts_store_salt(store) : "",
                                 .operation = d->name,
                                 .implementation = recipe->op->implementation,
                                 .numeric_class = recipe->op->numeric,
                                 .parameters = parameters,
                                 .parameter_count = d->parameter_count};
  if (!ts_key_begin(&fields, &recipe->lineage, err)) return false;
  fields.domain = TS_KEY_DOMAIN_CONTENT;
  return ts_key_begin(&fields, &recipe->content, err);
}

static struct recipe *create(struct ts_run_setup *setup, struct ts_store *store, struct ts_op *op,
                             const struct ts_value *values, struct ts_error *err) {
  size_t count = op->descriptor->parameter_count;
  struct recipe *recipe = ts_arena_alloc(&setup->recipe_arena, sizeof *recipe);
  recipe->op = op;
  recipe->number = setup->recipe_count++;
  recipe->values = ts_arena_memdup(&setup->recipe_arena, values, count * sizeof *values);
  if (!begin_keys(store, recipe, err)) return NULL;
  if (store && !op->descriptor->reads_pixel_size) {
    ts_auto_free char *text = ts_parameters_json(op, values, NULL);
    recipe->parameters_json = ts_arena_strdup(&setup->recipe_arena, text);
  }
  return recipe;
}

bool ts_recipes_make(struct ts_run_setup *setup, struct ts_store *store, struct ts_error *err) {
  const struct ts_plan *plan = setup->plan;
  struct ts_value values[TS_OP_MAX_PARAMETERS];
  struct ts_map known = {0}; /* operation and values -> struct recipe */
  ts_auto(ts_str_release) struct ts_str identity = {0};
  bool ok = true;
  setup->recipes = ts_calloc(plan->node_count + 1, sizeof(struct recipe *));
  for (size_t n = 0; ok && n < plan->node_count; n++) {
    const struct ts_node *node = &plan->nodes[n];
    if (node->kind != TS_NODE_TASK) continue;
    struct ts_op *op = plan->workflow->tasks[node->task].op;
    const size_t count = op->descriptor->parameter_count;
    for (size_t i = 0; i < count; i++) values[i] = ts_op_canonical(op->descriptor->parameters[i], &node->parameters[i]);
    ts_str_clear(&identity);
    ts_identity_add(
        &(struct ts_identity){.operation = (uintptr_t)op, .parameters = values, .parameter_count = (uint32_t)count},
        &identity);
    bool added = false;
    union ts_map_value *slot = ts_map_insert(&known, identity.data, identity.length, &added);
    if (added) slot->pointer = create(setup, store, op, values, err);
    setup->recipes[n] = slot->pointer;
    ok = slot->pointer != NULL;
  }
  ts_map_release(&known);
  return ok;
}
