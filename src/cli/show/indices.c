/* Text of a study: indices of any method, how far files differ, what phases and rounds did.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/reply.h"
#include "cli/text.h"
#include "cli/view.h"

#include "base/alloc.h"
#include "base/str.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TOP_PARAMETERS 8
#define TOP_SPREAD     3
#define BAR_COLUMNS    16
#define MAX_COLUMNS    5

const json_t *ts_show_answering(const json_t *reply, const json_t *output) {
  const json_t *list = ts_cli_reply_member(reply, "analyses"), *found = NULL;
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *item = json_array_get(list, i);
    if (strcmp(ts_cli_reply_text(item, "output"), ts_cli_reply_text(output, "name")) != 0) continue;
    if (strcmp(ts_cli_reply_text(item, "scope"), "pooled") != 0) continue;
    if (!found || ts_cli_reply_count(item, "phase") > ts_cli_reply_count(found, "phase")) found = item;
  }
  return found;
}

const json_t *ts_show_index_named(const json_t *indices, const char *name) {
  for (size_t i = 0; i < json_array_size(indices); i++) {
    const json_t *index = json_array_get(indices, i);
    if (strcmp(ts_cli_reply_text(index, "name"), name) == 0) return index;
  }
  return NULL;
}

static void add_number(struct ts_cli_table *table, double value) {
  struct ts_str cell = {0};
  if (isnan(value)) {
    ts_str_add(&cell, "-");
  } else {
    ts_cli_text_add_fixed(&cell, value, fabs(value) >= 100 ? 0 : fabs(value) >= 10 ? 1 : 3);
  }
  ts_cli_table_take(table, &cell);
}

static void add_interval(struct ts_cli_table *table, const json_t *index, const char *column) {
  ts_auto(ts_str_release) struct ts_str low = {0}, high = {0};
  struct ts_str cell = {0};
  ts_str_addf(&low, "%s_lo", column);
  ts_str_addf(&high, "%s_hi", column);
  if (ts_cli_reply_has(index, ts_str_get(&low)) && ts_cli_reply_has(index, ts_str_get(&high))) {
    ts_cli_text_add_fixed(&cell, ts_cli_reply_number(index, ts_str_get(&low)), 3);
    ts_str_add(&cell, " to ");
    ts_cli_text_add_fixed(&cell, ts_cli_reply_number(index, ts_str_get(&high)), 3);
  }
  ts_cli_table_take(table, &cell);
}

/* The other columns of the method, as many as fit. */
static size_t other_columns(const json_t *analysis, const char *others[MAX_COLUMNS]) {
  const json_t *columns = ts_cli_reply_member(analysis, "columns");
  size_t count = 0;
  for (size_t i = 0; i < json_array_size(columns) && count < MAX_COLUMNS; i++) {
    const char *column = json_string_value(json_array_get(columns, i));
    if (column && strcmp(column, ts_cli_reply_text(analysis, "rank_by")) != 0) others[count++] = column;
  }
  return count;
}

static void add_heading(struct ts_cli_table *table, const json_t *output, const json_t *analysis,
                        const char *const *others, size_t other_count) {
  struct ts_str name = {0};
  ts_cli_reply_add_output(&name, output);
  ts_cli_table_take(table, &name);
  ts_cli_table_add(table, ts_cli_reply_text(analysis, "rank_by"));
  ts_cli_table_addf(table, "%s %% interval", TS_SIGNIFICANT(100 * ts_cli_reply_number(analysis, "confidence"), 6));
  for (size_t i = 0; i < other_count; i++) ts_cli_table_add(table, others[i]);
  ts_cli_table_add(table, "");
}

void ts_show_parameter(const json_t *reply, const char *name, const struct ts_view *view, struct ts_str *out) {
  const char *unit = ts_cli_reply_text(ts_show_index_named(ts_cli_reply_member(reply, "params"), name), "unit");
  if (view->unicode && strcmp(unit, "um") == 0) unit = "µm";
  if (view->unicode && strcmp(unit, "um2") == 0) unit = "µm²";
  ts_str_add(out, name);
  if (*unit) ts_str_addf(out, " (%s)", unit);
}

