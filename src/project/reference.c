/* The reference of results: the data's truth, files of the study, or the run with default parameters.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A task compares if one of its inputs is a reference, or if it reads the product of a task that does. Tasks of a
 * workflow are in an order in which each follows those it needs, so one pass over them answers every question of
 * this file. */
#include "project/project.h"

#include "base/alloc.h"

#include <string.h>

#define AGAINST_DEFAULT "default"

size_t ts_reference_input(const struct ts_workflow *w) {
  size_t index = TS_NONE;
  if (ts_workflow_find_input(w, "reference", &index)) return index;
  for (size_t i = 0; i < w->input_count; i++) {
    if (ts_is_reference_input(&w->inputs[i])) return i;
  }
  return TS_NONE;
}

/* The reference that this input compares with; NULL: none. */
static const char *against_input(const struct ts_project *project, size_t input) {
  const struct ts_workflow_input *declared = &project->workflow->inputs[input];
  if (!ts_is_reference_input(declared)) return NULL;
  bool from_study = project->study.reference == REFERENCE_FILES && input == ts_reference_input(project->workflow);
  if (project->supplied[input]) return from_study ? "files" : "truth";
  return declared->default_run.kind == TS_SOURCE_TASK ? AGAINST_DEFAULT : NULL;
}

/* Of two references that meet in one number the weaker one is named: the default before files before the truth. */
static const char *weaker(const char *a, const char *b) {
  static const char *const order[] = {AGAINST_DEFAULT, "files", "truth"};
  for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
    if ((a && strcmp(a, order[i]) == 0) || (b && strcmp(b, order[i]) == 0)) return order[i];
  }
  return NULL;
}

static void find_against(struct ts_project *project) {
  const struct ts_workflow *w = project->workflow;
  project->against = ts_arena_array(&project->arena, w->task_count + 1, sizeof *project->against);
  for (size_t t = 0; t < w->task_count; t++) {
    const struct ts_task *task = &w->tasks[t];
    for (size_t i = 0; i < task->op->descriptor->input_count; i++) {
      const struct ts_source *source = &task->inputs[i];
      if (source->kind == TS_SOURCE_INPUT)
        project->against[t] = weaker(project->against[t], against_input(project, source->index));
      else if (source->kind == TS_SOURCE_TASK)
        project->against[t] = weaker(project->against[t], project->against[source->index]);
    }
  }
}

const char *ts_reference_measure(struct ts_arena *arena, const char *column, const char *against) {
  bool by_default = against && strcmp(against, AGAINST_DEFAULT) == 0;
  return by_default ? ts_arena_printf(arena, "%s_vs_default", column) : column;
}

size_t ts_reference_missing(const struct ts_project *project, size_t task) {
  const struct ts_workflow *w = project->workflow;
  ts_auto_free size_t *missing = ts_calloc(w->task_count + 1, sizeof *missing);
  for (size_t t = 0; t <= task; t++) {
    const struct ts_op_descriptor *d = w->tasks[t].op->descriptor;
    missing[t] = TS_NONE;
    for (size_t i = 0; i < d->input_count && missing[t] == TS_NONE; i++) {
      const struct ts_source *source = &w->tasks[t].inputs[i];
      if (d->inputs[i]->optional || source->kind == TS_SOURCE_NONE) continue;
      if (source->kind == TS_SOURCE_TASK)
        missing[t] = missing[source->index];
      else if (!project->supplied[source->index] && w->inputs[source->index].default_run.kind == TS_SOURCE_NONE)
        missing[t] = source->index;
    }
  }
  return missing[task];
}

static void fail_reference(struct ts_project *project, const char *text, const char *help, struct ts_issues *issues) {
  struct ts_error err = {0};
  ts_fail(&err, TS_ERR_DATA_COLUMNS, "%s", text);
  ts_error_help(&err, "%s", help);
  ts_json_place(&err, &project->doc, "/reference", TS_JSON_VALUE);
  ts_issues_fault(issues, &err);
}

