/* Text of bench: the time, speed and memory of each operation.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/reply.h"
#include "cli/text.h"
#include "cli/view.h"

#include <math.h>

static void add_seconds(struct ts_cli_table *table, const json_t *row, const char *name) {
  struct ts_str text = {0};
  ts_cli_text_add_fixed(&text, ts_cli_reply_number(row, name), 4);
  ts_cli_table_take(table, &text);
}

void ts_show_bench(const json_t *reply, const struct ts_view *view, struct ts_str *out) {
  (void)view;
  struct ts_cli_table table;
  ts_cli_table_init(&table, "lrrrrr");
  static const char *const headings[] = {"operation", "CPU s", "wall s", "pixels", "Mpx/s", "peak memory"};
  for (size_t i = 0; i < sizeof headings / sizeof headings[0]; i++) ts_cli_table_add(&table, headings[i]);
  const json_t *rows = ts_cli_reply_member(reply, "operations");
  double cpu_s = 0;
  for (size_t i = 0; i < json_array_size(rows); i++) {
    const json_t *row = json_array_get(rows, i);
    uint64_t pixels = ts_cli_reply_count(row, "pixels");
    double wall_s = ts_cli_reply_number(row, "wall_s"), cpu = ts_cli_reply_number(row, "cpu_s");
    char bytes[32];
    struct ts_str rate = {0};
    if (wall_s > 0 && pixels > 0) ts_cli_text_add_number(&rate, (double)pixels / wall_s / 1e6);
    if (!isnan(cpu)) cpu_s += cpu;
    ts_cli_table_add(&table, ts_cli_reply_text(row, "name"));
    add_seconds(&table, row, "cpu_s");
    add_seconds(&table, row, "wall_s");
    ts_cli_table_add_count(&table, pixels);
    ts_cli_table_take(&table, &rate);
    ts_cli_table_add(&table, ts_format_bytes(ts_cli_reply_count(row, "peak_bytes"), bytes));
  }
  ts_cli_text_add_fixed(out, cpu_s, 4);
  ts_str_add(out, " s of CPU time in ");
  ts_cli_text_add_count(out, json_array_size(rows), "operation");
  ts_str_add(out, " (");
  ts_cli_text_add_safe(out, ts_cli_reply_text(reply, "variant"));
  ts_str_add(out, ", ");
  ts_cli_text_add_count(out, ts_cli_reply_count(reply, "threads"), "thread");
  ts_str_add(out, ")\n\n");
  ts_cli_table_print(&table, "", out);
  ts_cli_table_release(&table);
}
