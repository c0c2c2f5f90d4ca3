/* Which tasks are needed at all: those that the wanted products come from, given the supplied inputs.
 * SPDX-License-Identifier: Apache-2.0 */
#include "plan/plan_int.h"

#include "base/alloc.h"

#include <string.h>

/* A walk backwards from products. Products of the reference run are needed by that run alone. */
struct marker {
  const struct ts_workflow *w; /* borrowed */
  const bool *supplied;        /* borrowed */
  size_t only_stage;
  bool *reference; /* borrowed: tasks the reference run needs */
  size_t missing_task, missing_port;
};

size_t ts_plan_stand_in(const struct ts_workflow *workflow, const bool *supplied, const struct ts_op_port *port) {
  for (size_t i = 0; i < workflow->input_count; i++) {
    if (supplied[i] && workflow->inputs[i].type && ts_type_fits(workflow->inputs[i].type, port->type)) return i;
  }
  return TS_NONE;
}

static bool mark(struct marker *m, size_t task, bool *marks);

/* False if nothing can be connected to the port. */
static bool mark_source(struct marker *m, const struct ts_source *source, const struct ts_op_port *port, bool *marks) {
  bool alone = m->only_stage != TS_NONE;
  if (source->kind == TS_SOURCE_NONE) return false;
  if (source->kind == TS_SOURCE_INPUT && m->supplied[source->index]) return true;
  if (source->kind == TS_SOURCE_TASK && alone && m->w->tasks[source->index].stage != m->only_stage)
    return ts_plan_stand_in(m->w, m->supplied, port) != TS_NONE;
  if (source->kind == TS_SOURCE_TASK) return mark(m, source->index, marks);
  const struct ts_source *by_default = &m->w->inputs[source->index].default_run;
  return by_default->kind == TS_SOURCE_TASK && !alone && mark(m, by_default->index, m->reference);
}

/* Marks the task and all it needs; false if an input that it, or one of those, cannot do without has no source. */
static bool mark(struct marker *m, size_t task, bool *marks) {
  if (marks[task]) return true;
  marks[task] = true;
  const struct ts_op_descriptor *d = m->w->tasks[task].op->descriptor;
  for (size_t i = 0; i < d->input_count; i++) {
    if (mark_source(m, &m->w->tasks[task].inputs[i], d->inputs[i], marks)) continue;
    bool told = m->missing_task != TS_NONE; /* by something farther back */
    if (!told && d->inputs[i]->optional) continue;
    if (!told) {
      m->missing_task = task;
      m->missing_port = i;
    }
    return false;
  }
  return true;
}

bool ts_plan_can_make(const struct ts_workflow *workflow, const bool *supplied, const struct ts_source *source) {
  bool *marks = ts_calloc(2 * workflow->task_count + 1, sizeof *marks);
  struct marker m = {.w = workflow,
                     .supplied = supplied,
                     .only_stage = TS_NONE,
                     .reference = marks + workflow->task_count,
                     .missing_task = TS_NONE};
  bool ok = mark(&m, source->index, marks);
  free(marks);
  return ok;
}

bool ts_plan_mark_active(struct ts_plan *plan, bool want_reference, bool *reference, struct ts_error *err) {
  const struct ts_workflow *w = plan->workflow;
  struct marker m = {.w = w,
                     .supplied = plan->options.supplied,
                     .only_stage = plan->options.only_stage,
                     .reference = reference,
                     .missing_task = TS_NONE};
  for (size_t i = 0; i < plan->wanted_count; i++) {
    size_t task = plan->options.wanted[i].index;
    if (mark(&m, task, plan->active) && (!want_reference || mark(&m, task, reference))) continue;
    const struct ts_task *t = &w->tasks[m.missing_task];
    ts_fail(err, TS_ERR_NO_PRODUCER, "'%s.%s' needs its input '%s', which the dataset does not supply",
            w->stages[t->stage].name, t->name, t->op->descriptor->inputs[m.missing_port]->name);
    ts_error_help(err, "name files for it in the study's data, or leave out the tasks that need it");
    return false;
  }
  return true;
}
