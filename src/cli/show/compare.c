/* Text of 'compare': what differs between runs, their measures side by side, and how their masks differ.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/reply.h"
#include "cli/text.h"
#include "cli/view.h"

#include "base/str.h"

#include <stdio.h>
#include <string.h>

static size_t run_count(const json_t *runs) {
  const size_t count = json_array_size(runs);
  return count < TS_CLI_TABLE_MAX_COLUMNS - 4 ? count : TS_CLI_TABLE_MAX_COLUMNS - 4;
}

static const char *id_of(const json_t *runs, size_t number) {
  return ts_cli_reply_text(json_array_get(runs, number), "run");
}

/* A number short, anything else as JSON has it. */
static void take_value(struct ts_cli_table *table, const json_t *value) {
  struct ts_str text = {0};
  if (json_is_number(value)) {
    ts_cli_text_add_number(&text, json_number_value(value));
  } else if (json_is_string(value)) {
    ts_str_add(&text, json_string_value(value));
  } else if (value && !json_is_null(value)) {
    char *dumped = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    ts_str_add(&text, dumped ? dumped : "");
    free(dumped);
  } else {
    ts_str_add(&text, "-");
  }
  ts_cli_table_take(table, &text);
}

static void open_table(struct ts_cli_table *table, const char *left, size_t runs, const char *right) {
  char alignment[TS_CLI_TABLE_MAX_COLUMNS + 1] = "";
  const size_t first = strlen(left);
  snprintf(alignment, sizeof alignment, "%s", left);
  for (size_t i = 0; i < runs; i++) alignment[first + i] = 'r';
  snprintf(alignment + first + runs, sizeof alignment - first - runs, "%s", right);
  ts_cli_table_init(table, alignment);
}

static void add_parameters(struct ts_str *out, const json_t *reply, const json_t *runs) {
  const json_t *parameters = ts_cli_reply_member(reply, "parameters");
  struct ts_cli_table table;
  if (json_array_size(parameters) == 0) {
    ts_str_add(out, "The runs have the same parameter values.\n");
    return;
  }
  open_table(&table, "l", run_count(runs), "");
  ts_cli_table_add(&table, "parameter");
  for (size_t r = 0; r < run_count(runs); r++) ts_cli_table_add(&table, id_of(runs, r));
  for (size_t i = 0; i < json_array_size(parameters); i++) {
    const json_t *parameter = json_array_get(parameters, i);
    ts_cli_table_add(&table, ts_cli_reply_text(parameter, "name"));
    for (size_t r = 0; r < run_count(runs); r++)
      take_value(&table, json_object_get(ts_cli_reply_member(parameter, "values"), id_of(runs, r)));
  }
  ts_cli_table_print(&table, "  ", out);
  ts_cli_table_release(&table);
}

static void add_differs(struct ts_str *out, const json_t *reply, const json_t *runs) {
  const json_t *list = ts_cli_reply_member(reply, "differs");
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *entry = json_array_get(list, i), *names = ts_cli_reply_member(entry, "names");
    ts_str_addf(out, "Run %s differs from run %s in: %s", ts_cli_reply_text(entry, "run"), id_of(runs, 0),
                ts_cli_reply_text(entry, "what"));
    for (size_t k = 0; k < json_array_size(names); k++) {
      ts_str_add(out, k > 0 ? ", " : " (");
      ts_cli_text_add_safe(out, json_string_value(json_array_get(names, k)));
    }
    ts_str_add(out, json_array_size(names) > 0 ? ")\n" : "\n");
  }
}

/* Measures that all runs share are only counted. */
static bool is_different(const json_t *measure) {
  json_t *differences = json_object_get(measure, "difference"), *value;
  const char *run;
  json_object_foreach(differences, run, value) {
    if (!json_is_number(value) || json_number_value(value) != 0) return true;
  }
  return json_object_size(differences) == 0;
}

