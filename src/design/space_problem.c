/* Reads the `problem` of a SALib analysis, written as JSON, as a space.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Bounds mean what they mean in SALib (SALib.util.scale_samples): two ends for "unif" and "logunif"; low, high and
 * the place of the peak between them (0 to 1) for "triang", or high and peak alone, from 0; mean and standard deviation
 * for "norm", of the natural logarithm for "lognorm"; low, high, mean and standard deviation for "truncnorm". Each
 * parameter becomes an object as in a space file and is read as one, so that both have the same rules. */
#include "design/design_int.h"

#include "base/alloc.h"
#include "base/reader.h"

#include <string.h>

enum { NUM_VARS, NAMES, BOUNDS, DISTS, GROUPS, OUTPUTS, SAMPLE_SCALED, FIELD_COUNT };
#define MOST_BOUNDS 4

static const struct form {
  const char *dist;
  size_t least, most;  /* bounds */
  const char *meaning; /* of them */
} forms[] = {
    {"unif", 2, 2, "the lowest and the highest value"},
    {"logunif", 2, 2, "the lowest and the highest value, both above 0"},
    {"triang", 2, 3, "low, high and where the peak lies between them, from 0 to 1 (without low: 0)"},
    {"norm", 2, 2, "mean and standard deviation"},
    {"truncnorm", 4, 4, "low, high, mean and standard deviation"},
    {"lognorm", 2, 2, "mean and standard deviation of the natural logarithm"},
};
#define FORM_COUNT (sizeof forms / sizeof *forms)

struct problem {
  struct ts_reader reader;
  struct ts_space *space; /* borrowed */
  const char *pointer;    /* borrowed */
  struct ts_field fields[FIELD_COUNT];
  size_t count;
};

bool ts_space_is_problem(const json_t *object) {
  return json_object_get(object, "num_vars") || (json_object_get(object, "names") && json_object_get(object, "bounds"));
}

static const char *place_of(const struct problem *p, int field, size_t index) {
  return ts_reader_item(&p->reader, ts_reader_child(&p->reader, p->pointer, p->fields[field].name), index);
}

/* Python writes None for what is left out. */
static void drop_null(struct ts_field *field) {
  if (json_is_null(field->value)) field->value = NULL;
}

/* A list with one entry for each name. */
static bool check_list(const struct problem *p, int field) {
  const struct ts_field *f = &p->fields[field];
  if (!f->value) return true;
  const char *pointer = ts_reader_child(&p->reader, p->pointer, f->name);
  const char *label = ts_arena_printf(p->reader.arena, "'%s'", f->name);
  if (!ts_reader_want(&p->reader, f->value, pointer, label, TS_WANT_LIST, NULL)) return false;
  if (json_array_size(f->value) == p->count) return true;
  struct ts_error *err =
      ts_reader_fault(&p->reader, TS_ERR_BAD_VALUE, pointer, TS_JSON_VALUE,
                      "'%s' has %zu entries, but there are %zu names", f->name, json_array_size(f->value), p->count);
  return ts_error_help(err, "give one entry for each name, in the same order");
}

static bool read_lists(struct problem *p) {
  p->count = json_array_size(p->fields[NAMES].value);
  bool ok = check_list(p, BOUNDS) && check_list(p, DISTS) && check_list(p, GROUPS);
  const json_t *number = p->fields[NUM_VARS].value;
  if (number && json_integer_value(number) != (json_int_t)p->count) {
    struct ts_error *err = ts_reader_fault(
        &p->reader, TS_ERR_BAD_VALUE, ts_reader_child(&p->reader, p->pointer, "num_vars"), TS_JSON_VALUE,
        "'num_vars' is %lld, but there are %zu names", (long long)json_integer_value(number), p->count);
    ok = ts_error_help(err, "correct it, or leave it out");
  }
  if (p->count == 0) {
    struct ts_error *err =
        ts_reader_fault(&p->reader, TS_ERR_BAD_VALUE, ts_reader_child(&p->reader, p->pointer, "names"), TS_JSON_VALUE,
                        "the problem names no parameter");
    ok = ts_error_help(err, "write \"names\": [\"x1\", \"x2\"] and \"bounds\": [[0, 1], [0, 1]]");
  }
  return ok;
}

