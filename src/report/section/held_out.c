/* 'Held-out data': the outputs over files that the study did not see, at the defaults and at its best set.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/page_int.h"

#include "base/str.h"
#include "report/text.h"

#include <string.h>

static bool is_best(const json_t *set) { return strcmp(ts_result_text(set, "role"), "best") == 0; }

static void add_rows(struct ts_table *table, struct ts_page *page, const json_t *set) {
  const json_t *outputs = ts_result_list(set, "outputs");
  for (size_t i = 0; i < json_array_size(outputs); i++) {
    const json_t *output = json_array_get(outputs, i);
    ts_table_text(table, ts_result_text(output, "output"));
    ts_table_text(table, is_best(set) ? ts_arena_printf(&page->arena, "best set, %.0f", ts_result_number(set, "set"))
                                      : "defaults");
    ts_table_number(table, ts_result_number(output, "value"));
    ts_table_number(table, ts_result_number(output, "lo"));
    ts_table_number(table, ts_result_number(output, "hi"));
    ts_table_number(table, ts_result_number(output, "n"));
    ts_table_number(table, ts_result_number(output, "studied"));
  }
}

void ts_page_held_out(struct ts_page *page) {
  static const char *const headers[] = {"Output", "At", "Held out", "from", "to", "Files", "Studied files"};
  const json_t *held_out = json_object_get(page->result, "held_out");
  const json_t *sets = ts_result_list(held_out, "sets");
  const double files = ts_result_number(held_out, "files");
  if (json_array_size(sets) == 0) return;
  ts_page_section_open(page, "Held-out data");
  ts_str_addf(page->out, "<p>%.0f %s held out: no index, no design and no choice of a set used %s.", files,
              files == 1 ? "file was" : "files were", files == 1 ? "it" : "them");
  if (json_array_size(sets) > 1)
    ts_html_addf(page->out, " The best set is the one with the best %s over the files of the study.",
                 ts_result_text(held_out, "goal"));
  ts_str_add(page->out, "</p>\n");
  struct ts_table table;
  ts_table_open(&table, page, "Outputs over the held-out files", NULL, headers, "llrrrrr");
  for (size_t i = 0; i < json_array_size(sets); i++) add_rows(&table, page, json_array_get(sets, i));
  ts_table_close(&table, false);
  ts_page_section_close(page);
}
