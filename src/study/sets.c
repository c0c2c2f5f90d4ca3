/* Parameter sets: from a method's design, from a CSV file, or one set from the command line.
 * SPDX-License-Identifier: Apache-2.0 */
#include "study/study_int.h"

#include "base/alloc.h"

#include <string.h>

/* Full rows: defaults, with the design's columns in their places. */
static void fill_rows(const struct ts_workflow *w, struct parameter_sets *sets) {
  const struct ts_design *d = &sets->design;
  size_t *places = ts_calloc(d->column_count + 1, sizeof *places);
  for (size_t c = 0; c < d->column_count; c++) {
    if (!ts_workflow_find_parameter(w, d->names[c], &places[c]))
      TS_BUG("the design varies the unknown parameter '%s'", d->names[c]);
  }
  sets->count = d->row_count;
  sets->values = ts_calloc(d->row_count * w->parameter_count + 1, sizeof *sets->values);
  for (size_t r = 0; r < d->row_count; r++) {
    struct ts_value *row = sets->values + r * w->parameter_count;
    for (size_t p = 0; p < w->parameter_count; p++) row[p] = w->parameters[p].default_value;
    for (size_t c = 0; c < d->column_count; c++) row[places[c]] = d->values[r * d->column_count + c];
  }
  free(places);
}

struct acceptor {
  const struct ts_workflow *workflow;
  const struct ts_space *space;
  size_t *places;
  struct ts_value *row;
};

/* Whether a row of the design satisfies the workflow's constraints; what is not varied has its default. */
static bool accept_row(void *user, const struct ts_value *row) {
  struct acceptor *a = user;
  for (size_t c = 0; c < a->space->count; c++) a->row[a->places[c]] = row[c];
  struct ts_error ignored = {0};
  return ts_workflow_check_set(a->workflow, a->row, &ignored);
}

static bool morris_design(struct session *s, struct parameter_sets *sets, struct ts_error *err) {
  const struct ts_workflow *w = s->workflow;
  struct acceptor a = {.workflow = w, .space = &sets->space};
  if (!ts_space_of_workflow(&sets->space, w, s->study.varied, s->study.varied_count, err)) {
    if (s->study.varied_count > 0) ts_json_place(err, &s->doc, "/parameters", TS_JSON_VALUE);
    return false;
  }
  a.places = ts_arena_array(&s->arena, a.space->count + 1, sizeof *a.places);
  a.row = ts_arena_array(&s->arena, w->parameter_count + 1, sizeof *a.row);
  for (size_t p = 0; p < w->parameter_count; p++) a.row[p] = w->parameters[p].default_value;
  for (size_t c = 0; c < a.space->count; c++) ts_workflow_find_parameter(w, a.space->parameters[c]->name, &a.places[c]);
  struct ts_morris_options options = {.trajectories =
                                          s->request->trajectories ? s->request->trajectories : s->study.trajectories,
                                      .levels = s->study.levels,
                                      .seed = s->request->has_seed ? s->request->seed : s->study.seed};
  return ts_design_morris(&sets->design, &sets->space, &options, accept_row, &a, err);
}

bool ts_sets_of_study(struct session *s, struct parameter_sets *sets) {
  struct ts_error err = {0};
  *sets = (struct parameter_sets){0};
  if (s->request->method && strcmp(s->request->method, "morris") != 0) {
    ts_fail(&err, TS_ERR_USAGE, "unknown method '%s'", s->request->method);
    ts_error_help(&err, "this version knows: morris");
    ts_session_fault(s, &err);
    return false;
  }
  if (s->request->trajectories == 1) {
    ts_fail(&err, TS_ERR_USAGE, "a study needs at least 2 trajectories");
    ts_error_help(&err, "10 are usual: --trajectories 10");
    ts_session_fault(s, &err);
    return false;
  }
  if (s->request->design) {
    sets->is_given = true;
    if (!ts_design_read_csv(&sets->design, s->workflow, ts_session_path(s, s->request->design), &s->faults))
      return false;
  } else if (!morris_design(s, sets, &err)) {
    ts_session_fault(s, &err);
    return false;
  }
  fill_rows(s->workflow, sets);
  return true;
}

static bool apply_setting(struct session *s, struct ts_value *row, const struct ts_parameter_setting *setting) {
  const struct ts_workflow *w = s->workflow;
  struct ts_error err = {0};
  size_t index = 0;
  if (!ts_workflow_find_parameter(w, setting->name, &index)) {
    const char **names = ts_arena_array(&s->arena, w->parameter_count + 1, sizeof *names);
    for (size_t p = 0; p < w->parameter_count; p++) names[p] = w->parameters[p].name;
    const char *near = ts_nearest_word(setting->name, names, w->parameter_count);
    ts_fail(&err, TS_ERR_UNKNOWN_PARAMETER, "the workflow has no parameter '%s'", setting->name);
    if (near) ts_error_help(&err, "did you mean '%s'?", near);
  } else if (ts_value_from_text(setting->value, w->parameters[index].type, &s->arena, &row[index], &err)) {
    ts_parameter_check(&w->parameters[index], &row[index], &err);
  } else {
    ts_error_context(&err, "reading -p %s=%s", setting->name, setting->value);
  }
  if (err.code != TS_ERR_OK) ts_session_fault(s, &err);
  return err.code == TS_ERR_OK;
}

bool ts_sets_single(struct session *s, struct parameter_sets *sets) {
  const struct ts_workflow *w = s->workflow;
  *sets = (struct parameter_sets){.count = 1};
  sets->values = ts_calloc(w->parameter_count + 1, sizeof *sets->values);
  for (size_t p = 0; p < w->parameter_count; p++) sets->values[p] = w->parameters[p].default_value;
  for (size_t i = 0; i < s->request->parameter_count; i++) apply_setting(s, sets->values, &s->request->parameters[i]);
  struct ts_error err = {0};
  if (ts_session_ok(s) && !ts_workflow_check_set(w, sets->values, &err)) ts_session_fault(s, &err);
  return ts_session_ok(s);
}

void ts_sets_release(struct parameter_sets *sets) {
  free(sets->values);
  ts_design_release(&sets->design);
  ts_space_release(&sets->space);
}
