/* Which tasks are needed at all: those that the wanted products come from, given the supplied inputs.
 * SPDX-License-Identifier: Apache-2.0 */
#include "plan/plan_int.h"

#include "base/alloc.h"

#include <string.h>

struct missing {
  size_t task, port; /* task TS_NONE: nothing is */
};

/* The tasks of a workflow as a graph: task t for the runs of the design is vertex t, for the reference run vertex
 * task_count + t. */
struct marker {
  const struct ts_workflow *w; /* borrowed */
  const bool *supplied;        /* borrowed */
  size_t only_stage;
  struct missing *missing; /* borrowed: the first input that its task cannot do without and that has no source */
};

size_t ts_plan_stand_in(const struct ts_workflow *workflow, const bool *supplied, const struct ts_op_port *port) {
  for (size_t i = 0; i < workflow->input_count; i++) {
    if (supplied[i] && workflow->inputs[i].type && ts_type_fits(workflow->inputs[i].type, port->type)) return i;
  }
  return TS_NONE;
}

/* False if nothing can be connected to the port. Products of the reference run are needed by that run alone. */
static bool connect_port(const struct marker *m, const struct ts_source *source, const struct ts_op_port *port,
                         size_t *vertex, size_t *count) {
  const bool alone = m->only_stage != TS_NONE, is_input = source->kind == TS_SOURCE_INPUT;
  if (source->kind == TS_SOURCE_NONE) return false;
  if (is_input && m->supplied[source->index]) return true;
  if (!is_input && alone && m->w->tasks[source->index].stage != m->only_stage)
    return ts_plan_stand_in(m->w, m->supplied, port) != TS_NONE;
  if (is_input) source = &m->w->inputs[source->index].default_run;
  if (is_input && (alone || source->kind != TS_SOURCE_TASK)) return false;
  *vertex = source->index + (is_input ? m->w->task_count : *vertex);
  *count = 1;
  return true;
}

static bool task_input(const void *graph, size_t vertex, size_t input, size_t *first, size_t *count) {
  const struct marker *m = graph;
  const size_t task = vertex % m->w->task_count;
  const struct ts_op_descriptor *d = m->w->tasks[task].op->descriptor;
  if (input == d->input_count || m->missing->task != TS_NONE) return false;
  *first = vertex - task;
  *count = 0;
  if (!connect_port(m, &m->w->tasks[task].inputs[input], d->inputs[input], first, count) && !d->inputs[input]->optional)
    *m->missing = (struct missing){task, input};
  return true;
}

/* Marks the task and all it needs; false if something is missing. */
static bool mark(const struct marker *m, size_t vertex, bool *marks) {
  ts_walk_back(&(struct ts_walk){.input = task_input, .graph = m, .met = marks}, vertex);
  return m->missing->task == TS_NONE;
}

bool ts_plan_can_make(const struct ts_workflow *workflow, const bool *supplied, const struct ts_source *source) {
  ts_auto_free bool *marks = ts_calloc(2 * workflow->task_count + 1, sizeof *marks);
  struct missing missing = {.task = TS_NONE};
  return mark(&(struct marker){workflow, supplied, TS_NONE, &missing}, source->index, marks);
}

bool ts_plan_mark_active(struct ts_plan *plan, bool want_reference, struct ts_error *err) {
  const struct ts_workflow *w = plan->workflow;
  struct missing missing = {.task = TS_NONE};
  const struct marker m = {w, plan->options.supplied, plan->options.only_stage, &missing};
  for (size_t i = 0; i < plan->wanted_count; i++) {
    size_t task = plan->options.wanted[i].index;
    if (mark(&m, task, plan->active) && (!want_reference || mark(&m, w->task_count + task, plan->active))) continue;
    const struct ts_task *t = &w->tasks[missing.task];
    ts_fail(err, TS_ERR_NO_PRODUCER, "'%s.%s' needs its input '%s', which the dataset does not supply",
            w->stages[t->stage].name, t->name, t->op->descriptor->inputs[missing.port]->name);
    return ts_error_help(err, "name files for it in the study's data, or leave out the tasks that need it");
  }
  return true;
}