void ts_show_indices(const json_t *reply, const json_t *output, const struct ts_view *view, struct ts_str *out) {
  const json_t *analysis = ts_show_answering(reply, output), *order = ts_cli_reply_member(analysis, "order");
  const json_t *indices = ts_cli_reply_member(analysis, "indices");
  const char *column = ts_cli_reply_text(analysis, "rank_by"), *others[MAX_COLUMNS] = {NULL};
  size_t count = json_array_size(order), other_count = other_columns(analysis, others);
  if (count == 0) return;
  struct ts_cli_table table;
  static const char *const shapes[] = {"lrrl", "lrrrl", "lrrrrl", "lrrrrrl", "lrrrrrrl", "lrrrrrrrl"};
  ts_cli_table_init(&table, shapes[other_count]);
  add_heading(&table, output, analysis, others, other_count);
  double largest = 0;
  for (size_t i = 0; i < count && i < TOP_PARAMETERS; i++) {
    const json_t *index = ts_show_index_named(indices, json_string_value(json_array_get(order, i)));
    double value = ts_cli_reply_number(index, column);
    struct ts_str bar = {0}, name = {0};
    largest = fmax(largest, fabs(value));
    ts_show_parameter(reply, ts_cli_reply_text(index, "name"), view, &name);
    ts_cli_table_take(&table, &name);
    add_number(&table, value);
    add_interval(&table, index, column);
    for (size_t c = 0; c < other_count; c++) add_number(&table, ts_cli_reply_number(index, others[c]));
    if (largest > 0) ts_cli_text_add_bar(&bar, fabs(value) / largest, BAR_COLUMNS, view->unicode);
    ts_cli_table_take(&table, &bar);
  }
  ts_cli_table_print(&table, "  ", out);
  if (count > TOP_PARAMETERS) ts_str_addf(out, "  and %zu more in the report\n", count - TOP_PARAMETERS);
  ts_cli_table_release(&table);
}

void ts_show_spread(const json_t *reply, const json_t *output, struct ts_str *out) {
  const json_t *analysis = ts_show_answering(reply, output), *order = ts_cli_reply_member(analysis, "order");
  const json_t *spread = ts_cli_reply_member(analysis, "spread");
  if (json_array_size(spread) == 0) return;
  const char *index = ts_cli_reply_text(analysis, "rank_by");
  ts_str_addf(out, "  %s of single files:", strcmp(index, "mu_star") == 0 ? "mu*" : index);
  for (size_t i = 0; i < json_array_size(order) && i < TOP_SPREAD; i++) {
    const json_t *entry = ts_show_index_named(spread, json_string_value(json_array_get(order, i)));
    ts_str_add(out, i ? ", " : " ");
    ts_cli_text_add_safe(out, ts_cli_reply_text(entry, "name"));
    ts_str_add_char(out, ' ');
    ts_cli_text_add_number(out, ts_cli_reply_number(entry, "lowest"));
    ts_str_add(out, " to ");
    ts_cli_text_add_number(out, ts_cli_reply_number(entry, "highest"));
  }
  ts_str_add_char(out, '\n');
}

static void add_names(struct ts_str *out, const json_t *names) {
  for (size_t i = 0; i < json_array_size(names); i++) {
    ts_str_add(out, i ? ", " : "");
    ts_cli_text_add_safe(out, json_string_value(json_array_get(names, i)));
  }
}

/* "Screening (160 runs) kept G1, G2; then 192 runs, 131 of them different." */
static void add_screening(struct ts_str *out, const json_t *phases) {
  const json_t *first = json_array_get(phases, 0), *second = json_array_get(phases, 1);
  ts_str_add(out, "Screening (");
  ts_cli_text_add_count(out, ts_cli_reply_count(first, "runs"), "run");
  ts_str_add(out, ") kept ");
  add_names(out, ts_cli_reply_member(first, "kept"));
  ts_str_addf(out, "; the second phase (%s) has ", ts_cli_reply_text(second, "method"));
  ts_cli_text_add_count(out, ts_cli_reply_count(second, "runs"), "run");
  ts_str_add(out, " and ran ");
  ts_cli_text_add_count(out, ts_cli_reply_count(second, "executed"), "task");
  char number[32];
  ts_str_addf(out, " of %s.\n", ts_format_count(ts_cli_reply_count(second, "requested"), number));
}

void ts_show_phases(const json_t *reply, const struct ts_view *view, struct ts_str *out) {
  const json_t *phases = ts_cli_reply_member(reply, "phases"), *until = ts_cli_reply_member(reply, "until");
  ts_auto(ts_str_release) struct ts_str text = {0};
  if (json_array_size(phases) > 1) add_screening(&text, phases);
  if (until) {
    ts_cli_text_add_safe(&text, ts_cli_reply_text(until, "text"));
    ts_str_add(&text, json_is_true(ts_cli_reply_member(until, "met")) ? " was met after " : " was not met after ");
    ts_cli_text_add_count(&text, ts_cli_reply_count(until, "rounds"), "round");
    ts_str_add(&text, ": ");
    ts_cli_text_add_safe(&text, ts_cli_reply_text(until, "reason"));
    ts_str_add(&text, ".\n");
  }
  ts_cli_text_add_wrapped(out, ts_str_get(&text), (size_t)view->width, 0, "");
  if (text.length > 0) ts_str_add_char(out, '\n');
}
