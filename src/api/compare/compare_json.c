/* What differs between runs by their work orders and their results: parameters, data, workflow, measures.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/compare/comparison.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/json.h"

#include <math.h>
#include <string.h>

static const json_t *member(const struct ts_compared_run *run, const char *name) {
  return json_object_get(run->result, name);
}

static json_t *kept(const json_t *object, const char *name) {
  json_t *value = json_object_get(object, name);
  return value ? json_incref(value) : json_null();
}

/* ---- parameters ---- */

static const json_t *parameter_of(const struct ts_compared_run *run, const char *name) {
  const json_t *params = member(run, "params");
  for (size_t i = 0; i < json_array_size(params); i++) {
    const json_t *param = json_array_get(params, i);
    const char *other = json_string_value(json_object_get(param, "name"));
    if (other && strcmp(other, name) == 0) return param;
  }
  return NULL;
}

/* Numbers are equal by value: 5 and 5.0. */
static bool is_equal(const json_t *a, const json_t *b) {
  if (json_is_number(a) && json_is_number(b)) return json_number_value(a) == json_number_value(b);
  return (!a && !b) || (a && b && json_equal(a, b));
}

static bool differs(const struct comparison *c, const char *name) {
  const json_t *first = json_object_get(parameter_of(&c->runs[0], name), "value");
  for (size_t r = 1; r < c->count; r++)
    if (!is_equal(first, json_object_get(parameter_of(&c->runs[r], name), "value"))) return true;
  return false;
}

static json_t *parameter_json(const struct comparison *c, const char *name, const json_t *param) {
  json_t *values = json_object(), *object = json_pack("{s:s, s:o}", "name", name, "values", values);
  for (size_t r = 0; r < c->count; r++)
    json_object_set_new(values, c->runs[r].row.id, kept(parameter_of(&c->runs[r], name), "value"));
  if (json_object_get(param, "unit")) json_object_set(object, "unit", json_object_get(param, "unit"));
  return object;
}

static bool is_listed(const json_t *list, const char *name) {
  for (size_t i = 0; i < json_array_size(list); i++)
    if (strcmp(json_string_value(json_object_get(json_array_get(list, i), "name")), name) == 0) return true;
  return false;
}

json_t *ts_comparison_parameters(const struct comparison *c) {
  json_t *list = json_array();
  for (size_t r = 0; r < c->count; r++) {
    const json_t *params = member(&c->runs[r], "params");
    for (size_t i = 0; i < json_array_size(params); i++) {
      const json_t *param = json_array_get(params, i);
      const char *name = json_string_value(json_object_get(param, "name"));
      if (name && differs(c, name) && !is_listed(list, name))
        json_array_append_new(list, parameter_json(c, name, param));
    }
  }
  return list;
}

/* ---- runs ---- */

json_t *ts_comparison_runs(const struct comparison *c) {
  json_t *list = json_array();
  ts_auto(json_decrefp) json_t *parameters = ts_comparison_parameters(c);
  for (size_t r = 0; r < c->count; r++) {
    const struct ts_compared_run *run = &c->runs[r];
    const json_t *reuse = member(run, "reuse");
    char started[32];
    json_t *params = json_object();
    for (size_t i = 0; i < json_array_size(parameters); i++) {
      const char *name = json_string_value(json_object_get(json_array_get(parameters, i), "name"));
      json_object_set_new(params, name, kept(parameter_of(run, name), "value"));
    }
    json_array_append_new(list,
                          json_pack("{s:s, s:o, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "run", run->row.id,
                                    "name", kept(run->result, "name"), "file", run->row.file, "state", run->row.state,
                                    "started", ts_clock_print_utc(run->row.started_unix_ns, started), "folder",
                                    run->folder, "params", params, "requested", kept(reuse, "requested"), "executed",
                                    kept(reuse, "executed"), "wall_s", kept(run->result, "wall_s"), "cpu_s",
                                    kept(run->result, "cpu_s"), "threads", kept(run->result, "threads")));
  }
  return list;
}

/* ---- data, workflow, operations ---- */

/* By name: the entry of a list of the order. */
static const json_t *named(const json_t *list, const char *name) {
  for (size_t i = 0; i < json_array_size(list); i++) {
    const char *other = json_string_value(json_object_get(json_array_get(list, i), "name"));
    if (other && strcmp(other, name) == 0) return json_array_get(list, i);
  }
  return NULL;
}

/* Names of entries that differ, or that one of them lacks; both ways. */
static void add_changed(const json_t *one, const json_t *other, const char *field, bool only_missing, json_t *names) {
  for (size_t i = 0; i < json_array_size(one); i++) {
    const json_t *entry = json_array_get(one, i);
    const char *name = json_string_value(json_object_get(entry, "name"));
    const json_t *match = name ? named(other, name) : NULL;
    if (!name || (match && (only_missing || json_equal(json_object_get(entry, field), json_object_get(match, field)))))
      continue;
    json_array_append_new(names, json_string(name));
  }
}

