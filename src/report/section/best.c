/* 'Best values': the ten best runs beside the defaults, the shortest change, and the choice without each file.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/page_int.h"

#include "base/alloc.h"
#include "report/result.h"
#include "report/text.h"
#include "report/views_int.h"

#include <math.h>
#include <string.h>

static void add_paragraph_with_code(struct ts_page *page, const char *text, const char *code) {
  ts_html_addf(page->out, "<p>%s <code>%s</code></p>\n", text, code);
}

/* "G1 = 40, G2 = 5"; nothing is changed: "nothing". */
static const char *changes_of(struct ts_page *page, const json_t *set) {
  ts_auto(ts_str_release) struct ts_str text = {0};
  const char *name;
  json_t *value;
  json_object_foreach(json_object_get(set, "params"), name, value) {
    ts_str_addf(&text, "%s%s = ", text.length ? ", " : "", name);
    ts_result_print(value, &text);
  }
  return text.length ? ts_arena_strdup(&page->arena, ts_str_get(&text)) : "nothing";
}

static void add_set_row(struct ts_table *table, struct ts_page *page, const json_t *set, const char *changes) {
  ts_auto(ts_str_release) struct ts_str number = {0};
  ts_result_print(json_object_get(set, "set"), &number);
  ts_table_text(table, ts_str_get(&number));
  ts_table_number(table, ts_result_number(set, "value"));
  ts_table_number(table, ts_result_number(set, "lo"));
  ts_table_number(table, ts_result_number(set, "hi"));
  ts_table_text(table, changes ? changes : changes_of(page, set));
  ts_table_code(table, ts_result_text(set, "command"));
}

static void add_top(struct ts_page *page, const json_t *goal) {
  const json_t *top = ts_result_list(page->result, "top"), *by_default = json_object_get(page->result, "default");
  if (!top) return;
  const char *label = ts_result_text(goal, "label");
  const char *headers[] = {"Run", *label ? label : ts_result_text(goal, "name"), "from", "to", "Changes", "Command"};
  struct ts_table table;
  ts_table_open(&table, page, "The best runs", NULL, headers, "lrrrll");
  for (size_t i = 0; i < json_array_size(top); i++) add_set_row(&table, page, json_array_get(top, i), NULL);
  if (by_default) add_set_row(&table, page, by_default, "nothing");
  ts_table_close(&table, false);
}

/* ---- the shortest change ---- */

static void add_steps(struct ts_page *page, const json_t *steps) {
  static const char *const headers[] = {"Parameter", "Value", "Goal", "Share of the gain", "Runs"};
  struct ts_table table;
  ts_table_open(&table, page, "The shortest change, one parameter after the other", NULL, headers, "lrrrr");
  for (size_t i = 0; i < json_array_size(steps); i++) {
    const json_t *step = json_array_get(steps, i);
    ts_auto(ts_str_release) struct ts_str value = {0};
    char share[TS_NUMBER_SIZE];
    ts_result_print(json_object_get(step, "value"), &value);
    ts_table_text(&table, ts_page_parameter(page, ts_result_text(step, "parameter")));
    ts_table_text(&table, ts_str_get(&value));
    ts_table_number(&table, ts_result_number(step, "goal"));
    ts_table_text(&table, ts_format_percent(ts_result_number(step, "share"), share));
    ts_table_number(&table, ts_result_number(step, "runs"));
  }
  ts_table_close(&table, false);
}

/* The value that a list by file has for a file; lists have the same files in the same order. */
static double by_file(const json_t *set, size_t file) {
  return ts_result_number(json_array_get(ts_result_list(set, "by_file"), file), "value");
}

