/* 'Trust' and 'Method': how sure the answer is, and what is needed to get it again.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/page_int.h"

#include "report/text.h"
#include "report/views_int.h"

#include <math.h>
#include <string.h>

/* ---- trust ---- */

static void add_intervals(struct ts_page *page) {
  const json_t *method = json_object_get(page->result, "method");
  double resamples = ts_result_number(method, "resamples"), confidence = ts_result_number(method, "confidence");
  double fewest = INFINITY;
  const struct ts_effects *effects = &page->outputs[0];
  for (size_t i = 0; i < effects->count; i++) fewest = fmin(fewest, effects->items[i].count);
  struct ts_str text = {0};
  char number[TS_NUMBER_SIZE], percent[TS_NUMBER_SIZE];
  ts_str_add(&text, "The lines on the bars are ");
  if (!isnan(confidence)) ts_str_addf(&text, "%s ", ts_format_percent(confidence, percent));
  ts_str_add(&text, "intervals: the analysis was repeated");
  if (!isnan(resamples)) ts_str_addf(&text, " %s times", ts_format_number(resamples, 3, number));
  ts_str_add(&text, " with trajectories drawn again at random.");
  if (isfinite(fewest)) {
    ts_str_addf(&text, " Every index rests on at least %s elementary effect%s.", ts_format_number(fewest, 3, number),
                fewest == 1 ? "" : "s");
  }
  if (fewest < 10) ts_str_add(&text, " With so few the intervals are rough; more trajectories make them firmer.");
  ts_page_paragraph(page, ts_str_get(&text));
  ts_str_release(&text);
}

/* Pairs of parameters that are too small are left out: their order matters to nobody. */
static void add_unsettled(struct ts_page *page, const struct ts_effects *effects) {
  size_t count = 0;
  for (size_t i = 0; i < json_array_size(effects->unsettled); i++) {
    const json_t *pair = json_array_get(effects->unsettled, i);
    const char *first = json_string_value(json_array_get(pair, 0)),
               *second = json_string_value(json_array_get(pair, 1));
    if (!first || !second || !ts_findings_pair_matters(&effects->findings, first, second)) continue;
    if (count++ == 0) {
      ts_str_add(page->out, "<h3>Ranks that are not settled</h3>\n<ul class=\"notes\">\n");
    }
    ts_str_add(page->out, "<li>");
    ts_html_add(page->out, first);
    ts_str_add(page->out, " and ");
    ts_html_add(page->out, second);
    ts_str_add(page->out, ": their intervals overlap.</li>\n");
  }
  if (count > 0) {
    ts_str_add(page->out, "</ul>\n");
  } else {
    ts_page_paragraph(page, "No two neighbouring ranks that matter overlap in their intervals.");
  }
}

static void add_warnings(struct ts_page *page) {
  const json_t *list = ts_result_list(page->result, "warnings");
  if (!list && ts_page_add_notes(page, list, false) == 0) {
    ts_page_paragraph(page, "There were no warnings.");
    return;
  }
  ts_str_add(page->out, "<h3>Warnings</h3>\n<ul class=\"notes\">\n");
  for (size_t i = 0; i < json_array_size(list); i++) {
    struct ts_str text = {0};
    ts_result_print(json_array_get(list, i), &text);
    ts_str_add(page->out, "<li>");
    ts_html_add(page->out, ts_str_get(&text));
    ts_str_add(page->out, "</li>\n");
    ts_str_release(&text);
  }
  ts_page_add_notes(page, list, true);
  ts_str_add(page->out, "</ul>\n");
}

static void add_failures(struct ts_page *page) {
  const json_t *list = ts_result_list(page->result, "failed");
  if (!list) {
    ts_page_paragraph(page, "No task failed.");
    return;
  }
  size_t count = json_array_size(list), shown = count > 200 ? 200 : count;
  char text[128];
  ts_str_add(page->out, "<h3>Failed tasks</h3>\n");
  if (shown < count) {
    snprintf(text, sizeof text, "%zu tasks failed; the first %zu of them:", count, shown);
  } else {
    snprintf(text, sizeof text, "%zu task%s failed:", count, count == 1 ? "" : "s");
  }
  ts_page_paragraph(page, text);
  static const char *const headers[] = {"Task", "Message"};
  struct ts_table table;
  ts_table_open(&table, page, "Failed tasks", NULL, headers, "ll");
  for (size_t i = 0; i < shown; i++) {
    ts_table_text(&table, ts_result_text(json_array_get(list, i), "task"));
    ts_table_text(&table, ts_result_text(json_array_get(list, i), "message"));
  }
  ts_table_close(&table, false);
}

void ts_page_trust(struct ts_page *page) {
  ts_page_section_open(page, "Trust");
  if (page->view_count > 0) {
    ts_page_view_trust(page);
  } else if (page->output_count > 0 && page->outputs[0].count > 0) {
    add_intervals(page);
    add_unsettled(page, &page->outputs[0]);
  }
  add_warnings(page);
  add_failures(page);
  ts_page_section_close(page);
}

/* ---- method ---- */

static void add_fact(struct ts_page *page, const char *name, const char *text, bool code) {
  if (!*text) return;
  ts_str_addf(page->out, "<dt>%s</dt><dd>%s", name, code ? "<code>" : "");
  ts_html_add(page->out, text);
  ts_str_addf(page->out, "%s</dd>\n", code ? "</code>" : "");
}

/* One line per phase and method. */
static void add_methods(struct ts_page *page) {
  for (size_t i = 0; i < page->view_count; i++) {
    const struct ts_view *view = &page->views[i];
    bool told = !ts_view_is_pooled(view);
    for (size_t k = 0; k < i && !told; k++) {
      const struct ts_view *other = &page->views[k];
      told = ts_view_is_pooled(other) && other->phase == view->phase && strcmp(other->method, view->method) == 0;
    }
    if (told) continue;
    struct ts_str text = {0};
    ts_view_add_method(view, &text);
    add_fact(page, "Method", ts_str_get(&text), false);
    ts_str_release(&text);
  }
}

