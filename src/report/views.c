/* Reading the analyses of a result: rows by rank, columns by name, tolerant of what is missing.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/views_int.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_COLUMNS 16

struct ts_estimate ts_result_estimate(const json_t *object, const char *name) {
  ts_auto(ts_str_release) struct ts_str key = {0};
  struct ts_estimate estimate = {.value = ts_result_number(object, name)};
  ts_str_addf(&key, "%s_lo", name);
  estimate.low = ts_result_number(object, ts_str_get(&key));
  ts_str_clear(&key);
  ts_str_addf(&key, "%s_hi", name);
  estimate.high = ts_result_number(object, ts_str_get(&key));
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

/* The level that the method stated for an inert input. */
static double stated_level(const struct ts_view *view, const struct ts_method *method) {
  if (!method || !method->inert_fact) return NAN;
  return ts_result_number(json_object_get(view->json, "facts"), method->inert_fact);
}

static bool is_open(const struct ts_view *view, const char *first, const char *second) {
  const json_t *pairs = ts_result_list(view->json, "unsettled");
  for (size_t i = 0; i < json_array_size(pairs); i++) {
    const json_t *pair = json_array_get(pairs, i);
    if (strcmp(ts_result_text(pair, "a"), first) == 0 && strcmp(ts_result_text(pair, "b"), second) == 0) return true;
  }
  return false;
}

static void judge(struct ts_page *page, struct ts_view *view) {
  struct ts_error err = {0};
  const struct ts_method *method = ts_method_find(view->method, &err);
  const char *column = view->columns[view->rank_column];
  if (method && strcmp(method->rank_by, column) != 0) method = NULL; /* of another version */
  struct ts_finding_row *rows = ts_arena_array(&page->arena, view->count + 1, sizeof *rows);
  for (size_t i = 0; i < view->count; i++) {
    const struct ts_estimate *cell = &view->rows[i].cells[view->rank_column];
    rows[i] = (struct ts_finding_row){.name = view->rows[i].name,
                                      .index = {cell->value, cell->low, cell->high},
                                      .usable = view->rows[i].usable,
                                      .is_open = i + 1 < view->count &&
                                                 is_open(view, view->rows[i].name, view->rows[i + 1].name)};
  }
  ts_findings_judge(&view->findings, ts_measure_of(method, column, stated_level(view, method)), rows, view->count);
}

/* What the output of this name was compared with. */
static const char *against_of(const struct ts_page *page, const char *output) {
  const json_t *outputs = ts_result_list(page->result, "outputs");
  for (size_t i = 0; i < json_array_size(outputs); i++) {
    const json_t *object = json_array_get(outputs, i);
    if (strcmp(ts_result_text(object, "name"), output) == 0) return ts_result_text(object, "against");
  }
  return "";
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
                           .against = against_of(page, ts_result_text(json, "output")),
                           .file = ts_result_text(json, "file"),
                           .phase = ts_result_count(json, "phase"),
                           .runs = ts_result_number(json, "runs"),
                           .blocks = ts_result_count(json, "blocks"),
                           .lost = ts_result_count(json, "lost"),
                           .resamples = ts_result_count(json, "resamples"),
                           .confidence = ts_result_number(json, "confidence")};
    read_columns(page, &view);
    if (view.column_count > 0) read_rows(page, &view);
    if (view.count == 0) continue;
    judge(page, &view);
    page->views[page->view_count++] = view;
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
