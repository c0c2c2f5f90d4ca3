/* 'Trust': how the intervals were made, which ranks are open, whether a goal was met, runs lost, warnings, failures.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/views_int.h"

#include "base/alloc.h"
#include "report/text.h"

#include <math.h>
#include <string.h>

#define MAX_PAIRS    12 /* of one output */
#define MAX_NOTES    40
#define MAX_FAILURES 200 /* rows */
#define FEW          10  /* blocks */

/* The method of an earlier view is not described again. */
static bool is_described(const struct ts_page *page, size_t index) {
  for (size_t i = 0; i < index; i++) {
    if (ts_view_is_pooled(&page->views[i]) && strcmp(page->views[i].method, page->views[index].method) == 0)
      return true;
  }
  return false;
}

static void add_intervals(struct ts_page *page, const struct ts_view *view) {
  ts_auto(ts_str_release) struct ts_str text = {0};
  char number[TS_NUMBER_SIZE];
  ts_view_add_method(view, &text);
  if (view->resamples > 0 && ts_view_has_intervals(view, view->rank_column)) {
    ts_str_addf(&text, " from %s resamples", ts_format_number(view->resamples, 3, number));
  }
  ts_str_add(&text, ". ");
  if (*view->interval) {
    ts_str_add(&text, "How the interval is made: ");
    ts_str_add(&text, view->interval);
    ts_str_add(&text, strchr(".!?", view->interval[strlen(view->interval) - 1]) ? " " : ". ");
  }
  double fewest = INFINITY;
  for (size_t i = 0; i < view->count; i++) {
    if (!isnan(view->rows[i].usable)) fewest = fmin(fewest, view->rows[i].usable);
  }
  if (isfinite(fewest)) {
    ts_str_addf(&text, "Every index rests on at least %s %s.", ts_format_number(fewest, 3, number),
                ts_view_block_word(view, fewest));
    if (fewest < FEW) ts_str_add(&text, " With this few the intervals are rough; more runs make them firmer.");
  }
  ts_page_paragraph(page, ts_str_get(&text));
}

static bool has_interval(const struct ts_view *view, const char *name) {
  const struct ts_view_row *row = ts_view_row(view, name);
  return row && isfinite(row->cells[view->rank_column].low) && isfinite(row->cells[view->rank_column].high);
}

static void add_open_pair(struct ts_page *page, const struct ts_view *view, const json_t *pair) {
  ts_auto(ts_str_release) struct ts_str text = {0};
  const char *a = ts_result_text(pair, "a"), *b = ts_result_text(pair, "b");
  ts_str_addf(&text, "%s and %s: not settled, ", a, b);
  ts_str_add(&text, has_interval(view, a) && has_interval(view, b) ? "their intervals overlap"
                                                                   : "not both intervals are known");
  ts_view_add_advice(view, pair, &text);
  ts_str_add_char(&text, '.');
  ts_html_addf(page->out, "<li>%s</li>\n", ts_str_get(&text));
}

static void add_unsettled(struct ts_page *page, const struct ts_view *view, bool named) {
  const json_t *list = ts_result_list(view->json, "unsettled");
  size_t shown = 0, open = 0;
  ts_auto(ts_str_release) struct ts_str name = {0};
  ts_view_add_output(view, &name);
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *pair = json_array_get(list, i);
    if (!ts_view_pair_matters(view, pair)) continue;
    if (open++ == 0) {
      ts_str_add(page->out, "<h3>Ranks that are not settled");
      if (named) {
        ts_html_addf(page->out, ": %s", ts_str_get(&name));
      }
      ts_str_add(page->out, "</h3>\n<ul class=\"notes\">\n");
    }
    if (shown == MAX_PAIRS) continue;
    shown++;
    add_open_pair(page, view, pair);
  }
  if (open > shown) ts_str_addf(page->out, "<li>%zu more pairs of neighbouring ranks overlap.</li>\n", open - shown);
  if (open > 0) {
    ts_str_add(page->out, "</ul>\n");
  } else if (ts_view_has_intervals(view, view->rank_column) && view->count > 1) {
    ts_auto(ts_str_release) struct ts_str text = {0};
    ts_str_add(&text, "No two neighbouring ranks that matter overlap in their intervals");
    if (named) ts_str_addf(&text, " for %s", ts_str_get(&name));
    ts_str_add_char(&text, '.');
    ts_page_paragraph(page, ts_str_get(&text));
  }
}

