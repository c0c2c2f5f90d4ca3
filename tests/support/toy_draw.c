/* Cases drawn from a seed: stages with shared and fixed parameters, and designs that repeat themselves.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support/toy_case.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "base/alloc.h"

#include <stdio.h>
#include <string.h>

#define MAX_PRODUCTS  64
#define MAX_LINKS     16
#define INTEGER_NAMES 4

/* Something a port can be connected to. */
struct product {
  char reference[32]; /* inside its stage: "task.port"; in other stages "stage.output"; for inputs their name */
  char output[32];    /* name of the stage's output */
  const char *type;
  size_t stage; /* SIZE_MAX: an input of the workflow */
  bool maybe_missing;
};

struct drawer {
  struct ts_random random;
  const struct toy_settings *settings;
  struct ts_registry *registry;
  struct product products[MAX_PRODUCTS];
  size_t product_count;
  size_t stage, stage_count;
  bool extra_supplied;
  struct ts_str stages, tasks, links;
  char link_names[MAX_LINKS][64]; /* what the stage being written takes from outside */
  size_t link_count;
  unsigned integers_used, strings_used, flags_used, reals_used;
};

static size_t below(struct drawer *d, size_t bound) { return (size_t)ts_random_below(&d->random, bound); }
static bool chance(struct drawer *d, size_t percent) { return below(d, 100) < percent; }

static const char *const plain_ops[] = {"toy.mix", "toy.round", "toy.join", "toy.stat", "toy.stir"};
static const char *const collapse_ops[] = {"toy.mix",   "toy.round", "toy.join",  "toy.stat", "toy.stir",
                                           "toy.fold",  "toy.fold",  "toy.pair",  "toy.same", "toy.blank",
                                           "toy.shift", "toy.near",  "toy.paint", "toy.pair", "toy.mix"};
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* ---- Parameters. ---- */

static void add_choice(struct drawer *d, struct ts_str *out, enum ts_op_value_type type) {
  static const char *const words[] = {"red", "Red", "green", "Green"};
  switch (type) {
  case TS_OP_INTEGER: ts_str_addf(out, "%zu", below(d, (size_t)d->settings->digits)); break;
  case TS_OP_REAL: ts_str_addf(out, "%zu.%zu", below(d, 2), below(d, 4) * 25); break;
  case TS_OP_BOOLEAN: ts_str_add(out, chance(d, 50) ? "true" : "false"); break;
  case TS_OP_STRING: ts_str_addf(out, "\"%s\"", words[below(d, 4)]); break;
  }
}

/* Few names, so that tasks share parameters. */
static void bind(struct drawer *d, const struct ts_op_parameter *parameter) {
  size_t number = parameter->type == TS_OP_INTEGER ? below(d, INTEGER_NAMES) : below(d, 2);
  ts_str_addf(&d->tasks, "\"%s\": ", parameter->name);
  if (chance(d, 25)) {
    ts_str_add(&d->tasks, "{\"value\": ");
    add_choice(d, &d->tasks, parameter->type);
    ts_str_add(&d->tasks, "}");
    return;
  }
  const char *kind = parameter->type == TS_OP_INTEGER ? "I" : parameter->type == TS_OP_REAL ? "R" : "S";
  if (parameter->type == TS_OP_BOOLEAN) kind = "F";
  unsigned *used = parameter->type == TS_OP_INTEGER   ? &d->integers_used
                   : parameter->type == TS_OP_REAL    ? &d->reals_used
                   : parameter->type == TS_OP_BOOLEAN ? &d->flags_used
                                                      : &d->strings_used;
  *used |= 1U << number;
  ts_str_addf(&d->tasks, "\"%s%zu\"", kind, number);
}

