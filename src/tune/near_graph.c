/* The graph of nearest candidates, found with a tree of boxes (k-d tree).
 * SPDX-License-Identifier: Apache-2.0
 *
 * J. H. Friedman, J. L. Bentley, R. A. Finkel, ACM Trans. Math. Softw. 3 (1977), doi:10.1145/355744.355745. */
#include "base/alloc.h"
#include "base/order.h"
#include "tune/camlp.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define LEAF 16 /* rows that are compared one by one rather than divided further */

/* Where a part of the tree is halved; the halves of part i are 2 i + 1 and 2 i + 2. */
struct split {
  size_t column;
  double border;
};

struct tree {
  double *rows; /* owned; standardised */
  size_t count, columns;
  uint32_t *order;      /* owned; the row of each place */
  struct split *splits; /* owned */
};

/* The k nearest so far, nearest first; of equally near ones the row that comes first. */
struct found {
  size_t k, count;
  double *distances; /* borrowed */
  uint32_t *rows;    /* borrowed */
  double *offsets;   /* borrowed; per column, how far the row is from the part that is searched */
};

static void standardise(double *rows, size_t count, size_t columns) {
  for (size_t c = 0; c < columns; c++) {
    double mean = 0, square = 0;
    for (size_t r = 0; r < count; r++) mean += rows[r * columns + c] / (double)count;
    for (size_t r = 0; r < count; r++) square += (rows[r * columns + c] - mean) * (rows[r * columns + c] - mean);
    double deviation = sqrt(square / (double)count);
    for (size_t r = 0; r < count; r++)
      rows[r * columns + c] = deviation > 0 ? (rows[r * columns + c] - mean) / deviation : 0;
  }
}

/* ---- The tree: each part is sorted by its widest column and halved; the middle belongs to the upper half. ---- */

static size_t widest_column(const struct tree *tree, size_t begin, size_t end) {
  size_t widest = 0;
  double width = -1;
  for (size_t c = 0; c < tree->columns; c++) {
    double low = INFINITY, high = -INFINITY;
    for (size_t i = begin; i < end; i++) {
      double x = tree->rows[tree->order[i] * tree->columns + c];
      low = fmin(low, x);
      high = fmax(high, x);
    }
    if (high - low > width) {
      width = high - low;
      widest = c;
    }
  }
  return widest;
}

static void divide(struct tree *tree, struct ts_ranked *scratch, size_t part, size_t begin, size_t end) {
  if (end - begin <= LEAF) return;
  size_t column = widest_column(tree, begin, end), middle = begin + (end - begin) / 2;
  for (size_t i = begin; i < end; i++)
    scratch[i] = (struct ts_ranked){tree->rows[tree->order[i] * tree->columns + column], tree->order[i]};
  qsort(scratch + begin, end - begin, sizeof *scratch, ts_compare_ranked);
  for (size_t i = begin; i < end; i++) tree->order[i] = (uint32_t)scratch[i].index;
  tree->splits[part] = (struct split){column, scratch[middle].value};
  divide(tree, scratch, 2 * part + 1, begin, middle);
  divide(tree, scratch, 2 * part + 2, middle, end);
}

/* ---- The search. ---- */

static void offer(struct found *found, double distance, uint32_t row) {
  size_t at = found->count;
  while (at > 0 &&
         (distance < found->distances[at - 1] || (distance == found->distances[at - 1] && row < found->rows[at - 1])))
    at--;
  if (at == found->k) return;
  if (found->count < found->k) found->count++;
  size_t moved = found->count - 1 - at;
  memmove(&found->distances[at + 1], &found->distances[at], moved * sizeof *found->distances);
  memmove(&found->rows[at + 1], &found->rows[at], moved * sizeof *found->rows);
  found->distances[at] = distance;
  found->rows[at] = row;
}

/* The distance, or anything above `limit` if it is more than that. */
static double distance_between(const double *a, const double *b, size_t columns, double limit) {
  double sum = 0;
  for (size_t c = 0; c < columns && sum <= limit; c++) sum += fabs(a[c] - b[c]);
  return sum;
}

/* Farther rows are of no interest. */
static double limit_of(const struct found *found) {
  return found->count == found->k ? found->distances[found->k - 1] : INFINITY;
}

static void search_leaf(const struct tree *tree, size_t begin, size_t end, uint32_t row, struct found *found) {
  const double *point = &tree->rows[row * tree->columns];
  for (size_t i = begin; i < end; i++) {
    uint32_t other = tree->order[i];
    if (other == row) continue;
    double limit = limit_of(found);
    double distance = distance_between(point, &tree->rows[other * tree->columns], tree->columns, limit);
    if (distance <= limit) offer(found, distance, other);
  }
}

