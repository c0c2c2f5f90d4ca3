/* The goal of a study in its result object: defaults, best set, the ten best, the shortest change, the choice by file.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/api_int.h"
#include "api/study/best_text.h"

#include "base/alloc.h"
#include "base/json.h"

#include <math.h>

static const struct study_output *goal_of(const struct study_result *r) {
  return &r->course.project->study.outputs[r->best.goal];
}

static const struct ts_value *values_of(const struct study_result *r, size_t set) {
  return r->sets.values + set * r->course.project->workflow->parameter_count;
}

static json_t *number_of(const struct study_result *r, size_t set) {
  return set == r->best.defaults ? json_string(TS_DEFAULT_SET) : json_integer((json_int_t)set);
}

static json_t *goal_json(const struct study_output *goal) {
  json_t *object = json_pack("{s:s, s:s, s:s}", "name", goal->name, "label", goal->label, "better", goal->better);
  if (goal->against) json_object_set_new(object, "against", json_string(goal->against));
  return object;
}

/* The parameters of a set by name: all, or those that differ from their defaults. */
static json_t *params_json(const struct study_result *r, size_t set, bool all) {
  const struct ts_workflow *w = r->course.project->workflow;
  json_t *object = json_object();
  for (size_t p = 0; p < w->parameter_count; p++) {
    const struct ts_value *value = &values_of(r, set)[p];
    if (all || !ts_value_equal(value, &w->parameters[p].default_value))
      json_object_set_new(object, w->parameters[p].name, ts_value_to_json(value));
  }
  return object;
}

/* The goal at a set, and its interval over the files. */
static void add_value(const struct study_result *r, size_t set, json_t *object) {
  const struct ts_project *project = r->course.project;
  const struct ts_files_resampling how = {
      .resamples = project->study.resamples, .confidence = project->study.confidence, .seed = ts_study_seed(project)};
  const size_t files = ts_study_file_count(project, r->best.goal);
  struct ts_files_spread spread = {NAN, NAN};
  ts_auto_free struct ts_total *totals = ts_calloc(files + 1, sizeof *totals);
  for (size_t f = 0; f < files; f++) totals[f] = ts_study_file_total(r, set, r->best.goal, f);
  if (files > 0) spread = ts_files_spread_of(goal_of(r)->over_files, totals, files, &how);
  json_object_set_new(object, "value", ts_json_real(ts_study_value(r, set, r->best.goal)));
  json_object_set_new(object, "lo", ts_json_real(spread.low));
  json_object_set_new(object, "hi", ts_json_real(spread.high));
}

static json_t *by_file_json(const struct study_result *r, size_t set) {
  const struct ts_project *project = r->course.project;
  json_t *list = json_array();
  for (size_t f = 0; f < ts_study_file_count(project, r->best.goal); f++)
    json_array_append_new(list, json_pack("{s:s, s:o}", "file", project->dataset.items[f].name, "value",
                                          ts_json_real(ts_study_file_value(r, set, r->best.goal, f))));
  return list;
}

static json_t *set_json(struct study_result *r, size_t set) {
  json_t *object = json_object();
  json_object_set_new(object, "set", number_of(r, set));
  json_object_set_new(object, "params", params_json(r, set, true));
  add_value(r, set, object);
  json_object_set_new(object, "by_file", by_file_json(r, set));
  json_object_set_new(object, "command", json_string(ts_best_command_of_set(r, set)));
  return object;
}

static json_t *top_json(struct study_result *r) {
  json_t *list = json_array();
  for (size_t i = 0; i < r->best.top_count; i++) {
    const size_t set = r->best.top[i];
    json_t *object = json_pack("{s:I, s:o}", "set", (json_int_t)set, "params", params_json(r, set, false));
    add_value(r, set, object);
    json_object_set_new(object, "command", json_string(ts_best_command_of_set(r, set)));
    json_array_append_new(list, object);
  }
  return list;
}

/* ---- the shortest change ---- */

static json_t *steps_json(const struct study_result *r) {
  const struct ts_workflow *w = r->course.project->workflow;
  json_t *list = json_array();
  for (size_t i = 0; i < r->best.step_count; i++) {
    const struct study_step *step = &r->best.steps[i];
    json_array_append_new(list, json_pack("{s:s, s:o, s:o, s:o, s:I}", "parameter", w->parameters[step->parameter].name,
                                          "value", ts_value_to_json(&values_of(r, step->set)[step->parameter]), "goal",
                                          ts_json_real(step->value), "share", ts_json_real(step->share), "runs",
                                          (json_int_t)step->runs));
  }
  return list;
}

