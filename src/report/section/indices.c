/* 'What matters' for any method: ranked bars, a table of all indices, how to read them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/views_int.h"

#include "base/alloc.h"
#include "report/text.h"

#include <math.h>
#include <string.h>

#define MAX_BARS  40 /* more are in the table only */
#define MAX_NAMES 6
#define SMALL_GAP 0.01 /* of the variance: less is nothing to speak of */
#define CLEAR_GAP 0.05 /* between S1 and ST where there are no intervals */
#define MINUS     "\xe2\x88\x92"
#define ARROW     "\xe2\x86\x92"

static const struct ts_look plain_look = {"", "#0072B2", TS_SHAPE_SQUARE};

/* ---- table ---- */

struct columns {
  const char *headers[64]; /* borrowed */
  char align[65];
  size_t count;
};

static void add_column(struct columns *columns, const char *header, char align) {
  if (columns->count == 64) return;
  columns->headers[columns->count] = header;
  columns->align[columns->count++] = align;
}

static void add_table(struct ts_page *page, const struct ts_view *view) {
  struct columns columns = {.count = 0};
  bool variance = ts_view_is_variance(view);
  size_t s1 = ts_view_column(view, "S1"), st = ts_view_column(view, "ST");
  add_column(&columns, "Parameter", 'l');
  for (size_t c = 0; c < view->column_count; c++) {
    add_column(&columns, ts_column_name(view->columns[c]), 'r');
    if (!ts_view_has_intervals(view, c)) continue;
    add_column(&columns, "from", 'r');
    add_column(&columns, "to", 'r');
  }
  if (variance) add_column(&columns, "ST " MINUS " S1", 'r');
  add_column(&columns, "Usable", 'r');
  add_column(&columns, "Effect", 'l');
  struct ts_table table;
  ts_table_open(&table, page, "Indices by parameter", "Numbers as a table", columns.headers, columns.align);
  for (size_t i = 0; i < view->count; i++) {
    const struct ts_view_row *row = &view->rows[i];
    ts_table_text(&table, ts_page_parameter(page, row->name));
    for (size_t c = 0; c < view->column_count; c++) {
      ts_table_number(&table, row->cells[c].value);
      if (!ts_view_has_intervals(view, c)) continue;
      ts_table_number(&table, row->cells[c].low);
      ts_table_number(&table, row->cells[c].high);
    }
    if (variance) ts_table_number(&table, row->cells[st].value - row->cells[s1].value);
    ts_table_number(&table, row->usable);
    ts_table_finding(&table, view->findings.rows[i].finding);
  }
  ts_table_close(&table, true);
}

/* ---- bars ---- */

static void add_label(const struct ts_view *view, struct ts_str *out) {
  char number[TS_NUMBER_SIZE];
  bool variance = ts_view_is_variance(view);
  const char *column = ts_column_name(view->columns[view->rank_column]);
  ts_str_addf(out, "Bar chart of %s of %zu parameter%s for ", variance ? "first-order and total indices" : column,
              view->count, view->count == 1 ? "" : "s");
  ts_view_add_output(view, out);
  ts_str_addf(out, "; the largest is %s with %s ", view->rows[0].name, column);
  double value = view->rows[0].cells[view->rank_column].value;
  ts_str_add(out, isnan(value) ? "unknown" : ts_format_number(value, 3, number));
  ts_str_add_char(out, '.');
}

static void draw_pairs(struct ts_page *page, const struct ts_view *view, size_t count, const char *label,
                       double wide_px) {
  struct ts_pair_bar *items = ts_arena_array(&page->arena, count, sizeof *items);
  size_t s1 = ts_view_column(view, "S1"), st = ts_view_column(view, "ST");
  for (size_t i = 0; i < count; i++) {
    const struct ts_view_row *row = &view->rows[i];
    items[i] = (struct ts_pair_bar){row->name, row->cells[s1], row->cells[st]};
  }
  struct ts_pair_bars bars = {items, count, "share of the variance " ARROW};
  ts_page_legend(page, ts_pair_looks, 3);
  ts_page_chart(page, &(struct ts_chart){label, &bars, ts_draw_pairs}, wide_px);
}

