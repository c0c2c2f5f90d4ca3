/* Least squares by Householder QR in blocks of rows, with columns that depend on others found and named.
 * SPDX-License-Identifier: Apache-2.0
 *
 * G. H. Golub and C. F. Van Loan, "Matrix Computations", 4th edition, 5.2 (Householder) and 4.2 (Cholesky). */
#include "analysis/linear.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

#define ENTANGLED_SHARE 1e-6 /* of a dependent column: smaller coefficients are rounding */

void ts_triangle_init(struct ts_triangle *triangle, size_t order) {
  *triangle = (struct ts_triangle){.order = order, .r = ts_calloc(order * order + 1, sizeof(double))};
}

void ts_triangle_release(struct ts_triangle *triangle) {
  free(triangle->r);
  *triangle = (struct ts_triangle){0};
}

/* Adds to row j of R and the block what a reflection makes of column c: v is 1 at row j and lies in column j below. */
static void reflect_column(double *r, const double *rows, size_t order, size_t row_count, size_t j, size_t c,
                           double scale, double head, double *column) {
  double sum = head * r[j * order + c];
  for (size_t i = 0; i < row_count; i++) sum += rows[i * order + j] * column[i * order];
  sum *= scale;
  r[j * order + c] -= sum * head;
  for (size_t i = 0; i < row_count; i++) column[i * order] -= sum * rows[i * order + j];
}

/* The table is R on top of the block; R is triangular, so column j of it reaches down to row j only. */
void ts_triangle_add(struct ts_triangle *triangle, double *rows, size_t row_count) {
  size_t order = triangle->order;
  double *r = triangle->r;
  for (size_t j = 0; j < order; j++) {
    double squares = 0, diagonal = r[j * order + j];
    for (size_t i = 0; i < row_count; i++) squares += rows[i * order + j] * rows[i * order + j];
    if (squares == 0) continue;
    double length = sqrt(squares + diagonal * diagonal);
    double target = diagonal > 0 ? -length : length;
    double head = diagonal - target; /* no cancellation: the signs differ */
    double scale = 2 / (squares + head * head);
    for (size_t c = j + 1; c < order; c++) {
      reflect_column(r, rows, order, row_count, j, c, scale, head, rows + c);
    }
    r[j * order + j] = target;
  }
}

void ts_triangle_select(struct ts_triangle *part, const struct ts_triangle *whole, const size_t *columns,
                        size_t count) {
  ts_triangle_init(part, count);
  ts_auto_free double *rows = ts_calloc(whole->order * count + 1, sizeof *rows);
  for (size_t i = 0; i < whole->order; i++) {
    for (size_t c = 0; c < count; c++) rows[i * count + c] = whole->r[i * whole->order + columns[c]];
  }
  ts_triangle_add(part, rows, whole->order);
}

size_t ts_cholesky(double *matrix, size_t order) {
  for (size_t i = 0; i < order; i++) {
    double *row = matrix + i * order, given = row[i];
    for (size_t j = 0; j < i; j++) row[j] = 0;
    for (size_t above = 0; above < i; above++) {
      const double *done = matrix + above * order;
      for (size_t j = i; j < order; j++) row[j] -= done[i] * done[j];
    }
    if (!(row[i] > TS_LINEAR_RANK * given)) {
      memset(row, 0, order * sizeof *row);
      return i;
    }
    double root = sqrt(row[i]);
    for (size_t j = i; j < order; j++) row[j] /= root;
  }
  return order;
}

/* x with R x = right (in place), for an upper triangular R of the leading `count` columns; stride is its row length. */
static void solve_upper(const double *r, size_t stride, size_t count, double *right) {
  for (size_t i = count; i-- > 0;) {
    for (size_t j = i + 1; j < count; j++) right[i] -= r[i * stride + j] * right[j];
    right[i] /= r[i * stride + i];
  }
}

static double column_length(const struct ts_triangle *triangle, size_t column) {
  double squares = 0;
  for (size_t i = 0; i <= column; i++) {
    double element = triangle->r[i * triangle->order + column];
    squares += element * element;
  }
  return sqrt(squares);
}

/* The columns of X that form a basis, then y. Each column left out is taken out before later ones are judged, since the
 * rounding noise in its place would pass for a direction of its own. */
