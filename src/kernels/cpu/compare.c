/* Comparison of a segmentation with a reference.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Both planes become runs of equal labels. Walking along the two lists counts how often each pair (label found, label
 * of the reference) occurs, in a hash table; everything else is derived from these counts. All sums are exact, so they
 * do not depend on an order: an IoU above 0.5 is a multiple of 2^-53, and their sum is rounded once, in the score. */
#include "kernels/compare.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/cpu/bits.h"
#include "kernels/cpu/label_runs.h"
#include "kernels/cpu/runs.h"
#include "kernels/cpu/scratch.h"
#include "kernels/kernels.h"

__extension__ typedef unsigned __int128 wide;

/* A pair of 0 pixels is a free place of the table. */
struct pair_table {
  struct ts_overlap *places; /* owned; capacity is a power of two, at least half of it free */
  size_t capacity;
  size_t count;
};

struct area {
  uint32_t label;
  bool used; /* chosen as the counterpart of an object of the reference */
  int64_t px;
};

static struct ts_overlap *find_place(struct ts_overlap *places, size_t capacity, uint32_t found, uint32_t reference) {
  uint64_t hash = (((uint64_t)found << 32) | reference) * 0x9e3779b97f4a7c15u;
  size_t at = (size_t)(hash >> 32) & (capacity - 1);
  while (places[at].px != 0 && (places[at].found != found || places[at].reference != reference))
    at = (at + 1) & (capacity - 1);
  return &places[at];
}

static bool grow(struct pair_table *table, struct ts_error *err) {
  size_t capacity = table->capacity ? table->capacity * 2 : 1024;
  struct ts_overlap *places = ts_scratch_zero((int64_t)capacity, sizeof *places, err);
  if (!places) return false;
  for (size_t i = 0; i < table->capacity; i++) {
    struct ts_overlap *old = &table->places[i];
    if (old->px) *find_place(places, capacity, old->found, old->reference) = *old;
  }
  ts_scratch_free(table->places);
  table->places = places;
  table->capacity = capacity;
  return true;
}

static bool add_pixels(struct pair_table *table, uint32_t found, uint32_t reference, int64_t px, struct ts_error *err) {
  if (table->count * 2 >= table->capacity && !grow(table, err)) return false;
  struct ts_overlap *place = find_place(table->places, table->capacity, found, reference);
  if (place->px == 0) {
    place->found = found;
    place->reference = reference;
    table->count++;
  }
  place->px += px;
  return true;
}

/* A place in one list of runs: what is left of the current one. */
struct walk {
  const struct ts_label_run *next; /* borrowed: the run after this one */
  const struct ts_label_run *end;
  struct ts_label_run run; /* y is INT32_MAX behind the last */
};

static void walk_on(struct walk *w) {
  if (w->next < w->end) {
    w->run = *w->next++;
  } else {
    w->run = (struct ts_label_run){.y = INT32_MAX};
  }
}

static struct walk walk_along(const struct ts_label_runs *runs) {
  struct walk w = {.next = runs->items, .end = runs->items + runs->count};
  walk_on(&w);
  return w;
}

/* Cuts count pixels from the beginning of the run. */
static void walk_by(struct walk *w, int32_t count) {
  w->run.begin += count;
  if (w->run.begin == w->run.end) walk_on(w);
}

static bool is_before(const struct ts_label_run *a, const struct ts_label_run *b) {
  return a->y != b->y ? a->y < b->y : a->begin < b->begin;
}

/* How far the earlier run goes before the later one begins. */
static int32_t length_before(const struct ts_label_run *earlier, const struct ts_label_run *later) {
  int32_t end = later->y == earlier->y && later->begin < earlier->end ? later->begin : earlier->end;
  return end - earlier->begin;
}

static bool count_pairs(struct pair_table *table, const struct ts_label_runs *found,
                        const struct ts_label_runs *reference, struct ts_error *err) {
  struct walk a = walk_along(found);
  struct walk b = walk_along(reference);
  while (a.run.y < INT32_MAX || b.run.y < INT32_MAX) {
    bool a_only = is_before(&a.run, &b.run);
    bool b_only = is_before(&b.run, &a.run);
    int32_t px = a_only   ? length_before(&a.run, &b.run)
                 : b_only ? length_before(&b.run, &a.run)
                          : (a.run.end < b.run.end ? a.run.end : b.run.end) - a.run.begin;
    if (!add_pixels(table, b_only ? 0 : a.run.label, a_only ? 0 : b.run.label, px, err)) return false;
    if (!b_only) walk_by(&a, px);
    if (!a_only) walk_by(&b, px);
  }
  return true;
}

