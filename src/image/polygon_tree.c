/* Finds the polygons near a rectangle: boxes of features in a packed tree, and of runs of edges.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Sort-Tile-Recursive packing (Leutenegger, Lopez, Edgington 1997, doi:10.1109/ICDE.1997.582015): features are sorted
 * by the centres of their boxes into vertical strips and down each strip; each 16 neighbours are a leaf, each 16 leaves
 * a node above. A tile thus costs what lies near it, however many features the file has. */
#include "image/polygons_int.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>

#define FAN_OUT 16

struct sort_entry {
  double key;
  uint32_t feature;
};

static int compare_entries(const void *a, const void *b) {
  const struct sort_entry *x = a, *y = b;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  return x->feature < y->feature ? -1 : x->feature > y->feature;
}

static int compare_features(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

static const struct ts_polygon_box nowhere = {HUGE_VAL, HUGE_VAL, -HUGE_VAL, -HUGE_VAL};

static void include_point(struct ts_polygon_box *box, double x, double y) {
  if (x < box->x_low) box->x_low = x;
  if (y < box->y_low) box->y_low = y;
  if (x > box->x_high) box->x_high = x;
  if (y > box->y_high) box->y_high = y;
}

static void include_box(struct ts_polygon_box *box, const struct ts_polygon_box *other) {
  include_point(box, other->x_low, other->y_low);
  include_point(box, other->x_high, other->y_high);
}

static bool touch(const struct ts_polygon_box *a, const struct ts_polygon_box *b) {
  return a->x_low <= b->x_high && b->x_low <= a->x_high && a->y_low <= b->y_high && b->y_low <= a->y_high;
}

/* Leaves per strip: as many as there are strips. Whole numbers only, so that every machine packs alike. */
static size_t strip_features(size_t count) {
  size_t leaves = (count + FAN_OUT - 1) / FAN_OUT, strips = 1;
  while (strips * strips < leaves) strips++;
  return (leaves + strips - 1) / strips * FAN_OUT;
}

static void sort_features(struct ts_polygons *p) {
  struct sort_entry *entries = ts_calloc(p->feature_count + 1, sizeof *entries);
  for (size_t i = 0; i < p->feature_count; i++)
    entries[i] = (struct sort_entry){p->boxes[i].x_low + p->boxes[i].x_high, (uint32_t)i};
  qsort(entries, p->feature_count, sizeof *entries, compare_entries);
  const size_t strip = strip_features(p->feature_count);
  for (size_t first = 0; first < p->feature_count; first += strip) {
    const size_t count = p->feature_count - first < strip ? p->feature_count - first : strip;
    for (size_t i = first; i < first + count; i++)
      entries[i].key = p->boxes[entries[i].feature].y_low + p->boxes[entries[i].feature].y_high;
    qsort(entries + first, count, sizeof *entries, compare_entries);
  }
  p->tree.order = ts_calloc(p->feature_count + 1, sizeof *p->tree.order);
  for (size_t i = 0; i < p->feature_count; i++) p->tree.order[i] = entries[i].feature;
  free(entries);
}

/* Every level has the boxes of 16 entries of the level below it each; the lowest those of features. */
static void pack_nodes(struct ts_polygons *p) {
  struct ts_polygon_tree *tree = &p->tree;
  size_t below = p->feature_count, total = 0;
  do {
    tree->level_first[tree->level_count++] = total;
    below = (below + FAN_OUT - 1) / FAN_OUT;
    total += below;
  } while (below > 1);
  tree->level_first[tree->level_count] = total;
  tree->nodes = ts_calloc(total + 1, sizeof *tree->nodes);
  for (size_t i = 0; i < total; i++) tree->nodes[i] = nowhere;
  for (size_t i = 0; i < p->feature_count; i++) include_box(&tree->nodes[i / FAN_OUT], &p->boxes[tree->order[i]]);
  for (size_t level = 1; level < tree->level_count; level++) {
    const size_t from = tree->level_first[level - 1], to = tree->level_first[level];
    for (size_t i = from; i < to; i++) include_box(&tree->nodes[to + (i - from) / FAN_OUT], &tree->nodes[i]);
  }
}

static void box_ring(struct ts_polygons *p, size_t ring, struct ts_polygon_box *feature) {
  const size_t first = p->ring_first[ring], end = p->ring_first[ring + 1];
  for (size_t i = first; i < end; i++) {
    const size_t next = i + 1 < end ? i + 1 : first;
    include_point(feature, p->x[i], p->y[i]);
    include_point(&p->runs[i / TS_EDGE_RUN], p->x[i], p->y[i]);
    include_point(&p->runs[i / TS_EDGE_RUN], p->x[next], p->y[next]);
  }
}

void ts_polygons_index(struct ts_polygons *p) {
  const size_t run_count = p->point_count / TS_EDGE_RUN + 1;
  p->boxes = ts_calloc(p->feature_count + 1, sizeof *p->boxes);
  p->runs = ts_calloc(run_count, sizeof *p->runs);
  for (size_t i = 0; i < run_count; i++) p->runs[i] = nowhere;
  for (size_t f = 0; f < p->feature_count; f++) {
    p->boxes[f] = nowhere;
    for (size_t r = p->feature_first[f]; r < p->feature_first[f + 1]; r++) box_ring(p, r, &p->boxes[f]);
  }
  sort_features(p);
  pack_nodes(p);
}

void ts_polygon_tree_release(struct ts_polygon_tree *tree) {
  free(tree->order);
  free(tree->nodes);
  *tree = (struct ts_polygon_tree){0};
}

static void add_leaf(const struct ts_polygons *p, size_t leaf, const struct ts_polygon_box *window,
                     struct ts_polygon_hits *hits) {
  for (size_t i = leaf * FAN_OUT; i < (leaf + 1) * FAN_OUT && i < p->feature_count; i++) {
    if (!touch(&p->boxes[p->tree.order[i]], window)) continue;
    hits->items = ts_grow(hits->items, hits->count, &hits->capacity, sizeof *hits->items);
    hits->items[hits->count++] = p->tree.order[i];
  }
}

static void visit(const struct ts_polygons *p, size_t level, size_t node, const struct ts_polygon_box *window,
                  struct ts_polygon_hits *hits) {
  const struct ts_polygon_tree *tree = &p->tree;
  if (!touch(&tree->nodes[tree->level_first[level] + node], window)) return;
  if (level == 0) {
    add_leaf(p, node, window, hits);
    return;
  }
  const size_t below = tree->level_first[level] - tree->level_first[level - 1];
  for (size_t i = node * FAN_OUT; i < (node + 1) * FAN_OUT && i < below; i++) visit(p, level - 1, i, window, hits);
}

void ts_polygons_find(const struct ts_polygons *p, const struct ts_polygon_box *window, struct ts_polygon_hits *hits) {
  hits->count = 0;
  visit(p, p->tree.level_count - 1, 0, window, hits);
  if (hits->count > 1) qsort(hits->items, hits->count, sizeof *hits->items, compare_features);
}
