/* Makes a plan for wanted products: which products, of which stages, over how many units.
 * SPDX-License-Identifier: Apache-2.0 */
#include "work/planning.h"

#include "base/alloc.h"
#include "order/order.h"
#include "project/units.h"

#include <string.h>

static size_t only_stage(struct ts_work *work, struct ts_issues *issues) {
  const struct ts_project *project = work->project;
  size_t stage = TS_NONE;
  if (!project->request->only_stage || ts_workflow_find_stage(project->workflow, project->request->only_stage, &stage))
    return stage;
  if (!ts_issues_ok(issues)) return TS_NONE; /* called several times, reported once */
  const char **names = ts_arena_array(&work->arena, project->workflow->stage_count + 1, sizeof *names);
  for (size_t i = 0; i < project->workflow->stage_count; i++) names[i] = project->workflow->stages[i].name;
  struct ts_error err = {0};
  ts_fail(&err, TS_ERR_USAGE, "the workflow has no stage '%s'", project->request->only_stage);
  const char *near = ts_nearest_word(project->request->only_stage, names, project->workflow->stage_count);
  if (near) ts_error_help(&err, "did you mean '%s'?", near);
  ts_issues_fault(issues, &err);
  return TS_NONE;
}

/* What a run makes of its own: all products of stages that the data allows, without comparisons with the default run,
 * which would have to be run too. */
static struct ts_source *own_products(struct ts_work *work, size_t *count) {
  const struct ts_project *project = work->project;
  const struct ts_workflow *w = project->workflow;
  size_t total = 0;
  for (size_t i = 0; i < w->stage_count; i++) total += w->stages[i].output_count;
  struct ts_source *wanted = ts_arena_array(&work->arena, total + 1, sizeof *wanted);
  *count = 0;
  for (size_t i = 0; i < w->stage_count; i++) {
    for (size_t o = 0; o < w->stages[i].output_count; o++) {
      const struct ts_source *source = &w->stages[i].outputs[o].source;
      const char *against = project->against[source->index];
      if (against && strcmp(against, "default") == 0) continue;
      if (ts_plan_can_make(w, project->supplied, source)) wanted[(*count)++] = *source;
    }
  }
  return wanted;
}

struct ts_source *ts_planning_study_products(struct ts_work *work, size_t *count) {
  const struct ts_project *project = work->project;
  const size_t output_count = project->study.output_count;
  struct ts_source *wanted = ts_arena_array(&work->arena, 2 * output_count + 1, sizeof *wanted);
  *count = 0;
  for (size_t o = 0; o < output_count; o++) {
    const struct study_output *output = &project->study.outputs[o];
    if (output->cost == COST_NONE && output->wanted == *count) wanted[(*count)++] = output->source;
  }
  for (size_t o = 0; o < output_count; o++) {
    const struct study_output *output = &project->study.outputs[o];
    if (output->tiles.source.kind == TS_SOURCE_TASK && output->tiles.wanted == *count)
      wanted[(*count)++] = output->tiles.source;
  }
  return *count > 0 ? wanted : own_products(work, count);
}

/* What only other tasks can read is made where they are run, and no result of its own. */
static bool is_internal(const struct ts_workflow *w, const struct ts_source *source) {
  const struct ts_type *type = ts_type_find(w->tasks[source->index].op->descriptor->outputs[source->port]->type);
  return type && type->internal;
}

static void skip(struct ts_work *work, const char *product, const char *reason) {
  work->skipped[work->skipped_count++] = (struct ts_skipped){product, reason};
}

/* Whether a run makes a product; if not, the list of skipped ones says why. */
static bool is_made(struct ts_work *work, const struct ts_source *source, const char *name, const bool *idle) {
  const struct ts_project *project = work->project;
  if (!ts_plan_can_make(project->workflow, project->supplied, source)) {
    size_t missing = ts_reference_missing(project, source->index);
    if (missing == TS_NONE)
      skip(work, name, "the data lacks an input that it needs");
    else
      skip(work, name,
           ts_arena_printf(&work->arena, "the data has no files for the input '%s'; %s",
                           project->workflow->inputs[missing].name,
                           ts_reference_advice(&work->arena, project->workflow, missing)));
    return false;
  }
  if (!idle || !idle[source->index]) return true;
  skip(work, name,
       "there is no truth, and the defaults compared with themselves always agree; name the truth as 'reference' in a "
       "manifest, or change a parameter with -p");
  return false;
}

static bool is_read_elsewhere(const struct ts_workflow *w, const struct ts_source *source, size_t stage) {
  for (size_t t = 0; t < w->task_count; t++) {
    const struct ts_task *task = &w->tasks[t];
    for (size_t i = 0; task->stage != stage && i < task->op->descriptor->input_count; i++) {
      const struct ts_source *input = &task->inputs[i];
      if (input->kind == TS_SOURCE_TASK && input->index == source->index && input->port == source->port) return true;
    }
  }
  return false;
}

/* Whether a product becomes a file. Images and fields on their way to another stage are large, and not what the
 * workflow is for; tables of what tiles cut are superseded by those of the whole file. */
static bool is_written(const struct ts_project *project, const struct ts_source *source, size_t stage, bool is_alone) {
  const struct ts_workflow *w = project->workflow;
  if (is_alone || project->request->all_outputs) return true;
  const char *type = w->tasks[source->index].op->descriptor->outputs[source->port]->type;
  const bool is_image = ts_str_starts_with(type, "image/") || ts_str_starts_with(type, "field/");
  return !(is_image && is_read_elsewhere(w, source, stage)) && !ts_task_makes_pieces(w, source->index);
}

