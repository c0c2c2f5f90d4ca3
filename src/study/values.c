/* Finds the set of an earlier study whose values a run is to have.
 * SPDX-License-Identifier: Apache-2.0 */
#include "study/values.h"
#include "order/order.h"
#include "study/best.h"

#include "base/alloc.h"

#include <string.h>

#define BEST_SET "best"
#define ADD_GOAL                                                                                                       \
  "say which output should be high or low, such as {\"output\": \"compare.table:dice\", \"better\": \"higher\"}, and " \
  "run the study again: what it computed is reused"

/* A finished study, as its row and its result describe it. */
struct past_study {
  struct ts_run_row row;
  json_t *result; /* owned */
};

static void past_study_release(struct past_study *past) { json_decref(past->result); }

static json_t *load_result(const struct ts_run_row *row) {
  json_t *result = row->result_json[0] ? json_loads(row->result_json, 0, NULL) : NULL;
  if (json_object_get(result, "runs")) return result;
  json_decref(result);
  return NULL;
}

/* ---- the study ---- */

static bool find_named(const struct ts_project *project, struct ts_store *store, struct ts_arena *arena,
                       struct past_study *past, struct ts_issues *issues) {
  struct ts_error err = {0};
  if (!ts_run_find(store, project->request->of, NULL, arena, &past->row, issues)) return false;
  past->result = load_result(&past->row);
  if (past->result) return true;
  if (strcmp(past->row.command, "study") != 0) {
    ts_fail(&err, TS_ERR_NO_SUCH_RUN, "run %s is not a study: it has no sets to choose from", past->row.id);
    ts_error_help(&err, "see which runs are studies with: tessera status");
  } else {
    ts_fail(&err, TS_ERR_NO_SUCH_RUN, "study %s has no result yet: it is %s", past->row.id, past->row.state);
    ts_error_help(&err, "continue it with: tessera study --resume %s", past->row.id);
  }
  return ts_issues_fault(issues, &err);
}

/* The last study of the project's file, or else of its folder, that has a result, and a goal if it needs one. */
static bool find_last(const struct ts_project *project, struct ts_store *store, bool needs_goal, struct ts_arena *arena,
                      struct past_study *past, struct ts_issues *issues) {
  struct ts_run_row *rows = NULL;
  struct ts_error err = {0};
  size_t count = 0, finished = 0;
  if (!ts_store_run_list(store, arena, &rows, &count, &err)) return ts_issues_fault(issues, &err);
  for (int near = 1; near >= 0; near--) {
    for (size_t i = 0; i < count; i++) {
      if (strcmp(rows[i].command, "study") != 0 || !ts_run_is_near(project, &rows[i], near)) continue;
      *past = (struct past_study){rows[i], load_result(&rows[i])};
      finished += past->result ? 1 : 0;
      if (past->result && (!needs_goal || json_object_get(past->result, "goal"))) return true;
      past_study_release(past);
      past->result = NULL;
    }
  }
  ts_fail(&err, TS_ERR_NO_SUCH_RUN,
          finished > 0 ? "no finished study of this project has a goal"
                       : "this project has no finished study whose values could be used");
  if (finished > 0)
    ts_error_help(&err, ADD_GOAL);
  else
    ts_error_help(&err, "run one with: tessera study");
  return ts_issues_fault(issues, &err);
}

/* ---- the set ---- */

static json_t *fail_set(const struct past_study *past, const char *asked, struct ts_error *err) {
  const size_t count = json_array_size(json_object_get(past->result, "runs"));
  ts_fail(err, TS_ERR_BAD_VALUE, "study %s has no set '%s'", past->row.id, asked);
  ts_error_help(err, "it has %zu sets, 0 to %zu, and default and best", count, count - 1);
  return NULL;
}

