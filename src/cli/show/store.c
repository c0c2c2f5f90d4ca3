/* Text of 'store du' and 'store gc': what takes how much, and what can go.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/reply.h"
#include "cli/text.h"
#include "cli/view.h"

#include <string.h>

static void add_bytes(struct ts_str *out, const json_t *object, const char *name) {
  char bytes[32];
  ts_str_add(out, ts_format_bytes(ts_cli_reply_count(object, name), bytes));
}

static void take_bytes(struct ts_cli_table *table, const json_t *object, const char *name) {
  struct ts_str text = {0};
  add_bytes(&text, object, name);
  ts_cli_table_take(table, &text);
}

static void take_seconds(struct ts_cli_table *table, const json_t *object) {
  struct ts_str text = {0};
  ts_cli_text_add_time(&text, ts_cli_reply_number(object, "seconds"));
  ts_cli_table_take(table, &text);
}

static void add_headings(struct ts_cli_table *table, const char *const *headings) {
  for (size_t i = 0; headings[i]; i++) ts_cli_table_add(table, headings[i]);
}

static void add_stages(struct ts_str *out, const json_t *stages) {
  static const char *const headings[] = {"stage", "products", "takes", "computing it took", NULL};
  struct ts_cli_table table;
  if (json_array_size(stages) == 0) return;
  ts_cli_table_init(&table, "lrrr");
  add_headings(&table, headings);
  for (size_t i = 0; i < json_array_size(stages); i++) {
    const json_t *stage = json_array_get(stages, i);
    const char *name = ts_cli_reply_text(stage, "stage");
    ts_cli_table_add(&table, name[0] ? name : "(of no task)");
    ts_cli_table_add_count(&table, ts_cli_reply_count(stage, "products"));
    take_bytes(&table, stage, "bytes");
    take_seconds(&table, stage);
  }
  ts_cli_table_print(&table, "  ", out);
  ts_cli_table_release(&table);
}

static void add_run(struct ts_cli_table *table, const json_t *run) {
  ts_cli_table_add(table, ts_cli_reply_text(run, "run"));
  ts_cli_table_add(table, ts_cli_reply_text(run, "command"));
  ts_cli_table_add(table, ts_cli_reply_text(run, "name"));
  ts_cli_table_add(table, ts_cli_reply_text(run, "state"));
  ts_cli_table_add(table, ts_cli_reply_text(run, "started"));
}

static void add_used(struct ts_str *out, const json_t *runs) {
  static const char *const headings[] = {"run", "command", "name", "state", "started", "uses", "it alone", NULL};
  struct ts_cli_table table;
  if (json_array_size(runs) == 0) return;
  ts_cli_table_init(&table, "lllllrr");
  add_headings(&table, headings);
  for (size_t i = 0; i < json_array_size(runs); i++) {
    const json_t *run = json_array_get(runs, i);
    add_run(&table, run);
    take_bytes(&table, run, "bytes");
    take_bytes(&table, run, "own_bytes");
  }
  ts_cli_table_print(&table, "  ", out);
  ts_cli_table_release(&table);
}

void ts_show_du(const json_t *reply, const struct ts_view *view, struct ts_str *out) {
  const json_t *database = ts_cli_reply_member(reply, "database"), *objects = ts_cli_reply_member(reply, "objects");
  const json_t *products = ts_cli_reply_member(reply, "products"), *unused = ts_cli_reply_member(reply, "unused");
  ts_str_add(out, "The store '");
  ts_cli_text_add_safe(out, ts_cli_reply_text(reply, "store"));
  ts_str_add(out, "' takes ");
  add_bytes(out, reply, "bytes");
  ts_str_add(out, ": products ");
  add_bytes(out, products, "bytes");
  ts_str_add(out, ", rows of ");
  ts_cli_text_add_count(out, ts_cli_reply_count(reply, "records"), "task");
  ts_str_add(out, " and their indexes ");
  add_bytes(out, database, "rows");
  ts_str_add(out, ", free in the database ");
  add_bytes(out, database, "free");
  if (ts_cli_reply_count(objects, "stray_bytes") > 0) {
    ts_str_add(out, ", files that belong to nothing ");
    add_bytes(out, objects, "stray_bytes");
  }
  ts_str_add(out, ".\n\n");
  add_stages(out, ts_cli_reply_member(reply, "stages"));
  ts_str_add(out, "\n");
  add_used(out, ts_cli_reply_member(reply, "runs"));
  ts_str_add(out, "\nNo run uses ");
  ts_cli_text_add_count(out, ts_cli_reply_count(unused, "products"), "product");
  ts_str_add(out, " (");
  add_bytes(out, unused, "bytes");
  ts_str_add(out, ").");
  if (!view->quiet) ts_str_addf(out, " What can go, and at which cost: %s store gc --keep-runs N", view->program);
  ts_str_add_char(out, '\n');
}

/* ---- gc ---- */

