/* How polygons lie in memory, for the files that read, find, draw and keep them.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_IMAGE_POLYGONS_INT_H
#define TS_IMAGE_POLYGONS_INT_H

#include "image/polygons.h"

#include <stdatomic.h>
#include <stdint.h>

#define TS_EDGE_RUN 64 /* edges that are skipped together */

struct ts_polygon_box {
  double x_low, y_low, x_high, y_high;
};

/* A packed tree over the boxes of the features (polygon_tree.c). */
#define TS_POLYGON_TREE_LEVELS 9 /* 16^9 features and more */
struct ts_polygon_tree {
  uint32_t *order;              /* owned: features, neighbours together */
  struct ts_polygon_box *nodes; /* owned: level after level, leaves first */
  size_t level_first[TS_POLYGON_TREE_LEVELS + 1];
  size_t level_count;
};

/* Points of all rings one after another, without the repeated last one; edge i goes from point i to the next of its
 * ring. */
struct ts_polygons {
  atomic_size_t references;
  double *x, *y; /* owned; pixels of the full resolution */
  size_t point_count, point_capacity, y_capacity;
  size_t *ring_first; /* owned: its first point; one more than there are rings */
  size_t ring_count, ring_capacity;
  size_t *feature_first; /* owned: its first ring; one more than there are features */
  size_t feature_count, feature_capacity;
  struct ts_polygon_box *boxes; /* owned: per feature */
  struct ts_polygon_box *runs;  /* owned: per TS_EDGE_RUN edges, counted over all rings */
  struct ts_polygon_tree tree;
};

size_t ts_polygons_bytes(const struct ts_polygons *polygons);

/* Once all points are there: boxes, runs and the tree. */
void ts_polygons_index(struct ts_polygons *polygons);
void ts_polygon_tree_release(struct ts_polygon_tree *tree);

struct ts_polygon_hits {
  uint32_t *items; /* owned */
  size_t count, capacity;
};
/* The features whose boxes touch the window, in the order of the file; replaces what was there. */
void ts_polygons_find(const struct ts_polygons *polygons, const struct ts_polygon_box *window,
                      struct ts_polygon_hits *hits);

#endif
