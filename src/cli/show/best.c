/* Text of a study with a goal: the best run, the shortest change, and the choice without each file.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/reply.h"
#include "cli/text.h"
#include "cli/view.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

#define PROGRAM "tessera" /* begins the commands of a reply */

/* A sentence of the reply. */
static void add_sentence(struct ts_str *out, const char *before, const char *sentence, const struct ts_view *view) {
  ts_auto(ts_str_release) struct ts_str text = {0};
  ts_str_add(&text, before);
  ts_cli_text_add_safe(&text, sentence);
  ts_cli_text_add_wrapped(out, ts_str_get(&text), (size_t)view->width, 0, "  ");
  ts_str_add_char(out, '\n');
}

static void add_row(struct ts_cli_table *table, const char *what, const json_t *set) {
  ts_cli_table_add(table, what);
  static const char *const members[] = {"value", "lo", "hi"};
  for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
    struct ts_str cell = {0};
    ts_cli_text_add_number(&cell, ts_cli_reply_number(set, members[i]));
    ts_cli_table_take(table, &cell);
  }
}

static void add_table(struct ts_str *out, const json_t *reply) {
  const json_t *best = ts_cli_reply_member(reply, "best"), *change = ts_cli_reply_member(reply, "shortest_change");
  const json_t *set = ts_cli_reply_member(best, "set");
  struct ts_cli_table table;
  ts_cli_table_init(&table, "lrrr");
  ts_cli_table_add(&table, ts_cli_reply_text(ts_cli_reply_member(reply, "goal"), "name"));
  static const char *const heads[] = {"value", "from", "to"};
  for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) ts_cli_table_add(&table, heads[i]);
  if (ts_cli_reply_member(reply, "default")) add_row(&table, "defaults", ts_cli_reply_member(reply, "default"));
  if (ts_cli_reply_has(change, "value")) add_row(&table, "shortest change", change);
  if (json_is_integer(set)) {
    ts_auto(ts_str_release) struct ts_str name = {0};
    ts_str_addf(&name, "best run, %lld", (long long)json_integer_value(set));
    add_row(&table, ts_str_get(&name), best);
  }
  ts_cli_table_print(&table, "  ", out);
  ts_cli_table_release(&table);
}

static void add_command(struct ts_str *out, const char *what, const char *command, const struct ts_view *view) {
  const size_t own = strlen(PROGRAM);
  if (view->quiet || strncmp(command, PROGRAM, own) != 0) return;
  ts_str_addf(out, "%s: %s", what, view->program);
  ts_cli_text_add_safe(out, command + own);
  ts_str_add_char(out, '\n');
}

void ts_show_values_from(const json_t *reply, struct ts_str *out) {
  if (!*ts_cli_reply_text(reply, "values_from")) return;
  ts_str_add(out, "Values: ");
  ts_cli_text_add_safe(out, ts_cli_reply_text(reply, "values_from"));
  ts_str_add_char(out, '\n');
}

/* "26 further runs for this: 283 of 1 716 tasks executed." */
static void add_further(struct ts_str *out, const json_t *further) {
  char number[32];
  if (!further) return;
  ts_cli_text_add_count(out, ts_cli_reply_count(further, "runs"), "further run");
  ts_str_addf(out, " for this: %s of ", ts_format_count(ts_cli_reply_count(further, "executed"), number));
  ts_cli_text_add_count(out, ts_cli_reply_count(further, "requested"), "task");
  ts_str_add(out, " executed.\n");
}

void ts_show_best(const json_t *reply, const struct ts_view *view, struct ts_str *out) {
  const json_t *best = ts_cli_reply_member(reply, "best"), *change = ts_cli_reply_member(reply, "shortest_change");
  const json_t *choices = ts_cli_reply_member(reply, "choice_stability");
  if (!best) return;
  add_table(out, reply);
  if (change) add_sentence(out, "Shortest change: ", ts_cli_reply_text(change, "text"), view);
  if (choices) add_sentence(out, "", ts_cli_reply_text(choices, "text"), view);
  add_further(out, ts_cli_reply_member(reply, "further"));
  add_command(out, "Use the best values", ts_cli_reply_text(best, "command"), view);
  if (change) add_command(out, "or the shortest change", ts_cli_reply_text(change, "command"), view);
  ts_str_add_char(out, '\n');
}
