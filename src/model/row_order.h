/* Checks, row by row, whether a design has the order that a method needs.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Memory is that of one block of rows per layout, independent of the number of rows. */
#ifndef TS_MODEL_ROW_ORDER_H
#define TS_MODEL_ROW_ORDER_H

#include "base/error.h"
#include "design/points.h"
#include "model/row_neighbours.h"

#include <stdbool.h>
#include <stddef.h>

#define TS_ORDER_MAX 6 /* layouts with blocks of rows */

struct order_candidate {
  enum ts_layout layout;
  bool is_accepted; /* by the method; the others only name the design that it is instead */
  size_t block_rows;
  double *block;  /* owned; the rows of the block so far */
  size_t filled;  /* rows in it */
  size_t bad_row; /* the first that does not fit, from 0; TS_NONE: all fit so far */
  char fault[160];
};

struct row_order {
  const char *const *names; /* borrowed; of the parameters */
  const size_t *group_of;   /* borrowed; NULL: no groups */
  const char *const *group_names;
  size_t column_count, group_count;
  struct order_candidate candidates[TS_ORDER_MAX];
  size_t candidate_count;
  size_t row_count;
  bool is_lost; /* no accepted layout fits; from then on neighbours are counted */
  struct row_neighbours neighbours;
};

/* Candidates are the layouts given; without any, every order is fine. */
void ts_row_order_init(struct row_order *order, const char *const *names, size_t column_count, const size_t *group_of,
                       const char *const *group_names, size_t group_count);
void ts_row_order_add(struct row_order *order, enum ts_layout layout);
/* All other layouts with blocks of rows, so that a design for another method is recognised; after the accepted ones. */
void ts_row_order_add_others(struct row_order *order);
void ts_row_order_release(struct row_order *order);
/* The next row: values or unit coordinates, as long as they are the same kind for all rows. */
void ts_row_order_row(struct row_order *order, const double *row);
/* The first accepted layout that every row fits, or FREE without candidates. Otherwise WRONG_DESIGN if the rows are not
 * such a design in any order, or BAD_VALUE that names the row (from 0, in *row; TS_NONE: their number is wrong). */
bool ts_row_order_find(struct row_order *order, const char *method, enum ts_layout *layout, size_t *row,
                       struct ts_error *err);
/* Rows of one block of a layout that has blocks of a fixed size; 1 otherwise. */
size_t ts_layout_block_rows(enum ts_layout layout, size_t group_count);

#endif
