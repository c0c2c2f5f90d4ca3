/* Keeps rows of costs in an ordered array: there are hundreds at most.
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/cost_rows.h"

#include "base/alloc.h"
#include "base/const.h"

#include <stdlib.h>
#include <string.h>

/* The pointers are the row's own copies, whatever their type says. */
static void release_row(struct ts_cost_row *row) {
  free(ts_without_const(row->operation));
  free(ts_without_const(row->machine));
  free(ts_without_const(row->measure));
  free(ts_without_const(row->samples));
}

void ts_cost_rows_release(struct ts_cost_rows *rows) {
  for (size_t i = 0; i < rows->count; i++) release_row(&rows->rows[i]);
  free(rows->rows);
  *rows = (struct ts_cost_rows){0};
}

/* By operation, implementation, machine, measure, bin. */
static int compare_rows(const struct ts_cost_row *a, const struct ts_cost_row *b) {
  int order = strcmp(a->operation, b->operation);
  if (order == 0) order = memcmp(&a->implementation, &b->implementation, sizeof a->implementation);
  if (order == 0) order = strcmp(a->machine, b->machine);
  if (order == 0) order = strcmp(a->measure, b->measure);
  return order != 0 ? order : (a->bin > b->bin) - (a->bin < b->bin);
}

static struct ts_cost_row own(const struct ts_cost_row *row) {
  struct ts_cost_row copy = *row;
  copy.operation = ts_strdup(row->operation);
  copy.machine = ts_strdup(row->machine);
  copy.measure = ts_strdup(row->measure);
  copy.samples = ts_memdup(row->samples, row->samples_bytes);
  return copy;
}

/* The first row that is not before this one. */
static size_t place_of(const struct ts_cost_rows *rows, const struct ts_cost_row *row) {
  size_t place = 0;
  while (place < rows->count && compare_rows(&rows->rows[place], row) < 0) place++;
  return place;
}

bool ts_cost_rows_has_seen(const struct ts_cost_rows *rows, const struct ts_cost_row *row) {
  const size_t place = place_of(rows, row);
  if (place == rows->count || compare_rows(&rows->rows[place], row) != 0) return true;
  return rows->rows[place].calls == row->seen_calls && rows->rows[place].asked == row->seen_asked;
}

void ts_cost_rows_put(struct ts_cost_rows *rows, const struct ts_cost_row *row) {
  const size_t place = place_of(rows, row);
  if (place < rows->count && compare_rows(&rows->rows[place], row) == 0) {
    release_row(&rows->rows[place]);
  } else {
    rows->rows = ts_grow(rows->rows, rows->count, &rows->capacity, sizeof *rows->rows);
    memmove(&rows->rows[place + 1], &rows->rows[place], (rows->count - place) * sizeof *rows->rows);
    rows->count++;
  }
  rows->rows[place] = own(row);
}

struct ts_cost_row *ts_cost_rows_copy(const struct ts_cost_rows *rows, struct ts_arena *arena) {
  struct ts_cost_row *copies = ts_arena_array(arena, rows->count, sizeof *copies);
  for (size_t i = 0; i < rows->count; i++) {
    copies[i] = rows->rows[i];
    copies[i].operation = ts_arena_strdup(arena, rows->rows[i].operation);
    copies[i].machine = ts_arena_strdup(arena, rows->rows[i].machine);
    copies[i].measure = ts_arena_strdup(arena, rows->rows[i].measure);
    copies[i].samples = ts_arena_memdup(arena, rows->rows[i].samples, rows->rows[i].samples_bytes);
  }
  return copies;
}
