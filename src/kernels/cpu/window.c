/* One object of a mask in a window of its own.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Distances come from the definition: the nearest background in each column (two passes), then the nearest over the
 * columns of a row, which is quick because it need not look further than the distance found so far. Up to LIMIT they
 * fit into 16 bits; larger ones are left to ts_edt. */
#include "kernels/cpu/window.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cpu/flood.h"
#include "kernels/cpu/scratch.h"
#include "kernels/cpu/variant.h"
#include "kernels/kernels.h"

enum {
  LIMIT = 128, /* distances from here on are only known to be as large */
  FLOATS = TS_CHUNK / sizeof(float),
  SHORTS = TS_CHUNK / sizeof(int16_t)
};

/* The uses of the planes. The distances in columns are over when pixels begin to follow each other; the others
 * when the seeds are known. */
enum { VALUES = 0, LABELS = 0, MASKS = 1, COLOURS = 1, COLUMNS = 2, FOLLOWS = 2 };

static int64_t round_up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

static int64_t float_stride(const struct ts_window *w) { return (w->blocks + 1) * FLOATS; }
static int64_t short_stride(const struct ts_window *w) { return round_up(w->width, SHORTS); }

/* The floats of row y, from -1 to the height. */
static float *float_row(const struct ts_window *w, int which, int64_t y) {
  return (float *)w->planes[which] + (y + 1) * float_stride(w) + FLOATS;
}

/* Distances in columns, from row -1 to the height. */
static int16_t *column_row(const struct ts_window *w, int64_t y) {
  return (int16_t *)w->planes[COLUMNS] + (y + 1) * short_stride(w);
}

void ts_window_release(struct ts_window *w) {
  for (int i = 0; i < 3; i++) ts_scratch_free(w->planes[i]);
  ts_scratch_free(w->row);
  ts_relax_release(&w->relax);
  ts_bits_release(&w->seeds);
  ts_runs_release(&w->seed_runs);
  *w = (struct ts_window){0};
}

static bool reserve_planes(struct ts_window *w, struct ts_error *err) {
  int64_t items = float_stride(w) * (w->height + 2) + FLOATS; /* more than the other uses need */
  int64_t shorts = short_stride(w) * (w->height + 2);
  if (items < (shorts + 1) / 2) items = (shorts + 1) / 2;
  int64_t followers = (w->width + 2) * (w->height + 2) + TS_FLOOD_LEVELS;
  if (items < followers) items = followers;
  if (items <= w->capacity) return true;
  w->capacity = 0;
  for (int i = 0; i < 3; i++) {
    ts_scratch_free(w->planes[i]);
    w->planes[i] = ts_scratch(items, 4, err);
  }
  if (!w->planes[0] || !w->planes[1] || !w->planes[2]) return false;
  w->capacity = items;
  return true;
}

static bool reserve_row(struct ts_window *w, struct ts_error *err) {
  int64_t items = 3 * short_stride(w) + (int64_t)4 * LIMIT;
  if (items <= w->row_capacity) return true;
  ts_scratch_free(w->row);
  w->row_capacity = 0;
  w->row = ts_scratch(items, sizeof *w->row, err);
  if (!w->row) return false;
  w->row_capacity = items;
  return true;
}

static bool reserve(struct ts_window *w, const struct ts_window_object *object, struct ts_error *err) {
  w->width = object->right - object->left;
  w->height = object->bottom - object->top;
  w->blocks = (w->width + FLOATS - 1) / FLOATS;
  return ts_bits_reserve(&w->seeds, w->width, w->height, err) && reserve_planes(w, err) && reserve_row(w, err);
}

/* ---- Distances ---- */

/* Steps up to the nearest background in each column, LIMIT if there is none or it is as far. */
static void column_distances_up(const struct ts_window *w, const struct ts_window_object *object) {
  int64_t stride = short_stride(w);
  for (int64_t x = 0; x < stride; x++) column_row(w, -1)[x] = column_row(w, w->height)[x] = LIMIT;
  memset(column_row(w, 0), 0, (size_t)(stride * w->height) * sizeof(int16_t));
  for (int32_t i = 0; i < object->run_count; i++) {
    struct ts_window_run run = object->runs[i];
    int16_t *here = column_row(w, run.y - object->top);
    const int16_t *above = here - stride;
    for (int32_t x = run.begin - object->left; x < run.end - object->left; x++)
      here[x] = above[x] < LIMIT ? (int16_t)(above[x] + 1) : LIMIT;
  }
}

