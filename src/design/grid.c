/* Grids: every combination of levels, or some of them drawn without repetition.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A grid parameter has its levels, an integer range all its integers if there are no more than `levels`, any other
 * range `levels` points in equal steps of probability: both ends included, except where the distribution has no ends.
 * The last parameter changes fastest. A partial grid takes the first rows of a random order of all combinations; the
 * order is a Feistel network over row numbers, so none of it is stored and more rows keep the earlier ones. */
#include "design/sequence_int.h"

#include "base/alloc.h"
#include "base/random.h"

#include <string.h>

#define GRID_STREAM    UINT32_C(0x67726964)
#define DEFAULT_LEVELS 5
#define MAX_LEVELS     1000000
#define ROUNDS         6
#define MAX_REFUSED    100000

/* The coordinates of one parameter. */
struct axis {
  double *unit; /* owned by the arena of the grid */
  size_t count;
};

struct grid {
  struct ts_arena arena;
  struct axis *axes; /* owned by the arena */
  size_t axis_count;
  uint64_t size; /* all combinations; UINT64_MAX: that many or more */
};

/* Middles of the shares of the levels; a level that never occurs is left out. */
static void add_levels(struct axis *axis, const struct ts_parameter *parameter) {
  for (size_t level = 0; level < parameter->level_count; level++) {
    double count = (double)parameter->level_count;
    double from = (double)level / count, to = (double)(level + 1) / count;
    if (parameter->shares) {
      from = level ? parameter->shares[level - 1] : 0;
      to = parameter->shares[level];
    }
    if (to > from) axis->unit[axis->count++] = from + (to - from) / 2;
  }
}

/* The middle of the share of the integer `step` places above the lower end. */
static double integer_unit(const struct ts_parameter *parameter, size_t step, size_t values) {
  if (parameter->distribution.kind == TS_UNIFORM) return ((double)step + 0.5) / (double)values;
  double value = parameter->range_low + (double)step;
  double from = ts_distribution_share(&parameter->distribution, value - 0.5);
  return from + (ts_distribution_share(&parameter->distribution, value + 0.5) - from) / 2;
}

/* `levels` integers in equal steps, both ends included; all of them if there are no more. */
static void add_integers(struct axis *axis, const struct ts_parameter *parameter, size_t levels) {
  size_t values = ts_space_value_count(parameter);
  size_t count = values < levels ? values : levels;
  for (size_t i = 0; i < count; i++) {
    double place = count > 1 ? (double)i * ((double)(values - 1) / (double)(count - 1)) : (double)(values - 1) / 2;
    axis->unit[axis->count++] = integer_unit(parameter, (size_t)(place + 0.5), values);
  }
}

static void add_reals(struct axis *axis, const struct ts_parameter *parameter, size_t levels) {
  enum ts_distribution_kind kind = parameter->distribution.kind;
  bool has_ends = kind != TS_NORMAL && kind != TS_LOGNORMAL && levels > 1;
  for (size_t i = 0; i < levels; i++) {
    axis->unit[axis->count++] = has_ends ? (double)i / (double)(levels - 1) : ((double)i + 0.5) / (double)levels;
  }
}

static void grid_init(struct grid *grid, const struct ts_space *space, size_t levels) {
  *grid = (struct grid){.axis_count = space->count, .size = 1};
  grid->axes = ts_arena_array(&grid->arena, space->count, sizeof *grid->axes);
  for (size_t i = 0; i < space->count; i++) {
    const struct ts_parameter *parameter = space->parameters[i];
    struct axis *axis = &grid->axes[i];
    axis->unit = ts_arena_array(&grid->arena, parameter->level_count > levels ? parameter->level_count : levels,
                                sizeof *axis->unit);
    if (parameter->level_count > 0) {
      add_levels(axis, parameter);
    } else if (parameter->type == TS_VALUE_INTEGER) {
      add_integers(axis, parameter, levels);
    } else {
      add_reals(axis, parameter, levels);
    }
    if (__builtin_mul_overflow(grid->size, (uint64_t)axis->count, &grid->size)) grid->size = UINT64_MAX;
  }
}

static void grid_release(struct grid *grid) { ts_arena_release(&grid->arena); }

static void grid_row(const struct grid *grid, uint64_t number, double *unit) {
  for (size_t i = grid->axis_count; i-- > 0;) {
    unit[i] = grid->axes[i].unit[number % grid->axes[i].count];
    number /= grid->axes[i].count;
  }
}

