/* Text of a study: indices by group of the data, whether leaving a group out changes them, and the held-out files.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/reply.h"
#include "cli/text.h"
#include "cli/view.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

#define TOP_PARAMETERS 4
#define MOST_VALUES    12 /* rows; the report has them all */

static bool is_same(const json_t *a, const json_t *b, const char *member) {
  return strcmp(ts_cli_reply_text(a, member), ts_cli_reply_text(b, member)) == 0;
}

/* Whether an object by group belongs to the analysis over all files. */
static bool belongs(const json_t *object, const json_t *analysis) {
  return is_same(object, analysis, "method") && is_same(object, analysis, "output") &&
         ts_cli_reply_count(object, "phase") == ts_cli_reply_count(analysis, "phase");
}

static void add_value(struct ts_cli_table *table, double value) {
  struct ts_str cell = {0};
  ts_cli_text_add_number(&cell, value);
  ts_cli_table_take(table, &cell);
}

/* The first parameters of the order over all files. */
static void add_cells(struct ts_cli_table *table, const json_t *analysis, const json_t *indices) {
  const json_t *order = ts_cli_reply_member(analysis, "order");
  const char *column = ts_cli_reply_text(analysis, "rank_by");
  for (size_t i = 0; i < json_array_size(order) && i < TOP_PARAMETERS; i++) {
    const char *name = json_string_value(json_array_get(order, i));
    add_value(table, ts_cli_reply_number(ts_show_index_named(indices, name ? name : ""), column));
  }
}

static void add_heading(struct ts_cli_table *table, const json_t *analysis) {
  static const char shape[] = "llrrrrr";
  const json_t *order = ts_cli_reply_member(analysis, "order");
  const size_t shown = json_array_size(order) < TOP_PARAMETERS ? json_array_size(order) : TOP_PARAMETERS;
  char alignment[sizeof shape];
  snprintf(alignment, sizeof alignment, "%.*s", (int)(3 + shown), shape);
  ts_cli_table_init(table, alignment);
  ts_cli_table_addf(table, "%s by group", ts_cli_reply_text(analysis, "rank_by"));
  ts_cli_table_add(table, "");
  ts_cli_table_add(table, "files");
  for (size_t i = 0; i < shown; i++) ts_cli_table_add(table, json_string_value(json_array_get(order, i)));
}

/* How many rows there are; those beyond the limit are only counted. */
static size_t add_rows(struct ts_cli_table *table, const json_t *reply, const json_t *analysis) {
  const json_t *groups = ts_cli_reply_member(reply, "by_group");
  size_t rows = 0;
  for (size_t i = 0; i < json_array_size(groups); i++) {
    const json_t *group = json_array_get(groups, i);
    if (!belongs(group, analysis) || rows++ >= MOST_VALUES) continue;
    ts_cli_table_add(table, ts_cli_reply_text(group, "group"));
    ts_cli_table_add(table, ts_cli_reply_text(group, "value"));
    ts_cli_table_add_count(table, ts_cli_reply_count(group, "files"));
    add_cells(table, analysis, ts_cli_reply_member(group, "indices"));
  }
  return rows;
}

/* A sentence of the reply, indented. */
static void add_sentence(struct ts_str *out, const char *sentence, const struct ts_view *view) {
  ts_auto(ts_str_release) struct ts_str text = {0};
  ts_cli_text_add_safe(&text, sentence);
  ts_str_add(out, "  ");
  ts_cli_text_add_wrapped(out, ts_str_get(&text), (size_t)view->width, 2, "  ");
  ts_str_add_char(out, '\n');
}

static void add_held_out_rows(struct ts_cli_table *table, const json_t *sets) {
  for (size_t i = 0; i < json_array_size(sets); i++) {
    const json_t *set = json_array_get(sets, i), *outputs = ts_cli_reply_member(set, "outputs");
    for (size_t o = 0; o < json_array_size(outputs); o++) {
      const json_t *output = json_array_get(outputs, o);
      ts_cli_table_add(table, ts_cli_reply_text(output, "output"));
      if (strcmp(ts_cli_reply_text(set, "role"), "best") == 0)
        ts_cli_table_addf(table, "best set, %llu", (unsigned long long)ts_cli_reply_count(set, "set"));
      else
        ts_cli_table_add(table, "defaults");
      add_value(table, ts_cli_reply_number(output, "value"));
      add_value(table, ts_cli_reply_number(output, "lo"));
      add_value(table, ts_cli_reply_number(output, "hi"));
      add_value(table, ts_cli_reply_number(output, "studied"));
    }
  }
}

void ts_show_held_out(const json_t *reply, struct ts_str *out) {
  static const char *const heads[] = {"output", "at", "held out", "from", "to", "studied files"};
  const json_t *held_out = ts_cli_reply_member(reply, "held_out"), *sets = ts_cli_reply_member(held_out, "sets");
  if (json_array_size(sets) == 0) return;
  ts_str_add(out, "Held out: ");
  ts_cli_text_add_count(out, ts_cli_reply_count(held_out, "files"), "file");
  ts_str_add(out, " that no index depends on.\n");
  struct ts_cli_table table;
  ts_cli_table_init(&table, "llrrrr");
  for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) ts_cli_table_add(&table, heads[i]);
  add_held_out_rows(&table, sets);
  ts_cli_table_print(&table, "  ", out);
  ts_str_add_char(out, '\n');
  ts_cli_table_release(&table);
}

void ts_show_groups(const json_t *reply, const json_t *output, const struct ts_view *view, struct ts_str *out) {
  const json_t *analysis = ts_show_answering(reply, output);
  const json_t *stability = ts_cli_reply_member(reply, "group_stability");
  if (!analysis || json_array_size(ts_cli_reply_member(reply, "by_group")) == 0) return;
  struct ts_cli_table table;
  add_heading(&table, analysis);
  const size_t rows = add_rows(&table, reply, analysis);
  if (rows > 0) {
    ts_str_add_char(out, '\n');
    ts_cli_table_print(&table, "  ", out);
  }
  if (rows > MOST_VALUES) ts_str_addf(out, "  and %zu more in the report\n", rows - MOST_VALUES);
  for (size_t i = 0; i < json_array_size(stability); i++) {
    const json_t *group = json_array_get(stability, i);
    if (belongs(group, analysis)) add_sentence(out, ts_cli_reply_text(group, "text"), view);
  }
  ts_cli_table_release(&table);
}
