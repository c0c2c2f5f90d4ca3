/* Compares two masks row by row; objects are followed by their runs, joined by union-find.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/compare/mask_pair.h"

#include "base/alloc.h"
#include "base/order.h"

#include <string.h>

/* ---- objects of one mask ---- */

struct run {
  int64_t begin, end; /* columns, the end exclusive */
  uint32_t value, label;
};
struct runs {
  struct run *items; /* owned */
  size_t count, capacity;
};
struct tracker {
  struct runs before, row;
  uint32_t *parents; /* owned: per label, one of the same object; itself: the root */
  bool *met;         /* owned: per root, whether a pixel is one of the other mask */
  size_t label_count, parent_capacity, met_capacity;
};

static void tracker_release(struct tracker *tracker) {
  free(tracker->before.items);
  free(tracker->row.items);
  free(tracker->parents);
  free(tracker->met);
}

static uint32_t root_of(struct tracker *tracker, uint32_t label) {
  while (tracker->parents[label] != label) {
    tracker->parents[label] = tracker->parents[tracker->parents[label]];
    label = tracker->parents[label];
  }
  return label;
}

static uint32_t new_label(struct tracker *tracker) {
  const size_t label = tracker->label_count++;
  tracker->parents = ts_grow(tracker->parents, label, &tracker->parent_capacity, sizeof *tracker->parents);
  tracker->met = ts_grow(tracker->met, label, &tracker->met_capacity, sizeof *tracker->met);
  tracker->parents[label] = (uint32_t)label;
  tracker->met[label] = false;
  return (uint32_t)label;
}

static uint32_t join(struct tracker *tracker, uint32_t a, uint32_t b) {
  a = root_of(tracker, a);
  b = root_of(tracker, b);
  if (a == b) return a;
  if (a > b) return join(tracker, b, a);
  tracker->parents[b] = a;
  tracker->met[a] = tracker->met[a] || tracker->met[b];
  return a;
}

/* Runs of the row before that touch, by a corner too. *from: the first that may; runs come from left to right. */
static void label_run(struct tracker *tracker, struct run *run, size_t *from) {
  bool is_labelled = false;
  while (*from < tracker->before.count && tracker->before.items[*from].end < run->begin) ++*from;
  for (size_t i = *from; i < tracker->before.count && tracker->before.items[i].begin <= run->end; i++) {
    const struct run *above = &tracker->before.items[i];
    if (above->value != run->value) continue;
    run->label = is_labelled ? join(tracker, run->label, above->label) : root_of(tracker, above->label);
    is_labelled = true;
  }
  if (!is_labelled) run->label = new_label(tracker);
}

static bool meets(const uint32_t *other, const struct run *run) {
  for (int64_t x = run->begin; x < run->end; x++)
    if (other[x] != 0) return true;
  return false;
}

static void track(struct tracker *tracker, const uint32_t *row, const uint32_t *other, int64_t width) {
  const struct runs free_runs = tracker->before;
  size_t from = 0;
  tracker->before = tracker->row;
  tracker->row = free_runs;
  tracker->row.count = 0;
  for (int64_t x = 0; x < width;) {
    struct run run = {.begin = x, .value = row[x]};
    while (x < width && row[x] == run.value) x++;
    run.end = x;
    if (run.value == 0) continue;
    label_run(tracker, &run, &from);
    if (meets(other, &run)) tracker->met[root_of(tracker, run.label)] = true;
    tracker->row.items =
        ts_grow(tracker->row.items, tracker->row.count, &tracker->row.capacity, sizeof *tracker->row.items);
    tracker->row.items[tracker->row.count++] = run;
  }
}

static void count_objects(struct tracker *tracker, struct ts_mask_side *side) {
  for (size_t i = 0; i < tracker->label_count; i++) {
    if (tracker->parents[i] != i) continue;
    side->objects++;
    side->alone += !tracker->met[i];
  }
}

/* ---- the pair ---- */

/* One row of a mask at a time, as numbers. */
struct reading {
  const struct ts_spool *mask; /* borrowed */
  unsigned char *bytes;        /* owned */
  uint32_t *row;               /* owned */
};

static struct reading reading_of(const struct ts_spool *mask) {
  const size_t width = (size_t)ts_spool_width(mask);
  return (struct reading){mask, ts_calloc(width + 1, 4), ts_calloc(width + 1, sizeof(uint32_t))};
}

static void reading_release(struct reading *reading) {
  free(reading->bytes);
  free(reading->row);
}

