/* Sixth task of the nuclei segmentation: separates touching nuclei by a watershed from the domes of their distances.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The definition speaks of the whole image, but 8-connected objects do not influence each other: distances, domes and
 * flooding end at the background around an object, all of which is seed, and the background pixels along one border of
 * an object are connected without leaving its neighbourhood. Each object is therefore worked on in its own window, one
 * pixel larger than the object and cut at the image's edge, with everything else taken as background. That keeps the
 * scratch planes as small as nuclei, and threads can share the objects. Should the windows together be much larger than
 * the image (objects inside each other), the image is one window. The unit test compares with the definition on the
 * whole image.
 *
 * So what becomes of an object follows from the image, the connectivity and its runs: with a memo each object is a
 * part, and its value are the pixels of its lines. */
#include <stdlib.h>
#include <string.h>

#include "kernels/cpu/bands.h"
#include "kernels/cpu/bits.h"
#include "kernels/cpu/runs.h"
#include "kernels/cpu/scratch.h"
#include "kernels/cpu/window.h"
#include "kernels/kernels.h"
#include "kernels/nuclei.h"

struct split {
  const uint8_t *rgb; /* borrowed */
  int64_t width;
  int64_t height;
  int connectivity;
  const struct ts_kernel_memo *memo; /* borrowed; NULL: every object is computed */
  uint8_t *out;                      /* borrowed: the mask, where lines become 0 */
  struct ts_runs runs;
  struct ts_window_run *runs_of;    /* owned: runs ordered by object */
  struct ts_window_object *objects; /* owned */
  int32_t object_count;
};

static void split_release(struct split *s) {
  ts_runs_release(&s->runs);
  ts_scratch_free(s->runs_of);
  ts_scratch_free(s->objects);
}

static void enclose(struct ts_window_object *object, struct ts_run run, int32_t y) {
  if (run.begin < object->left) object->left = run.begin;
  if (run.end > object->right) object->right = run.end;
  if (y < object->top) object->top = y;
  if (y + 1 > object->bottom) object->bottom = y + 1;
}

/* Boxes and counts of the objects, then the runs in the order of their objects. */
static void collect_objects(struct split *s) {
  for (int32_t c = 0; c < s->object_count; c++)
    s->objects[c] = (struct ts_window_object){.left = INT32_MAX, .top = INT32_MAX};
  for (int32_t y = 0; y < (int32_t)s->height; y++) {
    for (int32_t i = s->runs.row_first[y]; i < s->runs.row_first[y + 1]; i++) {
      struct ts_window_object *object = &s->objects[s->runs.component[i]];
      enclose(object, s->runs.items[i], y);
      object->run_count++;
    }
  }
  const struct ts_window_run *next = s->runs_of;
  for (int32_t c = 0; c < s->object_count; c++) {
    s->objects[c].runs = next;
    next += s->objects[c].run_count;
    s->objects[c].run_count = 0;
  }
  for (int32_t y = 0; y < (int32_t)s->height; y++) {
    for (int32_t i = s->runs.row_first[y]; i < s->runs.row_first[y + 1]; i++) {
      struct ts_window_object *object = &s->objects[s->runs.component[i]];
      s->runs_of[object->runs - s->runs_of + object->run_count++] =
          (struct ts_window_run){y, s->runs.items[i].begin, s->runs.items[i].end};
    }
  }
}

static void grow_window(const struct split *s, struct ts_window_object *object) {
  if (object->left > 0) object->left--;
  if (object->top > 0) object->top--;
  if (object->right < s->width) object->right++;
  if (object->bottom < s->height) object->bottom++;
}

static int64_t area_of(const struct ts_window_object *object) {
  return (int64_t)(object->right - object->left) * (object->bottom - object->top);
}

/* All runs as one object in a window of the whole image. */
static void join_objects(struct split *s) {
  for (int32_t y = 0; y < (int32_t)s->height; y++)
    for (int32_t i = s->runs.row_first[y]; i < s->runs.row_first[y + 1]; i++)
      s->runs_of[i] = (struct ts_window_run){y, s->runs.items[i].begin, s->runs.items[i].end};
  s->objects[0] = (struct ts_window_object){
      .runs = s->runs_of, .run_count = s->runs.count, .right = (int32_t)s->width, .bottom = (int32_t)s->height};
  s->object_count = 1;
  s->memo = NULL; /* such a part would never come back */
}

/* ---- Objects that were split before ---- */

enum { PART_RUNS = 1 << 14, PART_LINES = 1 << 13 }; /* larger objects are always computed */

/* Working memory of a thread, to look an object up. */
struct part {
  struct {
    unsigned char prefix[sizeof((struct ts_kernel_memo *)NULL)->prefix];
    int32_t connectivity;
    int32_t run_count;
    struct ts_window_run runs[PART_RUNS];
  } key; /* without gaps */
  size_t key_bytes;
  uint32_t lines[PART_LINES]; /* the value: numbers of pixels */
};

static void name_part(struct part *part, const struct split *s, const struct ts_window_object *object) {
  memcpy(part->key.prefix, s->memo->prefix, sizeof part->key.prefix);
  part->key.connectivity = s->connectivity == 8 ? 8 : 4;
  part->key.run_count = object->run_count;
  size_t runs_bytes = (size_t)object->run_count * sizeof *object->runs;
  memcpy(part->key.runs, object->runs, runs_bytes);
  part->key_bytes = (size_t)((unsigned char *)part->key.runs - (unsigned char *)&part->key) + runs_bytes;
}

static bool recall_lines(struct part *part, const struct split *s) {
  size_t bytes = s->memo->recall(s->memo->user, &part->key, part->key_bytes, part->lines, sizeof part->lines);
  if (bytes == TS_KERNEL_NOT_KNOWN) return false;
  for (size_t i = 0; i < bytes / sizeof *part->lines; i++) s->out[part->lines[i]] = 0;
  return true;
}

