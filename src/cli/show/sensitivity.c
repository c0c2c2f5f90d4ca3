/* Text of sample and analyse: what was written and what to do with it; indices by rank, with intervals and doubts.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/arguments_int.h"
#include "cli/reply.h"
#include "cli/text.h"
#include "cli/view.h"

#include "base/alloc.h"
#include "base/str.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOP_NAMES     40
#define TOP_OUTPUTS   6
#define TOP_PAIRS     6
#define TOP_UNSETTLED 4

static void add_safe_member(struct ts_str *out, const json_t *object, const char *name) {
  ts_cli_text_add_safe(out, ts_cli_reply_text(object, name));
}

static const char *text_at(const json_t *list, size_t index) {
  const char *text = json_string_value(json_array_get(list, index));
  return text ? text : "";
}

/* A command may be copied: names are quoted for the shell. */
static void add_next(struct ts_str *out, const json_t *reply, const struct ts_view *view) {
  const json_t *analyses = ts_cli_reply_member(reply, "analyses");
  if (json_array_size(analyses) == 0) return;
  struct ts_str line = {0};
  ts_str_addf(&line, "%s analyse", view->program);
  bool is_kept = ts_cli_reply_has(reply, "design_json"); /* what else to say is in that file */
  if (!is_kept) {
    ts_str_addf(&line, " --method %s --space ", text_at(analyses, 0));
    ts_str_add_shell_word(&line, ts_cli_reply_text(reply, "space"));
  }
  ts_str_add(&line, " --design ");
  ts_str_add_shell_word(&line, ts_cli_reply_text(reply, "output"));
  ts_str_add(&line, " --outputs y.csv");
  uint64_t levels = ts_cli_reply_count(reply, "levels");
  if (levels > 0 && !is_kept) ts_str_addf(&line, " --levels %llu", (unsigned long long)levels);
  ts_str_add(out, "Next: run your model on every row, write the outputs to y.csv in the same order, then\n      ");
  ts_cli_text_add_safe(out, ts_str_get(&line));
  ts_str_add_char(out, '\n');
  ts_str_release(&line);
}

void ts_show_sample(const json_t *reply, const struct ts_view *view, struct ts_str *out) {
  if (!ts_cli_reply_has(reply, "output")) return; /* the design itself was the answer */
  ts_str_add(out, "Wrote ");
  add_safe_member(out, reply, "output");
  ts_str_add(out, ": ");
  ts_cli_text_add_count(out, ts_cli_reply_count(reply, "runs"), "run");
  ts_str_add(out, " of ");
  ts_cli_text_add_count(out, json_array_size(ts_cli_reply_member(reply, "parameters")), "parameter");
  size_t groups = json_array_size(ts_cli_reply_member(reply, "groups"));
  if (groups > 0) {
    ts_str_add(out, " in ");
    ts_cli_text_add_count(out, groups, "group");
  }
  ts_str_add(out, " (");
  add_safe_member(out, reply, "title");
  ts_str_add(out, ")\n");
  if (!view->quiet) add_next(out, reply, view);
}

static const json_t *find_named(const json_t *list, const char *name) {
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *item = json_array_get(list, i);
    if (strcmp(ts_cli_reply_text(item, "name"), name) == 0) return item;
  }
  return NULL;
}

static void add_value_cell(struct ts_cli_table *table, double value) {
  struct ts_str cell = {0};
  ts_cli_text_add_number(&cell, value);
  ts_cli_table_take(table, &cell);
}

/* "[0.164, 0.455]"; nothing without an interval. */
static void add_interval_cell(struct ts_cli_table *table, const json_t *item, const char *column) {
  char key[64];
  struct ts_str cell = {0};
  snprintf(key, sizeof key, "%s_lo", column);
  double low = ts_cli_reply_number(item, key);
  snprintf(key, sizeof key, "%s_hi", column);
  double high = ts_cli_reply_number(item, key);
  if (!isnan(low) && !isnan(high)) {
    ts_str_add_char(&cell, '[');
    ts_cli_text_add_number(&cell, low);
    ts_str_add(&cell, ", ");
    ts_cli_text_add_number(&cell, high);
    ts_str_add_char(&cell, ']');
  }
  ts_cli_table_take(table, &cell);
}