/* What the numbers were compared with, in the order of the outputs; results of number 1 do not say it. */
static void add_references(struct ts_page *page) {
  const json_t *outputs = ts_result_list(page->result, "outputs");
  struct ts_str text = {0};
  for (size_t i = 0; i < json_array_size(outputs); i++) {
    const json_t *output = json_array_get(outputs, i);
    const char *words = ts_answer_reference(ts_result_text(output, "against"));
    if (*words) ts_str_addf(&text, "%s%s: %s", text.length ? "; " : "", ts_result_text(output, "name"), words);
  }
  add_fact(page, "Compared with", ts_str_get(&text), false);
  ts_str_release(&text);
}

static void add_facts(struct ts_page *page) {
  const json_t *result = page->result, *tool = json_object_get(result, "tool");
  const json_t *method = json_object_get(result, "method");
  struct ts_str text = {0};
  ts_str_add(page->out, "<dl>\n");
  if (json_is_object(method)) {
    char number[TS_NUMBER_SIZE];
    if (page->view_count > 0) {
      add_methods(page);
    } else {
      ts_page_add_method(page, &text);
      double levels = ts_result_number(method, "levels");
      if (!isnan(levels)) ts_str_addf(&text, "; %s levels", ts_format_number(levels, 3, number));
      add_fact(page, "Method", ts_str_get(&text), false);
    }
    ts_str_clear(&text);
    const json_t *seed = json_object_get(method, "seed");
    if (json_is_integer(seed)) ts_str_addf(&text, "%lld", (long long)json_integer_value(seed));
    add_fact(page, "Seed", ts_str_get(&text), false);
  }
  add_references(page);
  ts_str_clear(&text);
  ts_str_addf(&text, "%s %s", ts_result_text(tool, "name"), ts_result_text(tool, "version"));
  if (json_is_object(tool)) add_fact(page, "Version", ts_str_get(&text), false);
  add_fact(page, "Study", ts_result_text(result, "study"), false);
  add_fact(page, "Run", ts_result_text(result, "run"), true);
  add_fact(page, "Started", ts_result_text(result, "started"), false);
  add_fact(page, "Store", ts_result_text(result, "store"), true);
  ts_str_add(page->out, "</dl>\n");
  ts_str_release(&text);
}

static void add_inputs(struct ts_page *page) {
  const json_t *list = ts_result_list(page->result, "inputs");
  if (!list) return;
  static const char *const headers[] = {"File", "SHA-256"};
  struct ts_table table;
  ts_str_add(page->out, "<h3>Inputs</h3>\n");
  bool collapsed = json_array_size(list) > 12;
  ts_table_open(&table, page, "Input files and their hashes", collapsed ? "All input files" : NULL, headers, "ll");
  for (size_t i = 0; i < json_array_size(list); i++) {
    ts_table_text(&table, ts_result_text(json_array_get(list, i), "path"));
    ts_table_code(&table, ts_result_text(json_array_get(list, i), "hash"));
  }
  ts_table_close(&table, collapsed);
}

/* Grid: its size or its members; range: its ends. */
static void print_choice(const json_t *parameter, struct ts_str *out) {
  const json_t *levels = json_object_get(parameter, "levels"), *range = ts_result_list(parameter, "range");
  if (json_is_array(levels)) {
    for (size_t i = 0; i < json_array_size(levels); i++) {
      if (i > 0) ts_str_add(out, ", ");
      ts_result_print(json_array_get(levels, i), out);
    }
  } else if (json_is_number(levels)) {
    ts_result_print(levels, out);
    ts_str_add(out, " levels");
  } else if (json_is_string(levels)) {
    ts_str_add(out, json_string_value(levels));
  }
  if (range) {
    if (out->length > 0) ts_str_add(out, ", ");
    ts_result_print(json_array_get(range, 0), out);
    ts_str_add(out, " to ");
    ts_result_print(json_array_get(range, json_array_size(range) - 1), out);
  }
  if (out->length == 0) ts_str_add(out, "fixed");
}

static void add_parameters(struct ts_page *page) {
  const json_t *list = ts_result_list(page->result, "params");
  if (!list) return;
  static const char *const headers[] = {"Parameter", "Type", "Varied over", "Default", "Meaning"};
  struct ts_table table;
  ts_str_add(page->out, "<h3>Parameters</h3>\n");
  ts_table_open(&table, page, "Parameters", NULL, headers, "lllrl");
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *parameter = json_array_get(list, i);
    struct ts_str text = {0};
    ts_table_text(&table, ts_result_text(parameter, "name"));
    ts_table_text(&table, ts_result_text(parameter, "type"));
    print_choice(parameter, &text);
    ts_table_text(&table, ts_str_get(&text));
    ts_str_clear(&text);
    ts_result_print(json_object_get(parameter, "default"), &text);
    ts_table_text(&table, ts_str_get(&text));
    ts_table_text(&table, ts_result_text(parameter, "help"));
    ts_str_release(&text);
  }
  ts_table_close(&table, false);
}

void ts_page_method(struct ts_page *page) {
  ts_page_section_open(page, "Method");
  add_facts(page);
  const char *command = ts_result_text(page->result, "command");
  if (*command) {
    ts_str_add(page->out, "<h3>Command to reproduce</h3>\n<pre><code>");
    ts_html_add(page->out, command);
    ts_str_add(page->out, "</code></pre>\n");
  }
  add_parameters(page);
  add_inputs(page);
  ts_page_section_close(page);
}
