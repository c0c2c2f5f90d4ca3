/* Parameters as written: type, domain, choices, grid or range, and default.
 * SPDX-License-Identifier: Apache-2.0 */
#include "workflow/workflow_int.h"

#include "base/alloc.h"
#include "base/const.h"

#include <math.h>
#include <string.h>

enum { TYPE, UNIT, DOMAIN, CHOICES, GRID, RANGE, DISTRIBUTION, WEIGHTS, GROUP, DEFAULT, NAME, FIELD_COUNT };

static const char *with_article(enum ts_value_type type) {
  switch (type) {
  case TS_VALUE_INTEGER: return "an integer";
  case TS_VALUE_REAL: return "a number";
  case TS_VALUE_BOOLEAN: return "true or false";
  case TS_VALUE_STRING: return "a string";
  case TS_VALUE_LIST: break;
  }
  return "a list";
}

bool ts_read_value(struct ts_reader *reader, const json_t *json, const char *pointer, enum ts_value_type type,
                   const char *label, struct ts_value *value) {
  struct ts_error unused = {0};
  if (ts_value_from_json(json, type, reader->arena, value, &unused)) return true;
  struct ts_error *err = ts_reader_fault(reader, TS_ERR_WRONG_TYPE, pointer, TS_JSON_VALUE,
                                         "%s must be %s, but it is %s", label, with_article(type), ts_json_kind(json));
  if (type == TS_VALUE_INTEGER && json_is_real(json))
    return ts_error_help(err, "write it without a decimal point, or give the parameter the type \"real\"");
  return json_is_string(json) && type != TS_VALUE_LIST ? ts_error_help(err, "write it without quotation marks")
                                                       : ts_error_help(err, "write %s", with_article(type));
}

static bool read_type(struct ts_reader *reader, const json_t *json, const char *pointer,
                      struct ts_parameter *parameter) {
  const char *text = json_string_value(json);
  if (ts_value_type_parse(text, &parameter->type) && parameter->type != TS_VALUE_LIST) return true;
  ts_auto(ts_names_release) struct ts_names names = {0};
  for (int type = TS_VALUE_INTEGER; type <= TS_VALUE_STRING; type++) {
    ts_names_add(&names, ts_value_type_name((enum ts_value_type)type));
  }
  struct ts_error *err =
      ts_reader_fault(reader, TS_ERR_BAD_VALUE, pointer, TS_JSON_VALUE, "parameters have no type '%s'", text);
  ts_names_suggest(&names, err, text, "types of parameters", "");
  return false;
}

static bool is_number(const struct ts_parameter *parameter) {
  return parameter->type == TS_VALUE_INTEGER || parameter->type == TS_VALUE_REAL;
}

/* [low, high] of "domain" or "range"; low < high, or low <= high if a single value is enough. */
static bool read_pair(struct ts_reader *reader, const json_t *json, const char *pointer, const char *key,
                      const struct ts_parameter *parameter, bool single, double *low, double *high) {
  if (json_array_size(json) != 2) {
    struct ts_error *err = ts_reader_fault(reader, TS_ERR_WRONG_TYPE, pointer, TS_JSON_VALUE,
                                           "'%s' of parameter '%s' must have two numbers, but it has %zu", key,
                                           parameter->name, json_array_size(json));
    return ts_error_help(err, "write the lowest and the highest value, as in \"%s\": [0, 255]", key);
  }
  struct ts_value ends[2];
  const char *label = ts_arena_printf(reader->arena, "'%s' of parameter '%s'", key, parameter->name);
  for (size_t i = 0; i < 2; i++) {
    const char *place = ts_reader_item(reader, pointer, i);
    if (!ts_read_value(reader, json_array_get(json, i), place, parameter->type, label, &ends[i])) return false;
  }
  ts_value_number(&ends[0], low);
  ts_value_number(&ends[1], high);
  if (*low < *high || (single && *low == *high)) return true;
  ts_auto(ts_str_release) struct ts_str span = {0};
  ts_print_span(&span, *low, *high);
  struct ts_error *err =
      ts_reader_fault(reader, TS_ERR_EMPTY_RANGE, pointer, TS_JSON_VALUE, "'%s' of parameter '%s' is empty: %s", key,
                      parameter->name, ts_str_get(&span));
  ts_error_help(err, *low > *high ? "put the lower number first" : "the first number must be below the second");
  return false;
}

