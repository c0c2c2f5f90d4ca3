/* Builds the plan: walks every run through the workflow once and shares nodes of the same identity.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Identity of a node within a plan is (task, canonical parameters, input nodes): two nodes of a task are one exactly
 * when their lineage keys are equal, whatever the tile, because the tile only enters through the sources. Stages are
 * looked up first (their parameters and inputs), so that the saving can be counted by level and so that a repeated
 * stage costs one look-up.
 *
 * With `chain` the node of the task before it in the stage belongs to the identity of a task as well. An output of a
 * stage is known by its lineage all the same: the next stage reads the first node of that lineage, so that stages are
 * shared as without `chain`.
 *
 * Running a stage alone (`only_stage`): its inputs that other stages would make are taken from the workflow input whose
 * type fits, so that a stage can be applied to an image as it is. */
#include "plan/plan_int.h"

#include "base/alloc.h"
#include "dataset/dataset.h"

#include <string.h>

static const char *const merge_names[] = {"lineage", "stage", "none", "naive", "sca", "rtma", "trtma"};

bool ts_merge_parse(const char *name, enum ts_merge *merge) {
  for (size_t i = 0; i < sizeof merge_names / sizeof *merge_names; i++) {
    if (strcmp(name, merge_names[i]) == 0) {
      *merge = (enum ts_merge)i;
      return true;
    }
  }
  return false;
}

const char *ts_merge_name(enum ts_merge merge) { return merge_names[merge]; }

bool ts_merge_shares_tasks(enum ts_merge merge) { return merge != TS_MERGE_STAGE && merge != TS_MERGE_NONE; }

bool ts_merge_needs_buckets(enum ts_merge merge) { return merge >= TS_MERGE_NAIVE; }

static struct ts_value bound_value(const struct builder *b, const struct ts_task *task, size_t parameter) {
  const struct ts_binding *binding = &task->parameters[parameter];
  struct ts_value value = binding->parameter == TS_NONE ? binding->fixed : b->values[binding->parameter];
  double number = 0;
  /* What the operation gets depends on the file: run/recipe.c converts it. */
  if (binding->unit != TS_UNIT_NONE && ts_value_number(&value, &number)) return ts_value_real(number);
  if (b->plan->options.raw_values) return value;
  return ts_op_canonical(task->op->descriptor->parameters[parameter], &value);
}

static uint32_t add_node(struct builder *b, const struct ts_node *node) {
  struct ts_plan *plan = b->plan;
  if (plan->node_count >= TS_NO_NODE - 1) TS_BUG("a plan of more than four thousand million tasks");
  b->nodes = ts_grow(b->nodes, plan->node_count, &b->node_capacity, sizeof *b->nodes);
  b->nodes[plan->node_count] = *node;
  b->nodes[plan->node_count].reference_only = true;
  b->nodes[plan->node_count].first_set = UINT32_MAX;
  if (ts_scope_is_coarser(node->scope, plan->coarsest)) plan->coarsest = node->scope;
  return (uint32_t)plan->node_count++;
}

/* The node that another stage reads for this one. */
static uint32_t first_of_lineage(const struct builder *b, uint32_t node) {
  return node == TS_NO_NODE || !b->plan->options.chain ? node : b->first_of_lineage[node];
}

/* With chain: which node was the first to make the same as this new one, whatever came before it in its stage. */
static void remember_lineage(struct builder *b, uint32_t index) {
  struct ts_node node = b->nodes[index];
  struct ts_node_input inputs[TS_OP_MAX_PORTS];
  for (size_t i = 0; i < node.input_count; i++)
    inputs[i] = (struct ts_node_input){first_of_lineage(b, node.inputs[i].node), node.inputs[i].port};
  node.inputs = inputs;
  ts_str_clear(&b->key);
  ts_node_add_identity(b->plan->workflow, &node, &b->key);
  b->first_of_lineage = ts_grow(b->first_of_lineage, index, &b->first_capacity, sizeof *b->first_of_lineage);
  bool inserted = false;
  union ts_map_value *slot = ts_map_insert(&b->lineage_map, b->key.data, b->key.length, &inserted);
  if (inserted) slot->number = index;
  b->first_of_lineage[index] = (uint32_t)slot->number;
}

