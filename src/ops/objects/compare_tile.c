/* objects.compare_tile: how the objects of one tile overlap with those of a reference.
 * SPDX-License-Identifier: Apache-2.0
 *
 * What overlaps, directly or through other objects, is scored together. Where none of it can go on in another tile, it
 * is scored here, and only the tally goes on. Of the rest, objects.compare gets the pixels that they share, pair by
 * pair, and their runs at the edges of the tile. The bytes, behind the head of chain.h: the tally; the number of
 * objects found, and of each its label, its first pixel (y and x from the corner of the tile) and its runs at the
 * edges; the same of the reference; the number of pairs, and of each the objects by their places in the two lists,
 * from 1 (0: the background), and the pixels. */
#include "ops/objects/objects_int.h"

#include "base/alloc.h"
#include "ops/objects/compare_code.h"
#include "ops/objects/scores.h"

#include <stdlib.h>
#include <string.h>

static const struct ts_op_port *const tile_in[] = {
    TS_OP_PORT(.name = "mask", .type = "mask|labels", .help = "what was found, without halo"),
    TS_OP_PORT(.name = "reference", .type = "mask|labels", .help = "what should have been found, without halo")};
static const struct ts_op_port *const tile_out[] = {
    OBJECTS_PIECES_PORT("what overlaps, to be joined by objects.compare per file"),
    TS_OP_PORT(.name = "table", .type = "table", .help = "one row of scores of the objects as the tile cuts them")};
static const struct ts_op_parameter *const tile_parameters[] = {
    OBJECTS_STITCH("stitch", "how objects found are joined across tiles, if they are labels"),
    OBJECTS_STITCH("reference_stitch", "how objects of the reference are joined across tiles, if they are labels")};

/* ---- The objects of a plane. ---- */

struct object {
  uint32_t label;
  size_t first_run; /* in raster order */
  bool is_open;
  uint32_t place; /* among those that go on, from 1; 0: it is scored here */
};

struct plane {
  struct ts_label_runs runs; /* owned; in pixels of the tile */
  struct object *objects;    /* owned; by label */
  size_t count;
};

static void plane_release(struct plane *plane) {
  ts_label_runs_release(&plane->runs);
  free(plane->objects);
}

static int by_label(const void *a, const void *b) {
  const struct object *p = a, *q = b;
  if (p->label != q->label) return p->label < q->label ? -1 : 1;
  return (p->first_run > q->first_run) - (p->first_run < q->first_run);
}

static struct ts_pixel_run run_of(const struct ts_label_run *run, const struct ts_tile_box *box) {
  return (struct ts_pixel_run){.y = box->top + run->y, .begin = box->left + run->begin, .end = box->left + run->end};
}

static struct object *find_object(const struct plane *plane, uint32_t label) {
  size_t low = 0, high = plane->count;
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    if (plane->objects[middle].label <= label)
      low = middle;
    else
      high = middle;
  }
  return &plane->objects[low];
}

/* One entry for each run at first. */
static void list_objects(struct plane *plane, enum ts_stitch how, const struct ts_tile_box *box) {
  const struct ts_label_runs *runs = &plane->runs;
  struct object *o = plane->objects = ts_calloc(runs->count + 1, sizeof *plane->objects);
  for (size_t i = 0; i < runs->count; i++) {
    const struct ts_pixel_run run = run_of(&runs->items[i], box);
    o[i] = (struct object){runs->items[i].label, i, ts_stitch_is_open(how, box, &run, 1), 0};
  }
  if (runs->count > 0) qsort(o, runs->count, sizeof *o, by_label);
  for (size_t i = 0; i < runs->count; i++) {
    if (i == 0 || o[i].label != o[plane->count - 1].label)
      o[plane->count++] = o[i];
    else
      o[plane->count - 1].is_open = o[plane->count - 1].is_open || o[i].is_open;
  }
}

/* ---- What overlaps with something that is open. ---- */

struct tile {
  struct ts_chain_tile chain;
  struct plane planes[2]; /* found, reference */
  struct ts_overlaps overlaps;
};

/* Union-find over the objects of both planes: those found first. */
static size_t root_of(size_t *parent, size_t object) {
  for (; parent[object] != object; object = parent[object]) parent[object] = parent[parent[object]];
  return object;
}

static size_t number_of(const struct tile *tile, int plane, uint32_t label) {
  const struct plane *p = &tile->planes[plane];
  return (plane ? tile->planes[0].count : 0) + (size_t)(find_object(p, label) - p->objects);
}

