/* Constraints between parameters: reading "minSize < maxSize" and holding sets of values against it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "workflow/workflow_int.h"

#include <string.h>

static const char *const signs[] = {
    [TS_LESS] = "<",           [TS_LESS_EQUAL] = "<=", [TS_GREATER] = ">",
    [TS_GREATER_EQUAL] = ">=", [TS_EQUAL] = "==",      [TS_NOT_EQUAL] = "!=",
};

/* "  minSize<maxSize " -> "minSize", "<", "maxSize"; false if it has another form. */
static bool split(struct ts_arena *arena, const char *text, const char *parts[3]) {
  size_t start[3];
  size_t end[3];
  size_t count = 0;
  for (const char *p = text; *p;) {
    size_t length = strspn(p, " \t");
    p += length;
    if (!*p) break;
    if (count == 3) return false;
    length = strspn(p, "<>=!");
    if (length == 0) length = strcspn(p, "<>=! \t");
    start[count] = (size_t)(p - text);
    end[count++] = (size_t)(p - text) + length;
    p += length;
  }
  for (size_t i = 0; i < count; i++) parts[i] = ts_arena_strndup(arena, text + start[i], end[i] - start[i]);
  return count == 3;
}

static bool parse_sign(const char *text, enum ts_comparison *comparison) {
  for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
    if (strcmp(signs[i], text) != 0) continue;
    *comparison = (enum ts_comparison)i;
    return true;
  }
  return false;
}

static bool report_form(struct ts_reader *reader, const char *pointer, const char *text) {
  struct ts_error *err = ts_reader_fault(reader, TS_ERR_BAD_VALUE, pointer, TS_JSON_VALUE,
                                         "the constraint '%s' does not compare two values", text);
  ts_error_help(err,
                "write a parameter, one of < <= > >= == !=, and a parameter or number, as in \"minSize < maxSize\"");
  return false;
}

/* Names and numbers; *sound becomes false if the parameter was complained about before. */
static bool read_side(struct ts_builder *builder, const char *pointer, const char *word, size_t *index, double *number,
                      bool *sound) {
  *index = TS_NONE;
  if (ts_parse_double(word, number)) return true;
  struct ts_names names = {0};
  for (size_t i = 0; i < builder->parameter_count; i++) {
    ts_names_add(&names, builder->parameters[i].parameter.name);
    if (strcmp(names.items[i], word) == 0) *index = i;
  }
  bool known = *index != TS_NONE;
  if (known) {
    *sound = builder->parameters[*index].sound && *sound;
  } else if (builder->parameters_known) {
    struct ts_error *err = ts_reader_fault(&builder->reader, TS_ERR_UNKNOWN_PARAMETER, pointer, TS_JSON_VALUE,
                                           "the workflow has no parameter '%s'", word);
    ts_names_suggest(&names, err, word, "parameters of the workflow", "declare it in \"parameters\"");
  }
  ts_names_release(&names);
  if (known && builder->parameters[*index].sound && builder->parameters[*index].parameter.type == TS_VALUE_STRING) {
    struct ts_error *err = ts_reader_fault(&builder->reader, TS_ERR_BAD_VALUE, pointer, TS_JSON_VALUE,
                                           "parameter '%s' is a string; constraints compare numbers", word);
    ts_error_help(err, "remove the constraint");
    return false;
  }
  return known;
}

static bool holds(enum ts_comparison comparison, double left, double right) {
  switch (comparison) {
  case TS_LESS: return left < right;
  case TS_LESS_EQUAL: return left <= right;
  case TS_GREATER: return left > right;
  case TS_GREATER_EQUAL: return left >= right;
  case TS_EQUAL: return left == right;
  case TS_NOT_EQUAL: return left != right;
  }
  TS_BUG("no such comparison: %d", (int)comparison);
}

/* Whether two intervals leave room for the comparison to hold. */
static bool can_hold(enum ts_comparison comparison, const double left[2], const double right[2]) {
  switch (comparison) {
  case TS_LESS:
  case TS_LESS_EQUAL: return holds(comparison, left[0], right[1]);
  case TS_GREATER:
  case TS_GREATER_EQUAL: return holds(comparison, left[1], right[0]);
  case TS_EQUAL: return left[0] <= right[1] && right[0] <= left[1];
  case TS_NOT_EQUAL: return left[0] != left[1] || right[0] != right[1] || left[0] != right[0];
  }
  TS_BUG("no such comparison: %d", (int)comparison);
}

static void print_side(struct ts_str *out, const char *name, double number) {
  if (!name) return;
  ts_str_addf(out, "%s%s = ", out->length ? ", " : "", name);
  ts_str_add_double(out, number);
}