/* Finds the node of the same identity, or adds this one. before: belongs to the identity with chain. */
static uint32_t share_node(struct builder *b, const struct ts_node *node, uint32_t before, bool share, bool *added) {
  const struct ts_workflow *w = b->plan->workflow;
  bool inserted = true;
  union ts_map_value *slot = NULL;
  ts_str_clear(&b->key);
  ts_node_add_identity(w, node, &b->key);
  if (b->plan->options.chain) ts_str_add_bytes(&b->key, &before, sizeof before);
  if (share) slot = ts_map_insert(&b->node_map, b->key.data, b->key.length, &inserted);
  *added = inserted;
  if (!inserted) return (uint32_t)slot->number;
  struct ts_node copy = *node;
  copy.inputs = ts_arena_memdup(&b->plan->arena, node->inputs, node->input_count * sizeof *node->inputs);
  if (node->parameters)
    copy.parameters = ts_arena_memdup(&b->plan->arena, node->parameters,
                                      w->tasks[node->task].op->descriptor->parameter_count * sizeof *node->parameters);
  uint32_t index = add_node(b, &copy);
  if (slot) slot->number = index;
  if (b->plan->options.chain) remember_lineage(b, index);
  return index;
}

static uint32_t helper_node(struct builder *b, enum ts_node_kind kind, enum ts_scope scope,
                            const struct ts_node_input *input) {
  bool added = false;
  return share_node(b, &(struct ts_node){.kind = kind, .scope = scope, .inputs = input, .input_count = 1}, TS_NO_NODE,
                    true, &added);
}

/* The first stage with the sample of this one, so that both read the same. */
static uint32_t sampled_for(const struct ts_workflow *w, const struct ts_stage *stage,
                            const struct ts_workflow_input *input) {
  uint32_t first = 0;
  if (stage->sample_px == 0 || !ts_type_is_image(input->declaration)) return 0;
  while (w->stages[first].sample_px != stage->sample_px) first++;
  return first + 1;
}

static const struct ts_type *node_type(const struct builder *b, struct ts_node_input input) {
  const struct ts_workflow *w = b->plan->workflow;
  const struct ts_node *node = &b->nodes[input.node];
  switch (node->kind) {
  case TS_NODE_SOURCE: return w->inputs[node->task].type;
  case TS_NODE_TASK: return ts_type_find(w->tasks[node->task].op->descriptor->outputs[input.port]->type);
  default: return node_type(b, node->inputs[0]);
  }
}

static bool is_pixels(const struct builder *b, struct ts_node_input input) {
  const struct ts_type *type = node_type(b, input);
  return !type || type->kind == TS_DATA_PIXELS; /* alternatives are all pixel types */
}

/* Adapts a product to the scope of its consumer: tiles lose their halo and are joined for a coarser scope. */
static struct ts_node_input adapt(struct builder *b, struct ts_node_input input, enum ts_scope scope, bool core) {
  enum ts_scope from = b->nodes[input.node].scope;
  bool coarser = ts_scope_is_coarser(scope, from);
  if (b->plan->options.crop_halo && ts_scope_is_tile(from) && (coarser || core) && is_pixels(b, input))
    input = (struct ts_node_input){.node = helper_node(b, TS_NODE_CROP, from, &input)};
  if (coarser) input = (struct ts_node_input){.node = helper_node(b, TS_NODE_GATHER, scope, &input)};
  return input;
}

static struct ts_node_input source_input(struct builder *b, size_t input, const struct ts_stage *stage) {
  const struct ts_workflow_input *declared = &b->plan->workflow->inputs[input];
  if (!b->plan->options.supplied[input] && declared->default_run.kind == TS_SOURCE_TASK &&
      b->plan->options.only_stage == TS_NONE)
    return b->reference[declared->default_run.index] == TS_NO_NODE
               ? (struct ts_node_input){.node = TS_NO_NODE}
               : (struct ts_node_input){first_of_lineage(b, b->reference[declared->default_run.index]),
                                        (uint32_t)declared->default_run.port};
  if (!b->plan->options.supplied[input]) return (struct ts_node_input){.node = TS_NO_NODE};
  bool pixels = !declared->type || declared->type->kind == TS_DATA_PIXELS;
  bool added = false;
  const struct ts_node node = {.kind = TS_NODE_SOURCE,
                               .scope = ts_scope_of_source(stage->scope, pixels),
                               .task = (uint32_t)input,
                               .sampled_for = sampled_for(b->plan->workflow, stage, declared)};
  return (struct ts_node_input){.node = share_node(b, &node, TS_NO_NODE, true, &added)};
}

