/* Text of run, study and plan about tiles that were left out because they have no tissue.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/reply.h"
#include "cli/text.h"
#include "cli/view.h"

#include <string.h>

#define TOP_FILES 5 /* further ones are added up */

static bool is_searched(const json_t *file) { return strcmp(ts_cli_reply_text(file, "source"), "off") != 0; }

/* "slide: 412 of 1 200 tiles have tissue" */
static void add_line(struct ts_str *out, uint64_t with, uint64_t tiles) {
  char number[32];
  ts_str_addf(out, ": %s of ", ts_format_count(with, number));
  ts_cli_text_add_count(out, tiles, "tile");
  ts_str_add(out, with == 1 ? " has tissue\n" : " have tissue\n");
}

void ts_show_tissue(const json_t *reply, struct ts_str *out) {
  const json_t *list = ts_cli_reply_member(reply, "tissue");
  uint64_t shown = 0, others = 0, with_others = 0, tiles_of_others = 0;
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *file = json_array_get(list, i);
    const uint64_t tiles = ts_cli_reply_count(file, "tiles");
    const uint64_t with = tiles - ts_cli_reply_count(file, "without_tissue");
    if (!is_searched(file)) continue;
    if (shown++ < TOP_FILES) {
      ts_cli_text_add_safe(out, ts_cli_reply_text(file, "file"));
      add_line(out, with, tiles);
    } else {
      others++;
      with_others += with;
      tiles_of_others += tiles;
    }
  }
  if (others == 0) return;
  ts_cli_text_add_count(out, others, "more file");
  add_line(out, with_others, tiles_of_others);
}