/* The reference that the study names must exist: another one would answer another question. */
static void check_asked(struct ts_project *project, struct ts_issues *issues) {
  const struct ts_workflow *w = project->workflow;
  size_t reference = ts_reference_input(w);
  if (project->study.reference == REFERENCE_ANY) return;
  if (reference == TS_NONE) {
    fail_reference(project, "the study names a reference, but the workflow has no input to compare with",
                   "call an input of the workflow \"reference\", or remove \"reference\" from the study", issues);
    return;
  }
  const char *name = w->inputs[reference].name;
  bool is_given = project->supplied[reference];
  if (project->study.reference == REFERENCE_DEFAULT && w->inputs[reference].default_run.kind == TS_SOURCE_NONE)
    fail_reference(
        project,
        ts_arena_printf(&project->arena, "the input '%s' has no default run that results could be compared with", name),
        "give it a \"default_run\" in the workflow, or compare with the truth", issues);
  else if (project->request->data_count > 0 && project->study.reference != REFERENCE_DEFAULT &&
           !(project->study.reference == REFERENCE_TRUTH && is_given))
    fail_reference(project, "the reference of the study belongs to its own data, not to that of --data",
                   "leave out --data, or remove \"reference\" to compare with the default run", issues);
  else if (project->study.reference == REFERENCE_TRUTH && !is_given)
    fail_reference(
        project,
        ts_arena_printf(&project->arena, "the study compares with the truth, but its data has no files for '%s'", name),
        ts_arena_printf(&project->arena, "add a column '%s' to the manifest, or write \"reference\": \"default\"",
                        name),
        issues);
}

const char *ts_reference_advice(struct ts_arena *arena, const struct ts_workflow *w, size_t input) {
  const char *name = w->inputs[input].name;
  if (input == ts_reference_input(w))
    return ts_arena_printf(
        arena,
        "name the truth in a column '%s' of a manifest or as \"reference\": {\"files\": [...]} in the "
        "study, or give the input a \"default_run\"",
        name);
  return ts_arena_printf(arena, "name its files in a column '%s' of a manifest", name);
}

/* An output that cannot be made because an input has no files. */
static bool can_make(struct ts_project *project, const struct study_output *output, struct ts_issues *issues) {
  if (ts_plan_can_make(project->workflow, project->supplied, &output->source)) return true;
  size_t missing = ts_reference_missing(project, output->source.index);
  if (missing == TS_NONE) return true; /* the plan reports why */
  const char *name = project->workflow->inputs[missing].name;
  struct ts_error err = {0};
  ts_fail(&err, TS_ERR_NO_PRODUCER, "'%s' needs the input '%s', for which the data has no files", output->name, name);
  ts_error_help(&err, "%s", ts_reference_advice(&project->arena, project->workflow, missing));
  ts_json_place(&err, &project->doc, output->pointer, TS_JSON_VALUE);
  return ts_issues_fault(issues, &err);
}

/* Columns that say how well two things agree, whichever operation makes them. */
static bool is_score(const char *column) {
  static const char *const scores[] = {"dice", "jaccard", "precision",       "recall",      "f1",
                                       "aji",  "pq",      "pixel_precision", "pixel_recall"};
  for (size_t i = 0; i < sizeof scores / sizeof *scores; i++)
    if (strcmp(scores[i], column) == 0) return true;
  return false;
}

/* Results should agree with what was given as right, and need not agree with what the defaults make. */
static bool is_to_agree(const struct study_output *output) {
  return !output->better && output->against && strcmp(output->against, AGAINST_DEFAULT) != 0 &&
         is_score(output->column);
}

bool ts_reference_settle(struct ts_project *project, struct ts_issues *issues) {
  find_against(project);
  if (!project->is_study) return true;
  check_asked(project, issues);
  for (size_t o = 0; o < project->study.output_count; o++) {
    struct study_output *output = &project->study.outputs[o];
    if (output->source.kind != TS_SOURCE_TASK || !can_make(project, output, issues)) continue;
    output->against = project->against[output->source.index];
    output->name = ts_reference_measure(&project->arena, output->name, output->against);
    if (is_to_agree(output)) output->better = "higher";
  }
  return ts_issues_ok(issues);
}

