/* Finding things of a finished workflow by name.
 * SPDX-License-Identifier: Apache-2.0 */
#include "workflow/workflow_int.h"

#include "base/alloc.h"

#include <string.h>

bool ts_workflow_find_parameter(const struct ts_workflow *workflow, const char *name, size_t *index) {
  for (size_t i = 0; i < workflow->parameter_count; i++) {
    if (strcmp(workflow->parameters[i].name, name) != 0) continue;
    *index = i;
    return true;
  }
  return false;
}

bool ts_workflow_find_input(const struct ts_workflow *workflow, const char *name, size_t *index) {
  for (size_t i = 0; i < workflow->input_count; i++) {
    if (strcmp(workflow->inputs[i].name, name) != 0) continue;
    *index = i;
    return true;
  }
  return false;
}

bool ts_is_reference_input(const struct ts_workflow_input *input) {
  return input->default_run.kind == TS_SOURCE_TASK || strcmp(input->name, "reference") == 0;
}

bool ts_workflow_find_stage(const struct ts_workflow *workflow, const char *name, size_t *index) {
  for (size_t i = 0; i < workflow->stage_count; i++) {
    if (strcmp(workflow->stages[i].name, name) != 0) continue;
    *index = i;
    return true;
  }
  return false;
}

/* "segment.mask" without building the text. */
static bool is_called(const char *name, const char *stage, const char *output) {
  size_t length = strlen(stage);
  return strncmp(name, stage, length) == 0 && name[length] == '.' && strcmp(name + length + 1, output) == 0;
}

static bool report_output(const struct ts_workflow *workflow, const char *name, struct ts_error *err) {
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  ts_auto(ts_names_release) struct ts_names names = {0};
  for (size_t i = 0; i < workflow->stage_count; i++) {
    const struct ts_stage *stage = &workflow->stages[i];
    for (size_t j = 0; j < stage->output_count; j++) {
      ts_names_add(&names, ts_arena_printf(&arena, "%s.%s", stage->name, stage->outputs[j].name));
    }
  }
  ts_fail(err, TS_ERR_NO_PRODUCER, "the workflow '%s' has no output '%s'", workflow->name, name);
  ts_names_suggest(&names, err, name, "its outputs", "");
  return false;
}

bool ts_workflow_find_output(const struct ts_workflow *workflow, const char *name, struct ts_source *source,
                             struct ts_error *err) {
  for (size_t i = 0; i < workflow->stage_count; i++) {
    const struct ts_stage *stage = &workflow->stages[i];
    for (size_t j = 0; j < stage->output_count; j++) {
      if (!is_called(name, stage->name, stage->outputs[j].name)) continue;
      *source = stage->outputs[j].source;
      return true;
    }
  }
  return report_output(workflow, name, err);
}

const char *ts_task_name(const struct ts_workflow *workflow, size_t task, char *buffer, size_t size) {
  const struct ts_task *t = &workflow->tasks[task];
  return ts_join_names(workflow->stages[t->stage].name, t->name, buffer, size);
}

static bool is_pieces(const struct ts_op *op, size_t port) {
  const struct ts_type *type = ts_type_find(op->descriptor->outputs[port]->type);
  return type && type->chains;
}

bool ts_task_makes_pieces(const struct ts_workflow *workflow, size_t task) {
  const struct ts_op *op = workflow->tasks[task].op;
  size_t port = 0;
  while (port < op->descriptor->output_count && !is_pieces(op, port)) port++;
  return port < op->descriptor->output_count;
}

size_t ts_task_joins(const struct ts_workflow *workflow, size_t task) {
  const struct ts_task *t = &workflow->tasks[task];
  for (size_t i = 0; i < t->op->descriptor->input_count; i++) {
    const struct ts_source *from = &t->inputs[i];
    if (from->kind == TS_SOURCE_TASK && is_pieces(workflow->tasks[from->index].op, from->port)) return from->index;
  }
  return TS_NONE;
}
