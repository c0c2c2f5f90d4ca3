/* Sources of single points by name, and samples drawn from them: constraints, correlations, improvement.
 * SPDX-License-Identifier: Apache-2.0
 *
 * With constraints a sample is the first n points of the source that they allow, in the order of the source: for
 * sequences and Monte Carlo, more points therefore still keep the earlier ones. */
#include "design/sequence_int.h"

#include "base/alloc.h"
#include "base/str.h"
#include "design/design_int.h"

#include <stdio.h>
#include <string.h>

#define MAXIMIN_STREAM   (UINT64_C(0x6d6178) << 32)
#define CORRELATE_STREAM (UINT64_C(0x636f72) << 32)
/* After this many refused points in a row the constraints leave (almost) nothing. */
#define MAX_REFUSED 100000
/* Points that are tried together once the first n did not suffice. */
#define MORE_POINTS 1024

struct source {
  const char *name;
  bool (*fill)(size_t dimensions, size_t first, size_t count, const struct ts_sample_options *options, double *out,
               struct ts_error *err);
  bool is_sequence;
  const char *constrained; /* what refused points do to the sample */
};

static const struct source sources[] = {
    {"mc", ts_mc_fill, false, "the inputs depend on each other"},
    {"lhs", ts_lhs_fill, false, "not every stratum is filled, and the inputs depend on each other"},
    {"sobol-sequence", ts_sobol_fill, true, "the points are less evenly spread, and the inputs depend on each other"},
    {"halton", ts_halton_fill, true, "the points are less evenly spread, and the inputs depend on each other"},
};
#define SOURCE_COUNT (sizeof sources / sizeof *sources)

static const struct source *find(const char *name, struct ts_error *err) {
  const char *names[SOURCE_COUNT];
  for (size_t i = 0; i < SOURCE_COUNT; i++) {
    if (strcmp(sources[i].name, name) == 0) return &sources[i];
    names[i] = sources[i].name;
  }
  ts_fail(err, TS_ERR_BAD_VALUE, "points cannot be drawn from '%s'", name);
  const char *near = ts_nearest_word(name, names, SOURCE_COUNT);
  if (near) {
    ts_error_help(err, "did you mean '%s'?", near);
  } else {
    ts_error_help(err, "use one of: mc, lhs, sobol-sequence, halton");
  }
  return NULL;
}

bool ts_source_fill(const char *source, size_t dimensions, size_t first, size_t count,
                    const struct ts_sample_options *options, double *out, struct ts_error *err) {
  const struct source *found = find(source, err);
  return found && found->fill(dimensions, first, count, options, out, err);
}

bool ts_sequence_check_points(const char *name, size_t first, size_t count, size_t skip, struct ts_error *err) {
  const uint64_t most = TS_SEQUENCE_POINTS;
  if (skip <= most && first <= most - skip && count <= most - skip - first) return true;
  ts_fail(err, TS_ERR_BAD_VALUE, "a %s sequence ends after 2^53 points", name);
  return ts_error_help(err, "skip fewer points");
}

bool ts_points_init(struct ts_points *points, const struct ts_space *space, size_t rows, struct ts_error *err) {
  *points = (struct ts_points){0};
  if (space->count == 0) {
    ts_fail(err, TS_ERR_BAD_VALUE, "a sample needs at least one parameter");
    return ts_error_help(err, "give at least one parameter a \"grid\" or a \"range\"");
  }
  for (size_t i = 0; i < space->count; i++) {
    if (!ts_space_check_parameter(space->parameters[i], err)) return false;
  }
  if (rows > TS_MAX_CELLS / space->count) {
    ts_fail(err, TS_ERR_BAD_VALUE, "'%zu' points of %zu parameters are too many", rows, space->count);
    return ts_error_help(err, "at most %zu points are possible with that many parameters", TS_MAX_CELLS / space->count);
  }
  *points = (struct ts_points){.layout = TS_LAYOUT_FREE,
                               .column_count = space->count,
                               .row_count = rows,
                               .block_rows = 1,
                               .group_count = space->count};
  points->a = ts_arena_array(&points->arena, rows * space->count + 1, sizeof *points->a);
  return true;
}

