/* Morris trajectories: each step moves one parameter or group, always by the same delta.
 * SPDX-License-Identifier: Apache-2.0
 *
 * With p levels (even) every coordinate lies on the grid 0, 1/(p-1), ..., 1 and a step goes p/2 grid places up or down,
 * in unit-cube terms delta = p / (2 (p - 1)). Each trajectory draws, from a random stream of its own: per parameter a
 * base place uniform on 0..p/2-1 and a direction (up: starts at the base; down: starts p/2 above it), then the order of
 * the parameters or groups. */
#include "design/morris_int.h"

#include "base/alloc.h"
#include "base/random.h"
#include "base/str.h"
#include "design/blocks_int.h"
#include "design/optimal_int.h"

#include <string.h>

/* Keeps the streams of designs apart from those of other users of the same seed. */
#define MORRIS_STREAM (UINT64_C(0x4d6f7272) << 32)
#define MOST_LEVELS   ((size_t)UINT16_MAX - 1) /* even; places have 16 bits */
#define MAX_DRAWS     1000
/* Sets to choose from: up to FEW_SETS are all tried without an option, up to MANY_SETS (a few seconds) with one. */
#define FEW_SETS  1e6
#define MANY_SETS 1e9

/* Scratch of one trajectory. */
struct walk {
  const struct ts_points *points; /* borrowed; columns and groups */
  const struct ts_space *space;   /* borrowed; its constraints */
  size_t levels;                  /* p */
  uint16_t *place;                /* owned; grid place of each parameter, 0..p-1 */
  bool *up;                       /* owned; direction of each parameter's step */
  size_t *order;                  /* owned; parameter or group that moves at each step */
  double *unit;                   /* owned; one row, checked against the constraints */
  size_t refused;                 /* trajectories drawn again because of constraints */
};

static void walk_init(struct walk *walk, const struct ts_points *points, size_t levels, const struct ts_space *space) {
  *walk = (struct walk){.points = points, .space = space, .levels = levels};
  walk->place = ts_calloc(points->column_count, sizeof *walk->place);
  walk->up = ts_calloc(points->column_count, sizeof *walk->up);
  walk->order = ts_calloc(points->group_count, sizeof *walk->order);
  walk->unit = ts_calloc(points->column_count, sizeof *walk->unit);
}

static void walk_release(struct walk *walk) {
  free(walk->place);
  free(walk->up);
  free(walk->order);
  free(walk->unit);
}

static void draw(struct walk *walk, struct ts_random *random) {
  size_t half = walk->levels / 2;
  for (size_t i = 0; i < walk->points->column_count; i++) {
    size_t base = (size_t)ts_random_below(random, half);
    walk->up[i] = ts_random_below(random, 2) == 1;
    walk->place[i] = (uint16_t)(walk->up[i] ? base : base + half);
  }
  for (size_t g = 0; g < walk->points->group_count; g++) walk->order[g] = g;
  ts_random_shuffle(random, walk->order, walk->points->group_count);
}

static void move_group(struct walk *walk, size_t group) {
  size_t half = walk->levels / 2;
  for (size_t i = 0; i < walk->points->column_count; i++) {
    if (ts_blocks_group(walk->points, i) != group) continue;
    walk->place[i] = (uint16_t)(walk->up[i] ? walk->place[i] + half : walk->place[i] - half);
  }
}

static void to_unit(const uint16_t *places, size_t count, size_t levels, double *unit) {
  for (size_t i = 0; i < count; i++) unit[i] = (double)places[i] / (double)(levels - 1);
}

/* Writes the rows of the drawn trajectory; false as soon as one is not allowed. */
static bool write_places(struct walk *walk, uint16_t *places) {
  size_t k = walk->points->column_count;
  for (size_t step = 0; step <= walk->points->group_count; step++) {
    if (step > 0) move_group(walk, walk->order[step - 1]);
    memcpy(places + step * k, walk->place, k * sizeof *places);
    if (walk->space->constraint_count == 0) continue;
    to_unit(walk->place, k, walk->levels, walk->unit);
    if (!ts_space_allows(walk->space, walk->unit)) return false;
  }
  return true;
}

static bool draw_trajectory(struct walk *walk, size_t index, uint64_t seed, uint16_t *places, struct ts_error *err) {
  struct ts_random random;
  ts_random_init(&random, seed, MORRIS_STREAM + index);
  for (int i = 0; i < MAX_DRAWS; i++) {
    draw(walk, &random);
    if (write_places(walk, places)) return true;
    walk->refused++;
  }
  return ts_blocks_fail_constraint("trajectory", MAX_DRAWS, err);
}

static bool check_levels(size_t levels, struct ts_error *err) {
  if (levels >= 2 && levels % 2 == 0 && levels <= MOST_LEVELS) return true;
  ts_fail(err, TS_ERR_BAD_VALUE, "a Morris design needs an even number of levels, at most %zu, not '%zu'", MOST_LEVELS,
          levels);
  return ts_error_help(err, "use 4, or another even number from 2 on");
}

