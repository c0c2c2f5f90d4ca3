/* The heat map of pairs, and the convergence of the largest indices.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/views_int.h"

#include "base/alloc.h"
#include "report/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_HEAT      12  /* parameters in the heat map */
#define MAX_PAIR_ROWS 300 /* of the table */
#define MAX_LINES     5
#define MAX_PLACES    64

/* ---- pairs ---- */

struct pair {
  const char *a, *b; /* borrowed */
  struct ts_estimate index;
};

static int by_size(const void *a, const void *b) {
  const struct pair *x = a, *y = b;
  double p = isnan(x->index.value) ? -INFINITY : x->index.value, q = isnan(y->index.value) ? -INFINITY : y->index.value;
  if (p != q) return p < q ? 1 : -1;
  int order = strcmp(x->a, y->a);
  return order ? order : strcmp(x->b, y->b);
}

/* Largest first. */
static struct pair *read_pairs(struct ts_page *page, const struct ts_view *view, size_t *count) {
  const json_t *list = ts_result_list(view->json, "pairs");
  struct pair *pairs = ts_arena_array(&page->arena, json_array_size(list) + 1, sizeof *pairs);
  *count = 0;
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *json = json_array_get(list, i);
    struct pair pair = {.a = ts_result_text(json, "a"), .b = ts_result_text(json, "b")};
    pair.index = ts_result_estimate(json, "value");
    if (isnan(pair.index.low)) pair.index.low = ts_result_number(json, "lo");
    if (isnan(pair.index.high)) pair.index.high = ts_result_number(json, "hi");
    if (*pair.a && *pair.b) pairs[(*count)++] = pair;
  }
  qsort(pairs, *count, sizeof *pairs, by_size);
  return pairs;
}

static size_t place_of(const struct ts_heat *heat, const char *name) {
  for (size_t i = 0; i < heat->count; i++) {
    if (strcmp(heat->names[i], name) == 0) return i;
  }
  return heat->count;
}

static void fill_heat(struct ts_page *page, const struct ts_view *view, const struct pair *pairs, size_t pair_count,
                      struct ts_heat *heat) {
  size_t count = view->count < MAX_HEAT ? view->count : MAX_HEAT;
  const char **names = ts_arena_array(&page->arena, count, sizeof *names);
  struct ts_estimate *cells = ts_arena_array(&page->arena, count * count, sizeof *cells);
  for (size_t i = 0; i < count; i++) names[i] = view->rows[i].name;
  for (size_t i = 0; i < count * count; i++) cells[i] = (struct ts_estimate){NAN, NAN, NAN};
  *heat = (struct ts_heat){.names = names, .cells = cells, .count = count};
  for (size_t i = 0; i < pair_count; i++) {
    size_t a = place_of(heat, pairs[i].a), b = place_of(heat, pairs[i].b);
    if (a == count || b == count) continue;
    cells[a * count + b] = cells[b * count + a] = pairs[i].index;
    /* Scatter below zero is as large as that above: it shows how much of the rest is scatter too. */
    if (fabs(pairs[i].index.value) > heat->high) heat->high = fabs(pairs[i].index.value);
  }
  if (!(heat->high > 0)) heat->high = 0.01; /* nothing but noise is shown as nothing */
}

static void add_pairs_caption(struct ts_page *page, const struct ts_view *view, const struct ts_heat *heat,
                              const struct pair *pairs, size_t pair_count, double wide_px) {
  ts_auto(ts_str_release) struct ts_str text = {0};
  bool negative = false;
  size_t known = 0, clear = 0;
  for (size_t i = 0; i < pair_count; i++) {
    negative = negative || pairs[i].index.value < 0;
    known += isfinite(pairs[i].index.low);
    clear += pairs[i].index.low > 0;
  }
  ts_str_add(&text, "Second-order indices (S2): the share of the variance that two parameters explain only together, "
                    "beyond what each does alone. Columns have the numbers of the rows. ");
  if (heat->count < view->count) {
    ts_str_addf(&text, "Shown are the %zu largest of %zu parameters; the table has the other pairs. ", heat->count,
                view->count);
  }
  if (!ts_heat_has_names(heat, wide_px) || !ts_heat_has_names(heat, TS_CHART_NARROW_PX)) {
    ts_str_add(&text, "The numbers mean ");
    for (size_t i = 0; i < heat->count; i++) {
      ts_str_addf(&text, "%s%zu %s", i > 0 ? "; " : "", i + 1, heat->names[i]);
    }
    ts_str_add(&text, ". ");
  }
  if (negative) ts_str_add(&text, "Values below zero are the scatter of estimates around zero. ");
  if (known > 0) ts_str_addf(&text, "%zu of %zu pairs have an interval above zero. ", clear, known);
  ts_view_add_method(view, &text);
  ts_str_add_char(&text, '.');
  ts_html_addf(page->out, "<figcaption>%s</figcaption>\n", ts_str_get(&text));
}

