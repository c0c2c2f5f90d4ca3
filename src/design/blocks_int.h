/* Checks, groups and a stream of points, for the samplers of rows that belong together.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_DESIGN_BLOCKS_INT_H
#define TS_DESIGN_BLOCKS_INT_H

#include "design/points.h"
#include "design/sequence_int.h"

/* After this many blocks of a sequence in a row that violate a constraint the space counts as empty. */
#define TS_MAX_REFUSED 100000

/* An empty result for the space with its groups. BAD_VALUE: nothing to vary, one-valued parameters, odd groups. */
bool ts_blocks_start(struct ts_points *points, const struct ts_space *space, const struct ts_sample_options *options,
                     struct ts_error *err);
/* For designs that cannot move several parameters at once. */
bool ts_blocks_refuse_groups(const struct ts_sample_options *options, const char *design, struct ts_error *err);
/* Allocates `a` for `blocks` times `block_rows` rows, all of them stored; BAD_VALUE if that is too much. */
bool ts_blocks_allocate(struct ts_points *points, size_t blocks, size_t block_rows, struct ts_error *err);
/* The group of a column, also where every parameter is a group of its own. */
size_t ts_blocks_group(const struct ts_points *points, size_t column);
/* CONSTRAINT: nothing allowed was found. */
bool ts_blocks_fail_constraint(const char *what, int draws, struct ts_error *err);

/* Whether two unit coordinates give different values. */
bool ts_blocks_values_differ(const struct ts_parameter *parameter, double u, double v);
/* The middle of the coordinates that give the same value as u; u itself for a range of reals. So a step between two
 * levels is as large as the distance of their middles, not an accident of where in them the points lie. */
double ts_blocks_centre(const struct ts_parameter *parameter, double u);

/* Points of a source one after another, drawn in portions; a Latin hypercube of `count` points whole. A Halton sequence
 * starts at its second point: the first is the corner of the cube. */
struct ts_stream {
  const char *source;               /* borrowed */
  struct ts_sample_options options; /* what it points to is borrowed */
  size_t dimensions;
  size_t portion;  /* points drawn at once */
  size_t next;     /* first point of the source that is not drawn yet */
  size_t used;     /* points of the buffer that were handed out */
  size_t buffered; /* points in the buffer */
  double *buffer;  /* owned; portion x dimensions */
};
void ts_stream_init(struct ts_stream *stream, const char *source, size_t dimensions, size_t count,
                    const struct ts_sample_options *options);
void ts_stream_release(struct ts_stream *stream);
/* The next point, valid until the next call; NULL with an error. */
const double *ts_stream_next(struct ts_stream *stream, struct ts_error *err);

#endif