static void add_goal(struct ts_page *page) {
  const json_t *until = json_object_get(page->result, "until");
  if (!json_is_object(until)) return;
  bool met = json_is_true(json_object_get(until, "met"));
  double rounds = ts_result_number(until, "rounds"), blocks = ts_result_number(until, "blocks");
  const struct ts_view *view = ts_page_first_view(page);
  ts_auto(ts_str_release) struct ts_str text = {0};
  char number[TS_NUMBER_SIZE];
  ts_str_addf(&text, "The study was to go on until %s. This was %s", ts_result_text(until, "text"),
              met ? "met" : "not met");
  if (!isnan(rounds)) {
    ts_str_addf(&text, " after %s round%s", ts_format_number(rounds, 3, number), rounds == 1 ? "" : "s");
  }
  if (!isnan(blocks)) {
    ts_str_addf(&text, " with %s %s", ts_format_number(blocks, 3, number), ts_view_block_word(view, blocks));
  }
  if (!isnan(view->runs)) ts_str_addf(&text, " (%s runs)", ts_format_number(view->runs, 3, number));
  if (*ts_result_text(until, "reason")) ts_str_addf(&text, ": %s", ts_result_text(until, "reason"));
  ts_str_add(&text, ts_str_ends_with(ts_str_get(&text), ".") ? "" : ".");
  ts_str_add(page->out, "<h3>The goal</h3>\n");
  ts_page_paragraph(page, ts_str_get(&text));
}

static void add_lost(struct ts_page *page, const struct ts_view *view) {
  static const char *const headers[] = {"Parameter", "Usable", "Of"};
  struct ts_str text = {0};
  char lost[TS_NUMBER_SIZE], runs[TS_NUMBER_SIZE];
  ts_str_addf(&text, "%s of %s runs gave no usable value of ", ts_format_number(view->lost, 3, lost),
              ts_format_number(view->runs, 3, runs));
  ts_view_add_output(view, &text);
  ts_str_addf(&text, ". Only what touches them was left out: this many %s are behind each index.",
              ts_view_block_word(view, 2));
  ts_page_paragraph(page, ts_str_get(&text));
  ts_str_release(&text);
  struct ts_table table;
  bool many = view->count > 16;
  ts_table_open(&table, page, "Usable runs by parameter", many ? "Usable counts as a table" : NULL, headers, "lrr");
  for (size_t i = 0; i < view->count; i++) {
    ts_table_text(&table, ts_page_parameter(page, view->rows[i].name));
    ts_table_number(&table, view->rows[i].usable);
    ts_table_number(&table, view->blocks > 0 ? view->blocks : view->runs);
  }
  ts_table_close(&table, many);
}

static void add_analyses(struct ts_page *page) {
  size_t count = 0, losses = 0;
  for (size_t i = 0; i < page->view_count; i++) {
    count += ts_view_is_main(page, &page->views[i]);
    if (ts_view_is_pooled(&page->views[i]) && !is_described(page, i)) add_intervals(page, &page->views[i]);
  }
  for (size_t i = 0; i < page->view_count; i++) {
    if (ts_view_is_main(page, &page->views[i])) add_unsettled(page, &page->views[i], count > 1);
  }
  add_goal(page);
  for (size_t i = 0; i < page->view_count; i++) {
    const struct ts_view *view = &page->views[i];
    if (!ts_view_is_pooled(view) || !(view->lost > 0)) continue;
    if (losses++ == 0) ts_str_add(page->out, "<h3>Runs without a usable output</h3>\n");
    add_lost(page, view);
  }
}

/* ---- notes ---- */

static bool is_warned(const json_t *warnings, const char *note) {
  for (size_t i = 0; i < json_array_size(warnings); i++) {
    const char *warning = json_string_value(json_array_get(warnings, i));
    if (warning && strstr(warning, note)) return true;
  }
  return false;
}

/* Whether an earlier note of an analysis has the same words. */
static bool is_noted(const struct ts_page *page, size_t view, size_t index, const char *note) {
  for (size_t v = 0; v <= view; v++) {
    const json_t *notes = ts_result_list(page->views[v].json, "notes");
    size_t end = v == view ? index : json_array_size(notes);
    for (size_t i = 0; i < end; i++) {
      const char *other = json_string_value(json_array_get(notes, i));
      if (other && strcmp(other, note) == 0) return true;
    }
  }
  return false;
}

