/* Cases written by hand: a workflow from JSON text, with the simplest of designs.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support/toy_case.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/const.h"
#include "base/error_format.h"
#include "base/json.h"

#include <string.h>

struct ts_workflow *toy_workflow(const char *json, struct ts_registry *registry) {
  struct ts_json_doc doc = {0};
  struct ts_error err = {0};
  struct ts_faults faults = {0};
  if (!ts_json_doc_parse(&doc, "toy.json", json, strlen(json), &err)) fail_msg("%s\n%s", err.text, json);
  struct ts_workflow *workflow = ts_workflow_parse(&doc, registry, &faults);
  if (!workflow) {
    struct ts_str text = {0};
    ts_faults_format(&faults, false, &text);
    fail_msg("%s\n%s", ts_str_get(&text), json);
  }
  ts_faults_release(&faults);
  ts_json_doc_close(&doc);
  return workflow;
}

static void add_set(struct toy_case *toy) {
  size_t width = toy->workflow->parameter_count;
  struct ts_value *sets = ts_arena_array(&toy->arena, (toy->set_count + 1) * width, sizeof *sets);
  if (toy->set_count > 0) memcpy(sets, toy->sets, toy->set_count * width * sizeof *sets);
  for (size_t p = 0; p < width; p++) sets[toy->set_count * width + p] = toy->workflow->parameters[p].default_value;
  toy->sets = sets;
  toy->set_count++;
}

void toy_case_init(struct toy_case *toy, const char *json, struct ts_registry *registry) {
  *toy = (struct toy_case){.workflow = toy_workflow(json, registry)};
  const struct ts_workflow *w = toy->workflow;
  size_t output_count = 0;
  for (size_t s = 0; s < w->stage_count; s++) output_count += w->stages[s].output_count;
  bool *supplied = ts_arena_array(&toy->arena, w->input_count, sizeof *supplied);
  for (size_t i = 0; i < w->input_count; i++) supplied[i] = true;
  struct ts_source *wanted = ts_arena_array(&toy->arena, output_count, sizeof *wanted);
  for (size_t s = 0; s < w->stage_count; s++) {
    for (size_t o = 0; o < w->stages[s].output_count; o++)
      wanted[toy->options.wanted_count++] = w->stages[s].outputs[o].source;
  }
  toy->options.only_stage = TS_NONE;
  toy->options.supplied = supplied;
  toy->options.wanted = wanted;
  add_set(toy);
}

void toy_case_take_cores(struct toy_case *toy, size_t stage, bool core) {
  for (size_t t = 0; t < toy->workflow->task_count; t++) {
    const struct ts_task *task = &toy->workflow->tasks[t];
    bool *flags = ts_without_const(task->core);
    for (size_t i = 0; task->stage == stage && i < task->op->descriptor->input_count; i++) flags[i] = core;
  }
}

void toy_case_set(struct toy_case *toy, size_t set, const char *parameter, int64_t number) {
  size_t index = 0;
  assert_true(ts_workflow_find_parameter(toy->workflow, parameter, &index));
  while (toy->set_count <= set) add_set(toy);
  toy->sets[set * toy->workflow->parameter_count + index] = ts_value_integer(number);
}

void toy_case_want(struct toy_case *toy, const char *const *names, size_t count) {
  struct ts_source *wanted = ts_arena_array(&toy->arena, count, sizeof *wanted);
  for (size_t i = 0; i < count; i++) {
    struct ts_error err = {0};
    if (!ts_workflow_find_output(toy->workflow, names[i], &wanted[i], &err)) fail_msg("%s", err.text);
  }
  toy->options.wanted = wanted;
  toy->options.wanted_count = count;
}

void toy_case_supply(struct toy_case *toy, const char *input, bool supplied) {
  size_t index = 0;
  size_t count = toy->workflow->input_count;
  assert_true(ts_workflow_find_input(toy->workflow, input, &index));
  bool *copy = ts_arena_memdup(&toy->arena, toy->options.supplied, count * sizeof *copy);
  copy[index] = supplied;
  toy->options.supplied = copy;
}

void toy_case_release(struct toy_case *toy) {
  ts_workflow_destroy(toy->workflow);
  ts_arena_release(&toy->arena);
}

struct ts_plan *toy_case_plan(const struct toy_case *toy) {
  struct ts_error err = {0};
  struct ts_plan *plan =
      ts_plan_create(toy->workflow, toy->sets, toy->set_count, &toy->options, toy->want_reference, &err);
  if (!plan) fail_msg("%s", err.text);
  assert_int_equal(err.code, TS_ERR_OK);
  return plan;
}

/* Not by way of ts_op_canonical, so that the planner and the tests do not share a mistake. */
void toy_add_value(struct ts_str *out, const struct ts_op_parameter *parameter, struct ts_value value, bool raw) {
  struct ts_op_value plain = {.type = parameter->type};
  switch (parameter->type) {
  case TS_OP_INTEGER: plain.integer = value.as.integer; break;
  case TS_OP_REAL: ts_value_number(&value, &plain.real); break;
  case TS_OP_BOOLEAN: plain.integer = value.as.boolean; break;
  case TS_OP_STRING: plain.string = value.as.string; break;
  }
  if (parameter->canonical && !raw) parameter->canonical(&plain);
  ts_str_addf(out, "%s=", parameter->name);
  if (parameter->type == TS_OP_STRING)
    ts_str_addf(out, "'%s';", plain.string);
  else if (parameter->type == TS_OP_REAL)
    ts_str_addf(out, "%a;", plain.real);
  else
    ts_str_addf(out, "%lld;", (long long)plain.integer);
}

struct ts_value toy_bound_value(const struct ts_workflow *workflow, const struct ts_value *values, size_t task,
                                size_t parameter) {
  const struct ts_binding *binding = &workflow->tasks[task].parameters[parameter];
  if (binding->parameter == TS_NONE) return binding->fixed;
  return values ? values[binding->parameter] : workflow->parameters[binding->parameter].default_value;
}

const struct ts_value *toy_case_values(const struct toy_case *toy, size_t set) {
  return set == SIZE_MAX ? NULL : toy->sets + set * toy->workflow->parameter_count;
}
