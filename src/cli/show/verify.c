/* Text of 'store verify': what was read, what was wrong, and what became of it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/reply.h"
#include "cli/text.h"
#include "cli/view.h"

static void add_counts(struct ts_str *out, const json_t *counts, bool with_files) {
  ts_cli_text_add_count(out, ts_cli_reply_count(counts, "rows"), "row");
  ts_str_add(out, with_files ? ", " : " and ");
  ts_cli_text_add_count(out, ts_cli_reply_count(counts, "products"), "product");
  if (!with_files) return;
  ts_str_add(out, " and ");
  ts_cli_text_add_count(out, ts_cli_reply_count(counts, "files"), "file");
}

static void add_damage(struct ts_str *out, const json_t *reply) {
  const json_t *damaged = ts_cli_reply_member(reply, "damaged");
  const bool is_rebuilt = json_is_true(ts_cli_reply_member(reply, "rebuilt"));
  if (ts_cli_reply_count(damaged, "rows") + ts_cli_reply_count(damaged, "products") > 0) {
    ts_str_add(out, "Removed ");
    add_counts(out, damaged, false);
    ts_str_add(out, " that were damaged; they are computed again when they are needed.\n");
  } else if (is_rebuilt) {
    ts_str_add(out, "Indexes were damaged.\n");
  } else {
    ts_str_add(out, "Everything is as it was written.\n");
  }
  if (is_rebuilt) ts_str_add(out, "The database was rewritten from its sound rows.\n");
  const uint64_t files = ts_cli_reply_count(ts_cli_reply_member(reply, "removed"), "files");
  if (files == 0) return;
  ts_str_add(out, "Removed ");
  ts_cli_text_add_count(out, files, "file");
  ts_str_add(out, files == 1 ? " that belongs to no product.\n" : " that belong to no product.\n");
}

static void add_differences(struct ts_str *out, const json_t *differs) {
  for (size_t i = 0; i < json_array_size(differs); i++) {
    const json_t *difference = json_array_get(differs, i);
    ts_str_add(out, "  ");
    ts_cli_text_add_safe(out, ts_cli_reply_text(difference, "operation"));
    ts_str_addf(out, "  key %.16s  made by run ", ts_cli_reply_text(difference, "key"));
    ts_cli_text_add_safe(out, ts_cli_reply_text(difference, "run"));
    ts_str_add_char(out, '\n');
  }
}

static void add_recomputed(struct ts_str *out, const json_t *reply) {
  const json_t *recomputed = ts_cli_reply_member(reply, "recomputed");
  const json_t *differs = ts_cli_reply_member(reply, "differs");
  const size_t wrong = json_array_size(differs);
  ts_str_add(out, "Computed ");
  ts_cli_text_add_count(out, ts_cli_reply_count(recomputed, "runs"), "run");
  const uint64_t compared = ts_cli_reply_count(recomputed, "records");
  char number[32];
  ts_str_addf(out, " again: %s of ", compared == 0 ? "none" : ts_format_count(compared, number));
  ts_cli_text_add_count(out, ts_cli_reply_count(recomputed, "of"), "record");
  ts_str_add(out, compared == 0 ? " could be compared.\n" : " compared, ");
  if (compared == 0) return;
  if (wrong == 0) {
    ts_str_add(out, "all the same.\n");
    return;
  }
  ts_str_addf(out, "%zu %s wrong and removed:\n", wrong, wrong == 1 ? "was" : "were");
  add_differences(out, differs);
}

void ts_show_verify(const json_t *reply, const struct ts_view *view, struct ts_str *out) {
  (void)view;
  ts_str_add(out, "Read ");
  add_counts(out, ts_cli_reply_member(reply, "checked"), true);
  ts_str_add(out, " of the store '");
  ts_cli_text_add_safe(out, ts_cli_reply_text(reply, "store"));
  ts_str_add(out, "'.\n");
  add_damage(out, reply);
  if (ts_cli_reply_member(reply, "recomputed")) add_recomputed(out, reply);
}
