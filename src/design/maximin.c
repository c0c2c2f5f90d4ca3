/* Latin hypercubes whose closest points lie further apart: swaps within columns that touch the closest pair.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A swap of one coordinate of two rows is kept if all distances of both rows then exceed the smallest distance of the
 * sample. Other distances do not change, so with every kept swap the smallest distance grows or fewer pairs have it:
 * the result is never worse than the start. A refused swap ends at the first distance that is too small. */
#include "design/sequence_int.h"

#include "base/alloc.h"
#include "base/random.h"

#include <math.h>

struct search {
  double *unit; /* borrowed; row by row */
  size_t rows, columns;
  size_t *nearest;  /* owned; the closest other row of each row */
  double *smallest; /* owned; its squared distance */
  double *trial[2]; /* owned; squared distances of the two rows of a swap to all others */
};

static double distance(const struct search *search, size_t a, size_t b) {
  const double *x = search->unit + a * search->columns, *y = search->unit + b * search->columns;
  double sum = 0;
  for (size_t i = 0; i < search->columns; i++) sum += (x[i] - y[i]) * (x[i] - y[i]);
  return sum;
}

static void find_nearest(struct search *search, size_t row) {
  search->smallest[row] = INFINITY;
  for (size_t other = 0; other < search->rows; other++) {
    if (other == row) continue;
    double d = distance(search, row, other);
    if (d >= search->smallest[row]) continue;
    search->smallest[row] = d;
    search->nearest[row] = other;
  }
}

/* A row of the closest pair. */
static size_t closest(const struct search *search) {
  size_t best = 0;
  for (size_t row = 1; row < search->rows; row++) {
    if (search->smallest[row] < search->smallest[best]) best = row;
  }
  return best;
}

static void swap(struct search *search, size_t a, size_t b, size_t column) {
  double *x = &search->unit[a * search->columns + column], *y = &search->unit[b * search->columns + column];
  double kept = *x;
  *x = *y;
  *y = kept;
}

/* Whether every distance of the row exceeds `limit`; they are then in `trial`. */
static bool is_clear(const struct search *search, size_t row, double limit, double *trial) {
  for (size_t other = 0; other < search->rows; other++) {
    if (other == row) continue;
    trial[other] = distance(search, row, other);
    if (trial[other] <= limit) return false;
  }
  return true;
}

/* After a kept swap: rows whose nearest row moved look again, the others compare with the two that moved. */
static void update(struct search *search, size_t a, size_t b) {
  const size_t moved[2] = {a, b};
  for (size_t row = 0; row < search->rows; row++) {
    if (row == a || row == b || search->nearest[row] == a || search->nearest[row] == b) {
      find_nearest(search, row);
      continue;
    }
    for (size_t i = 0; i < 2; i++) {
      if (search->trial[i][row] >= search->smallest[row]) continue;
      search->smallest[row] = search->trial[i][row];
      search->nearest[row] = moved[i];
    }
  }
}

/* One try: a row of the closest pair exchanges one coordinate with any third row. */
static bool try_swap(struct search *search, size_t worst, struct ts_random *random) {
  size_t partner = search->nearest[worst];
  size_t a = ts_random_below(random, 2) ? worst : partner;
  size_t b = (size_t)ts_random_below(random, search->rows);
  size_t column = (size_t)ts_random_below(random, search->columns);
  if (b == worst || b == partner) return false;
  double limit = search->smallest[worst];
  swap(search, a, b, column);
  if (is_clear(search, a, limit, search->trial[0]) && is_clear(search, b, limit, search->trial[1])) {
    update(search, a, b);
    return true;
  }
  swap(search, a, b, column);
  return false;
}

/* Allocates the arrays for the sample that is named, and fills them. */
static void search_start(struct search *search) {
  size_t rows = search->rows;
  search->nearest = ts_calloc(rows, sizeof *search->nearest);
  search->smallest = ts_calloc(rows, sizeof *search->smallest);
  for (size_t i = 0; i < 2; i++) search->trial[i] = ts_calloc(rows, sizeof *search->trial[i]);
  for (size_t row = 0; row < rows; row++) find_nearest(search, row);
}

static void search_release(struct search *search) {
  free(search->nearest);
  free(search->smallest);
  for (size_t i = 0; i < 2; i++) free(search->trial[i]);
}

void ts_maximin_improve(double *unit, size_t rows, size_t columns, size_t rounds, uint64_t seed, uint64_t stream) {
  if (rows < 3 || columns < 2) return; /* nothing that a swap could change */
  ts_auto(search_release) struct search search = {.rows = rows, .columns = columns};
  search.unit = unit;
  search_start(&search);
  struct ts_random random;
  ts_random_init(&random, seed, stream);
  size_t worst = closest(&search);
  for (size_t round = 0; round < rounds; round++) {
    for (size_t i = 0; i < rows; i++) {
      if (try_swap(&search, worst, &random)) worst = closest(&search);
    }
  }
}
