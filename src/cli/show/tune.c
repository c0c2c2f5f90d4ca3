/* Text of 'tune': the table, and every tuner side by side, how near to the best it comes and at what cost.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/reply.h"
#include "cli/text.h"
#include "cli/view.h"

#include <math.h>
#include <string.h>

static void add_number_cell(struct ts_cli_table *table, double value, int decimals) {
  struct ts_str text = {0};
  if (isnan(value)) {
    ts_str_add(&text, "-");
  } else {
    ts_cli_text_add_fixed(&text, value, decimals);
  }
  ts_cli_table_take(table, &text);
}

/* "1.088 ± 0.006". */
static void add_mean_cell(struct ts_cli_table *table, const json_t *moments, const struct ts_view *view) {
  double mean = ts_cli_reply_number(moments, "mean"), se = ts_cli_reply_number(moments, "se");
  struct ts_str text = {0};
  if (isnan(mean)) {
    ts_str_add(&text, "-");
  } else {
    ts_cli_text_add_fixed(&text, mean, 3);
    if (!isnan(se)) {
      ts_str_add(&text, view->unicode ? " \u00b1 " : " +- ");
      ts_cli_text_add_fixed(&text, se, 3);
    }
  }
  ts_cli_table_take(table, &text);
}

static void add_row(struct ts_cli_table *table, const json_t *result, const struct ts_view *view) {
  const json_t *best = ts_cli_reply_member(result, "normalised_best"), *cost = ts_cli_reply_member(result, "cost");
  const json_t *mdape = ts_cli_reply_member(result, "mdape");
  const json_t *first = json_array_get(ts_cli_reply_member(result, "recall"), 0);
  bool history = json_is_true(ts_cli_reply_member(result, "history"));
  ts_cli_table_addf(table, "%s%s", ts_cli_reply_text(result, "algorithm"), history ? " (history)" : "");
  add_mean_cell(table, ts_cli_reply_member(best, "recommended"), view);
  add_mean_cell(table, ts_cli_reply_member(best, "measured"), view);
  add_mean_cell(table, ts_cli_reply_member(best, "predicted"), view);
  add_number_cell(table, first && json_is_number(first) ? json_number_value(first) : (double)NAN, 0);
  add_number_cell(table, ts_cli_reply_number(mdape, "top2"), 1);
  add_number_cell(table, ts_cli_reply_number(cost, "workflow"), 0);
  add_number_cell(table, ts_cli_reply_number(cost, "components"), 0);
  add_number_cell(table, ts_cli_reply_number(result, "least_uses"), 0);
}

static void add_heading(struct ts_str *out, const json_t *reply) {
  const json_t *results = ts_cli_reply_member(reply, "results");
  const json_t *first = json_array_get(results, 0);
  ts_cli_text_add_safe(out, ts_cli_reply_text(reply, "table"));
  ts_str_add(out, ": ");
  ts_cli_text_add_count(out, ts_cli_reply_count(reply, "pool"), "configuration");
  uint64_t failed = ts_cli_reply_count(reply, "failed");
  if (failed > 0) ts_str_addf(out, " and %llu that failed", (unsigned long long)failed);
  ts_str_add(out, "; the best '");
  ts_cli_text_add_safe(out, ts_cli_reply_text(reply, "objective"));
  ts_str_add(out, "' is ");
  ts_cli_text_add_number(out, ts_cli_reply_number(reply, "best"));
  ts_str_add(out, ".\nBudget ");
  ts_cli_text_add_number(out, ts_cli_reply_number(first, "budget"));
  ts_str_add(out, " runs, ");
  ts_cli_text_add_count(out, ts_cli_reply_count(first, "seeds"), "seed");
  ts_str_add(out, ". Ratios to the best, mean and standard error:\n\n");
}

void ts_show_tune(const json_t *reply, const struct ts_view *view, struct ts_str *out) {
  static const char *const names[] = {"",        "recommended", "measured",   "predicted", "recall of 1 %",
                                      "error %", "cost",        "components", "uses"};
  const json_t *results = ts_cli_reply_member(reply, "results");
  struct ts_cli_table table;
  add_heading(out, reply);
  ts_cli_table_init(&table, "lrrrrrrrr");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) ts_cli_table_add(&table, names[i]);
  for (size_t i = 0; i < json_array_size(results); i++) add_row(&table, json_array_get(results, i), view);
  ts_cli_table_print(&table, "  ", out);
  ts_cli_table_release(&table);
  if (view->quiet) return;
  ts_str_add(out,
             "\nrecommended: the better of the predicted best, run to confirm it, and the best measured before.\n"
             "error: median error of the model on the best 2 % of the configurations. uses: the number of runs after\n"
             "which tuning has paid off (with --expert).\n");
}