/* A heading and, below it, rank, name, every index with its interval, and how many runs are behind it. */
static void add_table(struct ts_str *out, const json_t *reply, const json_t *output) {
  const json_t *columns = ts_cli_reply_member(reply, "columns"), *order = ts_cli_reply_member(output, "order");
  const json_t *indices = ts_cli_reply_member(output, "indices");
  struct ts_cli_table table;
  char alignment[TS_CLI_TABLE_MAX_COLUMNS + 1] = "rl";
  size_t count = json_array_size(columns);
  if (count > (TS_CLI_TABLE_MAX_COLUMNS - 3) / 2) count = (TS_CLI_TABLE_MAX_COLUMNS - 3) / 2;
  for (size_t c = 0; c < count; c++) {
    alignment[2 + 2 * c] = 'r';
    alignment[3 + 2 * c] = 'l';
  }
  alignment[2 + 2 * count] = 'r';
  ts_cli_table_init(&table, alignment);
  ts_cli_table_add(&table, "");
  ts_cli_table_add(&table, "");
  for (size_t c = 0; c < count; c++) {
    ts_cli_table_add(&table, text_at(columns, c));
    ts_cli_table_addf(&table, "%s %%", TS_SIGNIFICANT(100 * ts_cli_reply_number(reply, "confidence"), 6));
  }
  ts_cli_table_add(&table, "n");
  for (size_t i = 0; i < json_array_size(indices) && i < TOP_NAMES; i++) {
    const char *name = text_at(order, i);
    const json_t *item = *name ? find_named(indices, name) : json_array_get(indices, i);
    ts_cli_table_addf(&table, "%zu", i + 1);
    ts_cli_table_add(&table, ts_cli_reply_text(item, "name"));
    for (size_t c = 0; c < count; c++) {
      add_value_cell(&table, ts_cli_reply_number(item, text_at(columns, c)));
      add_interval_cell(&table, item, text_at(columns, c));
    }
    ts_cli_table_add_count(&table, ts_cli_reply_count(item, "n"));
  }
  ts_cli_table_print(&table, "  ", out);
  ts_cli_table_release(&table);
  if (json_array_size(indices) > TOP_NAMES) {
    ts_str_addf(out, "  and %zu more, which --json has\n", json_array_size(indices) - TOP_NAMES);
  }
}

static void add_wrapped(struct ts_str *out, const struct ts_view *view, struct ts_str *text) {
  struct ts_str safe = {0};
  ts_cli_text_add_safe(&safe, ts_str_get(text));
  ts_cli_text_add_wrapped(out, ts_str_get(&safe), (size_t)view->width, 0, "");
  ts_str_add_char(out, '\n');
  ts_str_release(&safe);
  ts_str_release(text);
}

/* "Ranks 2 and 3 (x1, x3) are unsettled: about 20 more trajectories would likely settle them." */
static void add_unsettled(struct ts_str *out, const json_t *reply, const json_t *output, const struct ts_view *view) {
  const json_t *list = ts_cli_reply_member(output, "unsettled");
  size_t count = json_array_size(list);
  if (count > 0) ts_str_add_char(out, '\n');
  for (size_t i = 0; i < count && i < TOP_UNSETTLED; i++) {
    const json_t *pair = json_array_get(list, i);
    uint64_t rank = ts_cli_reply_count(pair, "rank"), more = ts_cli_reply_count(pair, "more");
    struct ts_str text = {0};
    char number[32];
    ts_str_addf(&text, "Ranks %llu and %llu (%s, %s) are unsettled", (unsigned long long)rank,
                (unsigned long long)rank + 1, ts_cli_reply_text(pair, "a"), ts_cli_reply_text(pair, "b"));
    if (more > 0) {
      ts_str_addf(&text, ": about %s more %s would likely settle them.", ts_format_count(more, number),
                  ts_cli_reply_text(reply, "counted_in"));
    } else {
      ts_str_add(&text, ": they are too close to separate.");
    }
    add_wrapped(out, view, &text);
  }
  if (count > TOP_UNSETTLED) {
    struct ts_str text = {0};
    ts_str_addf(&text, "So are %zu more pairs of neighbours.", count - TOP_UNSETTLED);
    add_wrapped(out, view, &text);
  }
}

static int by_size(const void *a, const void *b) {
  double x = fabs(ts_cli_reply_number(*(const json_t *const *)a, "value"));
  double y = fabs(ts_cli_reply_number(*(const json_t *const *)b, "value"));
  if (isnan(x) || isnan(y)) return isnan(x) - isnan(y);
  return x > y ? -1 : x < y;
}

/* The pairs that interact most. */
static void add_pairs(struct ts_str *out, const json_t *output) {
  const json_t *list = ts_cli_reply_member(output, "S2");
  size_t count = json_array_size(list);
  if (count == 0) return;
  ts_auto_free const json_t **pairs = ts_calloc(count, sizeof *pairs);
  for (size_t i = 0; i < count; i++) pairs[i] = json_array_get(list, i);
  qsort(pairs, count, sizeof *pairs, by_size);
  struct ts_cli_table table;
  ts_cli_table_init(&table, "lrl");
  ts_cli_table_add(&table, "pair");
  ts_cli_table_add(&table, "S2");
  ts_cli_table_add(&table, "");
  for (size_t i = 0; i < count && i < TOP_PAIRS; i++) {
    ts_cli_table_addf(&table, "%s, %s", ts_cli_reply_text(pairs[i], "a"), ts_cli_reply_text(pairs[i], "b"));
    add_value_cell(&table, ts_cli_reply_number(pairs[i], "value"));
    add_interval_cell(&table, pairs[i], "value");
  }
  ts_str_add_char(out, '\n');
  ts_cli_table_print(&table, "  ", out);
  ts_cli_table_release(&table);
  if (count > TOP_PAIRS) ts_str_addf(out, "  and %zu smaller ones\n", count - TOP_PAIRS);
}

