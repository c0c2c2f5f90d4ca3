/* The grid of a parameter: listed values, or from, to and step; and what designs may draw from it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"
#include "workflow/workflow_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LEVELS   100000
#define MAX_DECIMALS 15

static bool report_empty(struct ts_reader *reader, const char *pointer, const struct ts_parameter *parameter,
                         const char *help) {
  struct ts_error *err = ts_reader_fault(reader, TS_ERR_EMPTY_RANGE, pointer, TS_JSON_VALUE,
                                         "'grid' of parameter '%s' is empty", parameter->name);
  return ts_error_help(err, "%s", help);
}

static bool report_too_many(struct ts_reader *reader, const char *pointer, const struct ts_parameter *parameter) {
  struct ts_error *err =
      ts_reader_fault(reader, TS_ERR_BAD_VALUE, pointer, TS_JSON_VALUE,
                      "'grid' of parameter '%s' has more than %d values", parameter->name, MAX_LEVELS);
  return ts_error_help(err, "use larger steps, or 'range' to vary it freely between two ends");
}

static int compare_levels(const void *left, const void *right) {
  const struct ts_value *const *a = left;
  const struct ts_value *const *b = right;
  int order = ts_value_compare(*a, *b);
  return order ? order : (*a > *b) - (*a < *b);
}

/* The index of the first level that equals an earlier one, or TS_NONE. */
static size_t find_repeated(const struct ts_value *levels, size_t count) {
  const struct ts_value **sorted = ts_calloc(count, sizeof *sorted);
  for (size_t i = 0; i < count; i++) sorted[i] = &levels[i];
  qsort(sorted, count, sizeof *sorted, compare_levels);
  size_t repeated = TS_NONE;
  for (size_t i = 1; i < count; i++) {
    size_t index = (size_t)(sorted[i] - levels);
    if (ts_value_equal(sorted[i - 1], sorted[i]) && index < repeated) repeated = index;
  }
  free(sorted);
  return repeated;
}

static bool check_repeated(struct ts_reader *reader, const char *pointer, const struct ts_parameter *parameter) {
  size_t repeated = find_repeated(parameter->levels, parameter->level_count);
  if (repeated == TS_NONE) return true;
  ts_auto(ts_str_release) struct ts_str text = {0};
  ts_value_print(&parameter->levels[repeated], &text);
  struct ts_error *err =
      ts_reader_fault(reader, TS_ERR_BAD_VALUE, ts_reader_item(reader, pointer, repeated), TS_JSON_VALUE,
                      "the value %s occurs twice in 'grid' of parameter '%s'", ts_str_get(&text), parameter->name);
  ts_error_help(err, "remove one of the two");
  return false;
}

static bool read_list(struct ts_reader *reader, const json_t *grid, const char *pointer,
                      struct ts_parameter *parameter) {
  size_t count = json_array_size(grid);
  if (count == 0) return report_empty(reader, pointer, parameter, "list the values that studies try, as in [4, 8]");
  if (count > MAX_LEVELS) return report_too_many(reader, pointer, parameter);
  const char *label = ts_arena_printf(reader->arena, "a grid value of parameter '%s'", parameter->name);
  struct ts_value *levels = ts_arena_array(reader->arena, count, sizeof *levels);
  for (size_t i = 0; i < count; i++) {
    const char *place = ts_reader_item(reader, pointer, i);
    if (!ts_read_value(reader, json_array_get(grid, i), place, parameter->type, label, &levels[i])) return false;
  }
  parameter->levels = levels;
  parameter->level_count = count;
  return check_repeated(reader, pointer, parameter);
}

/* Digits after the decimal point of the shortest text; too many if it is written with an exponent. */
static int decimals(double value) {
  ts_auto(ts_str_release) struct ts_str text = {0};
  ts_str_add_double(&text, value);
  const char *point = strchr(ts_str_get(&text), '.');
  return strchr(ts_str_get(&text), 'e') ? MAX_DECIMALS + 1 : point ? (int)strlen(point + 1) : 0;
}

/* The level a person would write: 0.3, not 0.1 + 0.1 + 0.1. A whole number divided by a power of ten that a double
 * holds exactly is rounded once, hence to the double that the decimal text means. */
static double nice_level(double from, double step, size_t index) {
  double value = from + (double)index * step;
  int places = decimals(from) > decimals(step) ? decimals(from) : decimals(step);
  if (places > MAX_DECIMALS) return value;
  double scale = 1;
  for (int i = 0; i < places; i++) scale *= 10;
  double whole = rint(value * scale);
  return fabs(whole) < 0x1p53 ? whole / scale : value;
}