/* The entry of a list of texts; NULL with a fault if it is something else. */
static const char *read_text(const struct problem *p, int field, size_t index, const char *what) {
  const json_t *value = json_array_get(p->fields[field].value, index);
  if (json_is_string(value)) return json_string_value(value);
  ts_reader_want(&p->reader, value, place_of(p, field, index), what, TS_WANT_STRING, "\"x1\"");
  return NULL;
}

/* A name, or that of a group, that tessera can use. */
static const char *read_name(const struct problem *p, int field, size_t index, const char *what) {
  const char *name = read_text(p, field, index, what);
  struct ts_error err = {0};
  if (!name || ts_name_check(name, what, &err)) return name;
  ts_json_place(&err, p->reader.doc, place_of(p, field, index), TS_JSON_VALUE);
  *ts_faults_add(p->reader.faults) = err;
  return NULL;
}

static bool is_new(const struct problem *p, const char *name, size_t index) {
  for (size_t i = 0; i < p->space->count; i++) {
    if (strcmp(p->space->parameters[i]->name, name) != 0) continue;
    struct ts_error *err = ts_reader_fault(&p->reader, TS_ERR_DUPLICATE_NAME, place_of(p, NAMES, index), TS_JSON_VALUE,
                                           "parameter '%s' occurs twice", name);
    return ts_error_help(err, "remove or rename one of them");
  }
  return true;
}

/* The distribution of a parameter; NULL with a fault if there is none of that name. */
static const struct form *read_form(const struct problem *p, size_t index) {
  if (!p->fields[DISTS].value) return &forms[0];
  const char *word = read_text(p, DISTS, index, "a distribution");
  if (!word) return NULL;
  ts_auto(ts_names_release) struct ts_names names = {0};
  for (size_t i = 0; i < FORM_COUNT; i++) {
    if (strcmp(forms[i].dist, word) == 0) return &forms[i];
    ts_names_add(&names, forms[i].dist);
  }
  struct ts_error *err = ts_reader_fault(&p->reader, TS_ERR_BAD_VALUE, place_of(p, DISTS, index), TS_JSON_VALUE,
                                         "tessera does not have the distribution '%s' of SALib", word);
  ts_names_suggest(&names, err, word, "distributions of a problem", "");
  return NULL;
}

static bool read_bounds(const struct problem *p, size_t index, const struct form *form, const char *name,
                        double *bounds, size_t *count) {
  const json_t *list = json_array_get(p->fields[BOUNDS].value, index);
  const char *place = place_of(p, BOUNDS, index);
  *count = json_array_size(list);
  bool ok = json_is_array(list) && *count >= form->least && *count <= form->most;
  for (size_t i = 0; i < *count && ok; i++) {
    ok = json_is_number(json_array_get(list, i));
    bounds[i] = json_number_value(json_array_get(list, i));
  }
  if (ok) return true;
  struct ts_error *err = ts_reader_fault(&p->reader, TS_ERR_WRONG_TYPE, place, TS_JSON_VALUE,
                                         "the bounds of '%s' (%s) must be %s%zu numbers", name, form->dist,
                                         form->least < form->most ? "2 or " : "", form->most);
  return ts_error_help(err, "give %s", form->meaning);
}

static json_t *ends_json(double low, double high) { return json_pack("[f, f]", low, high); }