static size_t choose_columns(struct ts_least_squares *fit, const struct ts_triangle *whole, struct ts_triangle *part,
                             size_t *columns) {
  size_t count = fit->count + 1, next = 0;
  for (size_t j = 0; j < count; j++) columns[j] = j;
  ts_triangle_select(part, whole, columns, count);
  while (next + 1 < count) {
    double diagonal = fabs(part->r[next * part->order + next]);
    if (diagonal > TS_LINEAR_RANK * column_length(part, next)) {
      next++;
      continue;
    }
    fit->left_out[columns[next]] = true;
    memmove(columns + next, columns + next + 1, (count - next - 1) * sizeof *columns);
    count--;
    ts_triangle_release(part);
    ts_triangle_select(part, whole, columns, count);
  }
  return count - 1;
}

/* Marks the columns whose combination makes up a column that was left out. */
static void find_entangled(struct ts_least_squares *fit, const struct ts_triangle *whole, const size_t *columns,
                           size_t left_out) {
  fit->entangled[left_out] = true;
  double length = column_length(whole, left_out);
  if (length == 0 || fit->rank == 0) return;
  ts_auto_free size_t *with = ts_calloc(fit->rank + 1, sizeof *with);
  memcpy(with, columns, fit->rank * sizeof *with);
  with[fit->rank] = left_out;
  ts_auto(ts_triangle_release) struct ts_triangle part;
  ts_triangle_select(&part, whole, with, fit->rank + 1);
  ts_auto_free double *shares = ts_calloc(fit->rank, sizeof *shares);
  for (size_t i = 0; i < fit->rank; i++) shares[i] = part.r[i * part.order + fit->rank];
  solve_upper(part.r, part.order, fit->rank, shares);
  for (size_t i = 0; i < fit->rank; i++) {
    double share = fabs(shares[i]) * column_length(whole, columns[i]) / length;
    if (share > ENTANGLED_SHARE) fit->entangled[columns[i]] = true;
  }
}

/* (X'X)^-1 = R^-1 R^-T: its diagonal holds the squared lengths of the rows of R^-1. */
static void find_inverse(struct ts_least_squares *fit, const struct ts_triangle *part, const size_t *columns) {
  size_t rank = fit->rank;
  ts_auto_free double *unit = ts_calloc(rank + 1, sizeof *unit);
  for (size_t i = 0; i < rank; i++) fit->inverse[columns[i]] = 0;
  for (size_t c = 0; c < rank; c++) {
    memset(unit, 0, rank * sizeof *unit);
    unit[c] = 1;
    solve_upper(part->r, part->order, c + 1, unit);
    for (size_t i = 0; i <= c; i++) fit->inverse[columns[i]] += unit[i] * unit[i];
  }
}

void ts_least_squares_init(struct ts_least_squares *fit, const struct ts_triangle *triangle) {
  size_t count = triangle->order - 1;
  *fit = (struct ts_least_squares){.count = count};
  fit->coefficients = ts_calloc(count + 1, sizeof *fit->coefficients);
  fit->inverse = ts_calloc(count + 1, sizeof *fit->inverse);
  fit->left_out = ts_calloc(count + 1, sizeof *fit->left_out);
  fit->entangled = ts_calloc(count + 1, sizeof *fit->entangled);
  ts_auto_free size_t *columns = ts_calloc(count + 1, sizeof *columns);
  ts_auto(ts_triangle_release) struct ts_triangle part;
  size_t rank = choose_columns(fit, triangle, &part, columns);
  fit->rank = rank;
  ts_auto_free double *solution = ts_calloc(rank + 1, sizeof *solution);
  for (size_t i = 0; i < rank; i++) solution[i] = part.r[i * part.order + rank];
  solve_upper(part.r, part.order, rank, solution);
  for (size_t j = 0; j < count; j++) fit->coefficients[j] = fit->inverse[j] = NAN;
  for (size_t i = 0; i < rank; i++) fit->coefficients[columns[i]] = solution[i];
  find_inverse(fit, &part, columns);
  double rest = part.r[rank * part.order + rank];
  fit->residual_squares = rest * rest;
  for (size_t j = 0; j < count; j++) {
    if (fit->left_out[j]) find_entangled(fit, triangle, columns, j);
  }
}

void ts_least_squares_release(struct ts_least_squares *fit) {
  free(fit->coefficients);
  free(fit->inverse);
  free(fit->left_out);
  free(fit->entangled);
  *fit = (struct ts_least_squares){0};
}
