/* 'From slide to slide': the index of each slide and of each group of slides around that of all slides together.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/views_int.h"

#include "base/alloc.h"
#include "report/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_STRIPS  10 /* parameters; the table has all */
#define GROUPS_OPEN 8  /* groups whose table is open from the start: it names what the squares are */

/* A pooled view and the views of its slides. */
struct family {
  const struct ts_view *pooled;
  const struct ts_view **slides; /* owned by the page's arena */
  const char **names;            /* of the slides, owned by the arena */
  size_t count;
  const json_t **groups;    /* owned by the arena; entries of "by_group" */
  const char **group_names; /* owned by the arena: "site north" */
  size_t group_count;
};

/* Whether an entry of "by_group" or "group_stability" belongs to the pooled view. */
static bool belongs(const json_t *entry, const struct ts_view *pooled) {
  return ts_result_count(entry, "phase") == pooled->phase &&
         strcmp(ts_result_text(entry, "method"), pooled->method) == 0 &&
         strcmp(ts_result_text(entry, "output"), pooled->output) == 0;
}

static void find_groups(struct ts_page *page, struct family *family) {
  const json_t *list = ts_result_list(page->result, "by_group");
  family->groups = ts_arena_array(&page->arena, json_array_size(list) + 1, sizeof *family->groups);
  family->group_names = ts_arena_array(&page->arena, json_array_size(list) + 1, sizeof *family->group_names);
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *entry = json_array_get(list, i);
    if (!belongs(entry, family->pooled)) continue;
    family->group_names[family->group_count] =
        ts_arena_printf(&page->arena, "%s %s", ts_result_text(entry, "group"), ts_result_text(entry, "value"));
    family->groups[family->group_count++] = entry;
  }
}

static void find_family(struct ts_page *page, const struct ts_view *pooled, struct family *family) {
  *family = (struct family){.pooled = pooled};
  family->slides = ts_arena_array(&page->arena, page->view_count, sizeof *family->slides);
  family->names = ts_arena_array(&page->arena, page->view_count, sizeof *family->names);
  for (size_t i = 0; i < page->view_count; i++) {
    const struct ts_view *view = &page->views[i];
    if (ts_view_is_pooled(view) || view->phase != pooled->phase || strcmp(view->method, pooled->method) != 0) continue;
    if (strcmp(view->output, pooled->output) != 0 || strcmp(view->over_tiles, pooled->over_tiles) != 0) continue;
    family->names[family->count] = view->file;
    family->slides[family->count++] = view;
  }
  find_groups(page, family);
}

/* The index of a parameter in an entry of "by_group" or its "without". */
static double group_value(const struct family *family, const json_t *entry, const char *name) {
  const json_t *indices = ts_result_list(entry, "indices");
  const char *column = family->pooled->columns[family->pooled->rank_column];
  for (size_t i = 0; i < json_array_size(indices); i++) {
    const json_t *index = json_array_get(indices, i);
    if (strcmp(ts_result_text(index, "name"), name) == 0) return ts_result_number(index, column);
  }
  return NAN;
}

static double slide_value(const struct family *family, size_t slide, const char *name) {
  const struct ts_view *view = family->slides[slide];
  const struct ts_view_row *row = ts_view_row(view, name);
  size_t column = ts_view_column(view, family->pooled->columns[family->pooled->rank_column]);
  return row && column != TS_NO_COLUMN ? row->cells[column].value : NAN;
}

