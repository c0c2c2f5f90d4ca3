/* The distribution of a parameter as written: a name, a name with its numbers, or weights of grid values.
 * SPDX-License-Identifier: Apache-2.0 */
#include "workflow/workflow_int.h"

#include "base/alloc.h"
#include "base/const.h"

#include <math.h>
#include <string.h>

#define KIND_COUNT  (TS_TRIANGULAR + 1)
#define MAX_NUMBERS 3
#define WHOLE_LIMIT 0x1p53 /* beyond, doubles skip integers */

/* The numbers that a kind takes: {"normal": {"mean": 5, "sd": 1}}; without numbers it is a plain word and needs a
 * range. */
static const struct form {
  const char *numbers[MAX_NUMBERS + 1]; /* NULL-ended */
  const char *example;
} forms[KIND_COUNT] = {
    [TS_UNIFORM] = {{NULL}, "\"uniform\""},
    [TS_LOG_UNIFORM] = {{NULL}, "\"log-uniform\""},
    [TS_NORMAL] = {{"mean", "sd", NULL}, "{\"normal\": {\"mean\": 5, \"sd\": 1}}"},
    [TS_LOGNORMAL] = {{"mean", "sd", NULL}, "{\"lognormal\": {\"mean\": 0, \"sd\": 0.5}}"},
    [TS_TRIANGULAR] = {{"low", "mode", "high", NULL}, "{\"triangular\": {\"low\": 0, \"mode\": 2, \"high\": 5}}"},
};

static size_t number_count(const struct form *form) {
  size_t count = 0;
  while (form->numbers[count]) count++;
  return count;
}

static bool find_kind(const char *name, enum ts_distribution_kind *kind) {
  for (int i = 0; i < KIND_COUNT; i++) {
    if (strcmp(ts_distribution_name((enum ts_distribution_kind)i), name) != 0) continue;
    *kind = (enum ts_distribution_kind)i;
    return true;
  }
  return false;
}

static bool report_unknown(struct ts_reader *reader, const char *pointer, enum ts_json_part part, const char *word) {
  ts_auto(ts_names_release) struct ts_names names = {0};
  for (int i = 0; i < KIND_COUNT; i++) ts_names_add(&names, ts_distribution_name((enum ts_distribution_kind)i));
  struct ts_error *err =
      ts_reader_fault(reader, TS_ERR_BAD_VALUE, pointer, part, "there is no distribution '%s'", word);
  ts_names_suggest(&names, err, word, "distributions", "");
  return false;
}

static bool report_form(struct ts_reader *reader, const char *pointer, const struct ts_parameter *parameter,
                        const char *what, const struct form *form) {
  struct ts_error *err = ts_reader_fault(reader, TS_ERR_WRONG_TYPE, pointer, TS_JSON_VALUE,
                                         "'distribution' of parameter '%s' %s", parameter->name, what);
  return ts_error_help(err, "write it as in \"distribution\": %s", form->example);
}

/* Which one, and the object with its numbers (NULL for a plain word). */
static bool read_kind(struct ts_reader *reader, const json_t *json, const char *pointer,
                      const struct ts_parameter *parameter, enum ts_distribution_kind *kind, const json_t **numbers) {
  *numbers = NULL;
  if (json_is_string(json)) {
    const char *word = json_string_value(json);
    if (!find_kind(word, kind)) return report_unknown(reader, pointer, TS_JSON_VALUE, word);
    if (!forms[*kind].numbers[0]) return true;
    return report_form(reader, pointer, parameter, "needs numbers", &forms[*kind]);
  }
  if (!json_is_object(json) || json_object_size(json) != 1) {
    return report_form(reader, pointer, parameter, "must be one word, or an object with one distribution",
                       &forms[TS_NORMAL]);
  }
  void *entry = json_object_iter(ts_without_const(json));
  const char *word = json_object_iter_key(entry);
  const char *place = ts_reader_child(reader, pointer, word);
  if (!find_kind(word, kind)) return report_unknown(reader, place, TS_JSON_KEY, word);
  *numbers = json_object_iter_value(entry);
  if (!forms[*kind].numbers[0]) return report_form(reader, place, parameter, "takes no numbers", &forms[*kind]);
  if (json_is_object(*numbers)) return true;
  return report_form(reader, place, parameter, "needs an object with numbers", &forms[*kind]);
}