static struct ts_node_input resolve(struct builder *b, const uint32_t *nodes_of_task, const struct ts_task *task,
                                    size_t port) {
  const struct ts_workflow *w = b->plan->workflow;
  const struct ts_stage *stage = &w->stages[task->stage];
  struct ts_source source = task->inputs[port];
  size_t only = b->plan->options.only_stage;
  if (source.kind == TS_SOURCE_TASK && only != TS_NONE && w->tasks[source.index].stage != only)
    source =
        (struct ts_source){.kind = TS_SOURCE_INPUT,
                           .index = ts_plan_stand_in(w, b->plan->options.supplied, task->op->descriptor->inputs[port])};
  struct ts_node_input input = {.node = TS_NO_NODE};
  if (source.kind == TS_SOURCE_INPUT && source.index != TS_NONE)
    input = source_input(b, source.index, stage);
  else if (source.kind == TS_SOURCE_TASK && w->tasks[source.index].stage != task->stage)
    input = (struct ts_node_input){first_of_lineage(b, nodes_of_task[source.index]), (uint32_t)source.port};
  else if (source.kind == TS_SOURCE_TASK)
    input = (struct ts_node_input){nodes_of_task[source.index], (uint32_t)source.port};
  if (input.node == TS_NO_NODE) return input;
  return adapt(b, input, stage->scope, task->core[port]);
}

static void touch(struct builder *b, uint32_t node) {
  b->nodes[node].run_count++;
  b->nodes[node].reference_only = false;
}

/* With chain: the node of the nearest earlier task of the same stage that the run needs. */
static uint32_t node_before(const struct builder *b, uint32_t task, const uint32_t *nodes_of_task) {
  const struct ts_workflow *w = b->plan->workflow;
  for (size_t t = task; b->plan->options.chain && t-- > w->stages[w->tasks[task].stage].first_task;) {
    if (nodes_of_task[t] != TS_NO_NODE) return nodes_of_task[t];
  }
  return TS_NO_NODE;
}

static uint32_t make_task_node(struct builder *b, uint32_t task_index, uint32_t *nodes_of_task, bool share,
                               bool *added) {
  const struct ts_task *task = &b->plan->workflow->tasks[task_index];
  const struct ts_op_descriptor *d = task->op->descriptor;
  for (size_t i = 0; i < d->input_count; i++) b->inputs[i] = resolve(b, nodes_of_task, task, i);
  for (size_t i = 0; i < d->parameter_count; i++) b->parameters[i] = bound_value(b, task, i);
  const struct ts_node node = {.kind = TS_NODE_TASK,
                               .scope = b->plan->workflow->stages[task->stage].scope,
                               .task = task_index,
                               .inputs = b->inputs,
                               .input_count = (uint32_t)d->input_count,
                               .parameters = b->parameters};
  return share_node(b, &node, node_before(b, task_index, nodes_of_task), share, added);
}

/* Identity of a whole stage in one run: the values its tasks read and the nodes that enter it from outside. */
static void stage_key(struct builder *b, size_t stage_index, const uint32_t *nodes_of_task) {
  const struct ts_workflow *w = b->plan->workflow;
  const struct ts_stage *stage = &w->stages[stage_index];
  ts_str_clear(&b->stage_key);
  ts_str_add_bytes(&b->stage_key, &stage_index, sizeof stage_index);
  for (size_t t = stage->first_task; t < stage->first_task + stage->task_count; t++) {
    const struct ts_task *task = &w->tasks[t];
    if (!b->plan->active[t]) continue;
    for (size_t i = 0; i < task->op->descriptor->parameter_count; i++) {
      struct ts_value value = bound_value(b, task, i);
      ts_value_add_bytes(&value, &b->stage_key);
    }
    for (size_t i = 0; i < task->op->descriptor->input_count; i++) {
      const struct ts_source *source = &task->inputs[i];
      if (source->kind != TS_SOURCE_TASK || w->tasks[source->index].stage == stage_index) continue;
      uint32_t node = first_of_lineage(b, nodes_of_task[source->index]);
      ts_str_add_bytes(&b->stage_key, &node, sizeof node);
    }
  }
}

static void count_task(struct builder *b, size_t task, bool stage_hit, bool fresh) {
  struct ts_task_count *count = &b->plan->counts[task];
  count->requested++;
  if (stage_hit)
    count->stage_reused++;
  else if (!fresh)
    count->task_reused++;
}

/* A node first made for the reference run belongs to the design as soon as a run of the design asks for it. */
static void claim(struct builder *b, size_t task, uint32_t node) {
  struct ts_task_count *count = &b->plan->counts[task];
  if (b->nodes[node].reference_only) {
    bool from_reference = b->reference_done && node < b->reference_node_count;
    if (from_reference) count->reference_distinct--;
    count->distinct++;
  }
  touch(b, node);
}