static void add_pairs_table(struct ts_page *page, const struct pair *pairs, size_t count) {
  static const char *const headers[] = {"Parameter", "With", "S2", "from", "to"};
  size_t shown = count < MAX_PAIR_ROWS ? count : MAX_PAIR_ROWS;
  ts_auto(ts_str_release) struct ts_str summary = {0};
  ts_str_add(&summary, "Numbers as a table");
  if (shown < count) ts_str_addf(&summary, ": the %zu largest of %zu pairs", shown, count);
  struct ts_table table;
  ts_table_open(&table, page, "Indices of pairs", ts_str_get(&summary), headers, "llrrr");
  for (size_t i = 0; i < shown; i++) {
    ts_table_text(&table, pairs[i].a);
    ts_table_text(&table, pairs[i].b);
    ts_table_number(&table, pairs[i].index.value);
    ts_table_number(&table, pairs[i].index.low);
    ts_table_number(&table, pairs[i].index.high);
  }
  ts_table_close(&table, true);
}

void ts_page_view_pairs(struct ts_page *page, const struct ts_view *view) {
  size_t count;
  struct pair *pairs = read_pairs(page, view, &count);
  if (count == 0 || view->count < 2) return;
  struct ts_heat heat;
  fill_heat(page, view, pairs, count, &heat);
  double wide_px = TS_CHART_HALF_PX;
  ts_auto(ts_str_release) struct ts_str label = {0};
  char number[TS_NUMBER_SIZE];
  ts_str_addf(&label, "Heat map of second-order indices of %zu parameters; the largest is %s with %s, ", heat.count,
              pairs[0].a, pairs[0].b);
  ts_str_add(&label, isnan(pairs[0].index.value) ? "unknown" : ts_format_number(pairs[0].index.value, 3, number));
  ts_str_add_char(&label, '.');
  ts_str_add(page->out, "<figure>\n");
  ts_page_chart(page, &(struct ts_chart){ts_str_get(&label), &heat, ts_draw_heat}, wide_px);
  add_pairs_caption(page, view, &heat, pairs, count, wide_px);
  add_pairs_table(page, pairs, count);
  ts_str_add(page->out, "</figure>\n");
}

/* ---- convergence ---- */

struct course {
  double places[MAX_PLACES];
  size_t place_count;
  struct ts_line lines[MAX_LINES];
  size_t count;
};

static const struct ts_look line_looks[MAX_LINES] = {{"", "#0072B2", TS_SHAPE_CIRCLE},
                                                     {"", "#D55E00", TS_SHAPE_TRIANGLE},
                                                     {"", "#009E73", TS_SHAPE_SQUARE},
                                                     {"", "#CC79A7", TS_SHAPE_CIRCLE},
                                                     {"", "#000000", TS_SHAPE_TRIANGLE}};

static struct ts_estimate find_cell(const json_t *step, const char *name, const char *column) {
  const json_t *indices = ts_result_list(step, "indices");
  for (size_t i = 0; i < json_array_size(indices); i++) {
    const json_t *index = json_array_get(indices, i);
    if (strcmp(ts_result_text(index, "name"), name) == 0) return ts_result_estimate(index, column);
  }
  return (struct ts_estimate){NAN, NAN, NAN};
}

static void read_course(struct ts_page *page, const struct ts_view *view, struct course *course) {
  const json_t *list = ts_result_list(view->json, "convergence");
  const json_t *steps[MAX_PLACES];
  *course = (struct course){.count = view->count < MAX_LINES ? view->count : MAX_LINES};
  for (size_t i = 0; i < json_array_size(list) && course->place_count < MAX_PLACES; i++) {
    double n = ts_result_number(json_array_get(list, i), "n");
    double before = course->place_count > 0 ? course->places[course->place_count - 1] : 0;
    if (!(n > before) || !isfinite(n)) continue;
    steps[course->place_count] = json_array_get(list, i);
    course->places[course->place_count++] = n;
  }
  for (size_t k = 0; k < course->count; k++) {
    struct ts_estimate *cells = ts_arena_array(&page->arena, course->place_count + 1, sizeof *cells);
    for (size_t p = 0; p < course->place_count; p++) {
      cells[p] = find_cell(steps[p], view->rows[k].name, view->columns[view->rank_column]);
    }
    course->lines[k] = (struct ts_line){view->rows[k].name, &line_looks[k], cells};
  }
}