static void add_measure(struct ts_cli_table *table, const json_t *measure, const json_t *runs) {
  const json_t *differences = ts_cli_reply_member(measure, "difference");
  ts_cli_table_add(table, ts_cli_reply_text(measure, "measure"));
  ts_cli_table_add(table, ts_cli_reply_text(measure, "against"));
  for (size_t r = 0; r < run_count(runs); r++)
    take_value(table, json_object_get(ts_cli_reply_member(measure, "values"), id_of(runs, r)));
  if (run_count(runs) == 2) take_value(table, json_object_get(differences, id_of(runs, 1)));
}

static void add_measures(struct ts_str *out, const json_t *reply, const json_t *runs) {
  const json_t *measures = ts_cli_reply_member(reply, "measures");
  struct ts_cli_table table;
  size_t same = 0;
  if (json_array_size(measures) == 0) return;
  open_table(&table, "ll", run_count(runs), run_count(runs) == 2 ? "r" : "");
  ts_cli_table_add(&table, "measure");
  ts_cli_table_add(&table, "against");
  for (size_t r = 0; r < run_count(runs); r++) ts_cli_table_add(&table, id_of(runs, r));
  if (run_count(runs) == 2) ts_cli_table_add(&table, "difference");
  for (size_t i = 0; i < json_array_size(measures); i++) {
    const json_t *measure = json_array_get(measures, i);
    if (is_different(measure))
      add_measure(&table, measure, runs);
    else
      same++;
  }
  ts_str_add_char(out, '\n');
  if (same < json_array_size(measures)) ts_cli_table_print(&table, "  ", out);
  ts_cli_table_release(&table);
  if (same == 0) return;
  ts_str_add(out, "The same in all runs: ");
  ts_cli_text_add_count(out, same, "measure");
  ts_str_add(out, ".\n");
}

static void add_masks(struct ts_str *out, const json_t *reply, const json_t *runs) {
  static const char *const headings[] = {"image",    "mask",          "run",         "px of both", "only first",
                                         "only run", "objects first", "objects run", "only first", "only run"};
  static const char *const counts[] = {"both_px",        "only_first_px",      "only_second_px",     "objects_first",
                                       "objects_second", "only_first_objects", "only_second_objects"};
  const json_t *files = ts_cli_reply_member(reply, "files");
  struct ts_cli_table table;
  size_t rows = 0;
  ts_cli_table_init(&table, "lllrrrrrrr");
  for (size_t i = 0; i < sizeof headings / sizeof *headings; i++) ts_cli_table_add(&table, headings[i]);
  for (size_t i = 0; i < json_array_size(files); i++) {
    const json_t *file = json_array_get(files, i), *pairs = ts_cli_reply_member(file, "pairs");
    for (size_t k = 0; k < json_array_size(pairs); k++, rows++) {
      const json_t *pair = json_array_get(pairs, k);
      ts_cli_table_add(&table, ts_cli_reply_text(file, "file"));
      ts_cli_table_add(&table, ts_cli_reply_text(file, "product"));
      ts_cli_table_add(&table, ts_cli_reply_text(pair, "second"));
      for (size_t n = 0; n < sizeof counts / sizeof *counts; n++)
        ts_cli_table_add_count(&table, ts_cli_reply_count(pair, counts[n]));
    }
  }
  if (rows > 0) {
    ts_str_addf(out, "\nMasks, beside those of run %s (first):\n", id_of(runs, 0));
    ts_cli_table_print(&table, "  ", out);
  }
  ts_cli_table_release(&table);
}

void ts_show_compare(const json_t *reply, const struct ts_view *view, struct ts_str *out) {
  const json_t *runs = ts_cli_reply_member(reply, "runs");
  const char *report = ts_cli_reply_text(reply, "report");
  add_parameters(out, reply, runs);
  add_differs(out, reply, runs);
  add_measures(out, reply, runs);
  add_masks(out, reply, runs);
  if (report[0]) {
    ts_str_add(out, "\nReport: ");
    ts_cli_text_add_safe(out, report);
    ts_str_add_char(out, '\n');
  } else if (!view->quiet) {
    ts_str_addf(out, "\nPictures of where they differ: %s compare", view->program);
    for (size_t r = 0; r < json_array_size(runs); r++) ts_str_addf(out, " %s", id_of(runs, r));
    ts_str_add(out, " --report compare.html\n");
  }
}
