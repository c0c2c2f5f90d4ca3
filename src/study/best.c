/* Finds the goal of a study, runs the defaults, and ranks the sets by the goal.
 * SPDX-License-Identifier: Apache-2.0 */
#include "study/best.h"
#include "study/study_result.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

size_t ts_study_goal(const struct study_file *study) {
  for (size_t o = 0; o < study->output_count; o++)
    if (study->outputs[o].better) return o;
  return TS_NONE;
}

double ts_goal_sign(const struct study_file *study, size_t goal) {
  return strcmp(study->outputs[goal].better, "lower") == 0 ? -1 : 1;
}

/* The sets of a recorded run are repeated with those that it had run further. */
static bool runs_further(const struct ts_project *project) {
  return !project->study.is_measured && !(project->order && project->order->rounds);
}

size_t ts_study_most_further(const struct ts_project *project, size_t varied) {
  size_t most = 1;
  if (ts_study_goal(&project->study) == TS_NONE || !runs_further(project)) return 0;
  for (size_t step = 0; step < TS_SHORTEST_MOST && step < varied; step++) most += varied - step;
  return most;
}

static bool run_defaults(struct ts_work *work, struct study_result *r, struct ts_issues *issues) {
  const struct ts_workflow *w = work->project->workflow;
  ts_auto_free struct ts_value *values = ts_calloc(w->parameter_count + 1, sizeof *values);
  for (size_t p = 0; p < w->parameter_count; p++) values[p] = w->parameters[p].default_value;
  r->best.defaults = r->sets.count;
  return ts_study_run_further(work, r, values, 1, issues);
}

/* Puts the set among the best ones known so far, behind its equals. */
static void rank(struct study_best *best, double *values, size_t set, double value) {
  size_t place = best->top_count;
  while (place > 0 && value > values[place - 1]) place--;
  if (place == TS_BEST_TOP) return;
  if (best->top_count < TS_BEST_TOP) best->top_count++;
  for (size_t i = best->top_count - 1; i > place; i--) {
    best->top[i] = best->top[i - 1];
    values[i] = values[i - 1];
  }
  best->top[place] = set;
  values[place] = value;
}

/* The defaults are the best where no set is better. */
static void rank_all(struct study_result *r) {
  struct study_best *best = &r->best;
  const double sign = ts_goal_sign(&r->course.project->study, best->goal);
  double values[TS_BEST_TOP] = {0};
  for (size_t i = 0; i < ts_study_set_count(r); i++) {
    const double value = sign * ts_study_value(r, i, best->goal);
    if (!isnan(value)) rank(best, values, i, value);
  }
  if (best->top_count > 0) best->best = best->top[0];
  if (best->defaults == TS_NONE) return;
  const double by_default = sign * ts_study_value(r, best->defaults, best->goal);
  if (best->top_count == 0 ? !isnan(by_default) : by_default >= values[0]) best->best = best->defaults;
}

bool ts_best_run(struct ts_work *work, struct study_result *r, struct ts_issues *issues) {
  const struct ts_project *project = work->project;
  const bool more = runs_further(project);
  r->best = (struct study_best){.goal = ts_study_goal(&project->study), .defaults = TS_NONE, .best = TS_NONE};
  if (r->best.goal == TS_NONE) return true;
  if (more && !run_defaults(work, r, issues)) return false;
  rank_all(r);
  if (more && !ts_shortest_run(work, r, issues)) return false;
  ts_choices_find(r);
  return true;
}

void ts_best_release(struct study_best *best) { free(best->choices); }