static void declare(struct drawer *d, struct ts_str *out, const char *kind, unsigned used, enum ts_op_value_type type) {
  static const char *const names[] = {
      [TS_OP_INTEGER] = "integer", [TS_OP_REAL] = "real", [TS_OP_BOOLEAN] = "boolean", [TS_OP_STRING] = "string"};
  for (size_t i = 0; used >> i; i++) {
    if (!(used >> i & 1)) continue;
    ts_str_addf(out, "%s\n    \"%s%zu\": {\"type\": \"%s\", \"default\": ", out->length > 0 ? "," : "", kind, i,
                names[type]);
    add_choice(d, out, type);
    ts_str_add_char(out, '}');
  }
}

/* ---- Connections. ---- */

static struct product *add_product(struct drawer *d, const char *type, size_t stage) {
  assert_true(d->product_count < MAX_PRODUCTS);
  struct product *product = &d->products[d->product_count++];
  *product = (struct product){.type = type, .stage = stage};
  return product;
}

static void add_input(struct drawer *d, const char *name, const char *type, bool maybe_missing) {
  struct product *product = add_product(d, type, SIZE_MAX);
  snprintf(product->reference, sizeof product->reference, "%s", name);
  product->maybe_missing = maybe_missing;
}

static const struct product *pick(struct drawer *d, const char *type, bool optional) {
  const struct product *fitting[MAX_PRODUCTS];
  size_t count = 0;
  for (size_t i = 0; i < d->product_count; i++) {
    const struct product *product = &d->products[i];
    if (strcmp(product->type, type) == 0 && (optional || !product->maybe_missing)) fitting[count++] = product;
  }
  assert_true(count > 0);
  /* The later ones more often, so that there are chains. */
  size_t a = below(d, count);
  size_t b = below(d, count);
  return fitting[a > b ? a : b];
}

/* What a task writes to connect a port; what comes from outside enters through the stage's "in". */
static void connect(struct drawer *d, const struct product *product) {
  if (product->stage == d->stage) {
    ts_str_addf(&d->tasks, "\"%s\"", product->reference);
    return;
  }
  char name[64];
  if (product->stage == SIZE_MAX) {
    snprintf(name, sizeof name, "%s", product->reference);
  } else {
    snprintf(name, sizeof name, "s%zu.%s", product->stage, product->output);
  }
  size_t link = 0;
  while (link < d->link_count && strcmp(d->link_names[link], name) != 0) link++;
  if (link == d->link_count) {
    assert_true(link < MAX_LINKS);
    memcpy(d->link_names[d->link_count++], name, sizeof name);
    ts_str_addf(&d->links, "%s\"in%zu\": \"%s\"", link > 0 ? ", " : "", link, name);
  }
  ts_str_addf(&d->tasks, "\"in%zu\"", link);
}

/* ---- Tasks and stages. ---- */

static const char *draw_op(struct drawer *d) {
  if (d->settings->faults && chance(d, 20)) return "toy.risky";
  if (d->settings->collapse) return collapse_ops[below(d, COUNT_OF(collapse_ops))];
  return plain_ops[below(d, COUNT_OF(plain_ops))];
}

static void draw_task(struct drawer *d, size_t task) {
  const struct ts_op_descriptor *op = ts_registry_find(d->registry, draw_op(d))->descriptor;
  ts_str_addf(&d->tasks, "%s\n        {\"name\": \"t%zu\", \"op\": \"%s\", \"in\": {", task > 0 ? "," : "", task,
              op->name);
  bool first = true;
  for (size_t i = 0; i < op->input_count; i++) {
    if (op->inputs[i]->optional && chance(d, 40)) continue;
    ts_str_addf(&d->tasks, "%s\"%s\": ", first ? "" : ", ", op->inputs[i]->name);
    connect(d, pick(d, op->inputs[i]->type, op->inputs[i]->optional));
    first = false;
  }
  ts_str_add(&d->tasks, "}, \"params\": {");
  for (size_t i = 0; i < op->parameter_count; i++) {
    if (i > 0) ts_str_add(&d->tasks, ", ");
    bind(d, op->parameters[i]);
  }
  ts_str_add(&d->tasks, "}}");
  for (size_t i = 0; i < op->output_count; i++) {
    struct product *product = add_product(d, op->outputs[i]->type, d->stage);
    snprintf(product->reference, sizeof product->reference, "t%zu.%s", task, op->outputs[i]->name);
    snprintf(product->output, sizeof product->output, "t%zu_%s", task, op->outputs[i]->name);
  }
}

