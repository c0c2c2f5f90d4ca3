/* Joins objects across the edges of tiles, by union-find over the pixels on both sides of every edge.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Edges are looked at twice, as horizontal and as vertical lines. What lies along a line, on either of its sides, is a
 * list of strips in the order of their places; a corner where four tiles meet lies on two lines, so that pieces which
 * touch there only at a corner meet as well. */
#include "ops/objects/stitch.h"

#include "base/alloc.h"

#include <stdlib.h>

/* Pixels of a piece along one side of a line. */
struct strip {
  int32_t line; /* the coordinate of the first pixels behind the line */
  bool behind;  /* right of it or below; otherwise left of it or above */
  int32_t begin, end;
  uint32_t piece;
};

struct strips {
  struct strip *items; /* owned */
  size_t count, capacity;
};

struct numbered {
  uint64_t value;
  uint32_t piece;
};

struct ts_stitcher {
  uint32_t *parent; /* owned: per piece one of the same object with a lower number, or itself */
  size_t count, capacity;
  struct numbered *values; /* owned: per piece */
  size_t value_count, value_capacity;
  struct strips lines[2]; /* along horizontal and along vertical lines */
};

/* ---- Pieces. ---- */

bool ts_stitch_is_at_edge(const struct ts_tile_box *box, const struct ts_pixel_run *run) {
  return run->y == box->top || run->y == box->bottom - 1 || run->begin == box->left || run->end == box->right;
}

bool ts_stitch_is_open(enum ts_stitch how, const struct ts_tile_box *box, const struct ts_pixel_run *runs,
                       size_t count) {
  if (how == TS_STITCH_NONE || how == TS_STITCH_VALUES) return how == TS_STITCH_VALUES;
  for (size_t i = 0; i < count; i++)
    if (ts_stitch_is_at_edge(box, &runs[i])) return true;
  return false;
}

struct ts_stitcher *ts_stitcher_create(void) {
  return ts_calloc(1, sizeof(struct ts_stitcher));
}

void ts_stitcher_destroy(struct ts_stitcher *s) {
  if (!s) return;
  free(s->parent);
  free(s->values);
  for (int i = 0; i < 2; i++) free(s->lines[i].items);
  free(s);
}

static void add_strip(struct strips *strips, struct strip strip) {
  strips->items = ts_grow(strips->items, strips->count, &strips->capacity, sizeof *strips->items);
  strips->items[strips->count++] = strip;
}

uint32_t ts_stitcher_add(struct ts_stitcher *s, const struct ts_tile_box *box, uint64_t value,
                         const struct ts_pixel_run *runs, size_t count) {
  const uint32_t piece = (uint32_t)s->count;
  s->parent = ts_grow(s->parent, s->count, &s->capacity, sizeof *s->parent);
  s->parent[s->count++] = piece;
  s->values = ts_grow(s->values, s->value_count, &s->value_capacity, sizeof *s->values);
  s->values[s->value_count++] = (struct numbered){value, piece};
  for (size_t i = 0; i < count; i++) {
    const struct ts_pixel_run *r = &runs[i];
    if (r->y == box->top) add_strip(&s->lines[0], (struct strip){box->top, true, r->begin, r->end, piece});
    if (r->y == box->bottom - 1) add_strip(&s->lines[0], (struct strip){box->bottom, false, r->begin, r->end, piece});
    if (r->begin == box->left) add_strip(&s->lines[1], (struct strip){box->left, true, r->y, r->y + 1, piece});
    if (r->end == box->right) add_strip(&s->lines[1], (struct strip){box->right, false, r->y, r->y + 1, piece});
  }
  return piece;
}

uint32_t ts_stitcher_first(struct ts_stitcher *s, uint32_t piece) {
  while (s->parent[piece] != piece) {
    s->parent[piece] = s->parent[s->parent[piece]];
    piece = s->parent[piece];
  }
  return piece;
}

static void unite(struct ts_stitcher *s, uint32_t a, uint32_t b) {
  a = ts_stitcher_first(s, a);
  b = ts_stitcher_first(s, b);
  s->parent[a > b ? a : b] = a < b ? a : b;
}

/* ---- Lines. ---- */

static int by_place(const void *a, const void *b) {
  const struct strip *p = a, *q = b;
  if (p->line != q->line) return p->line < q->line ? -1 : 1;
  if (p->behind != q->behind) return p->behind ? 1 : -1;
  return (p->begin > q->begin) - (p->begin < q->begin);
}

