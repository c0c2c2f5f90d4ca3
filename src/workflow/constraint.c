/* Constraints between parameters: reading "minSize < maxSize" and holding sets of values against it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "workflow/workflow_int.h"

#include "base/alloc.h"

#include <string.h>

static const char *const signs[] = {
    [TS_LESS] = "<",           [TS_LESS_EQUAL] = "<=", [TS_GREATER] = ">",
    [TS_GREATER_EQUAL] = ">=", [TS_EQUAL] = "==",      [TS_NOT_EQUAL] = "!=",
};

const char *ts_comparison_sign(enum ts_comparison comparison) { return signs[comparison]; }

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

/* Whose parameters a constraint may name. */
struct scope {
  struct ts_reader *reader;                     /* borrowed */
  const char *owner;                            /* "workflow", "space" */
  const struct ts_parameter *const *parameters; /* borrowed */
  const bool *sound;                            /* borrowed; false: complained about before */
  size_t count;
  bool known;        /* false: an unknown name may be in a part that could not be read */
  bool has_defaults; /* which must satisfy the constraint too */
};

static bool report_form(struct ts_reader *reader, const char *pointer, const char *text) {
  struct ts_error *err = ts_reader_fault(reader, TS_ERR_BAD_VALUE, pointer, TS_JSON_VALUE,
                                         "the constraint '%s' does not compare two values", text);
  return ts_error_help(
      err, "write a parameter, one of < <= > >= == !=, and a parameter or number, as in \"minSize < maxSize\"");
}

static void report_unknown(const struct scope *scope, const char *pointer, const char *word) {
  ts_auto(ts_names_release) struct ts_names names = {0};
  for (size_t i = 0; i < scope->count; i++) ts_names_add(&names, scope->parameters[i]->name);
  struct ts_error *err = ts_reader_fault(scope->reader, TS_ERR_UNKNOWN_PARAMETER, pointer, TS_JSON_VALUE,
                                         "the %s has no parameter '%s'", scope->owner, word);
  const char *label = ts_arena_printf(scope->reader->arena, "parameters of the %s", scope->owner);
  ts_names_suggest(&names, err, word, label, "declare it in \"parameters\"");
}

