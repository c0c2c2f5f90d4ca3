/* The table of results, notes and the checks before a call, for every method of analysis.
 * SPDX-License-Identifier: Apache-2.0 */
#include "analysis/method.h"

#include "base/alloc.h"
#include "base/str.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static size_t count_columns(const struct ts_method *method) {
  size_t count = 0;
  while (count < sizeof method->columns / sizeof *method->columns && method->columns[count]) count++;
  return count;
}

static const char *name_of(const struct ts_runs *runs, size_t index) {
  return runs->group_of && runs->group_names ? runs->group_names[index] : runs->names[index];
}

void ts_indices_init(struct ts_indices *indices, const struct ts_method *method, const struct ts_runs *runs,
                     const struct ts_analysis_options *options) {
  *indices = (struct ts_indices){.method = method, .row_count = runs->row_count};
  indices->confidence = options->confidence > 0 ? options->confidence : 0.95;
  indices->name_count = runs->group_of ? runs->group_count : runs->parameter_count;
  indices->column_count = count_columns(method);
  indices->names = ts_arena_array(&indices->arena, indices->name_count, sizeof *indices->names);
  for (size_t i = 0; i < indices->name_count; i++) {
    indices->names[i] = ts_arena_strdup(&indices->arena, name_of(runs, i));
  }
  size_t cell_count = indices->name_count * indices->column_count;
  indices->cells = ts_arena_array(&indices->arena, cell_count, sizeof *indices->cells);
  for (size_t i = 0; i < cell_count; i++) indices->cells[i] = (struct ts_index){NAN, NAN, NAN};
  indices->usable = ts_arena_array(&indices->arena, indices->name_count, sizeof *indices->usable);
}

void ts_indices_release(struct ts_indices *indices) {
  ts_arena_release(&indices->arena);
  *indices = (struct ts_indices){0};
}

void ts_indices_note(struct ts_indices *indices, const char *format, ...) {
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  /* Notes are few: the array is copied for each. */
  const char **notes = ts_arena_array(&indices->arena, indices->note_count + 1, sizeof *notes);
  if (indices->note_count) memcpy(notes, indices->notes, indices->note_count * sizeof *notes);
  notes[indices->note_count++] = ts_arena_strdup(&indices->arena, text);
  indices->notes = notes;
}

bool ts_indices_check_outputs(struct ts_indices *indices, const struct ts_runs *runs, struct ts_error *err) {
  double low = INFINITY, high = -INFINITY;
  size_t lost = 0;
  for (size_t i = 0; i < runs->row_count; i++) {
    double output = runs->outputs[i];
    if (!isfinite(output)) {
      lost++;
      continue;
    }
    if (output < low) low = output;
    if (output > high) high = output;
  }
  indices->lost_count = lost;
  if (lost == runs->row_count) {
    ts_fail(err, TS_ERR_BAD_VALUE, "none of the %zu runs has a usable output", runs->row_count);
    return ts_error_help(err, "see why the runs failed; empty, NaN and infinite outputs count as failed");
  }
  if ((double)lost > TS_LOSS_TO_NOTE * (double)runs->row_count) {
    ts_indices_note(indices,
                    "%zu of %zu runs (%s %%) have no usable output: the indices say nothing about the region where "
                    "they failed",
                    lost, runs->row_count, TS_DECIMALS(100 * (double)lost / (double)runs->row_count, 1));
  }
  if (low == high) {
    ts_indices_note(indices, "the output is %s in every run: without variation there is nothing to explain",
                    TS_SIGNIFICANT(low, 6));
  }
  return true;
}

size_t ts_indices_column(const struct ts_indices *indices, const char *column) {
  for (size_t i = 0; i < indices->column_count; i++) {
    if (strcmp(indices->method->columns[i], column) == 0) return i;
  }
  return TS_NONE;
}

static bool accepts(const struct ts_method *method, enum ts_layout layout) {
  if (method->layout_count == 0) return true;
  for (size_t i = 0; i < method->layout_count; i++) {
    if (method->layouts[i] == layout) return true;
  }
  return false;
}

static bool check_layout(const struct ts_method *method, const struct ts_runs *runs, struct ts_error *err) {
  if (accepts(method, runs->layout)) return true;
  ts_auto(ts_str_release) struct ts_str list = {0};
  for (size_t i = 0; i < method->layout_count; i++) {
    if (i > 0) ts_str_add(&list, i + 1 == method->layout_count ? " or " : ", ");
    ts_str_addf(&list, "'%s'", ts_layout_name(method->layouts[i]));
  }
  ts_fail(err, TS_ERR_BAD_VALUE, "method '%s' needs the rows of a %s design, not '%s'", method->name, ts_str_get(&list),
          ts_layout_name(runs->layout));
  ts_error_help(err, "draw such a design with 'tessera sample', or choose a method for any design, such as "
                     "'correlation' or 'pce'");
  return false;
}

static bool check_inputs(const struct ts_method *method, const struct ts_runs *runs, struct ts_error *err) {
  if (runs->parameter_count == 0 || (runs->group_of && runs->group_count == 0)) {
    ts_fail(err, TS_ERR_BAD_VALUE, "there is no varied parameter to analyse");
    return ts_error_help(err, "give at least one parameter that takes two or more values");
  }
  if (runs->row_count == 0) {
    ts_fail(err, TS_ERR_BAD_VALUE, "there are no runs to analyse");
    return ts_error_help(err, "give one row per run: the parameters, then the output");
  }
  if ((method->needs & TS_NEEDS_UNIT) && !runs->unit) {
    ts_fail(err, TS_ERR_BAD_VALUE, "method '%s' needs the unit coordinates of the runs", method->name);
    return ts_error_help(err, "keep the columns u_NAME of the design, or name the space the runs were drawn from");
  }
  if ((method->needs & TS_NEEDS_VALUES) && !runs->values) {
    ts_fail(err, TS_ERR_BAD_VALUE, "method '%s' needs the parameter values of the runs", method->name);
    return ts_error_help(err, "give the parameters as columns beside the output");
  }
  return true;
}

static bool check_options(const struct ts_analysis_options *options, struct ts_error *err) {
  if (options->confidence >= 0 && options->confidence < 1) return true;
  ts_fail(err, TS_ERR_BAD_VALUE, "the confidence must lie between 0 and 1, not at '%s'",
          TS_SIGNIFICANT(options->confidence, 6));
  return ts_error_help(err, "use 0.95");
}

bool ts_analyse(const struct ts_method *method, const struct ts_runs *runs, const struct ts_analysis_options *options,
                struct ts_pool *pool, struct ts_indices *indices, struct ts_error *err) {
  static const struct ts_analysis_options defaults = {0};
  if (!options) options = &defaults;
  *indices = (struct ts_indices){0};
  if (!check_options(options, err) || !check_inputs(method, runs, err) || !check_layout(method, runs, err)) {
    return false;
  }
  ts_indices_init(indices, method, runs, options);
  if (method->analyse(runs, options, pool, indices, err)) return true;
  ts_indices_release(indices);
  return false;
}
