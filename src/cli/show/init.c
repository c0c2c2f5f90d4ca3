/* Text of 'init': what was made, what was guessed from data, what to do next.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"
#include "cli/arguments_int.h"
#include "cli/reply.h"
#include "cli/text.h"
#include "cli/view.h"

#include <string.h>

#define ROWS_SHOWN 12 /* of images, and of files that were left out */

/* What to do now; the proposals are meant for the new folder. */
static void add_next(struct ts_str *out, const json_t *reply) {
  const json_t *next = ts_cli_reply_member(reply, "next");
  const char *folder = ts_cli_reply_text(reply, "folder");
  bool elsewhere = *folder && strcmp(folder, ".") != 0;
  const char *before = "Next: ";
  if (elsewhere && json_array_size(next) > 0) {
    struct ts_str quoted = {0};
    ts_str_add_shell_word(&quoted, folder);
    ts_str_addf(out, "%scd ", before);
    ts_cli_text_add_safe(out, ts_str_get(&quoted));
    ts_str_add_char(out, '\n');
    ts_str_release(&quoted);
    before = "      ";
  }
  for (size_t i = 0; i < json_array_size(next); i++) {
    const char *line = json_string_value(json_array_get(next, i));
    ts_str_add(out, before);
    ts_cli_text_add_safe(out, line ? line : "");
    ts_str_add_char(out, '\n');
    before = "      ";
  }
}

/* ---- what was guessed from data ---- */

/* Two members of each object, the first of them a path, below their names; and how many more there are. */
static void add_rows(struct ts_str *out, const json_t *list, const char *file, const char *text, bool is_path) {
  struct ts_cli_table table;
  const size_t count = json_array_size(list);
  ts_cli_table_init(&table, "ll");
  ts_cli_table_addf(&table, "  %s", file);
  ts_cli_table_add(&table, text);
  for (size_t i = 0; i < count && i < ROWS_SHOWN; i++) {
    const json_t *row = json_array_get(list, i);
    const char *other = ts_cli_reply_text(row, text);
    ts_cli_table_addf(&table, "  %s", ts_path_name(ts_cli_reply_text(row, file)));
    ts_cli_table_add(&table, is_path ? ts_path_name(other) : other);
  }
  ts_cli_table_print(&table, "", out);
  ts_cli_table_release(&table);
  if (count > ROWS_SHOWN) ts_str_addf(out, "  and %zu more, in data.csv\n", count - ROWS_SHOWN);
}

static void add_images(struct ts_str *out, const json_t *reply) {
  const json_t *images = ts_cli_reply_member(reply, "images"), *left_out = ts_cli_reply_member(reply, "left_out");
  const bool has_truth = ts_cli_reply_has(json_array_get(images, 0), "truth");
  ts_str_add(out, "Images: ");
  ts_cli_text_add_count(out, json_array_size(images), "file");
  ts_str_add(out, has_truth ? ", each with its truth\n" : ", without truths\n");
  add_rows(out, images, "image", "truth", true);
  if (json_array_size(left_out) == 0) return;
  ts_str_add(out, "Left out: ");
  ts_cli_text_add_count(out, json_array_size(left_out), "file");
  ts_str_add(out, "\n");
  add_rows(out, left_out, "file", "reason", false);
}

static void add_tiles(struct ts_str *out, const json_t *reply) {
  const long long tile = (long long)json_integer_value(ts_cli_reply_member(reply, "tile"));
  const long long halo = (long long)json_integer_value(ts_cli_reply_member(reply, "halo"));
  if (tile == 0)
    ts_str_add(out, "Tiles: none, whole images\n");
  else
    ts_str_addf(out, "Tiles: %lld x %lld pixels, computed with %lld more on each side (halo)\n", tile, tile, halo);
}

static void add_guesses(struct ts_str *out, const json_t *reply) {
  const json_t *workflow = ts_cli_reply_member(reply, "workflow"), *goal = ts_cli_reply_member(reply, "goal");
  const json_t *method = ts_cli_reply_member(reply, "method");
  const bool has_truth = strcmp(ts_cli_reply_text(reply, "against"), "truth") == 0;
  add_images(out, reply);
  ts_str_addf(out, "Workflow: %s, %s\n", ts_cli_reply_text(workflow, "name"), ts_cli_reply_text(workflow, "use"));
  add_tiles(out, reply);
  ts_str_addf(out, "Method: %s with %llu trajectories\n", ts_cli_reply_text(method, "name"),
              (unsigned long long)ts_cli_reply_count(method, "trajectories"));
  ts_str_addf(out, "%s: %s %s\n", has_truth ? "Goal" : "Output", ts_cli_reply_text(goal, "label"),
              has_truth ? "with the truth, as high as possible" : "with the run at default parameters");
}

void ts_show_init(const json_t *reply, const struct ts_view *view, struct ts_str *out) {
  const json_t *files = ts_cli_reply_member(reply, "files");
  ts_str_add(out, "Made ");
  ts_cli_text_add_safe(out, ts_cli_reply_text(reply, "folder"));
  size_t count = json_array_size(files);
  if (count > 0) {
    struct ts_str names = {0};
    ts_str_add(out, " with ");
    for (size_t i = 0; i < count; i++) {
      const char *name = json_string_value(json_array_get(files, i));
      if (i > 0) ts_str_add(&names, i + 1 < count ? ", " : " and ");
      ts_cli_text_add_safe(&names, name ? name : "");
    }
    ts_cli_text_add_wrapped(out, ts_str_get(&names), (size_t)view->width, 12, "  ");
    ts_str_release(&names);
  }
  ts_str_add_char(out, '\n');
  if (ts_cli_reply_has(reply, "images")) add_guesses(out, reply);
  if (!view->quiet) add_next(out, reply);
}