/* Whether the order of the lines at the last place was already there at the one before; negligible ones are left
 * out. */
static bool order_held(const struct course *course) {
  size_t last = course->place_count - 1;
  double largest = 0;
  for (size_t i = 0; i < course->count; i++) largest = fmax(largest, fabs(course->lines[i].cells[last].value));
  for (size_t i = 0; i + 1 < course->count; i++) {
    const struct ts_estimate *a = course->lines[i].cells, *b = course->lines[i + 1].cells;
    if (fmax(fabs(a[last].value), fabs(b[last].value)) < TS_NEGLIGIBLE_SHARE * largest) continue;
    if ((fabs(a[last].value) >= fabs(b[last].value)) != (fabs(a[last - 1].value) >= fabs(b[last - 1].value)))
      return false;
  }
  return true;
}

static void add_course_caption(struct ts_page *page, const struct ts_view *view, const struct course *course) {
  ts_auto(ts_str_release) struct ts_str text = {0};
  char from[TS_NUMBER_SIZE], to[TS_NUMBER_SIZE];
  const char *word = ts_view_block_word(view, 2);
  ts_str_addf(&text, "%s", ts_column_name(view->columns[view->rank_column]));
  if (course->count < view->count) {
    ts_str_addf(&text, " of the %zu largest parameters", course->count);
  }
  ts_str_addf(&text, " against the number of %s used; the bands are the intervals. ", word);
  if (course->place_count > 1 && course->count > 1) {
    ts_format_number(course->places[course->place_count - 2], 3, from);
    ts_format_number(course->places[course->place_count - 1], 3, to);
    ts_str_addf(&text,
                order_held(course)
                    ? "The order of those that matter did not change from %s to %s %s. "
                    : "The order of those that matter still changed from %s to %s %s: it is not settled. ",
                from, to, word);
  }
  ts_view_add_method(view, &text);
  ts_str_add_char(&text, '.');
  ts_html_addf(page->out, "<figcaption>%s</figcaption>\n", ts_str_get(&text));
}

static void add_course_table(struct ts_page *page, const struct ts_view *view, const struct course *course) {
  const char *headers[] = {"Parameter", ts_view_block_word(view, 2), ts_column_name(view->columns[view->rank_column]),
                           "from", "to"};
  struct ts_table table;
  ts_table_open(&table, page, "Convergence", "Numbers as a table", headers, "lrrrr");
  for (size_t k = 0; k < course->count; k++) {
    for (size_t p = 0; p < course->place_count; p++) {
      ts_table_text(&table, course->lines[k].name);
      ts_table_number(&table, course->places[p]);
      ts_table_number(&table, course->lines[k].cells[p].value);
      ts_table_number(&table, course->lines[k].cells[p].low);
      ts_table_number(&table, course->lines[k].cells[p].high);
    }
  }
  ts_table_close(&table, true);
}

void ts_page_view_convergence(struct ts_page *page, const struct ts_view *view) {
  struct course course;
  read_course(page, view, &course);
  if (course.place_count < 2) return; /* a single place shows no course */
  const char *column = ts_column_name(view->columns[view->rank_column]), *word = ts_view_block_word(view, 2);
  struct ts_lines lines = {.places = course.places,
                           .place_count = course.place_count,
                           .items = course.lines,
                           .count = course.count,
                           .x_title = ts_arena_printf(&page->arena, "%s \xe2\x86\x92", word),
                           .y_title = ts_arena_printf(&page->arena, "\xe2\x86\x91 %s", column)};
  struct ts_look legend[MAX_LINES];
  for (size_t i = 0; i < course.count; i++) {
    legend[i] = line_looks[i];
    legend[i].name = course.lines[i].name;
  }
  ts_auto(ts_str_release) struct ts_str label = {0};
  ts_str_addf(&label, "Line chart of %s of %zu parameter%s against the number of %s, each with its interval.", column,
              course.count, course.count == 1 ? "" : "s", word);
  ts_str_add(page->out, "<figure>\n");
  ts_page_legend(page, legend, course.count);
  ts_page_chart(page, &(struct ts_chart){ts_str_get(&label), &lines, ts_draw_lines}, TS_CHART_HALF_PX);
  add_course_caption(page, view, &course);
  add_course_table(page, view, &course);
  ts_str_add(page->out, "</figure>\n");
}