static bool read_numbers(struct ts_reader *reader, const json_t *object, const char *pointer, const struct form *form,
                         const struct ts_parameter *parameter, double *numbers) {
  struct ts_field fields[MAX_NUMBERS] = {0};
  size_t count = number_count(form);
  for (size_t i = 0; i < count; i++) {
    fields[i] = (struct ts_field){.name = form->numbers[i], .required = true, .example = "1"};
  }
  const char *what = ts_arena_printf(reader->arena, "the distribution of parameter '%s'", parameter->name);
  bool ok = ts_reader_fields(reader, object, pointer, what, fields, count);
  for (size_t i = 0; i < count; i++) {
    if (!fields[i].value) continue;
    const char *label = ts_arena_printf(reader->arena, "'%s' of parameter '%s'", fields[i].name, parameter->name);
    struct ts_value value = {0};
    bool read = ts_read_value(reader, fields[i].value, ts_reader_child(reader, pointer, fields[i].name), TS_VALUE_REAL,
                              label, &value);
    if (read) numbers[i] = value.as.real;
    ok = read && ok;
  }
  return ok;
}

static bool report_number(struct ts_reader *reader, const char *pointer, const struct ts_parameter *parameter,
                          const char *number, const char *rule, const char *help) {
  struct ts_error *err =
      ts_reader_fault(reader, TS_ERR_BAD_VALUE, ts_reader_child(reader, pointer, number), TS_JSON_VALUE,
                      "'%s' of parameter '%s' must %s", number, parameter->name, rule);
  return ts_error_help(err, "%s", help);
}

static bool take_triangle(struct ts_reader *reader, const char *pointer, const double *numbers,
                          const struct ts_parameter *parameter, struct ts_distribution *d) {
  d->low = numbers[0];
  d->mode = numbers[1];
  d->high = numbers[2];
  bool whole = parameter->type == TS_VALUE_INTEGER;
  if (whole && (rint(d->low) != d->low || rint(d->high) != d->high)) {
    return report_number(reader, pointer, parameter, rint(d->low) != d->low ? "low" : "high", "be an integer",
                         "write it without a fraction, or give the parameter the type \"real\"");
  }
  if (!(d->low < d->high)) {
    return report_number(reader, pointer, parameter, "high", "lie above 'low'", "put the lower number first");
  }
  if (d->mode < d->low || d->mode > d->high) {
    return report_number(reader, pointer, parameter, "mode", "lie between 'low' and 'high'",
                         "give the most likely value");
  }
  if (!isfinite(d->high - d->low)) {
    return report_number(reader, pointer, parameter, "high", "lie nearer to 'low'", "give both fewer digits");
  }
  if (whole) { /* so that the end values have a probability, too */
    d->low -= 0.5;
    d->high += 0.5;
  }
  return true;
}

static bool take_numbers(struct ts_reader *reader, const char *pointer, const double *numbers,
                         const struct ts_parameter *parameter, struct ts_distribution *d) {
  if (d->kind == TS_TRIANGULAR) return take_triangle(reader, pointer, numbers, parameter, d);
  d->mean = numbers[0];
  d->sd = numbers[1];
  if (d->sd > 0) return true;
  return report_number(reader, pointer, parameter, "sd", "be above 0",
                       d->kind == TS_NORMAL ? "give the standard deviation"
                                            : "give the standard deviation of the natural logarithm");
}

/* "the normal distribution of parameter 'x' is too narrow". */
static bool report(struct ts_reader *reader, const char *pointer, enum ts_error_code code,
                   const struct ts_parameter *parameter, const char *what, const char *help) {
  struct ts_error *err =
      ts_reader_fault(reader, code, pointer, TS_JSON_VALUE, "the %s distribution of parameter '%s' %s",
                      ts_distribution_name(parameter->distribution.kind), parameter->name, what);
  return ts_error_help(err, "%s", help);
}

