/* Outlines of labelled objects, walked along the edges of pixels.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A walk keeps the object on its right hand. Every closed walk passes over the top edge of some pixel, eastwards; a
 * plane of marks remembers which top edges were passed, and each one not yet passed starts a walk. Where two pixels of
 * the object meet at a corner only, the walk turns right and so stays on its 4-connected piece; a walk that comes
 * through such a corner twice is cut there into two rings. Because a piece is connected through edges, cuts are
 * properly nested and each piece has exactly one outer ring.
 *
 * An object that is as wide as a slide has no plane: its pixels are looked up in its runs, and the top edges that lie
 * open are a list, of which a walk passes each as a whole. */
#include "kernels/outline.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/cpu/label_runs.h"
#include "kernels/cpu/scratch.h"
#include "kernels/kernels.h"

enum direction { EAST, SOUTH, WEST, NORTH };

struct corner {
  struct ts_vertex at;
  int32_t partner; /* earlier corner of the walk at the same place, or -1 */
  bool pinched;    /* the object continues diagonally across */
};

/* A ring with what is needed to order it. */
struct traced_ring {
  struct ts_ring ring;
  int32_t piece;
  size_t order;
};

/* Neighbouring pixels of a run with nothing of the object above them. */
struct top_edge {
  int32_t y, begin, end, piece;
  bool passed;
};

struct tracer {
  const uint32_t *labels; /* borrowed; NULL: there are runs */
  int64_t width;
  int64_t height;
  uint8_t *passed;                  /* owned: per pixel, whether its top edge was walked over; NULL: there are runs */
  const struct ts_label_runs *runs; /* borrowed: of one object, or NULL */
  struct top_edge *edges;           /* owned: of the runs, in raster order */
  size_t edge_count, edge_capacity;
  struct corner *walk;        /* owned */
  int32_t *pending;           /* owned: a stack of corners, or the pinched ones; as long as walk */
  struct traced_ring *rings;  /* owned */
  struct ts_vertex *vertices; /* owned */
  size_t walk_count, walk_capacity;
  size_t ring_count, ring_capacity;
  size_t vertex_count, vertex_capacity;
};

static void tracer_release(struct tracer *t) {
  ts_scratch_free(t->passed);
  ts_scratch_free(t->edges);
  ts_scratch_free(t->walk);
  ts_scratch_free(t->pending);
  ts_scratch_free(t->rings);
  ts_scratch_free(t->vertices);
}

/* Whether a pixel is in one of the runs. */
static bool is_in_runs(const struct ts_label_runs *runs, int64_t x, int64_t y) {
  size_t low = 0, high = runs->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const struct ts_label_run *run = &runs->items[middle];
    if (run->y < y || (run->y == y && run->end <= x))
      low = middle + 1;
    else
      high = middle;
  }
  return low < runs->count && runs->items[low].y == y && runs->items[low].begin <= x;
}

static bool belongs(const struct tracer *t, uint32_t label, int64_t x, int64_t y) {
  if (t->runs) return is_in_runs(t->runs, x, y);
  return x >= 0 && x < t->width && y >= 0 && y < t->height && t->labels[y * t->width + x] == label;
}

/* Doubles a list; *items stays valid on failure. */
static bool grow_list(void **items, size_t *capacity, size_t item_bytes, struct ts_error *err) {
  size_t larger = *capacity ? *capacity * 2 : 256;
  void *resized = ts_scratch_resize(*items, (int64_t)larger, item_bytes, err);
  if (!resized) return false;
  *items = resized;
  *capacity = larger;
  return true;
}

static bool add_corner(struct tracer *t, struct corner corner, struct ts_error *err) {
  if (t->walk_count == t->walk_capacity) {
    void *walk = t->walk;
    bool ok = grow_list(&walk, &t->walk_capacity, sizeof *t->walk, err);
    t->walk = walk;
    if (!ok) return false;
  }
  t->walk[t->walk_count++] = corner;
  return true;
}

/* The top edge of a pixel is walked over. */
static void pass(struct tracer *t, struct ts_vertex at) {
  if (t->passed) {
    t->passed[at.y * t->width + at.x] = 1;
    return;
  }
  size_t low = 0, high = t->edge_count;
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    const struct top_edge *edge = &t->edges[middle];
    if (edge->y < at.y || (edge->y == at.y && edge->begin <= at.x))
      low = middle;
    else
      high = middle;
  }
  t->edges[low].passed = true;
}