static int by_reference(const void *a, const void *b) {
  const struct ts_overlap *p = a;
  const struct ts_overlap *q = b;
  if (p->reference != q->reference) return p->reference < q->reference ? -1 : 1;
  return (p->found > q->found) - (p->found < q->found);
}

static int by_found(const void *a, const void *b) {
  const struct ts_overlap *p = a;
  const struct ts_overlap *q = b;
  if (p->found != q->found) return p->found < q->found ? -1 : 1;
  return (p->reference > q->reference) - (p->reference < q->reference);
}

/* Moves the used places to the front. */
static void pack(struct pair_table *table) {
  size_t to = 0;
  for (size_t i = 0; i < table->capacity; i++)
    if (table->places[i].px) table->places[to++] = table->places[i];
}

bool ts_overlaps_count(const struct ts_label_runs *found, const struct ts_label_runs *reference,
                       struct ts_overlaps *overlaps, struct ts_error *err) {
  struct pair_table table = {0};
  bool ok = grow(&table, err) && count_pairs(&table, found, reference, err);
  if (ok) pack(&table);
  *overlaps = (struct ts_overlaps){.items = table.places, .count = table.count};
  return ok;
}

void ts_overlaps_release(struct ts_overlaps *overlaps) {
  ts_scratch_free(overlaps->items);
  *overlaps = (struct ts_overlaps){0};
}

/* Areas of the objects found; the pairs are ordered by_found. Returns how many. */
static size_t sum_areas(const struct ts_overlap *pairs, size_t pair_count, struct area *areas) {
  size_t count = 0;
  for (size_t i = 0; i < pair_count; i++) {
    if (pairs[i].found == 0) continue;
    if (count == 0 || areas[count - 1].label != pairs[i].found) areas[count++] = (struct area){.label = pairs[i].found};
    areas[count - 1].px += pairs[i].px;
  }
  return count;
}

static struct area *find_area(struct area *areas, size_t count, uint32_t label) {
  size_t low = 0;
  size_t high = count;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (areas[middle].label <= label) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return &areas[low];
}

/* Adds high * 2^64 + low. */
static void add_wide(struct ts_tally *tally, uint64_t high, uint64_t low) {
  wide sum = ((wide)tally->iou_high << 64 | tally->iou_low) + ((wide)high << 64 | low);
  tally->iou_high = (uint64_t)(sum >> 64);
  tally->iou_low = (uint64_t)sum;
}

/* Objects that are counterparts of many count each time: the sum may be larger than any image. */
static void add_joined(struct ts_tally *tally, int64_t px) {
  if (__builtin_add_overflow(tally->aji_joined_px, px, &tally->aji_joined_px)) tally->aji_joined_px = INT64_MAX;
}

/* All pairs of one object of the reference. Ties go to the smallest label. */
static void tally_object(const struct ts_overlap *pairs, size_t count, struct area *areas, size_t area_count,
                         struct ts_tally *tally) {
  int64_t object_px = 0;
  for (size_t i = 0; i < count; i++) object_px += pairs[i].px;
  struct area *best = NULL;
  int64_t best_common = 0;
  int64_t best_joined = object_px;
  for (size_t i = 0; i < count; i++) {
    if (pairs[i].found == 0) continue;
    struct area *area = find_area(areas, area_count, pairs[i].found);
    int64_t common = pairs[i].px;
    int64_t joined = object_px + area->px - common;
    /* common / joined > best_common / best_joined; objects of a whole slide may have more than 2^31 pixels */
    if ((wide)common * (wide)best_joined > (wide)best_common * (wide)joined) {
      best = area;
      best_common = common;
      best_joined = joined;
    }
  }
  tally->reference_objects++;
  tally->aji_both_px += best_common;
  add_joined(tally, best_joined);
  if (best) best->used = true;
  if (2 * best_common > best_joined) {
    tally->matched_objects++;
    add_wide(tally, 0, (uint64_t)((double)best_common / (double)best_joined * 0x1p53));
  }
}

