/* The report as a whole: head, first screen, sections, all data and the embedded result object.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/report.h"

#include "base/alloc.h"
#include "base/json.h"
#include "report/page_int.h"
#include "report/text.h"
#include "report/views_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_RUN_ROWS  300
#define MAX_RUN_CELLS 4000

static bool is_study(const struct ts_page *page) {
  return ts_str_starts_with(ts_result_text(page->result, "schema"), "tessera.study/");
}

static void add_title(const struct ts_page *page, struct ts_str *out) {
  const char *question = ts_result_text(page->result, "question"), *study = ts_result_text(page->result, "study");
  if (*question) {
    ts_str_add(out, question);
  } else if (is_study(page)) {
    ts_str_addf(out, "Which parameters of %s matter?", *study ? study : "this workflow");
  } else {
    ts_str_addf(out, "What did run %s of %s give?", ts_result_text(page->result, "run"),
                *study ? study : "this workflow");
  }
}

static void add_head(struct ts_page *page) {
  ts_auto(ts_str_release) struct ts_str title = {0};
  add_title(page, &title);
  ts_page_begin(page, ts_str_get(&title), ts_result_text(page->result, "answer"));
}

static void add_card(struct ts_page *page, const char *value, const char *name) {
  ts_html_addf(page->out, "<li><b>%s</b><span>%s</span></li>\n", value, name);
}

static void add_matter_card(struct ts_page *page) {
  if (page->view_count == 0) return;
  size_t matter = 0;
  const struct ts_view *view = ts_page_first_view(page);
  if (!ts_view_count_matter(view, &matter)) return;
  bool dropped = json_array_size(ts_result_list(json_array_get(ts_result_list(page->result, "phases"), 0), "dropped"));
  char text[TS_NUMBER_SIZE];
  snprintf(text, sizeof text, "%zu of %zu", matter, view->count);
  ts_auto(ts_str_release) struct ts_str words = {0};
  ts_str_add(&words, dropped ? "kept " : "");
  ts_view_add_matter_words(view, &words);
  add_card(page, text, ts_str_get(&words));
}

/* What the first output is compared with. */
static void add_reference_card(struct ts_page *page) {
  const json_t *first = json_array_get(ts_result_list(page->result, "outputs"), 0);
  const char *words = ts_answer_reference(ts_result_text(first, "against"));
  if (*words) add_card(page, words, "is what results are compared with");
}

/* "0.27": at the defaults; "0.65": best run, 0.55 to 0.74 over files. */
static void add_goal_cards(struct ts_page *page) {
  const json_t *goal = json_object_get(page->result, "goal"), *best = json_object_get(page->result, "best");
  const double by_default = ts_result_number(json_object_get(page->result, "default"), "value");
  const char *label = ts_result_text(goal, "label");
  char value[TS_NUMBER_SIZE], low[TS_NUMBER_SIZE], high[TS_NUMBER_SIZE];
  if (!best) return;
  if (!*label) label = ts_result_text(goal, "name");
  if (!isnan(by_default))
    add_card(page, ts_format_number(by_default, 2, value),
             ts_arena_printf(&page->arena, "is %s at the defaults", label));
  if (!json_is_integer(json_object_get(best, "set"))) return; /* no run is better */
  const char *name = "in the best run";
  if (!isnan(ts_result_number(best, "lo")))
    name = ts_arena_printf(&page->arena, "in the best run; over files %s to %s",
                           ts_format_number(ts_result_number(best, "lo"), 2, low),
                           ts_format_number(ts_result_number(best, "hi"), 2, high));
  add_card(page, ts_format_number(ts_result_number(best, "value"), 2, value), name);
}

/* The numbers of a plain run. */
static void add_value_cards(struct ts_page *page) {
  const json_t *outputs = ts_result_list(page->result, "outputs");
  size_t shown = 0;
  for (size_t i = 0; i < json_array_size(outputs) && shown < 6; i++) {
    const json_t *output = json_array_get(outputs, i);
    double value = ts_result_number(output, "value");
    if (isnan(value)) continue;
    char number[TS_NUMBER_SIZE];
    struct ts_str name = {0};
    ts_str_add(&name, ts_result_text(output, "name"));
    const char *over_tiles = ts_page_over_tiles(page, output, "notes");
    if (*over_tiles) ts_str_addf(&name, ", %s", over_tiles);
    add_card(page, ts_format_number(value, 4, number), ts_str_get(&name));
    ts_str_release(&name);
    shown++;
  }
}