static void step_up(int16_t *restrict here, const int16_t *restrict below, int64_t count) {
  for (int64_t x = 0; x < count; x += SHORTS)
    for (int i = 0; i < SHORTS; i++) {
      int16_t next = (int16_t)(below[x + i] + 1);
      int16_t old = here[x + i];
      here[x + i] = old < next ? old : next;
    }
}

static void column_distances_down(const struct ts_window *w) {
  for (int64_t y = w->height - 1; y >= 0; y--) step_up(column_row(w, y), column_row(w, y + 1), short_stride(w));
}

/* Squares of a row, and its largest distance before squaring. Behind the width nothing is reached. */
static int16_t square_row(const struct ts_window *w, const int16_t *columns, int16_t *restrict squares) {
  int16_t largest = 0;
  for (int64_t x = 0; x < short_stride(w); x += SHORTS)
    for (int i = 0; i < SHORTS; i++) {
      int16_t distance = columns[x + i];
      largest = distance > largest ? distance : largest;
      squares[x + i] = (int16_t)(distance * distance);
    }
  for (int64_t x = w->width; x < short_stride(w); x++) squares[x] = LIMIT * LIMIT;
  return largest;
}

/* Distances by their squares; FLT_MAX for the background. */
static float distance_of[LIMIT * LIMIT + 1];
static pthread_once_t distance_once = PTHREAD_ONCE_INIT;

static void fill_distances(void) {
  distance_of[0] = FLT_MAX;
  for (int i = 1; i <= LIMIT * LIMIT; i++) distance_of[i] = sqrtf((float)i);
}

/* Writes the distances of a row. Returns the largest square. */
static int16_t write_distances(const struct ts_window *w, const int16_t *nearest, float *to) {
  int16_t largest = 0;
  for (int64_t x = 0; x < w->width; x++) {
    largest = nearest[x] > largest ? nearest[x] : largest;
    to[x] = distance_of[nearest[x]];
  }
  return largest;
}

/* Distances into the masks of the reconstruction. Returns the largest square, LIMIT * LIMIT or more if they are not
 * known. */
static int find_distances(const struct ts_window *w, const struct ts_window_object *object) {
  int16_t *squares = w->row + LIMIT; /* LIMIT places on each side from which nothing is reached */
  int16_t *nearest = squares + short_stride(w) + LIMIT;
  int largest = 0;
  void (*look_aside)(int16_t *, const int16_t *, int64_t, int) = ts_variant_get()->look_aside;
  pthread_once(&distance_once, fill_distances);
  column_distances_up(w, object);
  column_distances_down(w);
  for (int x = 0; x < LIMIT; x++) squares[x - LIMIT] = squares[short_stride(w) + x] = LIMIT * LIMIT;
  for (int64_t y = 0; y < w->height; y++) {
    int16_t farthest = square_row(w, column_row(w, y), squares);
    memcpy(nearest, squares, (size_t)short_stride(w) * sizeof *nearest);
    for (int d = 1; d < farthest; d++) look_aside(nearest, squares, short_stride(w), d);
    int row_largest = write_distances(w, nearest, float_row(w, MASKS, y));
    largest = row_largest > largest ? row_largest : largest;
  }
  return largest;
}

/* The same for objects of any size. */
static bool find_large_distances(const struct ts_window *w, const struct ts_window_object *object,
                                 struct ts_error *err) {
  int64_t pixels = w->width * w->height;
  uint8_t *mask = ts_scratch_zero(pixels, 1, err);
  float *distance = ts_scratch(pixels, sizeof *distance, err);
  bool ok = mask && distance;
  for (int32_t i = 0; ok && i < object->run_count; i++) {
    struct ts_window_run run = object->runs[i];
    memset(mask + (run.y - object->top) * w->width + run.begin - object->left, 255, (size_t)(run.end - run.begin));
  }
  ok = ok && ts_edt(mask, w->width, w->height, distance, err);
  for (int64_t i = 0; ok && i < pixels; i++)
    float_row(w, MASKS, i / w->width)[i % w->width] = mask[i] ? distance[i] : FLT_MAX;
  ts_scratch_free(mask);
  ts_scratch_free(distance);
  return ok;
}