static bool read_row(struct reading *reading, int64_t y, struct ts_error *err) {
  const int64_t width = ts_spool_width(reading->mask);
  if (!ts_spool_read(reading->mask, y, 1, reading->bytes, err)) return false;
  if (ts_spool_type(reading->mask)->element == TS_U32) {
    memcpy(reading->row, reading->bytes, (size_t)width * 4);
  } else {
    for (int64_t x = 0; x < width; x++) reading->row[x] = reading->bytes[x];
  }
  return true;
}

static void count_row(const uint32_t *first, const uint32_t *second, int64_t width, struct ts_mask_pair *pair) {
  for (int64_t x = 0; x < width; x++) {
    pair->both_px += first[x] != 0 && second[x] != 0;
    pair->sides[0].only_px += first[x] != 0 && second[x] == 0;
    pair->sides[1].only_px += first[x] == 0 && second[x] != 0;
  }
}

static void map_row(const uint32_t *first, const uint32_t *second, int64_t width, int64_t y, int64_t height,
                    struct ts_mask_map *map) {
  uint32_t *line = map->counts + 3 * (y * map->height / height) * map->width;
  for (int64_t x = 0; x < width; x++) {
    if (first[x] == 0 && second[x] == 0) continue;
    line[3 * (x * map->width / width) + (second[x] == 0 ? 1 : first[x] == 0 ? 2 : 0)]++;
  }
}

bool ts_mask_pair_compare(const struct ts_spool *first, const struct ts_spool *second, struct ts_mask_pair *pair,
                          struct ts_mask_map *map, struct ts_error *err) {
  const int64_t width = ts_spool_width(first), height = ts_spool_height(first);
  struct reading readings[2] = {reading_of(first), reading_of(second)};
  struct tracker trackers[2] = {0};
  bool ok = true;
  *pair = (struct ts_mask_pair){0};
  for (int64_t y = 0; ok && y < height; y++) {
    ok = read_row(&readings[0], y, err) && read_row(&readings[1], y, err);
    if (!ok) break;
    const uint32_t *a = readings[0].row, *b = readings[1].row;
    count_row(a, b, width, pair);
    track(&trackers[0], a, b, width);
    track(&trackers[1], b, a, width);
    if (map) map_row(a, b, width, y, height, map);
  }
  for (size_t i = 0; i < 2; i++) {
    count_objects(&trackers[i], &pair->sides[i]);
    tracker_release(&trackers[i]);
    reading_release(&readings[i]);
  }
  return ok;
}

/* ---- the small picture ---- */

void ts_mask_map_init(struct ts_mask_map *map, const struct ts_spool *mask, int64_t side_max) {
  const int64_t width = ts_spool_width(mask), height = ts_spool_height(mask);
  const int64_t factor = (ts_larger(width, height) - 1) / side_max + 1;
  *map = (struct ts_mask_map){.width = (width - 1) / factor + 1, .height = (height - 1) / factor + 1};
  map->counts = ts_calloc(3 * (size_t)(map->width * map->height), sizeof *map->counts);
}

void ts_mask_map_release(struct ts_mask_map *map) {
  free(map->counts);
  *map = (struct ts_mask_map){0};
}

struct ts_data *ts_mask_map_draw(const struct ts_mask_map *map, int64_t mask_width, int64_t mask_height,
                                 struct ts_error *err) {
  static const uint32_t colours[] = {TS_BOTH_RGB, TS_FIRST_RGB, TS_SECOND_RGB};
  const struct ts_region region = {.width = map->width, .height = map->height, .depth = 1, .frames = 1};
  struct ts_data *data = ts_data_create_pixels(ts_type_find("image/rgb8"), &region, err);
  if (!data) return NULL;
  uint8_t *rgb = ts_data_writable(data);
  /* How many pixels one of the picture stands for, as good as the sides allow. */
  const uint64_t full = (uint64_t)((mask_width - 1) / map->width + 1) * (uint64_t)((mask_height - 1) / map->height + 1);
  for (int64_t i = 0; i < map->width * map->height; i++) {
    const uint32_t *counts = map->counts + 3 * i;
    const uint64_t some = (uint64_t)counts[0] + counts[1] + counts[2], all = some > full ? some : full;
    for (int c = 0; c < 3; c++) {
      uint64_t sum = 255 * (all - some);
      for (int k = 0; k < 3; k++) sum += (uint64_t)counts[k] * (colours[k] >> (16 - 8 * c) & 0xff);
      rgb[3 * i + c] = (uint8_t)((sum + all / 2) / all);
    }
  }
  ts_data_finish(data);
  return data;
}
