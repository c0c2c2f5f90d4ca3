/* Elementary effects from the runs of trajectories and radial designs, of parameters or groups.
 * SPDX-License-Identifier: Apache-2.0 */
#include "analysis/morris_int.h"

#include "base/alloc.h"

#include <math.h>

/* One step: what moved, and how far. */
struct step {
  size_t name;    /* parameter or group */
  size_t changed; /* how many parameters or groups changed; a step changes one */
  double size;    /* of the step with its sign; the root mean square for several parameters */
};

size_t ts_morris_name_count(const struct ts_morris_input *input) {
  return input->group_of ? input->group_count : input->parameter_count;
}

static size_t name_of(const struct ts_morris_input *input, size_t parameter) {
  return input->group_of ? input->group_of[parameter] : parameter;
}

/* Whether a parameter before `parameter` of the same group changed too. */
static bool changed_before(const struct ts_morris_input *input, const double *before, const double *after,
                           size_t parameter) {
  for (size_t i = 0; i < parameter; i++) {
    if (before[i] != after[i] && name_of(input, i) == name_of(input, parameter)) return true;
  }
  return false;
}

static struct step compare_rows(const struct ts_morris_input *input, size_t from, size_t to) {
  size_t k = input->parameter_count, moved = 0;
  const double *before = input->unit + from * k, *after = input->unit + to * k;
  struct step step = {0};
  double squares = 0, last = 0;
  for (size_t i = 0; i < k; i++) {
    if (before[i] == after[i]) continue;
    moved++;
    if (!input->group_of || !changed_before(input, before, after, i)) step.changed++;
    step.name = name_of(input, i);
    last = after[i] - before[i];
    squares += last * last;
  }
  step.size = moved > 1 ? sqrt(squares / (double)moved) : last;
  return step;
}

bool ts_morris_looks_radial(const struct ts_morris_input *input) {
  if (ts_morris_name_count(input) < 2 || input->row_count < 3) return false;
  return compare_rows(input, 1, 2).changed != 1 && compare_rows(input, 0, 2).changed == 1;
}

static const char *unit_name(const struct ts_morris_input *input, size_t name) {
  return input->group_of && input->group_names ? input->group_names[name] : input->names[name];
}

static bool check_coordinates(const struct ts_morris_input *input, size_t row, struct ts_error *err) {
  for (size_t i = 0; i < input->parameter_count; i++) {
    if (isfinite(input->unit[row * input->parameter_count + i])) continue;
    ts_fail(err, TS_ERR_BAD_VALUE, "row %zu of the Morris design has no coordinate of '%s'", row + 1, input->names[i]);
    return ts_error_help(err, "only outputs may be missing: give every row all its parameters");
  }
  return true;
}

static void help_with_order(const struct ts_morris_input *input, struct ts_error *err) {
  const char *what = input->radial ? "block after block, the base point first" : "trajectory after trajectory";
  ts_error_help(err, "give the rows in the order of the design: %s, %zu rows each", what,
                ts_morris_name_count(input) + 1);
}

static bool find_step(const struct ts_morris_input *input, size_t from, size_t row, bool *seen, size_t first_row,
                      struct step *step, struct ts_error *err) {
  if (!check_coordinates(input, row, err)) return false;
  *step = compare_rows(input, from, row);
  if (step->changed != 1) {
    ts_fail(err, TS_ERR_BAD_VALUE, "rows %zu and %zu of the Morris design differ in %zu %s instead of one", from + 1,
            row + 1, step->changed, input->group_of ? "groups" : "parameters");
    help_with_order(input, err);
    return false;
  }
  if (seen[step->name]) {
    ts_fail(err, TS_ERR_BAD_VALUE, "%s '%s' changes twice in the %s that starts at row %zu",
            input->group_of ? "group" : "parameter", unit_name(input, step->name),
            input->radial ? "block" : "trajectory", first_row + 1);
    help_with_order(input, err);
    return false;
  }
  seen[step->name] = true;
  return true;
}

/* Standard deviation (ddof 0) of the usable outputs. */
static double deviation(const double *outputs, size_t count) {
  double sum = 0, squares = 0;
  size_t usable = 0;
  for (size_t i = 0; i < count; i++) {
    if (!isfinite(outputs[i])) continue;
    sum += outputs[i];
    usable++;
  }
  if (usable == 0) return 0;
  double mean = sum / (double)usable;
  for (size_t i = 0; i < count; i++) {
    if (isfinite(outputs[i])) squares += (outputs[i] - mean) * (outputs[i] - mean);
  }
  return sqrt(squares / (double)usable);
}

/* The effect of a change of the output at row `at` of a block. A parameter has one place in a share f of the rows and
 * another in the rest, so its standard deviation in the block is its step times sqrt(f (1 - f)) for every size. */
static double effect_of(const struct ts_morris_input *input, const struct step *step, double change, size_t at,
                        double output_deviation) {
  double increase = step->size < 0 ? -change : change, p = (double)input->levels;
  if (!input->scaled) return increase / (input->levels && !input->radial ? p / (2 * (p - 1)) : fabs(step->size));
  if (output_deviation == 0) return increase; /* which is 0, or unknown */
  double rows = (double)(ts_morris_name_count(input) + 1);
  double share = (input->radial ? 1 : rows - (double)at) / rows;
  return increase * sqrt(share * (1 - share)) / output_deviation;
}

static bool block_effects(const struct ts_morris_input *input, size_t first_row, bool *seen, double *effects,
                          struct ts_error *err) {
  size_t names = ts_morris_name_count(input);
  for (size_t i = 0; i < names; i++) seen[i] = false;
  if (!check_coordinates(input, first_row, err)) return false;
  const double *outputs = input->outputs + first_row;
  double output_deviation = input->scaled ? deviation(outputs, names + 1) : 0;
  for (size_t at = 1; at <= names; at++) {
    size_t from = input->radial ? 0 : at - 1;
    struct step step;
    if (!find_step(input, first_row + from, first_row + at, seen, first_row, &step, err)) return false;
    double change = outputs[at] - outputs[from];
    double effect = effect_of(input, &step, change, at, output_deviation);
    effects[step.name] = isfinite(effect) ? effect : NAN;
  }
  return true;
}

void ts_morris_effects_release(struct ts_effects *effects) {
  free(effects->values);
  free(effects->unsigned_effects);
}

bool ts_morris_effects(const struct ts_morris_input *input, struct ts_effects *effects, struct ts_error *err) {
  size_t names = ts_morris_name_count(input);
  *effects = (struct ts_effects){.blocks = input->row_count / (names + 1), .count = names};
  effects->values = ts_calloc(effects->blocks * names, sizeof *effects->values);
  effects->unsigned_effects = ts_calloc(names, sizeof *effects->unsigned_effects);
  ts_auto_free size_t *members = ts_calloc(names, sizeof *members);
  for (size_t i = 0; i < input->parameter_count; i++) {
    size_t name = name_of(input, i);
    if (++members[name] > 1) effects->unsigned_effects[name] = true;
  }
  ts_auto_free bool *seen = ts_calloc(names, sizeof *seen);
  for (size_t b = 0; b < effects->blocks; b++) {
    if (block_effects(input, b * (names + 1), seen, effects->values + b * names, err)) continue;
    ts_morris_effects_release(effects);
    return false;
  }
  return true;
}