/* ---- Seeds ---- */

static void set_margins(const struct ts_window *w) {
  float *plane = w->planes[MASKS];
  int64_t stride = float_stride(w);
  for (int64_t i = 0; i < stride + FLOATS; i++) plane[i] = plane[(w->height + 1) * stride + i] = -FLT_MAX;
  for (int64_t y = 0; y < w->height; y++)
    for (int64_t x = w->width; x < stride; x++) float_row(w, MASKS, y)[x] = -FLT_MAX;
}

/* values = masks - 1, margins too. */
static void lower_by_one(const struct ts_window *w, int values, int masks) {
  ts_variant_get()->lower_f32(w->planes[values], w->planes[masks], float_stride(w) * (w->height + 2) + FLOATS);
}

static bool reconstruct(struct ts_window *w, int values, int masks, int connectivity, struct ts_error *err) {
  struct ts_relax *r = &w->relax;
  r->visit = ts_variant_get()->relax_f32;
  r->value = (uint8_t *)float_row(w, values, 0);
  r->mask = (const uint8_t *)float_row(w, masks, 0);
  r->stride_bytes = float_stride(w) * (int64_t)sizeof(float);
  r->blocks = w->blocks;
  r->height = w->height;
  r->corners = connectivity == 8;
  return ts_relax_run(r, NULL, err);
}

static void keep_peaks(uint8_t *restrict kept, const float *restrict domes, const float *restrict raised) {
  for (int i = 0; i < FLOATS; i++) kept[i] = !(domes[i] - 1.0f < raised[i]);
}

/* The seeds are the pixels that keep their value when the domes, lowered by one more, are reconstructed: the
 * background, and peaks that rise enough above any way to a higher one. */
static bool mark_peaks(struct ts_window *w, int connectivity, struct ts_error *err) {
  set_margins(w);
  lower_by_one(w, VALUES, MASKS);
  if (!reconstruct(w, VALUES, MASKS, 8, err)) return false;
  lower_by_one(w, MASKS, VALUES);
  if (!reconstruct(w, MASKS, VALUES, connectivity, err)) return false;
  for (int64_t y = 0; y < w->height; y++) {
    const float *domes = float_row(w, VALUES, y);
    const float *raised = float_row(w, MASKS, y);
    uint8_t *kept = (uint8_t *)w->row;
    for (int64_t x = 0; x < w->blocks * FLOATS; x += FLOATS) keep_peaks(kept + x, domes + x, raised + x);
    ts_variant_get()->pack(kept, w->width, 0, ts_bits_row(&w->seeds, y));
  }
  return true;
}

static void mark_background(struct ts_window *w, const struct ts_window_object *object) {
  memset(w->seeds.words, 0, (size_t)(w->seeds.stride * w->height) * sizeof *w->seeds.words);
  for (int32_t i = 0; i < object->run_count; i++) {
    struct ts_window_run run = object->runs[i];
    ts_bits_set_range(ts_bits_row(&w->seeds, run.y - object->top), run.begin - object->left, run.end - object->left);
  }
  for (int64_t y = 0; y < w->height; y++) {
    uint64_t *row = ts_bits_row(&w->seeds, y);
    for (int64_t i = 0; i < w->seeds.stride; i++) row[i] = ~row[i];
    row[w->seeds.stride - 1] &= ts_bits_tail(w->width);
  }
}

/* Distances of less than 3 give no seed but the background: such domes end below 2, and every pixel is reached from the
 * background over values of at least 1. */
static bool find_seeds(struct ts_window *w, const struct ts_window_object *object, int connectivity,
                       struct ts_error *err) {
  int largest = find_distances(w, object);
  if (largest >= LIMIT * LIMIT && !find_large_distances(w, object, err)) return false;
  if (largest >= 3 * 3) {
    if (!mark_peaks(w, connectivity, err)) return false;
  } else {
    mark_background(w, object);
  }
  return ts_runs_find(&w->seed_runs, &w->seeds, TS_RUNS_OF_FOREGROUND, connectivity, NULL, err);
}

/* ---- Lines ---- */

static int32_t pixel_at(const struct ts_flood *f, int64_t x, int64_t y) {
  return (int32_t)((y + 1) * f->stride + x + 1);
}