/* A random permutation of 0 .. size-1: a Feistel network over the next even number of bits, walked until inside. */
static uint64_t shuffled(uint64_t number, uint64_t size, uint64_t seed) {
  unsigned half = 1;
  while (half < 32 && size > UINT64_C(1) << 2 * half) half++;
  uint64_t mask = (UINT64_C(1) << half) - 1;
  const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
  do {
    uint64_t left = number >> half, right = number & mask;
    for (uint32_t round = 0; round < ROUNDS; round++) {
      const uint32_t counter[4] = {(uint32_t)right, round, half, GRID_STREAM};
      uint32_t out[4];
      ts_philox4x32(counter, key, out);
      uint64_t next = left ^ (out[0] & mask);
      left = right;
      right = next;
    }
    number = left << half | right;
  } while (number >= size);
  return number;
}

static bool check_size(const struct grid *grid, size_t wanted, size_t columns, struct ts_error *err) {
  if (wanted < grid->size || wanted <= TS_MAX_CELLS / columns) return true;
  if (grid->size == UINT64_MAX) {
    ts_fail(err, TS_ERR_BAD_VALUE, "a full grid of %zu parameters has more than 10^19 rows", columns);
  } else {
    ts_fail(err, TS_ERR_BAD_VALUE, "a full grid of %zu parameters has '%llu' rows, which is too many", columns,
            (unsigned long long)grid->size);
  }
  return ts_error_help(err, "give a count to draw that many of its rows, or use fewer levels or parameters");
}

/* Takes rows in order, the natural or the random one, until there are `wanted`. */
static bool take_rows(struct ts_points *points, const struct grid *grid, const struct ts_space *space, size_t wanted,
                      const struct ts_sample_options *options, size_t *refused, struct ts_error *err) {
  bool partial = wanted < grid->size;
  size_t kept = 0, in_a_row = 0;
  *refused = 0;
  for (uint64_t i = 0; i < grid->size && kept < wanted; i++) {
    double *row = points->a + kept * points->column_count;
    grid_row(grid, partial ? shuffled(i, grid->size, options->seed) : i, row);
    if (space->constraint_count == 0 || ts_space_allows(space, row)) {
      kept++;
      in_a_row = 0;
      continue;
    }
    ++*refused;
    if (partial && ++in_a_row == MAX_REFUSED) break;
  }
  points->row_count = kept;
  if (kept > 0 && in_a_row < MAX_REFUSED) return true;
  ts_fail(err, TS_ERR_CONSTRAINT, "the constraints refused %zu of %zu rows of the grid", *refused, *refused + kept);
  return ts_error_help(err,
                       "change the grids or ranges of the parameters so that the constraints leave more of the space");
}

static void add_notes(struct ts_points *points, size_t asked, uint64_t size, size_t refused) {
  if (refused > 0) {
    ts_points_add_note(points,
                       "the constraints refused %zu rows of the grid: it has holes, and the inputs depend on "
                       "each other",
                       refused);
  }
  if (asked > points->row_count) {
    ts_points_add_note(points, "the grid has %zu rows only, not the %zu requested", points->row_count, asked);
  } else if (asked > 0 && asked < size) {
    ts_points_add_note(points, "%zu of the %llu rows of the grid, drawn at random", asked, (unsigned long long)size);
  }
}

static bool draw(struct ts_points *points, const struct ts_space *space, const struct ts_sample_options *options,
                 struct ts_error *err) {
  if (!ts_points_init(points, space, 0, err)) return false;
  size_t levels = options->levels ? options->levels : DEFAULT_LEVELS, refused = 0;
  if (levels > MAX_LEVELS) {
    ts_points_release(points);
    ts_fail(err, TS_ERR_BAD_VALUE, "'%zu' levels are too many", levels);
    return ts_error_help(err, "2 to 20 levels per parameter are usual");
  }
  ts_auto(grid_release) struct grid grid;
  grid_init(&grid, space, levels);
  size_t wanted = options->count > 0 && options->count < grid.size ? options->count : (size_t)grid.size;
  ts_points_release(points);
  bool ok = check_size(&grid, wanted, space->count, err) && ts_points_init(points, space, wanted, err) &&
            take_rows(points, &grid, space, wanted, options, &refused, err);
  if (ok) add_notes(points, options->count, grid.size, refused);
  if (!ok) ts_points_release(points);
  return ok;
}

const struct ts_sampler ts_sampler_grid = {
    .name = "grid",
    .title = "Full or partial grid",
    .help = "all combinations of levels, or count of them at random (more rows keep the earlier ones); reads levels "
            "(points of a range, 5), count, seed",
    .draw = draw,
};
