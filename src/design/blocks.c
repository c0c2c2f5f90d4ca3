/* Checks, groups and a stream of points, for the samplers of rows that belong together.
 * SPDX-License-Identifier: Apache-2.0 */
#include "design/blocks_int.h"

#include "base/alloc.h"
#include "design/design_int.h"

#include <math.h>
#include <string.h>

#define PORTION 1024
/* Values of a parameter that are distinguished; beyond that an integer range is as good as a range of reals. */
#define MANY_VALUES ((size_t)1 << 20)

static bool check_group(const struct ts_sample_options *options, size_t columns, size_t group, struct ts_error *err) {
  for (size_t i = 0; i < columns; i++) {
    if (options->group_of[i] == group) return true;
  }
  ts_fail(err, TS_ERR_BAD_VALUE, "group %zu has no parameter", group + 1);
  return ts_error_help(err, "give every group at least one parameter, and every parameter one group");
}

static bool set_groups(struct ts_points *points, const struct ts_sample_options *options, struct ts_error *err) {
  size_t columns = points->column_count;
  points->group_count = columns;
  if (!options->group_of) return true;
  for (size_t i = 0; i < columns; i++) {
    if (options->group_of[i] >= options->group_count) {
      ts_fail(err, TS_ERR_BAD_VALUE, "parameter %zu is in group %zu, but there are only %zu groups", i + 1,
              options->group_of[i] + 1, options->group_count);
      return ts_error_help(err, "number the groups from 1 on without gaps");
    }
  }
  for (size_t g = 0; g < options->group_count; g++) {
    if (!check_group(options, columns, g, err)) return false;
  }
  points->group_count = options->group_count;
  points->group_of = ts_arena_memdup(&points->arena, options->group_of, columns * sizeof *points->group_of);
  return true;
}

bool ts_blocks_start(struct ts_points *points, const struct ts_space *space, const struct ts_sample_options *options,
                     struct ts_error *err) {
  *points = (struct ts_points){.column_count = space->count};
  if (space->count == 0) {
    ts_fail(err, TS_ERR_BAD_VALUE, "a design needs at least one parameter");
    return ts_error_help(err, "give at least one parameter a \"grid\" or a \"range\"");
  }
  for (size_t i = 0; i < space->count; i++) {
    if (!ts_space_check_parameter(space->parameters[i], err)) return false;
  }
  if (set_groups(points, options, err)) return true;
  ts_points_release(points);
  return false;
}

bool ts_blocks_refuse_groups(const struct ts_sample_options *options, const char *design, struct ts_error *err) {
  if (!options->group_of) return true;
  ts_fail(err, TS_ERR_BAD_VALUE, "%s has no groups of parameters", design);
  return ts_error_help(err, "use a morris or saltelli design for groups, or leave them out");
}

bool ts_blocks_allocate(struct ts_points *points, size_t blocks, size_t block_rows, struct ts_error *err) {
  size_t most_rows = TS_MAX_CELLS / points->column_count;
  if (block_rows > most_rows || blocks > most_rows / block_rows) {
    ts_fail(err, TS_ERR_BAD_VALUE, "a design of %zu times %zu rows is too large", blocks, block_rows);
    return ts_error_help(err, "ask for at most %zu rows of %zu parameters", most_rows, points->column_count);
  }
  size_t cells = block_rows * points->column_count;
  points->block_rows = block_rows;
  points->row_count = blocks * block_rows;
  points->a = ts_arena_array(&points->arena, blocks * cells + 1, sizeof *points->a);
  return true;
}

size_t ts_blocks_group(const struct ts_points *points, size_t column) {
  return points->group_of ? points->group_of[column] : column;
}

bool ts_blocks_fail_constraint(const char *what, int draws, struct ts_error *err) {
  ts_fail(err, TS_ERR_CONSTRAINT, "no %s in %d draws satisfies the constraints", what, draws);
  return ts_error_help(err,
                       "narrow the grids or ranges of the parameters so that the constraints leave more of the space");
}

bool ts_blocks_values_differ(const struct ts_parameter *parameter, double u, double v) {
  struct ts_value at_u = ts_space_value(parameter, u, NULL), at_v = ts_space_value(parameter, v, NULL);
  return !ts_value_equal(&at_u, &at_v);
}

double ts_blocks_centre(const struct ts_parameter *parameter, double u) {
  if (ts_space_value_count(parameter) >= MANY_VALUES) return u;
  struct ts_value value = ts_space_value(parameter, u, NULL);
  double middle = ts_space_unit(parameter, &value);
  return isnan(middle) ? u : middle; /* a share can be too small for its middle to differ from its ends */
}

void ts_stream_init(struct ts_stream *stream, const char *source, size_t dimensions, size_t count,
                    const struct ts_sample_options *options) {
  bool whole = strcmp(source, "lhs") == 0 || count < PORTION;
  *stream = (struct ts_stream){.source = source,
                               .options = *options,
                               .dimensions = dimensions,
                               .portion = whole ? count : PORTION,
                               .next = strcmp(source, "halton") == 0 ? 1 : 0};
  stream->options.count = count;
  stream->buffer = ts_calloc(stream->portion * dimensions, sizeof *stream->buffer);
}

void ts_stream_release(struct ts_stream *stream) { free(stream->buffer); }

const double *ts_stream_next(struct ts_stream *stream, struct ts_error *err) {
  if (stream->used == stream->buffered) {
    if (!ts_source_fill(stream->source, stream->dimensions, stream->next, stream->portion, &stream->options,
                        stream->buffer, err)) {
      return NULL;
    }
    stream->next += stream->portion;
    stream->buffered = stream->portion;
    stream->used = 0;
  }
  return stream->buffer + stream->used++ * stream->dimensions;
}