/* One stage of one run; fills the nodes of its tasks. */
static void walk_stage(struct builder *b, size_t stage_index, uint32_t *nodes_of_task) {
  const struct ts_stage *stage = &b->plan->workflow->stages[stage_index];
  enum ts_merge merge = b->plan->options.merge;
  bool stage_new = true;
  struct known_stage *known = NULL;
  if (merge != TS_MERGE_NONE) {
    stage_key(b, stage_index, nodes_of_task);
    union ts_map_value *slot = ts_map_insert(&b->stage_map, b->stage_key.data, b->stage_key.length, &stage_new);
    if (stage_new) slot->pointer = ts_arena_alloc(&b->scratch, sizeof *known + stage->task_count * sizeof(uint32_t));
    known = slot->pointer;
    if (stage_new) *known = (struct known_stage){.stage = stage_index, .run = b->run};
    known->count = stage->task_count;
  }
  for (size_t i = 0; i < stage->task_count; i++) {
    size_t t = stage->first_task + i;
    if (!b->plan->active[t]) continue;
    bool added = false;
    uint32_t node = stage_new ? make_task_node(b, (uint32_t)t, nodes_of_task, ts_merge_shares_tasks(merge), &added)
                              : known->nodes[i];
    if (stage_new && known) known->nodes[i] = node;
    nodes_of_task[t] = node;
    count_task(b, t, !stage_new, added || b->nodes[node].reference_only);
    claim(b, t, node);
  }
}

static void walk_run(struct builder *b, const struct ts_value *values, uint32_t *nodes_of_task) {
  const struct ts_workflow *w = b->plan->workflow;
  b->values = values;
  for (size_t t = 0; t < w->task_count; t++) nodes_of_task[t] = TS_NO_NODE;
  for (size_t s = 0; s < w->stage_count; s++) walk_stage(b, s, nodes_of_task);
}

static void record_products(struct builder *b, const uint32_t *nodes_of_task, struct ts_node_input *products) {
  for (size_t i = 0; i < b->plan->wanted_count; i++) {
    const struct ts_source *source = &b->plan->options.wanted[i];
    products[i] = (struct ts_node_input){nodes_of_task[source->index], (uint32_t)source->port};
  }
}

static void walk_reference(struct builder *b, bool want_reference) {
  const struct ts_workflow *w = b->plan->workflow;
  struct ts_value *defaults = ts_arena_array(&b->plan->arena, w->parameter_count, sizeof *defaults);
  for (size_t p = 0; p < w->parameter_count; p++) defaults[p] = w->parameters[p].default_value;
  b->values = defaults;
  for (size_t t = 0; t < w->task_count; t++) {
    bool added = false;
    if (b->plan->active[w->task_count + t]) /* later tasks may refer to earlier ones through b->reference */
      b->reference[t] =
          make_task_node(b, (uint32_t)t, b->reference, ts_merge_shares_tasks(b->plan->options.merge), &added);
    b->plan->counts[t].reference_distinct += added ? 1 : 0;
  }
  if (want_reference) record_products(b, b->reference, b->plan->reference_products);
  b->reference_node_count = (uint32_t)b->plan->node_count;
  b->reference_done = true;
}

static void walk_all(struct builder *b, const struct ts_value *sets, bool want_reference) {
  struct ts_plan *plan = b->plan;
  const struct ts_workflow *w = plan->workflow;
  for (size_t t = 0; t < w->task_count; t++) b->reference[t] = TS_NO_NODE;
  for (size_t i = 0; i < plan->wanted_count; i++) plan->reference_products[i].node = TS_NO_NODE;
  bool any = false;
  for (size_t t = 0; t < w->task_count; t++) any = any || plan->active[w->task_count + t];
  if (any) walk_reference(b, want_reference);
  uint32_t *nodes = ts_arena_array(&b->scratch, w->task_count, sizeof *nodes);
  for (size_t s = 0; s < plan->set_count; s++) {
    b->run = (uint32_t)s;
    walk_run(b, sets + s * w->parameter_count, nodes);
    record_products(b, nodes, plan->products + s * plan->wanted_count);
    memcpy(b->task_nodes + s * w->task_count, nodes, w->task_count * sizeof *nodes);
  }
}