struct ts_source *ts_planning_all_products(struct ts_work *work, const struct ts_value *values, const char **names,
                                           size_t *count, struct ts_issues *issues) {
  const struct ts_project *project = work->project;
  const struct ts_workflow *w = project->workflow;
  size_t only = only_stage(work, issues);
  size_t total = 0;
  for (size_t i = 0; i < w->stage_count; i++) total += w->stages[i].output_count;
  struct ts_source *wanted = ts_arena_array(&work->arena, total + 1, sizeof *wanted);
  ts_auto_free bool *idle = values ? ts_reference_idle(project, values) : NULL;
  work->skipped = ts_arena_array(&work->arena, total + 1, sizeof *work->skipped);
  work->skipped_count = 0;
  *count = 0;
  for (size_t i = 0; i < w->stage_count; i++) {
    for (size_t o = 0; o < w->stages[i].output_count; o++) {
      const struct ts_stage_output *output = &w->stages[i].outputs[o];
      const char *name = ts_arena_printf(&work->arena, "%s.%s", w->stages[i].name, output->name);
      if (is_internal(w, &output->source)) continue;
      if (only != TS_NONE && only != i) continue;
      if (!is_written(project, &output->source, i, only != TS_NONE)) continue;
      if (only == TS_NONE && !is_made(work, &output->source, name, idle)) continue;
      if (names) names[*count] = name;
      wanted[(*count)++] = output->source;
    }
  }
  return wanted;
}

/* What the request says about plans of these products. */
static bool options_of(struct ts_work *work, const struct ts_source *wanted, size_t wanted_count,
                       struct ts_plan_options *options, struct ts_issues *issues) {
  const struct ts_project *project = work->project;
  const struct ts_request *request = project->request;
  *options = (struct ts_plan_options){.raw_values = request->raw_values,
                                      .crop_halo = project->halo.px > 0,
                                      .only_stage = only_stage(work, issues),
                                      .supplied = project->supplied,
                                      .wanted = wanted,
                                      .wanted_count = wanted_count};
  if (request->no_reuse || (project->is_study && project->study.is_measured)) options->merge = TS_MERGE_NONE;
  if (request->merge && !ts_merge_parse(request->merge, &options->merge))
    return ts_issues_usage(issues, "this version knows: none, stage, naive, sca, rtma, trtma, lineage",
                           "unknown way to merge '%s'", request->merge);
  const bool runs_buckets = !work->plans_buckets && ts_merge_needs_buckets(options->merge);
  options->chain = runs_buckets && !(request->keys && strcmp(request->keys, "dag") == 0);
  options->keep_instances = runs_buckets || (work->plans_buckets && ts_merge_shares_tasks(options->merge));
  return true;
}

/* Whether this way to merge goes together with the rest of the request. */
static bool can_merge(const struct ts_work *work, enum ts_merge merge, struct ts_issues *issues) {
  const struct ts_request *request = work->project->request;
  if (!ts_merge_needs_buckets(merge) || work->plans_buckets) return true;
  if (request->workers == 0)
    return ts_issues_usage(issues, "add --workers N; threads share every equal task: for them use --merge lineage",
                           "merging by '%s' is for workers that do not share memory", request->merge);
  return !request->no_reuse || ts_issues_usage(issues, "stages of a bucket share tasks; leave out one of the two",
                                               "merging by '%s' and '--no-reuse' do not go together", request->merge);
}

/* The plan, if there is one and every value in micrometres is a possible one in the pixels of every file. */
static struct ts_plan *checked(const struct ts_project *project, struct ts_plan *plan, const struct ts_error *err,
                               struct ts_issues *issues) {
  if (!plan) ts_issues_fault(issues, err);
  if (!plan || ts_units_check_plan(project, plan, issues)) return plan;
  ts_plan_destroy(plan);
  return NULL;
}

struct ts_plan *ts_planning_make(struct ts_work *work, const struct ts_value *values, size_t set_count,
                                 const struct ts_source *wanted, size_t wanted_count, bool want_reference,
                                 struct ts_issues *issues) {
  struct ts_plan_options options;
  struct ts_error err = {0};
  if (!options_of(work, wanted, wanted_count, &options, issues) || !can_merge(work, options.merge, issues) ||
      !ts_issues_ok(issues))
    return NULL;
  return checked(work->project,
                 ts_plan_create(work->project->workflow, values, set_count, &options, want_reference, &err), &err,
                 issues);
}

struct ts_plan *ts_planning_of_order(struct ts_work *work, struct ts_issues *issues) {
  const struct ts_project *project = work->project;
  size_t wanted_count = 0, set_count = 0;
  struct ts_plan_options options;
  struct ts_error err = {0};
  const struct ts_source *wanted = ts_order_wanted(project, &work->arena, &wanted_count, &err);
  const struct ts_value *values = wanted ? ts_order_sets(project, &work->arena, &set_count, &err) : NULL;
  if (values && !options_of(work, wanted, wanted_count, &options, issues)) return NULL;
  options.keep_instances = false; /* who makes the buckets needs them */
  struct ts_plan *plan = values ? ts_plan_create(project->workflow, values, set_count, &options, false, &err) : NULL;
  return checked(project, plan, &err, issues);
}
