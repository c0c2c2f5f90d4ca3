/* Finds the objects of a mask or of labels and sorts their runs by object.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/objects.h"

#include <stdlib.h>

#include "kernels/cpu/bits.h"
#include "kernels/cpu/label_runs.h"
#include "kernels/cpu/runs.h"
#include "kernels/cpu/scratch.h"
#include "kernels/kernels.h"

static int compare_runs(const void *a, const void *b) {
  const struct ts_label_run *p = a;
  const struct ts_label_run *q = b;
  if (p->label != q->label) return p->label < q->label ? -1 : 1;
  if (p->y != q->y) return p->y < q->y ? -1 : 1;
  return (p->begin > q->begin) - (p->begin < q->begin);
}

static struct ts_pixel_run run_of(const struct ts_label_run *run) {
  return (struct ts_pixel_run){.y = run->y, .begin = run->begin, .end = run->end};
}

/* Lists the objects of runs that lie label after label; labels are those of the runs before they were copied. */
static void add_run(struct ts_objects *objects, uint32_t label, size_t at) {
  if (objects->count == 0 || objects->items[objects->count - 1].label != label)
    objects->items[objects->count++] = (struct ts_object){.runs = &objects->runs[at], .label = label};
  objects->items[objects->count - 1].count++;
}

/* Labels that are far from consecutive. */
static bool sort_sparse(struct ts_label_runs *list, struct ts_objects *objects, struct ts_error *err) {
  qsort(list->items, list->count, sizeof *list->items, compare_runs);
  size_t count = 0;
  for (size_t i = 0; i < list->count; i++) count += i == 0 || list->items[i].label != list->items[i - 1].label;
  objects->items = ts_scratch((int64_t)count, sizeof *objects->items, err);
  if (!objects->items) return false;
  for (size_t i = 0; i < list->count; i++) {
    objects->runs[i] = run_of(&list->items[i]);
    add_run(objects, list->items[i].label, i);
  }
  return true;
}

/* Labels are small numbers as a rule: then it is enough to count them. Runs of one label keep their order. */
static bool sort_dense(const struct ts_label_runs *list, uint32_t largest, struct ts_objects *objects,
                       struct ts_error *err) {
  size_t *place = ts_scratch_zero((int64_t)largest + 2, sizeof *place, err);
  if (!place) return false;
  for (size_t i = 0; i < list->count; i++) place[list->items[i].label + 1]++;
  size_t count = 0;
  for (uint32_t label = 0; label <= largest; label++) count += place[label + 1] > 0;
  objects->items = ts_scratch((int64_t)count, sizeof *objects->items, err);
  if (objects->items) {
    for (uint32_t label = 1; label <= largest; label++) {
      if (place[label + 1] > 0)
        objects->items[objects->count++] =
            (struct ts_object){.runs = &objects->runs[place[label]], .count = place[label + 1], .label = label};
      place[label + 1] += place[label];
    }
    for (size_t i = 0; i < list->count; i++) objects->runs[place[list->items[i].label]++] = run_of(&list->items[i]);
  }
  ts_scratch_free(place);
  return objects->items != NULL;
}

static bool sort_runs(struct ts_label_runs *list, struct ts_objects *objects, struct ts_error *err) {
  uint32_t largest = 0;
  for (size_t i = 0; i < list->count; i++) largest = list->items[i].label > largest ? list->items[i].label : largest;
  objects->runs = ts_scratch((int64_t)list->count, sizeof *objects->runs, err);
  if (!objects->runs) return false;
  objects->run_count = list->count;
  return largest / 4 > list->count ? sort_sparse(list, objects, err) : sort_dense(list, largest, objects, err);
}

bool ts_objects_of_labels(const uint32_t *labels, int64_t width, int64_t height, struct ts_objects *objects,
                          struct ts_error *err) {
  *objects = (struct ts_objects){0};
  if (!ts_kernels_check_size(width, height, err)) return false;
  struct ts_label_runs list;
  bool ok = ts_label_runs_init(&list, labels, width, height, err) && sort_runs(&list, objects, err);
  ts_label_runs_release(&list);
  return ok;
}

/* The runs of components, which are numbered by their first pixels. */
static bool sort_components(const struct ts_runs *runs, struct ts_objects *objects, struct ts_error *err) {
  objects->runs = ts_scratch(runs->count, sizeof *objects->runs, err);
  objects->items = ts_scratch_zero(runs->component_count, sizeof *objects->items, err);
  if (!objects->runs || !objects->items) return false;
  objects->run_count = (size_t)runs->count;
  objects->count = (size_t)runs->component_count;
  for (int32_t i = 0; i < runs->count; i++) objects->items[runs->component[i]].count++;
  struct ts_pixel_run *next = objects->runs;
  for (size_t i = 0; i < objects->count; i++) {
    objects->items[i].runs = next;
    objects->items[i].label = (uint32_t)i + 1;
    next += objects->items[i].count;
    objects->items[i].count = 0;
  }
  for (int64_t y = 0; y < runs->height; y++) {
    for (int32_t i = runs->row_first[y]; i < runs->row_first[y + 1]; i++) {
      struct ts_object *object = &objects->items[runs->component[i]];
      objects->runs[(size_t)(object->runs - objects->runs) + object->count++] =
          (struct ts_pixel_run){.y = (int32_t)y, .begin = runs->items[i].begin, .end = runs->items[i].end};
    }
  }
  return true;
}

bool ts_objects_of_mask(const uint8_t *mask, int64_t width, int64_t height, struct ts_objects *objects,
                        const struct ts_kernel_threads *threads, struct ts_error *err) {
  *objects = (struct ts_objects){0};
  struct ts_bits bits = {0};
  struct ts_runs runs = {0};
  bool ok = ts_bits_reserve(&bits, width, height, err);
  if (ok) ts_bits_from_plane(&bits, mask, 0, threads);
  ok = ok && ts_runs_find(&runs, &bits, TS_RUNS_OF_FOREGROUND, 8, threads, err) && sort_components(&runs, objects, err);
  ts_runs_release(&runs);
  ts_bits_release(&bits);
  return ok;
}

void ts_objects_release(struct ts_objects *objects) {
  ts_scratch_free(objects->items);
  ts_scratch_free(objects->runs);
  *objects = (struct ts_objects){0};
}
