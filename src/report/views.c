/* Reading the analyses of a result: rows by rank, columns by name, tolerant of what is missing.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/views_int.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_COLUMNS 16

struct ts_estimate ts_result_estimate(const json_t *object, const char *name) {
  struct ts_str key = {0};
  struct ts_estimate estimate = {.value = ts_result_number(object, name)};
  ts_str_addf(&key, "%s_lo", name);
  estimate.low = ts_result_number(object, ts_str_get(&key));
  ts_str_clear(&key);
  ts_str_addf(&key, "%s_hi", name);
  estimate.high = ts_result_number(object, ts_str_get(&key));
  ts_str_release(&key);
  return estimate;
}

static void read_columns(struct ts_page *page, struct ts_view *view) {
  const json_t *columns = ts_result_list(view->json, "columns");
  const char *rank_by = ts_result_text(view->json, "rank_by");
  view->columns = ts_arena_array(&page->arena, MAX_COLUMNS, sizeof *view->columns);
  for (size_t i = 0; i < json_array_size(columns) && view->column_count < MAX_COLUMNS; i++) {
    const char *name = json_string_value(json_array_get(columns, i));
    if (!name || !*name) continue;
    if (strcmp(name, rank_by) == 0) view->rank_column = view->column_count;
    view->columns[view->column_count++] = name;
  }
}

/* A row while it is sorted. */
struct ranked {
  struct ts_view_row row;
  size_t rank; /* in "order"; beyond its end if it is not there */
  double size; /* of the index that ranks; below zero if it is not known */
};

static int by_rank(const void *a, const void *b) {
  const struct ranked *x = a, *y = b;
  if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
  if (x->size != y->size) return x->size < y->size ? 1 : -1;
  return strcmp(x->row.name, y->row.name); /* qsort is not stable */
}

static size_t rank_of(const json_t *order, const char *name) {
  size_t count = json_array_size(order);
  for (size_t i = 0; i < count; i++) {
    const char *other = json_string_value(json_array_get(order, i));
    if (other && strcmp(other, name) == 0) return i;
  }
  return count;
}

static void read_rows(struct ts_page *page, struct ts_view *view) {
  const json_t *indices = ts_result_list(view->json, "indices"), *order = ts_result_list(view->json, "order");
  size_t count = json_array_size(indices);
  ts_auto_free struct ranked *ranked = ts_calloc(count + 1, sizeof *ranked);
  for (size_t i = 0; i < count; i++) {
    const json_t *index = json_array_get(indices, i);
    const char *name = ts_result_text(index, "name");
    if (!*name) continue;
    struct ts_view_row row = {.name = name,
                              .class_name = ts_result_text(index, "class"),
                              .usable = ts_result_number(index, "n"),
                              .cells = ts_arena_array(&page->arena, view->column_count, sizeof *row.cells)};
    for (size_t c = 0; c < view->column_count; c++) row.cells[c] = ts_result_estimate(index, view->columns[c]);
    double value = row.cells[view->rank_column].value;
    ranked[view->count++] = (struct ranked){row, rank_of(order, name), isnan(value) ? -1 : fabs(value)};
  }
  qsort(ranked, view->count, sizeof *ranked, by_rank);
  view->rows = ts_arena_array(&page->arena, view->count + 1, sizeof *view->rows);
  for (size_t i = 0; i < view->count; i++) view->rows[i] = ranked[i].row;
}

