/* Sixth task of the nuclei segmentation: separates touching nuclei by a watershed from the domes of their distances.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The definition speaks of the whole image, but 8-connected objects do not influence each other: distances, domes and
 * flooding end at the background around an object, all of which is seed, and the background pixels along one border of
 * an object are connected without leaving its neighbourhood. Each object is therefore worked on in its own window, one
 * pixel larger than the object and cut at the image's edge, with everything else taken as background. That keeps the
 * scratch planes as small as nuclei. Should the windows together be larger than the image (objects inside each other),
 * the image is one window. The unit test compares with the definition on the whole image. */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cpu/runs.h"
#include "kernels/cpu/scratch.h"
#include "kernels/kernels.h"
#include "kernels/nuclei.h"

struct box {
  int32_t left, top, right, bottom; /* right and bottom are one past the end */
};

struct object {
  struct box box;
  int32_t first_run; /* in runs_of */
  int32_t run_count;
};

struct split {
  const uint8_t *rgb; /* borrowed */
  int64_t width;
  int64_t height;
  int connectivity;
  uint8_t *out; /* borrowed: the mask, where lines become 0 */
  struct ts_runs runs;
  int32_t *run_row;       /* owned: y of each run */
  int32_t *runs_of;       /* owned: runs ordered by object */
  struct object *objects; /* owned */
};

/* The planes of one window; they grow to the largest object and are used for all. */
struct window {
  int64_t width;
  int64_t height;
  int64_t capacity; /* pixels */
  uint8_t *mask;    /* owned, like all below */
  uint8_t *rgb;
  float *distance;
  float *domes;
  uint32_t *seeds;
  int32_t *labels;
  int32_t *closed;
};

static void window_release(struct window *w) {
  free(w->mask);
  free(w->rgb);
  free(w->distance);
  free(w->domes);
  free(w->seeds);
  free(w->labels);
  free(w->closed);
  *w = (struct window){0};
}

static bool window_reserve(struct window *w, int64_t width, int64_t height, struct ts_error *err) {
  int64_t pixels = width * height;
  if (pixels > w->capacity) {
    window_release(w);
    w->mask = ts_scratch(pixels, 1, err);
    w->rgb = ts_scratch(pixels, 3, err);
    w->distance = ts_scratch(pixels, sizeof *w->distance, err);
    w->domes = ts_scratch(pixels, sizeof *w->domes, err);
    w->seeds = ts_scratch(pixels, sizeof *w->seeds, err);
    w->labels = ts_scratch(pixels, sizeof *w->labels, err);
    w->closed = ts_scratch(pixels, sizeof *w->closed, err);
    if (!w->mask || !w->rgb || !w->distance || !w->domes || !w->seeds || !w->labels || !w->closed) return false;
    w->capacity = pixels;
  }
  w->width = width;
  w->height = height;
  return true;
}

static void split_release(struct split *s) {
  ts_runs_release(&s->runs);
  free(s->run_row);
  free(s->runs_of);
  free(s->objects);
}

static void enclose(struct box *box, struct ts_run run, int32_t y) {
  if (run.begin < box->left) box->left = run.begin;
  if (run.end > box->right) box->right = run.end;
  if (y < box->top) box->top = y;
  if (y + 1 > box->bottom) box->bottom = y + 1;
}

/* Boxes and counts of the objects, then the runs in the order of their objects. */
static void collect_objects(struct split *s) {
  for (int32_t c = 0; c < s->runs.component_count; c++)
    s->objects[c] = (struct object){.box = {INT32_MAX, INT32_MAX, 0, 0}};
  for (int32_t y = 0; y < (int32_t)s->height; y++) {
    for (int32_t i = s->runs.row_first[y]; i < s->runs.row_first[y + 1]; i++) {
      struct object *object = &s->objects[s->runs.component[i]];
      s->run_row[i] = y;
      enclose(&object->box, s->runs.items[i], y);
      object->run_count++;
    }
  }
  int32_t next = 0;
  for (int32_t c = 0; c < s->runs.component_count; c++) {
    s->objects[c].first_run = next;
    next += s->objects[c].run_count;
    s->objects[c].run_count = 0;
  }
  for (int32_t i = 0; i < s->runs.count; i++) {
    struct object *object = &s->objects[s->runs.component[i]];
    s->runs_of[object->first_run + object->run_count++] = i;
  }
}

static struct box grown(const struct split *s, struct box box) {
  if (box.left > 0) box.left--;
  if (box.top > 0) box.top--;
  if (box.right < s->width) box.right++;
  if (box.bottom < s->height) box.bottom++;
  return box;
}

static int64_t area_of(struct box box) { return (int64_t)(box.right - box.left) * (box.bottom - box.top); }

/* Mask and image of the given runs in the window; black elsewhere. */
static void draw_runs(const struct split *s, const int32_t *runs, int32_t count, struct box box, struct window *w) {
  if (!w->mask || !w->rgb) TS_BUG("a window without planes");
  memset(w->mask, 0, (size_t)(w->width * w->height));
  memset(w->rgb, 0, (size_t)(w->width * w->height) * 3);
  for (int32_t i = 0; i < count; i++) {
    struct ts_run run = s->runs.items[runs[i]];
    int64_t y = s->run_row[runs[i]];
    int64_t to = (y - box.top) * w->width + run.begin - box.left;
    memset(w->mask + to, 255, (size_t)(run.end - run.begin));
    memcpy(w->rgb + 3 * to, s->rgb + 3 * (y * s->width + run.begin), (size_t)(run.end - run.begin) * 3);
  }
}

