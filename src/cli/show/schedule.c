/* Text of 'schedule': the sentence with the answer, the clusters, every algorithm side by side, what cannot be met.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"
#include "cli/reply.h"
#include "cli/text.h"
#include "cli/view.h"

#include <math.h>
#include <string.h>

#define MOST_TASKS_WIDTH 60 /* columns of the list of tasks when the width is unbounded */
#define OTHER_COLUMNS    40

static void add_time(struct ts_str *out, const json_t *reply, double time) {
  if (json_is_true(ts_cli_reply_member(reply, "seconds")))
    ts_cli_text_add_time(out, time);
  else
    ts_cli_text_add_number(out, time);
}

/* "0.0556 items per unit of time (one every 18)". */
static void add_rate(struct ts_str *out, const json_t *reply, double rate) {
  bool seconds = json_is_true(ts_cli_reply_member(reply, "seconds"));
  ts_cli_text_add_number(out, rate);
  ts_str_add(out, seconds ? " items/s" : " items per unit of time");
  if (!(rate > 0) || !isfinite(rate)) return;
  ts_str_add(out, " (one every ");
  add_time(out, reply, 1 / rate);
  ts_str_add(out, ")");
}

static void add_answer(struct ts_str *out, const json_t *reply) {
  const char *name = ts_cli_reply_text(reply, "name");
  bool pipelined = json_is_true(ts_cli_reply_member(reply, "pipelined"));
  ts_str_add(out, "Latency ");
  add_time(out, reply, ts_cli_reply_number(reply, "latency"));
  ts_str_add(out, ", throughput ");
  add_rate(out, reply, ts_cli_reply_number(reply, "throughput"));
  ts_str_add(out, ", ");
  ts_cli_text_add_count(out, ts_cli_reply_count(reply, "processors"), "processor");
  ts_str_addf(out, " of %llu.\n", (unsigned long long)ts_cli_reply_count(reply, "processors_available"));
  ts_cli_text_add_safe(out, *name ? name : ts_cli_reply_text(reply, "file"));
  ts_str_add(out, ": ");
  ts_cli_text_add_count(out, ts_cli_reply_count(reply, "tasks"), "task");
  ts_str_add(out, ", ");
  ts_cli_text_add_count(out, ts_cli_reply_count(reply, "edges"), "edge");
  ts_str_addf(out, "; algorithm %s, ", ts_cli_reply_text(reply, "algorithm"));
  ts_cli_text_add_count(out, ts_cli_reply_count(reply, "ports"), "port");
  ts_str_add(out, pipelined ? ", items overlap.\n" : ", one item after the other.\n");
}

/* "4 items/s within 2 s". */
static void add_demand(struct ts_str *text, const json_t *reply, double rate, double latency) {
  if (rate > 0) add_rate(text, reply, rate);
  if (rate > 0 && isfinite(latency)) ts_str_add(text, " within ");
  if (!(rate > 0) && isfinite(latency)) ts_str_add(text, "latency ");
  if (isfinite(latency)) add_time(text, reply, latency);
}

/* A sentence that ends with a rate or a time. */
static void add_sentence(struct ts_str *text, const json_t *reply, const char *words, double value,
                         void (*add)(struct ts_str *out, const json_t *reply, double value)) {
  ts_str_add(text, words);
  add(text, reply, value);
  ts_str_add(text, ". ");
}

/* What was demanded and cannot be met, and the best that can. */
static void add_unmet(struct ts_str *out, const json_t *reply, const struct ts_view *view) {
  const json_t *demand = ts_cli_reply_member(reply, "demand"), *best = ts_cli_reply_member(reply, "best");
  const json_t *limits = ts_cli_reply_member(reply, "limits");
  double rate = ts_cli_reply_number(demand, "throughput"), latency = ts_cli_reply_number(demand, "latency");
  double best_rate = ts_cli_reply_number(best, "throughput"), best_latency = ts_cli_reply_number(best, "latency");
  double most = ts_cli_reply_number(limits, "throughput"), least = ts_cli_reply_number(limits, "latency");
  ts_auto(ts_str_release) struct ts_str text = {0};
  ts_str_add(&text, "Not met: ");
  add_demand(&text, reply, rate, latency);
  ts_str_add(&text, ". ");
  if (isfinite(latency) && latency < least)
    add_sentence(&text, reply, "No schedule is faster than the longest path through the tasks, ", least, add_time);
  if (rate > most) add_sentence(&text, reply, "These processors cannot exceed ", most, add_rate);
  const char *within =
      isfinite(latency) ? "The best throughput found within this latency is " : "The best throughput found is ";
  if (best_rate > 0) add_sentence(&text, reply, within, best_rate, add_rate);
  const char *at = rate > 0 ? "The least latency found at this throughput is " : "The least latency found is ";
  if (isfinite(best_latency) && best_latency >= 0) add_sentence(&text, reply, at, best_latency, add_time);
  ts_str_add(&text, "The schedule below is the nearest one.");
  ts_cli_text_add_wrapped(out, ts_str_get(&text), (size_t)view->width, 0, "");
  ts_str_add(out, "\n\n");
}