static json_t *best_of(const struct past_study *past, struct ts_error *err) {
  json_t *best = json_object_get(json_object_get(past->result, "best"), "params");
  const json_t *goal = json_object_get(past->result, "goal");
  if (best) return json_incref(best);
  if (!goal) {
    ts_fail(err, TS_ERR_NO_SUCH_RUN, "study %s has no goal, and so no best set", past->row.id);
    ts_error_help(err, ADD_GOAL);
  } else {
    ts_fail(err, TS_ERR_NO_SUCH_RUN, "no set of study %s has a value of '%s'", past->row.id,
            json_string_value(json_object_get(goal, "name")));
    ts_error_help(err, "see what failed with: tessera log %s", past->row.id);
  }
  return NULL;
}

/* Those that the study recorded, or else those of the parameters that it varied. */
static json_t *defaults_of(const struct past_study *past) {
  json_t *complete = json_object_get(json_object_get(past->result, "default"), "params");
  const json_t *varied = json_object_get(past->result, "params");
  json_t *defaults = complete ? json_incref(complete) : json_object();
  for (size_t i = 0; !complete && i < json_array_size(varied); i++) {
    const json_t *parameter = json_array_get(varied, i);
    const char *name = json_string_value(json_object_get(parameter, "name"));
    if (name) json_object_set(defaults, name, json_object_get(parameter, "default"));
  }
  return defaults;
}

/* The values of a set by name, a new reference; NULL: an error. */
static json_t *params_of(const struct past_study *past, const char *asked, struct ts_error *err) {
  const json_t *runs = json_object_get(past->result, "runs");
  int64_t number = 0;
  if (strcmp(asked, BEST_SET) == 0) return best_of(past, err);
  if (strcmp(asked, TS_DEFAULT_SET) == 0) return defaults_of(past);
  if (!ts_parse_int64(asked, &number) || number < 0 || (size_t)number >= json_array_size(runs))
    return fail_set(past, asked, err);
  return json_incref(json_object_get(json_array_get(runs, (size_t)number), "params"));
}

static bool take(const struct past_study *past, const char *name, const json_t *value, struct given_values *given,
                 struct ts_error *err) {
  const struct ts_workflow *w = given->workflow;
  size_t p = 0;
  enum ts_engine_setting ignored;
  if (ts_study_engine_find(name, &ignored)) return true; /* how it was run, not what */
  if (!ts_workflow_find_parameter(w, name, &p)) {
    ts_auto_free const char **names = ts_calloc(w->parameter_count + 1, sizeof *names);
    for (size_t i = 0; i < w->parameter_count; i++) names[i] = w->parameters[i].name;
    const char *near = ts_nearest_word(name, names, w->parameter_count);
    ts_fail(err, TS_ERR_UNKNOWN_PARAMETER, "study %s has a parameter '%s', which workflow '%s' does not have",
            past->row.id, name, w->name);
    return near ? ts_error_help(err, "is it called '%s' now? Then give the values with -p or --values", near)
                : ts_error_help(err, "name the workflow or study that run %s was of", past->row.id);
  }
  given->is_given[p] = true;
  if (ts_value_from_json(value, w->parameters[p].type, given->arena, &given->values[p], err) &&
      ts_parameter_check(&w->parameters[p], &given->values[p], err))
    return true;
  ts_error_context(err, "reading '%s' of study %s", name, past->row.id);
  return false;
}

/* Parameters that a study did not vary had the defaults of its time. */
static void warn_changed(const struct ts_project *project, struct ts_store *store, const struct past_study *past,
                         struct ts_issues *issues) {
  const struct ts_json_doc *doc = project->study.is_bare_workflow ? &project->doc : &project->workflow_doc;
  ts_auto(ts_order_release) struct ts_order order = {0};
  struct ts_error ignored = {0};
  if (!ts_order_load(store, &past->row, &order, &ignored)) return;
  const char *then = json_string_value(json_object_get(order.root, "workflow"));
  if (then && doc->text && strcmp(then, doc->text) != 0)
    ts_issues_warn(issues,
                   "the workflow has changed since study %s; parameters that it does not name have today's defaults",
                   past->row.id);
}

