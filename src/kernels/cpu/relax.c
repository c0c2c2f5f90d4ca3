/* Reconstruction by dilation in blocks: which block is visited when, and by which thread.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Threads work on bands of rows. A band reads the row above and below it from copies that are made while no band runs;
 * when all have come to rest, blocks beside rows that differ from their copies wait again, until there are none. */
#include "kernels/cpu/relax.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/cpu/bands.h"
#include "kernels/cpu/scratch.h"

enum { WORD = 64 };

/* Rows that belong together, and what lies above and below them. */
struct strip {
  struct ts_relax *relax; /* borrowed */
  int64_t begin;          /* first row */
  int64_t end;            /* last row + 1 */
  const uint8_t *above;   /* borrowed: the row above the first */
  const uint8_t *below;
};

static uint64_t *waiting_row(const struct ts_relax *r, int64_t y) { return r->waiting + (y + 1) * r->words; }

static uint8_t *value_row(const struct ts_relax *r, int64_t y) { return r->value + y * r->stride_bytes; }

static void wait_at(const struct ts_relax *r, int64_t y, int64_t block) {
  if (block >= 0 && block < r->blocks) waiting_row(r, y)[block / WORD] |= UINT64_C(1) << block % WORD;
}

/* After block b of a row was raised: blocks of row y, which lies beside it, wait. */
static void wait_beside(const struct strip *s, int64_t y, int64_t b, unsigned what) {
  if (y < s->begin || y >= s->end) return; /* perhaps another thread's: see wait_at_borders */
  wait_at(s->relax, y, b);
  if (!s->relax->corners) return;
  if (what & TS_RELAX_LEFT_CHANGED) wait_at(s->relax, y, b - 1);
  if (what & TS_RELAX_RIGHT_CHANGED) wait_at(s->relax, y, b + 1);
}

/* Visits the waiting blocks of a row until none is left. Returns whether anything was raised. */
static bool visit_row(const struct strip *s, int64_t y) {
  const struct ts_relax *r = s->relax;
  uint64_t *waiting = waiting_row(r, y);
  uint8_t *value = value_row(r, y);
  const uint8_t *mask = r->mask + y * r->stride_bytes;
  const uint8_t *above = y > s->begin ? value - r->stride_bytes : s->above;
  const uint8_t *below = y + 1 < s->end ? value + r->stride_bytes : s->below;
  bool raised = false;
  for (int64_t word = 0; word < r->words;) {
    if (waiting[word] == 0) {
      word++;
      continue;
    }
    int64_t b = word * WORD + __builtin_ctzll(waiting[word]);
    waiting[word] &= waiting[word] - 1;
    int64_t at = b * TS_CHUNK;
    struct ts_relax_block block = {value + at, mask + at, above + at, below + at, r->corners};
    unsigned what = r->visit(&block);
    if (what == 0) continue;
    raised = true;
    wait_beside(s, y - 1, b, what);
    wait_beside(s, y + 1, b, what);
    if (what & TS_RELAX_RAISES_RIGHT) wait_at(r, y, b + 1);
    if (what & TS_RELAX_RAISES_LEFT) {
      wait_at(r, y, b - 1);
      if (b % WORD == 0) word--;
    }
  }
  return raised;
}

/* Whether some row may still wait. */
static bool sweep_down(const struct strip *s) {
  bool raised = false;
  for (int64_t y = s->begin; y < s->end; y++) raised |= visit_row(s, y);
  return raised;
}

static bool sweep_up(const struct strip *s) {
  bool raised = false;
  for (int64_t y = s->end - 1; y >= s->begin; y--) raised |= visit_row(s, y);
  return raised;
}

static void settle(const struct strip *s) {
  while (sweep_down(s) && sweep_up(s)) continue;
}

/* ---- Bands ---- */

struct borders {
  struct ts_relax *relax; /* borrowed */
  size_t bands;
  int64_t row_bytes; /* of a copy, margins included */
  uint8_t *copies;   /* owned: for each band the row above its first and below its last */
};

