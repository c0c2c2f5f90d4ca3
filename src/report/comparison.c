/* The page about a comparison of runs: what differs, measures side by side, and where the masks differ.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/page_int.h"
#include "report/result.h"
#include "report/text.h"

#include "base/alloc.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_COLUMNS 24

static const char *id_of(const struct ts_page *page, size_t run) {
  return ts_result_text(json_array_get(ts_result_list(page->result, "runs"), run), "run");
}

static size_t run_count(const struct ts_page *page) {
  const size_t count = json_array_size(ts_result_list(page->result, "runs"));
  return count < MOST_COLUMNS ? count : MOST_COLUMNS;
}

static void add_value(struct ts_table *table, const json_t *value) {
  ts_auto(ts_str_release) struct ts_str text = {0};
  ts_result_print(value, &text);
  ts_table_text(table, ts_str_get(&text));
}

/* "G1 = 60 and 80": the answer is what was changed. */
static void add_answer(const struct ts_page *page, struct ts_str *out) {
  const json_t *parameters = ts_result_list(page->result, "parameters");
  const size_t count = json_array_size(parameters);
  if (count == 0) ts_str_add(out, "The runs have the same parameter values.");
  for (size_t i = 0; i < count && i < 4; i++) {
    const json_t *parameter = json_array_get(parameters, i);
    ts_str_addf(out, "%s%s = ", i > 0 ? "; " : "", ts_result_text(parameter, "name"));
    for (size_t r = 0; r < run_count(page); r++) {
      ts_str_add(out, r > 0 ? " / " : "");
      ts_result_print(json_object_get(json_object_get(parameter, "values"), id_of(page, r)), out);
    }
  }
  if (count > 4) ts_str_addf(out, "; and %zu more", count - 4);
}

/* A column for each run between the first `before` and the last columns. */
struct columns {
  const char *headers[MOST_COLUMNS + 4];
  char align[MOST_COLUMNS + 5];
  size_t count;
};

static void add_column(struct columns *columns, const char *header, char align) {
  columns->headers[columns->count] = header;
  columns->align[columns->count++] = align;
  columns->align[columns->count] = '\0';
}

static void add_run_columns(const struct ts_page *page, struct columns *columns) {
  for (size_t r = 0; r < run_count(page); r++) add_column(columns, id_of(page, r), 'r');
}

static void add_parameters(struct ts_page *page) {
  const json_t *parameters = ts_result_list(page->result, "parameters");
  struct columns columns = {0};
  struct ts_table table;
  if (json_array_size(parameters) == 0) return;
  add_column(&columns, "Parameter", 'l');
  add_run_columns(page, &columns);
  ts_table_open(&table, page, "Parameters that differ", NULL, columns.headers, columns.align);
  for (size_t i = 0; i < json_array_size(parameters); i++) {
    const json_t *parameter = json_array_get(parameters, i);
    ts_table_text(&table, ts_result_text(parameter, "name"));
    for (size_t r = 0; r < run_count(page); r++)
      add_value(&table, json_object_get(json_object_get(parameter, "values"), id_of(page, r)));
  }
  ts_table_close(&table, false);
}

/* "Run ea160978 differs from the first in: data (slide 3, slide 4)." */
static void add_differs(struct ts_page *page) {
  const json_t *list = ts_result_list(page->result, "differs");
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *entry = json_array_get(list, i), *names = ts_result_list(entry, "names");
    ts_auto(ts_str_release) struct ts_str text = {0};
    ts_str_addf(&text, "Run %s differs from the first in: %s", ts_result_text(entry, "run"),
                ts_result_text(entry, "what"));
    for (size_t k = 0; k < json_array_size(names); k++) {
      const char *name = json_string_value(json_array_get(names, k));
      ts_str_addf(&text, "%s%s", k > 0 ? ", " : " (", name ? name : "");
    }
    if (json_array_size(names) > 0) ts_str_add_char(&text, ')');
    ts_str_add_char(&text, '.');
    ts_page_paragraph(page, ts_str_get(&text));
  }
}

static void add_runs(struct ts_page *page) {
  static const char *const headers[] = {"Run", "Started", "State", "Tasks executed", "Of", "Time", "Folder"};
  const json_t *runs = ts_result_list(page->result, "runs");
  struct ts_table table;
  ts_table_open(&table, page, "The runs", NULL, headers, "lllrrrl");
  for (size_t i = 0; i < json_array_size(runs); i++) {
    const json_t *run = json_array_get(runs, i);
    char time[TS_NUMBER_SIZE];
    ts_table_text(&table, ts_result_text(run, "run"));
    ts_table_text(&table, ts_result_text(run, "started"));
    ts_table_text(&table, ts_result_text(run, "state"));
    ts_table_number(&table, ts_result_number(run, "executed"));
    ts_table_number(&table, ts_result_number(run, "requested"));
    ts_table_text(&table, ts_format_time(ts_result_count(run, "wall_s"), time));
    ts_table_code(&table, ts_result_text(run, "folder"));
  }
  ts_table_close(&table, false);
}