/* Of runs that another program made. */
static void add_run_cards(struct ts_page *page) {
  const struct ts_view *view = page->view_count > 0 ? ts_page_first_view(page) : NULL;
  char text[TS_NUMBER_SIZE];
  if (!view) return;
  add_card(page, ts_format_number(view->runs, 6, text), view->runs == 1 ? "run of the model" : "runs of the model");
  if (view->lost > 0)
    add_card(page, ts_format_number(view->lost, 6, text), view->lost == 1 ? "run failed" : "runs failed");
}

static void add_engine_cards(struct ts_page *page) {
  const json_t *reuse = json_object_get(page->result, "reuse");
  char text[TS_NUMBER_SIZE], name[TS_NUMBER_SIZE];
  double requested = ts_result_count(reuse, "requested");
  if (requested > 0) {
    double share = fmax(1 - ts_result_count(reuse, "executed") / requested, 0);
    add_card(page, ts_format_percent(share, text), "of the tasks saved by reuse");
  }
  double wall = ts_result_number(page->result, "wall_s"), threads = ts_result_number(page->result, "threads");
  double workers = ts_result_number(page->result, "workers");
  if (!isnan(wall)) {
    snprintf(name, sizeof name, "time");
    if (workers > 0)
      snprintf(name, sizeof name, "time with %.0f worker%s", workers, workers == 1 ? "" : "s");
    else if (!isnan(threads))
      snprintf(name, sizeof name, "time on %.0f thread%s", threads, threads == 1 ? "" : "s");
    add_card(page, ts_format_time(wall, text), name);
  }
  double failed =
      fmax(ts_result_count(reuse, "failed"), (double)json_array_size(ts_result_list(page->result, "failed")));
  add_card(page, ts_format_number(failed, 3, text), failed == 1 ? "failed task" : "failed tasks");
}

static void add_cards(struct ts_page *page) {
  ts_str_add(page->out, "<ul class=\"cards\">\n");
  add_goal_cards(page);
  add_matter_card(page);
  if (page->is_analysis) {
    add_run_cards(page);
  } else {
    add_reference_card(page);
    add_value_cards(page);
    add_engine_cards(page);
  }
  ts_str_add(page->out, "</ul>\n");
}

static void add_first_screen(struct ts_page *page) {
  add_cards(page);
  ts_str_add(page->out, "</header>\n<main>\n");
  bool bars = page->view_count > 0;
  bool pictures = false;
  for (size_t i = 0; i < page->picture_count; i++)
    pictures = pictures || ts_page_is_first_picture(page, &page->pictures[i]);
  if (!bars && !pictures) return;
  ts_str_add(page->out, bars && pictures ? "<div class=\"pair\">\n" : "<div>\n");
  double wide_px = pictures ? TS_CHART_HALF_PX : TS_CHART_FULL_PX;
  if (bars) ts_page_view_bars(page, ts_page_first_view(page), wide_px);
  if (pictures) {
    ts_str_add(page->out, "<div class=\"pictures\">\n");
    for (size_t i = 0; i < page->picture_count; i++)
      if (ts_page_is_first_picture(page, &page->pictures[i])) ts_page_picture(page, &page->pictures[i]);
    ts_str_add(page->out, "</div>\n");
  }
  ts_str_add(page->out, "</div>\n");
}

/* The keys of an object of the first run, as columns. */
static size_t add_columns(const json_t *runs, const char *key, const char **names, size_t count, size_t capacity) {
  json_t *object = json_object_get(json_array_get(runs, 0), key);
  const char *name;
  json_t *value;
  json_object_foreach(object, name, value) {
    if (count < capacity) names[count++] = name;
  }
  return count;
}

