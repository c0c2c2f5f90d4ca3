/* Choice of the trajectories that are farthest from each other (Campolongo, Ruano).
 * SPDX-License-Identifier: Apache-2.0
 *
 * Distances: all coordinates lie on a grid, so the squared distance of two points is a whole number of squared places,
 * and a step of either trajectory changes it by what the moved parameters add. That makes a distance a few integer
 * operations and one look into a table of square roots, whatever the number of parameters. */
#include "design/optimal_int.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

/* The steps of all trajectories: step s of trajectory t moves `column` from one place to another. Groups move several
 * columns in one step. */
struct move {
  uint32_t column;
  int32_t from, to;
};
struct moves {
  struct move *items; /* owned; trajectory after trajectory, step after step */
  size_t *starts;     /* owned; of step s of trajectory t: starts[t * (rows - 1) + s]; one more at the end */
};

static void find_moves(const struct ts_candidates *c, struct moves *moves) {
  size_t steps = c->rows - 1, count = 0;
  moves->items = ts_calloc(c->count * steps * c->columns + 1, sizeof *moves->items);
  moves->starts = ts_calloc(c->count * steps + 1, sizeof *moves->starts);
  for (size_t t = 0; t < c->count; t++) {
    for (size_t s = 0; s < steps; s++) {
      const uint16_t *from = c->places + (t * c->rows + s) * c->columns, *to = from + c->columns;
      moves->starts[t * steps + s] = count;
      for (size_t i = 0; i < c->columns; i++) {
        if (from[i] == to[i]) continue;
        moves->items[count++] = (struct move){.column = (uint32_t)i, .from = from[i], .to = to[i]};
      }
    }
  }
  moves->starts[c->count * steps] = count;
}

/* By how much the squared distance to a point grows when the other end makes a step. */
static int64_t growth(const struct moves *moves, size_t step, const uint16_t *point) {
  int64_t sum = 0;
  for (size_t m = moves->starts[step]; m < moves->starts[step + 1]; m++) {
    const struct move *move = &moves->items[m];
    sum += (int64_t)(move->to - move->from) * (move->to + move->from - 2 * (int32_t)point[move->column]);
  }
  return sum;
}

/* Sum of the distances of all pairs of points of two trajectories, in places. */
static double distance(const struct ts_candidates *c, const struct moves *moves, const double *roots, size_t one,
                       size_t other) {
  const uint16_t *start = c->places + other * c->rows * c->columns;
  size_t steps = c->rows - 1;
  int64_t first = 0;
  for (size_t i = 0; i < c->columns; i++) {
    int64_t gap = (int64_t)c->places[one * c->rows * c->columns + i] - start[i];
    first += gap * gap;
  }
  double sum = 0;
  for (size_t i = 0; i < c->rows; i++) {
    const uint16_t *point = c->places + (one * c->rows + i) * c->columns;
    int64_t square = first;
    sum += roots[square];
    for (size_t s = 0; s < steps; s++) {
      square += growth(moves, other * steps + s, point);
      sum += roots[square];
    }
    if (i < steps) first += growth(moves, one * steps + i, start);
  }
  return sum;
}

double *ts_optimal_distances(const struct ts_candidates *c) {
  size_t cells = c->rows * c->columns, largest = c->columns * (c->levels - 1) * (c->levels - 1);
  ts_auto_free double *roots = ts_calloc(largest + 1, sizeof *roots);
  for (size_t i = 0; i <= largest; i++) roots[i] = sqrt((double)i);
  struct moves moves;
  find_moves(c, &moves);
  double *squares = ts_calloc(c->count * c->count, sizeof *squares);
  for (size_t a = 0; a < c->count; a++) {
    for (size_t b = a + 1; b < c->count; b++) {
      if (memcmp(c->places + a * cells, c->places + b * cells, cells * sizeof *c->places) == 0) continue;
      double sum = distance(c, &moves, roots, a, b) / (double)(c->levels - 1);
      squares[a * c->count + b] = squares[b * c->count + a] = sum * sum;
    }
  }
  free(moves.items);
  free(moves.starts);
  return squares;
}

double ts_optimal_score(const double *squares, size_t count, const size_t *chosen, size_t choose) {
  double sum = 0;
  for (size_t a = 0; a < choose; a++) {
    for (size_t b = a + 1; b < choose; b++) sum += squares[chosen[a] * count + chosen[b]];
  }
  return sqrt(sum);
}

double ts_optimal_set_count(size_t count, size_t choose) {
  double sets = 1;
  for (size_t i = 0; i < choose; i++) sets = sets * (double)(count - i) / (double)(i + 1);
  return sets;
}

/* gains[d * count + c]: what candidate c would add to the first d of the set. */
static void add_gains(const double *squares, size_t count, double *gains, size_t depth, size_t added) {
  const double *row = squares + added * count, *before = gains + depth * count;
  double *after = gains + (depth + 1) * count;
  for (size_t c = 0; c < count; c++) after[c] = before[c] + row[c];
}