static struct object *object_of(const struct tile *tile, size_t number) {
  const size_t found = tile->planes[0].count;
  return number < found ? &tile->planes[0].objects[number] : &tile->planes[1].objects[number - found];
}

/* Gives places to all objects that go on. */
static void choose(struct tile *tile) {
  const size_t count = tile->planes[0].count + tile->planes[1].count;
  ts_auto_free size_t *parent = ts_calloc(count + 1, sizeof *parent);
  ts_auto_free bool *goes_on = ts_calloc(count + 1, sizeof *goes_on);
  uint32_t places[2] = {0};
  for (size_t i = 0; i < count; i++) parent[i] = i;
  for (size_t i = 0; i < tile->overlaps.count; i++) {
    const struct ts_overlap *o = &tile->overlaps.items[i];
    if (o->found == 0 || o->reference == 0) continue;
    parent[root_of(parent, number_of(tile, 0, o->found))] = root_of(parent, number_of(tile, 1, o->reference));
  }
  for (size_t i = 0; i < count; i++)
    if (object_of(tile, i)->is_open) goes_on[root_of(parent, i)] = true;
  for (size_t i = 0; i < count; i++)
    if (goes_on[root_of(parent, i)]) object_of(tile, i)->place = ++places[i >= tile->planes[0].count];
}

static uint32_t place_of(const struct tile *tile, int plane, uint32_t label) {
  return label == 0 ? 0 : find_object(&tile->planes[plane], label)->place;
}

/* Moves the pairs that go on behind the others, and returns how many these are. */
static size_t separate(struct tile *tile) {
  size_t here = 0;
  for (size_t i = 0; i < tile->overlaps.count; i++) {
    const struct ts_overlap pair = tile->overlaps.items[i];
    if (place_of(tile, 0, pair.found) || place_of(tile, 1, pair.reference)) continue;
    tile->overlaps.items[i] = tile->overlaps.items[here];
    tile->overlaps.items[here++] = pair;
  }
  return here;
}

/* ---- Bytes. ---- */

/* A run at an edge of the tile. */
struct edge_run {
  uint32_t place; /* of its object */
  struct ts_pixel_run run;
};

static int by_place(const void *a, const void *b) {
  const struct edge_run *p = a, *q = b;
  if (p->place != q->place) return p->place < q->place ? -1 : 1;
  if (p->run.y != q->run.y) return p->run.y < q->run.y ? -1 : 1;
  return (p->run.begin > q->run.begin) - (p->run.begin < q->run.begin);
}

/* The runs at edges, object after object, each in raster order. To free. */
static struct edge_run *list_edge_runs(const struct plane *plane, const struct ts_tile_box *box, size_t *count) {
  size_t capacity = 0;
  struct edge_run *edges = NULL;
  *count = 0;
  for (size_t i = 0; i < plane->runs.count; i++) {
    const struct ts_pixel_run run = run_of(&plane->runs.items[i], box);
    if (!ts_stitch_is_at_edge(box, &run)) continue;
    const uint32_t place = find_object(plane, plane->runs.items[i].label)->place;
    if (place == 0) continue; /* objects of tiles that are not joined */
    edges = ts_grow(edges, *count, &capacity, sizeof *edges);
    edges[(*count)++] = (struct edge_run){place, run};
  }
  if (*count > 0) qsort(edges, *count, sizeof *edges, by_place);
  return edges;
}

static void code_plane(const struct tile *tile, int plane, struct ts_str *out) {
  const struct plane *p = &tile->planes[plane];
  const struct ts_tile_box *box = &tile->chain.box;
  size_t edge_count, at = 0;
  uint64_t count = 0;
  ts_auto_free struct edge_run *edges = list_edge_runs(p, box, &edge_count);
  ts_auto(ts_run_list_release) struct ts_run_list runs = {0};
  for (size_t i = 0; i < p->count; i++) count += p->objects[i].place > 0;
  ts_code_number(out, count);
  for (size_t i = 0; i < p->count; i++) {
    const struct object *o = &p->objects[i];
    if (o->place == 0) continue;
    const struct ts_label_run *first = &p->runs.items[o->first_run];
    ts_code_number(out, o->label);
    ts_code_number(out, (uint64_t)first->y);
    ts_code_number(out, (uint64_t)first->begin);
    runs.count = 0;
    for (; at < edge_count && edges[at].place == o->place; at++) ts_run_list_add(&runs, edges[at].run);
    ts_chain_code_runs(out, box, runs.items, runs.count);
  }
}

