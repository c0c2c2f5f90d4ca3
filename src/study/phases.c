/* Phases of a study: the screening says which parameters the second phase varies, the others stay at their defaults.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The rule: a parameter is kept if the upper end of its mu* interval reaches a share of the largest mu* of an
 * output, for any output. A parameter whose effect is not known is kept. */
#include "project/study_method.h"
#include "study/study_result.h"

#include "base/alloc.h"
#include "base/str.h"
#include "report/text.h"

#include <math.h>
#include <string.h>

/* The result of a parameter or group in the screening: the best over all outputs. */
struct candidate {
  const char *name;
  double reach; /* upper end of the interval, as a share of the largest mu*; infinite: not known */
  const char *why;
  bool kept;
};

static double largest_of(const struct ts_indices *indices, size_t column) {
  double largest = 0;
  for (size_t i = 0; i < indices->name_count; i++)
    largest = fmax(largest, indices->cells[i * indices->column_count + column].value);
  return largest;
}

/* "mu* 64 400 (61 200 to 67 900) of compare.table:diff, whose largest is 80 300" */
static const char *write_why(struct ts_work *work, const struct ts_index *index, const char *output, double largest) {
  char value[TS_NUMBER_SIZE], low[TS_NUMBER_SIZE], high[TS_NUMBER_SIZE], most[TS_NUMBER_SIZE];
  return ts_arena_printf(&work->arena, "mu* %s (%s to %s) of %s, whose largest is %s",
                         ts_format_number(index->value, 3, value), ts_format_number(index->low, 3, low),
                         ts_format_number(index->high, 3, high), output, ts_format_number(largest, 3, most));
}

static void rate(struct ts_work *work, const struct study_analysis *analysis, size_t column, double largest, size_t i,
                 struct candidate *candidate) {
  const struct ts_index *index = &analysis->indices.cells[i * analysis->indices.column_count + column];
  const char *output = work->project->study.outputs[analysis->output].name;
  double reach = isnan(index->high) ? INFINITY : largest > 0 ? index->high / largest : 0;
  if (candidate->why && reach <= candidate->reach) return;
  candidate->reach = reach;
  if (isinf(reach))
    candidate->why = ts_arena_printf(&work->arena, "nothing is known about its effect on %s", output);
  else
    candidate->why = write_why(work, index, output, largest);
}

static struct candidate *find_candidates(struct ts_work *work, const struct study_phase *phase, size_t *count) {
  *count = phase->sets.group_count;
  struct candidate *candidates = ts_arena_array(&work->arena, *count + 1, sizeof *candidates);
  for (size_t o = 0; o < work->project->study.output_count; o++) {
    const struct study_analysis *analysis = ts_study_answer_of(phase, o);
    size_t column = ts_indices_column(&analysis->indices, "mu_star");
    double largest = largest_of(&analysis->indices, column);
    for (size_t i = 0; i < *count; i++) {
      candidates[i].name = analysis->indices.names[i];
      rate(work, analysis, column, largest, i, &candidates[i]);
    }
  }
  return candidates;
}

static struct candidate *best_left(struct candidate *candidates, size_t count) {
  struct candidate *best = NULL;
  for (size_t i = 0; i < count; i++) {
    if (!candidates[i].kept && (!best || candidates[i].reach > best->reach)) best = &candidates[i];
  }
  return best;
}

/* The best first, at least one, until the rule or the limit ends it. */
static void keep_by_rule(struct ts_work *work, struct candidate *candidates, size_t count, struct study_phase *phase) {
  const struct study_keep *keep = &work->project->study.keep;
  size_t most = keep->most && keep->most < count ? keep->most : count;
  for (size_t kept = 0; kept < most; kept++) {
    struct candidate *best = best_left(candidates, count);
    if (kept > 0 && best->reach < keep->share) break;
    best->kept = true;
  }
  phase->rule =
      ts_arena_printf(&work->arena, "the upper end of the mu* interval reaches %s %% of the largest mu*%s",
                      TS_SIGNIFICANT(100 * keep->share, 6),
                      keep->most ? ts_arena_printf(&work->arena, "; at most %zu parameters", keep->most) : "");
}

