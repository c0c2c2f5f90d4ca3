/* Functions shared by the files of the design module.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_DESIGN_DESIGN_INT_H
#define TS_DESIGN_DESIGN_INT_H

#include "design/design.h"

/* Allocates the arrays for the given size; names are still NULL. */
void ts_design_init(struct ts_design *design, size_t row_count, size_t column_count);
/* A copy whose strings and lists belong to the arena. */
struct ts_value ts_design_copy_value(struct ts_arena *arena, const struct ts_value *value);
/* BAD_VALUE if the parameter cannot be varied: a grid of one level, a range of one value, neither. */
bool ts_space_check_parameter(const struct ts_parameter *parameter, struct ts_error *err);
/* space_problem.c: the space of a problem of SALib; faults with their places. */
void ts_space_read_problem(struct ts_space *space, const struct ts_json_doc *doc, const json_t *object,
                           const char *pointer, struct ts_faults *faults);
/* Turns the constraints of the space's workflow into those of its columns. */
void ts_space_take_constraints(struct ts_space *space);

#endif