/* `apart`: how far the row is from the box of this part, `found->offsets` in each column. The half on the row's side of
 * the border first, then the other if it can hold one as near as the k-th. */
static void search(const struct tree *tree, size_t part, size_t begin, size_t end, uint32_t row, double apart,
                   struct found *found) {
  if (end - begin <= LEAF) {
    search_leaf(tree, begin, end, row, found);
    return;
  }
  const struct split *split = &tree->splits[part];
  size_t middle = begin + (end - begin) / 2;
  double step = tree->rows[row * tree->columns + split->column] - split->border,
         *offset = &found->offsets[split->column];
  bool is_lower = step < 0;
  search(tree, 2 * part + (is_lower ? 1 : 2), is_lower ? begin : middle, is_lower ? middle : end, row, apart, found);
  double before = *offset, farther = apart - before + fabs(step);
  /* Sums of offsets round differently from distances: a little is granted. */
  if (farther > limit_of(found) * (1 + 1e-12)) return;
  *offset = fabs(step);
  search(tree, 2 * part + (is_lower ? 2 : 1), is_lower ? middle : begin, is_lower ? end : middle, row, farther, found);
  *offset = before;
}

static void make_tree(struct tree *tree, const double *rows, size_t count, size_t columns) {
  tree->count = count;
  tree->columns = columns;
  tree->rows = ts_memdup(rows, count * columns * sizeof *rows);
  tree->order = ts_calloc(count + 1, sizeof *tree->order);
  standardise(tree->rows, count, columns);
  for (size_t i = 0; i < count; i++) tree->order[i] = (uint32_t)i;
  size_t parts = 2;
  while (parts * LEAF < 2 * count) parts *= 2;
  tree->splits = ts_calloc(2 * parts, sizeof *tree->splits);
  ts_auto_free struct ts_ranked *scratch = ts_calloc(count + 1, sizeof *scratch);
  divide(tree, scratch, 0, 0, count);
}

/* ---- The graph. ---- */

/* Whether b is among the k that a chose. */
static bool chose(const uint32_t *choices, const size_t *counts, size_t k, size_t a, size_t b) {
  for (size_t i = 0; i < counts[a]; i++) {
    if (choices[a * k + i] == b) return true;
  }
  return false;
}

/* Lists every edge at both ends; an edge that both ends chose is listed once. */
static void join(struct ts_near_graph *graph, const uint32_t *choices, const size_t *counts, size_t k) {
  size_t n = graph->count;
  ts_auto_free size_t *filled = ts_calloc(n + 1, sizeof *filled);
  for (int round = 0; round < 2; round++) { /* counts, then fills in */
    for (size_t i = 0; i < n; i++) {
      for (size_t e = 0; e < counts[i]; e++) {
        size_t other = choices[i * k + e];
        if (other < i && chose(choices, counts, k, other, i)) continue;
        if (round == 1) {
          graph->neighbours[graph->first[i] + filled[i]] = (uint32_t)other;
          graph->neighbours[graph->first[other] + filled[other]] = (uint32_t)i;
        }
        filled[i]++;
        filled[other]++;
      }
    }
    if (round == 1) break;
    for (size_t i = 0; i < n; i++) graph->first[i + 1] = graph->first[i] + filled[i];
    memset(filled, 0, n * sizeof *filled);
    graph->neighbours = ts_calloc(graph->first[n] + 1, sizeof *graph->neighbours);
  }
}

void ts_near_graph_init(struct ts_near_graph *graph, const double *rows, size_t count, size_t columns, size_t k) {
  *graph = (struct ts_near_graph){.count = count};
  graph->first = ts_calloc(count + 1, sizeof *graph->first);
  struct tree tree = {0};
  make_tree(&tree, rows, count, columns);
  ts_auto_free uint32_t *choices = ts_calloc(count * k + 1, sizeof *choices);
  ts_auto_free size_t *counts = ts_calloc(count + 1, sizeof *counts);
  ts_auto_free double *distances = ts_calloc(k + 1, sizeof *distances);
  ts_auto_free double *offsets = ts_calloc(columns + 1, sizeof *offsets);
  for (size_t i = 0; i < count; i++) {
    struct found found = {.k = k, .distances = distances, .rows = &choices[i * k], .offsets = offsets};
    search(&tree, 0, 0, count, (uint32_t)i, 0, &found);
    counts[i] = found.count;
  }
  free(tree.rows);
  free(tree.order);
  free(tree.splits);
  join(graph, choices, counts, k);
}

void ts_near_graph_release(struct ts_near_graph *graph) {
  free(graph->first);
  free(graph->neighbours);
  *graph = (struct ts_near_graph){0};
}
