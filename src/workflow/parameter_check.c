/* Whether the values of a parameter lie in its domain.
 * SPDX-License-Identifier: Apache-2.0 */
#include "workflow/workflow_int.h"

#include "base/alloc.h"

#include <string.h>

void ts_print_span(struct ts_str *out, double low, double high) {
  ts_str_add_double(out, low);
  ts_str_add(out, "..");
  ts_str_add_double(out, high);
}

/* Integers beyond 2^53 are compared as the doubles they are nearest to, as the domain itself is. */
static bool in_domain(const struct ts_parameter *parameter, const struct ts_value *value) {
  double number;
  if (parameter->has_domain && ts_value_number(value, &number)) {
    return number >= parameter->domain_low && number <= parameter->domain_high;
  }
  if (!parameter->choices || value->type != TS_VALUE_STRING) return true;
  for (size_t i = 0; i < parameter->choice_count; i++) {
    if (strcmp(parameter->choices[i].as.string, value->as.string) == 0) return true;
  }
  return false;
}

static void print_domain(const struct ts_parameter *parameter, struct ts_str *out) {
  if (parameter->has_domain) {
    ts_str_add(out, "outside ");
    ts_print_span(out, parameter->domain_low, parameter->domain_high);
  } else {
    ts_str_add(out, "none of its choices");
  }
}

static void help_domain(const struct ts_parameter *parameter, const struct ts_value *value, struct ts_error *err) {
  if (parameter->has_domain) {
    ts_auto(ts_str_release) struct ts_str span = {0};
    ts_str_add_double(&span, parameter->domain_low);
    ts_str_add(&span, " to ");
    ts_str_add_double(&span, parameter->domain_high);
    ts_error_help(err, "give a value from %s", ts_str_get(&span));
    return;
  }
  ts_auto(ts_names_release) struct ts_names names = {0};
  for (size_t i = 0; i < parameter->choice_count; i++) ts_names_add(&names, parameter->choices[i].as.string);
  ts_names_suggest(&names, err, value->as.string, "choices", "");
}

static bool report(struct ts_reader *reader, const struct ts_parameter *parameter, enum ts_error_code code,
                   const char *pointer, const char *label, const struct ts_value *value) {
  ts_auto(ts_str_release) struct ts_str text = {0};
  ts_str_addf(&text, "%s ", label);
  ts_value_print(value, &text);
  ts_str_addf(&text, " of parameter '%s' is ", parameter->name);
  print_domain(parameter, &text);
  struct ts_error *err = ts_reader_fault(reader, code, pointer, TS_JSON_VALUE, "%s", ts_str_get(&text));
  help_domain(parameter, value, err);
  return false;
}

/* One complaint per grid is enough: the help says which values are allowed. */
static bool check_levels(struct ts_reader *reader, const struct ts_parameter *parameter, const json_t *grid,
                         const char *pointer) {
  for (size_t i = 0; i < parameter->level_count; i++) {
    const struct ts_value *level = &parameter->levels[i];
    if (in_domain(parameter, level)) continue;
    double number = 0;
    ts_value_number(level, &number);
    const char *end = number < parameter->domain_low ? "from" : "to";
    const char *place =
        json_is_array(grid) ? ts_reader_item(reader, pointer, i) : ts_reader_child(reader, pointer, end);
    return report(reader, parameter, TS_ERR_GRID_OUTSIDE_DOMAIN, place, "grid value", level);
  }
  return true;
}

/* A distribution without a range of its own reaches this far. */
static bool report_reach(struct ts_reader *reader, const struct ts_parameter *parameter, const char *pointer,
                         double reach) {
  ts_auto(ts_str_release) struct ts_str number = {0};
  ts_auto(ts_str_release) struct ts_str span = {0};
  ts_str_add_double(&number, reach);
  ts_print_span(&span, parameter->domain_low, parameter->domain_high);
  struct ts_error *err = ts_reader_fault(reader, TS_ERR_GRID_OUTSIDE_DOMAIN, pointer, TS_JSON_VALUE,
                                         "the %s distribution of parameter '%s' reaches %s, outside %s",
                                         ts_distribution_name(parameter->distribution.kind), parameter->name,
                                         ts_str_get(&number), ts_str_get(&span));
  ts_error_help(err, "cut it off with \"range\": [low, high] within %s", ts_str_get(&span));
  return false;
}

static bool check_range(struct ts_reader *reader, const struct ts_parameter *parameter, const json_t *object,
                        const char *pointer) {
  if (!parameter->has_range) return true;
  double ends[] = {parameter->range_low, parameter->range_high};
  for (size_t i = 0; i < 2; i++) {
    struct ts_value end = ts_value_real(ends[i]);
    if (in_domain(parameter, &end)) continue;
    if (!json_object_get(object, "range")) {
      return report_reach(reader, parameter, ts_reader_child(reader, pointer, "distribution"), ends[i]);
    }
    const char *place = ts_reader_item(reader, ts_reader_child(reader, pointer, "range"), i);
    return report(reader, parameter, TS_ERR_GRID_OUTSIDE_DOMAIN, place, "range end", &end);
  }
  return true;
}

bool ts_check_parameter_values(struct ts_reader *reader, const struct ts_parameter *parameter, const json_t *object,
                               const char *pointer) {
  bool ok = true;
  if (json_object_get(object, "default") && !in_domain(parameter, &parameter->default_value)) {
    ok = report(reader, parameter, TS_ERR_OUTSIDE_DOMAIN, ts_reader_child(reader, pointer, "default"), "default",
                &parameter->default_value);
  }
  const json_t *grid = json_object_get(object, "grid");
  ok = check_levels(reader, parameter, grid, ts_reader_child(reader, pointer, "grid")) && ok;
  return check_range(reader, parameter, object, pointer) && ok;
}

bool ts_parameter_check(const struct ts_parameter *parameter, const struct ts_value *value, struct ts_error *err) {
  ts_auto(ts_str_release) struct ts_str text = {0};
  ts_str_addf(&text, "parameter '%s' = ", parameter->name);
  ts_value_print(value, &text);
  if (value->type != parameter->type) {
    ts_fail(err, TS_ERR_BAD_VALUE, "%s must be of type %s, but it is of type %s", ts_str_get(&text),
            ts_value_type_name(parameter->type), ts_value_type_name(value->type));
    ts_error_help(err, "give a value of type %s", ts_value_type_name(parameter->type));
    return false;
  }
  bool ok = in_domain(parameter, value);
  if (!ok) {
    ts_str_add(&text, " is ");
    print_domain(parameter, &text);
    ts_fail(err, TS_ERR_OUTSIDE_DOMAIN, "%s", ts_str_get(&text));
    help_domain(parameter, value, err);
  }
  return ok;
}