static const struct ts_parameter *parameter_of(const struct ts_builder *builder, size_t index) {
  return index == TS_NONE ? NULL : &builder->parameters[index].parameter;
}

static void check_defaults(struct ts_builder *builder, const struct ts_constraint *constraint, const char *pointer) {
  const struct ts_parameter *left = parameter_of(builder, constraint->left);
  const struct ts_parameter *right = parameter_of(builder, constraint->right);
  double left_span[2] = {constraint->left_number, constraint->left_number};
  double right_span[2] = {constraint->right_number, constraint->right_number};
  double left_default = constraint->left_number;
  double right_default = constraint->right_number;
  if (left) {
    ts_value_number(&left->default_value, &left_default);
    ts_parameter_span(left, &left_span[0], &left_span[1]);
  }
  if (right) {
    ts_value_number(&right->default_value, &right_default);
    ts_parameter_span(right, &right_span[0], &right_span[1]);
  }
  struct ts_str values = {0};
  print_side(&values, left ? left->name : NULL, left_default);
  print_side(&values, right ? right->name : NULL, right_default);
  if (!holds(constraint->comparison, left_default, right_default)) {
    struct ts_error *err = ts_reader_fault(&builder->reader, TS_ERR_CONSTRAINT, pointer, TS_JSON_VALUE,
                                           "the defaults violate '%s': %s", constraint->text, ts_str_get(&values));
    ts_error_help(err, "change a 'default', or the constraint");
  } else if (!can_hold(constraint->comparison, left_span, right_span)) {
    struct ts_error *err = ts_reader_fault(&builder->reader, TS_ERR_CONSTRAINT, pointer, TS_JSON_VALUE,
                                           "no values of the grids or ranges satisfy '%s'", constraint->text);
    ts_error_help(err, "change a 'grid' or 'range', or the constraint");
  }
  ts_str_release(&values);
}

static bool read_constraint(struct ts_builder *builder, const json_t *json, const char *pointer,
                            struct ts_constraint *constraint) {
  struct ts_reader *reader = &builder->reader;
  if (!ts_reader_want(reader, json, pointer, "a constraint", TS_WANT_STRING, "\"minSize < maxSize\"")) return false;
  constraint->text = ts_arena_strdup(reader->arena, json_string_value(json));
  const char *parts[3];
  if (!split(reader->arena, constraint->text, parts) || !parse_sign(parts[1], &constraint->comparison)) {
    return report_form(reader, pointer, constraint->text);
  }
  bool sound = true;
  bool ok = read_side(builder, pointer, parts[0], &constraint->left, &constraint->left_number, &sound);
  ok = read_side(builder, pointer, parts[2], &constraint->right, &constraint->right_number, &sound) && ok;
  if (!ok) return false;
  if (constraint->left == TS_NONE && constraint->right == TS_NONE) {
    return report_form(reader, pointer, constraint->text);
  }
  if (sound) check_defaults(builder, constraint, pointer);
  return true;
}

void ts_read_constraints(struct ts_builder *builder, const json_t *list, const char *pointer) {
  size_t count = json_array_size(list);
  struct ts_constraint *constraints = ts_arena_array(builder->reader.arena, count, sizeof *constraints);
  for (size_t i = 0; i < count; i++) {
    const char *place = ts_reader_item(&builder->reader, pointer, i);
    read_constraint(builder, json_array_get(list, i), place, &constraints[i]);
  }
  builder->workflow->constraints = constraints;
  builder->workflow->constraint_count = count;
}

bool ts_workflow_check_set(const struct ts_workflow *workflow, const struct ts_value *values, struct ts_error *err) {
  for (size_t i = 0; i < workflow->constraint_count; i++) {
    const struct ts_constraint *constraint = &workflow->constraints[i];
    double left = constraint->left_number;
    double right = constraint->right_number;
    if (constraint->left != TS_NONE) ts_value_number(&values[constraint->left], &left);
    if (constraint->right != TS_NONE) ts_value_number(&values[constraint->right], &right);
    if (holds(constraint->comparison, left, right)) continue;
    struct ts_str text = {0};
    print_side(&text, constraint->left == TS_NONE ? NULL : workflow->parameters[constraint->left].name, left);
    print_side(&text, constraint->right == TS_NONE ? NULL : workflow->parameters[constraint->right].name, right);
    ts_fail(err, TS_ERR_CONSTRAINT, "'%s' is violated: %s", constraint->text, ts_str_get(&text));
    ts_error_help(err, "choose values that satisfy '%s'", constraint->text);
    ts_str_release(&text);
    return false;
  }
  return true;
}