static void draw_bars(struct ts_page *page, const struct ts_view *view, size_t count, const char *label,
                      double wide_px) {
  struct ts_bar *items = ts_arena_array(&page->arena, count, sizeof *items);
  for (size_t i = 0; i < count; i++) {
    const struct ts_estimate *cell = &view->rows[i].cells[view->rank_column];
    items[i] = (struct ts_bar){view->rows[i].name, cell->value, cell->low, cell->high, &plain_look};
  }
  const char *title = ts_arena_printf(&page->arena, "%s%s " ARROW, ts_column_name(view->columns[view->rank_column]),
                                      ts_view_has_intervals(view, view->rank_column) ? " with its interval" : "");
  struct ts_bars bars = {.items = items, .count = count, .axis_title = title, .has_sign = true};
  ts_page_chart(page, &(struct ts_chart){label, &bars, ts_draw_bars}, wide_px);
}

static void add_caption(struct ts_page *page, const struct ts_view *view, size_t shown) {
  ts_auto(ts_str_release) struct ts_str text = {0};
  bool variance = ts_view_is_variance(view);
  ts_str_add(&text, variance ? "Share of the variance of " : "Ranked influence on ");
  ts_view_add_output(view, &text);
  if (variance) {
    ts_str_add(&text, " that a parameter explains alone (S1) and together with the others (ST); the gap between the "
                      "two is interaction. ");
  } else {
    ts_str_addf(&text, ", by %s. ", ts_column_name(view->columns[view->rank_column]));
  }
  if (shown < view->count) {
    ts_str_addf(&text, "Shown are the %zu largest of %zu; the table has all. ", shown, view->count);
  }
  ts_view_add_method(view, &text);
  ts_str_add_char(&text, '.');
  ts_view_add_unsettled(view, &text);
  ts_html_addf(page->out, "<figcaption>%s</figcaption>\n", ts_str_get(&text));
}

void ts_page_view_bars(struct ts_page *page, const struct ts_view *view, double wide_px) {
  if (ts_view_is_morris(view)) {
    ts_page_morris_bars(page, view, wide_px);
    return;
  }
  ts_auto(ts_str_release) struct ts_str label = {0};
  size_t shown = view->count < MAX_BARS ? view->count : MAX_BARS;
  add_label(view, &label);
  ts_str_add(page->out, "<figure>\n");
  if (ts_view_is_variance(view)) {
    draw_pairs(page, view, shown, ts_str_get(&label), wide_px);
  } else {
    draw_bars(page, view, shown, ts_str_get(&label), wide_px);
  }
  add_caption(page, view, shown);
  add_table(page, view);
  ts_str_add(page->out, "</figure>\n");
}

/* ---- reading ---- */

static void add_entry(struct ts_page *page, const char *name, const char *text) {
  if (!*text) return;
  ts_html_addf(page->out, "<dt>%s</dt><dd>%s</dd>\n", name, text);
}

/* Beyond what the intervals leave open. */
static bool gap_is_clear(const struct ts_estimate *first, const struct ts_estimate *total) {
  if (total->value - fmax(first->value, 0) < SMALL_GAP) return false;
  if (isfinite(first->high) && isfinite(total->low)) return total->low > first->high;
  return total->value - first->value >= CLEAR_GAP;
}

static void add_interaction(const struct ts_view *view, struct ts_str *out) {
  size_t s1 = ts_view_column(view, "S1"), st = ts_view_column(view, "ST"), found = 0;
  for (size_t i = 0; i < view->count; i++) {
    const struct ts_estimate *first = &view->rows[i].cells[s1], *total = &view->rows[i].cells[st];
    if (!gap_is_clear(first, total)) continue;
    if (found++ >= MAX_NAMES) continue;
    char gap[TS_NUMBER_SIZE], all[TS_NUMBER_SIZE];
    ts_str_addf(out, "%s%s (%s of %s)", found > 1 ? ", " : "", view->rows[i].name,
                ts_format_number(total->value - fmax(first->value, 0), 2, gap), ts_format_number(total->value, 2, all));
  }
  if (found == 0) {
    ts_str_add(out, ts_view_has_intervals(view, st)
                        ? "No gap between S1 and ST is larger than the intervals leave open: no interaction was seen."
                        : "No gap between S1 and ST is large: no interaction was seen.");
    return;
  }
  if (found > MAX_NAMES) ts_str_addf(out, " and %zu more", found - MAX_NAMES);
  ts_str_add(out, ": this part of ST is only seen together with other parameters. Tune these together.");
}

