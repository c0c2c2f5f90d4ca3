/* Recipes: an operation with canonical parameter values, once per run however many tasks and tiles share it.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Keys, records and the identity of contents all begin with operation and parameters. That part is worked out here, so
 * that a task costs no more than its inputs. Two nodes share a recipe exactly if operation and values are equal.
 *
 * Values with a unit become pixels, which differ between items: such a node has a recipe per pixel size, made when the
 * first instance of that size asks for it. All that is made from recipes (keys, identities, calls, records) sees the
 * pixels that the operation gets, so equal pixels share results whatever the resolution. */
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

static struct recipe *create(struct ts_run_setup *setup, struct ts_op *op, const struct ts_value *values,
                             struct ts_error *err) {
  size_t count = op->descriptor->parameter_count;
  struct recipe *recipe = ts_arena_alloc(&setup->recipe_arena, sizeof *recipe);
  recipe->op = op;
  recipe->number = setup->recipe_count++;
  recipe->values = ts_arena_memdup(&setup->recipe_arena, values, count * sizeof *values);
  if (!begin_keys(setup->store, recipe, err)) return NULL;
  if (setup->store && !op->descriptor->reads_pixel_size) {
    ts_auto_free char *text = ts_parameters_json(op, values, NULL);
    recipe->parameters_json = ts_arena_strdup(&setup->recipe_arena, text);
  }
  return recipe;
}

/* The recipe of an operation with canonical values: the known one, or a new one. */
static struct recipe *share(struct ts_run_setup *setup, struct ts_op *op, const struct ts_value *values,
                            struct ts_error *err) {
  ts_auto(ts_str_release) struct ts_str identity = {0};
  ts_identity_add(&(struct ts_identity){.operation = (uintptr_t)op,
                                        .parameters = values,
                                        .parameter_count = (uint32_t)op->descriptor->parameter_count},
                  &identity);
  bool added = false;
  union ts_map_value *slot = ts_map_insert(&setup->known_recipes, identity.data, identity.length, &added);
  if (added) slot->pointer = create(setup, op, values, err);
  return slot->pointer;
}

static bool has_unit(const struct ts_task *task) {
  for (size_t i = 0; i < task->op->descriptor->parameter_count; i++)
    if (task->parameters[i].unit != TS_UNIT_NONE) return true;
  return false;
}

/* size: not used without units. */
static struct recipe *recipe_of(struct ts_run_setup *setup, const struct ts_node *node,
                                const struct ts_pixel_size *size, struct ts_error *err) {
  const struct ts_task *task = &setup->plan->workflow->tasks[node->task];
  const struct ts_op_descriptor *d = task->op->descriptor;
  struct ts_value values[TS_OP_MAX_PARAMETERS];
  for (size_t i = 0; i < d->parameter_count; i++) {
    const enum ts_unit unit = task->parameters[i].unit;
    values[i] = unit == TS_UNIT_NONE ? ts_op_canonical(d->parameters[i], &node->parameters[i])
                                     : ts_unit_value(unit, &node->parameters[i], size, d->parameters[i]);
  }
  return share(setup, task->op, values, err);
}

bool ts_recipes_make(struct ts_run_setup *setup, struct ts_error *err) {
  const struct ts_plan *plan = setup->plan;
  bool ok = true;
  setup->recipes = ts_calloc(plan->node_count + 1, sizeof(struct recipe *));
  for (size_t n = 0; ok && n < plan->node_count; n++) {
    const struct ts_node *node = &plan->nodes[n];
    if (node->kind != TS_NODE_TASK || has_unit(&plan->workflow->tasks[node->task])) continue;
    setup->recipes[n] = recipe_of(setup, node, NULL, err);
    ok = setup->recipes[n] != NULL;
  }
  return ok;
}

/* ---- Values with a unit. ---- */

const struct recipe *ts_recipe_of_size(struct ts_run_setup *setup, uint32_t node, const struct ts_pixel_size *size,
                                       struct ts_error *err) {
  struct {
    double x_um, y_um;
    uint64_t node;
  } key = {size->x_um, size->y_um, node};
  bool added = false;
  pthread_mutex_lock(&setup->recipe_lock);
  union ts_map_value *slot = ts_map_insert(&setup->sized_recipes, &key, sizeof key, &added);
  if (added) slot->pointer = recipe_of(setup, &setup->plan->nodes[node], size, err);
  const struct recipe *recipe = slot->pointer;
  pthread_mutex_unlock(&setup->recipe_lock);
  return recipe;
}
