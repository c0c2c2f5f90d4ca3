/* Writes and reads the pieces of tiles.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ops/objects/chain.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* As it lies in the bytes. */
struct head {
  char letters[TS_CHAIN_LETTERS];
  int32_t level;
  struct ts_tile_box box;
  uint32_t stitch[2];
  uint64_t bytes;
};
_Static_assert(sizeof(struct head) == 40, "the head has no padding");

void ts_chain_begin(struct ts_str *out, const struct ts_chain_tile *tile) {
  struct head head = {.level = tile->level, .box = tile->box, .stitch = {tile->stitch[0], tile->stitch[1]}};
  memcpy(head.letters, tile->letters, sizeof head.letters);
  ts_str_add_bytes(out, &head, sizeof head);
}

void ts_chain_end(struct ts_str *out) {
  const uint64_t bytes = out->length - sizeof(struct head);
  memcpy(out->data + offsetof(struct head, bytes), &bytes, sizeof bytes);
}

bool ts_chain_is_damaged(struct ts_error *err) {
  ts_fail(err, TS_ERR_BAD_PRODUCT, "the objects of tiles that it reads are damaged");
  return ts_error_help(err, "make them again: run without the store, or remove the product from it");
}

static bool is_box(const struct ts_tile_box *box) { return box->left < box->right && box->top < box->bottom; }

static bool read_tile(struct ts_cursor *rest, const char letters[TS_CHAIN_LETTERS], struct ts_chain_tile *tile) {
  struct head head;
  if (!ts_cursor_bytes(rest, &head, sizeof head) || memcmp(head.letters, letters, sizeof head.letters) != 0)
    return false;
  if (!is_box(&head.box) || head.bytes > (uint64_t)(rest->end - rest->at)) return false;
  if (head.stitch[0] >= TS_STITCH_WAYS || head.stitch[1] >= TS_STITCH_WAYS) return false;
  *tile = (struct ts_chain_tile){.level = head.level,
                                 .box = head.box,
                                 .stitch = {(enum ts_stitch)head.stitch[0], (enum ts_stitch)head.stitch[1]},
                                 .body = {rest->at, rest->at + head.bytes}};
  memcpy(tile->letters, head.letters, sizeof tile->letters);
  rest->at += head.bytes;
  return true;
}

static int by_place(const void *a, const void *b) {
  const struct ts_chain_tile *p = a, *q = b;
  if (p->box.top != q->box.top) return p->box.top < q->box.top ? -1 : 1;
  return (p->box.left > q->box.left) - (p->box.left < q->box.left);
}

/* The tiles of a file are rows of a grid: they overlap unless each begins behind the one before it, or in a row of its
 * own. */
static bool check_neighbours(const struct ts_chain *chain, struct ts_error *err) {
  for (size_t i = 1; i < chain->count; i++) {
    const struct ts_chain_tile *before = &chain->tiles[i - 1], *here = &chain->tiles[i];
    if (here->level != before->level || memcmp(here->stitch, before->stitch, sizeof here->stitch) != 0) {
      ts_fail(err, TS_ERR_BAD_VALUE, "its tiles differ in resolution, or in how their objects are joined");
      return ts_error_help(err, "give it the objects of one stage, and the tasks of that stage one value of 'stitch'");
    }
    const bool same_row = here->box.top == before->box.top;
    if (same_row ? here->box.left >= before->box.right : here->box.top >= before->box.bottom) continue;
    ts_fail(err, TS_ERR_BAD_VALUE, "its tiles overlap, so that objects in their halo would count twice");
    return ts_error_help(err, "give the stage that finds the objects of tiles \"region\": {\"mask\": \"core\"}");
  }
  return true;
}

bool ts_chain_open(struct ts_chain *chain, const char letters[TS_CHAIN_LETTERS], const void *bytes, size_t size,
                   struct ts_error *err) {
  size_t capacity = 0;
  struct ts_cursor rest = {.at = bytes, .end = (const uint8_t *)bytes + size};
  *chain = (struct ts_chain){0};
  while (rest.at < rest.end) {
    chain->tiles = ts_grow(chain->tiles, chain->count, &capacity, sizeof *chain->tiles);
    if (!read_tile(&rest, letters, &chain->tiles[chain->count])) return ts_chain_is_damaged(err);
    chain->count++;
  }
  if (chain->count > 0) qsort(chain->tiles, chain->count, sizeof *chain->tiles, by_place);
  return check_neighbours(chain, err);
}

void ts_chain_close(struct ts_chain *chain) {
  free(chain->tiles);
  *chain = (struct ts_chain){0};
}

void ts_chain_code_runs(struct ts_str *out, const struct ts_tile_box *box, const struct ts_pixel_run *runs,
                        size_t count) {
  struct ts_pixel_run base = {.y = box->top, .begin = box->left};
  ts_code_number(out, count > 0);
  if (count > 0) ts_code_runs(out, runs, count, &base);
}

static bool is_inside(const struct ts_tile_box *box, const struct ts_pixel_run *run) {
  return run->y >= box->top && run->y < box->bottom && run->begin >= box->left && run->end <= box->right;
}

bool ts_chain_read_runs(struct ts_cursor *cursor, const struct ts_tile_box *box, struct ts_run_list *runs) {
  struct ts_pixel_run base = {.y = box->top, .begin = box->left};
  uint64_t any;
  runs->count = 0;
  if (!ts_cursor_number(cursor, &any) || any > 1) return false;
  if (any && !ts_cursor_runs(cursor, &base, runs)) return false;
  for (size_t i = 0; i < runs->count; i++)
    if (!is_inside(box, &runs->items[i])) return false;
  return true;
}