/* Per task, whether it and all it needs have the values of the default run; to free. */
static bool *find_defaults(const struct ts_workflow *w, const struct ts_value *values) {
  bool *same = ts_calloc(w->task_count + 1, sizeof *same);
  for (size_t t = 0; t < w->task_count; t++) {
    const struct ts_task *task = &w->tasks[t];
    const struct ts_op_descriptor *d = task->op->descriptor;
    same[t] = true;
    for (size_t i = 0; i < d->input_count; i++)
      same[t] = same[t] && (task->inputs[i].kind != TS_SOURCE_TASK || same[task->inputs[i].index]);
    for (size_t p = 0; p < d->parameter_count && same[t]; p++) {
      size_t bound = task->parameters[p].parameter;
      if (bound == TS_NONE) continue;
      struct ts_value given = ts_op_canonical(d->parameters[p], &values[bound]);
      struct ts_value normal = ts_op_canonical(d->parameters[p], &w->parameters[bound].default_value);
      same[t] = ts_value_equal(&given, &normal);
    }
  }
  return same;
}

/* Whether the task reads, beside this reference, the very product that the reference is the default of. */
static bool meets_itself(const struct ts_task *task, const struct ts_source *by_default, const bool *same) {
  for (size_t i = 0; i < task->op->descriptor->input_count; i++) {
    const struct ts_source *source = &task->inputs[i];
    if (source->kind == TS_SOURCE_TASK && source->index == by_default->index && source->port == by_default->port)
      return same[source->index];
  }
  return false;
}

/* Whether the task, or one that it needs, compares two things that may differ. */
static bool compares(const struct ts_project *project, size_t t, const bool *same, const bool *does) {
  const struct ts_task *task = &project->workflow->tasks[t];
  for (size_t i = 0; i < task->op->descriptor->input_count; i++) {
    const struct ts_source *source = &task->inputs[i];
    if (source->kind == TS_SOURCE_TASK && does[source->index]) return true;
    const char *against = source->kind == TS_SOURCE_INPUT ? against_input(project, source->index) : NULL;
    if (!against) continue;
    const struct ts_source *by_default = &project->workflow->inputs[source->index].default_run;
    if (strcmp(against, AGAINST_DEFAULT) != 0 || !meets_itself(task, by_default, same)) return true;
  }
  return false;
}

bool *ts_reference_idle(const struct ts_project *project, const struct ts_value *values) {
  size_t count = project->workflow->task_count;
  ts_auto_free bool *same = find_defaults(project->workflow, values);
  ts_auto_free bool *does = ts_calloc(count + 1, sizeof *does);
  bool *idle = ts_calloc(count + 1, sizeof *idle);
  for (size_t t = 0; t < count; t++) {
    does[t] = project->against[t] && compares(project, t, same, does);
    idle[t] = project->against[t] && !does[t];
  }
  return idle;
}

static bool is_mask(const struct ts_workflow *w, const struct ts_source *source) {
  if (source->kind != TS_SOURCE_TASK) return false;
  const char *type = w->tasks[source->index].op->descriptor->outputs[source->port]->type;
  return strcmp(type, "mask") == 0 || strcmp(type, "labels") == 0;
}

/* The product that a task reads beside this input. */
static bool find_compared(const struct ts_workflow *w, size_t input, struct ts_source *mask) {
  for (size_t t = 0; t < w->task_count; t++) {
    const struct ts_task *task = &w->tasks[t];
    size_t count = task->op->descriptor->input_count;
    bool reads = false;
    for (size_t i = 0; i < count; i++)
      reads = reads || (task->inputs[i].kind == TS_SOURCE_INPUT && task->inputs[i].index == input);
    for (size_t i = 0; i < count && reads; i++) {
      if (!is_mask(w, &task->inputs[i])) continue;
      *mask = task->inputs[i];
      return true;
    }
  }
  return false;
}

bool ts_reference_mask(const struct ts_workflow *w, struct ts_source *mask) {
  for (size_t i = 0; i < w->input_count; i++) {
    if (!is_mask(w, &w->inputs[i].default_run)) continue;
    *mask = w->inputs[i].default_run;
    return true;
  }
  for (size_t i = 0; i < w->input_count; i++) {
    if (ts_is_reference_input(&w->inputs[i]) && find_compared(w, i, mask)) return true;
  }
  return false;
}
