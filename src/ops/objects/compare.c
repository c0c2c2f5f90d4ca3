/* objects.compare: scores of the objects of a whole file from what overlaps in its tiles.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ops/objects/objects_int.h"

#include "base/alloc.h"
#include "ops/objects/compare_code.h"
#include "ops/objects/scores.h"

#include <stdlib.h>
#include <string.h>

static const struct ts_op_port *const compare_in[] = {OBJECTS_PIECES_PORT("what overlaps in all tiles of a file")};
static const struct ts_op_port *const compare_out[] = {
    TS_OP_PORT(.name = "table", .type = "table", .help = "one row of scores")};

/* A piece of an object, in the order of the stitcher. */
struct piece {
  uint64_t label;
  int64_t y, x;    /* first pixel */
  uint32_t object; /* number of its object, from 1 */
};

struct plane {
  struct ts_stitcher *stitcher; /* owned */
  struct piece *pieces;         /* owned */
  size_t count, capacity;
  size_t first; /* of the tile that is read */
};

struct joining {
  struct plane planes[2]; /* found, reference */
  struct ts_tally tally;
  struct ts_overlaps pairs; /* owned by `items` below; pieces from 1, later objects */
  size_t capacity;
  uint64_t px; /* of all pairs */
};

/* More pixels than any file has: sums stay far below the largest number. */
#define MOST_PX ((uint64_t)1 << 48)

static void joining_release(struct joining *j) {
  for (int i = 0; i < 2; i++) {
    ts_stitcher_destroy(j->planes[i].stitcher);
    free(j->planes[i].pieces);
  }
  free(j->pairs.items);
}

/* ---- Reading. ---- */

static bool read_piece(struct plane *plane, const struct ts_tile_box *box, struct ts_cursor *body,
                       struct ts_run_list *runs) {
  uint64_t label, y, x;
  if (!ts_cursor_number(body, &label) || !ts_cursor_number(body, &y) || !ts_cursor_number(body, &x)) return false;
  if (y > INT32_MAX || x > INT32_MAX || plane->count >= UINT32_MAX) return false;
  if (!ts_chain_read_runs(body, box, runs)) return false;
  plane->pieces = ts_grow(plane->pieces, plane->count, &plane->capacity, sizeof *plane->pieces);
  plane->pieces[plane->count++] =
      (struct piece){.label = label, .y = box->top + (int64_t)y, .x = box->left + (int64_t)x};
  ts_stitcher_add(plane->stitcher, box, label, runs->items, runs->count);
  return true;
}

static bool read_plane(struct plane *plane, const struct ts_tile_box *box, struct ts_cursor *body) {
  enum { PIECE_LEAST_BYTES = 4 };
  size_t count;
  ts_auto(ts_run_list_release) struct ts_run_list runs = {0};
  plane->first = plane->count;
  if (!ts_cursor_count(body, PIECE_LEAST_BYTES, &count)) return false;
  for (size_t i = 0; i < count; i++)
    if (!read_piece(plane, box, body, &runs)) return false;
  return true;
}

/* The place of an object in a tile as that of a piece of all tiles, from 1; 0 stays the background. */
static bool read_place(const struct plane *plane, struct ts_cursor *body, uint32_t *piece) {
  uint64_t place;
  if (!ts_cursor_number(body, &place) || place > plane->count - plane->first) return false;
  *piece = place == 0 ? 0 : (uint32_t)(plane->first + place);
  return true;
}

static bool read_pairs(struct joining *j, struct ts_cursor *body) {
  enum { PAIR_LEAST_BYTES = 3 };
  size_t count;
  if (!ts_cursor_count(body, PAIR_LEAST_BYTES, &count)) return false;
  for (size_t i = 0; i < count; i++) {
    struct ts_overlap pair;
    uint64_t px;
    if (!read_place(&j->planes[0], body, &pair.found) || !read_place(&j->planes[1], body, &pair.reference))
      return false;
    if (!ts_cursor_number(body, &px) || px == 0 || px > MOST_PX - j->px || (pair.found == 0 && pair.reference == 0))
      return false;
    j->px += px;
    pair.px = (int64_t)px;
    j->pairs.items = ts_grow(j->pairs.items, j->pairs.count, &j->capacity, sizeof *j->pairs.items);
    j->pairs.items[j->pairs.count++] = pair;
  }
  return true;
}

static bool is_possible(const struct ts_tally *tally) {
  const int64_t numbers[] = {tally->found_px,      tally->reference_px,    tally->both_px,
                             tally->found_objects, tally->matched_objects, tally->reference_objects,
                             tally->aji_both_px,   tally->aji_joined_px};
  for (size_t i = 0; i < OBJECTS_COUNT(numbers); i++)
    if (numbers[i] < 0 || (uint64_t)numbers[i] > MOST_PX) return false;
  return tally->iou_high <= (uint64_t)tally->matched_objects;
}