static void draw_seeds(const struct ts_window *w, struct ts_flood *f) {
  memset(f->label, 0, (size_t)f->total * sizeof *f->label);
  for (int64_t i = 0; i < f->stride; i++) f->label[i] = f->label[(w->height + 1) * f->stride + i] = TS_FLOOD_LINE;
  for (int64_t y = 0; y < w->height; y++) {
    f->label[pixel_at(f, -1, y)] = f->label[pixel_at(f, w->width, y)] = TS_FLOOD_LINE;
    for (int32_t i = w->seed_runs.row_first[y]; i < w->seed_runs.row_first[y + 1]; i++) {
      int32_t *row = f->label + pixel_at(f, 0, y);
      int32_t label = w->seed_runs.component[i] + 1;
      for (int32_t x = w->seed_runs.items[i].begin; x < w->seed_runs.items[i].end; x++) row[x] = label;
    }
  }
}

/* The image is far away in memory: it is on its way while the seeds are sought. */
static void fetch_colours(const struct ts_window_object *object, const uint8_t *rgb, int64_t image_width) {
  for (int32_t i = 0; i < object->run_count; i++) {
    const uint8_t *row = rgb + 3 * (object->runs[i].y * image_width);
    __builtin_prefetch(row + (ptrdiff_t)3 * object->runs[i].begin);
    __builtin_prefetch(row + (ptrdiff_t)3 * object->runs[i].end - 1);
  }
}

static uint32_t four_bytes(const uint8_t *bytes) {
  return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24; /* one load */
}

/* The colours of the object, black elsewhere. The last pixel of a run may be that of the image. */
static void draw_colours(const struct ts_window_object *object, const uint8_t *rgb, int64_t image_width,
                         struct ts_flood *f) {
  memset(f->colour, 0, (size_t)f->total * sizeof *f->colour);
  for (int32_t i = 0; i < object->run_count; i++) {
    struct ts_window_run run = object->runs[i];
    const uint8_t *from = rgb + 3 * (run.y * image_width + run.begin);
    uint32_t *to = f->colour + pixel_at(f, run.begin - object->left, run.y - object->top);
    for (const uint32_t *last = to + (run.end - run.begin - 1); to < last; from += 3)
      *to++ = four_bytes(from) & 0xffffff;
    *to = from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16;
  }
}

static void flood_object(const struct ts_window_object *object, struct ts_flood *f) {
  ts_flood_start(f);
  for (int32_t i = 0; i < object->run_count; i++) {
    struct ts_window_run run = object->runs[i];
    int32_t pixel = pixel_at(f, run.begin - object->left, run.y - object->top);
    for (int32_t end = pixel + run.end - run.begin; pixel < end; pixel++)
      if (f->label[pixel] == 0) ts_flood_offer(f, pixel);
  }
  ts_flood_run(f);
}

/* Only pixels of the object are written, so that windows that overlap can be worked on at the same time. */
static void erase_lines(const struct ts_window_object *object, const struct ts_flood *f, int64_t image_width,
                        uint8_t *out) {
  for (int32_t i = 0; i < object->run_count; i++) {
    struct ts_window_run run = object->runs[i];
    int32_t pixel = pixel_at(f, run.begin - object->left, run.y - object->top);
    uint8_t *row = out + run.y * image_width + run.begin;
    for (int32_t x = 0; x < run.end - run.begin; x++)
      if (ts_flood_is_line(f, pixel + x)) row[x] = 0;
  }
}

bool ts_window_split(struct ts_window *w, const struct ts_window_object *object, const uint8_t *rgb,
                     int64_t image_width, int connectivity, uint8_t *out, struct ts_error *err) {
  fetch_colours(object, rgb, image_width);
  if (!reserve(w, object, err) || !find_seeds(w, object, connectivity, err)) return false;
  if (w->seed_runs.component_count == 1) return true; /* one label floods everything: no lines */
  struct ts_flood f = {.label = w->planes[LABELS],
                       .colour = w->planes[COLOURS],
                       .follows = w->planes[FOLLOWS],
                       .stride = (int32_t)w->width + 2,
                       .total = (int32_t)((w->width + 2) * (w->height + 2))};
  draw_seeds(w, &f);
  draw_colours(object, rgb, image_width, &f);
  flood_object(object, &f);
  erase_lines(object, &f, image_width, out);
  return true;
}