static bool check_candidates(const struct ts_sample_options *options, size_t count, struct ts_error *err) {
  size_t candidates = options->candidates;
  if (candidates == 0) return true;
  if (candidates <= count || count < 2 || candidates > TS_MAX_CANDIDATES) {
    ts_fail(err, TS_ERR_BAD_VALUE, "'%zu' trajectories cannot be chosen from '%zu' candidates", count, candidates);
    return ts_error_help(err, "choose at least 2 from more candidates than that, at most %zu; 500 to 1000 are usual",
                         TS_MAX_CANDIDATES);
  }
  if (options->brute_force && ts_optimal_set_count(candidates, count) > MANY_SETS) {
    ts_fail(err, TS_ERR_BAD_VALUE, "there are %s ways to choose %zu of %zu trajectories, too many to try them all",
            TS_SIGNIFICANT(ts_optimal_set_count(candidates, count), 3), count, candidates);
    return ts_error_help(err, "leave out the exact choice: local search finds a set that is about as good");
  }
  return true;
}

/* Leaves the indices of the trajectories to keep in `chosen`, ascending. */
static void choose(const struct ts_sample_options *options, const struct ts_candidates *candidates, size_t count,
                   size_t *chosen) {
  ts_auto_free double *squares = ts_optimal_distances(candidates);
  if (options->brute_force || ts_optimal_set_count(candidates->count, count) <= FEW_SETS) {
    ts_optimal_brute_force(squares, candidates->count, count, chosen);
  } else {
    ts_optimal_local(squares, candidates->count, count, chosen);
  }
}

static bool fill_from_candidates(struct ts_points *points, struct walk *walk, const struct ts_sample_options *options,
                                 struct ts_error *err) {
  size_t cells = points->block_rows * points->column_count, count = points->row_count / points->block_rows;
  ts_auto_free uint16_t *places = ts_calloc(options->candidates * cells, sizeof *places);
  for (size_t t = 0; t < options->candidates; t++) {
    if (!draw_trajectory(walk, t, options->seed, places + t * cells, err)) return false;
  }
  struct ts_candidates candidates = {.count = options->candidates,
                                     .rows = points->block_rows,
                                     .columns = points->column_count,
                                     .levels = walk->levels,
                                     .places = places};
  ts_auto_free size_t *chosen = ts_calloc(count, sizeof *chosen);
  choose(options, &candidates, count, chosen);
  for (size_t t = 0; t < count; t++) to_unit(places + chosen[t] * cells, cells, walk->levels, points->a + t * cells);
  ts_points_add_note(points,
                     "the trajectories are the %zu of %zu that are farthest from each other: a design of more "
                     "trajectories does not contain them",
                     count, options->candidates);
  return true;
}

static bool fill(struct ts_points *points, struct walk *walk, uint64_t seed, struct ts_error *err) {
  size_t cells = points->block_rows * points->column_count;
  ts_auto_free uint16_t *places = ts_calloc(cells, sizeof *places);
  for (size_t t = 0; t < points->row_count / points->block_rows; t++) {
    if (!draw_trajectory(walk, t, seed, places, err)) return false;
    to_unit(places, cells, walk->levels, points->a + t * cells);
  }
  return true;
}

/* A step of more than half the range changes any value of equal shares, but not one with a weight above that. */
static void note_idle_steps(struct ts_points *points, const struct ts_space *space, size_t levels) {
  size_t half = levels / 2;
  for (size_t i = 0; i < space->count; i++) {
    for (size_t base = 0; base < half; base++) {
      double low = (double)base / (double)(levels - 1), high = (double)(base + half) / (double)(levels - 1);
      if (ts_blocks_values_differ(space->parameters[i], low, high)) continue;
      ts_points_add_note(points,
                         "some steps of '%s' do not change its value, since one value has more than half the weight",
                         space->parameters[i]->name);
      break;
    }
  }
}

bool ts_morris_trajectories(struct ts_points *points, const struct ts_space *space,
                            const struct ts_sample_options *options, struct ts_error *err) {
  size_t levels = options->levels ? options->levels : TS_MORRIS_LEVELS, count = options->count ? options->count : 10;
  *points = (struct ts_points){0};
  if (!check_levels(levels, err) || !check_candidates(options, count, err)) return false;
  if (!ts_blocks_start(points, space, options, err)) return false;
  points->layout = TS_LAYOUT_TRAJECTORIES;
  struct walk walk;
  walk_init(&walk, points, levels, space);
  bool ok = ts_blocks_allocate(points, count, points->group_count + 1, err);
  if (ok)
    ok = options->candidates ? fill_from_candidates(points, &walk, options, err)
                             : fill(points, &walk, options->seed, err);
  if (walk.refused > 0) {
    ts_points_add_note(points,
                       "%zu trajectories were drawn again because of constraints: the effects are those of the "
                       "allowed part of the space",
                       walk.refused);
  }
  walk_release(&walk);
  if (ok) {
    note_idle_steps(points, space, levels);
  } else {
    ts_points_release(points);
  }
  return ok;
}
