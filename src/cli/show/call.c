/* Text of a call by hand: each output with its file, and what the operation wrote.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"
#include "cli/reply.h"
#include "cli/text.h"
#include "cli/view.h"

#include <string.h>

/* "512 x 384, 0 to 255", "3 rows: mean, sd", "1.2 kB". */
static void add_description(struct ts_str *out, const json_t *output) {
  char number[32];
  if (ts_cli_reply_has(output, "width")) {
    ts_str_addf(out, "%llu x %llu", (unsigned long long)ts_cli_reply_count(output, "width"),
                (unsigned long long)ts_cli_reply_count(output, "height"));
    if (ts_cli_reply_has(output, "min"))
      ts_str_addf(out, ", %s to %s", TS_SIGNIFICANT(ts_cli_reply_number(output, "min"), 6),
                  TS_SIGNIFICANT(ts_cli_reply_number(output, "max"), 6));
  } else if (ts_cli_reply_has(output, "rows")) {
    const json_t *columns = ts_cli_reply_member(output, "columns");
    ts_cli_text_add_count(out, ts_cli_reply_count(output, "rows"), "row");
    for (size_t i = 0; i < json_array_size(columns); i++) {
      ts_str_add(out, i ? ", " : ": ");
      ts_cli_text_add_safe(out, json_string_value(json_array_get(columns, i)));
    }
  } else {
    ts_str_add(out, ts_format_bytes(ts_cli_reply_count(output, "bytes"), number));
  }
}

static void add_log(struct ts_str *out, const char *log) {
  if (!*log) return;
  ts_str_add(out, "It wrote:\n");
  while (*log) {
    const size_t length = strcspn(log, "\n");
    ts_auto(ts_str_release) struct ts_str line = {0};
    ts_str_add_bytes(&line, log, length);
    ts_str_add(out, "  ");
    ts_cli_text_add_safe(out, ts_str_get(&line));
    ts_str_add_char(out, '\n');
    log += length + (log[length] == '\n');
  }
}

void ts_show_call(const json_t *reply, const struct ts_view *view, struct ts_str *out) {
  (void)view;
  struct ts_cli_table table;
  const json_t *outputs = ts_cli_reply_member(reply, "outputs");
  ts_str_addf(out, "%s took %s s\n", ts_cli_reply_text(reply, "operation"),
              TS_SIGNIFICANT(ts_cli_reply_number(reply, "seconds"), 2));
  ts_cli_table_init(&table, "llll");
  static const char *const heads[] = {"output", "type", "content", "file"};
  for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) ts_cli_table_add(&table, heads[i]);
  for (size_t i = 0; i < json_array_size(outputs); i++) {
    const json_t *output = json_array_get(outputs, i);
    ts_auto(ts_str_release) struct ts_str text = {0};
    add_description(&text, output);
    ts_cli_table_add(&table, ts_cli_reply_text(output, "port"));
    ts_cli_table_add(&table, ts_cli_reply_text(output, "type"));
    ts_cli_table_add(&table, ts_str_get(&text));
    ts_str_clear(&text);
    ts_cli_text_add_safe(&text, ts_cli_reply_text(output, "file"));
    ts_cli_table_add(&table, ts_str_get(&text));
  }
  ts_cli_table_print(&table, "", out);
  ts_cli_table_release(&table);
  add_log(out, ts_cli_reply_text(reply, "log"));
  if (!ts_cli_reply_has(reply, "kept")) return;
  ts_str_add(out, "The folder of the call: ");
  ts_cli_text_add_safe(out, ts_cli_reply_text(reply, "kept"));
  ts_str_add_char(out, '\n');
}
