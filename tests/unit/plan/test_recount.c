/* Plans of drawn cases against a recount: which tasks are the same is decided by texts, not by keys.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/const.h"
#include "base/map.h"
#include "support/toy_case.h"

#include <stdlib.h>
#include <string.h>

#define CASES     4000
#define REFERENCE 0 /* contexts: the reference run, then the runs of the design */

/* Every task of every run gets the number of a text that says what it is. */
struct recount {
  const struct toy_case *toy;
  const struct ts_workflow *w;
  const struct ts_plan *plan;
  struct ts_map texts;
  size_t context_count;
  uint64_t *ids;      /* per context and task; 0: not needed */
  uint64_t *stages;   /* per context and stage: the text of the whole stage */
  bool *needed[2];    /* per task: by the reference run, by the runs of the design */
  size_t *uses;       /* per node: runs that use it */
  size_t *last_user;  /* per node: the context that was counted last */
  uint32_t *earliest; /* per node: lowest rank of a run that uses it */
  size_t *rank;       /* per run */
  unsigned long long seed;
};

static void check(const struct recount *r, bool condition, const char *text) {
  if (!condition) fail_msg("seed %llu: %s", r->seed, text);
}

#define CHECK(r, condition) check((r), (condition), #condition)

static uint64_t number_of(struct recount *r, const struct ts_str *text) {
  bool inserted = false;
  union ts_map_value *value = ts_map_insert(&r->texts, ts_str_get(text), text->length, &inserted);
  if (inserted) value->number = ts_map_count(&r->texts);
  return value->number;
}

static uint64_t *id_of(const struct recount *r, size_t context, size_t task) {
  return &r->ids[context * r->w->task_count + task];
}

/* ---- Where inputs come from, by the rules of the workflow file. ---- */

struct origin {
  enum { NOTHING, FILE_INPUT, TASK } kind;
  size_t index, port;
  size_t context; /* of a task */
};

static struct origin origin_of(const struct recount *r, size_t context, size_t task, size_t port) {
  const struct ts_plan_options *options = &r->toy->options;
  struct ts_source source = r->w->tasks[task].inputs[port];
  bool alone = options->only_stage != TS_NONE;
  if (source.kind == TS_SOURCE_TASK && (!alone || r->w->tasks[source.index].stage == options->only_stage))
    return (struct origin){TASK, source.index, source.port, context};
  if (source.kind == TS_SOURCE_TASK) { /* a stage run alone takes the first input of a fitting type */
    for (size_t i = 0; i < r->w->input_count; i++) {
      if (options->supplied[i] &&
          ts_type_fits(r->w->inputs[i].type, r->w->tasks[task].op->descriptor->inputs[port]->type))
        return (struct origin){.kind = FILE_INPUT, .index = i};
    }
    return (struct origin){.kind = NOTHING};
  }
  if (source.kind == TS_SOURCE_NONE) return (struct origin){.kind = NOTHING};
  if (options->supplied[source.index]) return (struct origin){.kind = FILE_INPUT, .index = source.index};
  struct ts_source by_default = r->w->inputs[source.index].default_run;
  if (by_default.kind != TS_SOURCE_TASK || alone) return (struct origin){.kind = NOTHING};
  return (struct origin){TASK, by_default.index, by_default.port, REFERENCE};
}

static void need(struct recount *r, bool design, size_t task) {
  bool *needed = r->needed[design];
  if (needed[task]) return;
  needed[task] = true;
  for (size_t i = 0; i < r->w->tasks[task].op->descriptor->input_count; i++) {
    struct origin origin = origin_of(r, design ? 1 : REFERENCE, task, i);
    if (origin.kind == TASK) need(r, design && origin.context != REFERENCE, origin.index);
  }
}

/* ---- Texts. ---- */

static void add_parameters(const struct recount *r, struct ts_str *text, size_t context, size_t task) {
  const struct ts_op_descriptor *op = r->w->tasks[task].op->descriptor;
  const struct ts_value *values = toy_case_values(r->toy, context == REFERENCE ? SIZE_MAX : context - 1);
  for (size_t i = 0; i < op->parameter_count; i++)
    toy_add_value(text, op->parameters[i], toy_bound_value(r->w, values, task, i), r->toy->options.raw_values);
}

