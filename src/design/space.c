/* Parameter spaces: which parameters a design varies, and the value that belongs to a unit coordinate.
 * SPDX-License-Identifier: Apache-2.0 */
#include "design/design_int.h"

#include "base/alloc.h"
#include "base/json.h"

#include <stdint.h>
#include <string.h>

static bool is_varied(const struct ts_parameter *parameter) {
  return parameter->level_count > 0 || parameter->has_range;
}

bool ts_space_check_parameter(const struct ts_parameter *parameter, struct ts_error *err) {
  if (!is_varied(parameter)) {
    ts_fail(err, TS_ERR_BAD_VALUE, "parameter '%s' has neither a grid nor a range", parameter->name);
    return ts_error_help(err, "give it \"grid\": [...] or \"range\": [low, high], or leave it out of the study");
  }
  if (ts_space_value_count(parameter) < 2) {
    ts_fail(err, TS_ERR_BAD_VALUE, "parameter '%s' has only one value to choose from", parameter->name);
    return ts_error_help(err,
                         "give its grid or range at least two values, or remove it so that it stays at its default");
  }
  return true;
}

/* The index of a name in `only`, or TS_NONE. */
static size_t find_name(const char *name, const char *const *only, size_t only_count) {
  for (size_t i = 0; i < only_count; i++) {
    if (strcmp(only[i], name) == 0) return i;
  }
  return TS_NONE;
}

static bool check_wanted(const struct ts_workflow *workflow, const char *name, struct ts_error *err) {
  size_t index;
  if (ts_workflow_find_parameter(workflow, name, &index)) {
    return ts_space_check_parameter(&workflow->parameters[index], err);
  }
  ts_fail(err, TS_ERR_UNKNOWN_PARAMETER, "workflow '%s' has no parameter '%s'", workflow->name, name);
  ts_auto_free const char **names = ts_calloc(workflow->parameter_count + 1, sizeof *names);
  for (size_t i = 0; i < workflow->parameter_count; i++) names[i] = workflow->parameters[i].name;
  ts_auto(ts_str_release) struct ts_str near = {0};
  return ts_add_nearest_words(&near, name, names, workflow->parameter_count)
             ? ts_error_help(err, "did you mean %s?", ts_str_get(&near))
             : ts_error_help(err, "name one of the workflow's parameters that have a grid or a range");
}

bool ts_space_of_workflow(struct ts_space *space, const struct ts_workflow *workflow, const char *const *only,
                          size_t only_count, struct ts_error *err) {
  *space = (struct ts_space){0};
  for (size_t i = 0; only && i < only_count; i++) {
    if (!check_wanted(workflow, only[i], err)) return false;
  }
  space->parameters = ts_arena_array(&space->arena, workflow->parameter_count + 1, sizeof *space->parameters);
  for (size_t i = 0; i < workflow->parameter_count; i++) {
    const struct ts_parameter *parameter = &workflow->parameters[i];
    if (!is_varied(parameter)) continue;
    if (only && find_name(parameter->name, only, only_count) == TS_NONE) continue;
    if (!ts_space_check_parameter(parameter, err)) {
      ts_space_release(space);
      return false;
    }
    space->parameters[space->count++] = parameter;
  }
  space->workflow = workflow;
  ts_space_take_constraints(space);
  if (space->count > 0) return true;
  ts_fail(err, TS_ERR_BAD_VALUE, "no parameter of workflow '%s' is varied", workflow->name);
  ts_error_help(err, "give at least one parameter a \"grid\" or a \"range\"");
  ts_space_release(space);
  return false;
}

/* Sets the place of a fault about the value, or the key, at a pointer. */
static void place(struct ts_error *err, const struct ts_json_doc *doc, const struct ts_str *pointer) {
  ts_json_place(err, doc, ts_str_get(pointer), TS_JSON_VALUE);
}

/* The name of entry `index`; NULL with a fault if it has none, or one that was there before. */
static const char *read_name(const struct ts_space *space, const struct ts_json_doc *doc, const json_t *object,
                             struct ts_str *pointer, struct ts_faults *faults) {
  const json_t *name = json_object_get(object, "name");
  struct ts_error *err;
  if (!name) {
    err = ts_faults_add(faults);
    ts_fail(err, TS_ERR_MISSING_KEY, "a parameter has no 'name'");
    ts_error_help(err, "every entry of \"parameters\" is an object with \"name\", \"type\" and \"range\" or \"grid\"");
    place(err, doc, pointer);
    return NULL;
  }
  ts_json_pointer_add(pointer, "name");
  if (!json_is_string(name) || !*json_string_value(name)) {
    err = ts_faults_add(faults);
    ts_fail(err, TS_ERR_WRONG_TYPE, "'name' must be a string that is not empty, but it is %s", ts_json_kind(name));
    ts_error_help(err, "write \"name\": \"...\"");
    place(err, doc, pointer);
    return NULL;
  }
  for (size_t i = 0; i < space->count; i++) {
    if (strcmp(space->parameters[i]->name, json_string_value(name)) != 0) continue;
    err = ts_faults_add(faults);
    ts_fail(err, TS_ERR_DUPLICATE_NAME, "parameter '%s' occurs twice", json_string_value(name));
    ts_error_help(err, "remove or rename one of them");
    place(err, doc, pointer);
    return NULL;
  }
  return json_string_value(name);
}