static void fail_name(const struct ts_project *project, const char *name, const struct candidate *candidates,
                      size_t count, struct ts_issues *issues) {
  ts_auto_free const char **names = ts_calloc(count + 1, sizeof *names);
  for (size_t i = 0; i < count; i++) names[i] = candidates[i].name;
  const char *near = ts_nearest_word(name, names, count);
  struct ts_error err = {0};
  ts_fail(&err, project->request->keep ? TS_ERR_USAGE : TS_ERR_UNKNOWN_PARAMETER, "the study does not vary '%s'", name);
  ts_error_help(&err, near ? "did you mean '%s'?" : "name parameters that the screening varies%s", near ? near : "");
  if (!project->request->keep) ts_json_place(&err, &project->doc, "/method/keep/parameters", TS_JSON_VALUE);
  ts_issues_fault(issues, &err);
}

static bool keep_named(const struct ts_project *project, struct candidate *candidates, size_t count,
                       struct study_phase *phase, struct ts_issues *issues) {
  const struct study_keep *keep = &project->study.keep;
  for (size_t n = 0; n < keep->name_count; n++) {
    size_t i = 0;
    while (i < count && strcmp(candidates[i].name, keep->names[n]) != 0) i++;
    if (i < count)
      candidates[i].kept = true;
    else
      fail_name(project, keep->names[n], candidates, count, issues);
  }
  phase->rule = "named by the user";
  return ts_issues_ok(issues);
}

static void split(struct ts_work *work, const struct candidate *candidates, size_t count, struct study_phase *phase) {
  phase->kept = ts_arena_array(&work->arena, count + 1, sizeof *phase->kept);
  phase->dropped = ts_arena_array(&work->arena, count + 1, sizeof *phase->dropped);
  phase->why = ts_arena_array(&work->arena, count + 1, sizeof *phase->why);
  for (size_t i = 0; i < count; i++) {
    if (candidates[i].kept) {
      phase->why[phase->kept_count] = candidates[i].why;
      phase->kept[phase->kept_count++] = candidates[i].name;
    }
  }
  for (size_t i = 0; i < count; i++) {
    if (!candidates[i].kept) {
      phase->why[phase->kept_count + phase->dropped_count] = candidates[i].why;
      phase->dropped[phase->dropped_count++] = candidates[i].name;
    }
  }
}

/* The members of the kept groups, in the order of the space. */
static const char **members(struct ts_work *work, const struct study_phase *phase, size_t *count) {
  const struct ts_design *d = &phase->sets.design;
  const char **names = ts_arena_array(&work->arena, d->column_count + 1, sizeof *names);
  *count = 0;
  for (size_t c = 0; c < d->column_count; c++) {
    const char *unit = phase->sets.group_of ? phase->sets.group_names[phase->sets.group_of[c]] : d->names[c];
    for (size_t k = 0; k < phase->kept_count; k++) {
      if (strcmp(unit, phase->kept[k]) == 0) names[(*count)++] = d->names[c];
    }
  }
  return names;
}

/* A second phase that is too large for the limit of runs is made as large as fits. */
static bool fit_budget(const struct ts_project *project, struct study_result *r, struct study_phase *phase,
                       struct ts_issues *issues) {
  size_t most = project->study.max_runs, size = ts_study_phase_size(phase), fits = 1;
  if (most == 0 || r->sets.count + phase->sets.count <= most) return true;
  size_t left = most > r->sets.count ? (most - r->sets.count) / (phase->sets.count / size) : 0;
  while (2 * fits <= left) fits *= 2; /* sequences are balanced for powers of two */
  if (fits < phase->method->kind->least) {
    struct ts_error err = {0};
    ts_fail(&err, TS_ERR_BAD_VALUE, "after the screening, the limit of %zu runs leaves none for the second phase",
            most);
    ts_error_help(&err, "allow more runs with --max-runs, or screen with fewer trajectories; finished runs are kept");
    ts_issues_fault(issues, &err);
    return false;
  }
  ts_issues_warn(issues, "the limit of %zu runs leaves %zu %s for the second phase, instead of %zu", most, fits,
                 phase->method->kind->count_key, size);
  struct parameter_sets large = phase->sets;
  bool ok =
      ts_sets_draw(project, phase->method, large.design.names, large.design.column_count, fits, &phase->sets, issues);
  ts_sets_release(&large);
  return ok;
}