/* Half a unit at both ends of integers, which are the rounded values of the distribution. */
static double half_unit(const struct ts_parameter *parameter) { return parameter->type == TS_VALUE_INTEGER ? 0.5 : 0; }

/* The range of a distribution that has none in the file. */
static bool take_own_range(struct ts_reader *reader, const char *place, struct ts_parameter *parameter) {
  struct ts_distribution *d = &parameter->distribution;
  bool triangle = d->kind == TS_TRIANGULAR;
  double half = half_unit(parameter);
  ts_distribution_settle(d, triangle ? d->low : -INFINITY, triangle ? d->high : INFINITY);
  double low = triangle ? d->low + half : ts_distribution_quantile(d, 0);
  double high = triangle ? d->high - half : ts_distribution_quantile(d, 1);
  if (!(fmax(fabs(low), fabs(high)) < (half > 0 ? WHOLE_LIMIT : INFINITY))) {
    return report(reader, place, TS_ERR_BAD_VALUE, parameter, "has values that are too large",
                  "give it smaller numbers, or cut it off with \"range\": [low, high]");
  }
  if (d->kind == TS_LOGNORMAL && half == 0 && !(low > 0)) {
    return report(reader, place, TS_ERR_BAD_VALUE, parameter, "has values that are too small",
                  "'mean' and 'sd' are those of the natural logarithm: give smaller ones");
  }
  parameter->range_low = half > 0 ? floor(low + 0.5) : low;
  parameter->range_high = half > 0 ? floor(high + 0.5) : high;
  if (parameter->range_low < parameter->range_high) return true;
  return report(reader, place, TS_ERR_EMPTY_RANGE, parameter, "is too narrow: all its values are the same",
                "give it a larger spread, or leave it out to keep the default");
}

/* Cuts the distribution off at the range of the file. */
static bool cut_off(struct ts_reader *reader, const char *pointer, struct ts_parameter *parameter) {
  struct ts_distribution *d = &parameter->distribution;
  const char *range = ts_reader_child(reader, pointer, "range");
  double low = parameter->range_low;
  double high = parameter->range_high;
  double half = half_unit(parameter);
  if (d->kind == TS_UNIFORM) return true;
  if (half > 0 && fmax(fabs(low), fabs(high)) > WHOLE_LIMIT) {
    return report(reader, range, TS_ERR_BAD_VALUE, parameter, "has values that are too large",
                  "keep the range below 2^53");
  }
  if (d->kind == TS_LOG_UNIFORM && low <= 0) {
    return report(reader, range, TS_ERR_BAD_VALUE, parameter, "needs a range above 0",
                  "give a lower end above 0, or the distribution \"uniform\"");
  }
  if (d->kind == TS_TRIANGULAR && (low < d->low || high > d->high)) {
    return report(reader, range, TS_ERR_BAD_VALUE, parameter, "ends before its range does",
                  "remove \"range\": 'low' and 'high' are its ends already");
  }
  if (ts_distribution_settle(d, low - half, high + half)) return true;
  return report(reader, range, TS_ERR_EMPTY_RANGE, parameter, "has no probability in its range",
                "move the range to where the distribution lies");
}

static bool settle(struct ts_reader *reader, const char *pointer, struct ts_parameter *parameter) {
  struct ts_distribution *d = &parameter->distribution;
  const char *place = ts_reader_child(reader, pointer, "distribution");
  if (parameter->level_count > 0) {
    if (d->kind == TS_UNIFORM) return true;
    return report(reader, place, TS_ERR_BAD_VALUE, parameter, "is for a range, but there is a grid",
                  "give 'range' instead of 'grid', or 'weights' instead of 'distribution'");
  }
  if (parameter->has_range) return cut_off(reader, pointer, parameter);
  if (!forms[d->kind].numbers[0]) {
    return report(reader, place, TS_ERR_MISSING_KEY, parameter, "needs the key 'range'",
                  "add it, as in \"range\": [2.5, 7.5]");
  }
  parameter->has_range = true;
  return take_own_range(reader, place, parameter);
}