static void take_tasks(struct ts_cli_table *table, const json_t *cluster, size_t width) {
  const json_t *tasks = ts_cli_reply_member(cluster, "tasks"), *serves = ts_cli_reply_member(cluster, "serves");
  struct ts_str list = {0};
  size_t i = 0, count = json_array_size(tasks);
  for (; i < count && list.length < width; i++) {
    const json_t *task = json_array_get(tasks, i);
    if (i > 0) ts_str_add_char(&list, ' ');
    if (json_is_integer(task))
      ts_str_addf(&list, "%" JSON_INTEGER_FORMAT, json_integer_value(task));
    else
      ts_str_add(&list, json_is_string(task) ? json_string_value(task) : "");
    if (json_is_false(json_array_get(serves, i))) ts_str_add_char(&list, '\'');
  }
  if (i < count) ts_str_addf(&list, " and %zu more", count - i);
  ts_cli_table_take(table, &list);
}

static void take_number(struct ts_cli_table *table, const json_t *reply, double time) {
  struct ts_str text = {0};
  add_time(&text, reply, time);
  ts_cli_table_take(table, &text);
}

static void add_clusters(struct ts_str *out, const json_t *reply, const struct ts_view *view) {
  const json_t *clusters = ts_cli_reply_member(reply, "clusters");
  size_t width = view->width > OTHER_COLUMNS ? (size_t)view->width - OTHER_COLUMNS : MOST_TASKS_WIDTH;
  struct ts_cli_table table;
  bool has_duplicates = false;
  ts_cli_table_init(&table, "rrrl");
  ts_cli_table_add(&table, "cluster");
  ts_cli_table_add(&table, "replicas");
  ts_cli_table_add(&table, "time");
  ts_cli_table_add(&table, "tasks");
  for (size_t c = 0; c < json_array_size(clusters); c++) {
    const json_t *cluster = json_array_get(clusters, c), *serves = ts_cli_reply_member(cluster, "serves");
    ts_cli_table_add_count(&table, ts_cli_reply_count(cluster, "id"));
    ts_cli_table_add_count(&table, ts_cli_reply_count(cluster, "replicas"));
    take_number(&table, reply, ts_cli_reply_number(cluster, "time"));
    take_tasks(&table, cluster, width);
    for (size_t i = 0; i < json_array_size(serves); i++) has_duplicates |= json_is_false(json_array_get(serves, i));
  }
  ts_str_add_char(out, '\n');
  ts_cli_table_print(&table, "", out);
  ts_cli_table_release(&table);
  if (has_duplicates) ts_str_add(out, "' duplicate: computed here instead of being sent\n");
  size_t transfers = json_array_size(ts_cli_reply_member(reply, "transfers"));
  ts_cli_text_add_count(out, transfers, "transfer");
  ts_str_add(out, " between clusters per item\n");
}

static void add_comparison(struct ts_str *out, const json_t *reply) {
  const json_t *rows = ts_cli_reply_member(reply, "compare");
  if (!rows) return;
  struct ts_cli_table table;
  ts_cli_table_init(&table, "llrrrr");
  const char *const headings[] = {"algorithm", "met", "latency", "throughput", "processors", "CPU"};
  for (size_t i = 0; i < sizeof headings / sizeof *headings; i++) ts_cli_table_add(&table, headings[i]);
  for (size_t i = 0; i < json_array_size(rows); i++) {
    const json_t *row = json_array_get(rows, i);
    struct ts_str rate = {0}, cpu = {0};
    ts_cli_table_add(&table, ts_cli_reply_text(row, "algorithm"));
    ts_cli_table_add(&table, json_is_true(ts_cli_reply_member(row, "feasible")) ? "yes" : "no");
    take_number(&table, reply, ts_cli_reply_number(row, "latency"));
    ts_cli_text_add_number(&rate, ts_cli_reply_number(row, "throughput"));
    ts_cli_table_take(&table, &rate);
    ts_cli_table_add_count(&table, ts_cli_reply_count(row, "processors"));
    ts_cli_text_add_time(&cpu, ts_cli_reply_number(row, "cpu_s"));
    ts_cli_table_take(&table, &cpu);
  }
  ts_str_add(out, "\nEvery algorithm with the same demands:\n");
  ts_cli_table_print(&table, "", out);
  ts_cli_table_release(&table);
}

static void add_file(struct ts_str *out, const json_t *reply, const char *name, const char *label) {
  const char *path = ts_cli_reply_text(reply, name);
  if (!*path) return;
  ts_str_addf(out, "%s: ", label);
  ts_cli_text_add_safe(out, path);
  ts_str_add_char(out, '\n');
}

void ts_show_schedule(const json_t *reply, const struct ts_view *view, struct ts_str *out) {
  if (json_is_false(ts_cli_reply_member(reply, "feasible"))) add_unmet(out, reply, view);
  add_answer(out, reply);
  add_clusters(out, reply, view);
  add_comparison(out, reply);
  add_file(out, reply, "picture", "Picture");
  add_file(out, reply, "wfformat", "Graph");
  add_file(out, reply, "output", "Schedule");
}