static void add_run(struct ts_table *table, const json_t *run, const char *const *names, size_t parameters,
                    size_t count) {
  ts_auto(ts_str_release) struct ts_str text = {0};
  ts_result_print(json_object_get(run, "set"), &text);
  ts_table_text(table, ts_str_get(&text));
  for (size_t i = 0; i < count; i++) {
    ts_str_clear(&text);
    const json_t *object = json_object_get(run, i < parameters ? "params" : "outputs");
    ts_result_print(json_object_get(object, names[i]), &text);
    ts_table_text(table, ts_str_get(&text));
  }
}

static void add_runs(struct ts_page *page) {
  const json_t *runs = ts_result_list(page->result, "runs");
  if (!runs) return;
  const size_t capacity = 64;
  const char **headers = ts_arena_array(&page->arena, capacity + 1, sizeof *headers);
  headers[0] = "Run";
  size_t parameters = add_columns(runs, "params", headers + 1, 0, capacity);
  size_t count = add_columns(runs, "outputs", headers + 1, parameters, capacity);
  char *align = ts_arena_alloc(&page->arena, capacity + 2);
  memset(align, 'r', count + 1);
  size_t total = json_array_size(runs), shown = total < MAX_RUN_ROWS ? total : MAX_RUN_ROWS;
  if (shown * (count + 1) > MAX_RUN_CELLS) shown = MAX_RUN_CELLS / (count + 1);
  char summary[96];
  if (shown < total) {
    snprintf(summary, sizeof summary, "The first %zu of %zu runs as a table", shown, total);
  } else {
    snprintf(summary, sizeof summary, total == 1 ? "The run as a table" : "All %zu runs as a table", total);
  }
  const char **shown_headers = ts_arena_memdup(&page->arena, headers, (capacity + 1) * sizeof *headers);
  for (size_t i = 0; i < parameters; i++) shown_headers[1 + i] = ts_page_parameter(page, headers[1 + i]);
  struct ts_table table;
  ts_table_open(&table, page, "Runs", summary, shown_headers, align);
  for (size_t i = 0; i < shown; i++) add_run(&table, json_array_get(runs, i), headers + 1, parameters, count);
  ts_table_close(&table, true);
}

static void add_data(struct ts_page *page) {
  ts_page_section_open(page, "All data");
  add_runs(page);
  ts_str_add(page->out, "<p>The whole result is in this file, as the JSON object in the element with the id "
                        "<code>tessera-result</code>: the same that <code>--json</code> prints.</p>\n");
  ts_page_section_close(page);
}

static void add_end(struct ts_page *page) {
  ts_auto(ts_str_release) struct ts_str about = {0};
  const char *started = ts_result_text(page->result, "started");
  if (!page->is_analysis) ts_str_addf(&about, "run %s", ts_result_text(page->result, "run"));
  if (*started) ts_str_addf(&about, "%sstarted %s", about.length > 0 ? ", " : "", started);
  ts_page_end(page, ts_str_get(&about));
}

bool ts_report_write(const json_t *result, const struct ts_report_picture *pictures, size_t picture_count,
                     struct ts_str *html, struct ts_error *err) {
  const char *schema = ts_result_text(result, "schema");
  bool is_analysis = ts_result_is_analysis(result);
  if (strcmp(schema, "tessera.study/2") != 0 && strcmp(schema, "tessera.run/2") != 0 && !is_analysis) {
    ts_fail(err, TS_ERR_FORMAT_VERSION,
            "a report needs a result of the schema 'tessera.study/2', 'tessera.run/2' or 'tessera.analyse/1', not '%s'",
            schema);
    return ts_error_help(err, "render it with the version of tessera that made the result, or run the study again");
  }
  json_t *analysis = is_analysis ? ts_result_of_analysis(result) : NULL;
  struct ts_page page = {.out = html,
                         .result = analysis ? analysis : result,
                         .embedded = result,
                         .is_analysis = is_analysis,
                         .pictures = pictures,
                         .picture_count = picture_count};
  ts_page_read(&page);
  add_head(&page);
  add_first_screen(&page);
  ts_page_indices(&page);
  ts_page_best(&page);
  ts_page_phases(&page);
  ts_page_spread(&page);
  ts_page_held_out(&page);
  ts_page_slide(&page);
  ts_page_cost(&page);
  ts_page_trust(&page);
  ts_page_method(&page);
  add_data(&page);
  add_end(&page);
  ts_arena_release(&page.arena);
  json_decref(analysis);
  return true;
}