static bool take_set(struct ts_project *project, struct ts_store *store, const char *asked, struct given_values *given,
                     struct ts_issues *issues) {
  ts_auto(past_study_release) struct past_study past = {0};
  struct ts_error err = {0};
  const bool needs_goal = strcmp(asked, BEST_SET) == 0;
  if (!store) return ts_issues_usage(issues, "name the store of the study with --store", "there is no store");
  if (project->request->of ? !find_named(project, store, given->arena, &past, issues)
                           : !find_last(project, store, needs_goal, given->arena, &past, issues))
    return false;
  ts_auto(json_decrefp) json_t *params = params_of(&past, asked, &err);
  const char *name;
  json_t *value;
  json_object_foreach(params, name, value) {
    if (!take(&past, name, value, given, &err)) break;
  }
  if (err.code != TS_ERR_OK) return ts_issues_fault(issues, &err);
  warn_changed(project, store, &past, issues);
  const json_t *set = json_object_get(json_object_get(past.result, "best"), "set");
  project->values_from =
      needs_goal && json_is_integer(set)
          ? ts_arena_printf(&project->arena, "set %lld of study %s, its best", (long long)json_integer_value(set),
                            past.row.id)
          : ts_arena_printf(&project->arena, "set %s of study %s", needs_goal ? TS_DEFAULT_SET : asked, past.row.id);
  return true;
}

/* ---- the request ---- */

static bool check_request(const struct ts_request *r, struct ts_issues *issues) {
  const bool has_set = r->set && strcmp(r->set, BEST_SET) != 0;
  if (r->values && (r->of || r->set || r->best))
    return ts_issues_usage(issues, "give a file, or a set of a study", "--values and --%s name two sources of values",
                           r->of    ? "of"
                           : r->set ? "set"
                                    : "best");
  if (r->best && has_set)
    return ts_issues_usage(issues, "give one of the two", "--best and --set %s name two sets", r->set);
  if (r->of && !r->set && !r->best)
    return ts_issues_usage(issues, "add --best, --set default or --set with a number of results.csv",
                           "--of %s names a study, but none of its sets", r->of);
  return true;
}

static bool is_overridden(const struct ts_request *request, const char *name) {
  size_t i = 0;
  while (i < request->parameter_count && strcmp(request->parameters[i].name, name) != 0) i++;
  return i < request->parameter_count;
}

/* A request whose settings are these values, and behind them its own. */
static void adopt(struct ts_project *project, const struct given_values *given) {
  const struct ts_workflow *w = given->workflow;
  struct ts_request *request = ts_arena_memdup(&project->arena, project->request, sizeof *request);
  const size_t own = request->parameter_count;
  struct tessera_setting *list = ts_arena_array(&project->arena, w->parameter_count + own, sizeof *list);
  size_t count = 0;
  for (size_t p = 0; p < w->parameter_count; p++) {
    ts_auto(ts_str_release) struct ts_str text = {0};
    if (!given->is_given[p] || is_overridden(request, w->parameters[p].name)) continue;
    ts_value_print(&given->values[p], &text);
    list[count++] =
        (struct tessera_setting){w->parameters[p].name, ts_arena_strdup(&project->arena, ts_str_get(&text))};
  }
  for (size_t i = 0; i < own; i++) list[count++] = request->parameters[i];
  request->parameters = list;
  request->parameter_count = count;
  project->request = request;
}

bool ts_values_settle(struct ts_project *project, struct ts_store *store, struct ts_issues *issues) {
  const struct ts_request *request = project->request;
  const size_t count = project->workflow->parameter_count;
  if (!request->values && !request->of && !request->set && !request->best) return true;
  if (!check_request(request, issues)) return false;
  struct given_values given = {.workflow = project->workflow,
                               .arena = &project->arena,
                               .values = ts_arena_array(&project->arena, count + 1, sizeof(struct ts_value)),
                               .is_given = ts_arena_array(&project->arena, count + 1, sizeof(bool))};
  if (request->values) {
    const char *path = ts_request_path(request, &project->arena, request->values);
    if (!ts_values_read(path, &given, issues)) return false;
    project->values_from = path;
  } else if (!take_set(project, store, request->best ? BEST_SET : request->set, &given, issues)) {
    return false;
  }
  adopt(project, &given);
  return true;
}
