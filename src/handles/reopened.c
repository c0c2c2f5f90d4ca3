/* Opens a recorded run from its work order, and finds its parameter sets.
 * SPDX-License-Identifier: Apache-2.0 */
#include "handles/reopened.h"

#include "base/alloc.h"

#include <string.h>

void ts_reopened_init(struct ts_reopened *reopened) {
  *reopened = (struct ts_reopened){0};
  pthread_mutex_init(&reopened->lock, NULL);
}

static void close_project(struct ts_reopened *reopened) {
  ts_project_release(&reopened->project);
  ts_order_release(&reopened->order);
  ts_arena_release(&reopened->arena);
}

void ts_reopened_release(struct ts_reopened *reopened) {
  if (reopened->is_open) close_project(reopened);
  pthread_mutex_destroy(&reopened->lock);
}

static bool load_order(struct ts_reopened *reopened, const struct ts_reopened_place *place, struct ts_issues *issues) {
  struct ts_run_row row;
  struct ts_error err = {0};
  if (!ts_run_find(place->store, place->id, NULL, &reopened->arena, &row, issues)) return false;
  if (!ts_order_load(place->store, &row, &reopened->order, &err)) return ts_issues_fault(issues, &err);
  if (reopened->order.root) {
    if (place->begun && place->begun->locations) {
      json_decref(reopened->order.locations);
      reopened->order.locations = json_incref(place->begun->locations);
    }
    return true;
  }
  ts_fail(&err, TS_ERR_STORE_FORMAT, "run %s was begun by a program that kept no work order", place->id);
  ts_error_help(&err, "start the run again with this version");
  return ts_issues_fault(issues, &err);
}

/* What the run was asked for, by threads of this process, with the store: how work is divided changes no product. */
static void make_request(struct ts_reopened *reopened, const struct ts_reopened_place *place) {
  struct ts_request *request = &reopened->request;
  *request = (struct ts_request){.folder = ts_arena_strdup(&reopened->arena, place->folder)};
  ts_order_restore(&reopened->arena, &reopened->order, request);
  request->workers = 0;
  request->merge = NULL;
  request->raw_values = false;
  request->no_reuse = false;
}

static bool open_project(struct ts_reopened *reopened, const struct ts_reopened_place *place,
                         struct ts_issues *issues) {
  struct ts_project *project = &reopened->project;
  struct ts_error err = {0};
  const json_t *options = json_object_get(reopened->order.root, "options");
  const char *command = json_string_value(json_object_get(options, "command"));
  project->order = &reopened->order;
  project->order_reader = &ts_order_reader;
  project->store = place->store;
  if (!ts_project_read(project, issues) ||
      !ts_project_open_dataset(project, command && strcmp(command, "study") == 0, issues))
    return false;
  ts_budget_set(&project->budget, 0, 0); /* it waits to be asked, and takes no memory meanwhile */
  reopened->sets = ts_order_sets(project, &reopened->arena, &reopened->set_count, &err);
  return reopened->sets || ts_issues_fault(issues, &err);
}

bool ts_reopened_open(struct ts_reopened *reopened, const struct ts_reopened_place *place, struct ts_issues *issues) {
  pthread_mutex_lock(&reopened->lock);
  if (!reopened->is_open) {
    reopened->order = (struct ts_order){0};
    reopened->arena = (struct ts_arena){0};
    ts_project_init(&reopened->project, &reopened->request);
    reopened->is_open = load_order(reopened, place, issues);
    if (reopened->is_open) {
      make_request(reopened, place);
      reopened->is_open = open_project(reopened, place, issues);
    }
    if (!reopened->is_open) close_project(reopened);
  }
  const bool ok = reopened->is_open;
  pthread_mutex_unlock(&reopened->lock);
  return ok;
}

/* ---- sets ---- */

static struct ts_value *defaults(const struct ts_workflow *w, struct ts_arena *arena) {
  struct ts_value *values = ts_arena_array(arena, w->parameter_count + 1, sizeof *values);
  for (size_t p = 0; p < w->parameter_count; p++) values[p] = w->parameters[p].default_value;
  return values;
}

/* "params" of a set in the result of a study; NULL: it is not there. Settings of the engine are not parameters. */
static const struct ts_value *read_set(const struct ts_workflow *w, const char *result, size_t set,
                                       struct ts_arena *arena) {
  ts_auto(json_decrefp) json_t *object = result[0] ? json_loads(result, 0, NULL) : NULL;
  json_t *params = json_object_get(json_array_get(json_object_get(object, "runs"), set), "params");
  struct ts_value *values = defaults(w, arena);
  struct ts_error err = {0};
  const char *name;
  json_t *value;
  json_object_foreach(params, name, value) {
    size_t p = 0;
    if (!ts_workflow_find_parameter(w, name, &p)) continue;
    if (!ts_value_from_json(value, w->parameters[p].type, arena, &values[p], &err)) return NULL;
  }
  return params ? values : NULL;
}

static bool no_set(const struct ts_reopened_place *place, int64_t set, size_t count, struct ts_issues *issues) {
  struct ts_error err = {0};
  ts_fail(&err, TS_ERR_BAD_VALUE, "run %s has no set %lld", place->id, (long long)set);
  if (count > 0)
    ts_error_help(&err,
                  "its sets are 0 to %zu, and -1 for the defaults; those of later rounds are known when it is done",
                  count - 1);
  return ts_issues_fault(issues, &err);
}

const struct ts_value *ts_reopened_set(const struct ts_reopened *reopened, const struct ts_reopened_place *place,
                                       int64_t set, struct ts_arena *arena, struct ts_issues *issues) {
  const struct ts_workflow *w = reopened->project.workflow;
  struct ts_run_row row;
  if (set == TESSERA_DEFAULT_SET) return defaults(w, arena);
  if (set >= 0 && (size_t)set < reopened->set_count) return reopened->sets + (size_t)set * w->parameter_count;
  const struct ts_value *later = NULL;
  if (set >= 0 && ts_run_find(place->store, place->id, NULL, arena, &row, issues))
    later = read_set(w, row.result_json, (size_t)set, arena);
  if (!later) no_set(place, set, reopened->set_count, issues);
  return later;
}
