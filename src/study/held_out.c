/* Runs few sets on the files that a study holds out, and combines what they give.
 * SPDX-License-Identifier: Apache-2.0 */
#include "study/held_out.h"
#include "study/study_result.h"
#include "work/planning.h"
#include "work/workers.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

static bool has_products(const struct study_file *study) {
  for (size_t o = 0; o < study->output_count; o++)
    if (study->outputs[o].cost == COST_NONE) return true;
  return false;
}

/* The defaults, then the best set. */
static void choose_sets(const struct ts_project *project, struct study_result *r) {
  struct study_held_out *h = &r->held_out;
  const size_t width = project->workflow->parameter_count;
  h->goal = r->best.goal;
  /* Where no set is better than the defaults, they are the best. */
  const size_t best = r->best.best == r->best.defaults ? TS_NONE : r->best.best;
  h->items[h->count++].set = TS_NONE;
  if (best != TS_NONE) h->items[h->count++].set = best;
  ts_sets_append(project->workflow, &h->sets, NULL, 0, NULL, h->count);
  if (best != TS_NONE) memcpy(h->sets.values + width, r->sets.values + best * width, width * sizeof *h->sets.values);
}

static bool make_plan(struct study_held_out *h, struct ts_issues *issues) {
  struct ts_work *work = &h->variant->work;
  size_t wanted_count = 0;
  const struct ts_source *wanted = ts_planning_study_products(work, &wanted_count);
  h->plan = ts_planning_make(work, h->sets.values, h->count, wanted, wanted_count, false, issues);
  if (!h->plan || !ts_workers_check(work, h->plan, issues)) return false;
  h->collector = ts_collector_create(work->project, h->plan);
  return true;
}

/* Calls never overlap. The columns were checked by the sets of the study. */
static void collect(void *user, uint32_t node, uint32_t port, size_t unit, struct ts_data *data) {
  ts_collector_product(user, node, port, unit, data);
}

/* Its time is that of the study; its tasks are counted apart. */
static void add_effort(const struct ts_project *project, const struct ts_run_result *own, struct study_result *r) {
  for (size_t t = 0; own->tasks && t < project->workflow->task_count; t++)
    r->held_out.executed += own->tasks[t].by_outcome[TS_OUTCOME_EXECUTED];
  ts_study_add_time(project, own, r);
}

static bool run(struct study_result *r, struct ts_issues *issues) {
  struct study_held_out *h = &r->held_out;
  struct engine_run engine = {.work = &h->variant->work,
                              .issues = issues,
                              .plan = h->plan,
                              .values = h->sets.values,
                              .run_id = r->run.id,
                              .command = "study",
                              .progress = r->progress,
                              .user = h->collector,
                              .on_product = collect};
  ts_phases_part(h->variant->project.phases, "held-out files");
  ts_progress_add(r->progress, &h->variant->project, h->plan);
  ts_progress_continue(r->progress, &h->variant->project, h->plan, r->sets.count);
  const bool ok = ts_engine_run(&engine), stopped = engine.result.stopped;
  add_effort(&h->variant->project, &engine.result, r);
  ts_run_result_release(&engine.result);
  if (stopped)
    r->state = "paused";
  else if (ts_progress_any_failed(r->progress))
    r->state = "failed";
  return ok && !stopped;
}

/* The number of an output over the held-out files, and its interval over them. */
static void combine(const struct ts_project *project, const struct study_held_out *h, size_t set, size_t output,
                    struct held_out_set *found) {
  const struct study_output *o = &project->study.outputs[output];
  const struct ts_files_resampling how = {
      .resamples = project->study.resamples, .confidence = project->study.confidence, .seed = ts_study_seed(project)};
  const size_t files = ts_study_file_count(project, output);
  ts_auto_free struct ts_total *totals = ts_calloc(files + 1, sizeof *totals);
  found->ranges[output] = (struct ts_files_spread){NAN, NAN};
  if (o->cost != COST_NONE) {
    found->totals[output] = (struct ts_total){.value = NAN};
    return;
  }
  found->totals[output] = ts_collector_total(h->collector, set, output);
  for (size_t f = 0; f < files; f++) totals[f] = ts_collector_file_total(h->collector, set, output, f);
  if (files > 0) found->ranges[output] = ts_files_spread_of(o->over_files, totals, files, &how);
}

static void combine_all(struct study_held_out *h) {
  const struct ts_project *project = &h->variant->project;
  const size_t outputs = project->study.output_count;
  for (size_t i = 0; i < h->count; i++) {
    struct held_out_set *found = &h->items[i];
    found->totals = ts_calloc(outputs + 1, sizeof *found->totals);
    found->ranges = ts_calloc(outputs + 1, sizeof *found->ranges);
    for (size_t o = 0; o < outputs; o++) combine(project, h, i, o, found);
  }
  h->is_run = true;
}

bool ts_held_out_run(struct ts_work *work, struct study_result *r, struct ts_issues *issues) {
  struct study_held_out *h = &r->held_out;
  const struct ts_project *project = work->project;
  if (project->held_out.item_count == 0 || !has_products(&project->study)) return true;
  h->variant = ts_variant_of_held_out(work);
  choose_sets(project, r);
  if (!make_plan(h, issues) || !run(r, issues)) return false;
  combine_all(h);
  return true;
}

void ts_held_out_release(struct study_held_out *h) {
  for (size_t i = 0; i < TS_HELD_OUT_SETS; i++) {
    free(h->items[i].totals);
    free(h->items[i].ranges);
  }
  if (h->collector) ts_collector_destroy(h->collector);
  ts_plan_destroy(h->plan);
  ts_sets_release(&h->sets);
  ts_variant_destroy(h->variant);
}