static bool read_choices(struct ts_reader *reader, const json_t *json, const char *pointer,
                         struct ts_parameter *parameter) {
  size_t count = json_array_size(json);
  const char *label = ts_arena_printf(reader->arena, "a choice of parameter '%s'", parameter->name);
  struct ts_value *choices = ts_arena_array(reader->arena, count, sizeof *choices);
  if (count == 0) {
    struct ts_error *err = ts_reader_fault(reader, TS_ERR_EMPTY_RANGE, pointer, TS_JSON_VALUE,
                                           "'choices' of parameter '%s' is empty", parameter->name);
    return ts_error_help(err, "list the allowed strings, or leave 'choices' out to allow any");
  }
  bool ok = true;
  for (size_t i = 0; i < count; i++) {
    const char *place = ts_reader_item(reader, pointer, i);
    ok = ts_read_value(reader, json_array_get(json, i), place, TS_VALUE_STRING, label, &choices[i]) && ok;
  }
  if (!ok) return false;
  parameter->choices = choices;
  parameter->choice_count = count;
  return true;
}

/* "domain", "range" and "distribution" are for numbers, "choices" for strings. */
static bool check_applicable(struct ts_reader *reader, const char *pointer, const struct ts_parameter *parameter,
                             const struct ts_field *field, bool applies, const char *instead) {
  if (!field->value || applies) return true;
  struct ts_error *err = ts_reader_fault(reader, TS_ERR_UNKNOWN_KEY, ts_reader_child(reader, pointer, field->name),
                                         TS_JSON_KEY, "parameter '%s' cannot have the key '%s': its type is %s",
                                         parameter->name, field->name, ts_value_type_name(parameter->type));
  return ts_error_help(err, "%s", instead);
}

static bool check_kinds(struct ts_reader *reader, const char *pointer, const struct ts_parameter *parameter,
                        const struct ts_field *fields) {
  bool number = is_number(parameter);
  bool text = parameter->type == TS_VALUE_STRING;
  const char *instead =
      text ? "list the allowed strings in 'choices'" : "remove it: true and false are the only values";
  bool ok = check_applicable(reader, pointer, parameter, &fields[UNIT], number,
                             "remove it: only numbers, of type integer or real, have a unit");
  ok = check_applicable(reader, pointer, parameter, &fields[DOMAIN], number, instead) && ok;
  ok = check_applicable(reader, pointer, parameter, &fields[RANGE], number, "list the values to vary in 'grid'") && ok;
  ok = check_applicable(reader, pointer, parameter, &fields[DISTRIBUTION], number,
                        "give the values of 'grid' different 'weights' instead") &&
       ok;
  instead = number ? "give numbers a 'domain', as in \"domain\": [0, 255]" : instead;
  ok = check_applicable(reader, pointer, parameter, &fields[CHOICES], text, instead) && ok;
  if (fields[GRID].value && fields[RANGE].value) {
    struct ts_error *err = ts_reader_fault(reader, TS_ERR_UNKNOWN_KEY, ts_reader_child(reader, pointer, "range"),
                                           TS_JSON_KEY, "parameter '%s' has both 'grid' and 'range'", parameter->name);
    ts_error_help(err, "keep 'grid' to vary it in steps, or 'range' to vary it freely between two ends");
    ok = false;
  }
  return ok;
}

/* Grid values have weights, anything between two ends a distribution. */
static bool check_shares(struct ts_reader *reader, const char *pointer, const struct ts_parameter *parameter,
                         const struct ts_field *fields) {
  if (!fields[WEIGHTS].value || fields[GRID].value) return true;
  struct ts_error *err =
      ts_reader_fault(reader, TS_ERR_UNKNOWN_KEY, ts_reader_child(reader, pointer, "weights"), TS_JSON_KEY,
                      "parameter '%s' has 'weights', but no 'grid' that they could belong to", parameter->name);
  return ts_error_help(err, is_number(parameter) ? "give it a 'grid', or a 'distribution' instead of the weights"
                                                 : "give it a 'grid' with one value per weight");
}