static bool add_tally(struct joining *j, const struct ts_tally *tally) {
  if (!is_possible(tally)) return false;
  ts_tally_add(&j->tally, tally);
  return is_possible(&j->tally);
}

static bool read_tile(struct joining *j, const struct ts_chain_tile *tile) {
  struct ts_cursor body = tile->body;
  struct ts_tally tally;
  if (!ts_cursor_bytes(&body, &tally, sizeof tally) || !add_tally(j, &tally)) return false;
  return read_plane(&j->planes[0], &tile->box, &body) && read_plane(&j->planes[1], &tile->box, &body) &&
         read_pairs(j, &body) && body.at == body.end;
}

/* ---- Objects. ---- */

/* A piece that comes before the others of its object. */
struct first {
  struct piece piece;
  uint32_t root; /* the stitcher's number of the object */
};

static int by_first_pixel(const void *a, const void *b) {
  const struct piece *p = &((const struct first *)a)->piece, *q = &((const struct first *)b)->piece;
  if (p->y != q->y) return p->y < q->y ? -1 : 1;
  return (p->x > q->x) - (p->x < q->x);
}

static int by_label(const void *a, const void *b) {
  const struct piece *p = &((const struct first *)a)->piece, *q = &((const struct first *)b)->piece;
  return (p->label > q->label) - (p->label < q->label);
}

/* Numbers the objects as a plane that was never cut would: labels of a file by themselves, others by their first pixel.
 * The numbers decide which of two objects that cover one of the reference equally well is its counterpart. */
static void number_objects(struct plane *plane, enum ts_stitch how) {
  ts_auto_free struct first *firsts = ts_calloc(plane->count + 1, sizeof *firsts);
  ts_auto_free uint32_t *place = ts_calloc(plane->count + 1, sizeof *place); /* of a root among the firsts, from 1 */
  size_t count = 0;
  ts_stitcher_join(plane->stitcher, how);
  for (size_t i = 0; i < plane->count; i++) {
    const uint32_t root = ts_stitcher_first(plane->stitcher, (uint32_t)i);
    struct first here = {plane->pieces[i], root};
    if (place[root] == 0) {
      firsts[count] = here;
      place[root] = (uint32_t)++count;
    } else if (by_first_pixel(&here, &firsts[place[root] - 1]) < 0) {
      firsts[place[root] - 1] = here;
    }
  }
  if (count > 0) qsort(firsts, count, sizeof *firsts, how == TS_STITCH_VALUES ? by_label : by_first_pixel);
  for (size_t i = 0; i < count; i++) place[firsts[i].root] = (uint32_t)i + 1;
  for (size_t i = 0; i < plane->count; i++)
    plane->pieces[i].object = place[ts_stitcher_first(plane->stitcher, (uint32_t)i)];
}

static bool tally_joined(struct joining *j, const struct ts_chain *chain, struct ts_error *err) {
  for (int i = 0; i < 2 && chain->count > 0; i++) number_objects(&j->planes[i], chain->tiles[0].stitch[i]);
  for (size_t i = 0; i < j->pairs.count; i++) {
    struct ts_overlap *pair = &j->pairs.items[i];
    if (pair->found) pair->found = j->planes[0].pieces[pair->found - 1].object;
    if (pair->reference) pair->reference = j->planes[1].pieces[pair->reference - 1].object;
  }
  return ts_overlaps_tally(&j->pairs, &j->tally, err);
}

static int run_compare(struct ts_op_call *call) {
  const struct ts_op_view *pieces = call->inputs[0];
  struct ts_error err = {0};
  struct ts_chain chain;
  struct joining j = {.planes = {{.stitcher = ts_stitcher_create()}, {.stitcher = ts_stitcher_create()}}};
  bool ok = ts_chain_open(&chain, (const char[])TS_COMPARE_LETTERS, pieces->data, pieces->size_bytes, &err);
  for (size_t i = 0; ok && i < chain.count; i++) ok = read_tile(&j, &chain.tiles[i]) || ts_chain_is_damaged(&err);
  ok = ok && tally_joined(&j, &chain, &err);
  const int result = ok ? ts_scores_write(call, 0, &j.tally) : ts_objects_done(call, false, &err);
  ts_chain_close(&chain);
  joining_release(&j);
  return result;
}

const struct ts_op_descriptor ts_objects_op_compare = {OBJECTS_OPERATION("compare"),
                                                       .scratch_per_input_byte = 2.0,
                                                       .help = "scores the objects of a file against a reference",
                                                       OBJECTS_PORTS(compare_in, compare_out),
                                                       .run = run_compare,
                                                       TS_SCORES_DESCRIPTION};
