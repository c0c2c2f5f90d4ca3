/* Which tasks are needed at all: those the wanted products come from, given what the dataset supplies.
 * SPDX-License-Identifier: Apache-2.0 */
#include "plan/plan_int.h"

#include "base/alloc.h"

#include <string.h>

/* Where an input of a task really comes from: an input nobody supplies may be a product of the reference run. */
static struct ts_source effective_source(const struct ts_workflow *w, const bool *supplied, struct ts_source source) {
  if (source.kind == TS_SOURCE_INPUT && !supplied[source.index]) return w->inputs[source.index].default_run;
  return source;
}

/* Marks the task and all it needs; false if an input that it cannot do without has no source. */
static bool mark(const struct ts_workflow *w, const bool *supplied, size_t only_stage, size_t task, bool *marks,
                 size_t *missing_task, size_t *missing_port) {
  if (marks[task]) return true;
  marks[task] = true;
  const struct ts_op_descriptor *d = w->tasks[task].op->descriptor;
  for (size_t i = 0; i < d->input_count; i++) {
    struct ts_source source = effective_source(w, supplied, w->tasks[task].inputs[i]);
    bool outside = source.kind == TS_SOURCE_TASK && only_stage != TS_NONE && w->tasks[source.index].stage != only_stage;
    if (outside) continue;
    if (source.kind == TS_SOURCE_TASK) {
      if (!mark(w, supplied, only_stage, source.index, marks, missing_task, missing_port)) return false;
    } else if (source.kind == TS_SOURCE_NONE && !d->inputs[i].optional) {
      *missing_task = task;
      *missing_port = i;
      return false;
    }
  }
  return true;
}

bool ts_plan_can_make(const struct ts_workflow *workflow, const bool *supplied, const struct ts_source *source) {
  bool *marks = ts_calloc(workflow->task_count + 1, sizeof *marks);
  size_t task = 0;
  size_t port = 0;
  bool ok = mark(workflow, supplied, TS_NONE, source->index, marks, &task, &port);
  free(marks);
  return ok;
}

bool ts_plan_mark_active(struct ts_plan *plan, struct ts_error *err) {
  const struct ts_workflow *w = plan->workflow;
  for (size_t i = 0; i < plan->wanted_count; i++) {
    size_t task = 0;
    size_t port = 0;
    if (mark(w, plan->options.supplied, plan->options.only_stage, plan->options.wanted[i].index, plan->active, &task,
             &port))
      continue;
    const struct ts_task *t = &w->tasks[task];
    ts_fail(err, TS_ERR_NO_PRODUCER, "'%s.%s' needs its input '%s', which the dataset does not supply",
            w->stages[t->stage].name, t->name, t->op->descriptor->inputs[port].name);
    ts_error_help(err, "name files for it in the study's data, or leave out what needs it");
    return false;
  }
  return true;
}

bool ts_plan_mark_reference(struct builder *b, bool want_reference) {
  struct ts_plan *plan = b->plan;
  const struct ts_workflow *w = plan->workflow;
  bool *marks = b->reference_task;
  size_t task = 0;
  size_t port = 0;
  for (size_t i = 0; i < plan->wanted_count && want_reference; i++)
    mark(w, plan->options.supplied, plan->options.only_stage, plan->options.wanted[i].index, marks, &task, &port);
  for (size_t t = 0; t < w->task_count && plan->options.only_stage == TS_NONE; t++) {
    for (size_t i = 0; plan->active[t] && i < w->tasks[t].op->descriptor->input_count; i++) {
      struct ts_source source = w->tasks[t].inputs[i];
      struct ts_source effective = effective_source(w, plan->options.supplied, source);
      if (source.kind == TS_SOURCE_INPUT && effective.kind == TS_SOURCE_TASK)
        mark(w, plan->options.supplied, TS_NONE, effective.index, marks, &task, &port);
    }
  }
  bool any = false;
  for (size_t t = 0; t < w->task_count; t++) {
    any = any || marks[t];
  }
  return any;
}