static json_t *changed_names(const json_t *one, const json_t *other, const char *list, const char *field) {
  const json_t *a = json_object_get(one, list), *b = json_object_get(other, list);
  json_t *names = json_array();
  add_changed(a, b, field, false, names);
  add_changed(b, a, field, true, names);
  return names;
}

static void add(json_t *list, const struct ts_compared_run *run, const char *what, json_t *names) {
  json_array_append_new(list, json_pack("{s:s, s:s, s:o}", "run", run->row.id, "what", what, "names", names));
}

static void add_if_any(json_t *list, const struct ts_compared_run *run, const char *what, json_t *names) {
  if (json_array_size(names) > 0)
    add(list, run, what, names);
  else
    json_decref(names);
}

/* Options that say which parameters, or where the files are, are compared elsewhere or not at all. */
static json_t *option_names(const json_t *one, const json_t *other) {
  static const char *const elsewhere[] = {"parameters", "command", "file", "name", "study"};
  json_t *names = json_array();
  ts_auto(json_decrefp) json_t *all = json_copy(json_object_get(one, "options"));
  json_object_update_missing(all, json_object_get(other, "options"));
  for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++) json_object_del(all, elsewhere[i]);
  const char *name;
  json_t *value;
  json_object_foreach(all, name, value) {
    const json_t *a = json_object_get(json_object_get(one, "options"), name);
    const json_t *b = json_object_get(json_object_get(other, "options"), name);
    if (!is_equal(a, b)) json_array_append_new(names, json_string(name));
  }
  return names;
}

json_t *ts_comparison_differs(const struct comparison *c) {
  json_t *list = json_array();
  const json_t *first = c->runs[0].order.root;
  for (size_t r = 1; r < c->count; r++) {
    const struct ts_compared_run *run = &c->runs[r];
    const json_t *root = run->order.root;
    if (!first || !root) continue;
    if (!json_equal(json_object_get(first, "workflow"), json_object_get(root, "workflow")))
      add(list, run, "workflow", json_array());
    add_if_any(list, run, "data", changed_names(first, root, "items", "inputs"));
    add_if_any(list, run, "operations", changed_names(first, root, "operations", "digest"));
    if (!json_equal(json_object_get(first, "grid"), json_object_get(root, "grid")))
      add(list, run, "tiles", json_array());
    add_if_any(list, run, "options", option_names(first, root));
  }
  return list;
}

/* ---- measures ---- */

static bool has_text(const json_t *object, const char *name, const char *text) {
  const char *there = json_string_value(json_object_get(object, name));
  return strcmp(there ? there : "", text) == 0;
}

static const char *text_of(const json_t *object, const char *name) {
  const char *text = json_string_value(json_object_get(object, name));
  return text ? text : "";
}

/* The scores of a product: of a file, or over all of them (NULL). */
static const json_t *scores_of(const struct ts_compared_run *run, const char *file, const char *product,
                               const char *against) {
  const json_t *list = member(run, file ? "quality" : "quality_over_files");
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *entry = json_array_get(list, i);
    if (has_text(entry, "product", product) && has_text(entry, "against", against) &&
        (!file || has_text(entry, "file", file)))
      return json_object_get(entry, "values");
  }
  return NULL;
}

static json_t *measure_json(const struct comparison *c, const char *file, const char *product, const char *against,
                            const char *name) {
  json_t *values = json_object(), *differences = json_object();
  const json_t *first = json_object_get(scores_of(&c->runs[0], file, product, against), name);
  for (size_t r = 0; r < c->count; r++) {
    const json_t *scores = scores_of(&c->runs[r], file, product, against), *value = json_object_get(scores, name);
    json_object_set_new(values, c->runs[r].row.id, kept(scores, name));
    if (r > 0 && json_is_number(first) && json_is_number(value))
      json_object_set_new(differences, c->runs[r].row.id,
                          ts_json_real(json_number_value(value) - json_number_value(first)));
  }
  return json_pack("{s:s, s:s, s:s, s:o, s:o}", "measure", name, "product", product, "against", against, "values",
                   values, "difference", differences);
}

static bool has_measure(const json_t *list, const char *product, const char *against, const char *name) {
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *entry = json_array_get(list, i);
    if (has_text(entry, "product", product) && has_text(entry, "against", against) && has_text(entry, "measure", name))
      return true;
  }
  return false;
}

json_t *ts_comparison_measures(const struct comparison *c, const char *file) {
  json_t *list = json_array();
  for (size_t r = 0; r < c->count; r++) {
    const json_t *all = member(&c->runs[r], file ? "quality" : "quality_over_files");
    for (size_t i = 0; i < json_array_size(all); i++) {
      const json_t *entry = json_array_get(all, i);
      const char *product = text_of(entry, "product"), *against = text_of(entry, "against"), *name;
      json_t *value;
      if (file && !has_text(entry, "file", file)) continue;
      json_object_foreach(json_object_get(entry, "values"), name, value) {
        if (!has_measure(list, product, against, name))
          json_array_append_new(list, measure_json(c, file, product, against, name));
      }
    }
  }
  return list;
}
