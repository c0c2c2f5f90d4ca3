/* 'Method': what is needed to get the answer again.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/views_int.h"

#include "base/alloc.h"
#include "report/text.h"

#include <string.h>

static void add_fact(struct ts_page *page, const char *name, const char *text, bool code) {
  if (!*text) return;
  ts_str_addf(page->out, "<dt>%s</dt><dd>%s", name, code ? "<code>" : "");
  ts_html_add(page->out, text);
  ts_str_addf(page->out, "%s</dd>\n", code ? "</code>" : "");
}

/* Of a study over a given design, which has no analyses. */
static void add_given(struct ts_page *page, const json_t *method) {
  char number[TS_NUMBER_SIZE];
  ts_auto(ts_str_release) struct ts_str text = {0};
  ts_str_addf(&text, "%s, %s runs", ts_result_text(method, "name"),
              ts_format_number(ts_result_number(method, "runs"), 3, number));
  add_fact(page, "Method", ts_str_get(&text), false);
}

/* One line per phase and method. */
static void add_methods(struct ts_page *page) {
  for (size_t i = 0; i < page->view_count; i++) {
    const struct ts_view *view = &page->views[i];
    bool is_known = !ts_view_is_pooled(view);
    for (size_t k = 0; k < i && !is_known; k++) {
      const struct ts_view *other = &page->views[k];
      is_known = ts_view_is_pooled(other) && other->phase == view->phase && strcmp(other->method, view->method) == 0;
    }
    if (is_known) continue;
    ts_auto(ts_str_release) struct ts_str text = {0};
    ts_view_add_method(view, &text);
    add_fact(page, "Method", ts_str_get(&text), false);
  }
}

/* What the numbers were compared with, in the order of the outputs. */
static void add_references(struct ts_page *page) {
  const json_t *outputs = ts_result_list(page->result, "outputs");
  ts_auto(ts_str_release) struct ts_str text = {0};
  for (size_t i = 0; i < json_array_size(outputs); i++) {
    const json_t *output = json_array_get(outputs, i);
    const char *words = ts_answer_reference(ts_result_text(output, "against"));
    if (*words) ts_str_addf(&text, "%s%s: %s", text.length ? "; " : "", ts_result_text(output, "name"), words);
  }
  add_fact(page, "Compared with", ts_str_get(&text), false);
}

/* Of a design that is known to have been drawn by tessera. */
static void add_drawn(struct ts_page *page) {
  const json_t *drawn = json_object_get(page->result, "drawn");
  ts_auto(ts_str_release) struct ts_str text = {0};
  if (!json_is_object(drawn)) return;
  ts_str_addf(&text, "%s (%s), seed ", ts_result_text(drawn, "title"), ts_result_text(drawn, "method"));
  ts_result_print(json_object_get(drawn, "seed"), &text);
  add_fact(page, "Design", ts_str_get(&text), false);
}

static void add_facts(struct ts_page *page) {
  const json_t *result = page->result, *tool = json_object_get(result, "tool");
  const json_t *method = json_object_get(result, "method");
  ts_auto(ts_str_release) struct ts_str text = {0};
  ts_str_add(page->out, "<dl>\n");
  add_drawn(page);
  if (json_is_object(method)) {
    if (page->view_count == 0) add_given(page, method);
    add_methods(page);
    const json_t *seed = json_object_get(method, "seed");
    if (json_is_integer(seed)) ts_str_addf(&text, "%lld", (long long)json_integer_value(seed));
    add_fact(page, page->is_analysis ? "Seed of resamples" : "Seed", ts_str_get(&text), false);
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

/* Where tiles without tissue were left out: how many have it, over all files. */
static void add_tissue(struct ts_page *page) {
  const json_t *list = ts_result_list(page->result, "tissue");
  uint64_t files = 0, tiles = 0, without = 0;
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *file = json_array_get(list, i);
    if (strcmp(ts_result_text(file, "source"), "off") == 0) continue;
    files++;
    tiles += (uint64_t)json_integer_value(json_object_get(file, "tiles"));
    without += (uint64_t)json_integer_value(json_object_get(file, "without_tissue"));
  }
  if (files == 0) return;
  char with[32], all[32], number[32];
  ts_html_addf(page->out,
               "<p>%s of %s tiles in %s %s have tissue. The others were not read: nothing was measured there, and "
               "masks and labels are empty.</p>\n",
               ts_format_count(tiles - without, with), ts_format_count(tiles, all), ts_format_count(files, number),
               files == 1 ? "file" : "files");
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
    ts_auto(ts_str_release) struct ts_str text = {0};
    ts_table_text(&table, ts_page_parameter(page, ts_result_text(parameter, "name")));
    ts_table_text(&table, ts_result_text(parameter, "type"));
    print_choice(parameter, &text);
    ts_table_text(&table, ts_str_get(&text));
    ts_str_clear(&text);
    ts_result_print(json_object_get(parameter, "default"), &text);
    ts_table_text(&table, ts_str_get(&text));
    ts_table_text(&table, ts_result_text(parameter, "help"));
  }
  ts_table_close(&table, false);
}

void ts_page_method(struct ts_page *page) {
  ts_page_section_open(page, "Method");
  add_facts(page);
  const char *command = ts_result_text(page->result, "command");
  if (*command) {
    ts_html_addf(page->out, "<h3>Command to reproduce</h3>\n<pre><code>%s</code></pre>\n", command);
  }
  add_parameters(page);
  add_inputs(page);
  add_tissue(page);
  ts_page_section_close(page);
}
