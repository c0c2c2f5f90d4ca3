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
  float at[TS_GP_MAX_COLUMNS][BLOCK]; /* coordinates, from the middle */
  float own[BLOCK];                   /* squared scaled distance from the middle */
  float means[BLOCK], known[BLOCK];   /* known: variance that the most informative row takes away */
  float distances[BLOCK], trends[BLOCK];
};

static void add_products(float *restrict distances, float *restrict trends, const float *restrict at, float scaled,
                         float tilt) {
  for (size_t j = 0; j < BLOCK; j++) {
    distances[j] -= scaled * at[j];
    trends[j] += tilt * at[j];
  }
}

static void add_equalities(struct block *block, const float *at, float category, float inverse) {
  for (size_t j = 0; j < BLOCK; j++) {
    block->distances[j] += at[j] == category ? 0 : inverse;
    block->trends[j] += at[j] == category ? 0.5f : -0.5f;
  }
}

/* Distances to and trends with row `i` of the data: (x - a)^2 = x^2 + a^2 - 2 a x, so that columns are sums of
 * products. */
static void measure(const struct ts_gp *gp, const struct shape *shape, size_t i, struct block *block) {
  const double *point = &gp->points[i * gp->columns];
  double own = 0;
  memcpy(block->distances, block->own, sizeof block->own);
  memset(block->trends, 0, sizeof block->trends);
  for (size_t c = 0; c < gp->columns; c++) {
    if (gp->is_category[c]) {
      add_equalities(block, block->at[c], (float)point[c], (float)shape->inverse[c]);
      continue;
    }
    double x = point[c] - 0.5;
    own += shape->inverse[c] * x * x;
    add_products(block->distances, block->trends, block->at[c], (float)(2 * shape->inverse[c] * x), (float)(4 * x));
  }
  for (size_t j = 0; j < BLOCK; j++) {
    float place = (block->distances[j] + (float)own) * (float)(CELLS / REACH);
    place = place > 0 ? place : 0;
    block->distances[j] = place < CELLS ? place : CELLS;
  }
}

/* Adds row `i` of the data to means and bounds. */
static void add_row(const struct ts_gp *gp, const struct shape *shape, const float *restrict table, size_t i,
                    struct block *restrict block) {
  const double *point = &gp->points[i * gp->columns];
  float own = (float)(1 / (1 + shape->nugget + shape->trend * ts_gp_trend(gp, point, point)));
  float weight = (float)gp->weights[i], linear = (float)(shape->trend / (double)gp->columns);
  float squared = (float)(QUADRATIC * shape->trend / (double)(gp->columns * gp->columns));
  measure(gp, shape, i, block);
  for (size_t j = 0; j < BLOCK; j++) {
    float place = block->distances[j], trend = block->trends[j];
    int cell = (int)place;
    float between = place - (float)cell;
    float covariance = table[cell] + between * (table[cell + 1] - table[cell]) + trend * (linear + squared * trend);
    float known = covariance * covariance * own;
    block->means[j] += weight * covariance;
    block->known[j] = known > block->known[j] ? known : block->known[j];
  }
}

static void screen_block(const struct ts_gp *gp, const struct shape *shape, const float *table, const double *points,
                         size_t size, struct block *block) {
  for (size_t j = 0; j < BLOCK; j++) {
    const double *point = &points[(j < size ? j : 0) * gp->columns]; /* the rest of the last block is not read */
    double own = 0;
    for (size_t c = 0; c < gp->columns; c++) {
      double x = gp->is_category[c] ? point[c] : point[c] - 0.5;
      if (!gp->is_category[c]) own += shape->inverse[c] * x * x;
      block->at[c][j] = (float)x;
    }
    block->own[j] = (float)own;
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
