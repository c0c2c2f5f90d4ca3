/* The value at a unit coordinate, and the unit coordinate of a value.
 * SPDX-License-Identifier: Apache-2.0 */
#include "design/design_int.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Levels that are ever drawn. */
static size_t drawn_levels(const struct ts_parameter *parameter) {
  if (!parameter->shares) return parameter->level_count;
  size_t count = 0;
  for (size_t i = 0; i < parameter->level_count; i++) {
    count += parameter->shares[i] > (i > 0 ? parameter->shares[i - 1] : 0) ? 1 : 0;
  }
  return count;
}

size_t ts_space_value_count(const struct ts_parameter *parameter) {
  if (parameter->level_count > 0) return drawn_levels(parameter);
  if (!parameter->has_range) return 0;
  double width = parameter->range_high - parameter->range_low;
  if (parameter->type != TS_VALUE_INTEGER) return width > 0 ? SIZE_MAX : 1;
  return width < 0 ? 0 : (size_t)floor(width) + 1;
}

/* min(floor(u L), L-1), and 0 below 0. Never rounded: that would halve the weight of both end levels. */
static size_t share(double unit, size_t count) {
  double position = floor(unit * (double)count);
  if (!(position > 0)) return 0;
  return position >= (double)count ? count - 1 : (size_t)position;
}

/* The first level whose share reaches beyond u; shares without a step belong to levels that are never drawn. */
static size_t weighted_level(const struct ts_parameter *parameter, double unit) {
  const double *shares = parameter->shares;
  if (!(unit > 0)) unit = 0;
  if (unit >= 1) unit = 0x1.fffffffffffffp-1;
  size_t low = 0;
  size_t high = parameter->level_count - 1;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (shares[middle] > unit) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

struct ts_value ts_space_value(const struct ts_parameter *parameter, double unit, int64_t *level) {
  int64_t unused;
  if (!level) level = &unused;
  *level = -1;
  if (parameter->level_count > 0) {
    size_t index = parameter->shares ? weighted_level(parameter, unit) : share(unit, parameter->level_count);
    *level = (int64_t)index;
    return parameter->levels[index];
  }
  if (parameter->distribution.kind != TS_UNIFORM) return ts_parameter_at(parameter, unit);
  if (parameter->type == TS_VALUE_INTEGER) {
    size_t step = share(unit, ts_space_value_count(parameter));
    return ts_value_integer((int64_t)parameter->range_low + (int64_t)step);
  }
  double inside = unit > 1 ? 1 : unit > 0 ? unit : 0;
  /* Both ends are met exactly, and nothing overflows for ranges wider than a double's half. */
  return ts_value_real(parameter->range_low * (1 - inside) + parameter->range_high * inside);
}

/* The middle of a level's share. */
static double unit_of_level(const struct ts_parameter *parameter, size_t level) {
  if (level >= parameter->level_count) return NAN;
  if (!parameter->shares) return ((double)level + 0.5) / (double)parameter->level_count;
  double low = level > 0 ? parameter->shares[level - 1] : 0;
  double high = parameter->shares[level];
  return high > low ? low + (high - low) / 2 : NAN;
}

static double unit_of_integer(const struct ts_parameter *parameter, double number) {
  if (parameter->distribution.kind == TS_UNIFORM) {
    double count = parameter->range_high - parameter->range_low + 1;
    return (number - parameter->range_low + 0.5) / count;
  }
  double low = number > parameter->range_low ? ts_distribution_share(&parameter->distribution, number - 0.5) : 0;
  double high = number < parameter->range_high ? ts_distribution_share(&parameter->distribution, number + 0.5) : 1;
  return high > low ? low + (high - low) / 2 : NAN;
}

static double unit_in_range(const struct ts_parameter *parameter, double number) {
  if (!parameter->has_range || !(number >= parameter->range_low && number <= parameter->range_high)) return NAN;
  if (parameter->type == TS_VALUE_INTEGER) return rint(number) == number ? unit_of_integer(parameter, number) : NAN;
  struct ts_distribution uniform = {.from = parameter->range_low, .to = parameter->range_high};
  bool is_uniform = parameter->distribution.kind == TS_UNIFORM;
  return ts_distribution_share(is_uniform ? &uniform : &parameter->distribution, number);
}

size_t ts_space_level(const struct ts_parameter *parameter, const struct ts_value *value) {
  for (size_t i = 0; i < parameter->level_count; i++) {
    if (ts_value_equal(&parameter->levels[i], value)) return i;
  }
  return TS_NONE;
}

double ts_space_unit(const struct ts_parameter *parameter, const struct ts_value *value) {
  if (parameter->level_count > 0) {
    size_t level = ts_space_level(parameter, value);
    return level == TS_NONE ? NAN : unit_of_level(parameter, level);
  }
  double number;
  return ts_value_number(value, &number) ? unit_in_range(parameter, number) : NAN;
}

double ts_space_number(const struct ts_parameter *parameter, const struct ts_value *value) {
  double number;
  if (ts_value_number(value, &number)) return number;
  size_t level = ts_space_level(parameter, value);
  return level == TS_NONE ? NAN : (double)level;
}

double ts_space_unit_of_number(const struct ts_parameter *parameter, double number) {
  if (parameter->level_count == 0) return unit_in_range(parameter, number);
  if (parameter->type == TS_VALUE_STRING) {
    bool is_level = number >= 0 && number < (double)parameter->level_count && rint(number) == number;
    return is_level ? unit_of_level(parameter, (size_t)number) : NAN;
  }
  for (size_t i = 0; i < parameter->level_count; i++) {
    double level;
    if (ts_value_number(&parameter->levels[i], &level) && level == number) return unit_of_level(parameter, i);
  }
  return NAN;
}