void ts_page_read_views(struct ts_page *page) {
  const json_t *list = ts_result_list(page->result, "analyses");
  size_t count = json_array_size(list);
  page->views = ts_arena_array(&page->arena, count + 1, sizeof *page->views);
  for (size_t i = 0; i < count; i++) {
    const json_t *json = json_array_get(list, i);
    struct ts_view view = {.json = json,
                           .method = ts_result_text(json, "method"),
                           .title = ts_result_text(json, "title"),
                           .assumes = ts_result_text(json, "assumes"),
                           .interval = ts_result_text(json, "interval"),
                           .output = ts_result_text(json, "output"),
                           .label = ts_result_text(json, "label"),
                           .over_tiles = ts_page_over_tiles(page, json, "output_notes"),
                           .file = ts_result_text(json, "file"),
                           .phase = ts_result_count(json, "phase"),
                           .runs = ts_result_number(json, "runs"),
                           .blocks = ts_result_count(json, "blocks"),
                           .lost = ts_result_count(json, "lost"),
                           .resamples = ts_result_count(json, "resamples"),
                           .confidence = ts_result_number(json, "confidence")};
    read_columns(page, &view);
    if (view.column_count > 0) read_rows(page, &view);
    if (view.count > 0) page->views[page->view_count++] = view;
  }
}

bool ts_view_is_pooled(const struct ts_view *view) { return !*view->file; }

bool ts_view_is_main(const struct ts_page *page, const struct ts_view *view) {
  double last = -INFINITY;
  for (size_t i = 0; i < page->view_count; i++) {
    if (ts_view_is_pooled(&page->views[i])) last = fmax(last, page->views[i].phase);
  }
  return ts_view_is_pooled(view) && view->phase == last;
}

const struct ts_view *ts_page_first_view(const struct ts_page *page) {
  for (size_t i = 0; i < page->view_count; i++) {
    if (ts_view_is_main(page, &page->views[i])) return &page->views[i];
  }
  return &page->views[0];
}

size_t ts_view_column(const struct ts_view *view, const char *name) {
  for (size_t i = 0; i < view->column_count; i++) {
    if (strcmp(view->columns[i], name) == 0) return i;
  }
  return TS_NO_COLUMN;
}

const struct ts_view_row *ts_view_row(const struct ts_view *view, const char *name) {
  for (size_t i = 0; i < view->count; i++) {
    if (strcmp(view->rows[i].name, name) == 0) return &view->rows[i];
  }
  return NULL;
}

bool ts_view_is_morris(const struct ts_view *view) {
  return ts_view_column(view, "mu_star") != TS_NO_COLUMN && ts_view_column(view, "sigma") != TS_NO_COLUMN;
}

bool ts_view_is_variance(const struct ts_view *view) {
  return ts_view_column(view, "S1") != TS_NO_COLUMN && ts_view_column(view, "ST") != TS_NO_COLUMN;
}

bool ts_view_has_intervals(const struct ts_view *view, size_t column) {
  for (size_t i = 0; i < view->count; i++) {
    const struct ts_estimate *cell = &view->rows[i].cells[column];
    if (isfinite(cell->low) && isfinite(cell->high)) return true;
  }
  return false;
}

void ts_view_effects(struct ts_page *page, const struct ts_view *view, struct ts_effects *effects) {
  size_t mu = ts_view_column(view, "mu"), mu_star = ts_view_column(view, "mu_star"),
         sigma = ts_view_column(view, "sigma");
  *effects = (struct ts_effects){
      .name = *view->label ? view->label : view->output, .over_tiles = view->over_tiles, .view = view};
  effects->items = ts_arena_array(&page->arena, view->count + 1, sizeof *effects->items);
  for (size_t i = 0; i < view->count; i++) {
    const struct ts_view_row *row = &view->rows[i];
    const char *class_name = *row->class_name ? row->class_name : "unknown";
    effects->items[effects->count++] = (struct ts_effect){.name = row->name,
                                                          .class_name = class_name,
                                                          .look = ts_effect_look(class_name),
                                                          .mu = mu == TS_NO_COLUMN ? NAN : row->cells[mu].value,
                                                          .mu_star = row->cells[mu_star].value,
                                                          .sigma = row->cells[sigma].value,
                                                          .low = row->cells[mu_star].low,
                                                          .high = row->cells[mu_star].high,
                                                          .count = isnan(row->usable) ? 0 : row->usable};
  }
}