static void read_parameter(struct ts_space *space, const struct ts_json_doc *doc, const json_t *object,
                           const char *list_pointer, size_t index, struct ts_faults *faults) {
  ts_auto(ts_str_release) struct ts_str pointer = {0};
  ts_auto(ts_str_release) struct ts_str name_pointer = {0};
  ts_str_add(&pointer, list_pointer);
  ts_json_pointer_add_index(&pointer, index);
  ts_str_add(&name_pointer, ts_str_get(&pointer));
  if (!json_is_object(object)) {
    struct ts_error *err = ts_faults_add(faults);
    ts_fail(err, TS_ERR_WRONG_TYPE, "a parameter must be an object, but it is %s", ts_json_kind(object));
    ts_error_help(err, "write {\"name\": ..., \"type\": ..., \"range\": [low, high]}");
    place(err, doc, &pointer);
    return;
  }
  const char *name = read_name(space, doc, object, &name_pointer, faults);
  if (!name) return;
  struct ts_parameter *parameter = ts_arena_alloc(&space->arena, sizeof *parameter);
  const char *own_name = ts_arena_strdup(&space->arena, name);
  if (!ts_parameter_parse(doc, object, ts_str_get(&pointer), own_name, &space->arena, parameter, faults)) return;
  struct ts_error fault = {0};
  if (!ts_space_check_parameter(parameter, &fault)) {
    struct ts_error *err = ts_faults_add(faults);
    *err = fault;
    place(err, doc, &pointer);
    return;
  }
  space->parameters[space->count++] = parameter;
}

static void read_object(struct ts_space *space, const struct ts_json_doc *doc, const json_t *object,
                        const char *pointer, struct ts_faults *faults) {
  const json_t *list = json_object_get(object, "parameters");
  const char *place_of_list = ts_arena_printf(&space->arena, "%s/parameters", pointer);
  if (!json_is_array(list) || json_array_size(list) == 0) {
    struct ts_error *err = ts_faults_add(faults);
    ts_fail(err, list ? TS_ERR_WRONG_TYPE : TS_ERR_MISSING_KEY, "a space file needs a list of 'parameters'");
    ts_error_help(err, "write {\"parameters\": [{\"name\": \"x\", \"type\": \"real\", \"range\": [0, 1]}]}, or the "
                       "problem of SALib: {\"names\": [\"x\"], \"bounds\": [[0, 1]]}");
    ts_json_place(err, doc, list ? place_of_list : pointer, TS_JSON_VALUE);
    return;
  }
  size_t count = json_array_size(list);
  space->parameters = ts_arena_array(&space->arena, count, sizeof *space->parameters);
  for (size_t i = 0; i < count; i++) read_parameter(space, doc, json_array_get(list, i), place_of_list, i, faults);
  const json_t *constraints = json_object_get(object, "constraints");
  if (!constraints) return;
  ts_constraints_parse(doc, constraints, ts_arena_printf(&space->arena, "%s/constraints", pointer), space->parameters,
                       space->count, space->count == count, &space->arena, &space->constraints,
                       &space->constraint_count, faults);
}

bool ts_space_read_object(struct ts_space *space, const struct ts_json_doc *doc, const json_t *object,
                          const char *pointer, struct ts_faults *faults) {
  *space = (struct ts_space){0};
  size_t before = faults->count;
  if (ts_space_is_problem(object)) {
    ts_space_read_problem(space, doc, object, pointer, faults);
  } else {
    read_object(space, doc, object, pointer, faults);
  }
  if (faults->count == before) return true;
  ts_space_release(space);
  return false;
}

bool ts_space_read(struct ts_space *space, const char *file, struct ts_faults *faults) {
  *space = (struct ts_space){0};
  struct ts_json_doc doc = {0};
  struct ts_error err = {0};
  if (!ts_json_doc_open(&doc, file, &err)) {
    *ts_faults_add(faults) = err;
    return false;
  }
  bool ok = ts_space_read_object(space, &doc, doc.root, "", faults);
  ts_json_doc_close(&doc);
  return ok;
}

void ts_space_release(struct ts_space *space) {
  ts_arena_release(&space->arena);
  *space = (struct ts_space){0};
}