static void fill_strips(struct ts_page *page, const struct family *family, struct ts_strips *strips) {
  const struct ts_view *pooled = family->pooled;
  size_t count = pooled->count < MAX_STRIPS ? pooled->count : MAX_STRIPS;
  struct ts_strip *items = ts_arena_array(&page->arena, count, sizeof *items);
  for (size_t i = 0; i < count; i++) {
    double *dots = ts_arena_array(&page->arena, family->count, sizeof *dots);
    for (size_t k = 0; k < family->count; k++) dots[k] = slide_value(family, k, pooled->rows[i].name);
    double *squares = ts_arena_array(&page->arena, family->group_count + 1, sizeof *squares);
    for (size_t k = 0; k < family->group_count; k++)
      squares[k] = group_value(family, family->groups[k], pooled->rows[i].name);
    items[i] = (struct ts_strip){pooled->rows[i].name, pooled->rows[i].cells[pooled->rank_column], dots, squares};
  }
  *strips = (struct ts_strips){.items = items,
                               .count = count,
                               .slides = family->names,
                               .slide_count = family->count,
                               .groups = family->group_names,
                               .group_count = family->group_count};
  strips->axis_title =
      ts_arena_printf(&page->arena, "%s \xe2\x86\x92", ts_column_name(pooled->columns[pooled->rank_column]));
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static void add_summary_row(struct ts_table *table, const struct family *family, const struct ts_view_row *row) {
  ts_auto_free double *values = ts_calloc(family->count + 1, sizeof *values);
  size_t known = 0;
  for (size_t k = 0; k < family->count; k++) {
    double value = slide_value(family, k, row->name);
    if (!isnan(value)) values[known++] = value;
  }
  qsort(values, known, sizeof *values, by_value);
  const struct ts_estimate *cell = &row->cells[family->pooled->rank_column];
  ts_table_text(table, row->name);
  ts_table_number(table, cell->value);
  ts_table_number(table, cell->low);
  ts_table_number(table, cell->high);
  ts_table_number(table, known ? values[0] : NAN);
  ts_table_number(table, known ? (values[(known - 1) / 2] + values[known / 2]) / 2 : NAN);
  ts_table_number(table, known ? values[known - 1] : NAN);
  ts_table_number(table, (double)known);
}

static void add_summary(struct ts_page *page, const struct family *family) {
  static const char *const headers[] = {"Parameter", "All together",     "from",    "to",
                                        "Smallest",  "Middle of slides", "Largest", "Slides"};
  struct ts_table table;
  ts_table_open(&table, page, "Index by parameter over slides", "Numbers as a table", headers, "lrrrrrrr");
  for (size_t i = 0; i < family->pooled->count; i++) add_summary_row(&table, family, &family->pooled->rows[i]);
  ts_table_close(&table, true);
}

static void add_details(struct ts_page *page, const struct family *family, const struct ts_strips *strips) {
  const char *headers[MAX_STRIPS + 1] = {"Slide"};
  char align[MAX_STRIPS + 2] = "l";
  for (size_t i = 0; i < strips->count; i++) {
    headers[i + 1] = strips->items[i].name;
    align[i + 1] = 'r';
  }
  struct ts_table table;
  ts_table_open(&table, page, "Index by slide", "Every slide as a table", headers, align);
  for (size_t k = 0; k < family->count; k++) {
    ts_table_text(&table, family->names[k]);
    for (size_t i = 0; i < strips->count; i++) ts_table_number(&table, strips->items[i].dots[k]);
  }
  ts_table_close(&table, true);
}

/* One row of the table of groups. */
static void add_group_row(struct ts_table *table, const struct family *family, const struct ts_strips *strips,
                          const char *name, const json_t *entry) {
  ts_table_text(table, name);
  ts_table_number(table, ts_result_number(entry, "files"));
  for (size_t i = 0; i < strips->count; i++) ts_table_number(table, group_value(family, entry, strips->items[i].name));
}

/* Every group, and all slides but those of it. */
static void add_groups(struct ts_page *page, const struct family *family, const struct ts_strips *strips) {
  const char *headers[MAX_STRIPS + 2] = {"Group", "Slides"};
  char align[MAX_STRIPS + 3] = "lr";
  for (size_t i = 0; i < strips->count; i++) {
    headers[i + 2] = strips->items[i].name;
    align[i + 2] = 'r';
  }
  struct ts_table table;
  if (family->group_count == 0) return;
  const bool is_open = family->group_count <= GROUPS_OPEN;
  ts_table_open(&table, page, "Index by group", is_open ? NULL : "Every group as a table, and all slides without it",
                headers, align);
  for (size_t k = 0; k < family->group_count; k++) {
    const json_t *without = json_object_get(family->groups[k], "without");
    add_group_row(&table, family, strips, family->group_names[k], family->groups[k]);
    if (without)
      add_group_row(&table, family, strips, ts_arena_printf(&page->arena, "without %s", family->group_names[k]),
                    without);
  }
  ts_table_close(&table, !is_open);
}

/* What leaving one group out changes: one sentence per kind of group. */
static void add_stability(const struct ts_page *page, const struct family *family, struct ts_str *out) {
  const json_t *list = ts_result_list(page->result, "group_stability");
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *entry = json_array_get(list, i);
    if (belongs(entry, family->pooled)) ts_str_addf(out, "%s ", ts_result_text(entry, "text"));
  }
}