static void draw_stage(struct drawer *d, size_t stage) {
  static const char *const scopes[] = {"tile", "tile", "tile", "file", "dataset"};
  d->stage = stage;
  d->link_count = 0;
  ts_str_clear(&d->tasks);
  ts_str_clear(&d->links);
  size_t first_product = d->product_count;
  size_t task_count = 1 + below(d, d->settings->tasks);
  for (size_t t = 0; t < task_count; t++) draw_task(d, t);
  const char *scope = d->settings->one_scope ? "tile" : scopes[below(d, COUNT_OF(scopes))];
  ts_str_addf(&d->stages, "%s\n    {\"name\": \"s%zu\", \"per\": \"%s\",\n     \"in\": {%s},\n     \"out\": {",
              stage > 0 ? "," : "", stage, scope, ts_str_get(&d->links));
  for (size_t i = first_product; i < d->product_count; i++) {
    ts_str_addf(&d->stages, "%s\"%s\": \"%s\"", i > first_product ? ", " : "", d->products[i].output,
                d->products[i].reference);
  }
  ts_str_addf(&d->stages, "},\n     \"tasks\": [%s]}", ts_str_get(&d->tasks));
}

/* From the stage after its own on, the input "ref" can be used: it is a table of the run with default values. */
static void offer_ref(struct drawer *d, size_t stage, char output[64]) {
  if (output[0] != '\0' || !chance(d, 40)) return;
  for (size_t i = 0; i < d->product_count; i++) {
    if (d->products[i].stage != stage || strcmp(d->products[i].type, "table") != 0) continue;
    snprintf(output, 64, "s%zu.%s", stage, d->products[i].output);
    add_input(d, "ref", "table", false);
    return;
  }
}

static char *draw_json(struct drawer *d) {
  char ref[64] = "";
  add_input(d, "image", "image/gray8", false);
  add_input(d, "data", "table", false);
  add_input(d, "extra", "table", !d->extra_supplied);
  d->stage_count = 1 + below(d, d->settings->stages);
  for (size_t s = 0; s < d->stage_count; s++) {
    draw_stage(d, s);
    offer_ref(d, s, ref);
  }
  struct ts_str parameters = {0};
  declare(d, &parameters, "I", d->integers_used, TS_OP_INTEGER);
  declare(d, &parameters, "R", d->reals_used, TS_OP_REAL);
  declare(d, &parameters, "F", d->flags_used, TS_OP_BOOLEAN);
  declare(d, &parameters, "S", d->strings_used, TS_OP_STRING);
  struct ts_str json = {0};
  ts_str_add(&json, "{\"tessera\": 1, \"name\": \"toy\",\n  \"inputs\": {\"image\": {\"type\": \"image/gray8\"}, "
                    "\"data\": {\"type\": \"table\"}, \"extra\": {\"type\": \"table\", \"optional\": true}");
  if (ref[0] != '\0') ts_str_addf(&json, ", \"ref\": {\"type\": \"table\", \"default_run\": \"%s\"}", ref);
  ts_str_addf(&json, "},\n  \"parameters\": {%s},\n  \"stages\": [%s]}\n", ts_str_get(&parameters),
              ts_str_get(&d->stages));
  ts_str_release(&parameters);
  return ts_str_detach(&json);
}

/* ---- The design and what is asked of it. ---- */

