/* Designs in the unit cube, as samplers make them, before values come in.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Samplers are listed in design/samplers.c, one file each; adding one is a file and a line. A Saltelli design keeps
 * only its blocks A and B: rows are put together when they are needed, so memory is 2 n k for any number of rows. */
#ifndef TS_DESIGN_POINTS_H
#define TS_DESIGN_POINTS_H

#include "base/arena.h"
#include "base/error.h"
#include "design/design.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How the rows of a design belong together; an analysis says which layout it needs. */
enum ts_layout {
  TS_LAYOUT_FREE,         /* every row for itself */
  TS_LAYOUT_TRAJECTORIES, /* Morris: each row differs from the one before in one parameter or group */
  TS_LAYOUT_RADIAL,       /* Morris: each row differs from the first of its block in one parameter or group */
  TS_LAYOUT_SALTELLI,     /* A, AB_1..AB_k, B per base sample */
  TS_LAYOUT_SALTELLI_2,   /* A, AB_1..AB_k, BA_1..BA_k, B per base sample */
  TS_LAYOUT_FAST,         /* one search curve of n rows per parameter */
  TS_LAYOUT_DERIVATIVE    /* DGSM: base point, then one row per parameter a small step away */
};
const char *ts_layout_name(enum ts_layout layout);              /* "free", "trajectories", ... */
bool ts_layout_parse(const char *name, enum ts_layout *layout); /* false: there is none of that name */

struct ts_points {
  struct ts_arena arena; /* owns everything below */
  enum ts_layout layout;
  size_t column_count; /* parameters */
  size_t row_count;    /* runs */
  size_t block_rows; /* rows that belong together: g+1 of a trajectory, g+2 or 2g+2 of a base sample, n of a curve; 1 */
  double *a;         /* row by row; Saltelli: block A, one row per base sample */
  double *b;         /* Saltelli: block B; NULL otherwise */
  size_t *group_of;  /* per column: its group; NULL: every parameter is a group of its own */
  size_t group_count; /* column_count without groups */
  const char *note;   /* what the user should know (what a constraint did to the method, a changed n); NULL: nothing */
};
void ts_points_release(struct ts_points *points);
/* Copies row `index` (column_count unit coordinates). */
void ts_points_row(const struct ts_points *points, size_t index, double *unit);
/* Values and levels of every row. */
void ts_design_of_points(struct ts_design *design, const struct ts_space *space, const struct ts_points *points);
/* Header and rows of values as CSV, streamed to `write` (false: stop) in pieces of some 100 kB; memory does not grow
 * with rows. Numbers are the shortest text that reads back to the same double; a coordinate that several rows of a
 * block share is formatted once. With `with_unit` columns u_NAME follow. */
bool ts_points_write_csv(const struct ts_points *points, const struct ts_space *space, bool with_unit,
                         bool (*write)(void *user, const char *text, size_t length, struct ts_error *err), void *user,
                         struct ts_error *err);

enum ts_scramble { TS_SCRAMBLE_DEFAULT, TS_SCRAMBLE_NONE, TS_SCRAMBLE_OWEN, TS_SCRAMBLE_SHIFT };

#define TS_MORRIS_LEVELS 4 /* p, if the user gives none */

/* The options of all samplers; each ignores those of others, zero is the default. */
struct ts_sample_options {
  size_t count; /* points; base samples; trajectories; rows per curve. 0: the sampler's own default */
  uint64_t seed;
  size_t skip;               /* sequences: leave out the first points */
  enum ts_scramble scramble; /* sequences; default: Owen for sobol-sequence and inside Saltelli, none for halton */
  const char *base;  /* saltelli, radial morris: source of the points: "mc", "lhs", "sobol-sequence" (NULL), "halton" */
  bool second_order; /* saltelli: BA rows too */
  size_t levels;     /* morris: p, even; 0: 4. grid: points per range parameter */
  bool radial;       /* morris: radial instead of trajectories */
  size_t candidates; /* morris: choose the best `count` of this many trajectories; 0: no choice */
  bool brute_force;  /* morris: exact choice instead of local search */
  size_t improve;    /* lhs: rounds of maximin improvement; 0: plain */
  const double *correlation; /* lhs, mc: k x k wanted rank correlations, borrowed; NULL: independent */
  const size_t *group_of;    /* per column, borrowed; NULL: no groups. Groups are numbered 0..group_count-1 */
  size_t group_count;
  size_t harmonics; /* fast: M; 0: 4 */
  double step;      /* dgsm: of the unit range; 0: 0.01 */
};

struct ts_sampler {
  const char *name;  /* "saltelli" */
  const char *title; /* "Saltelli design for variance-based indices" */
  const char *help;  /* one sentence: what it is good for, which options it reads */
  bool (*draw)(struct ts_points *points, const struct ts_space *space, const struct ts_sample_options *options,
               struct ts_error *err);
};
/* All samplers, NULL-terminated. */
extern const struct ts_sampler *const ts_samplers[];
/* NULL and an error with the nearest word if there is none of that name. */
const struct ts_sampler *ts_sampler_find(const char *name, struct ts_error *err);

/* The source of base samples (saltelli, radial morris) of that name, NULL: the default; NULL and an error that says why
 * not if there is none. */
const char *ts_base_find(const char *name, struct ts_error *err);

/* Rows of a sample: fills `out` (count x dimensions, row by row) with points first .. first+count-1 of a source. Shared
 * by the samplers of single points and the Saltelli sampler, which draws 2k dimensions at once. */
bool ts_source_fill(const char *source, size_t dimensions, size_t first, size_t count,
                    const struct ts_sample_options *options, double *out, struct ts_error *err);

/* Whether the values at a row of unit coordinates satisfy the constraints of the space. */
bool ts_space_allows(const struct ts_space *space, const double *unit);

#endif
