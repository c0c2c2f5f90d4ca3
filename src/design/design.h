/* Designs: which parameter sets a study runs. Unit coordinates and grid levels are both kept.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The analysis works on the unit design, runs and reuse on the values. */
#ifndef TS_DESIGN_DESIGN_H
#define TS_DESIGN_DESIGN_H

#include "base/arena.h"
#include "base/error.h"
#include "base/json.h"
#include "base/str.h"
#include "base/value.h"
#include "workflow/workflow.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The parameters a design varies: those of a workflow that have a grid or a range, or those of a space file. */
struct ts_space {
  struct ts_arena arena; /* owns the array, and the parameters of a space file */
  const struct ts_parameter *
      *parameters; /* owned by the arena; each borrowed from the workflow or owned by the arena */
  size_t count;
  const struct ts_workflow *workflow; /* borrowed; NULL for a space file */
  /* Owned by the arena; sides are columns of the space. A parameter that is not varied counts with its default. */
  const struct ts_constraint *constraints;
  size_t constraint_count;
};

/* The varied parameters of a workflow, in its order; `only` (may be NULL) names a subset.
 * Faults: none varied, unknown name, one level. */
bool ts_space_of_workflow(struct ts_space *space, const struct ts_workflow *workflow, const char *const *only,
                          size_t only_count, struct ts_error *err);
/* Reads {"parameters":[{"name","type","range":[lo,hi] or "grid":[...]}],"constraints":["a < b"]}, or a problem of
 * SALib. */
bool ts_space_read(struct ts_space *space, const char *file, struct ts_faults *faults);
/* The same from an object at a JSON pointer of a document. */
bool ts_space_read_object(struct ts_space *space, const struct ts_json_doc *doc, const json_t *object,
                          const char *pointer, struct ts_faults *faults);
/* space_problem.c: whether an object is the `problem` of a SALib analysis: {"num_vars","names","bounds",...}. */
bool ts_space_is_problem(const json_t *object);
/* space_json.c: what ts_space_read_object reads back: the same values for the same coordinates, in one form for spaces
 * of all kinds of files. Parameters of the workflow that are not varied count in constraints as numbers. A new
 * reference. */
json_t *ts_space_to_json(const struct ts_space *space);
/* The columns of a space that `columns` names (rising, at least one), in that order; the parameters stay those of the
 * space, which outlives the subset. Parameters that are left out count with their defaults in constraints. */
void ts_space_subset(struct ts_space *subset, const struct ts_space *space, const size_t *columns, size_t count);
void ts_space_release(struct ts_space *space);

/* The value at unit coordinate u: grid level min(floor(u L), L-1) (with weights: the level in whose share u lies), or
 * the u quantile of the distribution in the range (integers, uniform: equal shares; otherwise rounded). *level (may be
 * NULL) is the grid level, -1 for a range. Coordinates outside [0, 1] count as the nearer end. Always finite: a
 * distribution without end stops TS_TINY_PROBABILITY from it. */
struct ts_value ts_space_value(const struct ts_parameter *parameter, double unit, int64_t *level);
/* The inverse: the probability below a value, for integers and grid levels the middle of their share. NaN for values
 * that no coordinate leads to (off the grid, outside the range, weight 0). */
double ts_space_unit(const struct ts_parameter *parameter, const struct ts_value *value);
/* The level of a value, TS_NONE if it is not on the grid. */
size_t ts_space_level(const struct ts_parameter *parameter, const struct ts_value *value);
/* A value as an analysis sees it: numbers and booleans as they are, strings as their level; NaN if there is none. */
double ts_space_number(const struct ts_parameter *parameter, const struct ts_value *value);
/* ts_space_unit of such a number. */
double ts_space_unit_of_number(const struct ts_parameter *parameter, double number);
/* How many values a parameter can take in a design: grid levels (of weight above 0), integers of a range; SIZE_MAX for
 * a range of reals. */
size_t ts_space_value_count(const struct ts_parameter *parameter);

struct ts_design {
  struct ts_arena arena;   /* owns all arrays and strings */
  size_t row_count;        /* runs */
  size_t column_count;     /* varied parameters */
  const char **names;      /* column names */
  double *unit;            /* row by row; NaN where a given design has none */
  int64_t *levels;         /* row by row; -1: not on a grid */
  struct ts_value *values; /* row by row */
};
void ts_design_release(struct ts_design *design);
/* A design given as CSV: header names parameters (any order), each row a run; values only need to satisfy the domain,
 * rows the constraints (parameters without a column at their defaults). Columns u_NAME give unit coordinates; those of
 * other values are derived (ts_space_unit). All faults with line and column. */
bool ts_design_read_csv(struct ts_design *design, const struct ts_workflow *workflow, const char *file,
                        struct ts_faults *faults);
/* How many different rows of values there are: runs that a study really needs. first_of_row[r] (may be NULL) is the
 * first row with the values of row r. */
size_t ts_design_distinct(const struct ts_design *design, size_t *first_of_row);

#endif