/* How many values there are from `from` to `to`; anything above MAX_LEVELS means too many. */
static size_t count_levels(const struct ts_value steps[3], double from, double to, double step) {
  if (steps[0].type == TS_VALUE_INTEGER) {
    if (steps[2].as.integer < 1) TS_BUG("steps that lead nowhere");
    /* Unsigned, because the distance of two integers need not fit a signed one. */
    uint64_t distance = (uint64_t)steps[1].as.integer - (uint64_t)steps[0].as.integer;
    uint64_t last = distance / (uint64_t)steps[2].as.integer;
    return last < MAX_LEVELS ? (size_t)last + 1 : MAX_LEVELS + 1;
  }
  double last = floor((to - from) / step + 1e-9); /* the last value may miss `to` by rounding */
  return last < MAX_LEVELS ? (size_t)last + 1 : MAX_LEVELS + 1;
}

static bool make_levels(struct ts_reader *reader, const char *pointer, const struct ts_value steps[3],
                        struct ts_parameter *parameter) {
  double from = 0;
  double to = 0;
  double step = 0;
  ts_value_number(&steps[0], &from);
  ts_value_number(&steps[1], &to);
  ts_value_number(&steps[2], &step);
  if (step <= 0) {
    struct ts_error *err = ts_reader_fault(reader, TS_ERR_BAD_VALUE, ts_reader_child(reader, pointer, "step"),
                                           TS_JSON_VALUE, "'step' of parameter '%s' must be above 0", parameter->name);
    return ts_error_help(err, "give the distance between two values, as in \"step\": 5");
  }
  if (from > to) return report_empty(reader, pointer, parameter, "'from' must not be above 'to'");
  size_t count = count_levels(steps, from, to, step);
  if (count > MAX_LEVELS) return report_too_many(reader, pointer, parameter);
  struct ts_value *levels = ts_arena_array(reader->arena, count, sizeof *levels);
  for (size_t i = 0; i < count; i++) {
    uint64_t distance = (uint64_t)i * (uint64_t)steps[2].as.integer;
    levels[i] = parameter->type == TS_VALUE_INTEGER
                    ? ts_value_integer((int64_t)((uint64_t)steps[0].as.integer + distance))
                    : ts_value_real(nice_level(from, step, i));
  }
  parameter->levels = levels;
  parameter->level_count = count;
  return true;
}

static bool read_steps(struct ts_reader *reader, const json_t *grid, const char *pointer,
                       struct ts_parameter *parameter) {
  struct ts_field fields[] = {
      {"from", TS_WANT_ANY, true, "5", NULL, false},
      {"to", TS_WANT_ANY, true, "80", NULL, false},
      {"step", TS_WANT_ANY, true, "5", NULL, false},
  };
  if (parameter->type != TS_VALUE_INTEGER && parameter->type != TS_VALUE_REAL) {
    struct ts_error *err = ts_reader_fault(reader, TS_ERR_WRONG_TYPE, pointer, TS_JSON_VALUE,
                                           "'grid' of parameter '%s' must be a list: its type is %s", parameter->name,
                                           ts_value_type_name(parameter->type));
    return ts_error_help(err, "list the values, as in \"grid\": [...]; only numbers go from, to and in steps");
  }
  const char *what = ts_arena_printf(reader->arena, "'grid' of parameter '%s'", parameter->name);
  bool ok = ts_reader_fields(reader, grid, pointer, what, fields, 3);
  struct ts_value values[3] = {0};
  for (size_t i = 0; i < 3; i++) {
    if (!fields[i].value) continue;
    const char *label = ts_arena_printf(reader->arena, "'%s' of parameter '%s'", fields[i].name, parameter->name);
    const char *place = ts_reader_child(reader, pointer, fields[i].name);
    ok = ts_read_value(reader, fields[i].value, place, parameter->type, label, &values[i]) && ok;
  }
  return ok && make_levels(reader, pointer, values, parameter);
}

bool ts_read_grid(struct ts_reader *reader, const json_t *grid, const char *pointer, struct ts_parameter *parameter) {
  if (json_is_array(grid)) return read_list(reader, grid, pointer, parameter);
  if (json_is_object(grid)) return read_steps(reader, grid, pointer, parameter);
  struct ts_error *err = ts_reader_fault(reader, TS_ERR_WRONG_TYPE, pointer, TS_JSON_VALUE,
                                         "'grid' of parameter '%s' must be a list or an object, but it is %s",
                                         parameter->name, ts_json_kind(grid));
  return ts_error_help(err, "write it as in \"grid\": [4, 8] or \"grid\": {\"from\": 5, \"to\": 80, \"step\": 5}");
}

bool ts_parameter_span(const struct ts_parameter *parameter, double *low, double *high) {
  if (parameter->has_range) {
    *low = parameter->range_low;
    *high = parameter->range_high;
    return true;
  }
  if (!ts_value_number(&parameter->default_value, low)) return false;
  *high = *low;
  for (size_t i = 0; i < parameter->level_count; i++) {
    double number = 0;
    ts_value_number(&parameter->levels[i], &number);
    *low = i == 0 ? number : fmin(*low, number);
    *high = i == 0 ? number : fmax(*high, number);
  }
  return true;
}
