/* Which set would be the best one if a file were not there: from the values that all files have, without further runs.
 * SPDX-License-Identifier: Apache-2.0 */
#include "study/study_result.h"

#include "base/alloc.h"

#include <math.h>

struct leaving {
  const struct study_result *r;
  struct ts_total *totals; /* owned: of one set, by file */
  struct ts_total *rest;   /* owned: without one of them */
  size_t files;
  double sign;
};

/* Looks at one set for every file that is left out. A set that is `last` is the choice among equals. */
static void look_at(struct leaving *l, size_t set, bool last, struct study_choice *choices) {
  const size_t goal = l->r->best.goal;
  const enum ts_over over = l->r->course.project->study.outputs[goal].over_files;
  for (size_t f = 0; f < l->files; f++) l->totals[f] = ts_study_file_total(l->r, set, goal, f);
  for (size_t out = 0; out < l->files; out++) {
    size_t count = 0;
    for (size_t f = 0; f < l->files; f++)
      if (f != out) l->rest[count++] = l->totals[f];
    const double value = ts_total_of_files(over, l->rest, count).value;
    struct study_choice *choice = &choices[out];
    const bool is_first = choice->set == TS_NONE && !isnan(value);
    const double more = l->sign * (value - choice->rest);
    if (is_first || more > 0 || (last && more == 0)) *choice = (struct study_choice){out, set, value};
  }
}

void ts_choices_find(struct study_result *r) {
  struct study_best *best = &r->best;
  const struct ts_project *project = r->course.project;
  const size_t files = ts_study_file_count(project, best->goal);
  if (best->best == TS_NONE || files < 2 || files > TS_CHOICE_FILES) return;
  ts_auto_free struct ts_total *totals = ts_calloc(files, sizeof *totals);
  ts_auto_free struct ts_total *rest = ts_calloc(files, sizeof *rest);
  struct leaving leaving = {
      .r = r, .totals = totals, .rest = rest, .files = files, .sign = ts_goal_sign(&project->study, best->goal)};
  best->choices = ts_calloc(files, sizeof *best->choices);
  best->choice_count = files;
  for (size_t f = 0; f < files; f++) best->choices[f] = (struct study_choice){.file = f, .set = TS_NONE, .rest = NAN};
  for (size_t i = 0; i < ts_study_set_count(r); i++) look_at(&leaving, i, false, best->choices);
  if (best->defaults != TS_NONE) look_at(&leaving, best->defaults, true, best->choices);
}