static const struct {
  const char *because, *text;
} reasons[] = {
    {"unfinished", "stays: unfinished"},
    {"needed", "stays: an unfinished run of its file may need it"},
    {"newest", "stays: --keep-runs"},
    {"young", "stays: --older-than"},
    {"all", "stays"},
};

static const char *reason_of(const json_t *run) {
  for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
    if (strcmp(reasons[i].because, ts_cli_reply_text(run, "because")) == 0) return reasons[i].text;
  return "";
}

static void add_affected(struct ts_str *out, const json_t *runs) {
  static const char *const headings[] = {"run",   "command",           "name", "state", "started", "uses",
                                         "loses", "computing it took", "",     NULL};
  struct ts_cli_table table;
  if (json_array_size(runs) == 0) return;
  ts_cli_table_init(&table, "lllllrrrl");
  add_headings(&table, headings);
  for (size_t i = 0; i < json_array_size(runs); i++) {
    const json_t *run = json_array_get(runs, i), *remove = ts_cli_reply_member(run, "remove");
    add_run(&table, run);
    take_bytes(&table, run, "bytes");
    take_bytes(&table, remove, "bytes");
    take_seconds(&table, remove);
    ts_cli_table_add(&table, reason_of(run));
  }
  ts_cli_table_print(&table, "  ", out);
  ts_cli_table_release(&table);
}

/* The first unfinished run: what it keeps goes once it is finished or dropped. */
static void add_unfinished(struct ts_str *out, const json_t *runs, const struct ts_view *view) {
  for (size_t i = 0; i < json_array_size(runs); i++) {
    const json_t *run = json_array_get(runs, i);
    const char *id = ts_cli_reply_text(run, "run"), *state = ts_cli_reply_text(run, "state");
    if (strcmp(ts_cli_reply_text(run, "because"), "unfinished") != 0 || strcmp(state, "running") == 0) continue;
    ts_str_addf(out, "Run %s can be continued, so what it needs stays: %s %s --resume %s, or --drop %s.\n", id,
                view->program, ts_cli_reply_text(run, "command"), id, id);
    return;
  }
}

static void add_removed(struct ts_str *out, const json_t *reply, const json_t *removed) {
  ts_str_add(out, "Removed ");
  ts_cli_text_add_count(out, ts_cli_reply_count(removed, "products"), "product");
  const uint64_t files = ts_cli_reply_count(removed, "stray_files");
  if (files > 0) {
    ts_str_add(out, " and ");
    ts_cli_text_add_count(out, files, "file");
    ts_str_add(out, " that belonged to none");
  }
  ts_str_add(out, ". The store took ");
  add_bytes(out, reply, "bytes");
  ts_str_add(out, ", now ");
  add_bytes(out, removed, "bytes_after");
  ts_str_add(out, ".\n");
}

/* What goes or went: "1 234 products (1.2 GB); computing them took 5 min of CPU time". */
static void add_sum(struct ts_str *out, const json_t *remove) {
  ts_cli_text_add_count(out, ts_cli_reply_count(remove, "products"), "product");
  ts_str_add(out, " (");
  add_bytes(out, remove, "bytes");
  ts_str_add(out, "); computing them took ");
  ts_cli_text_add_time(out, ts_cli_reply_number(remove, "seconds"));
  ts_str_add(out, " of CPU time");
}

void ts_show_gc(const json_t *reply, const struct ts_view *view, struct ts_str *out) {
  const json_t *remove = ts_cli_reply_member(reply, "remove"), *removed = ts_cli_reply_member(reply, "removed");
  const json_t *runs = ts_cli_reply_member(reply, "runs");
  const bool is_nothing = ts_cli_reply_count(remove, "products") + ts_cli_reply_count(remove, "stray_bytes") == 0;
  ts_str_add(out, removed ? "Chosen: " : "Would remove ");
  add_sum(out, remove);
  ts_str_add(out, ".\n\n");
  add_stages(out, ts_cli_reply_member(reply, "stages"));
  if (json_array_size(ts_cli_reply_member(reply, "stages")) > 0) ts_str_add_char(out, '\n');
  add_affected(out, runs);
  ts_str_add_char(out, '\n');
  if (removed) add_removed(out, reply, removed);
  if (json_is_false(ts_cli_reply_member(reply, "target_met"))) {
    ts_str_add(out, removed ? "That is more than --to allows" : "The store would still take ");
    if (!removed) add_bytes(out, reply, "left_bytes");
    ts_str_add(out, removed ? ": the rest is rows, or needed.\n"
                            : ", more than --to allows: the rest is rows, or needed.\n");
  }
  if (view->quiet) return;
  add_unfinished(out, runs, view);
  if (!removed && !is_nothing)
    ts_str_add(out, "Nothing was removed: add --yes to do it. Products that are needed again are computed again.\n");
  if (!removed && is_nothing)
    ts_str_addf(out, "%s store gc --keep-runs N, --older-than AGE or --to SIZE says more.\n", view->program);
}