/* On how many slides the parameter that leads over all slides leads too. */
static void add_verdict(const struct family *family, struct ts_str *out) {
  size_t leads = 0;
  const char *name = family->pooled->rows[0].name;
  if (!(family->pooled->findings.largest > 0)) return; /* nobody leads */
  for (size_t k = 0; k < family->count; k++) {
    const struct ts_view *slide = family->slides[k];
    leads += slide->findings.largest > 0 && strcmp(slide->rows[0].name, name) == 0;
  }
  ts_str_addf(out, "%s comes first on %zu of %zu slide%s. ", name, leads, family->count, family->count == 1 ? "" : "s");
}

static void add_family(struct ts_page *page, const struct family *family, bool headed) {
  struct ts_strips strips;
  fill_strips(page, family, &strips);
  ts_auto(ts_str_release) struct ts_str label = {0}, caption = {0};
  const char *column = ts_column_name(family->pooled->columns[family->pooled->rank_column]);
  ts_str_addf(&label,
              "Strip plot of %s of %zu parameter%s: one dot per slide, %zu slides, around the value of all "
              "slides together",
              column, strips.count, strips.count == 1 ? "" : "s", family->count);
  if (family->group_count > 0) ts_str_addf(&label, ", and a square for each of %zu groups", family->group_count);
  ts_str_add_char(&label, '.');
  ts_view_add_output(family->pooled, &caption);
  if (headed) ts_page_heading(page, 3, ts_str_get(&caption));
  ts_str_add(page->out, "<figure>\n");
  ts_page_legend(page, ts_strip_looks, family->group_count > 0 ? 3 : 2);
  ts_page_chart(page, &(struct ts_chart){ts_str_get(&label), &strips, ts_draw_strips}, TS_CHART_FULL_PX);
  ts_str_addf(&caption, ": %s of every slide alone and of all together", column);
  ts_auto(ts_str_release) struct ts_str text = {0};
  ts_add_sentence(&text, ts_str_get(&caption));
  ts_str_add_char(&text, ' ');
  if (strips.count < family->pooled->count) {
    ts_str_addf(&text, "Shown are the %zu largest of %zu parameters. ", strips.count, family->pooled->count);
  }
  add_verdict(family, &text);
  add_stability(page, family, &text);
  ts_view_add_method(family->pooled, &text);
  ts_str_add_char(&text, '.');
  ts_html_addf(page->out, "<figcaption>%s</figcaption>\n", ts_str_get(&text));
  add_summary(page, family);
  add_details(page, family, &strips);
  add_groups(page, family, &strips);
  ts_str_add(page->out, "</figure>\n");
}

void ts_page_spread(struct ts_page *page) {
  size_t count = 0, shown = 0;
  struct family family;
  for (size_t i = 0; i < page->view_count; i++) {
    if (!ts_view_is_main(page, &page->views[i])) continue;
    find_family(page, &page->views[i], &family);
    count += family.count > 0;
  }
  if (count == 0) return;
  ts_page_section_open(page, "From slide to slide");
  for (size_t i = 0; i < page->view_count && shown < count; i++) {
    if (!ts_view_is_main(page, &page->views[i])) continue;
    find_family(page, &page->views[i], &family);
    if (family.count == 0) continue;
    add_family(page, &family, count > 1);
    shown++;
  }
  ts_page_section_close(page);
}
