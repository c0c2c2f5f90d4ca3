/* Text of check about the halo of tiles: how large it is, and the tasks that need it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/reply.h"
#include "cli/text.h"
#include "cli/view.h"

#define TOP_TASKS 6 /* further ones are counted */

/* "segment.smooth 5, segment.select 21" */
static void add_path(const json_t *path, struct ts_str *out) {
  const size_t count = json_array_size(path);
  for (size_t i = 0; i < count && i < TOP_TASKS; i++) {
    const json_t *step = json_array_get(path, i);
    if (i > 0) ts_str_add(out, ", ");
    ts_cli_text_add_safe(out, ts_cli_reply_text(step, "task"));
    ts_str_addf(out, " %llu", (unsigned long long)ts_cli_reply_count(step, "px"));
  }
  if (count > TOP_TASKS) ts_str_addf(out, " and %zu more", count - TOP_TASKS);
}

void ts_show_halo(const json_t *reply, struct ts_str *out) {
  const json_t *halo = ts_cli_reply_member(reply, "halo");
  const json_t *path = ts_cli_reply_member(halo, "path");
  const size_t tile_tasks = json_array_size(ts_cli_reply_member(halo, "tile_tasks"));
  if (!json_is_object(halo)) return;
  ts_str_addf(out, "halo: %llu px", (unsigned long long)ts_cli_reply_count(halo, "px"));
  if (json_is_true(ts_cli_reply_member(halo, "given")))
    ts_str_addf(out, " as given, %llu needed", (unsigned long long)ts_cli_reply_count(halo, "needed_px"));
  if (json_array_size(path) > 0) {
    ts_str_add(out, " (");
    add_path(path, out);
    ts_str_add_char(out, ')');
  }
  if (tile_tasks > 0) {
    ts_str_add(out, "; ");
    ts_cli_text_add_count(out, tile_tasks, "task");
    ts_str_add(out, tile_tasks == 1 ? " looks at the whole tile" : " look at the whole tile");
  }
  ts_str_add_char(out, '\n');
}