static void add_measures(struct ts_page *page, const json_t *measures, const char *name, const char *collapsed) {
  struct columns columns = {0};
  struct ts_table table;
  if (json_array_size(measures) == 0) return;
  add_column(&columns, "Measure", 'l');
  add_column(&columns, "Against", 'l');
  add_run_columns(page, &columns);
  if (run_count(page) == 2) add_column(&columns, "Difference", 'r');
  ts_table_open(&table, page, name, collapsed, columns.headers, columns.align);
  for (size_t i = 0; i < json_array_size(measures); i++) {
    const json_t *measure = json_array_get(measures, i);
    ts_table_text(&table, ts_result_text(measure, "measure"));
    ts_table_text(&table, ts_result_text(measure, "against"));
    for (size_t r = 0; r < run_count(page); r++)
      ts_table_number(&table, ts_result_number(json_object_get(measure, "values"), id_of(page, r)));
    if (run_count(page) == 2)
      ts_table_number(&table, ts_result_number(json_object_get(measure, "difference"), id_of(page, 1)));
  }
  ts_table_close(&table, collapsed != NULL);
}

/* ---- masks ---- */

static void add_pair_rows(struct ts_table *table, const json_t *file) {
  static const char *const counts[] = {"both_px",        "only_first_px",      "only_second_px",     "objects_first",
                                       "objects_second", "only_first_objects", "only_second_objects"};
  const json_t *pairs = ts_result_list(file, "pairs");
  for (size_t i = 0; i < json_array_size(pairs); i++) {
    const json_t *pair = json_array_get(pairs, i);
    char dice[64];
    snprintf(dice, sizeof dice, "dice_vs_%.32s", ts_result_text(pair, "first"));
    ts_table_text(table, ts_result_text(file, "file"));
    ts_table_text(table, ts_result_text(pair, "second"));
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
      ts_table_number(table, ts_result_number(pair, counts[k]));
    ts_table_number(table, ts_result_number(pair, dice));
  }
}

static void add_pair_table(struct ts_page *page) {
  static const char *const headers[] = {"Image",         "Run",         "Both px",    "First px", "Run px",
                                        "First objects", "Run objects", "Only first", "Only run", "Dice"};
  const json_t *files = ts_result_list(page->result, "files");
  struct ts_table table;
  ts_table_open(&table, page, "How the masks differ", NULL, headers, "llrrrrrrrr");
  for (size_t i = 0; i < json_array_size(files); i++) add_pair_rows(&table, json_array_get(files, i));
  ts_table_close(&table, false);
}

static void add_pictures(struct ts_page *page, const json_t *pair) {
  char role[32];
  snprintf(role, sizeof role, "pair %.0f", ts_result_count(pair, "pictures") - 1);
  ts_str_add(page->out, "<div class=\"pictures\">\n");
  for (size_t i = 0; i < page->picture_count; i++)
    if (strcmp(page->pictures[i].role, role) == 0) ts_page_picture(page, &page->pictures[i]);
  ts_str_add(page->out, "</div>\n");
}

static void add_file(struct ts_page *page, const json_t *file) {
  const json_t *pairs = ts_result_list(file, "pairs");
  ts_html_addf(page->out, "<h3>%s</h3>\n", ts_result_text(file, "file"));
  for (size_t i = 0; i < json_array_size(pairs); i++) {
    const json_t *pair = json_array_get(pairs, i);
    if (ts_result_count(pair, "pictures") > 0) add_pictures(page, pair);
  }
  add_measures(page, ts_result_list(file, "measures"), "Measures of this image", "Measures of this image");
}

static void add_masks(struct ts_page *page) {
  const json_t *files = ts_result_list(page->result, "files");
  if (json_array_size(files) == 0) return;
  ts_page_section_open(page, "Where the masks differ");
  ts_page_paragraph(page, "Pixels that both masks have, and those that only the first run or only the other has. An "
                          "object is a piece of pixels that touch; the last columns count those of which the other "
                          "run has no pixel.");
  add_pair_table(page);
  for (size_t i = 0; i < json_array_size(files); i++) add_file(page, json_array_get(files, i));
  ts_page_section_close(page);
}

static void add_warnings(struct ts_page *page) {
  const json_t *warnings = ts_result_list(page->result, "warnings");
  if (json_array_size(warnings) == 0) return;
  ts_str_add(page->out, "<ul class=\"notes\">\n");
  for (size_t i = 0; i < json_array_size(warnings); i++) {
    const char *text = json_string_value(json_array_get(warnings, i));
    ts_html_addf(page->out, "<li>%s</li>\n", text ? text : "");
  }
  ts_str_add(page->out, "</ul>\n");
}

void ts_report_comparison(const json_t *result, const struct ts_report_picture *pictures, size_t picture_count,
                          struct ts_str *html) {
  struct ts_page page = {
      .out = html, .result = result, .embedded = result, .pictures = pictures, .picture_count = picture_count};
  ts_auto(ts_str_release) struct ts_str title = {0}, answer = {0}, about = {0};
  ts_str_add(&title, "What differs between runs");
  ts_str_add(&about, "runs");
  for (size_t r = 0; r < run_count(&page); r++) {
    ts_str_addf(&title, "%s %s", r == 0 ? "" : " and", id_of(&page, r));
    ts_str_addf(&about, "%s %s", r == 0 ? "" : ",", id_of(&page, r));
  }
  add_answer(&page, &answer);
  ts_page_begin(&page, ts_str_get(&title), ts_str_get(&answer));
  ts_str_add(html, "</header>\n<main>\n");
  ts_page_section_open(&page, "What differs");
  add_warnings(&page);
  add_parameters(&page);
  add_differs(&page);
  add_runs(&page);
  ts_page_section_close(&page);
  ts_page_section_open(&page, "Measures");
  add_measures(&page, ts_result_list(result, "measures"), "Measures over all images", NULL);
  ts_page_section_close(&page);
  add_masks(&page);
  ts_page_end(&page, ts_str_get(&about));
  ts_arena_release(&page.arena);
}