static void tally_objects(const struct ts_overlap *pairs, size_t count, struct area *areas, size_t area_count,
                          struct ts_tally *tally) {
  for (size_t i = 0; i < count;) {
    size_t begin = i;
    do i++;
    while (i < count && pairs[i].reference == pairs[begin].reference);
    if (pairs[begin].reference != 0) tally_object(pairs + begin, i - begin, areas, area_count, tally);
  }
  tally->found_objects += (int64_t)area_count;
  for (size_t i = 0; i < area_count; i++)
    if (!areas[i].used) add_joined(tally, areas[i].px);
}

static void tally_pixels(const struct ts_overlap *pairs, size_t count, struct ts_tally *tally) {
  for (size_t i = 0; i < count; i++) {
    if (pairs[i].found) tally->found_px += pairs[i].px;
    if (pairs[i].reference) tally->reference_px += pairs[i].px;
    if (pairs[i].found && pairs[i].reference) tally->both_px += pairs[i].px;
  }
}

/* Makes one of equal pairs; the pairs are ordered. Returns how many are left. */
static size_t merge_equal(struct ts_overlap *pairs, size_t count) {
  size_t to = 0;
  for (size_t i = 0; i < count; i++) {
    if (to > 0 && pairs[to - 1].found == pairs[i].found && pairs[to - 1].reference == pairs[i].reference)
      pairs[to - 1].px += pairs[i].px;
    else
      pairs[to++] = pairs[i];
  }
  return to;
}

bool ts_overlaps_tally(struct ts_overlaps *overlaps, struct ts_tally *tally, struct ts_error *err) {
  if (overlaps->count == 0) return true;
  struct ts_overlap *pairs = overlaps->items;
  qsort(pairs, overlaps->count, sizeof *pairs, by_found);
  size_t count = overlaps->count = merge_equal(pairs, overlaps->count);
  struct area *areas = ts_scratch((int64_t)count, sizeof *areas, err);
  if (!areas) return false;
  size_t area_count = sum_areas(pairs, count, areas);
  qsort(pairs, count, sizeof *pairs, by_reference);
  tally_pixels(pairs, count, tally);
  tally_objects(pairs, count, areas, area_count, tally);
  ts_scratch_free(areas);
  return true;
}

void ts_tally_add(struct ts_tally *to, const struct ts_tally *from) {
  to->found_px += from->found_px;
  to->reference_px += from->reference_px;
  to->both_px += from->both_px;
  to->found_objects += from->found_objects;
  to->reference_objects += from->reference_objects;
  to->matched_objects += from->matched_objects;
  to->aji_both_px += from->aji_both_px;
  to->aji_joined_px += from->aji_joined_px;
  add_wide(to, from->iou_high, from->iou_low);
}

static double ratio(double part, double whole, bool both_empty) {
  if (whole > 0) return part / whole;
  return both_empty ? 1.0 : 0.0;
}

static void score_pixels(const struct ts_tally *tally, struct ts_comparison *c) {
  c->found_px = tally->found_px;
  c->reference_px = tally->reference_px;
  c->both_px = tally->both_px;
  double both_px = (double)c->both_px;
  int64_t joined_px = c->found_px + c->reference_px - c->both_px;
  c->differing_px = joined_px - c->both_px;
  c->dice = ratio(2.0 * both_px, (double)(c->found_px + c->reference_px), true);
  c->jaccard = ratio(both_px, (double)joined_px, true);
  c->pixel_precision = ratio(both_px, (double)c->found_px, joined_px == 0);
  c->pixel_recall = ratio(both_px, (double)c->reference_px, joined_px == 0);
}