static struct ts_value draw_value(struct drawer *d, const struct ts_parameter *parameter) {
  static const char *const words[] = {"red", "Red", "green", "Green"};
  switch (parameter->type) {
  case TS_VALUE_INTEGER: return ts_value_integer((int64_t)below(d, (size_t)d->settings->digits));
  case TS_VALUE_REAL: return ts_value_real((double)below(d, 8) / 4);
  case TS_VALUE_BOOLEAN: return ts_value_boolean(chance(d, 50));
  default: return ts_value_string(words[below(d, 4)]);
  }
}

/* Like a design of trajectories: most runs differ from an earlier one in few parameters. */
static void draw_sets(struct drawer *d, struct toy_case *toy) {
  size_t width = toy->workflow->parameter_count;
  toy->set_count = 1 + below(d, d->settings->sets);
  toy->sets = ts_arena_array(&toy->arena, toy->set_count * width, sizeof *toy->sets);
  for (size_t s = 0; s < toy->set_count; s++) {
    bool fresh = s == 0 || chance(d, 20);
    const struct ts_value *model = fresh ? NULL : toy->sets + below(d, s) * width;
    for (size_t p = 0; p < width; p++) {
      const struct ts_parameter *parameter = &toy->workflow->parameters[p];
      bool change = fresh || chance(d, 20);
      toy->sets[s * width + p] = change ? draw_value(d, parameter) : model[p];
      if (chance(d, 10)) toy->sets[s * width + p] = parameter->default_value;
    }
  }
}

static void draw_wanted(struct drawer *d, struct toy_case *toy) {
  const struct ts_workflow *w = toy->workflow;
  size_t count = 1 + below(d, 3);
  struct ts_source *wanted = ts_arena_array(&toy->arena, count, sizeof *wanted);
  for (size_t i = 0; i < count; i++) {
    size_t a = below(d, w->stage_count);
    size_t b = below(d, w->stage_count);
    const struct ts_stage *stage = &w->stages[a > b ? a : b];
    if (toy->options.only_stage != TS_NONE) stage = &w->stages[toy->options.only_stage];
    wanted[i] = stage->outputs[below(d, stage->output_count)].source;
  }
  toy->options.wanted = wanted;
  toy->options.wanted_count = count;
}

static void draw_options(struct drawer *d, struct toy_case *toy) {
  const struct ts_workflow *w = toy->workflow;
  bool *supplied = ts_arena_array(&toy->arena, w->input_count, sizeof *supplied);
  for (size_t i = 0; i < w->input_count; i++) {
    supplied[i] = true;
    if (strcmp(w->inputs[i].name, "extra") == 0) supplied[i] = d->extra_supplied;
    if (strcmp(w->inputs[i].name, "ref") == 0) supplied[i] = chance(d, 20);
  }
  toy->options = (struct ts_plan_options){.merge = TS_MERGE_LINEAGE,
                                          .raw_values = chance(d, 15),
                                          .crop_halo = chance(d, 50),
                                          .only_stage = TS_NONE,
                                          .supplied = supplied};
  if (chance(d, 30)) toy->options.merge = chance(d, 50) ? TS_MERGE_STAGE : TS_MERGE_NONE;
  toy->want_reference = chance(d, 40);
  draw_wanted(d, toy);
}

void toy_case_draw(struct toy_case *toy, struct ts_registry *registry, const struct toy_settings *settings,
                   uint64_t seed) {
  struct drawer *d = ts_calloc(1, sizeof *d);
  d->settings = settings;
  d->registry = registry;
  ts_random_init(&d->random, seed, 77);
  d->extra_supplied = chance(d, 50);
  char *json = draw_json(d);
  *toy = (struct toy_case){.workflow = toy_workflow(json, registry)};
  free(json);
  /* Written into the parsed workflow: which stages want tiles without their halo. */
  for (size_t s = 0; s < toy->workflow->stage_count; s++) toy_case_take_cores(toy, s, chance(d, 20));
  draw_options(d, toy);
  draw_sets(d, toy);
  ts_str_release(&d->stages);
  ts_str_release(&d->tasks);
  ts_str_release(&d->links);
  free(d);
}