/* The state of a sample that is being drawn. */
struct drawing {
  const struct source *source;             /* borrowed */
  const struct ts_space *space;            /* borrowed */
  const struct ts_sample_options *options; /* borrowed */
  size_t taken;                            /* points of the source that were tried */
  size_t kept;                             /* rows that are there */
  size_t refused, refused_in_a_row;
};

/* The next `count` points of the source, as the options want them. */
static bool next(struct drawing *drawing, size_t count, double *out, struct ts_error *err) {
  const struct ts_sample_options *options = drawing->options;
  size_t columns = drawing->space->count, first = drawing->taken;
  if (!drawing->source->fill(columns, first, count, options, out, err)) return false;
  drawing->taken += count;
  /* Samples that follow the first one need other random numbers. */
  uint64_t sample = first / count;
  if (options->correlation && columns > 1) {
    return ts_correlate(out, count, columns, options->correlation, options->seed, CORRELATE_STREAM + sample, err);
  }
  if (options->improve > 0 && drawing->source->fill == ts_lhs_fill) {
    ts_maximin_improve(out, count, columns, options->improve, options->seed, MAXIMIN_STREAM + sample);
  }
  return true;
}

/* Moves the allowed ones of `count` rows to the end of the sample; `rows` may lie in the sample itself. */
static bool keep_allowed(struct drawing *drawing, struct ts_points *points, const double *rows, size_t count,
                         struct ts_error *err) {
  size_t columns = points->column_count;
  for (size_t i = 0; i < count && drawing->kept < points->row_count; i++) {
    const double *row = rows + i * columns;
    if (ts_space_allows(drawing->space, row)) {
      memmove(points->a + drawing->kept++ * columns, row, columns * sizeof *row);
      drawing->refused_in_a_row = 0;
      continue;
    }
    drawing->refused++;
    if (++drawing->refused_in_a_row == MAX_REFUSED) {
      ts_fail(err, TS_ERR_CONSTRAINT, "the constraints refused %d points in a row", MAX_REFUSED);
      return ts_error_help(
          err, "narrow the grids or ranges of the parameters so that the constraints leave more of the space");
    }
  }
  return true;
}

/* Replaces the points that the constraints refuse, and says so. */
static bool apply_constraints(struct drawing *drawing, struct ts_points *points, struct ts_error *err) {
  size_t count = points->row_count;
  if (!keep_allowed(drawing, points, points->a, count, err)) return false;
  if (drawing->kept == count) return true;
  bool in_samples = drawing->source->fill == ts_lhs_fill || drawing->options->correlation;
  size_t more = in_samples || count > MORE_POINTS ? count : MORE_POINTS;
  ts_auto_free double *rows = ts_calloc(more * points->column_count, sizeof *rows);
  while (drawing->kept < count) {
    if (!next(drawing, more, rows, err) || !keep_allowed(drawing, points, rows, more, err)) return false;
  }
  ts_points_add_note(points, "the constraints refused %zu of %zu points, others took their place: %s", drawing->refused,
                     drawing->refused + count, drawing->source->constrained);
  return true;
}

static bool check_options(const struct source *source, const struct ts_sample_options *options, struct ts_error *err) {
  if (!options->correlation || !source->is_sequence) return true;
  ts_fail(err, TS_ERR_BAD_VALUE, "correlated inputs cannot come from '%s'", source->name);
  return ts_error_help(err, "use 'lhs' or 'mc': reordering the points of a sequence would undo what it is good for");
}

bool ts_source_draw(struct ts_points *points, const struct ts_space *space, const char *source, size_t count,
                    const struct ts_sample_options *options, struct ts_error *err) {
  *points = (struct ts_points){0};
  struct ts_sample_options own = *options;
  own.count = count;
  struct drawing drawing = {.source = find(source, err), .space = space, .options = &own};
  if (!drawing.source || !check_options(drawing.source, options, err)) return false;
  if (!ts_points_init(points, space, count, err)) return false;
  bool ok = next(&drawing, count, points->a, err);
  if (ok && space->constraint_count > 0) ok = apply_constraints(&drawing, points, err);
  if (ok && options->correlation) {
    ts_points_add_note(points, "the inputs are correlated: methods that assume independent inputs do not apply");
  }
  if (!ok) ts_points_release(points);
  return ok;
}
