/* Reads and writes values files.
 * SPDX-License-Identifier: Apache-2.0 */
#include "study/study_result.h"
#include "study/values.h"

#include "base/alloc.h"
#include "base/const.h"
#include "base/file.h"
#include "base/reader.h"

#include <string.h>

/* ---- reading ---- */

/* A file that begins with a bracket is meant as JSON. */
static bool is_json(const char *path, bool *is, struct ts_error *err) {
  ts_auto(ts_str_release) struct ts_str text = {0};
  if (!ts_file_read(path, 0, &text, err)) return false;
  const char *start = ts_str_get(&text) + strspn(ts_str_get(&text), " \t\r\n");
  *is = *start == '{' || *start == '[';
  return true;
}

static bool read_csv(const char *path, struct given_values *given, struct ts_issues *issues) {
  ts_auto(ts_design_release) struct ts_design design = {0};
  if (!ts_design_read_csv(&design, given->workflow, path, &issues->faults)) return false;
  if (design.row_count != 1) {
    struct ts_error err = {0};
    ts_fail(&err, TS_ERR_BAD_VALUE, "'%s' has %zu rows of values", path, design.row_count);
    ts_error_help(&err, "leave one row below the header; many sets are a design: tessera study --design %s", path);
    ts_error_place(&err, path, 1, 1, "");
    return ts_issues_fault(issues, &err);
  }
  for (size_t c = 0; c < design.column_count; c++) {
    size_t p = 0;
    ts_workflow_find_parameter(given->workflow, design.names[c], &p);
    given->is_given[p] = true;
    given->values[p] = design.values[c];
    if (design.values[c].type == TS_VALUE_STRING)
      given->values[p].as.string = ts_arena_strdup(given->arena, design.values[c].as.string);
  }
  return true;
}

static void complain_unknown(const struct ts_reader *reader, const struct ts_workflow *w, const char *name,
                             const char *pointer) {
  ts_auto(ts_names_release) struct ts_names names = {0};
  for (size_t p = 0; p < w->parameter_count; p++) ts_names_add(&names, w->parameters[p].name);
  struct ts_error *fault = ts_reader_fault(reader, TS_ERR_UNKNOWN_PARAMETER, pointer, TS_JSON_KEY,
                                           "workflow '%s' has no parameter '%s'", w->name, name);
  ts_names_suggest(&names, fault, name, "its parameters", "it has no parameters");
}

static void read_value(const struct ts_reader *reader, const char *name, const json_t *value,
                       struct given_values *given) {
  const char *pointer = ts_reader_child(reader, "/values", name);
  struct ts_error err = {0};
  size_t p = 0;
  if (!ts_workflow_find_parameter(given->workflow, name, &p)) {
    complain_unknown(reader, given->workflow, name, pointer);
    return;
  }
  const struct ts_parameter *parameter = &given->workflow->parameters[p];
  given->is_given[p] = true;
  if (ts_value_from_json(value, parameter->type, given->arena, &given->values[p], &err) &&
      ts_parameter_check(parameter, &given->values[p], &err))
    return;
  ts_error_context(&err, "reading parameter '%s'", name);
  err.where = (struct ts_place){0};
  ts_json_place(&err, reader->doc, pointer, TS_JSON_VALUE);
  *ts_faults_add(reader->faults) = err;
}

static bool read_json(const char *path, struct given_values *given, struct ts_issues *issues) {
  ts_auto(ts_json_doc_close) struct ts_json_doc doc = {0};
  struct ts_error err = {0};
  if (!ts_json_doc_open(&doc, path, &err)) return ts_issues_fault(issues, &err);
  const struct ts_reader reader = {.doc = &doc, .arena = given->arena, .faults = &issues->faults};
  struct ts_field fields[] = {{.name = "schema", .want = TS_WANT_STRING},
                              {.name = "workflow", .want = TS_WANT_STRING},
                              {.name = "values", .want = TS_WANT_OBJECT, .required = true, .example = "{\"G1\": 40}"},
                              {.name = "from", .want = TS_WANT_OBJECT}};
  if (!ts_reader_want(&reader, doc.root, "", "a values file", TS_WANT_OBJECT, "{\"values\": {\"G1\": 40}}") ||
      !ts_reader_fields(&reader, doc.root, "", "a values file", fields, sizeof fields / sizeof *fields))
    return false;
  const char *schema = json_string_value(fields[0].value), *workflow = json_string_value(fields[1].value);
  if (schema && strcmp(schema, TS_VALUES_SCHEMA) != 0) {
    struct ts_error *fault = ts_reader_fault(&reader, TS_ERR_FORMAT_VERSION, "/schema", TS_JSON_VALUE,
                                             "this is a file of the format '%s', not of values", schema);
    return ts_error_help(fault, "a values file has \"schema\": \"%s\"", TS_VALUES_SCHEMA);
  }
  const char *name;
  json_t *value;
  json_object_foreach(ts_without_const(fields[2].value), name, value) read_value(&reader, name, value, given);
  if (ts_issues_ok(issues) && workflow && strcmp(workflow, given->workflow->name) != 0)
    ts_issues_warn(issues, "the values of '%s' are of the workflow '%s'; they are used for '%s'", path, workflow,
                   given->workflow->name);
  return ts_issues_ok(issues);
}

bool ts_values_read(const char *path, struct given_values *given, struct ts_issues *issues) {
  struct ts_error err = {0};
  bool json = false;
  if (!is_json(path, &json, &err)) return ts_issues_fault(issues, &err);
  return json ? read_json(path, given, issues) : read_csv(path, given, issues);
}

/* ---- writing ---- */

static json_t *values_json(const struct study_result *r) {
  const struct ts_project *project = r->course.project;
  const struct ts_workflow *w = project->workflow;
  const size_t set = r->best.best;
  const struct ts_value *row = r->sets.values + set * w->parameter_count;
  json_t *values = json_object();
  for (size_t p = 0; p < w->parameter_count; p++)
    json_object_set_new(values, w->parameters[p].name, ts_value_to_json(&row[p]));
  return json_pack("{s:s, s:s, s:o, s:{s:s, s:o, s:s, s:o}}", "schema", TS_VALUES_SCHEMA, "workflow", w->name, "values",
                   values, "from", "run", r->run.id, "set",
                   set == r->best.defaults ? json_string(TS_DEFAULT_SET) : json_integer((json_int_t)set), "output",
                   project->study.outputs[r->best.goal].name, "value",
                   ts_json_real(ts_study_value(r, set, r->best.goal)));
}

bool ts_values_write(struct study_result *r, struct ts_issues *issues) {
  struct ts_error err = {0};
  if (r->best.goal == TS_NONE || r->best.best == TS_NONE) return true;
  ts_auto(json_decrefp) json_t *object = values_json(r);
  ts_auto_free char *text = ts_json_dump(object, false, true);
  char *path = ts_path_join(r->folder, "best-values.json");
  r->values_path = ts_arena_strdup(&r->course.arena, path);
  free(path);
  return ts_file_write_atomic(r->values_path, text, strlen(text), &err) || ts_issues_fault(issues, &err);
}
