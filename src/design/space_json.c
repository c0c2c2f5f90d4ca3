/* A space as JSON, in one form whatever file it came from: to keep it beside a design, and to compare two spaces.
 * SPDX-License-Identifier: Apache-2.0 */
#include "design/design.h"

#include <math.h>

static json_t *values_json(const struct ts_parameter *parameter) {
  json_t *list = json_array();
  for (size_t i = 0; i < parameter->level_count; i++)
    json_array_append_new(list, ts_value_to_json(&parameter->levels[i]));
  return list;
}

/* Shares add up; weights are their differences. */
static json_t *weights_json(const struct ts_parameter *parameter) {
  json_t *list = json_array();
  for (size_t i = 0; i < parameter->level_count; i++) {
    double before = i > 0 ? parameter->shares[i - 1] : 0;
    json_array_append_new(list, json_real(parameter->shares[i] - before));
  }
  return list;
}

static json_t *end_json(const struct ts_parameter *parameter, double end) {
  if (parameter->type != TS_VALUE_INTEGER) return json_real(end);
  return json_integer(end < 0x1p63 ? (json_int_t)end : INT64_MAX); /* as a double the largest integer is 2^63 */
}

static json_t *distribution_json(const struct ts_parameter *parameter) {
  const struct ts_distribution *d = &parameter->distribution;
  const char *name = ts_distribution_name(d->kind);
  double half = parameter->type == TS_VALUE_INTEGER ? 0.5 : 0; /* what reading adds at both ends of integers */
  switch (d->kind) {
  case TS_UNIFORM:
  case TS_LOG_UNIFORM: return json_string(name);
  case TS_NORMAL:
  case TS_LOGNORMAL: return json_pack("{s:{s:f, s:f}}", name, "mean", d->mean, "sd", d->sd);
  case TS_TRIANGULAR: break;
  }
  return json_pack("{s:{s:f, s:f, s:f}}", name, "low", d->low + half, "mode", d->mode, "high", d->high - half);
}

/* The range of a distribution without ends is where numbers stop, not a choice of the user. */
static bool has_own_ends(const struct ts_distribution *d) {
  return d->kind == TS_TRIANGULAR || ((d->kind == TS_NORMAL || d->kind == TS_LOGNORMAL) && isinf(d->from));
}

static bool is_cut(const struct ts_parameter *parameter) {
  const struct ts_distribution *d = &parameter->distribution;
  return !has_own_ends(d) || (d->kind == TS_TRIANGULAR && (d->from > d->low || d->to < d->high));
}

static json_t *parameter_json(const struct ts_parameter *parameter) {
  json_t *object = json_pack("{s:s, s:s}", "name", parameter->name, "type", ts_value_type_name(parameter->type));
  if (parameter->unit != TS_UNIT_NONE) json_object_set_new(object, "unit", json_string(ts_unit_name(parameter->unit)));
  if (parameter->level_count > 0) {
    json_object_set_new(object, "grid", values_json(parameter));
    if (parameter->shares) json_object_set_new(object, "weights", weights_json(parameter));
  } else if (parameter->has_range) {
    if (is_cut(parameter)) {
      json_object_set_new(
          object, "range",
          json_pack("[o, o]", end_json(parameter, parameter->range_low), end_json(parameter, parameter->range_high)));
    }
    if (parameter->distribution.kind != TS_UNIFORM)
      json_object_set_new(object, "distribution", distribution_json(parameter));
  }
  if (parameter->group) json_object_set_new(object, "group", json_string(parameter->group));
  return object;
}

static void add_side(const struct ts_space *space, size_t column, double number, struct ts_str *out) {
  if (column == TS_NONE) {
    ts_str_add_double(out, number);
  } else {
    ts_str_add(out, space->parameters[column]->name);
  }
}

static json_t *constraints_json(const struct ts_space *space) {
  json_t *list = json_array();
  for (size_t i = 0; i < space->constraint_count; i++) {
    const struct ts_constraint *constraint = &space->constraints[i];
    struct ts_str text = {0};
    add_side(space, constraint->left, constraint->left_number, &text);
    ts_str_addf(&text, " %s ", ts_comparison_sign(constraint->comparison));
    add_side(space, constraint->right, constraint->right_number, &text);
    json_array_append_new(list, json_string(ts_str_get(&text)));
    ts_str_release(&text);
  }
  return list;
}

json_t *ts_space_to_json(const struct ts_space *space) {
  json_t *list = json_array();
  for (size_t i = 0; i < space->count; i++) json_array_append_new(list, parameter_json(space->parameters[i]));
  json_t *object = json_pack("{s:o}", "parameters", list);
  if (space->constraint_count > 0) json_object_set_new(object, "constraints", constraints_json(space));
  return object;
}