static void add_files(struct ts_page *page, const json_t *change) {
  static const char *const headers[] = {"File", "Defaults", "Shortest change", "Best run"};
  const json_t *by_default = json_object_get(page->result, "default"), *best = json_object_get(page->result, "best");
  const json_t *files = ts_result_list(by_default, "by_file");
  if (json_array_size(files) < 2) return;
  struct ts_table table;
  ts_table_open(&table, page, "The goal by file", "The goal by file", headers, "lrrr");
  for (size_t i = 0; i < json_array_size(files); i++) {
    ts_table_code(&table, ts_result_text(json_array_get(files, i), "file"));
    ts_table_number(&table, by_file(by_default, i));
    ts_table_number(&table, by_file(change, i));
    ts_table_number(&table, by_file(best, i));
  }
  ts_table_close(&table, true);
}

static void add_change(struct ts_page *page) {
  const json_t *change = json_object_get(page->result, "shortest_change");
  const json_t *steps = ts_result_list(change, "steps");
  if (!change) return;
  ts_page_heading(page, 3, "the shortest change");
  ts_page_paragraph(page, ts_result_text(change, "text"));
  if (!steps) return;
  add_steps(page, steps);
  add_paragraph_with_code(page,
                          "Every number is that of a run. To use these values:", ts_result_text(change, "command"));
  add_files(page, change);
}

/* ---- the choice without each file ---- */

static void add_choices(struct ts_page *page) {
  static const char *const headers[] = {"Left out", "Best run without it", "which gives it", "Best run of all",
                                        "Defaults"};
  const json_t *choices = json_object_get(page->result, "choice_stability");
  const json_t *files = ts_result_list(choices, "files");
  if (!files) return;
  ts_page_heading(page, 3, "would other files have chosen otherwise?");
  ts_page_paragraph(page, ts_result_text(choices, "text"));
  struct ts_table table;
  ts_table_open(&table, page, "The best run without each file", "The choice without each file", headers, "lrrrr");
  for (size_t i = 0; i < json_array_size(files); i++) {
    const json_t *file = json_array_get(files, i);
    ts_auto(ts_str_release) struct ts_str set = {0};
    ts_result_print(json_object_get(file, "set"), &set);
    ts_table_code(&table, ts_result_text(file, "file"));
    ts_table_text(&table, ts_str_get(&set));
    ts_table_number(&table, ts_result_number(file, "left_out"));
    ts_table_number(&table, ts_result_number(file, "best"));
    ts_table_number(&table, ts_result_number(file, "default"));
  }
  ts_table_close(&table, true);
}

/* ---- the section ---- */

static void add_further(struct ts_page *page) {
  const json_t *further = json_object_get(page->result, "further");
  if (!further) return;
  char runs[TS_NUMBER_SIZE], executed[TS_NUMBER_SIZE], requested[TS_NUMBER_SIZE];
  const double count = ts_result_count(further, "runs");
  ts_html_addf(
      page->out,
      "<p class=\"small\">%s further %s behind this section (the defaults, and changes of them); %s of their %s "
      "tasks were executed. No index depends on them, and they are not among the counts below.</p>\n",
      ts_format_number(count, 3, runs), count == 1 ? "run is" : "runs are",
      ts_format_number(ts_result_count(further, "executed"), 9, executed),
      ts_format_number(ts_result_count(further, "requested"), 9, requested));
}

void ts_page_best(struct ts_page *page) {
  const json_t *goal = json_object_get(page->result, "goal"), *best = json_object_get(page->result, "best");
  if (!goal || !best) return;
  ts_page_section_open(page, "Best values");
  ts_auto(ts_str_release) struct ts_str text = {0};
  const char *label = ts_result_text(goal, "label");
  ts_answer_add_what(*label ? label : ts_result_text(goal, "name"), ts_result_text(goal, "against"), &text);
  ts_html_addf(page->out, "<p>The goal is %s, %s is better.", ts_str_get(&text), ts_result_text(goal, "better"));
  if (*ts_result_text(page->result, "values_file"))
    ts_html_addf(page->out, " The values of the best run are in <code>%s</code>.",
                 ts_result_text(page->result, "values_file"));
  ts_str_add(page->out, "</p>\n");
  add_top(page, goal);
  add_change(page);
  add_choices(page);
  add_further(page);
  ts_page_section_close(page);
}
