/* The reply of an analysis of any model as the page reads it: each output is an analysis over all runs.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/page_int.h"

#include "base/alloc.h"
#include "base/const.h"

#include <string.h>

#define MOST_NAMES  3  /* in the title */
#define MOST_LEVELS 12 /* of a grid that are listed; of others the ends are shown */

bool ts_result_is_analysis(const json_t *result) {
  return strcmp(ts_result_text(result, "schema"), "tessera.analyse/1") == 0;
}

/* Members of these names, as far as they are there. */
static void copy(json_t *to, const json_t *from, const char *const *names) {
  for (size_t i = 0; names[i]; i++) {
    json_t *member = json_object_get(from, names[i]);
    if (member) json_object_set(to, names[i], member);
  }
}

/* "Which parameters matter for y1, y2 and 4 more?" */
static json_t *question_json(const json_t *outputs) {
  ts_auto(ts_str_release) struct ts_str text = {0};
  size_t count = json_array_size(outputs), shown = count <= MOST_NAMES ? count : MOST_NAMES - 1;
  ts_str_add(&text, "Which parameters matter for ");
  for (size_t i = 0; i < shown; i++) {
    const char *between = i == 0 ? "" : i + 1 == count ? " and " : ", ";
    ts_str_addf(&text, "%s%s", between, ts_result_text(json_array_get(outputs, i), "name"));
  }
  if (shown < count) ts_str_addf(&text, " and %zu more outputs", count - shown);
  ts_str_add_char(&text, '?');
  return json_string(ts_str_get(&text));
}

/* "normal (mean 5, sd 1)" for {"normal": {"mean": 5, "sd": 1}}. */
static void add_distribution(json_t *distribution, struct ts_str *out) {
  const char *name, *number;
  json_t *numbers, *value;
  if (json_is_string(distribution)) ts_str_add(out, json_string_value(distribution));
  if (!json_is_object(distribution)) return;
  json_object_foreach(distribution, name, numbers) {
    size_t count = 0;
    ts_str_addf(out, "%s (", name);
    json_object_foreach(numbers, number, value) {
      ts_str_addf(out, "%s%s ", count++ > 0 ? ", " : "", number);
      ts_result_print(value, out);
    }
    ts_str_add_char(out, ')');
  }
}

static void add_levels(const json_t *grid, struct ts_str *out) {
  size_t count = json_array_size(grid);
  for (size_t i = 0; i < count && count <= MOST_LEVELS; i++) {
    if (i > 0) ts_str_add(out, ", ");
    ts_result_print(json_array_get(grid, i), out);
  }
  if (count <= MOST_LEVELS) return;
  ts_str_addf(out, "%zu levels, ", count);
  ts_result_print(json_array_get(grid, 0), out);
  ts_str_add(out, " to ");
  ts_result_print(json_array_get(grid, count - 1), out);
}

static json_t *params_json(const json_t *reply) {
  const json_t *given = ts_result_list(json_object_get(reply, "space"), "parameters");
  static const char *const kept[] = {"name", "type", "unit", "range", NULL};
  json_t *list = json_array();
  for (size_t i = 0; i < json_array_size(given); i++) {
    const json_t *parameter = json_array_get(given, i);
    json_t *object = json_object();
    ts_auto(ts_str_release) struct ts_str text = {0};
    copy(object, parameter, kept);
    add_levels(ts_result_list(parameter, "grid"), &text);
    add_distribution(json_object_get(parameter, "distribution"), &text);
    if (text.length > 0) json_object_set_new(object, "levels", json_string(ts_str_get(&text)));
    json_array_append_new(list, object);
  }
  return list;
}

static json_t *inputs_json(const json_t *reply) {
  json_t *files = json_object_get(reply, "inputs"), *file;
  const json_t *digests = json_object_get(reply, "digests");
  const char *name;
  json_t *list = json_array();
  json_object_foreach(files, name, file) {
    json_array_append_new(list, json_pack("{s:O, s:s}", "path", file, "hash", ts_result_text(digests, name)));
  }
  return list;
}

/* Numbers of further blocks as numbers of runs, too. */
static json_t *unsettled_json(const json_t *reply, const json_t *output) {
  json_t *list = json_deep_copy(json_object_get(output, "unsettled"));
  double blocks = ts_result_count(reply, "blocks"), rows = blocks > 0 ? ts_result_count(reply, "runs") / blocks : 1;
  for (size_t i = 0; i < json_array_size(list); i++) {
    json_t *pair = json_array_get(list, i);
    double more = ts_result_count(pair, "more");
    if (!(more > 0)) continue;
    json_object_set_new(pair, "more_blocks", json_real(more));
    json_object_set_new(pair, "more_runs", json_real(more * rows));
  }
  return list;
}

static json_t *analysis_json(const json_t *reply, const json_t *output) {
  static const char *const of_all[] = {"method", "title",     "assumes",    "interval", "columns", "rank_by",
                                       "runs",   "resamples", "confidence", "blocks",   NULL};
  static const char *const of_one[] = {"lost", "indices", "order", "convergence", "facts", "notes", NULL};
  json_t *object = json_pack("{s:i, s:s}", "phase", 1, "output", ts_result_text(output, "name"));
  copy(object, reply, of_all);
  copy(object, output, of_one);
  json_object_set_new(object, "unsettled", unsettled_json(reply, output));
  json_t *pairs = json_object_get(output, "S2");
  if (pairs) json_object_set(object, "pairs", pairs);
  return object;
}

json_t *ts_result_of_analysis(const json_t *reply) {
  static const char *const kept[] = {"schema", "tool", "answer", "command", "warnings", "drawn", NULL};
  const json_t *outputs = ts_result_list(reply, "outputs");
  json_t *object = json_object(), *analyses = json_array(), *method = json_object();
  copy(object, reply, kept);
  json_object_set_new(object, "question", question_json(outputs));
  json_object_set_new(method, "name", json_string(ts_result_text(reply, "method")));
  copy(method, reply, (const char *const[]){"seed", "runs", NULL});
  json_object_set_new(object, "method", method);
  json_object_set_new(object, "params", params_json(reply));
  json_object_set_new(object, "inputs", inputs_json(reply));
  for (size_t i = 0; i < json_array_size(outputs); i++)
    json_array_append_new(analyses, analysis_json(reply, json_array_get(outputs, i)));
  json_object_set_new(object, "analyses", analyses);
  return object;
}