/* The parameter as a space file has it. */
static json_t *parameter_json(const struct form *form, const double *bounds, size_t count, const char *group) {
  json_t *object = json_pack("{s:s}", "type", "real");
  const char *dist = form->dist;
  bool two_ends = strcmp(dist, "unif") == 0 || strcmp(dist, "logunif") == 0 || strcmp(dist, "truncnorm") == 0;
  if (two_ends) json_object_set_new(object, "range", ends_json(bounds[0], bounds[1]));
  json_t *distribution = NULL;
  if (strcmp(dist, "logunif") == 0) {
    distribution = json_string("log-uniform");
  } else if (strcmp(dist, "triang") == 0) {
    double low = count == 3 ? bounds[0] : 0, high = bounds[count - 2], peak = bounds[count - 1];
    distribution =
        json_pack("{s:{s:f, s:f, s:f}}", "triangular", "low", low, "mode", low + peak * (high - low), "high", high);
  } else if (strcmp(dist, "unif") != 0) {
    const double *moments = bounds + count - 2;
    distribution = json_pack("{s:{s:f, s:f}}", strcmp(dist, "lognorm") == 0 ? "lognormal" : "normal", "mean",
                             moments[0], "sd", moments[1]);
  }
  if (distribution) json_object_set_new(object, "distribution", distribution);
  if (group) json_object_set_new(object, "group", json_string(group));
  return object;
}

static void read_parameter(struct problem *p, size_t index) {
  double bounds[MOST_BOUNDS] = {0};
  size_t count;
  const char *name = read_name(p, NAMES, index, "a parameter");
  const char *group = p->fields[GROUPS].value ? read_name(p, GROUPS, index, "a group") : NULL;
  const struct form *form = read_form(p, index);
  if (!name || !is_new(p, name, index) || !form || (p->fields[GROUPS].value && !group)) return;
  if (!read_bounds(p, index, form, name, bounds, &count)) return;
  struct ts_arena *arena = &p->space->arena;
  struct ts_parameter *parameter = ts_arena_alloc(arena, sizeof *parameter);
  json_t *object = parameter_json(form, bounds, count, group);
  const char *place = place_of(p, BOUNDS, index);
  struct ts_error err = {0};
  bool ok = ts_parameter_parse(p->reader.doc, object, place, ts_arena_strdup(arena, name), arena, parameter,
                               p->reader.faults);
  json_decref(object);
  if (!ok) return;
  if (ts_space_check_parameter(parameter, &err)) {
    p->space->parameters[p->space->count++] = parameter;
    return;
  }
  ts_json_place(&err, p->reader.doc, place, TS_JSON_VALUE);
  *ts_faults_add(p->reader.faults) = err;
}

void ts_space_read_problem(struct ts_space *space, const struct ts_json_doc *doc, const json_t *object,
                           const char *pointer, struct ts_faults *faults) {
  struct problem p = {
      .reader = {.doc = doc, .arena = &space->arena, .faults = faults},
      .space = space,
      .pointer = pointer,
      .fields = {[NUM_VARS] = {.name = "num_vars", .want = TS_WANT_INTEGER, .example = "3"},
                 [NAMES] = {.name = "names", .want = TS_WANT_LIST, .required = true, .example = "[\"x1\", \"x2\"]"},
                 [BOUNDS] = {.name = "bounds", .want = TS_WANT_LIST, .required = true, .example = "[[0, 1], [0, 1]]"},
                 [DISTS] = {.name = "dists"},
                 [GROUPS] = {.name = "groups"},
                 [OUTPUTS] = {.name = "outputs"},
                 [SAMPLE_SCALED] = {.name = "sample_scaled"}}};
  if (!ts_reader_fields(&p.reader, object, pointer, "a problem of SALib", p.fields, FIELD_COUNT)) return;
  drop_null(&p.fields[DISTS]);
  drop_null(&p.fields[GROUPS]);
  if (!read_lists(&p)) return;
  space->parameters = ts_arena_array(&space->arena, p.count, sizeof *space->parameters);
  for (size_t i = 0; i < p.count; i++) read_parameter(&p, i);
}