/* Marks the seeds in w->mask. They are the pixels that keep their value when the domes, lowered by one more, are
 * reconstructed: the background, and peaks that rise enough above any way to a higher one. */
static bool mark_seeds(struct window *w, int connectivity, struct ts_error *err) {
  int64_t pixels = w->width * w->height;
  if (!ts_hmax(w->distance, w->width, w->height, 1.0f, w->domes, err)) return false;
  float *lowered = w->distance;
  for (int64_t i = 0; i < pixels; i++) lowered[i] = w->domes[i] - 1.0f;
  if (!ts_recon_f32(lowered, w->domes, w->width, w->height, connectivity, w->domes, err)) return false;
  for (int64_t i = 0; i < pixels; i++) w->mask[i] = (uint8_t) - !(lowered[i] < w->domes[i]);
  return true;
}

/* Distances of less than 3 give no seed but the background: such domes end below 2, and every pixel is reached from the
 * background over values of at least 1. */
static bool find_seeds(struct window *w, int connectivity, uint32_t *count, struct ts_error *err) {
  int64_t pixels = w->width * w->height;
  if (!ts_edt(w->mask, w->width, w->height, w->distance, err)) return false;
  float largest = 0;
  for (int64_t i = 0; i < pixels; i++) {
    largest = w->distance[i] > largest ? w->distance[i] : largest;
    w->distance[i] = w->mask[i] ? w->distance[i] : FLT_MAX;
    w->mask[i] = (uint8_t)~w->mask[i];
  }
  if (largest >= 3.0f && !mark_seeds(w, connectivity, err)) return false;
  return ts_label(w->mask, w->width, w->height, connectivity, w->seeds, count, err);
}

static void erase_lines(const struct split *s, const struct window *w, struct box box) {
  for (int64_t y = 0; y < w->height; y++) {
    uint8_t *row = s->out + (y + box.top) * s->width + box.left;
    for (int64_t x = 0; x < w->width; x++)
      if (w->closed[y * w->width + x] < 0) row[x] = 0;
  }
}

static bool split_runs(struct split *s, const int32_t *runs, int32_t count, struct box box, struct window *w,
                       struct ts_error *err) {
  if (!window_reserve(w, box.right - box.left, box.bottom - box.top, err)) return false;
  draw_runs(s, runs, count, box, w);
  uint32_t seed_count;
  if (!find_seeds(w, s->connectivity, &seed_count, err)) return false;
  if (seed_count == 1) return true; /* one label floods everything: no lines */
  if (!ts_watershed(w->rgb, w->seeds, w->width, w->height, w->labels, err)) return false;
  if (!ts_watershed_close_gaps(w->labels, w->width, w->height, w->closed, err)) return false;
  erase_lines(s, w, box);
  return true;
}

static bool split_objects(struct split *s, struct ts_error *err) {
  int64_t windows_area = 0;
  for (int32_t c = 0; c < s->runs.component_count; c++) windows_area += area_of(grown(s, s->objects[c].box));
  struct window window = {0};
  bool ok = true;
  if (windows_area > s->width * s->height) {
    struct box whole = {0, 0, (int32_t)s->width, (int32_t)s->height};
    ok = split_runs(s, s->runs_of, s->runs.count, whole, &window, err);
  } else {
    for (int32_t c = 0; ok && c < s->runs.component_count; c++) {
      const struct object *object = &s->objects[c];
      ok = split_runs(s, s->runs_of + object->first_run, object->run_count, grown(s, object->box), &window, err);
    }
  }
  window_release(&window);
  return ok;
}

bool ts_nuclei_split(const uint8_t *rgb, const uint8_t *seg_open, int64_t width, int64_t height, int64_t min_size_pl,
                     int watershed_connectivity, uint8_t *seg_nonoverlap, struct ts_error *err) {
  uint8_t *big = seg_nonoverlap;
  if (!ts_area_filter(seg_open, width, height, min_size_pl, INT32_MAX, 8, big, err) ||
      !ts_dilate(big, width, height, TS_ELEMENT_CROSS3, big, err))
    return false;
  struct split s = {.rgb = rgb, .width = width, .height = height, .connectivity = watershed_connectivity, .out = big};
  bool ok = ts_runs_init(&s.runs, big, width, height, TS_RUNS_OF_FOREGROUND, 8, err) &&
            (s.run_row = ts_scratch(s.runs.count, sizeof *s.run_row, err)) &&
            (s.runs_of = ts_scratch(s.runs.count, sizeof *s.runs_of, err)) &&
            (s.objects = ts_scratch(s.runs.component_count, sizeof *s.objects, err));
  if (ok) {
    collect_objects(&s);
    ok = split_objects(&s, err);
  }
  split_release(&s);
  return ok;
}