/* What the task is: its name, values and inputs. Inside a stage text, tasks of the stage are named, not numbered. */
static void add_task(const struct recount *r, struct ts_str *text, size_t context, size_t task, bool in_stage) {
  ts_str_addf(text, "task %zu (", task);
  add_parameters(r, text, context, task);
  ts_str_add(text, ")[");
  for (size_t i = 0; i < r->w->tasks[task].op->descriptor->input_count; i++) {
    struct origin origin = origin_of(r, context, task, i);
    bool inside = in_stage && origin.kind == TASK && r->w->tasks[origin.index].stage == r->w->tasks[task].stage;
    if (origin.kind == NOTHING) ts_str_add(text, "-,");
    if (origin.kind == FILE_INPUT) ts_str_addf(text, "input %zu,", origin.index);
    if (origin.kind == TASK && inside) ts_str_addf(text, "task %zu.%zu,", origin.index, origin.port);
    if (origin.kind == TASK && !inside)
      ts_str_addf(text, "%llu.%zu,", (unsigned long long)*id_of(r, origin.context, origin.index), origin.port);
  }
  ts_str_add(text, "]");
}

static void number_task(struct recount *r, size_t context, size_t task, uint64_t stage_id) {
  struct ts_str text = {0};
  if (r->toy->options.merge == TS_MERGE_LINEAGE)
    add_task(r, &text, context, task, false);
  else if (context == REFERENCE || r->toy->options.merge == TS_MERGE_NONE)
    ts_str_addf(&text, "run %zu task %zu", context, task);
  else
    ts_str_addf(&text, "stage %llu task %zu", (unsigned long long)stage_id, task);
  *id_of(r, context, task) = number_of(r, &text);
  ts_str_release(&text);
}

static void number_context(struct recount *r, size_t context) {
  for (size_t s = 0; s < r->w->stage_count; s++) {
    const struct ts_stage *stage = &r->w->stages[s];
    struct ts_str text = {0};
    ts_str_addf(&text, "stage %zu: ", s);
    for (size_t t = stage->first_task; t < stage->first_task + stage->task_count; t++) {
      if (r->needed[context != REFERENCE][t]) add_task(r, &text, context, t, true);
    }
    r->stages[context * r->w->stage_count + s] = number_of(r, &text);
    for (size_t t = stage->first_task; t < stage->first_task + stage->task_count; t++) {
      if (r->needed[context != REFERENCE][t]) number_task(r, context, t, number_of(r, &text));
    }
    ts_str_release(&text);
  }
}

static void recount_init(struct recount *r, const struct toy_case *toy, unsigned long long seed) {
  *r = (struct recount){.toy = toy, .w = toy->workflow, .context_count = toy->set_count + 1, .seed = seed};
  size_t task_count = r->w->task_count;
  r->ids = ts_calloc(r->context_count * task_count, sizeof *r->ids);
  r->stages = ts_calloc(r->context_count * r->w->stage_count, sizeof *r->stages);
  for (size_t i = 0; i < 2; i++) r->needed[i] = ts_calloc(task_count, sizeof(bool));
  for (size_t i = 0; i < toy->options.wanted_count; i++) {
    need(r, true, toy->options.wanted[i].index);
    if (toy->want_reference) need(r, false, toy->options.wanted[i].index);
  }
  for (size_t c = 0; c < r->context_count; c++) number_context(r, c);
}

static void recount_release(struct recount *r) {
  ts_map_release(&r->texts);
  free(r->ids);
  free(r->stages);
  for (size_t i = 0; i < 2; i++) free(r->needed[i]);
  free(r->uses);
  free(r->last_user);
  free(r->earliest);
  free(r->rank);
}

/* ---- Counts. ---- */

static bool seen_before(const uint64_t *column, size_t stride, size_t context) {
  for (size_t c = 1; c < context; c++) {
    if (column[c * stride] == column[context * stride]) return true;
  }
  return false;
}

static bool design_has(const struct recount *r, size_t task, uint64_t id) {
  for (size_t c = 1; c < r->context_count; c++) {
    if (*id_of(r, c, task) == id) return true;
  }
  return false;
}

static struct ts_task_count count_of(const struct recount *r, size_t task) {
  struct ts_task_count count = {0};
  uint64_t reference = *id_of(r, REFERENCE, task);
  count.reference_distinct = reference != 0 && !design_has(r, task, reference);
  for (size_t c = 1; c < r->context_count && r->needed[1][task]; c++) {
    count.requested++;
    bool stage_again = seen_before(r->stages + r->w->tasks[task].stage, r->w->stage_count, c);
    bool task_again = seen_before(r->ids + task, r->w->task_count, c);
    if (r->toy->options.merge != TS_MERGE_NONE && stage_again)
      count.stage_reused++;
    else if (r->toy->options.merge == TS_MERGE_LINEAGE && task_again)
      count.task_reused++;
    else
      count.distinct++;
  }
  return count;
}