static void score_objects(const struct ts_tally *tally, struct ts_comparison *c) {
  bool empty = tally->found_objects == 0 && tally->reference_objects == 0;
  double matched = (double)tally->matched_objects;
  double both = (double)(tally->found_objects + tally->reference_objects);
  c->found_objects = tally->found_objects;
  c->reference_objects = tally->reference_objects;
  c->matched_objects = tally->matched_objects;
  c->iou_sum = (double)((wide)tally->iou_high << 64 | tally->iou_low) * 0x1p-53;
  c->aji_both_px = tally->aji_both_px;
  c->aji_joined_px = tally->aji_joined_px;
  c->precision = ratio(matched, (double)tally->found_objects, empty);
  c->recall = ratio(matched, (double)tally->reference_objects, empty);
  c->f1 = ratio(2.0 * matched, both, empty);
  c->aggregated_jaccard = ratio((double)tally->aji_both_px, (double)tally->aji_joined_px, empty);
  c->panoptic_quality = ratio(2.0 * c->iou_sum, both, empty); /* TP + FP/2 + FN/2 = both/2 */
}

void ts_comparison_score(const struct ts_tally *tally, struct ts_comparison *comparison) {
  *comparison = (struct ts_comparison){0};
  score_pixels(tally, comparison);
  score_objects(tally, comparison);
}

static int64_t count_foreground(const struct ts_compare_plane *plane) {
  int64_t count = 0;
  for (int64_t i = 0; i < plane->width * plane->height; i++)
    count += plane->labels ? plane->labels[i] != 0 : plane->mask[i] != 0;
  return count;
}

/* The runs of a mask with its components as labels. */
static bool runs_of_mask(const struct ts_compare_plane *plane, struct ts_label_runs *runs,
                         const struct ts_kernel_threads *threads, struct ts_error *err) {
  struct ts_bits bits = {0};
  struct ts_runs found = {0};
  bool ok = ts_bits_reserve(&bits, plane->width, plane->height, err);
  if (ok) ts_bits_from_plane(&bits, plane->mask, 0, threads);
  ok = ok && ts_runs_find(&found, &bits, TS_RUNS_OF_FOREGROUND, 8, threads, err) &&
       (runs->items = ts_scratch(found.count, sizeof *runs->items, err));
  for (int64_t y = 0; ok && y < plane->height; y++)
    for (int32_t i = found.row_first[y]; i < found.row_first[y + 1]; i++)
      runs->items[runs->count++] = (struct ts_label_run){.label = (uint32_t)found.component[i] + 1,
                                                         .y = (int32_t)y,
                                                         .begin = found.items[i].begin,
                                                         .end = found.items[i].end};
  ts_runs_release(&found);
  ts_bits_release(&bits);
  return ok;
}

bool ts_compare_runs(const struct ts_compare_plane *plane, struct ts_label_runs *runs,
                     const struct ts_kernel_threads *threads, struct ts_error *err) {
  *runs = (struct ts_label_runs){0};
  if (!ts_kernels_check_size(plane->width, plane->height, err)) return false;
  if (plane->mask) return runs_of_mask(plane, runs, threads, err);
  return ts_label_runs_init(runs, plane->labels, plane->width, plane->height, err);
}

bool ts_compare(const struct ts_compare_plane *found, const struct ts_compare_plane *reference,
                struct ts_comparison *comparison, const struct ts_kernel_threads *threads, struct ts_error *err) {
  *comparison = (struct ts_comparison){0};
  if (!ts_kernels_check_size(found->width, found->height, err) ||
      !ts_kernels_check_size(reference->width, reference->height, err))
    return false;
  int64_t found_area = found->width * found->height;
  int64_t reference_area = reference->width * reference->height;
  if (found->width != reference->width || found->height != reference->height) {
    comparison->differing_px = found_area > reference_area ? found_area : reference_area;
    comparison->found_px = count_foreground(found);
    comparison->reference_px = count_foreground(reference);
    return true;
  }
  struct ts_label_runs a = {0};
  struct ts_label_runs b = {0};
  struct ts_overlaps overlaps = {0};
  struct ts_tally tally = {0};
  bool ok = ts_compare_runs(found, &a, threads, err) && ts_compare_runs(reference, &b, threads, err) &&
            ts_overlaps_count(&a, &b, &overlaps, err) && ts_overlaps_tally(&overlaps, &tally, err);
  if (ok) ts_comparison_score(&tally, comparison);
  ts_overlaps_release(&overlaps);
  ts_label_runs_release(&a);
  ts_label_runs_release(&b);
  return ok;
}