bool ts_read_distribution(struct ts_reader *reader, const json_t *json, const char *pointer,
                          struct ts_parameter *parameter) {
  if (!json) return true;
  const char *place = ts_reader_child(reader, pointer, "distribution");
  enum ts_distribution_kind kind = TS_UNIFORM;
  const json_t *object;
  if (!read_kind(reader, json, place, parameter, &kind, &object)) return false;
  struct ts_distribution distribution = {.kind = kind};
  if (object) {
    const char *inner = ts_reader_child(reader, place, ts_distribution_name(kind));
    double numbers[MAX_NUMBERS] = {0};
    if (!read_numbers(reader, object, inner, &forms[kind], parameter, numbers)) return false;
    if (!take_numbers(reader, inner, numbers, parameter, &distribution)) return false;
  }
  parameter->distribution = distribution;
  if (settle(reader, pointer, parameter)) return true;
  parameter->distribution = (struct ts_distribution){0};
  return false;
}

static bool read_weight(struct ts_reader *reader, const json_t *json, const char *pointer,
                        const struct ts_parameter *parameter, double *weight) {
  const char *label = ts_arena_printf(reader->arena, "a weight of parameter '%s'", parameter->name);
  struct ts_value value = {0};
  if (!ts_read_value(reader, json, pointer, TS_VALUE_REAL, label, &value)) return false;
  *weight = value.as.real;
  if (*weight >= 0) return true;
  struct ts_error *err = ts_reader_fault(reader, TS_ERR_BAD_VALUE, pointer, TS_JSON_VALUE,
                                         "a weight of parameter '%s' is negative", parameter->name);
  return ts_error_help(err, "give 0 to values that are never drawn, and positive numbers to the others");
}

bool ts_read_weights(struct ts_reader *reader, const json_t *list, const char *pointer,
                     struct ts_parameter *parameter) {
  size_t count = parameter->level_count;
  if (json_array_size(list) != count) {
    struct ts_error *err = ts_reader_fault(
        reader, TS_ERR_BAD_VALUE, pointer, TS_JSON_VALUE, "parameter '%s' has %zu grid value%s, but %zu weight%s",
        parameter->name, count, count == 1 ? "" : "s", json_array_size(list), json_array_size(list) == 1 ? "" : "s");
    return ts_error_help(err, "give one weight per grid value, in the same order");
  }
  double *shares = ts_arena_array(reader->arena, count, sizeof *shares);
  double largest = 0;
  for (size_t i = 0; i < count; i++) {
    const char *place = ts_reader_item(reader, pointer, i);
    if (!read_weight(reader, json_array_get(list, i), place, parameter, &shares[i])) return false;
    largest = fmax(largest, shares[i]);
  }
  if (!(largest > 0)) {
    struct ts_error *err = ts_reader_fault(reader, TS_ERR_BAD_VALUE, pointer, TS_JSON_VALUE,
                                           "all weights of parameter '%s' are 0", parameter->name);
    return ts_error_help(err, "give at least two values a weight above 0");
  }
  double total = 0;
  for (size_t i = 0; i < count; i++) total += shares[i] / largest; /* a sum of the weights themselves may overflow */
  double sum = 0;
  for (size_t i = 0; i < count; i++) {
    sum += shares[i] / largest;
    shares[i] = sum / total;
  }
  parameter->shares = shares;
  return true;
}

struct ts_value ts_parameter_at(const struct ts_parameter *parameter, double unit) {
  double x = ts_distribution_quantile(&parameter->distribution, unit);
  if (parameter->type != TS_VALUE_INTEGER) return ts_value_real(x);
  x = floor(x + 0.5);
  x = x < parameter->range_low ? parameter->range_low : x > parameter->range_high ? parameter->range_high : x;
  return ts_value_integer((int64_t)x);
}
