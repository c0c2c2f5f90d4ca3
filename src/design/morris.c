/* Morris designs: trajectories that change one parameter per step, always by the same delta.
 * SPDX-License-Identifier: Apache-2.0
 *
 * With p levels (even) every coordinate lies on the grid 0, 1/(p-1), ..., 1 and a step goes p/2 grid places up or down, in
 * unit-cube terms delta = p / (2 (p - 1)). Each trajectory draws, from a random stream of its own: per parameter a base
 * place uniform on 0..p/2-1 and a direction (up: starts at the base; down: starts p/2 above it), then the order of the
 * parameters. */
#include "design/design_int.h"

#include "base/alloc.h"
#include "base/random.h"

#include <stdint.h>
#include <string.h>

/* Keeps the streams of designs apart from those of other users of the same seed. */
#define MORRIS_STREAM (UINT64_C(0x4d6f7272) << 32)
#define MAX_DRAWS     1000
/* Values of a whole design: some gigabytes. A slip of the hand must not ask for all memory. */
#define MAX_CELLS ((size_t)1 << 26)

void ts_design_init(struct ts_design *design, size_t row_count, size_t column_count) {
  *design = (struct ts_design){.row_count = row_count, .column_count = column_count};
  size_t cells = row_count * column_count;
  design->names = ts_arena_array(&design->arena, column_count + 1, sizeof *design->names);
  design->unit = ts_arena_array(&design->arena, cells + 1, sizeof *design->unit);
  design->levels = ts_arena_array(&design->arena, cells + 1, sizeof *design->levels);
  design->values = ts_arena_array(&design->arena, cells + 1, sizeof *design->values);
}

void ts_design_release(struct ts_design *design) {
  ts_arena_release(&design->arena);
  *design = (struct ts_design){0};
}

struct ts_value ts_design_copy_value(struct ts_arena *arena, const struct ts_value *value) {
  struct ts_value copy = *value;
  if (value->type == TS_VALUE_STRING) copy.as.string = ts_arena_strdup(arena, value->as.string);
  if (value->type == TS_VALUE_LIST) {
    size_t count = value->as.list->count;
    struct ts_value *items = ts_arena_array(arena, count + 1, sizeof *items);
    /* Lists hold plain values only, so this goes one level deep. */
    for (size_t i = 0; i < count; i++) items[i] = ts_design_copy_value(arena, &value->as.list->items[i]);
    struct ts_value_list *list = ts_arena_alloc(arena, sizeof *list);
    *list = (struct ts_value_list){.count = count, .items = items};
    copy.as.list = list;
  }
  return copy;
}

/* Scratch of one trajectory. */
struct walk {
  const struct ts_space *space; /* borrowed */
  size_t levels;                /* p */
  size_t *place;                /* owned; grid place of each parameter, 0..p-1 */
  bool *up;                     /* owned; direction of each parameter's step */
  size_t *order;                /* owned; parameter that changes at each step */
};

static void walk_init(struct walk *walk, const struct ts_space *space, size_t levels) {
  *walk = (struct walk){.space = space, .levels = levels};
  walk->place = ts_calloc(space->count, sizeof *walk->place);
  walk->up = ts_calloc(space->count, sizeof *walk->up);
  walk->order = ts_calloc(space->count, sizeof *walk->order);
}

static void walk_release(struct walk *walk) {
  free(walk->place);
  free(walk->up);
  free(walk->order);
}

static void draw(struct walk *walk, struct ts_random *random) {
  size_t half = walk->levels / 2;
  for (size_t i = 0; i < walk->space->count; i++) {
    size_t base = (size_t)ts_random_below(random, half);
    walk->up[i] = ts_random_below(random, 2) == 1;
    walk->place[i] = walk->up[i] ? base : base + half;
    walk->order[i] = i;
  }
  ts_random_shuffle(random, walk->order, walk->space->count);
}

