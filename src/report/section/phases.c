/* 'Screening, then variance': which parameters went on from one phase to the next, why, and what each phase cost.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/views_int.h"

#include "base/alloc.h"
#include "report/text.h"

#include <math.h>
#include <string.h>

static bool contains(const json_t *list, const char *name) {
  for (size_t i = 0; i < json_array_size(list); i++) {
    const char *other = json_string_value(json_array_get(list, i));
    if (other && strcmp(other, name) == 0) return true;
  }
  return false;
}

/* A phase without a name of its own is known by its method. */
static const char *phase_name(const json_t *phase, size_t index) {
  const char *name = ts_result_text(phase, "name"), *method = ts_result_text(phase, "method");
  if (*name && strcmp(name, "then") != 0) return name;
  return *method ? method : index == 0 ? "first phase" : "next phase";
}

/* "Screening, then variance" */
static void add_heading(const json_t *phases, struct ts_str *out) {
  for (size_t i = 0; i < json_array_size(phases); i++) {
    if (i > 0) ts_str_add(out, ", then ");
    ts_str_add(out, phase_name(json_array_get(phases, i), i));
  }
  if (out->length > 0) out->data[0] = ts_char_upper(out->data[0]);
}

static void add_words(struct ts_page *page, const json_t *phases) {
  ts_auto(ts_str_release) struct ts_str text = {0};
  for (size_t i = 0; i + 1 < json_array_size(phases); i++) {
    const json_t *phase = json_array_get(phases, i), *next = json_array_get(phases, i + 1);
    size_t kept = json_array_size(ts_result_list(phase, "kept")),
           dropped = json_array_size(ts_result_list(phase, "dropped"));
    struct ts_str sentence = {0};
    ts_str_addf(&sentence, "%s kept %zu of %zu parameter%s for the phase '%s'", phase_name(phase, i), kept,
                kept + dropped, kept + dropped == 1 ? "" : "s", phase_name(next, i + 1));
    if (i > 0) ts_str_add_char(&text, ' ');
    ts_add_sentence(&text, ts_str_get(&sentence));
    ts_str_release(&sentence);
    if (*ts_result_text(phase, "rule")) {
      ts_str_addf(&text, " A parameter went on if: %s.", ts_result_text(phase, "rule"));
    }
    if (dropped > 0) ts_str_add(&text, " The others stayed at their defaults.");
    double reused = ts_result_number(next, "reused");
    char number[TS_NUMBER_SIZE];
    if (!isnan(reused)) {
      ts_str_addf(&text, " %s", ts_format_number(reused, 3, number));
      double requested = ts_result_number(next, "requested");
      if (!isnan(requested)) ts_str_addf(&text, " of %s", ts_format_number(requested, 3, number));
      ts_str_addf(&text,
                  " tasks of the phase '%s' were not computed, because '%s' or another run had left the same result.",
                  phase_name(next, i + 1), phase_name(phase, i));
    }
  }
  ts_page_paragraph(page, ts_str_get(&text));
}

static void add_cost(struct ts_page *page, const json_t *phases) {
  static const char *const headers[] = {"Phase",         "Method",         "Parameters varied", "Runs",
                                        "Distinct runs", "Tasks computed", "Tasks reused"};
  struct ts_table table;
  ts_table_open(&table, page, "Runs and tasks by phase", NULL, headers, "llrrrrr");
  for (size_t i = 0; i < json_array_size(phases); i++) {
    const json_t *phase = json_array_get(phases, i), *before = json_array_get(phases, i ? i - 1 : 0);
    double varied = (double)json_array_size(ts_result_list(phase, "parameters"));
    if (varied == 0) varied = (double)json_array_size(ts_result_list(before, "kept"));
    if (varied > 0 && i == 0 && !ts_result_list(phase, "parameters"))
      varied += (double)json_array_size(ts_result_list(phase, "dropped"));
    ts_table_text(&table, phase_name(phase, i));
    ts_table_text(&table, ts_result_text(phase, "method"));
    ts_table_number(&table, varied > 0 ? varied : NAN);
    ts_table_number(&table, ts_result_number(phase, "runs"));
    ts_table_number(&table, ts_result_number(phase, "distinct_runs"));
    ts_table_number(&table, ts_result_number(phase, "executed"));
    ts_table_number(&table, ts_result_number(phase, "reused"));
  }
  ts_table_close(&table, false);
}

static void add_decision(struct ts_table *table, const json_t *phase, const char *name) {
  ts_table_text(table, name);
  ts_table_text(table, contains(ts_result_list(phase, "kept"), name) ? "went on" : "dropped");
  ts_auto(ts_str_release) struct ts_str why = {0};
  ts_result_print(json_object_get(json_object_get(phase, "why"), name), &why);
  ts_table_text(table, ts_str_get(&why));
}

static void add_decisions(struct ts_page *page, const json_t *phase) {
  static const char *const headers[] = {"Parameter", "Decision", "Why"};
  const json_t *lists[] = {ts_result_list(phase, "kept"), ts_result_list(phase, "dropped")};
  size_t total = json_array_size(lists[0]) + json_array_size(lists[1]);
  if (total == 0) return;
  struct ts_table table;
  ts_str_add(page->out, "<h3>What went on</h3>\n");
  ts_table_open(&table, page, "Which parameters went on, and why", total > 16 ? "All decisions" : NULL, headers, "lll");
  for (size_t l = 0; l < 2; l++) {
    for (size_t i = 0; i < json_array_size(lists[l]); i++) {
      const char *name = json_string_value(json_array_get(lists[l], i));
      if (name) add_decision(&table, phase, name);
    }
  }
  ts_table_close(&table, total > 16);
}

/* The charts of the phases before the last one; those of the last are the main ones of the page. */
static void add_charts(struct ts_page *page) {
  size_t count = 0;
  for (size_t i = 0; i < page->view_count; i++) {
    const struct ts_view *view = &page->views[i];
    if (!ts_view_is_pooled(view) || ts_view_is_main(page, view)) continue;
    if (count++ == 0) ts_str_add(page->out, "<h3>What was measured before</h3>\n<div class=\"pair\">\n");
    ts_page_view_bars(page, view, TS_CHART_HALF_PX);
    if (ts_view_is_morris(view)) ts_page_morris_plane(page, view);
  }
  if (count > 0) ts_str_add(page->out, "</div>\n");
}

void ts_page_phases(struct ts_page *page) {
  const json_t *phases = ts_result_list(page->result, "phases");
  if (page->view_count == 0 || json_array_size(phases) < 2) return;
  struct ts_str heading = {0};
  add_heading(phases, &heading);
  ts_page_section_open(page, ts_str_get(&heading));
  ts_str_release(&heading);
  add_words(page, phases);
  add_cost(page, phases);
  for (size_t i = 0; i + 1 < json_array_size(phases); i++) add_decisions(page, json_array_get(phases, i));
  add_charts(page);
  ts_page_section_close(page);
}