static void builder_init(struct builder *b, struct ts_plan *plan, const struct ts_workflow *workflow) {
  size_t inputs = 1;
  size_t parameters = 1;
  for (size_t t = 0; t < workflow->task_count; t++) {
    const struct ts_op_descriptor *d = workflow->tasks[t].op->descriptor;
    inputs = d->input_count > inputs ? d->input_count : inputs;
    parameters = d->parameter_count > parameters ? d->parameter_count : parameters;
  }
  *b = (struct builder){.plan = plan};
  b->inputs = ts_arena_array(&b->scratch, inputs, sizeof *b->inputs);
  b->parameters = ts_arena_array(&b->scratch, parameters, sizeof *b->parameters);
  b->reference = ts_arena_array(&b->scratch, workflow->task_count, sizeof *b->reference);
  b->task_nodes = ts_calloc(plan->set_count * workflow->task_count + 1, sizeof *b->task_nodes);
}

static void builder_release(struct builder *b) {
  free(b->task_nodes);
  free(b->first_of_lineage);
  ts_map_release(&b->lineage_map);
  ts_map_release(&b->node_map);
  ts_map_release(&b->stage_map);
  ts_str_release(&b->key);
  ts_str_release(&b->stage_key);
  ts_arena_release(&b->scratch);
}

static struct ts_plan *plan_alloc(const struct ts_workflow *workflow, size_t set_count,
                                  const struct ts_plan_options *options) {
  struct ts_plan *plan = ts_calloc(1, sizeof *plan);
  plan->workflow = workflow;
  plan->options = *options;
  plan->set_count = set_count;
  plan->wanted_count = options->wanted_count;
  plan->options.supplied =
      ts_arena_memdup(&plan->arena, options->supplied, workflow->input_count * sizeof *options->supplied);
  plan->options.wanted =
      ts_arena_memdup(&plan->arena, options->wanted, options->wanted_count * sizeof *options->wanted);
  plan->products = ts_arena_array(&plan->arena, set_count * plan->wanted_count, sizeof *plan->products);
  plan->reference_products = ts_arena_array(&plan->arena, plan->wanted_count, sizeof *plan->reference_products);
  plan->counts = ts_arena_array(&plan->arena, workflow->task_count, sizeof *plan->counts);
  plan->active = ts_arena_array(&plan->arena, 2 * workflow->task_count, sizeof *plan->active);
  return plan;
}

struct ts_plan *ts_plan_create(const struct ts_workflow *workflow, const struct ts_value *sets, size_t set_count,
                               const struct ts_plan_options *options, bool want_reference, struct ts_error *err) {
  struct ts_plan *plan = plan_alloc(workflow, set_count, options);
  struct builder b;
  builder_init(&b, plan, workflow);
  if (!ts_plan_mark_active(plan, want_reference, err)) {
    builder_release(&b);
    ts_plan_destroy(plan);
    return NULL;
  }
  walk_all(&b, sets, want_reference);
  ts_map_release(&b.node_map); /* nodes are not looked up any more, and it is the largest thing here */
  plan->nodes = ts_arena_memdup(&plan->arena, b.nodes, plan->node_count * sizeof *b.nodes);
  free(b.nodes);
  ts_plan_order(&b);
  if (options->keep_instances) ts_plan_keep_instances(&b);
  builder_release(&b);
  return plan;
}

void ts_plan_destroy(struct ts_plan *plan) {
  if (!plan) return;
  ts_arena_release(&plan->arena);
  free(plan);
}

static void mark(const struct ts_node_input *products, size_t count, uint64_t *ports) {
  for (size_t i = 0; i < count; i++) {
    if (products[i].node != TS_NO_NODE) ports[products[i].node] |= UINT64_C(1) << products[i].port;
  }
}

void ts_plan_mark_wanted(const struct ts_plan *plan, uint64_t *ports) {
  mark(plan->products, plan->set_count * plan->wanted_count, ports);
  mark(plan->reference_products, plan->wanted_count, ports);
}

const char *ts_plan_node_name(const struct ts_plan *plan, uint32_t node, char *buffer, size_t size) {
  const struct ts_node *n = &plan->nodes[node];
  const struct ts_workflow *w = plan->workflow;
  switch (n->kind) {
  case TS_NODE_TASK: return ts_task_name(w, n->task, buffer, size);
  case TS_NODE_SOURCE: return ts_join_names("read", w->inputs[n->task].name, buffer, size);
  default: return ts_join_names("engine", n->kind == TS_NODE_CROP ? "crop" : "gather", buffer, size);
  }
}