static void check_counts(struct recount *r) {
  const struct ts_plan *plan = r->plan;
  for (size_t t = 0; t < r->w->task_count; t++) {
    struct ts_task_count expected = count_of(r, t);
    const struct ts_task_count *actual = &plan->counts[t];
    CHECK(r, plan->active[t] == r->needed[1][t]);
    CHECK(r, actual->requested == expected.requested);
    CHECK(r, actual->stage_reused == expected.stage_reused);
    CHECK(r, actual->task_reused == expected.task_reused);
    CHECK(r, actual->distinct == expected.distinct);
    CHECK(r, actual->reference_distinct == expected.reference_distinct);
    size_t nodes = 0;
    size_t reference_nodes = 0;
    for (size_t n = 0; n < plan->node_count; n++) {
      if (plan->nodes[n].kind != TS_NODE_TASK || plan->nodes[n].task != t) continue;
      nodes++;
      reference_nodes += plan->nodes[n].reference_only;
    }
    CHECK(r, nodes == expected.distinct + expected.reference_distinct);
    CHECK(r, reference_nodes == expected.reference_distinct);
  }
}

/* ---- Walking back from the products. ---- */

static void use(struct recount *r, uint32_t node, size_t context) {
  if (context == REFERENCE || r->last_user[node] == context) return;
  r->last_user[node] = context;
  r->uses[node]++;
  uint32_t rank = (uint32_t)r->rank[context - 1];
  if (rank < r->earliest[node]) r->earliest[node] = rank;
}

static bool makes_pixels(const struct recount *r, struct origin origin) {
  const char *type = origin.kind == FILE_INPUT ? r->w->inputs[origin.index].type->name
                                               : r->w->tasks[origin.index].op->descriptor->outputs[origin.port]->type;
  return strcmp(type, "table") != 0;
}

static enum ts_scope scope_of_origin(const struct recount *r, struct origin origin, enum ts_scope consumer) {
  if (origin.kind == TASK) return r->w->stages[r->w->tasks[origin.index].stage].scope;
  return makes_pixels(r, origin) && consumer == TS_PER_TILE ? TS_PER_TILE : TS_PER_FILE;
}

/* Undoes the crop and the gather that must be between a producer and its consumer. */
static struct ts_node_input unwrap(struct recount *r, struct ts_node_input input, struct origin origin, size_t task,
                                   size_t port) {
  const struct ts_stage *stage = &r->w->stages[r->w->tasks[task].stage];
  bool core = r->w->tasks[task].core[port];
  enum ts_scope from = scope_of_origin(r, origin, stage->scope);
  bool coarser = stage->scope > from;
  const struct ts_node *nodes = r->plan->nodes;
  if (coarser) {
    CHECK(r, nodes[input.node].kind == TS_NODE_GATHER && nodes[input.node].scope == stage->scope && input.port == 0);
    CHECK(r, nodes[input.node].input_count == 1);
    input = nodes[input.node].inputs[0];
  }
  if (r->toy->options.crop_halo && from == TS_PER_TILE && (coarser || core) && makes_pixels(r, origin)) {
    CHECK(r, nodes[input.node].kind == TS_NODE_CROP && nodes[input.node].scope == TS_PER_TILE && input.port == 0);
    CHECK(r, nodes[input.node].input_count == 1);
    input = nodes[input.node].inputs[0];
  }
  CHECK(r, nodes[input.node].scope == from);
  return input;
}

static void walk(struct recount *r, uint32_t node_index, size_t context, size_t task) {
  const struct ts_node *node = &r->plan->nodes[node_index];
  const struct ts_op_descriptor *op = r->w->tasks[task].op->descriptor;
  CHECK(r, node->kind == TS_NODE_TASK && node->task == task);
  CHECK(r, node->scope == r->w->stages[r->w->tasks[task].stage].scope);
  CHECK(r, node->input_count == op->input_count);
  use(r, node_index, context);
  struct ts_str expected = {0};
  struct ts_str actual = {0};
  add_parameters(r, &expected, context, task);
  for (size_t i = 0; i < op->parameter_count; i++) toy_add_value(&actual, op->parameters[i], node->parameters[i], true);
  CHECK(r, strcmp(ts_str_get(&expected), ts_str_get(&actual)) == 0);
  ts_str_release(&expected);
  ts_str_release(&actual);
  for (size_t i = 0; i < op->input_count; i++) {
    struct origin origin = origin_of(r, context, task, i);
    struct ts_node_input input = node->inputs[i];
    if (origin.kind == NOTHING) {
      CHECK(r, input.node == TS_NO_NODE);
      continue;
    }
    input = unwrap(r, input, origin, task, i);
    CHECK(r, origin.kind == TASK || (r->plan->nodes[input.node].kind == TS_NODE_SOURCE && input.port == 0 &&
                                     r->plan->nodes[input.node].task == origin.index));
    if (origin.kind != TASK) continue;
    CHECK(r, input.port == origin.port);
    walk(r, input.node, origin.context, origin.index);
  }
}