/* Only the thread that works on the object has written into its runs, and only lines. */
static void remember_lines(struct part *part, const struct split *s, const struct ts_window_object *object) {
  size_t count = 0;
  for (int32_t i = 0; i < object->run_count; i++) {
    const struct ts_window_run *run = &object->runs[i];
    const int64_t row = run->y * s->width;
    for (int64_t pixel = row + run->begin; pixel < row + run->end; pixel++) {
      if (s->out[pixel] != 0) continue;
      if (count == PART_LINES) return;
      part->lines[count++] = (uint32_t)pixel;
    }
  }
  s->memo->remember(s->memo->user, &part->key, part->key_bytes, part->lines, count * sizeof *part->lines);
}

/* Without a memo `part` is NULL. */
static bool split_object(struct ts_window *window, struct part *part, const struct split *s,
                         const struct ts_window_object *object, struct ts_error *err) {
  if (object->run_count > PART_RUNS) part = NULL;
  if (part) {
    name_part(part, s, object);
    if (recall_lines(part, s)) return true;
  }
  if (!ts_window_split(window, object, s->rgb, s->width, s->connectivity, s->out, err)) return false;
  if (part) remember_lines(part, s, object);
  return true;
}

/* ---- Threads: each piece is a stretch of objects ---- */

enum { PIECES_PER_THREAD = 8, WINDOWS_PER_IMAGE = 2 };

struct piece {
  const struct split *split; /* borrowed */
  int32_t begin;
  int32_t end;
  struct ts_error error;
};

static void split_piece(void *context, size_t index) {
  struct piece *piece = (struct piece *)context + index;
  const struct split *s = piece->split;
  struct ts_window window = {0};
  struct part *part = s->memo && piece->begin < piece->end ? ts_scratch(1, sizeof *part, &piece->error) : NULL;
  bool ok = piece->error.code == TS_ERR_OK;
  for (int32_t c = piece->begin; ok && c < piece->end; c++)
    ok = split_object(&window, part, s, &s->objects[c], &piece->error);
  ts_window_release(&window);
  ts_scratch_free(part);
}

/* Cuts the objects into pieces of about the same area. */
static void cut(const struct split *s, int64_t area, struct piece *pieces, size_t count) {
  int32_t c = 0;
  int64_t done = 0;
  for (size_t i = 0; i < count; i++) {
    pieces[i] = (struct piece){.split = s, .begin = c};
    int64_t goal = area * (int64_t)(i + 1) / (int64_t)count;
    while (c < s->object_count && (done < goal || i + 1 == count)) done += area_of(&s->objects[c++]);
    pieces[i].end = c;
  }
}

static bool split_objects(struct split *s, const struct ts_kernel_threads *threads, struct ts_error *err) {
  int64_t area = 0;
  for (int32_t c = 0; c < s->object_count; c++) {
    grow_window(s, &s->objects[c]);
    area += area_of(&s->objects[c]);
  }
  if (area > WINDOWS_PER_IMAGE * s->width * s->height) join_objects(s);
  size_t count = threads && threads->count > 1 ? threads->count * PIECES_PER_THREAD : 1;
  struct piece *pieces = ts_scratch((int64_t)count, sizeof *pieces, err);
  if (!pieces) return false;
  cut(s, area, pieces, count);
  ts_pieces_run(threads, count, split_piece, pieces);
  bool ok = true;
  for (size_t i = 0; ok && i < count; i++) {
    ok = pieces[i].error.code == TS_ERR_OK;
    if (!ok && err) *err = pieces[i].error;
  }
  ts_scratch_free(pieces);
  return ok;
}

/* The objects that are large enough, grown by one pixel: into s->out and as runs. */
static bool prepare(struct split *s, const uint8_t *seg_open, int64_t min_size, const struct ts_kernel_threads *threads,
                    struct ts_error *err) {
  struct ts_bits bits = {0};
  struct ts_bits big = {0};
  bool ok = ts_bits_reserve(&bits, s->width, s->height, err) && ts_bits_reserve(&big, s->width, s->height, err);
  if (ok) {
    ts_bits_from_plane(&bits, seg_open, 0, threads);
    ok = ts_bits_area_filter(&bits, min_size, INT32_MAX, 8, threads, err);
  }
  if (ok) {
    ts_bits_dilate_cross(&bits, &big, threads);
    ts_bits_to_plane(&big, s->out, threads);
    ok = ts_runs_find(&s->runs, &big, TS_RUNS_OF_FOREGROUND, 8, threads, err);
  }
  ts_bits_release(&big);
  ts_bits_release(&bits);
  return ok;
}

bool ts_nuclei_split(const uint8_t *rgb, const uint8_t *seg_open, int64_t width, int64_t height, int64_t min_size_pl,
                     int watershed_connectivity, uint8_t *seg_nonoverlap, const struct ts_kernel_threads *threads,
                     const struct ts_kernel_memo *memo, struct ts_error *err) {
  struct split s = {.rgb = rgb, .width = width, .height = height, .connectivity = watershed_connectivity, .memo = memo};
  s.out = seg_nonoverlap;
  bool ok = prepare(&s, seg_open, min_size_pl, threads, err) &&
            (s.runs_of = ts_scratch(s.runs.count, sizeof *s.runs_of, err)) &&
            (s.objects = ts_scratch(s.runs.component_count + 1, sizeof *s.objects, err));
  if (ok) {
    s.object_count = s.runs.component_count;
    collect_objects(&s);
    ok = split_objects(&s, threads, err);
  }
  split_release(&s);
  return ok;
}