static json_t *losers_json(const struct study_result *r, size_t set) {
  const struct ts_project *project = r->course.project;
  json_t *list = json_array();
  for (size_t f = 0; f < ts_study_file_count(project, r->best.goal); f++)
    if (ts_best_loses(r, set, f))
      json_array_append_new(list, json_pack("{s:s, s:o, s:o}", "file", project->dataset.items[f].name, "default",
                                            ts_json_real(ts_study_file_value(r, r->best.defaults, r->best.goal, f)),
                                            "value", ts_json_real(ts_study_file_value(r, set, r->best.goal, f))));
  return list;
}

static json_t *shortest_json(struct study_result *r) {
  const struct study_best *best = &r->best;
  json_t *object = json_pack("{s:o, s:I}", "steps", steps_json(r), "runs", (json_int_t)best->tried);
  if (best->step_count > 0) {
    const size_t set = best->steps[best->step_count - 1].set;
    json_object_set_new(object, "params", params_json(r, set, false));
    add_value(r, set, object);
    json_object_set_new(object, "share", ts_json_real(best->steps[best->step_count - 1].share));
    json_object_set_new(object, "by_file", by_file_json(r, set));
    json_object_set_new(object, "loses", losers_json(r, set));
    json_object_set_new(object, "command", json_string(ts_best_command_of_change(r, set)));
  }
  json_object_set_new(object, "text", json_string(ts_best_change_text(r)));
  return object;
}

/* ---- the choice without each file ---- */

static json_t *choice_json(const struct study_result *r, const struct study_choice *choice) {
  const struct study_best *best = &r->best;
  const size_t goal = best->goal, file = choice->file;
  if (choice->set == TS_NONE) /* no set has a value without it */
    return json_pack("{s:s, s:n}", "file", r->course.project->dataset.items[file].name, "set");
  json_t *object =
      json_pack("{s:s, s:o, s:b, s:o, s:o, s:o}", "file", r->course.project->dataset.items[file].name, "set",
                number_of(r, choice->set), "same", ts_best_is_same_choice(r, choice), "rest",
                ts_json_real(choice->rest), "left_out", ts_json_real(ts_study_file_value(r, choice->set, goal, file)),
                "best", ts_json_real(ts_study_file_value(r, best->best, goal, file)));
  if (best->defaults != TS_NONE)
    json_object_set_new(object, "default", ts_json_real(ts_study_file_value(r, best->defaults, goal, file)));
  return object;
}

static json_t *choices_json(struct study_result *r) {
  json_t *files = json_array();
  size_t changes = 0;
  for (size_t i = 0; i < r->best.choice_count; i++) {
    json_array_append_new(files, choice_json(r, &r->best.choices[i]));
    changes += ts_best_is_same_choice(r, &r->best.choices[i]) ? 0 : 1;
  }
  return json_pack("{s:o, s:I, s:s}", "files", files, "changes", (json_int_t)changes, "text", ts_best_choice_text(r));
}

void ts_study_best_json(struct study_result *r, json_t *object) {
  const struct study_best *best = &r->best;
  if (best->goal == TS_NONE) return;
  json_object_set_new(object, "goal", goal_json(goal_of(r)));
  if (best->defaults != TS_NONE) json_object_set_new(object, "default", set_json(r, best->defaults));
  if (best->best != TS_NONE) json_object_set_new(object, "best", set_json(r, best->best));
  json_object_set_new(object, "top", top_json(r));
  if (best->tried > 0) json_object_set_new(object, "shortest_change", shortest_json(r));
  if (best->choice_count > 0) json_object_set_new(object, "choice_stability", choices_json(r));
  if (r->further.sets > 0)
    json_object_set_new(object, "further",
                        json_pack("{s:I, s:I, s:I}", "runs", (json_int_t)r->further.sets, "requested",
                                  (json_int_t)r->further.effort.requested, "executed",
                                  (json_int_t)r->further.effort.executed));
  if (r->values_path) json_object_set_new(object, "values_file", json_string(r->values_path));
}