static void check_order(struct recount *r) {
  const struct ts_plan *plan = r->plan;
  r->rank = ts_calloc(plan->set_count + 1, sizeof *r->rank);
  bool *met = ts_calloc(plan->set_count + 1, sizeof *met);
  for (size_t i = 0; i < plan->set_count; i++) {
    CHECK(r, plan->set_order[i] < plan->set_count && !met[plan->set_order[i]]);
    met[plan->set_order[i]] = true;
    r->rank[plan->set_order[i]] = i;
  }
  free(met);
}

static void check_products(struct recount *r) {
  const struct ts_plan *plan = r->plan;
  r->uses = ts_calloc(plan->node_count + 1, sizeof *r->uses);
  r->last_user = ts_calloc(plan->node_count + 1, sizeof *r->last_user);
  r->earliest = ts_calloc(plan->node_count + 1, sizeof *r->earliest);
  for (size_t n = 0; n < plan->node_count; n++) r->earliest[n] = UINT32_MAX;
  CHECK(r, plan->set_count == r->toy->set_count && plan->wanted_count == r->toy->options.wanted_count);
  for (size_t c = 0; c < r->context_count; c++) {
    for (size_t i = 0; i < plan->wanted_count; i++) {
      struct ts_source source = r->toy->options.wanted[i];
      const struct ts_node_input *product =
          c == REFERENCE ? &plan->reference_products[i] : &plan->products[(c - 1) * plan->wanted_count + i];
      if (c == REFERENCE && !r->toy->want_reference) {
        CHECK(r, product->node == TS_NO_NODE);
        continue;
      }
      CHECK(r, product->port == source.port);
      walk(r, product->node, c, source.index);
    }
  }
}

static bool same_helper(const struct ts_node *a, const struct ts_node *b) {
  if (a->kind != b->kind || a->scope != b->scope || a->task != b->task) return false;
  return a->kind == TS_NODE_SOURCE ||
         (a->inputs[0].node == b->inputs[0].node && a->inputs[0].port == b->inputs[0].port);
}

static void check_nodes(struct recount *r) {
  const struct ts_plan *plan = r->plan;
  enum ts_scope coarsest = TS_PER_TILE;
  for (size_t n = 0; n < plan->node_count; n++) {
    const struct ts_node *node = &plan->nodes[n];
    if (node->scope > coarsest) coarsest = node->scope;
    for (size_t i = 0; i < node->input_count; i++) {
      if (node->inputs[i].node == TS_NO_NODE) continue;
      CHECK(r, node->inputs[i].node < n);
      CHECK(r, plan->nodes[node->inputs[i].node].first_set <= node->first_set);
    }
    CHECK(r, node->first_set < plan->set_count || plan->set_count == 0);
    for (size_t k = 0; node->kind != TS_NODE_TASK && k < n; k++) CHECK(r, !same_helper(node, &plan->nodes[k]));
    if (node->kind != TS_NODE_TASK) continue;
    CHECK(r, node->run_count == r->uses[n]);
    CHECK(r, node->reference_only == (r->uses[n] == 0));
    if (node->reference_only)
      CHECK(r, node->first_set == 0);
    else
      CHECK(r, node->first_set <= r->earliest[n]);
  }
  CHECK(r, plan->coarsest == coarsest);
}

static void check_case(const struct toy_case *toy, unsigned long long seed) {
  struct recount r;
  recount_init(&r, toy, seed);
  struct ts_plan *plan = toy_case_plan(toy);
  r.plan = plan;
  check_counts(&r);
  check_order(&r);
  check_products(&r);
  check_nodes(&r);
  recount_release(&r);
  ts_plan_destroy(plan);
}

/* A stage run alone, when something fits each input it cannot do without. */
static void check_stage_alone(struct toy_case *toy, unsigned long long seed) {
  toy->options.only_stage = seed % toy->workflow->stage_count;
  const struct ts_stage *stage = &toy->workflow->stages[toy->options.only_stage];
  toy->options.wanted = &stage->outputs[seed % stage->output_count].source;
  toy->options.wanted_count = 1;
  for (size_t i = 0; i < toy->workflow->input_count; i++) ((bool *)ts_without_const(toy->options.supplied))[i] = true;
  check_case(toy, seed);
}

static void plans_agree_with_a_recount(void **state) {
  struct ts_registry *registry = *state;
  const struct toy_settings settings = {.stages = 4, .tasks = 4, .sets = 20, .digits = 3, .collapse = true};
  for (uint64_t seed = 0; seed < CASES; seed++) {
    struct toy_case toy;
    toy_case_draw(&toy, registry, &settings, seed);
    check_case(&toy, seed);
    for (int merge = 0; merge < 3 && seed % 10 == 0; merge++) {
      toy.options.merge = (enum ts_merge)merge;
      check_case(&toy, seed);
    }
    if (seed % 3 == 0) check_stage_alone(&toy, seed);
    toy_case_release(&toy);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(plans_agree_with_a_recount)};
  return cmocka_run_group_tests(tests, toy_set_up, toy_tear_down);
}