/* Walks from the upper left corner of pixel (x, y) eastwards until back there, listing the corners with a turn. */
static bool walk_around(struct tracer *t, uint32_t label, int32_t x, int32_t y, struct ts_error *err) {
  /* By direction: the step, and from the corner reached to the pixels ahead on the right and on the left. */
  static const int8_t step[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
  static const int8_t right[4][2] = {{0, 0}, {-1, 0}, {-1, -1}, {0, -1}};
  static const int8_t left[4][2] = {{0, -1}, {0, 0}, {-1, 0}, {-1, -1}};
  struct ts_vertex at = {x, y};
  unsigned direction = EAST;
  t->walk_count = 0;
  do {
    if (direction == EAST) pass(t, at);
    at.x += step[direction][0];
    at.y += step[direction][1];
    bool right_on = belongs(t, label, at.x + right[direction][0], at.y + right[direction][1]);
    bool left_on = belongs(t, label, at.x + left[direction][0], at.y + left[direction][1]);
    if (right_on && !left_on) continue; /* straight on */
    if (!add_corner(t, (struct corner){.at = at, .partner = -1, .pinched = !right_on && left_on}, err)) return false;
    direction = (direction + (right_on ? 3 : 1)) % 4;
  } while (at.x != x || at.y != y || direction != EAST);
  return true;
}

/* ---- Cutting a walk into rings ---- */

static bool add_ring(struct tracer *t, const int32_t *corners, size_t count, uint32_t label, int32_t piece,
                     struct ts_error *err) {
  if (t->ring_count == t->ring_capacity) {
    void *rings = t->rings;
    bool ok = grow_list(&rings, &t->ring_capacity, sizeof *t->rings, err);
    t->rings = rings;
    if (!ok) return false;
  }
  struct ts_ring ring = {.label = label, .first = t->vertex_count, .count = count + 1};
  while (t->vertex_count + count + 1 > t->vertex_capacity) {
    void *vertices = t->vertices;
    bool ok = grow_list(&vertices, &t->vertex_capacity, sizeof *t->vertices, err);
    t->vertices = vertices;
    if (!ok) return false;
  }
  uint64_t doubled_area = 0; /* its sign alone counts; what is between may be beyond 2^63 */
  if (count == 0) TS_BUG("a ring without corners");
  for (size_t i = 0; i <= count; i++) {
    struct ts_vertex v = t->walk[corners[i % count]].at;
    struct ts_vertex w = t->walk[corners[(i + 1) % count]].at;
    t->vertices[t->vertex_count++] = v;
    if (i < count) doubled_area += (uint64_t)((int64_t)v.x * w.y - (int64_t)w.x * v.y);
  }
  ring.hole = (int64_t)doubled_area < 0;
  t->rings[t->ring_count] = (struct traced_ring){ring, piece, t->ring_count};
  t->ring_count++;
  return true;
}

static int compare_places(const void *a, const void *b) {
  const struct corner *p = *(struct corner *const *)a;
  const struct corner *q = *(struct corner *const *)b;
  if (p->at.y != q->at.y) return p->at.y < q->at.y ? -1 : 1;
  if (p->at.x != q->at.x) return p->at.x < q->at.x ? -1 : 1;
  return (p > q) - (p < q); /* both point into the walk */
}

/* Finds the pinched corners that the walk came through twice. */
static bool find_partners(struct tracer *t, struct ts_error *err) {
  size_t count = 0;
  for (size_t i = 0; i < t->walk_count; i++) count += t->walk[i].pinched;
  if (count < 2) return true;
  struct corner **pinched = ts_scratch((int64_t)count, sizeof *pinched, err);
  if (!pinched) return false;
  size_t next = 0;
  for (size_t i = 0; i < t->walk_count; i++)
    if (t->walk[i].pinched) pinched[next++] = &t->walk[i];
  qsort(pinched, count, sizeof *pinched, compare_places);
  for (size_t i = 1; i < count; i++) {
    const struct corner *before = pinched[i - 1];
    if (before->at.x == pinched[i]->at.x && before->at.y == pinched[i]->at.y)
      pinched[i]->partner = (int32_t)(before - t->walk);
  }
  ts_scratch_free(pinched);
  return true;
}

/* Takes the ring between the two visits of a corner off the stack as soon as the second visit comes. */
static bool cut_into_rings(struct tracer *t, uint32_t label, int32_t piece, struct ts_error *err) {
  int32_t *stack = ts_scratch_resize(t->pending, (int64_t)t->walk_count, sizeof *stack, err);
  if (!stack) return false;
  t->pending = stack;
  size_t depth = 0;
  for (size_t i = 0; i < t->walk_count; i++) {
    int32_t partner = t->walk[i].partner;
    if (partner < 0) {
      stack[depth++] = (int32_t)i;
      continue;
    }
    size_t begin = depth;
    while (begin > 0 && stack[begin - 1] != partner) begin--;
    if (begin == 0) TS_BUG("the cuts of an outline cross");
    if (!add_ring(t, stack + begin - 1, depth - begin + 1, label, piece, err)) return false;
    depth = begin;
  }
  return add_ring(t, stack, depth, label, piece, err);
}

static bool trace(struct tracer *t, uint32_t label, int32_t piece, int32_t x, int32_t y, struct ts_error *err) {
  return walk_around(t, label, x, y, err) && find_partners(t, err) && cut_into_rings(t, label, piece, err);
}

static bool trace_run(struct tracer *t, const struct ts_label_run *run, struct ts_error *err) {
  for (int32_t x = run->begin; x < run->end; x++) {
    if (t->passed[run->y * t->width + x] || belongs(t, run->label, x, run->y - 1)) continue;
    if (!trace(t, run->label, run->piece, x, run->y, err)) return false;
  }
  return true;
}

/* ---- Top edges ---- */

static bool add_edge(struct tracer *t, const struct ts_label_run *run, int32_t begin, int32_t end,
                     struct ts_error *err) {
  if (begin >= end) return true;
  if (t->edge_count == t->edge_capacity) {
    void *edges = t->edges;
    bool ok = grow_list(&edges, &t->edge_capacity, sizeof *t->edges, err);
    t->edges = edges;
    if (!ok) return false;
  }
  t->edges[t->edge_count++] = (struct top_edge){.y = run->y, .begin = begin, .end = end, .piece = run->piece};
  return true;
}

/* What the runs of the row above leave open of each run. */
static bool list_edges(struct tracer *t, struct ts_error *err) {
  const struct ts_label_run *items = t->runs->items;
  for (size_t i = 0, above = 0; i < t->runs->count; i++) {
    const struct ts_label_run *run = &items[i];
    while (above < i &&
           (items[above].y < run->y - 1 || (items[above].y == run->y - 1 && items[above].end <= run->begin)))
      above++;
    int32_t x = run->begin;
    for (size_t k = above; k < i && items[k].y == run->y - 1 && items[k].begin < run->end; k++) {
      if (!add_edge(t, run, x, items[k].begin, err)) return false;
      if (items[k].end > x) x = items[k].end;
    }
    if (!add_edge(t, run, x, run->end, err)) return false;
  }
  return true;
}

/* ---- Result ---- */

static int compare_rings(const void *a, const void *b) {
  const struct traced_ring *p = a;
  const struct traced_ring *q = b;
  if (p->ring.label != q->ring.label) return p->ring.label < q->ring.label ? -1 : 1;
  if (p->piece != q->piece) return p->piece < q->piece ? -1 : 1;
  if (p->ring.hole != q->ring.hole) return p->ring.hole ? 1 : -1;
  return (p->order > q->order) - (p->order < q->order);
}

static bool hand_over(struct tracer *t, struct ts_outlines *outlines, struct ts_error *err) {
  outlines->rings = ts_scratch((int64_t)t->ring_count, sizeof *outlines->rings, err);
  if (!outlines->rings) return false;
  if (t->ring_count > 0) qsort(t->rings, t->ring_count, sizeof *t->rings, compare_rings);
  size_t outer = 0;
  for (size_t i = 0; i < t->ring_count; i++) {
    outlines->rings[i] = t->rings[i].ring;
    if (!outlines->rings[i].hole) outer = i;
    outlines->rings[i].outer = outer;
  }
  outlines->ring_count = t->ring_count;
  outlines->vertices = t->vertices;
  outlines->vertex_count = t->vertex_count;
  t->vertices = NULL;
  return true;
}

bool ts_outline(const uint32_t *labels, int64_t width, int64_t height, struct ts_outlines *outlines,
                struct ts_error *err) {
  *outlines = (struct ts_outlines){0};
  if (!ts_kernels_check_size(width, height, err)) return false;
  struct tracer t = {.labels = labels, .width = width, .height = height};
  struct ts_label_runs runs;
  t.passed = ts_scratch_zero(width * height, 1, err);
  bool ok = ts_label_runs_init(&runs, labels, width, height, err) && t.passed;
  for (size_t i = 0; ok && i < runs.count; i++) ok = trace_run(&t, &runs.items[i], err);
  ok = ok && hand_over(&t, outlines, err);
  ts_label_runs_release(&runs);
  tracer_release(&t);
  return ok;
}

/* Objects in larger boxes have no plane: at 4 bytes per pixel it would be 64 MB. */
#define PLANE_PX_MAX ((int64_t)1 << 24)

struct box {
  int32_t left, top;
  int64_t width, height;
};

static bool box_of(const struct ts_pixel_run *runs, size_t count, struct box *box, struct ts_error *err) {
  int32_t left = INT32_MAX;
  int32_t right = INT32_MIN;
  for (size_t i = 0; i < count; i++) {
    left = runs[i].begin < left ? runs[i].begin : left;
    right = runs[i].end > right ? runs[i].end : right;
  }
  *box = (struct box){left, runs[0].y, (int64_t)right - left, (int64_t)runs[count - 1].y - runs[0].y + 1};
  if (box->width < INT32_MAX / 2 && box->height < INT32_MAX / 2 && runs[count - 1].y < INT32_MAX) return true;
  ts_fail(err, TS_ERR_BAD_IMAGE, "an object of %lld x %lld pixels cannot be outlined", (long long)box->width,
          (long long)box->height);
  return ts_error_help(err, "an object has fewer than 2^30 pixels in each direction");
}

/* From the corner of the box to where the runs lie. */
static void move_back(struct ts_outlines *outlines, const struct box *box) {
  for (size_t i = 0; i < outlines->vertex_count; i++) {
    outlines->vertices[i].x += box->left;
    outlines->vertices[i].y += box->top;
  }
}

static bool outline_plane(const struct ts_pixel_run *runs, size_t count, const struct box *at,
                          struct ts_outlines *outlines, struct ts_error *err) {
  uint32_t *plane = ts_scratch_zero(at->width * at->height, sizeof *plane, err);
  if (!plane) return false;
  for (size_t i = 0; i < count; i++) {
    uint32_t *row = plane + ((int64_t)runs[i].y - at->top) * at->width;
    for (int64_t x = (int64_t)runs[i].begin - at->left; x < (int64_t)runs[i].end - at->left; x++) row[x] = 1;
  }
  bool ok = ts_outline(plane, at->width, at->height, outlines, err);
  move_back(outlines, at);
  ts_scratch_free(plane);
  return ok;
}

bool ts_outline_sparse(const struct ts_pixel_run *runs, size_t count, struct ts_outlines *outlines,
                       struct ts_error *err) {
  struct box box;
  struct ts_label_runs own;
  *outlines = (struct ts_outlines){0};
  if (!box_of(runs, count, &box, err)) return false;
  bool ok = ts_label_runs_of_object(&own, runs, count, err);
  for (size_t i = 0; i < own.count; i++) { /* to the corner of the box */
    own.items[i].y = (int32_t)((int64_t)own.items[i].y - box.top);
    own.items[i].begin = (int32_t)((int64_t)own.items[i].begin - box.left);
    own.items[i].end = (int32_t)((int64_t)own.items[i].end - box.left);
  }
  struct tracer t = {.width = box.width, .height = box.height, .runs = &own};
  ok = ok && list_edges(&t, err);
  for (size_t i = 0; ok && i < t.edge_count; i++)
    if (!t.edges[i].passed) ok = trace(&t, 1, t.edges[i].piece, t.edges[i].begin, t.edges[i].y, err);
  ok = ok && hand_over(&t, outlines, err);
  move_back(outlines, &box);
  ts_label_runs_release(&own);
  tracer_release(&t);
  return ok;
}

bool ts_outline_runs(const struct ts_pixel_run *runs, size_t count, struct ts_outlines *outlines,
                     struct ts_error *err) {
  struct box box;
  *outlines = (struct ts_outlines){0};
  if (!box_of(runs, count, &box, err)) return false;
  return box.width * box.height > PLANE_PX_MAX ? ts_outline_sparse(runs, count, outlines, err)
                                               : outline_plane(runs, count, &box, outlines, err);
}

void ts_outlines_release(struct ts_outlines *outlines) {
  ts_scratch_free(outlines->rings);
  ts_scratch_free(outlines->vertices);
  *outlines = (struct ts_outlines){0};
}
