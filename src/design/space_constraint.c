/* Constraints of a space: those of its workflow as seen from its columns, and rows held against them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "design/design_int.h"
#include "design/points.h"

/* One side of a workflow's constraint: the column of its parameter, or the number that stays when it is not varied. */
static void take_side(const struct ts_space *space, size_t parameter, size_t *column, double *number) {
  *column = TS_NONE;
  if (parameter == TS_NONE) return;
  const struct ts_parameter *wanted = &space->workflow->parameters[parameter];
  for (size_t c = 0; c < space->count; c++) {
    if (space->parameters[c] == wanted) *column = c;
  }
  if (*column == TS_NONE) ts_value_number(&wanted->default_value, number);
}

void ts_space_take_constraints(struct ts_space *space) {
  const struct ts_workflow *workflow = space->workflow;
  struct ts_constraint *taken = ts_arena_array(&space->arena, workflow->constraint_count, sizeof *taken);
  size_t count = 0;
  for (size_t i = 0; i < workflow->constraint_count; i++) {
    struct ts_constraint *constraint = &taken[count];
    *constraint = workflow->constraints[i];
    take_side(space, workflow->constraints[i].left, &constraint->left, &constraint->left_number);
    take_side(space, workflow->constraints[i].right, &constraint->right, &constraint->right_number);
    /* Defaults satisfy every constraint of a workflow. */
    if (constraint->left != TS_NONE || constraint->right != TS_NONE) count++;
  }
  space->constraints = taken;
  space->constraint_count = count;
}

/* One side of a constraint of a space, as seen from some of its columns. */
static void keep_side(const struct ts_space *space, const size_t *columns, size_t count, size_t *column,
                      double *number) {
  if (*column == TS_NONE) return;
  const size_t before = *column;
  *column = TS_NONE;
  for (size_t c = 0; c < count; c++) {
    if (columns[c] == before) *column = c;
  }
  if (*column == TS_NONE) ts_value_number(&space->parameters[before]->default_value, number);
}

void ts_space_subset(struct ts_space *subset, const struct ts_space *space, const size_t *columns, size_t count) {
  *subset = (struct ts_space){.count = count, .workflow = space->workflow};
  subset->parameters = ts_arena_array(&subset->arena, count + 1, sizeof *subset->parameters);
  for (size_t c = 0; c < count; c++) subset->parameters[c] = space->parameters[columns[c]];
  struct ts_constraint *kept = ts_arena_array(&subset->arena, space->constraint_count + 1, sizeof *kept);
  for (size_t i = 0; i < space->constraint_count; i++) {
    struct ts_constraint *constraint = &kept[subset->constraint_count];
    *constraint = space->constraints[i];
    keep_side(space, columns, count, &constraint->left, &constraint->left_number);
    keep_side(space, columns, count, &constraint->right, &constraint->right_number);
    if (constraint->left != TS_NONE || constraint->right != TS_NONE) subset->constraint_count++;
  }
  subset->constraints = kept;
}

static double number_at(const struct ts_space *space, const double *unit, size_t column, double otherwise) {
  if (column == TS_NONE) return otherwise;
  struct ts_value value = ts_space_value(space->parameters[column], unit[column], NULL);
  ts_value_number(&value, &otherwise);
  return otherwise;
}

bool ts_space_allows(const struct ts_space *space, const double *unit) {
  for (size_t i = 0; i < space->constraint_count; i++) {
    const struct ts_constraint *constraint = &space->constraints[i];
    double left = number_at(space, unit, constraint->left, constraint->left_number);
    double right = number_at(space, unit, constraint->right, constraint->right_number);
    if (!ts_constraint_holds(constraint, left, right)) return false;
  }
  return true;
}