/* The keys that shape the values between the ends, once these are known. */
static bool read_shares(struct ts_reader *reader, const char *pointer, const struct ts_field *fields,
                        struct ts_parameter *parameter) {
  bool ok = ts_read_distribution(reader, fields[DISTRIBUTION].value, pointer, parameter);
  if (!fields[WEIGHTS].value) return ok;
  return ts_read_weights(reader, fields[WEIGHTS].value, ts_reader_child(reader, pointer, "weights"), parameter) && ok;
}

static bool read_spans(struct ts_reader *reader, const char *pointer, const struct ts_field *fields,
                       struct ts_parameter *parameter) {
  bool ok = true;
  if (fields[DOMAIN].value) {
    parameter->has_domain = read_pair(reader, fields[DOMAIN].value, ts_reader_child(reader, pointer, "domain"),
                                      "domain", parameter, true, &parameter->domain_low, &parameter->domain_high);
    ok = parameter->has_domain;
  }
  if (fields[RANGE].value) {
    parameter->has_range = read_pair(reader, fields[RANGE].value, ts_reader_child(reader, pointer, "range"), "range",
                                     parameter, false, &parameter->range_low, &parameter->range_high);
    ok = parameter->has_range && ok;
  }
  if (fields[CHOICES].value) {
    ok = read_choices(reader, fields[CHOICES].value, ts_reader_child(reader, pointer, "choices"), parameter) && ok;
  }
  if (fields[GRID].value) {
    ok = ts_read_grid(reader, fields[GRID].value, ts_reader_child(reader, pointer, "grid"), parameter) && ok;
  }
  return ok;
}

/* For space files, which need no default: the first value that a design could take, the median of a distribution. */
static struct ts_value first_value(const struct ts_parameter *parameter) {
  if (parameter->level_count > 0) return parameter->levels[0];
  if (parameter->choice_count > 0) return parameter->choices[0];
  if (parameter->distribution.kind != TS_UNIFORM) return ts_parameter_at(parameter, 0.5);
  double low = parameter->has_range ? parameter->range_low : parameter->has_domain ? parameter->domain_low : 0;
  switch (parameter->type) {
  case TS_VALUE_INTEGER: return ts_value_integer(low < 0x1p63 ? (int64_t)low : INT64_MAX);
  case TS_VALUE_REAL: return ts_value_real(low);
  case TS_VALUE_BOOLEAN: return ts_value_boolean(false);
  case TS_VALUE_STRING:
  case TS_VALUE_LIST: break;
  }
  return ts_value_string("");
}

static bool read_unit(struct ts_reader *reader, const char *pointer, const struct ts_field *field,
                      struct ts_parameter *parameter) {
  if (!field->value || ts_unit_parse(json_string_value(field->value), &parameter->unit)) return true;
  struct ts_error *err =
      ts_reader_fault(reader, TS_ERR_BAD_VALUE, ts_reader_child(reader, pointer, "unit"), TS_JSON_VALUE,
                      "parameter '%s' has the unknown unit '%s'", parameter->name, json_string_value(field->value));
  return ts_error_help(err, "write \"um\" for a length or \"um2\" for an area in micrometres, or remove it for pixels "
                            "and plain numbers");
}

static bool read_group(struct ts_reader *reader, const char *pointer, const struct ts_field *field,
                       struct ts_parameter *parameter) {
  if (!field->value) return true;
  parameter->group = ts_arena_strdup(reader->arena, json_string_value(field->value));
  return ts_reader_name(reader, parameter->group, ts_reader_child(reader, pointer, "group"), TS_JSON_VALUE, "a group");
}

static bool read_default(struct ts_reader *reader, const char *pointer, const struct ts_field *fields,
                         struct ts_parameter *parameter) {
  if (!fields[DEFAULT].value) {
    parameter->default_value = first_value(parameter);
    return true;
  }
  const char *label = ts_arena_printf(reader->arena, "'default' of parameter '%s'", parameter->name);
  return ts_read_value(reader, fields[DEFAULT].value, ts_reader_child(reader, pointer, "default"), parameter->type,
                       label, &parameter->default_value);
}

