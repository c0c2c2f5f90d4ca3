/* Makes a plan for wanted products: which products, of which stages, over how many units.
 * SPDX-License-Identifier: Apache-2.0 */
#include "work/planning.h"

#include "base/alloc.h"
#include "order/order.h"

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

struct ts_source *ts_planning_study_products(struct ts_work *work, size_t *count) {
  const struct ts_project *project = work->project;
  struct ts_source *wanted = ts_arena_array(&work->arena, project->study.output_count + 1, sizeof *wanted);
  *count = 0;
  for (size_t o = 0; o < project->study.output_count; o++) {
    const struct study_output *output = &project->study.outputs[o];
    if (output->wanted == *count) wanted[(*count)++] = output->source;
  }
  return wanted;
}

static void skip(struct ts_work *work, const char *product, const char *reason) {
  json_array_append_new(work->skipped, json_pack("{s:s, s:s}", "output", product, "reason", reason));
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

struct ts_source *ts_planning_all_products(struct ts_work *work, const struct ts_value *values, const char **names,
                                           size_t *count, struct ts_issues *issues) {
  const struct ts_project *project = work->project;
  const struct ts_workflow *w = project->workflow;
  size_t only = only_stage(work, issues);
  size_t total = 0;
  for (size_t i = 0; i < w->stage_count; i++) total += w->stages[i].output_count;
  struct ts_source *wanted = ts_arena_array(&work->arena, total + 1, sizeof *wanted);
  ts_auto_free bool *idle = values ? ts_reference_idle(project, values) : NULL;
  json_decref(work->skipped);
  work->skipped = json_array();
  *count = 0;
  for (size_t i = 0; i < w->stage_count; i++) {
    for (size_t o = 0; o < w->stages[i].output_count; o++) {
      const struct ts_stage_output *output = &w->stages[i].outputs[o];
      const char *name = ts_arena_printf(&work->arena, "%s.%s", w->stages[i].name, output->name);
      if (only == TS_NONE ? !is_made(work, &output->source, name, idle) : only != i) continue;
      if (names) names[*count] = name;
      wanted[(*count)++] = output->source;
    }
  }
  return wanted;
}

bool ts_planning_options(struct ts_work *work, const struct ts_source *wanted, size_t wanted_count,
                         struct ts_plan_options *options, struct ts_error *err, struct ts_issues *issues) {
  const struct ts_project *project = work->project;
  const char *keys = project->request->keys;
  *options = (struct ts_plan_options){.raw_values = project->request->raw_values,
                                      .crop_halo = project->study.halo_px > 0,
                                      .only_stage = only_stage(work, issues),
                                      .supplied = project->supplied,
                                      .wanted = wanted,
                                      .wanted_count = wanted_count};
  if (project->request->no_reuse) options->merge = TS_MERGE_NONE;
  if (project->request->merge && !ts_merge_parse(project->request->merge, &options->merge)) {
    ts_fail(err, TS_ERR_USAGE, "unknown way to merge '%s'", project->request->merge);
    ts_error_help(err, "this version knows: none, stage, naive, sca, rtma, trtma, lineage");
    return false;
  }
  const bool runs_buckets = !work->plans_buckets && ts_merge_needs_buckets(options->merge);
  options->chain = runs_buckets && !(keys && strcmp(keys, "dag") == 0);
  options->keep_instances = runs_buckets || (work->plans_buckets && ts_merge_shares_tasks(options->merge));
  return true;
}

struct ts_plan *ts_planning_make(struct ts_work *work, const struct ts_value *values, size_t set_count,
                                 const struct ts_source *wanted, size_t wanted_count, bool want_reference,
                                 struct ts_issues *issues) {
  const struct ts_project *project = work->project;
  struct ts_plan_options options;
  struct ts_error err = {0};
  if (!ts_planning_options(work, wanted, wanted_count, &options, &err, issues)) {
    ts_issues_fault(issues, &err);
    return NULL;
  }
  if (ts_merge_needs_buckets(options.merge) && !work->plans_buckets && project->request->workers == 0) {
    ts_fail(&err, TS_ERR_USAGE, "merging by '%s' is for workers that do not share memory", project->request->merge);
    ts_error_help(&err, "add --workers N; threads share every equal task: for them use --merge lineage");
  } else if (ts_merge_needs_buckets(options.merge) && project->request->no_reuse && !work->plans_buckets) {
    ts_fail(&err, TS_ERR_USAGE, "merging by '%s' and '--no-reuse' do not go together", project->request->merge);
    ts_error_help(&err, "stages of a bucket share tasks; leave out one of the two");
  }
  struct ts_plan *plan = NULL;
  if (err.code == TS_ERR_OK && ts_issues_ok(issues))
    plan = ts_plan_create(project->workflow, values, set_count, &options, want_reference, &err);
  if (err.code != TS_ERR_OK) ts_issues_fault(issues, &err);
  return plan;
}

struct ts_plan *ts_planning_of_order(struct ts_work *work, struct ts_error *err, struct ts_issues *issues) {
  const struct ts_project *project = work->project;
  size_t wanted_count = 0, set_count = 0;
  struct ts_plan_options options;
  const struct ts_source *wanted = ts_order_wanted(project, &work->arena, &wanted_count, err);
  const struct ts_value *values = wanted ? ts_order_sets(project, &work->arena, &set_count, err) : NULL;
  if (!values || !ts_planning_options(work, wanted, wanted_count, &options, err, issues)) return NULL;
  options.keep_instances = false; /* who makes the buckets needs them */
  return ts_plan_create(project->workflow, values, set_count, &options, false, err);
}