/* Names and numbers; *sound becomes false if the parameter was complained about before. */
static bool read_side(const struct scope *scope, const char *pointer, const char *word, size_t *index, double *number,
                      bool *sound) {
  *index = TS_NONE;
  if (ts_parse_double(word, number)) return true;
  for (size_t i = 0; i < scope->count; i++) {
    if (strcmp(scope->parameters[i]->name, word) == 0) *index = i;
  }
  if (*index == TS_NONE) {
    if (scope->known) report_unknown(scope, pointer, word);
    return false;
  }
  *sound = scope->sound[*index] && *sound;
  if (scope->sound[*index] && scope->parameters[*index]->type == TS_VALUE_STRING) {
    struct ts_error *err = ts_reader_fault(scope->reader, TS_ERR_BAD_VALUE, pointer, TS_JSON_VALUE,
                                           "parameter '%s' is a string; constraints compare numbers", word);
    return ts_error_help(err, "remove the constraint");
  }
  return true;
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

/* One side of a constraint: its number by default, and the numbers a study may give it. */
struct side {
  const char *name; /* NULL: a number */
  double number;
  double span[2];
};

static struct side side_of(const struct scope *scope, size_t index, double number) {
  if (index == TS_NONE) return (struct side){.number = number, .span = {number, number}};
  const struct ts_parameter *parameter = scope->parameters[index];
  struct side side = {.name = parameter->name};
  ts_value_number(&parameter->default_value, &side.number);
  ts_parameter_span(parameter, &side.span[0], &side.span[1]);
  return side;
}

static void check_room(const struct scope *scope, const struct ts_constraint *constraint, const char *pointer) {
  struct side left = side_of(scope, constraint->left, constraint->left_number);
  struct side right = side_of(scope, constraint->right, constraint->right_number);
  if (scope->has_defaults && !holds(constraint->comparison, left.number, right.number)) {
    ts_auto(ts_str_release) struct ts_str values = {0};
    print_side(&values, left.name, left.number);
    print_side(&values, right.name, right.number);
    struct ts_error *err = ts_reader_fault(scope->reader, TS_ERR_CONSTRAINT, pointer, TS_JSON_VALUE,
                                           "the defaults violate '%s': %s", constraint->text, ts_str_get(&values));
    ts_error_help(err, "change a 'default', or the constraint");
  } else if (!can_hold(constraint->comparison, left.span, right.span)) {
    struct ts_error *err = ts_reader_fault(scope->reader, TS_ERR_CONSTRAINT, pointer, TS_JSON_VALUE,
                                           "no values of the grids or ranges satisfy '%s'", constraint->text);
    ts_error_help(err, "change a 'grid' or 'range', or the constraint");
  }
}

static bool read_constraint(const struct scope *scope, const json_t *json, const char *pointer,
                            struct ts_constraint *constraint) {
  struct ts_reader *reader = scope->reader;
  if (!ts_reader_want(reader, json, pointer, "a constraint", TS_WANT_STRING, "\"minSize < maxSize\"")) return false;
  constraint->text = ts_arena_strdup(reader->arena, json_string_value(json));
  const char *parts[3];
  if (!split(reader->arena, constraint->text, parts) || !parse_sign(parts[1], &constraint->comparison)) {
    return report_form(reader, pointer, constraint->text);
  }
  bool sound = true;
  bool ok = read_side(scope, pointer, parts[0], &constraint->left, &constraint->left_number, &sound);
  ok = read_side(scope, pointer, parts[2], &constraint->right, &constraint->right_number, &sound) && ok;
  if (!ok) return false;
  if (constraint->left == TS_NONE && constraint->right == TS_NONE) {
    return report_form(reader, pointer, constraint->text);
  }
  if (sound) check_room(scope, constraint, pointer);
  return true;
}

static const struct ts_constraint *read_list(const struct scope *scope, const json_t *list, const char *pointer) {
  size_t count = json_array_size(list);
  struct ts_constraint *constraints = ts_arena_array(scope->reader->arena, count, sizeof *constraints);
  for (size_t i = 0; i < count; i++) {
    read_constraint(scope, json_array_get(list, i), ts_reader_item(scope->reader, pointer, i), &constraints[i]);
  }
  return constraints;
}

void ts_read_constraints(struct ts_builder *builder, const json_t *list, const char *pointer) {
  size_t count = builder->parameter_count;
  const struct ts_parameter **parameters = ts_arena_array(&builder->scratch, count, sizeof *parameters);
  bool *sound = ts_arena_array(&builder->scratch, count, sizeof *sound);
  for (size_t i = 0; i < count; i++) {
    parameters[i] = &builder->parameters[i].parameter;
    sound[i] = builder->parameters[i].sound;
  }
  struct scope scope = {.reader = &builder->reader,
                        .owner = "workflow",
                        .parameters = parameters,
                        .sound = sound,
                        .count = count,
                        .known = builder->parameters_known,
                        .has_defaults = true};
  builder->workflow->constraints = read_list(&scope, list, pointer);
  builder->workflow->constraint_count = json_array_size(list);
}

bool ts_constraints_parse(const struct ts_json_doc *doc, const json_t *list, const char *pointer,
                          const struct ts_parameter *const *parameters, size_t parameter_count, bool parameters_known,
                          struct ts_arena *arena, const struct ts_constraint **constraints, size_t *count,
                          struct ts_faults *faults) {
  size_t before = faults->count;
  struct ts_reader reader = {.doc = doc, .arena = arena, .faults = faults};
  if (!ts_reader_want(&reader, list, pointer, "'constraints'", TS_WANT_LIST, "\"constraints\": [\"a < b\"]")) {
    return false;
  }
  bool *sound = ts_arena_array(arena, parameter_count, sizeof *sound);
  for (size_t i = 0; i < parameter_count; i++) sound[i] = true;
  struct scope scope = {.reader = &reader,
                        .owner = "space",
                        .parameters = parameters,
                        .sound = sound,
                        .count = parameter_count,
                        .known = parameters_known};
  *constraints = read_list(&scope, list, pointer);
  *count = json_array_size(list);
  return faults->count == before;
}

bool ts_constraint_holds(const struct ts_constraint *constraint, double left, double right) {
  return holds(constraint->comparison, left, right);
}

/* CONSTRAINT with the values if they violate it; a name is NULL where that side is a number. */
static bool check_sides(const struct ts_constraint *constraint, const char *left_name, double left,
                        const char *right_name, double right, struct ts_error *err) {
  if (holds(constraint->comparison, left, right)) return true;
  ts_auto(ts_str_release) struct ts_str text = {0};
  print_side(&text, left_name, left);
  print_side(&text, right_name, right);
  ts_fail(err, TS_ERR_CONSTRAINT, "'%s' is violated: %s", constraint->text, ts_str_get(&text));
  ts_error_help(err, "choose values that satisfy '%s'", constraint->text);
  return false;
}

bool ts_workflow_check_set(const struct ts_workflow *workflow, const struct ts_value *values, struct ts_error *err) {
  for (size_t i = 0; i < workflow->constraint_count; i++) {
    const struct ts_constraint *constraint = &workflow->constraints[i];
    const struct ts_parameter *parameters = workflow->parameters;
    bool has_left = constraint->left != TS_NONE;
    bool has_right = constraint->right != TS_NONE;
    double left = constraint->left_number;
    double right = constraint->right_number;
    if (has_left) ts_value_number(&values[constraint->left], &left);
    if (has_right) ts_value_number(&values[constraint->right], &right);
    if (!check_sides(constraint, has_left ? parameters[constraint->left].name : NULL, left,
                     has_right ? parameters[constraint->right].name : NULL, right, err)) {
      return false;
    }
  }
  return true;
}