static void add_sum(const struct ts_view *view, struct ts_str *out) {
  size_t s1 = ts_view_column(view, "S1");
  double sum = 0;
  for (size_t i = 0; i < view->count; i++) sum += view->rows[i].cells[s1].value;
  if (isnan(sum)) return;
  char number[TS_NUMBER_SIZE];
  ts_str_addf(out, "All S1 add up to %s", ts_format_number(sum, 2, number));
  ts_str_add(out, sum < 0.95   ? "; the rest to 1 is interaction, or scatter of the estimates."
                  : sum < 1.05 ? ": the parameters act almost one by one."
                               : ". A sum above 1 is not a share: the estimates are still rough.");
}

static void add_facts(const struct ts_view *view, struct ts_str *out) {
  json_t *facts = json_object_get(view->json, "facts"), *value;
  const char *name;
  if (!json_is_object(facts)) return;
  json_object_foreach(facts, name, value) {
    if (strcmp(name, "base samples") == 0 || strcmp(name, "sum of S1") == 0) continue; /* said elsewhere */
    if (out->length > 0) ts_str_add(out, ", ");
    ts_str_addf(out, "%s ", name);
    ts_result_print(value, out);
  }
}

static void add_reading(struct ts_page *page, const struct ts_view *view, int heading) {
  ts_auto(ts_str_release) struct ts_str text = {0};
  ts_str_addf(page->out, "<div>\n<h%d>How to read it</h%d>\n<dl>\n", heading, heading);
  if (ts_view_is_variance(view)) {
    add_interaction(view, &text);
    add_entry(page, "Interaction", ts_str_get(&text));
    ts_str_clear(&text);
    add_sum(view, &text);
    add_entry(page, "Alone", ts_str_get(&text));
  }
  ts_page_add_findings(page, &view->findings, TS_FINDING_BELOW_SHARE);
  ts_str_clear(&text);
  ts_add_sentence(&text, view->assumes);
  add_entry(page, "Assumes", ts_str_get(&text));
  ts_str_clear(&text);
  add_facts(view, &text);
  add_entry(page, "Figures", ts_str_get(&text));
  ts_str_add(page->out, "</dl>\n</div>\n");
}

/* Whether an index is known, and not all of them are zero. */
static bool says_something(const struct ts_view *view) {
  for (size_t i = 0; i < view->count; i++) {
    double value = view->rows[i].cells[view->rank_column].value;
    if (!isnan(value) && value != 0) return true;
  }
  return false;
}

static void add_view(struct ts_page *page, const struct ts_view *view, bool bars, int heading) {
  if (!says_something(view)) {
    ts_page_paragraph(page, isnan(view->rows[0].cells[view->rank_column].value)
                                ? "Too few runs succeeded to say which parameters matter."
                                : "No effect was seen: every index that is known is zero.");
  }
  bool morris = ts_view_is_morris(view);
  /* Two charts are side by side below the words, bars and one chart around them. */
  bool words_first =
      !morris && !bars && ts_result_list(view->json, "pairs") && ts_result_list(view->json, "convergence");
  if (words_first) add_reading(page, view, heading);
  ts_str_add(page->out, "<div class=\"pair\">\n");
  if (bars) ts_page_view_bars(page, view, TS_CHART_HALF_PX);
  if (morris && says_something(view)) ts_page_morris(page, view, heading);
  if (!morris && !words_first) add_reading(page, view, heading);
  ts_page_view_pairs(page, view);
  ts_page_view_convergence(page, view);
  ts_str_add(page->out, "</div>\n");
}

void ts_page_indices(struct ts_page *page) {
  if (page->view_count == 0) return;
  const struct ts_view *first = ts_page_first_view(page);
  size_t count = 0;
  bool methods_differ = false;
  for (size_t i = 0; i < page->view_count; i++) {
    if (!ts_view_is_main(page, &page->views[i])) continue;
    count++;
    methods_differ = methods_differ || strcmp(page->views[i].method, first->method) != 0;
  }
  ts_page_section_open(page, "What matters");
  for (size_t i = 0; i < page->view_count; i++) {
    const struct ts_view *view = &page->views[i];
    if (view != first && !ts_view_is_main(page, view)) continue;
    if (count > 1) {
      ts_auto(ts_str_release) struct ts_str name = {0};
      if (page->is_analysis) ts_str_add(&name, "output "); /* the name of a column keeps its first letter */
      ts_view_add_output(view, &name);
      if (methods_differ) ts_str_addf(&name, ", %s", view->method);
      ts_page_heading(page, 3, ts_str_get(&name));
    }
    add_view(page, view, view != first, count > 1 ? 4 : 3);
  }
  ts_page_section_close(page);
}