/* The first block of a copy, which has the margins of the row. */
static uint8_t *copy_at(const struct borders *b, size_t band, int which) {
  return b->copies + ((int64_t)band * 2 + which) * b->row_bytes + TS_CHUNK;
}

static void settle_band(void *context, size_t index) {
  const struct borders *b = context;
  struct ts_band band = ts_band_at(index, b->bands, b->relax->height);
  struct strip strip = {b->relax, band.begin, band.end, copy_at(b, index, 0), copy_at(b, index, 1)};
  settle(&strip);
}

static void copy_borders(const struct borders *b) {
  const struct ts_relax *r = b->relax;
  for (size_t i = 0; i < b->bands; i++) {
    struct ts_band band = ts_band_at(i, b->bands, r->height);
    memcpy(copy_at(b, i, 0) - TS_CHUNK, value_row(r, band.begin - 1) - TS_CHUNK, (size_t)b->row_bytes);
    memcpy(copy_at(b, i, 1) - TS_CHUNK, value_row(r, band.end) - TS_CHUNK, (size_t)b->row_bytes);
  }
}

/* Makes row y wait beside the blocks in which the row next to it differs from its copy. */
static bool wait_at_differences(const struct ts_relax *r, int64_t y, const uint8_t *now, const uint8_t *copy) {
  bool any = false;
  for (int64_t b = 0; b < r->blocks; b++) {
    if (memcmp(now + b * TS_CHUNK, copy + b * TS_CHUNK, TS_CHUNK) == 0) continue;
    for (int64_t beside = b - 1; beside <= b + 1; beside++) wait_at(r, y, beside);
    any = true;
  }
  return any;
}

static bool wait_at_borders(const struct borders *b) {
  const struct ts_relax *r = b->relax;
  bool any = false;
  for (size_t i = 0; i < b->bands; i++) {
    struct ts_band band = ts_band_at(i, b->bands, r->height);
    any |= wait_at_differences(r, band.begin, value_row(r, band.begin - 1), copy_at(b, i, 0));
    any |= wait_at_differences(r, band.end - 1, value_row(r, band.end), copy_at(b, i, 1));
  }
  return any;
}

static bool settle_bands(struct ts_relax *r, size_t bands, const struct ts_kernel_threads *threads,
                         struct ts_error *err) {
  struct borders b = {.relax = r, .bands = bands, .row_bytes = (r->blocks + 2) * TS_CHUNK};
  b.copies = ts_scratch(2 * (int64_t)bands * b.row_bytes, 1, err);
  if (!b.copies) return false;
  do {
    copy_borders(&b);
    ts_pieces_run(threads, bands, settle_band, &b);
  } while (wait_at_borders(&b));
  ts_scratch_free(b.copies);
  return true;
}

static bool reserve_waiting(struct ts_relax *r, struct ts_error *err) {
  r->words = (r->blocks + WORD - 1) / WORD;
  int64_t needed = (r->height + 2) * r->words;
  if (needed > r->capacity) {
    ts_relax_release(r);
    r->waiting = ts_scratch(needed, sizeof *r->waiting, err);
    if (!r->waiting) return false;
    r->capacity = needed;
  }
  memset(r->waiting, 255, (size_t)needed * sizeof *r->waiting);
  uint64_t last = ~UINT64_C(0) >> (WORD - 1 - (r->blocks - 1) % WORD);
  for (int64_t y = 0; y < r->height; y++) waiting_row(r, y)[r->words - 1] = last;
  return true;
}

bool ts_relax_run(struct ts_relax *r, const struct ts_kernel_threads *threads, struct ts_error *err) {
  if (!reserve_waiting(r, err)) return false;
  size_t bands = ts_band_count(threads, r->height);
  if (bands > 1) return settle_bands(r, bands, threads, err);
  struct strip all = {r, 0, r->height, value_row(r, -1), value_row(r, r->height)};
  settle(&all);
  return true;
}

void ts_relax_release(struct ts_relax *r) {
  ts_scratch_free(r->waiting);
  r->waiting = NULL;
  r->capacity = 0;
}