/* With `complete`, "default" is required and "name" is not allowed (workflows; space files are more lenient). */
static bool read_parameter(struct ts_reader *reader, const json_t *object, const char *pointer, const char *name,
                           bool complete, struct ts_parameter *parameter) {
  struct ts_field fields[FIELD_COUNT] = {
      [TYPE] = {"type", TS_WANT_STRING, true, "\"integer\"", NULL, false},
      [UNIT] = {"unit", TS_WANT_STRING, false, "\"um\"", NULL, false},
      [DOMAIN] = {"domain", TS_WANT_LIST, false, "[0, 255]", NULL, false},
      [CHOICES] = {"choices", TS_WANT_LIST, false, "[\"fast\", \"exact\"]", NULL, false},
      [GRID] = {"grid", TS_WANT_ANY, false, "[4, 8]", NULL, false},
      [RANGE] = {"range", TS_WANT_LIST, false, "[2.5, 7.5]", NULL, false},
      [DISTRIBUTION] = {"distribution", TS_WANT_ANY, false, "{\"normal\": {\"mean\": 5, \"sd\": 1}}", NULL, false},
      [WEIGHTS] = {"weights", TS_WANT_LIST, false, "[3, 1]", NULL, false},
      [GROUP] = {"group", TS_WANT_STRING, false, "\"sizes\"", NULL, false},
      [DEFAULT] = {"default", TS_WANT_ANY, complete, "8", NULL, false},
      [NAME] = {"name", TS_WANT_STRING, false, "\"G1\"", NULL, false},
  };
  memset(parameter, 0, sizeof *parameter);
  parameter->name = ts_arena_strdup(reader->arena, name);
  parameter->help = ts_reader_help(reader, object);
  const char *what = ts_arena_printf(reader->arena, "parameter '%s'", name);
  bool ok = ts_reader_fields(reader, object, pointer, what, fields, complete ? NAME : FIELD_COUNT);
  /* Without a type nothing else has a meaning. */
  if (!fields[TYPE].value) return false;
  if (!read_type(reader, fields[TYPE].value, ts_reader_child(reader, pointer, "type"), parameter)) return false;
  bool possible = check_kinds(reader, pointer, parameter, fields);
  if (!check_shares(reader, pointer, parameter, fields) || !possible) return false;
  bool spans = read_spans(reader, pointer, fields, parameter);
  ok = spans && read_shares(reader, pointer, fields, parameter) && ok;
  ok = read_default(reader, pointer, fields, parameter) && ok;
  ok = read_group(reader, pointer, &fields[GROUP], parameter) && ok;
  ok = read_unit(reader, pointer, &fields[UNIT], parameter) && ok;
  return ok && ts_check_parameter_values(reader, parameter, object, pointer);
}

bool ts_parameter_parse(const struct ts_json_doc *doc, const json_t *object, const char *pointer, const char *name,
                        struct ts_arena *arena, struct ts_parameter *parameter, struct ts_faults *faults) {
  struct ts_reader reader = {.doc = doc, .arena = arena, .faults = faults};
  const char *label = ts_arena_printf(arena, "parameter '%s'", name);
  memset(parameter, 0, sizeof *parameter);
  if (!ts_reader_want(&reader, object, pointer, label, TS_WANT_OBJECT, "{\"type\": \"integer\", \"grid\": [4, 8]}")) {
    return false;
  }
  if (!ts_reader_name(&reader, name, pointer, TS_JSON_VALUE, "a parameter")) return false;
  return read_parameter(&reader, object, pointer, name, false, parameter);
}

struct ts_parameter_draft *ts_read_parameters(struct ts_reader *reader, struct ts_arena *scratch, const json_t *object,
                                              const char *pointer) {
  struct ts_parameter_draft *drafts = ts_arena_array(scratch, json_object_size(object), sizeof *drafts);
  struct ts_parameter_draft *draft = drafts;
  const char *key;
  json_t *value;
  json_object_foreach(ts_without_const(object), key, value) {
    draft->pointer = ts_reader_child(reader, pointer, key);
    const char *label = ts_arena_printf(reader->arena, "parameter '%s'", key);
    draft->parameter.name = ts_arena_strdup(reader->arena, key);
    bool named = ts_reader_name(reader, key, draft->pointer, TS_JSON_KEY, "a parameter");
    draft->sound = ts_reader_want(reader, value, draft->pointer, label, TS_WANT_OBJECT,
                                  "{\"type\": \"integer\", \"default\": 8}") &&
                   read_parameter(reader, value, draft->pointer, key, true, &draft->parameter) && named;
    draft->has_domain = draft->parameter.has_domain;
    draft->has_choices = draft->parameter.choice_count > 0;
    draft++;
  }
  return drafts;
}
