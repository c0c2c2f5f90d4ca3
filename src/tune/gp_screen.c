/* Predictions of many points at once: means, and bounds of the variances that need no triangular system.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Points go through in blocks, column by column in floats, so that the compiler's vectors apply; the Matern covariance
 * comes from a table over the squared distance, in which it is smooth. Exact predictions follow for the few points that
 * the bounds leave (auto_search.c), so a table error of 2e-5 decides nothing. */
#include "base/alloc.h"
#include "tune/gp_int.h"

#include <string.h>

#define BLOCK 256
#define CELLS 8192
#define REACH 60.0 /* squared distance at which the covariance is below 1e-5 */

struct block {
  float at[TS_GP_MAX_COLUMNS][BLOCK]; /* coordinates */
  float means[BLOCK], known[BLOCK];   /* known: variance that the most informative row takes away */
  float distances[BLOCK], trends[BLOCK];
};

static void measure_column(struct block *block, size_t column, bool is_category, float at, float inverse) {
  const float *x = block->at[column];
  if (is_category) {
    for (size_t j = 0; j < BLOCK; j++) {
      block->distances[j] += x[j] == at ? 0 : inverse;
      block->trends[j] += x[j] == at ? 0.5f : -0.5f;
    }
    return;
  }
  float tilt = 4 * (at - 0.5f);
  for (size_t j = 0; j < BLOCK; j++) {
    float step = x[j] - at;
    block->distances[j] += inverse * step * step;
    block->trends[j] += tilt * (x[j] - 0.5f);
  }
}

/* Adds row `i` of the data to means and bounds. `own` is the variance of that row. */
static void add_row(const struct ts_gp *gp, const struct shape *shape, const float *table, size_t i,
                    struct block *block) {
  const double *point = &gp->points[i * gp->columns];
  float own = (float)(1 / (1 + shape->nugget + shape->trend * ts_gp_trend(gp, point, point)));
  float weight = (float)gp->weights[i], trend = (float)shape->trend, share = 1 / (float)gp->columns;
  memset(block->distances, 0, sizeof block->distances);
  memset(block->trends, 0, sizeof block->trends);
  for (size_t c = 0; c < gp->columns; c++)
    measure_column(block, c, gp->is_category[c], (float)point[c], (float)shape->inverse[c]);
  for (size_t j = 0; j < BLOCK; j++) {
    float place = block->distances[j] * (float)(CELLS / REACH);
    place = place < CELLS ? place : CELLS;
    int cell = (int)place;
    float between = place - (float)cell, linear = share * block->trends[j];
    float covariance =
        table[cell] + between * (table[cell + 1] - table[cell]) + trend * (linear + (float)QUADRATIC * linear * linear);
    float known = covariance * covariance * own;
    block->means[j] += weight * covariance;
    block->known[j] = known > block->known[j] ? known : block->known[j];
  }
}

static void screen_block(const struct ts_gp *gp, const struct shape *shape, const float *table, const double *points,
                         size_t size, struct block *block) {
  for (size_t j = 0; j < BLOCK; j++) {
    const double *point = &points[(j < size ? j : 0) * gp->columns]; /* the rest of the last block is not read */
    for (size_t c = 0; c < gp->columns; c++) block->at[c][j] = (float)point[c];
  }
  memset(block->means, 0, sizeof block->means);
  memset(block->known, 0, sizeof block->known);
  for (size_t i = 0; i < gp->count; i++) add_row(gp, shape, table, i, block);
}

void ts_gp_screen(const struct ts_gp *gp, const double *points, size_t count, double *means, double *bounds) {
  struct shape shape = ts_gp_shape(gp, &gp->settings);
  ts_auto_free float *table = ts_calloc(CELLS + 2, sizeof *table);
  for (size_t i = 0; i < CELLS + 2; i++) table[i] = (float)matern((double)i * REACH / CELLS);
  ts_auto_free struct block *block = ts_calloc(1, sizeof *block);
  for (size_t first = 0; first < count; first += BLOCK) {
    const double *start = &points[first * gp->columns];
    size_t size = count - first < BLOCK ? count - first : BLOCK;
    screen_block(gp, &shape, table, start, size, block);
    for (size_t j = 0; j < size; j++) {
      const double *point = &start[j * gp->columns];
      double left = 1 + shape.trend * ts_gp_trend(gp, point, point) - (double)block->known[j];
      means[first + j] = gp->mean + (double)block->means[j];
      bounds[first + j] = gp->variance * (fmax(left, 0) + shape.nugget);
    }
  }
}