/* How the index that ranks came to its value: a column for each number of runs. */
static void add_convergence(struct ts_str *out, const json_t *reply, const json_t *output) {
  const json_t *steps = ts_cli_reply_member(output, "convergence"), *order = ts_cli_reply_member(output, "order");
  const char *column = ts_cli_reply_text(reply, "rank_by");
  size_t count = json_array_size(steps);
  if (count == 0 || count >= TS_CLI_TABLE_MAX_COLUMNS) return;
  char alignment[TS_CLI_TABLE_MAX_COLUMNS + 1] = "l";
  for (size_t i = 0; i < count; i++) alignment[1 + i] = 'r';
  struct ts_cli_table table;
  ts_cli_table_init(&table, alignment);
  ts_cli_table_addf(&table, "%s at n =", column);
  for (size_t i = 0; i < count; i++) ts_cli_table_add_count(&table, ts_cli_reply_count(json_array_get(steps, i), "n"));
  for (size_t k = 0; k < json_array_size(order) && k < TOP_NAMES; k++) {
    ts_cli_table_add(&table, text_at(order, k));
    for (size_t i = 0; i < count; i++) {
      const json_t *indices = ts_cli_reply_member(json_array_get(steps, i), "indices");
      add_value_cell(&table, ts_cli_reply_number(find_named(indices, text_at(order, k)), column));
    }
  }
  ts_str_add_char(out, '\n');
  ts_cli_table_print(&table, "  ", out);
  ts_cli_table_release(&table);
}

static void add_facts(struct ts_str *out, const json_t *output) {
  json_t *facts = json_object_get(output, "facts");
  if (json_object_size(facts) > 0) ts_str_add_char(out, '\n');
  const char *name;
  json_t *value;
  json_object_foreach(facts, name, value) {
    ts_str_add(out, "  ");
    ts_cli_text_add_safe(out, name);
    ts_str_add(out, ": ");
    ts_cli_text_add_number(out, json_is_number(value) ? json_number_value(value) : NAN);
    ts_str_add_char(out, '\n');
  }
}

static void add_output(struct ts_str *out, const json_t *reply, const json_t *output, const struct ts_view *view) {
  ts_str_addf(out, "\n%s", view->color ? TS_BOLD : "");
  add_safe_member(out, output, "name");
  ts_str_addf(out, "%s", view->color ? TS_PLAIN : "");
  uint64_t lost = ts_cli_reply_count(output, "lost");
  if (lost > 0) {
    ts_str_add(out, ": ");
    ts_cli_text_add_count(out, lost, "run");
    ts_str_add(out, " without a usable output");
  }
  ts_str_add_char(out, '\n');
  add_table(out, reply, output);
  add_pairs(out, output);
  add_convergence(out, reply, output);
  add_facts(out, output);
  add_unsettled(out, reply, output, view);
}

/* "Variance-based indices ...: 1 280 runs, 3 parameters." */
static void add_title(struct ts_str *out, const json_t *reply, const struct ts_view *view) {
  struct ts_str text = {0};
  ts_str_add(&text, ts_cli_reply_text(reply, "title"));
  ts_str_add(&text, ": ");
  ts_cli_text_add_count(&text, ts_cli_reply_count(reply, "runs"), "run");
  ts_str_add(&text, ", ");
  ts_cli_text_add_count(&text, json_array_size(ts_cli_reply_member(reply, "parameters")), "parameter");
  size_t groups = json_array_size(ts_cli_reply_member(reply, "groups"));
  if (groups > 0) {
    ts_str_add(&text, " in ");
    ts_cli_text_add_count(&text, groups, "group");
  }
  add_wrapped(out, view, &text);
}

static void add_written(struct ts_str *out, const json_t *reply) {
  if (!ts_cli_reply_has(reply, "output")) return;
  ts_str_add(out, "\nWrote ");
  add_safe_member(out, reply, "output");
  ts_str_add_char(out, '\n');
}

void ts_show_analyse(const json_t *reply, const struct ts_view *view, struct ts_str *out) {
  const json_t *outputs = ts_cli_reply_member(reply, "outputs");
  add_title(out, reply, view);
  for (size_t i = 0; i < json_array_size(outputs) && i < TOP_OUTPUTS; i++) {
    add_output(out, reply, json_array_get(outputs, i), view);
  }
  if (json_array_size(outputs) > TOP_OUTPUTS) {
    ts_str_addf(out, "\nand %zu more outputs, which --json has\n", json_array_size(outputs) - TOP_OUTPUTS);
  }
  add_written(out, reply);
  if (view->quiet) return;
  ts_str_add_char(out, '\n');
  static const char *const sentences[] = {"interval", "assumes"};
  static const char *const heads[] = {"Interval: ", "Assumes: "};
  for (size_t i = 0; i < 2; i++) {
    const char *sentence = ts_cli_reply_text(reply, sentences[i]);
    bool no_interval = i == 0 && !ts_cli_reply_has(reply, "resamples");
    if (!*sentence || no_interval) continue;
    struct ts_str text = {0};
    ts_str_addf(&text, "%s%s", heads[i], sentence);
    if (!ts_str_ends_with(sentence, ".")) ts_str_add_char(&text, '.');
    add_wrapped(out, view, &text);
  }
}
