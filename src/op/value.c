/* Values of operation parameters: whether they lie in the domain, and their canonical form.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"
#include "op/op_int.h"
#include "op/state_int.h"

#include <math.h>
#include <string.h>

static bool type_fits(enum ts_op_value_type type, const struct ts_value *value) {
  switch (type) {
  case TS_OP_INTEGER: return value->type == TS_VALUE_INTEGER;
  case TS_OP_REAL: return value->type == TS_VALUE_REAL || value->type == TS_VALUE_INTEGER;
  case TS_OP_BOOLEAN: return value->type == TS_VALUE_BOOLEAN;
  case TS_OP_STRING: return value->type == TS_VALUE_STRING;
  }
  return false;
}

static bool check_number(const struct ts_op_parameter *parameter, const struct ts_value *value, struct ts_error *err) {
  double number = 0;
  ts_value_number(value, &number);
  if (!isfinite(number)) return ts_fail(err, TS_ERR_BAD_VALUE, "'%s' must be a finite number", parameter->name);
  if (parameter->low > parameter->high || (number >= parameter->low && number <= parameter->high)) return true;
  ts_auto(ts_str_release) struct ts_str given = {0}, low = {0}, high = {0};
  ts_value_print(value, &given);
  ts_str_add_double(&low, parameter->low);
  ts_str_add_double(&high, parameter->high);
  ts_fail(err, TS_ERR_OUTSIDE_DOMAIN, "'%s' is %s, outside its domain [%s, %s]", parameter->name, ts_str_get(&given),
          ts_str_get(&low), ts_str_get(&high));
  ts_error_help(err, "give a value from %s to %s", ts_str_get(&low), ts_str_get(&high));
  return false;
}

static bool check_choice(const struct ts_op_parameter *parameter, const char *text, struct ts_error *err) {
  if (!parameter->choices) return true;
  size_t count = 0;
  for (; parameter->choices[count]; count++)
    if (strcmp(parameter->choices[count], text) == 0) return true;
  struct ts_str list = {0};
  for (size_t i = 0; i < count; i++) ts_str_addf(&list, "%s'%s'", i ? ", " : "", parameter->choices[i]);
  ts_fail(err, TS_ERR_OUTSIDE_DOMAIN, "'%s' is '%s', not one of %s", parameter->name, text, ts_str_get(&list));
  ts_str_release(&list);
  const char *nearest = ts_nearest_word(text, parameter->choices, count);
  if (nearest)
    ts_error_help(err, "did you mean '%s'?", nearest);
  else
    ts_error_help(err, "choose one of them");
  return false;
}

bool ts_op_check_value(const struct ts_op_parameter *parameter, const struct ts_value *value, struct ts_error *err) {
  if (!type_fits(parameter->type, value)) {
    ts_fail(err, TS_ERR_BAD_VALUE, "'%s' takes type %s, not %s", parameter->name,
            ts_op_value_type_name(parameter->type), ts_value_type_name(value->type));
    return ts_error_help(err, "give it a value of type %s", ts_op_value_type_name(parameter->type));
  }
  if (parameter->type == TS_OP_STRING) return check_choice(parameter, value->as.string, err);
  if (parameter->type == TS_OP_BOOLEAN) return true;
  return check_number(parameter, value, err);
}

enum ts_value_type ts_op_plain_type(enum ts_op_value_type type) {
  switch (type) {
  case TS_OP_INTEGER: return TS_VALUE_INTEGER;
  case TS_OP_REAL: return TS_VALUE_REAL;
  case TS_OP_BOOLEAN: return TS_VALUE_BOOLEAN;
  case TS_OP_STRING: break;
  }
  return TS_VALUE_STRING;
}

struct ts_op_value ts_op_value_of(enum ts_op_value_type type, const struct ts_value *value) {
  struct ts_op_value result = {.struct_bytes = sizeof result, .type = type};
  switch (type) {
  case TS_OP_INTEGER: result.integer = value->as.integer; break;
  case TS_OP_REAL: ts_value_number(value, &result.real); break;
  case TS_OP_BOOLEAN: result.integer = value->as.boolean; break;
  case TS_OP_STRING: result.string = value->as.string; break;
  }
  return result;
}

static struct ts_value from_op_value(enum ts_op_value_type type, const struct ts_op_value *value) {
  switch (type) {
  case TS_OP_INTEGER: return ts_value_integer(value->integer);
  case TS_OP_REAL: return ts_value_real(value->real);
  case TS_OP_BOOLEAN: return ts_value_boolean(value->integer != 0);
  case TS_OP_STRING: return ts_value_string(value->string);
  }
  TS_BUG("parameter of type %d", (int)type);
}

struct ts_value ts_op_canonical(const struct ts_op_parameter *parameter, const struct ts_value *value) {
  /* ts_op_check_value refuses values that do not fit; here they stay as they are. */
  if (!type_fits(parameter->type, value)) return *value;
  struct ts_op_value plain = ts_op_value_of(parameter->type, value);
  if (parameter->canonical) {
    struct ts_thread_state before;
    ts_thread_state_enter(&before, false);
    parameter->canonical(&plain);
    ts_thread_state_leave(&before);
  }
  if (parameter->type == TS_OP_STRING && !plain.string) return *value;
  return from_op_value(parameter->type, &plain);
}
