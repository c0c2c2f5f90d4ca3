/* Least squares for tables with many rows and few columns: one triangular factor for any number of rows.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Rows are folded into the upper triangular factor R of a QR decomposition block by block (Householder), so that memory
 * is columns^2 and nothing is squared on the way: solutions keep the accuracy of a QR decomposition of the whole
 * table. */
#ifndef TS_ANALYSIS_LINEAR_H
#define TS_ANALYSIS_LINEAR_H

#include <stdbool.h>
#include <stddef.h>

/* R of all rows added so far: R'R = A'A. Element (i, j) at r[i * order + j]; below the diagonal it is zero. */
struct ts_triangle {
  size_t order; /* columns of A */
  double *r;    /* owned */
};
void ts_triangle_init(struct ts_triangle *triangle, size_t order);
void ts_triangle_release(struct ts_triangle *triangle);
/* Folds in `row_count` rows (row by row, `order` numbers each); `rows` is used as working memory. */
void ts_triangle_add(struct ts_triangle *triangle, double *rows, size_t row_count);
/* The factor of the chosen columns alone (A with the other columns left out), in the given order. */
void ts_triangle_select(struct ts_triangle *part, const struct ts_triangle *whole, const size_t *columns, size_t count);

/* Replaces a symmetric matrix (row by row; only the upper half is read) by its upper triangular Cholesky factor, zeros
 * below. Stops at the first column whose pivot falls below TS_LINEAR_RANK of its diagonal element (singular within the
 * accuracy of doubles after squaring), zeroes that row, and returns how many rows were done: `order` if all. */
size_t ts_cholesky(double *matrix, size_t order);

/* A column whose part that the columns before it do not explain is smaller than this share of its length counts as
 * dependent on them. */
#define TS_LINEAR_RANK 1e-9

/* min |X b - y|. Columns that depend linearly on earlier ones are left out of the solution and marked. */
struct ts_least_squares {
  size_t count;         /* columns of X */
  double *coefficients; /* owned; NaN for a column left out */
  double *inverse;      /* owned; diagonal of (X'X)^-1; NaN for a column left out. 1 / (inverse[j] |x_j|^2) is the share
                              of column j that the other columns do not explain (1 / variance inflation) */
  bool *left_out;       /* owned; columns that depend on earlier ones */
  bool *entangled;      /* owned; left out, or part of the combination that makes up a column left out */
  size_t rank;          /* columns in the solution */
  double residual_squares; /* |X b - y|^2 */
};
/* From the factor of the table [X y]: the last column is y. No intercept: centre the columns or add a column of
 * ones. */
void ts_least_squares_init(struct ts_least_squares *fit, const struct ts_triangle *triangle);
void ts_least_squares_release(struct ts_least_squares *fit);

#endif