static bool begin_second(struct ts_work *work, struct study_result *r, struct study_phase *phase,
                         struct ts_issues *issues) {
  const struct ts_project *project = work->project;
  struct study_phase *screening = &r->phases[0];
  size_t count = 0, column_count = 0;
  struct candidate *candidates = find_candidates(work, screening, &count);
  if (project->study.keep.name_count == 0)
    keep_by_rule(work, candidates, count, screening);
  else if (!keep_named(project, candidates, count, screening, issues))
    return false;
  split(work, candidates, count, screening);
  const char **columns = members(work, screening, &column_count);
  return ts_sets_draw(project, phase->method, columns, column_count, 0, &phase->sets, issues) &&
         fit_budget(project, r, phase, issues);
}

bool ts_study_check_names(const struct ts_project *project, const struct parameter_sets *sets,
                          struct ts_issues *issues) {
  size_t count = sets->group_count;
  if (project->study.phase_count < 2) return true;
  ts_auto_free struct candidate *candidates = ts_calloc(count + 1, sizeof *candidates);
  for (size_t i = 0; i < count; i++) candidates[i].name = sets->group_of ? sets->group_names[i] : sets->design.names[i];
  struct study_phase ignored = {0};
  return keep_named(project, candidates, count, &ignored, issues);
}

bool ts_study_begin_phase(struct ts_work *work, struct study_result *r, struct ts_issues *issues) {
  const struct ts_project *project = work->project;
  struct study_phase *phase = &r->phases[r->phase_count];
  *phase = (struct study_phase){.method = &project->study.methods[r->phase_count], .first = r->sets.count};
  bool ok =
      r->phase_count == 0 ? ts_sets_of_study(project, &phase->sets, issues) : begin_second(work, r, phase, issues);
  r->phase_count++;
  if (r->phase_count == 1) r->sets.is_given = phase->sets.is_given;
  return ok;
}

static json_t *names_json(const char *const *names, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) json_array_append_new(list, json_string(names[i]));
  return list;
}

static json_t *phase_json(const struct ts_project *project, const struct study_phase *phase, size_t number) {
  const char *name = phase->method->kind == &ts_kind_vbd ? "variance" : "then";
  if (number == 0) name = project->study.phase_count == 1 ? "study" : "screening";
  json_t *object = json_pack("{s:s, s:s}", "name", name, "method", phase->method->kind->name);
  json_object_set_new(object, "runs", json_integer((json_int_t)phase->sets.count));
  json_object_set_new(object, "distinct_runs", json_integer((json_int_t)ts_design_distinct(&phase->sets.design, NULL)));
  json_object_set_new(object, "rounds", json_integer((json_int_t)phase->rounds));
  json_object_set_new(object, "first_run", json_integer((json_int_t)phase->first));
  json_object_set_new(object, "parameters", names_json(phase->sets.design.names, phase->sets.design.column_count));
  json_object_set_new(object, "requested", json_integer((json_int_t)phase->requested));
  json_object_set_new(object, "executed", json_integer((json_int_t)phase->executed));
  json_object_set_new(object, "reused", json_integer((json_int_t)(phase->requested - phase->executed)));
  if (!phase->rule) return object;
  json_t *why = json_object();
  for (size_t i = 0; i < phase->kept_count; i++) json_object_set_new(why, phase->kept[i], json_string(phase->why[i]));
  for (size_t i = 0; i < phase->dropped_count; i++)
    json_object_set_new(why, phase->dropped[i], json_string(phase->why[phase->kept_count + i]));
  json_object_set_new(object, "rule", json_string(phase->rule));
  json_object_set_new(object, "kept", names_json(phase->kept, phase->kept_count));
  json_object_set_new(object, "dropped", names_json(phase->dropped, phase->dropped_count));
  json_object_set_new(object, "why", why);
  return object;
}

json_t *ts_study_phases_json(const struct ts_project *project, const struct study_result *r) {
  json_t *list = json_array();
  for (size_t p = 0; p < r->phase_count; p++) json_array_append_new(list, phase_json(project, &r->phases[p], p));
  return list;
}