static size_t add_notes(struct ts_page *page, const json_t *warnings, bool write) {
  size_t count = 0;
  for (size_t v = 0; v < page->view_count; v++) {
    const struct ts_view *view = &page->views[v];
    const json_t *notes = ts_result_list(view->json, "notes");
    for (size_t i = 0; i < json_array_size(notes); i++) {
      const char *note = json_string_value(json_array_get(notes, i));
      if (!note || is_warned(warnings, note) || is_noted(page, v, i, note)) continue;
      count++;
      if (!write || count > MAX_NOTES) continue;
      ts_auto(ts_str_release) struct ts_str text = {0};
      if (*view->file) ts_str_addf(&text, "%s, ", view->file);
      ts_view_add_output(view, &text);
      ts_str_addf(&text, ": %s", note);
      ts_html_addf(page->out, "<li>%s</li>\n", ts_str_get(&text));
    }
  }
  if (write && count > MAX_NOTES) {
    ts_str_addf(page->out, "<li>%zu more notes are in the result object.</li>\n", count - MAX_NOTES);
  }
  return count;
}

/* ---- warnings and failures ---- */

static void add_warnings(struct ts_page *page) {
  const json_t *list = ts_result_list(page->result, "warnings");
  if (!list && add_notes(page, list, false) == 0) {
    ts_page_paragraph(page, "There were no warnings.");
    return;
  }
  ts_str_add(page->out, "<h3>Warnings</h3>\n<ul class=\"notes\">\n");
  for (size_t i = 0; i < json_array_size(list); i++) {
    ts_auto(ts_str_release) struct ts_str text = {0};
    ts_result_print(json_array_get(list, i), &text);
    ts_html_addf(page->out, "<li>%s</li>\n", ts_str_get(&text));
  }
  add_notes(page, list, true);
  ts_str_add(page->out, "</ul>\n");
}

/* "G1 = 40, T1 = 5" of the first of equal failures. */
static void print_params(json_t *params, struct ts_str *out) {
  const char *name;
  json_t *value;
  json_object_foreach(params, name, value) {
    if (out->length > 0) ts_str_add(out, ", ");
    ts_str_addf(out, "%s = ", name);
    ts_result_print(value, out);
  }
}

/* "slide.png, tile 12,40". */
static void print_place(const json_t *failure, struct ts_str *out) {
  const json_t *tile = json_object_get(failure, "tile");
  ts_str_add(out, ts_result_text(failure, "file"));
  if (json_array_size(tile) == 2)
    ts_str_addf(out, ", tile %lld,%lld", (long long)json_integer_value(json_array_get(tile, 0)),
                (long long)json_integer_value(json_array_get(tile, 1)));
}

static void add_failure_row(struct ts_table *table, const json_t *failure) {
  ts_auto(ts_str_release) struct ts_str params = {0}, place = {0};
  const char *text = ts_result_text(failure, "text");
  print_params(json_object_get(failure, "params"), &params);
  print_place(failure, &place);
  ts_table_text(table, ts_result_text(failure, "task"));
  ts_table_number(table, fmax(1, ts_result_count(failure, "count")));
  ts_table_text(table, ts_str_get(&place));
  ts_table_text(table, ts_str_get(&params));
  ts_table_text(table, *text ? text : ts_result_text(failure, "message"));
}

/* Equal failures in one row; results of earlier versions have them one by one. */
static void add_failures(struct ts_page *page) {
  const json_t *kinds = ts_result_list(page->result, "failures");
  const json_t *list = kinds ? kinds : ts_result_list(page->result, "failed");
  if (!list) {
    ts_page_paragraph(page, "No task failed.");
    return;
  }
  double tasks = 0;
  char text[128], number[32];
  const size_t count = json_array_size(list), shown = count > MAX_FAILURES ? MAX_FAILURES : count;
  for (size_t i = 0; i < count; i++) tasks += fmax(1, ts_result_count(json_array_get(list, i), "count"));
  ts_str_add(page->out, "<h3>Failed tasks</h3>\n");
  snprintf(text, sizeof text, "%s task%s failed%s", ts_format_count((uint64_t)tasks, number), tasks == 1 ? "" : "s",
           shown < count ? "; the first of them:" : ":");
  ts_page_paragraph(page, text);
  static const char *const headers[] = {"Task", "Times", "First in", "With", "Message"};
  struct ts_table table;
  ts_table_open(&table, page, "Failed tasks", NULL, headers, "lrlll");
  for (size_t i = 0; i < shown; i++) add_failure_row(&table, json_array_get(list, i));
  ts_table_close(&table, false);
}

void ts_page_trust(struct ts_page *page) {
  ts_page_section_open(page, "Trust");
  if (page->view_count > 0) add_analyses(page);
  add_warnings(page);
  if (!page->is_analysis) add_failures(page);
  ts_page_section_close(page);
}