static void code_pairs(const struct tile *tile, size_t first, struct ts_str *out) {
  ts_code_number(out, tile->overlaps.count - first);
  for (size_t i = first; i < tile->overlaps.count; i++) {
    const struct ts_overlap *o = &tile->overlaps.items[i];
    ts_code_number(out, place_of(tile, 0, o->found));
    ts_code_number(out, place_of(tile, 1, o->reference));
    ts_code_number(out, (uint64_t)o->px);
  }
}

static bool write_pieces(struct ts_op_call *call, struct tile *tile, struct ts_error *err) {
  ts_auto(ts_str_release) struct ts_str out = {0};
  struct ts_tally tally = {0};
  choose(tile);
  const size_t here = separate(tile);
  struct ts_overlaps own = {.items = tile->overlaps.items, .count = here};
  ts_chain_begin(&out, &tile->chain);
  const size_t tally_at = out.length;
  ts_str_add_bytes(&out, &tally, sizeof tally);
  for (int plane = 0; plane < 2; plane++) code_plane(tile, plane, &out);
  code_pairs(tile, here, &out);
  ts_chain_end(&out);
  if (!ts_overlaps_tally(&own, &tally, err)) return false;
  memcpy(out.data + tally_at, &tally, sizeof tally);
  return ts_objects_output(call, 0, &out) || ts_fail(err, TS_ERR_NO_MEMORY, "not enough memory for its output");
}

/* ---- The call. ---- */

static struct ts_compare_plane plane_of(const struct ts_op_view *view) {
  struct ts_compare_plane plane = {.width = view->width, .height = view->height};
  if (view->element == TS_OP_U32)
    plane.labels = view->data;
  else
    plane.mask = view->data;
  return plane;
}

static bool find_overlaps(struct ts_op_call *call, struct tile *tile, struct ts_error *err) {
  const struct ts_kernel_threads threads = ts_objects_threads(call);
  for (int i = 0; i < 2; i++) {
    const struct ts_compare_plane plane = plane_of(call->inputs[i]);
    if (!ts_compare_runs(&plane, &tile->planes[i].runs, &threads, err)) return false;
    list_objects(&tile->planes[i], tile->chain.stitch[i], &tile->chain.box);
  }
  return ts_overlaps_count(&tile->planes[0].runs, &tile->planes[1].runs, &tile->overlaps, err);
}

/* Scores of the tile by itself: for maps of where a score comes from. */
static int write_table(struct ts_op_call *call, struct tile *tile, struct ts_error *err) {
  struct ts_tally tally = {0};
  if (!ts_overlaps_tally(&tile->overlaps, &tally, err)) return ts_objects_done(call, false, err);
  return ts_scores_write(call, 1, &tally);
}

static int run_compare_tile(struct ts_op_call *call) {
  const struct ts_op_view *found = call->inputs[0], *reference = call->inputs[1];
  struct ts_error err = {0};
  struct tile tile = {.chain = {.letters = TS_COMPARE_LETTERS,
                                .level = found->level,
                                .stitch = {ts_objects_stitch(found, call->parameters[0]),
                                           ts_objects_stitch(reference, call->parameters[1])}}};
  struct ts_tile_box other;
  if (!ts_objects_box(call, found, &tile.chain.box) || !ts_objects_box(call, reference, &other)) return -1;
  if (found->level != reference->level || memcmp(&other, &tile.chain.box, sizeof other) != 0)
    return call->host->fail(call, "its inputs are not of the same place: %lld x %lld and %lld x %lld pixels",
                            (long long)found->width, (long long)found->height, (long long)reference->width,
                            (long long)reference->height);
  const bool ok = find_overlaps(call, &tile, &err) && write_pieces(call, &tile, &err);
  const int result = ok ? write_table(call, &tile, &err) : ts_objects_done(call, false, &err);
  ts_overlaps_release(&tile.overlaps);
  for (int i = 0; i < 2; i++) plane_release(&tile.planes[i]);
  return result;
}

const struct ts_op_descriptor ts_objects_op_compare_tile = {OBJECTS_OPERATION("compare_tile"),
                                                            .scratch_per_input_byte = 1.0,
                                                            .help = "compares the objects of a tile with a reference",
                                                            OBJECTS_PORTS(tile_in, tile_out),
                                                            OBJECTS_PARAMETERS(tile_parameters),
                                                            .reach = TS_OP_REACH_PIXEL,
                                                            .run = run_compare_tile,
                                                            TS_SCORES_DESCRIPTION,
                                                            .objects = ts_scores_objects,
                                                            .objects_count = TS_SCORES_OBJECTS};