/* How many pixels two pieces have side by side across the lines of one direction. */
struct contact {
  uint32_t before, behind; /* pieces */
  int64_t px;
};

struct contacts {
  struct contact *items; /* owned */
  size_t count, capacity;
};

/* Every strip before the line with every one behind it that it touches, also at a corner: then with 0 pixels. */
static void add_contacts(const struct strip *before, size_t before_count, const struct strip *behind,
                         size_t behind_count, struct contacts *contacts) {
  size_t low = 0;
  for (size_t i = 0; i < before_count; i++) {
    while (low < behind_count && behind[low].end < before[i].begin) low++;
    for (size_t j = low; j < behind_count && behind[j].begin <= before[i].end; j++) {
      const int32_t begin = before[i].begin > behind[j].begin ? before[i].begin : behind[j].begin;
      const int32_t end = before[i].end < behind[j].end ? before[i].end : behind[j].end;
      contacts->items = ts_grow(contacts->items, contacts->count, &contacts->capacity, sizeof *contacts->items);
      contacts->items[contacts->count++] =
          (struct contact){before[i].piece, behind[j].piece, end > begin ? end - begin : 0};
    }
  }
}

static void find_contacts(struct strips *strips, struct contacts *contacts) {
  if (strips->count > 0) qsort(strips->items, strips->count, sizeof *strips->items, by_place);
  for (size_t i = 0; i < strips->count;) {
    size_t middle = i, end;
    while (middle < strips->count && strips->items[middle].line == strips->items[i].line &&
           !strips->items[middle].behind)
      middle++;
    for (end = middle; end < strips->count && strips->items[end].line == strips->items[i].line; end++) {
    }
    add_contacts(strips->items + i, middle - i, strips->items + middle, end - middle, contacts);
    i = end;
  }
}

static int by_pieces(const void *a, const void *b) {
  const struct contact *p = a, *q = b;
  if (p->before != q->before) return p->before < q->before ? -1 : 1;
  return (p->behind > q->behind) - (p->behind < q->behind);
}

/* Labels of two tiles. A piece lies on two lines of a direction at most, before the one and behind the other. */
static void unite_overlapping(struct ts_stitcher *s, const struct strips *strips, struct contacts *contacts) {
  int64_t *whole[2] = {ts_calloc(s->count + 1, sizeof **whole), ts_calloc(s->count + 1, sizeof **whole)};
  for (size_t i = 0; i < strips->count; i++)
    whole[strips->items[i].behind][strips->items[i].piece] += strips->items[i].end - strips->items[i].begin;
  if (contacts->count > 0) qsort(contacts->items, contacts->count, sizeof *contacts->items, by_pieces);
  for (size_t i = 0; i < contacts->count;) {
    const struct contact *c = &contacts->items[i];
    int64_t px = 0;
    for (; i < contacts->count && by_pieces(c, &contacts->items[i]) == 0; i++) px += contacts->items[i].px;
    const int64_t a = whole[false][c->before], b = whole[true][c->behind];
    if (2 * px > (a < b ? a : b)) unite(s, c->before, c->behind);
  }
  for (int i = 0; i < 2; i++) free(whole[i]);
}

static void join_along(struct ts_stitcher *s, enum ts_stitch how, struct strips *strips) {
  struct contacts contacts = {0};
  find_contacts(strips, &contacts);
  if (how == TS_STITCH_LABELS) {
    unite_overlapping(s, strips, &contacts);
  } else {
    for (size_t i = 0; i < contacts.count; i++) unite(s, contacts.items[i].before, contacts.items[i].behind);
  }
  free(contacts.items);
}

/* ---- Values. ---- */

static int by_value(const void *a, const void *b) {
  const struct numbered *p = a, *q = b;
  if (p->value != q->value) return p->value < q->value ? -1 : 1;
  return (p->piece > q->piece) - (p->piece < q->piece);
}

static void unite_equal(struct ts_stitcher *s) {
  if (s->value_count > 0) qsort(s->values, s->value_count, sizeof *s->values, by_value);
  for (size_t i = 1; i < s->value_count; i++)
    if (s->values[i].value == s->values[i - 1].value) unite(s, s->values[i - 1].piece, s->values[i].piece);
}

void ts_stitcher_join(struct ts_stitcher *s, enum ts_stitch how) {
  if (how == TS_STITCH_NONE) return;
  if (how == TS_STITCH_VALUES) {
    unite_equal(s);
    return;
  }
  for (int i = 0; i < 2; i++) join_along(s, how, &s->lines[i]);
}
