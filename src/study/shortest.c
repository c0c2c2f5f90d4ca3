/* The shortest change: parameters of the best set that bring most of its gain, one after the other.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Forward selection: of all parameters in which the best set differs from the defaults, each is changed alone; the one
 * that brings most stays changed, and each of the others is changed with it. It ends with TS_SHORTEST_GAIN of the gain,
 * with TS_SHORTEST_MOST parameters, or when all are changed. All sets of a step are one round, in the record of the run
 * before they are run; what they share with others is not computed again. */
#include "study/study_result.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

struct search {
  const struct ts_workflow *workflow;
  const struct ts_value *best; /* borrowed: a copy of its values */
  struct ts_value *current;    /* owned: with the changes so far */
  struct ts_value *rows;       /* owned: those of a step */
  size_t *parameters;          /* owned: of each row the one that is changed in it */
  double sign, by_default, gain;
};

/* Rows that violate a constraint are left out. */
static size_t make_rows(struct search *s) {
  const size_t width = s->workflow->parameter_count;
  size_t count = 0;
  for (size_t p = 0; p < width; p++) {
    struct ts_value *row = s->rows + count * width;
    struct ts_error ignored = {0};
    if (ts_value_equal(&s->current[p], &s->best[p])) continue;
    memcpy(row, s->current, width * sizeof *row);
    row[p] = s->best[p];
    if (!ts_workflow_check_set(s->workflow, row, &ignored)) continue;
    s->parameters[count++] = p;
  }
  return count;
}

/* The row that brings most, of equals the first; false if none has a value. */
static bool choose(const struct search *s, const struct study_result *r, size_t first, size_t count,
                   struct study_step *step) {
  double most = -INFINITY;
  for (size_t i = 0; i < count; i++) {
    const double value = ts_study_value(r, first + i, r->best.goal);
    if (!(s->sign * value > most)) continue; /* NaN too */
    most = s->sign * value;
    *step = (struct study_step){.parameter = s->parameters[i],
                                .set = first + i,
                                .value = value,
                                .share = s->sign * (value - s->by_default) / s->gain,
                                .runs = count};
  }
  return most > -INFINITY;
}

static bool take_steps(struct search *s, struct ts_work *work, struct study_result *r, struct ts_issues *issues) {
  struct study_best *best = &r->best;
  size_t useful = 0;
  double share = 0;
  while (best->step_count < TS_SHORTEST_MOST && share < TS_SHORTEST_GAIN) {
    const size_t first = r->sets.count, count = make_rows(s);
    struct study_step *step = &best->steps[best->step_count];
    if (count == 0) break;
    if (!ts_study_run_further(work, r, s->rows, count, issues)) return false;
    best->tried += count;
    if (!choose(s, r, first, count, step)) break;
    best->step_count++;
    s->current[step->parameter] = s->best[step->parameter];
    if (step->share > share) {
      share = step->share;
      useful = best->step_count;
    }
  }
  best->step_count = useful;
  return true;
}

static void search_release(struct search *s) {
  free(s->current);
  free(s->rows);
  free(s->parameters);
}

bool ts_shortest_run(struct ts_work *work, struct study_result *r, struct ts_issues *issues) {
  const struct study_best *best = &r->best;
  const struct ts_workflow *w = work->project->workflow;
  if (best->best == TS_NONE || best->best == best->defaults) return true;
  const size_t width = w->parameter_count;
  ts_auto(search_release) struct search s = {.workflow = w};
  s.sign = ts_goal_sign(&work->project->study, best->goal);
  s.by_default = ts_study_value(r, best->defaults, best->goal);
  s.gain = s.sign * (ts_study_value(r, best->best, best->goal) - s.by_default);
  if (!(s.gain > 0)) return true; /* the defaults have no value */
  ts_auto_free struct ts_value *goal = ts_calloc(width + 1, sizeof *goal);
  memcpy(goal, r->sets.values + best->best * width, width * sizeof *goal); /* rounds move the sets */
  s.best = goal;
  s.current = ts_calloc(width + 1, sizeof *s.current);
  s.rows = ts_calloc(width * width + 1, sizeof *s.rows);
  s.parameters = ts_calloc(width + 1, sizeof *s.parameters);
  for (size_t p = 0; p < width; p++) s.current[p] = w->parameters[p].default_value;
  return take_steps(&s, work, r, issues);
}