/* Writes the k+1 rows of the drawn trajectory from `first_row` on; false as soon as a row is not allowed. */
static bool write_rows(struct walk *walk, struct ts_design *design, size_t first_row,
                       bool (*accept)(void *user, const struct ts_value *row), void *user) {
  size_t k = walk->space->count, half = walk->levels / 2;
  for (size_t step = 0; step <= k; step++) {
    if (step > 0) {
      size_t changed = walk->order[step - 1];
      walk->place[changed] = walk->up[changed] ? walk->place[changed] + half : walk->place[changed] - half;
    }
    size_t start = (first_row + step) * k;
    for (size_t i = 0; i < k; i++) {
      double unit = (double)walk->place[i] / (double)(walk->levels - 1);
      design->unit[start + i] = unit;
      design->values[start + i] = ts_space_value(walk->space->parameters[i], unit, &design->levels[start + i]);
    }
    if (accept && !accept(user, design->values + start)) return false;
  }
  return true;
}

static bool add_trajectory(struct walk *walk, struct ts_design *design, size_t index, uint64_t seed,
                           bool (*accept)(void *user, const struct ts_value *row), void *user, struct ts_error *err) {
  struct ts_random random;
  ts_random_init(&random, seed, MORRIS_STREAM + index);
  for (int i = 0; i < MAX_DRAWS; i++) {
    draw(walk, &random);
    if (write_rows(walk, design, index * (walk->space->count + 1), accept, user)) return true;
  }
  ts_fail(err, TS_ERR_CONSTRAINT, "no trajectory in %d draws satisfies the constraints of the workflow", MAX_DRAWS);
  ts_error_help(err, "narrow the grids or ranges of the parameters so that the constraints leave more of the space");
  return false;
}

static bool check_options(const struct ts_space *space, size_t trajectories, size_t levels, struct ts_error *err) {
  if (levels < 2 || levels % 2 != 0) {
    ts_fail(err, TS_ERR_BAD_VALUE, "a Morris design needs an even number of levels, not '%zu'", levels);
    ts_error_help(err, "use 4, or another even number from 2 on");
    return false;
  }
  if (space->count == 0) {
    ts_fail(err, TS_ERR_BAD_VALUE, "a Morris design needs at least one parameter");
    ts_error_help(err, "give at least one parameter a \"grid\" or a \"range\"");
    return false;
  }
  if (trajectories > MAX_CELLS / (space->count + 1) / (space->count + 1)) {
    ts_fail(err, TS_ERR_BAD_VALUE, "'%zu' trajectories are too many", trajectories);
    ts_error_help(err, "5 to 15 are usual, 1000 are a lot");
    return false;
  }
  for (size_t i = 0; i < space->count; i++) {
    if (!ts_space_check_parameter(space->parameters[i], err)) return false;
  }
  return true;
}

/* The design outlives the space: strings and lists among the values are copied. */
static void own_texts(struct ts_design *design, const struct ts_space *space) {
  for (size_t i = 0; i < space->count; i++)
    design->names[i] = ts_arena_strdup(&design->arena, space->parameters[i]->name);
  for (size_t cell = 0; cell < design->row_count * design->column_count; cell++) {
    design->values[cell] = ts_design_copy_value(&design->arena, &design->values[cell]);
  }
}

bool ts_design_morris(struct ts_design *design, const struct ts_space *space, const struct ts_morris_options *options,
                      bool (*accept)(void *user, const struct ts_value *row), void *user, struct ts_error *err) {
  *design = (struct ts_design){0};
  size_t trajectories = options->trajectories ? options->trajectories : 10;
  size_t levels = options->levels ? options->levels : 4;
  if (!check_options(space, trajectories, levels, err)) return false;
  ts_design_init(design, trajectories * (space->count + 1), space->count);
  struct walk walk;
  walk_init(&walk, space, levels);
  bool ok = true;
  for (size_t i = 0; ok && i < trajectories; i++) {
    ok = add_trajectory(&walk, design, i, options->seed, accept, user, err);
  }
  walk_release(&walk);
  if (!ok) {
    ts_design_release(design);
    return false;
  }
  own_texts(design, space);
  return true;
}