void ts_optimal_brute_force(const double *squares, size_t count, size_t choose, size_t *chosen) {
  ts_auto_free double *gains = ts_calloc((choose + 1) * count, sizeof *gains);
  ts_auto_free double *sums = ts_calloc(choose + 1, sizeof *sums); /* of the first d of the set */
  ts_auto_free size_t *set = ts_calloc(choose + 1, sizeof *set);
  double best = -1;
  size_t depth = 0;
  while (true) {
    size_t candidate = set[depth];
    if (count - candidate < choose - depth) { /* too few are left */
      if (depth == 0) return;
      set[--depth]++;
      continue;
    }
    sums[depth + 1] = sums[depth] + gains[depth * count + candidate];
    if (depth + 1 < choose) {
      add_gains(squares, count, gains, depth, candidate);
      set[depth + 1] = candidate + 1;
      depth++;
      continue;
    }
    if (sums[choose] > best) {
      best = sums[choose];
      memcpy(chosen, set, choose * sizeof *set);
    }
    set[depth]++;
  }
}

/* The `wanted` farthest neighbours of every candidate, farthest first, by insertion: few are wanted. */
static size_t *find_neighbours(const double *squares, size_t count, size_t wanted) {
  size_t *neighbours = ts_calloc(count * wanted + 1, sizeof *neighbours);
  for (size_t c = 0; c < count; c++) {
    size_t *list = neighbours + c * wanted, filled = 0;
    const double *row = squares + c * count;
    for (size_t other = 0; other < count; other++) {
      if (other == c || (filled == wanted && row[other] <= row[list[wanted - 1]])) continue;
      size_t at = filled < wanted ? filled++ : wanted - 1;
      while (at > 0 && row[list[at - 1]] < row[other]) {
        list[at] = list[at - 1];
        at--;
      }
      list[at] = other;
    }
  }
  return neighbours;
}

/* Fills up a set with whatever adds most. gains[c]: what c would add. */
static void grow(const double *squares, size_t count, size_t choose, size_t *set, size_t size, double *gains) {
  memset(gains, 0, count * sizeof *gains);
  for (size_t i = 0; i < choose; i++) {
    if (i >= size) {
      size_t best = count;
      for (size_t c = 0; c < count; c++) {
        if (gains[c] >= 0 && (best == count || gains[c] > gains[best])) best = c;
      }
      set[i] = best;
    }
    for (size_t c = 0; c < count; c++) gains[c] += squares[set[i] * count + c];
    gains[set[i]] = -INFINITY; /* no longer to be had */
  }
}

/* Exchanges one of the set for one outside as long as that helps. */
static void exchange(const double *squares, size_t count, size_t choose, size_t *set) {
  ts_auto_free double *sums = ts_calloc(count, sizeof *sums); /* squared distances to the whole set */
  ts_auto_free bool *inside = ts_calloc(count, sizeof *inside);
  double total = 0;
  for (size_t i = 0; i < choose; i++) {
    inside[set[i]] = true;
    for (size_t c = 0; c < count; c++) sums[c] += squares[set[i] * count + c];
  }
  for (size_t i = 0; i < choose; i++) total += sums[set[i]];
  while (true) {
    size_t out = 0, in = count;
    double best = 1e-12 * total; /* rounding must not make it go in circles */
    for (size_t i = 0; i < choose; i++) {
      const double *row = squares + set[i] * count;
      for (size_t c = 0; c < count; c++) {
        double gain = sums[c] - row[c] - sums[set[i]];
        if (inside[c] || gain <= best) continue;
        best = gain;
        out = i;
        in = c;
      }
    }
    if (in == count) return;
    for (size_t c = 0; c < count; c++) sums[c] += squares[in * count + c] - squares[set[out] * count + c];
    inside[set[out]] = false;
    inside[in] = true;
    set[out] = in;
  }
}

static int compare_sizes(const void *a, const void *b) {
  size_t x = *(const size_t *)a, y = *(const size_t *)b;
  return (x > y) - (x < y);
}

/* The best set of a candidate and its `neighbours` farthest; `wanted` neighbours are known of each. */
static void best_start(const double *squares, size_t count, const size_t *known, size_t wanted, size_t neighbours,
                       size_t *set) {
  ts_auto_free size_t *trial = ts_calloc(neighbours + 1, sizeof *trial);
  double best = -1;
  for (size_t c = 0; c < count; c++) {
    memcpy(trial, known + c * wanted, neighbours * sizeof *trial);
    trial[neighbours] = c;
    double score = ts_optimal_score(squares, count, trial, neighbours + 1);
    if (score <= best) continue;
    best = score;
    memcpy(set, trial, (neighbours + 1) * sizeof *trial);
  }
}

void ts_optimal_local(const double *squares, size_t count, size_t choose, size_t *chosen) {
  ts_auto_free size_t *known = find_neighbours(squares, count, choose - 1);
  ts_auto_free size_t *set = ts_calloc(choose, sizeof *set);
  ts_auto_free double *gains = ts_calloc(count, sizeof *gains);
  double best = -1;
  for (size_t neighbours = choose > 1 ? 1 : 0; neighbours < choose; neighbours++) {
    best_start(squares, count, known, choose - 1, neighbours, set);
    grow(squares, count, choose, set, neighbours + 1, gains);
    exchange(squares, count, choose, set);
    double score = ts_optimal_score(squares, count, set, choose);
    if (score <= best) continue;
    best = score;
    memcpy(chosen, set, choose * sizeof *set);
  }
  qsort(chosen, choose, sizeof *chosen, compare_sizes);
}
